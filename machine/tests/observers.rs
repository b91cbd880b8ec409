//! Observers on whole launches: the same report however a launch is dealt out, and what memory orderings do.

use warpwise_machine::observe::{Barriers, Counts, Coverage, Finding, Races, Stray, Uninitialised};
use warpwise_machine::{run, Arg, Launch, Memory, Module, Observer, Options, Order};

const FLAGS: &str = include_str!("../../kernels/wrong/flag_without_fence.ptx");

fn texts<'a>(findings: impl IntoIterator<Item = &'a Finding>) -> Vec<String> {
    findings.into_iter().map(|finding| finding.to_string()).collect()
}

/// Runs a kernel `(in, out, rows, cols)` on blocks of 32 x 32 threads.
fn observe<O: Observer>(
    ptx: &str,
    name: &str,
    (rows, cols): (u64, u64),
    options: Options,
    observer: impl FnOnce(warpwise_machine::BufferId) -> O,
) -> O {
    let module = Module::parse(ptx).unwrap();
    let mut memory = Memory::new();
    let input = memory.alloc_from(vec![1; (4 * rows * cols) as usize]);
    let out = memory.alloc(4 * rows * cols).unwrap();
    let launch = Launch {
        grid: [cols.div_ceil(32) as u32, rows.div_ceil(32) as u32, 1],
        block: [32, 32, 1],
        args: vec![
            Arg::Buffer(input),
            Arg::Buffer(out),
            Arg::U64(rows),
            Arg::U64(cols),
        ],
        ..Launch::default()
    };
    let mut observer = observer(out);
    run(
        module.kernel(name).unwrap(),
        &launch,
        &mut memory,
        &options,
        &mut observer,
    )
    .unwrap();
    observer
}

#[test]
fn reports_do_not_depend_on_order_or_host_threads() {
    let kernels = [
        (
            "copy_rows_only",
            include_str!("../../kernels/wrong/copy_rows_only.ptx"),
        ),
        (
            "tiled_early_return",
            include_str!("../../kernels/wrong/tiled_early_return.ptx"),
        ),
        (
            "transpose_input_stride",
            include_str!("../../kernels/wrong/transpose_input_stride.ptx"),
        ),
        ("transpose_tiled", include_str!("../../kernels/transpose.ptx")),
    ];
    for (name, ptx) in kernels {
        let reports: Vec<_> = [
            (1, Order::Forward),
            (2, Order::Forward),
            (4, Order::Reverse),
            (3, Order::Shuffle(7)),
        ]
        .into_iter()
        .map(|(threads, order)| {
            let options = Options {
                order,
                threads,
                ..Options::default()
            };
            let (counts, coverage, stray, barriers) = observe(ptx, name, (200, 170), options, |out| {
                (
                    Counts::new(),
                    Coverage::new(out, 200 * 170, 4),
                    Stray::new(),
                    Barriers::new(),
                )
            });
            (
                counts.by_line(),
                texts(&coverage.findings()),
                (coverage.never_written(), coverage.written_twice()),
                (stray.total(), texts(stray.findings())),
                (barriers.total(), texts(barriers.findings())),
            )
        })
        .collect();
        for other in &reports[1..] {
            assert_eq!(other, &reports[0], "{name}");
        }
    }
}

/// Observing changes nothing: the same memory with all observers and with none.
#[test]
fn observers_do_not_change_the_run() {
    let module = Module::parse(include_str!("../../kernels/wrong/tiled_small_tile.ptx")).unwrap();
    let output = |observed: bool| {
        let mut memory = Memory::new();
        let input = memory.alloc_from((0..40 * 40 * 4).map(|i| i as u8).collect());
        let out = memory.alloc(40 * 40 * 4).unwrap();
        let launch = Launch {
            grid: [2, 2, 1],
            block: [32, 32, 1],
            args: vec![Arg::Buffer(input), Arg::Buffer(out), Arg::U64(40), Arg::U64(40)],
            ..Launch::default()
        };
        let kernel = module.kernel("tiled_small_tile").unwrap();
        let options = Options::default();
        if observed {
            let mut all = (
                Counts::new(),
                Coverage::new(out, 1600, 4),
                Stray::new(),
                Uninitialised::new(),
                Races::new(),
            );
            run(kernel, &launch, &mut memory, &options, &mut all).unwrap();
        } else {
            run(kernel, &launch, &mut memory, &options, &mut ()).unwrap();
        }
        memory.bytes(out).to_vec()
    };
    assert_eq!(output(true), output(false));
}

/// Blocks that hand a sum on: races for as long as one side lacks its half of the order.
#[test]
fn fences_releases_and_acquires_order_blocks() {
    let store = "st.volatile.global.u32";
    let load = "ld.volatile.global.u32";
    assert!(FLAGS.matches(store).count() == 1 && FLAGS.matches(load).count() >= 1);
    let without_fences = FLAGS.replace("membar.gl;", "");
    let fenced = FLAGS.replace(store, "membar.gl;\n\tst.volatile.global.u32");
    let released = without_fences.replace(store, "st.release.gpu.global.u32");
    let both = released.replace(load, "ld.acquire.gpu.global.u32");
    let plain = fenced.replace(".volatile", "");
    for (what, ptx, clean) in [
        ("a fence on the reading side only", FLAGS, false),
        ("fences on both sides", &fenced, true),
        ("a release that nobody acquires", &released, false),
        ("release and acquire", &both, true),
        ("fences around a flag that is an ordinary variable", &plain, false),
    ] {
        let module = Module::parse(ptx).unwrap();
        for order in [Order::Forward, Order::Reverse, Order::Shuffle(3)] {
            let mut memory = Memory::new();
            let flags = memory.alloc_from(vec![0; 4 * 9]);
            let sums = memory.alloc(4 * 8).unwrap();
            let launch = Launch {
                grid: [8, 1, 1],
                block: [32, 1, 1],
                args: vec![Arg::Buffer(flags), Arg::Buffer(sums), Arg::U64(8), Arg::U64(5)],
                ..Launch::default()
            };
            let mut races = Races::new();
            let kernel = module.kernel("flag_without_fence").unwrap();
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
            assert_eq!(
                races.total() == 0,
                clean,
                "{what}, {order:?}: {:?}",
                texts(races.findings())
            );
            assert_eq!(memory.bytes(sums)[4 * 7], 40, "{what}, {order:?}");
        }
    }
}
