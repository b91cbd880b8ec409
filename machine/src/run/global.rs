//! Global memory during a launch: the buffers, and the variables of the module.

use super::lanes::{scatter, Addresses, Element};
use crate::code::ModuleVariable;
use crate::error::LaunchError;
use crate::event::BufferView;
use crate::lanes::LaneMask;
use crate::memory::{base, Buffer, BufferId, Memory, REGION_BITS};

/// Memory that every block sees.
///
/// A region is a buffer or a variable; its index is its address over the size of a region.
pub(crate) trait Global {
    /// A region's bytes, about to be read.
    fn read(&mut self, region: usize) -> &[u8];
    /// Size of a region in bytes, and whether it may be written; no bytes where there is none.
    fn extent(&self, region: usize) -> (u64, bool);
    /// Writes the values of `lanes`, whose addresses lie in the region that starts at `base`.
    fn write<E: Element>(
        &mut self,
        region: usize,
        base: u64,
        addresses: &Addresses,
        lanes: LaneMask,
        values: &E::Lanes,
        skip: usize,
    );
    /// Writes one value.
    fn update<E: Element>(&mut self, region: usize, at: usize, value: E);
}

/// The region of an address, and the offset in it.
#[inline]
pub(crate) fn split(address: u64) -> (usize, u64) {
    let region = (address >> REGION_BITS) as usize;
    // Region 0 holds nothing, and wraps to an index that does not exist.
    (region.wrapping_sub(1), address & ((1 << REGION_BITS) - 1))
}

struct Region {
    bytes: Vec<u8>,
    writable: bool,
}

/// Global memory that blocks work on one after the other.
pub(crate) struct Device {
    regions: Vec<Region>,
    buffers: usize,
    initialised: Vec<bool>,
}

impl Device {
    /// Takes the buffers out of `memory` for the time of a launch, and adds the module's variables with their
    /// initial values.
    pub(crate) fn borrow(memory: &mut Memory, variables: &[ModuleVariable]) -> Result<Device, LaunchError> {
        let mut extra = Vec::new();
        for variable in variables {
            let len = usize::try_from(variable.bytes).map_err(|_| LaunchError::OutOfMemory)?;
            let mut bytes = Vec::new();
            bytes
                .try_reserve_exact(len)
                .map_err(|_| LaunchError::OutOfMemory)?;
            bytes.extend_from_slice(&variable.initial);
            bytes.resize(len, 0);
            extra.push(Region {
                bytes,
                writable: variable.writable,
            });
        }
        let buffers = memory.buffers.len();
        let initialised = memory.buffers.iter().map(|b| b.initialised).collect();
        let taken = memory.buffers.iter_mut().map(|b| std::mem::take(&mut b.bytes));
        let mut regions: Vec<Region> = taken
            .map(|bytes| Region {
                bytes,
                writable: true,
            })
            .collect();
        regions.append(&mut extra);
        Ok(Device {
            regions,
            buffers,
            initialised,
        })
    }

    /// Gives the buffers back.
    pub(crate) fn give_back(self, memory: &mut Memory) {
        for (buffer, region) in memory.buffers.iter_mut().zip(self.regions) {
            let initialised = buffer.initialised;
            *buffer = Buffer {
                bytes: region.bytes,
                initialised,
            };
        }
    }

    /// How many regions there are.
    pub(crate) fn regions(&self) -> usize {
        self.regions.len()
    }

    /// Bytes of all regions together.
    pub(crate) fn total_bytes(&self) -> usize {
        self.regions.iter().map(|region| region.bytes.len()).sum()
    }

    /// A region's bytes.
    #[inline]
    pub(crate) fn bytes(&self, region: usize) -> &[u8] {
        self.regions.get(region).map_or(&[], |r| &r.bytes)
    }

    /// Size of a region in bytes, and whether it may be written; no bytes where there is none.
    #[inline]
    pub(crate) fn extent(&self, region: usize) -> (u64, bool) {
        self.regions
            .get(region)
            .map_or((0, false), |r| (r.bytes.len() as u64, r.writable))
    }

    /// Every region cut into `count` parts at multiples of 16 bytes: by part, for each region the offset of
    /// the part and its bytes.
    pub(crate) fn parts(&mut self, count: usize) -> Vec<Vec<(u64, &mut [u8])>> {
        let mut parts: Vec<Vec<(u64, &mut [u8])>> = (0..count).map(|_| Vec::new()).collect();
        for region in &mut self.regions {
            let size = region.bytes.len().div_ceil(count).next_multiple_of(16);
            let mut rest = region.bytes.as_mut_slice();
            let mut start = 0;
            for part in &mut parts {
                let (head, tail) = rest.split_at_mut(size.min(rest.len()));
                part.push((start, head));
                start += size as u64;
                rest = tail;
            }
        }
        parts
    }

    /// What observers are told about the regions.
    pub(crate) fn views(&self) -> Vec<BufferView> {
        self.regions
            .iter()
            .enumerate()
            .map(|(index, region)| BufferView {
                id: (index < self.buffers).then_some(BufferId(index as u32)),
                base: base(index),
                bytes: region.bytes.len() as u64,
                initialised: self.initialised.get(index).copied().unwrap_or(true),
            })
            .collect()
    }

    /// The address of a variable of the module.
    pub(crate) fn variable_address(&self, index: usize) -> u64 {
        base(self.buffers + index)
    }
}

impl Global for &mut Device {
    #[inline]
    fn read(&mut self, region: usize) -> &[u8] {
        self.bytes(region)
    }

    #[inline]
    fn extent(&self, region: usize) -> (u64, bool) {
        Device::extent(self, region)
    }

    #[inline]
    fn write<E: Element>(
        &mut self,
        region: usize,
        base: u64,
        addresses: &Addresses,
        lanes: LaneMask,
        values: &E::Lanes,
        skip: usize,
    ) {
        if let Some(region) = self.regions.get_mut(region) {
            scatter::<E>(&mut region.bytes, base, addresses, lanes, values, skip);
        }
    }

    fn update<E: Element>(&mut self, region: usize, at: usize, value: E) {
        if let Some(region) = self.regions.get_mut(region) {
            value.store(&mut region.bytes, at);
        }
    }
}
