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

/// What a cell holds that nothing has written.
pub const POISON: u32 = u32::MAX;

/// The kernels of the lesson. They differ in what they check and in what they store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    /// Checks both axes, stores 1000 r + c.
    FillChecked,
    /// Checks rows only, stores 1000 r + c.
    FillRowsOnly,
    /// Checks columns only, stores 1000 r + c.
    FillColumnsOnly,
    /// Checks rows only, stores the sum of two inputs at the same index.
    AddRowsOnly,
}

// ANCHOR: kernels
impl Kernel {
    /// Returns whether the kernel's check lets the thread of cell (r, c) store.
    pub fn lets_through(self, r: u64, c: u64, rows: u64, cols: u64) -> bool {
        match self {
            Kernel::FillChecked => r < rows && c < cols,
            Kernel::FillRowsOnly | Kernel::AddRowsOnly => r < rows,
            Kernel::FillColumnsOnly => c < cols,
        }
    }

    /// Returns what the thread of cell (r, c) stores.
    pub fn value(self, r: u64, c: u64, cols: u64) -> u32 {
        let i = r.wrapping_mul(cols).wrapping_add(c);
        match self {
            // Known from the index alone: whoever comes to index i brings the same sum.
            Kernel::AddRowsOnly => i.wrapping_mul(3) as u32, // a[i] = i, b[i] = 2 i
            // Known from the cell: two threads can come to one index with different values.
            _ => r.wrapping_mul(1000).wrapping_add(c) as u32,
        }
    }
}
// ANCHOR_END: kernels

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
    // At least a row, so that damage one row further down would show as well.
    let [over_x, over_y] = mapping.past_edge();
    mapping.cols.max(over_x).max(over_y.saturating_mul(mapping.cols))
}
