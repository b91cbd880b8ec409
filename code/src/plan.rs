//! From a kernel and a shape to what is launched: grid, buffers, arguments.
//!
//! Machine and GPU both run a [`Plan`], so that they can not differ in what they launch.

use crate::bounds;
use crate::diagonal::{diagonals, rows_of};
use crate::kernels::{KernelSpec, Shape, Threads};
use crate::mapping::{self, Mapping, MAX_BLOCK_THREADS, MAX_GRID_X, MAX_GRID_Y};
use crate::transpose::tile_grid;
use thiserror::Error;

/// Why a kernel can not be launched on a shape.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum PlanError {
    /// rows x cols x 4 bytes is more than this program addresses.
    #[error(
        "a {shape} matrix has more cells than 64 bits of bytes can address; ask for fewer rows or columns"
    )]
    TooLarge {
        /// The shape asked for.
        shape: Shape,
    },
    /// More blocks than CUDA allows along an axis.
    #[error(
        "{kernel} on {shape} needs {needed} blocks along {axis}, and CUDA allows {allowed}; \
         use fewer {side}{}", if *block_fixed { "" } else { " or a larger block (--block)" }
    )]
    GridTooLarge {
        /// The kernel asked for.
        kernel: &'static str,
        /// The shape asked for.
        shape: Shape,
        /// `x` or `y`.
        axis: &'static str,
        /// `rows` or `columns`: what stands on that axis.
        side: &'static str,
        /// Blocks the shape needs.
        needed: u64,
        /// Blocks allowed.
        allowed: u64,
        /// Whether the kernel takes no other block.
        block_fixed: bool,
    },
    /// A block no GPU takes.
    #[error("a block of {x} x {y} threads is not possible; a block has 1 to 1024 threads")]
    Block {
        /// Threads along x.
        x: u32,
        /// Threads along y.
        y: u32,
    },
    /// The kernel's tile fixes its block.
    #[error(
        "{kernel} works with blocks of {x},{y} only, because its tile has that shape; leave --block out"
    )]
    BlockFixed {
        /// The kernel asked for.
        kernel: &'static str,
        /// Threads along x.
        x: u32,
        /// Threads along y.
        y: u32,
    },
    /// A second axis of threads for a kernel that has one.
    #[error("{kernel} has one axis of threads; ask for --block {x},1")]
    OneAxis {
        /// The kernel asked for.
        kernel: &'static str,
        /// Threads asked for along x.
        x: u32,
    },
}

/// One launch of a plan: a grid, and the last scalar argument where the kernel takes one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Blocks along x, y, z.
    pub grid: [u32; 3],
    /// The diagonal, for a kernel with one launch a diagonal.
    pub diagonal: Option<u64>,
}

/// What is launched for one kernel on one shape.
///
/// The arguments are, in this order: the inputs, the output, rows, cols, and the step's diagonal if any;
/// all are 64 bits wide.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The kernel.
    pub kernel: &'static KernelSpec,
    /// The matrix.
    pub shape: Shape,
    /// Cells of the matrix.
    pub cells: u64,
    /// Cells of poisoned guard region behind every buffer.
    pub guard: u64,
    /// Threads along x, y, z.
    pub block: [u32; 3],
    /// The largest grid of all steps; zero where nothing is launched.
    pub grid: [u32; 3],
    steps: u64,
}

impl Plan {
    /// Returns the plan for a kernel on a shape, with `block` threads along x and y if given.
    ///
    /// `guarded` asks for the guard region of the bounds lesson; other lessons never have one.
    ///
    /// # Errors
    /// The block is impossible or not the kernel's, the matrix is too large to address, or its grid exceeds
    /// what CUDA allows.
    pub fn new(
        kernel: &'static KernelSpec,
        shape: Shape,
        block: Option<[u32; 2]>,
        guarded: bool,
    ) -> Result<Plan, PlanError> {
        let block = checked_block(kernel, block)?;
        let too_large = PlanError::TooLarge { shape };
        let cells = shape.cells().filter(|&n| n < 1 << 60).ok_or(too_large)?;
        let block_xy = block.map(u64::from);
        let Shape { rows, cols } = shape;
        let line = |threads: u64| mapping::grid(1, threads, block_xy);
        let (grid, sides) = match kernel.threads {
            // Nothing to launch, however long the other axis is.
            _ if cells == 0 => ([0, 0], ["", ""]),
            Threads::Cells => (mapping::grid(rows, cols, block_xy), ["columns", "rows"]),
            Threads::CellsSwapped => (mapping::grid(cols, rows, block_xy), ["rows", "columns"]),
            Threads::Tiles(side) => (tile_grid(rows, cols, side.into()), ["columns", "rows"]),
            Threads::TilesSwapped(side) => (tile_grid(cols, rows, side.into()), ["rows", "columns"]),
            Threads::Flat => (line(cells), ["cells", ""]),
            Threads::Diagonals => (line(rows.min(cols)), ["rows", ""]),
            Threads::Rows => (line(rows), ["rows", ""]),
            Threads::OneBlock => ([1, 1], ["", ""]),
        };
        for (i, allowed) in [MAX_GRID_X, MAX_GRID_Y].into_iter().enumerate() {
            if grid[i] > allowed {
                return Err(PlanError::GridTooLarge {
                    kernel: kernel.name,
                    shape,
                    axis: ["x", "y"][i],
                    side: sides[i],
                    needed: grid[i],
                    allowed,
                    block_fixed: kernel.block_fixed,
                });
            }
        }
        let steps = match (cells, kernel.threads) {
            (0, _) => 0,
            (_, Threads::Diagonals) => diagonals(rows, cols),
            _ => 1,
        };
        let guard = match Mapping::cover(rows, cols, block_xy) {
            Ok(mapping) if guarded && kernel.lesson == "bounds" => bounds::guard_cells(&mapping),
            _ => 0,
        };
        Ok(Plan {
            kernel,
            shape,
            cells,
            guard,
            block: [block[0], block[1], 1],
            grid: [grid[0] as u32, grid[1] as u32, 1],
            steps,
        })
    }

    /// Returns the launches in order; none for an empty matrix.
    pub fn steps(&self) -> impl Iterator<Item = Step> + '_ {
        (0..self.steps).map(|d| match self.kernel.threads {
            Threads::Diagonals => {
                let Shape { rows, cols } = self.shape;
                let crossed = rows_of(d, rows, cols);
                let blocks = mapping::grid(1, crossed.end - crossed.start, [self.block[0].into(), 1]);
                Step {
                    grid: [blocks[0] as u32, 1, 1],
                    diagonal: Some(d),
                }
            }
            _ => Step {
                grid: self.grid,
                diagonal: None,
            },
        })
    }

    /// Returns the number of threads of the largest launch.
    pub fn launched(&self) -> u64 {
        self.grid
            .iter()
            .chain(&self.block)
            .map(|&n| u64::from(n))
            .product()
    }

    /// Returns the bytes that must move: each cell of each buffer once.
    pub fn bytes_moved(&self) -> u64 {
        self.kernel.bytes_moved(self.cells)
    }

    /// Returns the length of every buffer in cells, guard included.
    pub fn buffer_cells(&self) -> u64 {
        self.cells + self.guard
    }
}

fn checked_block(kernel: &'static KernelSpec, asked: Option<[u32; 2]>) -> Result<[u32; 2], PlanError> {
    let Some([x, y]) = asked else {
        return Ok(kernel.block);
    };
    let threads = u64::from(x) * u64::from(y);
    if threads == 0 || threads > MAX_BLOCK_THREADS {
        return Err(PlanError::Block { x, y });
    }
    if kernel.takes([x, y]) {
        return Ok([x, y]);
    }
    if kernel.block_fixed {
        return Err(PlanError::BlockFixed {
            kernel: kernel.name,
            x: kernel.block[0],
            y: kernel.block[1],
        });
    }
    Err(PlanError::OneAxis {
        kernel: kernel.name,
        x,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::kernel;

    fn plan(name: &str, rows: u64, cols: u64) -> Result<Plan, PlanError> {
        Plan::new(kernel(name).unwrap(), Shape::new(rows, cols), None, true)
    }

    #[test]
    fn grids_follow_the_matrix() {
        assert_eq!(plan("grid_fill", 37, 61).unwrap().grid, [4, 3, 1]);
        assert_eq!(plan("grid_fill_swapped", 37, 61).unwrap().grid, [3, 4, 1]);
        assert_eq!(plan("transpose_padded", 33, 64).unwrap().grid, [2, 2, 1]);
        assert_eq!(plan("transpose_padded", 33, 65).unwrap().grid, [3, 2, 1]);
        assert_eq!(plan("transpose_padded_raster", 33, 65).unwrap().grid, [2, 3, 1]);
        assert_eq!(plan("spiral_gather", 6, 9).unwrap().grid, [1, 1, 1]);
    }

    #[test]
    fn one_launch_a_diagonal() {
        assert_eq!(plan("wavefront_diagonal", 5, 5).unwrap().steps().count(), 9);
        assert_eq!(plan("wavefront_diagonal", 6, 9).unwrap().steps().count(), 14);
        let longest = plan("wavefront_diagonal", 600, 300).unwrap();
        assert_eq!(longest.grid, [2, 1, 1]);
        assert_eq!(longest.steps().map(|s| s.grid[0]).max(), Some(2));
    }

    #[test]
    fn nothing_is_launched_for_an_empty_matrix() {
        for k in crate::kernels::KERNELS {
            for (rows, cols) in [(0, 0), (0, 7), (7, 0)] {
                assert_eq!(plan(k.name, rows, cols).unwrap().steps().count(), 0, "{}", k.name);
            }
        }
    }

    #[test]
    fn tall_grids_are_refused_with_the_numbers() {
        let message = plan("copy", 65_535 * 32 + 1, 1).unwrap_err().to_string();
        assert!(
            message.contains("65536 blocks along y") && message.contains("--block"),
            "{message}"
        );
        let fixed = plan("transpose_tiled", 65_535 * 32 + 1, 1)
            .unwrap_err()
            .to_string();
        assert!(
            fixed.contains("fewer rows") && !fixed.contains("--block"),
            "{fixed}"
        );
        let exchanged = "transpose_padded_raster";
        assert!(plan(exchanged, 65_535 * 32 + 1, 1).is_ok());
        let wide = plan(exchanged, 1, 65_535 * 32 + 1).unwrap_err().to_string();
        assert!(
            wide.contains("65536 blocks along y") && wide.contains("fewer columns"),
            "{wide}"
        );
        assert!(plan("copy", 65_535 * 32, 1).is_ok());
        assert!(plan("copy", u64::MAX, 2)
            .unwrap_err()
            .to_string()
            .contains("fewer rows"));
        assert_eq!(plan("copy", 0, u64::MAX).unwrap().grid, [0, 0, 1]);
    }

    #[test]
    fn blocks_are_checked() {
        let shape = Shape::new(4, 4);
        let ask = |name, block| Plan::new(kernel(name).unwrap(), shape, Some(block), false);
        assert!(matches!(ask("copy", [0, 1]), Err(PlanError::Block { .. })));
        assert!(matches!(ask("copy", [64, 32]), Err(PlanError::Block { .. })));
        assert!(matches!(
            ask("transpose_tiled", [16, 16]),
            Err(PlanError::BlockFixed { .. })
        ));
        assert!(matches!(
            ask("spiral_gather", [16, 16]),
            Err(PlanError::OneAxis { .. })
        ));
        assert!(ask("transpose_tiled", [32, 32]).is_ok());
    }
}
