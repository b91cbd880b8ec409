//! Comparisons.
//!
//! Source: PTX ISA, "Comparison and Selection Instructions". Comparisons of floats are false when an operand
//! is NaN, except those whose name ends in `u`, and `ne`'s partner `neu`, which are true then.

use super::{rare_rows, rows, Row};

macro_rules! integers {
    ($($name:literal $t:ty;)+) => {
        &[$(rows! {
            concat!("setp.eq.", $name) => |a: $t, b: $t| -> bool { a == b }
            concat!("setp.ne.", $name) => |a: $t, b: $t| -> bool { a != b }
            concat!("setp.lt.", $name) => Ordered |a: $t, b: $t| -> bool { a < b }
            concat!("setp.le.", $name) => Ordered |a: $t, b: $t| -> bool { a <= b }
            concat!("setp.gt.", $name) => Ordered |a: $t, b: $t| -> bool { a > b }
            concat!("setp.ge.", $name) => Ordered |a: $t, b: $t| -> bool { a >= b }
        }),+]
    };
}

const INTEGERS: &[&[Row]] = integers! {
    "u16" u16;
    "s16" i16;
    "u32" u32;
    "s32" i32;
    "u64" u64;
    "s64" i64;
};

/// Names that only unsigned types and plain bits have.
macro_rules! unsigned {
    ($($u:literal $b:literal $t:ty;)+) => {
        &[$(rows! {
            concat!("setp.lo.", $u) => Ordered |a: $t, b: $t| -> bool { a < b }
            concat!("setp.ls.", $u) => Ordered |a: $t, b: $t| -> bool { a <= b }
            concat!("setp.hi.", $u) => Ordered |a: $t, b: $t| -> bool { a > b }
            concat!("setp.hs.", $u) => Ordered |a: $t, b: $t| -> bool { a >= b }
            concat!("setp.eq.", $b) => |a: $t, b: $t| -> bool { a == b }
            concat!("setp.ne.", $b) => |a: $t, b: $t| -> bool { a != b }
        }),+]
    };
}

const UNSIGNED: &[&[Row]] = unsigned! {
    "u16" "b16" u16;
    "u32" "b32" u32;
    "u64" "b64" u64;
};

macro_rules! floats {
    ($($name:literal $ftz:literal $t:ty, $in:expr;)+) => {
        &[$(rare_rows! {
            concat!("setp.eq", $ftz, $name) => |a: $t, b: $t| -> bool { $in(a) == $in(b) }
            concat!("setp.ne", $ftz, $name) => |a: $t, b: $t| -> bool {
                let (a, b) = ($in(a), $in(b));
                a < b || a > b
            }
            concat!("setp.lt", $ftz, $name) => |a: $t, b: $t| -> bool { $in(a) < $in(b) }
            concat!("setp.le", $ftz, $name) => |a: $t, b: $t| -> bool { $in(a) <= $in(b) }
            concat!("setp.gt", $ftz, $name) => |a: $t, b: $t| -> bool { $in(a) > $in(b) }
            concat!("setp.ge", $ftz, $name) => |a: $t, b: $t| -> bool { $in(a) >= $in(b) }
            concat!("setp.equ", $ftz, $name) => |a: $t, b: $t| -> bool {
                let (a, b) = ($in(a), $in(b));
                !(a < b || a > b)
            }
            concat!("setp.neu", $ftz, $name) => |a: $t, b: $t| -> bool { $in(a) != $in(b) }
            concat!("setp.ltu", $ftz, $name) => |a: $t, b: $t| -> bool { !($in(a) >= $in(b)) }
            concat!("setp.leu", $ftz, $name) => |a: $t, b: $t| -> bool { !($in(a) > $in(b)) }
            concat!("setp.gtu", $ftz, $name) => |a: $t, b: $t| -> bool { !($in(a) <= $in(b)) }
            concat!("setp.geu", $ftz, $name) => |a: $t, b: $t| -> bool { !($in(a) < $in(b)) }
            concat!("setp.num", $ftz, $name) => |a: $t, b: $t| -> bool { !a.is_nan() && !b.is_nan() }
            concat!("setp.nan", $ftz, $name) => |a: $t, b: $t| -> bool { a.is_nan() || b.is_nan() }
        }),+]
    };
}

// A NaN makes both `<` and `>` false and `!=` true: none of these can be simplified.
#[allow(clippy::neg_cmp_op_on_partial_ord, clippy::double_comparisons)]
const FLOATS: &[&[Row]] = floats! {
    "f32" "." f32, std::convert::identity;
    "f32" ".ftz." f32, super::flush::flush;
    "f64" "." f64, std::convert::identity;
};

const TESTS: &[Row] = rare_rows! {
    "testp.finite.f32" => |a: f32| -> bool { a.is_finite() }
    "testp.infinite.f32" => |a: f32| -> bool { a.is_infinite() }
    "testp.number.f32" => |a: f32| -> bool { !a.is_nan() }
    "testp.notanumber.f32" => |a: f32| -> bool { a.is_nan() }
    // Zero counts as normal.
    "testp.normal.f32" => |a: f32| -> bool { a.is_normal() || a == 0.0 }
    "testp.subnormal.f32" => |a: f32| -> bool { a.is_subnormal() }
    "testp.finite.f64" => |a: f64| -> bool { a.is_finite() }
    "testp.infinite.f64" => |a: f64| -> bool { a.is_infinite() }
    "testp.number.f64" => |a: f64| -> bool { !a.is_nan() }
    "testp.notanumber.f64" => |a: f64| -> bool { a.is_nan() }
    "testp.normal.f64" => |a: f64| -> bool { a.is_normal() || a == 0.0 }
    "testp.subnormal.f64" => |a: f64| -> bool { a.is_subnormal() }
};

/// Which state space a generic address lies in.
const SPACES: &[Row] = rare_rows! {
    "isspacep.global" => |a: u64| -> bool { crate::space::of_generic(a) == crate::space::MemorySpace::Global }
    "isspacep.shared" => |a: u64| -> bool { crate::space::of_generic(a) == crate::space::MemorySpace::Shared }
    "isspacep.local" => |a: u64| -> bool { crate::space::of_generic(a) == crate::space::MemorySpace::Local }
};

pub(super) const ROWS: &[&[&[Row]]] = &[&[TESTS, SPACES], INTEGERS, UNSIGNED, FLOATS];
