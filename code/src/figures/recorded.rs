//! Figures that come from evidence.

use super::{FigureError, Figures};
use crate::diagonal;
use crate::evidence::{Evidence, Record};
use crate::examples;
use crate::kernels::{self, Shape, ELEMENT_BYTES};
use crate::lessons;
use crate::predict::{self, Prediction, Size};
use crate::table::{grouped, ratio, Table};
use std::sync::{Arc, PoisonError};

/// What an example printed, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Printed {
    /// Standard output.
    pub stdout: String,
    /// The card.
    pub device: String,
    /// The date.
    pub recorded: String,
}

impl Figures {
    /// Returns one recorded figure with its unit.
    ///
    /// `field` is `gb_per_s`, `median_ms`, `min_ms`, `max_ms`, `of_copy`, `of_memcpy`, `times:OTHER` (how many times
    /// the bandwidth of another kernel or peer on the same shape), `verdict` (`right` or `wrong`), `counters.NAME`,
    /// `counters.A/B` and `counters.A-B` of two counters (`matrix_bytes` serves as one: the matrix once), `per_request.load` and `per_request.store` (sectors a
    /// request, as the card counted them), or `us_per_diagonal` (the median shared out among the diagonals).
    /// `gb_per_s@32x8` is that of another block than the kernel's usual one.
    /// Peers are timed with every lesson; `transpose/memcpy` is the one of that lesson.
    ///
    /// # Errors
    /// Nothing of the kind was recorded, or it is stale.
    pub fn evidence(&self, kernel: &str, shape: Shape, field: &str) -> Result<String, FigureError> {
        let timed = || self.record(kernel, shape, field, |r| r.gb_per_s.is_some());
        let samples = |record: &Record| -> Vec<f64> {
            record
                .samples_ms
                .iter()
                .flatten()
                .map(|&ms| f64::from(ms))
                .collect()
        };
        let over = |other: &str| -> Result<String, FigureError> {
            let above = timed()?.gb_per_s.unwrap_or_default();
            // Timed in the same run, if it was: then the ratio is that of the table.
            let given = kernel.split_once('/').map(|(lesson, _)| lesson);
            let lesson = given.or(kernels::kernel(kernel).map(|k| k.lesson));
            let beside = lesson.map_or(other.to_owned(), |lesson| format!("{lesson}/{other}"));
            let find = |name: &str| self.record(name, shape, "gb_per_s", |r| r.gb_per_s.is_some());
            let below = find(&beside).or_else(|_| find(other))?.gb_per_s;
            Ok(format!("{:.2}", above / below.unwrap_or(f64::NAN)))
        };
        if let Some(other) = field.strip_prefix("times:") {
            return over(other);
        }
        if let Some(names) = field.strip_prefix("counters.") {
            return self.counted(kernel, shape, names);
        }
        if let Some(block) = field.strip_prefix("gb_per_s@") {
            let record = self.archive.find_block(kernel, shape, block);
            let record = record.ok_or_else(|| missing(&format!("{field} of {kernel} on {shape}")))?;
            fresh(record)?;
            return Ok(format!("{:.0} GB/s", record.gb_per_s.unwrap_or_default()));
        }
        match field {
            "gb_per_s" => Ok(format!("{:.0} GB/s", timed()?.gb_per_s.unwrap_or_default())),
            "median_ms" => Ok(milliseconds(timed()?.median_ms)),
            "min_ms" => Ok(milliseconds(samples(timed()?).into_iter().min_by(f64::total_cmp))),
            "max_ms" => Ok(milliseconds(samples(timed()?).into_iter().max_by(f64::total_cmp))),
            "verdict" => {
                let record = self.record(kernel, shape, field, |r| r.correct.is_some())?;
                Ok(if record.correct == Some(true) {
                    "right"
                } else {
                    "wrong"
                }
                .to_owned())
            }
            "of_copy" => over("copy"),
            "of_memcpy" => over("memcpy"),
            "per_request.load" | "per_request.store" => {
                let kind = field.trim_start_matches("per_request.");
                let sectors = self.counter(kernel, shape, &format!("global_{kind}_sectors"))?;
                let requests = self.counter(kernel, shape, &format!("global_{kind}_requests"))?;
                Ok(format!("{:.2}", sectors as f64 / requests as f64))
            }
            "us_per_diagonal" => {
                let ms = timed()?.median_ms.unwrap_or(f64::NAN);
                let diagonals = diagonal::diagonals(shape.rows, shape.cols);
                Ok(format!("{:.1} µs", 1000.0 * ms / diagonals as f64))
            }
            _ => Err(FigureError::Unknown {
                what: "recorded field",
                name: field.to_owned(),
                known: "gb_per_s, median_ms, min_ms, max_ms, of_copy, of_memcpy, times:KERNEL, verdict, \
                        counters.NAME, counters.A/B, counters.A-B, per_request.load, per_request.store, \
                        us_per_diagonal and gb_per_s@XxY"
                    .to_owned(),
            }),
        }
    }

    /// Returns the name of the card that the book's figures come from: the first with evidence.
    ///
    /// # Errors
    /// There is no evidence.
    pub fn device(&self) -> Result<String, FigureError> {
        let first = self.archive.files().next();
        first
            .map(|e| e.device.name.clone())
            .ok_or_else(|| missing("device"))
    }

    /// Returns the timed records of a lesson on one shape, with device, driver and date in the caption.
    ///
    /// # Errors
    /// Nothing of the kind was recorded, or some of it is stale.
    pub fn evidence_table(&self, lesson: &str, shape: Shape) -> Result<Table, FigureError> {
        let evidence = self
            .archive
            .lesson(lesson)
            .ok_or_else(|| missing(&format!("lesson {lesson}")))?;
        let records: Vec<&Record> = evidence
            .records
            .iter()
            .filter(|r| r.shape() == shape && r.gb_per_s.is_some())
            .collect();
        if records.is_empty() {
            return Err(missing(&format!("timed run of {lesson} on {shape}")));
        }
        records.iter().try_for_each(|r| fresh(r))?;
        let bandwidth = |name: &str| {
            let mut usual = records.iter().filter(|r| r.has_usual_block());
            usual.find(|r| r.kernel == name).and_then(|r| r.gb_per_s)
        };
        let (copy, memcpy) = (bandwidth("copy"), bandwidth("memcpy"));
        let mut header = vec!["kernel", "block", "median ms", "min", "max", "GB/s"];
        header.extend(copy.map(|_| "of copy"));
        header.extend(memcpy.map(|_| "of memcpy"));
        let mut table = Table::new(format!("{lesson} on {shape}, {}", provenance(evidence)), &header);
        for record in &records {
            let samples = || record.samples_ms.iter().flatten().map(|&ms| f64::from(ms));
            let plain = |ms: Option<f64>| ms.map_or(String::new(), |ms| format!("{ms:.4}"));
            let bandwidth = record.gb_per_s.unwrap_or_default();
            let mut row = vec![
                format!("`{}`", record.kernel),
                record.block.map_or(String::new(), |[x, y, _]| format!("{x}x{y}")),
                plain(record.median_ms),
                plain(samples().min_by(f64::total_cmp)),
                plain(samples().max_by(f64::total_cmp)),
                format!("{bandwidth:.0}"),
            ];
            row.extend(copy.map(|c| format!("{:.2}", bandwidth / c)));
            row.extend(memcpy.map(|m| format!("{:.2}", bandwidth / m)));
            table.row(row);
        }
        Ok(table)
    }

    /// Returns the machine's predictions beside what the card counted, for the kernels of a lesson.
    ///
    /// # Errors
    /// Nothing was counted, or the machine stops.
    pub fn predictions(&self, lesson: &str) -> Result<Table, FigureError> {
        self.compared(lesson, Size::Promised)
    }

    /// Returns the same for larger shapes, where the card replays more shared accesses than the rule knows.
    ///
    /// # Errors
    /// As [`Figures::predictions`].
    pub fn beyond(&self, lesson: &str) -> Result<Table, FigureError> {
        self.compared(lesson, Size::Beyond)
    }

    fn compared(&self, lesson: &str, size: Size) -> Result<Table, FigureError> {
        let evidence = self
            .archive
            .lesson(lesson)
            .ok_or_else(|| missing(&format!("lesson {lesson}")))?;
        let wanted = self.predicted(lesson, size)?;
        if wanted.is_empty() {
            return Err(missing(&format!("counters of lesson {lesson}")));
        }
        let caption = format!(
            "counters of {lesson}: predicted by the PTX machine, measured on {}",
            provenance(evidence)
        );
        let mut table = Table::new(
            caption,
            &["kernel", "shape", "counter", "predicted", "measured", "agrees"],
        );
        for p in wanted.iter() {
            // A counter that is zero on both sides tells nothing.
            if p.predicted == 0 && p.measured == 0 {
                continue;
            }
            let agrees = match (p.predicted == p.measured, p.holds()) {
                (true, _) => "exactly",
                (false, true) => "within a replay",
                (false, false) => "no",
            };
            let words = [
                format!("`{}`", p.kernel),
                p.shape().to_string(),
                p.quantity.replace('_', " "),
            ];
            table.row(words.into_iter().chain([
                grouped(p.predicted),
                grouped(p.measured),
                agrees.to_owned(),
            ]));
        }
        Ok(table)
    }

    /// Returns the predictions of a lesson's kernels; the machine runs once for each, however often they are shown.
    ///
    /// # Errors
    /// The machine stops.
    pub(super) fn predicted(&self, lesson: &str, size: Size) -> Result<Arc<[Prediction]>, FigureError> {
        let Some(lesson) = lessons::lesson(lesson) else {
            return Ok(Arc::default());
        };
        let known = || self.predictions.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(all) = known().get(&(lesson.name, size)) {
            return Ok(all.clone());
        }
        let all: Arc<[Prediction]> = predict::predictions(&self.archive, size, Some(lesson.name))?.into();
        Ok(known().entry((lesson.name, size)).or_insert(all).clone())
    }

    /// Returns what an example printed on a card.
    ///
    /// # Errors
    /// It was not recorded, or with another program or kernel.
    pub fn printed(&self, example: &str) -> Result<Printed, FigureError> {
        let (file, run) = self
            .archive
            .example(example)
            .ok_or_else(|| missing(&format!("run of example {example}")))?;
        if examples::fingerprint(example).as_ref() != Some(&run.fingerprint) {
            return Err(FigureError::Stale {
                what: format!("example {example}"),
            });
        }
        Ok(Printed {
            stdout: run.stdout.clone(),
            device: file.device.name.clone(),
            recorded: file.recorded.clone(),
        })
    }

    /// Returns compute-sanitizer's report on a kernel without a guard region.
    ///
    /// # Errors
    /// It was not recorded.
    pub fn sanitizer(&self, kernel: &str) -> Result<Vec<String>, FigureError> {
        let mut reports = self.archive.files().flat_map(|e| &e.sanitizer);
        reports
            .find(|s| s.kernel == kernel)
            .map(|s| s.report.clone())
            .ok_or_else(|| missing(&format!("sanitizer report of {kernel}")))
    }

    /// Returns chosen counters of the kernels of a lesson on one shape: `columns` are names, or two joined by `/` or `-`.
    ///
    /// # Errors
    /// Nothing of the kind was recorded, or some of it is stale.
    pub fn counters(
        &self,
        lesson: &str,
        shape: Shape,
        columns: &[&str],
        chosen: Option<&[&str]>,
    ) -> Result<Table, FigureError> {
        let evidence = self
            .archive
            .lesson(lesson)
            .ok_or_else(|| missing(&format!("lesson {lesson}")))?;
        let heads = columns
            .iter()
            .map(|c| c.replace('/', " / ").replace('-', " - ").replace('_', " "));
        let header: Vec<String> = std::iter::once("kernel".to_owned()).chain(heads).collect();
        let mut table = Table {
            caption: format!("{lesson} on {shape}, counted by {}", provenance(evidence)),
            header,
            rows: Vec::new(),
        };
        for kernel in kernels::of_lesson(lesson) {
            if chosen.is_some_and(|c| !c.contains(&kernel.name)) {
                continue;
            }
            let counted = columns
                .iter()
                .map(|names| self.counted(kernel.name, shape, names));
            let counted = counted.collect::<Result<Vec<_>, _>>()?;
            table.row(std::iter::once(format!("`{}`", kernel.name)).chain(counted));
        }
        Ok(table)
    }

    /// Returns a counter, or the quotient or difference of two.
    fn counted(&self, kernel: &str, shape: Shape, names: &str) -> Result<String, FigureError> {
        if let Some((a, b)) = names.split_once('/') {
            let (a, b) = (self.counter(kernel, shape, a)?, self.counter(kernel, shape, b)?);
            return Ok(match a as f64 / b as f64 {
                large if large.is_finite() && large >= 100.0 => grouped(large.round() as u64),
                _ => ratio(a, b),
            });
        }
        if let Some((a, b)) = names.split_once('-') {
            let (a, b) = (self.counter(kernel, shape, a)?, self.counter(kernel, shape, b)?);
            return Ok(grouped(a.saturating_sub(b)));
        }
        Ok(grouped(self.counter(kernel, shape, names)?))
    }

    fn counter(&self, kernel: &str, shape: Shape, name: &str) -> Result<u64, FigureError> {
        if let ("matrix_bytes", Some(cells)) = (name, shape.cells()) {
            return Ok(ELEMENT_BYTES * cells);
        }
        let has = |r: &Record| r.counters.as_ref().is_some_and(|c| c.contains_key(name));
        let record = self.record(kernel, shape, name, has)?;
        let count = record.counters.as_ref().and_then(|c| c.get(name));
        Ok(count.copied().unwrap_or_default())
    }

    fn record(
        &self,
        kernel: &str,
        shape: Shape,
        field: &str,
        has: impl Fn(&Record) -> bool,
    ) -> Result<&Record, FigureError> {
        let (_, record) = self
            .archive
            .find(kernel, shape, has)
            .ok_or_else(|| missing(&format!("{field} of {kernel} on {shape}")))?;
        fresh(record)?;
        Ok(record)
    }
}

fn provenance(evidence: &Evidence) -> String {
    let d = &evidence.device;
    format!(
        "{} (driver {}, CUDA {}), {}",
        d.name, d.driver, d.cuda, evidence.recorded
    )
}

fn milliseconds(ms: Option<f64>) -> String {
    format!("{:.4} ms", ms.unwrap_or(f64::NAN))
}

fn fresh(record: &Record) -> Result<(), FigureError> {
    if record.is_fresh() {
        Ok(())
    } else {
        Err(FigureError::Stale {
            what: format!("{} on {}", record.kernel, record.shape()),
        })
    }
}

fn missing(what: &str) -> FigureError {
    FigureError::NotRecorded {
        what: what.to_owned(),
    }
}
