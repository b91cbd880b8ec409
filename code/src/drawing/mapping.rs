//! A grid of thread blocks over a matrix: which threads have a cell, and which have none.

use super::grid::Grid;
use super::path::Path;
use super::svg::{Anchor, Canvas, Ink, MARGIN, SMALL};
use crate::args::{ArgError, Args};
use crate::mapping::Mapping;
use crate::table::grouped;

pub const KEYS: &[&str] = &["rows", "cols", "block"];

/// Draws one square a thread: filled by block inside the matrix, struck out where the thread has no cell.
pub fn draw(args: &Args) -> Result<String, ArgError> {
    let rows = args.u64_within("rows", 37, 0, 64)?;
    let cols = args.u64_within("cols", 61, 0, 64)?;
    let block = args.pair_or("block", [16, 16])?;
    let mapping = Mapping::cover(rows, cols, block).map_err(|e| args.wrong("block", &e.to_string()))?;
    let [threads_x, threads_y] = mapping.threads();
    if threads_x > 128 || threads_y > 128 {
        return Err(args.wrong("block", "a block that keeps the grid within 128 threads each way"));
    }

    let [grid_x, grid_y] = mapping.grid;
    let (launched, wasted) = (grouped(mapping.launched()), grouped(mapping.wasted()));
    let mut canvas = Canvas::new(
        format!(
            "{} x {} blocks of {} x {} threads over a {rows}x{cols} matrix",
            grid_x, grid_y, block[0], block[1]
        ),
        format!(
            "Each square is a thread. {launched} are launched; {wasted} of them, struck out, have no cell."
        ),
    );
    let heading = format!(
        "{rows}x{cols} matrix, blocks of {} x {} (x, y): {launched} threads, {wasted} of them (struck out) without a cell",
        block[0], block[1]
    );
    let y = MARGIN + canvas.sentence(MARGIN, &heading);
    let grid = Grid::fit(y + 3.0, threads_x, 26.0, 0.0);

    let block_of = |r: u64, c: u64| c / block[0] + r / block[1] * 3;
    canvas.fills(&grid.fill(rows, cols, block_of));
    let mut struck = Path::default();
    for (r, c) in (0..threads_y).flat_map(|r| (0..threads_x).map(move |c| (r, c))) {
        if r >= rows || c >= cols {
            let [x, y, w, h] = grid.at((r, c));
            struck.line([[x, y + h], [x + w, y]]);
        }
    }
    canvas.path(&struck, Ink::Faint);
    if grid.cell[0] > 4.0 {
        canvas.path(&grid.lines(threads_y, threads_x), Ink::Hair);
    }
    for block_y in 0..grid_y {
        for block_x in 0..grid_x {
            let (r, c) = (block_y * block[1], block_x * block[0]);
            canvas.rect(grid.area((r, c), block[1], block[0]), Ink::Line, None);
            // The name stands on the part of the block that has cells.
            let [x, y, w, h] = grid.area((r, c), block[1].min(rows - r), block[0].min(cols - c));
            let label = format!("{block_x},{block_y}");
            if w >= label.len() as f64 * SMALL * 0.6 && h >= SMALL {
                canvas.text(x + w / 2.0, y + h / 2.0, SMALL, Anchor::Middle, label);
            }
        }
    }
    if !(rows == 0 || cols == 0) {
        canvas.rect(grid.area((0, 0), rows, cols), Ink::Strong, None);
    }
    Ok(canvas.finish())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drawing::svg::covered;

    #[test]
    fn every_thread_is_drawn_once() {
        let svg = draw(&Args::parse(["rows=5", "cols=11", "block=4,2"]).unwrap()).unwrap();
        assert_eq!(covered(&svg, "hue-", [26.0, 26.0]), 5 * 11);
        let struck = svg.lines().find(|line| line.contains("faint")).unwrap();
        assert_eq!(struck.matches('M').count(), 12 * 6 - 5 * 11);
    }
}
