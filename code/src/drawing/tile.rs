//! One tile of a transpose: where it is read, how it lies in shared memory, where it is written.

use super::grid::Grid;
use super::path::Path;
use super::svg::{Anchor, Canvas, Ink, MARGIN, MAX_WIDTH, SMALL, TEXT};
use crate::args::{ArgError, Args};
use crate::transpose::tile_moves;

pub const KEYS: &[&str] = &["rows", "cols", "side", "at"];

/// Units between the three grids.
const GAP: f64 = 26.0;

/// Draws the input, the tile and the output side by side; each cell of the tile bears the number of its tile row.
pub fn draw(args: &Args) -> Result<String, ArgError> {
    let rows = args.u64_within("rows", 6, 1, 16)?;
    let cols = args.u64_within("cols", 10, 1, 16)?;
    let side = args.u64_within("side", 4, 1, 8)?;
    let at = args.pair_or("at", [0, 4])?;
    if at[0] >= rows || at[1] >= cols || at[0] % side != 0 || at[1] % side != 0 {
        return Err(args.wrong("at", "the first cell of a tile, as in 0,4"));
    }
    let corner = (at[0], at[1]);
    let moves: Vec<_> = tile_moves(rows, cols, side, corner).collect();
    let mut canvas = Canvas::new(
        format!("A {side}x{side} tile on its way through a {rows}x{cols} transpose"),
        format!(
            "The tile at row {}, column {} is read row by row, and written row by row: each row of the turned tile takes one \
             cell of every row of the tile.",
            at[0], at[1]
        ),
    );
    let y = MARGIN
        + canvas.sentence(
            MARGIN,
            "the number in a cell is its row in the tile: read along rows, written along rows",
        )
        + 3.0;
    let across = (cols + side + rows) as f64;
    let cell = ((MAX_WIDTH - 2.0 * MARGIN - 2.0 * GAP) / across).min(18.0);
    let place = |x: f64| Grid {
        x,
        y,
        cell: [cell, cell],
    };
    let input = place(MARGIN);
    let tile = place(MARGIN + cols as f64 * cell + GAP);
    let output = place(tile.x + side as f64 * cell + GAP);

    let parts = [
        (&input, rows, cols, "in"),
        (&tile, side, side, "tile"),
        (&output, cols, rows, "out"),
    ];
    for (grid, height, width, name) in parts {
        canvas.path(&grid.lines(height, width), Ink::Hair);
        let [x, y, w, h] = grid.area((0, 0), height, width);
        canvas.rect([x, y, w, h], Ink::Line, None);
        let label = if name == "tile" {
            name.to_owned()
        } else {
            format!("{name}, {height}x{width}")
        };
        canvas.text(x, y + h + TEXT * 0.8, SMALL, Anchor::Start, label);
    }
    let (mut fills, mut labels): ([[Path; 8]; 3], Vec<_>) = Default::default();
    for step in &moves {
        let (r, c) = (step.from.0 - corner.0, step.from.1 - corner.1);
        let hue = (r % 8) as usize;
        let places = [(&input, step.from), (&tile, (r, c)), (&output, step.to)];
        for ((grid, cell), fill) in places.into_iter().zip(&mut fills) {
            fill[hue].rect(grid.at(cell));
            labels.extend(grid.holds(1).then(|| (grid.centre(cell), r)));
        }
    }
    fills.iter().for_each(|fill| canvas.fills(fill));
    for ([x, y], r) in labels {
        canvas.text(x, y, SMALL, Anchor::Middle, r);
    }
    let (height, width) = (side.min(rows - corner.0), side.min(cols - corner.1));
    canvas.rect(input.area(corner, height, width), Ink::Strong, None);
    canvas.rect(
        output.area((corner.1, corner.0), width, height),
        Ink::Strong,
        None,
    );

    let (mut ways, mut heads) = (Path::default(), Path::default());
    for (left, width) in [(&input, cols), (&tile, side)] {
        let x = left.x + width as f64 * cell;
        let middle = y + cell * side as f64 / 2.0;
        ways.line([[x + 4.0, middle], [x + GAP - 6.0, middle]]);
        heads.head([x, middle], [x + GAP - 4.0, middle], 7.0);
    }
    canvas.path(&ways, Ink::Line);
    canvas.path(&heads, Ink::Solid);
    Ok(canvas.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tile_at_the_corner_is_cut_off() {
        let args = Args::default()
            .with("rows", 5)
            .with("cols", 7)
            .with("side", 3)
            .with("at", "3,6");
        let svg = draw(&args).unwrap();
        // Two cells in three places, all in the rows 0 and 1 of the tile.
        let count = |n: &str| svg.matches(&format!(">{n}</text>")).count();
        assert_eq!((count("0"), count("1"), count("2")), (3, 3, 0));
    }

    #[test]
    fn a_place_that_starts_no_tile_is_refused() {
        for at in ["1,0", "0,10", "8,0"] {
            assert!(draw(&Args::default().with("at", at)).is_err(), "{at}");
        }
    }
}
