//! Choosing where kernels run.

use super::args::DeviceChoice;
use super::Output;
use crate::gpu::Gpu;
use anyhow::Result;

/// Returns the GPU, or `None` for the machine. `auto` says what it chose, and why.
pub(super) fn choose(choice: DeviceChoice, output: &mut Output) -> Result<Option<Gpu>> {
    match choice {
        DeviceChoice::Machine => Ok(None),
        DeviceChoice::Gpu => Ok(Some(Gpu::open()?)),
        DeviceChoice::Auto => match Gpu::open() {
            Ok(gpu) => {
                writeln!(
                    output.err,
                    "device: {} (driver {}, CUDA {})",
                    gpu.name, gpu.driver, gpu.cuda
                )?;
                Ok(Some(gpu))
            }
            Err(error) => {
                writeln!(
                    output.err,
                    "device: the PTX machine, because {}",
                    reason(&error.to_string())
                )?;
                Ok(None)
            }
        },
    }
}

/// The first half of an error sentence: what happened, without what to do.
fn reason(sentence: &str) -> &str {
    sentence.split(';').next().unwrap_or(sentence)
}
