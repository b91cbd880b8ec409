//! Conversions between number types, and between generic addresses and those of a state space.
//!
//! Source: PTX ISA, `cvt` and `cvta`. A register wider than the source type is read modulo the type, and one
//! wider than the result type receives it extended by its sign; the decoder sees to both.

use super::float::{canonical, propagate, saturate};
use super::flush::{self, flush};
use super::rounding::{integer_f32, integer_f64, narrow, Rounding};
use super::{rare_rows, rows, Row};
use crate::space::{LOCAL_WINDOW, SHARED_WINDOW};

/// From one integer type to every other.
macro_rules! integers {
    ($($source:literal $s:ty;)+) => {
        &[$(rows! {
            concat!("cvt.u8.", $source) => Widening |a: $s| -> u8 { a as u8 }
            concat!("cvt.s8.", $source) => Widening |a: $s| -> i8 { a as i8 }
            concat!("cvt.u16.", $source) => Widening |a: $s| -> u16 { a as u16 }
            concat!("cvt.s16.", $source) => Widening |a: $s| -> i16 { a as i16 }
            concat!("cvt.u32.", $source) => Widening |a: $s| -> u32 { a as u32 }
            concat!("cvt.s32.", $source) => Widening |a: $s| -> i32 { a as i32 }
            concat!("cvt.u64.", $source) => Widening |a: $s| -> u64 { a as u64 }
            concat!("cvt.s64.", $source) => Widening |a: $s| -> i64 { a as i64 }
        }, rare_rows! {
            concat!("cvt.rn.f32.", $source) => |a: $s| -> f32 { a as f32 }
            concat!("cvt.rz.f32.", $source) => |a: $s| -> f32 { integer_f32(a.into(), Rounding::Zero) }
            concat!("cvt.rm.f32.", $source) => |a: $s| -> f32 { integer_f32(a.into(), Rounding::Down) }
            concat!("cvt.rp.f32.", $source) => |a: $s| -> f32 { integer_f32(a.into(), Rounding::Up) }
            concat!("cvt.rn.f64.", $source) => |a: $s| -> f64 { a as f64 }
            concat!("cvt.rz.f64.", $source) => |a: $s| -> f64 { integer_f64(a.into(), Rounding::Zero) }
            concat!("cvt.rm.f64.", $source) => |a: $s| -> f64 { integer_f64(a.into(), Rounding::Down) }
            concat!("cvt.rp.f64.", $source) => |a: $s| -> f64 { integer_f64(a.into(), Rounding::Up) }
        },)+]
    };
}

const INTEGERS: &[&[Row]] = integers! {
    "u8" u8;
    "s8" i8;
    "u16" u16;
    "s16" i16;
    "u32" u32;
    "s32" i32;
    "u64" u64;
    "s64" i64;
};

/// From one integer type to those that can not hold all of its values: `.sat` is legal nowhere else.
macro_rules! saturating {
    ($($source:literal $s:ty => $($name:literal $t:ty),+;)+) => {
        &[$(rare_rows! {
            $(concat!("cvt.sat.", $name, ".", $source) => |a: $s| -> $t {
                i128::from(a).clamp(<$t>::MIN.into(), <$t>::MAX.into()) as $t
            })+
        }),+]
    };
}

const SATURATING: &[&[Row]] = saturating! {
    "u8" u8 => "s8" i8;
    "s8" i8 => "u8" u8, "u16" u16, "u32" u32, "u64" u64;
    "u16" u16 => "u8" u8, "s8" i8, "s16" i16;
    "s16" i16 => "u8" u8, "s8" i8, "u16" u16, "u32" u32, "u64" u64;
    "u32" u32 => "u8" u8, "s8" i8, "u16" u16, "s16" i16, "s32" i32;
    "s32" i32 => "u8" u8, "s8" i8, "u16" u16, "s16" i16, "u32" u32, "u64" u64;
    "u64" u64 => "u8" u8, "s8" i8, "u16" u16, "s16" i16, "u32" u32, "s32" i32, "s64" i64;
    "s64" i64 => "u8" u8, "s8" i8, "u16" u16, "s16" i16, "u32" u32, "s32" i32, "u64" u64;
};

/// A conversion of anything but NaN.
macro_rules! or_nan {
    ($a:ident, $nan:expr, $value:expr) => {
        if $a.is_nan() {
            $nan
        } else {
            $value
        }
    };
}

/// From floats to one integer type, in all roundings. What does not fit becomes the nearest that does; NaN
/// becomes 0, or the highest bit alone where source or result has 64 bits.
macro_rules! to_integer {
    ($($name:literal $t:ty, $nan32:expr, $nan64:expr;)+) => {
        &[$(rare_rows! {
            concat!("cvt.rni.", $name, ".f32") => |a: f32| -> $t { or_nan!(a, $nan32, a.round_ties_even() as $t) }
            concat!("cvt.rzi.", $name, ".f32") => |a: f32| -> $t { or_nan!(a, $nan32, a as $t) }
            concat!("cvt.rmi.", $name, ".f32") => |a: f32| -> $t { or_nan!(a, $nan32, a.floor() as $t) }
            concat!("cvt.rpi.", $name, ".f32") => |a: f32| -> $t { or_nan!(a, $nan32, a.ceil() as $t) }
            concat!("cvt.rni.ftz.", $name, ".f32") => |a: f32| -> $t {
                or_nan!(a, $nan32, flush(a).round_ties_even() as $t)
            }
            concat!("cvt.rzi.ftz.", $name, ".f32") => |a: f32| -> $t { or_nan!(a, $nan32, flush(a) as $t) }
            concat!("cvt.rmi.ftz.", $name, ".f32") => |a: f32| -> $t { or_nan!(a, $nan32, flush(a).floor() as $t) }
            concat!("cvt.rpi.ftz.", $name, ".f32") => |a: f32| -> $t { or_nan!(a, $nan32, flush(a).ceil() as $t) }
            concat!("cvt.rni.", $name, ".f64") => |a: f64| -> $t { or_nan!(a, $nan64, a.round_ties_even() as $t) }
            concat!("cvt.rzi.", $name, ".f64") => |a: f64| -> $t { or_nan!(a, $nan64, a as $t) }
            concat!("cvt.rmi.", $name, ".f64") => |a: f64| -> $t { or_nan!(a, $nan64, a.floor() as $t) }
            concat!("cvt.rpi.", $name, ".f64") => |a: f64| -> $t { or_nan!(a, $nan64, a.ceil() as $t) }
        }),+]
    };
}

const TO_INTEGER: &[&[Row]] = to_integer! {
    "u8" u8, 0, 1 << 7;
    "s8" i8, 0, i8::MIN;
    "u16" u16, 0, 1 << 15;
    "s16" i16, 0, i16::MIN;
    "u32" u32, 0, 1 << 31;
    "s32" i32, 0, i32::MIN;
    "u64" u64, 1 << 63, 1 << 63;
    "s64" i64, i64::MIN, i64::MIN;
};

/// An `f32` as `f64`; a NaN keeps its sign and its bits, and is quiet.
#[inline]
fn widened(a: f32) -> f64 {
    let bits = u64::from(a.to_bits());
    let nan = bits >> 31 << 63 | 0x7FF8 << 48 | (bits & 0x7F_FFFF) << 29;
    or_nan!(a, f64::from_bits(nan), a.into())
}

/// An `f64` as `f32`; a NaN keeps its sign and its upper bits, and is quiet.
#[inline]
fn narrowed(a: f64, narrow: impl Fn(f64) -> f32) -> f32 {
    let bits = a.to_bits();
    let nan = (bits >> 63 << 31) as u32 | 0x7FC0_0000 | (bits >> 29) as u32 & 0x7F_FFFF;
    or_nan!(a, f32::from_bits(nan), narrow(a))
}

const FLOATS: &[Row] = rare_rows! {
    "cvt.f64.f32" => |a: f32| -> f64 { widened(a) }
    "cvt.ftz.f64.f32" => |a: f32| -> f64 { widened(canonical(flush(a))) }
    "cvt.rn.f32.f64" => |a: f64| -> f32 { narrowed(a, |a| narrow(a, Rounding::Nearest)) }
    "cvt.rz.f32.f64" => |a: f64| -> f32 { narrowed(a, |a| narrow(a, Rounding::Zero)) }
    "cvt.rm.f32.f64" => |a: f64| -> f32 { narrowed(a, |a| narrow(a, Rounding::Down)) }
    "cvt.rp.f32.f64" => |a: f64| -> f32 { narrowed(a, |a| narrow(a, Rounding::Up)) }
    "cvt.rn.ftz.f32.f64" => |a: f64| -> f32 { narrowed(a, |a| flush::narrow(a, Rounding::Nearest)) }
    "cvt.rn.sat.f32.f64" => |a: f64| -> f32 { saturate(narrow(a, Rounding::Nearest)) }
    "cvt.f32.f32" => |a: f32| -> f32 { a }
    "cvt.ftz.f32.f32" => |a: f32| -> f32 { canonical(flush(a)) }
    "cvt.sat.f32.f32" => |a: f32| -> f32 { saturate(a) }
    "cvt.ftz.sat.f32.f32" => |a: f32| -> f32 { saturate(flush(a)) }
    "cvt.rni.f32.f32" => |a: f32| -> f32 { canonical(a.round_ties_even()) }
    "cvt.rzi.f32.f32" => |a: f32| -> f32 { canonical(a.trunc()) }
    "cvt.rmi.f32.f32" => |a: f32| -> f32 { canonical(a.floor()) }
    "cvt.rpi.f32.f32" => |a: f32| -> f32 { canonical(a.ceil()) }
    "cvt.rni.ftz.f32.f32" => |a: f32| -> f32 { canonical(flush(a).round_ties_even()) }
    "cvt.rzi.ftz.f32.f32" => |a: f32| -> f32 { canonical(flush(a).trunc()) }
    "cvt.rmi.ftz.f32.f32" => |a: f32| -> f32 { canonical(flush(a).floor()) }
    "cvt.rpi.ftz.f32.f32" => |a: f32| -> f32 { canonical(flush(a).ceil()) }
    "cvt.rni.sat.f32.f32" => |a: f32| -> f32 { saturate(a.round_ties_even()) }
    "cvt.rni.ftz.sat.f32.f32" => |a: f32| -> f32 { saturate(flush(a).round_ties_even()) }
    "cvt.rzi.sat.f32.f32" => |a: f32| -> f32 { saturate(a.trunc()) }
    "cvt.rzi.ftz.sat.f32.f32" => |a: f32| -> f32 { saturate(flush(a).trunc()) }
    "cvt.rmi.sat.f32.f32" => |a: f32| -> f32 { saturate(a.floor()) }
    "cvt.rmi.ftz.sat.f32.f32" => |a: f32| -> f32 { saturate(flush(a).floor()) }
    "cvt.rpi.sat.f32.f32" => |a: f32| -> f32 { saturate(a.ceil()) }
    "cvt.rpi.ftz.sat.f32.f32" => |a: f32| -> f32 { saturate(flush(a).ceil()) }
    "cvt.f64.f64" => |a: f64| -> f64 { a }
    "cvt.rni.f64.f64" => |a: f64| -> f64 { propagate(a.round_ties_even(), [a]) }
    "cvt.rzi.f64.f64" => |a: f64| -> f64 { propagate(a.trunc(), [a]) }
    "cvt.rmi.f64.f64" => |a: f64| -> f64 { propagate(a.floor(), [a]) }
    "cvt.rpi.f64.f64" => |a: f64| -> f64 { propagate(a.ceil(), [a]) }
};

/// Global and constant addresses are generic addresses; shared and local ones are offsets in a window.
const ADDRESSES: &[Row] = rows! {
    "cvta.global.u64" => Linear |a: u64| -> u64 { a }
    "cvta.const.u64" => Linear |a: u64| -> u64 { a }
    "cvta.shared.u64" => Linear |a: u64| -> u64 { a.wrapping_add(SHARED_WINDOW) }
    "cvta.local.u64" => Linear |a: u64| -> u64 { a.wrapping_add(LOCAL_WINDOW) }
    "cvta.to.global.u64" => Linear |a: u64| -> u64 { a }
    "cvta.to.const.u64" => Linear |a: u64| -> u64 { a }
    "cvta.to.shared.u64" => Linear |a: u64| -> u64 { a.wrapping_sub(SHARED_WINDOW) }
    "cvta.to.local.u64" => Linear |a: u64| -> u64 { a.wrapping_sub(LOCAL_WINDOW) }
};

pub(super) const ROWS: &[&[&[Row]]] = &[&[FLOATS, ADDRESSES], INTEGERS, SATURATING, TO_INTEGER];
