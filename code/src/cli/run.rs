//! `warpwise run`, and `warpwise` alone.

#[cfg(feature = "gpu")]
use super::args::DeviceChoice;
use super::args::RunArgs;
use super::{report, write_json, Output, FAILURE, SUCCESS};
use crate::lessons::LESSONS;
use crate::outcome::{LessonRun, Run};
use crate::run::{self, find_kernel, find_lesson, Request, DEFAULT_LINES};
use anyhow::{bail, Result};
use indicatif::{ProgressBar, ProgressFinish, ProgressStyle};
use std::time::Duration;

/// Where kernels of this command run.
enum Device {
    Machine,
    #[cfg(feature = "gpu")]
    Gpu(Box<crate::gpu::Gpu>),
}

pub(super) fn one_lesson(args: &RunArgs, output: &mut Output) -> Result<u8> {
    let request = request(args)?;
    // The storage lesson has no kernels: it asks for no device.
    let mut device = match request.lesson.name {
        "storage" => Device::Machine,
        _ => choose(args, output)?,
    };
    let outcome = outcome(&request, &mut device)?;
    if args.json {
        write_json(&outcome, output.out)?;
    } else {
        report::lesson(&outcome, output.out)?;
    }
    complain(&outcome, output)
}

/// Every lesson once with its defaults, on whatever there is.
pub(super) fn every_lesson(output: &mut Output) -> Result<u8> {
    #[cfg(feature = "gpu")]
    let mut device = match super::device::choose(DeviceChoice::Auto, output)? {
        Some(gpu) => Device::Gpu(Box::new(gpu)),
        None => Device::Machine,
    };
    #[cfg(not(feature = "gpu"))]
    let mut device = Device::Machine;
    let mut code = SUCCESS;
    for (i, lesson) in LESSONS.iter().enumerate() {
        if i > 0 {
            writeln!(output.out)?;
        }
        let outcome = outcome(&Request::new(lesson), &mut device)?;
        report::lesson(&outcome, output.out)?;
        code = code.max(complain(&outcome, output)?);
    }
    Ok(code)
}

fn request(args: &RunArgs) -> Result<Request> {
    let lesson = find_lesson(&args.lesson)?;
    let kernel = args
        .kernel
        .as_deref()
        .map(|name| find_kernel(lesson, name))
        .transpose()?;
    if args.lines.is_some() && lesson.name != "storage" {
        bail!(
            "--lines is for the lesson storage; leave it out of {}",
            lesson.name
        );
    }
    if args.no_guard && lesson.name != "bounds" {
        bail!(
            "--no-guard is for the lesson bounds; leave it out of {}",
            lesson.name
        );
    }
    Ok(Request {
        lesson,
        kernel,
        rows: args.rows,
        cols: args.cols,
        block: args.block,
        lines: args.lines.unwrap_or(DEFAULT_LINES),
        order: args.order.unwrap_or_default(),
        races: args.races,
        guard: !args.no_guard,
        threads: run::host_threads(),
    })
}

#[cfg(feature = "gpu")]
fn choose(args: &RunArgs, output: &mut Output) -> Result<Device> {
    // Block order is the machine's to choose; a GPU takes none.
    if args.order.is_some() && args.device == DeviceChoice::Gpu {
        bail!("a GPU chooses its own block order; --order is for --device machine");
    }
    if args.order.is_some() {
        return Ok(Device::Machine);
    }
    Ok(super::device::choose(args.device, output)?.map_or(Device::Machine, |gpu| Device::Gpu(Box::new(gpu))))
}

#[cfg(not(feature = "gpu"))]
fn choose(args: &RunArgs, _: &mut Output) -> Result<Device> {
    if args.device == super::args::DeviceChoice::Gpu {
        bail!("this build has no GPU support; build it with the feature `gpu`, or use --device machine");
    }
    Ok(Device::Machine)
}

fn outcome(request: &Request, device: &mut Device) -> Result<LessonRun> {
    if request.lesson.name == "storage" {
        return Ok(run::storage(request)?);
    }
    let bar = progress();
    let step = |kernel: &'static str| bar.set_message(format!("{}: {kernel}", request.lesson.name));
    Ok(match device {
        Device::Machine => run::lesson_on_machine(request, step)?,
        #[cfg(feature = "gpu")]
        Device::Gpu(gpu) => run::lesson_on_gpu(request, gpu, crate::gpu::TIMED_RUNS, step)?,
    })
}

/// A spinner on standard error, which indicatif hides unless that is a terminal.
pub(super) fn progress() -> ProgressBar {
    let style =
        ProgressStyle::with_template("{spinner} {msg}").unwrap_or_else(|_| ProgressStyle::default_spinner());
    // An error that ends the command early must not leave the spinner on its line.
    let bar = ProgressBar::new_spinner()
        .with_style(style)
        .with_finish(ProgressFinish::AndClear);
    bar.enable_steady_tick(Duration::from_millis(120));
    bar
}

/// Says on standard error what a kernel that should be right did wrong, and returns the exit code.
fn complain(outcome: &LessonRun, output: &mut Output) -> Result<u8> {
    let mut code = SUCCESS;
    for run in &outcome.runs {
        match run {
            Run::Kernel(kernel) if !kernel.is_as_intended() => {
                code = FAILURE;
                let defects = kernel.findings.iter().map(ToString::to_string);
                let reasons = kernel.first_wrong.iter().cloned().chain(defects);
                for reason in reasons {
                    writeln!(
                        output.err,
                        "warpwise: {} on {}: {reason}",
                        kernel.kernel,
                        kernel.shape()
                    )?;
                }
            }
            Run::Mapping(mapping) if !mapping.covered_once => code = FAILURE,
            _ => {}
        }
    }
    Ok(code)
}
