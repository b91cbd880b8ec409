//! A buffer of a case: its cells before the run, and what is expected of them after it.

use super::element::{Cell, Element};
use super::CaseError;
use std::fmt;
use std::sync::Arc;

/// Cells that are computed when they are asked for, so that a case of any size is cheap to make and to copy.
#[derive(Clone)]
pub struct Cells {
    element: Element,
    make: Arc<dyn Fn() -> Vec<u8> + Send + Sync>,
}

impl Cells {
    /// The cells that a function gives.
    pub fn from_fn<T: Cell>(make: impl Fn() -> Vec<T> + Send + Sync + 'static) -> Cells {
        Cells::from_bytes(T::ELEMENT, move || {
            let cells = make();
            let mut bytes = Vec::with_capacity(cells.len() * size_of::<T>());
            cells.into_iter().for_each(|cell| cell.append(&mut bytes));
            bytes
        })
    }

    /// The cells that lie in memory as the bytes which a function gives.
    pub fn from_bytes(element: Element, make: impl Fn() -> Vec<u8> + Send + Sync + 'static) -> Cells {
        Cells {
            element,
            make: Arc::new(make),
        }
    }

    /// 0, 1, 2, …, so many of them.
    pub fn counting(element: Element, cells: u64) -> Cells {
        Cells::from_bytes(element, move || {
            let mut bytes = Vec::with_capacity((cells * element.bytes()) as usize);
            (0..cells).for_each(|i| element.append_counting(i, &mut bytes));
            bytes
        })
    }

    /// Their type.
    pub fn element(&self) -> Element {
        self.element
    }

    /// Computes them, as they lie in memory.
    pub fn bytes(&self) -> Vec<u8> {
        (self.make)()
    }
}

impl fmt::Debug for Cells {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Cells({})", self.element)
    }
}

/// What a buffer holds when the first step starts.
#[derive(Clone, Debug)]
pub enum Contents {
    /// Bytes of [`POISON`](crate::POISON), which count as never written.
    Poisoned,
    /// These cells.
    Given(Cells),
}

/// What is asked of a buffer after the last step.
#[derive(Clone, Debug)]
pub enum Check {
    /// Nothing; a device need not give it back.
    Ignored,
    /// A device gives it back, and nothing is compared.
    Kept,
    /// Every cell is this one, bit for bit.
    Exact(Cells),
    /// Every cell is near this one.
    Within {
        /// What it should be near.
        cells: Cells,
        /// How near: times the expected value where that is above 1, else as it stands.
        tolerance: f64,
    },
}

/// A buffer of a case.
#[derive(Clone, Debug)]
pub struct Buffer {
    /// What reports call it.
    pub name: String,
    /// The type of its cells.
    pub element: Element,
    /// How many cells kernels may use.
    pub cells: u64,
    /// Cells behind those, poisoned, which kernels should leave alone; an access to them does not stray.
    pub guard: u64,
    /// What it holds when the first step starts.
    pub contents: Contents,
    /// What is asked of it after the last step.
    pub check: Check,
    /// Whether every cell is to be written exactly once.
    pub written_once: bool,
}

impl Buffer {
    /// A buffer that holds these cells, for kernels to read; more can be asked of it.
    pub fn given(name: impl Into<String>, cells: u64, contents: Cells) -> Buffer {
        Buffer {
            name: name.into(),
            element: contents.element,
            cells,
            guard: 0,
            contents: Contents::Given(contents),
            check: Check::Ignored,
            written_once: false,
        }
    }

    /// A poisoned buffer, for kernels to write.
    pub fn poisoned(name: impl Into<String>, element: Element, cells: u64) -> Buffer {
        Buffer {
            name: name.into(),
            element,
            cells,
            guard: 0,
            contents: Contents::Poisoned,
            check: Check::Kept,
            written_once: false,
        }
    }

    /// A poisoned buffer of which every cell is to be written exactly once, and to hold what `expected` gives.
    pub fn output<T: Cell>(
        name: impl Into<String>,
        cells: u64,
        expected: impl Fn() -> Vec<T> + Send + Sync + 'static,
    ) -> Buffer {
        Buffer {
            written_once: true,
            ..Buffer::poisoned(name, T::ELEMENT, cells).exactly(expected)
        }
    }

    /// The same buffer, whose cells are compared with what `expected` gives.
    pub fn exactly<T: Cell>(self, expected: impl Fn() -> Vec<T> + Send + Sync + 'static) -> Buffer {
        Buffer {
            check: Check::Exact(Cells::from_fn(expected)),
            ..self
        }
    }

    /// The same buffer with a guard of so many cells.
    pub fn guarded(self, guard: u64) -> Buffer {
        Buffer { guard, ..self }
    }

    /// Its size in bytes, guard included; nothing where 64 bits do not hold it.
    pub fn bytes(&self) -> Option<u64> {
        self.cells
            .checked_add(self.guard)?
            .checked_mul(self.element.bytes())
    }

    /// The bytes of its cells when the first step starts, without the guard; nothing where they are poisoned.
    ///
    /// # Errors
    ///
    /// When they are of another type than the buffer's, or not as many.
    pub fn given_bytes(&self) -> Result<Option<Vec<u8>>, CaseError> {
        match &self.contents {
            Contents::Poisoned => Ok(None),
            Contents::Given(cells) => self.sized(cells).map(Some),
        }
    }

    /// Compares what a device gave back with what is asked; nothing where nothing is.
    pub(super) fn compare(&self, after: Option<&[u8]>) -> Result<Option<Comparison>, CaseError> {
        let (cells, tolerance) = match &self.check {
            Check::Ignored | Check::Kept => return Ok(None),
            Check::Exact(cells) => (cells, None),
            Check::Within { cells, tolerance } => (cells, Some(*tolerance)),
        };
        let expected = self.sized(cells)?;
        let wanted = self.bytes().unwrap_or(u64::MAX);
        let after = after.unwrap_or(&[]);
        if after.len() as u64 != wanted {
            return Err(CaseError::Output {
                buffer: self.name.clone(),
                bytes: after.len() as u64,
                wanted,
            });
        }
        let width = self.element.bytes() as usize;
        let right = |(a, b): &(&[u8], &[u8])| match tolerance {
            None => a == b,
            Some(tolerance) => self.element.near(a, b, tolerance),
        };
        let mut wrong = 0;
        let mut first = None;
        for (cell, pair) in after
            .chunks_exact(width)
            .zip(expected.chunks_exact(width))
            .enumerate()
        {
            if !right(&pair) {
                wrong += 1;
                first.get_or_insert((cell, pair));
            }
        }
        let show = |bytes: &[u8]| self.element.value(bytes).map_or(String::new(), |v| v.to_string());
        Ok(Some(Comparison {
            first: first.map(|(cell, (holds, wanted))| Mismatch {
                buffer: self.name.clone(),
                cell: cell as u64,
                holds: show(holds),
                wanted: show(wanted),
                wrong,
            }),
        }))
    }

    /// Computes cells that must fill the buffer exactly. Fails closed: fewer, more or other cells are an error.
    fn sized(&self, cells: &Cells) -> Result<Vec<u8>, CaseError> {
        if cells.element != self.element {
            return Err(CaseError::Element {
                buffer: self.name.clone(),
                element: self.element,
                given: cells.element,
            });
        }
        let bytes = cells.bytes();
        let wanted = self.cells.saturating_mul(self.element.bytes());
        if bytes.len() as u64 != wanted {
            return Err(CaseError::Count {
                buffer: self.name.clone(),
                cells: self.cells,
                given: bytes.len() as u64 / self.element.bytes(),
            });
        }
        Ok(bytes)
    }
}

/// The outcome of one comparison.
pub(super) struct Comparison {
    /// The first wrong cell, if any.
    pub(super) first: Option<Mismatch>,
}

/// A cell that is not what was expected.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Mismatch {
    /// The buffer.
    pub buffer: String,
    /// The first wrong cell, from 0.
    pub cell: u64,
    /// What it holds.
    pub holds: String,
    /// What it should hold.
    pub wanted: String,
    /// How many cells of the buffer are wrong.
    pub wrong: u64,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "cell {} of {} holds {}, and should hold {}",
            self.cell, self.buffer, self.holds, self.wanted
        )
    }
}
