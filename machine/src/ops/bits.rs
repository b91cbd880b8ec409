//! Logic, shifts, bit fields, bytes, moves.
//!
//! Source: PTX ISA, "Logic and Shift Instructions", "Integer Arithmetic Instructions" (`bfe`, `bfi`, `brev`,
//! `clz`, `popc`), "Data Movement and Conversion Instructions" (`mov`, `prmt`, `selp`).

use super::{rare_rows, rows, Row};

macro_rules! every_width {
    ($($name:literal $t:ty, $s:ty, $bits:literal, $u:literal, $i:literal;)+) => {
        &[$(rows! {
            concat!("and.", $name) => |a: $t, b: $t| -> $t { a & b }
            concat!("or.", $name) => |a: $t, b: $t| -> $t { a | b }
            concat!("xor.", $name) => |a: $t, b: $t| -> $t { a ^ b }
            concat!("not.", $name) => Linear |a: $t| -> $t { !a }
            concat!("cnot.", $name) => |a: $t| -> $t { (a == 0).into() }
            concat!("mov.", $name) => Linear |a: $t| -> $t { a }
            concat!("mov.", $u) => Linear |a: $t| -> $t { a }
            concat!("mov.", $i) => Linear |a: $s| -> $s { a }
            concat!("selp.", $name) => Linear |a: $t, b: $t, p: bool| -> $t { if p { a } else { b } }
            concat!("selp.", $u) => Linear |a: $t, b: $t, p: bool| -> $t { if p { a } else { b } }
            concat!("selp.", $i) => Linear |a: $s, b: $s, p: bool| -> $s { if p { a } else { b } }
            // Shift amounts past the width shift everything out.
            concat!("shl.", $name) => First |a: $t, n: u32| -> $t { a.checked_shl(n).unwrap_or(0) }
            concat!("shr.", $name) => |a: $t, n: u32| -> $t { a.checked_shr(n).unwrap_or(0) }
            concat!("shr.", $u) => |a: $t, n: u32| -> $t { a.checked_shr(n).unwrap_or(0) }
            concat!("shr.", $i) => |a: $s, n: u32| -> $s { a >> n.min($bits - 1) }
        }, rare_rows! {
            concat!("slct.", $name, ".s32") => |a: $t, b: $t, c: i32| -> $t { if c >= 0 { a } else { b } }
            concat!("slct.", $u, ".s32") => |a: $t, b: $t, c: i32| -> $t { if c >= 0 { a } else { b } }
            concat!("slct.", $i, ".s32") => |a: $s, b: $s, c: i32| -> $s { if c >= 0 { a } else { b } }
        },)+]
    };
}

const EVERY_WIDTH: &[&[Row]] = every_width! {
    "b16" u16, i16, 16, "u16", "s16";
    "b32" u32, i32, 32, "u32", "s32";
    "b64" u64, i64, 64, "u64", "s64";
};

const PREDICATES: &[Row] = rows! {
    "and.pred" => |a: bool, b: bool| -> bool { a & b }
    "or.pred" => |a: bool, b: bool| -> bool { a | b }
    "xor.pred" => |a: bool, b: bool| -> bool { a ^ b }
    "not.pred" => |a: bool| -> bool { !a }
    "mov.pred" => |a: bool| -> bool { a }
};

const FLOATS: &[Row] = rows! {
    "mov.f32" => |a: f32| -> f32 { a }
    "mov.f64" => |a: f64| -> f64 { a }
    "selp.f32" => |a: f32, b: f32, p: bool| -> f32 { if p { a } else { b } }
    "selp.f64" => |a: f64, b: f64, p: bool| -> f64 { if p { a } else { b } }
};

const SELECTS: &[Row] = rare_rows! {
    "pack4#b64" => |a: u16, b: u16, c: u16, d: u16| -> u64 {
        u64::from(a) | u64::from(b) << 16 | u64::from(c) << 32 | u64::from(d) << 48
    }
    "slct.f32.s32" => |a: f32, b: f32, c: i32| -> f32 { if c >= 0 { a } else { b } }
    "slct.f64.s32" => |a: f64, b: f64, c: i32| -> f64 { if c >= 0 { a } else { b } }
    // A NaN selects the second; minus zero counts as zero.
    "slct.b32.f32" => |a: u32, b: u32, c: f32| -> u32 { if c >= 0.0 { a } else { b } }
    "slct.u32.f32" => |a: u32, b: u32, c: f32| -> u32 { if c >= 0.0 { a } else { b } }
    "slct.s32.f32" => |a: i32, b: i32, c: f32| -> i32 { if c >= 0.0 { a } else { b } }
    "slct.f32.f32" => |a: f32, b: f32, c: f32| -> f32 { if c >= 0.0 { a } else { b } }
};

const COUNTS: &[Row] = rare_rows! {
    "popc.b32" => |a: u32| -> u32 { a.count_ones() }
    "popc.b64" => |a: u64| -> u32 { a.count_ones() }
    "clz.b32" => |a: u32| -> u32 { a.leading_zeros() }
    "clz.b64" => |a: u64| -> u32 { a.leading_zeros() }
    "brev.b32" => |a: u32| -> u32 { a.reverse_bits() }
    "brev.b64" => |a: u64| -> u64 { a.reverse_bits() }
    "bfind.u32" => |a: u32| -> u32 { highest(a.into()) }
    "bfind.u64" => |a: u64| -> u32 { highest(a) }
    // For a negative number: the highest bit that is not the sign's.
    "bfind.s32" => |a: i32| -> u32 { highest(u64::from((a ^ a >> 31) as u32)) }
    "bfind.s64" => |a: i64| -> u32 { highest((a ^ a >> 63) as u64) }
    "bfind.shiftamt.u32" => |a: u32| -> u32 { distance(highest(a.into()), 31) }
    "bfind.shiftamt.u64" => |a: u64| -> u32 { distance(highest(a), 63) }
    "bfind.shiftamt.s32" => |a: i32| -> u32 { distance(highest(u64::from((a ^ a >> 31) as u32)), 31) }
    "bfind.shiftamt.s64" => |a: i64| -> u32 { distance(highest((a ^ a >> 63) as u64), 63) }
};

const FIELDS: &[Row] = rare_rows! {
    "bfe.u32" => |a: u32, position: u32, length: u32| -> u32 { extract(a.into(), position, length, 32, false) as u32 }
    "bfe.s32" => |a: i32, position: u32, length: u32| -> i32 {
        extract(u64::from(a as u32), position, length, 32, true) as i32
    }
    "bfe.u64" => |a: u64, position: u32, length: u32| -> u64 { extract(a, position, length, 64, false) }
    "bfe.s64" => |a: i64, position: u32, length: u32| -> i64 { extract(a as u64, position, length, 64, true) as i64 }
    "bfi.b32" => |a: u32, b: u32, position: u32, length: u32| -> u32 {
        insert(a.into(), b.into(), position, length, 32) as u32
    }
    "bfi.b64" => |a: u64, b: u64, position: u32, length: u32| -> u64 { insert(a, b, position, length, 64) }
    "lop3.b32" => |a: u32, b: u32, c: u32, table: u32| -> u32 {
        // Bit i of the table says what becomes of the three bits that spell i.
        (0..8).filter(|i| table >> i & 1 == 1).fold(0, |result, i| {
            let pick = |bits: u32, place: u32| if i >> place & 1 == 1 { bits } else { !bits };
            result | pick(a, 2) & pick(b, 1) & pick(c, 0)
        })
    }
    "shf.l.wrap.b32" => |a: u32, b: u32, n: u32| -> u32 { funnel_left(a, b, n & 31) }
    "shf.l.clamp.b32" => |a: u32, b: u32, n: u32| -> u32 { funnel_left(a, b, n.min(32)) }
    "shf.r.wrap.b32" => |a: u32, b: u32, n: u32| -> u32 { funnel_right(a, b, n & 31) }
    "shf.r.clamp.b32" => |a: u32, b: u32, n: u32| -> u32 { funnel_right(a, b, n.min(32)) }
    "prmt.b32" => |a: u32, b: u32, selector: u32| -> u32 {
        permute(a, b, |i| selector >> (4 * i) & 15)
    }
    "prmt.b32.f4e" => |a: u32, b: u32, n: u32| -> u32 { permute(a, b, |i| (n & 3) + i) }
    "prmt.b32.b4e" => |a: u32, b: u32, n: u32| -> u32 { permute(a, b, |i| (n & 3).wrapping_sub(i) & 7) }
    "prmt.b32.rc8" => |a: u32, b: u32, n: u32| -> u32 { permute(a, b, |_| n & 3) }
    "prmt.b32.ecl" => |a: u32, b: u32, n: u32| -> u32 { permute(a, b, |i| i.max(n & 3)) }
    "prmt.b32.ecr" => |a: u32, b: u32, n: u32| -> u32 { permute(a, b, |i| i.min(n & 3)) }
    "prmt.b32.rc16" => |a: u32, b: u32, n: u32| -> u32 { permute(a, b, |i| (n & 1) * 2 + (i & 1)) }
};

/// The parts of `mov` with a vector in braces, and of operands wider or narrower than their type.
const PARTS: &[Row] = rows! {
    "pack#b32" => |low: u16, high: u16| -> u32 { u32::from(low) | u32::from(high) << 16 }
    "pack#b64" => |low: u32, high: u32| -> u64 { u64::from(low) | u64::from(high) << 32 }
    "part#b16.b32" => |a: u32, n: u32| -> u16 { (a >> (16 * (n & 1))) as u16 }
    "part#b16.b64" => |a: u64, n: u32| -> u16 { (a >> (16 * (n & 3))) as u16 }
    "part#b32.b64" => |a: u64, n: u32| -> u32 { (a >> (32 * (n & 1))) as u32 }
    "narrow#b16.b32" => Linear |a: u32| -> u16 { a as u16 }
    "narrow#b16.b64" => Linear |a: u64| -> u16 { a as u16 }
    "narrow#b32.b64" => Linear |a: u64| -> u32 { a as u32 }
    "widen#u32.u16" => Widening |a: u16| -> u32 { a.into() }
    "widen#u64.u16" => Widening |a: u16| -> u64 { a.into() }
    "widen#u64.u32" => Widening |a: u32| -> u64 { a.into() }
    "widen#s32.s16" => Widening |a: i16| -> i32 { a.into() }
    "widen#s64.s16" => Widening |a: i16| -> i64 { a.into() }
    "widen#s64.s32" => Widening |a: i32| -> i64 { a.into() }
};

pub(super) const ROWS: &[&[&[Row]]] = &[&[PREDICATES, FLOATS, SELECTS, COUNTS, FIELDS, PARTS], EVERY_WIDTH];

/// The place of the highest set bit; all ones when there is none.
fn highest(a: u64) -> u32 {
    63u32.wrapping_sub(a.leading_zeros())
}

fn distance(highest: u32, top: u32) -> u32 {
    if highest == u32::MAX {
        highest
    } else {
        top - highest
    }
}

/// The position or length of a bit field. PTX leaves those above 255 open; an H200 looks at their low 8 bits in
/// 32-bit fields, and takes them as they are in 64-bit ones.
fn field_operand(n: u32, width: u32) -> u32 {
    if width == 32 {
        n & 255
    } else {
        n.min(255)
    }
}

/// `bfe`: bits of `a` from `position`, `length` of them; above the field its sign or zeros.
fn extract(a: u64, position: u32, length: u32, width: u32, signed: bool) -> u64 {
    let [position, length] = [position, length].map(|n| field_operand(n, width));
    let top = width - 1;
    let bit = |n: u32| a >> n & 1;
    let sign = if !signed || length == 0 {
        0
    } else {
        bit((position + length - 1).min(top))
    };
    (0..width).fold(0, |field, i| {
        let taken = i < length && position + i <= top;
        field | (if taken { bit(position + i) } else { sign }) << i
    })
}

/// `bfi`: `b` with `length` low bits of `a` put in at `position`.
fn insert(a: u64, b: u64, position: u32, length: u32, width: u32) -> u64 {
    let [position, length] = [position, length].map(|n| field_operand(n, width));
    let ones = 1u64.checked_shl(length).map_or(u64::MAX, |bit| bit - 1);
    let field = ones.checked_shl(position).unwrap_or(0);
    b & !field | a.checked_shl(position).unwrap_or(0) & field
}

/// The upper half of `b:a` shifted left by up to 32.
fn funnel_left(a: u32, b: u32, n: u32) -> u32 {
    ((u64::from(b) << 32 | u64::from(a)) << n >> 32) as u32
}

/// The lower half of `b:a` shifted right by up to 32.
fn funnel_right(a: u32, b: u32, n: u32) -> u32 {
    ((u64::from(b) << 32 | u64::from(a)) >> n) as u32
}

/// Byte `i` of the result is the byte of `b:a` that `select` names in its three low bits; with its fourth
/// bit set, that byte's sign in all eight bits.
fn permute(a: u32, b: u32, select: impl Fn(u32) -> u32) -> u32 {
    let bytes = u64::from(b) << 32 | u64::from(a);
    (0..4).fold(0, |result, i| {
        let choice = select(i);
        let byte = (bytes >> (8 * (choice & 7))) as u8;
        let value = if choice & 8 == 0 {
            byte
        } else {
            (byte as i8 >> 7) as u8
        };
        result | u32::from(value) << (8 * i)
    })
}
