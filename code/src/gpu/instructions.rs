//! The instruction programs on a GPU.

use super::{driver_error, Gpu, GpuError};
use crate::instructions::{Buffer, Program, THREADS};
use cudarc::driver::{CudaModule, CudaSlice, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use std::sync::Arc;

impl Gpu {
    /// Returns the capability of the card as programs name it, 90 for 9.0.
    pub fn capability(&self) -> u32 {
        self.compute_capability.replace('.', "").parse().unwrap_or(0)
    }

    /// Returns a program, compiled for this card.
    ///
    /// # Errors
    /// The driver does not take it.
    pub fn instruction_program(&self, program: &Program) -> Result<Arc<CudaModule>, GpuError> {
        self.context
            .load_module(Ptx::from_src(program.ptx))
            .map_err(|e| driver_error("loading a program of kernels/instructions", e))
    }

    /// Returns the bytes of each buffer after one run of a kernel on them.
    ///
    /// # Errors
    /// The driver's: a kernel that is not there, or that faults.
    pub fn instruction_kernel(
        &self,
        module: &Arc<CudaModule>,
        kernel: &str,
        buffers: &[Buffer],
    ) -> Result<Vec<Vec<u8>>, GpuError> {
        let function = module
            .load_function(kernel)
            .map_err(|e| driver_error("finding the kernel", e))?;
        let slices: Vec<CudaSlice<u8>> = buffers
            .iter()
            .map(|buffer| self.stream.clone_htod(&buffer.bytes))
            .collect::<Result<_, _>>()
            .map_err(|e| driver_error("copying to the GPU", e))?;
        let config = LaunchConfig {
            grid_dim: (1, 1, 1),
            block_dim: (THREADS as u32, 1, 1),
            shared_mem_bytes: 0,
        };
        let mut arguments = self.stream.launch_builder(&function);
        for slice in &slices {
            arguments.arg(slice);
        }
        // SAFETY: a buffer stands for each parameter of the kernel, all of them addresses; a test runs every kernel
        // on the same buffers under the machine, which reports no access outside them.
        #[allow(unsafe_code)]
        let launched = unsafe { arguments.launch(config) };
        launched.map_err(|e| driver_error("launching the kernel", e))?;
        slices
            .iter()
            .map(|slice| self.stream.clone_dtoh(slice))
            .collect::<Result<_, _>>()
            .map_err(|e| driver_error("running the kernel", e))
    }
}
