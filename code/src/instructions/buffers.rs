//! What the parameters of a kernel point to, read from their names.

use super::{inputs, InstructionError};
use std::fmt::Write;
use warpwise_machine::{Kernel, POISON};

/// Threads of the one block that every kernel runs.
pub const THREADS: usize = 128;

/// What the elements of a buffer are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// A byte, 0 or 1.
    Pred,
    /// A number of bits or bytes, as `u32`.
    Amount,
    /// An integer of so many bytes.
    Integer(usize),
    /// `f32`.
    F32,
    /// `f64`.
    F64,
}

impl Kind {
    fn named(name: &str) -> Option<Kind> {
        Some(match name {
            "pred" => Kind::Pred,
            "amount" => Kind::Amount,
            "f32" => Kind::F32,
            "f64" => Kind::F64,
            "b8" | "u8" | "s8" => Kind::Integer(1),
            "b16" | "u16" | "s16" => Kind::Integer(2),
            "b32" | "u32" | "s32" => Kind::Integer(4),
            "b64" | "u64" | "s64" => Kind::Integer(8),
            _ => return None,
        })
    }

    /// Returns the size of an element in bytes.
    pub fn bytes(self) -> usize {
        match self {
            Kind::Pred => 1,
            Kind::Integer(bytes) => bytes,
            Kind::Amount | Kind::F32 => 4,
            Kind::F64 => 8,
        }
    }

    /// Returns how many hexadecimal digits show an element; a predicate takes one.
    pub fn digits(self) -> usize {
        if self == Kind::Pred {
            1
        } else {
            2 * self.bytes()
        }
    }
}

/// What a kernel does with a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Role {
    /// It writes there.
    Out,
    /// It reads values for this operand, counted from 0.
    In(usize),
    /// It changes values for operand 0 where they are.
    Cells,
}

/// What a parameter points to: [`THREADS`] elements.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Buffer {
    /// The parameter's name.
    pub name: String,
    /// What the kernel does with it.
    pub role: Role,
    /// What its elements are.
    pub kind: Kind,
    /// What it holds before the kernel runs; an output holds bytes 0xFF.
    pub bytes: Vec<u8>,
}

impl Buffer {
    /// Returns whether the kernel's results are in it.
    pub fn is_output(&self) -> bool {
        !matches!(self.role, Role::In(_))
    }

    /// Returns the elements that `bytes` hold, each in the low bits of its number.
    pub fn elements(&self, bytes: &[u8]) -> Vec<u64> {
        let number = |element: &[u8]| element.iter().rev().fold(0, |n, &byte| n << 8 | u64::from(byte));
        bytes.chunks_exact(self.kind.bytes()).map(number).collect()
    }
}

/// Returns the buffers of a kernel, in the order of its parameters.
///
/// # Errors
/// A parameter is named after nothing known.
pub fn buffers(kernel: &Kernel) -> Result<Vec<Buffer>, InstructionError> {
    let buffer = |name: &str| {
        let (role, _) = name.split_once('_')?;
        let (_, kind) = name.rsplit_once('_')?;
        let kind = Kind::named(kind)?;
        let role = match role {
            "out" => Role::Out,
            "cells" => Role::Cells,
            "a" => Role::In(0),
            "b" => Role::In(1),
            "c" => Role::In(2),
            "d" => Role::In(3),
            _ => return None,
        };
        let bytes = match role {
            Role::Out => vec![POISON; THREADS * kind.bytes()],
            Role::Cells => inputs::bytes(kind, 0),
            Role::In(operand) => inputs::bytes(kind, operand),
        };
        Some(Buffer {
            name: name.to_owned(),
            role,
            kind,
            bytes,
        })
    };
    let params = kernel.params().iter();
    params
        .map(|param| {
            buffer(&param.name).ok_or_else(|| InstructionError::Param {
                kernel: kernel.name().to_owned(),
                param: param.name.clone(),
            })
        })
        .collect()
}

/// Returns a kernel's results as evidence writes them: for each output its elements in hexadecimal, without gaps,
/// and a space between two outputs.
pub fn output_text<'b>(outputs: impl Iterator<Item = (&'b Buffer, &'b [u8])>) -> String {
    let mut text = String::new();
    for (buffer, bytes) in outputs.filter(|(buffer, _)| buffer.is_output()) {
        if !text.is_empty() {
            text.push(' ');
        }
        for element in buffer.elements(bytes) {
            // Writing to a string can not fail.
            let _ = write!(text, "{element:0digits$x}", digits = buffer.kind.digits());
        }
    }
    text
}
