//! What the machine tells an [`Observer`].
//!
//! The interpreter checks nothing that a kernel may do wrong: it says what happened, and observers decide
//! what that means. An observer borrows each event and can not change the machine.

use crate::lanes::{LaneMask, Line, Pc, LANES};
use crate::memory::BufferId;
use crate::module::Kernel;

/// Where an access went. Generic addresses are resolved to one of these.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Space {
    /// Memory that every block sees.
    Global,
    /// The memory of one block.
    Shared,
}

/// What an access does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Access {
    /// Reads.
    Load,
    /// Writes.
    Store,
    /// Reads, changes and writes in one step.
    Atomic {
        /// `atom` returns the old value; `red`, a reduction, does not.
        returns: bool,
    },
}

impl Access {
    /// True for everything but a load.
    pub const fn writes(self) -> bool {
        !matches!(self, Access::Load)
    }

    /// True for everything but a store.
    pub const fn reads(self) -> bool {
        !matches!(self, Access::Store)
    }
}

/// The memory ordering that an instruction asks for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Ordering {
    /// An ordinary access.
    Weak,
    /// Indivisible, orders nothing else. `volatile` counts as this.
    Relaxed,
    /// What comes after it stays after it.
    Acquire,
    /// What comes before it stays before it.
    Release,
    /// Both.
    AcqRel,
}

/// One warp-wide memory instruction with at least one active lane.
#[derive(Clone, Debug)]
pub struct WarpEvent<'a> {
    /// The block, [x, y, z].
    pub block: [u32; 3],
    /// The block's linear index, x fastest.
    pub block_index: u64,
    /// Threads of a block, [x, y, z].
    pub block_dim: [u32; 3],
    /// The warp within its block.
    pub warp: u32,
    /// The instruction.
    pub pc: Pc,
    /// Its source line.
    pub line: Line,
    /// The lanes that take part.
    pub active: LaneMask,
    /// Those of `active` whose access is in bounds and aligned; a fault is reported for each of the others.
    pub valid: LaneMask,
    /// Where the access goes.
    pub space: Space,
    /// What it does.
    pub access: Access,
    /// Its memory ordering.
    pub ordering: Ordering,
    /// Bytes per lane: the whole vector for `.v2` and `.v4`.
    pub bytes: u32,
    /// Byte address per lane; entries of inactive lanes mean nothing. In shared memory: the offset in the
    /// block's shared window.
    pub addresses: &'a [u64; LANES],
    /// The distance in bytes from each lane's address to the next, when all 32 lanes are active and valid and
    /// it is the same for all. Nothing that `addresses` does not say, and quicker to look at.
    pub step: Option<i64>,
    /// Barriers over the whole block that the block has passed.
    pub epoch: u32,
    /// Warp-wide synchronisations (`bar.warp.sync`, shuffles, votes) that the warp has passed.
    pub warp_epoch: u32,
}

impl WarpEvent<'_> {
    /// The linear index within its block of the thread on `lane`, x fastest.
    pub fn thread(&self, lane: usize) -> u32 {
        self.warp * LANES as u32 + lane as u32
    }

    /// The thread on `lane`, [x, y, z].
    pub fn thread_index(&self, lane: usize) -> [u32; 3] {
        unflatten(self.thread(lane), self.block_dim)
    }
}

/// [x, y, z] of a linear thread index, x fastest.
pub(crate) fn unflatten(index: u32, dim: [u32; 3]) -> [u32; 3] {
    let x = dim[0].max(1);
    let y = dim[1].max(1);
    [index % x, index / x % y, index / x / y]
}

/// Why an access was dropped.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FaultKind {
    /// A global address outside every buffer.
    OutOfBounds,
    /// The address is not a multiple of the access width.
    Misaligned,
    /// A shared address past the block's shared memory.
    SharedOutOfRange,
    /// A store to constant memory.
    ReadOnly,
}

/// One lane's access that could not be done. It is dropped: a load gives 0xFF bytes, a store writes nothing,
/// and the run goes on.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Fault {
    /// What is wrong with it.
    pub kind: FaultKind,
    /// The block, [x, y, z].
    pub block: [u32; 3],
    /// The block's linear index, x fastest.
    pub block_index: u64,
    /// The thread, [x, y, z].
    pub thread: [u32; 3],
    /// The warp within its block.
    pub warp: u32,
    /// The lane within its warp.
    pub lane: u32,
    /// The instruction.
    pub pc: Pc,
    /// Its source line.
    pub line: Line,
    /// Where the access was to go.
    pub space: Space,
    /// What it was to do.
    pub access: Access,
    /// Its byte address (in shared memory: offset in the block's window).
    pub address: u64,
    /// Its width in bytes.
    pub bytes: u32,
}

/// Some lanes of a warp arrived at a barrier of their block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BarrierArrival {
    /// The block, [x, y, z].
    pub block: [u32; 3],
    /// The block's linear index, x fastest.
    pub block_index: u64,
    /// The warp within its block.
    pub warp: u32,
    /// The barrier instruction.
    pub pc: Pc,
    /// Its source line.
    pub line: Line,
    /// Which of the block's 16 barriers.
    pub barrier: u32,
    /// The lanes that arrived by this instruction.
    pub arrived: LaneMask,
    /// The lanes of the warp that have not exited. `bar.sync` wants all of these to arrive together: where
    /// `arrived` is fewer, the barrier is divergent.
    pub live: LaneMask,
    /// The lanes of the warp that hold a thread: fewer than 32 in the last warp of an odd block.
    pub threads: LaneMask,
    /// True for `bar.sync` and `barrier.sync.aligned`; `barrier.sync` may be divergent.
    pub aligned: bool,
    /// Barriers over the whole block that the block had passed before.
    pub epoch: u32,
}

/// Lanes of a warp execute an instruction that names the lanes it is for: `bar.warp.sync`, `shfl.sync`,
/// `vote.sync`, `match.sync`, `redux.sync`, `elect.sync`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Meeting {
    /// The block, [x, y, z].
    pub block: [u32; 3],
    /// The block's linear index, x fastest.
    pub block_index: u64,
    /// The warp within its block.
    pub warp: u32,
    /// The instruction.
    pub pc: Pc,
    /// Its source line.
    pub line: Line,
    /// The lanes that execute it.
    pub active: LaneMask,
    /// The lanes that it names, as the first active lane gives them.
    pub named: LaneMask,
    /// The lanes of the warp that hold a thread, exited or not.
    pub threads: LaneMask,
}

/// A memory fence (`membar`, `fence`): it orders the accesses of each of its lanes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fence {
    /// The block's linear index, x fastest.
    pub block_index: u64,
    /// The warp within its block.
    pub warp: u32,
    /// The lanes that take part.
    pub active: LaneMask,
}

/// A barrier of a block let its threads go.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BarrierRelease {
    /// The block, [x, y, z].
    pub block: [u32; 3],
    /// The block's linear index, x fastest.
    pub block_index: u64,
    /// Which of the block's 16 barriers.
    pub barrier: u32,
    /// Threads that arrived.
    pub arrived: u32,
    /// Threads of the block.
    pub threads: u32,
    /// Threads of the block that had exited by then, and so were not waited for.
    pub exited: u32,
    /// The instruction at which the first thread waited.
    pub pc: Pc,
    /// Its source line.
    pub line: Line,
    /// The source line of another barrier instruction at which threads of the same barrier waited, if any.
    pub other: Option<(Pc, Line)>,
    /// Barriers over the whole block that the block has passed now. A barrier with a thread count below the
    /// block's does not raise it.
    pub epoch: u32,
}

/// A buffer as a launch finds it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BufferView {
    /// Which buffer; nothing for a variable of the module.
    pub id: Option<BufferId>,
    /// Its first byte address.
    pub base: u64,
    /// Its size in bytes.
    pub bytes: u64,
    /// False for a buffer of [`Memory::alloc`](crate::Memory::alloc), whose bytes nothing wrote.
    pub initialised: bool,
}

/// A launch about to run.
#[derive(Clone, Debug)]
pub struct LaunchView<'a> {
    /// The kernel.
    pub kernel: &'a Kernel,
    /// Blocks of the grid, [x, y, z].
    pub grid: [u32; 3],
    /// Threads of a block, [x, y, z].
    pub block: [u32; 3],
    /// Shared memory of a block in bytes, static and dynamic.
    pub shared_bytes: u32,
    /// Global memory, lowest address first.
    pub buffers: &'a [BufferView],
}

/// A block that starts or ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BlockView {
    /// The block, [x, y, z].
    pub block: [u32; 3],
    /// Its linear index, x fastest.
    pub block_index: u64,
}

/// What watches a run. Every method does nothing unless overridden.
///
/// The machine is compiled for each observer, so that what is not observed costs nothing; `()` observes
/// nothing, a tuple of observers hands every event to each, an `Option` to the one that is there.
#[allow(unused_variables)]
pub trait Observer: Send {
    /// False when [`request`](Observer::request) does nothing, so that events need not be made up.
    const REQUESTS: bool = true;

    /// A launch begins.
    fn launch(&mut self, launch: &LaunchView<'_>) {}
    /// A block begins.
    fn block_start(&mut self, block: &BlockView) {}
    /// All threads of a block have exited.
    fn block_end(&mut self, block: &BlockView) {}
    /// A warp-wide memory instruction; called before its effect.
    fn request(&mut self, event: &WarpEvent<'_>) {}
    /// One lane's access was dropped; called after the request it belongs to.
    fn fault(&mut self, fault: &Fault) {}
    /// Lanes meet in a warp-wide instruction.
    fn meet(&mut self, meeting: &Meeting) {}
    /// A memory fence.
    fn fence(&mut self, fence: &Fence) {}
    /// Lanes arrived at a barrier.
    fn barrier(&mut self, arrival: &BarrierArrival) {}
    /// A barrier let its threads go.
    fn release(&mut self, release: &BarrierRelease) {}

    /// An observer for another thread of the host to use on other blocks of the same launch, or nothing when
    /// what this observer reports depends on seeing all blocks in order. It gets no
    /// [`launch`](Observer::launch) of its own.
    fn fork(&self) -> Option<Self>
    where
        Self: Sized,
    {
        None
    }

    /// Takes over what a forked observer saw. The result may not depend on how blocks were dealt out.
    fn join(&mut self, part: Self)
    where
        Self: Sized,
    {
    }
}

impl Observer for () {
    const REQUESTS: bool = false;

    fn fork(&self) -> Option<()> {
        Some(())
    }
}

/// Hands every event on; a borrowed observer can not fork.
impl<O: Observer> Observer for &mut O {
    const REQUESTS: bool = O::REQUESTS;

    fn launch(&mut self, launch: &LaunchView<'_>) {
        (**self).launch(launch)
    }
    fn block_start(&mut self, block: &BlockView) {
        (**self).block_start(block)
    }
    fn block_end(&mut self, block: &BlockView) {
        (**self).block_end(block)
    }
    #[inline]
    fn request(&mut self, event: &WarpEvent<'_>) {
        (**self).request(event)
    }
    fn fault(&mut self, fault: &Fault) {
        (**self).fault(fault)
    }
    fn meet(&mut self, meeting: &Meeting) {
        (**self).meet(meeting)
    }
    fn fence(&mut self, fence: &Fence) {
        (**self).fence(fence)
    }
    fn barrier(&mut self, arrival: &BarrierArrival) {
        (**self).barrier(arrival)
    }
    fn release(&mut self, release: &BarrierRelease) {
        (**self).release(release)
    }
}

macro_rules! each {
    ($(#[$doc:meta])* $Many:ident, $fork:item) => {
        $(#[$doc])*
        impl<O: Observer> Observer for $Many<O> {
            const REQUESTS: bool = O::REQUESTS;

            fn launch(&mut self, launch: &LaunchView<'_>) { self.iter_mut().for_each(|o| o.launch(launch)) }
            fn block_start(&mut self, block: &BlockView) { self.iter_mut().for_each(|o| o.block_start(block)) }
            fn block_end(&mut self, block: &BlockView) { self.iter_mut().for_each(|o| o.block_end(block)) }
            #[inline]
            fn request(&mut self, event: &WarpEvent<'_>) { self.iter_mut().for_each(|o| o.request(event)) }
            fn fault(&mut self, fault: &Fault) { self.iter_mut().for_each(|o| o.fault(fault)) }
            fn meet(&mut self, meeting: &Meeting) { self.iter_mut().for_each(|o| o.meet(meeting)) }
            fn fence(&mut self, fence: &Fence) { self.iter_mut().for_each(|o| o.fence(fence)) }
            fn barrier(&mut self, arrival: &BarrierArrival) { self.iter_mut().for_each(|o| o.barrier(arrival)) }
            fn release(&mut self, release: &BarrierRelease) { self.iter_mut().for_each(|o| o.release(release)) }
            $fork
            fn join(&mut self, parts: Self) { self.iter_mut().zip(parts).for_each(|(o, part)| o.join(part)) }
        }
    };
}

each! {
    /// Hands every event to the observer that is there.
    Option,
    fn fork(&self) -> Option<Self> {
        match self {
            Some(observer) => observer.fork().map(Some),
            None => Some(None),
        }
    }
}

each! {
    /// Hands every event to each, first to last; forks where all do.
    Vec,
    fn fork(&self) -> Option<Self> {
        self.iter().map(O::fork).collect()
    }
}

macro_rules! tuples {
    ($(($($O:ident $i:tt),+))+) => {$(
        /// Hands every event to each, first to last; forks where all do.
        impl<$($O: Observer),+> Observer for ($($O,)+) {
            const REQUESTS: bool = $($O::REQUESTS)||+;

            fn launch(&mut self, launch: &LaunchView<'_>) { $(self.$i.launch(launch);)+ }
            fn block_start(&mut self, block: &BlockView) { $(self.$i.block_start(block);)+ }
            fn block_end(&mut self, block: &BlockView) { $(self.$i.block_end(block);)+ }
            #[inline]
            fn request(&mut self, event: &WarpEvent<'_>) { $(self.$i.request(event);)+ }
            fn fault(&mut self, fault: &Fault) { $(self.$i.fault(fault);)+ }
            fn meet(&mut self, meeting: &Meeting) { $(self.$i.meet(meeting);)+ }
            fn fence(&mut self, fence: &Fence) { $(self.$i.fence(fence);)+ }
            fn barrier(&mut self, arrival: &BarrierArrival) { $(self.$i.barrier(arrival);)+ }
            fn release(&mut self, release: &BarrierRelease) { $(self.$i.release(release);)+ }
            fn fork(&self) -> Option<Self> { Some(($(self.$i.fork()?,)+)) }
            fn join(&mut self, part: Self) { $(self.$i.join(part.$i);)+ }
        }
    )+};
}

tuples! {
    (A 0)
    (A 0, B 1)
    (A 0, B 1, C 2)
    (A 0, B 1, C 2, D 3)
    (A 0, B 1, C 2, D 3, E 4)
    (A 0, B 1, C 2, D 3, E 4, F 5)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7)
}
