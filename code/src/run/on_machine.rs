//! Lessons on the machine: the same PTX, launches and arguments as on a GPU, watched by every observer.

use super::{bounded, checked, grid_block, host_threads, mapping, Request, RunError};
use crate::kernels::ELEMENT_BYTES;
use crate::outcome::{Defect, GlobalCount, KernelRun, LessonRun, OnMachine, Run, SharedCount, Traffic};
use crate::plan::Plan;
use std::collections::BTreeMap;
use std::time::Instant;
use thiserror::Error;
use warpwise_machine::observe::{self, Counts, Coverage, Races, Requests, Watch};
use warpwise_machine::{
    self as machine, Arg, BufferId, Kernel, Launch, LoadError, Memory, MemoryError, Options, Order,
};

/// Cells of the largest matrix on which races are looked for unasked.
pub const RACES_UP_TO: u64 = 1 << 20;

/// Why the machine stopped.
#[derive(Debug, Error)]
pub enum MachineError {
    /// The PTX is not one that it runs.
    #[error("kernels/{file}.ptx: {error}")]
    Load {
        /// The file.
        file: &'static str,
        /// The machine's words.
        error: LoadError,
    },
    /// The file has no such kernel.
    #[error("kernels/{file}.ptx has no kernel {kernel}; run `cargo xtask ptx`")]
    NoKernel {
        /// The file.
        file: &'static str,
        /// The kernel.
        kernel: &'static str,
    },
    /// No room for the buffers.
    #[error("{error}; ask for fewer rows or columns")]
    Memory {
        /// The machine's words.
        error: MemoryError,
    },
    /// A trap, a hang or a launch that is refused.
    #[error(transparent)]
    Run(#[from] machine::RunError),
}

/// A kernel's run with its counts by source line.
#[derive(Clone, Debug)]
pub struct KernelTrace {
    /// The run.
    pub run: KernelRun,
    /// What each source line touched; lines without a memory instruction are absent.
    pub lines: BTreeMap<u32, Traffic>,
}

/// Returns a lesson run on the machine: every kernel checked, counted and watched.
///
/// # Errors
/// A launch is impossible, the matrix is too large, or the machine stops.
pub fn lesson_on_machine(
    request: &Request,
    mut progress: impl FnMut(&'static str),
) -> Result<LessonRun, RunError> {
    let plans = request.plans(request.lesson.shape)?;
    let mut runs = Vec::new();
    if request.lesson.name == "grid" {
        runs.push(Run::Mapping(mapping(request, grid_block(request))?));
    }
    for plan in &plans {
        progress(plan.kernel.name);
        let options = Options {
            order: request.order,
            threads: request.threads,
            ..Options::default()
        };
        let trace = kernel_on_machine(plan, &options, request.races)?;
        runs.push(Run::Kernel(Box::new(trace.run)));
    }
    Ok(LessonRun {
        lesson: request.lesson.name,
        device: "machine",
        runs,
    })
}

/// Returns what one kernel did, with every observer watching.
///
/// Races, and reads of memory that nothing wrote, are looked for on up to [`RACES_UP_TO`] cells, or on any number
/// if `races` is set.
///
/// # Errors
/// The matrix is too large, or the machine stops.
pub fn kernel_on_machine(plan: &Plan, options: &Options, races: bool) -> Result<KernelTrace, RunError> {
    bounded(plan.shape)?;
    let stage = Stage::new(plan)?;
    let cells = Coverage::new(stage.output, plan.cells, ELEMENT_BYTES);
    let mut watch = Watch::new([cells], races || plan.cells <= RACES_UP_TO);
    let (output, machine_ms) = stage.run(plan, |kernel, launch, memory| {
        watch.run(kernel, launch, memory, options)
    })?;
    let inputs = (1..=plan.kernel.inputs.len()).map(|n| format!("input {n}"));
    let names: Vec<String> = inputs.chain(["output".to_owned()]).collect();
    let run = KernelRun {
        machine: Some(OnMachine {
            written_once: watch.written_once(),
            stray: watch.stray().total(),
            races: watch.races().map(Races::total),
            traffic: watch.counts().total().into(),
            machine_ms,
        }),
        findings: watch.findings().iter().map(|f| Defect::new(f, &names)).collect(),
        ..checked(plan, &output)
    };
    let lines = watch
        .counts()
        .by_line()
        .into_iter()
        .filter_map(|(line, r)| Some((line.known()?, r.into())))
        .collect();
    Ok(KernelTrace { run, lines })
}

/// Returns what a plan touches, counted without any other observer: a prediction of a GPU's counters.
///
/// # Errors
/// The matrix is too large, or the machine stops.
pub fn traffic_on_machine(plan: &Plan) -> Result<Traffic, RunError> {
    bounded(plan.shape)?;
    let mut counts = Counts::new();
    let options = Options {
        threads: host_threads(),
        ..Options::default()
    };
    Stage::new(plan)?.run(plan, |kernel, launch, memory| {
        counts.run(kernel, launch, memory, &options)
    })?;
    Ok(counts.total().into())
}

/// Buffers and code, ready to run a plan.
struct Stage {
    kernel: &'static Kernel,
    memory: Memory,
    inputs: Vec<BufferId>,
    output: BufferId,
}

impl Stage {
    fn new(plan: &Plan) -> Result<Stage, MachineError> {
        let source = plan.kernel.source;
        let module = source.module().map_err(|e| MachineError::Load {
            file: source.stem,
            error: e.clone(),
        })?;
        let missing = MachineError::NoKernel {
            file: source.stem,
            kernel: plan.kernel.name,
        };
        let kernel = module.kernel(plan.kernel.name).ok_or(missing)?;
        let mut memory = Memory::new();
        let cells = plan.buffer_cells();
        let fill = |f: &fn(u64) -> u32| (0..cells).flat_map(|i| f(i).to_le_bytes()).collect::<Vec<u8>>();
        let inputs = plan
            .kernel
            .inputs
            .iter()
            .map(|f| memory.alloc_from(fill(f)))
            .collect();
        let output = memory
            .alloc(cells * ELEMENT_BYTES)
            .map_err(|error| MachineError::Memory { error })?;
        Ok(Stage {
            kernel,
            memory,
            inputs,
            output,
        })
    }

    /// Returns the output's cells and the milliseconds of execution and counting, each launch run by `launch`.
    fn run(
        mut self,
        plan: &Plan,
        mut run: impl FnMut(&Kernel, &Launch, &mut Memory) -> Result<(), machine::RunError>,
    ) -> Result<(Vec<u32>, f64), MachineError> {
        let mut ms = 0.0;
        for step in plan.steps() {
            let buffers = self.inputs.iter().chain([&self.output]).map(|&b| Arg::Buffer(b));
            let sizes = [plan.shape.rows, plan.shape.cols]
                .into_iter()
                .chain(step.diagonal)
                .map(Arg::U64);
            let launch = Launch {
                grid: step.grid,
                block: plan.block,
                shared_bytes: 0,
                args: buffers.chain(sizes).collect(),
            };
            let start = Instant::now();
            run(self.kernel, &launch, &mut self.memory)?;
            ms += start.elapsed().as_secs_f64() * 1e3;
        }
        // The inputs go before the output is copied: a large matrix is not held three times.
        let bytes = self.memory.into_bytes(self.output);
        let cells = bytes
            .chunks_exact(4)
            .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
        Ok((cells.collect(), ms))
    }
}

impl From<Requests> for Traffic {
    fn from(r: Requests) -> Traffic {
        let global = |c: observe::GlobalCount| GlobalCount {
            requests: c.requests,
            sectors: c.sectors,
        };
        let shared = |c: observe::SharedCount| SharedCount {
            requests: c.requests,
            wavefronts: c.wavefronts,
        };
        Traffic {
            global_load: global(r.global_load),
            global_store: global(r.global_store),
            shared_load: shared(r.shared_load),
            shared_store: shared(r.shared_store),
        }
    }
}

/// The orders in which a right kernel must give the same result.
pub const ORDERS: [Order; 4] = [
    Order::Forward,
    Order::Reverse,
    Order::Shuffle(1),
    Order::Shuffle(2),
];
