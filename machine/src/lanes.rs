//! Identities and masks: which lanes, which instruction, which source line.

use std::fmt;

/// Lanes of a warp.
pub const LANES: usize = 32;

/// A set of lanes of one warp; bit `i` is lane `i`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
pub struct LaneMask(pub u32);

impl LaneMask {
    /// All 32 lanes.
    pub const FULL: LaneMask = LaneMask(u32::MAX);
    /// No lane.
    pub const EMPTY: LaneMask = LaneMask(0);

    /// The first `count` lanes; all of them from 32 on.
    pub const fn first(count: u32) -> LaneMask {
        if count >= 32 {
            LaneMask::FULL
        } else {
            LaneMask((1 << count) - 1)
        }
    }

    /// True when `lane` (0 to 31) is in the set.
    #[inline]
    pub const fn contains(self, lane: usize) -> bool {
        lane < LANES && self.0 >> lane & 1 == 1
    }

    /// How many lanes are in the set.
    #[inline]
    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// True when no lane is in the set.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// True when all 32 lanes are in the set.
    #[inline]
    pub const fn is_full(self) -> bool {
        self.0 == u32::MAX
    }

    /// True when every lane of `self` is also in `other`.
    #[inline]
    pub const fn is_subset_of(self, other: LaneMask) -> bool {
        self.0 & !other.0 == 0
    }

    /// The lowest lane of the set.
    #[inline]
    pub const fn lowest(self) -> Option<usize> {
        if self.0 == 0 {
            None
        } else {
            Some(self.0.trailing_zeros() as usize)
        }
    }

    /// The lanes of the set, lowest first.
    #[inline]
    pub fn iter(self) -> Lanes {
        Lanes(self.0)
    }
}

/// The lanes of a [`LaneMask`], lowest first.
#[derive(Clone, Debug)]
pub struct Lanes(u32);

impl Iterator for Lanes {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        if self.0 == 0 {
            return None;
        }
        let lane = self.0.trailing_zeros() as usize;
        self.0 &= self.0 - 1;
        Some(lane)
    }
}

impl IntoIterator for LaneMask {
    type Item = usize;
    type IntoIter = Lanes;

    fn into_iter(self) -> Lanes {
        self.iter()
    }
}

impl std::ops::BitAnd for LaneMask {
    type Output = LaneMask;
    #[inline]
    fn bitand(self, other: LaneMask) -> LaneMask {
        LaneMask(self.0 & other.0)
    }
}

impl std::ops::BitOr for LaneMask {
    type Output = LaneMask;
    #[inline]
    fn bitor(self, other: LaneMask) -> LaneMask {
        LaneMask(self.0 | other.0)
    }
}

impl std::ops::Not for LaneMask {
    type Output = LaneMask;
    #[inline]
    fn not(self) -> LaneMask {
        LaneMask(!self.0)
    }
}

/// The lanes of the first set that are not in the second.
impl std::ops::Sub for LaneMask {
    type Output = LaneMask;
    #[inline]
    fn sub(self, other: LaneMask) -> LaneMask {
        LaneMask(self.0 & !other.0)
    }
}

impl fmt::Debug for LaneMask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LaneMask({:#010x})", self.0)
    }
}

/// An instruction of a kernel: its index in [`Kernel::instructions`](crate::Kernel::instructions).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, PartialOrd, Ord, Debug)]
pub struct Pc(pub u32);

impl Pc {
    /// The same, to index with.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A line of the source (`.cu`) file, from 1; 0 where the PTX has no line marks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, PartialOrd, Ord, Debug)]
pub struct Line(pub u32);

impl Line {
    /// No line mark covers the instruction.
    pub const UNKNOWN: Line = Line(0);

    /// The line, or nothing where it is unknown.
    pub const fn known(self) -> Option<u32> {
        if self.0 == 0 {
            None
        } else {
            Some(self.0)
        }
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.known() {
            Some(line) => write!(f, "line {line}"),
            None => f.write_str("an unknown line"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_come_lowest_first() {
        assert_eq!(LaneMask(0b1010_0001).iter().collect::<Vec<_>>(), [0, 5, 7]);
        assert_eq!(LaneMask::FULL.iter().count(), LANES);
    }

    #[test]
    fn first_lanes_saturate() {
        assert_eq!(LaneMask::first(0), LaneMask::EMPTY);
        assert_eq!(LaneMask::first(5), LaneMask(31));
        assert_eq!(LaneMask::first(32), LaneMask::FULL);
        assert_eq!(LaneMask::first(1000), LaneMask::FULL);
    }
}
