//! Tiles over a matrix: how many there are, and which cells each of them moves.

use crate::layout::ShapeError;
use crate::mapping;

/// The longest side of a tile: larger ones fit no block of threads and no shared memory.
pub const MAX_TILE_SIDE: u64 = 1024;

/// A square tile, and the unused elements at the end of each of its rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tile {
    /// Rows and columns.
    pub side: u64,
    /// Elements of padding: they change where a tile row starts, and nothing else.
    pub pad: u64,
}

/// What can be wrong with a transpose through tiles.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TileError {
    /// A tile without cells, or one too large.
    #[error("a tile of side {} with {} of padding does not work; side and padding go up to {MAX_TILE_SIDE}", .0.side, .0.pad)]
    Tile(Tile),
    /// The matrix itself.
    #[error(transparent)]
    Shape(#[from] ShapeError),
}

/// One element's way through a transpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// The cell (r, c) of the rows x cols input.
    pub from: (u64, u64),
    /// The cell (r, c) of the cols x rows output.
    pub to: (u64, u64),
}

/// Returns the blocks (x, y) that cover a rows x cols matrix with square tiles. A side of 0 counts as 1.
pub fn tile_grid(rows: u64, cols: u64, side: u64) -> [u64; 2] {
    mapping::grid(rows, cols, [side, side])
}

/// Returns the moves of the tile whose first cell is `corner`, in the order in which they are stored.
///
/// Cells past the edge of the matrix are left out, so that tiles at the edges are smaller.
pub fn tile_moves(rows: u64, cols: u64, side: u64, corner: (u64, u64)) -> impl Iterator<Item = Move> {
    let (bottom, right) = (
        corner.0.saturating_add(side).min(rows),
        corner.1.saturating_add(side).min(cols),
    );
    let columns = corner.1..right;
    columns.flat_map(move |c| {
        (corner.0..bottom).map(move |r| Move {
            from: (r, c),
            to: (c, r),
        })
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn grids_of_the_chapter() {
        for ((rows, cols), grid) in [
            ((8, 8), [2, 2]),
            ((7, 5), [2, 2]),
            ((10, 13), [4, 3]),
            ((3, 11), [3, 1]),
        ] {
            assert_eq!(tile_grid(rows, cols, 4), grid);
        }
        assert_eq!(tile_grid(0, 5, 0), [5, 0]);
    }

    proptest! {
        /// The moves of all tiles are the moves of all cells, each once.
        #[test]
        fn tiles_share_out_the_cells(rows in 0u64..30, cols in 0u64..30, side in 1u64..40) {
            let [x, y] = tile_grid(rows, cols, side);
            let corners = (0..y).flat_map(|y| (0..x).map(move |x| (y * side, x * side)));
            let mut from: Vec<_> = corners.flat_map(|corner| tile_moves(rows, cols, side, corner)).map(|m| {
                assert_eq!((m.to.1, m.to.0), m.from);
                m.from
            }).collect();
            from.sort_unstable();
            let all: Vec<_> = (0..rows).flat_map(|r| (0..cols).map(move |c| (r, c))).collect();
            prop_assert_eq!(from, all);
        }
    }
}
