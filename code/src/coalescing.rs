//! What a warp's access to global memory costs: the 32-byte sectors that its lanes touch.
//!
//! The count itself is the machine's ([`warpwise_machine::request::sectors`]); this module makes the accesses
//! that the lessons talk about, so that figures and kernels are counted by one rule.

use warpwise_machine::request;

pub use warpwise_machine::request::SECTOR_BYTES;
pub use warpwise_machine::LANES;

/// Every lane of a warp takes part.
pub const ALL_LANES: u32 = u32::MAX;

// ANCHOR: strided
/// Returns the byte addresses of a warp whose lanes are `stride` elements apart, from `first` on.
pub fn strided(first: u64, stride: u64, element_bytes: u64) -> [u64; 32] {
    std::array::from_fn(|lane| {
        let element = stride.wrapping_mul(lane as u64);
        first.wrapping_add(element.wrapping_mul(element_bytes))
    })
}
// ANCHOR_END: strided

/// Returns the distinct 32-byte sectors that the active lanes touch, `bytes` (1 to 16) a lane.
pub fn sectors(addresses: &[u64; LANES], active: u32, bytes: u32) -> u32 {
    request::sectors(addresses, active, bytes)
}

/// Returns the sectors of a full warp whose lanes are `stride` elements apart, starting at a multiple of 256 bytes.
///
/// `element_bytes` is 1, 2, 4, 8 or 16.
pub fn sectors_at_stride(stride: u64, element_bytes: u32) -> u32 {
    sectors(
        &strided(0, stride, element_bytes.into()),
        ALL_LANES,
        element_bytes,
    )
}

/// Returns the share of the fetched bytes that a full warp at this stride asked for, from 0 to 1.
///
/// At stride 0 all lanes want the same element, which counts once.
pub fn efficiency(stride: u64, element_bytes: u32) -> f64 {
    let wanted = if stride == 0 { 1 } else { LANES as u32 } * element_bytes;
    f64::from(wanted) / (f64::from(sectors_at_stride(stride, element_bytes)) * SECTOR_BYTES as f64)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_row_and_a_column() {
        // ANCHOR: row_and_column
        use warpwise::coalescing::sectors_at_stride;

        // 32 lanes, 4 bytes each, in a row-major matrix of 4096 columns.
        let along_a_row = sectors_at_stride(1, 4);
        let down_a_column = sectors_at_stride(4096, 4);

        assert_eq!(along_a_row, 4); // 128 bytes in 4 sectors of 32: nothing wasted
        assert_eq!(down_a_column, 32); // a sector for each lane, 4 of its 32 bytes used
                                       // ANCHOR_END: row_and_column
        assert_eq!(efficiency(1, 4), 1.0);
        assert_eq!(efficiency(4096, 4), 0.125);
        assert_eq!(efficiency(0, 4), 0.125);
    }

    #[test]
    fn where_a_row_starts_matters() {
        // A row of 37 four-byte cells starts anywhere in a sector: most warps touch one sector more.
        assert_eq!(sectors(&strided(0, 1, 4), ALL_LANES, 4), 4);
        assert_eq!(sectors(&strided(4 * 37, 1, 4), ALL_LANES, 4), 5);
    }

    proptest! {
        /// The machine's count is the plain definition: distinct values of byte / 32.
        #[test]
        fn sectors_by_definition(
            addresses in prop::array::uniform32(0u64..4096), active: u32, shift in 0u32..5, stride in 0u64..100,
        ) {
            let bytes = 1u32 << shift;
            let aligned = addresses.map(|a| a & !u64::from(bytes - 1));
            for addresses in [aligned, strided(256, stride, bytes.into())] {
                let lanes = (0..LANES).filter(|lane| active >> lane & 1 == 1);
                let touched = lanes.flat_map(|lane| addresses[lane]..addresses[lane] + u64::from(bytes));
                let distinct: std::collections::BTreeSet<u64> = touched.map(|byte| byte / SECTOR_BYTES).collect();
                prop_assert_eq!(sectors(&addresses, active, bytes) as usize, distinct.len());
            }
        }

        #[test]
        fn any_numbers(first: u64, stride: u64, active: u32, bytes: u32) {
            let _ = sectors(&strided(first, stride, bytes.into()), active, bytes);
            let share = efficiency(stride >> 8, 1 << (bytes % 5));
            prop_assert!(share > 0.0 && share <= 1.0);
        }
    }
}
