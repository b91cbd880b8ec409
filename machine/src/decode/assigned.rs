//! Which registers may be read before they are written.
//!
//! Reading such a register is undefined in PTX. Here it reads zero, whichever warp used the register file
//! before, so that a run can be repeated; and only these registers need to be cleared for it.

/// What an instruction reads and writes, by register number.
#[derive(Default, Debug)]
pub(super) struct Uses {
    pub(super) reads: Vec<usize>,
    /// Written on every lane that comes here.
    pub(super) writes: Vec<usize>,
    /// Where control may go next, other than to the next instruction.
    pub(super) target: Option<usize>,
    /// Control may go to the next instruction.
    pub(super) falls_through: bool,
}

/// Above this many bits the analysis is not worth its memory, and every register counts as unassigned.
const MAX_BITS: usize = 1 << 28;

/// The registers that some path from the start reads before it writes them.
pub(super) fn unassigned(code: &[Uses], registers: usize) -> Vec<usize> {
    let starts = block_starts(code);
    if starts.len().saturating_mul(registers) > MAX_BITS {
        return (0..registers).collect();
    }
    let block_of = |at: usize| starts.partition_point(|&start| start <= at) - 1;
    let end_of = |block: usize| starts.get(block + 1).copied().unwrap_or(code.len());
    // What is surely written at the start of each block; nothing for blocks not reached yet.
    let mut written: Vec<Option<Bits>> = vec![None; starts.len()];
    let mut waiting = Vec::new();
    if !starts.is_empty() {
        written[0] = Some(Bits::new(registers));
        waiting.push(0);
    }
    while let Some(block) = waiting.pop() {
        let Some(mut bits) = written[block].clone() else {
            continue;
        };
        for uses in &code[starts[block]..end_of(block)] {
            uses.writes.iter().for_each(|&register| bits.insert(register));
        }
        let last = end_of(block) - 1;
        let next = (code[last].falls_through && last + 1 < code.len()).then_some(last + 1);
        for successor in next
            .into_iter()
            .chain(code[last].target.filter(|&t| t < code.len()))
        {
            let successor = block_of(successor);
            let changed = match &mut written[successor] {
                Some(known) => known.intersect(&bits),
                unknown => {
                    *unknown = Some(bits.clone());
                    true
                }
            };
            if changed {
                waiting.push(successor);
            }
        }
    }
    let mut found = Bits::new(registers);
    for (block, bits) in written.into_iter().enumerate() {
        let Some(mut bits) = bits else { continue };
        for uses in &code[starts[block]..end_of(block)] {
            uses.reads
                .iter()
                .filter(|&&r| !bits.contains(r))
                .for_each(|&r| found.insert(r));
            uses.writes.iter().for_each(|&register| bits.insert(register));
        }
    }
    (0..registers)
        .filter(|&register| found.contains(register))
        .collect()
}

/// The first instruction of every basic block.
fn block_starts(code: &[Uses]) -> Vec<usize> {
    let mut starts = vec![0];
    for (at, uses) in code.iter().enumerate() {
        if uses.target.is_some() || !uses.falls_through {
            starts.extend(uses.target);
            starts.push(at + 1);
        }
    }
    starts.retain(|&start| start < code.len());
    starts.sort_unstable();
    starts.dedup();
    starts
}

#[derive(Clone)]
struct Bits(Vec<u64>);

impl Bits {
    fn new(bits: usize) -> Bits {
        Bits(vec![0; bits.div_ceil(64)])
    }

    fn contains(&self, bit: usize) -> bool {
        self.0[bit / 64] >> (bit % 64) & 1 == 1
    }

    fn insert(&mut self, bit: usize) {
        self.0[bit / 64] |= 1 << (bit % 64);
    }

    /// True when something was lost.
    fn intersect(&mut self, other: &Bits) -> bool {
        let mut changed = false;
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            changed |= *mine & !theirs != 0;
            *mine &= theirs;
        }
        changed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uses(reads: &[usize], writes: &[usize], target: Option<usize>, falls_through: bool) -> Uses {
        Uses {
            reads: reads.to_vec(),
            writes: writes.to_vec(),
            target,
            falls_through,
        }
    }

    #[test]
    fn a_write_on_one_path_only_is_not_enough() {
        // 0: branch to 2 or on; 1: write 0; 2: read 0 and 1; 3: end
        let code = [
            uses(&[], &[1], Some(2), true),
            uses(&[], &[0], None, true),
            uses(&[0, 1], &[], None, true),
        ];
        assert_eq!(unassigned(&code, 2), [0]);
    }

    #[test]
    fn a_loop_keeps_what_was_written_before_it() {
        // 0: write 0; 1: read 0, 1, write 1; 2: branch to 1 or on; 3: end
        let code = [
            uses(&[], &[0], None, true),
            uses(&[0, 1], &[1], None, true),
            uses(&[1], &[], Some(1), true),
            uses(&[], &[], None, false),
        ];
        assert_eq!(unassigned(&code, 2), [1]);
        assert!(unassigned(&[], 0).is_empty());
    }
}
