//! Two ways to walk over a matrix, and the cache lines that they touch.

use super::svg::{Canvas, Grid, Ink, Path, MARGIN, SMALL, TEXT};
use crate::args::{ArgError, Args};
use crate::cache::{LineCache, Traversal, ELEMENT_BYTES, LINE_BYTES};
use crate::layout::{Layout, Order};

pub const KEYS: &[&str] = &["rows", "cols", "lines", "layout", "order"];

/// Draws rows x cols cells once for each traversal: filled by cache line, a dot on each miss, arrows along the inner loop.
pub fn draw(args: &Args) -> Result<String, ArgError> {
    let rows = args.u64_within("rows", 8, 0, 64)?;
    let cols = args.u64_within("cols", 64, 0, 64)?;
    let lines = args.u64_within("lines", 4, 0, 4096)? as usize;
    let order = args.choice(
        "layout",
        &[
            ("row-major", Order::RowMajor),
            ("column-major", Order::ColumnMajor),
        ],
        Order::RowMajor,
    )?;
    let (one, both) = (
        [Traversal::RowsOuter],
        [Traversal::RowsOuter, Traversal::ColumnsOuter],
    );
    let columns = [Traversal::ColumnsOuter];
    let choices: [(&str, &[Traversal]); 3] =
        [("both", &both), ("rows-outer", &one), ("columns-outer", &columns)];
    let traversals = args.choice("order", &choices, &both)?;

    let layout = Layout::new(rows, cols, order);
    let mut canvas = Canvas::new(
        format!("Walking a {order} {rows}x{cols} matrix through a cache of {lines} lines"),
        "Cells are coloured by the 64-byte cache line that they lie in. A dot marks a miss. Arrows follow the inner loop.",
    );
    let mut y = MARGIN;
    for &traversal in traversals {
        y = panel(&mut canvas, y, &layout, traversal, lines) + TEXT;
    }
    Ok(canvas.finish())
}

/// Draws one traversal from `y` on, and returns where it ends.
fn panel(canvas: &mut Canvas, y: f64, layout: &Layout, traversal: Traversal, lines: usize) -> f64 {
    let counts = crate::cache::walk(layout, traversal, lines);
    let (order, hits, misses) = (layout.order, counts.hits, counts.misses);
    let y = y + canvas.sentence(y, &format!("{order}, {traversal}: {hits} hits, {misses} misses"));
    let grid = Grid::fit(y + 3.0, layout.cols, 22.0, SMALL);

    let line = |r, c| layout.index(r, c) * ELEMENT_BYTES / LINE_BYTES;
    canvas.fills(&grid.fill(layout.rows, layout.cols, line));
    let mut misses = Path::default();
    let mut cache = LineCache::new(lines, LINE_BYTES);
    for cell in traversal.cells(layout.rows, layout.cols) {
        if !cache.touch(layout.index(cell.0, cell.1) * ELEMENT_BYTES) {
            misses.dot(grid.centre(cell), 1.6);
        }
    }
    canvas.path(&arrows(&grid, layout, traversal), Ink::Faint);
    canvas.path(&misses, Ink::Solid);
    let whole = grid.area((0, 0), layout.rows, layout.cols);
    if !layout.is_empty() {
        canvas.rect(whole, Ink::Line, None);
    }
    whole[1] + whole[3]
}

/// Returns one line for each run of the inner loop.
fn arrows(grid: &Grid, layout: &Layout, traversal: Traversal) -> Path {
    let mut path = Path::default();
    if !layout.is_empty() {
        let (last_row, last_col) = (layout.rows - 1, layout.cols - 1);
        match traversal {
            Traversal::RowsOuter => {
                (0..=last_row).for_each(|r| path.line([grid.centre((r, 0)), grid.centre((r, last_col))]));
            }
            Traversal::ColumnsOuter => {
                (0..=last_col).for_each(|c| path.line([grid.centre((0, c)), grid.centre((last_row, c))]));
            }
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drawing::svg::covered;

    #[test]
    fn every_cell_and_every_miss_is_drawn() {
        let svg = draw(&Args::parse(["order=columns-outer", "rows=6", "cols=10"]).unwrap()).unwrap();
        assert_eq!(covered(&svg, "hue-", [22.0, 22.0]), 60);
        let misses = crate::cache::walk(&Layout::row_major(6, 10), Traversal::ColumnsOuter, 4).misses;
        let dots = svg
            .lines()
            .filter(|line| line.ends_with(r#"" fill="currentColor"/>"#));
        assert_eq!(
            dots.map(|line| line.matches('M').count() as u64).sum::<u64>(),
            misses
        );
    }
}
