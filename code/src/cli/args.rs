//! The command line, as clap reads it.

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;
use warpwise_machine::Order;

/// Walking matrices on the GPU: run every lesson of the book, on a GPU or on a machine that executes its PTX.
#[derive(Debug, Parser)]
#[command(name = "warpwise", version, max_term_width = 100)]
pub struct Cli {
    /// What to do; without it, every lesson runs once, short.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List lessons, kernels and examples, and which hardware they need.
    List {
        /// Print one JSON document.
        #[arg(long)]
        json: bool,
    },
    /// Run one lesson.
    Run(RunArgs),
    /// Print the visiting order of a matrix: flat row-major indices from 0, on one line.
    Order {
        /// The walk.
        walk: Walk,
        /// Rows of the matrix.
        #[arg(long)]
        rows: u64,
        /// Columns of the matrix.
        #[arg(long)]
        cols: u64,
    },
    /// Run one of the chapters' GPU-marked examples.
    Example {
        /// Its name, as `warpwise list` shows it.
        name: String,
    },
    /// Run any kernel on the PTX machine and report what it touched, by source line.
    Trace(TraceArgs),
    /// On a GPU: run, check, time and count every kernel, run the examples, and write evidence.
    Record(RecordArgs),
    /// Compare evidence with today's kernels and examples, and with the machine's predictions.
    Verify {
        /// Print one JSON document.
        #[arg(long)]
        json: bool,
        /// The folder that holds one folder a card.
        #[arg(long, value_name = "DIR")]
        evidence: Option<PathBuf>,
        /// Predict larger shapes too, up to 4096x4096, where nothing is promised of wavefronts; it takes a while.
        #[arg(long)]
        beyond: bool,
    },
    /// Launch one kernel once on the GPU, for a profiler to watch.
    #[command(hide = true)]
    Launch {
        /// Kernel and shape, as `copy:1024x1024`, one after the other.
        #[arg(required = true)]
        runs: Vec<String>,
        /// No guard region behind the matrices of the bounds lesson.
        #[arg(long)]
        no_guard: bool,
    },
}

/// Options of `run`.
#[derive(Debug, Args)]
pub struct RunArgs {
    /// The lesson, as `warpwise list` shows it.
    pub lesson: String,
    /// Run this kernel of the lesson only.
    #[arg(long)]
    pub kernel: Option<String>,
    /// Rows of the matrix.
    #[arg(long)]
    pub rows: Option<u64>,
    /// Columns of the matrix.
    #[arg(long)]
    pub cols: Option<u64>,
    /// Threads a block.
    #[arg(long, value_name = "X,Y", value_parser = parse_block)]
    pub block: Option<[u32; 2]>,
    /// Lines that the cache of the storage lesson holds.
    #[arg(long, value_name = "N")]
    pub lines: Option<u64>,
    /// Where kernels run; auto says what it chose.
    #[arg(long, value_enum, default_value_t = DeviceChoice::Auto)]
    pub device: DeviceChoice,
    /// In which order blocks start on the machine: forward, reverse or shuffle:SEED.
    #[arg(long, value_parser = parse_order)]
    pub order: Option<Order>,
    /// Look for races on matrices of any size.
    #[arg(long)]
    pub races: bool,
    /// Bounds lesson: no guard region behind the matrix.
    #[arg(long)]
    pub no_guard: bool,
    /// Print one JSON document.
    #[arg(long)]
    pub json: bool,
}

/// Options of `trace`.
#[derive(Debug, Args)]
pub struct TraceArgs {
    /// A .ptx file, or a .cu file where NVIDIA's NVRTC library is installed.
    pub file: PathBuf,
    /// The kernel to launch.
    #[arg(long)]
    pub kernel: String,
    /// Blocks.
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = parse_dims)]
    pub grid: [u32; 3],
    /// Threads a block.
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = parse_dims)]
    pub block: [u32; 3],
    /// Dynamic shared memory a block, in bytes.
    #[arg(long, value_name = "BYTES", default_value_t = 0)]
    pub shared: u32,
    /// The arguments, in the kernel's order: in:TYPE:COUNT, in:TYPE:@FILE, out:TYPE:COUNT, or TYPE:VALUE, with
    /// TYPE one of u8 i32 u32 i64 u64 f32 f64.
    #[arg(long = "arg", value_name = "SPEC")]
    pub args: Vec<String>,
    /// In which order blocks start: forward, reverse or shuffle:SEED.
    #[arg(long, value_parser = parse_order, default_value = "forward")]
    pub order: Order,
    /// Look for races whatever the number of cells.
    #[arg(long)]
    pub races: bool,
    /// Print one JSON document.
    #[arg(long)]
    pub json: bool,
}

/// Options of `record`.
#[derive(Debug, Args)]
pub struct RecordArgs {
    /// The lesson, `examples` or `instructions`; without it, all of them.
    pub lesson: Option<String>,
    /// The folder that gets one folder a card.
    #[arg(long, value_name = "DIR", default_value = "evidence")]
    pub evidence: PathBuf,
    /// Leave hardware counters out even where ncu is installed.
    #[arg(long)]
    pub no_counters: bool,
}

/// Where kernels run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DeviceChoice {
    /// A GPU if there is one, else the PTX machine.
    Auto,
    /// A GPU, or an error.
    Gpu,
    /// The PTX machine.
    Machine,
}

/// The walks of `order`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Walk {
    /// Clockwise from the first cell inwards.
    Spiral,
    /// Diagonal after diagonal, even ones upwards.
    Zigzag,
}

fn parse_order(text: &str) -> Result<Order, String> {
    match text.split_once(':') {
        None if text == "forward" => Ok(Order::Forward),
        None if text == "reverse" => Ok(Order::Reverse),
        Some(("shuffle", seed)) => seed
            .parse()
            .map(Order::Shuffle)
            .map_err(|_| format!("the seed `{seed}` is not a whole number")),
        _ => Err("an order is forward, reverse or shuffle:SEED".to_owned()),
    }
}

fn parse_numbers(text: &str) -> Option<Vec<u32>> {
    text.split(',').map(|n| n.trim().parse().ok()).collect()
}

fn parse_block(text: &str) -> Result<[u32; 2], String> {
    match parse_numbers(text).as_deref() {
        Some(&[x]) => Ok([x, 1]),
        Some(&[x, y]) => Ok([x, y]),
        _ => Err("a block is X,Y threads, such as 16,16".to_owned()),
    }
}

fn parse_dims(text: &str) -> Result<[u32; 3], String> {
    match parse_numbers(text).as_deref() {
        Some(&[x]) => Ok([x, 1, 1]),
        Some(&[x, y]) => Ok([x, y, 1]),
        Some(&[x, y, z]) => Ok([x, y, z]),
        _ => Err("one to three whole numbers are wanted, such as 4 or 4,3,1".to_owned()),
    }
}
