//! Instructions of the table, and those made of several of its rows.

use super::Decoder;
use crate::code::{Op, ALWAYS};
use crate::error::LoadError;
use crate::ops::{row, Fields, Row};
use crate::ptx::syntax::{Inst, Operand};
use crate::ptx::types::{Class, Type};
use crate::registers::Register;

impl<'a> Decoder<'a> {
    /// Any instruction that is a row of the table, or made of some.
    pub(super) fn tabled(&mut self, inst: &'a Inst) -> Result<(), LoadError> {
        let opcode = inst.opcode.as_str();
        if let Some(rest) = opcode.strip_prefix("setp.") {
            return self.setp(inst, rest);
        }
        if let Some(rest) = opcode.strip_prefix("set.") {
            return self.set(inst, rest);
        }
        if let Some((op, rest)) = opcode.split_once(".cc.") {
            return self.carry(inst, op, rest, true);
        }
        if let Some((op @ ("addc" | "subc"), rest)) = opcode.split_once('.') {
            return self.carry(inst, op, rest, false);
        }
        if let Some((part @ ("lo" | "hi"), ty)) = opcode.strip_prefix("madc.").and_then(|r| r.split_once('.'))
        {
            return self.carry(inst, &format!("madc.{part}"), ty, false);
        }
        if opcode.starts_with("mov.b") && inst.operands.iter().any(|o| matches!(o, Operand::Vector(_))) {
            return self.mov_vector(inst);
        }
        let row = self.row(inst, opcode)?;
        if opcode.starts_with("cvt.") {
            let [to, from] = self.expect(inst)?;
            let source = self.wide_source(inst, from, row.src[0])?;
            let (target, widen) = self.wide_target(inst, to, row.dst)?;
            self.push(
                inst,
                Op::Lanes {
                    execute: row.execute,
                    fields: Fields {
                        dst: target,
                        src: [source, 0, 0, 0],
                    },
                },
            );
            if let Some((name, fields)) = widen {
                self.lanes_step(inst, name, fields);
            }
            return Ok(());
        }
        self.plain(inst, row)
    }

    /// The row of an opcode, which is refused where there is none.
    pub(super) fn row(&self, inst: &Inst, name: &str) -> Result<&'static Row, LoadError> {
        row(name)
            .or_else(|| clamping(name))
            .filter(|row| !row.name.contains('#'))
            .ok_or_else(|| self.unsupported(inst, ""))
    }

    fn plain(&mut self, inst: &'a Inst, row: &'static Row) -> Result<(), LoadError> {
        let wanted = row.src.len() + 1;
        if inst.operands.len() != wanted {
            return Err(self.misfit(
                inst,
                format!("takes {wanted} operands, and has {}", inst.operands.len()),
            ));
        }
        if row.name == "lop3.b32" && !matches!(inst.operands[4], Operand::Number(_)) {
            return Err(self.misfit(inst, "its table must be a constant"));
        }
        let untyped = row.is_untyped();
        let mut fields = Fields::default();
        for (at, (operand, &ty)) in inst.operands[1..].iter().zip(row.src).enumerate() {
            fields.src[at] = if ty == Type::Pred {
                self.plain_predicate(inst, operand)?
            } else {
                self.source(inst, operand, ty, untyped)?
            };
        }
        fields.dst = self.target(inst, &inst.operands[0], row.dst, untyped)?;
        self.push(
            inst,
            Op::Lanes {
                execute: row.execute,
                fields,
            },
        );
        Ok(())
    }

    /// A predicate operand; `!p` is computed first.
    fn plain_predicate(&mut self, inst: &Inst, operand: &Operand) -> Result<Register, LoadError> {
        let (register, flip) = self.predicate(inst, operand)?;
        if flip == 0 {
            return Ok(register);
        }
        let inverse = self.fresh(Class::Pred);
        self.lanes_step(
            inst,
            "not.pred",
            Fields {
                dst: inverse,
                src: [register, 0, 0, 0],
            },
        );
        Ok(inverse)
    }

    /// `setp.lt.u32 p, a, b`, `setp.lt.u32 p|q, a, b` and `setp.lt.and.u32 p|q, a, b, c`.
    fn setp(&mut self, inst: &'a Inst, rest: &str) -> Result<(), LoadError> {
        let (compare, combine) = split_combination(rest);
        let row = self.row(inst, &format!("setp.{compare}"))?;
        let wanted = if combine.is_some() { 4 } else { 3 };
        if inst.operands.len() != wanted {
            return Err(self.misfit(
                inst,
                format!("takes {wanted} operands, and has {}", inst.operands.len()),
            ));
        }
        let untyped = row.is_untyped();
        let a = self.source(inst, &inst.operands[1], row.src[0], untyped)?;
        let b = self.source(inst, &inst.operands[2], row.src[1], untyped)?;
        let (p, q) = match &inst.operands[0] {
            Operand::Pair(p, q) => (Operand::Name(p.clone(), 0), Some(Operand::Name(q.clone(), 0))),
            one => (one.clone(), None),
        };
        let p = self.target(inst, &p, Type::Pred, false)?;
        let q = q.map(|q| self.target(inst, &q, Type::Pred, false)).transpose()?;
        if combine.is_none() && q.is_none() {
            self.push(
                inst,
                Op::Lanes {
                    execute: row.execute,
                    fields: Fields {
                        dst: p,
                        src: [a, b, 0, 0],
                    },
                },
            );
            return Ok(());
        }
        // Through registers of its own, for p and q may also be sources, or the guard.
        if inst.guard.is_some() {
            let (guard, flip) = self.guard;
            let copy = self.fresh(Class::Pred);
            self.guard = (ALWAYS, 0);
            self.lanes_step(
                inst,
                "mov.pred",
                Fields {
                    dst: copy,
                    src: [guard, 0, 0, 0],
                },
            );
            self.guard = (copy, flip);
        }
        let condition = match combine {
            Some(_) => self.plain_predicate(inst, &inst.operands[3])?,
            None => ALWAYS,
        };
        let combine = combine.unwrap_or("and.pred");
        let (yes, no) = (self.fresh(Class::Pred), self.fresh(Class::Pred));
        self.push(
            inst,
            Op::Lanes {
                execute: row.execute,
                fields: Fields {
                    dst: yes,
                    src: [a, b, 0, 0],
                },
            },
        );
        self.lanes_step(
            inst,
            "not.pred",
            Fields {
                dst: no,
                src: [yes, 0, 0, 0],
            },
        );
        self.lanes_step(
            inst,
            combine,
            Fields {
                dst: yes,
                src: [yes, condition, 0, 0],
            },
        );
        self.lanes_step(
            inst,
            combine,
            Fields {
                dst: no,
                src: [no, condition, 0, 0],
            },
        );
        self.lanes_step(
            inst,
            "mov.pred",
            Fields {
                dst: p,
                src: [yes, 0, 0, 0],
            },
        );
        if let Some(q) = q {
            self.lanes_step(
                inst,
                "mov.pred",
                Fields {
                    dst: q,
                    src: [no, 0, 0, 0],
                },
            );
        }
        Ok(())
    }

    /// `set.lt.u32.f32 d, a, b`: all ones, or 1.0 for a float, where the comparison holds.
    fn set(&mut self, inst: &'a Inst, rest: &str) -> Result<(), LoadError> {
        let (compare, combine) = split_combination(rest);
        // The comparison's own name has its type last; the type before it is the result's.
        let parts: Vec<&str> = compare.split('.').collect();
        let [head @ .., result, source] = parts.as_slice() else {
            return Err(self.unsupported(inst, ""));
        };
        let (one, result_type) = match *result {
            "u32" => (u64::from(u32::MAX), Type::U32),
            "s32" => (u64::from(u32::MAX), Type::S32),
            "f32" => (u64::from(1.0f32.to_bits()), Type::F32),
            _ => return Err(self.unsupported(inst, "")),
        };
        let row = self.row(inst, &format!("setp.{}.{source}", head.join(".")))?;
        let wanted = if combine.is_some() { 4 } else { 3 };
        if inst.operands.len() != wanted {
            return Err(self.misfit(
                inst,
                format!("takes {wanted} operands, and has {}", inst.operands.len()),
            ));
        }
        let untyped = row.is_untyped();
        let a = self.source(inst, &inst.operands[1], row.src[0], untyped)?;
        let b = self.source(inst, &inst.operands[2], row.src[1], untyped)?;
        let holds = self.fresh(Class::Pred);
        self.push(
            inst,
            Op::Lanes {
                execute: row.execute,
                fields: Fields {
                    dst: holds,
                    src: [a, b, 0, 0],
                },
            },
        );
        if let Some(combine) = combine {
            let condition = self.plain_predicate(inst, &inst.operands[3])?;
            self.lanes_step(
                inst,
                combine,
                Fields {
                    dst: holds,
                    src: [holds, condition, 0, 0],
                },
            );
        }
        let (one, zero) = (self.bits(Class::B32, one), self.bits(Class::B32, 0));
        let target = self.target(inst, &inst.operands[0], result_type, false)?;
        self.lanes_step(
            inst,
            "selp.b32",
            Fields {
                dst: target,
                src: [one, zero, holds, 0],
            },
        );
        Ok(())
    }

    /// `add.cc`, `addc`, `addc.cc` and the same for `sub` and `mad`: the sum, and what goes into the carry
    /// register.
    fn carry(&mut self, inst: &'a Inst, op: &str, ty: &str, sets: bool) -> Result<(), LoadError> {
        let (op, part) = match op.split_once('.') {
            Some(("mad", part)) => ("add", Some(part)),
            Some(("madc", part)) => ("addc", Some(part)),
            _ => (op, None),
        };
        let takes = op.ends_with('c');
        let find = |name: String| row(&name).ok_or_else(|| self.unsupported(inst, ""));
        let sum = find(format!("{op}.{ty}"))?;
        let carry = find(format!("{op}#carry.{ty}"))?;
        let product = part.map(|part| find(format!("mul.{part}.{ty}"))).transpose()?;
        let ty = Type::named(ty).ok_or_else(|| self.unsupported(inst, ""))?;
        let (to, a, b) = if let Some(product) = product {
            let [to, a, b, c] = self.expect(inst)?;
            let factors = [self.source(inst, a, ty, false)?, self.source(inst, b, ty, false)?];
            let dst = self.fresh(ty.class());
            let fields = Fields {
                dst,
                src: [factors[0], factors[1], 0, 0],
            };
            self.lanes_step(inst, product.name, fields);
            (to, dst, self.source(inst, c, ty, false)?)
        } else {
            let [to, a, b] = self.expect(inst)?;
            (
                to,
                self.source(inst, a, ty, false)?,
                self.source(inst, b, ty, false)?,
            )
        };
        let target = self.target(inst, to, ty, false)?;
        let register = match self.carry_register {
            Some(register) => register,
            None => *self.carry_register.insert(self.sizes.pred),
        };
        if register == self.sizes.pred {
            self.fresh(Class::Pred);
        }
        let src = [a, b, if takes { register } else { 0 }, 0];
        let next = self.fresh(Class::Pred);
        if sets {
            self.push(
                inst,
                Op::Lanes {
                    execute: carry.execute,
                    fields: Fields { dst: next, src },
                },
            );
        }
        self.push(
            inst,
            Op::Lanes {
                execute: sum.execute,
                fields: Fields { dst: target, src },
            },
        );
        if sets {
            self.lanes_step(
                inst,
                "mov.pred",
                Fields {
                    dst: register,
                    src: [next, 0, 0, 0],
                },
            );
        }
        Ok(())
    }

    /// `mov.b64 d, {a, b}` and `mov.b64 {a, b}, d`.
    fn mov_vector(&mut self, inst: &'a Inst) -> Result<(), LoadError> {
        let [to, from] = self.expect(inst)?;
        let whole = match inst.opcode.as_str() {
            "mov.b32" => Type::B32,
            "mov.b64" => Type::B64,
            _ => return Err(self.unsupported(inst, "with a vector")),
        };
        let part = |count: usize| match whole.bytes() as usize / count.max(1) {
            2 => Some(Type::B16),
            4 => Some(Type::B32),
            _ => None,
        };
        match (to, from) {
            (to, Operand::Vector(parts)) if !matches!(to, Operand::Vector(_)) => {
                let (name, ty) = match (whole, parts.len(), part(parts.len())) {
                    (Type::B32, 2, Some(ty)) => ("pack#b32", ty),
                    (Type::B64, 2, Some(ty)) => ("pack#b64", ty),
                    (Type::B64, 4, Some(ty)) => ("pack4#b64", ty),
                    _ => return Err(self.misfit(inst, "the parts do not make up the whole")),
                };
                let mut src = [0; 4];
                for (register, operand) in src.iter_mut().zip(parts) {
                    *register = self.source(inst, operand, ty, true)?;
                }
                let dst = self.target(inst, to, whole, true)?;
                self.lanes_step(inst, name, Fields { dst, src });
                Ok(())
            }
            (Operand::Vector(parts), from) if !matches!(from, Operand::Vector(_)) => {
                let (name, ty) = match (whole, parts.len(), part(parts.len())) {
                    (Type::B32, 2, Some(ty)) => ("part#b16.b32", ty),
                    (Type::B64, 2, Some(ty)) => ("part#b32.b64", ty),
                    (Type::B64, 4, Some(ty)) => ("part#b16.b64", ty),
                    _ => return Err(self.misfit(inst, "the parts do not make up the whole")),
                };
                let source = self.source(inst, from, whole, true)?;
                for (number, operand) in parts.iter().enumerate() {
                    let number = self.bits(Class::B32, number as u64);
                    let dst = self.target(inst, operand, ty, true)?;
                    self.lanes_step(
                        inst,
                        name,
                        Fields {
                            dst,
                            src: [source, number, 0, 0],
                        },
                    );
                }
                Ok(())
            }
            _ => Err(self.misfit(inst, "two vectors")),
        }
    }
}

/// The row of a conversion from float to integer with `.sat`: these clamp without it as well.
fn clamping(name: &str) -> Option<&'static Row> {
    let rest = name.strip_prefix("cvt.")?;
    let (rounding, rest) = rest.split_once('.').filter(|(r, _)| r.ends_with('i'))?;
    let (ftz, rest) = match rest.strip_prefix("ftz.") {
        Some(rest) => ("ftz.", rest),
        None => ("", rest),
    };
    let types = rest.strip_prefix("sat.")?;
    row(&format!("cvt.{rounding}.{ftz}{types}")).filter(|row| !row.dst.is_float())
}

/// `lt.and.u32` is the comparison `lt.u32` and the combination `and.pred`.
fn split_combination(rest: &str) -> (String, Option<&'static str>) {
    for (mark, row) in [(".and.", "and.pred"), (".or.", "or.pred"), (".xor.", "xor.pred")] {
        if let Some((before, after)) = rest.split_once(mark) {
            return (format!("{before}.{after}"), Some(row));
        }
    }
    (rest.to_string(), None)
}
