//! Running a lesson: on the CPU models, on the machine, or on a GPU.

#[cfg(feature = "gpu")]
mod on_gpu;
mod on_machine;

#[cfg(feature = "gpu")]
pub use on_gpu::{lesson_on_gpu, Reference};
pub use on_machine::{
    kernel_on_machine, lesson_on_machine, traffic_on_machine, KernelTrace, MachineError, ORDERS, RACES_UP_TO,
};

use crate::bounds::POISON;
use crate::cache::{walk, Traversal};
use crate::kernels::{self, KernelSpec, Shape};
use crate::layout::{Layout, Order as Storage};
use crate::lessons::{self, Lesson};
use crate::mapping::{Axes, Mapping, MappingError};
use crate::outcome::{damage, first_wrong, KernelRun, LessonRun, MappingRun, Run, StorageRun};
use crate::plan::{Plan, PlanError};
use thiserror::Error;
use warpwise_machine::Order;

/// Cells of the largest matrix that the CPU models and the machine take: 1 GiB a buffer.
pub const MAX_CELLS: u64 = 1 << 28;

/// What to run.
#[derive(Clone, Debug)]
pub struct Request {
    /// The lesson.
    pub lesson: &'static Lesson,
    /// One kernel of it, or all.
    pub kernel: Option<&'static KernelSpec>,
    /// Rows, or the lesson's own.
    pub rows: Option<u64>,
    /// Columns, or the lesson's own.
    pub cols: Option<u64>,
    /// Threads a block along x and y, or the kernel's own.
    pub block: Option<[u32; 2]>,
    /// Lines that the cache of the storage lesson holds.
    pub lines: u64,
    /// Block order on the machine.
    pub order: Order,
    /// Look for races whatever the size.
    pub races: bool,
    /// Put a guard region behind the matrices of the bounds lesson.
    pub guard: bool,
    /// Host threads that the machine may use.
    pub threads: usize,
}

/// Lines of the cache in the storage lesson.
pub const DEFAULT_LINES: u64 = 4;

impl Request {
    /// Returns a request for a whole lesson with its defaults.
    pub fn new(lesson: &'static Lesson) -> Request {
        Request {
            lesson,
            kernel: None,
            rows: None,
            cols: None,
            block: None,
            lines: DEFAULT_LINES,
            order: Order::Forward,
            races: false,
            guard: true,
            threads: 1,
        }
    }

    /// Returns the shape: what was asked for, and the given default for the rest.
    pub fn shape_or(&self, default: Shape) -> Shape {
        Shape::new(
            self.rows.unwrap_or(default.rows),
            self.cols.unwrap_or(default.cols),
        )
    }

    /// Returns the plans of the kernels asked for, in ladder order.
    ///
    /// # Errors
    /// The first kernel that can not be launched on the shape.
    pub fn plans(&self, default: Shape) -> Result<Vec<Plan>, PlanError> {
        let shape = self.shape_or(default);
        let wanted =
            kernels::of_lesson(self.lesson.name).filter(|k| self.kernel.is_none_or(|one| one.name == k.name));
        wanted
            .map(|kernel| Plan::new(kernel, shape, self.block_for(kernel), self.guard))
            .collect()
    }

    /// A block asked for holds for a kernel named with it, and otherwise for those kernels that can take it.
    fn block_for(&self, kernel: &'static KernelSpec) -> Option<[u32; 2]> {
        self.block
            .filter(|&block| self.kernel.is_some() || kernel.takes(block))
    }
}

/// Why a lesson could not run.
#[derive(Debug, Error)]
pub enum RunError {
    /// No such lesson.
    #[error("there is no lesson `{name}`; the lessons are {known}")]
    UnknownLesson {
        /// What was asked for.
        name: String,
        /// What there is.
        known: String,
    },
    /// No such kernel in the lesson.
    #[error("the lesson {lesson} has no kernel `{name}`; {known}")]
    UnknownKernel {
        /// The lesson.
        lesson: &'static str,
        /// What was asked for.
        name: String,
        /// What there is.
        known: String,
    },
    /// The launch is impossible.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The mapping is impossible.
    #[error(transparent)]
    Mapping(#[from] MappingError),
    /// More cells than the host can hold.
    #[error("a {shape} matrix is too large for this device: it takes up to {MAX_CELLS} cells; ask for fewer rows or columns")]
    TooLarge {
        /// The shape asked for.
        shape: Shape,
    },
    /// The machine stopped.
    #[error(transparent)]
    Machine(#[from] MachineError),
    /// The GPU could not.
    #[cfg(feature = "gpu")]
    #[error(transparent)]
    Gpu(#[from] crate::gpu::GpuError),
}

/// Returns the lesson of that name.
///
/// # Errors
/// There is none; the error lists those there are.
pub fn find_lesson(name: &str) -> Result<&'static Lesson, RunError> {
    lessons::lesson(name).ok_or_else(|| RunError::UnknownLesson {
        name: name.to_owned(),
        known: lessons::LESSONS
            .iter()
            .map(|l| l.name)
            .collect::<Vec<_>>()
            .join(", "),
    })
}

/// Returns the kernel of that name in a lesson.
///
/// # Errors
/// There is none; the error lists those there are.
pub fn find_kernel(lesson: &'static Lesson, name: &str) -> Result<&'static KernelSpec, RunError> {
    kernels::kernel(name)
        .filter(|k| k.lesson == lesson.name)
        .ok_or_else(|| {
            let names: Vec<_> = kernels::of_lesson(lesson.name).map(|k| k.name).collect();
            let known = match names.is_empty() {
                true => "it runs on the CPU alone".to_owned(),
                false => format!("it has {}", names.join(", ")),
            };
            RunError::UnknownKernel {
                lesson: lesson.name,
                name: name.to_owned(),
                known,
            }
        })
}

/// Returns the storage lesson: both traversals of both layouts through the line cache.
///
/// # Errors
/// The matrix is too large.
pub fn storage(request: &Request) -> Result<LessonRun, RunError> {
    let shape = request.shape_or(request.lesson.shape);
    bounded(shape)?;
    let mut runs = Vec::new();
    for order in [Storage::RowMajor, Storage::ColumnMajor] {
        for traversal in [Traversal::RowsOuter, Traversal::ColumnsOuter] {
            // A cache with more lines than the matrix has cells holds all of it; no need to count further.
            let lines = request.lines.min(shape.rows.saturating_mul(shape.cols)) as usize;
            let counts = walk(&Layout::new(shape.rows, shape.cols, order), traversal, lines);
            runs.push(Run::Storage(StorageRun {
                layout: order.to_string(),
                traversal: traversal.to_string(),
                rows: shape.rows,
                cols: shape.cols,
                lines: request.lines,
                hits: counts.hits,
                misses: counts.misses,
            }));
        }
    }
    Ok(LessonRun {
        lesson: request.lesson.name,
        device: "cpu",
        runs,
    })
}

/// Returns how the grid of the grid lesson covers its matrix.
///
/// # Errors
/// The block is impossible, or the matrix too large.
pub fn mapping(request: &Request, block: [u32; 2]) -> Result<MappingRun, RunError> {
    let shape = request.shape_or(request.lesson.shape);
    bounded(shape)?;
    let mapping = Mapping::cover(shape.rows, shape.cols, block.map(u64::from))?;
    let [bx, by] = mapping.block;
    let [gx, gy] = mapping.grid;
    Ok(MappingRun {
        rows: shape.rows,
        cols: shape.cols,
        block: [bx, by, 1],
        grid: [gx, gy, 1],
        launched: mapping.launched(),
        wasted: mapping.wasted(),
        covered_once: mapping.coverage(Axes::XOnColumns)?.covered_once(),
    })
}

/// The block that the first run of the grid lesson describes: what was asked for, or its kernels' own.
fn grid_block(request: &Request) -> [u32; 2] {
    let own = kernels::of_lesson("grid").next().map_or([16, 16], |k| k.block);
    request.block.unwrap_or(own)
}

/// Returns what is known of a kernel's run from its output alone, wherever it ran.
fn checked(plan: &Plan, output: &[u32]) -> KernelRun {
    let expected = (plan.kernel.expected)(plan.shape);
    let first_wrong = first_wrong(output, &expected);
    KernelRun {
        kernel: plan.kernel.name,
        rows: plan.shape.rows,
        cols: plan.shape.cols,
        grid: plan.grid,
        block: plan.block,
        correct: first_wrong.is_none(),
        wrong_on_purpose: plan.kernel.wrong_on_purpose,
        machine: None,
        gpu: None,
        damage: (plan.kernel.lesson == "bounds")
            .then(|| damage(output, &expected, plan.shape, plan.launched(), POISON)),
        findings: Vec::new(),
        first_wrong,
    }
}

/// Returns how many threads this computer runs at once.
pub fn host_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn bounded(shape: Shape) -> Result<(), RunError> {
    match shape.cells() {
        Some(cells) if cells <= MAX_CELLS => Ok(()),
        _ => Err(RunError::TooLarge { shape }),
    }
}
