//! The registers of a warp: one array of 32 lanes each, predicates as lane masks.

use crate::lanes::{LaneMask, LANES};
use crate::ptx::types::{Class, Type};

/// A register: its index in the file of its class.
///
/// Immediates, parameters and special registers are registers too, written once when a warp is set up, so
/// that every operand of every instruction is an index.
pub(crate) type Register = u32;

/// How many registers a kernel uses in each class.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub(crate) struct Sizes {
    pub(crate) pred: u32,
    pub(crate) b16: u32,
    pub(crate) b32: u32,
    pub(crate) b64: u32,
}

impl Sizes {
    pub(crate) fn of(&mut self, class: Class) -> &mut u32 {
        match class {
            Class::Pred => &mut self.pred,
            Class::B16 => &mut self.b16,
            Class::B32 => &mut self.b32,
            Class::B64 => &mut self.b64,
        }
    }

    /// Bytes that one warp's registers take.
    pub(crate) fn bytes(self) -> u64 {
        u64::from(self.pred) * 4
            + u64::from(self.b16) * 64
            + u64::from(self.b32) * 128
            + u64::from(self.b64) * 256
    }
}

/// The register files of one warp.
#[derive(Clone, Default, Debug, PartialEq)]
pub(crate) struct Registers {
    pub(crate) pred: Vec<LaneMask>,
    pub(crate) b16: Vec<[u16; LANES]>,
    pub(crate) b32: Vec<[u32; LANES]>,
    pub(crate) b64: Vec<[u64; LANES]>,
}

impl Registers {
    pub(crate) fn new(sizes: Sizes) -> Registers {
        Registers {
            pred: vec![LaneMask::EMPTY; sizes.pred as usize],
            b16: vec![[0; LANES]; sizes.b16 as usize],
            b32: vec![[0; LANES]; sizes.b32 as usize],
            b64: vec![[0; LANES]; sizes.b64 as usize],
        }
    }

    /// Writes the low bits of `bits` to every lane of a register.
    pub(crate) fn fill(&mut self, class: Class, register: Register, bits: u64) {
        let at = register as usize;
        match class {
            Class::Pred => {
                self.pred[at] = if bits & 1 == 1 {
                    LaneMask::FULL
                } else {
                    LaneMask::EMPTY
                }
            }
            Class::B16 => self.b16[at] = [bits as u16; LANES],
            Class::B32 => self.b32[at] = [bits as u32; LANES],
            Class::B64 => self.b64[at] = [bits; LANES],
        }
    }

    /// One lane of a register, with zeros above.
    pub(crate) fn bits(&self, class: Class, register: Register, lane: usize) -> u64 {
        let at = register as usize;
        match class {
            Class::Pred => u64::from(self.pred[at].contains(lane)),
            Class::B16 => self.b16[at][lane].into(),
            Class::B32 => self.b32[at][lane].into(),
            Class::B64 => self.b64[at][lane],
        }
    }
}

/// A Rust type that one lane of a register can be read as.
///
/// `Lanes` is how all 32 are held: an array of cells, or a mask. Reading borrows, so that a loop over the
/// lanes compiles to vector instructions.
pub(crate) trait Lane: Copy {
    const TYPE: Type;
    type Lanes: Copy;

    fn lanes(registers: &Registers, register: Register) -> &Self::Lanes;
    fn get(lanes: &Self::Lanes, lane: usize) -> Self;
    /// All 32 lanes from a function of the lane.
    fn collect(f: impl FnMut(usize) -> Self) -> Self::Lanes;
    /// Writes the lanes in `mask`.
    fn write(registers: &mut Registers, register: Register, lanes: &Self::Lanes, mask: LaneMask);
}

macro_rules! lanes {
    ($($rust:ty, $ty:ident, $file:ident: $cell:ty, $from:expr, $to:expr;)+) => {$(
        impl Lane for $rust {
            const TYPE: Type = Type::$ty;
            type Lanes = [$cell; LANES];

            #[inline]
            fn lanes(registers: &Registers, register: Register) -> &Self::Lanes {
                &registers.$file[register as usize]
            }

            #[inline]
            fn get(lanes: &Self::Lanes, lane: usize) -> Self {
                let from: fn($cell) -> $rust = $from;
                from(lanes[lane])
            }

            #[inline]
            fn collect(mut f: impl FnMut(usize) -> Self) -> Self::Lanes {
                let to: fn($rust) -> $cell = $to;
                let mut lanes = [0; LANES];
                for (lane, cell) in lanes.iter_mut().enumerate() {
                    *cell = to(f(lane));
                }
                lanes
            }

            #[inline]
            fn write(registers: &mut Registers, register: Register, lanes: &Self::Lanes, mask: LaneMask) {
                let target = &mut registers.$file[register as usize];
                if mask.is_full() {
                    *target = *lanes;
                } else {
                    for lane in mask {
                        target[lane] = lanes[lane];
                    }
                }
            }
        }
    )+};
}

lanes! {
    u8, U8, b16: u16, |cell| cell as u8, |value| value.into();
    i8, S8, b16: u16, |cell| cell as i8, |value| value as u16;
    u16, U16, b16: u16, |cell| cell, |value| value;
    i16, S16, b16: u16, |cell| cell as i16, |value| value as u16;
    u32, U32, b32: u32, |cell| cell, |value| value;
    i32, S32, b32: u32, |cell| cell as i32, |value| value as u32;
    f32, F32, b32: u32, f32::from_bits, f32::to_bits;
    u64, U64, b64: u64, |cell| cell, |value| value;
    i64, S64, b64: u64, |cell| cell as i64, |value| value as u64;
    f64, F64, b64: u64, f64::from_bits, f64::to_bits;
}

impl Lane for bool {
    const TYPE: Type = Type::Pred;
    type Lanes = LaneMask;

    #[inline]
    fn lanes(registers: &Registers, register: Register) -> &LaneMask {
        &registers.pred[register as usize]
    }

    #[inline]
    fn get(lanes: &LaneMask, lane: usize) -> bool {
        lanes.0 >> lane & 1 == 1
    }

    #[inline]
    fn collect(mut f: impl FnMut(usize) -> bool) -> LaneMask {
        // Bytes first and bits after: the comparison compiles to vector instructions, and one multiplication
        // gathers the low bits of eight bytes.
        let mut bytes = [0u8; LANES];
        for (lane, byte) in bytes.iter_mut().enumerate() {
            *byte = f(lane).into();
        }
        let mut mask = 0u32;
        for (group, eight) in bytes.chunks_exact(8).enumerate() {
            let word = u64::from_le_bytes([
                eight[0], eight[1], eight[2], eight[3], eight[4], eight[5], eight[6], eight[7],
            ]);
            mask |= ((word.wrapping_mul(0x0102_0408_1020_4080) >> 56) as u32) << (8 * group);
        }
        LaneMask(mask)
    }

    #[inline]
    fn write(registers: &mut Registers, register: Register, lanes: &LaneMask, mask: LaneMask) {
        let target = &mut registers.pred[register as usize];
        *target = (*target - mask) | (*lanes & mask);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_mask_is_collected_lane_by_lane(mask: u32) {
            prop_assert_eq!(bool::collect(|lane| mask >> lane & 1 == 1), LaneMask(mask));
        }

        #[test]
        fn lanes_outside_the_mask_keep_their_value(mask: u32, value: u32) {
            let mut registers = Registers::new(Sizes { pred: 1, b16: 0, b32: 1, b64: 0 });
            u32::write(&mut registers, 0, &[value; LANES], LaneMask(mask));
            bool::write(&mut registers, 0, &LaneMask::FULL, LaneMask(mask));
            for lane in 0..LANES {
                let written = mask >> lane & 1 == 1;
                prop_assert_eq!(registers.b32[0][lane], if written { value } else { 0 });
                prop_assert_eq!(registers.pred[0].contains(lane), written);
            }
        }
    }
}
