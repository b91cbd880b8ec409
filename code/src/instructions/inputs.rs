//! The operands that every instruction is tried on: [`THREADS`] values for each kind and operand.
//!
//! The first 64 threads pair eight classes of values with one another, a class for each operand of thread
//! `8 y + x`: class x for the first, class y for the second. The next threads have pairs that belong together,
//! such as a sum that is halfway between two floats, and the last ones have random bits, the same in every run.

use super::buffers::{Kind, Role, THREADS};
use super::floats;
use crate::fingerprint::sha256;
use std::collections::HashMap;
use std::sync::{Mutex, OnceLock, PoisonError};

/// Returns the values of an operand as they lie in memory.
pub fn bytes(kind: Kind, operand: usize) -> Vec<u8> {
    let size = kind.bytes();
    let values = values(kind, operand);
    values
        .iter()
        .flat_map(|v| v.to_le_bytes().into_iter().take(size))
        .collect()
}

/// Returns the fingerprint of what a buffer holds before its kernel runs.
pub(super) fn fingerprint(kind: Kind, role: Role) -> String {
    static KNOWN: OnceLock<Mutex<HashMap<(Kind, usize), String>>> = OnceLock::new();
    let operand = match role {
        Role::Out => return String::new(),
        Role::In(operand) => operand,
        Role::Cells => 0,
    };
    let mut known = KNOWN
        .get_or_init(Mutex::default)
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    known
        .entry((kind, operand))
        .or_insert_with(|| sha256(&format!("{:x?}", bytes(kind, operand))))
        .clone()
}

/// Returns the values of an operand (0 for the first), one a thread, each in the low bits of its number.
pub fn values(kind: Kind, operand: usize) -> [u64; THREADS] {
    match kind {
        Kind::Pred => std::array::from_fn(|thread| thread as u64 >> operand & 1),
        Kind::Amount => amounts(operand),
        Kind::Integer(bytes) => integers(8 * bytes as u32, operand),
        Kind::F32 => floats::single().map(|operands| operands[operand.min(2)]),
        Kind::F64 => floats::double().map(|operands| operands[operand.min(2)]),
    }
}

/// Numbers that look random and are the same in every run (SplitMix64).
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ x >> 31
    }
}

/// Positions, lengths and shifts: 0 to 70, numbers that are small modulo 32 or 256, and huge ones. Operands after
/// the second have the same in another order, so that every position meets many lengths.
fn amounts(operand: usize) -> [u64; THREADS] {
    const LARGE: [u64; 21] = [
        95,
        96,
        97,
        127,
        128,
        129,
        192,
        255,
        256,
        257,
        258,
        264,
        287,
        288,
        511,
        0x100F,
        0x7FFF_FFFF,
        0x8000_0000,
        0x8000_0001,
        0xFFFF_FF08,
        0xFFFF_FFFF,
    ];
    let mut random = Random(7 + operand as u64);
    let in_order: [u64; THREADS] = std::array::from_fn(|thread| match thread {
        0..=70 => thread as u64,
        71..=91 => LARGE[thread - 71],
        _ => random.next() % 40,
    });
    let step = [1, 1, 37, 51][operand.min(3)];
    std::array::from_fn(|thread| in_order[(step * thread + 11 * (step - 1)) % THREADS])
}

fn integers(width: u32, operand: usize) -> [u64; THREADS] {
    let mask = u64::MAX >> (64 - width);
    let top = 1u64 << (width - 1);
    let mut random = Random(u64::from(width) << 8 | operand as u64);
    // Classes 0 to 4 have one member each; the others one for each thread that asks.
    let mut member = |class: usize, which: usize| match class {
        0 => 0,
        1 => 1,
        2 => u64::MAX,
        3 => top,
        4 => top - 1,
        5 => [2, 3, 7, 10, 31, 32, 33, 100][which],
        6 => [0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, top + 1, u64::MAX - 1][which],
        _ => random.next(),
    };
    let mut pair = [0; THREADS];
    for (thread, value) in pair.iter_mut().enumerate().take(64) {
        let (x, y) = (thread % 8, thread / 8);
        *value = match operand {
            0 => member(x, y),
            1 => member(y, x),
            _ => member((x + 3 * y + operand) % 8, x),
        };
    }
    // Values that small changes make one of each other, then random ones of all sizes.
    let edges = |thread: usize| {
        let bit = (thread as u32 - 64) * 5 % width;
        [
            (1u64 << bit),
            (1u64 << bit).wrapping_sub(1),
            !(1u64 << bit),
            0x5555_5555_5555_5555 << (bit % 2),
        ][thread % 4]
    };
    let mut noise = Random(u64::from(width));
    for (thread, value) in pair.iter_mut().enumerate().skip(64) {
        let first = if thread < 96 {
            edges(thread)
        } else {
            noise.next() >> (noise.next() % 64)
        };
        *value = match (operand, thread % 4) {
            (0, _) => first,
            (1, 0) => first,
            (1, 1) => first.wrapping_add(1),
            (1, 2) => first.wrapping_neg(),
            (1, _) => random.next() >> (random.next() % 64),
            (_, 0) => first.wrapping_sub(1),
            (_, 1) => u64::MAX,
            _ => random.next(),
        };
    }
    pair.map(|value| value & mask)
}
