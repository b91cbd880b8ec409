//! The registry against the PTX: what a plan passes is what a kernel declares.

use std::collections::BTreeSet;
use warpwise::kernels::{Shape, Threads, KERNELS};
use warpwise::lessons::LESSONS;
use warpwise::plan::Plan;
use warpwise::source::SOURCES;

/// Kernels that scripts and chapters name.
const PROMISED: [&str; 15] = [
    "copy",
    "transpose_naive",
    "transpose_strided_read",
    "transpose_tiled",
    "transpose_padded",
    "grid_fill",
    "grid_fill_swapped",
    "fill_checked",
    "fill_rows_only",
    "fill_columns_only",
    "add_rows_only",
    "spiral_scatter",
    "spiral_gather",
    "wavefront_diagonal",
    "wavefront_single_launch",
];

#[test]
fn every_promised_kernel_exists() {
    let names: BTreeSet<_> = KERNELS.iter().map(|k| k.name).collect();
    assert_eq!(names.len(), KERNELS.len(), "a kernel is declared twice");
    assert!(PROMISED.iter().all(|name| names.contains(name)));
}

#[test]
fn every_kernel_of_every_file_is_declared() {
    for source in SOURCES {
        let module = source.module().expect(source.stem);
        for kernel in module.kernels() {
            let declared = KERNELS
                .iter()
                .find(|k| k.name == kernel.name())
                .unwrap_or_else(|| panic!("{} is not declared", kernel.name()));
            assert_eq!(declared.source.stem, source.stem);
        }
    }
}

/// A launch argument of another width than its parameter would make the GPU read stray bytes.
#[test]
fn parameters_are_what_a_plan_passes() {
    for spec in KERNELS {
        let module = spec.source.module().expect(spec.source.stem);
        let kernel = module.kernel(spec.name).expect(spec.name);
        let diagonal = usize::from(spec.threads == Threads::Diagonals);
        assert_eq!(
            kernel.params().len(),
            spec.inputs.len() + 1 + 2 + diagonal,
            "{}",
            spec.name
        );
        assert!(kernel.params().iter().all(|p| p.bytes == 8), "{}", spec.name);
    }
}

#[test]
fn every_lesson_plans_its_defaults() {
    for lesson in &LESSONS {
        for shape in [lesson.shape, lesson.gpu_shape, Shape::new(0, 3), Shape::new(1, 1)] {
            for kernel in KERNELS.iter().filter(|k| k.lesson == lesson.name) {
                let plan = Plan::new(kernel, shape, None, true).expect(kernel.name);
                assert_eq!(
                    (kernel.expected)(shape).len() as u64,
                    plan.cells,
                    "{}",
                    kernel.name
                );
            }
        }
    }
}

#[test]
fn every_kernel_belongs_to_a_lesson() {
    assert!(KERNELS.iter().all(|k| LESSONS.iter().any(|l| l.name == k.lesson)));
}
