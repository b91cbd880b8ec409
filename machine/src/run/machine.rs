//! The interpreter: steps of one warp until it waits, ends, or has had its share.

use super::block::Block;
use super::global::Global;
use super::setup::Plan;
use super::warp::{Fragment, State, Warp};
use crate::code::{BarrierOp, Op, Reduced};
use crate::event::{BarrierArrival, Fence, Meeting, Observer};
use crate::lanes::{LaneMask, LANES};
use crate::registers::Lane;

/// Why a warp stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stop {
    /// All its threads have exited.
    Exited,
    /// Every fragment waits for something.
    Waiting,
    /// It has had its share of steps.
    Budget,
    /// Lanes executed `trap` at this step.
    Trap(u32, LaneMask),
}

/// What executes steps: memory, and whoever watches.
pub(crate) struct Machine<'a, O, G> {
    pub(crate) plan: &'a Plan<'a>,
    pub(crate) observer: &'a mut O,
    pub(crate) global: G,
    /// Steps executed in the whole launch.
    pub(crate) spent: u64,
    /// Goes up with every change that others can see: memory, barriers, exits.
    pub(crate) version: u64,
}

/// What a step means for the fragment that took it.
enum Next {
    /// On to the next step.
    On,
    /// Lanes in the mask take another way; the others go on.
    Apart(LaneMask, u32, State),
}

impl<O: Observer, G: Global> Machine<'_, O, G> {
    /// Runs a warp for at most `budget` steps.
    pub(crate) fn run_warp(&mut self, block: &mut Block, warp: &mut Warp, budget: u64) -> Stop {
        let steps = self.plan.code.steps.as_slice();
        let mut left = budget;
        let stop = 'pick: loop {
            let Some(place) = warp.pick(self.version) else {
                break match self.meet(warp) {
                    true => continue,
                    false if warp.live.is_empty() => Stop::Exited,
                    false => Stop::Waiting,
                };
            };
            let Fragment {
                mut at, mask: active, ..
            } = warp.fragments[place];
            let alone = warp.fragments.len() == 1;
            let meeting = if alone { u32::MAX } else { warp.next_meeting(at) };
            loop {
                if left == 0 || at >= meeting {
                    warp.fragments[place].at = at;
                    if left == 0 {
                        break 'pick Stop::Budget;
                    }
                    continue 'pick;
                }
                let step = &steps[at as usize];
                if step.plain > 0 {
                    let run = u64::from(step.plain.min(meeting - at)).min(left);
                    for step in &steps[at as usize..][..run as usize] {
                        if let Op::Lanes { execute, fields } = &step.op {
                            execute(&mut warp.registers, fields, active);
                        }
                    }
                    at += run as u32;
                    left -= run;
                    continue;
                }
                let mask = active & LaneMask(warp.registers.pred[step.guard as usize].0 ^ step.flip);
                left -= 1;
                if let Op::Lanes { execute, fields } = &step.op {
                    execute(&mut warp.registers, fields, mask);
                    at += 1;
                    continue;
                }
                if let (Op::Branch(target), true) = (&step.op, mask == active) {
                    at = *target;
                    if alone {
                        continue;
                    }
                    warp.fragments[place].at = at;
                    continue 'pick;
                }
                if mask.is_empty() {
                    at += 1;
                    continue;
                }
                if let Op::Trap = step.op {
                    warp.fragments[place].at = at;
                    break 'pick Stop::Trap(at, mask);
                }
                match self.step(block, warp, at, mask) {
                    Next::On => at += 1,
                    Next::Apart(lanes, target, state) => {
                        let rest = active - lanes;
                        warp.fragments[place] = Fragment {
                            at: at + 1,
                            mask: rest,
                            state: State::Ready,
                        };
                        if rest.is_empty() {
                            warp.fragments.swap_remove(place);
                        }
                        if !(lanes & warp.live).is_empty() {
                            warp.fragments.push(Fragment {
                                at: target,
                                mask: lanes,
                                state,
                            });
                        }
                        continue 'pick;
                    }
                }
            }
        };
        self.spent += budget - left;
        stop
    }

    /// One step that is no plain computation, on lanes of which there is at least one.
    fn step(&mut self, block: &mut Block, warp: &mut Warp, at: u32, mask: LaneMask) -> Next {
        let step = &self.plan.code.steps[at as usize];
        match &step.op {
            Op::Load(transfer) => self.load(block, warp, step, transfer, mask),
            Op::Store(transfer) => self.store(block, warp, step, transfer, mask),
            Op::Atomic(atomic) => self.atomic(block, warp, step, atomic, mask),
            Op::Branch(target) => return Next::Apart(mask, *target, State::Ready),
            Op::Exit => {
                warp.copies.wait(mask, None, &mut block.shared);
                warp.exit(mask);
                block.live -= mask.count();
                self.version += 1;
                return Next::Apart(mask, at, State::Ready);
            }
            Op::Barrier(barrier) => return self.arrive(block, warp, barrier, at, mask),
            Op::Collect { barrier, target } => {
                let outcome = block.barriers[barrier_number(warp, *barrier, mask)].outcome;
                match *target {
                    Reduced::Popc(dst) => u32::write(&mut warp.registers, dst, &[outcome.votes; LANES], mask),
                    Reduced::And(dst) => {
                        bool::write(
                            &mut warp.registers,
                            dst,
                            &all(outcome.votes == outcome.threads),
                            mask,
                        );
                    }
                    Reduced::Or(dst) => bool::write(&mut warp.registers, dst, &all(outcome.votes > 0), mask),
                }
            }
            Op::CopyAsync(copy) => self.copy_async(block, warp, step, copy, mask),
            Op::CopyCommit => warp.copies.commit(mask),
            Op::CopyWait(pending) => warp.copies.wait(mask, *pending, &mut block.shared),
            Op::Fence => self.observer.fence(&Fence {
                block_index: block.view.block_index,
                warp: warp.index,
                active: mask,
            }),
            Op::ActiveMask { dst } => u32::write(&mut warp.registers, *dst, &[mask.0; LANES], mask),
            Op::WarpBarrier { .. }
            | Op::Shuffle(_)
            | Op::Vote { .. }
            | Op::Match(_)
            | Op::Reduce(_)
            | Op::Elect { .. } => {
                if !super::meet::complete(warp, &step.op, mask) {
                    return Next::Apart(mask, at, State::Lanes);
                }
                warp.epoch += 1;
                self.observer.meet(&Meeting {
                    block: block.view.block,
                    block_index: block.view.block_index,
                    warp: warp.index,
                    pc: step.pc,
                    line: step.line,
                    active: mask,
                    named: super::meet::members(&warp.registers, &step.op, mask),
                    threads: warp.threads,
                });
                super::meet::execute(&mut warp.registers, &step.op, mask);
            }
            Op::Lanes { .. } | Op::Trap | Op::Nothing => {}
        }
        Next::On
    }

    /// Lanes arrive at a barrier of their block.
    fn arrive(
        &mut self,
        block: &mut Block,
        warp: &mut Warp,
        op: &BarrierOp,
        at: u32,
        mask: LaneMask,
    ) -> Next {
        let step = &self.plan.code.steps[at as usize];
        // A warp comes to an aligned barrier as one: wait for the lanes that went another way, as long as
        // they may come.
        if op.aligned && mask != warp.live && !std::mem::take(&mut warp.forced) {
            warp.awaited = warp.awaited | warp.live;
            return Next::Apart(mask, at, State::Lanes);
        }
        // Lanes that exited while others waited for them here should have come.
        let live = warp.live | std::mem::take(&mut warp.awaited);
        let number = barrier_number(warp, op.barrier, mask);
        self.observer.barrier(&BarrierArrival {
            block: block.view.block,
            block_index: block.view.block_index,
            warp: warp.index,
            pc: step.pc,
            line: step.line,
            barrier: number as u32,
            arrived: mask,
            live,
            threads: warp.threads,
            aligned: op.aligned,
            epoch: block.epoch,
        });
        self.version += 1;
        let lane = mask.lowest().unwrap_or(0);
        block.arrivals |= 1 << number;
        let barrier = &mut block.barriers[number];
        barrier.arrived += mask.count();
        barrier.counted += if warp.live.is_subset_of(mask) {
            LANES as u32
        } else {
            mask.count()
        };
        if let Some(threads) = op.threads {
            barrier
                .expected
                .get_or_insert(warp.registers.b32.get(threads, lane));
        }
        match barrier.first {
            None => barrier.first = Some((step.pc, step.line)),
            // With a count of threads a barrier joins those who wait and those who only arrive.
            Some(first) if first != (step.pc, step.line) && op.threads.is_none() => {
                barrier.other.get_or_insert((step.pc, step.line));
            }
            Some(_) => {}
        }
        if let Some((predicate, flip)) = op.reduce {
            let votes = mask & LaneMask(warp.registers.pred[predicate as usize].0 ^ flip);
            barrier.votes += votes.count();
        }
        if op.waits {
            Next::Apart(
                mask,
                at + 1,
                State::Barrier {
                    barrier: number,
                    from: at,
                },
            )
        } else {
            Next::On
        }
    }

    /// Nobody in the warp can go on. Lets fragments go that wait for each other at different
    /// `bar.warp.sync`, or one that waits at a barrier for lanes that can not come; true when it did.
    fn meet(&mut self, warp: &mut Warp) -> bool {
        let op = |f: &Fragment| &self.plan.code.steps[f.at as usize].op;
        let meets = |f: &Fragment| f.state == State::Lanes && matches!(op(f), Op::WarpBarrier { .. });
        let together = warp
            .fragments
            .iter()
            .filter(|f| meets(f))
            .fold(LaneMask::EMPTY, |mask, f| mask | f.mask);
        let complete = |f: &Fragment| super::meet::complete(warp, op(f), f.mask | together);
        if !together.is_empty() && warp.fragments.iter().filter(|f| meets(f)).all(complete) {
            for fragment in warp.fragments.iter_mut().filter(|f| meets(f)) {
                fragment.state = State::Ready;
                fragment.at += 1;
            }
            warp.epoch += 1;
            return true;
        }
        let may_come = |f: &Fragment| matches!(f.state, State::Parked(_) | State::Yielded(_));
        if warp.fragments.iter().any(may_come) {
            return false;
        }
        let waits = |f: &&mut Fragment| f.state == State::Lanes && matches!(op(f), Op::Barrier(_));
        match warp.fragments.iter_mut().find(waits) {
            Some(fragment) => {
                fragment.state = State::Ready;
                warp.forced = true;
                true
            }
            None => false,
        }
    }
}

/// The number of the barrier that a register names: there are 16.
fn barrier_number(warp: &Warp, register: u32, mask: LaneMask) -> usize {
    let lane = mask.lowest().unwrap_or(0);
    warp.registers.b32.get(register, lane) as usize % super::block::BARRIERS
}

fn all(yes: bool) -> LaneMask {
    if yes {
        LaneMask::FULL
    } else {
        LaneMask::EMPTY
    }
}
