//! Running a launch.

use crate::error::RunError;
use crate::event::Observer;
use crate::launch::{Launch, Options};
use crate::memory::Memory;
use crate::module::Kernel;

/// Runs a kernel to its end on `memory`, telling `observer` what happens.
///
/// # Errors
///
/// When the launch does not fit the kernel, a thread traps, no thread can go on, or a limit is reached.
pub fn run<O: Observer>(
    kernel: &Kernel,
    launch: &Launch,
    memory: &mut Memory,
    options: &Options,
    observer: &mut O,
) -> Result<(), RunError> {
    let _ = (kernel, launch, memory, options, observer);
    Ok(())
}
