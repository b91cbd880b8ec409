//! The inverse of the rank: the cell at a place in the spiral, without walking there.

// ANCHOR: cell
use warpwise::spiral::ring_of_rank;

/// Returns the cell (r, c) at a place in the spiral, or `None` past the last one.
pub fn cell(rank: u64, rows: u64, cols: u64) -> Option<(u64, u64)> {
    let k = ring_of_rank(rank, rows, cols)?;
    let (height, width) = (rows - 2 * k, cols - 2 * k);
    let step = rank - (rows * cols - height * width);

    let (r, c) = if step < width {
        (0, step) // along the top
    } else if step < width + (height - 1) {
        (step - (width - 1), width - 1) // down the right
    } else if step < 2 * (width - 1) + height {
        (height - 1, 2 * (width - 1) + (height - 1) - step) // back along the bottom
    } else {
        (2 * (width - 1) + 2 * (height - 1) - step, 0) // up the left
    };
    Some((r + k, c + k))
}
// ANCHOR_END: cell
