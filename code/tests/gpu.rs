//! Every kernel on a real GPU against its plain definition, and against what the machine computes.
//!
//! Where there is no GPU these tests say so and pass; with WARPWISE_REQUIRE_GPU set they fail instead.
#![cfg(feature = "gpu")]

use warpwise::bounds::POISON;
use warpwise::gpu::{Gpu, GpuError};
use warpwise::kernels::{Shape, KERNELS};
use warpwise::outcome::damage;
use warpwise::plan::Plan;
use warpwise::run::kernel_on_machine;
use warpwise_machine::Options;

const SHAPES: [(u64, u64); 10] = [
    (0, 5),
    (1, 1),
    (1, 33),
    (33, 1),
    (31, 32),
    (33, 31),
    (37, 61),
    (64, 48),
    (101, 103),
    (1000, 776),
];

fn gpu() -> Option<Gpu> {
    match Gpu::open() {
        Ok(gpu) => Some(gpu),
        Err(error @ (GpuError::NoDriver | GpuError::NoDevice)) => {
            assert!(
                std::env::var_os("WARPWISE_REQUIRE_GPU").is_none(),
                "a GPU is required: {error}"
            );
            eprintln!("not run: {error}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn right_kernels_are_right_on_the_gpu() {
    let Some(mut gpu) = gpu() else { return };
    for kernel in KERNELS.iter().filter(|k| !k.wrong_on_purpose) {
        for (rows, cols) in SHAPES {
            let plan = Plan::new(kernel, Shape::new(rows, cols), None, true).unwrap();
            let run = gpu.run(&plan, 0).unwrap();
            let expected = (kernel.expected)(plan.shape);
            assert!(
                run.output[..expected.len()] == expected[..],
                "{} {rows}x{cols}",
                kernel.name
            );
        }
    }
}

/// What a stray store hits does not depend on the order of blocks; only what stays behind inside the matrix does.
#[test]
fn wrong_kernels_overrun_by_the_same_cells() {
    let Some(mut gpu) = gpu() else { return };
    for kernel in KERNELS.iter().filter(|k| k.lesson == "bounds") {
        for (rows, cols) in [(4, 10), (37, 50)] {
            let plan = Plan::new(kernel, Shape::new(rows, cols), None, true).unwrap();
            let output = gpu.run(&plan, 0).unwrap().output;
            let expected = (kernel.expected)(plan.shape);
            let on_gpu = damage(&output, &expected, plan.shape, plan.launched(), POISON);
            let machine = kernel_on_machine(&plan, &Options::default(), false)
                .unwrap()
                .run
                .damage
                .unwrap();
            assert_eq!(
                on_gpu.guard_cells_overwritten, machine.guard_cells_overwritten,
                "{}",
                kernel.name
            );
        }
    }
}

#[test]
fn samples_are_as_many_as_asked_for_and_positive() {
    let Some(mut gpu) = gpu() else { return };
    let plan = Plan::new(&KERNELS[0], Shape::new(256, 256), None, true).unwrap();
    let samples = gpu.run(&plan, 10).unwrap().samples_ms;
    assert_eq!(samples.len(), 10);
    assert!(samples.iter().all(|ms| *ms > 0.0));
    assert_eq!(gpu.time_memcpy(1 << 20, 10).unwrap().len(), 10);
}
