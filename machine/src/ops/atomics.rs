//! What atomics and reductions do to one value in memory.
//!
//! Source: PTX ISA, `atom`, `red` and `redux.sync`.

use super::float::{canonical, last_nan, propagate};
use super::flush::flush;
use crate::ptx::types::Type;

/// One atomic operation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AtomicRow {
    /// Operation and type.
    pub(crate) name: &'static str,
    pub(crate) ty: Type,
    /// Operands after the address: 1, or 2 for `cas`.
    pub(crate) operands: usize,
    /// The new value, from the old one and the operands.
    pub(crate) apply: Apply,
    /// The same in global memory.
    pub(crate) apply_global: Apply,
}

type Apply = fn(u64, u64, u64) -> u64;

/// The row of an operation such as `add.u32`.
pub(crate) fn atomic(name: &str) -> Option<&'static AtomicRow> {
    rows().find(|row| row.name == name)
}

macro_rules! atomics {
    ($($name:literal $ty:ident |$old:ident: $t:ty, $b:ident $(, $c:ident)?| $body:expr;)+) => {
        &[$(AtomicRow {
            name: $name,
            ty: Type::$ty,
            operands: 1 $(+ { stringify!($c); 1 })?,
            apply: atomics!(apply |$old: $t, $b $(, $c)?| $body),
            apply_global: atomics!(apply |$old: $t, $b $(, $c)?| $body),
        }),+]
    };
    (apply |$old:ident: $t:ty, $b:ident $(, $c:ident)?| $body:expr) => {
        |old, b, c| {
            let ($old, $b) = (old as $t, b as $t);
            $(let $c = c as $t;)?
            let _ = c;
            ($body) as u64
        }
    };
}

/// Every row.
pub(crate) fn rows() -> impl Iterator<Item = &'static AtomicRow> {
    ROWS.iter().chain(&FLOATS)
}

/// Floats add up in the units of L2, which differ from those of a multiprocessor.
const FLOATS: [AtomicRow; 2] = [
    AtomicRow {
        name: "add.f32",
        ty: Type::F32,
        operands: 1,
        apply: |old, b, _| {
            let [old, b] = [old, b].map(|bits| f32::from_bits(bits as u32));
            canonical(old + b).to_bits().into()
        },
        apply_global: |old, b, _| {
            let [old, b] = [old, b].map(|bits| flush(f32::from_bits(bits as u32)));
            canonical(flush(old + b)).to_bits().into()
        },
    },
    AtomicRow {
        name: "add.f64",
        ty: Type::F64,
        operands: 1,
        apply: |old, b, _| {
            let [old, b] = [old, b].map(f64::from_bits);
            propagate(b + old, [b, old]).to_bits()
        },
        apply_global: |old, b, _| {
            let [old, b] = [old, b].map(f64::from_bits);
            last_nan([old, b]).unwrap_or_else(|| propagate(b + old, []).to_bits())
        },
    },
];

const ROWS: &[AtomicRow] = atomics! {
    "add.u32" U32 |old: u32, b| old.wrapping_add(b);
    "add.s32" S32 |old: u32, b| old.wrapping_add(b);
    "add.u64" U64 |old: u64, b| old.wrapping_add(b);
    "min.u32" U32 |old: u32, b| old.min(b);
    "max.u32" U32 |old: u32, b| old.max(b);
    "min.s32" S32 |old: i32, b| old.min(b) as u32;
    "max.s32" S32 |old: i32, b| old.max(b) as u32;
    "min.u64" U64 |old: u64, b| old.min(b);
    "max.u64" U64 |old: u64, b| old.max(b);
    "min.s64" S64 |old: i64, b| old.min(b);
    "max.s64" S64 |old: i64, b| old.max(b);
    // Counts up to b and starts again at 0.
    "inc.u32" U32 |old: u32, b| if old >= b { 0 } else { old + 1 };
    // Counts down from b and starts again there.
    "dec.u32" U32 |old: u32, b| if old == 0 || old > b { b } else { old - 1 };
    "and.b32" B32 |old: u32, b| old & b;
    "or.b32" B32 |old: u32, b| old | b;
    "xor.b32" B32 |old: u32, b| old ^ b;
    "and.b64" B64 |old: u64, b| old & b;
    "or.b64" B64 |old: u64, b| old | b;
    "xor.b64" B64 |old: u64, b| old ^ b;
    "exch.b32" B32 |_old: u32, b| b;
    "exch.b64" B64 |_old: u64, b| b;
    "cas.b32" B32 |old: u32, b, c| if old == b { c } else { old };
    "cas.b64" B64 |old: u64, b, c| if old == b { c } else { old };
};

#[cfg(test)]
mod tests {
    use super::*;

    fn apply(name: &str, old: u64, b: u64, c: u64) -> u64 {
        (atomic(name).unwrap().apply)(old, b, c)
    }

    #[test]
    fn counters_wrap_where_they_are_told() {
        assert_eq!(
            [0, 1, 2, 3, 9].map(|old| apply("inc.u32", old, 3, 0)),
            [1, 2, 3, 0, 0]
        );
        assert_eq!(
            [0, 1, 2, 3, 9].map(|old| apply("dec.u32", old, 3, 0)),
            [3, 0, 1, 2, 3]
        );
    }

    #[test]
    fn narrow_results_have_zeros_above() {
        assert_eq!(
            apply("min.s32", 5, u64::from(-3i32 as u32), 0),
            u64::from(-3i32 as u32)
        );
        assert_eq!(apply("add.u32", u64::from(u32::MAX), 2, 0), 1);
        assert_eq!(
            apply(
                "add.f32",
                u64::from(1.5f32.to_bits()),
                u64::from(2.0f32.to_bits()),
                0
            ) as u32,
            3.5f32.to_bits()
        );
    }

    #[test]
    fn cas_takes_two_operands() {
        assert_eq!(atomic("cas.b32").unwrap().operands, 2);
        assert_eq!(apply("cas.b32", 7, 7, 9), 9);
        assert_eq!(apply("cas.b32", 8, 7, 9), 8);
        assert!(atomic("exch.b32").is_some_and(|row| row.operands == 1));
    }
}
