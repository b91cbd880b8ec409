//! Hand-made events for the observers' tests.

use crate::event::{Access, BlockView, BufferView, Ordering, Space, WarpEvent};
use crate::lanes::{LaneMask, Line, Pc, LANES};
use crate::memory::BufferId;

/// Where the test's first buffer starts; buffer `n` starts at `(n + 1) * BASE`.
pub(crate) const BASE: u64 = 1 << 40;

/// A buffer as a launch shows it.
pub(crate) fn buffer(n: u32, bytes: u64, initialised: bool) -> BufferView {
    BufferView {
        id: Some(BufferId(n)),
        base: (u64::from(n) + 1) * BASE,
        bytes,
        initialised,
    }
}

/// The start or end of a block in a one-dimensional grid.
pub(crate) fn block(block_index: u64) -> BlockView {
    BlockView {
        block: [block_index as u32, 0, 0],
        block_index,
    }
}

/// One warp of a block of 64 threads, about to access 4 bytes a lane.
#[derive(Clone)]
pub(crate) struct Warp {
    pub block_index: u64,
    pub warp: u32,
    pub epoch: u32,
    pub warp_epoch: u32,
    pub pc: u32,
    pub line: u32,
    pub bytes: u32,
    pub active: u32,
    pub space: Space,
    pub ordering: Ordering,
    pub buffer: u64,
}

impl Warp {
    pub(crate) fn new() -> Warp {
        Warp {
            block_index: 0,
            warp: 0,
            epoch: 0,
            warp_epoch: 0,
            pc: 0,
            line: 0,
            bytes: 4,
            active: u32::MAX,
            space: Space::Global,
            ordering: Ordering::Weak,
            buffer: BASE,
        }
    }

    pub(crate) fn block(&self, block_index: u64) -> Warp {
        Warp {
            block_index,
            ..self.clone()
        }
    }

    pub(crate) fn warp(&self, warp: u32) -> Warp {
        Warp { warp, ..self.clone() }
    }

    pub(crate) fn epoch(&self, epoch: u32) -> Warp {
        Warp {
            epoch,
            ..self.clone()
        }
    }

    pub(crate) fn at(&self, pc: u32, line: u32) -> Warp {
        Warp {
            pc,
            line,
            ..self.clone()
        }
    }

    pub(crate) fn lanes(&self, active: u32) -> Warp {
        Warp {
            active,
            ..self.clone()
        }
    }

    pub(crate) fn bytes(&self, bytes: u32) -> Warp {
        Warp {
            bytes,
            ..self.clone()
        }
    }

    pub(crate) fn shared(&self) -> Warp {
        Warp {
            space: Space::Shared,
            buffer: 0,
            ..self.clone()
        }
    }

    pub(crate) fn ordering(&self, ordering: Ordering) -> Warp {
        Warp {
            ordering,
            ..self.clone()
        }
    }

    pub(crate) fn load(&self, offset: &dyn Fn(u64) -> u64) -> WarpEvent<'static> {
        self.event(Access::Load, offset)
    }

    pub(crate) fn store(&self, offset: &dyn Fn(u64) -> u64) -> WarpEvent<'static> {
        self.event(Access::Store, offset)
    }

    pub(crate) fn atomic(&self, offset: &dyn Fn(u64) -> u64) -> WarpEvent<'static> {
        self.event(Access::Atomic { returns: true }, offset)
    }

    fn event(&self, access: Access, offset: &dyn Fn(u64) -> u64) -> WarpEvent<'static> {
        let addresses: [u64; LANES] = std::array::from_fn(|lane| self.buffer + offset(lane as u64));
        WarpEvent {
            block: [self.block_index as u32, 0, 0],
            block_index: self.block_index,
            block_dim: [64, 1, 1],
            warp: self.warp,
            pc: Pc(self.pc),
            line: Line(self.line),
            active: LaneMask(self.active),
            valid: LaneMask(self.active),
            space: self.space,
            access,
            ordering: self.ordering,
            bytes: self.bytes,
            // A test's events may well outlive the test.
            addresses: Box::leak(Box::new(addresses)),
            step: crate::request::common_step(&addresses, self.active, self.bytes),
            epoch: self.epoch,
            warp_epoch: self.warp_epoch,
        }
    }
}
