//! Whole kernels in PTX, each with a blessed report beside it.
//!
//! - `pass/`: run in every order; the report holds what they wrote, what it cost, and the findings.
//! - `stopped/`: end with an error; the report holds it.
//! - `refused/`: do not load; the report holds why.
//!
//! The first lines of a program say how to launch it: `// launch: grid 2 block 64 shared 0`, then one line for
//! each argument, as `warpwise trace` takes them: `// arg: in:u32:64` (0, 1, 2, …), `// arg: out:u32:64`
//! (poison), `// arg: u64:5`. `BLESS=1 cargo test --test programs` writes the reports anew.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use warpwise_machine::observe::Watch;
use warpwise_machine::{
    run, Arg, BufferId, Kernel, Launch, Limits, Memory, Module, Options, Order, RunError,
};

fn programs(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder);
    let entries = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = entries
        .filter(|path| path.extension().is_some_and(|e| e == "ptx"))
        .collect();
    files.sort();
    assert!(!files.is_empty());
    files
}

/// Compares a report with the blessed one, or writes it. Gives back what is wrong.
fn check(program: &Path, report: &str) -> Option<String> {
    let path = program.with_extension("txt");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, report).unwrap();
    }
    let blessed = std::fs::read_to_string(&path)
        .unwrap_or_default()
        .replace('\r', "");
    (blessed != report).then(|| format!("{}:\n{report}\nblessed:\n{blessed}", program.display()))
}

struct Setting {
    memory: Memory,
    launch: Launch,
    outputs: Vec<(BufferId, usize)>,
}

/// What the first lines of a program ask for.
fn setting(ptx: &str) -> Setting {
    let mut setting = Setting {
        memory: Memory::new(),
        launch: Launch {
            grid: [1; 3],
            block: [1; 3],
            shared_bytes: 0,
            args: Vec::new(),
        },
        outputs: Vec::new(),
    };
    for line in ptx.lines().take_while(|line| line.starts_with("//")) {
        if let Some(words) = line.strip_prefix("// launch:") {
            let words: Vec<&str> = words.split_whitespace().collect();
            for pair in words.chunks(2) {
                let sizes: Vec<u32> = pair[1].split(',').map(|n| n.parse().unwrap()).collect();
                let extent = std::array::from_fn(|axis| sizes.get(axis).copied().unwrap_or(1));
                match pair[0] {
                    "grid" => setting.launch.grid = extent,
                    "block" => setting.launch.block = extent,
                    "shared" => setting.launch.shared_bytes = sizes[0],
                    word => panic!("{word}"),
                }
            }
        } else if let Some(spec) = line.strip_prefix("// arg:") {
            let arg = argument(&mut setting, spec.trim());
            setting.launch.args.push(arg);
        }
    }
    setting
}

fn argument(setting: &mut Setting, spec: &str) -> Arg {
    let size = |ty: &str| ty[1..].parse::<usize>().unwrap() / 8;
    match spec.split(':').collect::<Vec<_>>()[..] {
        ["in", ty, count] => {
            let bytes = (0..count.parse().unwrap()).flat_map(|i: u64| match ty {
                "f32" => (i as f32).to_le_bytes().to_vec(),
                "f64" => (i as f64).to_le_bytes().to_vec(),
                _ => i.to_le_bytes()[..size(ty)].to_vec(),
            });
            let bytes = bytes.collect();
            Arg::Buffer(setting.memory.alloc_from(bytes))
        }
        ["zero", ty, count] => {
            let bytes = vec![0; size(ty) * count.parse::<usize>().unwrap()];
            let buffer = setting.memory.alloc_from(bytes);
            setting.outputs.push((buffer, size(ty)));
            Arg::Buffer(buffer)
        }
        ["out", ty, count] => {
            let bytes = size(ty) as u64 * count.parse::<u64>().unwrap();
            let buffer = setting.memory.alloc(bytes).unwrap();
            setting.outputs.push((buffer, size(ty)));
            Arg::Buffer(buffer)
        }
        ["u32", value] => Arg::U32(value.parse().unwrap()),
        ["u64", value] => Arg::U64(value.parse().unwrap()),
        ["f32", value] => Arg::F32(value.parse().unwrap()),
        ["f64", value] => Arg::F64(value.parse().unwrap()),
        _ => panic!("{spec}"),
    }
}

fn kernel(ptx: &str) -> Kernel {
    Module::parse(ptx).unwrap_or_else(|e| panic!("{e}")).kernels()[0].clone()
}

fn limits() -> Limits {
    Limits {
        instructions: 20_000_000,
        quiet_instructions: 4_000_000,
        ..Limits::default()
    }
}

/// Everything there is to say about one run.
fn report(kernel: &Kernel, ptx: &str, order: Order) -> String {
    let Setting {
        mut memory,
        launch,
        outputs,
    } = setting(ptx);
    let mut watch = Watch::new([], true);
    let options = Options {
        order,
        limits: limits(),
        threads: 1,
    };
    let result = watch.run(kernel, &launch, &mut memory, &options);
    let mut text = String::new();
    if let Err(error) = result {
        writeln!(text, "{error}").unwrap();
    }
    for (number, (buffer, size)) in outputs.iter().enumerate() {
        writeln!(text, "output {number}").unwrap();
        for row in memory.bytes(*buffer).chunks(8 * size) {
            let cells: Vec<String> = row
                .chunks(*size)
                .map(|cell| {
                    let mut bytes = [0; 8];
                    bytes[..*size].copy_from_slice(cell);
                    format!("{:x}", u64::from_le_bytes(bytes))
                })
                .collect();
            writeln!(text, "  {}", cells.join(" ")).unwrap();
        }
    }
    for (pc, _, requests) in watch.counts().by_instruction() {
        let opcode = &kernel.instructions()[pc.index()].opcode;
        let global = [
            ("loads", requests.global_load),
            ("stores", requests.global_store),
            ("atomics", requests.global_atomic),
            ("reductions", requests.global_reduction),
        ];
        for (what, count) in global.into_iter().filter(|(_, count)| count.requests > 0) {
            writeln!(
                text,
                "{opcode}: {} global {what}, {} sectors",
                count.requests, count.sectors
            )
            .unwrap();
        }
        let shared = [
            ("loads", requests.shared_load),
            ("stores", requests.shared_store),
            ("atomics", requests.shared_atomic),
        ];
        for (what, count) in shared.into_iter().filter(|(_, count)| count.requests > 0) {
            let (requests, wavefronts) = (count.requests, count.wavefronts);
            writeln!(
                text,
                "{opcode}: {requests} shared {what}, {wavefronts} wavefronts"
            )
            .unwrap();
        }
    }
    for finding in watch.findings() {
        writeln!(text, "{finding}").unwrap();
    }
    text
}

/// What a run wrote, and how it ended.
fn outcome(kernel: &Kernel, ptx: &str, order: Order, threads: usize) -> (Vec<Vec<u8>>, Result<(), RunError>) {
    let Setting {
        mut memory,
        launch,
        outputs,
    } = setting(ptx);
    let result = run(
        kernel,
        &launch,
        &mut memory,
        &Options {
            order,
            limits: limits(),
            threads,
        },
        &mut (),
    );
    (
        outputs
            .iter()
            .map(|(buffer, _)| memory.bytes(*buffer).to_vec())
            .collect(),
        result,
    )
}

#[test]
fn programs_that_pass() {
    let mut wrong = Vec::new();
    for path in programs("pass") {
        let ptx = std::fs::read_to_string(&path).unwrap();
        let kernel = kernel(&ptx);
        wrong.extend(check(&path, &report(&kernel, &ptx, Order::Forward)));
        let first = outcome(&kernel, &ptx, Order::Forward, 1);
        if first.1.is_err() {
            wrong.push(format!("{}: {:?}", path.display(), first.1));
        }
        for order in [
            Order::Reverse,
            Order::Shuffle(1),
            Order::Shuffle(2),
            Order::Shuffle(3),
        ] {
            let other = outcome(&kernel, &ptx, order, 1);
            if other != first {
                wrong.push(format!("{}: {order:?} differs: {:?}", path.display(), other.1));
            }
        }
        if outcome(&kernel, &ptx, Order::Forward, 3) != first {
            wrong.push(format!("{}: differs on three threads", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn programs_that_are_stopped() {
    let mut wrong = Vec::new();
    for path in programs("stopped") {
        let ptx = std::fs::read_to_string(&path).unwrap();
        let (_, result) = outcome(&kernel(&ptx), &ptx, Order::Forward, 1);
        match result {
            Ok(()) => wrong.push(format!("{} runs to its end", path.display())),
            Err(error) => wrong.extend(check(&path, &format!("{error}\n"))),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn programs_that_are_refused() {
    let mut wrong = Vec::new();
    for path in programs("refused") {
        let ptx = std::fs::read_to_string(&path).unwrap();
        match Module::parse(&ptx) {
            Ok(_) => wrong.push(format!("{} loads", path.display())),
            Err(error) => wrong.extend(check(&path, &format!("{error}\n"))),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
