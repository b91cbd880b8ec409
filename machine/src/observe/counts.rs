//! What each instruction costs: requests, sectors, wavefronts.

use crate::event::{Access, Observer, Space, WarpEvent};
use crate::lanes::{Line, Pc};
use crate::request::{reduction_sectors, sectors_with, wavefronts_with, Direction};
use std::collections::BTreeMap;
use std::ops::AddAssign;

/// Requests to global memory, and the 32-byte sectors they touch.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct GlobalCount {
    /// Warp-wide instructions.
    pub requests: u64,
    /// Sectors; see [`request`](crate::request).
    pub sectors: u64,
}

/// Requests to shared memory, and the passes they need.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct SharedCount {
    /// Warp-wide instructions.
    pub requests: u64,
    /// Wavefronts; see [`request`](crate::request).
    pub wavefronts: u64,
}

/// The requests of an instruction, a source line or a whole run, by kind.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Requests {
    /// Loads from global memory.
    pub global_load: GlobalCount,
    /// Stores to global memory.
    pub global_store: GlobalCount,
    /// Atomics on global memory that return the old value, charged like reductions (not measured).
    pub global_atomic: GlobalCount,
    /// Atomics on global memory that return nothing.
    pub global_reduction: GlobalCount,
    /// Loads from shared memory.
    pub shared_load: SharedCount,
    /// Stores to shared memory.
    pub shared_store: SharedCount,
    /// Atomics on shared memory, charged like stores (not measured).
    pub shared_atomic: SharedCount,
}

impl AddAssign for Requests {
    fn add_assign(&mut self, other: Requests) {
        let global = |a: &mut GlobalCount, b: GlobalCount| {
            a.requests += b.requests;
            a.sectors += b.sectors;
        };
        let shared = |a: &mut SharedCount, b: SharedCount| {
            a.requests += b.requests;
            a.wavefronts += b.wavefronts;
        };
        global(&mut self.global_load, other.global_load);
        global(&mut self.global_store, other.global_store);
        global(&mut self.global_atomic, other.global_atomic);
        global(&mut self.global_reduction, other.global_reduction);
        shared(&mut self.shared_load, other.shared_load);
        shared(&mut self.shared_store, other.shared_store);
        shared(&mut self.shared_atomic, other.shared_atomic);
    }
}

/// Counts requests, sectors and wavefronts for each instruction.
///
/// Counts add up over launches of one kernel; use one observer for each kernel. Every active lane counts,
/// also one whose access strays, as the hardware sends it all the same.
///
/// It can not see caches, replays or time: two kernels with equal counts may differ in speed.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    /// By [`Pc`].
    instructions: Vec<(Line, Requests)>,
}

impl Counts {
    /// An observer that has counted nothing.
    pub fn new() -> Counts {
        Counts::default()
    }

    /// The counts of the whole run.
    pub fn total(&self) -> Requests {
        let mut total = Requests::default();
        self.instructions
            .iter()
            .for_each(|(_, requests)| total += *requests);
        total
    }

    /// The counts of each source line that made a request; line 0 gathers instructions without a line mark.
    pub fn by_line(&self) -> BTreeMap<Line, Requests> {
        let mut lines = BTreeMap::new();
        for (_, line, requests) in self.by_instruction() {
            *lines.entry(line).or_default() += requests;
        }
        lines
    }

    /// The counts of each instruction that made a request, with its source line.
    pub fn by_instruction(&self) -> impl Iterator<Item = (Pc, Line, Requests)> + '_ {
        let none = Requests::default();
        self.instructions
            .iter()
            .enumerate()
            .filter(move |(_, (_, requests))| *requests != none)
            .map(|(pc, (line, requests))| (Pc(pc as u32), *line, *requests))
    }

    #[cold]
    fn grow(&mut self, pc: Pc) {
        self.instructions.resize(pc.index() + 1, Default::default());
    }
}

impl Observer for Counts {
    #[inline]
    fn request(&mut self, event: &WarpEvent<'_>) {
        if self.instructions.len() <= event.pc.index() {
            self.grow(event.pc);
        }
        let (line, requests) = &mut self.instructions[event.pc.index()];
        *line = event.line;
        let (addresses, active, bytes) = (event.addresses, event.active.0, event.bytes);
        match event.space {
            Space::Global => {
                let (count, sectors) = match event.access {
                    Access::Load => (
                        &mut requests.global_load,
                        sectors_with(event.step, addresses, active, bytes),
                    ),
                    Access::Store => (
                        &mut requests.global_store,
                        sectors_with(event.step, addresses, active, bytes),
                    ),
                    Access::Atomic { returns } => (
                        if returns {
                            &mut requests.global_atomic
                        } else {
                            &mut requests.global_reduction
                        },
                        reduction_sectors(addresses, active, bytes),
                    ),
                };
                count.requests += 1;
                count.sectors += u64::from(sectors);
            }
            Space::Shared => {
                let (count, direction) = match event.access {
                    Access::Load => (&mut requests.shared_load, Direction::Load),
                    Access::Store => (&mut requests.shared_store, Direction::Store),
                    Access::Atomic { .. } => (&mut requests.shared_atomic, Direction::Store),
                };
                count.requests += 1;
                count.wavefronts +=
                    u64::from(wavefronts_with(event.step, direction, addresses, active, bytes));
            }
        }
    }

    fn fork(&self) -> Option<Counts> {
        Some(Counts::new())
    }

    fn join(&mut self, part: Counts) {
        if let Some(last) = part.instructions.len().checked_sub(1) {
            if self.instructions.len() <= last {
                self.grow(Pc(last as u32));
            }
        }
        for (mine, (line, requests)) in self.instructions.iter_mut().zip(part.instructions) {
            mine.0 = mine.0.max(line);
            mine.1 += requests;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Warp;
    use super::*;

    #[test]
    fn a_naive_transpose_loads_4_and_stores_32_sectors() {
        let mut counts = Counts::new();
        let warp = Warp::new();
        counts.request(&warp.at(10, 3).load(&|lane| 4 * lane));
        counts.request(&warp.at(11, 3).store(&|lane| 16_384 * lane));
        counts.request(&warp.at(12, 4).shared().load(&|lane| 128 * lane));
        let total = counts.total();
        assert_eq!(
            total.global_load,
            GlobalCount {
                requests: 1,
                sectors: 4
            }
        );
        assert_eq!(
            total.global_store,
            GlobalCount {
                requests: 1,
                sectors: 32
            }
        );
        assert_eq!(
            total.shared_load,
            SharedCount {
                requests: 1,
                wavefronts: 32
            }
        );
        let lines = counts.by_line();
        assert_eq!(lines.len(), 2);
        assert_eq!(lines[&Line(3)].global_store.sectors, 32);
        assert_eq!(
            counts.by_instruction().map(|(pc, ..)| pc.0).collect::<Vec<_>>(),
            [10, 11, 12]
        );
    }

    #[test]
    fn parts_add_up() {
        let warp = Warp::new();
        let mut whole = Counts::new();
        let mut part = whole.fork().unwrap();
        whole.request(&warp.at(1, 1).load(&|_| 0));
        part.request(&warp.at(9, 2).atomic(&|_| 0));
        whole.join(part);
        assert_eq!(
            whole.total().global_load,
            GlobalCount {
                requests: 1,
                sectors: 1
            }
        );
        assert_eq!(
            whole.total().global_atomic,
            GlobalCount {
                requests: 1,
                sectors: 32
            }
        );
        assert_eq!(whole.by_line()[&Line(2)].global_atomic.requests, 1);
    }
}
