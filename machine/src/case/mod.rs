//! One description of a launch, whoever runs it.
//!
//! A [`Case`] says which buffers there are, what they hold and what is expected of them, and which kernels run on
//! them in which steps. A [`Device`] runs a case: [`Interpreter`] is the one of this crate, and a GPU is another.
//!
//! ```
//! use warpwise_machine::case::{Buffer, Case, Cells, Element, Interpreter, Program, Step};
//! use warpwise_machine::Arg;
//!
//! # let ptx = include_str!("doubled.ptx");
//! // out[i] = 2 * in[i] for i below n, one thread a cell.
//! let program = Program::new("doubled", ptx);
//! let case = Case::new(
//!     &program,
//!     vec![
//!         Buffer::given("in", 100, Cells::counting(Element::U32, 100)),
//!         Buffer::output("out", 100, || (0..100u32).map(|i| 2 * i).collect()),
//!     ],
//!     vec![Step {
//!         kernel: "doubled".into(),
//!         grid: [2, 1, 1],
//!         block: [64, 1, 1],
//!         shared_bytes: 0,
//!         args: vec![Arg::Buffer(0), Arg::Buffer(1), Arg::U32(100)],
//!     }],
//! );
//! let watched = Interpreter::default().watch(&case)?;
//! assert!(case.first_wrong(&watched.outputs)?.is_none());
//! assert!(watched.watch.findings().is_empty());
//! # Ok::<(), warpwise_machine::case::CaseError>(())
//! ```

mod buffer;
mod element;
mod interpreter;
mod program;
#[cfg(test)]
mod tests;

pub use buffer::{Buffer, Cells, Check, Contents, Mismatch};
pub use element::{Cell, Element, UnknownElement, Value};
pub use interpreter::{Interpreter, Stage, Watched};
pub use program::Program;

use crate::error::{LoadError, MemoryError, RunError};
use crate::launch::Arg;
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use thiserror::Error;

/// One launch of a case. Arguments name buffers by their place in [`Case::buffers`].
#[derive(Clone, PartialEq, Debug)]
pub struct Step {
    /// The kernel, by its name in the PTX.
    pub kernel: Cow<'static, str>,
    /// Blocks of the grid, [x, y, z].
    pub grid: [u32; 3],
    /// Threads of a block, [x, y, z].
    pub block: [u32; 3],
    /// Dynamic shared memory of a block in bytes.
    pub shared_bytes: u32,
    /// One argument for each parameter.
    pub args: Vec<Arg<usize>>,
}

/// The launches of a case, in order; computed one by one, for there may be millions.
#[derive(Clone)]
pub struct Steps {
    count: u64,
    step: Arc<dyn Fn(u64) -> Step + Send + Sync>,
}

impl Steps {
    /// So many steps, each computed from its number.
    pub fn from_fn(count: u64, step: impl Fn(u64) -> Step + Send + Sync + 'static) -> Steps {
        Steps {
            count,
            step: Arc::new(step),
        }
    }

    /// How many there are.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The steps, first to last.
    pub fn iter(&self) -> impl Iterator<Item = Step> + '_ {
        (0..self.count).map(|number| (self.step)(number))
    }
}

impl From<Vec<Step>> for Steps {
    fn from(steps: Vec<Step>) -> Steps {
        Steps::from_fn(steps.len() as u64, move |number| steps[number as usize].clone())
    }
}

impl fmt::Debug for Steps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter().take(3)).finish()
    }
}

/// Buffers, and the launches that work on them.
#[derive(Clone, Debug)]
pub struct Case<'a> {
    /// Where the kernels are.
    pub program: &'a Program,
    /// The buffers, in the order in which they are allocated.
    pub buffers: Vec<Buffer>,
    /// The launches, in order.
    pub steps: Steps,
}

impl<'a> Case<'a> {
    /// A case of these buffers and steps.
    pub fn new(program: &'a Program, buffers: Vec<Buffer>, steps: impl Into<Steps>) -> Case<'a> {
        Case {
            program,
            buffers,
            steps: steps.into(),
        }
    }

    /// The first wrong cell of the first wrong buffer; nothing where all that is expected came out.
    ///
    /// # Errors
    ///
    /// When nothing is expected of any buffer, when an expectation does not fill its buffer exactly, or when the
    /// outputs are not those of this case: what can not be compared is never right.
    pub fn first_wrong(&self, outputs: &Outputs) -> Result<Option<Mismatch>, CaseError> {
        let mut compared = false;
        for (index, buffer) in self.buffers.iter().enumerate() {
            if let Some(comparison) = buffer.compare(outputs.bytes(index))? {
                compared = true;
                if comparison.first.is_some() {
                    return Ok(comparison.first);
                }
            }
        }
        if compared {
            Ok(None)
        } else {
            Err(CaseError::NothingExpected)
        }
    }
}

/// What the buffers of a case hold after its last step.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Outputs {
    /// For each buffer its bytes, guard included; nothing where the device did not give them back.
    buffers: Vec<Option<Vec<u8>>>,
}

impl Outputs {
    /// The bytes of each buffer of a case, in its order.
    pub fn new(buffers: Vec<Option<Vec<u8>>>) -> Outputs {
        Outputs { buffers }
    }

    /// The bytes of a buffer, guard included; nothing where the device did not give them back.
    pub fn bytes(&self, index: usize) -> Option<&[u8]> {
        self.buffers.get(index)?.as_deref()
    }

    /// The cells of a buffer, guard included; nothing where the device did not give them back.
    pub fn cells<T: Cell>(&self, index: usize) -> Option<Vec<T>> {
        self.bytes(index)?.chunks(size_of::<T>()).map(T::read).collect()
    }
}

/// What runs cases: the machine, or a GPU.
pub trait Device {
    /// Why a case could not be run.
    type Error: std::error::Error + From<CaseError>;

    /// Runs every step of a case, and gives back what its buffers hold then; those that are
    /// [`Check::Ignored`] may be left out.
    ///
    /// # Errors
    ///
    /// When the case can not be run to its end.
    fn run(&mut self, case: &Case<'_>) -> Result<Outputs, Self::Error>;
}

/// Why a case can not be run or compared.
#[derive(Clone, PartialEq, Debug, Error)]
#[non_exhaustive]
pub enum CaseError {
    /// The PTX is none that the machine runs.
    #[error("{program}: {error}")]
    Load {
        /// The program.
        program: String,
        /// Why.
        error: LoadError,
    },
    /// The program has no such kernel.
    #[error("{program} has no kernel `{kernel}`")]
    NoKernel {
        /// The program.
        program: String,
        /// The kernel asked for.
        kernel: String,
    },
    /// No room for the buffers.
    #[error("{0}; ask for smaller buffers")]
    Memory(#[from] MemoryError),
    /// Cells of another type than their buffer.
    #[error("the cells given for {buffer} are {given}, and the buffer's are {element}")]
    Element {
        /// The buffer.
        buffer: String,
        /// The type of its cells.
        element: Element,
        /// The type given.
        given: Element,
    },
    /// Fewer or more cells than their buffer has.
    #[error("{given} cells are given for {buffer}, which has {cells}")]
    Count {
        /// The buffer.
        buffer: String,
        /// Its cells.
        cells: u64,
        /// The cells given.
        given: u64,
    },
    /// A device gave back fewer or more bytes than the buffer has.
    #[error("the device gave back {bytes} bytes of {buffer}, which has {wanted}")]
    Output {
        /// The buffer.
        buffer: String,
        /// The bytes given back.
        bytes: u64,
        /// Its bytes.
        wanted: u64,
    },
    /// No buffer has an expectation, so that nothing could ever be wrong.
    #[error("nothing is expected of any buffer, so that nothing can be compared")]
    NothingExpected,
    /// An argument names a buffer that the case does not have.
    #[error("argument {} of {kernel} names buffer {buffer}, and the case has {buffers}", argument + 1)]
    NoBuffer {
        /// The kernel.
        kernel: String,
        /// The argument, from 0.
        argument: usize,
        /// The buffer asked for.
        buffer: usize,
        /// The buffers there are.
        buffers: usize,
    },
    /// The launch does not fit its kernel, or the run stopped.
    #[error(transparent)]
    Run(#[from] RunError),
}
