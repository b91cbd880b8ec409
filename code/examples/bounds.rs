//! Runs a kernel that checks rows but not columns, and looks for the damage.

use anyhow::Result;
use cudarc::driver::{CudaContext, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;

pub fn main() -> Result<()> {
    warpwise::gpu::require_driver()?;
    let stream = CudaContext::new(0)?.default_stream();
    let module = stream
        .context()
        .load_module(Ptx::from_src(warpwise::source::BOUNDS.ptx))?;
    let kernel = module.load_function("fill_rows_only")?;

    let (rows, cols) = (37u64, 50u64);
    let cells = (rows * cols) as usize;
    // Room behind the matrix for every store that strays, so that nothing else is hit.
    let guard = 64;
    let mut output = stream.clone_htod(&vec![u32::MAX; cells + guard])?;

    let launch = LaunchConfig {
        grid_dim: (cols.div_ceil(16) as u32, rows.div_ceil(16) as u32, 1),
        block_dim: (16, 16, 1),
        shared_mem_bytes: 0,
    };
    let mut arguments = stream.launch_builder(&kernel);
    arguments.arg(&mut output).arg(&rows).arg(&cols);
    // SAFETY: the last row's threads overrun the matrix by 14 cells; the guard has 64.
    unsafe { arguments.launch(launch) }?;

    let filled = stream.clone_dtoh(&output)?;
    let belongs = |i: u64| (1000 * (i / cols) + i % cols) as u32;
    let wrong = (0..rows * cols)
        .filter(|&i| filled[i as usize] != belongs(i))
        .count();
    let overrun = filled[cells..].iter().filter(|&&cell| cell != u32::MAX).count();
    println!("{wrong} of {cells} cells wrong, {overrun} cells written past the end");
    Ok(())
}
