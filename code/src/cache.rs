//! Why the order of two loops matters: a model of the cache lines that a walk over a matrix touches.
//!
//! The model is one fully associative cache with least-recently-used replacement and 64-byte lines of 16 `f32`.
//! Real caches have sets, several levels and prefetchers; the model keeps what decides the lesson and nothing else.

use crate::layout::Layout;

mod lru;
mod walk;

pub use lru::LineCache;
pub use walk::{sum, walk, Counts};

/// Bytes of one cache line.
pub const LINE_BYTES: u64 = 64;
/// Bytes of one `f32`, the element that the walks read.
pub const ELEMENT_BYTES: u64 = 4;

/// Which of the two loops over a matrix is the outer one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Traversal {
    /// Row after row: `for r { for c { … } }`.
    RowsOuter,
    /// Column after column: `for c { for r { … } }`.
    ColumnsOuter,
}

impl std::fmt::Display for Traversal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Traversal::RowsOuter => "rows-outer",
            Traversal::ColumnsOuter => "columns-outer",
        })
    }
}

impl Traversal {
    /// Returns the cells (r, c) of a rows x cols matrix in the order in which the loops visit them.
    pub fn cells(self, rows: u64, cols: u64) -> impl Iterator<Item = (u64, u64)> {
        let (outer, inner) = match self {
            Traversal::RowsOuter => (rows, cols),
            Traversal::ColumnsOuter => (cols, rows),
        };
        // Of an empty matrix there is nothing to visit, however long its other side.
        let outer = if inner == 0 { 0 } else { outer };
        (0..outer).flat_map(move |i| {
            (0..inner).map(move |j| match self {
                Traversal::RowsOuter => (i, j),
                Traversal::ColumnsOuter => (j, i),
            })
        })
    }

    /// Returns the bytes from one cell to the next within the inner loop.
    ///
    /// This one quantity, measured in cache lines, decides how bad a walk across the layout is.
    pub fn stride_bytes(self, layout: &Layout) -> u64 {
        let (down, right) = layout.strides();
        ELEMENT_BYTES.saturating_mul(if self == Traversal::RowsOuter { right } else { down })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::layout::Order;
    use Traversal::{ColumnsOuter, RowsOuter};

    #[test]
    fn the_four_walks_of_the_chapter() {
        let by_rows = Layout::row_major(8, 64);
        let by_columns = Layout::column_major(8, 64);
        assert_eq!(
            walk(&by_rows, RowsOuter, 4),
            Counts {
                hits: 480,
                misses: 32
            }
        );
        assert_eq!(walk(&by_rows, ColumnsOuter, 4), Counts { hits: 0, misses: 512 });
        assert_eq!(
            walk(&by_columns, ColumnsOuter, 4),
            Counts {
                hits: 480,
                misses: 32
            }
        );
        assert_eq!(
            walk(&by_columns, RowsOuter, 4),
            Counts {
                hits: 256,
                misses: 256
            }
        );
        // Four whole lines a step in one crossing, half a line in the other.
        assert_eq!(ColumnsOuter.stride_bytes(&by_rows), 4 * LINE_BYTES);
        assert_eq!(RowsOuter.stride_bytes(&by_columns), LINE_BYTES / 2);
    }

    #[test]
    fn the_sum_is_the_same_in_any_order() {
        // ANCHOR: sum
        use warpwise::cache::{sum, Traversal};
        use warpwise::layout::Layout;

        let layout = Layout::row_major(8, 64);
        let values: Vec<u32> = (0..8 * 64).collect(); // cell (r, c) holds r*64 + c

        assert_eq!(sum(&values, &layout, Traversal::RowsOuter).unwrap(), 130_816);
        assert_eq!(sum(&values, &layout, Traversal::ColumnsOuter).unwrap(), 130_816);
        // ANCHOR_END: sum
        assert!(sum(&values[1..], &layout, Traversal::RowsOuter).is_err());
    }

    #[test]
    fn crossing_costs_every_hit() {
        // ANCHOR: crossing
        use warpwise::cache::{walk, Traversal};
        use warpwise::layout::Layout;

        let layout = Layout::row_major(8, 64);
        let along = walk(&layout, Traversal::RowsOuter, 4);
        let across = walk(&layout, Traversal::ColumnsOuter, 4);

        assert_eq!((along.hits, along.misses), (480, 32));
        assert_eq!((across.hits, across.misses), (0, 512));
        // ANCHOR_END: crossing
    }

    proptest! {
        /// Every cell is visited once, and walking a column-major matrix by columns mirrors the transpose by rows.
        #[test]
        fn the_two_layouts_mirror(rows in 0u64..24, cols in 0u64..24, lines in 0usize..6) {
            for (one, other) in [(RowsOuter, ColumnsOuter), (ColumnsOuter, RowsOuter)] {
                let seen: std::collections::BTreeSet<_> = one.cells(rows, cols).collect();
                prop_assert_eq!(seen.len() as u64, rows * cols);
                let counts = walk(&Layout::row_major(rows, cols), one, lines);
                prop_assert_eq!(counts, walk(&Layout::column_major(cols, rows), other, lines));
                prop_assert_eq!(counts.hits + counts.misses, rows * cols);
            }
        }

        #[test]
        fn sums_agree(rows in 0u64..20, cols in 0u64..20, by_columns: bool) {
            let order = if by_columns { Order::ColumnMajor } else { Order::RowMajor };
            let values: Vec<u32> = (0..(rows * cols) as u32).collect();
            let layout = Layout::new(rows, cols, order);
            let plain: u64 = values.iter().map(|&v| u64::from(v)).sum();
            prop_assert_eq!(sum(&values, &layout, RowsOuter), Ok(plain));
            prop_assert_eq!(sum(&values, &layout, ColumnsOuter), Ok(plain));
        }
    }
}
