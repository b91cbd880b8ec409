//! Write ownership: in a right kernel every output slot belongs to exactly one writer.

// ANCHOR: audit
/// Counts the writes to each slot of an output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Audit {
    writes: Vec<u32>,
    past_end: u64,
}

impl Audit {
    /// Notes one write to a slot.
    pub fn write(&mut self, slot: u64) {
        match usize::try_from(slot)
            .ok()
            .and_then(|slot| self.writes.get_mut(slot))
        {
            Some(count) => *count = count.saturating_add(1),
            None => self.past_end += 1,
        }
    }

    /// Returns whether every slot was written exactly once, and nothing beside them.
    pub fn owned_once(&self) -> bool {
        self.past_end == 0 && self.writes.iter().all(|&count| count == 1)
    }
}
// ANCHOR_END: audit

impl Audit {
    /// Returns an audit of `slots` slots that nobody has written.
    pub fn new(slots: usize) -> Audit {
        Audit {
            writes: vec![0; slots],
            past_end: 0,
        }
    }

    /// Returns the writes to each slot.
    pub fn writes(&self) -> &[u32] {
        &self.writes
    }

    /// Returns the writes past the last slot.
    pub fn past_end(&self) -> u64 {
        self.past_end
    }

    /// Returns how many slots were never written.
    pub fn never(&self) -> u64 {
        self.writes.iter().filter(|&&count| count == 0).count() as u64
    }

    /// Returns how many slots were written more than once.
    pub fn more(&self) -> u64 {
        self.writes.iter().filter(|&&count| count > 1).count() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_wrong_shows() {
        let mut audit = Audit::new(2);
        assert_eq!((audit.owned_once(), audit.never()), (false, 2));
        audit.write(0);
        audit.write(1);
        assert!(audit.owned_once());
        audit.write(1);
        assert_eq!(
            (audit.owned_once(), audit.more(), audit.writes()),
            (false, 1, &[1, 2][..])
        );
        let mut stray = Audit::new(0);
        stray.write(u64::MAX);
        assert_eq!((stray.owned_once(), stray.past_end()), (false, 1));
    }
}
