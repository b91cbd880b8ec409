//! A block: its shared memory, its warps and its barriers.

use super::order;
use super::setup::Plan;
use super::warp::{State, Warp};
use crate::event::{BarrierRelease, BlockView, Observer};
use crate::lanes::{LaneMask, Line, Pc};
use crate::launch::Order;

/// Barriers of a block.
pub(crate) const BARRIERS: usize = 16;

/// A barrier and who has arrived at it.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Barrier {
    /// Threads that arrived.
    pub(crate) arrived: u32,
    /// The same as the barrier counts: a warp whose live lanes have all arrived counts as 32.
    pub(crate) counted: u32,
    /// How many to wait for; all live threads where there is none.
    pub(crate) expected: Option<u32>,
    pub(crate) first: Option<(Pc, Line)>,
    pub(crate) other: Option<(Pc, Line)>,
    /// For `bar.red`: threads whose predicate is true, now and when the barrier opened last.
    pub(crate) votes: u32,
    pub(crate) outcome: Outcome,
}

/// What the last `bar.red` of a barrier found.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Outcome {
    pub(crate) votes: u32,
    pub(crate) threads: u32,
}

/// A block that has started.
#[derive(Debug)]
pub(crate) struct Block {
    pub(crate) view: BlockView,
    pub(crate) shared: Vec<u8>,
    /// By warp index; nothing before a warp starts, after it ends and while it runs.
    pub(crate) warps: Vec<Option<Box<Warp>>>,
    /// Warps in their order, as far as they have started.
    order: Order,
    pub(crate) started: u32,
    pub(crate) barriers: [Barrier; BARRIERS],
    /// Bit `i` is set while threads have arrived at barrier `i`.
    pub(crate) arrivals: u32,
    /// Barriers over the whole block that it has passed.
    pub(crate) epoch: u32,
    /// Threads that have not exited.
    pub(crate) live: u32,
}

impl Block {
    pub(crate) fn new(plan: &Plan<'_>, order: Order) -> Block {
        Block {
            view: BlockView {
                block: [0; 3],
                block_index: 0,
            },
            shared: vec![0; plan.shared_bytes as usize],
            warps: (0..plan.warps).map(|_| None).collect(),
            order,
            started: 0,
            barriers: [Barrier::default(); BARRIERS],
            arrivals: 0,
            epoch: 0,
            live: plan.threads,
        }
    }

    /// Makes this the block with linear index `index`, about to start. Shared memory is poisoned: nothing has
    /// written it.
    pub(crate) fn start(&mut self, plan: &Plan<'_>, index: u64) {
        self.view = BlockView {
            block: plan.coordinates(index),
            block_index: index,
        };
        self.shared.fill(crate::memory::POISON);
        self.started = 0;
        self.barriers = [Barrier::default(); BARRIERS];
        self.arrivals = 0;
        self.epoch = 0;
        self.live = plan.threads;
    }

    /// The warp that comes at `place` in the block's order.
    pub(crate) fn warp_at(&self, place: u32) -> usize {
        let order = order::of_warps(self.order, self.view.block_index);
        order::at(order, place.into(), self.warps.len() as u64) as usize
    }

    /// Opens every barrier that waits for nobody any more.
    #[inline]
    pub(crate) fn open_barriers<O: Observer>(&mut self, threads: u32, observer: &mut O) {
        for number in LaneMask(self.arrivals) {
            let barrier = self.barriers[number];
            let complete = match barrier.expected {
                Some(expected) => barrier.counted >= expected,
                None => barrier.arrived >= self.live,
            };
            if !complete {
                continue;
            }
            self.arrivals &= !(1 << number);
            // Threads that exited are not waited for, so all the others having arrived orders the block.
            if barrier.arrived >= self.live {
                self.epoch += 1;
            }
            let outcome = Outcome {
                votes: barrier.votes,
                threads: barrier.arrived,
            };
            self.barriers[number] = Barrier {
                outcome,
                ..Barrier::default()
            };
            for fragment in self
                .warps
                .iter_mut()
                .flatten()
                .flat_map(|warp| &mut warp.fragments)
            {
                if matches!(fragment.state, State::Barrier { barrier, .. } if barrier == number) {
                    fragment.state = State::Ready;
                }
            }
            let (pc, line) = barrier.first.unwrap_or_default();
            observer.release(&BarrierRelease {
                block: self.view.block,
                block_index: self.view.block_index,
                barrier: number as u32,
                arrived: barrier.arrived,
                threads,
                exited: threads - self.live,
                pc,
                line,
                other: barrier.other,
                epoch: self.epoch,
            });
        }
    }

    /// Lanes of the block that wait at the step `from`.
    pub(crate) fn waiting_at(&self, at: u32) -> u32 {
        let fragments = self.warps.iter().flatten().flat_map(|warp| &warp.fragments);
        let same = fragments.filter(|f| match f.state {
            State::Barrier { from, .. } => from == at,
            State::Ready => false,
            State::Lanes | State::Parked(_) | State::Yielded(_) => f.at == at,
        });
        same.map(|f| f.mask).map(LaneMask::count).sum()
    }
}
