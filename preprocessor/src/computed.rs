//! Figures from crate `warpwise`: computed now, or recorded as evidence.

use std::path::PathBuf;

use crate::directive::{Arguments, Shape};
use crate::source::{Example, Source, SourceError, Table};

/// Answers directives by running crate `warpwise` in this process.
pub struct Computed {
    _root: PathBuf,
}

impl Computed {
    /// A source for the book at `root`.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Computed { _root: root.into() }
    }
}

fn absent<T>(what: &str) -> Result<T, SourceError> {
    Err(SourceError(format!("{what} can not be computed yet")))
}

impl Source for Computed {
    fn run(&self, _args: &[String]) -> Result<String, SourceError> {
        absent("a run")
    }

    fn value(&self, _name: &str, _args: &Arguments) -> Result<String, SourceError> {
        absent("a value")
    }

    fn table(&self, _name: &str, _args: &Arguments) -> Result<Table, SourceError> {
        absent("a table")
    }

    fn evidence(&self, _kernel: &str, _shape: Shape, _field: &str) -> Result<String, SourceError> {
        absent("evidence")
    }

    fn device(&self) -> Result<String, SourceError> {
        absent("a device")
    }

    fn evidence_table(&self, _lesson: &str, _shape: Shape) -> Result<Table, SourceError> {
        absent("evidence")
    }

    fn predictions(&self, _lesson: &str) -> Result<Table, SourceError> {
        absent("a prediction")
    }

    fn lines(&self, _kernel: &str, _shape: Shape) -> Result<Table, SourceError> {
        absent("a count per line")
    }

    fn example(&self, _name: &str) -> Result<Example, SourceError> {
        absent("an example")
    }

    fn figure(&self, _name: &str, _args: &Arguments) -> Result<String, SourceError> {
        absent("a figure")
    }
}
