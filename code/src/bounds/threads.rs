//! One order in which the threads of a launch may run. CUDA promises none.

use super::Order;
use crate::mapping::Mapping;

/// Threads of a warp.
const WARP: u64 = 32;

/// Returns the cells (r, c) of all threads, x on columns, in the order in which they run.
///
/// Blocks run one after the other in the order given, and so do the warps of a block; the lanes of a warp store in
/// ascending order. Forward order is by linear index, x fastest. A shuffle with the same seed is the same order.
pub fn threads(mapping: &Mapping, order: Order) -> impl Iterator<Item = (u64, u64)> {
    let (grid, block) = (mapping.grid, mapping.block);
    let lanes = block[0] * block[1];
    arrange(grid[0] * grid[1], order, 0).flat_map(move |b| {
        arrange(lanes.div_ceil(WARP), order, b + 1).flat_map(move |warp| {
            (warp * WARP..lanes.min((warp + 1) * WARP)).map(move |lane| {
                let x = b % grid[0] * block[0] + lane % block[0];
                let y = b / grid[0] * block[1] + lane / block[0];
                (y, x)
            })
        })
    })
}

/// Returns 0 to n - 1 in the order given. `salt` tells shuffles with one seed apart.
fn arrange(n: u64, order: Order, salt: u64) -> Box<dyn Iterator<Item = u64>> {
    match order {
        Order::Forward => Box::new(0..n),
        Order::Reverse => Box::new((0..n).rev()),
        Order::Shuffle(seed) => {
            let mut state = seed ^ salt.wrapping_mul(0xD1B5_4A32_D192_ED03);
            let mut all: Vec<u64> = (0..n).collect();
            // Fisher and Yates, from the end.
            for i in (1..all.len()).rev() {
                all.swap(i, (split_mix(&mut state) % (i as u64 + 1)) as usize);
            }
            Box::new(all.into_iter())
        }
    }
}

/// Returns the next number of the SplitMix64 sequence (Steele, Lea and Flood, 2014).
fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let z = (*state ^ (*state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn warps_are_cut_from_the_block() {
        // Two blocks of 20 x 2 threads: a warp of 32 and one of 8 each.
        let mapping = Mapping::cover(2, 40, [20, 2]).unwrap();
        let forward: Vec<_> = threads(&mapping, Order::Forward).collect();
        assert_eq!((forward[0], forward[20], forward[40]), ((0, 0), (1, 0), (0, 20)));
        let reverse: Vec<_> = threads(&mapping, Order::Reverse).collect();
        assert_eq!((reverse[0], reverse[8], reverse[40]), ((1, 32), (0, 20), (1, 12)));
    }

    proptest! {
        /// Every order runs every thread once, and the same seed gives the same order.
        #[test]
        fn every_thread_once(rows in 0u64..30, cols in 0u64..30, bx in 1u64..20, by in 1u64..20, seed: u64) {
            let mapping = Mapping::cover(rows, cols, [bx, by])?;
            let [x, y] = mapping.threads();
            let all: Vec<_> = (0..y).flat_map(|r| (0..x).map(move |c| (r, c))).collect();
            for order in [Order::Forward, Order::Reverse, Order::Shuffle(seed)] {
                let mut ran: Vec<_> = threads(&mapping, order).collect();
                prop_assert_eq!(&ran, &threads(&mapping, order).collect::<Vec<_>>());
                ran.sort_unstable();
                prop_assert_eq!(&ran, &all);
            }
        }
    }
}
