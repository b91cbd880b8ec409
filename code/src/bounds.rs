//! A bounds check on one axis only: where the stray threads store, and when the damage shows.
//!
//! A replay of the kernels in `kernels/bounds.cu`, thread by thread, with a guard region behind the matrix so that
//! stores past its end are seen and hit nothing else. It models their index arithmetic; the kernels themselves run on
//! the PTX machine or on a GPU.

mod replay;
mod threads;

pub use replay::{replay, strays, Replay, Stray};
pub use threads::threads;
pub use warpwise_machine::Order;

use crate::mapping::Mapping;

/// What a cell holds that nothing has written: four bytes 0xFF, a NaN if read as `f32`.
pub const POISON: u32 = u32::MAX;

// ANCHOR: kernels
/// The kernels of the lesson: what they check, and what they store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    /// Checks both axes, stores 1000 r + c.
    FillChecked,
    /// Checks rows only, stores 1000 r + c.
    FillRowsOnly,
    /// Checks columns only, stores 1000 r + c.
    FillColumnsOnly,
    /// Checks rows only, stores the sum of two inputs at its index.
    AddRowsOnly,
}

/// Returns whether the kernel's check lets the thread of cell (r, c) store.
pub fn lets_through(kernel: Kernel, r: u64, c: u64, rows: u64, cols: u64) -> bool {
    match kernel {
        Kernel::FillChecked => r < rows && c < cols,
        Kernel::FillRowsOnly | Kernel::AddRowsOnly => r < rows,
        Kernel::FillColumnsOnly => c < cols,
    }
}
// ANCHOR_END: kernels

/// Returns what the thread of cell (r, c) stores; numbers past 32 bits wrap, as they do in the kernels.
pub fn value(kernel: Kernel, r: u64, c: u64, cols: u64) -> u32 {
    match kernel {
        // Known from the index alone (a[i] = i, b[i] = 2 i): whoever comes to an index brings the same sum.
        Kernel::AddRowsOnly => r.wrapping_mul(cols).wrapping_add(c).wrapping_mul(3) as u32,
        // Known from the cell: two threads can come to one index with different values.
        _ => r.wrapping_mul(1000).wrapping_add(c) as u32,
    }
}

impl Kernel {
    /// All kernels of the lesson, the right one first.
    pub const ALL: [Kernel; 4] = [
        Kernel::FillChecked,
        Kernel::FillRowsOnly,
        Kernel::FillColumnsOnly,
        Kernel::AddRowsOnly,
    ];

    /// Returns the kernel's name in `kernels/bounds.cu`.
    pub const fn name(self) -> &'static str {
        match self {
            Kernel::FillChecked => "fill_checked",
            Kernel::FillRowsOnly => "fill_rows_only",
            Kernel::FillColumnsOnly => "fill_columns_only",
            Kernel::AddRowsOnly => "add_rows_only",
        }
    }
}

/// Returns the cells of guard region that catch every stray store of this launch, whichever check is missing.
pub fn guard_cells(mapping: &Mapping) -> u64 {
    if mapping.launched() == 0 {
        return 0;
    }
    // At least a row, so that damage one row further down would show as well.
    let [over_x, over_y] = mapping.past_edge();
    mapping.cols.max(over_x).max(over_y.saturating_mul(mapping.cols))
}
