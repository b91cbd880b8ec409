//! `warpwise trace`: any kernel on the machine, with a report by source line.

mod report;
mod spec;

use super::args::TraceArgs;
use super::{write_json, Output, SUCCESS};
use crate::outcome::Traffic;
use crate::run::RACES_UP_TO;
use anyhow::{bail, Context, Result};
use report::Source;
use serde::Serialize;
use spec::{OutBuffer, Spec};
use std::path::Path;
use std::time::Instant;
use warpwise_machine::observe::{Barriers, Counts, Coverage, Finding, Races, Stray, Uninitialised};
use warpwise_machine::{self as machine, event, Launch, Memory, Module, Observer, Options};

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
    findings: Vec<String>,
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
    let ptx = read_ptx(&args.file)?;
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
    let mut arguments = Vec::new();
    for text in &args.args {
        let (arg, out) = text.parse::<Spec>()?.allocate(&mut memory)?;
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
    let mut observers = (
        Counts::new(),
        Coverages(
            outputs
                .iter()
                .map(|o| Coverage::new(o.id, o.cells, o.ty.bytes()))
                .collect(),
        ),
        Stray::new(),
        Barriers::new(),
        watched.then(Uninitialised::new),
        watched.then(Races::new),
    );
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let options = Options {
        order: args.order,
        threads,
        ..Options::default()
    };
    let start = Instant::now();
    machine::run(kernel, &launch, &mut memory, &options, &mut observers)?;
    let machine_ms = start.elapsed().as_secs_f64() * 1e3;
    let (counts, coverages, stray, barriers, uninitialised, races) = observers;
    let covered: Vec<Finding> = coverages.0.iter().flat_map(|c| c.findings()).collect();
    let findings = covered
        .iter()
        .chain(stray.findings())
        .chain(barriers.findings())
        .chain(uninitialised.iter().flat_map(|u| u.findings()))
        .chain(races.iter().flat_map(|r| r.findings()))
        .map(ToString::to_string)
        .collect();
    let source = Source::find(&args.file, &ptx);
    let lines = counts.by_line().into_iter().filter_map(|(line, requests)| {
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
        written_once: coverages.0.iter().all(Coverage::once),
        stray: stray.total(),
        races: races.as_ref().map(Races::total),
        traffic: counts.total().into(),
        machine_ms,
        lines: lines.collect(),
        findings,
    };
    if args.json {
        write_json(&trace, output.out)?;
    } else {
        report::text(&trace, &source, output.out)?;
        report::outputs(&outputs, &memory, output.out)?;
    }
    Ok(SUCCESS)
}

/// Reads PTX, or compiles CUDA C to it where NVRTC is installed.
fn read_ptx(path: &Path) -> Result<String> {
    let text = std::fs::read_to_string(path)
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

/// One coverage observer for each output buffer.
struct Coverages(Vec<Coverage>);

impl Observer for Coverages {
    fn launch(&mut self, launch: &event::LaunchView<'_>) {
        self.0.iter_mut().for_each(|c| c.launch(launch));
    }
    fn request(&mut self, event: &event::WarpEvent<'_>) {
        self.0.iter_mut().for_each(|c| c.request(event));
    }
    fn fork(&self) -> Option<Self> {
        self.0
            .iter()
            .map(Observer::fork)
            .collect::<Option<_>>()
            .map(Coverages)
    }
    fn join(&mut self, part: Self) {
        self.0.iter_mut().zip(part.0).for_each(|(c, p)| c.join(p));
    }
}
