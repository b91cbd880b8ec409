//! What a column-major library makes of row-major matrices.
//!
//! cuBLAS takes the bytes of a row-major matrix for its transpose. These functions hand row-major data to a
//! plain column-major product in the ways that people do, right and wrong, and return the bytes that come back.
//! Values are `f32`, exact as long as all products and sums are whole numbers up to 2^24.

use crate::layout::{convert, filled, ShapeError};

// ANCHOR: library
use warpwise::layout::Layout;

/// C = A B the way a column-major library sees it: A is m x k, B is k x n, C is m x n.
fn multiply(m: u64, n: u64, k: u64, a: &[f32], b: &[f32], c: &mut [f32]) {
    let la = Layout::column_major(m, k);
    let lb = Layout::column_major(k, n);
    let lc = Layout::column_major(m, n);
    let product = |i, l, j| a[la.index(i, l) as usize] * b[lb.index(l, j) as usize];
    for j in 0..n {
        for i in 0..m {
            c[lc.index(i, j) as usize] = (0..k).map(|l| product(i, l, j)).sum();
        }
    }
}
// ANCHOR_END: library

/// Returns C = A B, all three column-major: A is m x k, B is k x n, C is m x n. The library of the lesson.
///
/// # Errors
/// If a slice does not have the length that its shape asks for, or C does not fit in memory.
pub fn column_major(m: u64, n: u64, k: u64, a: &[f32], b: &[f32]) -> Result<Vec<f32>, ShapeError> {
    Layout::column_major(m, k).check(a.len())?;
    Layout::column_major(k, n).check(b.len())?;
    let mut c = filled(m, n, 0.0)?;
    multiply(m, n, k, a, b, &mut c);
    Ok(c)
}

/// Returns C = A B, all three row-major: the plain definition, and what everybody below wants.
///
/// # Errors
/// As [`column_major`].
pub fn row_major(m: u64, n: u64, k: u64, a: &[f32], b: &[f32]) -> Result<Vec<f32>, ShapeError> {
    let (la, lb) = (Layout::row_major(m, k), Layout::row_major(k, n));
    la.check(a.len())?;
    lb.check(b.len())?;
    let mut out = filled(m, n, 0.0)?;
    let lc = Layout::row_major(m, n);
    for i in 0..m {
        for j in 0..n {
            let products = (0..k).map(|l| a[la.index(i, l) as usize] * b[lb.index(l, j) as usize]);
            out[lc.index(i, j) as usize] = products.sum();
        }
    }
    Ok(out)
}

/// Returns the bytes that come back when row-major n x n matrices are handed over as they are.
///
/// Wrong on purpose. The library sees Aᵀ and Bᵀ and returns AᵀBᵀ; read as row-major, that is (AᵀBᵀ)ᵀ = B A.
///
/// # Errors
/// As [`column_major`].
pub fn handed_over_as_is(n: u64, a: &[f32], b: &[f32]) -> Result<Vec<f32>, ShapeError> {
    column_major(n, n, n, a, b)
}

/// Returns the bytes that come back when row-major A (m x k) and B (k x n) are converted and the result is not.
///
/// Wrong on purpose. The library computes A B; its column-major bytes, read as row-major n x m, are (A B)ᵀ.
///
/// # Errors
/// As [`column_major`].
pub fn output_not_converted(m: u64, n: u64, k: u64, a: &[f32], b: &[f32]) -> Result<Vec<f32>, ShapeError> {
    let a = convert(a, &Layout::row_major(m, k), &Layout::column_major(m, k))?;
    let b = convert(b, &Layout::row_major(k, n), &Layout::column_major(k, n))?;
    column_major(m, n, k, &a, &b)
}

/// Returns A B, row-major m x n, from row-major A (m x k) and B (k x n), without moving a byte of either.
///
/// Right. Asked for B A, the library sees Bᵀ Aᵀ = (A B)ᵀ, and its column-major bytes are A B in row-major.
///
/// # Errors
/// As [`column_major`].
pub fn without_moving_a_byte(m: u64, n: u64, k: u64, a: &[f32], b: &[f32]) -> Result<Vec<f32>, ShapeError> {
    // n and m change places as well: the library multiplies n x k by k x m.
    column_major(n, m, k, b, a)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::transpose::direct;

    #[test]
    fn three_ways_to_ask() {
        // ANCHOR: ways
        use warpwise::gemm;

        // Row-major 2x2:  A = 1 2    B = 0 1
        //                     3 4        1 1
        let (a, b) = ([1.0, 2.0, 3.0, 4.0], [0.0, 1.0, 1.0, 1.0]);
        let ab = gemm::row_major(2, 2, 2, &a, &b).unwrap();
        let ba = gemm::row_major(2, 2, 2, &b, &a).unwrap();
        assert_eq!(ab, [2.0, 3.0, 4.0, 7.0]);

        // As they are: the product in the wrong order.
        assert_eq!(gemm::handed_over_as_is(2, &a, &b).unwrap(), ba);
        // Inputs converted, the result not: the transpose.
        assert_eq!(
            gemm::output_not_converted(2, 2, 2, &a, &b).unwrap(),
            [2.0, 4.0, 3.0, 7.0]
        );
        // Asked for B A, nothing converted: the right answer.
        assert_eq!(gemm::without_moving_a_byte(2, 2, 2, &a, &b).unwrap(), ab);
        // ANCHOR_END: ways
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        assert!(column_major(2, 2, 2, &[0.0; 3], &[0.0; 4]).is_err());
        assert!(row_major(2, 2, 2, &[0.0; 4], &[0.0; 5]).is_err());
        assert!(row_major(u64::MAX, u64::MAX, 0, &[], &[]).is_err());
        assert_eq!(without_moving_a_byte(2, 1, 0, &[], &[]), Ok(vec![0.0, 0.0]));
    }

    /// Shapes m, n, k and row-major matrices of small whole numbers.
    fn matrices() -> impl Strategy<Value = (u64, u64, u64, Vec<f32>, Vec<f32>)> {
        (0u64..8, 0u64..8, 0u64..8).prop_flat_map(|(m, n, k)| {
            let matrix = |len| prop::collection::vec((-9i8..10).prop_map(f32::from), len as usize);
            (Just(m), Just(n), Just(k), matrix(m * k), matrix(k * n))
        })
    }

    proptest! {
        #[test]
        fn every_way_by_definition((m, n, k, a, b) in matrices()) {
            let ab = row_major(m, n, k, &a, &b)?;
            for i in 0..m {
                for j in 0..n {
                    let sum: f32 = (0..k).map(|l| a[(i * k + l) as usize] * b[(l * n + j) as usize]).sum();
                    prop_assert_eq!(ab[(i * n + j) as usize], sum);
                }
            }
            prop_assert_eq!(&without_moving_a_byte(m, n, k, &a, &b)?, &ab);
            prop_assert_eq!(output_not_converted(m, n, k, &a, &b)?, direct(&ab, m, n)?);
        }

        #[test]
        fn as_is_multiplies_the_other_way_round(n in 0u64..8, values in prop::collection::vec(-9i8..10, 128)) {
            let values: Vec<f32> = values.into_iter().map(f32::from).collect();
            let cells = (n * n) as usize;
            let (a, b) = (&values[..cells], &values[64..64 + cells]);
            prop_assert_eq!(handed_over_as_is(n, a, b)?, row_major(n, n, n, b, a)?);
        }
    }
}
