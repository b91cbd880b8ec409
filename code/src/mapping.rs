//! Laying a grid of thread blocks over a matrix: how many blocks, which thread gets which cell, and what is wasted.
//!
//! Blocks and grids are written (x, y) as in CUDA, matrices rows x cols. One thread works on one cell.

mod coverage;

pub use coverage::Coverage;

use crate::layout::{cells, ShapeError};

/// Threads that one block may have on every CUDA device.
pub const MAX_BLOCK_THREADS: u64 = 1024;
/// Blocks that a grid may have along x on every CUDA device.
pub const MAX_GRID_X: u64 = (1 << 31) - 1;
/// Blocks that a grid may have along y on every CUDA device.
pub const MAX_GRID_Y: u64 = 65_535;

/// Which grid axis walks along the columns of the matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axes {
    /// x walks along columns, y down rows: neighbouring threads of a warp work on neighbouring columns.
    XOnColumns,
    /// x walks down rows, y along columns: the two exchanged.
    XOnRows,
}

impl Axes {
    /// Returns the cell (r, c) of the thread at (x, y) in the grid.
    pub const fn cell(self, x: u64, y: u64) -> (u64, u64) {
        match self {
            Axes::XOnColumns => (y, x),
            Axes::XOnRows => (x, y),
        }
    }
}

/// What can be wrong with a launch over a matrix.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MappingError {
    /// A block without threads covers nothing.
    #[error("a block of {}x{} threads has no thread; give both axes at least 1", block[0], block[1])]
    EmptyBlock {
        /// Block size (x, y).
        block: [u64; 2],
    },
    /// A block larger than any device takes.
    #[error("a block of {}x{} threads is too large; CUDA takes at most {MAX_BLOCK_THREADS} in a block", block[0], block[1])]
    BlockTooLarge {
        /// Block size (x, y).
        block: [u64; 2],
    },
    /// A grid larger than any device takes.
    #[error(
        "the grid would have {}x{} blocks; CUDA takes at most {MAX_GRID_X} in x and {MAX_GRID_Y} in y: \
         choose larger blocks or a smaller matrix", grid[0], grid[1]
    )]
    GridTooLarge {
        /// Grid size (x, y).
        grid: [u64; 2],
    },
    /// The shape itself.
    #[error(transparent)]
    Shape(#[from] ShapeError),
}

/// A launch whose grid covers a rows x cols matrix, one thread a cell.
///
/// [`Mapping::cover`] makes them, so that no product of these numbers overflows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mapping {
    /// Number of rows.
    pub rows: u64,
    /// Number of columns.
    pub cols: u64,
    /// Threads in a block (x, y).
    pub block: [u64; 2],
    /// Blocks in the grid (x, y).
    pub grid: [u64; 2],
}

// ANCHOR: grid
/// Returns the blocks along x and y that cover a matrix: ceiling division on each axis.
pub fn grid(rows: u64, cols: u64, block: [u64; 2]) -> [u64; 2] {
    let [block_x, block_y] = block.map(|threads| threads.max(1));
    // x walks along columns, y down rows.
    [cols.div_ceil(block_x), rows.div_ceil(block_y)]
}
// ANCHOR_END: grid

impl Mapping {
    /// Returns the launch that covers a rows x cols matrix with blocks of `block` (x, y) threads, x on columns.
    ///
    /// An empty matrix gets a grid without blocks: there is nothing to launch.
    ///
    /// # Errors
    /// For a block with an axis of 0 or of more threads than [`MAX_BLOCK_THREADS`], and for a matrix too large.
    pub fn cover(rows: u64, cols: u64, block: [u64; 2]) -> Result<Mapping, MappingError> {
        Mapping::cover_with(rows, cols, block, Axes::XOnColumns)
    }

    /// Returns the launch that covers a rows x cols matrix when the launch lays x on the axis that `axes` says.
    ///
    /// # Errors
    /// As [`Mapping::cover`].
    pub fn cover_with(rows: u64, cols: u64, block: [u64; 2], axes: Axes) -> Result<Mapping, MappingError> {
        if block.contains(&0) {
            return Err(MappingError::EmptyBlock { block });
        }
        if block[0].saturating_mul(block[1]) > MAX_BLOCK_THREADS {
            return Err(MappingError::BlockTooLarge { block });
        }
        if cells(rows, cols)? == 0 {
            let grid = [0, 0];
            return Ok(Mapping {
                rows,
                cols,
                block,
                grid,
            });
        }
        // Both axes round up: leave room for one block more on each, so that thread counts fit in 64 bits too.
        let roomy = |n: u64| n.checked_add(MAX_BLOCK_THREADS);
        let fits = roomy(rows)
            .zip(roomy(cols))
            .and_then(|(r, c)| r.checked_mul(c))
            .is_some();
        if !fits {
            return Err(ShapeError::TooLarge { rows, cols }.into());
        }
        let (down, along) = match axes {
            Axes::XOnColumns => (rows, cols),
            Axes::XOnRows => (cols, rows),
        };
        Ok(Mapping {
            rows,
            cols,
            block,
            grid: grid(down, along, block),
        })
    }

    /// Returns grid and block as a launch takes them (x, y, z).
    ///
    /// # Errors
    /// [`MappingError::GridTooLarge`] if no device takes a grid of this size.
    pub fn launch(&self) -> Result<([u32; 3], [u32; 3]), MappingError> {
        let narrow = |[x, y]: [u64; 2]| Some([u32::try_from(x).ok()?, u32::try_from(y).ok()?, 1]);
        let fits = self.grid[0] <= MAX_GRID_X && self.grid[1] <= MAX_GRID_Y;
        let pair = narrow(self.grid).zip(narrow(self.block));
        pair.filter(|_| fits)
            .ok_or(MappingError::GridTooLarge { grid: self.grid })
    }

    /// Returns the threads along x and y, over all blocks.
    pub const fn threads(&self) -> [u64; 2] {
        [self.grid[0] * self.block[0], self.grid[1] * self.block[1]]
    }

    /// Returns the number of threads launched.
    pub const fn launched(&self) -> u64 {
        self.threads()[0] * self.threads()[1]
    }

    /// Returns the number of threads that have no cell.
    pub const fn wasted(&self) -> u64 {
        self.launched() - self.rows * self.cols
    }

    /// Returns the threads that stick out along x and along y, when x is on columns.
    pub const fn past_edge(&self) -> [u64; 2] {
        let [x, y] = self.threads();
        [x.saturating_sub(self.cols), y.saturating_sub(self.rows)]
    }

    /// Returns the place (x, y) in the grid of one thread of one block.
    pub const fn place(&self, block: [u64; 2], thread: [u64; 2]) -> [u64; 2] {
        [
            block[0].wrapping_mul(self.block[0]).wrapping_add(thread[0]),
            block[1].wrapping_mul(self.block[1]).wrapping_add(thread[1]),
        ]
    }

    /// Returns the row-major indices that one row of threads of a block touches, in the order of threadIdx.x.
    ///
    /// `block` is (blockIdx.x, blockIdx.y). Threads that the guard on both axes stops are left out.
    pub fn addresses(&self, block: [u64; 2], thread_y: u64, axes: Axes) -> Vec<u64> {
        let cells = (0..self.block[0]).map(|thread_x| {
            let [x, y] = self.place(block, [thread_x, thread_y]);
            axes.cell(x, y)
        });
        cells
            .filter(|&(r, c)| r < self.rows && c < self.cols)
            .map(|(r, c)| r * self.cols + c)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn launches_of_the_chapter() -> Result<(), MappingError> {
        for ((rows, cols), grid, launched, wasted, past_edge) in [
            ((32, 32), [2, 2], 1024, 0, [0, 0]),
            ((37, 61), [4, 3], 3072, 815, [3, 11]),
            ((5, 200), [13, 1], 3328, 2328, [8, 11]),
        ] {
            let mapping = Mapping::cover(rows, cols, [16, 16])?;
            assert_eq!(mapping.grid, grid);
            assert_eq!(
                (mapping.launched(), mapping.wasted(), mapping.past_edge()),
                (launched, wasted, past_edge)
            );
        }
        Ok(())
    }

    #[test]
    fn the_edge_costs_threads() {
        // ANCHOR: cover
        use warpwise::mapping::Mapping;

        let mapping = Mapping::cover(37, 61, [16, 16]).unwrap();

        assert_eq!(mapping.grid, [4, 3]); // 61 columns need 4 blocks, 37 rows need 3
        assert_eq!(mapping.launched(), 64 * 48);
        assert_eq!(mapping.wasted(), 64 * 48 - 37 * 61);
        assert_eq!(mapping.past_edge(), [64 - 61, 48 - 37]);
        // ANCHOR_END: cover
    }

    #[test]
    fn swapping_axes_changes_the_stride() {
        // ANCHOR: addresses
        use warpwise::mapping::{Axes, Mapping};

        let mapping = Mapping::cover(128, 100, [32, 8]).unwrap();
        let block = [3, 2]; // blockIdx.x, blockIdx.y
        let thread_y = 1;

        let along_columns = mapping.addresses(block, thread_y, Axes::XOnColumns);
        assert_eq!(along_columns[..4], [1796, 1797, 1798, 1799]);

        let down_rows = mapping.addresses(block, thread_y, Axes::XOnRows);
        assert_eq!(down_rows[..4], [9617, 9717, 9817, 9917]);
        // ANCHOR_END: addresses
        assert_eq!(along_columns.len(), 4, "columns 100 to 127 do not exist");
    }

    #[test]
    fn impossible_launches_are_refused() -> Result<(), MappingError> {
        assert_eq!(
            Mapping::cover(4, 4, [0, 16]),
            Err(MappingError::EmptyBlock { block: [0, 16] })
        );
        assert_eq!(
            Mapping::cover(4, 4, [64, 32]),
            Err(MappingError::BlockTooLarge { block: [64, 32] })
        );
        assert!(Mapping::cover(4, 4, [u64::MAX, u64::MAX]).is_err());
        assert!(Mapping::cover(1 << 33, 1 << 33, [16, 16]).is_err());
        assert!(Mapping::cover(u64::MAX, 1, [1, 1]).is_err());
        let tall = Mapping::cover(65_536, 1, [1, 1])?;
        assert_eq!(
            tall.launch(),
            Err(MappingError::GridTooLarge { grid: [1, 65_536] })
        );
        assert_eq!(
            Mapping::cover(65_536, 1, [1, 2])?.launch(),
            Ok(([1, 32_768, 1], [1, 2, 1]))
        );
        Ok(())
    }

    #[test]
    fn an_empty_matrix_launches_nothing() -> Result<(), MappingError> {
        for (rows, cols) in [(0, 0), (0, 5), (5, 0), (u64::MAX, 0), (0, u64::MAX)] {
            let mapping = Mapping::cover(rows, cols, [16, 16])?;
            assert_eq!(
                (mapping.grid, mapping.launched(), mapping.wasted()),
                ([0, 0], 0, 0)
            );
            assert!(mapping.addresses([0, 0], 0, Axes::XOnColumns).is_empty());
        }
        Ok(())
    }

    proptest! {
        /// The grid is the smallest that covers: one block less on either axis would miss cells.
        #[test]
        fn no_block_is_to_spare(rows in 1u64..3000, cols in 1u64..3000, bx in 1u64..33, by in 1u64..33) {
            let mapping = Mapping::cover(rows, cols, [bx, by])?;
            let [gx, gy] = mapping.grid;
            prop_assert!(gx * bx >= cols && (gx - 1) * bx < cols);
            prop_assert!(gy * by >= rows && (gy - 1) * by < rows);
            let [over_x, over_y] = mapping.past_edge();
            prop_assert_eq!(mapping.wasted(), mapping.launched() - (gx * bx - over_x) * (gy * by - over_y));
        }

        /// Any numbers at all: an answer or an error, never a panic.
        #[test]
        fn any_numbers(rows: u64, cols: u64, block: [u64; 2], at: [u64; 2]) {
            for mapping in [Mapping::cover(rows, cols, block), Mapping::cover(rows, cols >> 40, [16, 16])].into_iter().flatten() {
                prop_assert!(mapping.wasted() <= mapping.launched());
                let _ = (mapping.launch(), mapping.past_edge());
                prop_assert!(mapping.addresses(at, at[0], Axes::XOnRows).iter().all(|&i| i < rows * mapping.cols));
            }
        }
    }
}
