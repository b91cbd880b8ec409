//! Where computed and recorded figures come from.

use std::path::PathBuf;

use warpwise::args::Args;
use warpwise::kernels::Shape;
use warpwise::table::Table;

/// A program of code/examples, and what it printed on a GPU.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Example {
    /// The program, relative to the book's root.
    pub path: PathBuf,
    /// Standard output of the recorded run.
    pub stdout: String,
    /// The device it ran on.
    pub device: String,
    /// The day it was recorded, `2026-01-31`.
    pub recorded: String,
}

/// Why a figure is not to be had: one sentence for the chapter's author.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SourceError(pub String);

/// Answers the directives that are not about files. One implementation computes (`Computed`); tests bring their own.
pub trait Source {
    /// A number that changes with everything answers depend on. `None`: no answer is kept for another build.
    fn version(&self) -> Option<u64> {
        None
    }

    /// What `warpwise ARGS` prints.
    ///
    /// # Errors
    /// An exit code other than 0.
    fn run(&self, args: &[String]) -> Result<String, SourceError>;

    /// One computed figure.
    ///
    /// # Errors
    /// An unknown name, or arguments that do not fit it.
    fn value(&self, name: &str, args: &Args) -> Result<String, SourceError>;

    /// One computed table.
    ///
    /// # Errors
    /// An unknown name, or arguments that do not fit it.
    fn table(&self, name: &str, args: &Args) -> Result<Table, SourceError>;

    /// One recorded figure with its unit.
    ///
    /// # Errors
    /// No such record, no such field, or evidence that is stale.
    fn evidence(&self, kernel: &str, shape: Shape, field: &str) -> Result<String, SourceError>;

    /// The name of the device the evidence was recorded on.
    ///
    /// # Errors
    /// No evidence.
    fn device(&self) -> Result<String, SourceError>;

    /// All records of a lesson on one shape.
    ///
    /// # Errors
    /// No such records, or evidence that is stale.
    fn evidence_table(&self, lesson: &str, shape: Shape) -> Result<Table, SourceError>;

    /// Predicted against measured counters of a lesson, on the shapes that predictions must hold for or `beyond` them.
    ///
    /// # Errors
    /// No such records, or evidence that is stale.
    fn predictions(&self, lesson: &str, beyond: bool) -> Result<Table, SourceError>;

    /// compute-sanitizer's report on a kernel, one line for each.
    ///
    /// # Errors
    /// It was not recorded.
    fn sanitizer(&self, kernel: &str) -> Result<String, SourceError>;

    /// A kernel's source lines with the counts of each.
    ///
    /// # Errors
    /// An unknown kernel, or a run that fails.
    fn lines(&self, kernel: &str, shape: Shape) -> Result<Table, SourceError>;

    /// A program and its recorded output.
    ///
    /// # Errors
    /// No such example, no record of it, or a record of an older text.
    fn example(&self, name: &str) -> Result<Example, SourceError>;

    /// A drawing as one `<svg>` element without blank lines.
    ///
    /// # Errors
    /// An unknown name, or arguments that do not fit it.
    fn figure(&self, name: &str, args: &Args) -> Result<String, SourceError>;
}
