//! Branches, exits, barriers, fences.

use super::scope::Meaning;
use super::Decoder;
use crate::code::{BarrierOp, Op, Reduced};
use crate::error::LoadError;
use crate::ptx::syntax::{Inst, Operand};
use crate::ptx::types::Type;

impl<'a> Decoder<'a> {
    /// `bra`, with or without `.uni`.
    pub(super) fn branch(&mut self, inst: &'a Inst) -> Result<(), LoadError> {
        if !matches!(inst.opcode.as_str(), "bra" | "bra.uni") {
            return Err(self.unsupported(inst, ""));
        }
        let [Operand::Name(label, 0)] = self.expect(inst)? else {
            return Err(self.misfit(inst, "the target is no label"));
        };
        match self.body.resolve(self.scope, label) {
            Some(Meaning::Label(at)) => {
                // An index of an instruction for now; of a step once all are known.
                self.push(inst, Op::Branch(at as u32));
                Ok(())
            }
            _ => Err(self.misfit(inst, format!("there is no label `{label}`"))),
        }
    }

    pub(super) fn without_operands(&mut self, inst: &'a Inst, op: Op) -> Result<(), LoadError> {
        self.expect::<0>(inst)?;
        self.push(inst, op);
        Ok(())
    }

    /// `bar` and `barrier`, over a block or over a warp.
    pub(super) fn barrier(&mut self, inst: &'a Inst) -> Result<(), LoadError> {
        let opcode = inst.opcode.as_str();
        if opcode == "bar.warp.sync" {
            let [members] = self.expect(inst)?;
            let members = self.source(inst, members, Type::B32, true)?;
            self.push(inst, Op::WarpBarrier { members });
            return Ok(());
        }
        // `bar` is short for `barrier.cta` with `.aligned`.
        let (form, aligned) = if let Some(rest) = opcode.strip_prefix("bar.") {
            (rest.strip_prefix("cta.").unwrap_or(rest), true)
        } else if let Some(rest) = opcode.strip_prefix("barrier.") {
            (
                rest.strip_prefix("cta.").unwrap_or(rest),
                rest.contains(".aligned"),
            )
        } else {
            return Err(self.unsupported(inst, ""));
        };
        let form = form.replacen(".aligned", "", 1);
        let operands = inst.operands.as_slice();
        match (form.as_str(), operands) {
            ("sync", [barrier]) => self.block_barrier(inst, barrier, None, true, aligned, None),
            ("sync", [barrier, threads]) => {
                self.block_barrier(inst, barrier, Some(threads), true, aligned, None)
            }
            ("arrive", [barrier, threads]) => {
                self.block_barrier(inst, barrier, Some(threads), false, aligned, None)
            }
            ("red.popc.u32" | "red.and.pred" | "red.or.pred", [to, barrier, predicate]) => {
                self.block_barrier(inst, barrier, None, true, aligned, Some((&form, to, predicate)))
            }
            ("red.popc.u32" | "red.and.pred" | "red.or.pred", [to, barrier, threads, predicate]) => self
                .block_barrier(
                    inst,
                    barrier,
                    Some(threads),
                    true,
                    aligned,
                    Some((&form, to, predicate)),
                ),
            ("sync" | "arrive" | "red.popc.u32" | "red.and.pred" | "red.or.pred", _) => {
                Err(self.misfit(inst, format!("has {} operands", operands.len())))
            }
            _ => Err(self.unsupported(inst, "")),
        }
    }

    fn block_barrier(
        &mut self,
        inst: &'a Inst,
        barrier: &Operand,
        threads: Option<&Operand>,
        waits: bool,
        aligned: bool,
        reduction: Option<(&str, &Operand, &Operand)>,
    ) -> Result<(), LoadError> {
        let barrier = self.source(inst, barrier, Type::U32, false)?;
        let threads = threads
            .map(|t| self.source(inst, t, Type::U32, false))
            .transpose()?;
        let reduce = reduction
            .map(|(_, _, predicate)| self.predicate(inst, predicate))
            .transpose()?;
        self.push(
            inst,
            Op::Barrier(Box::new(BarrierOp {
                barrier,
                threads,
                waits,
                aligned,
                reduce,
            })),
        );
        if let Some((form, to, _)) = reduction {
            let target = match form {
                "red.popc.u32" => Reduced::Popc(self.target(inst, to, Type::U32, false)?),
                "red.and.pred" => Reduced::And(self.target(inst, to, Type::Pred, false)?),
                _ => Reduced::Or(self.target(inst, to, Type::Pred, false)?),
            };
            self.push(inst, Op::Collect { barrier, target });
        }
        Ok(())
    }

    /// `membar` and `fence`.
    pub(super) fn fence(&mut self, inst: &'a Inst) -> Result<(), LoadError> {
        // Ordering is what observers care about, not how far it reaches: every scope counts alike.
        let rest = match inst.opcode.split_once('.') {
            Some(("membar", "cta" | "gl" | "sys")) => "sys",
            Some(("fence", rest)) => rest
                .strip_prefix("sc.")
                .or(rest.strip_prefix("acq_rel."))
                .unwrap_or(""),
            _ => "",
        };
        if !matches!(rest, "cta" | "cluster" | "gpu" | "sys") {
            return Err(self.unsupported(inst, ""));
        }
        self.communicates = true;
        self.without_operands(inst, Op::Fence)
    }
}
