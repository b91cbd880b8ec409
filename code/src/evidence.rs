//! What real GPUs answered: reading, checking and looking up `evidence/<gpu>/<lesson>.json`.
//!
//! A file carries its device, the command, raw samples and counters, and the fingerprint of every kernel it
//! measured. Evidence is *stale* when today's kernel has another fingerprint, and *damaged* when its digest, or a
//! figure, does not follow from the rest of the file.

mod archive;
mod instructions;
#[cfg(test)]
mod tests;

pub use archive::{Archive, Card};
pub use instructions::{InstructionRun, Instructions};

use crate::fingerprint;
use crate::kernels::{self, Shape};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;
use thiserror::Error;

/// The version of the format written today.
pub const SCHEMA: u32 = 1;

/// The names of the counters that the machine predicts, as evidence and reports spell them.
pub const PREDICTED: [&str; 6] = [
    "global_load_requests",
    "global_load_sectors",
    "global_store_requests",
    "global_store_sectors",
    "shared_load_wavefronts",
    "shared_store_wavefronts",
];

/// Why an evidence file can not be used.
#[derive(Debug, Error)]
pub enum EvidenceError {
    /// The file could not be read.
    #[error("{path}: {error}; evidence is written by `warpwise record`", path = path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's words.
        error: std::io::Error,
    },
    /// It is not JSON of this schema.
    #[error("{path}: {error}; record it again with `warpwise record`", path = path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// What the reader met.
        error: String,
    },
    /// It was edited.
    #[error(
        "{path}: the digest does not fit the file, so it was edited after it was recorded; \
         restore it from git or record it again", path = path.display()
    )]
    Digest {
        /// The file.
        path: PathBuf,
    },
    /// A figure contradicts the samples.
    #[error(
        "{path}: {kernel} {shape}: {field} does not follow from samples and bytes; \
         restore the file from git or record it again", path = path.display()
    )]
    Figure {
        /// The file.
        path: PathBuf,
        /// The record's kernel.
        kernel: String,
        /// The record's shape.
        shape: Shape,
        /// The figure that is off.
        field: &'static str,
    },
}

/// The card that answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Device {
    /// Name, as the driver gives it.
    pub name: String,
    /// Compute capability, as `9.0`.
    pub compute_capability: String,
    /// Driver version.
    pub driver: String,
    /// CUDA version the driver supports.
    pub cuda: String,
}

impl Device {
    /// Returns the folder under `evidence/` for this card: its name in lower case, joined by hyphens.
    pub fn folder(&self) -> String {
        let words = self
            .name
            .split(|c: char| !c.is_ascii_alphanumeric())
            .filter(|w| !w.is_empty());
        words.map(str::to_ascii_lowercase).collect::<Vec<_>>().join("-")
    }
}

/// One kernel on one shape: timed, counted, or both.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Kernel name, or that of a peer: `memcpy`, `cublas_geam`, `pytorch`.
    pub kernel: String,
    /// Rows of the matrix.
    pub rows: u64,
    /// Columns of the matrix.
    pub cols: u64,
    /// Bytes a cell.
    pub element_bytes: u64,
    /// Bytes that must move: each cell of each buffer once.
    pub bytes_moved: u64,
    /// Threads a block; absent for peers, whose launches are their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block: Option<[u32; 3]>,
    /// Whether every output cell was right; absent where the output was not looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub correct: Option<bool>,
    /// Elapsed milliseconds of each timed run.
    pub samples_ms: Option<Vec<f32>>,
    /// The middle sample.
    pub median_ms: Option<f64>,
    /// `bytes_moved` over `median_ms`, in 10^9 bytes a second.
    pub gb_per_s: Option<f64>,
    /// Whether someone else's code ran.
    pub peer: bool,
    /// Fingerprint of the kernel; null for peers.
    pub fingerprint: Option<String>,
    /// Hardware counters, summed over all launches of the run.
    pub counters: Option<BTreeMap<String, u64>>,
}

impl Record {
    /// Returns the shape.
    pub fn shape(&self) -> Shape {
        Shape::new(self.rows, self.cols)
    }

    /// Returns whether it was launched with its kernel's own block; peers have none to differ from.
    pub fn has_usual_block(&self) -> bool {
        match (self.block, kernels::kernel(&self.kernel)) {
            (Some(block), Some(kernel)) => block == kernel.block(),
            _ => true,
        }
    }

    /// Returns whether today's kernel is the one that was measured; peers never go stale.
    pub fn is_fresh(&self) -> bool {
        match kernels::kernel(&self.kernel) {
            Some(k) => {
                self.fingerprint.is_some() && fingerprint::of_kernel(k.source.ptx, k.name) == self.fingerprint
            }
            None => self.peer,
        }
    }
}

/// The verdict of compute-sanitizer on a run without a guard region.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sanitizer {
    /// The kernel it watched.
    pub kernel: String,
    /// Rows of the matrix.
    pub rows: u64,
    /// Columns of the matrix.
    pub cols: u64,
    /// The command.
    pub command: String,
    /// Its report, without the lines that only the tool's banner has.
    pub report: Vec<String>,
    /// Errors it counted.
    pub errors: u64,
}

/// An evidence file of a lesson.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// Version of the format.
    pub schema: u32,
    /// The card.
    pub device: Device,
    /// The date, as `2026-01-31`.
    pub recorded: String,
    /// The command that recorded it.
    pub command: String,
    /// SHA-256 over the rest of the file: it catches accidental edits, and claims no more.
    pub digest: String,
    /// The measurements.
    pub records: Vec<Record>,
    /// compute-sanitizer's verdicts, where it was there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sanitizer: Vec<Sanitizer>,
}

/// What an example printed on a card.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExampleRun {
    /// Name of the example.
    pub name: String,
    /// Fingerprint of the program and the PTX it launches from.
    pub fingerprint: String,
    /// What it printed.
    pub stdout: String,
    /// Its exit code.
    pub exit: i32,
}

/// The evidence file of the examples.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Examples {
    /// Version of the format.
    pub schema: u32,
    /// The card.
    pub device: Device,
    /// The date.
    pub recorded: String,
    /// SHA-256 over the rest of the file.
    pub digest: String,
    /// What each printed.
    pub examples: Vec<ExampleRun>,
}

/// Returns the digest of an evidence document: SHA-256 over all of it but the digest, keys in order.
pub fn digest(document: &Value) -> String {
    let mut rest = document.clone();
    if let Some(fields) = rest.as_object_mut() {
        fields.remove("digest");
    }
    fingerprint::sha256(&rest.to_string())
}

/// Returns the text of an evidence file: the value with its digest filled in, indented, ending in a newline.
///
/// # Errors
/// The value does not serialise; none of this module's types fails.
pub fn to_text(value: &impl Serialize) -> Result<String, serde_json::Error> {
    // Through text first: a number's digest is taken over what a reader of the file will see.
    let mut document: Value = serde_json::from_str(&serde_json::to_string(value)?)?;
    let digest = digest(&document);
    if let Some(fields) = document.as_object_mut() {
        fields.insert("digest".to_owned(), Value::String(digest));
    }
    Ok(format!("{}\n", serde_json::to_string_pretty(&document)?))
}

/// Returns the middle of the samples (the mean of the two middle ones of an even number), or `None` of none.
pub fn median(samples: &[f32]) -> Option<f64> {
    let mut sorted: Vec<f64> = samples.iter().map(|&s| f64::from(s)).collect();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        n if n % 2 == 1 => Some(sorted[middle]),
        _ => Some((sorted[middle - 1] + sorted[middle]) / 2.0),
    }
}
