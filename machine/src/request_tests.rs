//! The fast paths against the definitions, written as plainly as they are worded.

use super::*;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

type Addresses = [u64; LANES];

fn plain_sectors(addresses: &Addresses, active: u32, bytes: u32) -> u32 {
    let mut touched = BTreeSet::new();
    for (lane, address) in addresses.iter().enumerate() {
        if active >> lane & 1 == 1 {
            for byte in 0..u64::from(bytes) {
                touched.insert((address + byte) / 32);
            }
        }
    }
    touched.len() as u32
}

fn plain_reduction(addresses: &Addresses, active: u32) -> u32 {
    let mut lanes_on: BTreeMap<u64, BTreeMap<u64, u32>> = BTreeMap::new();
    for (lane, _address) in addresses.iter().enumerate() {
        if active >> lane & 1 == 1 {
            *lanes_on
                .entry(addresses[lane] / 32)
                .or_default()
                .entry(addresses[lane] / 4)
                .or_default() += 1;
        }
    }
    lanes_on
        .values()
        .map(|words| words.values().max().copied().unwrap_or(0))
        .sum()
}

fn plain_wavefronts(direction: Direction, addresses: &Addresses, active: u32, bytes: u32) -> u32 {
    let is_active = |lane: usize| active >> lane & 1 == 1;
    let mut group = if bytes <= 4 { 32 } else { 128 / bytes as usize };
    let agree = |x: usize| {
        (0..LANES)
            .all(|lane| !is_active(lane) || !is_active(lane ^ x) || addresses[lane] == addresses[lane ^ x])
    };
    if bytes > 4 && direction == Direction::Load && (agree(1) || agree(2)) {
        group *= 2;
    }
    let mut sum = 0;
    for first in (0..LANES).step_by(group) {
        let mut wanted: BTreeMap<u64, BTreeSet<u64>> = BTreeMap::new();
        for lane in (first..first + group).filter(|&lane| is_active(lane)) {
            for byte in 0..u64::from(bytes) {
                let word = (addresses[lane] + byte) / 4;
                wanted.entry(word % 32).or_default().insert(word);
            }
        }
        sum += wanted.values().map(|words| words.len() as u32).max().unwrap_or(0);
    }
    sum
}

/// Masks as launches make them (whole warps, edges, every other lane), and any at all.
fn masks() -> impl Strategy<Value = u32> {
    prop_oneof![
        3 => Just(u32::MAX),
        2 => (0u32..32).prop_map(|idle| u32::MAX >> idle),
        1 => (0u32..32).prop_map(|idle| u32::MAX << idle),
        2 => any::<u32>(),
        1 => Just(0x5555_5555u32),
    ]
}

/// Element indices of 32 lanes: in step, in two or more runs, permuted, crowded, partnered, anywhere.
fn elements() -> impl Strategy<Value = Addresses> {
    let base = prop_oneof![0u64..64, (1u64 << 36)..(1 << 37)];
    let step = prop_oneof![-40i64..40, -70_000i64..70_000];
    prop_oneof![
        (base.clone(), step.clone()).prop_map(|(base, step)| {
            let base = base + 40 * 70_000;
            std::array::from_fn(|lane| base.wrapping_add_signed(step * lane as i64))
        }),
        (base.clone(), step, 0u32..5, 0u64..200).prop_map(|(base, step, log, row)| {
            let base = base + 40 * 70_000;
            std::array::from_fn(|lane| {
                let (y, x) = ((lane >> log) as u64, (lane & ((1 << log) - 1)) as i64);
                (base + y * row).wrapping_add_signed(x * step)
            })
        }),
        (base.clone(), 0usize..32).prop_map(|(base, x)| std::array::from_fn(|lane| base + (lane ^ x) as u64)),
        (base.clone(), proptest::array::uniform32(0u64..12)).prop_map(|(base, a)| a.map(|e| base + e)),
        (base.clone(), proptest::array::uniform32(0u64..2048)).prop_map(|(base, a)| a.map(|e| base + e)),
        (base, proptest::array::uniform32(0u64..2048), 1usize..4)
            .prop_map(|(base, a, mask)| { std::array::from_fn(|lane| base + a[lane & !mask]) }),
        proptest::array::uniform32(0u64..1 << 40),
    ]
}

fn widths() -> impl Strategy<Value = u32> {
    prop_oneof![Just(1u32), Just(2), Just(4), Just(8), Just(16)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn sectors_are_the_distinct_ones(elements in elements(), active in masks(), bytes in widths()) {
        let addresses = elements.map(|element| element * u64::from(bytes));
        prop_assert_eq!(sectors(&addresses, active, bytes), plain_sectors(&addresses, active, bytes));
        prop_assert_eq!(distinct_sectors(&addresses, active, bytes), plain_sectors(&addresses, active, bytes));
    }

    #[test]
    fn unaligned_accesses_count_both_sectors(addresses in elements(), active in masks(), bytes in widths()) {
        prop_assert_eq!(sectors(&addresses, active, bytes), plain_sectors(&addresses, active, bytes));
    }

    #[test]
    fn reductions_charge_the_most_crowded_word(elements in elements(), active in masks()) {
        let addresses = elements.map(|element| element * 4);
        prop_assert_eq!(reduction_sectors(&addresses, active, 4), plain_reduction(&addresses, active));
    }

    #[test]
    fn wavefronts_follow_the_groups(elements in elements(), active in masks(), bytes in widths()) {
        let addresses = elements.map(|element| element * u64::from(bytes));
        for direction in [Direction::Load, Direction::Store] {
            prop_assert_eq!(
                wavefronts(direction, &addresses, active, bytes),
                plain_wavefronts(direction, &addresses, active, bytes)
            );
        }
    }

    #[test]
    fn inactive_lanes_do_not_matter(elements in elements(), other in elements(), active in masks()) {
        let addresses = elements.map(|element| element * 4);
        let disturbed: Addresses =
            std::array::from_fn(|lane| if active >> lane & 1 == 1 { addresses[lane] } else { other[lane] });
        prop_assert_eq!(sectors(&addresses, active, 4), sectors(&disturbed, active, 4));
        prop_assert_eq!(reduction_sectors(&addresses, active, 4), reduction_sectors(&disturbed, active, 4));
        prop_assert_eq!(
            wavefronts(Direction::Load, &addresses, active, 4),
            wavefronts(Direction::Load, &disturbed, active, 4)
        );
    }
}

/// Every step that a row of up to 2048 bytes could have, forwards and backwards: no closed form is left to chance.
#[test]
fn closed_forms_equal_the_definition_for_every_step() {
    for bytes in [1, 2, 4, 8, 16] {
        for step in -(2048 / i64::from(bytes))..=2048 / i64::from(bytes) {
            for base in [65_536u64, 65_536 + 16, 65_536 + 48] {
                let addresses: Addresses = std::array::from_fn(|lane| {
                    base.wrapping_add_signed(step * i64::from(bytes) * lane as i64)
                });
                assert_eq!(
                    common_step(&addresses, u32::MAX, bytes),
                    Some(step * i64::from(bytes))
                );
                assert_eq!(
                    sectors(&addresses, u32::MAX, bytes),
                    plain_sectors(&addresses, u32::MAX, bytes)
                );
                assert_eq!(
                    reduction_sectors(&addresses, u32::MAX, bytes),
                    plain_reduction(&addresses, u32::MAX)
                );
                for direction in [Direction::Load, Direction::Store] {
                    assert_eq!(
                        wavefronts(direction, &addresses, u32::MAX, bytes),
                        plain_wavefronts(direction, &addresses, u32::MAX, bytes),
                        "{direction:?} of {bytes} bytes, {step} elements apart"
                    );
                }
            }
        }
    }
}

#[test]
fn no_lane_no_cost() {
    let addresses = [u64::MAX; LANES];
    assert_eq!(sectors(&addresses, 0, 16), 0);
    assert_eq!(reduction_sectors(&addresses, 0, 4), 0);
    assert_eq!(wavefronts(Direction::Load, &addresses, 0, 16), 0);
}

#[test]
fn the_ends_of_the_address_space_do_not_overflow() {
    for base in [0, 1 << 63, u64::MAX - 200, u64::MAX - 15, u64::MAX] {
        for step in [0, 4, 16, 32, 1 << 58, 1 << 63, u64::MAX, u64::MAX - 31] {
            let addresses: Addresses =
                std::array::from_fn(|lane| (lane as u64).wrapping_mul(step).wrapping_add(base));
            for bytes in [0, 1, 4, 16, 100, u32::MAX] {
                for active in [u32::MAX, 0x8000_0001] {
                    let count = sectors(&addresses, active, bytes);
                    assert!(count <= 64);
                    reduction_sectors(&addresses, active, bytes);
                    wavefronts(Direction::Load, &addresses, active, bytes);
                    wavefronts(Direction::Store, &addresses, active, bytes);
                }
            }
        }
    }
}
