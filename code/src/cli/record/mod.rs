//! `warpwise record`: on a GPU, run, check, time and count every kernel, and write what was found.
//!
//! A lesson's file is written when all of the lesson is measured, and in one step: it is whole, or not there.

mod counters;
mod file;
mod instructions;
mod tools;

use super::args::RecordArgs;
use super::run::progress;
use super::{Output, SUCCESS};
use crate::evidence::{median, Device, Evidence, ExampleRun, Examples, Record, SCHEMA};
use crate::examples::{self, EXAMPLES};
use crate::fingerprint;
use crate::gpu::{Gpu, GpuError, TIMED_RUNS};
use crate::kernels::{self, KernelSpec, Shape, ELEMENT_BYTES};
use crate::lessons::{Lesson, LESSONS};
use crate::outcome::first_wrong;
use crate::plan::Plan;
use crate::predict::counted_shapes;
use crate::run::find_lesson;
use crate::transpose::gb_per_s;
use anyhow::{anyhow, bail, Context, Result};
use counters::Counted;
use file::Target;

/// What `record` is asked for to run the examples and no lesson.
const EXAMPLES_ALONE: &str = "examples";
/// The same for the instructions.
const INSTRUCTIONS_ALONE: &str = "instructions";

pub(super) fn record(args: &RecordArgs, output: &mut Output) -> Result<u8> {
    let lessons: Vec<&'static Lesson> = match args.lesson.as_deref() {
        Some(EXAMPLES_ALONE | INSTRUCTIONS_ALONE) => Vec::new(),
        Some(name) => vec![find_lesson(name)?],
        None => LESSONS.iter().collect(),
    };
    let asked_for = |what: &str| args.lesson.as_deref().is_none_or(|name| name == what);
    let (examples, instructions) = (asked_for(EXAMPLES_ALONE), asked_for(INSTRUCTIONS_ALONE));
    let lessons: Vec<_> = lessons
        .into_iter()
        .filter(|l| kernels::of_lesson(l.name).next().is_some())
        .collect();
    if lessons.is_empty() && !examples && !instructions {
        bail!("this lesson has no kernels, so there is nothing to record; ask for another one");
    }
    let mut gpu = Gpu::open()?;
    let device = device(&gpu);
    let folder = args.evidence.join(device.folder());
    // A disk that can not be written is found out before the measuring, not after.
    let targets: Vec<Target> = lessons
        .iter()
        .map(|l| Target::open(&folder, l.name))
        .collect::<Result<_>>()?;
    let examples_target = examples.then(|| Target::open(&folder, "examples")).transpose()?;
    let instructions_target = instructions
        .then(|| Target::open(&folder, "instructions"))
        .transpose()?;
    writeln!(
        output.err,
        "device: {} (driver {}, CUDA {})",
        device.name, device.driver, device.cuda
    )?;
    let command = command_line(args);
    for (lesson, target) in lessons.iter().zip(targets) {
        let evidence = record_lesson(lesson, &mut gpu, &device, &command, !args.no_counters)?;
        let path = target.write(&evidence)?;
        writeln!(
            output.out,
            "{}: {} records",
            path.display(),
            evidence.records.len()
        )?;
    }
    if let Some(target) = examples_target {
        let examples = record_examples(&device)?;
        let path = target.write(&examples)?;
        writeln!(
            output.out,
            "{}: {} examples",
            path.display(),
            examples.examples.len()
        )?;
    }
    if let Some(target) = instructions_target {
        let instructions = instructions::record(&gpu, &device, &command, output)?;
        let path = target.write(&instructions)?;
        writeln!(
            output.out,
            "{}: {} kernels",
            path.display(),
            instructions.kernels.len()
        )?;
    }
    Ok(SUCCESS)
}

/// Launches `kernel:RxC` pairs once each: what `record` puts under a profiler or a sanitizer.
pub(super) fn launch(runs: &[String], guard: bool) -> Result<u8> {
    let mut gpu = Gpu::open()?;
    for run in runs {
        gpu.launch_once(&parse_run(run, guard)?)?;
    }
    Ok(SUCCESS)
}

fn parse_run(text: &str, guard: bool) -> Result<Plan> {
    let malformed = || format!("`{text}` is not of the form kernel:ROWSxCOLS");
    let (name, shape) = text.split_once(':').with_context(malformed)?;
    let kernel = kernels::kernel(name).with_context(|| format!("there is no kernel `{name}`"))?;
    let shape = shape.parse().map_err(|_| anyhow!(malformed()))?;
    Ok(Plan::new(kernel, shape, None, guard)?)
}

fn device(gpu: &Gpu) -> Device {
    Device {
        name: gpu.name.clone(),
        compute_capability: gpu.compute_capability.clone(),
        driver: gpu.driver.clone(),
        cuda: gpu.cuda.clone(),
    }
}

/// The command as a reader would type it: folders of this computer are nobody else's business.
fn command_line(args: &RecordArgs) -> String {
    let counters = if args.no_counters { " --no-counters" } else { "" };
    format!(
        "warpwise record{}{counters}",
        args.lesson.as_ref().map_or(String::new(), |l| format!(" {l}"))
    )
}

/// The shapes on which a lesson is timed.
fn timed_shapes(lesson: &str) -> &'static [Shape] {
    const LARGE: Shape = Shape::new(4096, 4096);
    match lesson {
        "transpose" => const { &[LARGE, Shape::new(16_384, 16_384), ODD] },
        "grid" => const { &[Shape::new(37, 61), LARGE] },
        "bounds" => const { &[Shape::new(4, 10), Shape::new(4096, 4095)] },
        _ => &[LARGE],
    }
}

fn record_lesson(
    lesson: &'static Lesson,
    gpu: &mut Gpu,
    device: &Device,
    command: &str,
    count: bool,
) -> Result<Evidence> {
    let bar = progress();
    let mut records = Vec::new();
    for &shape in timed_shapes(lesson.name) {
        for kernel in kernels::of_lesson(lesson.name) {
            bar.set_message(format!("{}: timing {} on {shape}", lesson.name, kernel.name));
            records.push(timed(kernel, shape, None, gpu)?);
        }
        records.extend(experiments(lesson.name, shape, gpu)?);
        bar.set_message(format!("{}: timing peers on {shape}", lesson.name));
        records.extend(peers(lesson.name, shape, gpu)?);
    }
    for (kernel, shape) in with_each_side_odd(lesson.name) {
        bar.set_message(format!("{}: timing {} on {shape}", lesson.name, kernel.name));
        records.push(timed(kernel, shape, None, gpu)?);
    }
    if count {
        bar.set_message(format!("{}: counting under ncu", lesson.name));
        let wanted: Vec<(&'static KernelSpec, Shape)> = kernels::of_lesson(lesson.name)
            .flat_map(|k| counted_shapes(k).map(|shape| (k, shape)))
            .chain(explained(lesson.name))
            .collect();
        if let Some(counted) = counters::count(&wanted)? {
            counted.into_iter().for_each(|c| attach(c, &mut records));
        }
    }
    let sanitizer = match lesson.name {
        "bounds" => tools::sanitize("fill_rows_only", lesson.shape)?
            .into_iter()
            .collect(),
        _ => Vec::new(),
    };
    Ok(Evidence {
        schema: SCHEMA,
        device: device.clone(),
        recorded: today(),
        command: command.to_owned(),
        digest: String::new(),
        records,
        sanitizer,
    })
}

/// Kernels whose timed run is counted too, because a chapter explains its time by its counters.
fn explained(lesson: &str) -> Vec<(&'static KernelSpec, Shape)> {
    if !matches!(lesson, "transpose" | "spiral") {
        return Vec::new();
    }
    let square = kernels::of_lesson(lesson).map(|k| (k, Shape::new(4096, 4096)));
    square.chain(raster(lesson, &[EVEN, ODD])).collect()
}

/// Sides that are multiples of a sector's 8 cells, and the next odd ones.
const EVEN: Shape = Shape::new(12_288, 8192);
const ODD: Shape = Shape::new(12_289, 8191);

/// Even sides, and each of the two odd by itself: [`ODD`] is timed for every kernel.
fn with_each_side_odd(lesson: &str) -> Vec<(&'static KernelSpec, Shape)> {
    let columns_odd = Shape::new(EVEN.rows, ODD.cols);
    let rows_odd = Shape::new(ODD.rows, EVEN.cols);
    raster(lesson, &[EVEN, columns_odd, rows_odd])
}

/// The kernels that show what the order of the tiles does to odd sides, with their control, on every shape.
fn raster(lesson: &str, shapes: &[Shape]) -> Vec<(&'static KernelSpec, Shape)> {
    let wanted = ["copy_four", "transpose_padded", "transpose_padded_raster"];
    let kernels = kernels::of_lesson(lesson).filter(|k| wanted.contains(&k.name));
    kernels
        .flat_map(|k| shapes.iter().map(move |&s| (k, s)))
        .collect()
}

/// The copy with smaller blocks: how much of its distance from memcpy is the block's doing.
fn experiments(lesson: &str, shape: Shape, gpu: &mut Gpu) -> Result<Vec<Record>> {
    let Some(copy) = kernels::kernel("copy").filter(|_| lesson == "transpose") else {
        return Ok(Vec::new());
    };
    [[32, 16], [32, 8], [32, 4]]
        .into_iter()
        .map(|block| timed(copy, shape, Some(block), gpu))
        .collect()
}

fn timed(
    kernel: &'static KernelSpec,
    shape: Shape,
    block: Option<[u32; 2]>,
    gpu: &mut Gpu,
) -> Result<Record> {
    let plan = Plan::new(kernel, shape, block, true)?;
    let run = gpu.run(&plan, TIMED_RUNS)?;
    let wrong = first_wrong(&run.output, &(kernel.expected)(shape));
    if let (Some(wrong), false) = (&wrong, kernel.wrong_on_purpose) {
        bail!(
            "{} on {shape} is wrong, so nothing was recorded: {wrong}",
            kernel.name
        );
    }
    Ok(Record {
        correct: Some(wrong.is_none()),
        ..untimed(&plan)
    }
    .with_samples(run.samples_ms))
}

fn untimed(plan: &Plan) -> Record {
    Record {
        kernel: plan.kernel.name.to_owned(),
        rows: plan.shape.rows,
        cols: plan.shape.cols,
        element_bytes: ELEMENT_BYTES,
        bytes_moved: plan.bytes_moved(),
        block: Some(plan.block),
        correct: None,
        samples_ms: None,
        median_ms: None,
        gb_per_s: None,
        peer: false,
        fingerprint: fingerprint::of_kernel(plan.kernel.source.ptx, plan.kernel.name),
        counters: None,
    }
}

impl Record {
    fn with_samples(self, samples: Vec<f32>) -> Record {
        let median_ms = median(&samples);
        let gb_per_s = median_ms.and_then(|ms| gb_per_s(self.bytes_moved, ms).ok());
        Record {
            samples_ms: Some(samples),
            median_ms,
            gb_per_s,
            ..self
        }
    }
}

/// Someone else's code on the same shape: memcpy for every lesson, cuBLAS where the lesson turns a matrix.
fn peers(lesson: &str, shape: Shape, gpu: &mut Gpu) -> Result<Vec<Record>> {
    let bytes = shape.rows * shape.cols * ELEMENT_BYTES;
    let peer = |name: &str, correct: Option<bool>| Record {
        kernel: name.to_owned(),
        rows: shape.rows,
        cols: shape.cols,
        element_bytes: ELEMENT_BYTES,
        bytes_moved: 2 * bytes,
        block: None,
        correct,
        samples_ms: None,
        median_ms: None,
        gb_per_s: None,
        peer: true,
        fingerprint: None,
        counters: None,
    };
    let mut records = vec![peer("memcpy", None).with_samples(gpu.time_memcpy(bytes, TIMED_RUNS)?)];
    if matches!(lesson, "transpose" | "layout") {
        match gpu.cublas_geam(shape.rows, shape.cols, TIMED_RUNS) {
            Ok(run) => {
                let turned = kernels::kernel("transpose_naive")
                    .map(|k| (k.expected)(shape))
                    .unwrap_or_default();
                if let Some(wrong) = first_wrong(&run.output, &turned) {
                    bail!("cuBLAS geam on {shape} is wrong, so nothing was recorded: {wrong}");
                }
                records.push(peer("cublas_geam", Some(true)).with_samples(run.samples_ms));
            }
            Err(GpuError::NoCublas) => {}
            Err(other) => return Err(other.into()),
        }
    }
    Ok(records)
}

/// Puts counters with the record of the same kernel and shape, or makes one without a time.
fn attach(counted: Counted, records: &mut Vec<Record>) {
    let Counted { plan, counters } = counted;
    let same = |r: &&mut Record| {
        r.kernel == plan.kernel.name && r.shape() == plan.shape && r.block == Some(plan.block)
    };
    match records.iter_mut().find(same) {
        Some(record) => record.counters = Some(counters),
        None => records.push(Record {
            counters: Some(counters),
            ..untimed(&plan)
        }),
    }
}

fn record_examples(device: &Device) -> Result<Examples> {
    let mut runs = Vec::new();
    for example in &EXAMPLES {
        let ran = tools::this_program()
            .args(["example", example.name])
            .output()
            .context("running an example")?;
        let exit = ran.status.code().unwrap_or(-1);
        if exit != 0 {
            bail!(
                "the example {} failed, so the examples were not recorded: {}",
                example.name,
                String::from_utf8_lossy(&ran.stderr).trim()
            );
        }
        runs.push(ExampleRun {
            name: example.name.to_owned(),
            fingerprint: examples::fingerprint(example.name).unwrap_or_default(),
            stdout: String::from_utf8_lossy(&ran.stdout).into_owned(),
            exit,
        });
    }
    Ok(Examples {
        schema: SCHEMA,
        device: device.clone(),
        recorded: today(),
        digest: String::new(),
        examples: runs,
    })
}

fn today() -> String {
    time::OffsetDateTime::now_utc().date().to_string()
}
