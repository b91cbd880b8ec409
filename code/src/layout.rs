//! Where a cell of a matrix lives in memory: row-major, column-major, leading dimension, and the way between them.
//!
//! A matrix is rows x cols. Its memory is one line of elements. A [`Layout`] is the rule that maps a cell
//! (r, c) to an element index; every lesson of the book turns on one of these rules.

mod convert;

pub use convert::{convert, convert_flat, reinterpret};

// ANCHOR: layout
/// Which neighbour of a cell is next to it in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The cell to the right. C, Rust and most of CUDA.
    RowMajor,
    /// The cell below. Fortran and cuBLAS.
    ColumnMajor,
}

/// The rule that gives each cell of a rows x cols matrix its place in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Number of rows.
    pub rows: u64,
    /// Number of columns.
    pub cols: u64,
    /// Which axis is contiguous.
    pub order: Order,
    /// Leading dimension: elements from the start of one row (or column) to the next.
    pub ld: u64,
}
// ANCHOR_END: layout

impl std::fmt::Display for Order {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Order::RowMajor => "row-major",
            Order::ColumnMajor => "column-major",
        })
    }
}

/// What can be wrong with a matrix before any work on it begins.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ShapeError {
    /// The number of cells does not fit in 64 bits, or not in this machine's memory.
    #[error("a {rows}x{cols} matrix does not fit in memory; choose fewer rows or columns")]
    TooLarge {
        /// Number of rows asked for.
        rows: u64,
        /// Number of columns asked for.
        cols: u64,
    },
    /// A slice does not have the length that its layout asks for.
    #[error("a {rows}x{cols} matrix takes {expected} elements, and {given} were given")]
    Length {
        /// Number of rows.
        rows: u64,
        /// Number of columns.
        cols: u64,
        /// Elements that the layout asks for.
        expected: u64,
        /// Elements in the slice.
        given: u64,
    },
    /// The leading dimension is shorter than the rows (or columns) that it should keep apart.
    #[error("leading dimension {ld} is less than {least}, the length of a row (or column) in memory")]
    LeadingDimension {
        /// Leading dimension asked for.
        ld: u64,
        /// The least that serves.
        least: u64,
    },
    /// Two layouts that should describe the same matrix differ in shape.
    #[error("a {}x{} matrix and a {}x{} matrix are not the same matrix", from.0, from.1, to.0, to.1)]
    Different {
        /// Rows and columns of the first.
        from: (u64, u64),
        /// Rows and columns of the second.
        to: (u64, u64),
    },
}

impl Layout {
    /// Returns the layout in which a row is contiguous and rows follow each other without a gap.
    pub const fn row_major(rows: u64, cols: u64) -> Layout {
        Layout {
            rows,
            cols,
            order: Order::RowMajor,
            ld: cols,
        }
    }

    /// Returns the layout in which a column is contiguous and columns follow each other without a gap.
    pub const fn column_major(rows: u64, cols: u64) -> Layout {
        Layout {
            rows,
            cols,
            order: Order::ColumnMajor,
            ld: rows,
        }
    }

    /// Returns the gapless layout of a matrix in the order given.
    pub const fn new(rows: u64, cols: u64, order: Order) -> Layout {
        match order {
            Order::RowMajor => Layout::row_major(rows, cols),
            Order::ColumnMajor => Layout::column_major(rows, cols),
        }
    }

    /// Returns the same matrix with `ld` elements from one row (row-major) or column (column-major) to the next.
    ///
    /// # Errors
    /// If `ld` is less than the length of a row (or column): they would overlap.
    pub fn with_leading_dimension(self, ld: u64) -> Result<Layout, ShapeError> {
        let least = self.contiguous();
        if ld < least {
            return Err(ShapeError::LeadingDimension { ld, least });
        }
        Ok(Layout { ld, ..self })
    }

    /// Returns the steps in memory, in elements: to the cell below, and to the cell on the right.
    pub const fn strides(&self) -> (u64, u64) {
        match self.order {
            Order::RowMajor => (self.ld, 1),
            Order::ColumnMajor => (1, self.ld),
        }
    }

    /// Returns the element index of cell (r, c).
    ///
    /// Exact for every matrix that can exist. Cells outside the matrix get the index that the formula gives them,
    /// which is what a stray thread computes too; past 64 bits the index wraps.
    pub const fn index(&self, r: u64, c: u64) -> u64 {
        let (down, right) = self.strides();
        r.wrapping_mul(down).wrapping_add(c.wrapping_mul(right))
    }

    /// Returns the cell (r, c) at an element index, or `None` in the gap after a row and past the end.
    pub const fn cell(&self, index: u64) -> Option<(u64, u64)> {
        if self.ld == 0 {
            return None;
        }
        let (major, minor) = (index / self.ld, index % self.ld);
        let (r, c) = match self.order {
            Order::RowMajor => (major, minor),
            Order::ColumnMajor => (minor, major),
        };
        if r < self.rows && c < self.cols {
            Some((r, c))
        } else {
            None
        }
    }

    /// Returns the elements of memory that the matrix takes, gaps between rows included and the one after the last not.
    ///
    /// A matrix too large for 64 bits gives `u64::MAX`, which no slice reaches.
    pub const fn len(&self) -> u64 {
        let (lines, contiguous) = match self.order {
            Order::RowMajor => (self.rows, self.cols),
            Order::ColumnMajor => (self.cols, self.rows),
        };
        if lines == 0 || contiguous == 0 {
            return 0;
        }
        (lines - 1).saturating_mul(self.ld).saturating_add(contiguous)
    }

    /// Returns whether the matrix has no cell.
    pub const fn is_empty(&self) -> bool {
        self.rows == 0 || self.cols == 0
    }

    /// Returns the layout of the transpose: the same bytes, read the other way round.
    pub const fn transposed(&self) -> Layout {
        let order = match self.order {
            Order::RowMajor => Order::ColumnMajor,
            Order::ColumnMajor => Order::RowMajor,
        };
        Layout {
            rows: self.cols,
            cols: self.rows,
            order,
            ld: self.ld,
        }
    }

    /// Returns nothing if a slice of `given` elements holds this matrix.
    ///
    /// # Errors
    /// [`ShapeError::Length`] if it does not have exactly [`Layout::len`] elements.
    pub fn check(&self, given: usize) -> Result<(), ShapeError> {
        let (rows, cols, expected, given) = (self.rows, self.cols, self.len(), given as u64);
        if given == expected {
            Ok(())
        } else {
            Err(ShapeError::Length {
                rows,
                cols,
                expected,
                given,
            })
        }
    }

    const fn contiguous(&self) -> u64 {
        match self.order {
            Order::RowMajor => self.cols,
            Order::ColumnMajor => self.rows,
        }
    }
}

/// Returns the number of cells of a rows x cols matrix.
///
/// # Errors
/// [`ShapeError::TooLarge`] if it does not fit in 64 bits.
pub fn cells(rows: u64, cols: u64) -> Result<u64, ShapeError> {
    rows.checked_mul(cols).ok_or(ShapeError::TooLarge { rows, cols })
}

/// Returns a gapless rows x cols matrix in memory, every cell set to `value`.
///
/// # Errors
/// [`ShapeError::TooLarge`] where memory does not hold it, instead of ending the process.
pub fn filled<T: Clone>(rows: u64, cols: u64, value: T) -> Result<Vec<T>, ShapeError> {
    let too_large = ShapeError::TooLarge { rows, cols };
    let len = usize::try_from(cells(rows, cols)?).map_err(|_| too_large.clone())?;
    let mut matrix = Vec::new();
    matrix.try_reserve_exact(len).map_err(|_| too_large)?;
    matrix.resize(len, value);
    Ok(matrix)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn strides_of_the_chapter() {
        // ANCHOR: strides
        use warpwise::layout::Layout;

        let by_rows = Layout::row_major(4, 6);
        let by_columns = Layout::column_major(4, 6);

        // (step down, step right), in elements
        assert_eq!(by_rows.strides(), (6, 1));
        assert_eq!(by_columns.strides(), (1, 4));

        // Cell (2, 3): two steps down, three steps right.
        assert_eq!(by_rows.index(2, 3), 2 * 6 + 3);
        assert_eq!(by_columns.index(2, 3), 2 + 3 * 4);
        // ANCHOR_END: strides
    }

    #[test]
    fn a_leading_dimension_leaves_gaps() -> Result<(), ShapeError> {
        let padded = Layout::row_major(3, 5).with_leading_dimension(8)?;
        assert_eq!(padded.strides(), (8, 1));
        assert_eq!(padded.len(), 2 * 8 + 5);
        assert_eq!(padded.cell(8), Some((1, 0)));
        assert_eq!(padded.cell(5), None);
        let short = Layout::column_major(3, 5).with_leading_dimension(2);
        assert_eq!(short, Err(ShapeError::LeadingDimension { ld: 2, least: 3 }));
        Ok(())
    }

    #[test]
    fn empty_and_enormous_shapes_have_a_length() {
        assert_eq!(Layout::row_major(0, 7).len(), 0);
        assert_eq!(Layout::column_major(0, 7).len(), 0);
        assert_eq!(Layout::row_major(7, 0).cell(0), None);
        assert_eq!(Layout::row_major(u64::MAX, u64::MAX).len(), u64::MAX);
        assert!(filled(u64::MAX, 2, 0u8).is_err());
        assert!(filled(1, u64::MAX / 2, 0u32).is_err());
    }

    proptest! {
        /// Every cell has an index of its own below `len`, and `cell` finds the way back.
        #[test]
        fn index_and_cell_are_inverse(rows in 0u64..20, cols in 0u64..20, gap in 0u64..5, by_columns: bool) {
            let order = if by_columns { Order::ColumnMajor } else { Order::RowMajor };
            let tight = Layout::new(rows, cols, order);
            let layout = tight.with_leading_dimension(tight.ld + gap)?;
            let mut seen = std::collections::BTreeSet::new();
            for r in 0..rows {
                for c in 0..cols {
                    let i = layout.index(r, c);
                    prop_assert!(i < layout.len());
                    prop_assert!(seen.insert(i));
                    prop_assert_eq!(layout.cell(i), Some((r, c)));
                }
            }
            let found = (0..layout.len()).filter(|&i| layout.cell(i).is_some()).count() as u64;
            prop_assert_eq!(found, rows * cols);
        }

        /// The transpose has the same bytes under exchanged coordinates.
        #[test]
        fn transposed_reads_the_same_bytes(rows in 0u64..50, cols in 0u64..50, r in 0u64..50, c in 0u64..50) {
            let layout = Layout::row_major(rows, cols);
            prop_assert_eq!(layout.index(r, c), layout.transposed().index(c, r));
            prop_assert_eq!(layout.len(), layout.transposed().len());
            prop_assert_eq!(layout.transposed().transposed(), layout);
        }
    }
}
