//! The registry of kernels: each is declared once, here, and drives command line, tests, figures,
//! evidence and chapters.

use crate::cache::Traversal;
use crate::source::{self, Source};
use crate::{diagonal, spiral};

/// The shape of a matrix, in elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Shape {
    /// Number of rows.
    pub rows: u64,
    /// Number of columns.
    pub cols: u64,
}

impl Shape {
    /// Returns a shape of `rows` x `cols` elements.
    pub const fn new(rows: u64, cols: u64) -> Self {
        Shape { rows, cols }
    }

    /// Returns the number of elements, or `None` if it does not fit 64 bits.
    pub fn cells(self) -> Option<u64> {
        self.rows.checked_mul(self.cols)
    }
}

impl std::str::FromStr for Shape {
    type Err = String;

    /// Reads ROWSxCOLS, as in `64x48`.
    fn from_str(text: &str) -> Result<Shape, String> {
        let read = || {
            let (rows, cols) = text.split_once('x')?;
            Some(Shape::new(rows.parse().ok()?, cols.parse().ok()?))
        };
        read().ok_or_else(|| format!("`{text}` is no shape; write ROWSxCOLS, as in 64x48"))
    }
}

impl std::fmt::Display for Shape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}x{}", self.rows, self.cols)
    }
}

/// How a kernel's threads stand on the matrix, and so how its grid follows from a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threads {
    /// x along columns, y along rows, one thread a cell.
    Cells,
    /// x along rows, y along columns, one thread a cell.
    CellsSwapped,
    /// One block a square tile of this many cells a side, whatever the block's own shape.
    Tiles(u32),
    /// The same with the axes exchanged: x counts tiles along rows, y along columns.
    TilesSwapped(u32),
    /// One axis, one thread a cell.
    Flat,
    /// One axis, one launch a diagonal, one thread a cell of it.
    Diagonals,
    /// One axis, one thread a row.
    Rows,
    /// One block, whatever the shape.
    OneBlock,
}

/// A kernel of the book: where it is, how it is launched, what it must produce.
#[derive(Debug)]
pub struct KernelSpec {
    /// Entry point, as in the PTX.
    pub name: &'static str,
    /// The lesson that teaches it.
    pub lesson: &'static str,
    /// Its file.
    pub source: &'static Source,
    /// How threads stand on the matrix.
    pub threads: Threads,
    /// Threads a block along x and y, unless the caller asks for others.
    pub block: [u32; 2],
    /// Whether the kernel works with its default block only.
    pub block_fixed: bool,
    /// What input buffer `i` holds at flat index `j`: one function an input, all of the matrix' shape.
    pub inputs: &'static [fn(u64) -> u32],
    /// How often each cell crosses the memory bus at least: buffers read plus buffers written.
    pub passes: u64,
    /// What the output must hold, in its own order of cells.
    pub expected: fn(Shape) -> Vec<u32>,
    /// Whether the mistake is the point.
    pub wrong_on_purpose: bool,
    /// What it shows, in one line.
    pub about: &'static str,
}

impl KernelSpec {
    /// Returns the kernel's own block, [x, y, z].
    pub fn block(&self) -> [u32; 3] {
        [self.block[0], self.block[1], 1]
    }

    /// Returns whether the kernel can be launched with `block` threads along x and y.
    pub fn takes(&self, block: [u32; 2]) -> bool {
        let two_axes = matches!(
            self.threads,
            Threads::Cells | Threads::CellsSwapped | Threads::Tiles(_) | Threads::TilesSwapped(_)
        );
        block == self.block || !self.block_fixed && (two_axes || block[1] == 1)
    }

    /// Returns the bytes that must move for a shape: each cell of each buffer once.
    ///
    /// The one place where bytes are counted; effective bandwidth is this over time.
    pub fn bytes_moved(&self, cells: u64) -> u64 {
        self.passes * ELEMENT_BYTES * cells
    }
}

/// Size of a cell in bytes: every kernel works on 32-bit unsigned cells.
pub const ELEMENT_BYTES: u64 = 4;

fn identity(i: u64) -> u32 {
    i as u32
}

fn doubled(i: u64) -> u32 {
    (2 * i) as u32
}

fn each(shape: Shape, f: impl Fn(u64, u64) -> u64) -> Vec<u32> {
    let cells = Traversal::RowsOuter.cells(shape.rows, shape.cols);
    let mut out = Vec::with_capacity((shape.rows * shape.cols) as usize);
    out.extend(cells.map(|(r, c)| f(r, c) as u32));
    out
}

fn flat(shape: Shape) -> Vec<u32> {
    each(shape, |r, c| r * shape.cols + c)
}

fn thousands(shape: Shape) -> Vec<u32> {
    each(shape, |r, c| 1000 * r + c)
}

fn sums(shape: Shape) -> Vec<u32> {
    each(shape, |r, c| 3 * (r * shape.cols + c))
}

fn transposed(shape: Shape) -> Vec<u32> {
    each(Shape::new(shape.cols, shape.rows), |r, c| c * shape.cols + r)
}

fn thousands_by_columns(shape: Shape) -> Vec<u32> {
    each(Shape::new(shape.cols, shape.rows), |c, r| 1000 * r + c)
}

/// Column-major bytes of a rows x cols matrix, read back into row-major.
fn from_columns(shape: Shape) -> Vec<u32> {
    each(shape, |r, c| c * shape.rows + r)
}

/// Walked, not computed from ranks: the check must not share the formula it checks.
fn spiralled(shape: Shape) -> Vec<u32> {
    spiral::walk(shape.rows, shape.cols)
        .map(|(r, c)| (r * shape.cols + c) as u32)
        .collect()
}

fn zigzagged(shape: Shape) -> Vec<u32> {
    diagonal::zigzag(shape.rows, shape.cols)
        .map(|(r, c)| (r * shape.cols + c) as u32)
        .collect()
}

fn paths(shape: Shape) -> Vec<u32> {
    // A shape that a plan accepts has a length; an empty table would fail every comparison.
    diagonal::lattice_paths(shape.rows, shape.cols).unwrap_or_default()
}

/// Every kernel, by lesson and within a lesson in ladder order.
pub static KERNELS: &[KernelSpec] = &[
    KernelSpec {
        name: "grid_fill",
        lesson: "grid",
        source: &source::GRID,
        threads: Threads::Cells,
        block: [16, 16],
        block_fixed: false,
        inputs: &[],
        passes: 1,
        expected: flat,
        wrong_on_purpose: false,
        about: "x along columns: neighbours write neighbours",
    },
    KernelSpec {
        name: "grid_fill_swapped",
        lesson: "grid",
        source: &source::GRID,
        threads: Threads::CellsSwapped,
        block: [16, 16],
        block_fixed: false,
        inputs: &[],
        passes: 1,
        expected: flat,
        wrong_on_purpose: false,
        about: "x along rows: right, and a row apart",
    },
    KernelSpec {
        name: "fill_checked",
        lesson: "bounds",
        source: &source::BOUNDS,
        threads: Threads::Cells,
        block: [4, 1],
        block_fixed: false,
        inputs: &[],
        passes: 1,
        expected: thousands,
        wrong_on_purpose: false,
        about: "both axes checked",
    },
    KernelSpec {
        name: "fill_rows_only",
        lesson: "bounds",
        source: &source::BOUNDS,
        threads: Threads::Cells,
        block: [4, 1],
        block_fixed: false,
        inputs: &[],
        passes: 1,
        expected: thousands,
        wrong_on_purpose: true,
        about: "only rows checked: spills into the next row",
    },
    KernelSpec {
        name: "fill_columns_only",
        lesson: "bounds",
        source: &source::BOUNDS,
        threads: Threads::Cells,
        block: [4, 1],
        block_fixed: false,
        inputs: &[],
        passes: 1,
        expected: thousands,
        wrong_on_purpose: true,
        about: "only columns checked: spills past the end",
    },
    KernelSpec {
        name: "add_rows_only",
        lesson: "bounds",
        source: &source::BOUNDS,
        threads: Threads::Cells,
        block: [4, 1],
        block_fixed: false,
        inputs: &[identity, doubled],
        passes: 3,
        expected: sums,
        wrong_on_purpose: true,
        about: "only rows checked, and the stray value belongs where it lands",
    },
    KernelSpec {
        name: "copy",
        lesson: "transpose",
        source: &source::TRANSPOSE,
        threads: Threads::Cells,
        block: [32, 32],
        block_fixed: false,
        inputs: &[identity],
        passes: 2,
        expected: flat,
        wrong_on_purpose: false,
        about: "the control: same launch, no turn",
    },
    KernelSpec {
        name: "transpose_naive",
        lesson: "transpose",
        source: &source::TRANSPOSE,
        threads: Threads::Cells,
        block: [32, 32],
        block_fixed: false,
        inputs: &[identity],
        passes: 2,
        expected: transposed,
        wrong_on_purpose: false,
        about: "reads along rows, writes down columns",
    },
    KernelSpec {
        name: "transpose_strided_read",
        lesson: "transpose",
        source: &source::TRANSPOSE,
        threads: Threads::CellsSwapped,
        block: [32, 32],
        block_fixed: false,
        inputs: &[identity],
        passes: 2,
        expected: transposed,
        wrong_on_purpose: false,
        about: "reads down columns, writes along rows",
    },
    KernelSpec {
        name: "transpose_tiled",
        lesson: "transpose",
        source: &source::TRANSPOSE,
        threads: Threads::Tiles(32),
        block: [32, 32],
        block_fixed: true,
        inputs: &[identity],
        passes: 2,
        expected: transposed,
        wrong_on_purpose: false,
        about: "turns a tile in shared memory",
    },
    KernelSpec {
        name: "copy_four",
        lesson: "transpose",
        source: &source::TRANSPOSE,
        threads: Threads::Tiles(32),
        block: [32, 8],
        block_fixed: true,
        inputs: &[identity],
        passes: 2,
        expected: flat,
        wrong_on_purpose: false,
        about: "the control again, four cells a thread",
    },
    KernelSpec {
        name: "transpose_tiled_four",
        lesson: "transpose",
        source: &source::TRANSPOSE,
        threads: Threads::Tiles(32),
        block: [32, 8],
        block_fixed: true,
        inputs: &[identity],
        passes: 2,
        expected: transposed,
        wrong_on_purpose: false,
        about: "the tile, four cells a thread",
    },
    KernelSpec {
        name: "transpose_padded",
        lesson: "transpose",
        source: &source::TRANSPOSE,
        threads: Threads::Tiles(32),
        block: [32, 8],
        block_fixed: true,
        inputs: &[identity],
        passes: 2,
        expected: transposed,
        wrong_on_purpose: false,
        about: "one word of padding a tile row",
    },
    KernelSpec {
        name: "transpose_padded_raster",
        lesson: "transpose",
        source: &source::TRANSPOSE,
        threads: Threads::TilesSwapped(32),
        block: [32, 8],
        block_fixed: true,
        inputs: &[identity],
        passes: 2,
        expected: transposed,
        wrong_on_purpose: false,
        about: "the padded tile, launched along the rows of the output",
    },
    KernelSpec {
        name: "column_fill",
        lesson: "layout",
        source: &source::LAYOUT,
        threads: Threads::CellsSwapped,
        block: [32, 8],
        block_fixed: false,
        inputs: &[],
        passes: 1,
        expected: thousands_by_columns,
        wrong_on_purpose: false,
        about: "x along rows of a column-major matrix",
    },
    KernelSpec {
        name: "column_fill_swapped",
        lesson: "layout",
        source: &source::LAYOUT,
        threads: Threads::Cells,
        block: [32, 8],
        block_fixed: false,
        inputs: &[],
        passes: 1,
        expected: thousands_by_columns,
        wrong_on_purpose: false,
        about: "x along columns of a column-major matrix: right, and strided",
    },
    KernelSpec {
        name: "row_to_column",
        lesson: "layout",
        source: &source::LAYOUT,
        threads: Threads::CellsSwapped,
        block: [32, 8],
        block_fixed: false,
        inputs: &[identity],
        passes: 2,
        expected: transposed,
        wrong_on_purpose: false,
        about: "row-major to column-major through the cell",
    },
    KernelSpec {
        name: "column_to_row",
        lesson: "layout",
        source: &source::LAYOUT,
        threads: Threads::Cells,
        block: [32, 8],
        block_fixed: false,
        inputs: &[identity],
        passes: 2,
        expected: from_columns,
        wrong_on_purpose: false,
        about: "column-major to row-major through the cell",
    },
    KernelSpec {
        name: "row_to_column_flat",
        lesson: "layout",
        source: &source::LAYOUT,
        threads: Threads::Flat,
        block: [256, 1],
        block_fixed: false,
        inputs: &[identity],
        passes: 2,
        expected: transposed,
        wrong_on_purpose: false,
        about: "row-major to column-major through the flat index",
    },
    KernelSpec {
        name: "spiral_scatter",
        lesson: "spiral",
        source: &source::SPIRAL,
        threads: Threads::Cells,
        block: [32, 8],
        block_fixed: false,
        inputs: &[identity],
        passes: 2,
        expected: spiralled,
        wrong_on_purpose: false,
        about: "reads along rows, writes to the rank",
    },
    KernelSpec {
        name: "spiral_gather",
        lesson: "spiral",
        source: &source::SPIRAL,
        threads: Threads::Flat,
        block: [256, 1],
        block_fixed: false,
        inputs: &[identity],
        passes: 2,
        expected: spiralled,
        wrong_on_purpose: false,
        about: "reads from the cell, writes along the sequence",
    },
    KernelSpec {
        name: "zigzag_scatter",
        lesson: "diagonal",
        source: &source::DIAGONAL,
        threads: Threads::Cells,
        block: [32, 8],
        block_fixed: false,
        inputs: &[identity],
        passes: 2,
        expected: zigzagged,
        wrong_on_purpose: false,
        about: "diagonal order through a rank",
    },
    KernelSpec {
        name: "wavefront_diagonal",
        lesson: "diagonal",
        source: &source::DIAGONAL,
        threads: Threads::Diagonals,
        block: [256, 1],
        block_fixed: false,
        inputs: &[],
        passes: 2,
        expected: paths,
        wrong_on_purpose: false,
        about: "one launch a diagonal",
    },
    KernelSpec {
        name: "wavefront_single_launch",
        lesson: "diagonal",
        source: &source::DIAGONAL,
        threads: Threads::Rows,
        block: [32, 1],
        block_fixed: false,
        inputs: &[],
        passes: 2,
        expected: paths,
        wrong_on_purpose: true,
        about: "one launch in all, nothing keeps the threads in step",
    },
    KernelSpec {
        name: "wavefront_one_block",
        lesson: "diagonal",
        source: &source::DIAGONAL,
        threads: Threads::OneBlock,
        block: [1024, 1],
        block_fixed: false,
        inputs: &[],
        passes: 2,
        expected: paths,
        wrong_on_purpose: false,
        about: "one block, a barrier between diagonals",
    },
];

/// Returns the kernel of that name.
pub fn kernel(name: &str) -> Option<&'static KernelSpec> {
    KERNELS.iter().find(|k| k.name == name)
}

/// Returns the kernels of a lesson, in ladder order.
pub fn of_lesson(lesson: &str) -> impl Iterator<Item = &'static KernelSpec> + '_ {
    KERNELS.iter().filter(move |k| k.lesson == lesson)
}
