//! What a run takes besides the buffers, counted by the allocator.
//!
//! A file of its own: the allocator counts for the whole process, and other tests would run beside it.

use peak_alloc::PeakAlloc;
use warpwise_machine::observe::{Counts, Coverage, Watch};
use warpwise_machine::{Arg, BufferId, Kernel, Launch, Memory, Module, Options, RunError};

#[global_allocator]
static ALLOCATED: PeakAlloc = PeakAlloc;

const N: u64 = 1024;

/// The most that was allocated during a run, as a multiple of the buffers.
fn peak(
    kernel: &Kernel,
    block: [u32; 3],
    threads: usize,
    run: impl Fn(BufferId, &Kernel, &Launch, &mut Memory, &Options) -> Result<(), RunError>,
) -> f64 {
    let mut memory = Memory::new();
    let input = memory.alloc_from(vec![7; (4 * N * N) as usize]);
    let output = memory.alloc(4 * N * N).unwrap();
    let launch = Launch {
        grid: [(N / 32) as u32, (N / 32) as u32, 1],
        block,
        shared_bytes: 0,
        args: vec![Arg::Buffer(input), Arg::Buffer(output), Arg::U64(N), Arg::U64(N)],
    };
    let options = Options {
        threads,
        ..Options::default()
    };
    let before = ALLOCATED.current_usage() - (8 * N * N) as usize;
    ALLOCATED.reset_peak_usage();
    run(output, kernel, &launch, &mut memory, &options).unwrap();
    (ALLOCATED.peak_usage() - before) as f64 / (8 * N * N) as f64
}

#[test]
fn a_run_stays_near_the_size_of_its_buffers() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../kernels/transpose.ptx");
    let module = Module::parse(&std::fs::read_to_string(path).unwrap()).unwrap();
    for (name, block) in [("transpose_naive", [32, 32, 1]), ("transpose_padded", [32, 8, 1])] {
        let kernel = module.kernel(name).unwrap();
        for threads in [1, 2, 16] {
            let counted = peak(kernel, block, threads, |_, kernel, launch, memory, options| {
                Counts::new().run(kernel, launch, memory, options)
            });
            let watched = |ordered| {
                peak(
                    kernel,
                    block,
                    threads,
                    |output, kernel, launch, memory, options| {
                        Watch::new([Coverage::new(output, N * N, 4)], ordered)
                            .run(kernel, launch, memory, options)
                    },
                )
            };
            let (watched, with_races) = (watched(false), watched(true));
            println!(
                "{name} on {threads} threads: {counted:.2} times its buffers with counts, {watched:.2} with \
                 all observers but those of races and unwritten memory, {with_races:.2} with these"
            );
            assert!(counted <= 1.5 && watched <= 1.5, "{name} on {threads} threads");
            // Four bytes for each word of memory touched once, sixteen for one touched twice.
            assert!(with_races <= 4.0, "{name} on {threads} threads");
        }
    }
}
