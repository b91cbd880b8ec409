//! `.ftz`: subnormal operands are zero, and so are subnormal results, with their sign.
//!
//! A result is subnormal when it would be, had `f32` no smallest exponent: one just below the smallest normal
//! number is zero, although the coarse steps of subnormal numbers would round it up to that. PTX does not say
//! so; an H200 does it.

use super::rounding::{self, Rounding};

/// Far enough from the smallest exponent that nothing is subnormal.
const SCALE: f32 = 18_446_744_073_709_551_616.0;

/// A subnormal number becomes zero of the same sign.
#[inline]
pub(super) fn flush(a: f32) -> f32 {
    if a.abs() < f32::MIN_POSITIVE {
        0.0f32.copysign(a)
    } else {
        a
    }
}

/// A result, flushed; `scaled` gives the same one [`SCALE`] times as large.
#[inline]
fn flushed(result: f32, scaled: impl FnOnce() -> f32) -> f32 {
    let at_edge = result.abs() == f32::MIN_POSITIVE;
    if at_edge && scaled().abs() < f32::MIN_POSITIVE * SCALE {
        0.0f32.copysign(result)
    } else {
        flush(result)
    }
}

/// Sums of such small numbers are exact.
#[inline]
pub(super) fn add(a: f32, b: f32, rounding: Rounding) -> f32 {
    flush(rounding::add(flush(a), flush(b), rounding))
}

#[inline]
pub(super) fn sub(a: f32, b: f32, rounding: Rounding) -> f32 {
    flush(rounding::sub(flush(a), flush(b), rounding))
}

#[inline]
pub(super) fn mul(a: f32, b: f32, rounding: Rounding) -> f32 {
    let (a, b) = by_size(flush(a), flush(b));
    flushed(rounding::mul(a, b, rounding), || {
        rounding::mul(a * SCALE, b, rounding)
    })
}

#[inline]
pub(super) fn fma(a: f32, b: f32, c: f32, rounding: Rounding) -> f32 {
    let ((a, b), c) = (by_size(flush(a), flush(b)), flush(c));
    flushed(rounding::fma(a, b, c, rounding), || {
        rounding::fma(a * SCALE, b, c * SCALE, rounding)
    })
}

#[inline]
pub(super) fn div(a: f32, b: f32, rounding: Rounding) -> f32 {
    let (a, b) = (flush(a), flush(b));
    flushed(rounding::div(a, b, rounding), || {
        rounding::div(a * SCALE, b, rounding)
    })
}

#[inline]
pub(super) fn reciprocal(a: f32, rounding: Rounding) -> f32 {
    div(1.0, a, rounding)
}

/// No root is subnormal.
#[inline]
pub(super) fn sqrt(a: f32, rounding: Rounding) -> f32 {
    rounding::sqrt(flush(a), rounding)
}

/// An `f64` as `f32`.
#[inline]
pub(super) fn narrow(a: f64, rounding: Rounding) -> f32 {
    flushed(rounding::narrow(a, rounding), || {
        rounding::narrow(a * f64::from(SCALE), rounding)
    })
}

/// The smaller factor first: the larger one might overflow when scaled.
#[inline]
fn by_size(a: f32, b: f32) -> (f32, f32) {
    if a.abs() < b.abs() {
        (a, b)
    } else {
        (b, a)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const HALF_STEP_BELOW: f32 = 0.999_999_94;

    #[test]
    fn what_rounds_up_to_the_smallest_normal_number_is_zero() {
        let (rn, least) = (Rounding::Nearest, f32::MIN_POSITIVE);
        assert_eq!(least * HALF_STEP_BELOW, least);
        assert_eq!(mul(least, HALF_STEP_BELOW, rn), 0.0);
        assert_eq!(mul(-least, HALF_STEP_BELOW, rn).to_bits(), (-0.0f32).to_bits());
        assert_eq!(fma(least, HALF_STEP_BELOW, 0.0, Rounding::Up), 0.0);
        assert_eq!(div((2.0 * least).next_down(), 2.0, rn), 0.0);
        let (above, quarter) = (f64::from(least), 2f64.powi(-151));
        assert_eq!(narrow(above - 2.0 * quarter, rn), 0.0);
        assert_eq!(narrow(above - quarter, rn), least);
    }

    proptest! {
        /// Away from the edge it is what it is without `.ftz`, or zero.
        #[test]
        fn other_results_are_as_without(a: u32, b: u32, c: u32) {
            let [a, b, c] = [a, b, c].map(|bits| flush(f32::from_bits(bits)));
            for rounding in [Rounding::Nearest, Rounding::Zero, Rounding::Down, Rounding::Up] {
                for (with, without) in [
                    (mul(a, b, rounding), rounding::mul(a, b, rounding)),
                    (fma(a, b, c, rounding), rounding::fma(a, b, c, rounding)),
                    (div(a, b, rounding), rounding::div(a, b, rounding)),
                ] {
                    let same = with.to_bits() == without.to_bits() || with.is_nan() && without.is_nan();
                    let small = with == 0.0 && without.abs() <= f32::MIN_POSITIVE;
                    prop_assert!(same || small, "{with:e} {without:e}");
                    prop_assert!(with.is_nan() || with.is_sign_negative() == without.is_sign_negative());
                }
            }
        }
    }
}
