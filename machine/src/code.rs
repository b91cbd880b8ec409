//! A kernel in the form that the interpreter executes.

use crate::event::{Access, Ordering};
use crate::lanes::{Line, Pc};
use crate::ops::atomics::AtomicRow;
use crate::ops::{Execute, Fields};
use crate::ptx::types::{Class, Type};
use crate::registers::{Register, Sizes};
use crate::space::MemorySpace;

/// The predicate register that is true in every lane: the guard of instructions without one.
pub(crate) const ALWAYS: Register = 0;

/// What a constant register holds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Constant {
    /// The same bits in every launch.
    Bits(u64),
    /// Bytes of the parameter block, extended as the type says.
    Param { offset: u32, ty: Type },
    /// The address of a variable of the module, and an offset.
    Variable { index: usize, offset: i64 },
    /// Something that depends on where the thread is.
    Special(Special),
}

/// Special registers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub(crate) enum Special {
    Tid(usize),
    Ntid(usize),
    Ctaid(usize),
    Nctaid(usize),
    LaneId,
    WarpId,
    NwarpId,
    GridId,
    LanemaskEq,
    LanemaskLe,
    LanemaskLt,
    LanemaskGe,
    LanemaskGt,
    DynamicSharedBytes,
    TotalSharedBytes,
}

/// A constant register and what it holds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ConstantRegister {
    pub(crate) class: Class,
    pub(crate) register: Register,
    pub(crate) constant: Constant,
}

/// A variable of the module, or constant memory, that a kernel names.
#[derive(Clone, Debug)]
pub(crate) struct ModuleVariable {
    pub(crate) bytes: u64,
    pub(crate) initial: Vec<u8>,
    pub(crate) writable: bool,
}

/// A kernel's code and what it needs.
#[derive(Clone, Debug)]
pub(crate) struct Code {
    pub(crate) steps: Vec<Step>,
    pub(crate) sizes: Sizes,
    pub(crate) constants: Vec<ConstantRegister>,
    /// Registers that a path may read before it writes them: set to zero before a warp starts.
    pub(crate) unassigned: Vec<(Class, Register)>,
    pub(crate) variables: Vec<ModuleVariable>,
    pub(crate) param_bytes: u32,
    /// Static shared memory, and the alignment that dynamic shared memory needs after it.
    pub(crate) shared_bytes: u32,
    /// Local memory of a thread.
    pub(crate) local_bytes: u32,
    pub(crate) max_threads: Option<u64>,
    pub(crate) required_block: Option<[u32; 3]>,
    /// True when blocks can tell whether others have run: the kernel has atomics, fences or accesses with an
    /// ordering.
    pub(crate) communicates: bool,
}

/// One step of the interpreter: an instruction, or a part of one.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    /// A predicate register …
    pub(crate) guard: Register,
    /// … and all ones where it is negated.
    pub(crate) flip: u32,
    pub(crate) op: Op,
    /// How many steps from here on compute each lane by itself, without a guard.
    pub(crate) plain: u32,
    /// The instruction it belongs to.
    pub(crate) pc: Pc,
    pub(crate) line: Line,
}

/// What a step does.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    /// Computes each lane by itself.
    Lanes {
        execute: Execute,
        fields: Fields,
    },
    /// Moves values between memory and registers.
    Load(Box<Transfer>),
    Store(Box<Transfer>),
    Atomic(Box<AtomicOp>),
    /// Goes on at another step.
    Branch(u32),
    Exit,
    Trap,
    /// Waits at a barrier of the block.
    Barrier(Box<BarrierOp>),
    /// Writes what a `bar.red` found.
    Collect {
        barrier: Register,
        target: Reduced,
    },
    /// Meets the other lanes of the warp.
    WarpBarrier {
        members: Register,
    },
    Shuffle(Box<ShuffleOp>),
    Vote {
        kind: VoteKind,
        dst: Register,
        src: Register,
        flip: u32,
        members: Register,
    },
    Match(Box<MatchOp>),
    Reduce(Box<ReduceOp>),
    Elect {
        dst: Register,
        pred: Register,
        members: Register,
    },
    ActiveMask {
        dst: Register,
    },
    /// Copies from global to shared memory, later.
    CopyAsync(Box<CopyOp>),
    CopyCommit,
    /// Waits until at most this many groups of copies are pending; `None` also ends the one not committed.
    CopyWait(Option<u32>),
    Fence,
    /// Does nothing, where a branch needs a place to land or an instruction a place to be.
    Nothing,
}

/// The address of an access: a register and a constant.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Address {
    pub(crate) base: Register,
    /// A 32-bit register holds the base.
    pub(crate) narrow: bool,
    pub(crate) offset: i64,
}

/// A load or a store.
#[derive(Clone, Debug)]
pub(crate) struct Transfer {
    pub(crate) space: MemorySpace,
    pub(crate) address: Address,
    pub(crate) element: Type,
    /// Elements of the vector: 1, 2, 4 or 8.
    pub(crate) count: u32,
    pub(crate) registers: [Register; 8],
    pub(crate) ordering: Ordering,
    /// Constant memory is no traffic that observers see.
    pub(crate) constant: bool,
}

/// An atomic or a reduction.
#[derive(Clone, Debug)]
pub(crate) struct AtomicOp {
    pub(crate) space: MemorySpace,
    pub(crate) address: Address,
    pub(crate) row: &'static AtomicRow,
    pub(crate) dst: Option<Register>,
    pub(crate) src: [Register; 2],
    pub(crate) ordering: Ordering,
}

impl AtomicOp {
    pub(crate) fn access(&self) -> Access {
        Access::Atomic {
            returns: self.dst.is_some(),
        }
    }
}

/// What a `bar.red` computes over the threads of a barrier.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Reduced {
    Popc(Register),
    And(Register),
    Or(Register),
}

/// A barrier of the block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BarrierOp {
    pub(crate) barrier: Register,
    /// Threads that it waits for; all of the block where there is none.
    pub(crate) threads: Option<Register>,
    /// `bar.arrive` counts, and does not wait.
    pub(crate) waits: bool,
    pub(crate) aligned: bool,
    /// The predicate that `bar.red` reduces, and all ones where it is negated.
    pub(crate) reduce: Option<(Register, u32)>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ShuffleKind {
    Up,
    Down,
    Butterfly,
    Index,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct ShuffleOp {
    pub(crate) kind: ShuffleKind,
    pub(crate) dst: Register,
    /// Receives whether the source lane was in range.
    pub(crate) pred: Register,
    pub(crate) src: Register,
    pub(crate) lane: Register,
    pub(crate) clamp: Register,
    pub(crate) members: Register,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum VoteKind {
    All,
    Any,
    Uniform,
    Ballot,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct MatchOp {
    pub(crate) class: Class,
    /// `match.all`, with the predicate it sets; `match.any` where there is none.
    pub(crate) all: Option<Register>,
    pub(crate) dst: Register,
    pub(crate) src: Register,
    pub(crate) members: Register,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct ReduceOp {
    pub(crate) row: &'static AtomicRow,
    pub(crate) dst: Register,
    pub(crate) src: Register,
    pub(crate) members: Register,
}

/// `cp.async`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CopyOp {
    pub(crate) to: Address,
    pub(crate) from: Address,
    pub(crate) bytes: u32,
    /// How many bytes to read; the rest is zero.
    pub(crate) source_bytes: Option<Register>,
}
