//! Accesses that do more than move values: atomics, and copies that go on by themselves.

use super::access::{by_space, Request};
use super::block::Block;
use super::global::{split, Global};
use super::lanes::{Addresses, Element};
use super::machine::Machine;
use super::warp::Warp;
use crate::code::{AtomicOp, CopyOp, Step};
use crate::event::{Access, Observer, Ordering};
use crate::lanes::{LaneMask, LANES};
use crate::memory::POISON;
use crate::space::MemorySpace;

impl<O: Observer, G: Global> Machine<'_, O, G> {
    /// `atom` and `red`: lane after lane.
    pub(super) fn atomic(
        &mut self,
        block: &mut Block,
        warp: &mut Warp,
        step: &Step,
        op: &AtomicOp,
        mask: LaneMask,
    ) {
        let addresses = Addresses::new(&warp.registers, &op.address, mask);
        warp.last_read = mask.lowest().map(|lane| addresses.of[lane]);
        let bytes = op.row.ty.bytes();
        let request = Request {
            access: op.access(),
            ordering: op.ordering,
            bytes,
            seen: true,
        };
        by_space(op.space, &addresses, |space, addresses| {
            let valid = self.announce(block, warp, step, request, space, addresses);
            for lane in addresses.lanes {
                let usable = valid.contains(lane);
                match bytes {
                    4 => self.atomic_lane::<u32>(block, warp, op, space, addresses.of[lane], lane, usable),
                    _ => self.atomic_lane::<u64>(block, warp, op, space, addresses.of[lane], lane, usable),
                }
            }
        });
    }

    #[allow(clippy::too_many_arguments)]
    fn atomic_lane<E: Element + Into<u64> + TryFrom<u64>>(
        &mut self,
        block: &mut Block,
        warp: &mut Warp,
        op: &AtomicOp,
        space: MemorySpace,
        address: u64,
        lane: usize,
        usable: bool,
    ) {
        let class = op.row.ty.class();
        let (region, offset) = split(address);
        let shared = space == MemorySpace::Shared;
        let at = if shared { address as usize } else { offset as usize };
        let old = match (usable, shared) {
            (false, _) => E::POISON,
            (true, true) => E::load(&block.shared, at),
            (true, false) => E::load(self.global.read(region), at),
        };
        if usable {
            let b = warp.registers.bits(class, op.src[0], lane);
            let c = if op.row.operands > 1 {
                warp.registers.bits(class, op.src[1], lane)
            } else {
                0
            };
            let apply = if shared { op.row.apply } else { op.row.apply_global };
            let new = apply(old.into(), b, c);
            if new != old.into() {
                self.version += 1;
                let new = E::try_from(new).unwrap_or(E::POISON);
                if shared {
                    new.store(&mut block.shared, at);
                } else {
                    self.global.update(region, at, new);
                }
            }
        }
        if let Some(dst) = op.dst {
            let values = E::collect(|_| old);
            E::write(&mut warp.registers, dst, &values, LaneMask(1 << lane));
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
        let wanted: [u32; LANES] = std::array::from_fn(|lane| match copy.source_bytes {
            Some(register) => warp.registers.b32.get(register, lane).min(copy.bytes),
            None => copy.bytes,
        });
        let reading = mask
            .iter()
            .filter(|&lane| wanted[lane] > 0)
            .fold(0, |reading, lane| reading | 1 << lane);
        let from = Addresses::new(&warp.registers, &copy.from, LaneMask(reading));
        let to = Addresses::new(&warp.registers, &copy.to, mask);
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
        let readable = match reading {
            0 => LaneMask::EMPTY,
            _ => self.announce(block, warp, step, load, MemorySpace::Global, &from),
        };
        let writable = self.announce(block, warp, step, store, MemorySpace::Shared, &to);
        self.version += 1;
        for lane in writable {
            let mut bytes = [0; 16];
            let size = wanted[lane] as usize;
            bytes[..size].fill(POISON);
            if readable.contains(lane) {
                let (region, offset) = split(from.of[lane]);
                let offset = offset as usize;
                if let Some(found) = self.global.read(region).get(offset..offset + size) {
                    bytes[..size].copy_from_slice(found);
                }
            }
            let (at, len) = (to.of[lane] as usize, copy.bytes as usize);
            if !warp.copies.start(lane, at, bytes, len) {
                if let Some(target) = block.shared.get_mut(at..at + len) {
                    target.copy_from_slice(&bytes[..len]);
                }
            }
        }
    }
}
