//! Fills a matrix whose shape fits no block, and counts the threads without a cell.

use anyhow::{ensure, Result};
use cudarc::driver::{CudaContext, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;

pub fn main() -> Result<()> {
    warpwise::gpu::require_driver()?;
    let stream = CudaContext::new(0)?.default_stream();
    let module = stream
        .context()
        .load_module(Ptx::from_src(warpwise::source::GRID.ptx))?;
    let kernel = module.load_function("grid_fill")?;

    let (rows, cols) = (37u64, 61u64);
    let cells = (rows * cols) as usize;
    let mut output = stream.clone_htod(&vec![u32::MAX; cells])?;

    let launch = LaunchConfig {
        grid_dim: (cols.div_ceil(16) as u32, rows.div_ceil(16) as u32, 1),
        block_dim: (16, 16, 1),
        shared_mem_bytes: 0,
    };
    let mut arguments = stream.launch_builder(&kernel);
    arguments.arg(&mut output).arg(&rows).arg(&cols);
    // SAFETY: the kernel's own parameters: a buffer of rows * cols cells, two sizes.
    unsafe { arguments.launch(launch) }?;

    let filled = stream.clone_dtoh(&output)?;
    for (i, &cell) in filled.iter().enumerate() {
        ensure!(cell == i as u32, "cell {i} holds {cell}");
    }
    let (gx, gy, _) = launch.grid_dim;
    let launched = (gx * gy) as usize * 16 * 16;
    println!("{rows} x {cols} in a grid of {gx} x {gy} blocks: every cell written");
    println!(
        "{launched} threads for {cells} cells, {} with nothing to do",
        launched - cells
    );
    Ok(())
}
