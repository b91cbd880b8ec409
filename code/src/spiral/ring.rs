//! Which ring a rank lies on: a formula with a square root in it, which has to be exact.

// ANCHOR: ring_of_rank
/// Returns the smallest s with s * s >= n.
pub fn ceil_sqrt(n: u128) -> u128 {
    let s = n.isqrt(); // exact, rounded down
    if s * s < n {
        s + 1
    } else {
        s
    }
}

/// Returns the ring on which a rank lies, or `None` past the last one.
pub fn ring_of_rank(rank: u64, rows: u64, cols: u64) -> Option<u64> {
    if rank >= rows.checked_mul(cols)? {
        return None;
    }
    let innermost = (rows.min(cols) - 1) / 2;
    if innermost == 0 {
        return Some(0);
    }
    let s = u128::from(rows) + u128::from(cols);
    let k = (s - ceil_sqrt(s * s - 4 * u128::from(rank))) / 4;
    Some((k as u64).min(innermost))
}
// ANCHOR_END: ring_of_rank

/// Returns the ring that the same formula gives when (rows + cols)² - 4 rank passes through an `f32`.
///
/// Wrong on purpose: an `f32` holds 24 bits, and large matrices need more. Near the end of a ring, where the
/// root is close to a whole number, the rounding moves ranks to the next ring. `None` as for [`ring_of_rank`].
pub fn ring_in_f32(rank: u64, rows: u64, cols: u64) -> Option<u64> {
    ring_of_rank(rank, rows, cols)?;
    let s = u128::from(rows) + u128::from(cols);
    let rounded = (s.saturating_mul(s).saturating_sub(4 * u128::from(rank))) as f32;
    let k = s.saturating_sub(ceil_sqrt(rounded as u128)) / 4;
    Some(k.min(u128::from((rows.min(cols) - 1) / 2)) as u64)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::spiral::before_ring;

    /// The plain definition: count rings until the rank is inside.
    fn by_counting(rank: u64, rows: u64, cols: u64) -> u64 {
        (0..).find(|&k| rank < before_ring(k + 1, rows, cols)).unwrap()
    }

    #[test]
    fn f32_first_fails_at_4098() {
        // ANCHOR: f32
        use warpwise::spiral::{ring_in_f32, ring_of_rank};

        // The outermost ring of a 4098x4098 matrix has 4 * 4097 cells. This is the last.
        assert_eq!(ring_of_rank(16_387, 4098, 4098), Some(0));
        assert_eq!(ring_in_f32(16_387, 4098, 4098), Some(1));

        // (2 * 4098)² - 4 * 16387 needs 25 bits. An f32 has 24, and drops the 4.
        assert_eq!(8196u32.pow(2) - 4 * 16_387, 67_108_868);
        assert_eq!(67_108_868 as f32, 67_108_864.0);
        // ANCHOR_END: f32
        assert!((0..16_387).all(|rank| ring_in_f32(rank, 4098, 4098) == Some(0)));
    }

    #[test]
    fn smaller_squares_pass_in_f32() {
        // Only the last ranks of a ring are at risk: there the root is nearest to a whole number from above.
        for n in 1..4098u64 {
            for k in 1..=n.div_ceil(2) {
                let end = before_ring(k, n, n);
                for rank in end.saturating_sub(3)..end {
                    assert_eq!(ring_in_f32(rank, n, n), ring_of_rank(rank, n, n), "{n} {rank}");
                }
            }
        }
    }

    #[test]
    fn the_root_is_exact_where_floats_are_not() {
        for s in [
            1u128 << 26,
            (1 << 31) + 1,
            (1 << 53) + 1,
            (1 << 63) - 1,
            (1 << 64) - 1,
        ] {
            assert_eq!([s * s - 1, s * s, s * s + 1].map(ceil_sqrt), [s, s, s + 1]);
        }
        assert_eq!([0, 1, 2, 3, 4, 5].map(ceil_sqrt), [0, 1, 2, 2, 2, 3]);
        assert_eq!(ceil_sqrt(u128::MAX), 1 << 64);
    }

    proptest! {
        #[test]
        fn ring_by_definition(rows in 1u64..80, cols in 1u64..80, rank in 0u64..6400) {
            let ring = (rank < rows * cols).then(|| by_counting(rank, rows, cols));
            prop_assert_eq!(ring_of_rank(rank, rows, cols), ring);
        }

        /// Large shapes, where a ring ends: one rank on each side.
        #[test]
        fn rings_end_where_they_should(rows in 3u64..1 << 32, cols in 3u64..1 << 32, k in 1u64..1 << 31) {
            let k = 1 + k % ((rows.min(cols) - 1) / 2);
            let first = before_ring(k, rows, cols);
            prop_assert_eq!(ring_of_rank(first - 1, rows, cols), Some(k - 1));
            prop_assert_eq!(ring_of_rank(first, rows, cols), Some(k));
        }

        #[test]
        fn any_numbers(rank: u64, rows: u64, cols: u64) {
            for (rows, cols) in [(rows, cols), (rows, 1), (1, u64::MAX), (3, cols / 3), (rows % 1000, cols >> 11)] {
                let there = rows.checked_mul(cols).is_some_and(|cells| rank < cells);
                prop_assert_eq!(ring_of_rank(rank, rows, cols).is_some(), there);
                prop_assert_eq!(ring_in_f32(rank, rows, cols).is_some(), there);
            }
        }
    }
}
