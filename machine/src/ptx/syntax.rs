//! The syntax tree of a module.

use super::types::Type;
use crate::error::LoadError;
use crate::lanes::Line;
use std::collections::HashMap;

/// A state space in which a variable is declared.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum VariableSpace {
    Global,
    Const,
    Shared,
    Local,
    /// A parameter of a call.
    Param,
}

/// A variable: a name for some bytes of a state space.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub(crate) name: String,
    pub(crate) space: VariableSpace,
    pub(crate) align: u32,
    pub(crate) bytes: u64,
    /// `[]` of unknown size: dynamic shared memory, or a variable of another module.
    pub(crate) unsized_array: bool,
    /// Initial bytes, zero from their end on.
    pub(crate) initial: Vec<u8>,
    pub(crate) is_extern: bool,
}

/// A parameter of a kernel.
#[derive(Clone, Debug)]
pub(crate) struct ParamDecl {
    pub(crate) name: String,
    pub(crate) ty: Type,
    pub(crate) align: u32,
    pub(crate) bytes: u32,
}

/// A kernel.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) name: String,
    /// Line in the PTX, from 1.
    pub(crate) ptx_line: u32,
    pub(crate) params: Vec<ParamDecl>,
    /// `.maxntid`: the most threads of a block.
    pub(crate) max_threads: Option<u64>,
    /// `.reqntid`: the exact size of a block.
    pub(crate) required_block: Option<[u32; 3]>,
    pub(crate) body: Vec<Statement>,
}

/// What a function takes or gives.
#[derive(Clone, Debug)]
pub(crate) enum Formal {
    /// `.param`: some bytes.
    Memory(ParamDecl),
    /// `.reg`: one value.
    Register { ty: Type, name: String },
}

/// A function that kernels call.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) results: Vec<Formal>,
    pub(crate) params: Vec<Formal>,
    pub(crate) body: Vec<Statement>,
}

/// Everything a module declares.
#[derive(Clone, Debug, Default)]
pub(crate) struct Source {
    pub(crate) variables: Vec<Variable>,
    pub(crate) entries: Vec<Entry>,
}

/// One statement of a kernel's body.
#[derive(Clone, Debug)]
pub(crate) enum Statement {
    /// `{`: names declared from here on are not seen after the matching `Close`.
    Open,
    /// Where the body of a function begins in place of its call, up to the matching `Close`: no name from
    /// outside is seen but these, which stand for others there.
    Function(HashMap<String, String>),
    /// `}`.
    Close,
    /// `.reg .b32 %r<8>;` declares `%r0` to `%r7`; without a count, the one name.
    Registers {
        ty: Type,
        name: String,
        count: Option<u64>,
    },
    /// A variable of the body.
    Variable(Variable),
    /// `name:`.
    Label(String),
    /// An instruction.
    Instruction(Inst),
}

/// One instruction as it is written.
#[derive(Clone, Debug)]
pub(crate) struct Inst {
    /// Line in the PTX, from 1.
    pub(crate) ptx_line: u32,
    /// Line of the source file.
    pub(crate) line: Line,
    /// `@%p` or `@!%p`: the name, and true where it is negated.
    pub(crate) guard: Option<(String, bool)>,
    pub(crate) opcode: String,
    pub(crate) operands: Vec<Operand>,
    /// The whole instruction with single spaces.
    pub(crate) text: String,
    /// Why its operands can not be read.
    pub(crate) trouble: Option<LoadError>,
}

/// A constant as it is written.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Number {
    /// An integer: its 64 bits, and whether a minus stood before it.
    Int { bits: u64, negative: bool },
    /// `0f` and eight hexadecimal digits.
    F32(u32),
    /// `0d` and sixteen hexadecimal digits, or a decimal fraction.
    F64(u64),
}

/// One operand as it is written.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Operand {
    /// A register, label, variable or special register, with the constant added to it (mostly 0).
    Name(String, i64),
    /// A constant.
    Number(Number),
    /// `[base+offset]`; no base where the address is a constant.
    Address(Option<String>, i64),
    /// `{a, b}`.
    Vector(Vec<Operand>),
    /// `a|b`.
    Pair(String, String),
    /// `!p`.
    Not(String),
    /// `(a, b)`: arguments or results of a call.
    Group(Vec<Operand>),
}
