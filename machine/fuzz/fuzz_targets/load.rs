//! Any text may be refused and any kernel may be stopped; nothing may panic, and nothing may run for ever.
//! `machine/tests/hostile.rs` does the same to mutations of the course's kernels in `cargo test`.
#![no_main]

use libfuzzer_sys::fuzz_target;
use warpwise_machine::{run, Arg, Launch, Limits, Memory, Module, Options};

fuzz_target!(|ptx: &str| {
    let Ok(module) = Module::parse(ptx) else { return };
    for kernel in module.kernels() {
        let mut memory = Memory::new();
        let args = kernel.params().iter().map(|param| match param.bytes {
            8 => Arg::Buffer(memory.alloc_from(vec![1; 4096])),
            bytes => Arg::Bytes(vec![3; bytes as usize]),
        });
        let launch = Launch {
            args: args.collect(),
            grid: [2, 1, 1],
            block: [40, 1, 1],
            shared_bytes: 64,
        };
        let limits = Limits {
            instructions: 20_000,
            quiet_instructions: 5_000,
            ..Limits::default()
        };
        let _ = run(
            kernel,
            &launch,
            &mut memory,
            &Options {
                limits,
                ..Options::default()
            },
            &mut (),
        );
    }
});
