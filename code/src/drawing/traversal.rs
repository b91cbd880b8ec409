//! Two ways to walk over a matrix, and the cache lines that they touch.

use super::grid::Grid;
use super::path::Path;
use super::svg::{Anchor, Canvas, Ink, MARGIN, SMALL, TEXT};
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
    canvas.text(
        MARGIN,
        y,
        SMALL,
        Anchor::Start,
        "one colour: one 64-byte line; a dot: a miss",
    );
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
    let [shafts, heads] = arrows(&grid, layout, traversal);
    canvas.path(&shafts, Ink::Faint);
    canvas.path(&heads, Ink::Pale);
    canvas.path(&misses, Ink::Solid);
    let whole = grid.area((0, 0), layout.rows, layout.cols);
    if !layout.is_empty() {
        canvas.rect(whole, Ink::Line, None);
    }
    whole[1] + whole[3]
}

/// Returns one arrow for each run of the inner loop: shafts and heads.
fn arrows(grid: &Grid, layout: &Layout, traversal: Traversal) -> [Path; 2] {
    let [mut shafts, mut heads]: [Path; 2] = Default::default();
    let (Some(last_row), Some(last_col)) = (layout.rows.checked_sub(1), layout.cols.checked_sub(1)) else {
        return [shafts, heads];
    };
    let ends: Vec<_> = match traversal {
        Traversal::RowsOuter => (0..=last_row).map(|r| ((r, 0), (r, last_col))).collect(),
        Traversal::ColumnsOuter => (0..=last_col).map(|c| ((0, c), (last_row, c))).collect(),
    };
    for (from, to) in ends {
        let (from, to) = (grid.centre(from), grid.centre(to));
        shafts.line([from, to]);
        heads.head(from, to, grid.cell[0].min(5.0));
    }
    [shafts, heads]
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
