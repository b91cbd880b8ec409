//! The bounds check on one axis: where each stray thread stores, and what a run leaves behind.

use super::svg::{Anchor, Canvas, Grid, Ink, Path, MARGIN, SMALL, TEXT};
use crate::args::{ArgError, Args};
use crate::bounds::{replay, strays, value, Kernel, Order, POISON};
use crate::mapping::Mapping;

pub const KEYS: &[&str] = &["kernel", "rows", "cols", "block", "order"];

/// Draws the matrix after a replay, the threads that stand outside it, and an arrow from each to the cell it hits.
pub fn draw(args: &Args) -> Result<String, ArgError> {
    let kernels = Kernel::ALL.map(|kernel| (kernel.name(), kernel));
    let kernel = args.choice("kernel", &kernels, Kernel::FillRowsOnly)?;
    let rows = args.u64_within("rows", 4, 1, 16)?;
    let cols = args.u64_within("cols", 10, 1, 16)?;
    let block = args.pair_or("block", [4, 1])?;
    let orders = [("forward", Order::Forward), ("reverse", Order::Reverse)];
    let order = args.choice("order", &orders, Order::Reverse)?;
    let mapping =
        Mapping::cover(rows, cols, block).map_err(|error| args.wrong("block", &error.to_string()))?;
    let [threads_x, threads_y] = mapping.threads();
    if threads_x > 24 || threads_y > 24 {
        return Err(args.wrong("block", "a block that keeps the grid within 24 threads each way"));
    }
    let replay = replay(kernel, &mapping, order).map_err(|error| args.wrong("rows", &error.to_string()))?;
    let wrong = |r, c| replay.matrix[(r * cols + c) as usize] != value(kernel, r, c, cols);

    let order = if order == Order::Forward {
        "forward"
    } else {
        "reverse"
    };
    let (inside, past) = (replay.stray_inside, replay.stray_past_end);
    let mut canvas = Canvas::new(
        format!("{} over a {rows}x{cols} matrix, blocks in {order} order", kernel.name()),
        format!(
            "Dashed squares are threads outside the matrix. {inside} of their stores land inside it, {past} past its end. \
             {} of {} interior rows are wrong afterwards.", replay.corrupted_rows.len(), rows - 1
        ),
    );
    let heading = format!(
        "{}, blocks in {order} order: {inside} stray stores inside, {past} past the end",
        kernel.name()
    );
    let y = MARGIN + canvas.sentence(MARGIN, &heading);
    let grid = Grid::fit(y + 3.0, threads_x.max(cols), 28.0, 0.0);
    let number = |canvas: &mut Canvas, cell: (u64, u64), stored: u32| {
        let text = if stored == POISON {
            "?".to_owned()
        } else {
            stored.to_string()
        };
        if grid.holds(text.len()) {
            let [x, y] = grid.centre(cell);
            canvas.text(x, y, SMALL, Anchor::Middle, text);
        }
    };
    for r in 0..rows {
        for c in 0..cols {
            let ink = if wrong(r, c) { Ink::Alarm } else { Ink::Hue(0) };
            canvas.rect(grid.at((r, c)), ink, None);
            number(&mut canvas, (r, c), replay.matrix[(r * cols + c) as usize]);
        }
    }
    canvas.rect(grid.area((0, 0), rows, cols), Ink::Strong, None);

    // Threads outside; and the guard region, row by row like the matrix that it follows.
    let mut outside = Path::default();
    (0..rows).for_each(|r| (cols..threads_x).for_each(|c| outside.rect(grid.at((r, c)))));
    canvas.path(&outside, Ink::Faint);
    let below = Grid {
        y: grid.y + rows as f64 * grid.cell[1] + TEXT * 1.6,
        ..grid
    };
    canvas.text(
        MARGIN,
        below.y - TEXT * 0.8,
        SMALL,
        Anchor::Start,
        "guard region behind the matrix",
    );
    for (i, &stored) in (0u64..).zip(&replay.guard) {
        let cell = (i / cols, i % cols);
        let ink = if stored == POISON { Ink::Faint } else { Ink::Alarm };
        canvas.rect(below.at(cell), ink, None);
        if stored != POISON && below.holds(stored.to_string().len()) {
            let [x, y] = below.centre(cell);
            canvas.text(x, y, SMALL, Anchor::Middle, stored);
        }
    }

    let (mut lines, mut heads) = (Path::default(), Path::default());
    for stray in strays(kernel, &mapping).filter(|stray| stray.thread.0 < rows) {
        let from = grid.centre(stray.thread);
        let past = stray.index.saturating_sub(rows * cols);
        let hit = stray
            .hits
            .map_or(below.centre((past / cols, past % cols)), |cell| grid.centre(cell));
        let tip = [hit[0] + grid.cell[0] * 0.3, hit[1] - grid.cell[1] * 0.42];
        let control = [(from[0] + tip[0]) / 2.0, (from[1] + tip[1]) / 2.0 - 4.0];
        lines.curve(from, control, tip);
        heads.head(control, tip, 6.0);
    }
    canvas.path(&lines, Ink::Faint);
    canvas.path(&heads, Ink::Solid);
    Ok(canvas.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_cells_are_those_of_the_replay() {
        let count = |order: &str, part: &str| {
            draw(&Args::default().with("order", order))
                .unwrap()
                .matches(part)
                .count()
        };
        // Two guard cells either way; in reverse order the first two cells of three rows as well.
        assert_eq!((count("forward", "alarm"), count("reverse", "alarm")), (2, 8));
        assert_eq!(count("reverse", "Q"), 8, "an arrow for each stray store");
        assert_eq!(count("reverse", "<rect"), 40 + 1 + 10);
    }
}
