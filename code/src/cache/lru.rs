//! A fully associative cache of lines, the least recently used of which leaves first.

// ANCHOR: lru
use std::collections::{BTreeMap, HashMap};

/// A fully associative cache with least-recently-used replacement.
pub struct LineCache {
    lines: usize,
    line_bytes: u64,
    clock: u64,
    last_use: HashMap<u64, u64>, // line -> time
    by_age: BTreeMap<u64, u64>,  // time -> line
}

impl LineCache {
    /// Touches one byte. Returns whether its line was there: a hit.
    pub fn touch(&mut self, byte: u64) -> bool {
        let line = byte / self.line_bytes;
        self.clock += 1;
        let before = self.last_use.insert(line, self.clock);
        if let Some(time) = before {
            self.by_age.remove(&time);
        }
        self.by_age.insert(self.clock, line);
        if self.by_age.len() > self.lines {
            if let Some((_, oldest)) = self.by_age.pop_first() {
                self.last_use.remove(&oldest);
            }
        }
        before.is_some()
    }
}
// ANCHOR_END: lru

impl LineCache {
    /// Returns an empty cache of `lines` lines of `line_bytes` bytes each.
    ///
    /// A cache of no lines misses always. A line has at least one byte.
    pub fn new(lines: usize, line_bytes: u64) -> LineCache {
        LineCache {
            lines,
            line_bytes: line_bytes.max(1),
            clock: 0,
            last_use: HashMap::new(),
            by_age: BTreeMap::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_least_recently_used_line_leaves() {
        let mut cache = LineCache::new(2, 64);
        assert_eq!(
            [0, 64, 0, 128, 0, 64].map(|byte| cache.touch(byte)),
            [false, false, true, false, true, false]
        );
        let mut none = LineCache::new(0, 0);
        assert_eq!([7, 7].map(|byte| none.touch(byte)), [false, false]);
    }

    /// The plain definition: a list of lines, the most recent last.
    fn by_definition(bytes: &[u64], lines: usize, line_bytes: u64) -> Vec<bool> {
        let mut recent: Vec<u64> = Vec::new();
        let mut answers = Vec::new();
        for byte in bytes {
            let line = byte / line_bytes;
            let found = recent.iter().position(|&l| l == line);
            if let Some(at) = found {
                recent.remove(at);
            }
            recent.push(line);
            if recent.len() > lines {
                recent.remove(0);
            }
            answers.push(found.is_some());
        }
        answers
    }

    proptest! {
        #[test]
        fn the_cache_follows_its_definition(
            bytes in prop::collection::vec(0u64..600, 0..300), lines in 0usize..8, line_bytes in 1u64..80,
        ) {
            let mut cache = LineCache::new(lines, line_bytes);
            let answers: Vec<bool> = bytes.iter().map(|&byte| cache.touch(byte)).collect();
            prop_assert_eq!(answers, by_definition(&bytes, lines, line_bytes));
        }
    }
}
