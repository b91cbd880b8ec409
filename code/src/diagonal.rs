//! Diagonal order, and the wavefront that needs it.
//!
//! Diagonal d holds the cells with r + c = d. The cells of one diagonal do not depend on each other where each cell
//! needs its upper and left neighbours; each diagonal needs the one before.

mod paths;

pub use paths::{corner, lattice_paths, lattice_paths_by_diagonals};

use crate::layout::{Layout, ShapeError};

// ANCHOR: rows_of
use std::ops::Range;

/// Returns the rows of diagonal d: max(0, d - cols + 1) up to min(d, rows - 1).
pub fn rows_of(d: u64, rows: u64, cols: u64) -> Range<u64> {
    let below = d.saturating_add(1);
    let first = below.saturating_sub(cols);
    let end = below.min(rows);
    first..end.max(first) // empty past the last diagonal
}

/// Returns how many diagonals a matrix has.
pub fn diagonals(rows: u64, cols: u64) -> u64 {
    if rows == 0 || cols == 0 {
        0
    } else {
        rows.saturating_add(cols - 1)
    }
}
// ANCHOR_END: rows_of

/// Returns the cells (r, c) in zigzag order: diagonal after diagonal, even ones upwards, odd ones downwards.
pub fn zigzag(rows: u64, cols: u64) -> impl Iterator<Item = (u64, u64)> {
    (0..diagonals(rows, cols)).flat_map(move |d| {
        let Range { start, end } = rows_of(d, rows, cols);
        (start..end).map(move |r| {
            let r = if d.is_multiple_of(2) {
                start + (end - 1 - r)
            } else {
                r
            };
            (r, d - r)
        })
    })
}

// ANCHOR: rank
/// Returns the place of cell (r, c) in zigzag order, or `None` outside the matrix.
pub fn rank(r: u64, c: u64, rows: u64, cols: u64) -> Option<u64> {
    rows.checked_mul(cols)?;
    if r >= rows || c >= cols {
        return None;
    }
    let d = r + c;
    let first = (d + 1).saturating_sub(cols);
    let last = d.min(rows - 1);

    // Earlier diagonals form a triangle; two smaller ones stick out of the matrix.
    let triangle = |n: u64| u128::from(n) * (u128::from(n) + 1) / 2;
    let outside = triangle(d.saturating_sub(rows)) + triangle(d.saturating_sub(cols));
    let before = triangle(d) - outside;

    let step = if d.is_multiple_of(2) { last - r } else { r - first };
    Some(before as u64 + step)
}
// ANCHOR_END: rank

/// Returns the cells of a row-major matrix in zigzag order.
///
/// # Errors
/// If `data` does not have rows x cols elements.
pub fn unroll<T: Copy>(data: &[T], rows: u64, cols: u64) -> Result<Vec<T>, ShapeError> {
    let layout = Layout::row_major(rows, cols);
    layout.check(data.len())?;
    Ok(zigzag(rows, cols)
        .map(|(r, c)| data[layout.index(r, c) as usize])
        .collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn three_by_three() {
        // ANCHOR: three
        use warpwise::diagonal::{rows_of, unroll};

        // 1 2 3
        // 4 5 6
        // 7 8 9
        let matrix = [1, 2, 3, 4, 5, 6, 7, 8, 9];
        assert_eq!(unroll(&matrix, 3, 3).unwrap(), [1, 2, 4, 7, 5, 3, 6, 8, 9]);

        // Diagonal 3 holds the 6 and the 8: it crosses rows 1 and 2.
        assert_eq!(rows_of(3, 3, 3), 1..3);
        // ANCHOR_END: three
    }

    #[test]
    fn launches_of_the_wavefront() {
        assert_eq!((diagonals(5, 5), diagonals(6, 9), diagonals(1, 1)), (9, 14, 1));
        assert_eq!((diagonals(0, 9), diagonals(9, 0), diagonals(0, 0)), (0, 0, 0));
        assert!(unroll(&[1], 0, 3).is_err());
    }

    proptest! {
        /// The diagonals share out the cells, each to one; the rank agrees with the walk.
        #[test]
        fn zigzag_by_definition(rows in 0u64..40, cols in 0u64..40) {
            let mut sorted: Vec<(u64, u64)> = (0..rows).flat_map(|r| (0..cols).map(move |c| (r, c))).collect();
            // The plain definition: sort by diagonal; upwards is falling rows, downwards rising rows.
            sorted.sort_by_key(|&(r, c)| (r + c, if (r + c) % 2 == 0 { rows - r } else { r }));
            prop_assert_eq!(&zigzag(rows, cols).collect::<Vec<_>>(), &sorted);
            for (place, &(r, c)) in sorted.iter().enumerate() {
                prop_assert_eq!(rank(r, c, rows, cols), Some(place as u64));
                prop_assert!(rows_of(r + c, rows, cols).contains(&r));
            }
            let in_ranges: u64 = (0..rows + cols + 3).map(|d| rows_of(d, rows, cols).count() as u64).sum();
            prop_assert_eq!(in_ranges, rows * cols);
        }

        #[test]
        fn any_numbers(d: u64, r: u64, c: u64, rows: u64, cols: u64) {
            for (rows, cols) in [(rows, cols), (rows, 1), (1, cols), (2, cols / 2), (rows >> 33, cols >> 33)] {
                let rows_of = rows_of(d, rows, cols);
                prop_assert!(rows_of.is_empty() || rows_of.end <= rows && d - rows_of.start < cols);
                prop_assert_eq!(rows_of.is_empty(), d >= diagonals(rows, cols));
                let (r, c) = (r % rows.max(1), c % cols.max(1));
                let last = rows.checked_mul(cols).map(|cells| cells.saturating_sub(1));
                prop_assert!(rank(r, c, rows, cols).is_none_or(|place| Some(place) <= last));
            }
            prop_assert_eq!(rank(rows >> 33, 0, 1 + (rows >> 33), 1), Some(rows >> 33));
        }
    }
}
