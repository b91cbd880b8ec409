//! The 32 banks of shared memory: which bank a word falls into, and how many passes a warp's access needs.
//!
//! A bank holds every 32nd 4-byte word. One pass serves one word of each bank; lanes that want the same word share
//! it, lanes that want different words of one bank wait for each other. Passes are counted by the machine
//! ([`warpwise_machine::request::wavefronts`]).

use std::collections::BTreeSet;

use warpwise_machine::request::{self, Direction};

pub use warpwise_machine::request::{BANKS, WORD_BYTES};

// ANCHOR: bank
/// Returns the bank that a 4-byte word of shared memory belongs to.
pub const fn bank(word: u64) -> u64 {
    word % 32
}

/// Returns the bank of each lane of a warp that reads column `column` of a tile.
///
/// `stride` is the length of a tile row in words: its columns, and any padding.
pub fn column_banks(column: u64, stride: u64) -> [u64; 32] {
    std::array::from_fn(|row| {
        let start = stride.wrapping_mul(row as u64);
        bank(start.wrapping_add(column))
    })
}
// ANCHOR_END: bank

/// Returns how many different banks the 32 words of a tile column fall into.
pub fn banks_touched(stride: u64) -> u64 {
    column_banks(0, stride).into_iter().collect::<BTreeSet<_>>().len() as u64
}

/// Returns the passes that a warp needs for one tile column of 32 four-byte words, `stride` words apart.
pub fn column_wavefronts(stride: u64) -> u32 {
    wavefronts(&std::array::from_fn(|row| stride.wrapping_mul(row as u64)))
}

/// Returns the passes that a full warp needs for these 4-byte words of shared memory, one word a lane.
pub fn wavefronts(words: &[u64; 32]) -> u32 {
    let bytes = words.map(|word| word.wrapping_mul(WORD_BYTES));
    request::wavefronts(Direction::Load, &bytes, u32::MAX, WORD_BYTES as u32)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn one_word_of_padding() {
        // ANCHOR: padding
        use warpwise::banks::{banks_touched, column_wavefronts};

        // A column of a 32x32 tile: every word in the same bank, one after the other.
        assert_eq!(banks_touched(32), 1);
        assert_eq!(column_wavefronts(32), 32);

        // One unused word at the end of each row, and the column falls into all banks.
        assert_eq!(banks_touched(33), 32);
        assert_eq!(column_wavefronts(33), 1);
        // ANCHOR_END: padding
    }

    #[test]
    fn lanes_that_want_one_word_share_it() {
        assert_eq!(wavefronts(&[7; 32]), 1);
        assert_eq!(wavefronts(&std::array::from_fn(|lane| 32 * (lane as u64 % 2))), 2);
    }

    proptest! {
        /// The columns of a tile are alike: padding that serves one serves all.
        #[test]
        fn columns_are_alike(column: u64, stride in 0u64..200) {
            let touched: BTreeSet<u64> = column_banks(column, stride).into_iter().collect();
            prop_assert_eq!(touched.len() as u64, banks_touched(stride));
        }

        /// 32 distinct words over b banks need 32 / b passes; an odd stride needs one.
        #[test]
        fn passes_follow_from_banks(stride in 1u64..200) {
            prop_assert_eq!(u64::from(column_wavefronts(stride)), BANKS / banks_touched(stride));
            prop_assert_eq!(banks_touched(stride) == BANKS, stride % 2 == 1);
        }

        /// The plain definition: the most distinct words that any one bank is asked for.
        #[test]
        fn wavefronts_by_definition(words in prop::array::uniform32(0u64..300)) {
            let distinct: BTreeSet<u64> = words.into_iter().collect();
            let most = (0..BANKS).map(|b| distinct.iter().filter(|&&word| bank(word) == b).count()).max();
            prop_assert_eq!(Some(wavefronts(&words) as usize), most);
        }
    }
}
