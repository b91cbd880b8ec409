//! Reads PTX and runs it warp by warp on the CPU, telling observers about every access.

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
