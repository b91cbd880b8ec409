//! Copies that `cp.async` started and that are not there yet.

use crate::lanes::LaneMask;
use crate::lanes::LANES;

/// Copies of a warp that can be on their way.
const MAX_PENDING: usize = 1 << 14;

/// Bytes on their way to shared memory.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Pending {
    lane: usize,
    /// The group of its lane it was committed to.
    group: Option<u32>,
    offset: usize,
    bytes: [u8; 16],
    len: usize,
}

/// The copies of a warp. Each lane has groups of its own.
#[derive(Clone, Default, PartialEq, Debug)]
pub(crate) struct Copies {
    pending: Vec<Pending>,
    groups: [u32; LANES],
}

impl Copies {
    pub(crate) fn clear(&mut self) {
        self.pending.clear();
        self.groups = [0; LANES];
    }

    /// A copy of `bytes` to `offset` in shared memory has started.
    /// False when too many are on their way already: the caller does it at once.
    pub(crate) fn start(&mut self, lane: usize, offset: usize, bytes: [u8; 16], len: usize) -> bool {
        let room = self.pending.len() < MAX_PENDING;
        if room {
            self.pending.push(Pending {
                lane,
                group: None,
                offset,
                bytes,
                len,
            });
        }
        room
    }

    /// The copies that lanes started since their last group are a group now.
    pub(crate) fn commit(&mut self, lanes: LaneMask) {
        for copy in &mut self.pending {
            if lanes.contains(copy.lane) {
                copy.group.get_or_insert(self.groups[copy.lane]);
            }
        }
        for lane in lanes {
            self.groups[lane] = self.groups[lane].wrapping_add(1);
        }
    }

    /// Ends all groups of `lanes` but the last `pending`; with `None`, everything.
    pub(crate) fn wait(&mut self, lanes: LaneMask, pending: Option<u32>, shared: &mut [u8]) {
        if self.pending.is_empty() {
            return;
        }
        let groups = self.groups;
        self.pending.retain(|copy| {
            let ends = lanes.contains(copy.lane)
                && match (pending, copy.group) {
                    (None, _) => true,
                    (Some(_), None) => false,
                    // Groups are numbered from 0, so the last one is one less than their number.
                    (Some(pending), Some(group)) => groups[copy.lane].wrapping_sub(group) > pending,
                };
            if ends {
                if let Some(target) = shared.get_mut(copy.offset..copy.offset + copy.len) {
                    target.copy_from_slice(&copy.bytes[..copy.len]);
                }
            }
            !ends
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_ends_the_oldest_groups() {
        let mut shared = [0u8; 8];
        let mut copies = Copies::default();
        for group in 0..3u8 {
            copies.start(0, usize::from(group), [group + 1; 16], 1);
            copies.commit(LaneMask(1));
        }
        copies.wait(LaneMask(1), Some(2), &mut shared);
        assert_eq!(shared[..3], [1, 0, 0]);
        copies.wait(LaneMask(2), None, &mut shared);
        assert_eq!(shared[..3], [1, 0, 0]);
        copies.start(0, 7, [9; 16], 1);
        copies.wait(LaneMask(1), Some(0), &mut shared);
        assert_eq!(shared, [1, 2, 3, 0, 0, 0, 0, 0]);
        copies.wait(LaneMask(1), None, &mut shared);
        assert_eq!(shared[7], 9);
    }
}
