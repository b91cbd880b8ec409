//! Memory, spiral and diagonal order: the place of every cell, and the way from each to the next.

use super::grid::Grid;
use super::path::Path;
use super::svg::{Anchor, Canvas, Ink, MARGIN, SMALL};
use crate::args::{ArgError, Args};
use crate::layout::{Layout, Order};
use crate::{diagonal, spiral};

pub const KEYS: &[&str] = &["rows", "cols"];
pub const LAYOUT_KEYS: &[&str] = &["rows", "cols", "layout"];

/// Draws the order of the cells in memory: coloured by row or column, whichever is contiguous.
pub fn layout(args: &Args) -> Result<String, ArgError> {
    let (rows, cols) = shape(args, 4, 6)?;
    let orders = [
        ("row-major", Order::RowMajor),
        ("column-major", Order::ColumnMajor),
    ];
    let layout = Layout::new(rows, cols, args.choice("layout", &orders, Order::RowMajor)?);
    let (down, right) = layout.strides();
    let desc = format!(
        "Each cell shows its index in memory. A step down is {down}, a step right is {right}. One colour is contiguous."
    );
    let cells = (0..layout.len()).filter_map(|i| layout.cell(i)).map(|(r, c)| {
        let contiguous = if layout.order == Order::RowMajor { r } else { c };
        ((r, c), contiguous)
    });
    let what = if layout.order == Order::RowMajor {
        "Row-major"
    } else {
        "Column-major"
    };
    Ok(draw(what, &desc, (rows, cols), cells))
}

/// Draws the spiral: cells coloured by ring.
pub fn spiral(args: &Args) -> Result<String, ArgError> {
    let (rows, cols) = shape(args, 6, 9)?;
    let rings = rows.min(cols).div_ceil(2);
    let desc =
        format!("Each cell shows its place in the order. Cells are coloured by ring; there are {rings}.");
    let cells = spiral::walk(rows, cols).map(|(r, c)| ((r, c), spiral::ring(r, c, rows, cols).unwrap_or(0)));
    Ok(draw("Spiral", &desc, (rows, cols), cells))
}

/// Draws the zigzag: cells coloured by diagonal.
pub fn zigzag(args: &Args) -> Result<String, ArgError> {
    let (rows, cols) = shape(args, 6, 9)?;
    let count = diagonal::diagonals(rows, cols);
    let desc =
        format!("Each cell shows its place in the order. Cells are coloured by diagonal; there are {count}.");
    Ok(draw(
        "Diagonal",
        &desc,
        (rows, cols),
        diagonal::zigzag(rows, cols).map(|(r, c)| ((r, c), r + c)),
    ))
}

fn shape(args: &Args, rows: u64, cols: u64) -> Result<(u64, u64), ArgError> {
    Ok((
        args.u64_within("rows", rows, 0, 40)?,
        args.u64_within("cols", cols, 0, 40)?,
    ))
}

/// Draws cells in the order given, each with a hue.
fn draw(
    what: &str,
    desc: &str,
    (rows, cols): (u64, u64),
    cells: impl Iterator<Item = ((u64, u64), u64)>,
) -> String {
    let mut canvas = Canvas::new(format!("{what} order of a {rows}x{cols} matrix"), desc);
    let grid = Grid::fit(MARGIN, cols, 36.0, 0.0);
    let digits = (rows * cols).saturating_sub(1).to_string().len();
    let numbered = grid.holds(digits);
    // In roomy cells the number stands in the upper left corner, and the way goes through the lower right part.
    let roomy = numbered && grid.cell[0] >= 3.0 * SMALL;
    let part = |cell, across, down| {
        let [x, y, w, h] = grid.at(cell);
        [x + w * across, y + h * down]
    };

    let mut points = Vec::new();
    for (place, (cell, hue)) in (0u64..).zip(cells) {
        canvas.rect(grid.at(cell), Ink::Hue(hue), Some(place));
        points.push((
            cell,
            if roomy {
                part(cell, 0.68, 0.68)
            } else {
                part(cell, 0.5, 0.5)
            },
        ));
        if numbered {
            let [x, y] = if roomy {
                part(cell, 0.3, 0.24)
            } else {
                part(cell, 0.5, 0.5)
            };
            canvas.text(x, y, SMALL, Anchor::Middle, place);
        }
    }
    canvas.path(&grid.lines(rows, cols), Ink::Hair);
    if numbered && !roomy {
        return canvas.finish();
    }
    let (mut path, mut heads) = (Path::default(), Path::default());
    if let Some(&(_, first)) = points.first() {
        heads.dot(first, 2.5);
    }
    // An arrow for each run of neighbours: a jump back to the start of a row is not a way through cells.
    for run in points.chunk_by(|(a, _), (b, _)| a.0.abs_diff(b.0).max(a.1.abs_diff(b.1)) <= 1) {
        path.line(run.iter().map(|(_, point)| *point));
        if let [.., (_, from), (_, last)] = run {
            heads.head(*from, *last, 7.0);
        }
    }
    canvas.path(&path, Ink::Faint);
    canvas.path(&heads, Ink::Solid);
    canvas.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_in_order_and_complete() {
        for draw in [spiral, zigzag, layout] {
            let svg = draw(&Args::parse(["rows=5", "cols=7"]).unwrap()).unwrap();
            for place in 0..35 {
                assert_eq!(svg.matches(&format!("data-step=\"{place}\"")).count(), 1);
                assert!(svg.contains(&format!(">{place}</text>")));
            }
            assert_eq!(svg.matches("<rect").count(), 35);
        }
    }

    #[test]
    fn a_cell_stands_where_its_rank_says() {
        let svg = spiral(&Args::parse(["rows=2", "cols=3"]).unwrap()).unwrap();
        // 0 1 2 / 5 4 3: the last place is at the left edge of the second row.
        let last = svg.lines().find(|line| line.contains("data-step=\"5\"")).unwrap();
        assert!(last.contains(r#"x="2" y="38""#), "{last}");
    }
}
