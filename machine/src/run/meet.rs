//! Instructions in which the lanes of a warp exchange values.
//!
//! Source: PTX ISA, `shfl.sync`, `vote.sync`, `match.sync`, `redux.sync`, `elect.sync`, `bar.warp.sync`.

use super::warp::Warp;
use crate::code::{MatchOp, Op, ReduceOp, ShuffleKind, ShuffleOp, VoteKind};
use crate::lanes::{LaneMask, LANES};
use crate::registers::{Lane, Register, Registers};

/// What a lane receives that asks for the value of a lane that does not take part: PTX leaves it open.
const UNDEFINED: u32 = u32::MAX;

fn members_of(op: &Op) -> Register {
    match op {
        Op::WarpBarrier { members } | Op::Vote { members, .. } | Op::Elect { members, .. } => *members,
        Op::Shuffle(shuffle) => shuffle.members,
        Op::Match(matching) => matching.members,
        Op::Reduce(reduce) => reduce.members,
        _ => 0,
    }
}

/// The lanes that the instruction names, as its first active lane gives them.
pub(crate) fn members(registers: &Registers, op: &Op, active: LaneMask) -> LaneMask {
    let lane = active.lowest().unwrap_or(0);
    LaneMask(registers.b32.get(members_of(op), lane))
}

/// True when every lane that the instruction names has come, or has exited.
pub(crate) fn complete(warp: &Warp, op: &Op, active: LaneMask) -> bool {
    (members(&warp.registers, op, active) & warp.live).is_subset_of(active)
}

/// Lanes that the instruction names and that have not come.
pub(crate) fn missing(warp: &Warp, op: &Op, active: LaneMask) -> u32 {
    ((members(&warp.registers, op, active) & warp.live) - active).count()
}

/// Executes the instruction on lanes that have met.
pub(crate) fn execute(registers: &mut Registers, op: &Op, active: LaneMask) {
    let named = members(registers, op, active) & active;
    match op {
        Op::Shuffle(op) => shuffle(registers, op, active),
        Op::Vote {
            kind, dst, src, flip, ..
        } => {
            let votes = LaneMask(registers.pred[*src as usize].0 ^ flip) & named;
            let result = match kind {
                VoteKind::All => votes == named,
                VoteKind::Any => !votes.is_empty(),
                VoteKind::Uniform => votes == named || votes.is_empty(),
                VoteKind::Ballot => return u32::write(registers, *dst, &[votes.0; LANES], active),
            };
            bool::write(
                registers,
                *dst,
                &if result { LaneMask::FULL } else { LaneMask::EMPTY },
                active,
            );
        }
        Op::Match(op) => matching(registers, op, named, active),
        Op::Reduce(op) => reduce(registers, op, named, active),
        Op::Elect { dst, pred, .. } => {
            let leader = named.lowest().unwrap_or(0);
            u32::write(registers, *dst, &[leader as u32; LANES], active);
            bool::write(registers, *pred, &LaneMask(1 << leader), active);
        }
        _ => {}
    }
}

fn shuffle(registers: &mut Registers, op: &ShuffleOp, active: LaneMask) {
    let (mut values, mut in_range) = ([0; LANES], LaneMask::EMPTY);
    for lane in active {
        let (b, c) = (
            registers.b32.get(op.lane, lane),
            registers.b32.get(op.clamp, lane),
        );
        let (source, inside) = source_lane(op.kind, lane as u32, b, c);
        values[lane] = if active.contains(source as usize) {
            registers.b32.get(op.src, source as usize)
        } else {
            UNDEFINED
        };
        in_range.0 |= u32::from(inside) << lane;
    }
    u32::write(registers, op.dst, &values, active);
    bool::write(registers, op.pred, &in_range, active);
}

/// The lane whose value `lane` receives, and whether it was in range; out of range, a lane receives its own.
///
/// `c` holds the clamp in its low five bits and the segment mask in bits 8 to 12.
fn source_lane(kind: ShuffleKind, lane: u32, b: u32, c: u32) -> (u32, bool) {
    let (b, clamp, segment) = (b & 31, c & 31, c >> 8 & 31);
    let first = lane & segment;
    let last = first | clamp & !segment;
    let (source, inside) = match kind {
        ShuffleKind::Up => (
            lane.wrapping_sub(b),
            i64::from(lane) - i64::from(b) >= i64::from(last),
        ),
        ShuffleKind::Down => (lane + b, lane + b <= last),
        ShuffleKind::Butterfly => (lane ^ b, lane ^ b <= last),
        ShuffleKind::Index => {
            let source = first | b & !segment;
            (source, source <= last)
        }
    };
    (if inside { source & 31 } else { lane }, inside)
}

fn matching(registers: &mut Registers, op: &MatchOp, named: LaneMask, active: LaneMask) {
    let value = |lane: usize| registers.bits(op.class, op.src, lane);
    let equal = |lane: usize| {
        named
            .iter()
            .filter(|&other| value(other) == value(lane))
            .fold(0, |mask, other| mask | 1 << other)
    };
    let mut masks: [u32; LANES] = [0; LANES];
    for lane in named {
        masks[lane] = equal(lane);
    }
    let Some(pred) = op.all else {
        return u32::write(registers, op.dst, &masks, active);
    };
    let same = named.lowest().is_some_and(|lane| masks[lane] == named.0);
    u32::write(
        registers,
        op.dst,
        &[if same { named.0 } else { 0 }; LANES],
        active,
    );
    bool::write(
        registers,
        pred,
        &if same { LaneMask::FULL } else { LaneMask::EMPTY },
        active,
    );
}

fn reduce(registers: &mut Registers, op: &ReduceOp, named: LaneMask, active: LaneMask) {
    let value = |lane: usize| u64::from(registers.b32.get(op.src, lane));
    let Some(first) = named.lowest() else { return };
    let rest = named - LaneMask(1 << first);
    let result = rest
        .iter()
        .fold(value(first), |sum, lane| (op.row.apply)(sum, value(lane), 0));
    u32::write(registers, op.dst, &[result as u32; LANES], active);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shuffles_stay_in_their_segment() {
        use ShuffleKind::{Butterfly, Down, Index, Up};
        // Segments of 8 lanes: mask 0b11000, clamp 7 (0 for up).
        let (down, up) = (0x1807, 0x1800);
        assert_eq!(source_lane(Down, 5, 2, down), (7, true));
        assert_eq!(source_lane(Down, 6, 2, down), (6, false));
        assert_eq!(source_lane(Up, 9, 1, up), (8, true));
        assert_eq!(source_lane(Up, 9, 2, up), (9, false));
        assert_eq!(source_lane(Up, 1, 2, 0), (1, false));
        assert_eq!(source_lane(Butterfly, 12, 3, down), (15, true));
        assert_eq!(source_lane(Butterfly, 3, 16, 0x1f), (19, true));
        assert_eq!(source_lane(Index, 17, 3, down), (19, true));
        assert_eq!(source_lane(Index, 17, 35, 0x1f), (3, true));
    }
}
