//! All evidence under a folder: reading it, checking it, looking records up.

use super::{digest, median, Evidence, EvidenceError, ExampleRun, Examples, Instructions, Record, SCHEMA};
use crate::kernels::{self, Shape};
use crate::transpose::gb_per_s;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Everything recorded on one card.
#[derive(Clone, Debug, Default)]
pub struct Card {
    /// The folder's name.
    pub folder: String,
    /// One file a lesson, by lesson name.
    pub lessons: BTreeMap<String, Evidence>,
    /// The examples' file, if there.
    pub examples: Option<Examples>,
    /// The instructions' file, if there.
    pub instructions: Option<Instructions>,
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
                match stem(&path).as_str() {
                    "examples" => card.examples = Some(parse(&path, &text)?),
                    "instructions" => card.instructions = Some(parse(&path, &text)?),
                    lesson => {
                        let evidence: Evidence = parse(&path, &text)?;
                        evidence
                            .records
                            .iter()
                            .try_for_each(|r| check_figures(&path, r))?;
                        card.lessons.insert(lesson.to_owned(), evidence);
                    }
                }
            }
            archive.cards.push(card);
        }
        Ok(archive)
    }

    /// Returns every file of a lesson, card by card.
    pub fn files(&self) -> impl Iterator<Item = &Evidence> {
        self.cards.iter().flat_map(|c| c.lessons.values())
    }

    /// Returns every record, card by card and file by file.
    pub fn records(&self) -> impl Iterator<Item = &Record> {
        self.files().flat_map(|e| &e.records)
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
        let lessons = self.cards.iter().flat_map(|c| &c.lessons);
        lessons
            .filter(|(name, _)| lesson.is_none_or(|l| l == name.as_str()))
            .find_map(|(_, e)| {
                let wanted =
                    |r: &&Record| r.kernel == kernel && r.shape() == shape && r.has_usual_block() && has(r);
                e.records.iter().find(wanted).map(|r| (e, r))
            })
    }

    /// Returns the timed record of a kernel on a shape with a block written like `32x8`.
    pub fn find_block(&self, kernel: &str, shape: Shape, block: &str) -> Option<&Record> {
        let written = |r: &Record| r.block.map(|[x, y, _]| format!("{x}x{y}"));
        self.records().find(|r| {
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
            for run in card.instructions.iter().flat_map(|i| &i.kernels) {
                // A program that does not load is an error of its own wherever its kernels are run.
                let known = crate::instructions::fingerprints()
                    .ok()
                    .and_then(|all| all.get(&run.name));
                if known == Some(&run.fingerprint) {
                    fresh += 1;
                } else {
                    stale.push(format!(
                        "evidence/{}/instructions.json: {} was recorded with other instructions or values; \
                         run `warpwise record instructions` on that GPU",
                        card.folder, run.name
                    ));
                }
            }
        }
        (fresh, stale)
    }
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
        expected.and_then(|ms| gb_per_s(record.bytes_moved, ms).ok()),
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
