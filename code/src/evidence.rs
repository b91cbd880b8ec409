//! What real GPUs answered: reading, checking and looking up `evidence/<gpu>/<lesson>.json`.
//!
//! A file carries its device, the command, raw samples and counters, and the fingerprint of every kernel it
//! measured. Evidence is *stale* when today's kernel has another fingerprint, and *damaged* when its digest, or a
//! figure, does not follow from the rest of the file.

use crate::fingerprint;
use crate::kernels::{self, Shape};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
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

/// Everything recorded on one card.
#[derive(Clone, Debug, Default)]
pub struct Card {
    /// The folder's name.
    pub folder: String,
    /// One file a lesson, by lesson name.
    pub lessons: BTreeMap<String, Evidence>,
    /// The examples' file, if there.
    pub examples: Option<Examples>,
}

/// All evidence under a folder, one card after the other by folder name.
#[derive(Clone, Debug, Default)]
pub struct Archive {
    /// The cards.
    pub cards: Vec<Card>,
}

impl Archive {
    /// Returns all evidence under `root`, every file checked against its digest and its own samples.
    ///
    /// A folder that is not there is an empty archive.
    ///
    /// # Errors
    /// A file can not be read, is not of this schema, was edited, or contradicts itself.
    pub fn load(root: &Path) -> Result<Archive, EvidenceError> {
        let mut archive = Archive::default();
        for folder in entries(root)?.into_iter().filter(|p| p.is_dir()) {
            let mut card = Card {
                folder: stem(&folder),
                ..Card::default()
            };
            for path in entries(&folder)?
                .into_iter()
                .filter(|p| p.extension().is_some_and(|e| e == "json"))
            {
                let text = std::fs::read_to_string(&path).map_err(|error| EvidenceError::Read {
                    path: path.clone(),
                    error,
                })?;
                if stem(&path) == "examples" {
                    card.examples = Some(parse(&path, &text)?);
                } else {
                    let evidence: Evidence = parse(&path, &text)?;
                    evidence
                        .records
                        .iter()
                        .try_for_each(|r| check_figures(&path, r))?;
                    card.lessons.insert(stem(&path), evidence);
                }
            }
            archive.cards.push(card);
        }
        Ok(archive)
    }

    /// Returns the lesson's evidence of the first card that has some.
    pub fn lesson(&self, lesson: &str) -> Option<&Evidence> {
        self.cards.iter().find_map(|c| c.lessons.get(lesson))
    }

    /// Returns the record of a kernel on a shape that has the field asked for, with its evidence file.
    ///
    /// Of several, the one with the kernel's own default block. Peers are timed with every lesson: `LESSON/memcpy` is
    /// the one of that lesson.
    pub fn find(
        &self,
        kernel: &str,
        shape: Shape,
        has: impl Fn(&Record) -> bool,
    ) -> Option<(&Evidence, &Record)> {
        let (lesson, kernel) = match kernel.split_once('/') {
            Some((lesson, kernel)) => (Some(lesson), kernel),
            None => (None, kernel),
        };
        let standard = kernels::kernel(kernel).map(|k| [k.block[0], k.block[1], 1]);
        let usual = |r: &Record| r.block.is_none() || standard.is_none() || r.block == standard;
        let lessons = self.cards.iter().flat_map(|c| &c.lessons);
        lessons
            .filter(|(name, _)| lesson.is_none_or(|l| l == name.as_str()))
            .find_map(|(_, e)| {
                let wanted = |r: &&Record| r.kernel == kernel && r.shape() == shape && usual(r) && has(r);
                e.records.iter().find(wanted).map(|r| (e, r))
            })
    }

    /// Returns the timed record of a kernel on a shape with a block written like `32x8`.
    pub fn find_block(&self, kernel: &str, shape: Shape, block: &str) -> Option<&Record> {
        let written = |r: &Record| r.block.map(|[x, y, _]| format!("{x}x{y}"));
        let mut records = self
            .cards
            .iter()
            .flat_map(|c| c.lessons.values())
            .flat_map(|e| &e.records);
        records.find(|r| {
            r.kernel == kernel
                && r.shape() == shape
                && r.gb_per_s.is_some()
                && written(r).as_deref() == Some(block)
        })
    }

    /// Returns what an example printed, and where, from the first card that ran it.
    pub fn example(&self, name: &str) -> Option<(&Examples, &ExampleRun)> {
        self.cards
            .iter()
            .filter_map(|c| c.examples.as_ref())
            .find_map(|examples| {
                examples
                    .examples
                    .iter()
                    .find(|e| e.name == name)
                    .map(|run| (examples, run))
            })
    }

    /// Returns the number of fresh records and examples, and one sentence for each stale one.
    pub fn freshness(&self) -> (usize, Vec<String>) {
        let mut fresh = 0;
        let mut stale = Vec::new();
        for card in &self.cards {
            for (lesson, evidence) in &card.lessons {
                for record in &evidence.records {
                    if record.is_fresh() {
                        fresh += 1;
                    } else {
                        stale.push(format!(
                            "evidence/{}/{lesson}.json: {} {} was recorded with another kernel; \
                             run `warpwise record {lesson}` on that GPU",
                            card.folder,
                            record.kernel,
                            record.shape()
                        ));
                    }
                }
            }
            for run in card.examples.iter().flat_map(|e| &e.examples) {
                if crate::examples::fingerprint(&run.name).as_ref() == Some(&run.fingerprint) {
                    fresh += 1;
                } else {
                    stale.push(format!(
                        "evidence/{}/examples.json: {} was recorded with another program or kernel; \
                         run `warpwise record` on that GPU",
                        card.folder, run.name
                    ));
                }
            }
        }
        (fresh, stale)
    }
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

/// Returns effective bandwidth in 10^9 bytes a second.
pub fn gb_per_s(bytes: u64, ms: f64) -> f64 {
    bytes as f64 / ms / 1e6
}

fn check_figures(path: &Path, record: &Record) -> Result<(), EvidenceError> {
    let fail = |field| {
        let (path, kernel) = (path.to_owned(), record.kernel.clone());
        Err(EvidenceError::Figure {
            path,
            kernel,
            shape: record.shape(),
            field,
        })
    };
    let close = |a: Option<f64>, b: Option<f64>| match (a, b) {
        (Some(a), Some(b)) => (a - b).abs() <= 1e-9 * b.abs(),
        (None, None) => true,
        _ => false,
    };
    if record
        .samples_ms
        .iter()
        .flatten()
        .any(|ms| !ms.is_finite() || *ms <= 0.0)
    {
        return fail("samples_ms");
    }
    let expected = record.samples_ms.as_deref().and_then(median);
    if !close(record.median_ms, expected) {
        return fail("median_ms");
    }
    if !close(
        record.gb_per_s,
        expected.map(|ms| gb_per_s(record.bytes_moved, ms)),
    ) {
        return fail("gb_per_s");
    }
    if let Some(kernel) = kernels::kernel(&record.kernel) {
        if record.shape().cells().map(|n| kernel.bytes_moved(n)) != Some(record.bytes_moved) {
            return fail("bytes_moved");
        }
    }
    Ok(())
}

fn parse<T: for<'a> Deserialize<'a>>(path: &Path, text: &str) -> Result<T, EvidenceError> {
    let format = |error: String| EvidenceError::Format {
        path: path.to_owned(),
        error,
    };
    let document: Value = serde_json::from_str(text).map_err(|e| format(e.to_string()))?;
    if document.get("schema").and_then(Value::as_u64) != Some(u64::from(SCHEMA)) {
        return Err(format(format!("it is not of schema {SCHEMA}")));
    }
    if document.get("digest").and_then(Value::as_str) != Some(&digest(&document)) {
        return Err(EvidenceError::Digest {
            path: path.to_owned(),
        });
    }
    serde_json::from_value(document).map_err(|e| format(e.to_string()))
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, EvidenceError> {
    let read = |error| EvidenceError::Read {
        path: folder.to_owned(),
        error,
    };
    let listing = match std::fs::read_dir(folder) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        other => other.map_err(read)?,
    };
    let mut paths = listing
        .map(|e| e.map(|e| e.path()))
        .collect::<Result<Vec<_>, _>>()
        .map_err(read)?;
    paths.sort();
    Ok(paths)
}

fn stem(path: &Path) -> String {
    path.file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evidence() -> Evidence {
        let kernel = kernels::kernel("copy").expect("copy is declared");
        let record = Record {
            kernel: "copy".to_owned(),
            rows: 3,
            cols: 5,
            element_bytes: 4,
            bytes_moved: kernel.bytes_moved(15),
            block: Some([32, 32, 1]),
            correct: Some(true),
            samples_ms: Some(vec![0.3, 0.1, 0.2]),
            median_ms: median(&[0.3, 0.1, 0.2]),
            gb_per_s: median(&[0.2]).map(|ms| gb_per_s(120, ms)),
            peer: false,
            fingerprint: fingerprint::of_kernel(kernel.source.ptx, "copy"),
            counters: None,
        };
        Evidence {
            schema: SCHEMA,
            device: Device {
                name: "NVIDIA Test 1".to_owned(),
                compute_capability: "7.5".to_owned(),
                driver: "1".to_owned(),
                cuda: "11.7".to_owned(),
            },
            recorded: "2026-01-31".to_owned(),
            command: "warpwise record transpose".to_owned(),
            digest: String::new(),
            records: vec![record],
            sanitizer: Vec::new(),
        }
    }

    /// Writes a file into a fresh archive and loads it.
    fn load(text: &str) -> Result<Archive, EvidenceError> {
        let root = tempfile::tempdir().expect("a folder");
        let folder = root.path().join(evidence().device.folder());
        std::fs::create_dir(&folder).expect("a folder");
        std::fs::write(folder.join("transpose.json"), text).expect("a file");
        Archive::load(root.path())
    }

    fn text() -> String {
        to_text(&evidence()).expect("it serialises")
    }

    #[test]
    fn what_is_written_is_read_again() {
        let archive = load(&text()).expect("it is whole");
        assert_eq!(archive.cards[0].folder, "nvidia-test-1");
        assert_eq!(archive.freshness(), (1, Vec::new()));
        let (_, record) = archive
            .find("copy", Shape::new(3, 5), |r| r.gb_per_s.is_some())
            .expect("it is there");
        assert_eq!(record.samples_ms, evidence().records[0].samples_ms);
        assert!(archive.find("copy", Shape::new(5, 3), |_| true).is_none());
    }

    #[test]
    fn an_edit_is_found() {
        let edited = text().replace("\"rows\": 3", "\"rows\": 4");
        assert_ne!(edited, text());
        let error = load(&edited).expect_err("it was edited");
        assert!(matches!(error, EvidenceError::Digest { .. }), "{error}");
        assert!(error.to_string().contains("transpose.json"), "{error}");
    }

    #[test]
    fn a_figure_that_does_not_follow_is_found() {
        type Change = fn(&mut Record);
        let changes: [(&str, Change); 4] = [
            ("median_ms", |r| r.median_ms = Some(0.1)),
            ("gb_per_s", |r| r.gb_per_s = Some(1.0)),
            ("samples_ms", |r| r.samples_ms = Some(vec![-1.0])),
            ("bytes_moved", |r| {
                r.bytes_moved *= 2;
                r.gb_per_s = r.gb_per_s.map(|g| 2.0 * g);
            }),
        ];
        for (field, change) in changes {
            let mut evidence = evidence();
            evidence.records.iter_mut().for_each(change);
            let error = load(&to_text(&evidence).expect("it serialises")).expect_err(field);
            assert!(error.to_string().contains(field), "{error}");
        }
    }

    #[test]
    fn another_kernel_makes_it_stale() {
        let mut evidence = evidence();
        evidence.records[0].fingerprint = Some("0".repeat(64));
        let archive = load(&to_text(&evidence).expect("it serialises")).expect("it is whole");
        let (fresh, stale) = archive.freshness();
        assert_eq!(fresh, 0);
        assert!(
            stale[0].contains("evidence/nvidia-test-1/transpose.json: copy 3x5"),
            "{stale:?}"
        );
    }

    #[test]
    fn another_schema_is_refused() {
        let error = load("{\"schema\": 2}").expect_err("it is of another schema");
        assert!(error.to_string().contains("schema 1"), "{error}");
        assert!(load("{")
            .expect_err("it is cut off")
            .to_string()
            .contains("record it again"));
    }

    #[test]
    fn no_folder_is_an_empty_archive() {
        assert!(Archive::load(Path::new("no/such/folder"))
            .expect("nothing is wrong")
            .cards
            .is_empty());
    }

    #[test]
    fn the_middle_of_an_even_number_is_between_the_two() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[4.0, 1.0]), Some(2.5));
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
    }
}
