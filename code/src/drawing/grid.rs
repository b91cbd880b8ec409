//! A grid of cells on a canvas.

use super::path::Path;
use super::svg::{MARGIN, MAX_WIDTH, SMALL};

/// A grid of cells on the canvas.
#[derive(Clone, Copy)]
pub struct Grid {
    /// Left edge.
    pub x: f64,
    /// Top edge.
    pub y: f64,
    /// Width and height of a cell.
    pub cell: [f64; 2],
}

impl Grid {
    /// Returns a grid at `y` whose `cols` cells fill the width, square unless `tallest` is less, at most `widest` wide.
    pub fn fit(y: f64, cols: u64, widest: f64, least_height: f64) -> Grid {
        let room = MAX_WIDTH - 2.0 * MARGIN;
        let wide = (room / cols.max(1) as f64).min(widest);
        let wide = if wide > 4.0 {
            (wide * 2.0).floor() / 2.0
        } else {
            wide
        };
        Grid {
            x: MARGIN,
            y,
            cell: [wide, wide.max(least_height)],
        }
    }

    /// Returns the rectangle of a cell (r, c), or of a block of cells from there on.
    pub fn area(&self, (r, c): (u64, u64), rows: u64, cols: u64) -> [f64; 4] {
        let [w, h] = self.cell;
        [
            self.x + c as f64 * w,
            self.y + r as f64 * h,
            cols as f64 * w,
            rows as f64 * h,
        ]
    }

    /// Returns the fill of rows x cols cells, one path for each hue. Neighbours in a row share a rectangle.
    pub fn fill(&self, rows: u64, cols: u64, hue: impl Fn(u64, u64) -> u64) -> [Path; 8] {
        let mut fills: [Path; 8] = Default::default();
        for r in 0..rows {
            let mut start = 0;
            for c in 1..=cols {
                if c == cols || hue(r, c) % 8 != hue(r, start) % 8 {
                    fills[(hue(r, start) % 8) as usize].rect(self.area((r, start), 1, c - start));
                    start = c;
                }
            }
        }
        fills
    }

    /// Returns the lines between rows x cols cells.
    pub fn lines(&self, rows: u64, cols: u64) -> Path {
        let mut path = Path::default();
        let [x, y, w, h] = self.area((0, 0), rows, cols);
        for r in 1..rows {
            let y = y + r as f64 * self.cell[1];
            path.line([[x, y], [x + w, y]]);
        }
        for c in 1..cols {
            let x = x + c as f64 * self.cell[0];
            path.line([[x, y], [x, y + h]]);
        }
        path
    }

    /// Returns the rectangle of one cell.
    pub fn at(&self, cell: (u64, u64)) -> [f64; 4] {
        self.area(cell, 1, 1)
    }

    /// Returns the centre of a cell.
    pub fn centre(&self, cell: (u64, u64)) -> [f64; 2] {
        let [x, y, w, h] = self.at(cell);
        [x + w / 2.0, y + h / 2.0]
    }

    /// Returns whether a number of so many digits fits into a cell.
    pub fn holds(&self, digits: usize) -> bool {
        self.cell[0] >= digits as f64 * SMALL * 0.58 + 2.0 && self.cell[1] >= SMALL + 2.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_stay_within_the_width() {
        for cols in 0..200 {
            let grid = Grid::fit(0.0, cols, 30.0, 0.0);
            let [x, _, w, _] = grid.area((0, 0), 1, cols);
            assert!(x + w + MARGIN <= MAX_WIDTH + 1e-9);
        }
    }
}
