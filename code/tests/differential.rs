//! Every right kernel on the machine against its plain definition: awkward shapes, every block order.

use warpwise::kernels::{KernelSpec, Shape, KERNELS};
use warpwise::plan::Plan;
use warpwise::run::{kernel_on_machine, ORDERS};
use warpwise_machine::Options;

/// Single cells, rows and columns, both sides of a warp and of a tile, and primes.
const SHAPES: [(u64, u64); 17] = [
    (1, 1),
    (1, 5),
    (5, 1),
    (1, 33),
    (33, 1),
    (2, 2),
    (3, 3),
    (31, 31),
    (32, 32),
    (33, 33),
    (31, 33),
    (33, 31),
    (5, 7),
    (37, 61),
    (61, 37),
    (64, 48),
    (17, 101),
];

fn right(kernel: &&KernelSpec) -> bool {
    !kernel.wrong_on_purpose
}

#[test]
fn right_kernels_are_right_and_clean_in_every_order() {
    for kernel in KERNELS.iter().filter(right) {
        for (rows, cols) in SHAPES {
            for order in ORDERS {
                let plan = Plan::new(kernel, Shape::new(rows, cols), None, true).unwrap();
                let options = Options {
                    order,
                    ..Options::default()
                };
                let run = kernel_on_machine(&plan, &options, true).unwrap().run;
                let on_machine = run.machine.as_ref().unwrap();
                let name = format!("{} {rows}x{cols} {order:?}", kernel.name);
                assert!(run.correct, "{name}: {:?}", run.first_wrong);
                assert!(run.findings.is_empty(), "{name}: {:?}", run.findings);
                assert!(on_machine.written_once, "{name}");
                assert_eq!((on_machine.stray, on_machine.races), (0, Some(0)), "{name}");
            }
        }
    }
}

#[test]
fn other_blocks_serve_as_well() {
    for kernel in KERNELS.iter().filter(right).filter(|k| !k.block_fixed) {
        for block in [[1, 1], [7, 1], [32, 1], [33, 1]] {
            let plan = Plan::new(kernel, Shape::new(13, 19), Some(block), true).unwrap();
            let run = kernel_on_machine(&plan, &Options::default(), true).unwrap().run;
            assert!(
                run.correct && run.findings.is_empty(),
                "{} {block:?}",
                kernel.name
            );
        }
    }
}

#[test]
fn host_threads_do_not_change_a_run() {
    for kernel in KERNELS {
        let plan = Plan::new(kernel, Shape::new(70, 90), None, true).unwrap();
        let run = |threads| {
            let trace = kernel_on_machine(
                &plan,
                &Options {
                    threads,
                    ..Options::default()
                },
                false,
            )
            .unwrap();
            let machine = trace.run.machine.unwrap();
            (
                trace.run.correct,
                trace.run.damage,
                machine.traffic,
                machine.written_once,
                trace.lines,
            )
        };
        assert_eq!(run(1), run(3), "{}", kernel.name);
    }
}
