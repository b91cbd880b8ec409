//! Operands: names and constants become register indices, and types are checked.

use super::scope::{Declared, Meaning};
use super::special::special;
use super::Decoder;
use crate::code::{Address, Constant, ConstantRegister, Special, ALWAYS};
use crate::error::LoadError;
use crate::ops::{row, Fields};
use crate::ptx::bits_of;
use crate::ptx::syntax::{Inst, Operand, VariableSpace};
use crate::ptx::types::{Class, Type};
use crate::registers::Register;
use crate::space::MemorySpace;

/// Where a declared register lives.
#[derive(Clone, Copy, Debug)]
pub(super) enum Home {
    /// In a register of its own.
    Register(Register),
    /// It only ever holds this constant.
    Constant(Constant),
}

/// The step that extends a value: its opcode and its fields.
type Extension = (&'static str, Fields);

impl<'a> Decoder<'a> {
    /// An error about the operands of `inst`.
    pub(super) fn misfit(&self, inst: &Inst, message: impl Into<String>) -> LoadError {
        LoadError::Operand {
            kernel: self.entry.name.clone(),
            line: inst.ptx_line,
            source_line: inst.line,
            opcode: inst.opcode.clone(),
            message: message.into(),
        }
    }

    /// `inst` is not supported, because of `reason`.
    pub(super) fn unsupported(&self, inst: &Inst, reason: &str) -> LoadError {
        LoadError::Unsupported {
            kernel: self.entry.name.clone(),
            line: inst.ptx_line,
            source_line: inst.line,
            opcode: inst.opcode.clone(),
            reason: if reason.is_empty() {
                String::new()
            } else {
                format!(": {reason}")
            },
        }
    }

    pub(super) fn fresh(&mut self, class: Class) -> Register {
        let count = self.sizes.of(class);
        *count += 1;
        *count - 1
    }

    /// The register that holds a constant.
    pub(super) fn constant(&mut self, class: Class, constant: Constant) -> Register {
        if let Some(&register) = self.constants.get(&(class, constant)) {
            return register;
        }
        let register = self.fresh(class);
        self.constants.insert((class, constant), register);
        self.constant_registers.push(ConstantRegister {
            class,
            register,
            constant,
        });
        register
    }

    pub(super) fn bits(&mut self, class: Class, bits: u64) -> Register {
        self.constant(class, Constant::Bits(bits))
    }

    /// The register in which a declared register lives.
    pub(super) fn home(&mut self, declared: Declared, ty: Type) -> Register {
        match self.homes.get(&declared) {
            Some(&Home::Register(register)) => register,
            Some(&Home::Constant(constant)) => self.constant(ty.class(), constant),
            None => {
                let register = self.fresh(ty.class());
                self.homes.insert(declared, Home::Register(register));
                register
            }
        }
    }

    /// The constant that an operand is, if it is one, as a value of type `ty`.
    pub(super) fn constant_of(
        &self,
        inst: &Inst,
        operand: &Operand,
        ty: Type,
    ) -> Result<Option<Constant>, LoadError> {
        Ok(match operand {
            Operand::Number(number) => {
                Some(Constant::Bits(bits_of(*number, ty).ok_or_else(|| {
                    self.misfit(inst, format!("a constant that does not fit {ty}"))
                })?))
            }
            Operand::Name(name, offset) => match self.body.resolve(self.scope, name) {
                Some(Meaning::Register(declared, _)) if *offset == 0 => match self.homes.get(&declared) {
                    Some(&Home::Constant(constant)) => Some(constant),
                    _ => None,
                },
                Some(Meaning::Register(..)) => {
                    return Err(self.misfit(inst, format!("`{name}+{offset}` stands outside brackets")))
                }
                Some(Meaning::Label(_)) => {
                    return Err(self.unsupported(inst, "the address of a label"));
                }
                Some(Meaning::Variable(_)) | None => Some(self.named_constant(inst, name, *offset, ty)?),
            },
            _ => None,
        })
    }

    /// A special register, or the address of a variable.
    fn named_constant(&self, inst: &Inst, name: &str, offset: i64, ty: Type) -> Result<Constant, LoadError> {
        if name == "WARP_SZ" {
            return Ok(Constant::Bits(32));
        }
        if name.starts_with('%') {
            let Some(special) = special(name) else {
                let known = [
                    "%clock",
                    "%globaltimer",
                    "%smid",
                    "%nsmid",
                    "%pm",
                    "%envreg",
                    "%cluster",
                    "%is_",
                ];
                return Err(
                    if known.iter().any(|k| name.starts_with(k)) || name.contains('.') {
                        self.unsupported(inst, &format!("the special register `{name}`"))
                    } else {
                        self.misfit(inst, format!("`{name}` is not declared"))
                    },
                );
            };
            let wide = special == Special::GridId && ty.class() == Class::B64;
            if ty.class() != Class::B32 && !wide {
                return Err(self.misfit(inst, format!("`{name}` has 32 bits, and {ty} is wanted")));
            }
            return Ok(Constant::Special(special));
        }
        match self.variable_address(name) {
            Some(_) if ty.is_float() => Err(self.misfit(inst, format!("the address of `{name}` is no {ty}"))),
            Some((_, Constant::Bits(base))) if matches!(ty.class(), Class::B32 | Class::B64) => {
                let address = base.wrapping_add(offset as u64);
                Ok(Constant::Bits(if ty.class() == Class::B32 {
                    address & 0xFFFF_FFFF
                } else {
                    address
                }))
            }
            Some((_, Constant::Variable { index, .. })) if ty.class() == Class::B64 => {
                Ok(Constant::Variable { index, offset })
            }
            Some(_) => Err(self.misfit(inst, format!("the address of `{name}` does not fit {ty}"))),
            None if self.params.contains_key(name) => {
                Err(self.unsupported(inst, "the address of a parameter"))
            }
            None => Err(self.misfit(inst, format!("`{name}` is not declared"))),
        }
    }

    /// The space and the address of a variable, in the body or in the module.
    pub(super) fn variable_address(&self, name: &str) -> Option<(VariableSpace, Constant)> {
        if let Some(Meaning::Variable(variable)) = self.body.resolve(self.scope, name) {
            return self.placed.get(&(std::ptr::from_ref(variable))).copied();
        }
        self.module_variables.get(name).copied()
    }

    /// A register or constant to read as `ty`; `untyped` asks for the width only.
    pub(super) fn source(
        &mut self,
        inst: &Inst,
        operand: &Operand,
        ty: Type,
        untyped: bool,
    ) -> Result<Register, LoadError> {
        if let Some((declared, declared_ty)) = self.register(operand) {
            if untyped && declared_ty.class() != ty.class() || !untyped && !declared_ty.agrees(ty) {
                return Err(self.mismatch(inst, operand, declared_ty, ty));
            }
            return Ok(self.home(declared, declared_ty));
        }
        match self.constant_of(inst, operand, ty)? {
            Some(constant) => Ok(self.constant(ty.class(), constant)),
            None => Err(self.misfit(inst, format!("an operand that can not be a {ty}"))),
        }
    }

    /// The same for `cvt` and `st`, which take a register wider than `ty` and read its low bits.
    pub(super) fn wide_source(
        &mut self,
        inst: &Inst,
        operand: &Operand,
        ty: Type,
    ) -> Result<Register, LoadError> {
        let Some((declared, declared_ty)) = self.register(operand) else {
            return self.source(inst, operand, ty, false);
        };
        let (from, to) = (declared_ty.class(), ty.class());
        if from == to {
            // An 8-bit type in a 16-bit register, or the same width.
            if declared_ty.bytes() < ty.bytes()
                || declared_ty.bytes() == ty.bytes() && !declared_ty.agrees(ty)
            {
                return Err(self.mismatch(inst, operand, declared_ty, ty));
            }
            return Ok(self.home(declared, declared_ty));
        }
        let name = match (to, from) {
            (Class::B16, Class::B32) => "narrow#b16.b32",
            (Class::B16, Class::B64) => "narrow#b16.b64",
            (Class::B32, Class::B64) => "narrow#b32.b64",
            _ => return Err(self.mismatch(inst, operand, declared_ty, ty)),
        };
        if ty.is_float() || declared_ty.is_float() {
            return Err(self.mismatch(inst, operand, declared_ty, ty));
        }
        let source = self.home(declared, declared_ty);
        let narrow = self.fresh(to);
        self.lanes_step(
            inst,
            name,
            Fields {
                dst: narrow,
                src: [source, 0, 0, 0],
            },
        );
        Ok(narrow)
    }

    /// The register to write a `ty` to.
    pub(super) fn target(
        &mut self,
        inst: &Inst,
        operand: &Operand,
        ty: Type,
        untyped: bool,
    ) -> Result<Register, LoadError> {
        if matches!(operand, Operand::Name(name, 0) if name == "_") {
            return Ok(self.fresh(ty.class()));
        }
        match self.register(operand) {
            Some((declared, declared_ty)) => {
                if untyped && declared_ty.class() != ty.class() || !untyped && !declared_ty.agrees(ty) {
                    return Err(self.mismatch(inst, operand, declared_ty, ty));
                }
                Ok(self.home(declared, declared_ty))
            }
            None => Err(self.misfit(inst, "a result that is no register")),
        }
    }

    /// The same for `cvt` and `ld`, which write a register wider than `ty` with the value extended. Returns
    /// where to write the `ty`, and the step that extends it, to be added after the instruction.
    pub(super) fn wide_target(
        &mut self,
        inst: &Inst,
        operand: &Operand,
        ty: Type,
    ) -> Result<(Register, Option<Extension>), LoadError> {
        let Some((declared, declared_ty)) = self.register(operand) else {
            return Ok((self.target(inst, operand, ty, false)?, None));
        };
        let (from, to) = (ty.class(), declared_ty.class());
        if from == to {
            if declared_ty.bytes() < ty.bytes()
                || declared_ty.bytes() == ty.bytes() && !declared_ty.agrees(ty)
            {
                return Err(self.mismatch(inst, operand, declared_ty, ty));
            }
            return Ok((self.home(declared, declared_ty), None));
        }
        let name = match (to, from, ty.is_signed()) {
            (Class::B32, Class::B16, false) => "widen#u32.u16",
            (Class::B32, Class::B16, true) => "widen#s32.s16",
            (Class::B64, Class::B16, false) => "widen#u64.u16",
            (Class::B64, Class::B16, true) => "widen#s64.s16",
            (Class::B64, Class::B32, false) => "widen#u64.u32",
            (Class::B64, Class::B32, true) => "widen#s64.s32",
            _ => return Err(self.mismatch(inst, operand, declared_ty, ty)),
        };
        if ty.is_float() || declared_ty.is_float() {
            return Err(self.mismatch(inst, operand, declared_ty, ty));
        }
        let narrow = self.fresh(from);
        let target = self.home(declared, declared_ty);
        Ok((
            narrow,
            Some((
                name,
                Fields {
                    dst: target,
                    src: [narrow, 0, 0, 0],
                },
            )),
        ))
    }

    /// A predicate to read, and all ones where it is negated.
    pub(super) fn predicate(&mut self, inst: &Inst, operand: &Operand) -> Result<(Register, u32), LoadError> {
        match operand {
            Operand::Not(name) => {
                let register = self.source(inst, &Operand::Name(name.clone(), 0), Type::Pred, false)?;
                Ok((register, u32::MAX))
            }
            _ => Ok((self.source(inst, operand, Type::Pred, false)?, 0)),
        }
    }

    /// The guard of an instruction.
    pub(super) fn guard(&mut self, inst: &Inst) -> Result<(Register, u32), LoadError> {
        match &inst.guard {
            None => Ok((ALWAYS, 0)),
            Some((name, negated)) => {
                let operand = Operand::Name(name.clone(), 0);
                let register = self.source(inst, &operand, Type::Pred, false)?;
                Ok((register, if *negated { u32::MAX } else { 0 }))
            }
        }
    }

    /// The address in brackets.
    pub(super) fn address(
        &mut self,
        inst: &Inst,
        operand: &Operand,
        space: MemorySpace,
    ) -> Result<Address, LoadError> {
        let Operand::Address(base, offset) = operand else {
            return Err(self.misfit(inst, "an operand that should be an address in brackets"));
        };
        let offset = *offset;
        let Some(name) = base else {
            return Ok(Address {
                base: self.bits(Class::B64, 0),
                narrow: false,
                offset,
            });
        };
        if let Some((declared, ty)) = self.register(&Operand::Name(name.clone(), 0)) {
            let narrow = match ty.class() {
                Class::B64 => false,
                Class::B32 if matches!(space, MemorySpace::Shared | MemorySpace::Local) => true,
                _ => return Err(self.misfit(inst, format!("`{name}` is {ty}, too narrow for an address"))),
            };
            if ty.is_float() {
                return Err(self.misfit(inst, format!("`{name}` is {ty}, and no address")));
            }
            return Ok(Address {
                base: self.home(declared, ty),
                narrow,
                offset,
            });
        }
        let fits = |variable: VariableSpace| match space {
            MemorySpace::Generic => false,
            MemorySpace::Global => matches!(variable, VariableSpace::Global | VariableSpace::Const),
            MemorySpace::Shared => variable == VariableSpace::Shared,
            MemorySpace::Local => matches!(variable, VariableSpace::Local | VariableSpace::Param),
        };
        match self.variable_address(name) {
            Some((variable, constant)) if fits(variable) => Ok(Address {
                base: self.constant(Class::B64, constant),
                narrow: false,
                offset,
            }),
            Some(_) => Err(self.misfit(inst, format!("`{name}` is in another state space"))),
            None => Err(self.misfit(inst, format!("`{name}` is not declared"))),
        }
    }

    /// The declared register that an operand names.
    pub(super) fn register(&self, operand: &Operand) -> Option<(Declared, Type)> {
        match operand {
            Operand::Name(name, 0) => match self.body.resolve(self.scope, name)? {
                Meaning::Register(declared, ty) => Some((declared, ty)),
                _ => None,
            },
            _ => None,
        }
    }

    fn mismatch(&self, inst: &Inst, operand: &Operand, declared: Type, wanted: Type) -> LoadError {
        let name = match operand {
            Operand::Name(name, _) => name.as_str(),
            _ => "an operand",
        };
        self.misfit(inst, format!("`{name}` is {declared}, and {wanted} is wanted"))
    }

    /// Exactly `N` operands.
    pub(super) fn expect<const N: usize>(&self, inst: &'a Inst) -> Result<&'a [Operand; N], LoadError> {
        inst.operands.as_slice().try_into().map_err(|_| {
            self.misfit(
                inst,
                format!("takes {N} operands, and has {}", inst.operands.len()),
            )
        })
    }

    /// Adds a step of a row that is known to exist.
    pub(super) fn lanes_step(&mut self, inst: &Inst, name: &'static str, fields: Fields) {
        if let Some(row) = row(name) {
            self.push(
                inst,
                crate::code::Op::Lanes {
                    execute: row.execute,
                    fields,
                },
            );
        } else {
            debug_assert!(false, "no row {name}");
        }
    }
}
