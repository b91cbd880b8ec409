//! The course's right kernels: right values and no findings, on awkward shapes and in every order.

use warpwise_machine::observe::{Barriers, Coverage, Races, Stray, Uninitialised};
use warpwise_machine::{run, Arg, Launch, Memory, Module, Options, Order};

/// Where a cell of the input, or its row and column, goes in the output.
type Place = fn(r: u64, c: u64, rows: u64, cols: u64) -> u64;

/// What stands in the output.
#[derive(Clone, Copy)]
enum Content {
    /// The input, moved to a place.
    Moved(Place),
    /// The input, moved from a place.
    MovedFrom(Place),
    /// Something made of row and column, at a place.
    Made(fn(r: u64, c: u64, cols: u64) -> u64, Place),
    /// Lattice paths, in one launch or in one for each diagonal.
    Paths { launches: bool },
}

/// Which side of the matrix runs along the grid's x.
#[derive(Clone, Copy)]
enum X {
    Columns,
    Rows,
    Tiles,
    TilesSwapped,
    Cells,
    OneBlock,
}

struct Right {
    ptx: &'static str,
    name: &'static str,
    x: X,
    block: [u32; 2],
    content: Content,
}

const BOUNDS: &str = include_str!("../../kernels/bounds.ptx");
const DIAGONAL: &str = include_str!("../../kernels/diagonal.ptx");
const GRID: &str = include_str!("../../kernels/grid.ptx");
const LAYOUT: &str = include_str!("../../kernels/layout.ptx");
const SPIRAL: &str = include_str!("../../kernels/spiral.ptx");
const TRANSPOSE: &str = include_str!("../../kernels/transpose.ptx");

const fn right(ptx: &'static str, name: &'static str, x: X, block: [u32; 2], content: Content) -> Right {
    Right {
        ptx,
        name,
        x,
        block,
        content,
    }
}

fn row_major(r: u64, c: u64, _: u64, cols: u64) -> u64 {
    r * cols + c
}

fn column_major(r: u64, c: u64, rows: u64, _: u64) -> u64 {
    c * rows + r
}

/// By walking the spiral and turning at its ends.
fn spiral(r: u64, c: u64, rows: u64, cols: u64) -> u64 {
    let (mut top, mut left, mut bottom, mut right, mut rank) = (0, 0, rows, cols, 0);
    loop {
        if r == top {
            return rank + (c - left);
        }
        rank += right - left;
        top += 1;
        if c == right - 1 {
            return rank + (r - top);
        }
        rank += bottom - top;
        right -= 1;
        if r == bottom - 1 {
            return rank + (right - 1 - c);
        }
        rank += right - left;
        bottom -= 1;
        if c == left {
            return rank + (bottom - 1 - r);
        }
        rank += bottom - top;
        left += 1;
    }
}

/// By counting the cells of each diagonal before.
fn zigzag(r: u64, c: u64, rows: u64, cols: u64) -> u64 {
    let of = |d: u64| (d.saturating_sub(cols - 1), d.min(rows - 1));
    let before: u64 = (0..r + c).map(|d| of(d).1 - of(d).0 + 1).sum();
    let (first, last) = of(r + c);
    before + if (r + c) % 2 == 1 { r - first } else { last - r }
}

fn flat(r: u64, c: u64, cols: u64) -> u64 {
    r * cols + c
}

fn thousand(r: u64, c: u64, _: u64) -> u64 {
    1000 * r + c
}

#[rustfmt::skip]
const KERNELS: &[Right] = &[
    right(BOUNDS, "fill_checked", X::Columns, [16, 16], Content::Made(thousand, row_major)),
    right(GRID, "grid_fill", X::Columns, [16, 16], Content::Made(flat, row_major)),
    right(GRID, "grid_fill_swapped", X::Rows, [16, 16], Content::Made(flat, row_major)),
    right(LAYOUT, "column_fill", X::Rows, [32, 8], Content::Made(thousand, column_major)),
    right(LAYOUT, "column_fill_swapped", X::Columns, [32, 8], Content::Made(thousand, column_major)),
    right(LAYOUT, "row_to_column", X::Rows, [16, 16], Content::Moved(column_major)),
    right(LAYOUT, "column_to_row", X::Columns, [16, 16], Content::MovedFrom(column_major)),
    right(LAYOUT, "row_to_column_flat", X::Cells, [96, 1], Content::Moved(column_major)),
    right(TRANSPOSE, "copy", X::Columns, [32, 32], Content::Moved(row_major)),
    right(TRANSPOSE, "transpose_naive", X::Columns, [32, 32], Content::Moved(column_major)),
    right(TRANSPOSE, "transpose_strided_read", X::Rows, [32, 32], Content::Moved(column_major)),
    right(TRANSPOSE, "transpose_tiled", X::Tiles, [32, 32], Content::Moved(column_major)),
    right(TRANSPOSE, "transpose_tiled_four", X::Tiles, [32, 8], Content::Moved(column_major)),
    right(TRANSPOSE, "transpose_padded", X::Tiles, [32, 8], Content::Moved(column_major)),
    right(TRANSPOSE, "transpose_padded_raster", X::TilesSwapped, [32, 8], Content::Moved(column_major)),
    right(TRANSPOSE, "copy_four", X::Tiles, [32, 8], Content::Moved(row_major)),
    right(SPIRAL, "spiral_scatter", X::Columns, [16, 16], Content::Moved(spiral)),
    right(SPIRAL, "spiral_gather", X::Cells, [128, 1], Content::Moved(spiral)),
    right(DIAGONAL, "zigzag_scatter", X::Columns, [16, 16], Content::Moved(zigzag)),
    right(DIAGONAL, "wavefront_diagonal", X::Rows, [32, 1], Content::Paths { launches: true }),
    right(DIAGONAL, "wavefront_one_block", X::OneBlock, [64, 1], Content::Paths { launches: false }),
];

/// Wrong on purpose, as the lessons say.
const WRONG: [&str; 4] = [
    "fill_rows_only",
    "fill_columns_only",
    "add_rows_only",
    "wavefront_single_launch",
];

const SHAPES: [(u64, u64); 12] = [
    (1, 1),
    (1, 40),
    (40, 1),
    (2, 3),
    (31, 31),
    (32, 32),
    (33, 33),
    (31, 33),
    (17, 23),
    (64, 48),
    (37, 61),
    (97, 101),
];

const ORDERS: [Order; 4] = [
    Order::Forward,
    Order::Reverse,
    Order::Shuffle(1),
    Order::Shuffle(2),
];

fn lattice_paths(rows: u64, cols: u64) -> Vec<u32> {
    let mut paths = vec![1u32; (rows * cols) as usize];
    for r in 1..rows as usize {
        for c in 1..cols as usize {
            let cols = cols as usize;
            paths[r * cols + c] = paths[(r - 1) * cols + c].wrapping_add(paths[r * cols + c - 1]);
        }
    }
    paths
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes
        .chunks_exact(4)
        .map(|w| u32::from_le_bytes(w.try_into().unwrap()))
        .collect()
}

fn grid(x: X, block: [u32; 2], rows: u64, cols: u64) -> [u32; 3] {
    let over = |cells: u64, threads: u32| cells.div_ceil(threads.into()) as u32;
    match x {
        X::Columns => [over(cols, block[0]), over(rows, block[1]), 1],
        X::Rows if block[1] == 1 => [over(rows, block[0]), 1, 1],
        X::Rows => [over(rows, block[0]), over(cols, block[1]), 1],
        X::Tiles => [over(cols, 32), over(rows, 32), 1],
        X::TilesSwapped => [over(rows, 32), over(cols, 32), 1],
        X::Cells => [over(rows * cols, block[0]), 1, 1],
        X::OneBlock => [1, 1, 1],
    }
}

fn check(kernel: &Right, (rows, cols): (u64, u64), order: Order) {
    let what = format!("{} on {rows}x{cols}, {order:?}", kernel.name);
    let module = Module::parse(kernel.ptx).unwrap();
    let input: Vec<u32> = (1..=(rows * cols) as u32).collect();
    let mut memory = Memory::new();
    let moved = matches!(kernel.content, Content::Moved(_) | Content::MovedFrom(_));
    let source = moved.then(|| memory.alloc_from(input.iter().flat_map(|w| w.to_le_bytes()).collect()));
    let out = memory.alloc(4 * rows * cols).unwrap();

    let mut expected = vec![0; input.len()];
    for (r, c) in (0..rows).flat_map(|r| (0..cols).map(move |c| (r, c))) {
        match kernel.content {
            Content::Moved(place) => {
                expected[place(r, c, rows, cols) as usize] = input[(r * cols + c) as usize]
            }
            Content::MovedFrom(place) => {
                expected[(r * cols + c) as usize] = input[place(r, c, rows, cols) as usize]
            }
            Content::Made(value, place) => {
                expected[place(r, c, rows, cols) as usize] = value(r, c, cols) as u32
            }
            Content::Paths { .. } => {}
        }
    }
    if matches!(kernel.content, Content::Paths { .. }) {
        expected = lattice_paths(rows, cols);
    }

    let args: Vec<Arg> = source
        .into_iter()
        .chain([out])
        .map(Arg::Buffer)
        .chain([Arg::U64(rows), Arg::U64(cols)])
        .collect();
    let launches: Vec<Vec<Arg>> = match kernel.content {
        Content::Paths { launches: true } => (0..rows + cols - 1)
            .map(|d| args.iter().cloned().chain([Arg::U64(d)]).collect())
            .collect(),
        _ => vec![args],
    };
    let mut observers = (
        Coverage::new(out, rows * cols, 4),
        Stray::new(),
        Uninitialised::new(),
        Races::new(),
        Barriers::new(),
    );
    for args in launches {
        let launch = Launch {
            grid: grid(kernel.x, kernel.block, rows, cols),
            block: [kernel.block[0], kernel.block[1], 1],
            args,
            ..Launch::default()
        };
        let options = Options {
            order,
            ..Options::default()
        };
        run(
            module.kernel(kernel.name).unwrap(),
            &launch,
            &mut memory,
            &options,
            &mut observers,
        )
        .unwrap_or_else(|error| panic!("{what}: {error}"));
    }
    assert!(words(memory.bytes(out)) == expected, "{what}: wrong values");
    let (coverage, stray, uninitialised, races, barriers) = observers;
    let findings: Vec<String> = coverage
        .findings()
        .iter()
        .chain(stray.findings())
        .chain(uninitialised.findings())
        .chain(races.findings())
        .chain(barriers.findings())
        .map(|finding| finding.to_string())
        .collect();
    assert!(findings.is_empty(), "{what}: {}", findings.join("\n"));
    let totals = [
        stray.total(),
        uninitialised.total(),
        races.total(),
        barriers.total(),
    ];
    assert!(
        coverage.once() && totals == [0; 4] && races.complete(),
        "{what}: {totals:?}"
    );
}

#[test]
fn no_kernel_is_left_out() {
    for ptx in [BOUNDS, DIAGONAL, GRID, LAYOUT, SPIRAL, TRANSPOSE] {
        for kernel in Module::parse(ptx).unwrap().kernels() {
            let here = KERNELS
                .iter()
                .any(|right| right.ptx == ptx && right.name == kernel.name());
            assert!(here != WRONG.contains(&kernel.name()), "{}", kernel.name());
        }
    }
}

#[test]
fn right_kernels_are_right_and_clean_on_every_shape_and_in_every_order() {
    for kernel in KERNELS {
        for shape in SHAPES {
            for order in ORDERS {
                check(kernel, shape, order);
            }
        }
    }
}

/// The wavefront in one launch: the right values in forward order, thousands of races, the wrong values as
/// soon as blocks run the other way round.
#[test]
fn a_wavefront_over_two_blocks_looks_right_and_races() {
    let module = Module::parse(DIAGONAL).unwrap();
    let kernel = module.kernel("wavefront_single_launch").unwrap();
    let (rows, cols) = (64, 64);
    let observe = |order| {
        let mut memory = Memory::new();
        let out = memory.alloc(4 * rows * cols).unwrap();
        let launch = Launch {
            grid: [2, 1, 1],
            block: [32, 1, 1],
            args: vec![Arg::Buffer(out), Arg::U64(rows), Arg::U64(cols)],
            ..Launch::default()
        };
        let mut races = Races::new();
        run(
            kernel,
            &launch,
            &mut memory,
            &Options {
                order,
                ..Options::default()
            },
            &mut races,
        )
        .unwrap();
        (words(memory.bytes(out)) == lattice_paths(rows, cols), races)
    };
    let (right, races) = observe(Order::Forward);
    assert!(right && races.total() > 1000, "{}", races.total());
    let finding = races.findings().next().unwrap().to_string();
    assert!(
        finding.contains("stores 4 bytes") && finding.contains("loads 4 bytes"),
        "{finding}"
    );
    let (right, races) = observe(Order::Reverse);
    assert!(!right && races.total() > 1000, "{}", races.total());
}

/// The lesson on bounds: the stray stores, their lines, and the damage within the matrix.
#[test]
fn a_missing_check_shows_every_stray_store() {
    let module = Module::parse(BOUNDS).unwrap();
    for (name, rows, cols, block, stray_stores, races_seen) in [
        ("fill_rows_only", 4, 10, [4, 1, 1], 2, 6),
        ("fill_columns_only", 37, 50, [16, 16, 1], 550, 0),
    ] {
        let mut memory = Memory::new();
        let out = memory.alloc(4 * rows * cols).unwrap();
        let launch = Launch {
            grid: grid(X::Columns, [block[0], block[1]], rows, cols),
            block,
            args: vec![Arg::Buffer(out), Arg::U64(rows), Arg::U64(cols)],
            ..Launch::default()
        };
        let mut observers = (Stray::new(), Races::new());
        run(
            module.kernel(name).unwrap(),
            &launch,
            &mut memory,
            &Options::default(),
            &mut observers,
        )
        .unwrap();
        assert_eq!(
            (observers.0.total(), observers.1.total()),
            (stray_stores, races_seen),
            "{name}"
        );
        assert_eq!(observers.0.by_line().len(), 1);
    }
}
