//! Integer arithmetic. Results wrap unless the opcode says `.sat`.
//!
//! Source: PTX ISA, "Integer Arithmetic Instructions" and "Extended-Precision Integer Arithmetic Instructions".

use super::{rare_rows, rows, Row};

/// Arithmetic that every integer type has: `$t` computes, `$w` holds a product of two.
macro_rules! every_type {
    ($($name:literal $t:ty, $w:ty, $bits:literal;)+) => {
        &[$(
            rows! {
                concat!("add.", $name) => Linear |a: $t, b: $t| -> $t { a.wrapping_add(b) }
                concat!("sub.", $name) => Linear |a: $t, b: $t| -> $t { a.wrapping_sub(b) }
                concat!("mul.lo.", $name) => Product |a: $t, b: $t| -> $t { a.wrapping_mul(b) }
                concat!("mad.lo.", $name) => Product |a: $t, b: $t, c: $t| -> $t {
                    a.wrapping_mul(b).wrapping_add(c)
                }
                concat!("min.", $name) => |a: $t, b: $t| -> $t { a.min(b) }
                concat!("max.", $name) => |a: $t, b: $t| -> $t { a.max(b) }
            },
            rare_rows! {
                concat!("mul.hi.", $name) => |a: $t, b: $t| -> $t {
                    (<$w>::from(a) * <$w>::from(b) >> $bits) as $t
                }
                concat!("mad.hi.", $name) => |a: $t, b: $t, c: $t| -> $t {
                    ((<$w>::from(a) * <$w>::from(b) >> $bits) as $t).wrapping_add(c)
                }
                // PTX leaves the result of a division by zero open. An H200 gives all ones, for both.
                concat!("div.", $name) => |a: $t, b: $t| -> $t { if b == 0 { !0 } else { a.wrapping_div(b) } }
                concat!("rem.", $name) => |a: $t, b: $t| -> $t { if b == 0 { !0 } else { a.wrapping_rem(b) } }
                concat!("sad.", $name) => |a: $t, b: $t, c: $t| -> $t {
                    let distance = if a < b { b.wrapping_sub(a) } else { a.wrapping_sub(b) };
                    distance.wrapping_add(c)
                }
            },
        )+]
    };
}

const EVERY_TYPE: &[&[Row]] = every_type! {
    "u16" u16, u32, 16;
    "s16" i16, i32, 16;
    "u32" u32, u64, 32;
    "s32" i32, i64, 32;
    "u64" u64, u128, 64;
    "s64" i64, i128, 64;
};

const SIGNED: &[Row] = rows! {
    "abs.s16" => |a: i16| -> i16 { a.wrapping_abs() }
    "abs.s32" => |a: i32| -> i32 { a.wrapping_abs() }
    "abs.s64" => |a: i64| -> i64 { a.wrapping_abs() }
    "neg.s16" => Linear |a: i16| -> i16 { a.wrapping_neg() }
    "neg.s32" => Linear |a: i32| -> i32 { a.wrapping_neg() }
    "neg.s64" => Linear |a: i64| -> i64 { a.wrapping_neg() }
};

const SATURATING: &[Row] = rare_rows! {
    "add.sat.s32" => |a: i32, b: i32| -> i32 { a.saturating_add(b) }
    "sub.sat.s32" => |a: i32, b: i32| -> i32 { a.saturating_sub(b) }
    "mad.hi.sat.s32" => |a: i32, b: i32, c: i32| -> i32 {
        (((i64::from(a) * i64::from(b)) >> 32) as i32).saturating_add(c)
    }
};

const WIDE: &[Row] = rows! {
    "mul.wide.u16" => Widening |a: u16, b: u16| -> u32 { u32::from(a) * u32::from(b) }
    "mul.wide.s16" => Widening |a: i16, b: i16| -> i32 { i32::from(a) * i32::from(b) }
    "mul.wide.u32" => Widening |a: u32, b: u32| -> u64 { u64::from(a) * u64::from(b) }
    "mul.wide.s32" => Widening |a: i32, b: i32| -> i64 { i64::from(a) * i64::from(b) }
    "mad.wide.u16" => Widening |a: u16, b: u16, c: u32| -> u32 { (u32::from(a) * u32::from(b)).wrapping_add(c) }
    "mad.wide.s16" => Widening |a: i16, b: i16, c: i32| -> i32 { (i32::from(a) * i32::from(b)).wrapping_add(c) }
    "mad.wide.u32" => Widening |a: u32, b: u32, c: u64| -> u64 { (u64::from(a) * u64::from(b)).wrapping_add(c) }
    "mad.wide.s32" => Widening |a: i32, b: i32, c: i64| -> i64 { (i64::from(a) * i64::from(b)).wrapping_add(c) }
};

const NARROW: &[Row] = rare_rows! {
    "mul24.lo.u32" => |a: u32, b: u32| -> u32 { low24(a).wrapping_mul(low24(b)) }
    "mul24.lo.s32" => |a: i32, b: i32| -> i32 { low24s(a).wrapping_mul(low24s(b)) }
    "mul24.hi.u32" => |a: u32, b: u32| -> u32 { ((u64::from(low24(a)) * u64::from(low24(b))) >> 16) as u32 }
    "mul24.hi.s32" => |a: i32, b: i32| -> i32 { ((i64::from(low24s(a)) * i64::from(low24s(b))) >> 16) as i32 }
    "mad24.lo.u32" => |a: u32, b: u32, c: u32| -> u32 { low24(a).wrapping_mul(low24(b)).wrapping_add(c) }
    "mad24.lo.s32" => |a: i32, b: i32, c: i32| -> i32 { low24s(a).wrapping_mul(low24s(b)).wrapping_add(c) }
    "dp4a.u32.u32" => |a: u32, b: u32, c: u32| -> u32 {
        (0..4).fold(c, |sum, i| sum.wrapping_add((a >> (8 * i) & 255) * (b >> (8 * i) & 255)))
    }
    "dp4a.s32.s32" => |a: i32, b: i32, c: i32| -> i32 {
        (0..4).fold(c, |sum, i| sum.wrapping_add(i32::from((a >> (8 * i)) as i8) * i32::from((b >> (8 * i)) as i8)))
    }
};

/// Sums with the carry of the instruction before. `add.cc` and its kin are two rows each: the sum, and with
/// `#carry` what goes into the carry register. For a difference the carry register holds the borrow.
macro_rules! carry {
    ($($name:literal $t:ty, $w:ty, $bits:literal;)+) => {
        &[$(rare_rows! {
            concat!("add#carry.", $name) => |a: $t, b: $t| -> bool { a.checked_add(b).is_none() }
            concat!("addc.", $name) => |a: $t, b: $t, carry: bool| -> $t {
                a.wrapping_add(b).wrapping_add(carry.into())
            }
            concat!("addc#carry.", $name) => |a: $t, b: $t, carry: bool| -> bool {
                <$w>::from(a) + <$w>::from(b) + <$w>::from(carry) >> $bits != 0
            }
            concat!("sub#carry.", $name) => |a: $t, b: $t| -> bool { a < b }
            concat!("subc.", $name) => |a: $t, b: $t, borrow: bool| -> $t {
                a.wrapping_sub(b).wrapping_sub(borrow.into())
            }
            concat!("subc#carry.", $name) => |a: $t, b: $t, borrow: bool| -> bool {
                <$w>::from(a) < <$w>::from(b) + <$w>::from(borrow)
            }
        }),+]
    };
}

const CARRY: &[&[Row]] = carry! {
    "u32" u32, u64, 32;
    "s32" u32, u64, 32;
    "u64" u64, u128, 64;
    "s64" u64, u128, 64;
};

pub(super) const ROWS: &[&[&[Row]]] = &[&[SIGNED, SATURATING, WIDE, NARROW], EVERY_TYPE, CARRY];

fn low24(a: u32) -> u32 {
    a & 0xFF_FFFF
}

fn low24s(a: i32) -> i32 {
    a << 8 >> 8
}
