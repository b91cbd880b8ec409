//! All of the observers at once.

use super::{Barriers, Counts, Coverage, Finding, Races, Stray, Uninitialised};
use crate::error::RunError;
use crate::launch::{Launch, Options};
use crate::memory::Memory;
use crate::module::Kernel;

/// Every observer of this module on the same launches, one after the other.
///
/// Its [`run`](Watch::run) is compiled with this crate, so that a program that uses it need not compile the
/// interpreter for a tuple of its own.
#[derive(Debug, Default)]
pub struct Watch {
    observers: (
        Counts,
        Vec<Coverage>,
        Stray,
        Barriers,
        Option<Uninitialised>,
        Option<Races>,
    ),
}

impl Watch {
    /// A watch over these output buffers.
    ///
    /// With `ordered` it also looks for races and for reads of memory that nothing wrote; those need memory of
    /// their own for every byte, and the blocks one after the other on one host thread.
    pub fn new(outputs: impl IntoIterator<Item = Coverage>, ordered: bool) -> Watch {
        Watch {
            observers: (
                Counts::new(),
                outputs.into_iter().collect(),
                Stray::new(),
                Barriers::new(),
                ordered.then(Uninitialised::new),
                ordered.then(Races::new),
            ),
        }
    }

    /// Runs a kernel under watch, as [`run`](crate::run) does. Launches of the same memory add up.
    ///
    /// # Errors
    ///
    /// As [`run`](crate::run).
    pub fn run(
        &mut self,
        kernel: &Kernel,
        launch: &Launch,
        memory: &mut Memory,
        options: &Options,
    ) -> Result<(), RunError> {
        crate::run(kernel, launch, memory, options, &mut self.observers)
    }

    /// What each instruction cost.
    pub fn counts(&self) -> &Counts {
        &self.observers.0
    }

    /// The output buffers, as they were given.
    pub fn coverage(&self) -> &[Coverage] {
        &self.observers.1
    }

    /// True when every cell of every output buffer was written exactly once.
    pub fn written_once(&self) -> bool {
        self.coverage().iter().all(Coverage::once)
    }

    /// Accesses that could not be done.
    pub fn stray(&self) -> &Stray {
        &self.observers.2
    }

    /// Barriers that some threads missed.
    pub fn barriers(&self) -> &Barriers {
        &self.observers.3
    }

    /// Reads of memory that nothing wrote, if they were looked for.
    pub fn uninitialised(&self) -> Option<&Uninitialised> {
        self.observers.4.as_ref()
    }

    /// Races, if they were looked for.
    pub fn races(&self) -> Option<&Races> {
        self.observers.5.as_ref()
    }

    /// The first few findings of each observer: coverage, strays, barriers, unwritten memory, races.
    pub fn findings(&self) -> Vec<Finding> {
        let coverage = self.coverage().iter().flat_map(Coverage::findings);
        coverage
            .chain(self.stray().findings().cloned())
            .chain(self.barriers().findings().cloned())
            .chain(
                self.uninitialised()
                    .into_iter()
                    .flat_map(|u| u.findings().cloned()),
            )
            .chain(self.races().into_iter().flat_map(|r| r.findings().cloned()))
            .collect()
    }
}

impl Counts {
    /// Runs a kernel with nothing but these counts; like [`Watch::run`], compiled with this crate.
    ///
    /// # Errors
    ///
    /// As [`run`](crate::run).
    pub fn run(
        &mut self,
        kernel: &Kernel,
        launch: &Launch,
        memory: &mut Memory,
        options: &Options,
    ) -> Result<(), RunError> {
        crate::run(kernel, launch, memory, options, self)
    }
}
