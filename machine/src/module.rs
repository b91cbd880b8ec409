//! A module: PTX that has been read, checked and decoded.

use crate::code::Code;
use crate::decode::decode;
use crate::error::LoadError;
use crate::event::{Access, Space};
use crate::lanes::{Line, Pc};
use crate::ptx::parse;
use std::sync::Arc;

/// PTX that the machine can run: every kernel in it has been checked.
#[derive(Clone, Debug)]
pub struct Module {
    kernels: Vec<Kernel>,
}

impl Module {
    /// The module that a PTX text describes.
    ///
    /// # Errors
    ///
    /// When the text is not PTX, when a kernel uses what the machine does not know, or when operands do not
    /// fit their opcode. Nothing is skipped: what loads, runs.
    pub fn parse(ptx: &str) -> Result<Module, LoadError> {
        Ok(Module {
            kernels: decode(&parse(ptx)?)?,
        })
    }

    /// Every kernel (`.entry`), in the order of the text.
    pub fn kernels(&self) -> &[Kernel] {
        &self.kernels
    }

    /// The kernel with this name.
    pub fn kernel(&self, name: &str) -> Option<&Kernel> {
        self.kernels.iter().find(|kernel| kernel.name() == name)
    }
}

/// A parameter of a kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Param {
    /// Its name in the PTX.
    pub name: String,
    /// Its type in the PTX without the dot, such as `u64`; `b8` for a struct passed by value.
    pub ty: String,
    /// Its size in bytes.
    pub bytes: u32,
    /// Its offset in the parameter block in bytes.
    pub offset: u32,
}

/// What an instruction does to memory that observers see.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct MemoryShape {
    /// Where it goes; nothing for a generic address, which is known only at run time.
    pub space: Option<Space>,
    /// What it does.
    pub access: Access,
    /// Bytes per lane: the whole vector for `.v2` and `.v4`.
    pub bytes: u32,
}

/// One instruction of a kernel, as reports print it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Instruction {
    /// Its index in [`Kernel::instructions`].
    pub pc: Pc,
    /// Line of the source file.
    pub line: Line,
    /// Line in the PTX, from 1.
    pub ptx_line: u32,
    /// Opcode with modifiers, such as `ld.global.nc.u32`.
    pub opcode: String,
    /// The whole instruction, guard and operands included.
    pub text: String,
    /// What it does to global or shared memory. `cp.async` reads one and writes the other: this is the read.
    pub memory: Option<MemoryShape>,
}

/// A kernel that is ready to run.
#[derive(Clone, Debug)]
pub struct Kernel {
    name: String,
    params: Vec<Param>,
    instructions: Vec<Instruction>,
    pub(crate) code: Arc<Code>,
}

impl Kernel {
    pub(crate) fn new(
        name: String,
        params: Vec<Param>,
        instructions: Vec<Instruction>,
        code: Arc<Code>,
    ) -> Kernel {
        Kernel {
            name,
            params,
            instructions,
            code,
        }
    }

    /// Its name in the PTX.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its parameters, in order.
    pub fn params(&self) -> &[Param] {
        &self.params
    }

    /// Bytes of static shared memory of a block.
    pub fn shared_bytes(&self) -> u32 {
        self.code.shared_bytes
    }

    /// Its instructions, in the order of the text; [`Pc`] is an index into them.
    pub fn instructions(&self) -> &[Instruction] {
        &self.instructions
    }

    /// The largest source line that any of its instructions comes from.
    pub fn max_source_line(&self) -> Line {
        self.instructions
            .iter()
            .map(|i| i.line)
            .max()
            .unwrap_or(Line::UNKNOWN)
    }
}
