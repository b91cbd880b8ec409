//! The bounds check on one axis: where each stray thread stores, and what a run leaves behind.

use super::grid::Grid;
use super::path::Path;
use super::svg::{Anchor, Canvas, Ink, MARGIN, SMALL, TEXT};
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
    // Rows stand apart, so that arrows find a way between them; the guard region goes on where the matrix ends.
    let side = Grid::fit(y, threads_x.max(cols), 28.0, 0.0).cell[0];
    let lanes = threads_x.saturating_sub(cols).clamp(1, 4);
    let gap = 4.0 * (lanes + 1) as f64;
    let grid = Grid {
        x: MARGIN,
        y: y + 3.0,
        cell: [side, side + gap],
    };
    let square = |cell| {
        let [x, y, w, _] = grid.at(cell);
        [x, y, w, side]
    };
    let number = |canvas: &mut Canvas, cell, stored: u32| {
        let [x, y, w, h] = square(cell);
        let text = stored.to_string();
        if stored != POISON && w >= text.len() as f64 * SMALL * 0.58 + 2.0 {
            canvas.text(x + w / 2.0, y + h / 2.0, SMALL, Anchor::Middle, text);
        }
    };
    for (i, &stored) in (0u64..).zip(replay.matrix.iter().chain(&replay.guard)) {
        let cell = (i / cols, i % cols);
        let wrong = if i < rows * cols {
            stored != value(kernel, cell.0, cell.1, cols)
        } else {
            stored != POISON
        };
        let ink = match (wrong, i < rows * cols) {
            (true, _) => Ink::Alarm,
            (false, true) => Ink::Hue(0),
            (false, false) => Ink::Faint,
        };
        canvas.rect(square(cell), ink, None);
        number(&mut canvas, cell, stored);
    }
    for r in 0..rows {
        let [x, y, ..] = square((r, 0));
        let row = Grid {
            x,
            y,
            cell: [side, side],
        };
        canvas.path(&row.lines(1, cols), Ink::Hair);
        canvas.rect(row.area((0, 0), 1, cols), Ink::Line, None);
    }

    let (mut outside, mut ways, mut heads) = (Path::default(), Path::default(), Path::default());
    for stray in strays(kernel, &mapping).filter(|stray| stray.thread.0 < rows) {
        outside.rect(square(stray.thread));
        number(&mut canvas, stray.thread, stray.value);
        let [from_x, from_y, ..] = square(stray.thread);
        let [to_x, to_y, ..] = square((stray.index / cols, stray.index % cols));
        let lane = to_y - gap + 4.0 * (1 + (stray.thread.1 - cols) % lanes) as f64;
        let (from_x, to_x) = (from_x + side / 2.0, to_x + side / 2.0);
        ways.line([
            [from_x, from_y + side],
            [from_x, lane],
            [to_x, lane],
            [to_x, to_y],
        ]);
        heads.head([to_x, lane], [to_x, to_y + 3.0], 6.0);
    }
    canvas.path(&outside, Ink::Dashed);
    canvas.path(&ways, Ink::Faint);
    canvas.path(&heads, Ink::Solid);

    let [_, last, ..] = square(((rows * cols + replay.guard.len() as u64 - 1) / cols, 0));
    let y = last + side + TEXT;
    canvas.text(
        MARGIN,
        y,
        SMALL,
        Anchor::Start,
        format!("framed: the {rows}x{cols} matrix; below it the guard region"),
    );
    canvas.text(
        MARGIN,
        y + TEXT * 1.2,
        SMALL,
        Anchor::Start,
        "dashed: threads outside it; red frames: not what belongs there",
    );
    Ok(canvas.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_cells_are_those_of_the_replay() {
        let drawn = |order: &str| draw(&Args::default().with("order", order)).unwrap();
        let svg = drawn("reverse");
        // Two guard cells either way; in reverse order the first two cells of three rows as well.
        assert_eq!(
            (
                drawn("forward").matches("alarm").count(),
                svg.matches("alarm").count()
            ),
            (2, 8)
        );
        let arrows = svg
            .lines()
            .find(|line| line.contains("faint") && line.contains('L'))
            .unwrap();
        assert_eq!(arrows.matches('M').count(), 8, "an arrow for each stray store");
        assert_eq!(svg.matches("<rect").count(), 40 + 4 + 10);
    }
}
