//! Effective bandwidth: the bytes that a transpose has to move, over the time it took.

// ANCHOR: bandwidth
use warpwise::transpose::BandwidthError;

/// Returns the bytes that a transpose moves: each element read once and written once.
pub const fn bytes_moved(elements: u64, element_bytes: u64) -> u64 {
    elements.saturating_mul(element_bytes).saturating_mul(2)
}

/// Returns the effective bandwidth in GB/s (10^9 bytes): bytes moved over time.
pub fn gb_per_s(bytes: u64, ms: f64) -> Result<f64, BandwidthError> {
    if !(ms.is_finite() && ms > 0.0) {
        return Err(BandwidthError { milliseconds: ms });
    }
    Ok(bytes as f64 / (ms * 1e6))
}
// ANCHOR_END: bandwidth

/// Returns whether the values 0, 1, 2, … of so many cells are all exact in `f32`: none is above 2^24.
pub const fn distinct_in_f32(cells: u64) -> bool {
    cells <= (1 << 24) + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_read_and_one_write() {
        // 4096 x 4096 f32 in 0.1 ms.
        assert_eq!(bytes_moved(4096 * 4096, 4), 134_217_728);
        assert_eq!(gb_per_s(134_217_728, 0.1), Ok(134_217_728.0 / 1e5));
        assert_eq!(bytes_moved(u64::MAX, 4), u64::MAX);
    }

    #[test]
    fn times_that_are_none_are_refused() {
        for milliseconds in [0.0, -0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(gb_per_s(8, milliseconds).is_err(), "{milliseconds}");
        }
    }

    #[test]
    fn f32_counts_to_two_to_the_24() {
        let last = 1u32 << 24;
        assert!(distinct_in_f32(u64::from(last) + 1) && ((last - 1) as f32) < last as f32);
        assert!(!distinct_in_f32(u64::from(last) + 2) && last as f32 == (last + 1) as f32);
    }
}
