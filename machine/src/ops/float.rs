//! Floating-point arithmetic.
//!
//! Results that are NaN are the one canonical NaN, as on NVIDIA GPUs (`f32`: 0x7FFFFFFF). Instructions that
//! PTX calls approximate give the nearest value here, which is within the error that PTX allows; a GPU may
//! differ in the last bits. `f64` rounds to nearest only.
//!
//! Source: PTX ISA, "Floating Point Instructions".

use super::rounding::{add, div, fma, mul, sqrt, sub, Rounding};
use super::{rare_rows, rows, Row};

/// Subnormal numbers become zero of the same sign (`.ftz`).
#[inline]
pub(super) fn flush(a: f32) -> f32 {
    if a.abs() < f32::MIN_POSITIVE {
        0.0f32.copysign(a)
    } else {
        a
    }
}

/// Every NaN becomes the canonical one.
#[inline]
pub(super) fn canonical(a: f32) -> f32 {
    if a.is_nan() {
        f32::from_bits(0x7FFF_FFFF)
    } else {
        a
    }
}

/// The same for `f64`.
#[inline]
pub(super) fn canonical64(a: f64) -> f64 {
    if a.is_nan() {
        f64::from_bits(0xFFF8_0000_0000_0000)
    } else {
        a
    }
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

#[inline]
fn flush_saturate(a: f32) -> f32 {
    saturate(flush(a))
}

#[inline]
fn flush_canonical(a: f32) -> f32 {
    canonical(flush(a))
}

/// One opcode in one rounding or in all, with and without `.ftz`; `saturated` are those that may have `.sat`.
macro_rules! rounded {
    ($op:literal |$($arg:ident),+| $f:expr) => {
        &[
            rounded!($op, ".rn", Nearest, |$($arg),+| $f),
            rounded!($op, ".rz", Zero, |$($arg),+| $f),
            rounded!($op, ".rm", Down, |$($arg),+| $f),
            rounded!($op, ".rp", Up, |$($arg),+| $f),
        ]
    };
    ($op:literal, $rounding:literal, $mode:ident, |$($arg:ident),+| $f:expr) => {
        rare_rows! {
            concat!($op, $rounding, ".f32") => |$($arg: f32),+| -> f32 {
                canonical($f($($arg,)+ Rounding::$mode))
            }
            concat!($op, $rounding, ".ftz.f32") => |$($arg: f32),+| -> f32 {
                flush_canonical($f($(flush($arg),)+ Rounding::$mode))
            }
        }
    };
}

macro_rules! saturated {
    ($op:literal |$($arg:ident),+| $f:expr) => {
        &[
            saturated!($op, ".rn", Nearest, |$($arg),+| $f),
            saturated!($op, ".rz", Zero, |$($arg),+| $f),
            saturated!($op, ".rm", Down, |$($arg),+| $f),
            saturated!($op, ".rp", Up, |$($arg),+| $f),
        ]
    };
    ($op:literal, $rounding:literal, $mode:ident, |$($arg:ident),+| $f:expr) => {
        rare_rows! {
            concat!($op, $rounding, ".sat.f32") => |$($arg: f32),+| -> f32 {
                saturate($f($($arg,)+ Rounding::$mode))
            }
            concat!($op, $rounding, ".ftz.sat.f32") => |$($arg: f32),+| -> f32 {
                flush_saturate($f($(flush($arg),)+ Rounding::$mode))
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

#[inline]
fn reciprocal(a: f32, rounding: Rounding) -> f32 {
    div(1.0, a, rounding)
}

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
    "div.full" |a, b| canonical(a / b);
    "div.approx" |a, b| canonical(a / b);
    "rcp.approx" |a| canonical(1.0 / a);
    "sqrt.approx" |a| canonical(a.sqrt());
    "rsqrt.approx" |a| canonical((1.0 / f64::from(a).sqrt()) as f32);
    "ex2.approx" |a| canonical(f64::from(a).exp2() as f32);
    "lg2.approx" |a| canonical(f64::from(a).log2() as f32);
    "sin.approx" |a| canonical(f64::from(a).sin() as f32);
    "cos.approx" |a| canonical(f64::from(a).cos() as f32);
    "abs" |a| a.abs();
    "neg" |a| -a;
    "min" |a, b| canonical(minimum(a, b));
    "max" |a, b| canonical(-minimum(-a, -b));
};

/// The same, but NaN where an operand is.
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
    "add.f64" => |a: f64, b: f64| -> f64 { canonical64(a + b) }
    "add.rn.f64" => |a: f64, b: f64| -> f64 { canonical64(a + b) }
    "sub.f64" => |a: f64, b: f64| -> f64 { canonical64(a - b) }
    "sub.rn.f64" => |a: f64, b: f64| -> f64 { canonical64(a - b) }
    "mul.f64" => |a: f64, b: f64| -> f64 { canonical64(a * b) }
    "mul.rn.f64" => |a: f64, b: f64| -> f64 { canonical64(a * b) }
    "fma.rn.f64" => |a: f64, b: f64, c: f64| -> f64 { canonical64(a.mul_add(b, c)) }
    "mad.rn.f64" => |a: f64, b: f64, c: f64| -> f64 { canonical64(a.mul_add(b, c)) }
    "div.rn.f64" => |a: f64, b: f64| -> f64 { canonical64(a / b) }
    "rcp.rn.f64" => |a: f64| -> f64 { canonical64(1.0 / a) }
    "sqrt.rn.f64" => |a: f64| -> f64 { canonical64(a.sqrt()) }
    "abs.f64" => |a: f64| -> f64 { a.abs() }
    "neg.f64" => |a: f64| -> f64 { -a }
    "min.f64" => |a: f64, b: f64| -> f64 { canonical64(minimum64(a, b)) }
    "max.f64" => |a: f64, b: f64| -> f64 { canonical64(-minimum64(-a, -b)) }
    "copysign.f32" => |a: f32, b: f32| -> f32 { b.copysign(a) }
    "copysign.f64" => |a: f64, b: f64| -> f64 { b.copysign(a) }
};

pub(super) const ROWS: &[&[&[Row]]] = &[
    &[DOUBLE, NAN_WINS],
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
