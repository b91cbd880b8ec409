//! Reading every cell of a matrix once, in one of two orders: what it costs, and what it adds up to.

use crate::layout::ShapeError;

// ANCHOR: walk
use warpwise::cache::{LineCache, Traversal, ELEMENT_BYTES, LINE_BYTES};
use warpwise::layout::Layout;

/// Hits and misses of one walk. Their sum is the number of cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Accesses whose line was in the cache.
    pub hits: u64,
    /// Accesses that had to fetch their line.
    pub misses: u64,
}

/// Returns hits and misses of reading every cell once, with a cache of `lines` lines.
pub fn walk(layout: &Layout, traversal: Traversal, lines: usize) -> Counts {
    let mut cache = LineCache::new(lines, LINE_BYTES);
    let mut counts = Counts::default();
    for (r, c) in traversal.cells(layout.rows, layout.cols) {
        if cache.touch(layout.index(r, c).wrapping_mul(ELEMENT_BYTES)) {
            counts.hits += 1;
        } else {
            counts.misses += 1;
        }
    }
    counts
}
// ANCHOR_END: walk

/// Returns the sum of all cells, added up in the order of the traversal.
///
/// Integers, so that every order gives the same sum: with floats it would differ in the last digits, and
/// the order of the loops would not be the reason that the lesson is about.
///
/// # Errors
/// If `values` does not have the length that the layout asks for.
pub fn sum(values: &[u32], layout: &Layout, traversal: Traversal) -> Result<u64, ShapeError> {
    layout.check(values.len())?;
    let cells = traversal.cells(layout.rows, layout.cols);
    Ok(cells
        .map(|(r, c)| u64::from(values[layout.index(r, c) as usize]))
        .sum())
}
