//! What a run gave: the fields that `run --json` prints, and how a report words them.

use crate::kernels::Shape;
use serde::Serialize;
use warpwise_machine::observe::Finding;

/// One traversal of one layout through the line cache.
#[derive(Clone, Debug, Serialize)]
pub struct StorageRun {
    /// `row-major` or `column-major`.
    pub layout: String,
    /// `rows-outer` or `columns-outer`.
    pub traversal: String,
    /// Rows of the matrix.
    pub rows: u64,
    /// Columns of the matrix.
    pub cols: u64,
    /// Lines that the cache holds.
    pub lines: u64,
    /// Accesses that found their line.
    pub hits: u64,
    /// Accesses that did not.
    pub misses: u64,
}

/// How a grid covers a matrix.
#[derive(Clone, Debug, Serialize)]
pub struct MappingRun {
    /// Rows of the matrix.
    pub rows: u64,
    /// Columns of the matrix.
    pub cols: u64,
    /// Threads a block, [x, y, z].
    pub block: [u64; 3],
    /// Blocks, [x, y, z].
    pub grid: [u64; 3],
    /// Threads in all.
    pub launched: u64,
    /// Threads without a cell.
    pub wasted: u64,
    /// Whether every cell has exactly one thread.
    pub covered_once: bool,
}

/// Requests and sectors of one kind of global access.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct GlobalCount {
    /// Warp-wide instructions with at least one active lane.
    pub requests: u64,
    /// 32-byte sectors they touched.
    pub sectors: u64,
}

/// Requests and wavefronts of one kind of shared access.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SharedCount {
    /// Warp-wide instructions with at least one active lane.
    pub requests: u64,
    /// Passes they needed.
    pub wavefronts: u64,
}

/// What a launch touched, counted by the machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Traffic {
    /// Global loads.
    pub global_load: GlobalCount,
    /// Global stores.
    pub global_store: GlobalCount,
    /// Shared loads.
    pub shared_load: SharedCount,
    /// Shared stores.
    pub shared_store: SharedCount,
}

impl Traffic {
    /// Returns the requests of any kind.
    pub fn requests(&self) -> u64 {
        self.global_load.requests + self.global_store.requests + self.shared_requests()
    }

    /// Returns the requests to shared memory.
    pub fn shared_requests(&self) -> u64 {
        self.shared_load.requests + self.shared_store.requests
    }

    /// Returns the sectors of global loads and stores.
    pub fn sectors(&self) -> u64 {
        self.global_load.sectors + self.global_store.sectors
    }

    /// Returns the wavefronts of shared loads and stores.
    pub fn wavefronts(&self) -> u64 {
        self.shared_load.wavefronts + self.shared_store.wavefronts
    }

    /// Returns the quantity of that name, as [`PREDICTED`](crate::evidence::PREDICTED) spells it.
    pub fn quantity(&self, name: &str) -> Option<u64> {
        Some(match name {
            "global_load_requests" => self.global_load.requests,
            "global_load_sectors" => self.global_load.sectors,
            "global_store_requests" => self.global_store.requests,
            "global_store_sectors" => self.global_store.sectors,
            "shared_load_wavefronts" => self.shared_load.wavefronts,
            "shared_store_wavefronts" => self.shared_store.wavefronts,
            _ => return None,
        })
    }
}

/// What only the machine can say of a kernel run. Its time is its own, and never a GPU's.
#[derive(Clone, Debug, Serialize)]
pub struct OnMachine {
    /// Whether every cell of the output was written exactly once.
    pub written_once: bool,
    /// Accesses outside an allocation.
    pub stray: u64,
    /// Conflicting accesses; null where races were not looked for.
    pub races: Option<u64>,
    /// Requests, sectors and wavefronts.
    #[serde(flatten)]
    pub traffic: Traffic,
    /// Milliseconds of execution and counting.
    pub machine_ms: f64,
}

/// What only a GPU can say of a kernel run.
#[derive(Clone, Debug, Serialize)]
pub struct OnGpu {
    /// The middle sample in milliseconds.
    pub median_ms: Option<f64>,
    /// The least.
    pub min_ms: Option<f64>,
    /// The most.
    pub max_ms: Option<f64>,
    /// One elapsed time a timed run.
    pub samples_ms: Vec<f32>,
    /// Effective bandwidth in 10^9 bytes a second.
    pub gb_per_s: Option<f64>,
    /// Effective bandwidth over that of `copy` in the same run.
    pub of_copy: Option<f64>,
    /// Effective bandwidth over that of a device-to-device memcpy in the same run.
    pub of_memcpy: Option<f64>,
}

/// What the bounds lesson adds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Damage {
    /// Threads of the launch that stand outside the matrix.
    pub outside_threads: u64,
    /// Rows 1 to R-1 with any wrong cell.
    pub corrupted_rows: u64,
    /// Cells behind the matrix that were written.
    pub guard_cells_overwritten: u64,
}

/// A defect that an observer of the machine reported.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Defect {
    /// What is wrong, in a word: `race`, `out-of-bounds`, ….
    pub kind: &'static str,
    /// Source lines of the accesses, the earlier access first.
    pub lines: Vec<u32>,
    /// What happened, in a sentence.
    pub sentence: String,
}

impl Defect {
    /// Returns a finding's report; `names` are those of the buffers, in the order in which they were allocated.
    pub fn new(finding: &Finding, names: &[impl AsRef<str>]) -> Defect {
        let sites = finding.first.iter().chain(&finding.second);
        Defect {
            kind: finding.kind.name(),
            lines: sites.filter_map(|site| site.line.known()).collect(),
            sentence: finding.sentence(|id| names[id.index()].as_ref().to_owned()),
        }
    }
}

impl std::fmt::Display for Defect {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.sentence)
    }
}

/// One kernel on one shape.
#[derive(Clone, Debug, Serialize)]
pub struct KernelRun {
    /// The kernel.
    pub kernel: &'static str,
    /// Rows of the matrix.
    pub rows: u64,
    /// Columns of the matrix.
    pub cols: u64,
    /// Blocks of the largest launch, [x, y, z].
    pub grid: [u32; 3],
    /// Threads a block, [x, y, z].
    pub block: [u32; 3],
    /// Whether every cell of the matrix holds what it should.
    pub correct: bool,
    /// Whether the mistake is the point.
    pub wrong_on_purpose: bool,
    /// The machine's fields.
    #[serde(flatten)]
    pub machine: Option<OnMachine>,
    /// The GPU's fields.
    #[serde(flatten)]
    pub gpu: Option<OnGpu>,
    /// The bounds lesson's fields.
    #[serde(flatten)]
    pub damage: Option<Damage>,
    /// Defects that the machine reported, the first few of each observer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Defect>,
    /// The first wrong cell, in words.
    #[serde(skip)]
    pub first_wrong: Option<String>,
}

impl KernelRun {
    /// Returns the shape.
    pub fn shape(&self) -> Shape {
        Shape::new(self.rows, self.cols)
    }

    /// Returns whether a run may end well with this: right and free of findings, or wrong on purpose.
    pub fn is_as_intended(&self) -> bool {
        self.wrong_on_purpose || (self.correct && self.findings.is_empty())
    }
}

/// Any run of a lesson, in the order of its report.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum Run {
    /// A traversal.
    Storage(StorageRun),
    /// A mapping.
    Mapping(MappingRun),
    /// A kernel.
    Kernel(Box<KernelRun>),
}

/// What `run --json` prints.
#[derive(Clone, Debug, Serialize)]
pub struct LessonRun {
    /// The lesson.
    pub lesson: &'static str,
    /// `cpu`, `machine` or `gpu`.
    pub device: &'static str,
    /// Its runs.
    pub runs: Vec<Run>,
}

/// Returns the first cell of an output that is wrong, in words.
pub fn first_wrong(output: &[u32], expected: &[u32]) -> Option<String> {
    let at = output.iter().zip(expected).position(|(a, b)| a != b)?;
    Some(format!(
        "cell {at} of the output holds {}, and should hold {}",
        output[at], expected[at]
    ))
}

/// Returns the damage in an output of rows x cols cells with whatever guard region follows them.
///
/// `launched` is the number of threads; `poison` is what an unwritten cell holds.
pub fn damage(output: &[u32], expected: &[u32], shape: Shape, launched: u64, poison: u32) -> Damage {
    let cols = shape.cols.max(1) as usize;
    let cells = expected.len();
    let wrong_rows = output[..cells]
        .chunks(cols)
        .zip(expected.chunks(cols))
        .skip(1)
        .filter(|(a, b)| a != b);
    Damage {
        outside_threads: launched.saturating_sub(cells as u64),
        corrupted_rows: wrong_rows.count() as u64,
        guard_cells_overwritten: output[cells..].iter().filter(|&&c| c != poison).count() as u64,
    }
}
