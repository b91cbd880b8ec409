//! The replay, and what it leaves behind.

use super::{guard_cells, POISON};
use crate::layout::{filled, ShapeError};
use crate::mapping::MappingError;

/// Threads up to which a launch is replayed.
const MAX_THREADS: u64 = 1 << 26;

// ANCHOR: replay
use warpwise::bounds::{lets_through, threads, value, Kernel, Order};
use warpwise::mapping::Mapping;

/// Runs the threads of a launch one by one, over a matrix and its guard region.
fn run_threads(kernel: Kernel, mapping: &Mapping, order: Order, memory: &mut [u32]) {
    let (rows, cols) = (mapping.rows, mapping.cols);
    for (r, c) in threads(mapping, order) {
        if lets_through(kernel, r, c, rows, cols) {
            memory[(r * cols + c) as usize] = value(kernel, r, c, cols);
        }
    }
}
// ANCHOR_END: replay

/// One store of a thread that stands outside the matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stray {
    /// The cell (r, c) that the thread takes for its own.
    pub thread: (u64, u64),
    /// The element index where it stores.
    pub index: u64,
    /// The cell of the matrix at that index, or `None` past the end.
    pub hits: Option<(u64, u64)>,
    /// What it stores.
    pub value: u32,
}

/// Returns the stray stores of a launch, by the linear index of their threads in the whole grid, row after row.
pub fn strays(kernel: Kernel, mapping: &Mapping) -> impl Iterator<Item = Stray> {
    let (rows, cols) = (mapping.rows, mapping.cols);
    let [threads_x, threads_y] = mapping.threads();
    let outside = move |r: u64| if r < rows { cols..threads_x } else { 0..threads_x };
    let threads = (0..threads_y).flat_map(move |r| outside(r).map(move |c| (r, c)));
    threads
        .filter(move |&(r, c)| lets_through(kernel, r, c, rows, cols))
        .map(move |(r, c)| {
            let index = r * cols + c;
            let hits = (index < rows * cols).then(|| (index / cols, index % cols));
            Stray {
                thread: (r, c),
                index,
                hits,
                value: value(kernel, r, c, cols),
            }
        })
}

/// What a replay leaves behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replay {
    /// The matrix, row-major. A cell that nothing wrote holds [`POISON`].
    pub matrix: Vec<u32>,
    /// The guard region behind it.
    pub guard: Vec<u32>,
    /// Threads that stand outside the matrix.
    pub outside_threads: u64,
    /// Stores of such threads that land inside the matrix.
    pub stray_inside: u64,
    /// Stores of such threads that land past its end.
    pub stray_past_end: u64,
    /// Of rows 1 to rows - 1, those with any wrong cell.
    pub corrupted_rows: Vec<u64>,
    /// Cells of the guard region that were written.
    pub guard_cells_overwritten: u64,
}

impl Replay {
    /// Returns whether every cell of the matrix is right. The guard region may still be damaged.
    pub fn looks_right(&self, kernel: Kernel, mapping: &Mapping) -> bool {
        wrong_cells(&self.matrix, kernel, mapping).next().is_none()
    }
}

/// Returns what the launch leaves behind when its blocks run in this order.
///
/// # Errors
/// If the launch has too many threads to replay one by one, or matrix and guard do not fit in memory.
pub fn replay(kernel: Kernel, mapping: &Mapping, order: Order) -> Result<Replay, MappingError> {
    let (rows, cols) = (mapping.rows, mapping.cols);
    if mapping.launched() > MAX_THREADS {
        return Err(ShapeError::TooLarge { rows, cols }.into());
    }
    let mut memory = filled(1, rows * cols + guard_cells(mapping), POISON)?;
    run_threads(kernel, mapping, order, &mut memory);

    let guard = memory.split_off((rows * cols) as usize);
    let mut corrupted_rows: Vec<u64> = wrong_cells(&memory, kernel, mapping)
        .map(|i| i / cols)
        .filter(|&r| r > 0)
        .collect();
    corrupted_rows.dedup();
    let past_end: Vec<u64> = strays(kernel, mapping)
        .filter(|s| s.hits.is_none())
        .map(|s| s.index)
        .collect();
    let mut overwritten = past_end.clone();
    overwritten.sort_unstable();
    overwritten.dedup();
    Ok(Replay {
        matrix: memory,
        guard,
        outside_threads: mapping.wasted(),
        stray_inside: strays(kernel, mapping).filter(|s| s.hits.is_some()).count() as u64,
        stray_past_end: past_end.len() as u64,
        corrupted_rows,
        guard_cells_overwritten: overwritten.len() as u64,
    })
}

/// Returns the indices of the cells that do not hold what their own thread would have stored.
fn wrong_cells<'a>(matrix: &'a [u32], kernel: Kernel, mapping: &Mapping) -> impl Iterator<Item = u64> + 'a {
    let cols = mapping.cols;
    let right = move |i: u64| value(kernel, i / cols, i % cols, cols);
    (0..matrix.len() as u64).filter(move |&i| matrix[i as usize] != right(i))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use Kernel::{AddRowsOnly, FillChecked, FillColumnsOnly, FillRowsOnly};

    fn run(kernel: Kernel, (rows, cols): (u64, u64), block: [u64; 2], order: Order) -> Replay {
        replay(kernel, &Mapping::cover(rows, cols, block).unwrap(), order).unwrap()
    }

    #[test]
    fn the_order_decides_what_is_seen() {
        // ANCHOR: orders
        use warpwise::bounds::{replay, Kernel, Order};
        use warpwise::mapping::Mapping;

        // Blocks of 4 threads on rows of 10 cells: two threads a row stand outside.
        let mapping = Mapping::cover(4, 10, [4, 1]).unwrap();
        let forward = replay(Kernel::FillRowsOnly, &mapping, Order::Forward).unwrap();
        let reverse = replay(Kernel::FillRowsOnly, &mapping, Order::Reverse).unwrap();

        // Forward, the right thread comes later and heals the cell.
        assert!(forward.corrupted_rows.is_empty());
        assert_eq!(reverse.corrupted_rows, [1, 2, 3]);
        // Row 1, column 0 holds what the thread of row 0, column 10 wrote.
        assert_eq!(reverse.matrix[10], 10);

        // Behind the last row nobody heals.
        assert_eq!(forward.guard_cells_overwritten, 2);
        assert_eq!(reverse.guard_cells_overwritten, 2);
        // ANCHOR_END: orders
        assert_eq!(reverse.matrix[20..22], [1010, 1011]);
        assert_eq!(reverse.matrix[30], 2010);
        for replay in [forward, reverse] {
            assert_eq!(
                (replay.outside_threads, replay.stray_inside, replay.stray_past_end),
                (8, 6, 2)
            );
        }
    }

    #[test]
    fn taller_blocks_do_not_heal() {
        let forward = run(FillRowsOnly, (37, 61), [16, 16], Order::Forward);
        // Rows that open a block are written again by a later block; the others stay wrong.
        assert!(forward.corrupted_rows.iter().all(|r| r % 16 != 0));
        assert_eq!(forward.corrupted_rows.len(), 36 - 2);
    }

    #[test]
    fn addition_is_harmless_inside() {
        for order in [Order::Forward, Order::Reverse, Order::Shuffle(7)] {
            let replay = run(AddRowsOnly, (4, 10), [4, 1], order);
            assert_eq!(
                (replay.corrupted_rows.len(), replay.guard_cells_overwritten),
                (0, 2)
            );
            assert_eq!(replay.guard[..3], [3 * 40, 3 * 41, POISON]);
        }
    }

    #[test]
    fn only_the_column_checked() {
        let replay = run(FillColumnsOnly, (37, 50), [16, 16], Order::Forward);
        assert_eq!(
            (replay.stray_past_end, replay.guard_cells_overwritten),
            (11 * 50, 11 * 50)
        );
        assert_eq!((replay.stray_inside, replay.corrupted_rows.len()), (0, 0));
    }

    #[test]
    fn too_many_threads_are_refused() {
        let mapping = Mapping::cover(1 << 20, 1 << 20, [16, 16]).unwrap();
        assert!(replay(FillChecked, &mapping, Order::Forward).is_err());
    }

    proptest! {
        #[test]
        fn any_launch(
            rows in 0u64..40, cols in 0u64..40, bx in 1u64..20, by in 1u64..20, seed: u64, which in 0usize..4, way in 0..3,
        ) {
            let kernel = Kernel::ALL[which];
            let mapping = Mapping::cover(rows, cols, [bx, by])?;
            let order = [Order::Forward, Order::Reverse, Order::Shuffle(seed)][way as usize];
            let replay = replay(kernel, &mapping, order)?;
            // The guard catches every stray store: the indices are exactly those overwritten.
            prop_assert_eq!(replay.guard.len() as u64, guard_cells(&mapping));
            let written = replay.guard.iter().filter(|&&cell| cell != POISON).count() as u64;
            prop_assert_eq!(replay.guard_cells_overwritten, written);
            prop_assert!(replay.stray_inside + replay.stray_past_end <= replay.outside_threads);
            // A cell that is wrong was hit by a stray store; row 0 is never hit.
            let hit: Vec<u64> = strays(kernel, &mapping).filter_map(|s| s.hits).map(|(r, _)| r).collect();
            prop_assert!(replay.corrupted_rows.iter().all(|r| hit.contains(r)));
            prop_assert!(!hit.contains(&0));
            if matches!(kernel, FillChecked | AddRowsOnly | FillColumnsOnly) {
                prop_assert!(replay.looks_right(kernel, &mapping));
            }
            if kernel == FillChecked {
                prop_assert_eq!((replay.stray_inside, replay.stray_past_end), (0, 0));
            }
        }
    }
}
