//! Floating-point arithmetic.
//!
//! A result of `f32` that is NaN is the one canonical NaN, 0x7FFFFFFF. One of `f64` is an operand that is
//! NaN, made quiet, or a canonical NaN where none is. PTX leaves much of this open; an H200 does so. Instructions
//! that PTX calls approximate give the nearest value here, which is within the error that PTX allows; a GPU may
//! differ in the last bits. `f64` rounds to nearest only.
//!
//! Source: PTX ISA, "Floating Point Instructions".

use super::flush::{self, flush};
use super::rounding::{add, div, fma, mul, reciprocal, sqrt, sub, Rounding};
use super::{rare_rows, rows, Row};

/// Every NaN becomes the canonical one.
///
/// It looks at bits: which NaN a float operation gives is open in Rust, and the compiler makes use of that.
#[inline]
pub(super) fn canonical(a: f32) -> f32 {
    let bits = a.to_bits();
    f32::from_bits(if bits & i32::MAX as u32 > f32::INFINITY.to_bits() {
        0x7FFF_FFFF
    } else {
        bits
    })
}

const QUIET64: u64 = 1 << 51;

fn is_nan64(bits: u64) -> bool {
    bits & i64::MAX as u64 > f64::INFINITY.to_bits()
}

/// The result of an operation on `operands`: where it is NaN, the last of them that is, made quiet,
/// or the canonical NaN.
#[inline]
pub(super) fn propagate<const N: usize>(result: f64, operands: [f64; N]) -> f64 {
    let bits = result.to_bits();
    if !is_nan64(bits) {
        return f64::from_bits(bits);
    }
    f64::from_bits(last_nan(operands).unwrap_or(0xFFF8_0000_0000_0000) | QUIET64)
}

/// The last of some values that is NaN.
#[inline]
pub(super) fn last_nan<const N: usize>(values: [f64; N]) -> Option<u64> {
    let bits = values.map(f64::to_bits);
    bits.into_iter().rev().find(|&bits| is_nan64(bits))
}

/// What `div.approx` gives for divisors that PTX leaves out: zero, and NaN for an infinite dividend.
#[inline]
fn for_large_divisor(a: f32, b: f32) -> Option<f32> {
    const LARGEST_DIVISOR: f32 = f32::from_bits((127 + 126) << 23);
    let left_out = b.is_finite() && b.abs() > LARGEST_DIVISOR;
    left_out.then(|| a * 0.0f32.copysign(b))
}

/// Clamped to 0 … 1 (`.sat`); NaN becomes 0.
#[inline]
pub(super) fn saturate(a: f32) -> f32 {
    if a > 0.0 {
        a.min(1.0)
    } else {
        0.0
    }
}

/// One opcode in one rounding or in all, with and without `.ftz`: the functions of that name in `rounding` and
/// in `flush`. `saturated` are those that may have `.sat`.
macro_rules! rounded {
    ($op:literal |$($arg:ident),+| $f:ident) => {
        &[
            rounded!($op, ".rn", Nearest, |$($arg),+| $f),
            rounded!($op, ".rz", Zero, |$($arg),+| $f),
            rounded!($op, ".rm", Down, |$($arg),+| $f),
            rounded!($op, ".rp", Up, |$($arg),+| $f),
        ]
    };
    ($op:literal, $rounding:literal, $mode:ident, |$($arg:ident),+| $f:ident) => {
        rare_rows! {
            concat!($op, $rounding, ".f32") => |$($arg: f32),+| -> f32 {
                canonical($f($($arg,)+ Rounding::$mode))
            }
            concat!($op, $rounding, ".ftz.f32") => |$($arg: f32),+| -> f32 {
                canonical(flush::$f($($arg,)+ Rounding::$mode))
            }
        }
    };
}

macro_rules! saturated {
    ($op:literal |$($arg:ident),+| $f:ident) => {
        &[
            saturated!($op, ".rn", Nearest, |$($arg),+| $f),
            saturated!($op, ".rz", Zero, |$($arg),+| $f),
            saturated!($op, ".rm", Down, |$($arg),+| $f),
            saturated!($op, ".rp", Up, |$($arg),+| $f),
        ]
    };
    ($op:literal, $rounding:literal, $mode:ident, |$($arg:ident),+| $f:ident) => {
        rare_rows! {
            concat!($op, $rounding, ".sat.f32") => |$($arg: f32),+| -> f32 {
                saturate($f($($arg,)+ Rounding::$mode))
            }
            concat!($op, $rounding, ".ftz.sat.f32") => |$($arg: f32),+| -> f32 {
                saturate(flush::$f($($arg,)+ Rounding::$mode))
            }
        }
    };
}

const ROUNDED: [&[&[Row]]; 8] = [
    rounded!("add" | a, b | add),
    rounded!("sub" | a, b | sub),
    rounded!("mul" | a, b | mul),
    rounded!("fma" | a, b, c | fma),
    rounded!("mad" | a, b, c | fma),
    rounded!("div" | a, b | div),
    rounded!("sqrt" | a | sqrt),
    rounded!("rcp" | a | reciprocal),
];

const SATURATED: [&[&[Row]]; 5] = [
    saturated!("add" | a, b | add),
    saturated!("sub" | a, b | sub),
    saturated!("mul" | a, b | mul),
    saturated!("fma" | a, b, c | fma),
    saturated!("mad" | a, b, c | fma),
];

/// Without a rounding, `add`, `sub` and `mul` round to nearest.
const UNROUNDED: &[&[Row]] = &[
    rounded!("add", "", Nearest, |a, b| add),
    rounded!("sub", "", Nearest, |a, b| sub),
    rounded!("mul", "", Nearest, |a, b| mul),
    saturated!("add", "", Nearest, |a, b| add),
    saturated!("sub", "", Nearest, |a, b| sub),
    saturated!("mul", "", Nearest, |a, b| mul),
];

macro_rules! with_and_without_ftz {
    ($($op:literal |$($arg:ident),+| $body:expr;)+) => {
        &[$(rare_rows! {
            concat!($op, ".f32") => |$($arg: f32),+| -> f32 { $body }
            concat!($op, ".ftz.f32") => |$($arg: f32),+| -> f32 {
                $(let $arg = flush($arg);)+
                flush($body)
            }
        }),+]
    };
}

const SINGLE: &[&[Row]] = with_and_without_ftz! {
    "rcp.approx" |a| canonical(1.0 / a);
    "sqrt.approx" |a| canonical(a.sqrt());
    "rsqrt.approx" |a| canonical((1.0 / f64::from(a).sqrt()) as f32);
    "ex2.approx" |a| canonical(f64::from(a).exp2() as f32);
    "lg2.approx" |a| canonical(f64::from(a).log2() as f32);
    "sin.approx" |a| canonical(f64::from(a).sin() as f32);
    "cos.approx" |a| canonical(f64::from(a).cos() as f32);
    "abs" |a| canonical(a.abs());
    "neg" |a| canonical(-a);
    "min" |a, b| canonical(minimum(a, b));
    "max" |a, b| canonical(-minimum(-a, -b));
};

const QUOTIENTS: &[Row] = rare_rows! {
    "div.full.f32" => |a: f32, b: f32| -> f32 { canonical(a / b) }
    "div.full.ftz.f32" => |a: f32, b: f32| -> f32 { canonical(flush::div(a, b, Rounding::Nearest)) }
    "div.approx.f32" => |a: f32, b: f32| -> f32 {
        canonical(for_large_divisor(a, b).unwrap_or_else(|| a / b))
    }
    "div.approx.ftz.f32" => |a: f32, b: f32| -> f32 {
        let quotient = for_large_divisor(flush(a), b);
        canonical(quotient.unwrap_or_else(|| flush::div(a, b, Rounding::Nearest)))
    }
};

/// Minimum and maximum that are NaN where an operand is.
const NAN_WINS: &[Row] = rare_rows! {
    "min.NaN.f32" => |a: f32, b: f32| -> f32 { or_nan(a, b, minimum(a, b)) }
    "max.NaN.f32" => |a: f32, b: f32| -> f32 { or_nan(a, b, -minimum(-a, -b)) }
    "min.ftz.NaN.f32" => |a: f32, b: f32| -> f32 { or_nan(a, b, minimum(flush(a), flush(b))) }
    "max.ftz.NaN.f32" => |a: f32, b: f32| -> f32 { or_nan(a, b, -minimum(-flush(a), -flush(b))) }
};

#[inline]
fn or_nan(a: f32, b: f32, otherwise: f32) -> f32 {
    if a.is_nan() || b.is_nan() {
        canonical(f32::NAN)
    } else {
        otherwise
    }
}

/// The smaller one; the other one where one is NaN; minus zero is smaller than zero.
#[inline]
fn minimum(a: f32, b: f32) -> f32 {
    let zero_below = a == b && b.is_sign_negative();
    if a.is_nan() || b < a || zero_below {
        b
    } else {
        a
    }
}

#[inline]
fn minimum64(a: f64, b: f64) -> f64 {
    let zero_below = a == b && b.is_sign_negative();
    if a.is_nan() || b < a || zero_below {
        b
    } else {
        a
    }
}

const DOUBLE: &[Row] = rows! {
    "add.f64" => |a: f64, b: f64| -> f64 { propagate(a + b, [a, b]) }
    "add.rn.f64" => |a: f64, b: f64| -> f64 { propagate(a + b, [a, b]) }
    "sub.f64" => |a: f64, b: f64| -> f64 { propagate(a - b, [a, b]) }
    "sub.rn.f64" => |a: f64, b: f64| -> f64 { propagate(a - b, [a, b]) }
    "mul.f64" => |a: f64, b: f64| -> f64 { propagate(a * b, [a, b]) }
    "mul.rn.f64" => |a: f64, b: f64| -> f64 { propagate(a * b, [a, b]) }
    "fma.rn.f64" => |a: f64, b: f64, c: f64| -> f64 { propagate(a.mul_add(b, c), [a, c, b]) }
    "mad.rn.f64" => |a: f64, b: f64, c: f64| -> f64 { propagate(a.mul_add(b, c), [a, c, b]) }
    "div.rn.f64" => |a: f64, b: f64| -> f64 { propagate(a / b, [b, a]) }
    "rcp.rn.f64" => |a: f64| -> f64 { propagate(1.0 / a, [a]) }
    "sqrt.rn.f64" => |a: f64| -> f64 { propagate(a.sqrt(), [a]) }
    "abs.f64" => |a: f64| -> f64 { propagate(a.abs(), [a]) }
    "neg.f64" => |a: f64| -> f64 { propagate(-a, [a]) }
    "min.f64" => |a: f64, b: f64| -> f64 { propagate(minimum64(a, b), [a, b]) }
    "max.f64" => |a: f64, b: f64| -> f64 { propagate(-minimum64(-a, -b), [a, b]) }
    "copysign.f32" => |a: f32, b: f32| -> f32 { b.copysign(a) }
    "copysign.f64" => |a: f64, b: f64| -> f64 { b.copysign(a) }
};

pub(super) const ROWS: &[&[&[Row]]] = &[
    &[DOUBLE, NAN_WINS, QUOTIENTS],
    UNROUNDED,
    SINGLE,
    ROUNDED[0],
    ROUNDED[1],
    ROUNDED[2],
    ROUNDED[3],
    ROUNDED[4],
    ROUNDED[5],
    ROUNDED[6],
    ROUNDED[7],
    SATURATED[0],
    SATURATED[1],
    SATURATED[2],
    SATURATED[3],
    SATURATED[4],
];
