//! What the wrong kernels do on the machine, and what a request costs: the figures that the lessons rest on.

use warpwise::kernels::{kernel, Shape};
use warpwise::outcome::{Damage, KernelRun, Traffic};
use warpwise::plan::Plan;
use warpwise::run::kernel_on_machine;
use warpwise_machine::{Options, Order};

fn run(name: &str, rows: u64, cols: u64, block: Option<[u32; 2]>, order: Order, guard: bool) -> KernelRun {
    let plan = Plan::new(kernel(name).unwrap(), Shape::new(rows, cols), block, guard).unwrap();
    kernel_on_machine(
        &plan,
        &Options {
            order,
            ..Options::default()
        },
        true,
    )
    .unwrap()
    .run
}

fn traffic(name: &str, rows: u64, cols: u64) -> Traffic {
    run(name, rows, cols, None, Order::Forward, true)
        .machine
        .unwrap()
        .traffic
}

#[test]
fn a_missing_column_check_shows_in_reverse_order_only() {
    let damage = |order| run("fill_rows_only", 4, 10, None, order, true).damage.unwrap();
    let expected = |corrupted_rows| Damage {
        outside_threads: 8,
        corrupted_rows,
        guard_cells_overwritten: 2,
    };
    assert_eq!(damage(Order::Forward), expected(0));
    assert_eq!(damage(Order::Reverse), expected(3));
}

#[test]
fn higher_blocks_corrupt_in_forward_order_too() {
    let run = run("fill_rows_only", 37, 50, Some([16, 16]), Order::Forward, true);
    assert!(run.damage.unwrap().corrupted_rows > 0 && !run.correct);
}

#[test]
fn a_missing_row_check_runs_past_the_end() {
    let block = Some([16, 16]);
    let damage = run("fill_columns_only", 37, 50, block, Order::Forward, true)
        .damage
        .unwrap();
    assert_eq!((damage.corrupted_rows, damage.guard_cells_overwritten), (0, 550));
    let bare = run("fill_columns_only", 37, 50, block, Order::Forward, false);
    assert_eq!(bare.machine.unwrap().stray, 550);
}

#[test]
fn without_a_guard_the_strays_are_findings() {
    let bare = run("fill_rows_only", 4, 10, None, Order::Forward, false);
    assert_eq!(bare.machine.as_ref().unwrap().stray, 2);
    assert!(!bare.findings.is_empty());
}

#[test]
fn an_addition_with_the_same_mistake_is_harmless_inside() {
    for order in [Order::Forward, Order::Reverse] {
        let run = run("add_rows_only", 4, 10, None, order, true);
        assert!(run.correct);
        assert_eq!(run.damage.unwrap().guard_cells_overwritten, 2);
    }
}

#[test]
fn a_single_launch_races_and_looks_right() {
    let forward = run("wavefront_single_launch", 64, 64, None, Order::Forward, true);
    assert!(forward.correct, "{:?}", forward.first_wrong);
    assert!(forward.machine.unwrap().races.unwrap() > 1000);
    assert!(!run("wavefront_single_launch", 64, 64, None, Order::Reverse, true).correct);
}

#[test]
fn thirty_six_sectors_either_way() {
    let per_request = |t: Traffic| {
        let whole = |n: u64, of: u64| (n / of, n % of);
        (
            whole(t.global_load.sectors, t.global_load.requests),
            whole(t.global_store.sectors, t.global_store.requests),
        )
    };
    assert_eq!(
        per_request(traffic("transpose_naive", 64, 4096)),
        ((4, 0), (32, 0))
    );
    assert_eq!(
        per_request(traffic("transpose_strided_read", 64, 4096)),
        ((32, 0), (4, 0))
    );
    assert_eq!(
        per_request(traffic("transpose_padded", 64, 4096)),
        ((4, 0), (4, 0))
    );
}

#[test]
fn a_pad_takes_the_bank_conflicts_away() {
    let tiled = traffic("transpose_tiled_four", 64, 64).shared_load;
    let padded = traffic("transpose_padded", 64, 64).shared_load;
    assert_eq!((tiled.requests, padded.requests), (128, 128));
    assert_eq!((tiled.wavefronts, padded.wavefronts), (128 * 32, 128));
}
