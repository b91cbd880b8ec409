//! What a kernel should do, and how it is launched.

use warpwise_machine::{Arg, BufferId, Launch, Memory};

use crate::kernels::Shape;
use crate::mapping;
use crate::transpose::tile_grid;
use crate::{diagonal, spiral};

/// What a kernel should do with a rows x cols matrix of u32, row-major.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Job {
    /// `(in, out, rows, cols)`: out = in.
    Copy,
    /// As [`Job::Copy`], with rows and cols in 32 bits.
    CopyNarrow,
    /// `(out, rows, cols)`: cell (r, c) becomes 1000 r + c.
    Fill,
    /// `(in, out, rows, cols)`: out is cols x rows. Converting to column-major is the same.
    Transpose,
    /// `(a, n)`: a square matrix is transposed where it is.
    TransposeInPlace,
    /// `(in, out, rows, cols)`: the cells in spiral order.
    Spiral,
    /// `(in, out, rows, cols)`: the cells in zigzag order.
    Zigzag,
    /// `(out, rows, cols)`: lattice paths, in one launch.
    Paths,
    /// `(out, rows, cols, d)`: lattice paths, one launch a diagonal.
    PathsByDiagonal,
    /// `(a, rows, cols)`: each cell becomes the sum of itself and its left neighbour.
    Smooth,
    /// `(count, rows, cols)`: count becomes rows x cols.
    Count,
    /// `(in, out, count, rows, cols)`: out = in.
    Append,
    /// `(flags, sums, rows, cols)`: sums\[r\] becomes (r + 1) cols.
    Sums,
    /// `(in, out, rows, cols)`: each row is turned round.
    Reverse,
}

/// Memory, the arguments of each launch, and what should come out.
pub(super) struct Setup {
    pub(super) memory: Memory,
    pub(super) launches: Vec<Vec<Arg>>,
    pub(super) output: BufferId,
    pub(super) expected: Vec<u32>,
}

impl Job {
    /// The names of its buffers, in the order in which they are allocated.
    pub(super) fn buffers(self) -> &'static [&'static str] {
        match self {
            Job::Copy | Job::CopyNarrow | Job::Transpose | Job::Spiral | Job::Zigzag | Job::Reverse => {
                &["in", "out"]
            }
            Job::Append => &["in", "count", "out"],
            Job::Fill | Job::Paths | Job::PathsByDiagonal => &["out"],
            Job::TransposeInPlace | Job::Smooth => &["a"],
            Job::Count => &["count"],
            Job::Sums => &["flags", "sums"],
        }
    }

    /// True where each cell of the output is to be written exactly once.
    pub(super) fn writes_each_cell_once(self) -> bool {
        !matches!(self, Job::TransposeInPlace | Job::Smooth | Job::Count)
    }

    /// Memory and arguments for a shape; nothing if it does not fit in memory.
    pub(super) fn setup(self, Shape { rows, cols }: Shape) -> Option<Setup> {
        // Both sides fit in 32 bits, and so does every cell's number.
        let cells = u32::try_from(rows.max(1).checked_mul(cols.max(1))?)
            .ok()
            .map(|_| rows * cols)?;
        let input: Vec<u32> = (1..=cells as u32).collect();
        let expected = self.expected(&input, rows, cols)?;
        let mut memory = Memory::new();
        let mut given = |words: &[u32]| memory.alloc_from(bytes(words));
        let sizes = [Arg::U64(rows), Arg::U64(cols)];

        // Buffers before the output, the output, and what comes between it and the sizes.
        let (before, output, between) = match self {
            Job::Copy | Job::CopyNarrow | Job::Transpose | Job::Spiral | Job::Zigzag | Job::Reverse => {
                (Some(given(&input)), memory.alloc(4 * cells).ok()?, None)
            }
            Job::Append => {
                let (input, count) = (given(&input), given(&[0]));
                (Some(input), memory.alloc(4 * cells).ok()?, Some(count))
            }
            Job::Fill | Job::Paths | Job::PathsByDiagonal => (None, memory.alloc(4 * cells).ok()?, None),
            Job::TransposeInPlace | Job::Smooth => (None, given(&input), None),
            Job::Count => (None, given(&[0]), None),
            Job::Sums => {
                let flags = given(&vec![0; rows as usize + 1]);
                (Some(flags), memory.alloc(4 * rows).ok()?, None)
            }
        };
        let buffers = before.into_iter().chain([output]).chain(between).map(Arg::Buffer);
        let args: Vec<Arg> = match self {
            Job::TransposeInPlace => buffers.chain([Arg::U64(rows)]).collect(),
            Job::CopyNarrow => buffers
                .chain([Arg::I32(rows as i32), Arg::I32(cols as i32)])
                .collect(),
            _ => buffers.chain(sizes).collect(),
        };
        let launches = match self {
            Job::PathsByDiagonal => (0..diagonal::diagonals(rows, cols))
                .map(|d| args.iter().cloned().chain([Arg::U64(d)]).collect())
                .collect(),
            _ => vec![args],
        };
        Some(Setup {
            memory,
            launches,
            output,
            expected,
        })
    }

    /// The right output; nothing where the shape does not suit the job.
    fn expected(self, input: &[u32], rows: u64, cols: u64) -> Option<Vec<u32>> {
        let at = |r: u64, c: u64| input[(r * cols + c) as usize];
        let each = |cell: &dyn Fn(u64, u64) -> u32| -> Vec<u32> {
            (0..rows)
                .flat_map(|r| (0..cols).map(move |c| (r, c)))
                .map(|(r, c)| cell(r, c))
                .collect()
        };
        Some(match self {
            Job::Copy | Job::CopyNarrow | Job::Append => input.to_vec(),
            Job::Fill => each(&|r, c| (1000 * r + c) as u32),
            Job::TransposeInPlace if rows != cols => return None,
            Job::Transpose | Job::TransposeInPlace => (0..cols)
                .flat_map(|c| (0..rows).map(move |r| (r, c)))
                .map(|(r, c)| at(r, c))
                .collect(),
            Job::Spiral => spiral::unroll(input, rows, cols).ok()?,
            Job::Zigzag => diagonal::unroll(input, rows, cols).ok()?,
            Job::Paths | Job::PathsByDiagonal => diagonal::lattice_paths(rows, cols).ok()?,
            Job::Smooth => each(&|r, c| at(r, c).wrapping_add(if c > 0 { at(r, c - 1) } else { 0 })),
            Job::Count => vec![(rows * cols) as u32],
            Job::Sums => (1..=rows).map(|r| (r * cols) as u32).collect(),
            Job::Reverse => each(&|r, c| at(r, cols - 1 - c)),
        })
    }
}

/// How many blocks of how many threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grid {
    /// Blocks of these threads (x, y), as many as cover columns (x) and rows (y).
    Cells([u32; 2]),
    /// The same with the remainder dropped.
    Floor([u32; 2]),
    /// Blocks of these threads (x, y), one for each tile of 32 x 32 cells.
    Tiles([u32; 2]),
    /// Blocks of 32 x 32 threads, one for 32 rows.
    TileRows,
    /// Blocks of these threads, as many as cover rows x cols cells in one line.
    Flat(u32),
    /// A number of blocks, of these threads.
    Blocks(u32, u32),
    /// Blocks of these threads, one for each row.
    Rows(u32),
    /// Blocks of these threads, as many as cover the rows.
    Diagonal(u32),
}

impl Grid {
    pub(super) fn launch(self, shape: Shape, shared_bytes: u32, args: Vec<Arg>) -> Option<Launch> {
        let Shape { rows, cols } = shape;
        let line = |cells: u64, x: u32| mapping::grid(1, cells, [x.into(), 1]);
        let (grid, block) = match self {
            Grid::Cells(block) => (mapping::grid(rows, cols, block.map(u64::from)), block),
            Grid::Floor([x, y]) => ([cols / u64::from(x), rows / u64::from(y)], [x, y]),
            Grid::Tiles(block) => (tile_grid(rows, cols, 32), block),
            Grid::TileRows => (tile_grid(rows, 1, 32), [32, 32]),
            Grid::Flat(x) => (line(rows * cols, x), [x, 1]),
            Grid::Blocks(blocks, x) => ([u64::from(blocks), 1], [x, 1]),
            Grid::Rows(x) => ([rows, 1], [x, 1]),
            Grid::Diagonal(x) => (line(rows, x), [x, 1]),
        };
        let axis = |blocks: u64| u32::try_from(blocks).ok();
        Some(Launch {
            grid: [axis(grid[0])?, axis(grid[1])?, 1],
            block: [block[0], block[1], 1],
            shared_bytes,
            args,
        })
    }
}

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// The u32 cells of a buffer.
pub(super) fn words(bytes: &[u8]) -> Vec<u32> {
    bytes
        .chunks_exact(4)
        .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
        .collect()
}
