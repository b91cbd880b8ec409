//! Lessons on a real GPU.

use super::{checked, grid_block, mapping, Request, RunError};
use crate::evidence::median;
use crate::gpu::{Gpu, GpuError, GpuRun};
use crate::kernels::{self, Shape, ELEMENT_BYTES};
use crate::outcome::{KernelRun, LessonRun, OnGpu, Run};
use crate::plan::Plan;
use crate::transpose::gb_per_s;

/// What a card reaches on a shape without turning anything: measured in the same run as what it is compared with.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reference {
    /// Effective bandwidth of `copy`, in 10^9 bytes a second.
    pub copy: Option<f64>,
    /// Effective bandwidth of a device-to-device memcpy.
    pub memcpy: Option<f64>,
}

impl Reference {
    /// Returns the bandwidths of `copy` and memcpy on a shape; none for an empty matrix, which takes no time.
    ///
    /// # Errors
    /// The GPU's.
    pub fn measure(gpu: &mut Gpu, shape: Shape, runs: usize) -> Result<Reference, RunError> {
        let copy = kernels::kernel("copy").map(|kernel| Plan::new(kernel, shape, None, false));
        // A lesson may run on a shape whose grid is too large for `copy`: then it goes without the comparison.
        let Some(Ok(plan)) = copy else {
            return Ok(Reference::default());
        };
        if plan.cells == 0 || runs == 0 {
            return Ok(Reference::default());
        }
        let bandwidth = |samples: &[f32]| gb_per_s(plan.bytes_moved(), median(samples)?).ok();
        Ok(Reference {
            copy: bandwidth(&gpu.run(&plan, runs)?.samples_ms),
            memcpy: bandwidth(&gpu.time_memcpy(plan.cells * ELEMENT_BYTES, runs)?),
        })
    }
}

/// Returns a lesson run on a GPU: every kernel checked in full, then timed `runs` times.
///
/// # Errors
/// A launch is impossible, or the GPU's.
pub fn lesson_on_gpu(
    request: &Request,
    gpu: &mut Gpu,
    runs: usize,
    mut progress: impl FnMut(&'static str),
) -> Result<LessonRun, RunError> {
    let plans = request.plans(request.lesson.gpu_shape)?;
    let mut all = Vec::new();
    if request.lesson.name == "grid" {
        all.push(Run::Mapping(mapping(request, grid_block(request))?));
    }
    if let Some(first) = plans.first() {
        let reference = Reference::measure(gpu, first.shape, runs)?;
        for plan in &plans {
            progress(plan.kernel.name);
            all.push(Run::Kernel(Box::new(kernel_on_gpu(plan, gpu, runs, reference)?)));
        }
    }
    Ok(LessonRun {
        lesson: request.lesson.name,
        device: "gpu",
        runs: all,
    })
}

fn kernel_on_gpu(
    plan: &Plan,
    gpu: &mut Gpu,
    runs: usize,
    reference: Reference,
) -> Result<KernelRun, GpuError> {
    let GpuRun { output, samples_ms } = gpu.run(plan, runs)?;
    let median_ms = median(&samples_ms);
    let bandwidth = median_ms.and_then(|ms| gb_per_s(plan.bytes_moved(), ms).ok());
    let against = |ceiling: Option<f64>| bandwidth.zip(ceiling).map(|(b, c)| b / c);
    let samples = || samples_ms.iter().map(|&ms| f64::from(ms));
    Ok(KernelRun {
        gpu: Some(OnGpu {
            median_ms,
            min_ms: samples().min_by(f64::total_cmp),
            max_ms: samples().max_by(f64::total_cmp),
            gb_per_s: bandwidth,
            of_copy: against(reference.copy),
            of_memcpy: against(reference.memcpy),
            samples_ms,
        }),
        ..checked(plan, &output)
    })
}
