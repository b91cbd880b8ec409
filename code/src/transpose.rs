//! Transposing on the CPU: directly, through tiles, and with the wrong stride.
//!
//! Element (r, c) of a row-major rows x cols matrix sits at r*cols + c and moves to c*rows + r, its place in a
//! row-major cols x rows matrix. These functions model index arithmetic; the kernels are in `kernels/transpose.cu`.

mod audit;
mod bandwidth;
mod tile;
mod tiled;

pub use audit::Audit;
pub use bandwidth::{bytes_moved, distinct_in_f32, gb_per_s};
pub use tile::{tile_grid, tile_moves, Move, Tile, TileError, MAX_TILE_SIDE};
pub use tiled::tiled;

use crate::layout::{filled, Layout, ShapeError};

/// A time that no bandwidth can be computed from.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("{milliseconds} ms is not a time to compute a bandwidth from: it has to be positive")]
pub struct BandwidthError {
    /// The time as it was given.
    pub milliseconds: f64,
}

// ANCHOR: direct
/// Moves every element of a rows x cols matrix to its place in the transpose.
fn move_elements<T: Copy>(data: &[T], out: &mut [T], rows: usize, cols: usize) {
    for r in 0..rows {
        for c in 0..cols {
            out[c * rows + r] = data[r * cols + c];
        }
    }
}
// ANCHOR_END: direct

/// Returns the transpose (cols x rows, row-major) of a row-major rows x cols matrix.
///
/// # Errors
/// If `data` does not have rows x cols elements.
pub fn direct<T: Copy>(data: &[T], rows: u64, cols: u64) -> Result<Vec<T>, ShapeError> {
    Layout::row_major(rows, cols).check(data.len())?;
    let mut out = data.to_vec();
    if !data.is_empty() {
        // The slice is as long as rows x cols, so each of the two fits a usize.
        move_elements(data, &mut out, rows as usize, cols as usize);
    }
    Ok(out)
}

/// Returns what comes out when `cols` stays the stride of the output, and who wrote where.
///
/// Wrong on purpose: right for squares, and for rectangles it writes slots twice, leaves others alone (`None`) or
/// lands past the end.
///
/// # Errors
/// If `data` does not have rows x cols elements.
pub fn wrong_stride<T: Copy>(
    data: &[T],
    rows: u64,
    cols: u64,
) -> Result<(Vec<Option<T>>, Audit), ShapeError> {
    Layout::row_major(rows, cols).check(data.len())?;
    let mut out = filled(rows, cols, None)?;
    let mut audit = Audit::new(out.len());
    if !data.is_empty() {
        for r in 0..rows {
            for c in 0..cols {
                let slot = c * cols + r; // should be c * rows + r
                audit.write(slot);
                if let Some(place) = usize::try_from(slot).ok().and_then(|slot| out.get_mut(slot)) {
                    *place = Some(data[(r * cols + c) as usize]);
                }
            }
        }
    }
    Ok((out, audit))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn two_by_three() {
        // ANCHOR: two_by_three
        use warpwise::transpose::{direct, wrong_stride};

        // 1 2 3        1 4
        // 4 5 6   ->   2 5
        //              3 6
        let matrix = [1, 2, 3, 4, 5, 6];
        assert_eq!(direct(&matrix, 2, 3).unwrap(), [1, 4, 2, 5, 3, 6]);

        // cols kept as the stride of the output: rows of the result start 3 apart, not 2.
        let (out, audit) = wrong_stride(&matrix, 2, 3).unwrap();
        assert_eq!(out, [Some(1), Some(4), None, Some(2), Some(5), None]);
        assert_eq!(audit.past_end(), 2); // 3 and 6 land behind the matrix
                                         // ANCHOR_END: two_by_three
        assert_eq!(audit.never(), 2);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        assert!(direct(&[1, 2, 3], 2, 2).is_err());
        assert!(wrong_stride(&[1, 2, 3], 2, 2).is_err());
        assert_eq!(direct::<u8>(&[], 0, u64::MAX), Ok(vec![]));
        assert_eq!(direct::<u8>(&[], u64::MAX, 0), Ok(vec![]));
    }

    proptest! {
        #[test]
        fn direct_by_definition(rows in 0u64..30, cols in 0u64..30) {
            let data: Vec<u64> = (0..rows * cols).collect();
            let out = direct(&data, rows, cols)?;
            for r in 0..rows {
                for c in 0..cols {
                    prop_assert_eq!(out[(c * rows + r) as usize], data[(r * cols + c) as usize]);
                }
            }
            prop_assert_eq!(direct(&out, cols, rows)?, data);
        }

        /// The wrong stride passes on squares, single rows and columns of one cell, and on nothing else.
        #[test]
        fn the_wrong_stride_serves_squares(rows in 1u64..20, cols in 1u64..20) {
            let data: Vec<u64> = (0..rows * cols).collect();
            let (out, audit) = wrong_stride(&data, rows, cols)?;
            let right: Vec<Option<u64>> = direct(&data, rows, cols)?.into_iter().map(Some).collect();
            let serves = rows == cols || cols == 1;
            prop_assert_eq!(out == right, serves);
            prop_assert_eq!(audit.owned_once(), serves);
        }
    }
}
