//! From a launch to what every block and warp starts with.

use super::global::Device;
use crate::code::{Code, Constant, ConstantRegister, Special};
use crate::decode::MAX_SHARED_BYTES;
use crate::error::LaunchError;
use crate::event::unflatten;
use crate::lanes::{LaneMask, LANES};
use crate::launch::{Launch, Limits};
use crate::memory::Memory;
use crate::module::Kernel;
use crate::ptx::types::{Class, Type};
use crate::registers::{Form, Lane, Register, Registers};

/// The most threads of a block.
const MAX_THREADS: u64 = 1024;

/// A register's value in each warp of a block: lane by lane, and in closed form.
type PerWarp = Vec<([u32; LANES], Form<u32>)>;

/// What all blocks of a launch have in common.
pub(crate) struct Plan<'a> {
    pub(crate) kernel: &'a Kernel,
    pub(crate) code: &'a Code,
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) blocks: u64,
    pub(crate) threads: u32,
    pub(crate) warps: u32,
    pub(crate) shared_bytes: u32,
    pub(crate) limits: Limits,
    /// Registers as a warp finds them, but for what depends on the warp and the block.
    pub(crate) template: Registers,
    /// 32-bit registers that depend on the block: which axis of its index they hold.
    per_block: Vec<(Register, usize)>,
    /// 32-bit registers that depend on the warp, and their lanes for each warp.
    per_warp: Vec<(Register, PerWarp)>,
}

impl<'a> Plan<'a> {
    pub(crate) fn new(
        kernel: &'a Kernel,
        launch: &Launch,
        memory: &Memory,
        limits: Limits,
    ) -> Result<Plan<'a>, LaunchError> {
        let code = &*kernel.code;
        check_size(code, launch)?;
        let shared = u64::from(code.shared_bytes) + u64::from(launch.shared_bytes);
        if shared > MAX_SHARED_BYTES.into() {
            return Err(LaunchError::Shared {
                statically: code.shared_bytes,
                dynamically: launch.shared_bytes,
                limit: MAX_SHARED_BYTES,
            });
        }
        let threads = launch.block.iter().product();
        let mut plan = Plan {
            kernel,
            code,
            grid: launch.grid,
            block: launch.block,
            // 2^31 * 2^16 * 2^16 fits.
            blocks: launch.grid.iter().map(|&d| u64::from(d)).product(),
            threads,
            warps: threads.div_ceil(LANES as u32),
            shared_bytes: shared as u32,
            limits,
            template: Registers::new(code.sizes),
            per_block: Vec::new(),
            per_warp: Vec::new(),
        };
        let params = parameter_block(kernel, launch, memory)?;
        for constant in &code.constants {
            plan.set(constant, &params, launch);
        }
        Ok(plan)
    }

    /// Fills in the variables' addresses, which are known once memory is borrowed.
    pub(crate) fn place_variables(&mut self, device: &Device) {
        for constant in &self.code.constants {
            if let Constant::Variable { index, offset } = constant.constant {
                let address = device.variable_address(index).wrapping_add(offset as u64);
                self.template.fill(constant.class, constant.register, address);
            }
        }
    }

    fn set(&mut self, constant: &ConstantRegister, params: &[u8], launch: &Launch) {
        let ConstantRegister {
            class,
            register,
            constant,
        } = *constant;
        let bits = match constant {
            Constant::Bits(bits) => bits,
            Constant::Param { offset, ty } => parameter(params, offset, ty),
            Constant::Variable { .. } => return,
            Constant::Special(special) => match special {
                Special::Ctaid(axis) => return self.per_block.push((register, axis)),
                Special::Ntid(axis) => self.block[axis].into(),
                Special::Nctaid(axis) => self.grid[axis].into(),
                Special::NwarpId => self.warps.into(),
                Special::GridId => 1,
                Special::DynamicSharedBytes => launch.shared_bytes.into(),
                Special::TotalSharedBytes => self.shared_bytes.into(),
                Special::Tid(axis) => {
                    return self.set_per_warp(register, |thread, dim| unflatten(thread, dim)[axis])
                }
                Special::WarpId => return self.set_per_warp(register, |thread, _| thread / 32),
                Special::LaneId => return self.set_per_lane(register, |lane| lane),
                Special::LanemaskEq => return self.set_per_lane(register, |lane| 1 << lane),
                Special::LanemaskLt => return self.set_per_lane(register, |lane| (1 << lane) - 1),
                Special::LanemaskLe => {
                    return self.set_per_lane(register, |lane| ((1 << lane) - 1) | (1 << lane))
                }
                Special::LanemaskGt => {
                    return self.set_per_lane(register, |lane| !(((1 << lane) - 1) | (1 << lane)))
                }
                Special::LanemaskGe => return self.set_per_lane(register, |lane| !((1 << lane) - 1)),
            },
        };
        self.template.fill(class, register, bits);
    }

    fn set_per_warp(&mut self, register: Register, value: impl Fn(u32, [u32; 3]) -> u32) {
        let dim = self.block;
        let warps = (0..self.warps).map(|warp| {
            let lanes: [u32; LANES] = std::array::from_fn(|lane| value(warp * 32 + lane as u32, dim));
            let step = lanes[1].wrapping_sub(lanes[0]);
            (lanes, Form::of(&lanes, step))
        });
        let warps = warps.collect();
        self.per_warp.push((register, warps));
    }

    fn set_per_lane(&mut self, register: Register, value: impl Fn(u32) -> u32) {
        let lanes = std::array::from_fn(|lane| value(lane as u32));
        u32::write(&mut self.template, register, &lanes, LaneMask::FULL);
        self.template.b32.set(register, Form::of(&lanes, 1));
    }

    /// Makes the registers of some warp those of warp `warp` of the block at `block`.
    pub(crate) fn prepare(&self, registers: &mut Registers, block: [u32; 3], warp: u32) {
        for &(register, axis) in &self.per_block {
            registers.b32.set(
                register,
                Form::Affine {
                    base: block[axis],
                    step: 0,
                },
            );
        }
        for (register, warps) in &self.per_warp {
            let (lanes, form) = &warps[warp as usize];
            registers.b32.set(*register, *form);
            if *form == Form::Lanes {
                u32::write(registers, *register, lanes, LaneMask::FULL);
            }
        }
        for &(class, register) in &self.code.unassigned {
            registers.fill(class, register, 0);
        }
    }

    /// The lanes of warp `warp` that hold a thread.
    pub(crate) fn lanes(&self, warp: u32) -> LaneMask {
        LaneMask::first(self.threads - warp * LANES as u32)
    }

    /// [x, y, z] of the block with this linear index.
    pub(crate) fn coordinates(&self, index: u64) -> [u32; 3] {
        let [x, y, _] = self.grid.map(u64::from);
        [(index % x) as u32, (index / x % y) as u32, (index / x / y) as u32]
    }
}

fn check_size(code: &Code, launch: &Launch) -> Result<(), LaunchError> {
    let refuse = |what, size, limit| Err(LaunchError::Size { what, size, limit });
    let [gx, gy, gz] = launch.grid;
    if gx == 0 || gy == 0 || gz == 0 || gx > i32::MAX as u32 || gy > 65535 || gz > 65535 {
        return refuse(
            "the grid",
            launch.grid,
            "1 to 2147483647 blocks along x, 1 to 65535 along y and z",
        );
    }
    let [bx, by, bz] = launch.block.map(u64::from);
    let threads = bx.saturating_mul(by).saturating_mul(bz);
    if threads == 0 || threads > MAX_THREADS || bz > 64 {
        return refuse(
            "the block",
            launch.block,
            "1 to 1024 threads in all, at most 64 along z",
        );
    }
    if code.max_threads.is_some_and(|most| threads > most) {
        return refuse(
            "the block",
            launch.block,
            "more threads than the kernel's `.maxntid` allows",
        );
    }
    if code
        .required_block
        .is_some_and(|required| required != launch.block)
    {
        return refuse(
            "the block",
            launch.block,
            "not what the kernel's `.reqntid` wants",
        );
    }
    Ok(())
}

/// The arguments as they lie in the parameter block.
fn parameter_block(kernel: &Kernel, launch: &Launch, memory: &Memory) -> Result<Vec<u8>, LaunchError> {
    let params = kernel.params();
    if params.len() != launch.args.len() {
        return Err(LaunchError::ArgumentCount {
            kernel: kernel.name().to_string(),
            expected: params.len(),
            given: launch.args.len(),
        });
    }
    let mut block = vec![0; kernel.code.param_bytes as usize];
    for (index, (param, arg)) in params.iter().zip(&launch.args).enumerate() {
        let bytes = arg.to_bytes(|buffer| {
            let known = buffer.index() < memory.buffers.len();
            let unknown = LaunchError::UnknownBuffer { index };
            known.then(|| memory.address(*buffer)).ok_or(unknown)
        })?;
        if bytes.len() != param.bytes as usize {
            return Err(LaunchError::ArgumentWidth {
                kernel: kernel.name().to_string(),
                index,
                expected: param.bytes,
                given: bytes.len() as u32,
            });
        }
        block[param.offset as usize..][..bytes.len()].copy_from_slice(&bytes);
    }
    Ok(block)
}

/// A value of the parameter block, extended by its sign.
fn parameter(block: &[u8], offset: u32, ty: Type) -> u64 {
    let mut bytes = [0; 8];
    let size = ty.bytes() as usize;
    bytes[..size].copy_from_slice(&block[offset as usize..][..size]);
    let bits = u64::from_le_bytes(bytes);
    if !ty.is_signed() || ty.class() == Class::B64 {
        return bits;
    }
    let above = 64 - 8 * ty.bytes();
    ((bits << above) as i64 >> above) as u64
}
