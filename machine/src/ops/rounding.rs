//! Correctly rounded arithmetic in the four directions of IEEE 754, from a host that rounds to nearest.
//!
//! The host's result is the nearest; the exact result is compared with it, and the neighbour taken where the
//! direction asks for it. Everything about `f32` is exact in `f64`, or a sum of two `f64`.

use std::cmp::Ordering;

/// Where a result that does not fit goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Rounding {
    /// `.rn`: to the nearest, ties to even.
    Nearest,
    /// `.rz`: towards zero.
    Zero,
    /// `.rm`: towards minus infinity.
    Down,
    /// `.rp`: towards infinity.
    Up,
}
use Rounding::{Down, Nearest, Up, Zero};

/// The result in direction `rounding`, from the nearest one and how the exact one compares with it.
#[inline]
fn directed(nearest: f32, exact: Ordering, rounding: Rounding) -> f32 {
    match (rounding, exact) {
        (Down, Ordering::Less) => nearest.next_down(),
        (Up, Ordering::Greater) => nearest.next_up(),
        (Zero, Ordering::Less) if nearest > 0.0 => nearest.next_down(),
        (Zero, Ordering::Greater) if nearest < 0.0 => nearest.next_up(),
        _ => nearest,
    }
}

/// How `high + low` compares with `nearest`, where `high` is the sum of both rounded to `f64`. NaN anywhere
/// compares equal: there is nothing to correct.
fn compare(high: f64, low: f64, nearest: f32) -> Ordering {
    match high.partial_cmp(&f64::from(nearest)) {
        Some(Ordering::Equal) => low.partial_cmp(&0.0).unwrap_or(Ordering::Equal),
        other => other.unwrap_or(Ordering::Equal),
    }
}

/// What rounding took from `a + b` (Knuth's two-sum).
fn lost(a: f64, b: f64, sum: f64) -> f64 {
    let b_part = sum - a;
    (a - (sum - b_part)) + (b - b_part)
}

#[inline]
pub(crate) fn add(a: f32, b: f32, rounding: Rounding) -> f32 {
    let nearest = a + b;
    if rounding == Nearest {
        return nearest;
    }
    let (a, b) = (f64::from(a), f64::from(b));
    let sum = a + b;
    zero_sum(
        a,
        b,
        directed(nearest, compare(sum, lost(a, b, sum), nearest), rounding),
        rounding,
    )
}

/// Two numbers that cancel give minus zero when rounding down, and zero otherwise.
fn zero_sum(a: f64, b: f64, result: f32, rounding: Rounding) -> f32 {
    if rounding == Down && a == -b && a.is_finite() && a.is_sign_positive() != b.is_sign_positive() {
        -0.0
    } else {
        result
    }
}

#[inline]
pub(crate) fn sub(a: f32, b: f32, rounding: Rounding) -> f32 {
    add(a, -b, rounding)
}

#[inline]
pub(crate) fn mul(a: f32, b: f32, rounding: Rounding) -> f32 {
    let nearest = a * b;
    if rounding == Nearest {
        return nearest;
    }
    directed(
        nearest,
        compare(f64::from(a) * f64::from(b), 0.0, nearest),
        rounding,
    )
}

#[inline]
pub(crate) fn fma(a: f32, b: f32, c: f32, rounding: Rounding) -> f32 {
    let nearest = a.mul_add(b, c);
    if rounding == Nearest {
        return nearest;
    }
    let (product, c) = (f64::from(a) * f64::from(b), f64::from(c));
    let sum = product + c;
    zero_sum(
        product,
        c,
        directed(nearest, compare(sum, lost(product, c, sum), nearest), rounding),
        rounding,
    )
}

#[inline]
pub(crate) fn div(a: f32, b: f32, rounding: Rounding) -> f32 {
    let nearest = a / b;
    if rounding == Nearest {
        return nearest;
    }
    let (a, b) = (f64::from(a), f64::from(b));
    let rest = (-f64::from(nearest)).mul_add(b, a) * b.signum();
    directed(
        nearest,
        rest.partial_cmp(&0.0).unwrap_or(Ordering::Equal),
        rounding,
    )
}

#[inline]
pub(crate) fn reciprocal(a: f32, rounding: Rounding) -> f32 {
    div(1.0, a, rounding)
}

#[inline]
pub(crate) fn sqrt(a: f32, rounding: Rounding) -> f32 {
    let nearest = a.sqrt();
    if rounding == Nearest {
        return nearest;
    }
    let root = f64::from(nearest);
    let rest = (-root).mul_add(root, f64::from(a));
    directed(
        nearest,
        rest.partial_cmp(&0.0).unwrap_or(Ordering::Equal),
        rounding,
    )
}

/// An `f64` as `f32`.
#[inline]
pub(crate) fn narrow(a: f64, rounding: Rounding) -> f32 {
    let nearest = a as f32;
    directed(nearest, compare(a, 0.0, nearest), rounding)
}

/// An integer as `f32`.
#[inline]
pub(crate) fn integer_f32(a: i128, rounding: Rounding) -> f32 {
    let nearest = a as f32;
    // Rounding never leaves the integers: a float this large is one.
    directed(nearest, a.cmp(&(nearest as i128)), rounding)
}

/// An integer as `f64`.
#[inline]
pub(crate) fn integer_f64(a: i128, rounding: Rounding) -> f64 {
    let nearest = a as f64;
    match (rounding, a.cmp(&(nearest as i128))) {
        (Down, Ordering::Less) => nearest.next_down(),
        (Up, Ordering::Greater) => nearest.next_up(),
        (Zero, Ordering::Less) if nearest > 0.0 => nearest.next_down(),
        (Zero, Ordering::Greater) if nearest < 0.0 => nearest.next_up(),
        _ => nearest,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn float() -> impl Strategy<Value = f32> {
        any::<u32>().prop_map(f32::from_bits)
    }

    /// Down and up enclose nearest, are neighbours where they differ, and towards zero is one of them.
    fn enclosed(of: impl Fn(Rounding) -> f32) -> Result<(), TestCaseError> {
        let [nearest, zero, down, up] = [Nearest, Zero, Down, Up].map(of);
        if nearest.is_nan() {
            return Ok(());
        }
        prop_assert!(down <= nearest && nearest <= up, "{down} {nearest} {up}");
        prop_assert!(down == up || down.next_up() == up, "{down} {up}");
        prop_assert_eq!(zero, if up > 0.0 && down >= 0.0 { down } else { up });
        Ok(())
    }

    proptest! {
        #[test]
        fn directions_enclose(a in float(), b in float(), c in float()) {
            enclosed(|r| add(a, b, r))?;
            enclosed(|r| sub(a, b, r))?;
            enclosed(|r| mul(a, b, r))?;
            enclosed(|r| div(a, b, r))?;
            enclosed(|r| fma(a, b, c, r))?;
            enclosed(|r| sqrt(a.abs(), r))?;
        }

        #[test]
        fn conversions_enclose(a: u64, b in any::<u64>().prop_map(f64::from_bits)) {
            enclosed(|r| integer_f32(a.into(), r))?;
            enclosed(|r| narrow(b, r))?;
            let [down, up] = [Down, Up].map(|r| integer_f64(a.into(), r));
            prop_assert!(down as i128 <= i128::from(a) && i128::from(a) <= up as i128);
        }
    }

    #[test]
    fn known_values() {
        assert_eq!(div(1.0, 3.0, Down).to_bits(), 0x3eaa_aaaa);
        assert_eq!(div(1.0, 3.0, Up).to_bits(), 0x3eaa_aaab);
        assert_eq!(add(1.0, 1e-30, Up).to_bits(), 0x3f80_0001);
        assert_eq!(add(1.0, -1e-30, Zero).to_bits(), 0x3f7f_ffff);
        assert_eq!(mul(f32::MAX, 2.0, Zero), f32::MAX);
        assert_eq!(mul(f32::MAX, 2.0, Up), f32::INFINITY);
        assert_eq!(add(1.0, -1.0, Down).to_bits(), (-0.0f32).to_bits());
        assert_eq!(integer_f32(16_777_217, Up), 16_777_218.0);
        assert_eq!(integer_f32(16_777_217, Zero), 16_777_216.0);
    }
}
