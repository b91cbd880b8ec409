//! Elements per second of a transpose on one thread, with counts: `cargo run --release --example speed`.
use std::time::Instant;
use warpwise_machine::observe::Counts;
use warpwise_machine::{run, Arg, Launch, Memory, Module, Options};

fn main() {
    let n: u64 = std::env::args().nth(1).map_or(4096, |a| a.parse().unwrap());
    let threads: usize = std::env::args().nth(2).map_or(1, |a| a.parse().unwrap());
    let ptx =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../kernels/transpose.ptx")).unwrap();
    let module = Module::parse(&ptx).unwrap();
    let only = std::env::args().nth(3);
    for kernel in module.kernels() {
        let name = kernel.name();
        if only.as_deref().is_some_and(|only| only != name) {
            continue;
        }
        let tall = if name.ends_with("four") || name == "transpose_padded" {
            8
        } else {
            32
        };
        for counted in [false, true] {
            let mut memory = Memory::new();
            let input = memory.alloc_from((0..n * n).flat_map(|i| (i as u32).to_le_bytes()).collect());
            let output = memory.alloc(n * n * 4).unwrap();
            let args = vec![Arg::Buffer(input), Arg::Buffer(output), Arg::U64(n), Arg::U64(n)];
            let side = n.div_ceil(32) as u32;
            let launch = Launch {
                grid: [side, side, 1],
                block: [32, tall, 1],
                shared_bytes: 0,
                args,
            };
            let options = Options {
                threads,
                ..Options::default()
            };
            let (start, cpu) = (Instant::now(), cpu_seconds());
            if counted {
                run(kernel, &launch, &mut memory, &options, &mut Counts::new()).unwrap();
            } else {
                run(kernel, &launch, &mut memory, &options, &mut ()).unwrap();
            }
            let seconds = start.elapsed().as_secs_f64();
            let cpu = cpu_seconds() - cpu;
            let rate = (n * n) as f64 / seconds / 1e6;
            println!(
                "{name:24} {} {rate:7.1} million elements/s, {:7.1} by CPU time",
                if counted { "counted" } else { "plain  " },
                (n * n) as f64 / cpu / 1e6
            );
        }
    }
}

fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ')
        .next()
        .and_then(|ns| ns.parse::<f64>().ok())
        .map_or(f64::NAN, |ns| ns / 1e9)
}
