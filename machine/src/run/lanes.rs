//! The addresses of the lanes of one access: which may be used, and moving values to and from them.

use crate::code::Address;
use crate::lanes::{LaneMask, LANES};
use crate::memory::REGION_BITS;
use crate::registers::{Cell, Form, Lane, Registers};

/// The byte addresses of an access to one state space.
pub(crate) struct Addresses {
    pub(crate) of: [u64; LANES],
    /// The lanes that take part.
    pub(crate) lanes: LaneMask,
    /// The distance from each lane to the next, where all lanes take part and it is the same for all.
    pub(crate) step: Option<i64>,
}

impl Addresses {
    /// What an address operand gives in each lane.
    #[inline]
    pub(crate) fn new(registers: &Registers, address: &Address, lanes: LaneMask) -> Addresses {
        let (register, offset) = (address.base, address.offset as u64);
        let mut result = Addresses {
            of: [0; LANES],
            lanes,
            step: None,
        };
        if address.narrow {
            for (lane, address) in result.of.iter_mut().enumerate() {
                *address = registers
                    .b32
                    .get(register, lane)
                    .wrapping_add(offset as u32)
                    .into();
            }
            result.find_step();
        } else if let Form::Affine { base, step } = registers.b64.form(register) {
            u64::all_along(base.wrapping_add(offset), step, &mut result.of);
            result.check_step(step);
        } else {
            for (address, base) in result.of.iter_mut().zip(u64::lanes(registers, register)) {
                *address = base.wrapping_add(offset);
            }
            result.find_step();
        }
        result
    }

    #[inline]
    pub(crate) fn from(of: [u64; LANES], lanes: LaneMask) -> Addresses {
        let mut result = Addresses {
            of,
            lanes,
            step: None,
        };
        result.find_step();
        result
    }

    /// Finds the step, if there is one.
    #[inline]
    fn find_step(&mut self) {
        let step = self.of[1].wrapping_sub(self.of[0]);
        let mut differences = 0;
        for lane in 2..LANES {
            differences |= self.of[lane].wrapping_sub(self.of[lane - 1]) ^ step;
        }
        if differences == 0 {
            self.check_step(step);
        }
    }

    /// Takes this step, if all lanes take part and the addresses do not wrap around.
    #[inline]
    fn check_step(&mut self, step: u64) {
        let step = step as i64;
        let fits = self.lanes.is_full() && step.unsigned_abs() < 1 << 58;
        if fits && self.of[0].checked_add_signed(31 * step) == Some(self.of[31]) {
            self.step = Some(step);
        }
    }

    /// Where lane 0 starts and the step to the next lane, when all lanes go upwards without touching.
    #[inline]
    fn upwards<E: Element>(&self, first: usize) -> Option<(usize, usize)> {
        let step = usize::try_from(self.step?).ok()?;
        (step >= E::BYTES && step < 1 << 40).then_some((first, step))
    }

    /// The lanes whose `width` bytes lie aligned in the `len` bytes from `base` on. `width` is a power of two.
    #[inline]
    pub(crate) fn valid(&self, lanes: LaneMask, base: u64, len: u64, width: u64) -> LaneMask {
        let Some(last) = len.checked_sub(width) else {
            return LaneMask::EMPTY;
        };
        let low = width - 1;
        let fits = |lane: usize| {
            let offset = self.of[lane].wrapping_sub(base);
            offset <= last && offset & low == 0
        };
        if let Some(step) = self.step {
            // Between two ends that fit all others do.
            if lanes == self.lanes && fits(0) && fits(LANES - 1) && step as u64 & low == 0 {
                return lanes;
            }
        }
        bool::collect(fits) & lanes
    }

    /// The lanes whose address lies in the region that starts at `base`.
    #[inline]
    pub(crate) fn in_region(&self, lanes: LaneMask, base: u64) -> LaneMask {
        let region = base >> REGION_BITS;
        let inside = |lane: usize| self.of[lane] >> REGION_BITS == region;
        if self.step.is_some() && lanes == self.lanes && inside(0) && inside(LANES - 1) {
            return lanes;
        }
        bool::collect(inside) & lanes
    }
}

/// A value in memory, little-endian.
pub(crate) trait Element: Lane {
    const BYTES: usize;
    /// What a dropped load gives.
    const POISON: Self;
    /// The value at `at`, poison where it is not inside.
    fn load(bytes: &[u8], at: usize) -> Self;
    /// Writes it at `at`, where that is inside.
    fn store(self, bytes: &mut [u8], at: usize);
    /// Reads the values of all lanes, one behind the other.
    fn load_run(values: &mut Self::Lanes, bytes: &[u8]);
    /// Writes the values of all lanes, one behind the other.
    fn store_run(values: &Self::Lanes, bytes: &mut [u8]);
}

macro_rules! elements {
    ($($t:ty, $poison:expr;)+) => {$(
        impl Element for $t {
            const BYTES: usize = std::mem::size_of::<$t>();
            const POISON: $t = $poison;

            #[inline]
            fn load(bytes: &[u8], at: usize) -> $t {
                match bytes.get(at..).and_then(|rest| rest.first_chunk()) {
                    Some(&found) => <$t>::from_le_bytes(found),
                    None => $poison,
                }
            }

            #[inline]
            fn store(self, bytes: &mut [u8], at: usize) {
                if let Some(target) = bytes.get_mut(at..).and_then(|rest| rest.first_chunk_mut()) {
                    *target = self.to_le_bytes();
                }
            }

            #[inline]
            fn load_run(values: &mut Self::Lanes, bytes: &[u8]) {
                for (value, bytes) in values.iter_mut().zip(bytes.chunks_exact(Self::BYTES)) {
                    *value = <$t>::load(bytes, 0) as _;
                }
            }

            #[inline]
            fn store_run(values: &Self::Lanes, bytes: &mut [u8]) {
                for (&value, bytes) in values.iter().zip(bytes.chunks_exact_mut(Self::BYTES)) {
                    (value as $t).store(bytes, 0);
                }
            }
        }
    )+};
}

elements! {
    u8, u8::MAX;
    i8, -1;
    u16, u16::MAX;
    u32, u32::MAX;
    u64, u64::MAX;
}

/// Reads the values `skip` bytes behind the addresses of `lanes`, which lie in `bytes`.
#[inline]
pub(crate) fn gather<E: Element>(
    bytes: &[u8],
    base: u64,
    addresses: &Addresses,
    lanes: LaneMask,
    skip: usize,
    values: &mut E::Lanes,
) {
    let at = |lane: usize| addresses.of[lane].wrapping_sub(base) as usize + skip;
    if !lanes.is_full() {
        for lane in lanes {
            E::set(values, lane, E::load(bytes, at(lane)));
        }
        return;
    }
    if let Some((from, step)) = addresses.upwards::<E>(at(0)) {
        if let Some(run) = bytes.get(from..from + (LANES - 1) * step + E::BYTES) {
            if step == E::BYTES {
                E::load_run(values, run);
            } else {
                for lane in 0..LANES {
                    E::set(values, lane, E::load(run, lane * step));
                }
            }
            return;
        }
    }
    for lane in 0..LANES {
        E::set(values, lane, E::load(bytes, at(lane)));
    }
}

/// Writes the values of `lanes` `skip` bytes behind their addresses, which lie in `bytes`. Lanes go in their
/// order: where two write the same place, the higher one stays.
#[inline]
pub(crate) fn scatter<E: Element>(
    bytes: &mut [u8],
    base: u64,
    addresses: &Addresses,
    lanes: LaneMask,
    values: &E::Lanes,
    skip: usize,
) {
    let at = |lane: usize| addresses.of[lane].wrapping_sub(base) as usize + skip;
    if !lanes.is_full() {
        for lane in lanes {
            E::get(values, lane).store(bytes, at(lane));
        }
        return;
    }
    if let Some((from, step)) = addresses.upwards::<E>(at(0)) {
        if let Some(run) = bytes.get_mut(from..from + (LANES - 1) * step + E::BYTES) {
            if step == E::BYTES {
                E::store_run(values, run);
            } else {
                for lane in 0..LANES {
                    E::get(values, lane).store(run, lane * step);
                }
            }
            return;
        }
    }
    for lane in 0..LANES {
        E::get(values, lane).store(bytes, at(lane));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_common_step_decides_as_every_lane_would(
            first in 0u64..400, step in -20i64..20, len in 0u64..400, width in 0u32..5, base in 0u64..100,
        ) {
            let width = 1 << width;
            let of = std::array::from_fn(|lane| first.wrapping_add_signed(step * lane as i64));
            let known = Addresses::from(of, LaneMask::FULL);
            let unknown = Addresses { step: None, ..Addresses::from(of, LaneMask::FULL) };
            prop_assert_eq!(known.valid(LaneMask::FULL, base, len, width), unknown.valid(LaneMask::FULL, base, len, width));
        }

        #[test]
        fn what_is_scattered_is_gathered(
            places in Just((0..32u64).collect::<Vec<_>>()).prop_shuffle(), values: [u32; 32], mask: u32,
        ) {
            let of = std::array::from_fn(|lane| 1000 + 4 * places[lane]);
            let addresses = Addresses::from(of, LaneMask(mask));
            let mut bytes = vec![0; 128];
            scatter::<u32>(&mut bytes, 1000, &addresses, LaneMask(mask), &values, 0);
            let mut back = [7; LANES];
            gather::<u32>(&bytes, 1000, &addresses, LaneMask(mask), 0, &mut back);
            for lane in 0..LANES {
                let taken = mask >> lane & 1 == 1;
                prop_assert_eq!(back[lane], if taken { values[lane] } else { 7 });
            }
        }
    }
}
