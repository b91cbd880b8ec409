//! The transpose through tiles: each tile turns in a small buffer, so that both sides of the move run along rows.

use super::{TileError, MAX_TILE_SIDE};
use crate::layout::Layout;

// ANCHOR: tiled
use warpwise::transpose::{Audit, Tile};

/// Transposes tile by tile, and notes who wrote which slot of the output.
fn turn<T>(data: &[T], out: &mut [T], rows: usize, cols: usize, tile: Tile) -> Audit
where
    T: Copy + Default,
{
    let (side, stride) = (tile.side as usize, (tile.side + tile.pad) as usize);
    let mut buffer = vec![T::default(); side * stride];
    let mut audit = Audit::new(out.len());
    for r0 in (0..rows).step_by(side) {
        for c0 in (0..cols).step_by(side) {
            // At the edges a tile is cut off.
            let (height, width) = (side.min(rows - r0), side.min(cols - c0));
            // In along rows of the input, out along rows of the output.
            for y in 0..height {
                for x in 0..width {
                    buffer[y * stride + x] = data[(r0 + y) * cols + c0 + x];
                }
            }
            for x in 0..width {
                for y in 0..height {
                    let slot = (c0 + x) * rows + r0 + y;
                    out[slot] = buffer[y * stride + x];
                    audit.write(slot as u64);
                }
            }
        }
    }
    audit
}
// ANCHOR_END: tiled

/// Returns the transpose of a row-major rows x cols matrix, moved through tiles, and who wrote which slot.
///
/// # Errors
/// If `data` does not have rows x cols elements, or the tile has a side of 0 or one above [`MAX_TILE_SIDE`].
pub fn tiled<T: Copy + Default>(
    data: &[T],
    rows: u64,
    cols: u64,
    tile: Tile,
) -> Result<(Vec<T>, Audit), TileError> {
    if tile.side == 0 || tile.side.max(tile.pad) > MAX_TILE_SIDE {
        return Err(TileError::Tile(tile));
    }
    Layout::row_major(rows, cols).check(data.len())?;
    if data.is_empty() {
        return Ok((Vec::new(), Audit::new(0)));
    }
    let mut out = data.to_vec();
    // The slice is as long as rows x cols, and not empty, so each of the two fits a usize.
    let audit = turn(data, &mut out, rows as usize, cols as usize, tile);
    Ok((out, audit))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::transpose::direct;

    #[test]
    fn awkward_edges() {
        // ANCHOR: edges
        use warpwise::transpose::{tile_moves, tiled, Tile};

        // 5x7, cell (r, c) holds 10r + c, in tiles of 3x3.
        let matrix: Vec<u64> = (0..5).flat_map(|r| (0..7).map(move |c| 10 * r + c)).collect();
        let (out, audit) = tiled(&matrix, 5, 7, Tile { side: 3, pad: 0 }).unwrap();
        assert_eq!(out[6 * 5..], [6, 16, 26, 36, 46]); // the last row of the 7x5 result
        assert!(audit.owned_once());

        // The tile at (3, 6) sticks out on both sides. Two of its nine cells exist.
        let ways: Vec<_> = tile_moves(5, 7, 3, (3, 6)).map(|m| (m.from, m.to)).collect();
        assert_eq!(ways, [((3, 6), (6, 3)), ((4, 6), (6, 4))]);
        // ANCHOR_END: edges
    }

    #[test]
    fn tiles_that_do_not_work_are_refused() {
        for tile in [
            Tile { side: 0, pad: 1 },
            Tile { side: 1025, pad: 0 },
            Tile {
                side: 1,
                pad: u64::MAX,
            },
        ] {
            assert_eq!(tiled(&[1], 1, 1, tile), Err(TileError::Tile(tile)));
        }
        assert!(matches!(
            tiled(&[1, 2], 1, 1, Tile { side: 4, pad: 0 }),
            Err(TileError::Shape(_))
        ));
        assert_eq!(
            tiled::<u8>(&[], 0, u64::MAX, Tile { side: 4, pad: 1 }),
            Ok((vec![], Audit::new(0)))
        );
    }

    proptest! {
        /// Any tile, padded or not, gives what the direct transpose gives, and writes every slot once.
        #[test]
        fn tiles_change_nothing(rows in 0u64..30, cols in 0u64..30, side in 1u64..40, pad in 0u64..3) {
            let data: Vec<u64> = (0..rows * cols).collect();
            let (out, audit) = tiled(&data, rows, cols, Tile { side, pad })?;
            prop_assert_eq!(out, direct(&data, rows, cols)?);
            prop_assert!(audit.owned_once());
        }
    }
}
