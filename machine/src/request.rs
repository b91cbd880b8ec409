//! What one warp-wide memory request costs: sectors in global memory, wavefronts in shared memory.
//!
//! A *request* is one warp-wide memory instruction with at least one active lane. These are pure functions of
//! the 32 addresses and of the lanes that are active; the address of an inactive lane is never looked at.
//! Addresses are in bytes. Every access is naturally aligned: the machine reports any other one and drops it
//! before it is counted.
//!
//! Source: measured on an NVIDIA H200, one warp at a time; `tests/h200-requests.csv` holds 1,079 of those
//! measurements, and the rules below give all of them but one. Atomics on shared memory were not measured.

use crate::lanes::LANES;
use std::ops::Range;

/// Bytes in a sector, the unit in which global memory is fetched.
pub const SECTOR_BYTES: u64 = 32;
/// Banks of shared memory; each serves one word a pass.
pub const BANKS: u64 = 32;
/// Bytes in a word of a bank.
pub const WORD_BYTES: u64 = 4;

/// Which way a shared request moves data: the two are cut into groups differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From shared memory into registers.
    Load,
    /// From registers into shared memory.
    Store,
}

/// The number of distinct 32-byte sectors that a global load or store touches.
///
/// `active` has bit *i* set when lane *i* takes part; each such lane accesses `bytes` bytes (1, 2, 4, 8 or 16)
/// from its address on. The width of the access matters only through the bytes it covers.
///
/// ```
/// use warpwise_machine::request::sectors;
/// let row: [u64; 32] = std::array::from_fn(|lane| 4 * lane as u64);
/// let column: [u64; 32] = std::array::from_fn(|lane| 4096 * lane as u64);
/// assert_eq!(sectors(&row, u32::MAX, 4), 4);
/// assert_eq!(sectors(&column, u32::MAX, 4), 32);
/// ```
#[inline]
pub fn sectors(addresses: &[u64; LANES], active: u32, bytes: u32) -> u32 {
    sectors_with(common_step(addresses, active, bytes), addresses, active, bytes)
}

/// [`sectors`], given what [`common_step`] gives.
#[inline]
pub(crate) fn sectors_with(step: Option<i64>, addresses: &[u64; LANES], active: u32, bytes: u32) -> u32 {
    match step {
        Some(step) => sectors_in_step(addresses, step),
        None => distinct_sectors(addresses, active, bytes),
    }
}

/// The number of sectors that a reduction (a global atomic without a result) is charged.
///
/// It is the sum over the touched sectors of the most lanes that meet on one word of that sector. Lanes on
/// different words of a sector go together; lanes on the same word go one after the other.
#[inline]
pub fn reduction_sectors(addresses: &[u64; LANES], active: u32, bytes: u32) -> u32 {
    if let Some(step) = common_step(addresses, active, bytes) {
        // With a step of a word or more every word has one lane, so each sector is charged once.
        if step.unsigned_abs() >= WORD_BYTES {
            return sectors_in_step(addresses, step);
        }
    }
    let mut words = [0; LANES];
    for (next, lane) in lanes(active).enumerate() {
        words[next] = addresses[lane] / WORD_BYTES;
    }
    let words = &mut words[..active.count_ones() as usize];
    words.sort_unstable();
    let words_per_sector = SECTOR_BYTES / WORD_BYTES;
    words
        .chunk_by(|a, b| a / words_per_sector == b / words_per_sector)
        .map(|sector| {
            sector
                .chunk_by(|a, b| a == b)
                .map(|lanes| lanes.len() as u32)
                .max()
                .unwrap_or(0)
        })
        .sum()
}

/// The number of wavefronts, passes over the banks, that a shared request needs.
///
/// The lanes are cut into groups of 32 (up to 4 bytes), 16 (8 bytes) or 8 (16 bytes). A group needs as many
/// passes as the most distinct 4-byte words that it wants from one bank. Loads of 8 and 16 bytes get groups
/// twice as wide when, for x = 1 or for x = 2, every active lane whose partner lane `lane ^ x` is active wants
/// the same address as that partner. Addresses may be offsets into the block's shared memory.
///
/// ```
/// use warpwise_machine::request::{wavefronts, Direction};
/// let column = |stride: u64| std::array::from_fn(|lane| 4 * stride * lane as u64);
/// assert_eq!(wavefronts(Direction::Load, &column(32), u32::MAX, 4), 32);
/// assert_eq!(wavefronts(Direction::Load, &column(33), u32::MAX, 4), 1);
/// ```
#[inline]
pub fn wavefronts(direction: Direction, addresses: &[u64; LANES], active: u32, bytes: u32) -> u32 {
    let step = common_step(addresses, active, bytes);
    wavefronts_with(step, direction, addresses, active, bytes)
}

/// [`wavefronts`], given what [`common_step`] gives.
#[inline]
pub(crate) fn wavefronts_with(
    step: Option<i64>,
    direction: Direction,
    addresses: &[u64; LANES],
    active: u32,
    bytes: u32,
) -> u32 {
    if let Some(step) = step {
        if let Some(count) = wavefronts_in_step(direction, step, bytes) {
            return count;
        }
    }
    let group = group_lanes(direction, addresses, active, bytes);
    let words = u64::from(bytes.clamp(1, 16)).div_ceil(WORD_BYTES);
    (0..LANES)
        .step_by(group)
        .map(|first| passes(addresses, active, first..first + group, words))
        .sum()
}

/// The set bits of a mask, lowest first.
#[inline]
fn lanes(mut active: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = active.trailing_zeros() as usize;
        active &= active.wrapping_sub(1);
        (lane < LANES).then_some(lane)
    })
}

/// The distance in bytes from each lane to the next, when all 32 lanes are active and it is the same for all.
///
/// Only for aligned accesses that do not wrap around the end of the address space, so that the closed forms
/// built on it need no further conditions.
#[inline]
pub(crate) fn common_step(addresses: &[u64; LANES], active: u32, bytes: u32) -> Option<i64> {
    if active != u32::MAX {
        return None;
    }
    let step = addresses[1].wrapping_sub(addresses[0]);
    let mut different = 0;
    for lane in 2..LANES {
        different |= addresses[lane].wrapping_sub(addresses[lane - 1]) ^ step;
    }
    let aligned =
        matches!(bytes, 1 | 2 | 4 | 8 | 16) && (addresses[0] | step).is_multiple_of(u64::from(bytes));
    // 31 steps of less than 2^58 fit an i64; together they must lead from the first address to the last.
    let step = step as i64;
    if different != 0 || !aligned || step.unsigned_abs() >= 1 << 58 {
        return None;
    }
    (addresses[0].checked_add_signed(31 * step) == Some(addresses[31])).then_some(step)
}

/// Sectors of 32 active lanes a common step apart.
#[inline]
fn sectors_in_step(addresses: &[u64; LANES], step: i64) -> u32 {
    if step.unsigned_abs() >= SECTOR_BYTES {
        return LANES as u32;
    }
    // A step of less than a sector skips none: all sectors from the first address to the last are touched.
    (addresses[31] / SECTOR_BYTES).abs_diff(addresses[0] / SECTOR_BYTES) as u32 + 1
}

/// Wavefronts of 32 active lanes a common step apart; `None` where lanes overlap only in part.
#[inline]
fn wavefronts_in_step(direction: Direction, step: i64, bytes: u32) -> Option<u32> {
    let width = u64::from(bytes).max(WORD_BYTES);
    let groups = (width / WORD_BYTES) as u32;
    if step == 0 {
        // All lanes are partners of one another.
        return Some(if groups > 1 && direction == Direction::Load {
            groups / 2
        } else {
            groups
        });
    }
    if !step.unsigned_abs().is_multiple_of(width) {
        return None;
    }
    // In units of its own width a group is 32, 16 or 8 lanes on as many bank sets, a common step apart: they
    // come around to the same set after `sets / gcd(step, sets)` lanes. `sets` is a power of two.
    let sets = BANKS as u32 / groups;
    let units = step.unsigned_abs() / width;
    Some(groups * (1 << units.trailing_zeros().min(sets.trailing_zeros())))
}

/// Distinct sectors by looking at every lane.
fn distinct_sectors(addresses: &[u64; LANES], active: u32, bytes: u32) -> u32 {
    // Neighbouring lanes mostly share a sector or move on in one direction, so count where the sector changes
    // and look for repetitions only when it has moved both ways.
    let mut heads = [0; 2 * LANES];
    let mut count = 0;
    let (mut up, mut down) = (true, true);
    let mut visit = |sector: u64| {
        if count == 0 || heads[count - 1] != sector {
            if count > 0 {
                up &= sector > heads[count - 1];
                down &= sector < heads[count - 1];
            }
            heads[count] = sector;
            count += 1;
        }
    };
    for lane in lanes(active) {
        let first = addresses[lane] / SECTOR_BYTES;
        let last = addresses[lane].saturating_add(u64::from(bytes.clamp(1, 32)) - 1) / SECTOR_BYTES;
        visit(first);
        if last != first {
            visit(last);
        }
    }
    if up || down {
        return count as u32;
    }
    // A table of twice as many slots as sectors, open addressing; a slot is free while its bit is clear.
    let mut slots = [0; 4 * LANES];
    let mut taken = 0u128;
    for &sector in &heads[..count] {
        let mut slot = (sector.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 57) as usize;
        while taken >> slot & 1 == 1 && slots[slot] != sector {
            slot = (slot + 1) % slots.len();
        }
        slots[slot] = sector;
        taken |= 1 << slot;
    }
    taken.count_ones()
}

/// How many neighbouring lanes are served together.
fn group_lanes(direction: Direction, addresses: &[u64; LANES], active: u32, bytes: u32) -> usize {
    let group = match bytes {
        0..=4 => return 32,
        5..=8 => 16,
        _ => 8,
    };
    let partners_agree = |x: usize| {
        lanes(active).all(|lane| active >> (lane ^ x) & 1 == 0 || addresses[lane] == addresses[lane ^ x])
    };
    if direction == Direction::Load && (partners_agree(1) || partners_agree(2)) {
        2 * group
    } else {
        group
    }
}

/// Passes that one group of lanes needs: the most distinct words wanted from one bank.
fn passes(addresses: &[u64; LANES], active: u32, group: Range<usize>, words_per_lane: u64) -> u32 {
    // The distinct words so far, chained per bank. A group wants at most 32 of them: 32 lanes of one word, 16
    // of two, 8 of four, and in a group twice as wide two partners want the same.
    const NONE: u8 = u8::MAX;
    let mut word = [0; LANES];
    let mut older = [NONE; LANES];
    let mut newest = [NONE; BANKS as usize];
    let mut depth = [0; BANKS as usize];
    let mut count = 0;
    let mut most = 0;
    let in_group = (u32::MAX >> (LANES - group.len())) << group.start;
    for lane in lanes(active & in_group) {
        let first = addresses[lane] / WORD_BYTES;
        for wanted in first..first + words_per_lane {
            let bank = (wanted % BANKS) as usize;
            let mut at = newest[bank];
            while at != NONE && word[at as usize] != wanted {
                at = older[at as usize];
            }
            if at == NONE {
                word[count] = wanted;
                older[count] = newest[bank];
                newest[bank] = count as u8;
                depth[bank] += 1;
                most = most.max(depth[bank]);
                count += 1;
            }
        }
    }
    most
}

#[cfg(test)]
#[path = "request_tests.rs"]
mod tests;
