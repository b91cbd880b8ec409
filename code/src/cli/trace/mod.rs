//! `warpwise trace`: any kernel on the machine, with a report by source line.

mod report;
mod spec;

use super::args::TraceArgs;
use super::{write_json, Output, SUCCESS};
use crate::outcome::{Defect, Traffic};
use crate::run::{host_threads, RACES_UP_TO};
use anyhow::{anyhow, bail, Context, Result};
use report::Source;
use serde::Serialize;
use spec::{OutBuffer, Spec};
use std::path::Path;
use std::time::Instant;
use warpwise_machine::observe::{Coverage, Races, Watch};
use warpwise_machine::{Arg, Launch, LaunchError, Memory, Module, Options, RunError};

/// What `trace --json` prints.
#[derive(Serialize)]
struct Trace {
    kernel: String,
    grid: [u32; 3],
    block: [u32; 3],
    /// Whether every cell of every output buffer was written exactly once.
    written_once: bool,
    stray: u64,
    races: Option<u64>,
    #[serde(flatten)]
    traffic: Traffic,
    machine_ms: f64,
    lines: Vec<LineCount>,
    findings: Vec<Defect>,
}

/// What one source line touched.
#[derive(Serialize)]
struct LineCount {
    line: u32,
    /// The line's text, where the source was found.
    source: Option<String>,
    #[serde(flatten)]
    traffic: Traffic,
}

pub(super) fn trace(args: &TraceArgs, output: &mut Output) -> Result<u8> {
    let ptx = read_ptx(&args.file, output.folder)?;
    let module = Module::parse(&ptx).with_context(|| format!("{} can not run", args.file.display()))?;
    let Some(kernel) = module.kernel(&args.kernel) else {
        let known: Vec<_> = module.kernels().iter().map(|k| k.name()).collect();
        bail!(
            "{} has no kernel `{}`; it has {}",
            args.file.display(),
            args.kernel,
            known.join(", ")
        );
    };
    let mut memory = Memory::new();
    let mut outputs: Vec<OutBuffer> = Vec::new();
    // What a report calls each buffer, in the order in which they are allocated.
    let mut names: Vec<String> = Vec::new();
    let mut arguments = Vec::new();
    for (text, number) in args.args.iter().zip(1..) {
        let (arg, out) = text.parse::<Spec>()?.allocate(&mut memory, output.folder)?;
        if matches!(arg, Arg::Buffer(_)) {
            let kind = if out.is_some() { "out" } else { "in" };
            names.push(format!("argument {number} ({kind})"));
        }
        arguments.push(arg);
        outputs.extend(out);
    }
    let launch = Launch {
        grid: args.grid,
        block: args.block,
        shared_bytes: args.shared,
        args: arguments,
    };
    let watched = args.races || outputs.iter().map(|o| o.cells).sum::<u64>() <= RACES_UP_TO;
    let cells = outputs.iter().map(|o| Coverage::new(o.id, o.cells, o.ty.bytes()));
    let mut watch = Watch::new(cells, watched);
    let options = Options {
        order: args.order,
        threads: host_threads(),
        ..Options::default()
    };
    let start = Instant::now();
    watch
        .run(kernel, &launch, &mut memory, &options)
        .map_err(what_to_do)?;
    let machine_ms = start.elapsed().as_secs_f64() * 1e3;
    let source = Source::find(&output.folder.join(&args.file), &ptx);
    let lines = watch
        .counts()
        .by_line()
        .into_iter()
        .filter_map(|(line, requests)| {
            let line = line.known()?;
            Some(LineCount {
                line,
                source: source.line(line),
                traffic: requests.into(),
            })
        });
    let trace = Trace {
        kernel: args.kernel.clone(),
        grid: args.grid,
        block: args.block,
        written_once: watch.written_once(),
        stray: watch.stray().total(),
        races: watch.races().map(Races::total),
        traffic: watch.counts().total().into(),
        machine_ms,
        lines: lines.collect(),
        findings: watch.findings().iter().map(|f| Defect::new(f, &names)).collect(),
    };
    if args.json {
        write_json(&trace, output.out)?;
    } else {
        report::text(&trace, &source, output.out)?;
        report::outputs(&outputs, &names, &memory, output.out)?;
    }
    Ok(SUCCESS)
}

/// Adds to the machine's refusal of a launch what to do about it, counting arguments as a reader does.
fn what_to_do(error: RunError) -> anyhow::Error {
    let RunError::Launch(refusal) = error else {
        return error.into();
    };
    match refusal {
        LaunchError::ArgumentCount { .. } => anyhow!("{refusal}; write one --arg for each, in its order"),
        LaunchError::ArgumentWidth {
            kernel,
            index,
            expected,
            given,
        } => anyhow!(
            "argument {} has {given} bytes, and {kernel} takes {expected} there; write another type in its --arg",
            index + 1
        ),
        _ => anyhow!("{refusal}; ask for another --grid, --block or --shared"),
    }
}

/// Reads PTX, or compiles CUDA C to it where NVRTC is installed.
fn read_ptx(path: &Path, folder: &Path) -> Result<String> {
    let text = std::fs::read_to_string(folder.join(path))
        .with_context(|| format!("{} can not be read; name a .ptx or .cu file", path.display()))?;
    if path.extension().is_none_or(|e| e != "cu") {
        return Ok(text);
    }
    #[cfg(feature = "gpu")]
    return Ok(crate::gpu::compile(
        &text,
        &path.file_name().unwrap_or_default().to_string_lossy(),
    )?);
    #[cfg(not(feature = "gpu"))]
    bail!("this build can not compile CUDA C; build it with the feature `gpu`, or pass a .ptx file")
}
