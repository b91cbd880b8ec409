//! Lattice paths: how many ways lead from the top left corner to each cell, going right and down only.
//!
//! The smallest problem in which each cell needs its neighbours: p(r, 0) = p(0, c) = 1 and
//! p(r, c) = p(r - 1, c) + p(r, c - 1). The numbers outgrow 32 bits soon and wrap around, here and in the kernels.

use crate::layout::{filled, ShapeError};

/// Returns the lattice paths to every cell, row-major, computed row by row.
///
/// # Errors
/// If the matrix does not fit in memory.
pub fn lattice_paths(rows: u64, cols: u64) -> Result<Vec<u32>, ShapeError> {
    let mut out = filled(rows, cols, 1u32)?;
    // An empty matrix has no row to go through, however many its shape names.
    let rows = if out.is_empty() { 0 } else { rows };
    for r in 1..rows {
        for c in 1..cols {
            let (above, left) = (
                out[((r - 1) * cols + c) as usize],
                out[(r * cols + c - 1) as usize],
            );
            out[(r * cols + c) as usize] = above.wrapping_add(left);
        }
    }
    Ok(out)
}

// ANCHOR: wavefront
use warpwise::diagonal::{diagonals, rows_of};

/// Computes one diagonal, in any order of its cells: they read the diagonal before.
fn wavefront_step(out: &mut [u32], d: u64, rows: u64, cols: u64) {
    for r in rows_of(d, rows, cols) {
        let c = d - r;
        let i = (r * cols + c) as usize;
        out[i] = if r == 0 || c == 0 {
            1
        } else {
            let (above, left) = (out[i - cols as usize], out[i - 1]);
            above.wrapping_add(left)
        };
    }
}

/// Computes all of them, each after the one before.
fn wavefront(out: &mut [u32], rows: u64, cols: u64) {
    for d in 0..diagonals(rows, cols) {
        wavefront_step(out, d, rows, cols);
    }
}
// ANCHOR_END: wavefront

/// Returns the lattice paths to every cell, row-major, computed diagonal by diagonal as the wavefront does.
///
/// # Errors
/// If the matrix does not fit in memory.
pub fn lattice_paths_by_diagonals(rows: u64, cols: u64) -> Result<Vec<u32>, ShapeError> {
    let mut out = filled(rows, cols, u32::MAX)?;
    wavefront(&mut out, rows, cols);
    Ok(out)
}

/// Returns the paths to the last cell, without wrapping: C(rows + cols - 2, rows - 1).
///
/// `None` for an empty matrix and where 128 bits do not hold the number.
pub fn corner(rows: u64, cols: u64) -> Option<u128> {
    let (down, right) = (rows.checked_sub(1)?, cols.checked_sub(1)?);
    let (few, many) = (down.min(right), u128::from(down.max(right)));
    // The product grows with every factor, so that it leaves 128 bits soon or has few factors.
    (1..=u128::from(few)).try_fold(1u128, |paths, i| Some(paths.checked_mul(many + i)? / i))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn squares_outgrow_their_types() {
        let first = |too_large: fn(u128) -> bool| (1..).find(|&n| too_large(corner(n, n).unwrap()));
        assert_eq!(first(|paths| paths > u32::MAX.into()), Some(19));
        assert_eq!(first(|paths| paths as f32 as u128 != paths), Some(17));
    }

    #[test]
    fn a_small_table() {
        assert_eq!(lattice_paths(3, 4), Ok(vec![1, 1, 1, 1, 1, 2, 3, 4, 1, 3, 6, 10]));
        assert_eq!(lattice_paths_by_diagonals(0, 4), Ok(vec![]));
        assert!(lattice_paths(u64::MAX, 2).is_err());
        assert_eq!(
            (
                corner(0, 4),
                corner(1, 1),
                corner(1, u64::MAX),
                corner(u64::MAX, u64::MAX)
            ),
            (None, Some(1), Some(1), None)
        );
    }

    proptest! {
        /// Rows or diagonals, the same numbers; the last one is the binomial coefficient, wrapped.
        #[test]
        fn both_orders_agree(rows in 0u64..50, cols in 0u64..50) {
            let by_rows = lattice_paths(rows, cols)?;
            prop_assert_eq!(&by_rows, &lattice_paths_by_diagonals(rows, cols)?);
            prop_assert_eq!(by_rows.last().copied(), corner(rows, cols).map(|paths| paths as u32));
        }

        #[test]
        fn any_corner(rows: u64, cols: u64) {
            prop_assert_eq!(corner(rows, cols), corner(cols, rows));
        }
    }
}
