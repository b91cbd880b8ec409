//! Single figures, computed.

use super::{block, find, order, shape, FigureError, Figures};
use crate::args::Args;
use crate::cache::{self, Traversal};
use crate::instructions::score;
use crate::layout::{Layout, Order as Storage};
use crate::lessons::LESSONS;
use crate::mapping::{Axes, Mapping};
use crate::outcome::Traffic;
use crate::predict::{Prediction, Size};
use crate::run::RunError;
use crate::table::{grouped, ratio};
use crate::{banks, coalescing, diagonal, kernels, spiral};

/// Every name that [`value`] knows, for its error and for the contributors' guide.
pub const NAMES: [&str; 25] = [
    "cache.hits",
    "cache.misses",
    "cache.stride",
    "sum",
    "mapping.grid",
    "mapping.launched",
    "mapping.wasted",
    "mapping.past_edge",
    "addresses",
    "sectors",
    "banks",
    "wavefronts",
    "kernel.sectors",
    "kernel.requests",
    "kernel.wavefronts",
    "kernel.per_request",
    "kernel.races",
    "kernel.stray",
    "bounds",
    "spiral.rank",
    "diagonals",
    "paths",
    "count",
    "predictions",
    "instructions",
];

pub(super) fn value(figures: &Figures, name: &str, args: &Args) -> Result<String, FigureError> {
    let text = match name {
        "cache.hits" | "cache.misses" => {
            args.only(&["rows", "cols", "layout", "traversal", "lines"])?;
            let counts = cache::walk(&layout(args)?, traversal(args)?, args.u64("lines")? as usize);
            grouped(if name == "cache.hits" {
                counts.hits
            } else {
                counts.misses
            })
        }
        "cache.stride" => {
            args.only(&["rows", "cols", "layout", "traversal"])?;
            format!("{} bytes", grouped(traversal(args)?.stride_bytes(&layout(args)?)))
        }
        "sum" => {
            args.only(&["rows", "cols"])?;
            let shape = shape(args)?;
            let values: Vec<u32> = (0..(shape.rows * shape.cols) as u32).collect();
            let layout = Layout::row_major(shape.rows, shape.cols);
            let sum = cache::sum(&values, &layout, Traversal::RowsOuter);
            sum.map_err(|e| FigureError::Shape(e.to_string()))?.to_string()
        }
        "mapping.grid" | "mapping.launched" | "mapping.wasted" | "mapping.past_edge" => {
            args.only(&["rows", "cols", "block"])?;
            let mapping = mapping(args)?;
            let pair = |[x, y]: [u64; 2]| format!("{x} x {y}");
            match name {
                "mapping.grid" => pair(mapping.grid),
                "mapping.launched" => grouped(mapping.launched()),
                "mapping.wasted" => grouped(mapping.wasted()),
                _ => pair(mapping.past_edge()),
            }
        }
        "addresses" => {
            args.only(&["rows", "cols", "block", "at", "thread_y", "axes", "first"])?;
            let axes = args.choice(
                "axes",
                &[("columns", Axes::XOnColumns), ("rows", Axes::XOnRows)],
                Axes::XOnColumns,
            )?;
            let all =
                mapping(args)?.addresses(args.pair_or("at", [0, 0])?, args.u64_or("thread_y", 0)?, axes);
            let first = all.iter().take(args.u64_or("first", 4)? as usize);
            first.map(u64::to_string).collect::<Vec<_>>().join(", ")
        }
        "sectors" => {
            args.only(&["stride", "bytes"])?;
            coalescing::sectors_at_stride(args.u64("stride")?, args.u64_within("bytes", 4, 1, 16)? as u32)
                .to_string()
        }
        "banks" => {
            args.only(&["stride"])?;
            banks::banks_touched(args.u64("stride")?).to_string()
        }
        "wavefronts" => {
            args.only(&["stride"])?;
            banks::column_wavefronts(args.u64("stride")?).to_string()
        }
        _ if name.starts_with("kernel.") => kernel(figures, name, args)?,
        "bounds" => bounds(figures, args)?,
        "spiral.rank" => {
            args.only(&["r", "c", "rows", "cols"])?;
            let shape = shape(args)?;
            let rank = spiral::rank(args.u64("r")?, args.u64("c")?, shape.rows, shape.cols);
            rank.ok_or_else(|| FigureError::Shape("that cell is not in the matrix".to_owned()))?
                .to_string()
        }
        "diagonals" => {
            args.only(&["rows", "cols"])?;
            let shape = shape(args)?;
            grouped(diagonal::diagonals(shape.rows, shape.cols))
        }
        "paths" => {
            args.only(&["rows", "cols"])?;
            let shape = shape(args)?;
            let paths = diagonal::lattice_paths(shape.rows, shape.cols);
            let last = paths
                .map_err(|e| FigureError::Shape(e.to_string()))?
                .last()
                .copied();
            last.map_or(String::new(), |n| grouped(n.into()))
        }
        "count" => count(args)?,
        "predictions" => predictions(figures, args)?,
        "instructions" => instructions(figures, args)?,
        _ => {
            return Err(FigureError::Unknown {
                what: "value",
                name: name.to_owned(),
                known: NAMES.join(", "),
            })
        }
    };
    Ok(text)
}

/// Figures of a kernel's run on the machine.
fn kernel(figures: &Figures, name: &str, args: &Args) -> Result<String, FigureError> {
    args.only(&["kernel", "rows", "cols", "block", "order", "access", "guard"])?;
    let spec = find(args.str("kernel")?)?;
    let guard = args.choice("guard", &[("yes", true), ("no", false)], true)?;
    let trace = figures.trace(spec, shape(args)?, block(args)?, order(args)?, guard)?;
    let Some(on_machine) = &trace.run.machine else {
        return Err(FigureError::Shape("the run has no machine figures".to_owned()));
    };
    type Quantity = fn(&Traffic) -> (u64, u64);
    let accesses: [(&str, Quantity); 4] = [
        ("load", |t| (t.global_load.requests, t.global_load.sectors)),
        ("store", |t| (t.global_store.requests, t.global_store.sectors)),
        ("shared-load", |t| {
            (t.shared_load.requests, t.shared_load.wavefronts)
        }),
        ("shared-store", |t| {
            (t.shared_store.requests, t.shared_store.wavefronts)
        }),
    ];
    let touched = || -> Result<(u64, u64), FigureError> {
        args.str("access")?;
        Ok(args.choice("access", &accesses, accesses[0].1)?(
            &on_machine.traffic,
        ))
    };
    Ok(match name {
        "kernel.sectors" | "kernel.wavefronts" => grouped(touched()?.1),
        "kernel.requests" => grouped(touched()?.0),
        "kernel.per_request" => {
            let (requests, units) = touched()?;
            match units % requests.max(1) {
                0 if requests > 0 => (units / requests).to_string(),
                _ => ratio(units, requests),
            }
        }
        "kernel.races" => on_machine.races.map_or("not looked for".to_owned(), grouped),
        "kernel.stray" => grouped(on_machine.stray),
        _ => {
            return Err(FigureError::Unknown {
                what: "value",
                name: name.to_owned(),
                known: NAMES.join(", "),
            })
        }
    })
}

/// Damage that a kernel of the bounds lesson does on the machine.
fn bounds(figures: &Figures, args: &Args) -> Result<String, FigureError> {
    args.only(&["kernel", "rows", "cols", "block", "order", "field"])?;
    let spec = find(args.str("kernel")?)?;
    let trace = figures.trace(spec, shape(args)?, block(args)?, order(args)?, true)?;
    let fields = ["outside_threads", "corrupted_rows", "guard_cells_overwritten"];
    let damage = trace
        .run
        .damage
        .ok_or_else(|| FigureError::Shape(format!("{} is not a kernel of the bounds lesson", spec.name)))?;
    Ok(grouped(match args.str("field")? {
        "outside_threads" => damage.outside_threads,
        "corrupted_rows" => damage.corrupted_rows,
        "guard_cells_overwritten" => damage.guard_cells_overwritten,
        _ => {
            return Err(args
                .wrong("field", &format!("one of {}", fields.join(", ")))
                .into())
        }
    }))
}

/// How many of something the project has.
fn count(args: &Args) -> Result<String, FigureError> {
    args.only(&["of"])?;
    Ok(match args.str("of")? {
        "kernels" => kernels::KERNELS.len(),
        "wrong-on-purpose" => kernels::KERNELS.iter().filter(|k| k.wrong_on_purpose).count(),
        "examples" => crate::examples::EXAMPLES.len(),
        "lessons" => crate::lessons::LESSONS.len(),
        "wrong-kernels" => crate::wrong::KERNELS.len(),
        _ => {
            return Err(args
                .wrong(
                    "of",
                    "kernels, wrong-on-purpose, examples, lessons or wrong-kernels",
                )
                .into())
        }
    }
    .to_string())
}

/// How many predictions there are for matrices of up to a million cells, and how many of them hold.
fn predictions(figures: &Figures, args: &Args) -> Result<String, FigureError> {
    args.only(&["lesson", "of"])?;
    let only = args.get("lesson");
    let count: fn(&Prediction) -> bool = args.choice(
        "of",
        &[
            ("all", (|_| true) as fn(&Prediction) -> bool),
            ("holding", Prediction::holds),
        ],
        |_| true,
    )?;
    let mut number = 0;
    for lesson in LESSONS.iter().filter(|l| only.is_none_or(|name| name == l.name)) {
        let all = figures.predicted(lesson.name, Size::Promised)?;
        number += all.iter().filter(|p| count(p)).count() as u64;
    }
    Ok(grouped(number))
}

/// How many instructions a card has run, and on how many of them the machine agrees with it.
fn instructions(figures: &Figures, args: &Args) -> Result<String, FigureError> {
    args.only(&["of"])?;
    let score = score(&figures.archive)?;
    let of = args.choice(
        "of",
        &[("all", score.total), ("agreeing", score.agree)],
        score.total,
    )?;
    Ok(grouped(of as u64))
}

pub(super) fn layout(args: &Args) -> Result<Layout, FigureError> {
    let orders = [
        ("row-major", Storage::RowMajor),
        ("column-major", Storage::ColumnMajor),
    ];
    let shape = shape(args)?;
    Ok(Layout::new(
        shape.rows,
        shape.cols,
        args.choice("layout", &orders, Storage::RowMajor)?,
    ))
}

fn traversal(args: &Args) -> Result<Traversal, FigureError> {
    let walks = [
        ("rows-outer", Traversal::RowsOuter),
        ("columns-outer", Traversal::ColumnsOuter),
    ];
    Ok(args.choice("traversal", &walks, Traversal::RowsOuter)?)
}

pub(super) fn mapping(args: &Args) -> Result<Mapping, FigureError> {
    let shape = shape(args)?;
    let block = args.pair_or("block", [16, 16])?;
    Mapping::cover(shape.rows, shape.cols, block).map_err(|e| RunError::from(e).into())
}
