//! What releases and acquires put in order across threads and blocks.

use crate::event::{Access, Ordering, Space, WarpEvent};
use crate::lanes::LANES;
use std::collections::HashMap;

/// One thread of the grid.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Thread {
    block: u64,
    thread: u32,
}

impl Thread {
    pub(super) fn new(block: u64, warp: u32, lane: usize) -> Thread {
        Thread {
            block,
            thread: warp * LANES as u32 + lane as u32,
        }
    }
}

/// What is known to have happened: all accesses of a block, or of a thread, before an event number.
#[derive(Clone, Default, Debug)]
struct Clock {
    blocks: HashMap<u64, u32>,
    threads: HashMap<Thread, u32>,
}

impl Clock {
    fn join(&mut self, other: &Clock) {
        for (block, event) in &other.blocks {
            self.know_block(*block, *event);
        }
        for (thread, event) in &other.threads {
            self.know_thread(*thread, *event);
        }
    }

    fn know_block(&mut self, block: u64, event: u32) {
        let known = self.blocks.entry(block).or_default();
        *known = event.max(*known);
    }

    fn know_thread(&mut self, thread: Thread, event: u32) {
        let known = self.threads.entry(thread).or_default();
        *known = event.max(*known);
    }

    fn covers(&self, thread: Thread, event: u32) -> bool {
        let before = |bound: Option<&u32>| bound.is_some_and(|bound| event < *bound);
        before(self.blocks.get(&thread.block)) || before(self.threads.get(&thread))
    }
}

/// A memory location: global, or in the shared memory of a block.
type Location = (Option<u64>, u64);

/// The happens-before relation, as far as memory orderings and fences make it.
///
/// A release hands on what its thread knows: its own accesses so far, those of its block before the last
/// barrier, and what either had acquired. Whoever acquires from the same location knows it too, and the rest
/// of its block after the next barrier. Scopes (`.cta`, `.gpu`) are not told apart.
#[derive(Clone, Default, Debug)]
pub(super) struct Order {
    /// What all threads of a block know.
    blocks: HashMap<u64, Clock>,
    /// What a thread has acquired since the last barrier of its block.
    threads: HashMap<Thread, Clock>,
    /// What was released at a location.
    released: HashMap<Location, Clock>,
    /// The last fence of a thread: accesses before it, and those of the block before its last barrier.
    fences: HashMap<Thread, (u32, u32)>,
    /// What a thread has read without acquiring: a fence makes up for it.
    unfenced: HashMap<Thread, Clock>,
}

impl Order {
    /// True when the access `event` by thread `before` is ordered before what thread `now` does now.
    pub(super) fn orders(&self, before: Thread, event: u32, now: Thread) -> bool {
        let covers = |clock: Option<&Clock>| clock.is_some_and(|clock| clock.covers(before, event));
        covers(self.blocks.get(&now.block)) || covers(self.threads.get(&now))
    }

    /// A block has passed a barrier: what one thread acquired, all of them know.
    pub(super) fn barrier(&mut self, block: u64) {
        if self.threads.is_empty() {
            return;
        }
        let clock = self.blocks.entry(block).or_default();
        self.threads.retain(|thread, acquired| {
            if thread.block == block {
                clock.join(acquired);
            }
            thread.block != block
        });
    }

    /// A thread passes a fence; `next` is the number of the next event, `since` that of the first after the
    /// last barrier of its block.
    pub(super) fn fence(&mut self, thread: Thread, next: u32, since: u32) {
        self.fences.insert(thread, (next, since));
        if let Some(clock) = self.unfenced.remove(&thread) {
            self.threads.entry(thread).or_default().join(&clock);
        }
    }

    /// False when an access can neither release nor acquire anything: most need no look at all.
    #[inline]
    pub(super) fn concerns(&self, event: &WarpEvent<'_>, strong: bool) -> bool {
        let orders = !matches!(event.ordering, Ordering::Weak | Ordering::Relaxed);
        orders || !self.released.is_empty() || strong && !self.fences.is_empty()
    }

    /// One lane's access, after it was held against earlier ones.
    pub(super) fn access(
        &mut self,
        event: &WarpEvent<'_>,
        lane: usize,
        strong: bool,
        number: u32,
        since: u32,
    ) {
        let thread = Thread::new(event.block_index, event.warp, lane);
        let block = (event.space == Space::Shared).then_some(event.block_index);
        let location = (block, event.addresses[lane]);
        if !strong {
            if event.access.writes() {
                self.released.remove(&location);
            }
            return;
        }
        if event.access.reads() {
            if let Some(clock) = self.released.get(&location) {
                let acquires = matches!(event.ordering, Ordering::Acquire | Ordering::AcqRel);
                let known = if acquires {
                    &mut self.threads
                } else {
                    &mut self.unfenced
                };
                known.entry(thread).or_default().join(clock);
            }
        }
        if event.access.writes() {
            let releases = matches!(event.ordering, Ordering::Release | Ordering::AcqRel);
            let bounds = if releases {
                Some((number, since))
            } else {
                self.fences.get(&thread).copied()
            };
            let clock = bounds.map(|(own, block)| self.known_to(thread, own, block));
            // A read-modify-write continues what was released before it; a store replaces it.
            let continues = matches!(event.access, Access::Atomic { .. });
            match clock {
                Some(clock) if continues => self.released.entry(location).or_default().join(&clock),
                Some(clock) => drop(self.released.insert(location, clock)),
                None if continues => {}
                None => drop(self.released.remove(&location)),
            }
        }
    }

    /// What a thread knows: its own accesses before `own`, its block's before `since`, what they acquired.
    fn known_to(&self, thread: Thread, own: u32, since: u32) -> Clock {
        let mut clock = self.blocks.get(&thread.block).cloned().unwrap_or_default();
        if let Some(acquired) = self.threads.get(&thread) {
            clock.join(acquired);
        }
        clock.know_block(thread.block, since);
        clock.know_thread(thread, own);
        clock
    }
}
