//! What an observer keeps of what it found: everything counted, the first few in full.

use super::finding::Finding;
use super::KEPT;
use crate::lanes::Line;
use std::collections::BTreeMap;

/// Where a finding comes from: block index, then warp; `WHOLE_BLOCK` sorts behind the warps.
pub(crate) type Origin = (u64, u32);

/// The warp of a finding that is about the block as a whole.
pub(crate) const WHOLE_BLOCK: u32 = u32::MAX;

/// Findings counted in all and per source line, and those of the lowest blocks and warps in full.
///
/// "Lowest" and not "first to happen", so that the log is the same whichever order blocks and warps ran in
/// and however they were dealt out to host threads.
#[derive(Clone, Debug)]
pub(crate) struct Log {
    total: u64,
    per_line: BTreeMap<Line, u64>,
    /// By origin; those of one warp as they happened.
    kept: Vec<(Origin, Finding)>,
    limit: usize,
}

impl Default for Log {
    fn default() -> Log {
        Log {
            total: 0,
            per_line: BTreeMap::new(),
            kept: Vec::new(),
            limit: KEPT,
        }
    }
}

impl Log {
    /// An empty log that keeps `limit` findings in full.
    pub(crate) fn keeping(limit: usize) -> Log {
        Log {
            limit,
            ..Log::default()
        }
    }

    /// An empty log that keeps as many.
    pub(crate) fn fork(&self) -> Log {
        Log::keeping(self.limit)
    }

    pub(crate) fn add(&mut self, origin: Origin, line: Line, finding: impl FnOnce() -> Finding) {
        self.total += 1;
        *self.per_line.entry(line).or_default() += 1;
        self.keep(origin, finding);
    }

    fn keep(&mut self, origin: Origin, finding: impl FnOnce() -> Finding) {
        let at = self.kept.partition_point(|(before, _)| *before <= origin);
        if at < self.limit {
            self.kept.truncate(self.limit - 1);
            self.kept.insert(at, (origin, finding()));
        }
    }

    pub(crate) fn join(&mut self, part: Log) {
        self.total += part.total;
        for (line, count) in part.per_line {
            *self.per_line.entry(line).or_default() += count;
        }
        for (origin, finding) in part.kept {
            self.keep(origin, || finding);
        }
    }

    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    pub(crate) fn per_line(&self) -> &BTreeMap<Line, u64> {
        &self.per_line
    }

    pub(crate) fn findings(&self) -> impl Iterator<Item = &Finding> {
        self.kept.iter().map(|(_, finding)| finding)
    }
}

#[cfg(test)]
mod tests {
    use super::super::finding::{FindingKind, Place};
    use super::*;

    fn finding(at: u64) -> Finding {
        Finding {
            kind: FindingKind::Misaligned,
            place: Place::Address(at),
            first: None,
            second: None,
        }
    }

    fn places(log: &Log) -> Vec<Place> {
        log.findings().map(|f| f.place).collect()
    }

    #[test]
    fn the_lowest_origins_are_kept_in_any_order() {
        let blocks: [u64; 8] = [5, 3, 3, 9, 0, 7, 1, 3];
        let mut whole = Log::keeping(3);
        let (mut one, mut other) = (Log::keeping(3), whole.fork());
        for block in blocks {
            whole.add((block, 0), Line(4), || finding(block));
            let part = if block < 4 { &mut one } else { &mut other };
            part.add((block, 0), Line(4), || finding(block));
        }
        other.join(one);
        assert_eq!(
            places(&whole),
            [Place::Address(0), Place::Address(1), Place::Address(3)]
        );
        assert_eq!(places(&whole), places(&other));
        assert_eq!((whole.total(), other.total()), (8, 8));
        assert_eq!(whole.per_line(), other.per_line());
    }

    #[test]
    fn a_log_may_keep_none() {
        let mut log = Log::keeping(0);
        log.add((0, 0), Line(1), || finding(0));
        assert_eq!((log.total(), log.findings().count()), (1, 0));
    }
}
