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

/// The bits of one lane of a register.
pub(crate) trait Cell: Copy + PartialEq {
    /// `base + lane * step`, wrapping.
    fn along(base: Self, step: Self, lane: usize) -> Self;
    /// The same for all lanes.
    fn all_along(base: Self, step: Self, lanes: &mut [Self; LANES]);
    fn zero() -> Self;
}

macro_rules! cells {
    ($($t:ty)+) => {$(
        impl Cell for $t {
            #[inline]
            fn along(base: $t, step: $t, lane: usize) -> $t {
                base.wrapping_add(step.wrapping_mul(lane as $t))
            }

            #[inline]
            fn all_along(base: $t, step: $t, lanes: &mut [$t; LANES]) {
                // Four sums that go up side by side, so that no lane waits for the one before it and none
                // needs a product.
                let two = step.wrapping_add(step);
                let mut sums = [0, step, two, two.wrapping_add(step)].map(|rise| base.wrapping_add(rise));
                let four = two.wrapping_add(two);
                for group in lanes.chunks_exact_mut(4) {
                    for (lane, sum) in group.iter_mut().zip(&mut sums) {
                        *lane = *sum;
                        *sum = sum.wrapping_add(four);
                    }
                }
            }

            #[inline]
            fn zero() -> $t {
                0
            }
        }
    )+};
}
cells! { u16 u32 u64 }

/// How the lanes of a register are held.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Form<T> {
    /// Lane `i` holds `base + i * step`, wrapping. Most indices and addresses are like this, and instructions
    /// on them need not look at every lane.
    Affine { base: T, step: T },
    /// Each lane holds a value of its own, in the array.
    Lanes,
}

impl<T: Cell> Form<T> {
    /// The form of these lanes, if they go up by `step`.
    pub(crate) fn of(lanes: &[T; LANES], step: T) -> Form<T> {
        let base = lanes[0];
        if (0..LANES).all(|lane| T::along(base, step, lane) == lanes[lane]) {
            Form::Affine { base, step }
        } else {
            Form::Lanes
        }
    }
}

/// The registers of one class.
#[derive(Clone, Default, Debug)]
pub(crate) struct File<T> {
    forms: Vec<Form<T>>,
    lanes: Vec<[T; LANES]>,
}

impl<T: Cell> File<T> {
    fn new(registers: u32) -> File<T> {
        let len = registers as usize;
        File {
            forms: vec![
                Form::Affine {
                    base: T::zero(),
                    step: T::zero()
                };
                len
            ],
            lanes: vec![[T::zero(); LANES]; len],
        }
    }

    #[inline]
    pub(crate) fn form(&self, register: Register) -> Form<T> {
        self.forms[register as usize]
    }

    #[inline]
    pub(crate) fn set(&mut self, register: Register, form: Form<T>) {
        self.forms[register as usize] = form;
    }

    /// One lane of a register.
    #[inline]
    pub(crate) fn get(&self, register: Register, lane: usize) -> T {
        match self.forms[register as usize] {
            Form::Affine { base, step } => T::along(base, step, lane),
            Form::Lanes => self.lanes[register as usize][lane],
        }
    }

    /// Writes out the lanes of a register, so that they can be borrowed.
    #[inline]
    fn settle(&mut self, register: Register) {
        let at = register as usize;
        if let Form::Affine { base, step } = self.forms[at] {
            T::all_along(base, step, &mut self.lanes[at]);
            self.forms[at] = Form::Lanes;
        }
    }

    #[inline]
    fn write(&mut self, register: Register, lanes: &[T; LANES], mask: LaneMask) {
        let at = register as usize;
        if mask.is_full() {
            self.forms[at] = Form::Lanes;
            self.lanes[at] = *lanes;
        } else if !mask.is_empty() {
            self.settle(register);
            for lane in mask {
                self.lanes[at][lane] = lanes[lane];
            }
        }
    }
}

/// Equal when every lane of every register is held alike. Two forms of the same values count as different.
impl<T: Cell> PartialEq for File<T> {
    fn eq(&self, other: &File<T>) -> bool {
        let lanes = self.lanes.iter().zip(&other.lanes);
        let forms = self.forms.iter().zip(&other.forms);
        forms
            .zip(lanes)
            .all(|((a, b), (x, y))| a == b && (*a != Form::Lanes || x == y))
    }
}

/// The register files of one warp.
#[derive(Clone, Default, Debug, PartialEq)]
pub(crate) struct Registers {
    pub(crate) pred: Vec<LaneMask>,
    pub(crate) b16: File<u16>,
    pub(crate) b32: File<u32>,
    pub(crate) b64: File<u64>,
}

impl Registers {
    pub(crate) fn new(sizes: Sizes) -> Registers {
        Registers {
            pred: vec![LaneMask::EMPTY; sizes.pred as usize],
            b16: File::new(sizes.b16),
            b32: File::new(sizes.b32),
            b64: File::new(sizes.b64),
        }
    }

    /// Writes the low bits of `bits` to every lane of a register.
    pub(crate) fn fill(&mut self, class: Class, register: Register, bits: u64) {
        match class {
            Class::Pred => {
                let mask = if bits & 1 == 1 {
                    LaneMask::FULL
                } else {
                    LaneMask::EMPTY
                };
                self.pred[register as usize] = mask;
            }
            Class::B16 => u16::fill(self, register, bits as u16),
            Class::B32 => u32::fill(self, register, bits as u32),
            Class::B64 => u64::fill(self, register, bits),
        };
    }

    /// One lane of a register, with zeros above.
    pub(crate) fn bits(&self, class: Class, register: Register, lane: usize) -> u64 {
        match class {
            Class::Pred => u64::from(self.pred[register as usize].contains(lane)),
            Class::B16 => self.b16.get(register, lane).into(),
            Class::B32 => self.b32.get(register, lane).into(),
            Class::B64 => self.b64.get(register, lane),
        }
    }
}

/// A register whose lanes follow from three of them: lane `i` holds `first + i * (second - first)`, wrapping
/// in the register's width.
#[derive(Clone, Copy)]
pub(crate) struct Span<T> {
    pub(crate) first: T,
    pub(crate) second: T,
    pub(crate) last: T,
    /// All lanes hold the same.
    pub(crate) uniform: bool,
}

impl<T: Lane> Span<T> {
    /// True when no lane wraps around: the values, read as numbers, go up or down in equal steps.
    #[inline]
    pub(crate) fn is_steady(&self) -> bool {
        self.uniform || T::equal_steps(self.first, self.second, self.last)
    }
}

/// A Rust type that one lane of a register can be read as.
///
/// `Lanes` is how all 32 are held: an array of cells, or a mask. Reading borrows, so that a loop over the
/// lanes compiles to vector instructions.
pub(crate) trait Lane: Copy {
    const TYPE: Type;
    type Lanes: Copy;

    /// The register as a span, where it is held as one.
    fn span(registers: &Registers, register: Register) -> Option<Span<Self>>;
    /// Makes lane `i` of the register hold `first + i * (second - first)`, where that fits what the last lane
    /// should hold. False where it does not, and nothing is written.
    fn spread(registers: &mut Registers, register: Register, first_second_last: [Self; 3]) -> bool;
    /// Makes lane `i` of the register hold `first + i * (second - first)`.
    fn rise(registers: &mut Registers, register: Register, first: Self, second: Self);
    /// Makes every lane of the register hold `value`.
    fn fill(registers: &mut Registers, register: Register, value: Self);
    /// True when from the first over the second to the last value it is one step and thirty more, as numbers.
    fn equal_steps(first: Self, second: Self, last: Self) -> bool;

    /// Writes the lanes out for `lanes`.
    fn settle(registers: &mut Registers, register: Register);
    /// The lanes of a register that has been settled.
    fn lanes(registers: &Registers, register: Register) -> &Self::Lanes;
    fn get(lanes: &Self::Lanes, lane: usize) -> Self;
    /// All 32 lanes from a function of the lane.
    fn collect(f: impl FnMut(usize) -> Self) -> Self::Lanes;
    /// The lanes of a register, of which those in `mask` are about to be written.
    fn lanes_mut(registers: &mut Registers, register: Register, mask: LaneMask) -> &mut Self::Lanes;
    /// Writes one of them.
    fn set(lanes: &mut Self::Lanes, lane: usize, value: Self);
    /// Writes the lanes in `mask`.
    fn write(registers: &mut Registers, register: Register, lanes: &Self::Lanes, mask: LaneMask);
}

macro_rules! lanes {
    ($($rust:ty, $ty:ident, $file:ident: $cell:ty, $wide:ty, $from:expr, $to:expr;)+) => {$(
        // The table below gives closures, and some places call one just once.
        #[allow(clippy::redundant_closure_call)]
        impl Lane for $rust {
            const TYPE: Type = Type::$ty;
            type Lanes = [$cell; LANES];

            #[inline]
            fn span(registers: &Registers, register: Register) -> Option<Span<Self>> {
                let from: fn($cell) -> $rust = $from;
                match registers.$file.form(register) {
                    Form::Affine { base, step } => Some(Span {
                        first: from(base),
                        second: from(base.wrapping_add(step)),
                        last: from(<$cell>::along(base, step, LANES - 1)),
                        uniform: step == 0,
                    }),
                    Form::Lanes => None,
                }
            }

            #[inline]
            fn spread(registers: &mut Registers, register: Register, [first, second, last]: [Self; 3]) -> bool {
                let to: fn($rust) -> $cell = $to;
                let (base, step) = (to(first), to(second).wrapping_sub(to(first)));
                let fits = <$cell>::along(base, step, LANES - 1) == to(last);
                if fits {
                    registers.$file.set(register, Form::Affine { base, step });
                }
                fits
            }

            #[inline]
            fn rise(registers: &mut Registers, register: Register, first: Self, second: Self) {
                let to: fn($rust) -> $cell = $to;
                let step = to(second).wrapping_sub(to(first));
                registers.$file.set(register, Form::Affine { base: to(first), step });
            }

            #[inline]
            fn fill(registers: &mut Registers, register: Register, value: Self) {
                let to: fn($rust) -> $cell = $to;
                registers.$file.set(register, Form::Affine { base: to(value), step: 0 });
            }

            #[inline]
            fn equal_steps(first: Self, second: Self, last: Self) -> bool {
                let [first, second, last] = [first, second, last].map(|value| value as $wide);
                last - first == (second - first) * 31 as $wide
            }

            #[inline]
            fn settle(registers: &mut Registers, register: Register) {
                registers.$file.settle(register);
            }

            #[inline]
            fn lanes(registers: &Registers, register: Register) -> &Self::Lanes {
                &registers.$file.lanes[register as usize]
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
            fn lanes_mut(registers: &mut Registers, register: Register, mask: LaneMask) -> &mut Self::Lanes {
                if mask.is_full() {
                    registers.$file.set(register, Form::Lanes);
                } else {
                    registers.$file.settle(register);
                }
                &mut registers.$file.lanes[register as usize]
            }

            #[inline]
            fn set(lanes: &mut Self::Lanes, lane: usize, value: Self) {
                let to: fn($rust) -> $cell = $to;
                lanes[lane] = to(value);
            }

            #[inline]
            fn write(registers: &mut Registers, register: Register, lanes: &Self::Lanes, mask: LaneMask) {
                registers.$file.write(register, lanes, mask);
            }
        }
    )+};
}

lanes! {
    u8, U8, b16: u16, i64, |cell| cell as u8, |value| value.into();
    i8, S8, b16: u16, i64, |cell| cell as i8, |value| value as u16;
    u16, U16, b16: u16, i64, |cell| cell, |value| value;
    i16, S16, b16: u16, i64, |cell| cell as i16, |value| value as u16;
    u32, U32, b32: u32, i64, |cell| cell, |value| value;
    i32, S32, b32: u32, i64, |cell| cell as i32, |value| value as u32;
    f32, F32, b32: u32, f64, f32::from_bits, f32::to_bits;
    u64, U64, b64: u64, i128, |cell| cell, |value| value;
    i64, S64, b64: u64, i128, |cell| cell as i64, |value| value as u64;
    f64, F64, b64: u64, f64, f64::from_bits, f64::to_bits;
}

impl Lane for bool {
    const TYPE: Type = Type::Pred;
    type Lanes = LaneMask;

    #[inline]
    fn span(registers: &Registers, register: Register) -> Option<Span<bool>> {
        let mask = registers.pred[register as usize];
        let first = mask.is_full();
        (first || mask.is_empty()).then_some(Span {
            first,
            second: first,
            last: first,
            uniform: true,
        })
    }

    #[inline]
    fn spread(registers: &mut Registers, register: Register, [first, second, last]: [bool; 3]) -> bool {
        let same = first == second && first == last;
        if same {
            registers.pred[register as usize] = if first { LaneMask::FULL } else { LaneMask::EMPTY };
        }
        same
    }

    #[inline]
    fn rise(registers: &mut Registers, register: Register, first: bool, _: bool) {
        Self::fill(registers, register, first);
    }

    #[inline]
    fn fill(registers: &mut Registers, register: Register, value: bool) {
        registers.pred[register as usize] = if value { LaneMask::FULL } else { LaneMask::EMPTY };
    }

    #[inline]
    fn equal_steps(first: bool, second: bool, last: bool) -> bool {
        first == second && first == last
    }

    #[inline]
    fn settle(_: &mut Registers, _: Register) {}

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
    fn lanes_mut(registers: &mut Registers, register: Register, _: LaneMask) -> &mut LaneMask {
        &mut registers.pred[register as usize]
    }

    #[inline]
    fn set(lanes: &mut LaneMask, lane: usize, value: bool) {
        lanes.0 = lanes.0 & !(1 << lane) | u32::from(value) << lane;
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
        fn a_span_is_its_lanes(base: u64, step: u64) {
            let mut registers = Registers::new(Sizes { pred: 0, b16: 0, b32: 0, b64: 1 });
            let at = |lane: u64| base.wrapping_add(step.wrapping_mul(lane));
            prop_assert!(u64::spread(&mut registers, 0, [at(0), at(1), at(31)]));
            let steady = u64::span(&registers, 0).unwrap().is_steady();
            let total = i128::from(base) + 31 * (i128::from(at(1)) - i128::from(base));
            prop_assert_eq!(steady, step == 0 || (0..1i128 << 64).contains(&total));
            u64::settle(&mut registers, 0);
            prop_assert!((0..32).all(|lane| u64::lanes(&registers, 0)[lane] == at(lane as u64)));
        }

        #[test]
        fn lanes_outside_the_mask_keep_their_value(mask: u32, value: u32) {
            let mut registers = Registers::new(Sizes { pred: 1, b16: 0, b32: 1, b64: 0 });
            u32::write(&mut registers, 0, &[value; LANES], LaneMask(mask));
            bool::write(&mut registers, 0, &LaneMask::FULL, LaneMask(mask));
            for lane in 0..LANES {
                let written = mask >> lane & 1 == 1;
                prop_assert_eq!(registers.b32.get(0, lane), if written { value } else { 0 });
                prop_assert_eq!(registers.pred[0].contains(lane), written);
            }
        }
    }
}
