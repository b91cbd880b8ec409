//! Wrong kernels: each a right one with one realistic mistake, and what catches it on the PTX machine.
//!
//! Most of them give the right values on some shape, some of them on every shape: comparing values is not
//! enough. The sources are in `kernels/wrong/`; [`KERNELS`] says how each is launched, which finding catches
//! it, and on which shape a comparison of values sees nothing.

mod job;
mod table;

use crate::kernels::Shape;
use warpwise_machine::observe::{Coverage, Finding, FindingKind, SharedCount, Watch};
use warpwise_machine::{Limits, Line, Module, Options, Order, RunError};

pub use job::{Grid, Job};
pub use table::KERNELS;

/// What catches a wrong kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Catch {
    /// An observer reports a finding of this kind.
    Finding(FindingKind),
    /// The result in reverse order is another one than in forward order.
    Order,
    /// The machine refuses the launch.
    Refused,
    /// No thread can go on.
    Hang,
    /// Loads from shared memory need more than one wavefront each.
    Wavefronts,
}

/// A kernel with one mistake.
#[derive(Clone, Copy, Debug)]
pub struct WrongKernel {
    /// Its name, which is also that of its files in `kernels/wrong/`.
    pub name: &'static str,
    /// What `kernels/wrong/NAME.ptx` holds.
    pub ptx: &'static str,
    /// What it should do.
    pub job: Job,
    /// How it is launched.
    pub grid: Grid,
    /// Dynamic shared memory in bytes.
    pub shared_bytes: u32,
    /// What catches it.
    pub caught_by: Catch,
    /// A shape on which it is caught.
    pub caught_on: Shape,
    /// A shape on which its values are right in forward order, if there is one.
    pub passes_on: Option<Shape>,
}

/// What a run of a wrong kernel showed.
#[derive(Debug)]
pub struct Outcome {
    /// The output, cell by cell.
    pub output: Vec<u32>,
    /// True when the output is what the job asks for.
    pub values_right: bool,
    /// What the observers report, the first few of each.
    pub findings: Vec<Finding>,
    /// Source lines whose loads from shared memory need more than one wavefront each, and what they need.
    pub conflicts: Vec<(Line, SharedCount)>,
    /// Why the run stopped early, if it did.
    pub stopped: Option<RunError>,
}

/// How many of the wrong kernels are caught.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Score {
    /// Wrong kernels that are caught.
    pub caught: usize,
    /// Wrong kernels in all.
    pub total: usize,
    /// The names of those that are not caught.
    pub missed: Vec<&'static str>,
}

/// Returns how many of the wrong kernels the machine catches, each on its own shape.
pub fn score() -> Score {
    let missed: Vec<&str> = KERNELS
        .iter()
        .filter(|kernel| !kernel.is_caught())
        .map(|kernel| kernel.name)
        .collect();
    Score {
        caught: KERNELS.len() - missed.len(),
        total: KERNELS.len(),
        missed,
    }
}

impl WrongKernel {
    /// Returns whether the kernel is caught, by what should catch it and on the shape where it should.
    pub fn is_caught(&self) -> bool {
        self.caught().is_some()
    }

    /// Returns the sentence that gives the kernel away, on the shape where it should; nothing if it gets away.
    pub fn caught(&self) -> Option<String> {
        let outcome = self.run(self.caught_on, Order::Forward)?;
        match self.caught_by {
            Catch::Finding(kind) => {
                let finding = outcome.findings.iter().find(|finding| finding.kind == kind)?;
                let names = self.job.buffers();
                Some(finding.sentence(|id| {
                    names
                        .get(id.index())
                        .copied()
                        .unwrap_or("another buffer")
                        .to_string()
                }))
            }
            Catch::Order => {
                let other = self
                    .run(self.caught_on, Order::Reverse)
                    .filter(|other| other.stopped.is_none())?;
                let cell = (0..outcome.output.len())
                    .find(|&cell| outcome.output.get(cell) != other.output.get(cell))?;
                Some(format!(
                    "with the blocks in reverse order cell {cell} of the output is another one"
                ))
            }
            Catch::Refused => match outcome.stopped {
                Some(error @ RunError::Launch(_)) => Some(error.to_string()),
                _ => None,
            },
            Catch::Hang => match outcome.stopped {
                Some(error @ RunError::Hang { .. }) => Some(error.to_string()),
                _ => None,
            },
            Catch::Wavefronts => {
                let (line, count) = outcome.conflicts.first()?;
                let SharedCount { requests, wavefronts } = count;
                Some(format!(
                    "{line}: {requests} loads from shared memory need {wavefronts} wavefronts"
                ))
            }
        }
    }

    /// Returns what a run on a rows x cols matrix shows; nothing if the kernel can not be loaded or the
    /// shape does not fit in memory.
    pub fn run(&self, shape: Shape, order: Order) -> Option<Outcome> {
        let module = Module::parse(self.ptx).ok()?;
        let kernel = module.kernel(self.name)?;
        let mut setup = self.job.setup(shape)?;
        let limits = Limits {
            quiet_instructions: 1 << 20,
            ..Limits::default()
        };
        let options = Options {
            order,
            limits,
            ..Options::default()
        };
        let cells = Coverage::new(setup.output, setup.expected.len() as u64, 4);
        let mut watch = Watch::new([cells], true);
        let mut stopped = None;
        for args in setup.launches {
            let launch = self.grid.launch(shape, self.shared_bytes, args)?;
            if let Err(error) = watch.run(kernel, &launch, &mut setup.memory, &options) {
                stopped = Some(error);
                break;
            }
        }
        // A kernel that need not write each cell once, or that stopped before it could, is not blamed for it.
        let blamed = self.job.writes_each_cell_once() && stopped.is_none();
        let of_coverage = [FindingKind::NeverWritten, FindingKind::WrittenTwice];
        let findings = watch.findings();
        let findings = findings
            .into_iter()
            .filter(|f| blamed || !of_coverage.contains(&f.kind))
            .collect();
        let loads = watch
            .counts()
            .by_line()
            .into_iter()
            .map(|(line, requests)| (line, requests.shared_load));
        let output = job::words(setup.memory.bytes(setup.output));
        Some(Outcome {
            values_right: stopped.is_none() && output == setup.expected,
            output,
            findings,
            conflicts: loads
                .filter(|(_, count)| count.wavefronts > count.requests)
                .collect(),
            stopped,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::fmt::Write;
    use std::path::Path;

    #[test]
    fn every_wrong_kernel_is_caught() {
        let score = score();
        println!("wrong kernels caught: {}/{}", score.caught, score.total);
        assert!(score.total >= 30);
        assert_eq!(score.missed, [""; 0]);
    }

    #[test]
    fn a_comparison_of_values_sees_nothing_on_these_shapes() {
        for kernel in KERNELS {
            if let Some(shape) = kernel.passes_on {
                let outcome = kernel.run(shape, Order::Forward).unwrap();
                assert!(
                    outcome.values_right,
                    "{} on {shape}: {:?}",
                    kernel.name, outcome.stopped
                );
            }
        }
    }

    /// Every sentence, as a reader gets it. `BLESS=1 cargo test -p warpwise wrong` writes the file anew.
    #[test]
    fn the_report_is_the_blessed_one() {
        let mut report = String::new();
        for kernel in KERNELS {
            let caught = kernel.caught().unwrap_or_else(|| "NOT CAUGHT".to_string());
            writeln!(report, "{} on {}\n    {caught}", kernel.name, kernel.caught_on).unwrap();
            match kernel.passes_on {
                Some(shape) if shape == kernel.caught_on => {
                    writeln!(report, "    its values are right here").unwrap()
                }
                Some(shape) => writeln!(report, "    its values are right on {shape}").unwrap(),
                None => {}
            }
        }
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/wrong/report.txt");
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(&path, &report).unwrap();
        }
        let blessed = std::fs::read_to_string(&path).unwrap().replace('\r', "");
        for (now, then) in report.lines().zip(blessed.lines()) {
            assert_eq!(now, then);
        }
        assert_eq!(report.lines().count(), blessed.lines().count());
    }

    /// The strongest cases: right values on the very shape where the machine reports.
    #[test]
    fn many_are_caught_where_their_values_are_right() {
        let both = KERNELS
            .iter()
            .filter(|kernel| kernel.passes_on == Some(kernel.caught_on))
            .count();
        assert!(both >= 15, "{both} of {}", KERNELS.len());
    }

    #[test]
    fn the_table_and_the_folder_agree() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../kernels/wrong");
        let files: BTreeSet<String> = std::fs::read_dir(folder)
            .unwrap()
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.extension().is_some_and(|extension| extension == "cu"))
            .filter_map(|path| Some(path.file_stem()?.to_str()?.to_string()))
            .collect();
        let table: BTreeSet<String> = KERNELS.iter().map(|kernel| kernel.name.to_string()).collect();
        assert_eq!(files, table);
        assert_eq!(table.len(), KERNELS.len());
    }
}
