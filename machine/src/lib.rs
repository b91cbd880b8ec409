//! Reads PTX and runs it warp by warp on the CPU, telling observers about every access.
//!
//! No GPU is needed, and the crate does no I/O: it takes the text of a PTX file and buffers of bytes.
//!
//! ```
//! use warpwise_machine::observe::{Counts, Stray};
//! use warpwise_machine::{run, Arg, Launch, Memory, Module, Options};
//!
//! // What a compiler makes of: out[i] = 2 * in[i], without asking whether i is inside.
//! let ptx = "
//! .version 8.0
//! .target sm_90
//! .address_size 64
//! .visible .entry twice(.param .u64 in, .param .u64 out)
//! {
//!     .reg .b32 %r<8>;
//!     .reg .b64 %rd<8>;
//!     ld.param.u64 %rd1, [in];
//!     ld.param.u64 %rd2, [out];
//!     mov.u32 %r1, %ctaid.x;
//!     mov.u32 %r2, %ntid.x;
//!     mov.u32 %r3, %tid.x;
//!     mad.lo.u32 %r4, %r1, %r2, %r3;
//!     mul.wide.u32 %rd3, %r4, 4;
//!     add.s64 %rd4, %rd1, %rd3;
//!     add.s64 %rd5, %rd2, %rd3;
//!     ld.global.u32 %r5, [%rd4];
//!     shl.b32 %r6, %r5, 1;
//!     st.global.u32 [%rd5], %r6;
//!     ret;
//! }";
//! let module = Module::parse(ptx)?;
//! let kernel = module.kernel("twice").ok_or("no such kernel")?;
//!
//! // 100 cells of 4 bytes; the output holds 0xFF bytes until something is written.
//! let mut memory = Memory::new();
//! let input = memory.alloc_from((0..100u32).flat_map(u32::to_le_bytes).collect());
//! let output = memory.alloc(400)?;
//!
//! // Two blocks of 64 threads: 28 threads too many.
//! let args = vec![Arg::Buffer(input), Arg::Buffer(output)];
//! let launch = Launch { grid: [2, 1, 1], block: [64, 1, 1], shared_bytes: 0, args };
//! let mut watch = (Counts::new(), Stray::new());
//! run(kernel, &launch, &mut memory, &Options::default(), &mut watch)?;
//!
//! assert_eq!(memory.bytes(output)[4 * 99..], 198u32.to_le_bytes());
//! let (counts, stray) = watch;
//! assert_eq!(counts.total().global_load.requests, 4);
//! assert_eq!(stray.total(), 28 + 28);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What it promises
//!
//! A kernel that uses what the machine does not know is refused when it is loaded, naming kernel, line and
//! opcode. A kernel that loads runs as the PTX ISA says; a run can be repeated, and gives the same result on
//! any number of host threads. What no thread can end, a loop in which nothing changes or a barrier that some
//! threads never reach, is reported as a hang. What a run survives, such as an access outside every buffer, is
//! for observers to report: see [`observe`], and [`event`] to write one.
//!
//! # What it can not tell
//!
//! Time. Approximate instructions give the nearest value where a GPU may differ in the last bits. Blocks start
//! one after the other, so one order is tried at a time; a data race is reported all the same, by
//! [`observe::Races`].

pub mod case;
mod code;
mod decode;
mod error;
pub mod event;
mod lanes;
mod launch;
mod memory;
mod module;
pub mod observe;
mod ops;
#[cfg(test)]
mod programs;
mod ptx;
mod registers;
pub mod request;
mod run;
mod space;

pub use error::{LaunchError, LoadError, MemoryError, Place, RunError, Waiting};
pub use event::Observer;
pub use lanes::{LaneMask, Lanes, Line, Pc, LANES};
pub use launch::{Arg, Launch, Limits, Options, Order};
pub use memory::{BufferId, Memory, MAX_BUFFERS, MAX_BUFFER_BYTES, POISON};
pub use module::{Instruction, Kernel, MemoryShape, Module, Param};
pub use run::run;
