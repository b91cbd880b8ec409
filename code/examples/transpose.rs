//! Transposes a matrix on the GPU through padded tiles, and checks every cell.

use anyhow::{ensure, Result};
use cudarc::driver::{CudaContext, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;

pub fn main() -> Result<()> {
    warpwise::gpu::require_driver()?;
    let stream = CudaContext::new(0)?.default_stream();
    let module = stream
        .context()
        .load_module(Ptx::from_src(warpwise::source::TRANSPOSE.ptx))?;
    let kernel = module.load_function("transpose_padded")?;

    let (rows, cols) = (1001u64, 777u64);
    let matrix: Vec<u32> = (0..(rows * cols) as u32).collect();
    let input = stream.clone_htod(&matrix)?;
    // Poison: a cell that no thread writes can not look right by luck.
    let mut output = stream.clone_htod(&vec![u32::MAX; matrix.len()])?;

    let launch = LaunchConfig {
        grid_dim: (cols.div_ceil(32) as u32, rows.div_ceil(32) as u32, 1),
        block_dim: (32, 8, 1), // four cells a thread
        shared_mem_bytes: 0,
    };
    let mut arguments = stream.launch_builder(&kernel);
    arguments.arg(&input).arg(&mut output).arg(&rows).arg(&cols);
    // SAFETY: the kernel's own parameters: two buffers of rows * cols cells, two sizes.
    unsafe { arguments.launch(launch) }?;

    let turned = stream.clone_dtoh(&output)?;
    for r in 0..rows {
        for c in 0..cols {
            let (here, there) = ((r * cols + c) as usize, (c * rows + r) as usize);
            ensure!(turned[there] == matrix[here], "cell ({r}, {c}) did not arrive");
        }
    }
    println!("{rows} x {cols}: all {} cells arrived", matrix.len());
    Ok(())
}
