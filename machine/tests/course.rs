//! The course's kernels, run and compared with plain loops.

use warpwise_machine::observe::Counts;
use warpwise_machine::{run, Arg, BufferId, Kernel, Launch, Memory, Module, Options, Order};

fn kernel(file: &str, name: &str) -> Kernel {
    let path = format!("{}/../kernels/{file}.ptx", env!("CARGO_MANIFEST_DIR"));
    let ptx = std::fs::read_to_string(&path).unwrap();
    Module::parse(&ptx).unwrap().kernel(name).unwrap().clone()
}

fn bytes(values: impl IntoIterator<Item = u32>) -> Vec<u8> {
    values.into_iter().flat_map(u32::to_le_bytes).collect()
}

fn values(memory: &Memory, buffer: BufferId) -> Vec<u32> {
    memory
        .bytes(buffer)
        .chunks_exact(4)
        .map(|b| u32::from_le_bytes(b.try_into().unwrap()))
        .collect()
}

const ORDERS: [Order; 4] = [
    Order::Forward,
    Order::Reverse,
    Order::Shuffle(1),
    Order::Shuffle(2),
];
const SHAPES: [(u64, u64); 10] = [
    (1, 1),
    (1, 7),
    (7, 1),
    (31, 33),
    (32, 32),
    (33, 31),
    (37, 61),
    (97, 101),
    (64, 48),
    (5, 200),
];

fn ceil(a: u64, b: u64) -> u32 {
    a.div_ceil(b) as u32
}

/// Runs a kernel from one matrix to another in every order, and gives what it wrote.
fn from_to(kernel: &Kernel, rows: u64, cols: u64, grid: [u32; 3], block: [u32; 3]) -> Vec<u32> {
    let mut results = ORDERS.map(|order| {
        let mut memory = Memory::new();
        let input = memory.alloc_from(bytes((0..rows * cols).map(|i| i as u32 * 7 + 1)));
        let output = memory.alloc(rows * cols * 4).unwrap();
        let args = vec![
            Arg::Buffer(input),
            Arg::Buffer(output),
            Arg::U64(rows),
            Arg::U64(cols),
        ];
        let launch = Launch {
            grid,
            block,
            shared_bytes: 0,
            args,
        };
        let options = Options {
            order,
            ..Options::default()
        };
        run(kernel, &launch, &mut memory, &options, &mut ()).unwrap();
        values(&memory, output)
    });
    assert!(
        results.windows(2).all(|pair| pair[0] == pair[1]),
        "{} depends on order",
        kernel.name()
    );
    std::mem::take(&mut results[0])
}

fn cell(index: u64) -> u32 {
    index as u32 * 7 + 1
}

#[test]
fn transposes() {
    let rungs: [(&str, [u32; 3], bool); 8] = [
        ("copy", [32, 32, 1], false),
        ("transpose_naive", [32, 32, 1], true),
        ("transpose_strided_read", [32, 32, 1], true),
        ("transpose_tiled", [32, 32, 1], true),
        ("copy_four", [32, 8, 1], false),
        ("transpose_tiled_four", [32, 8, 1], true),
        ("transpose_padded", [32, 8, 1], true),
        ("transpose_padded_raster", [32, 8, 1], true),
    ];
    for (name, block, turns) in rungs {
        let kernel = kernel("transpose", name);
        for (rows, cols) in SHAPES {
            let (x, y) = match name {
                "transpose_strided_read" | "transpose_padded_raster" => (rows, cols),
                _ => (cols, rows),
            };
            let grid = [ceil(x, 32), ceil(y, 32), 1];
            let got = from_to(&kernel, rows, cols, grid, block);
            let wanted: Vec<u32> = match turns {
                true => (0..cols)
                    .flat_map(|c| (0..rows).map(move |r| cell(r * cols + c)))
                    .collect(),
                false => (0..rows * cols).map(cell).collect(),
            };
            assert_eq!(got, wanted, "{name} {rows}x{cols}");
        }
    }
}

/// The ranks of a spiral, walked step by step.
fn spiral(rows: i64, cols: i64) -> Vec<u64> {
    let (mut top, mut bottom, mut left, mut right) = (0, rows - 1, 0, cols - 1);
    let mut order = Vec::new();
    while top <= bottom && left <= right {
        order.extend((left..=right).map(|c| top * cols + c));
        order.extend((top + 1..=bottom).map(|r| r * cols + right));
        if top < bottom {
            order.extend((left..right).rev().map(|c| bottom * cols + c));
        }
        if left < right {
            order.extend((top + 1..bottom).rev().map(|r| r * cols + left));
        }
        (top, bottom, left, right) = (top + 1, bottom - 1, left + 1, right - 1);
    }
    order.into_iter().map(|i| i as u64).collect()
}

#[test]
fn spirals() {
    for (rows, cols) in SHAPES {
        let wanted: Vec<u32> = spiral(rows as i64, cols as i64).into_iter().map(cell).collect();
        let scatter = kernel("spiral", "spiral_scatter");
        let grid = [ceil(cols, 32), ceil(rows, 8), 1];
        assert_eq!(
            from_to(&scatter, rows, cols, grid, [32, 8, 1]),
            wanted,
            "{rows}x{cols}"
        );
        let gather = kernel("spiral", "spiral_gather");
        let grid = [ceil(rows * cols, 256), 1, 1];
        assert_eq!(
            from_to(&gather, rows, cols, grid, [256, 1, 1]),
            wanted,
            "{rows}x{cols}"
        );
    }
}

#[test]
fn zigzags() {
    let kernel = kernel("diagonal", "zigzag_scatter");
    for (rows, cols) in SHAPES {
        let mut wanted = Vec::new();
        for d in 0..rows + cols - 1 {
            let mut diagonal: Vec<u32> = (0..rows)
                .filter(|&r| r <= d && d - r < cols)
                .map(|r| cell(r * cols + d - r))
                .collect();
            if d % 2 == 0 {
                diagonal.reverse();
            }
            wanted.extend(diagonal);
        }
        let grid = [ceil(cols, 16), ceil(rows, 16), 1];
        assert_eq!(
            from_to(&kernel, rows, cols, grid, [16, 16, 1]),
            wanted,
            "{rows}x{cols}"
        );
    }
}

#[test]
fn one_block_keeps_the_wavefront_in_step() {
    let kernel = kernel("diagonal", "wavefront_one_block");
    for (rows, cols) in SHAPES {
        let mut wanted = vec![1u32; (rows * cols) as usize];
        for r in 1..rows as usize {
            for c in 1..cols as usize {
                let at = r * cols as usize + c;
                wanted[at] = wanted[at - cols as usize].wrapping_add(wanted[at - 1]);
            }
        }
        for order in ORDERS {
            let mut memory = Memory::new();
            let out = memory.alloc(rows * cols * 4).unwrap();
            let args = vec![Arg::Buffer(out), Arg::U64(rows), Arg::U64(cols)];
            let launch = Launch {
                grid: [1, 1, 1],
                block: [64, 1, 1],
                shared_bytes: 0,
                args,
            };
            run(
                &kernel,
                &launch,
                &mut memory,
                &Options {
                    order,
                    ..Options::default()
                },
                &mut (),
            )
            .unwrap();
            assert_eq!(values(&memory, out), wanted, "{rows}x{cols}");
        }
    }
}

#[test]
fn a_naive_warp_reads_4_sectors_and_writes_32() {
    let kernel = kernel("transpose", "transpose_naive");
    let mut memory = Memory::new();
    let input = memory.alloc_from(bytes(0..256 * 256));
    let output = memory.alloc(256 * 256 * 4).unwrap();
    let args = vec![
        Arg::Buffer(input),
        Arg::Buffer(output),
        Arg::U64(256),
        Arg::U64(256),
    ];
    let launch = Launch {
        grid: [8, 8, 1],
        block: [32, 32, 1],
        shared_bytes: 0,
        args,
    };
    let mut counts = Counts::new();
    run(&kernel, &launch, &mut memory, &Options::default(), &mut counts).unwrap();
    let total = counts.total();
    let warps = 256 * 256 / 32;
    assert_eq!(
        (total.global_load.requests, total.global_load.sectors),
        (warps, 4 * warps)
    );
    assert_eq!(
        (total.global_store.requests, total.global_store.sectors),
        (warps, 32 * warps)
    );
}
