//! Which buffer an address lies in.

use super::finding::Place;
use crate::event::{BufferView, WarpEvent};
use crate::lanes::{LaneMask, LANES};

/// The buffers of a launch, lowest address first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Regions {
    buffers: Vec<BufferView>,
}

impl Regions {
    pub(crate) fn new(buffers: &[BufferView]) -> Regions {
        let mut buffers = buffers.to_vec();
        buffers.sort_by_key(|buffer| buffer.base);
        Regions { buffers }
    }

    pub(crate) fn buffers(&self) -> &[BufferView] {
        &self.buffers
    }

    /// The place in [`buffers`](Regions::buffers) of the buffer that holds the byte at `address`.
    #[inline]
    pub(crate) fn find(&self, address: u64) -> Option<usize> {
        let at = self
            .buffers
            .partition_point(|buffer| buffer.base <= address)
            .checked_sub(1)?;
        let buffer = &self.buffers[at];
        (address - buffer.base < buffer.bytes).then_some(at)
    }

    /// The place of an address in the buffer that it lies in or is nearest to.
    pub(crate) fn place(&self, address: u64) -> Place {
        let distance = |buffer: &BufferView| {
            let end = buffer.base.saturating_add(buffer.bytes);
            buffer
                .base
                .saturating_sub(address)
                .max(address.saturating_sub(end))
        };
        match self.buffers.iter().min_by_key(|buffer| distance(buffer)) {
            // Farther away than any index slip: say the address and blame no buffer.
            Some(buffer) if distance(buffer) < 1 << 38 => Place::Buffer {
                id: buffer.id,
                offset: address.wrapping_sub(buffer.base) as i64,
                size: buffer.bytes,
            },
            _ => Place::Address(address),
        }
    }
}

impl WarpEvent<'_> {
    /// Those of `lanes` whose address lies in a buffer.
    #[inline]
    pub(crate) fn inside(&self, lanes: LaneMask, base: u64, bytes: u64) -> LaneMask {
        let inside = self
            .addresses
            .iter()
            .enumerate()
            .fold(0, |mask, (lane, address)| {
                mask | u32::from(address.wrapping_sub(base) < bytes) << lane
            });
        lanes & LaneMask(inside)
    }

    /// Hands on which bytes some lanes access, 64 bytes at a time counted from `base`: the number of the 64,
    /// the bytes among them, and those that two of the lanes access. One number may come several times.
    #[inline]
    pub(crate) fn bytes_by_64(&self, lanes: LaneMask, base: u64, each: impl FnMut(usize, u64, u64)) {
        let offset = |lane: usize| self.addresses[lane].wrapping_sub(base);
        if lanes.is_full() && self.step == Some(i64::from(self.bytes)) {
            run_by_64(offset(0), u64::from(self.bytes) * LANES as u64, each);
        } else {
            offsets_by_64(lanes.iter().map(offset), self.bytes, each);
        }
    }

    /// True when each lane's access starts where the one before ends.
    #[inline]
    pub(crate) fn is_contiguous(&self) -> bool {
        let step = u64::from(self.bytes);
        self.addresses
            .windows(2)
            .fold(0, |off, pair| off | (pair[1].wrapping_sub(pair[0]) ^ step))
            == 0
    }
}

/// As [`WarpEvent::bytes_by_64`], for accesses of `bytes` bytes each.
#[inline]
pub(crate) fn offsets_by_64(
    offsets: impl Iterator<Item = u64>,
    bytes: u32,
    mut each: impl FnMut(usize, u64, u64),
) {
    // An aligned access of up to 16 bytes does not leave its 64. Neighbouring lanes mostly share one.
    let ones = u64::MAX >> (64 - bytes.clamp(1, 64));
    let mut at = usize::MAX;
    let (mut bytes, mut twice) = (0, 0);
    for offset in offsets {
        let here = (offset / 64) as usize;
        let mask = ones << (offset % 64);
        if here != at {
            if bytes != 0 {
                each(at, bytes, twice);
            }
            (at, bytes, twice) = (here, 0, 0);
        }
        twice |= bytes & mask;
        bytes |= mask;
    }
    if bytes != 0 {
        each(at, bytes, twice);
    }
}

/// As [`WarpEvent::bytes_by_64`], for `length` bytes without a gap.
#[inline]
pub(crate) fn run_by_64(offset: u64, length: u64, mut each: impl FnMut(usize, u64, u64)) {
    let mut left = length;
    let mut at = offset;
    while left > 0 {
        let here = (64 - at % 64).min(left);
        each((at / 64) as usize, u64::MAX >> (64 - here) << (at % 64), 0);
        at = at.wrapping_add(here);
        left -= here;
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Warp, BASE};
    use super::*;
    use crate::memory::BufferId;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    #[test]
    fn addresses_are_found_and_strays_go_to_the_nearest() {
        let view = |n: u32, bytes| BufferView {
            id: Some(BufferId(n)),
            base: (u64::from(n) + 1) << 40,
            bytes,
            initialised: true,
        };
        let regions = Regions::new(&[view(1, 8), view(0, 100), view(2, 0)]);
        assert_eq!(regions.find(1 << 40), Some(0));
        assert_eq!(regions.find((1 << 40) + 99), Some(0));
        assert_eq!(regions.find((1 << 40) + 100), None);
        assert_eq!(regions.find((2 << 40) + 7), Some(1));
        assert_eq!(regions.find(3 << 40), None);
        assert_eq!(regions.find(0), None);
        let place = |address| regions.place(address);
        assert_eq!(
            place((1 << 40) + 100),
            Place::Buffer {
                id: Some(BufferId(0)),
                offset: 100,
                size: 100
            }
        );
        assert_eq!(
            place((2 << 40) - 4),
            Place::Buffer {
                id: Some(BufferId(1)),
                offset: -4,
                size: 8
            }
        );
        assert_eq!(place(64), Place::Address(64));
    }

    proptest! {
        /// Byte by byte is the plain definition.
        #[test]
        fn bytes_by_64_are_the_bytes(
            offset in 0u64..300,
            step in prop_oneof![Just(None), (0i64..20).prop_map(Some)],
            width in prop_oneof![Just(1u32), Just(2), Just(4), Just(8), Just(16)],
            lanes in prop_oneof![Just(u32::MAX), any::<u32>()],
            seed in any::<u64>(),
        ) {
            let bytes = u64::from(width);
            let scattered = |lane: u64| seed.rotate_left(lane as u32) % 64;
            let address = |lane: u64| match step {
                Some(step) => (offset + step as u64 * lane) * bytes,
                None => (offset + scattered(lane)) * bytes,
            };
            let mut seen = BTreeMap::new();
            for lane in LaneMask(lanes) {
                for byte in address(lane as u64)..address(lane as u64) + bytes {
                    *seen.entry(byte).or_insert(0) += 1;
                }
            }
            let mut found = BTreeMap::new();
            let warp = Warp { bytes: width, active: lanes, ..Warp::new() };
            warp.store(&address).bytes_by_64(LaneMask(lanes), BASE, |at, bytes, twice| {
                for bit in 0..64 {
                    let times = (bytes >> bit & 1) + (twice >> bit & 1);
                    if times > 0 {
                        *found.entry(64 * at as u64 + bit).or_insert(0) += times;
                    }
                }
            });
            prop_assert!(seen.keys().eq(found.keys()));
            for (byte, times) in seen {
                prop_assert_eq!(times > 1, found[&byte] > 1, "byte {}", byte);
            }
        }
    }
}
