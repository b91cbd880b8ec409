//! A launch: how many threads, with which arguments, in which order.

use crate::memory::BufferId;

/// One argument of a launch, in the width of its parameter. `B` says which buffer is meant: a [`BufferId`] for a
/// launch, a place in a list of buffers for a [`Case`](crate::case::Case).
#[derive(Clone, PartialEq, Debug)]
pub enum Arg<B = BufferId> {
    /// The address of a buffer.
    Buffer(B),
    /// The address of the byte of a buffer that is so many bytes after its first.
    Inside(B, u64),
    /// 1 byte.
    U8(u8),
    /// 2 bytes.
    U16(u16),
    /// 4 bytes.
    U32(u32),
    /// 8 bytes.
    U64(u64),
    /// 4 bytes, signed.
    I32(i32),
    /// 8 bytes, signed.
    I64(i64),
    /// 4 bytes, floating point.
    F32(f32),
    /// 8 bytes, floating point.
    F64(f64),
    /// A struct passed by value, as it lies in memory.
    Bytes(Vec<u8>),
}

impl<B> Arg<B> {
    /// The same argument with its buffer, if it has one, named in another way.
    pub fn map_buffer<C, E>(self, name: impl FnOnce(B) -> Result<C, E>) -> Result<Arg<C>, E> {
        Ok(match self {
            Arg::Buffer(buffer) => Arg::Buffer(name(buffer)?),
            Arg::Inside(buffer, offset) => Arg::Inside(name(buffer)?, offset),
            Arg::U8(v) => Arg::U8(v),
            Arg::U16(v) => Arg::U16(v),
            Arg::U32(v) => Arg::U32(v),
            Arg::U64(v) => Arg::U64(v),
            Arg::I32(v) => Arg::I32(v),
            Arg::I64(v) => Arg::I64(v),
            Arg::F32(v) => Arg::F32(v),
            Arg::F64(v) => Arg::F64(v),
            Arg::Bytes(bytes) => Arg::Bytes(bytes),
        })
    }

    /// The argument as it lies in the parameter block, where `address` gives the first byte of a buffer.
    pub fn to_bytes<E>(&self, address: impl FnOnce(&B) -> Result<u64, E>) -> Result<Vec<u8>, E> {
        Ok(match self {
            Arg::Buffer(buffer) => address(buffer)?.to_le_bytes().to_vec(),
            Arg::Inside(buffer, offset) => address(buffer)?.wrapping_add(*offset).to_le_bytes().to_vec(),
            Arg::U8(v) => v.to_le_bytes().to_vec(),
            Arg::U16(v) => v.to_le_bytes().to_vec(),
            Arg::U32(v) => v.to_le_bytes().to_vec(),
            Arg::U64(v) => v.to_le_bytes().to_vec(),
            Arg::I32(v) => v.to_le_bytes().to_vec(),
            Arg::I64(v) => v.to_le_bytes().to_vec(),
            Arg::F32(v) => v.to_le_bytes().to_vec(),
            Arg::F64(v) => v.to_le_bytes().to_vec(),
            Arg::Bytes(bytes) => bytes.clone(),
        })
    }
}

/// What to launch a kernel with.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Launch {
    /// Blocks of the grid, [x, y, z].
    pub grid: [u32; 3],
    /// Threads of a block, [x, y, z].
    pub block: [u32; 3],
    /// Dynamic shared memory of a block in bytes.
    pub shared_bytes: u32,
    /// One argument for each parameter.
    pub args: Vec<Arg>,
}

/// The order in which blocks start. CUDA promises none: a right kernel gives the same result in all.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Order {
    /// By linear block index, x fastest; the warps of a block by their index.
    #[default]
    Forward,
    /// The other way round, blocks and warps alike.
    Reverse,
    /// Mixed by this seed, blocks and the warps of each block alike.
    Shuffle(u64),
}

/// How far a run may go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Warp-wide instructions of the whole launch.
    pub instructions: u64,
    /// Warp-wide instructions without any progress that others can see: no thread exits, no barrier opens, no
    /// store or successful atomic is made.
    pub quiet_instructions: u64,
    /// Threads that the device holds at a time. Blocks start one after the other; a block that waits for
    /// another one stays resident while the next one starts.
    pub resident_threads: u64,
}

impl Default for Limits {
    /// Far more than the course's kernels need, and minutes at most: 2^32 instructions, 2^28 quiet ones, and
    /// the 270,336 threads that the 132 multiprocessors of an H200 hold.
    fn default() -> Limits {
        Limits {
            instructions: 1 << 32,
            quiet_instructions: 1 << 28,
            resident_threads: 132 * 2048,
        }
    }
}

/// How to run a launch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// The order in which blocks start.
    pub order: Order,
    /// How far the run may go.
    pub limits: Limits,
    /// Threads of the host to use. More than one is used only where neither memory nor the observer's report
    /// can depend on it.
    pub threads: usize,
}

impl Default for Options {
    /// Forward order, default limits, one thread.
    fn default() -> Options {
        Options {
            order: Order::Forward,
            limits: Limits::default(),
            threads: 1,
        }
    }
}
