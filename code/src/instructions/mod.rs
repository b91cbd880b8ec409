//! Programs that try every instruction of the machine, and what real GPUs made of them.
//!
//! `kernels/instructions/` holds PTX written from the machine's own tables (`machine/src/programs`). A kernel runs
//! one block of [`THREADS`] threads, each on operands of its own ([`inputs`]); `warpwise record instructions` writes
//! what a card answered, and [`score`] compares the machine with it, bit for bit where PTX defines the bits and
//! within PTX's bounds where it calls an instruction approximate ([`bounds`]).

pub mod bounds;
mod buffers;
mod floats;
pub mod inputs;
mod score;

pub use buffers::{buffers, output_text, Buffer, Kind, Role, THREADS};
pub use score::{outputs_on_machine, score, Score};

use crate::fingerprint;
use std::collections::{BTreeMap, HashMap};
use std::sync::OnceLock;
use thiserror::Error;
use warpwise_machine::{Kernel, LoadError, Module, RunError};

/// Why a kernel of the programs could not be run or compared.
#[derive(Debug, Error)]
pub enum InstructionError {
    /// The machine does not know something in a program.
    #[error("kernels/instructions/{file}.ptx: {error}; `BLESS=1 cargo test -p warpwise-machine programs` writes it anew")]
    Load {
        /// The file.
        file: &'static str,
        /// The machine's words.
        error: LoadError,
    },
    /// A parameter's name does not say what it points to.
    #[error(
        "{kernel}: the parameter `{param}` is named after nothing that machine/src/programs/mod.rs lists"
    )]
    Param {
        /// The kernel.
        kernel: String,
        /// The parameter.
        param: String,
    },
    /// The machine stopped.
    #[error("{kernel}: {error}")]
    Run {
        /// The kernel.
        kernel: String,
        /// The machine's words.
        error: RunError,
    },
}

/// A file under `kernels/instructions/`.
#[derive(Debug)]
pub struct Program {
    /// File name without its ending.
    pub stem: &'static str,
    /// The PTX.
    pub ptx: &'static str,
    module: OnceLock<Result<Module, LoadError>>,
}

macro_rules! programs {
    ($($stem:literal)+) => {
        /// Every program.
        pub static PROGRAMS: [Program; 12] = [$(Program {
            stem: $stem,
            ptx: include_str!(concat!("../../../kernels/instructions/", $stem, ".ptx")),
            module: OnceLock::new(),
        }),+];
    };
}

programs! {
    "opcodes" "opcodes_80" "atomics" "compare" "moves" "carries" "memory" "control" "copies_80" "lanes" "lanes_80"
    "lanes_90"
}

impl Program {
    /// Returns the program's kernels, as the machine reads them; they are read once.
    ///
    /// # Errors
    /// The machine does not know something in them.
    pub fn kernels(&self) -> Result<&[Kernel], InstructionError> {
        match self.module.get_or_init(|| Module::parse(self.ptx)) {
            Ok(module) => Ok(module.kernels()),
            Err(error) => Err(InstructionError::Load {
                file: self.stem,
                error: error.clone(),
            }),
        }
    }

    /// Returns the compute capability that the program needs, 75 for 7.5.
    pub fn capability(&self) -> u32 {
        let target = self.ptx.lines().find_map(|line| line.strip_prefix(".target sm_"));
        target.and_then(|number| number.trim().parse().ok()).unwrap_or(0)
    }
}

/// Returns every kernel of every program, by name.
///
/// # Errors
/// The machine does not know something in one of them.
pub fn kernels() -> Result<BTreeMap<&'static str, &'static Kernel>, InstructionError> {
    let mut all = BTreeMap::new();
    for program in &PROGRAMS {
        all.extend(program.kernels()?.iter().map(|kernel| (kernel.name(), kernel)));
    }
    Ok(all)
}

/// Digits of a kernel's fingerprint: with a thousand kernels, all 64 would be a tenth of the evidence.
const FINGERPRINT_DIGITS: usize = 16;

/// Returns the fingerprint of every kernel, over its instructions and over the values it is given.
///
/// # Errors
/// The machine does not know something in one of them.
pub fn fingerprints() -> Result<&'static HashMap<String, String>, InstructionError> {
    static ALL: OnceLock<HashMap<String, String>> = OnceLock::new();
    if let Some(all) = ALL.get() {
        return Ok(all);
    }
    let mut all = HashMap::new();
    for program in &PROGRAMS {
        let texts = fingerprint::of_kernels(program.ptx);
        for kernel in program.kernels()? {
            let mut whole = texts.get(kernel.name()).cloned().unwrap_or_default();
            for buffer in buffers(kernel)? {
                whole += &inputs::fingerprint(buffer.kind, buffer.role);
            }
            let mut digits = fingerprint::sha256(&whole);
            digits.truncate(FINGERPRINT_DIGITS);
            all.insert(kernel.name().to_owned(), digits);
        }
    }
    Ok(ALL.get_or_init(|| all))
}
