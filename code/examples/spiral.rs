//! Puts a matrix into spiral order, one thread a place in the sequence.

use anyhow::{ensure, Result};
use cudarc::driver::{CudaContext, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;

pub fn main() -> Result<()> {
    warpwise::gpu::require_driver()?;
    let stream = CudaContext::new(0)?.default_stream();
    let module = stream
        .context()
        .load_module(Ptx::from_src(warpwise::source::SPIRAL.ptx))?;
    let kernel = module.load_function("spiral_gather")?;

    let (rows, cols) = (1001u64, 777u64);
    let matrix: Vec<u32> = (0..(rows * cols) as u32).collect();
    let input = stream.clone_htod(&matrix)?;
    let mut output = stream.clone_htod(&vec![u32::MAX; matrix.len()])?;

    let launch = LaunchConfig {
        grid_dim: ((rows * cols).div_ceil(256) as u32, 1, 1),
        block_dim: (256, 1, 1),
        shared_mem_bytes: 0,
    };
    let mut arguments = stream.launch_builder(&kernel);
    arguments.arg(&input).arg(&mut output).arg(&rows).arg(&cols);
    // SAFETY: the kernel's own parameters: two buffers of rows * cols cells, two sizes.
    unsafe { arguments.launch(launch) }?;

    let sequence = stream.clone_dtoh(&output)?;
    for (place, (r, c)) in warpwise::spiral::walk(rows, cols).enumerate() {
        ensure!(
            sequence[place] == matrix[(r * cols + c) as usize],
            "place {place} holds another cell"
        );
    }
    println!(
        "{rows} x {cols}: all {} places hold the cell that the walk visits there",
        sequence.len()
    );
    Ok(())
}
