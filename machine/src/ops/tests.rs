//! What holds for every row of the table, whatever it computes.

use super::{row, tables, Fields, Row};
use crate::lanes::{LaneMask, LANES};
use crate::ptx::types::Class;
use crate::registers::{Form, Lane, Register, Registers, Sizes};
use std::collections::HashSet;

const EDGES: [u64; 28] = [
    0,
    1,
    2,
    3,
    7,
    31,
    32,
    33,
    63,
    64,
    255,
    256,
    0x7F,
    0x80,
    0x7FFF,
    0x8000,
    0xFFFF,
    0x7FFF_FFFF,
    0x8000_0000,
    0xFFFF_FFFF,
    0x1_0000_0000,
    0x3F80_0000,
    0x7F80_0000,
    0x7FC0_0000,
    0x3FF0_0000_0000_0000,
    0x7FFF_FFFF_FFFF_FFFF,
    0x8000_0000_0000_0000,
    u64::MAX,
];

/// A small generator of numbers, the same in every run (SplitMix64).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ x >> 31
    }

    /// Mostly something that has gone wrong before, sometimes anything.
    fn value(&mut self) -> u64 {
        match self.next() % 4 {
            0 => self.next(),
            1 => self.next() % 64,
            2 => EDGES[self.next() as usize % EDGES.len()].wrapping_sub(self.next() % 40),
            _ => EDGES[self.next() as usize % EDGES.len()],
        }
    }

    fn step(&mut self) -> u64 {
        match self.next() % 4 {
            0 => 0,
            1 => 1,
            2 => (self.next() % 9).wrapping_sub(4),
            _ => self.value(),
        }
    }
}

fn all() -> impl Iterator<Item = &'static Row> {
    tables().flatten()
}

fn registers() -> (Registers, Fields) {
    let sizes = Sizes {
        pred: 5,
        b16: 5,
        b32: 5,
        b64: 5,
    };
    (
        Registers::new(sizes),
        Fields {
            dst: 4,
            src: [0, 1, 2, 3],
        },
    )
}

/// Gives a register a value in every lane, as a span or written out.
fn give(registers: &mut Registers, class: Class, register: Register, base: u64, step: u64, written: bool) {
    match class {
        Class::Pred => {
            let mask = if step.is_multiple_of(3) {
                base as u32
            } else {
                0u32.wrapping_sub(base as u32 & 1)
            };
            registers.pred[register as usize] = LaneMask(mask);
        }
        Class::B16 => {
            registers.b16.set(
                register,
                Form::Affine {
                    base: base as u16,
                    step: step as u16,
                },
            );
            if written {
                u16::settle(registers, register);
            }
        }
        Class::B32 => {
            registers.b32.set(
                register,
                Form::Affine {
                    base: base as u32,
                    step: step as u32,
                },
            );
            if written {
                u32::settle(registers, register);
            }
        }
        Class::B64 => {
            registers.b64.set(register, Form::Affine { base, step });
            if written {
                u64::settle(registers, register);
            }
        }
    }
}

fn lanes_of(row: &Row, registers: &Registers, register: Register) -> Vec<u64> {
    (0..LANES)
        .map(|lane| registers.bits(row.dst.class(), register, lane))
        .collect()
}

#[test]
fn names_are_unique_and_found() {
    let mut names = HashSet::new();
    for listed in all() {
        assert!(names.insert(listed.name), "{} stands twice", listed.name);
        assert_eq!(row(listed.name).map(|row| row.name), Some(listed.name));
        assert!(listed.src.len() <= 4);
    }
}

#[test]
fn a_span_gives_what_its_lanes_give() {
    let mut numbers = Numbers(1);
    for row in all() {
        for _ in 0..300 {
            let sources: Vec<(u64, u64)> = row
                .src
                .iter()
                .map(|_| (numbers.value(), numbers.step()))
                .collect();
            let run = |written: bool| {
                let (mut registers, fields) = registers();
                for (at, (&ty, &(base, step))) in row.src.iter().zip(&sources).enumerate() {
                    give(&mut registers, ty.class(), at as Register, base, step, written);
                }
                (row.execute)(&mut registers, &fields, LaneMask::FULL);
                lanes_of(row, &registers, fields.dst)
            };
            assert_eq!(run(false), run(true), "{} of {sources:x?}", row.name);
        }
    }
}

#[test]
fn nothing_panics_and_lanes_outside_the_mask_stay() {
    let mut numbers = Numbers(2);
    for row in all() {
        for a in EDGES {
            for b in EDGES {
                let (mut registers, fields) = registers();
                let values = [a, b, numbers.value(), numbers.value()];
                for (at, &ty) in row.src.iter().enumerate() {
                    give(
                        &mut registers,
                        ty.class(),
                        at as Register,
                        values[at],
                        0,
                        a % 2 == 0,
                    );
                }
                give(&mut registers, row.dst.class(), fields.dst, 0, 3, false);
                let before = lanes_of(row, &registers, fields.dst);
                let mask = LaneMask(numbers.next() as u32);
                (row.execute)(&mut registers, &fields, mask);
                let after = lanes_of(row, &registers, fields.dst);
                for lane in (!mask).iter() {
                    assert_eq!(before[lane], after[lane], "{} writes lane {lane}", row.name);
                }
            }
        }
    }
}

#[test]
fn a_result_may_go_where_a_source_was() {
    let mut numbers = Numbers(3);
    for row in all().filter(|row| row.src.first().is_some_and(|ty| ty.class() == row.dst.class())) {
        let values: Vec<u64> = row.src.iter().map(|_| numbers.value()).collect();
        let run = |dst: Register| {
            let (mut registers, fields) = registers();
            for (at, &ty) in row.src.iter().enumerate() {
                give(
                    &mut registers,
                    ty.class(),
                    at as Register,
                    values[at],
                    5,
                    at % 2 == 0,
                );
            }
            (row.execute)(&mut registers, &Fields { dst, ..fields }, LaneMask::FULL);
            lanes_of(row, &registers, dst)
        };
        assert_eq!(run(0), run(4), "{} of {values:x?}", row.name);
    }
}
