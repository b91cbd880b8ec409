//! Orders of blocks and warps that need no memory, however large the grid.

use crate::launch::Order;

/// Mixes the bits of a number (the finaliser of SplitMix64).
fn mix(mut x: u64) -> u64 {
    x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

/// The index that comes at `place` when `count` of them are put in `order`.
///
/// A shuffle is a Feistel network over the next even number of bits, applied again until the result is an
/// index: a permutation for every seed.
pub(crate) fn at(order: Order, place: u64, count: u64) -> u64 {
    match order {
        Order::Forward => place,
        Order::Reverse => count - 1 - place,
        Order::Shuffle(seed) => {
            let half = (64 - count.saturating_sub(1).leading_zeros()).div_ceil(2).max(1);
            let low = (1u64 << half) - 1;
            let mut index = place;
            loop {
                let (mut left, mut right) = (index >> half, index & low);
                for round in 0..4 {
                    (left, right) = (right, left ^ mix(right ^ mix(seed ^ round)) & low);
                }
                index = left << half | right;
                if index < count {
                    return index;
                }
            }
        }
    }
}

/// The order of the warps within block `block`.
pub(crate) fn of_warps(order: Order, block: u64) -> Order {
    match order {
        Order::Shuffle(seed) => Order::Shuffle(mix(seed ^ mix(block))),
        plain => plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_order_is_a_permutation(count in 1u64..300, seed: u64) {
            for order in [Order::Forward, Order::Reverse, Order::Shuffle(seed)] {
                let mut all: Vec<u64> = (0..count).map(|place| at(order, place, count)).collect();
                all.sort_unstable();
                prop_assert!(all.into_iter().eq(0..count));
            }
        }

        #[test]
        fn huge_counts_stay_in_range(place: u64, seed: u64) {
            let count = (1 << 31) * 65535 * 65535u64;
            prop_assert!(at(Order::Shuffle(seed), place % count, count) < count);
        }
    }

    #[test]
    fn seeds_differ() {
        let order = |seed| {
            (0..32)
                .map(|place| at(Order::Shuffle(seed), place, 32))
                .collect::<Vec<_>>()
        };
        assert_ne!(order(1), order(2));
        assert_ne!(order(1), (0..32).collect::<Vec<_>>());
    }
}
