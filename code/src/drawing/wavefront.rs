//! One step of the wavefront: the diagonal at work, what it reads, what is done and what is not.

use super::grid::Grid;
use super::path::Path;
use super::svg::{Anchor, Canvas, Ink, MARGIN, SMALL};
use crate::args::{ArgError, Args};
use crate::diagonal::{diagonals, lattice_paths, rows_of};

pub const KEYS: &[&str] = &["rows", "cols", "step"];

/// Draws the lattice paths after launch `step`: finished diagonals filled, the current one strong, arrows from what it reads.
pub fn draw(args: &Args) -> Result<String, ArgError> {
    let rows = args.u64_within("rows", 6, 1, 16)?;
    let cols = args.u64_within("cols", 9, 1, 16)?;
    let launches = diagonals(rows, cols);
    let step = args.u64_within("step", launches / 2, 0, launches.saturating_sub(1))?;
    let paths = lattice_paths(rows, cols).map_err(|error| args.wrong("rows", &error.to_string()))?;

    let width = rows_of(step, rows, cols).count();
    let mut canvas = Canvas::new(
        format!("Launch {} of {launches} of the wavefront over a {rows}x{cols} matrix", step + 1),
        format!("Diagonal {step} has {width} cells. Each reads its upper and left neighbours, on the diagonal before."),
    );
    let heading = format!(
        "diagonal {step}: launch {} of {launches}, {width} cells at once",
        step + 1
    );
    let y = MARGIN + canvas.sentence(MARGIN, &heading);
    let grid = Grid::fit(y + 3.0, cols, 36.0, 0.0);
    let mut waiting = Path::default();
    for r in 0..rows {
        for c in 0..cols {
            let ink = match (r + c).cmp(&step) {
                std::cmp::Ordering::Less => Ink::Hue(0),
                std::cmp::Ordering::Equal => Ink::StrongHue(1),
                std::cmp::Ordering::Greater => Ink::Faint,
            };
            canvas.rect(grid.at((r, c)), ink, Some(r + c));
            let value = paths[(r * cols + c) as usize].to_string();
            if r + c <= step && grid.holds(value.len()) {
                let [x, y] = grid.centre((r, c));
                canvas.text(x, y, SMALL, Anchor::Middle, value);
            } else if r + c > step {
                waiting.dot(grid.centre((r, c)), 1.0);
            }
        }
    }
    canvas.path(&grid.lines(rows, cols), Ink::Hair);
    canvas.path(&waiting, Ink::Solid);
    let (lines, heads) = reads(&grid, step, rows, cols);
    canvas.path(&lines, Ink::Line);
    canvas.path(&heads, Ink::Solid);
    Ok(canvas.finish())
}

/// Returns the arrows into the diagonal, shafts and heads: short ones, across the edge between two cells.
fn reads(grid: &Grid, step: u64, rows: u64, cols: u64) -> (Path, Path) {
    let (mut lines, mut heads) = (Path::default(), Path::default());
    for r in rows_of(step, rows, cols) {
        let c = step - r;
        if r == 0 || c == 0 {
            continue;
        }
        let [x, y, w, h] = grid.at((r, c));
        for (from, tip) in [
            ([x + w / 2.0, y - h * 0.16], [x + w / 2.0, y + h * 0.2]),
            ([x - w * 0.16, y + h / 2.0], [x + w * 0.2, y + h / 2.0]),
        ] {
            lines.line([from, tip]);
            heads.head(from, tip, 5.0);
        }
    }
    (lines, heads)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_diagonal_is_at_work() {
        let svg = draw(&Args::parse(["rows=4", "cols=5", "step=4"]).unwrap()).unwrap();
        assert_eq!(svg.matches("<rect").count(), 20);
        assert_eq!(svg.matches(r#"data-step="4""#).count(), 4);
        assert_eq!(
            svg.lines()
                .filter(|l| l.contains("hue-1 strong") && l.contains(r#"data-step="4""#))
                .count(),
            4
        );
        // C(4, 2) on the diagonal; nothing of the next one is written yet.
        assert!(svg.contains(">6</text>") && !svg.contains(">10</text>"));
    }

    #[test]
    fn a_step_past_the_end_is_refused() {
        let error = draw(&Args::parse(["rows=4", "cols=5", "step=8"]).unwrap()).unwrap_err();
        assert!(error.to_string().contains("`step=8`") && error.to_string().contains("0 to 7"));
    }
}
