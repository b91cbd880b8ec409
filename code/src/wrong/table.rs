//! Every wrong kernel: its launch, what catches it, and where its values are right all the same.

use warpwise_machine::observe::FindingKind as Kind;

use super::{Catch, Grid, Job, WrongKernel};
use crate::kernels::Shape;

macro_rules! kernel {
    ($name:literal, $job:ident, $grid:expr, $catch:expr, on $on:expr, passes $passes:expr) => {
        WrongKernel {
            name: $name,
            ptx: include_str!(concat!("../../../kernels/wrong/", $name, ".ptx")),
            job: Job::$job,
            grid: $grid,
            shared_bytes: 0,
            caught_by: $catch,
            caught_on: Shape::new($on.0, $on.1),
            passes_on: $passes,
        }
    };
}

const fn finding(kind: Kind) -> Catch {
    Catch::Finding(kind)
}

const fn on(rows: u64, cols: u64) -> Option<Shape> {
    Some(Shape::new(rows, cols))
}

const CELLS: Grid = Grid::Cells([16, 16]);
const TILES: Grid = Grid::Tiles([32, 32]);
const ROW: Grid = Grid::Cells([32, 1]);

/// Every kernel in `kernels/wrong/`, in the order of the lessons.
pub const KERNELS: &[WrongKernel] = &[
    // Guards.
    kernel!("copy_rows_only", Copy, CELLS, finding(Kind::OutOfBounds), on (4, 10), passes on(4, 10)),
    kernel!("copy_columns_only", Copy, CELLS, finding(Kind::OutOfBounds), on (37, 50), passes on(37, 50)),
    kernel!("copy_load_guarded", Copy, Grid::Cells([4, 1]), finding(Kind::Race), on (4, 10), passes on(4, 10)),
    kernel!("copy_or_guard", Copy, CELLS, finding(Kind::OutOfBounds), on (4, 10), passes on(4, 10)),
    kernel!("fill_one_column_too_many", Fill, Grid::Cells([16, 1]), finding(Kind::Race), on (4, 10), passes on(4, 10)),
    kernel!("flat_one_too_many", Transpose, Grid::Flat(64), finding(Kind::OutOfBounds), on (6, 10), passes on(6, 10)),
    // Mapping.
    kernel!("fill_axes_swapped", Fill, CELLS, finding(Kind::NeverWritten), on (17, 1), passes on(33, 33)),
    kernel!("fill_wrong_block_size", Fill, Grid::Cells([32, 8]), finding(Kind::NeverWritten), on (20, 40), passes on(8, 40)),
    kernel!("fill_one_block", Fill, CELLS, finding(Kind::NeverWritten), on (20, 40), passes on(20, 16)),
    kernel!("fill_floor_division", Fill, Grid::Floor([16, 16]), finding(Kind::NeverWritten), on (40, 40), passes on(32, 48)),
    kernel!("copy_narrow_sizes", CopyNarrow, CELLS, Catch::Refused, on (4, 10), passes None),
    kernel!("copy_wide_vectors", Copy, CELLS, finding(Kind::Misaligned), on (3, 5), passes on(3, 8)),
    // Transposes.
    kernel!("transpose_input_stride", Transpose, CELLS, finding(Kind::NeverWritten), on (5, 9), passes on(9, 9)),
    kernel!("transpose_one_width", Transpose, CELLS, finding(Kind::NeverWritten), on (5, 9), passes on(9, 9)),
    kernel!("transpose_in_place", TransposeInPlace, Grid::Cells([4, 4]), finding(Kind::Race), on (4, 4), passes on(4, 4)),
    kernel!("tiled_no_barrier", Transpose, TILES, finding(Kind::Race), on (1, 32), passes on(1, 32)),
    kernel!("tiled_load_unguarded", Transpose, TILES, finding(Kind::OutOfBounds), on (33, 33), passes on(33, 33)),
    kernel!("tiled_barrier_in_branch", Transpose, TILES, finding(Kind::DivergentBarrier), on (20, 20), passes on(20, 20)),
    kernel!("tiled_early_return", Transpose, TILES, finding(Kind::ExitedBeforeBarrier), on (8, 8), passes on(8, 8)),
    kernel!("tiled_blocks_not_turned", Transpose, TILES, finding(Kind::NeverWritten), on (64, 32), passes on(20, 30)),
    kernel!("tiled_cells_not_turned", Transpose, TILES, finding(Kind::Uninitialised), on (1, 8), passes on(1, 1)),
    kernel!("tiled_small_tile", Transpose, TILES, finding(Kind::SharedOutOfRange), on (20, 20), passes on(16, 16)),
    kernel!("tiled_guard_not_turned", Transpose, TILES, finding(Kind::NeverWritten), on (5, 9), passes on(9, 9)),
    kernel!("padded_one_side", Transpose, TILES, finding(Kind::Uninitialised), on (8, 1), passes on(1, 8)),
    kernel!("padded_stride_forgotten", Transpose, TILES, Catch::Wavefronts, on (32, 32), passes on(32, 32)),
    WrongKernel {
        shared_bytes: 32 * 32 * 4,
        ..kernel!("padded_small_shared", Transpose, TILES, finding(Kind::SharedOutOfRange), on (32, 32), passes on(31, 40))
    },
    kernel!("four_half_the_rows", Transpose, Grid::Tiles([32, 8]), finding(Kind::Uninitialised), on (16, 16), passes on(8, 40)),
    kernel!("tiles_in_turn", Transpose, Grid::TileRows, finding(Kind::Race), on (32, 64), passes on(32, 32)),
    kernel!("flat_wrong_divisor", Transpose, Grid::Flat(64), finding(Kind::OutOfBounds), on (5, 9), passes on(9, 9)),
    // Spirals.
    kernel!("spiral_square_only", Spiral, CELLS, finding(Kind::NeverWritten), on (5, 9), passes on(9, 9)),
    kernel!("spiral_ring_ignores_right", Spiral, CELLS, finding(Kind::NeverWritten), on (5, 5), passes on(2, 9)),
    kernel!("spiral_left_leg", Spiral, CELLS, finding(Kind::NeverWritten), on (4, 5), passes on(2, 9)),
    kernel!("spiral_ring_size", Spiral, CELLS, finding(Kind::NeverWritten), on (5, 5), passes on(2, 9)),
    kernel!("spiral_single_row", Spiral, CELLS, finding(Kind::NeverWritten), on (3, 9), passes on(4, 9)),
    kernel!("spiral_float_root", Spiral, Grid::Flat(256), finding(Kind::OutOfBounds), on (3, 9000), passes on(6, 9)),
    kernel!("spiral_narrow_square", Spiral, Grid::Flat(256), finding(Kind::OutOfBounds), on (3, 65_600), passes on(6, 9)),
    // Diagonals.
    kernel!("zigzag_narrow_triangle", Zigzag, Grid::Cells([256, 1]), finding(Kind::OutOfBounds), on (1, 65_600), passes on(6, 9)),
    kernel!("zigzag_one_corner", Zigzag, CELLS, finding(Kind::OutOfBounds), on (9, 6), passes on(9, 2)),
    kernel!("wavefront_two_blocks", Paths, Grid::Blocks(2, 64), finding(Kind::Race), on (33, 40), passes on(33, 40)),
    kernel!("wavefront_no_barrier", Paths, Grid::Blocks(1, 64), finding(Kind::Race), on (20, 20), passes on(20, 20)),
    kernel!("wavefront_long_diagonal", Paths, Grid::Blocks(1, 1024), finding(Kind::NeverWritten), on (1025, 1025), passes on(40, 40)),
    kernel!("wavefront_barrier_in_loop", Paths, Grid::Blocks(1, 64), finding(Kind::DivergentBarrier), on (1, 20), passes on(1, 20)),
    kernel!("wavefront_first_row", PathsByDiagonal, Grid::Diagonal(64), finding(Kind::WrittenTwice), on (2, 9), passes on(2, 9)),
    kernel!("wavefront_last_row", PathsByDiagonal, Grid::Diagonal(64), finding(Kind::OutOfBounds), on (5, 9), passes on(5, 9)),
    // Neighbours, counters, flags.
    kernel!("smooth_in_place", Smooth, ROW, finding(Kind::Race), on (1, 32), passes on(1, 32)),
    kernel!("count_plain", Count, ROW, finding(Kind::Race), on (1, 32), passes on(1, 1)),
    kernel!("append_in_any_order", Append, Grid::Flat(64), Catch::Order, on (16, 16), passes on(16, 16)),
    kernel!("flag_without_fence", Sums, Grid::Rows(32), finding(Kind::Race), on (8, 4), passes on(8, 4)),
    kernel!("flag_never_raised", Sums, Grid::Rows(32), Catch::Hang, on (3, 4), passes on(1, 4)),
    kernel!("shuffle_half_mask", Reverse, ROW, finding(Kind::WrongMask), on (3, 20), passes on(3, 20)),
];
