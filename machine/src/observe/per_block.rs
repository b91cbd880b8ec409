//! State that each running block has of its own.

use std::collections::HashMap;

/// One `T` for each block that is running; ended blocks hand theirs on to new ones.
#[derive(Clone, Debug, Default)]
pub(crate) struct PerBlock<T> {
    slots: Vec<T>,
    free: Vec<usize>,
    of_block: HashMap<u64, usize>,
    /// Block and slot of the last call: most events come from the block that the last one came from.
    last: Option<(u64, usize)>,
}

impl<T: Default> PerBlock<T> {
    /// Forgets all blocks.
    pub(crate) fn clear(&mut self) {
        self.slots.clear();
        self.free.clear();
        self.of_block.clear();
        self.last = None;
    }

    /// The state of a block: a default one at its first call, or what an ended block left; the caller renews
    /// it at the start of a block.
    #[inline]
    pub(crate) fn get(&mut self, block_index: u64) -> &mut T {
        let slot = match self.last {
            Some((block, slot)) if block == block_index => slot,
            _ => self.find(block_index),
        };
        &mut self.slots[slot]
    }

    fn find(&mut self, block_index: u64) -> usize {
        let (slots, free) = (&mut self.slots, &mut self.free);
        let slot = *self.of_block.entry(block_index).or_insert_with(|| {
            free.pop().unwrap_or_else(|| {
                slots.push(T::default());
                slots.len() - 1
            })
        });
        self.last = Some((block_index, slot));
        slot
    }

    /// The block has ended.
    pub(crate) fn end(&mut self, block_index: u64) {
        self.free.extend(self.of_block.remove(&block_index));
        self.last = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn running_blocks_do_not_share() {
        let mut blocks = PerBlock::<u32>::default();
        *blocks.get(7) = 70;
        *blocks.get(8) = 80;
        assert_eq!((*blocks.get(7), *blocks.get(8)), (70, 80));
        blocks.end(7);
        assert_eq!(
            *blocks.get(9),
            70,
            "the slot is used again, and renewed by the caller"
        );
        assert_eq!((blocks.slots.len(), *blocks.get(8)), (2, 80));
    }
}
