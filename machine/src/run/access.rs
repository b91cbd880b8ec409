//! Loads and stores, and what observers are told of every access.

use super::block::Block;
use super::global::{split, Global};
use super::lanes::{gather, scatter, Addresses, Element};
use super::machine::Machine;
use super::warp::Warp;
use crate::code::{Step, Transfer};
use crate::event::{Access, Fault, FaultKind, Observer, Ordering, Space, WarpEvent};
use crate::lanes::{LaneMask, LANES};
use crate::ptx::types::Type;
use crate::registers::{Lane, Register};
use crate::space::{of_generic, window, MemorySpace};

/// What the lanes of one access have in common.
#[derive(Clone, Copy)]
pub(super) struct Request {
    pub(super) access: Access,
    pub(super) ordering: Ordering,
    pub(super) bytes: u32,
    /// Observers are told.
    pub(super) seen: bool,
}

impl Request {
    fn of(transfer: &Transfer, access: Access) -> Request {
        Request {
            access,
            ordering: transfer.ordering,
            bytes: transfer.element.bytes() * transfer.count,
            seen: !transfer.constant,
        }
    }
}

/// Calls `each` for an access by state space: once, but for generic addresses, which may be mixed.
#[inline]
pub(super) fn by_space(
    space: MemorySpace,
    addresses: &Addresses,
    mut each: impl FnMut(MemorySpace, &Addresses),
) {
    if space != MemorySpace::Generic {
        return each(space, addresses);
    }
    for candidate in [MemorySpace::Global, MemorySpace::Shared, MemorySpace::Local] {
        let lanes = addresses.lanes & bool::collect(|lane| of_generic(addresses.of[lane]) == candidate);
        if !lanes.is_empty() {
            let start = window(candidate);
            each(
                candidate,
                &Addresses::from(addresses.of.map(|a| a.wrapping_sub(start)), lanes),
            );
        }
    }
}

impl<O: Observer, G: Global> Machine<'_, O, G> {
    pub(super) fn load(
        &mut self,
        block: &Block,
        warp: &mut Warp,
        step: &Step,
        transfer: &Transfer,
        mask: LaneMask,
    ) {
        let addresses = Addresses::new(&warp.registers, &transfer.address, mask);
        warp.last_read = mask.lowest().map(|lane| addresses.of[lane]);
        let request = Request::of(transfer, Access::Load);
        by_space(transfer.space, &addresses, |space, addresses| {
            let valid = self.announce(block, warp, step, request, space, addresses);
            let to = &transfer.registers[..transfer.count as usize];
            match transfer.element {
                Type::B32 | Type::U32 | Type::S32 | Type::F32 => {
                    self.load_as::<u32>(block, warp, space, addresses, valid, to);
                }
                Type::B64 | Type::U64 | Type::S64 | Type::F64 => {
                    self.load_as::<u64>(block, warp, space, addresses, valid, to);
                }
                Type::B16 | Type::U16 | Type::S16 => {
                    self.load_as::<u16>(block, warp, space, addresses, valid, to);
                }
                Type::S8 => self.load_as::<i8>(block, warp, space, addresses, valid, to),
                Type::U8 | Type::B8 | Type::Pred => {
                    self.load_as::<u8>(block, warp, space, addresses, valid, to)
                }
            }
        });
    }

    /// Loads one element per register: `E` at each valid address, poison in the other lanes that take part.
    fn load_as<E: Element>(
        &mut self,
        block: &Block,
        warp: &mut Warp,
        space: MemorySpace,
        addresses: &Addresses,
        valid: LaneMask,
        to: &[Register],
    ) {
        let local = (space == MemorySpace::Local).then(|| warp.in_local(addresses));
        for (number, &register) in to.iter().enumerate() {
            let skip = number * E::BYTES;
            let values = E::lanes_mut(&mut warp.registers, register, addresses.lanes);
            for lane in addresses.lanes - valid {
                E::set(values, lane, E::POISON);
            }
            match (space, &local) {
                (MemorySpace::Shared, _) => gather::<E>(&block.shared, 0, addresses, valid, skip, values),
                (_, Some(own)) => gather::<E>(&warp.local, 0, own, valid, skip, values),
                // Mostly all lanes are in one region; otherwise region after region.
                _ => {
                    let mut left = valid;
                    while let Some(first) = left.lowest() {
                        let (region, offset) = split(addresses.of[first]);
                        let base = addresses.of[first] - offset;
                        let inside = addresses.in_region(left, base);
                        gather::<E>(self.global.read(region), base, addresses, inside, skip, values);
                        left = left - inside;
                    }
                }
            }
        }
    }

    pub(super) fn store(
        &mut self,
        block: &mut Block,
        warp: &mut Warp,
        step: &Step,
        transfer: &Transfer,
        mask: LaneMask,
    ) {
        let addresses = Addresses::new(&warp.registers, &transfer.address, mask);
        let request = Request::of(transfer, Access::Store);
        by_space(transfer.space, &addresses, |space, addresses| {
            let valid = self.announce(block, warp, step, request, space, addresses);
            self.version += u64::from(!valid.is_empty());
            let from = &transfer.registers[..transfer.count as usize];
            match transfer.element.bytes() {
                4 => self.store_as::<u32>(block, warp, space, addresses, valid, from),
                8 => self.store_as::<u64>(block, warp, space, addresses, valid, from),
                2 => self.store_as::<u16>(block, warp, space, addresses, valid, from),
                _ => self.store_as::<u8>(block, warp, space, addresses, valid, from),
            }
        });
    }

    fn store_as<E: Element>(
        &mut self,
        block: &mut Block,
        warp: &mut Warp,
        space: MemorySpace,
        addresses: &Addresses,
        valid: LaneMask,
        from: &[Register],
    ) {
        for (number, &register) in from.iter().enumerate() {
            let skip = number * E::BYTES;
            E::settle(&mut warp.registers, register);
            match space {
                MemorySpace::Shared => {
                    let values = E::lanes(&warp.registers, register);
                    scatter::<E>(&mut block.shared, 0, addresses, valid, values, skip);
                }
                MemorySpace::Local => {
                    let own = warp.in_local(addresses);
                    let values = E::lanes(&warp.registers, register);
                    scatter::<E>(&mut warp.local, 0, &own, valid, values, skip);
                }
                MemorySpace::Global | MemorySpace::Generic => {
                    let values = E::lanes(&warp.registers, register);
                    let mut left = valid;
                    while let Some(first) = left.lowest() {
                        let (region, offset) = split(addresses.of[first]);
                        let base = addresses.of[first] - offset;
                        let inside = addresses.in_region(left, base);
                        self.global
                            .write::<E>(region, base, addresses, inside, values, skip);
                        left = left - inside;
                    }
                }
            }
        }
    }

    /// Tells observers of an access and of its faults. Returns the lanes that may do it.
    #[inline]
    pub(super) fn announce(
        &mut self,
        block: &Block,
        warp: &Warp,
        step: &Step,
        request: Request,
        space: MemorySpace,
        addresses: &Addresses,
    ) -> LaneMask {
        let (lanes, width) = (addresses.lanes, u64::from(request.bytes));
        let valid = match space {
            MemorySpace::Shared => addresses.valid(lanes, 0, block.shared.len() as u64, width),
            MemorySpace::Local => addresses.valid(lanes, 0, warp.local_share(), width),
            MemorySpace::Global | MemorySpace::Generic => self.valid_global(addresses, request),
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
                space: if space == MemorySpace::Shared {
                    Space::Shared
                } else {
                    Space::Global
                },
                access: request.access,
                ordering: request.ordering,
                bytes: request.bytes,
                addresses: &addresses.of,
                step: if valid == lanes { addresses.step } else { None },
                epoch: block.epoch,
                warp_epoch: warp.epoch,
            });
        }
        if valid != lanes {
            self.report_faults(block, warp, step, request, space, addresses, lanes - valid);
        }
        valid
    }

    fn valid_global(&self, addresses: &Addresses, request: Request) -> LaneMask {
        let mut left = addresses.lanes;
        let mut valid = LaneMask::EMPTY;
        while let Some(first) = left.lowest() {
            let (region, offset) = split(addresses.of[first]);
            let base = addresses.of[first] - offset;
            let inside = addresses.in_region(left, base);
            let (len, writable) = self.global.extent(region);
            let len = if writable || !request.access.writes() {
                len
            } else {
                0
            };
            valid = valid | addresses.valid(inside, base, len, request.bytes.into());
            left = left - inside;
        }
        valid
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
        addresses: &Addresses,
        lanes: LaneMask,
    ) {
        for lane in lanes {
            let address = addresses.of[lane];
            let kind = match space {
                _ if !address.is_multiple_of(u64::from(request.bytes)) => FaultKind::Misaligned,
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
                // Shared memory goes by offset, everything else by generic address.
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
