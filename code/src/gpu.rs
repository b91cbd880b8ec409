//! Real GPUs: the one module that names cudarc.
//!
//! Everything is loaded at run time: building needs no CUDA, running needs a driver. The kernels are the
//! committed PTX, which the driver compiles for the card it finds.

mod instructions;

use crate::bounds::POISON;
use crate::kernels::{KernelSpec, ELEMENT_BYTES};
use crate::plan::{Plan, Step};
use crate::source::Source;
use cudarc::cublas::sys as cublas;
use cudarc::cublas::CudaBlas;
use cudarc::driver::sys::{self, CUevent_flags, CUresult};
use cudarc::driver::{
    CudaContext, CudaEvent, CudaFunction, CudaModule, CudaSlice, CudaStream, DevicePtr, DevicePtrMut,
    DriverError, LaunchConfig, PushKernelArg,
};
use cudarc::nvrtc::{CompileOptions, Ptx};
use std::collections::HashMap;
use std::sync::Arc;
use thiserror::Error;

/// Runs of a kernel before it is timed: modules load and clocks rise during these.
pub const WARM_UPS: usize = 3;
/// Timed runs of a kernel.
pub const TIMED_RUNS: usize = 15;

/// Why a GPU could not do what was asked.
#[derive(Debug, Error)]
pub enum GpuError {
    /// libcuda is not installed.
    #[error("no NVIDIA driver was found (libcuda is missing); install one, or use `warpwise run LESSON --device machine`")]
    NoDriver,
    /// A driver, but nothing to drive.
    #[error(
        "the NVIDIA driver sees no GPU; check nvidia-smi and CUDA_VISIBLE_DEVICES, \
         or use `warpwise run LESSON --device machine`"
    )]
    NoDevice,
    /// The driver predates the PTX.
    #[error(
        "the NVIDIA driver ({driver}) is too old for this PTX ({version}); \
         update the driver to one for CUDA 11.7 or later (515 or later)"
    )]
    DriverTooOld {
        /// CUDA version the driver supports.
        driver: String,
        /// PTX version asked for.
        version: &'static str,
    },
    /// Not enough memory on the card.
    #[error("the GPU has {free} MiB free and this needs {needed} MiB; ask for a smaller shape")]
    OutOfMemory {
        /// MiB free when it failed.
        free: u64,
        /// MiB the run needs in all.
        needed: u64,
    },
    /// An event pair gave a time that can not be.
    #[error("the GPU reported an elapsed time of {0} ms, which can not be; run it again on an idle card")]
    Time(f32),
    /// cuBLAS is not there.
    #[error("cuBLAS was not found (libcublas is missing); install the CUDA toolkit's libcublas")]
    NoCublas,
    /// NVRTC is not there.
    #[error(
        "compiling CUDA C needs NVIDIA's NVRTC library, which was not found; \
         pip install nvidia-cuda-nvrtc-cu12 and put its lib folder on LD_LIBRARY_PATH, or pass a .ptx file"
    )]
    NoNvrtc,
    /// The CUDA C did not compile.
    #[error("NVRTC refused the CUDA C:\n{0}")]
    Compile(String),
    /// Anything else the driver says.
    #[error("{what} failed on the GPU: {error}; {hint}")]
    Driver {
        /// What was being done.
        what: &'static str,
        /// The driver's own words.
        error: String,
        /// What to do.
        hint: &'static str,
    },
}

/// What a GPU run of one kernel gave.
#[derive(Clone, Debug)]
pub struct GpuRun {
    /// The output buffer, guard included.
    pub output: Vec<u32>,
    /// One elapsed time a timed run, in milliseconds.
    pub samples_ms: Vec<f32>,
}

/// A card, its context and the modules loaded so far.
pub struct Gpu {
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    modules: HashMap<&'static str, Arc<CudaModule>>,
    /// The card's name.
    pub name: String,
    /// Compute capability, as `9.0`.
    pub compute_capability: String,
    /// Version of the installed driver.
    pub driver: String,
    /// CUDA version that the driver supports.
    pub cuda: String,
}

impl Gpu {
    /// Returns the first GPU.
    ///
    /// # Errors
    /// There is no driver, no device, or the driver refuses a context.
    pub fn open() -> Result<Gpu, GpuError> {
        require_driver()?;
        let context = CudaContext::new(0).map_err(|e| match e.0 {
            CUresult::CUDA_ERROR_NO_DEVICE | CUresult::CUDA_ERROR_INVALID_DEVICE => GpuError::NoDevice,
            CUresult::CUDA_ERROR_STUB_LIBRARY => GpuError::NoDriver,
            _ => driver_error("opening the first device", e),
        })?;
        let describe = |e| driver_error("describing the device", e);
        let (major, minor) = context.compute_capability().map_err(describe)?;
        let name = context.name().map_err(describe)?;
        let cuda = cuda_version();
        Ok(Gpu {
            stream: context.default_stream(),
            context,
            modules: HashMap::new(),
            name,
            compute_capability: format!("{major}.{minor}"),
            driver: driver_version().unwrap_or_else(|| format!("for CUDA {cuda}")),
            cuda,
        })
    }

    /// Returns the output of a plan, run once from poisoned memory, and the times of `runs` further runs.
    ///
    /// # Errors
    /// The driver's: too old for the PTX, out of memory, a launch that faults.
    pub fn run(&mut self, plan: &Plan, runs: usize) -> Result<GpuRun, GpuError> {
        let function = self.function(plan.kernel)?;
        let needed = (plan.kernel.inputs.len() as u64 + 1) * plan.buffer_cells() * ELEMENT_BYTES;
        let inputs: Vec<CudaSlice<u32>> = plan
            .kernel
            .inputs
            .iter()
            .map(|fill| self.upload(&(0..plan.buffer_cells()).map(fill).collect::<Vec<_>>(), needed))
            .collect::<Result<_, _>>()?;
        let output = self.upload(&vec![POISON; plan.buffer_cells() as usize], needed)?;
        let all = || -> Result<(), GpuError> {
            plan.steps()
                .try_for_each(|step| self.launch(&function, plan, step, &inputs, &output))
        };
        all()?;
        let cells = self.download(&output)?;
        let samples_ms = if plan.cells == 0 {
            Vec::new()
        } else {
            self.time(runs, all)?
        };
        Ok(GpuRun {
            output: cells,
            samples_ms,
        })
    }

    /// Launches a plan once, unchecked and untimed: what a profiler attaches to.
    ///
    /// # Errors
    /// As [`Gpu::run`].
    pub fn launch_once(&mut self, plan: &Plan) -> Result<(), GpuError> {
        self.run(plan, 0).map(|_| ())
    }

    /// Returns the times of copying `bytes` from device to device, the ceiling of every kernel here.
    ///
    /// # Errors
    /// Out of memory, or the driver's.
    pub fn time_memcpy(&self, bytes: u64, runs: usize) -> Result<Vec<f32>, GpuError> {
        let from = self.upload(&vec![POISON; (bytes / ELEMENT_BYTES) as usize], 2 * bytes)?;
        let mut to = self.upload(&vec![0u32; (bytes / ELEMENT_BYTES) as usize], 2 * bytes)?;
        self.time(runs, || {
            self.stream
                .memcpy_dtod(&from, &mut to)
                .map_err(|e| driver_error("memcpy", e))
        })
    }

    /// Returns cuBLAS' own transpose (`geam`) of the rows x cols matrix 0, 1, 2, …, and its times.
    ///
    /// # Errors
    /// cuBLAS is missing or refuses; out of memory.
    pub fn cublas_geam(&self, rows: u64, cols: u64, runs: usize) -> Result<GpuRun, GpuError> {
        require_cublas()?;
        let blas = CudaBlas::new(self.stream.clone()).map_err(|e| cublas_error("starting cuBLAS", e))?;
        let bytes = rows * cols * ELEMENT_BYTES;
        // Bit patterns survive a multiplication by one as long as none is a NaN, which holds below 2^31 - 2^23.
        let input = self.upload(&(0..(rows * cols) as u32).collect::<Vec<_>>(), 2 * bytes)?;
        let mut output = self.upload(&vec![POISON; (rows * cols) as usize], 2 * bytes)?;
        self.geam(&blas, &input, &mut output, rows, cols)?;
        let cells = self.download(&output)?;
        let samples_ms = self.time(runs, || self.geam(&blas, &input, &mut output, rows, cols))?;
        Ok(GpuRun {
            output: cells,
            samples_ms,
        })
    }

    fn geam(
        &self,
        blas: &CudaBlas,
        input: &CudaSlice<u32>,
        output: &mut CudaSlice<u32>,
        rows: u64,
        cols: u64,
    ) -> Result<(), GpuError> {
        let (m, n) = (rows as i32, cols as i32);
        let (from, _reading) = input.device_ptr(&self.stream);
        let (to, _writing) = output.device_ptr_mut(&self.stream);
        let (one, zero) = (1f32, 0f32);
        let (a, c) = (from as *const f32, to as *mut f32);
        // SAFETY: both buffers hold rows * cols cells of four bytes on this device and outlive the call. The input is
        // column-major cols x rows (leading dimension cols), the output column-major rows x cols. B is not read,
        // because beta is zero.
        #[allow(unsafe_code)]
        let status = unsafe {
            cublas::cublasSgeam(
                *blas.handle(),
                cublas::cublasOperation_t::CUBLAS_OP_T,
                cublas::cublasOperation_t::CUBLAS_OP_N,
                m,
                n,
                &one,
                a,
                n,
                &zero,
                c,
                m,
                c,
                m,
            )
        };
        status.result().map_err(|e| cublas_error("geam", e))
    }

    fn function(&mut self, kernel: &KernelSpec) -> Result<CudaFunction, GpuError> {
        let module = self.module(kernel.source)?;
        module
            .load_function(kernel.name)
            .map_err(|e| driver_error("finding the kernel", e))
    }

    fn module(&mut self, source: &'static Source) -> Result<Arc<CudaModule>, GpuError> {
        if let Some(module) = self.modules.get(source.stem) {
            return Ok(module.clone());
        }
        let module = self
            .context
            .load_module(Ptx::from_src(source.ptx))
            .map_err(|e| match e.0 {
                CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION => GpuError::DriverTooOld {
                    driver: self.driver.clone(),
                    version: "version 7.7",
                },
                _ => driver_error("loading the PTX", e),
            })?;
        self.modules.insert(source.stem, module.clone());
        Ok(module)
    }

    fn launch(
        &self,
        function: &CudaFunction,
        plan: &Plan,
        step: Step,
        inputs: &[CudaSlice<u32>],
        output: &CudaSlice<u32>,
    ) -> Result<(), GpuError> {
        let ([gx, gy, gz], [bx, by, bz]) = (step.grid, plan.block);
        let config = LaunchConfig {
            grid_dim: (gx, gy, gz),
            block_dim: (bx, by, bz),
            shared_mem_bytes: 0,
        };
        let mut arguments = self.stream.launch_builder(function);
        for input in inputs {
            arguments.arg(input);
        }
        arguments.arg(output).arg(&plan.shape.rows).arg(&plan.shape.cols);
        if let Some(diagonal) = &step.diagonal {
            arguments.arg(diagonal);
        }
        // SAFETY: the plan gives every kernel of the registry its buffers, at least as long as the shape says, and
        // 64-bit scalars, which is what their PTX declares (a test compares the two). Kernels that are wrong on
        // purpose write into the guard region, or fault, which the driver reports.
        #[allow(unsafe_code)]
        let launched = unsafe { arguments.launch(config) };
        launched
            .map(|_| ())
            .map_err(|e| driver_error("launching the kernel", e))
    }

    /// Times `runs` calls after the warm-ups, each between two events on the stream.
    fn time(
        &self,
        runs: usize,
        mut call: impl FnMut() -> Result<(), GpuError>,
    ) -> Result<Vec<f32>, GpuError> {
        if runs == 0 {
            return Ok(Vec::new());
        }
        for _ in 0..WARM_UPS {
            call()?;
        }
        let timing = |e| driver_error("timing", e);
        let event = || {
            self.context
                .new_event(Some(CUevent_flags::CU_EVENT_DEFAULT))
                .map_err(timing)
        };
        let mut samples = Vec::with_capacity(runs);
        for _ in 0..runs {
            let (start, end): (CudaEvent, CudaEvent) = (event()?, event()?);
            start.record(&self.stream).map_err(timing)?;
            call()?;
            end.record(&self.stream).map_err(timing)?;
            let elapsed = start.elapsed_ms(&end).map_err(timing)?;
            if !elapsed.is_finite() || elapsed <= 0.0 {
                return Err(GpuError::Time(elapsed));
            }
            samples.push(elapsed);
        }
        Ok(samples)
    }

    fn upload(&self, cells: &[u32], needed: u64) -> Result<CudaSlice<u32>, GpuError> {
        // The driver has no buffer of zero bytes; one cell stands for it and is cut off again on the way back.
        let cells = if cells.is_empty() { &[POISON][..] } else { cells };
        self.stream.clone_htod(cells).map_err(|e| match e.0 {
            CUresult::CUDA_ERROR_OUT_OF_MEMORY => {
                let free = self.context.mem_get_info().map_or(0, |(free, _)| free as u64);
                GpuError::OutOfMemory {
                    free: free >> 20,
                    needed: needed.div_ceil(1 << 20),
                }
            }
            _ => driver_error("copying to the GPU", e),
        })
    }

    fn download(&self, buffer: &CudaSlice<u32>) -> Result<Vec<u32>, GpuError> {
        self.stream
            .clone_dtoh(buffer)
            .map_err(|e| driver_error("running the kernel", e))
    }
}

/// Returns the PTX that NVRTC makes of CUDA C for compute capability 7.5, with line marks.
///
/// # Errors
/// NVRTC is not installed, or refuses the source.
pub fn compile(cu: &str, file_name: &str) -> Result<String, GpuError> {
    // SAFETY: only looks whether the library can be opened; cudarc would panic if it can not.
    #[allow(unsafe_code)]
    let present = unsafe { cudarc::nvrtc::sys::is_culib_present() };
    if !present {
        return Err(GpuError::NoNvrtc);
    }
    if cu.contains('\0') || file_name.contains('\0') {
        return Err(GpuError::Compile(
            "the source has a NUL character in it".to_owned(),
        ));
    }
    let options = CompileOptions {
        arch: Some("compute_75"),
        name: Some(file_name.to_owned()),
        options: vec!["--generate-line-info".to_owned()],
        ..Default::default()
    };
    cudarc::nvrtc::compile_ptx_with_opts(cu, options)
        .map(|ptx| ptx.to_src())
        .map_err(|e| match e {
            cudarc::nvrtc::CompileError::CompileError { log, .. } => {
                GpuError::Compile(log.to_string_lossy().trim_end().to_owned())
            }
            other => GpuError::Compile(format!("{other:?}")),
        })
}

/// Returns nothing if libcuda can be loaded. cudarc panics where it can not, so ask before its first call.
///
/// # Errors
/// [`GpuError::NoDriver`].
pub fn require_driver() -> Result<(), GpuError> {
    // SAFETY: opens the library and drops it again.
    #[allow(unsafe_code)]
    let present = unsafe { sys::is_culib_present() };
    present.then_some(()).ok_or(GpuError::NoDriver)
}

/// Returns nothing if libcublas can be loaded.
///
/// # Errors
/// [`GpuError::NoCublas`].
pub fn require_cublas() -> Result<(), GpuError> {
    // SAFETY: opens the library and drops it again.
    #[allow(unsafe_code)]
    let present = unsafe { cublas::is_culib_present() };
    present.then_some(()).ok_or(GpuError::NoCublas)
}

fn cuda_version() -> String {
    let mut version = 0;
    // SAFETY: writes one integer, and needs no context.
    #[allow(unsafe_code)]
    let status = unsafe { sys::cuDriverGetVersion(&mut version) };
    match status.result() {
        Ok(()) => format!("{}.{}", version / 1000, version % 1000 / 10),
        Err(_) => "unknown".to_owned(),
    }
}

/// The driver library names only the CUDA version it supports; its own version is with the kernel module, or nvidia-smi.
fn driver_version() -> Option<String> {
    let is_version = |word: &str| word.contains('.') && word.chars().all(|c| c.is_ascii_digit() || c == '.');
    if let Ok(text) = std::fs::read_to_string("/proc/driver/nvidia/version") {
        if let Some(version) = text.split_whitespace().find(|w| is_version(w)) {
            return Some(version.to_owned());
        }
    }
    let asked = std::process::Command::new("nvidia-smi")
        .args(["--query-gpu=driver_version", "--format=csv,noheader"])
        .output()
        .ok()?;
    let text = String::from_utf8(asked.stdout).ok()?;
    text.lines()
        .map(str::trim)
        .find(|l| is_version(l))
        .map(str::to_owned)
}

fn driver_error(what: &'static str, error: DriverError) -> GpuError {
    let hint = match error.0 {
        CUresult::CUDA_ERROR_ILLEGAL_ADDRESS => {
            "it read or wrote outside its buffers; trace it on the machine"
        }
        CUresult::CUDA_ERROR_INVALID_PTX | CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU => {
            "the card is older than compute capability 7.5; use --device machine"
        }
        CUresult::CUDA_ERROR_SYSTEM_DRIVER_MISMATCH => "reboot, or reinstall the driver",
        _ => "check nvidia-smi, or use --device machine",
    };
    GpuError::Driver {
        what,
        error: format!("{error:?}"),
        hint,
    }
}

fn cublas_error(what: &'static str, error: cudarc::cublas::result::CublasError) -> GpuError {
    GpuError::Driver {
        what,
        error: format!("{error:?}"),
        hint: "check that libcublas fits the driver",
    }
}
