//! A tile in shared memory: which bank each of its words falls into, and what one column costs.

use super::grid::Grid;
use super::path::Path;
use super::svg::{Anchor, Canvas, Ink, MARGIN, SMALL, TEXT};
use crate::args::{ArgError, Args};
use crate::banks::{bank, banks_touched, column_banks, column_wavefronts, BANKS};

pub const KEYS: &[&str] = &["stride", "column"];

/// Draws 32 rows of a tile and one of its columns, then the 32 banks with the words that the column wants from each.
pub fn draw(args: &Args) -> Result<String, ArgError> {
    let stride = args.u64_within("stride", 32, 1, 40)?;
    let column = args.u64_within("column", 0, 0, stride - 1)?;
    let (touched, passes) = (banks_touched(stride), column_wavefronts(stride));
    let plural = |n: u64, one: &str, many: &str| format!("{n} {}", if n == 1 { one } else { many });
    let cost = format!(
        "{}, {}",
        plural(touched, "bank", "banks"),
        plural(passes.into(), "wavefront", "wavefronts")
    );
    let mut canvas = Canvas::new(
        format!("The banks of a 32-row tile whose rows are {stride} words long"),
        format!(
            "Squares are words of shared memory, coloured by bank. A warp reads column {column}: {cost}."
        ),
    );
    let mut y = MARGIN
        + canvas.sentence(
            MARGIN,
            &format!("rows of {stride} words; column {column} touches {cost}"),
        );
    y += 3.0;

    // The tile, with the bank of each word of the column beside it.
    let label = 44.0;
    let room = super::svg::MAX_WIDTH - label - 2.0 * MARGIN;
    let side = (room / stride as f64).min(9.0);
    let grid = Grid {
        x: label,
        y,
        cell: [side, 9.0],
    };
    canvas.fills(&grid.fill(32, stride, |r, c| bank(r * stride + c) / 4));
    canvas.path(&grid.lines(32, stride), Ink::Hair);
    let mut spare = Path::default();
    for (r, c) in (0..32).flat_map(|r| (BANKS..stride).map(move |c| (r, c))) {
        let [x, y, w, h] = grid.at((r, c));
        spare.line([[x, y + h], [x + w, y]]);
    }
    canvas.path(&spare, Ink::Line);
    canvas.rect(grid.area((0, column), 32, 1), Ink::Strong, None);
    let banks = column_banks(column, stride);
    for (r, bank) in (0u64..).zip(banks).step_by(4) {
        let [_, y, _, h] = grid.at((r, 0));
        canvas.text(
            label - 4.0,
            y + h / 2.0,
            SMALL,
            Anchor::End,
            format!("bank {bank}"),
        );
    }
    let [_, top, _, height] = grid.area((0, 0), 32, stride);
    let y = top + height + TEXT;

    // The banks below, each with the words that wait for it.
    let y = y + 3.0 + canvas.sentence(y, "words that the column wants from banks 0 to 31");
    let mut wanted = [0u64; 32];
    banks.iter().for_each(|&bank| wanted[bank as usize] += 1);
    let most = wanted.iter().copied().max().unwrap_or(1);
    let bars = Grid {
        x: label,
        y,
        cell: [side, (48.0 / most as f64).min(8.0)],
    };
    let mut columns: [Path; 8] = Default::default();
    let mut floor = Path::default();
    for (bank, &words) in (0u64..).zip(&wanted) {
        if words > 0 {
            columns[(bank / 4) as usize].rect(bars.area((most - words, bank), words, 1));
        }
        let [x, y, w, _] = bars.area((most, bank), 1, 1);
        floor.rect([x, y, w, 6.0]);
    }
    for (hue, bar) in (0..).zip(&columns) {
        canvas.path(bar, Ink::StrongHue(hue));
    }
    canvas.path(&floor, Ink::Faint);
    canvas.text(label - 4.0, y + 4.0, SMALL, Anchor::End, most);
    Ok(canvas.finish())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drawing::svg::covered;

    #[test]
    fn every_word_and_every_bank_is_drawn() {
        for stride in [32u64, 33] {
            let svg = draw(&Args::default().with("stride", stride)).unwrap();
            assert_eq!(covered(&svg, "fill-opacity=\"0.24\"", [9.0, 9.0]), 32 * stride);
            let count = |class: &str| {
                svg.lines()
                    .filter(|l| l.contains(class))
                    .map(|l| l.matches('M').count())
                    .sum::<usize>()
            };
            assert_eq!(count("strong\" fill=\"#"), if stride == 32 { 1 } else { 32 });
            assert_eq!(count("faint"), 32);
        }
    }
}
