//! The warp-wide accesses of a launch, numbered as they happened.

use crate::event::{Access, WarpEvent};
use crate::lanes::{Line, Pc, LANES};

/// Warp-wide accesses after which a launch is no longer watched: number and lane fit in 31 bits, and all ones
/// are left for other uses.
const LIMIT: u32 = (1 << 26) - 1;

/// One warp-wide access.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) block_index: u64,
    pub(super) warp: u32,
    pub(super) epoch: u32,
    pub(super) warp_epoch: u32,
    pub(super) pc: Pc,
    pub(super) line: Line,
    pub(super) bytes: u32,
    pub(super) access: Access,
    /// Atomic, volatile or with a memory ordering.
    pub(super) strong: bool,
}

impl Entry {
    pub(super) fn of(event: &WarpEvent<'_>, strong: bool) -> Entry {
        Entry {
            block_index: event.block_index,
            warp: event.warp,
            epoch: event.epoch,
            warp_epoch: event.warp_epoch,
            pc: event.pc,
            line: event.line,
            bytes: event.bytes,
            access: event.access,
            strong,
        }
    }
}

/// One lane's access: the number of its event and the lane. 0 is none.
pub(super) fn id(event: u32, lane: usize) -> u32 {
    event * LANES as u32 + lane as u32
}

/// The number of the event of an access.
pub(super) fn event(id: u32) -> u32 {
    id / LANES as u32
}

/// The lane of an access.
pub(super) fn lane(id: u32) -> usize {
    id as usize % LANES
}

/// The accesses of this launch. Numbers go on from one launch to the next.
#[derive(Clone, Debug)]
pub(super) struct History {
    entries: Vec<Entry>,
    /// The number of the first entry.
    first: u32,
    complete: bool,
}

impl Default for History {
    fn default() -> History {
        History {
            entries: Vec::new(),
            first: 1,
            complete: true,
        }
    }
}

impl History {
    /// Forgets the accesses so far; true when numbers start again and shadows have to be cleared.
    pub(super) fn start_launch(&mut self) -> bool {
        let next = self.next();
        self.entries.clear();
        let again = next > LIMIT / 2;
        self.first = if again { 1 } else { next };
        again
    }

    /// The number of the next access.
    pub(super) fn next(&self) -> u32 {
        self.first + self.entries.len() as u32
    }

    /// The number of the first access of this launch.
    pub(super) fn launch_start(&self) -> u32 {
        self.first
    }

    /// Adds an access and returns its number, or nothing when there are too many.
    pub(super) fn push(&mut self, entry: Entry) -> Option<u32> {
        let number = self.next();
        if number >= LIMIT {
            self.complete = false;
            return None;
        }
        self.entries.push(entry);
        Some(number)
    }

    pub(super) fn get(&self, id: u32) -> Option<&Entry> {
        self.entries.get(event(id).checked_sub(self.first)? as usize)
    }

    pub(super) fn complete(&self) -> bool {
        self.complete
    }
}
