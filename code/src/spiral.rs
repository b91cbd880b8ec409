//! Spiral order, clockwise from the top left corner inwards: by walking it, and by two formulas.
//!
//! The *rank* of a cell is its place in that order, from 0. A walk finds the ranks one after the other; the formulas
//! find any of them at once, which is what a thread of its own for each cell needs.

mod cell;
mod ring;

pub use cell::cell;
pub use ring::{ceil_sqrt, ring_in_f32, ring_of_rank};

use crate::layout::{Layout, ShapeError};

// ANCHOR: walk
/// Returns the cells (r, c) of a rows x cols matrix in spiral order.
pub fn walk(rows: u64, cols: u64) -> impl Iterator<Item = (u64, u64)> {
    let rings = rows.min(cols).div_ceil(2);
    (0..rings).flat_map(move |k| {
        let (top, left, bottom, right) = (k, k, rows - 1 - k, cols - 1 - k);
        let there = (left..=right).map(move |c| (top, c));
        let down = (top + 1..=bottom).map(move |r| (r, right));
        // A ring of a single row or column has no way back.
        let thick = top < bottom && left < right;
        let (back, up) = if thick {
            (left..right, top + 1..bottom)
        } else {
            (0..0, 0..0)
        };
        let back = back.rev().map(move |c| (bottom, c));
        let up = up.rev().map(move |r| (r, left));
        there.chain(down).chain(back).chain(up)
    })
}
// ANCHOR_END: walk

// ANCHOR: rank
/// Returns the place of cell (r, c) in the spiral, or `None` outside the matrix.
pub fn rank(r: u64, c: u64, rows: u64, cols: u64) -> Option<u64> {
    let cells = rows.checked_mul(cols)?;
    if r >= rows || c >= cols {
        return None;
    }
    let k = r.min(c).min(rows - 1 - r).min(cols - 1 - c);
    let (height, width) = (rows - 2 * k, cols - 2 * k);
    let before = cells - height * width;

    // The rest is counted within the ring, from its own top left corner.
    let (r, c) = (r - k, c - k);
    let step = if r == 0 {
        c
    } else if c == width - 1 {
        (width - 1) + r
    } else if r == height - 1 {
        2 * (width - 1) + (height - 1) - c
    } else {
        2 * (width - 1) + 2 * (height - 1) - r
    };
    Some(before + step)
}
// ANCHOR_END: rank

/// Returns the ring of a cell, the number of rings around it, or `None` for a cell that is not in the matrix.
pub fn ring(r: u64, c: u64, rows: u64, cols: u64) -> Option<u64> {
    let below = rows.checked_sub(1)?.checked_sub(r)?;
    let right = cols.checked_sub(1)?.checked_sub(c)?;
    Some(r.min(c).min(below).min(right))
}

/// Returns how many cells come before ring k: those of the matrix without those of the matrix inside.
///
/// Past the innermost ring that is all of them; a matrix too large for 64 bits has `u64::MAX`.
pub fn before_ring(k: u64, rows: u64, cols: u64) -> u64 {
    let inside = |n: u64| n.saturating_sub(k.saturating_mul(2));
    let cells = rows.saturating_mul(cols);
    cells - cells.min(inside(rows).saturating_mul(inside(cols)))
}

/// Returns how many ranks lie on vertical legs: cells that the walk enters by a step down or up.
///
/// A reader in spiral order wants another sector for each of them. `None` for a matrix too large for 64 bits.
pub fn vertical_steps(rows: u64, cols: u64) -> Option<u64> {
    rows.checked_mul(cols)?;
    // The legs are rows - 1, rows - 2, … long, and each has a horizontal one before it.
    let legs = rows.saturating_sub(1).min(cols);
    Some(legs * rows - (u128::from(legs) * (u128::from(legs) + 1) / 2) as u64)
}

/// Returns the cells of a row-major matrix in spiral order.
///
/// # Errors
/// If `data` does not have rows x cols elements.
pub fn unroll<T: Copy>(data: &[T], rows: u64, cols: u64) -> Result<Vec<T>, ShapeError> {
    let layout = Layout::row_major(rows, cols);
    layout.check(data.len())?;
    Ok(walk(rows, cols)
        .map(|(r, c)| data[layout.index(r, c) as usize])
        .collect())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn three_by_three() {
        // ANCHOR: three
        use warpwise::spiral::{rank, unroll};

        // 1 2 3
        // 4 5 6
        // 7 8 9
        let matrix = [1, 2, 3, 4, 5, 6, 7, 8, 9];
        assert_eq!(unroll(&matrix, 3, 3).unwrap(), [1, 2, 3, 6, 9, 8, 7, 4, 5]);

        // The 5 in the middle comes last: place 8, counted from 0.
        assert_eq!(rank(1, 1, 3, 3), Some(8));
        // ANCHOR_END: three
    }

    #[test]
    fn two_by_three() {
        let ranks = [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)].map(|(r, c)| rank(r, c, 2, 3));
        assert_eq!(ranks, [0, 1, 2, 5, 4, 3].map(Some));
    }

    #[test]
    fn single_rows_and_columns() {
        for n in 1..10 {
            assert!((0..n).all(|i| rank(0, i, 1, n) == Some(i) && rank(i, 0, n, 1) == Some(i)));
            assert!((0..n).all(|i| cell(i, 1, n) == Some((0, i)) && cell(i, n, 1) == Some((i, 0))));
        }
        assert_eq!(
            (rank(0, 0, 0, 5), cell(0, 5, 0), walk(0, 5).next()),
            (None, None, None)
        );
        assert_eq!(unroll::<u8>(&[], 0, 3), Ok(vec![]));
        assert!(unroll(&[1], 0, 3).is_err());
    }

    #[test]
    fn half_of_a_square_is_vertical() {
        assert_eq!(vertical_steps(4096, 4096), Some(4096 * 4095 / 2));
        assert_eq!(
            (vertical_steps(1, 9), vertical_steps(9, 1), vertical_steps(0, 9)),
            (Some(0), Some(8), Some(0))
        );
    }

    proptest! {
        /// The formulas agree with the walk, both ways, and the walk visits every cell once.
        #[test]
        fn formulas_agree_with_the_walk(rows in 0u64..40, cols in 0u64..40) {
            let cells: Vec<_> = walk(rows, cols).collect();
            prop_assert_eq!(cells.len() as u64, rows * cols);
            prop_assert_eq!(cells.iter().collect::<BTreeSet<_>>().len() as u64, rows * cols);
            for (place, &(r, c)) in cells.iter().enumerate() {
                prop_assert_eq!(rank(r, c, rows, cols), Some(place as u64));
                prop_assert_eq!(cell(place as u64, rows, cols), Some((r, c)));
                let k = ring(r, c, rows, cols).unwrap();
                prop_assert!((before_ring(k, rows, cols)..before_ring(k + 1, rows, cols)).contains(&(place as u64)));
                prop_assert_eq!(ring_of_rank(place as u64, rows, cols), Some(k));
            }
            prop_assert_eq!(cell(rows * cols, rows, cols), None);
            let vertical = cells.windows(2).filter(|step| step[0].0 != step[1].0).count() as u64;
            prop_assert_eq!(vertical_steps(rows, cols), Some(vertical));
        }

        /// Large shapes: rank and cell undo each other.
        #[test]
        fn formulas_are_inverse(rows in 1u64..1 << 31, cols in 1u64..1 << 31, r: u64, c: u64) {
            let (r, c) = (r % rows, c % cols);
            let place = rank(r, c, rows, cols).unwrap();
            prop_assert_eq!(cell(place, rows, cols), Some((r, c)));
        }

        /// Any numbers at all: an answer or `None`, never a panic.
        #[test]
        fn any_numbers(r: u64, c: u64, rows: u64, cols: u64) {
            for (rows, cols) in [(rows, cols), (rows, 1), (1, cols), (2, cols / 2), (rows / 2, 2), (rows >> 33, cols >> 33)] {
                let (r, c) = (r % rows.max(1), c % cols.max(1));
                let back = rank(r, c, rows, cols).map(|place| cell(place, rows, cols));
                prop_assert_eq!(back.is_some(), rows.checked_mul(cols).is_some_and(|cells| cells > 0));
                prop_assert!(back.is_none_or(|cell| cell == Some((r, c))));
                let _ = (ring(c, r, rows, cols), before_ring(r, rows, cols), vertical_steps(rows, cols));
            }
        }
    }
}
