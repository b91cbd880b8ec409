//! The table of opcodes.
//!
//! One row serves reading, checking, execution and printing: the name as PTX writes it, and a function of one
//! lane whose types are the operand types. `"shr.s32" |a: i32, n: u32| -> i32 { … }` is all there is to say
//! about an instruction that works on each lane by itself. Instructions that touch memory, other lanes or the
//! flow of control have decoders of their own, in `decode`.

pub(crate) mod atomics;
mod bits;
mod compare;
mod convert;
mod float;
mod flush;
mod integer;
pub(crate) mod rounding;

#[cfg(test)]
mod tests;

use crate::lanes::LaneMask;
use crate::ptx::types::Type;
use crate::registers::{Lane, Register, Registers};
use std::collections::HashMap;
use std::sync::LazyLock;

/// The registers of one instruction: where the result goes, where the sources are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Fields {
    pub(crate) dst: Register,
    pub(crate) src: [Register; 4],
}

/// Executes one instruction on the lanes of a mask.
pub(crate) type Execute = fn(&mut Registers, &Fields, LaneMask);

/// One opcode of the table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    /// The opcode with its modifiers; names with `#` are parts of other instructions and can not be written.
    pub(crate) name: &'static str,
    /// The type of the result.
    pub(crate) dst: Type,
    /// The types of the sources.
    pub(crate) src: &'static [Type],
    /// What it does.
    pub(crate) execute: Execute,
}

impl Row {
    /// True for opcodes that move bits about: their operands need the right width only.
    pub(crate) fn is_untyped(&self) -> bool {
        self.name
            .rsplit('.')
            .next()
            .and_then(Type::named)
            .is_some_and(Type::is_bits)
    }
}

/// The row of an opcode.
pub(crate) fn row(name: &str) -> Option<&'static Row> {
    static ROWS: LazyLock<HashMap<&'static str, Row>> =
        LazyLock::new(|| tables().flatten().map(|row| (row.name, *row)).collect());
    ROWS.get(name)
}

/// Every row, by kind.
pub(crate) fn tables() -> impl Iterator<Item = &'static [Row]> {
    let files = [
        integer::ROWS,
        bits::ROWS,
        compare::ROWS,
        convert::ROWS,
        float::ROWS,
    ];
    files.into_iter().flatten().copied().flatten().copied()
}

/// What an instruction makes of registers held as spans, on a full warp. Where all sources are uniform, so is
/// the result, and one lane is computed; the rest is for sources whose lanes go up in equal steps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Shape {
    /// Nothing.
    Plain,
    /// The result goes up in equal steps when the sources do: sums, differences, moves.
    Linear,
    /// The same while only one of the first two sources varies: products.
    Product,
    /// The same while only the first source varies: shifts to the left.
    First,
    /// As `Product`, for results wider than their sources: the sources must not wrap around.
    Widening,
    /// Comparisons by size: true or false in all lanes when the same in the first and the last, for sources
    /// that do not wrap around.
    Ordered,
}

/// Rows of one table. The types of the closure are the types of the operands; a word before it is the
/// [`Shape`]. Each row gets a loop over the lanes of its own, compiled to vector instructions.
macro_rules! rows {
    ($($name:expr => $($shape:ident)? |$($arg:ident: $A:ty),*| -> $D:ty $body:block)+) => {
        &[$($crate::ops::Row {
            name: $name,
            dst: <$D as $crate::registers::Lane>::TYPE,
            src: &[$(<$A as $crate::registers::Lane>::TYPE),*],
            execute: |r, f, mask| {
                let shape = $crate::ops::shape!($($shape)?);
                $crate::ops::by_arity!(common $($A),*)(r, f, mask, shape, |$($arg: $A),*| {
                    let result: $D = $body;
                    result
                })
            },
        }),+]
    };
}
pub(crate) use rows;

/// Rows that few kernels use: they share a loop that calls a function for each lane. Slower, and a tenth of
/// the code.
macro_rules! rare_rows {
    ($($name:expr => |$($arg:ident: $A:ty),*| -> $D:ty $body:block)+) => {
        &[$($crate::ops::Row {
            name: $name,
            dst: <$D as $crate::registers::Lane>::TYPE,
            src: &[$(<$A as $crate::registers::Lane>::TYPE),*],
            execute: |r, f, mask| {
                $crate::ops::by_arity!(rare $($A),*)(r, f, mask, |$($arg: $A),*| {
                    let result: $D = $body;
                    result
                })
            },
        }),+]
    };
}
pub(crate) use rare_rows;

macro_rules! shape {
    () => {
        $crate::ops::Shape::Plain
    };
    ($shape:ident) => {
        $crate::ops::Shape::$shape
    };
}
pub(crate) use shape;

macro_rules! by_arity {
    (common $a:ty) => {
        $crate::ops::unary
    };
    (common $a:ty, $b:ty) => {
        $crate::ops::binary
    };
    (common $a:ty, $b:ty, $c:ty) => {
        $crate::ops::ternary
    };
    (rare $a:ty) => {
        $crate::ops::rare_unary
    };
    (rare $a:ty, $b:ty) => {
        $crate::ops::rare_binary
    };
    (rare $a:ty, $b:ty, $c:ty) => {
        $crate::ops::rare_ternary
    };
    (rare $a:ty, $b:ty, $c:ty, $d:ty) => {
        $crate::ops::rare_quaternary
    };
}
pub(crate) use by_arity;

impl Shape {
    /// True where two lanes of the result give all the others, and the last one need not be looked at.
    #[inline(always)]
    fn is_exact(self) -> bool {
        matches!(self, Shape::Linear | Shape::Product | Shape::First)
    }

    /// True when the result of sources that vary as said, and are steady or not, goes up in equal steps.
    #[inline(always)]
    fn holds(self, varies: [bool; 3], steady: impl FnOnce() -> bool) -> bool {
        let [a, b, c] = varies;
        match self {
            Shape::Plain => false,
            Shape::Linear => true,
            Shape::Product => !(a && b),
            Shape::First => !b && !c,
            Shape::Widening => !(a && b) && steady(),
            Shape::Ordered => steady(),
        }
    }
}

#[inline(always)]
fn unary<A: Lane, D: Lane>(r: &mut Registers, f: &Fields, mask: LaneMask, shape: Shape, op: impl Fn(A) -> D) {
    if mask.is_full() {
        if let Some(a) = A::span(r, f.src[0]) {
            if a.uniform {
                return D::fill(r, f.dst, op(a.first));
            }
            if shape.holds([true, false, false], || a.is_steady()) {
                let (first, second) = (op(a.first), op(a.second));
                if shape.is_exact() {
                    return D::rise(r, f.dst, first, second);
                }
                if D::spread(r, f.dst, [first, second, op(a.last)]) {
                    return;
                }
            }
        }
    }
    A::settle(r, f.src[0]);
    let a = A::lanes(r, f.src[0]);
    let result = D::collect(|lane| op(A::get(a, lane)));
    D::write(r, f.dst, &result, mask);
}

#[inline(always)]
fn binary<A: Lane, B: Lane, D: Lane>(
    r: &mut Registers,
    f: &Fields,
    mask: LaneMask,
    shape: Shape,
    op: impl Fn(A, B) -> D,
) {
    if mask.is_full() {
        if let (Some(a), Some(b)) = (A::span(r, f.src[0]), B::span(r, f.src[1])) {
            if a.uniform && b.uniform {
                return D::fill(r, f.dst, op(a.first, b.first));
            }
            if shape.holds([!a.uniform, !b.uniform, false], || a.is_steady() && b.is_steady()) {
                let (first, second) = (op(a.first, b.first), op(a.second, b.second));
                if shape.is_exact() {
                    return D::rise(r, f.dst, first, second);
                }
                if D::spread(r, f.dst, [first, second, op(a.last, b.last)]) {
                    return;
                }
            }
        }
    }
    A::settle(r, f.src[0]);
    B::settle(r, f.src[1]);
    let (a, b) = (A::lanes(r, f.src[0]), B::lanes(r, f.src[1]));
    let result = D::collect(|lane| op(A::get(a, lane), B::get(b, lane)));
    D::write(r, f.dst, &result, mask);
}

#[inline(always)]
fn ternary<A: Lane, B: Lane, C: Lane, D: Lane>(
    r: &mut Registers,
    f: &Fields,
    mask: LaneMask,
    shape: Shape,
    op: impl Fn(A, B, C) -> D,
) {
    if mask.is_full() {
        if let (Some(a), Some(b), Some(c)) =
            (A::span(r, f.src[0]), B::span(r, f.src[1]), C::span(r, f.src[2]))
        {
            if a.uniform && b.uniform && c.uniform {
                return D::fill(r, f.dst, op(a.first, b.first, c.first));
            }
            // The third source of a `Widening` row is as wide as the result, and may wrap around with it.
            if shape.holds([!a.uniform, !b.uniform, !c.uniform], || {
                a.is_steady() && b.is_steady()
            }) {
                let (first, second) = (op(a.first, b.first, c.first), op(a.second, b.second, c.second));
                if shape.is_exact() {
                    return D::rise(r, f.dst, first, second);
                }
                if D::spread(r, f.dst, [first, second, op(a.last, b.last, c.last)]) {
                    return;
                }
            }
        }
    }
    A::settle(r, f.src[0]);
    B::settle(r, f.src[1]);
    C::settle(r, f.src[2]);
    let (a, b, c) = (
        A::lanes(r, f.src[0]),
        B::lanes(r, f.src[1]),
        C::lanes(r, f.src[2]),
    );
    let result = D::collect(|lane| op(A::get(a, lane), B::get(b, lane), C::get(c, lane)));
    D::write(r, f.dst, &result, mask);
}

#[inline(never)]
fn rare_unary<A: Lane, D: Lane>(r: &mut Registers, f: &Fields, mask: LaneMask, op: fn(A) -> D) {
    unary(r, f, mask, Shape::Plain, op);
}

#[inline(never)]
fn rare_binary<A: Lane, B: Lane, D: Lane>(r: &mut Registers, f: &Fields, mask: LaneMask, op: fn(A, B) -> D) {
    binary(r, f, mask, Shape::Plain, op);
}

#[inline(never)]
fn rare_ternary<A: Lane, B: Lane, C: Lane, D: Lane>(
    r: &mut Registers,
    f: &Fields,
    mask: LaneMask,
    op: fn(A, B, C) -> D,
) {
    ternary(r, f, mask, Shape::Plain, op);
}

#[inline(never)]
fn rare_quaternary<A: Lane, B: Lane, C: Lane, E: Lane, D: Lane>(
    r: &mut Registers,
    f: &Fields,
    mask: LaneMask,
    op: fn(A, B, C, E) -> D,
) {
    A::settle(r, f.src[0]);
    B::settle(r, f.src[1]);
    C::settle(r, f.src[2]);
    E::settle(r, f.src[3]);
    let (a, b) = (A::lanes(r, f.src[0]), B::lanes(r, f.src[1]));
    let (c, e) = (C::lanes(r, f.src[2]), E::lanes(r, f.src[3]));
    let result = D::collect(|lane| op(A::get(a, lane), B::get(b, lane), C::get(c, lane), E::get(e, lane)));
    D::write(r, f.dst, &result, mask);
}
