//! PTX text that is read when it is first needed.

use crate::error::LoadError;
use crate::module::Module;
use std::borrow::Cow;
use std::sync::OnceLock;

/// A PTX text with a name, and the module it becomes on first use.
#[derive(Debug)]
pub struct Program {
    name: Cow<'static, str>,
    ptx: Cow<'static, str>,
    module: OnceLock<Result<Module, LoadError>>,
}

impl Program {
    /// A program that is part of the binary.
    pub const fn embedded(name: &'static str, ptx: &'static str) -> Program {
        Program {
            name: Cow::Borrowed(name),
            ptx: Cow::Borrowed(ptx),
            module: OnceLock::new(),
        }
    }

    /// A program that was read or compiled.
    pub fn new(name: impl Into<String>, ptx: impl Into<String>) -> Program {
        Program {
            name: Cow::Owned(name.into()),
            ptx: Cow::Owned(ptx.into()),
            module: OnceLock::new(),
        }
    }

    /// What reports call it, such as the name of its file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its text.
    pub fn ptx(&self) -> &str {
        &self.ptx
    }

    /// The module that its text describes.
    ///
    /// # Errors
    ///
    /// As [`Module::parse`].
    pub fn module(&self) -> Result<&Module, &LoadError> {
        self.module.get_or_init(|| Module::parse(&self.ptx)).as_ref()
    }
}
