//! A grid: which blocks run when, and what to do when none can.
//!
//! Blocks start in the order asked for, each when the one before has ended or waits for something that only
//! another block can bring. Waiting blocks stay resident, as many as the device holds. When nobody can go on
//! and nobody can start, the launch hangs.

use super::block::Block;
use super::global::Global;
use super::machine::{Machine, Stop};
use super::warp::{State, Warp, LONGEST_SLICE, SHORT_SLICE};
use super::{meet, order};
use crate::error::{Place, RunError, Waiting};
use crate::event::{unflatten, Observer};
use crate::lanes::{LaneMask, LANES};
use crate::launch::Order;

/// Steps in which a loop must come back to where it was, to be recognised as one.
const PROBE: u64 = 256;
/// Steps without a change of memory after which a warp gives way.
const PATIENCE: u64 = 1 << 20;
/// Memory that the registers, shared and local memory of waiting blocks may take.
const RESIDENT_BYTES: u64 = 1 << 30;

/// Warps and blocks that have ended, to be used again.
#[derive(Default)]
pub(crate) struct Spare {
    // Boxed as blocks hold them: a warp is kilobytes of registers, and moves between the two.
    #[allow(clippy::vec_box)]
    pub(crate) warps: Vec<Box<Warp>>,
    pub(crate) blocks: Vec<Block>,
}

/// What became of a block.
enum Progress {
    Ended,
    Waits,
}

impl<O: Observer, G: Global> Machine<'_, O, G> {
    /// Runs the blocks at `places` of the order.
    pub(crate) fn run_blocks(
        &mut self,
        places: std::ops::Range<u64>,
        order: Order,
        spare: &mut Spare,
    ) -> Result<(), RunError> {
        let capacity = self.resident_blocks();
        let mut resident: Vec<Block> = Vec::new();
        let mut places = places;
        let mut quiet = 0;
        loop {
            let full = resident.len() as u64 >= capacity;
            if let Some(place) = if full { None } else { places.next() } {
                let mut block = spare.blocks.pop().unwrap_or_else(|| Block::new(self.plan, order));
                block.start(self.plan, order::at(order, place, self.plan.blocks));
                self.observer.block_start(&block.view);
                match self.run_block(&mut block, spare, &mut quiet)? {
                    Progress::Ended => self.end(block, spare),
                    Progress::Waits => resident.push(block),
                }
                continue;
            }
            if resident.is_empty() {
                return Ok(());
            }
            let before = self.version;
            // The last to start first: chains in which each block waits for its neighbour resolve in one round.
            for mut block in std::mem::take(&mut resident).into_iter().rev() {
                match self.run_block(&mut block, spare, &mut quiet)? {
                    Progress::Ended => self.end(block, spare),
                    Progress::Waits => resident.push(block),
                }
            }
            resident.reverse();
            if self.version == before && !wake(&mut resident) {
                return Err(self.hang(&resident, places.end - places.start));
            }
        }
    }

    fn end(&mut self, block: Block, spare: &mut Spare) {
        self.observer.block_end(&block.view);
        spare.blocks.push(block);
    }

    /// How many waiting blocks the device holds.
    fn resident_blocks(&self) -> u64 {
        let code = self.plan.code;
        let by_threads = self.plan.limits.resident_threads / u64::from(self.plan.threads);
        let warp = code.sizes.bytes() + u64::from(code.local_bytes) * LANES as u64;
        let bytes = u64::from(self.plan.shared_bytes) + u64::from(self.plan.warps) * warp;
        by_threads.min(RESIDENT_BYTES / bytes.max(1)).max(1)
    }

    /// Runs the warps of a block in turn, each until it waits, for as long as any can go on.
    fn run_block(
        &mut self,
        block: &mut Block,
        spare: &mut Spare,
        quiet: &mut u64,
    ) -> Result<Progress, RunError> {
        let threads = self.plan.threads;
        loop {
            let mut moved = false;
            for place in 0..self.plan.warps {
                let index = block.warp_at(place);
                if place == block.started {
                    let mut warp = spare.warps.pop().unwrap_or_else(|| Warp::new(self.plan));
                    warp.start(self.plan, block.view.block, index as u32);
                    block.warps[index] = Some(warp);
                    block.started += 1;
                }
                let Some(mut warp) = block.warps[index].take() else {
                    continue;
                };
                if !warp.is_ready(self.version) {
                    block.warps[index] = Some(warp);
                    continue;
                }
                moved = true;
                if self.run_until_waiting(block, &mut warp, quiet)? {
                    spare.warps.push(warp);
                } else {
                    block.warps[index] = Some(warp);
                }
                block.open_barriers(threads, self.observer);
            }
            if block.live == 0 {
                return Ok(Progress::Ended);
            }
            if !moved {
                return Ok(Progress::Waits);
            }
        }
    }

    /// Runs a warp until it waits (false) or ends (true).
    fn run_until_waiting(
        &mut self,
        block: &mut Block,
        warp: &mut Warp,
        quiet: &mut u64,
    ) -> Result<bool, RunError> {
        let mut patience = PATIENCE;
        loop {
            let left = self.plan.limits.instructions.saturating_sub(self.spent);
            let slice = warp.slice.min(left);
            let before = self.version;
            match self.run_warp(block, warp, slice) {
                Stop::Exited => return Ok(true),
                Stop::Waiting => {
                    *quiet = 0;
                    return Ok(false);
                }
                Stop::Trap(at, lanes) => {
                    let place = Box::new(self.place(block, warp, at, lanes));
                    return Err(RunError::Trap { place });
                }
                Stop::Budget => {}
            }
            if self.spent >= self.plan.limits.instructions {
                let (at, lanes) = warp.fragments.last().map_or((0, warp.live), |f| (f.at, f.mask));
                let place = Box::new(self.place(block, warp, at, lanes));
                return Err(RunError::Limit {
                    place,
                    instructions: self.spent,
                });
            }
            if self.version != before {
                *quiet = 0;
                patience = PATIENCE;
                warp.slice = (warp.slice * 2).min(LONGEST_SLICE);
                continue;
            }
            *quiet += slice;
            patience = patience.saturating_sub(slice);
            if *quiet >= self.plan.limits.quiet_instructions {
                let (at, lanes) = warp.fragments.last().map_or((0, warp.live), |f| (f.at, f.mask));
                let place = Box::new(self.place(block, warp, at, lanes));
                let waiting = waits_for_memory(warp);
                return Err(RunError::Hang {
                    place,
                    threads: lanes.count(),
                    waiting,
                    blocks_not_started: 0,
                });
            }
            match self.probe(block, warp) {
                Some(Stop::Exited) => return Ok(true),
                Some(Stop::Waiting) => return Ok(false),
                Some(Stop::Trap(at, lanes)) => {
                    let place = Box::new(self.place(block, warp, at, lanes));
                    return Err(RunError::Trap { place });
                }
                Some(Stop::Budget) => {
                    // The same registers at the same step, and memory as it was: it goes round for ever.
                    warp.slice = SHORT_SLICE;
                    *quiet = 0;
                    self.set_aside(warp, State::Parked(self.version));
                }
                None if patience == 0 => {
                    patience = PATIENCE;
                    self.set_aside(warp, State::Yielded(self.version));
                }
                None => {
                    warp.slice = (warp.slice * 2).min(LONGEST_SLICE);
                    continue;
                }
            }
            if !warp.is_ready(self.version) {
                return Ok(false);
            }
        }
    }

    /// Watches a warp step by step. `Some(Budget)` when it came back to where it was with nothing changed,
    /// another stop when it stopped, nothing when it went on.
    fn probe(&mut self, block: &mut Block, warp: &mut Warp) -> Option<Stop> {
        let (registers, fragments, version) = (warp.registers.clone(), warp.fragments.clone(), self.version);
        warp.last_read = None;
        for _ in 0..PROBE {
            match self.run_warp(block, warp, 1) {
                Stop::Budget => {}
                stop => return Some(stop),
            }
            if self.version != version {
                return None;
            }
            if warp.fragments == fragments && warp.registers == registers {
                return Some(Stop::Budget);
            }
        }
        None
    }

    /// Puts the fragment that would go on next into another state.
    fn set_aside(&mut self, warp: &mut Warp, state: State) {
        if let Some(place) = warp.pick(self.version) {
            warp.fragments[place].state = state;
        }
    }

    fn place(&self, block: &Block, warp: &Warp, at: u32, lanes: LaneMask) -> Place {
        let step = self.plan.code.steps.get(at as usize);
        let pc = step.map_or_else(Default::default, |s| s.pc);
        let instruction = self.plan.kernel.instructions().get(pc.index());
        let thread = warp.index * LANES as u32 + lanes.lowest().unwrap_or(0) as u32;
        Place {
            kernel: self.plan.kernel.name().to_string(),
            pc,
            ptx_line: instruction.map_or(0, |i| i.ptx_line),
            line: step.map_or_else(Default::default, |s| s.line),
            block: block.view.block,
            thread: unflatten(thread, self.plan.block),
        }
    }

    /// The error that says who waits for what. A thread that goes round a loop is the cause more often than
    /// one that waits for its warp, and that one more often than one at a barrier.
    fn hang(&self, resident: &[Block], blocks_not_started: u64) -> RunError {
        let all = || {
            let warps = resident
                .iter()
                .flat_map(|block| block.warps.iter().flatten().map(move |w| (block, w)));
            warps.flat_map(|(block, warp)| warp.fragments.iter().map(move |f| (block, warp, f)))
        };
        let rank = |state: &State| match state {
            State::Parked(_) | State::Yielded(_) => 0,
            State::Lanes => 1,
            State::Barrier { .. } => 2,
            State::Ready => 3,
        };
        let Some((block, warp, fragment)) = all().min_by_key(|(_, _, f)| rank(&f.state)) else {
            return RunError::Launch(crate::error::LaunchError::OutOfMemory);
        };
        let (at, waiting) = match fragment.state {
            State::Barrier { barrier, from } => {
                let state = &block.barriers[barrier];
                let expected = state.expected.unwrap_or(block.live);
                (
                    from,
                    Waiting::Barrier {
                        barrier: barrier as u32,
                        arrived: state.arrived,
                        expected,
                    },
                )
            }
            State::Lanes => {
                let op = &self.plan.code.steps[fragment.at as usize].op;
                (
                    fragment.at,
                    Waiting::Lanes {
                        missing: meet::missing(warp, op, fragment.mask),
                    },
                )
            }
            _ => (fragment.at, waits_for_memory(warp)),
        };
        RunError::Hang {
            place: Box::new(self.place(block, warp, at, fragment.mask)),
            threads: block.waiting_at(at),
            waiting,
            blocks_not_started,
        }
    }
}

fn waits_for_memory(warp: &Warp) -> Waiting {
    match warp.last_read {
        Some(address) => Waiting::Memory {
            address: Some(address),
        },
        None => Waiting::Nothing,
    }
}

/// Lets those go on that gave way. False when nobody did.
fn wake(resident: &mut [Block]) -> bool {
    let mut woken = false;
    let warps = resident
        .iter_mut()
        .flat_map(|block| block.warps.iter_mut().flatten());
    for fragment in warps.flat_map(|warp| &mut warp.fragments) {
        if let State::Yielded(_) = fragment.state {
            fragment.state = State::Ready;
            woken = true;
        }
    }
    woken
}
