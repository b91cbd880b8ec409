//! What can go wrong, kept apart: the PTX can not be read, it needs what the machine lacks, the launch does
//! not fit the kernel, or the run stops. A defect that a run survives is no error: observers report it.

use crate::lanes::{Line, Pc};
use std::fmt;
use thiserror::Error;

/// Why a module was refused.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum LoadError {
    /// The text is not PTX.
    #[error("PTX line {line}, column {column}: {message}")]
    Parse {
        /// Line in the PTX, from 1.
        line: u32,
        /// Column in bytes, from 1.
        column: u32,
        /// What was expected and what stands there.
        message: String,
    },
    /// An instruction or directive that the machine does not know.
    #[error("kernel {kernel}, {}: `{opcode}` is not supported{reason}", place(*.line, *.source_line))]
    Unsupported {
        /// The kernel it stands in.
        kernel: String,
        /// Line in the PTX, from 1.
        line: u32,
        /// Line of the source file.
        source_line: Line,
        /// The opcode with its modifiers.
        opcode: String,
        /// Why, as it continues the sentence; may be empty.
        reason: String,
    },
    /// Operands that do not fit their opcode: wrong width, wrong type, wrong number, unknown name.
    #[error("kernel {kernel}, {}: `{opcode}`: {message}", place(*.line, *.source_line))]
    Operand {
        /// The kernel it stands in.
        kernel: String,
        /// Line in the PTX, from 1.
        line: u32,
        /// Line of the source file.
        source_line: Line,
        /// The opcode with its modifiers.
        opcode: String,
        /// What does not fit.
        message: String,
    },
}

fn place(line: u32, source_line: Line) -> String {
    match source_line.known() {
        Some(source) => format!("PTX line {line} (source line {source})"),
        None => format!("PTX line {line}"),
    }
}

/// Why memory could not be given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum MemoryError {
    /// More bytes than the machine or its host can give.
    #[error("a buffer of {bytes} bytes does not fit")]
    TooLarge {
        /// The size asked for.
        bytes: u64,
    },
    /// More buffers than a memory holds.
    #[error("a memory holds at most {} buffers", crate::memory::MAX_BUFFERS)]
    TooMany,
}

/// Why a launch was refused before its first instruction.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum LaunchError {
    /// A grid or block size that no GPU accepts.
    #[error("{what} is {}x{}x{}: {limit}", .size[0], .size[1], .size[2])]
    Size {
        /// "the grid" or "the block".
        what: &'static str,
        /// The size, [x, y, z].
        size: [u32; 3],
        /// What is allowed.
        limit: &'static str,
    },
    /// More shared memory than a block can have.
    #[error("{statically} bytes of static and {dynamically} of dynamic shared memory: a block has at most {limit}")]
    Shared {
        /// Bytes the kernel declares.
        statically: u32,
        /// Bytes the launch asks for.
        dynamically: u32,
        /// The most a block can have.
        limit: u32,
    },
    /// Too few or too many arguments.
    #[error("{kernel} takes {expected} arguments, and was given {given}")]
    ArgumentCount {
        /// The kernel.
        kernel: String,
        /// Its parameters.
        expected: usize,
        /// The arguments given.
        given: usize,
    },
    /// An argument of another width than its parameter.
    #[error("{kernel}: parameter {} holds {expected} bytes, and was given {given}", .index + 1)]
    ArgumentWidth {
        /// The kernel.
        kernel: String,
        /// The parameter, from 0.
        index: usize,
        /// Bytes of the parameter.
        expected: u32,
        /// Bytes of the argument.
        given: u32,
    },
    /// A buffer of another memory.
    #[error("argument {} names a buffer that this memory does not have", .index + 1)]
    UnknownBuffer {
        /// The argument, from 0.
        index: usize,
    },
    /// The host can not give the memory that the launch needs.
    #[error("the launch needs more memory than there is")]
    OutOfMemory,
}

/// Where in a kernel, and for which threads, something happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The kernel.
    pub kernel: String,
    /// The instruction.
    pub pc: Pc,
    /// Line in the PTX, from 1.
    pub ptx_line: u32,
    /// Line of the source file.
    pub line: Line,
    /// The block, [x, y, z].
    pub block: [u32; 3],
    /// The first of the threads, [x, y, z].
    pub thread: [u32; 3],
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Place {
            kernel,
            ptx_line,
            line,
            block,
            thread,
            ..
        } = self;
        write!(f, "{kernel}, ")?;
        match line.known() {
            Some(source) => write!(f, "line {source} (PTX line {ptx_line})")?,
            None => write!(f, "PTX line {ptx_line}")?,
        }
        write!(f, ", block ({}, {}, {})", block[0], block[1], block[2])?;
        write!(f, ", thread ({}, {}, {})", thread[0], thread[1], thread[2])
    }
}

/// What the threads of a hang wait for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Waiting {
    /// A barrier of the block that other threads never reach.
    Barrier {
        /// Which of the block's 16 barriers.
        barrier: u32,
        /// Threads that wait at it.
        arrived: u32,
        /// Threads it waits for.
        expected: u32,
    },
    /// Lanes of the warp that never come to a warp-wide instruction.
    Lanes {
        /// How many lanes are missing.
        missing: u32,
    },
    /// A change in memory: the threads go round a loop in which nothing changes any more.
    Memory {
        /// The address that the loop reads, if it reads one.
        address: Option<u64>,
    },
    /// Nothing: a loop that reads no memory and never changes.
    Nothing,
}

impl Waiting {
    /// The sentence that says that this many threads wait so.
    fn of(&self, threads: u32) -> String {
        let one = threads == 1;
        let who = if one {
            "1 thread".to_string()
        } else {
            format!("{threads} threads")
        };
        let verb = |plural: &'static str, single: &'static str| if one { single } else { plural };
        match self {
            Waiting::Barrier {
                barrier,
                arrived,
                expected,
            } => {
                let waits = verb("wait", "waits");
                format!("{who} {waits} at barrier {barrier}, which {arrived} of {expected} threads reach")
            }
            Waiting::Lanes { missing } => {
                let waits = verb("wait", "waits");
                format!("{who} {waits} for {missing} of their warp, which never come")
            }
            Waiting::Memory {
                address: Some(address),
            } => {
                let reads = verb("read", "reads");
                format!("{who} {reads} address {address:#x} again and again, which nobody will change")
            }
            Waiting::Memory { address: None } => {
                format!(
                    "{who} {} for memory that nobody will change",
                    verb("wait", "waits")
                )
            }
            Waiting::Nothing => format!("{who} {} round a loop that never ends", verb("go", "goes")),
        }
    }
}

/// Why a run stopped. What it wrote until then stays written.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RunError {
    /// The launch does not fit the kernel; nothing ran.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// A thread executed `trap`.
    #[error("{place}: trap")]
    Trap {
        /// Where.
        place: Box<Place>,
    },
    /// No thread can go on.
    #[error("{place}: hang: {}{}", waiting.of(*.threads), started(*.blocks_not_started))]
    Hang {
        /// The first threads that wait.
        place: Box<Place>,
        /// How many threads wait there.
        threads: u32,
        /// What they wait for.
        waiting: Waiting,
        /// Blocks that could not start, because the ones that hang fill the device.
        blocks_not_started: u64,
    },
    /// The launch took more instructions than [`Limits`](crate::Limits) allow.
    #[error("{place}: stopped after {instructions} warp instructions, the limit of this run")]
    Limit {
        /// Where it was then.
        place: Box<Place>,
        /// Warp-wide instructions executed.
        instructions: u64,
    },
}

fn started(blocks_not_started: u64) -> String {
    match blocks_not_started {
        0 => String::new(),
        n => format!("; {n} blocks could not start, for the waiting ones fill the device"),
    }
}
