//! The exhaustive check of a mapping: run through all threads, and count how often each cell is written.

use super::{Axes, Mapping, MappingError};
use crate::layout::{filled, ShapeError};

/// Cells and threads up to which a mapping is checked thread by thread.
const EXHAUSTIVE: u64 = 1 << 30;

/// How often the threads of a launch write the cells of the matrix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coverage {
    /// Cells that exactly one thread writes.
    pub once: u64,
    /// Cells that no thread writes.
    pub never: u64,
    /// Cells that two or more threads write.
    pub more: u64,
    /// The first cell (r, c), in row-major order, that is not written exactly once.
    pub first_wrong: Option<(u64, u64)>,
}

impl Coverage {
    /// Returns whether every cell is written exactly once.
    pub fn covered_once(&self) -> bool {
        self.first_wrong.is_none()
    }
}

impl Mapping {
    /// Returns how often each cell is written when the kernel lays x on the axis that `kernel` says, guard on both axes.
    ///
    /// The launch has its own opinion of the axes (see [`Mapping::cover_with`]); where the two differ, cells stay unwritten
    /// unless the shapes happen to fit.
    ///
    /// # Errors
    /// If matrix or launch are too large to go through thread by thread.
    pub fn coverage(&self, kernel: Axes) -> Result<Coverage, MappingError> {
        let writes = self.writes(kernel)?;
        let wrong = writes.iter().position(|&n| n != 1);
        let count = |wanted: fn(u8) -> bool| writes.iter().filter(|&&n| wanted(n)).count() as u64;
        Ok(Coverage {
            once: count(|n| n == 1),
            never: count(|n| n == 0),
            more: count(|n| n > 1),
            first_wrong: wrong.map(|i| (i as u64 / self.cols, i as u64 % self.cols)),
        })
    }

    /// Returns the writes that each cell gets, row-major, counted up to 255.
    ///
    /// # Errors
    /// As [`Mapping::coverage`].
    pub fn writes(&self, kernel: Axes) -> Result<Vec<u8>, MappingError> {
        let (rows, cols) = (self.rows, self.cols);
        if self.launched().max(rows * cols) > EXHAUSTIVE {
            return Err(ShapeError::TooLarge { rows, cols }.into());
        }
        let mut writes = filled(rows, cols, 0u8)?;
        let [threads_x, threads_y] = self.threads();
        for y in 0..threads_y {
            for x in 0..threads_x {
                let (r, c) = kernel.cell(x, y);
                if r < rows && c < cols {
                    let cell = &mut writes[(r * cols + c) as usize];
                    *cell = cell.saturating_add(1);
                }
            }
        }
        Ok(writes)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use Axes::{XOnColumns, XOnRows};

    #[test]
    fn axes_swapped_in_the_kernel_only() {
        // ANCHOR: swapped
        use warpwise::mapping::{Axes, Mapping};

        // The launch lays x on columns: one block along x, two along y.
        let launch = Mapping::cover(17, 1, [16, 16]).unwrap();
        assert_eq!(launch.grid, [1, 2]);
        assert!(launch.coverage(Axes::XOnColumns).unwrap().covered_once());

        // The kernel takes x for the row. Sixteen threads along x never reach row 16.
        let coverage = launch.coverage(Axes::XOnRows).unwrap();
        assert_eq!(coverage.never, 1);
        assert_eq!(coverage.first_wrong, Some((16, 0)));
        // ANCHOR_END: swapped
    }

    #[test]
    fn too_large_to_go_through() {
        let launch = Mapping::cover(1 << 20, 1 << 20, [16, 16]).unwrap();
        assert!(launch.coverage(XOnColumns).is_err());
    }

    proptest! {
        /// Axes that agree cover every cell once, whichever they are.
        #[test]
        fn every_cell_once(rows in 0u64..70, cols in 0u64..70, bx in 1u64..20, by in 1u64..20) {
            for axes in [XOnColumns, XOnRows] {
                let coverage = Mapping::cover_with(rows, cols, [bx, by], axes)?.coverage(axes)?;
                prop_assert!(coverage.covered_once());
                prop_assert_eq!((coverage.once, coverage.never, coverage.more), (rows * cols, 0, 0));
            }
        }

        /// Axes that disagree leave out exactly the cells that the shorter grid does not reach.
        #[test]
        fn disagreement_leaves_cells_out(rows in 1u64..70, cols in 1u64..70, bx in 1u64..20, by in 1u64..20) {
            let launch = Mapping::cover(rows, cols, [bx, by])?;
            let [x, y] = launch.threads();
            let reached = rows.min(x) * cols.min(y);
            let coverage = launch.coverage(XOnRows)?;
            prop_assert_eq!((coverage.once, coverage.never, coverage.more), (reached, rows * cols - reached, 0));
        }
    }
}
