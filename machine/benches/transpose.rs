//! The machine against a loop nest that does the same: transposes of 4096x4096 `u32`, elements per second.
//!
//! `cargo bench -p warpwise-machine` prints both in one run. Every machine run starts from fresh buffers,
//! whose making is not counted.

use divan::counter::ItemsCount;
use divan::{Bencher, Divan};
use warpwise_machine::observe::{Counts, Coverage, Races, Watch};
use warpwise_machine::{run, Arg, Kernel, Launch, Memory, Module, Options, RunError};

/// Rows and columns.
const N: u64 = 4096;

fn main() {
    Divan::from_args().sample_count(5).sample_size(1).main();
}

fn cells(n: u64) -> Vec<u32> {
    (0..n * n).map(|i| i as u32).collect()
}

/// What the machine is held against: the same transpose by a loop nest of the host.
fn host(bencher: Bencher, nest: impl Fn(&[u32], &mut [u32]) + Sync) {
    let input = cells(N);
    bencher
        .counter(ItemsCount::new(N * N))
        .with_inputs(|| vec![u32::MAX; (N * N) as usize])
        .bench_values(|mut output| {
            nest(&input, &mut output);
            output
        });
}

/// Row by row, as the naive kernel's warps go.
#[divan::bench]
fn loop_nest(bencher: Bencher) {
    let n = N as usize;
    host(bencher, |input, output| {
        for r in 0..n {
            for c in 0..n {
                output[c * n + r] = input[r * n + c];
            }
        }
    });
}

/// In tiles of 32 x 32, as the tiled kernels go.
#[divan::bench]
fn loop_nest_in_tiles(bencher: Bencher) {
    let n = N as usize;
    host(bencher, |input, output| {
        for top in (0..n).step_by(32) {
            for left in (0..n).step_by(32) {
                for r in top..top + 32 {
                    for c in left..left + 32 {
                        output[c * n + r] = input[r * n + c];
                    }
                }
            }
        }
    });
}

fn machine(
    bencher: Bencher,
    name: &str,
    n: u64,
    threads: usize,
    run: impl Fn(&Kernel, &Launch, &mut Memory, &Options) -> Result<(), RunError> + Sync,
) {
    let ptx = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../kernels/transpose.ptx"));
    let module = Module::parse(&ptx.expect("the course's kernels")).expect("they load");
    let kernel = module.kernel(name).expect("it is there");
    let side = (n / 32) as u32;
    let tall = if name == "transpose_padded" { 8 } else { 32 };
    let bytes: Vec<u8> = cells(n).into_iter().flat_map(u32::to_le_bytes).collect();
    let options = Options {
        threads,
        ..Options::default()
    };
    bencher
        .counter(ItemsCount::new(n * n))
        .with_inputs(|| {
            let mut memory = Memory::new();
            let input = memory.alloc_from(bytes.clone());
            let output = memory.alloc(4 * n * n).expect("room");
            let args = vec![Arg::Buffer(input), Arg::Buffer(output), Arg::U64(n), Arg::U64(n)];
            (
                memory,
                Launch {
                    grid: [side, side, 1],
                    block: [32, tall, 1],
                    shared_bytes: 0,
                    args,
                },
            )
        })
        .bench_values(|(mut memory, launch)| {
            run(kernel, &launch, &mut memory, &options).expect("it runs");
            memory
        });
}

fn counts(kernel: &Kernel, launch: &Launch, memory: &mut Memory, options: &Options) -> Result<(), RunError> {
    Counts::new().run(kernel, launch, memory, options)
}

/// Every observer, as a lesson has them; those of races and of unwritten memory where `ordered`.
fn watch(ordered: bool) -> impl Fn(&Kernel, &Launch, &mut Memory, &Options) -> Result<(), RunError> + Sync {
    move |kernel, launch, memory, options| {
        let output = memory.ids().last().expect("the output");
        let cells = memory.bytes(output).len() as u64 / 4;
        Watch::new([Coverage::new(output, cells, 4)], ordered).run(kernel, launch, memory, options)
    }
}

const RUNGS: [&str; 5] = [
    "copy",
    "transpose_naive",
    "transpose_strided_read",
    "transpose_tiled",
    "transpose_padded",
];

#[divan::bench(args = RUNGS)]
fn unobserved(bencher: Bencher, name: &str) {
    machine(bencher, name, N, 1, |kernel, launch, memory, options| {
        run(kernel, launch, memory, options, &mut ())
    });
}

#[divan::bench(args = RUNGS)]
fn counted(bencher: Bencher, name: &str) {
    machine(bencher, name, N, 1, counts);
}

#[divan::bench(args = [1, 2, 4, 8, 16])]
fn counted_on_threads(bencher: Bencher, threads: usize) {
    machine(bencher, "transpose_padded", N, threads, counts);
}

#[divan::bench(args = RUNGS)]
fn watched(bencher: Bencher, name: &str) {
    machine(bencher, name, N, 1, watch(false));
}

#[divan::bench(args = [1, 2, 4, 8, 16])]
fn watched_on_threads(bencher: Bencher, threads: usize) {
    machine(bencher, "transpose_padded", N, threads, watch(false));
}

#[divan::bench(args = RUNGS)]
fn watched_for_races(bencher: Bencher, name: &str) {
    machine(bencher, name, N, 1, watch(true));
}

#[divan::bench(args = RUNGS)]
fn races_alone(bencher: Bencher, name: &str) {
    machine(bencher, name, N, 1, |kernel, launch, memory, options| {
        run(kernel, launch, memory, options, &mut Races::new())
    });
}
