//! Running a launch.

mod access;
mod atomic;
mod block;
mod copies;
mod global;
mod grid;
mod lanes;
mod machine;
mod meet;
mod order;
mod parallel;
mod setup;
mod warp;

use crate::error::RunError;
use crate::event::{LaunchView, Observer};
use crate::launch::{Launch, Options};
use crate::memory::Memory;
use crate::module::Kernel;
use global::Device;
use grid::Spare;
use machine::Machine;
use setup::Plan;

/// Threads of the host that a run uses at most.
const MAX_THREADS: usize = 256;

/// Runs a kernel to its end on `memory`, telling `observer` what happens.
///
/// # Errors
///
/// When the launch does not fit the kernel, a thread traps, no thread can go on, or a limit is reached.
pub fn run<O: Observer>(
    kernel: &Kernel,
    launch: &Launch,
    memory: &mut Memory,
    options: &Options,
    observer: &mut O,
) -> Result<(), RunError> {
    let mut plan = Plan::new(kernel, launch, memory, options.limits)?;
    let mut device = Device::borrow(memory, &plan.code.variables)?;
    plan.place_variables(&device);
    observer.launch(&LaunchView {
        kernel,
        grid: plan.grid,
        block: plan.block,
        shared_bytes: plan.shared_bytes,
        buffers: &device.views(),
    });
    let threads = options
        .threads
        .min(MAX_THREADS)
        .min(usize::try_from(plan.blocks).unwrap_or(MAX_THREADS));
    let (done, spent) = match threads {
        2.. if !plan.code.communicates => {
            parallel::run_rounds(&plan, &mut device, options.order, threads, observer)
        }
        _ => (0, 0),
    };
    let mut machine = Machine {
        plan: &plan,
        observer,
        global: &mut device,
        spent,
        version: 0,
    };
    let result = machine.run_blocks(done..plan.blocks, options.order, &mut Spare::default());
    device.give_back(memory);
    result
}
