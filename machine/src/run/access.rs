//! Loads, stores, atomics: addresses, what is valid, what observers are told, and the effect.

use super::block::Block;
use super::global::{split, Global};
use super::machine::Machine;
use super::warp::Warp;
use crate::code::{Address, AtomicOp, CopyOp, Step, Transfer};
use crate::event::{Access, Fault, FaultKind, Observer, Ordering, Space, WarpEvent};
use crate::lanes::{LaneMask, LANES};
use crate::ptx::types::Type;
use crate::registers::{Lane, Register, Registers};
use crate::space::{of_generic, window, MemorySpace};

/// What the lanes of one access have in common.
#[derive(Clone, Copy)]
struct Request {
    access: Access,
    ordering: Ordering,
    bytes: u32,
    /// Observers are told.
    seen: bool,
}

/// The byte addresses of an access.
#[inline]
fn addresses(registers: &Registers, address: &Address) -> [u64; LANES] {
    let offset = address.offset as u64;
    let mut result = [0; LANES];
    if address.narrow {
        let base = &registers.b32[address.base as usize];
        for (result, &base) in result.iter_mut().zip(base) {
            *result = u64::from(base.wrapping_add(offset as u32));
        }
    } else {
        let base = &registers.b64[address.base as usize];
        for (result, &base) in result.iter_mut().zip(base) {
            *result = base.wrapping_add(offset);
        }
    }
    result
}

/// A value in memory.
trait Element: Lane {
    const BYTES: usize;
    fn load(bytes: &[u8]) -> Self;
    fn store(self) -> [u8; 8];
    /// What a dropped load gives.
    const POISON: Self;
}

macro_rules! elements {
    ($($t:ty, $poison:expr;)+) => {$(
        impl Element for $t {
            const BYTES: usize = std::mem::size_of::<$t>();
            const POISON: $t = $poison;

            #[inline]
            fn load(bytes: &[u8]) -> $t {
                bytes.try_into().map_or($poison, <$t>::from_le_bytes)
            }

            #[inline]
            fn store(self) -> [u8; 8] {
                let mut bytes = [0; 8];
                bytes[..Self::BYTES].copy_from_slice(&self.to_le_bytes());
                bytes
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

impl<O: Observer, G: Global> Machine<'_, O, G> {
    pub(super) fn load(
        &mut self,
        block: &mut Block,
        warp: &mut Warp,
        step: &Step,
        transfer: &Transfer,
        mask: LaneMask,
    ) {
        let addresses = addresses(&warp.registers, &transfer.address);
        warp.last_read = mask.lowest().map(|lane| addresses[lane]);
        let request = Request {
            access: Access::Load,
            ordering: transfer.ordering,
            bytes: transfer.element.bytes() * transfer.count,
            seen: !transfer.constant,
        };
        for (space, lanes, addresses) in spaces(transfer.space, &addresses, mask) {
            let valid = self.announce(block, warp, step, request, space, lanes, &addresses);
            let to = &transfer.registers[..transfer.count as usize];
            match transfer.element {
                Type::U8 | Type::B8 => self.load_as::<u8>(block, warp, space, &addresses, lanes, valid, to),
                Type::S8 => self.load_as::<i8>(block, warp, space, &addresses, lanes, valid, to),
                Type::B16 | Type::U16 | Type::S16 => {
                    self.load_as::<u16>(block, warp, space, &addresses, lanes, valid, to);
                }
                Type::B32 | Type::U32 | Type::S32 | Type::F32 => {
                    self.load_as::<u32>(block, warp, space, &addresses, lanes, valid, to);
                }
                Type::B64 | Type::U64 | Type::S64 | Type::F64 => {
                    self.load_as::<u64>(block, warp, space, &addresses, lanes, valid, to);
                }
                Type::Pred => {}
            }
        }
    }

    /// Loads one element per register: `E` at each valid address, poison in the other lanes.
    #[allow(clippy::too_many_arguments)]
    fn load_as<E: Element>(
        &mut self,
        block: &Block,
        warp: &mut Warp,
        space: MemorySpace,
        addresses: &[u64; LANES],
        lanes: LaneMask,
        valid: LaneMask,
        to: &[Register],
    ) {
        for (number, &register) in to.iter().enumerate() {
            let skip = number * E::BYTES;
            let values = match space {
                MemorySpace::Shared => gather::<E>(&block.shared, 0, addresses, valid, skip),
                MemorySpace::Local => {
                    let share = warp.local.len() / LANES;
                    let own: [u64; LANES] =
                        std::array::from_fn(|lane| addresses[lane].wrapping_add((lane * share) as u64));
                    gather::<E>(&warp.local, 0, &own, valid, skip)
                }
                MemorySpace::Global | MemorySpace::Generic => self.gather_global::<E>(addresses, valid, skip),
            };
            E::write(&mut warp.registers, register, &values, lanes);
        }
    }

    /// Mostly all lanes are in one region; otherwise region after region.
    fn gather_global<E: Element>(
        &mut self,
        addresses: &[u64; LANES],
        valid: LaneMask,
        skip: usize,
    ) -> E::Lanes {
        let Some(first) = valid.lowest() else {
            return E::collect(|_| E::POISON);
        };
        let (region, offset) = split(addresses[first]);
        let base = addresses[first] - offset;
        let inside = in_region(addresses, valid, base);
        if inside == valid {
            return gather::<E>(self.global.read(region), base, addresses, valid, skip);
        }
        let mut values = [E::POISON; LANES];
        let mut left = valid;
        while let Some(first) = left.lowest() {
            let (region, offset) = split(addresses[first]);
            let base = addresses[first] - offset;
            let inside = in_region(addresses, left, base);
            let bytes = self.global.read(region);
            for lane in inside {
                let at = (addresses[lane] - base) as usize + skip;
                values[lane] = bytes.get(at..at + E::BYTES).map_or(E::POISON, E::load);
            }
            left = left - inside;
        }
        E::collect(|lane| values[lane])
    }

    pub(super) fn store(
        &mut self,
        block: &mut Block,
        warp: &mut Warp,
        step: &Step,
        transfer: &Transfer,
        mask: LaneMask,
    ) {
        let addresses = addresses(&warp.registers, &transfer.address);
        let request = Request {
            access: Access::Store,
            ordering: transfer.ordering,
            bytes: transfer.element.bytes() * transfer.count,
            seen: true,
        };
        for (space, lanes, addresses) in spaces(transfer.space, &addresses, mask) {
            let valid = self.announce(block, warp, step, request, space, lanes, &addresses);
            self.version += u64::from(!valid.is_empty());
            let from = &transfer.registers[..transfer.count as usize];
            match transfer.element.bytes() {
                1 => self.store_as::<u8>(block, warp, space, &addresses, valid, from),
                2 => self.store_as::<u16>(block, warp, space, &addresses, valid, from),
                4 => self.store_as::<u32>(block, warp, space, &addresses, valid, from),
                _ => self.store_as::<u64>(block, warp, space, &addresses, valid, from),
            }
        }
    }

    fn store_as<E: Element>(
        &mut self,
        block: &mut Block,
        warp: &mut Warp,
        space: MemorySpace,
        addresses: &[u64; LANES],
        valid: LaneMask,
        from: &[Register],
    ) {
        for (number, &register) in from.iter().enumerate() {
            let skip = number * E::BYTES;
            let values = E::lanes(&warp.registers, register);
            match space {
                MemorySpace::Shared => scatter::<E>(&mut block.shared, addresses, values, valid, skip),
                MemorySpace::Local => {
                    let share = warp.local.len() / LANES;
                    let own: [u64; LANES] =
                        std::array::from_fn(|lane| addresses[lane].wrapping_add((lane * share) as u64));
                    scatter::<E>(&mut warp.local, &own, values, valid, skip);
                }
                MemorySpace::Global | MemorySpace::Generic => {
                    // Lanes in their order: where two write the same place, the higher lane stays.
                    for lane in valid {
                        let (region, offset) = split(addresses[lane]);
                        let bytes = E::get(values, lane).store();
                        self.global
                            .write(region, offset as usize + skip, &bytes[..E::BYTES]);
                    }
                }
            }
        }
    }

    pub(super) fn atomic(
        &mut self,
        block: &mut Block,
        warp: &mut Warp,
        step: &Step,
        op: &AtomicOp,
        mask: LaneMask,
    ) {
        let addresses = addresses(&warp.registers, &op.address);
        warp.last_read = mask.lowest().map(|lane| addresses[lane]);
        let (class, bytes) = (op.row.ty.class(), op.row.ty.bytes());
        let request = Request {
            access: op.access(),
            ordering: op.ordering,
            bytes,
            seen: true,
        };
        for (space, lanes, addresses) in spaces(op.space, &addresses, mask) {
            let valid = self.announce(block, warp, step, request, space, lanes, &addresses);
            for lane in lanes {
                let mut old = u64::MAX >> (64 - 8 * bytes);
                if valid.contains(lane) {
                    let (region, offset) = split(addresses[lane]);
                    let memory = match space {
                        MemorySpace::Shared => block.shared.as_slice(),
                        _ => self.global.read(region),
                    };
                    let at = if space == MemorySpace::Shared {
                        addresses[lane]
                    } else {
                        offset
                    } as usize;
                    let size = bytes as usize;
                    let mut word = [0; 8];
                    if let Some(found) = memory.get(at..at + size) {
                        word[..size].copy_from_slice(found);
                    }
                    old = u64::from_le_bytes(word);
                    let b = warp.registers.bits(class, op.src[0], lane);
                    let c = if op.row.operands > 1 {
                        warp.registers.bits(class, op.src[1], lane)
                    } else {
                        0
                    };
                    let new = (op.row.apply)(old, b, c);
                    if new != old {
                        self.version += 1;
                        let new = &new.to_le_bytes()[..size];
                        if space == MemorySpace::Shared {
                            block.shared[at..at + size].copy_from_slice(new);
                        } else {
                            self.global.write(region, at, new);
                        }
                    }
                }
                if let Some(dst) = op.dst {
                    match bytes {
                        4 => warp.registers.b32[dst as usize][lane] = old as u32,
                        _ => warp.registers.b64[dst as usize][lane] = old,
                    }
                }
            }
        }
    }

    /// `cp.async`: reads now, writes when the copy is waited for. Observers are told of a global load and of
    /// a shared store.
    pub(super) fn copy_async(
        &mut self,
        block: &mut Block,
        warp: &mut Warp,
        step: &Step,
        copy: &CopyOp,
        mask: LaneMask,
    ) {
        let from = addresses(&warp.registers, &copy.from);
        let to = addresses(&warp.registers, &copy.to);
        let wanted = |lane: usize| match copy.source_bytes {
            Some(register) => warp.registers.b32[register as usize][lane].min(copy.bytes),
            None => copy.bytes,
        };
        let wanted: [u32; LANES] = std::array::from_fn(wanted);
        let reading = mask
            .iter()
            .filter(|&lane| wanted[lane] > 0)
            .fold(0, |m, lane| m | 1 << lane);
        let load = Request {
            access: Access::Load,
            ordering: Ordering::Weak,
            bytes: copy.bytes,
            seen: true,
        };
        let store = Request {
            access: Access::Store,
            ..load
        };
        let readable = match LaneMask(reading) {
            LaneMask::EMPTY => LaneMask::EMPTY,
            reading => self.announce(block, warp, step, load, MemorySpace::Global, reading, &from),
        };
        let writable = self.announce(block, warp, step, store, MemorySpace::Shared, mask, &to);
        self.version += 1;
        for lane in writable {
            let mut bytes = [0; 16];
            let size = wanted[lane] as usize;
            if readable.contains(lane) {
                let (region, offset) = split(from[lane]);
                let offset = offset as usize;
                if let Some(found) = self.global.read(region).get(offset..offset + size) {
                    bytes[..size].copy_from_slice(found);
                }
            } else {
                bytes[..size].fill(crate::memory::POISON);
            }
            let at = to[lane] as usize;
            if !warp.copies.start(lane, at, bytes, copy.bytes as usize) {
                block.shared[at..at + copy.bytes as usize].copy_from_slice(&bytes[..copy.bytes as usize]);
            }
        }
    }

    /// Tells observers of an access and of its faults. Returns the lanes that may do it.
    #[allow(clippy::too_many_arguments)]
    #[inline]
    fn announce(
        &mut self,
        block: &Block,
        warp: &Warp,
        step: &Step,
        request: Request,
        space: MemorySpace,
        lanes: LaneMask,
        addresses: &[u64; LANES],
    ) -> LaneMask {
        let bytes = u64::from(request.bytes);
        let valid = match space {
            MemorySpace::Shared => valid(addresses, lanes, 0, block.shared.len() as u64, bytes),
            MemorySpace::Local => valid(addresses, lanes, 0, (warp.local.len() / LANES) as u64, bytes),
            MemorySpace::Global | MemorySpace::Generic => self.valid_global(addresses, lanes, request),
        };
        let told = match space {
            MemorySpace::Shared => Space::Shared,
            _ => Space::Global,
        };
        if O::REQUESTS && request.seen && space != MemorySpace::Local {
            self.observer.request(&WarpEvent {
                block: block.view.block,
                block_index: block.view.block_index,
                block_dim: self.plan.block,
                warp: warp.index,
                pc: step.pc,
                line: step.line,
                active: lanes,
                valid,
                space: told,
                access: request.access,
                ordering: request.ordering,
                bytes: request.bytes,
                addresses,
                epoch: block.epoch,
                warp_epoch: warp.epoch,
            });
        }
        if valid != lanes {
            self.report_faults(block, warp, step, request, space, lanes - valid, addresses);
        }
        valid
    }

    fn valid_global(&self, addresses: &[u64; LANES], lanes: LaneMask, request: Request) -> LaneMask {
        let mut left = lanes;
        let mut result = LaneMask::EMPTY;
        while let Some(first) = left.lowest() {
            let (region, offset) = split(addresses[first]);
            let base = addresses[first] - offset;
            let inside = in_region(addresses, left, base);
            let (len, writable) = self.global.extent(region);
            let len = if writable || !request.access.writes() {
                len
            } else {
                0
            };
            result = result | valid(addresses, inside, base, len, request.bytes.into());
            left = left - inside;
        }
        result
    }

    #[cold]
    #[allow(clippy::too_many_arguments)]
    fn report_faults(
        &mut self,
        block: &Block,
        warp: &Warp,
        step: &Step,
        request: Request,
        space: MemorySpace,
        lanes: LaneMask,
        addresses: &[u64; LANES],
    ) {
        for lane in lanes {
            let address = addresses[lane];
            let kind = match space {
                _ if address % u64::from(request.bytes) != 0 => FaultKind::Misaligned,
                MemorySpace::Shared => FaultKind::SharedOutOfRange,
                MemorySpace::Local => FaultKind::OutOfBounds,
                MemorySpace::Global | MemorySpace::Generic => match self.global.extent(split(address).0) {
                    (len, false) if split(address).1 < len => FaultKind::ReadOnly,
                    _ => FaultKind::OutOfBounds,
                },
            };
            let thread = warp.index * LANES as u32 + lane as u32;
            self.observer.fault(&Fault {
                kind,
                block: block.view.block,
                block_index: block.view.block_index,
                thread: crate::event::unflatten(thread, self.plan.block),
                warp: warp.index,
                lane: lane as u32,
                pc: step.pc,
                line: step.line,
                space: if space == MemorySpace::Shared {
                    Space::Shared
                } else {
                    Space::Global
                },
                access: request.access,
                address: if space == MemorySpace::Local {
                    window(space).wrapping_add(address)
                } else {
                    address
                },
                bytes: request.bytes,
            });
        }
    }
}

/// The lanes whose `bytes` bytes lie aligned in the `len` bytes from `base` on.
#[inline]
fn valid(addresses: &[u64; LANES], lanes: LaneMask, base: u64, len: u64, bytes: u64) -> LaneMask {
    let Some(last) = len.checked_sub(bytes) else {
        return LaneMask::EMPTY;
    };
    // Widths are powers of two.
    let low = bytes - 1;
    bool::collect(|lane| {
        let offset = addresses[lane].wrapping_sub(base);
        offset <= last && offset & low == 0
    }) & lanes
}

/// The lanes whose address lies in the region that starts at `base`.
#[inline]
fn in_region(addresses: &[u64; LANES], lanes: LaneMask, base: u64) -> LaneMask {
    let region = base >> crate::memory::REGION_BITS;
    let mut differences = 0;
    for address in addresses {
        differences |= (address >> crate::memory::REGION_BITS) ^ region;
    }
    if differences == 0 {
        return lanes;
    }
    bool::collect(|lane| addresses[lane] >> crate::memory::REGION_BITS == region) & lanes
}

/// An access by the spaces its addresses lie in: one for all but generic addresses, which may be mixed.
fn spaces(
    space: MemorySpace,
    addresses: &[u64; LANES],
    mask: LaneMask,
) -> impl Iterator<Item = (MemorySpace, LaneMask, [u64; LANES])> {
    let candidates = match space {
        MemorySpace::Generic => [
            Some(MemorySpace::Global),
            Some(MemorySpace::Shared),
            Some(MemorySpace::Local),
        ],
        stated => [Some(stated), None, None],
    };
    let addresses = *addresses;
    candidates.into_iter().flatten().filter_map(move |candidate| {
        if space != MemorySpace::Generic {
            return Some((candidate, mask, addresses));
        }
        let lanes = mask & bool::collect(|lane| of_generic(addresses[lane]) == candidate);
        let start = window(candidate);
        (!lanes.is_empty()).then(|| {
            (
                candidate,
                lanes,
                addresses.map(|address| address.wrapping_sub(start)),
            )
        })
    })
}

/// `E` at each valid address, `skip` bytes on; poison in the other lanes.
#[inline]
fn gather<E: Element>(
    bytes: &[u8],
    base: u64,
    addresses: &[u64; LANES],
    valid: LaneMask,
    skip: usize,
) -> E::Lanes {
    if valid.is_full() {
        return E::collect(|lane| {
            let at = (addresses[lane] - base) as usize + skip;
            bytes.get(at..at + E::BYTES).map_or(E::POISON, E::load)
        });
    }
    E::collect(|lane| {
        if !valid.contains(lane) {
            return E::POISON;
        }
        let at = (addresses[lane] - base) as usize + skip;
        bytes.get(at..at + E::BYTES).map_or(E::POISON, E::load)
    })
}

/// Writes the valid lanes in their order: where two write the same place, the higher lane stays.
#[inline]
fn scatter<E: Element>(
    bytes: &mut [u8],
    addresses: &[u64; LANES],
    values: &E::Lanes,
    valid: LaneMask,
    skip: usize,
) {
    for lane in valid {
        let at = addresses[lane] as usize + skip;
        if let Some(target) = bytes.get_mut(at..at + E::BYTES) {
            target.copy_from_slice(&E::get(values, lane).store()[..E::BYTES]);
        }
    }
}
