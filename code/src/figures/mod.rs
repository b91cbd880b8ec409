//! Every figure that a chapter shows: computed by this crate or the machine, or read from evidence.
//!
//! No chapter contains a typed-in measurement; it names one of these instead. A name or an argument that is not
//! known is an error, which stops the book.

mod recorded;
mod tables;
mod values;

use crate::args::{ArgError, Args};
use crate::evidence::Archive;
use crate::instructions::InstructionError;
use crate::kernels::{self, KernelSpec, Shape};
use crate::plan::Plan;
use crate::predict::{Prediction, Size};
use crate::run::{self, KernelTrace, RunError};
use crate::table::{grouped, Table};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use thiserror::Error;
use warpwise_machine::{Options, Order};

/// Why a figure can not be had.
#[derive(Debug, Error)]
pub enum FigureError {
    /// No such figure.
    #[error("there is no {what} `{name}`; there are {known}")]
    Unknown {
        /// `value`, `table`, ….
        what: &'static str,
        /// What was asked for.
        name: String,
        /// What there is.
        known: String,
    },
    /// Arguments that do not fit.
    #[error(transparent)]
    Args(#[from] ArgError),
    /// The run behind it failed.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A kernel that tries an instruction could not be run.
    #[error(transparent)]
    Instruction(#[from] InstructionError),
    /// Nothing of the kind was recorded.
    #[error("evidence has no {what}; run `warpwise record` on a GPU")]
    NotRecorded {
        /// What is missing.
        what: String,
    },
    /// It was recorded with another kernel or program.
    #[error("the evidence of {what} is stale: it was recorded with another kernel; run `warpwise record` on a GPU")]
    Stale {
        /// What is stale.
        what: String,
    },
    /// The library refused the shape.
    #[error("{0}")]
    Shape(String),
}

/// How a kernel is run for a figure, as a key.
type TraceKey = (&'static str, Shape, Option<[u32; 2]>, Order, bool);

/// Predictions by lesson and size.
type Predicted = HashMap<(&'static str, Size), Arc<[Prediction]>>;

/// Answers for figures; it runs each kernel once a shape.
#[derive(Debug, Default)]
pub struct Figures {
    archive: Archive,
    traces: Mutex<HashMap<TraceKey, Arc<KernelTrace>>>,
    predictions: Mutex<Predicted>,
}

impl Figures {
    /// Returns the figures over an archive of evidence.
    pub fn new(archive: Archive) -> Figures {
        Figures {
            archive,
            ..Figures::default()
        }
    }

    /// Returns one computed figure, such as `{{#value cache.misses …}}` shows.
    ///
    /// # Errors
    /// The name or an argument is unknown, or the run behind it fails.
    pub fn value(&self, name: &str, args: &Args) -> Result<String, FigureError> {
        values::value(self, name, args)
    }

    /// Returns one computed table, such as `{{#table storage …}}` shows.
    ///
    /// # Errors
    /// As [`Figures::value`].
    pub fn table(&self, name: &str, args: &Args) -> Result<Table, FigureError> {
        tables::table(self, name, args)
    }

    /// Returns a kernel's source lines with what each touched on the machine.
    ///
    /// # Errors
    /// The kernel is unknown, or the run fails.
    pub fn lines(&self, kernel: &str, shape: Shape) -> Result<Table, FigureError> {
        let spec = find(kernel)?;
        let trace = self.trace(spec, shape, None, Order::Forward, true)?;
        let shared = trace.lines.values().any(|t| t.shared_requests() > 0);
        let mut header = vec!["line", "source", "requests", "sectors"];
        header.extend(shared.then_some("wavefronts"));
        let mut table = Table::new(
            format!("{kernel} on {shape}, counted by the PTX machine"),
            &header,
        );
        for (&line, t) in &trace.lines {
            let text = spec.source.cu.lines().nth(line as usize - 1).unwrap_or("").trim();
            let blank = |n: u64| if n == 0 { String::new() } else { grouped(n) };
            let mut row = vec![
                line.to_string(),
                format!("`{text}`"),
                grouped(t.requests()),
                blank(t.sectors()),
            ];
            row.extend(shared.then(|| blank(t.wavefronts())));
            table.row(row);
        }
        Ok(table)
    }

    /// Returns what a kernel did on the machine; each kernel, shape, block, order and guard runs once.
    fn trace(
        &self,
        kernel: &'static KernelSpec,
        shape: Shape,
        block: Option<[u32; 2]>,
        order: Order,
        guard: bool,
    ) -> Result<Arc<KernelTrace>, FigureError> {
        let key = (kernel.name, shape, block, order, guard);
        let locked = || self.traces.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(trace) = locked().get(&key) {
            return Ok(trace.clone());
        }
        let plan = Plan::new(kernel, shape, block, guard).map_err(RunError::from)?;
        let trace = run::kernel_on_machine(
            &plan,
            &Options {
                order,
                ..Options::default()
            },
            false,
        )?;
        Ok(locked().entry(key).or_insert(Arc::new(trace)).clone())
    }
}

fn find(kernel: &str) -> Result<&'static KernelSpec, FigureError> {
    kernels::kernel(kernel).ok_or_else(|| FigureError::Unknown {
        what: "kernel",
        name: kernel.to_owned(),
        known: kernels::KERNELS
            .iter()
            .map(|k| k.name)
            .collect::<Vec<_>>()
            .join(", "),
    })
}

/// Returns the shape that `rows=` and `cols=` give.
fn shape(args: &Args) -> Result<Shape, ArgError> {
    let shape = Shape::new(args.u64("rows")?, args.u64("cols")?);
    match shape.cells() {
        Some(cells) if cells <= run::MAX_CELLS => Ok(shape),
        _ => Err(args.wrong("rows", &format!("a matrix of at most {} cells", run::MAX_CELLS))),
    }
}

/// Returns the block that `block=` gives, if it is there.
fn block(args: &Args) -> Result<Option<[u32; 2]>, ArgError> {
    if args.get("block").is_none() {
        return Ok(None);
    }
    let [x, y] = args.pair_or("block", [1, 1])?;
    match (u32::try_from(x), u32::try_from(y)) {
        (Ok(x), Ok(y)) => Ok(Some([x, y])),
        _ => Err(args.wrong("block", "two whole numbers like 16,16")),
    }
}

/// Returns the block order that `order=` gives: forward or reverse.
fn order(args: &Args) -> Result<Order, ArgError> {
    args.choice(
        "order",
        &[("forward", Order::Forward), ("reverse", Order::Reverse)],
        Order::Forward,
    )
}
