//! Moving a matrix from one layout to another, twice over: through cells, and through flat indices.

use super::ShapeError;

// ANCHOR: convert
use warpwise::layout::Layout;

/// Moves every cell from its place in layout `from` to its place in layout `to`.
fn move_cells<T: Copy>(data: &[T], from: &Layout, to: &Layout, out: &mut [T]) {
    for r in 0..from.rows {
        for c in 0..from.cols {
            out[to.index(r, c) as usize] = data[from.index(r, c) as usize];
        }
    }
}
// ANCHOR_END: convert

/// Returns the matrix `data` in layout `to`, moved cell by cell through (r, c).
///
/// Gaps that a leading dimension leaves hold `T::default()`. The last gap is not part of the result.
///
/// # Errors
/// If `data` does not have the length that `from` asks for, the layouts differ in shape, or the result does not
/// fit in memory.
pub fn convert<T: Copy + Default>(data: &[T], from: &Layout, to: &Layout) -> Result<Vec<T>, ShapeError> {
    let mut out = prepare(data, from, to)?;
    if !from.is_empty() {
        move_cells(data, from, to, &mut out);
    }
    Ok(out)
}

/// Returns the matrix `data` in layout `to`, visiting the flat indices of the output in turn.
///
/// The same result as [`convert`], by another way: a division finds the cell that belongs at each index. A kernel with
/// one axis of threads works like this.
///
/// # Errors
/// As [`convert`].
pub fn convert_flat<T: Copy + Default>(data: &[T], from: &Layout, to: &Layout) -> Result<Vec<T>, ShapeError> {
    let mut out = prepare(data, from, to)?;
    for (i, slot) in out.iter_mut().enumerate() {
        if let Some((r, c)) = to.cell(i as u64) {
            *slot = data[from.index(r, c) as usize];
        }
    }
    Ok(out)
}

/// Returns what a reader sees who takes the bytes of `data`, stored in layout `from`, for a matrix in layout `to`:
/// its cells in row-major order.
///
/// Nothing is moved and nothing fails: that is the trap. Column-major bytes of a rows x cols matrix, read as
/// row-major cols x rows, are exactly the transpose.
///
/// # Errors
/// If `data` does not have the length that `from` asks for, or `to` asks for another length.
pub fn reinterpret<T: Copy + Default>(data: &[T], from: &Layout, to: &Layout) -> Result<Vec<T>, ShapeError> {
    from.check(data.len())?;
    convert(data, to, &Layout::row_major(to.rows, to.cols))
}

fn prepare<T: Copy + Default>(data: &[T], from: &Layout, to: &Layout) -> Result<Vec<T>, ShapeError> {
    from.check(data.len())?;
    if (from.rows, from.cols) != (to.rows, to.cols) {
        return Err(ShapeError::Different {
            from: (from.rows, from.cols),
            to: (to.rows, to.cols),
        });
    }
    // One line of `len` elements: the layout's gaps count as cells here.
    super::filled(1, to.len(), T::default()).map_err(|_| ShapeError::TooLarge {
        rows: to.rows,
        cols: to.cols,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::layout::Order;

    #[test]
    fn there_and_back() -> Result<(), ShapeError> {
        // ANCHOR: round_trip
        use warpwise::layout::{convert, Layout};

        let by_rows = Layout::row_major(2, 3);
        let by_columns = Layout::column_major(2, 3);

        let data = [1, 2, 3, 4, 5, 6];
        let turned = convert(&data, &by_rows, &by_columns).unwrap();
        assert_eq!(turned, [1, 4, 2, 5, 3, 6]);

        let back = convert(&turned, &by_columns, &by_rows).unwrap();
        assert_eq!(back, data);
        // ANCHOR_END: round_trip
        Ok(())
    }

    #[test]
    fn the_silent_transpose() {
        // ANCHOR: silent
        use warpwise::layout::{convert, reinterpret, Layout};

        // 2x3, row-major:  1 2 3
        //                  4 5 6
        let data = [1, 2, 3, 4, 5, 6];
        let by_columns = Layout::column_major(2, 3);
        let turned = convert(&data, &Layout::row_major(2, 3), &by_columns).unwrap();

        // The same bytes, taken for a row-major 3x2 matrix:  1 4
        //                                                    2 5
        //                                                    3 6
        let seen = reinterpret(&turned, &by_columns, &Layout::row_major(3, 2)).unwrap();
        assert_eq!(seen, [1, 4, 2, 5, 3, 6]);
        assert_eq!(seen, turned); // not a byte has moved
                                  // ANCHOR_END: silent
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let m = Layout::row_major(2, 3);
        let length = ShapeError::Length {
            rows: 2,
            cols: 3,
            expected: 6,
            given: 5,
        };
        assert_eq!(convert(&[0; 5], &m, &m), Err(length));
        assert!(matches!(
            convert(&[0; 6], &m, &Layout::row_major(3, 2)),
            Err(ShapeError::Different { .. })
        ));
        assert!(convert(&[0; 6], &m, &m.with_leading_dimension(1 << 62).unwrap()).is_err());
        assert_eq!(
            convert::<u8>(&[], &Layout::row_major(0, 3), &Layout::column_major(0, 3)),
            Ok(vec![])
        );
    }

    fn layouts() -> impl Strategy<Value = (Layout, Layout)> {
        (0u64..18, 0u64..18, any::<[bool; 2]>(), 0u64..4, 0u64..4).prop_map(
            |(rows, cols, by_columns, g, h)| {
                let make = |by_columns, gap| {
                    let order = if by_columns {
                        Order::ColumnMajor
                    } else {
                        Order::RowMajor
                    };
                    let tight = Layout::new(rows, cols, order);
                    Layout {
                        ld: tight.ld + gap,
                        ..tight
                    }
                };
                (make(by_columns[0], g), make(by_columns[1], h))
            },
        )
    }

    proptest! {
        /// The two conversions agree, and the way back returns the same cells.
        #[test]
        fn both_ways_agree((from, to) in layouts()) {
            let data: Vec<u64> = (1..=from.len()).collect();
            let through_cells = convert(&data, &from, &to)?;
            prop_assert_eq!(&through_cells, &convert_flat(&data, &from, &to)?);
            let back = convert(&through_cells, &to, &from)?;
            for r in 0..from.rows {
                for c in 0..from.cols {
                    let i = from.index(r, c) as usize;
                    prop_assert_eq!(through_cells[to.index(r, c) as usize], data[i]);
                    prop_assert_eq!(back[i], data[i]);
                }
            }
        }

        /// Column-major bytes read as row-major cols x rows are the transpose.
        #[test]
        fn reading_the_wrong_way_transposes(rows in 0u64..18, cols in 0u64..18) {
            let data: Vec<u64> = (0..rows * cols).collect();
            let seen = reinterpret(&data, &Layout::column_major(rows, cols), &Layout::row_major(cols, rows))?;
            for r in 0..rows {
                for c in 0..cols {
                    let cell = data[Layout::column_major(rows, cols).index(r, c) as usize];
                    prop_assert_eq!(seen[Layout::row_major(cols, rows).index(c, r) as usize], cell);
                }
            }
        }
    }
}
