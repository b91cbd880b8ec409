//! Tables, computed.

use super::values::layout;
use super::{block, find, shape, FigureError, Figures};
use crate::args::{ArgError, Args};
use crate::cache::{self, Traversal};
use crate::kernels::{self, Shape};
use crate::layout::{Layout, Order as Storage};
use crate::mapping::Mapping;
use crate::outcome::Traffic;
use crate::run::{RunError, ORDERS};
use crate::table::{grouped, ratio, Table};
use crate::{diagonal, spiral, transpose};
use warpwise_machine::Order;

/// Every name that [`table`] knows, for its error and for the contributors' guide.
pub const NAMES: [&str; 14] = [
    "storage",
    "steps",
    "mapping",
    "ladder",
    "bounds",
    "orders",
    "spiral",
    "zigzag",
    "paths",
    "tile",
    "tile-grids",
    "kernels",
    "beyond",
    "counters",
];

/// Cells of the largest matrix that a table spells out: more do not fit a page.
const SPELT_OUT: u64 = 20;

pub(super) fn table(figures: &Figures, name: &str, args: &Args) -> Result<Table, FigureError> {
    match name {
        "storage" => storage(args),
        "steps" => steps(args),
        "mapping" => mappings(args),
        "ladder" => ladder(figures, args),
        "bounds" => bounds(figures, args),
        "orders" => orders(figures, args),
        "spiral" => spelt_out(args, "spiral rank of each cell", |s, r, c| {
            spiral::rank(r, c, s.rows, s.cols)
        }),
        "zigzag" => spelt_out(args, "zigzag rank of each cell", |s, r, c| {
            diagonal::rank(r, c, s.rows, s.cols)
        }),
        "paths" => paths(args),
        "tile" => tile(args),
        "tile-grids" => tile_grids(args),
        "kernels" => registry(args),
        "beyond" => {
            args.only(&["lesson"])?;
            figures.beyond(args.str("lesson")?)
        }
        "counters" => counters(figures, args),
        _ => Err(FigureError::Unknown {
            what: "table",
            name: name.to_owned(),
            known: NAMES.join(", "),
        }),
    }
}

/// Reads `kernels=copy,transpose_naive`: which kernels of the lesson to show, all where it is absent.
fn chosen(args: &Args) -> Result<Option<Vec<&str>>, FigureError> {
    let Some(list) = args.get("kernels") else {
        return Ok(None);
    };
    let names = list.split(',').map(|name| Ok(find(name)?.name));
    names.collect::<Result<_, FigureError>>().map(Some)
}

/// Counters of the card, such as `columns=l2_read_sectors,l1_load_sector_hits/global_load_sectors` names them.
fn counters(figures: &Figures, args: &Args) -> Result<Table, FigureError> {
    args.only(&["lesson", "rows", "cols", "columns", "kernels"])?;
    let columns: Vec<&str> = args.str("columns")?.split(',').collect();
    let chosen = chosen(args)?;
    figures.counters(args.str("lesson")?, shape(args)?, &columns, chosen.as_deref())
}

/// Both traversals of both layouts through the line cache.
fn storage(args: &Args) -> Result<Table, FigureError> {
    args.only(&["rows", "cols", "lines"])?;
    let (shape, lines) = (shape(args)?, args.u64("lines")?);
    let caption =
        format!("{shape} matrix of f32 through a cache of {lines} lines of 64 bytes (a model on the CPU)");
    let mut table = Table::new(
        caption,
        &["layout", "traversal", "bytes a step", "hits", "misses"],
    );
    for order in [Storage::RowMajor, Storage::ColumnMajor] {
        for traversal in [Traversal::RowsOuter, Traversal::ColumnsOuter] {
            let layout = Layout::new(shape.rows, shape.cols, order);
            let counts = cache::walk(&layout, traversal, lines as usize);
            let numbers = [traversal.stride_bytes(&layout), counts.hits, counts.misses].map(grouped);
            table.row(
                [order.to_string(), traversal.to_string()]
                    .into_iter()
                    .chain(numbers),
            );
        }
    }
    Ok(table)
}

/// Steps in memory to the neighbours of a cell, in both layouts.
fn steps(args: &Args) -> Result<Table, FigureError> {
    args.only(&["rows", "cols"])?;
    let shape = shape(args)?;
    let mut table = Table::new(
        format!("elements from one cell to the next, {shape}"),
        &["layout", "next column", "next row"],
    );
    for word in ["row-major", "column-major"] {
        let (down, right) = layout(&args.clone().with("layout", word))?.strides();
        table.row([word.to_owned(), grouped(right), grouped(down)]);
    }
    Ok(table)
}

/// Reads `shapes=32x32,37x61`.
fn shapes(args: &Args) -> Result<Vec<Shape>, ArgError> {
    let all: Result<Vec<Shape>, String> = args.str("shapes")?.split(',').map(str::parse).collect();
    all.map_err(|_| args.wrong("shapes", "shapes like 32x32,37x61"))
}

/// How grids cover matrices.
fn mappings(args: &Args) -> Result<Table, FigureError> {
    args.only(&["shapes", "block"])?;
    let block = args.pair_or("block", [16, 16])?;
    let caption = format!(
        "grids of {}x{} blocks over matrices (arithmetic)",
        block[0], block[1]
    );
    let header = [
        "matrix",
        "grid",
        "launched",
        "wasted",
        "past the right edge",
        "past the bottom",
    ];
    let mut table = Table::new(caption, &header);
    for shape in shapes(args)? {
        let mapping = Mapping::cover(shape.rows, shape.cols, block).map_err(RunError::from)?;
        let [gx, gy] = mapping.grid;
        let [x, y] = mapping.past_edge();
        let numbers = [mapping.launched(), mapping.wasted(), x, y].map(grouped);
        table.row(
            [shape.to_string(), format!("{gx}x{gy}")]
                .into_iter()
                .chain(numbers),
        );
    }
    Ok(table)
}

/// What every kernel of a lesson touches, a request.
fn ladder(figures: &Figures, args: &Args) -> Result<Table, FigureError> {
    args.only(&["lesson", "rows", "cols", "kernels"])?;
    let (lesson, shape) = (args.str("lesson")?, shape(args)?);
    let chosen = chosen(args)?;
    let wanted: Vec<_> = kernels::of_lesson(lesson)
        .filter(|k| chosen.as_ref().is_none_or(|c| c.contains(&k.name)))
        .collect();
    if wanted.is_empty() {
        return Err(args.wrong("lesson", "a lesson with kernels").into());
    }
    let traffic = wanted
        .iter()
        .map(|k| {
            let trace = figures.trace(k, shape, None, Order::Forward, true)?;
            Ok(trace.run.machine.as_ref().map(|m| m.traffic).unwrap_or_default())
        })
        .collect::<Result<Vec<Traffic>, FigureError>>()?;
    let shared = traffic.iter().any(|t| t.shared_load.requests > 0);
    let mut header = vec!["kernel", "sectors a load", "sectors a store"];
    if shared {
        header.extend(["wavefronts a shared load", "wavefronts a shared store"]);
    }
    let mut table = Table::new(
        format!("{lesson} on {shape}: what a warp-wide access costs, counted by the PTX machine"),
        &header,
    );
    for (kernel, t) in wanted.iter().zip(&traffic) {
        let mut row = vec![
            format!("`{}`", kernel.name),
            ratio(t.global_load.sectors, t.global_load.requests),
            ratio(t.global_store.sectors, t.global_store.requests),
        ];
        if shared {
            row.push(ratio(t.shared_load.wavefronts, t.shared_load.requests));
            row.push(ratio(t.shared_store.wavefronts, t.shared_store.requests));
        }
        table.row(row);
    }
    Ok(table)
}

/// What each kernel of the bounds lesson does in either block order.
fn bounds(figures: &Figures, args: &Args) -> Result<Table, FigureError> {
    args.only(&["rows", "cols", "block"])?;
    let (shape, block) = (shape(args)?, block(args)?);
    let of_block = block.map_or(String::new(), |[x, y]| format!(", blocks of {x}x{y}"));
    let caption = format!("damage on {shape}{of_block}, seen by the PTX machine");
    let header = [
        "kernel",
        "block order",
        "threads outside",
        "corrupted rows",
        "cells past the end",
    ];
    let mut table = Table::new(caption, &header);
    for kernel in kernels::of_lesson("bounds") {
        for (word, order) in [("forward", Order::Forward), ("reverse", Order::Reverse)] {
            let trace = figures.trace(kernel, shape, block, order, true)?;
            let damage = trace
                .run
                .damage
                .ok_or_else(|| FigureError::Shape("no damage was looked for".to_owned()))?;
            let numbers = [
                damage.outside_threads,
                damage.corrupted_rows,
                damage.guard_cells_overwritten,
            ]
            .map(grouped);
            table.row(
                [format!("`{}`", kernel.name), word.to_owned()]
                    .into_iter()
                    .chain(numbers),
            );
        }
    }
    Ok(table)
}

/// Whether kernels give the right answer, and how many races they have, in several block orders.
fn orders(figures: &Figures, args: &Args) -> Result<Table, FigureError> {
    args.only(&["kernels", "rows", "cols", "block"])?;
    let (shape, block) = (shape(args)?, block(args)?);
    let caption =
        format!("right answers and races on {shape}, block order by block order, on the PTX machine");
    let mut table = Table::new(caption, &["kernel", "block order", "right", "races"]);
    for name in args.str("kernels")?.split(',') {
        let kernel = find(name)?;
        for order in ORDERS {
            let own = block.filter(|_| !kernel.block_fixed);
            let trace = figures.trace(kernel, shape, own, order, true)?;
            let races = trace.run.machine.as_ref().and_then(|m| m.races);
            let word = match order {
                Order::Forward => "forward".to_owned(),
                Order::Reverse => "reverse".to_owned(),
                Order::Shuffle(seed) => format!("shuffled, seed {seed}"),
            };
            let right = if trace.run.correct { "yes" } else { "no" }.to_owned();
            table.row([
                format!("`{name}`"),
                word,
                right,
                races.map_or("not looked for".to_owned(), grouped),
            ]);
        }
    }
    Ok(table)
}

/// A matrix with one number a cell.
fn spelt_out(
    args: &Args,
    what: &str,
    number: impl Fn(Shape, u64, u64) -> Option<u64>,
) -> Result<Table, FigureError> {
    args.only(&["rows", "cols"])?;
    let shape = shape(args)?;
    args.u64_within("rows", 1, 1, SPELT_OUT)?;
    args.u64_within("cols", 1, 1, SPELT_OUT)?;
    let header: Vec<String> = std::iter::once(String::new())
        .chain((0..shape.cols).map(|c| format!("c = {c}")))
        .collect();
    let mut table = Table {
        caption: format!("{what}, {shape}"),
        header,
        rows: Vec::new(),
    };
    for r in 0..shape.rows {
        let cells = (0..shape.cols).map(|c| number(shape, r, c).map_or(String::new(), |n| n.to_string()));
        // Narrow pages must not break it into three lines.
        table.row(std::iter::once(format!("r\u{a0}=\u{a0}{r}")).chain(cells));
    }
    Ok(table)
}

fn paths(args: &Args) -> Result<Table, FigureError> {
    let shape = shape(args)?;
    args.u64_within("rows", 1, 1, SPELT_OUT)?;
    args.u64_within("cols", 1, 1, SPELT_OUT)?;
    let all =
        diagonal::lattice_paths(shape.rows, shape.cols).map_err(|e| FigureError::Shape(e.to_string()))?;
    spelt_out(args, "lattice paths to each cell", |s, r, c| {
        all.get((r * s.cols + c) as usize).map(|&n| n.into())
    })
}

/// Where the cells of one tile go.
fn tile(args: &Args) -> Result<Table, FigureError> {
    args.only(&["rows", "cols", "side", "at"])?;
    let (shape, side) = (shape(args)?, args.u64("side")?);
    let [r, c] = args.pair_or("at", [0, 0])?;
    let caption = format!("the {side}x{side} tile at ({r}, {c}) of a {shape} matrix");
    let mut table = Table::new(caption, &["from (r, c)", "to (r, c)"]);
    for step in transpose::tile_moves(shape.rows, shape.cols, side, (r, c)).take(64) {
        let cell = |(r, c): (u64, u64)| format!("({r}, {c})");
        table.row([cell(step.from), cell(step.to)]);
    }
    Ok(table)
}

fn tile_grids(args: &Args) -> Result<Table, FigureError> {
    args.only(&["shapes", "side"])?;
    let side = args.u64("side")?;
    let mut table = Table::new(format!("grids of tiles {side} wide"), &["matrix", "grid (x, y)"]);
    for shape in shapes(args)? {
        let [x, y] = transpose::tile_grid(shape.rows, shape.cols, side);
        table.row([shape.to_string(), format!("{x}, {y}")]);
    }
    Ok(table)
}

/// The kernels of a lesson, in ladder order.
fn registry(args: &Args) -> Result<Table, FigureError> {
    args.only(&["lesson"])?;
    let lesson = args.str("lesson")?;
    let mut table = Table::new(
        format!("kernels of {lesson}, in the order of the lesson"),
        &["kernel", "what it shows"],
    );
    for kernel in kernels::of_lesson(lesson) {
        let wrong = if kernel.wrong_on_purpose {
            "wrong on purpose: "
        } else {
            ""
        };
        table.row([format!("`{}`", kernel.name), format!("{wrong}{}", kernel.about)]);
    }
    if table.rows.is_empty() {
        return Err(args.wrong("lesson", "a lesson with kernels").into());
    }
    Ok(table)
}
