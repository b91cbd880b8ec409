//! Instructions in which the lanes of a warp meet.

use super::Decoder;
use crate::code::{MatchOp, Op, ReduceOp, ShuffleKind, ShuffleOp, VoteKind};
use crate::error::LoadError;
use crate::ops::atomics::atomic;
use crate::ptx::syntax::{Inst, Operand};
use crate::ptx::types::{Class, Type};
use crate::registers::Register;

impl<'a> Decoder<'a> {
    /// `shfl.sync`.
    pub(super) fn shuffle(&mut self, inst: &'a Inst) -> Result<(), LoadError> {
        let kind = match inst.opcode.as_str() {
            "shfl.sync.up.b32" => ShuffleKind::Up,
            "shfl.sync.down.b32" => ShuffleKind::Down,
            "shfl.sync.bfly.b32" => ShuffleKind::Butterfly,
            "shfl.sync.idx.b32" => ShuffleKind::Index,
            _ => return Err(self.unsupported(inst, "")),
        };
        let [to, from, lane, clamp, members] = self.expect(inst)?;
        let src = self.source(inst, from, Type::B32, true)?;
        let lane = self.source(inst, lane, Type::B32, true)?;
        let clamp = self.source(inst, clamp, Type::B32, true)?;
        let members = self.source(inst, members, Type::B32, true)?;
        let (dst, pred) = self.with_predicate(inst, to, Type::B32)?;
        let pred = pred.unwrap_or_else(|| self.fresh(Class::Pred));
        self.push(
            inst,
            Op::Shuffle(Box::new(ShuffleOp {
                kind,
                dst,
                pred,
                src,
                lane,
                clamp,
                members,
            })),
        );
        Ok(())
    }

    /// `d` or `d|p`.
    fn with_predicate(
        &mut self,
        inst: &Inst,
        operand: &Operand,
        ty: Type,
    ) -> Result<(Register, Option<Register>), LoadError> {
        match operand {
            Operand::Pair(d, p) => {
                let d = self.target(inst, &Operand::Name(d.clone(), 0), ty, true)?;
                let p = self.target(inst, &Operand::Name(p.clone(), 0), Type::Pred, false)?;
                Ok((d, Some(p)))
            }
            _ => Ok((self.target(inst, operand, ty, true)?, None)),
        }
    }

    /// `vote.sync`.
    pub(super) fn vote(&mut self, inst: &'a Inst) -> Result<(), LoadError> {
        let (kind, ty) = match inst.opcode.as_str() {
            "vote.sync.all.pred" => (VoteKind::All, Type::Pred),
            "vote.sync.any.pred" => (VoteKind::Any, Type::Pred),
            "vote.sync.uni.pred" => (VoteKind::Uniform, Type::Pred),
            "vote.sync.ballot.b32" => (VoteKind::Ballot, Type::B32),
            _ => return Err(self.unsupported(inst, "")),
        };
        let [to, from, members] = self.expect(inst)?;
        let (src, flip) = self.predicate(inst, from)?;
        let members = self.source(inst, members, Type::B32, true)?;
        let dst = self.target(inst, to, ty, ty.is_bits())?;
        self.push(
            inst,
            Op::Vote {
                kind,
                dst,
                src,
                flip,
                members,
            },
        );
        Ok(())
    }

    /// `match.any.sync` and `match.all.sync`.
    pub(super) fn matching(&mut self, inst: &'a Inst) -> Result<(), LoadError> {
        let (all, ty) = match inst.opcode.as_str() {
            "match.any.sync.b32" => (false, Type::B32),
            "match.any.sync.b64" => (false, Type::B64),
            "match.all.sync.b32" => (true, Type::B32),
            "match.all.sync.b64" => (true, Type::B64),
            _ => return Err(self.unsupported(inst, "")),
        };
        let [to, from, members] = self.expect(inst)?;
        let src = self.source(inst, from, ty, true)?;
        let members = self.source(inst, members, Type::B32, true)?;
        let (dst, pred) = self.with_predicate(inst, to, Type::B32)?;
        let all = all.then(|| pred.unwrap_or_else(|| self.fresh(Class::Pred)));
        if all.is_none() && pred.is_some() {
            return Err(self.misfit(inst, "`match.any` sets no predicate"));
        }
        self.push(
            inst,
            Op::Match(Box::new(MatchOp {
                class: ty.class(),
                all,
                dst,
                src,
                members,
            })),
        );
        Ok(())
    }

    /// `redux.sync`.
    pub(super) fn redux(&mut self, inst: &'a Inst) -> Result<(), LoadError> {
        let rest = inst.opcode.strip_prefix("redux.sync.").unwrap_or("");
        let row = atomic(rest).filter(|row| {
            let op = row.name.split('.').next().unwrap_or("");
            matches!(op, "add" | "min" | "max" | "and" | "or" | "xor")
                && row.ty.class() == Class::B32
                && !row.ty.is_float()
        });
        let row = row.ok_or_else(|| self.unsupported(inst, ""))?;
        let [to, from, members] = self.expect(inst)?;
        let src = self.source(inst, from, row.ty, row.ty.is_bits())?;
        let members = self.source(inst, members, Type::B32, true)?;
        let dst = self.target(inst, to, row.ty, row.ty.is_bits())?;
        self.push(
            inst,
            Op::Reduce(Box::new(ReduceOp {
                row,
                dst,
                src,
                members,
            })),
        );
        Ok(())
    }

    /// `activemask` and `elect.sync`.
    pub(super) fn active_mask(&mut self, inst: &'a Inst) -> Result<(), LoadError> {
        match inst.opcode.as_str() {
            "activemask.b32" => {
                let [to] = self.expect(inst)?;
                let dst = self.target(inst, to, Type::B32, true)?;
                self.push(inst, Op::ActiveMask { dst });
                Ok(())
            }
            "elect.sync" => {
                let [to, members] = self.expect(inst)?;
                let members = self.source(inst, members, Type::B32, true)?;
                let (dst, pred) = self.with_predicate(inst, to, Type::B32)?;
                let pred = pred.ok_or_else(|| self.misfit(inst, "sets a register and a predicate"))?;
                self.push(inst, Op::Elect { dst, pred, members });
                Ok(())
            }
            _ => Err(self.unsupported(inst, "")),
        }
    }
}
