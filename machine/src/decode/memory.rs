//! Loads, stores, atomics, and copies that go on by themselves.

use super::modifiers::{modifiers, Modifiers};
use super::scope::Meaning;
use super::Decoder;
use crate::code::{AtomicOp, Constant, CopyOp, Op, Transfer};
use crate::error::LoadError;
use crate::event::{Access, Space};
use crate::module::MemoryShape;
use crate::ops::atomics::atomic;
use crate::ops::Fields;
use crate::ptx::syntax::{Inst, Operand, VariableSpace};
use crate::ptx::types::{Class, Type};
use crate::space::MemorySpace;

/// The space that observers are told, as far as the opcode says it.
fn told(space: MemorySpace) -> Option<Space> {
    match space {
        MemorySpace::Global => Some(Space::Global),
        MemorySpace::Shared => Some(Space::Shared),
        MemorySpace::Local | MemorySpace::Generic => None,
    }
}

impl<'a> Decoder<'a> {
    /// `ld` and `ldu`.
    pub(super) fn load(&mut self, inst: &'a Inst) -> Result<(), LoadError> {
        let (modifiers, element) = self.transfer(inst)?;
        let [to, from] = self.expect(inst)?;
        let targets = self.elements(inst, to, modifiers.vector)?;
        if modifiers.param && !self.is_of_call(from) {
            return self.load_param(inst, targets, from, element);
        }
        let address = self.address(inst, from, modifiers.space)?;
        let mut registers = [0; 8];
        let mut widenings = Vec::new();
        for (register, operand) in registers.iter_mut().zip(targets) {
            let (target, widen) = self.wide_target(inst, operand, element)?;
            *register = target;
            widenings.extend(widen);
        }
        self.remember(&modifiers, Access::Load, element.bytes() * modifiers.vector);
        self.push(
            inst,
            Op::Load(self.boxed(&modifiers, address, element, registers)),
        );
        for (name, fields) in widenings {
            self.lanes_step(inst, name, fields);
        }
        Ok(())
    }

    /// `st`.
    pub(super) fn store(&mut self, inst: &'a Inst) -> Result<(), LoadError> {
        let (modifiers, element) = self.transfer(inst)?;
        let [to, from] = self.expect(inst)?;
        if modifiers.constant || modifiers.param && !self.is_of_call(to) {
            let what = if modifiers.param {
                "the parameters of a kernel"
            } else {
                "constant memory"
            };
            return Err(self.misfit(inst, format!("{what} can not be written")));
        }
        let address = self.address(inst, to, modifiers.space)?;
        let mut registers = [0; 8];
        for (register, operand) in registers
            .iter_mut()
            .zip(self.elements(inst, from, modifiers.vector)?)
        {
            *register = self.wide_source(inst, operand, element)?;
        }
        self.remember(&modifiers, Access::Store, element.bytes() * modifiers.vector);
        self.push(
            inst,
            Op::Store(self.boxed(&modifiers, address, element, registers)),
        );
        Ok(())
    }

    fn boxed(
        &self,
        modifiers: &Modifiers<'_>,
        address: crate::code::Address,
        element: Type,
        registers: [u32; 8],
    ) -> Box<Transfer> {
        Box::new(Transfer {
            space: modifiers.space,
            address,
            element,
            count: modifiers.vector,
            registers,
            ordering: modifiers.ordering,
            constant: modifiers.constant,
        })
    }

    /// Notes for reports what the instruction does to memory.
    fn remember(&mut self, modifiers: &Modifiers<'_>, access: Access, bytes: u32) {
        let seen = !modifiers.constant && modifiers.space != MemorySpace::Local;
        self.memory = seen.then_some(MemoryShape {
            space: told(modifiers.space),
            access,
            bytes,
        });
    }

    /// The modifiers and the element type of a load or store.
    fn transfer(&mut self, inst: &'a Inst) -> Result<(Modifiers<'a>, Type), LoadError> {
        let modifiers = modifiers(&inst.opcode).ok_or_else(|| self.unsupported(inst, ""))?;
        let [ty] = modifiers.rest[..] else {
            return Err(self.unsupported(inst, ""));
        };
        let ty = Type::named(ty)
            .filter(|ty| *ty != Type::Pred)
            .ok_or_else(|| self.unsupported(inst, ""))?;
        if ty.bytes() * modifiers.vector > 16 {
            return Err(self.unsupported(inst, "more than 16 bytes per lane"));
        }
        self.communicates |= super::communicates(modifiers.ordering);
        Ok((modifiers, ty))
    }

    /// The elements of a vector, or the one operand where there is none.
    fn elements(&self, inst: &Inst, operand: &'a Operand, count: u32) -> Result<&'a [Operand], LoadError> {
        let elements = match operand {
            Operand::Vector(elements) => elements.as_slice(),
            one => std::slice::from_ref(one),
        };
        if elements.len() != count as usize {
            return Err(self.misfit(
                inst,
                format!("wants {count} elements, and has {}", elements.len()),
            ));
        }
        let mut classes = elements
            .iter()
            .filter_map(|e| self.register(e))
            .map(|(_, ty)| ty.class());
        if let Some(first) = classes.next() {
            if classes.any(|class| class != first) {
                return Err(self.misfit(inst, "the registers of a vector must have one width"));
            }
        }
        Ok(elements)
    }

    /// True for an address in a parameter of a call, which is memory; those of a kernel are constants.
    pub(super) fn is_of_call(&self, address: &Operand) -> bool {
        let Operand::Address(Some(name), _) = address else {
            return false;
        };
        let meaning = self.body.resolve(self.scope, name);
        matches!(meaning, Some(Meaning::Variable(variable)) if variable.space == VariableSpace::Param)
    }

    /// `ld.param` from a kernel's parameter.
    fn load_param(
        &mut self,
        inst: &'a Inst,
        targets: &'a [Operand],
        from: &Operand,
        element: Type,
    ) -> Result<(), LoadError> {
        for (number, operand) in (0..).zip(targets) {
            let constant = self.param_constant(inst, from, element, number)?;
            let Some((_, declared)) = self.register(operand) else {
                self.target(inst, operand, element, false)?;
                continue;
            };
            if declared.class() < element.class()
                || declared.is_float() != element.is_float() && declared.class() != element.class()
            {
                return Err(self.misfit(inst, format!("{declared} can not hold {element}")));
            }
            let target = self.target(inst, operand, declared, true)?;
            let source = self.constant(declared.class(), constant);
            let name = match declared.class() {
                Class::B16 => "mov.b16",
                Class::B32 => "mov.b32",
                Class::B64 => "mov.b64",
                Class::Pred => return Err(self.misfit(inst, "a predicate can not be loaded")),
            };
            self.lanes_step(
                inst,
                name,
                Fields {
                    dst: target,
                    src: [source, 0, 0, 0],
                },
            );
        }
        Ok(())
    }

    /// What `ld.param` reads: the element with this number at the address `from`.
    pub(super) fn param_constant(
        &self,
        inst: &Inst,
        from: &Operand,
        element: Type,
        number: u32,
    ) -> Result<Constant, LoadError> {
        let Operand::Address(Some(name), offset) = from else {
            return Err(self.misfit(inst, "an operand that should be a parameter in brackets"));
        };
        let param = self
            .params
            .get(name.as_str())
            .filter(|_| !self.body.in_function(self.scope));
        let Some(&(start, bytes)) = param else {
            return Err(self.misfit(inst, format!("`{name}` is no parameter of the kernel")));
        };
        let offset = offset.saturating_add(i64::from(number * element.bytes()));
        match u32::try_from(offset) {
            Ok(offset) if u64::from(offset) + u64::from(element.bytes()) <= u64::from(bytes) => {
                Ok(Constant::Param {
                    offset: start + offset,
                    ty: element,
                })
            }
            _ => Err(self.misfit(inst, format!("reads past the {bytes} bytes of `{name}`"))),
        }
    }

    /// `atom` and `red`.
    pub(super) fn atomic(&mut self, inst: &'a Inst) -> Result<(), LoadError> {
        let modifiers = modifiers(&inst.opcode).ok_or_else(|| self.unsupported(inst, ""))?;
        let returns = inst.opcode.starts_with("atom");
        let row = match modifiers.rest[..] {
            [op, ty] => atomic(&format!("{op}.{ty}")),
            _ => None,
        };
        let unfit = modifiers.vector != 1
            || modifiers.constant
            || modifiers.param
            || modifiers.space == MemorySpace::Local
            || !returns && row.is_some_and(|row| row.name.starts_with("cas") || row.name.starts_with("exch"));
        let row = row.filter(|_| !unfit).ok_or_else(|| self.unsupported(inst, ""))?;
        let (to, operands) = match inst.operands.split_first() {
            Some((to, rest)) if returns => (Some(to), rest),
            _ => (None, inst.operands.as_slice()),
        };
        if operands.len() != 1 + row.operands {
            let wanted = 1 + row.operands + usize::from(returns);
            return Err(self.misfit(
                inst,
                format!("takes {wanted} operands, and has {}", inst.operands.len()),
            ));
        }
        let address = self.address(inst, &operands[0], modifiers.space)?;
        let mut src = [0; 2];
        for (register, operand) in src.iter_mut().zip(&operands[1..]) {
            *register = self.source(inst, operand, row.ty, row.ty.is_bits())?;
        }
        let dst = to
            .map(|to| self.target(inst, to, row.ty, row.ty.is_bits()))
            .transpose()?;
        let op = AtomicOp {
            space: modifiers.space,
            address,
            row,
            dst,
            src,
            ordering: modifiers.ordering,
        };
        self.remember(&modifiers, op.access(), row.ty.bytes());
        self.communicates = true;
        self.push(inst, Op::Atomic(Box::new(op)));
        Ok(())
    }

    /// `cp.async` and its groups.
    pub(super) fn copy(&mut self, inst: &'a Inst) -> Result<(), LoadError> {
        match inst.opcode.as_str() {
            "cp.async.commit_group" => {
                self.expect::<0>(inst)?;
                self.push(inst, Op::CopyCommit);
                return Ok(());
            }
            "cp.async.wait_all" => {
                self.expect::<0>(inst)?;
                self.push(inst, Op::CopyWait(None));
                return Ok(());
            }
            "cp.async.wait_group" => {
                let [count] = self.expect(inst)?;
                let Some(Constant::Bits(count)) = self.constant_of(inst, count, Type::U32)? else {
                    return Err(self.misfit(inst, "the number of groups must be a constant"));
                };
                self.push(inst, Op::CopyWait(Some(u32::try_from(count).unwrap_or(u32::MAX))));
                return Ok(());
            }
            _ => {}
        }
        let words: Vec<&str> = inst.opcode.split('.').collect();
        let known = match words[..] {
            ["cp", "async", cache @ ("ca" | "cg"), "shared" | "shared::cta", "global", ref hints @ ..] => {
                hints
                    .iter()
                    .all(|hint| hint.starts_with("L2::") && *hint != "L2::cache_hint")
                    .then_some(cache)
            }
            _ => None,
        };
        let Some(cache) = known else {
            return Err(self.unsupported(inst, ""));
        };
        let (to, from, bytes, source_bytes) = match inst.operands.as_slice() {
            [to, from, bytes] => (to, from, bytes, None),
            [to, from, bytes, source] => (to, from, bytes, Some(source)),
            _ => return Err(self.misfit(inst, "takes 3 or 4 operands")),
        };
        let bytes = match self.constant_of(inst, bytes, Type::U32)? {
            Some(Constant::Bits(bytes @ (4 | 8))) if cache == "ca" => bytes as u32,
            Some(Constant::Bits(16)) => 16,
            _ => return Err(self.misfit(inst, "copies 4, 8 or 16 bytes (16 with `.cg`)")),
        };
        let to = self.address(inst, to, MemorySpace::Shared)?;
        let from = self.address(inst, from, MemorySpace::Global)?;
        let source_bytes = source_bytes
            .map(|s| self.source(inst, s, Type::U32, false))
            .transpose()?;
        self.memory = Some(MemoryShape {
            space: Some(Space::Global),
            access: Access::Load,
            bytes,
        });
        self.push(
            inst,
            Op::CopyAsync(Box::new(CopyOp {
                to,
                from,
                bytes,
                source_bytes,
            })),
        );
        Ok(())
    }
}
