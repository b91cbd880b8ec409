//! The device of this crate: the PTX machine.

use super::{Case, CaseError, Device, Outputs, Step};
use crate::error::RunError;
use crate::event::Observer;
use crate::launch::{Arg, Launch, Options};
use crate::memory::{BufferId, Memory};
use crate::module::Kernel;
use crate::observe::{Counts, Coverage, Watch};

/// The PTX machine as a [`Device`].
#[derive(Clone, Copy, Debug)]
pub struct Interpreter {
    /// How to run each step.
    pub options: Options,
    /// Whether to look for races, and for reads of memory that nothing wrote.
    pub ordered: bool,
    /// Milliseconds since some moment. The machine itself has no clock, for not every target has one.
    pub clock: Option<fn() -> f64>,
}

impl Default for Interpreter {
    /// Default options, looking for races, without a clock.
    fn default() -> Interpreter {
        Interpreter {
            options: Options::default(),
            ordered: true,
            clock: None,
        }
    }
}

/// What the machine saw of a case.
#[derive(Debug)]
pub struct Watched {
    /// What the buffers held at the end.
    pub outputs: Outputs,
    /// Every observer.
    pub watch: Watch,
    /// Why the run ended before its last step, if it did.
    pub stopped: Option<RunError>,
    /// Milliseconds of execution, where there is a clock.
    pub ms: Option<f64>,
}

impl Interpreter {
    /// Runs a case under every observer. A run that stops early is no error here: what was seen until then counts.
    ///
    /// # Errors
    ///
    /// When the case can not be set up.
    pub fn watch(&self, case: &Case<'_>) -> Result<Watched, CaseError> {
        let mut stage = Stage::new(case)?;
        let covered = case
            .buffers
            .iter()
            .zip(&stage.ids)
            .filter(|(buffer, _)| buffer.written_once);
        let coverage = covered.map(|(buffer, &id)| Coverage::new(id, buffer.cells, buffer.element.bytes()));
        let mut watch = Watch::new(coverage, self.ordered);
        let start = self.clock.map(|clock| clock());
        let ended = stage.each(|kernel, launch, memory| watch.run(kernel, launch, memory, &self.options));
        let ms = self.clock.zip(start).map(|(clock, start)| clock() - start);
        let stopped = match ended {
            Ok(()) => None,
            Err(CaseError::Run(error)) => Some(error),
            Err(other) => return Err(other),
        };
        Ok(Watched {
            outputs: stage.outputs(),
            watch,
            stopped,
            ms,
        })
    }

    /// Runs a case and only counts.
    ///
    /// # Errors
    ///
    /// When the case can not be set up, or stops early.
    pub fn count(&self, case: &Case<'_>) -> Result<Counts, CaseError> {
        let mut counts = Counts::new();
        Stage::new(case)?.each(|kernel, launch, memory| counts.run(kernel, launch, memory, &self.options))?;
        Ok(counts)
    }
}

impl Device for Interpreter {
    type Error = CaseError;

    fn run(&mut self, case: &Case<'_>) -> Result<Outputs, CaseError> {
        let mut stage = Stage::new(case)?;
        stage.run(&self.options, &mut ())?;
        Ok(stage.outputs())
    }
}

/// A case with its buffers allocated, for an observer of one's own.
#[derive(Debug)]
pub struct Stage<'c, 'a> {
    case: &'c Case<'a>,
    memory: Memory,
    ids: Vec<BufferId>,
}

impl<'c, 'a> Stage<'c, 'a> {
    /// Allocates and fills the buffers of a case.
    ///
    /// # Errors
    ///
    /// When its cells do not fit its buffers, or there is no room for them.
    pub fn new(case: &'c Case<'a>) -> Result<Stage<'c, 'a>, CaseError> {
        let mut memory = Memory::new();
        let mut ids = Vec::with_capacity(case.buffers.len());
        for buffer in &case.buffers {
            let bytes = buffer.bytes().unwrap_or(u64::MAX);
            ids.push(match buffer.given_bytes()? {
                Some(given) if given.len() as u64 == bytes => memory.alloc_from(given),
                given => {
                    let id = memory.alloc(bytes)?;
                    if let Some(given) = given {
                        memory.bytes_mut(id)[..given.len()].copy_from_slice(&given);
                    }
                    id
                }
            });
        }
        Ok(Stage { case, memory, ids })
    }

    /// The buffers, in the order of the case.
    pub fn ids(&self) -> &[BufferId] {
        &self.ids
    }

    /// Runs every step, first to last.
    ///
    /// # Errors
    ///
    /// When a step names a kernel or buffer that is not there, or stops early.
    pub fn run<O: Observer>(&mut self, options: &Options, observer: &mut O) -> Result<(), CaseError> {
        self.each(|kernel, launch, memory| crate::run(kernel, launch, memory, options, observer))
    }

    fn each(
        &mut self,
        mut run: impl FnMut(&Kernel, &Launch, &mut Memory) -> Result<(), RunError>,
    ) -> Result<(), CaseError> {
        let program = self.case.program;
        let module = program.module().map_err(|error| CaseError::Load {
            program: program.name().to_owned(),
            error: error.clone(),
        })?;
        for step in self.case.steps.iter() {
            let kernel = module.kernel(&step.kernel).ok_or_else(|| CaseError::NoKernel {
                program: program.name().to_owned(),
                kernel: step.kernel.to_string(),
            })?;
            run(kernel, &self.launch(step)?, &mut self.memory)?;
        }
        Ok(())
    }

    fn launch(&self, step: Step) -> Result<Launch, CaseError> {
        let find = |argument: usize, buffer: usize| {
            self.ids.get(buffer).copied().ok_or_else(|| CaseError::NoBuffer {
                kernel: step.kernel.to_string(),
                argument,
                buffer,
                buffers: self.ids.len(),
            })
        };
        let args = step.args.iter().enumerate();
        Ok(Launch {
            grid: step.grid,
            block: step.block,
            shared_bytes: step.shared_bytes,
            args: args
                .map(|(argument, arg)| arg.clone().map_buffer(|buffer| find(argument, buffer)))
                .collect::<Result<Vec<Arg>, CaseError>>()?,
        })
    }

    /// What the buffers hold.
    pub fn outputs(self) -> Outputs {
        Outputs::new(self.memory.into_buffers().into_iter().map(Some).collect())
    }
}
