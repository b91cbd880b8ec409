//! Counts lattice paths with one launch a diagonal, then with one for everything.

use anyhow::{ensure, Result};
use cudarc::driver::{CudaContext, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;

pub fn main() -> Result<()> {
    warpwise::gpu::require_driver()?;
    let stream = CudaContext::new(0)?.default_stream();
    let module = stream
        .context()
        .load_module(Ptx::from_src(warpwise::source::DIAGONAL.ptx))?;
    let by_diagonal = module.load_function("wavefront_diagonal")?;
    let at_once = module.load_function("wavefront_single_launch")?;

    let (rows, cols) = (1000u64, 700u64);
    let expected = warpwise::diagonal::lattice_paths(rows, cols)?;
    let launch = |threads: u64, block: u32| LaunchConfig {
        grid_dim: (threads.div_ceil(block.into()) as u32, 1, 1),
        block_dim: (block, 1, 1),
        shared_mem_bytes: 0,
    };

    let mut output = stream.clone_htod(&vec![u32::MAX; expected.len()])?;
    for d in 0..rows + cols - 1 {
        let mut arguments = stream.launch_builder(&by_diagonal);
        arguments.arg(&mut output).arg(&rows).arg(&cols).arg(&d);
        // SAFETY: the kernel's own parameters: a buffer of rows * cols, three sizes.
        unsafe { arguments.launch(launch(rows.min(cols), 256)) }?;
    }
    ensure!(
        stream.clone_dtoh(&output)? == expected,
        "one launch a diagonal must be right"
    );
    println!(
        "{} launches, one a diagonal: all {} cells right",
        rows + cols - 1,
        expected.len()
    );

    let mut output = stream.clone_htod(&vec![u32::MAX; expected.len()])?;
    let mut arguments = stream.launch_builder(&at_once);
    arguments.arg(&mut output).arg(&rows).arg(&cols);
    // SAFETY: the kernel's own parameters; it races, but stays inside the buffer.
    unsafe { arguments.launch(launch(rows, 32)) }?;
    let found = stream.clone_dtoh(&output)?;
    let wrong = found.iter().zip(&expected).filter(|(a, b)| a != b).count();
    println!("1 launch for all: {wrong} cells wrong");
    Ok(())
}
