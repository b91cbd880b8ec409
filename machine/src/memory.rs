//! Global memory: buffers, each in an address region of its own.

use crate::error::MemoryError;

/// Address bits of one region. Buffer `i` starts at `(i + 1) << REGION_BITS`, so that an access that strays
/// from one buffer can not land in another, and region 0 holds no buffer: small addresses always fault.
pub(crate) const REGION_BITS: u32 = 40;

/// The largest buffer in bytes: far below a region, so that a gap follows every buffer.
pub const MAX_BUFFER_BYTES: u64 = 1 << 36;

/// Buffers a memory can hold.
pub const MAX_BUFFERS: usize = 1 << 16;

/// The value of bytes that nothing wrote: NaN in `f32` and `f64`, the largest value in unsigned integers.
pub const POISON: u8 = 0xFF;

/// Which buffer of a [`Memory`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct BufferId(pub(crate) u32);

impl BufferId {
    /// The buffer's place in order of allocation, from 0.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Buffer {
    pub(crate) bytes: Vec<u8>,
    pub(crate) initialised: bool,
}

/// Global memory: buffers that kernels read and write, and that outlive a launch.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    pub(crate) buffers: Vec<Buffer>,
}

impl Memory {
    /// A memory without buffers.
    pub fn new() -> Memory {
        Memory::default()
    }

    /// A new buffer of `bytes` bytes that nothing has written: every byte is [`POISON`].
    ///
    /// # Errors
    ///
    /// When the buffer is larger than [`MAX_BUFFER_BYTES`] or than the host can give, or the memory has
    /// [`MAX_BUFFERS`] buffers already.
    pub fn alloc(&mut self, bytes: u64) -> Result<BufferId, MemoryError> {
        if bytes > MAX_BUFFER_BYTES {
            return Err(MemoryError::TooLarge { bytes });
        }
        if self.buffers.len() >= MAX_BUFFERS {
            return Err(MemoryError::TooMany);
        }
        let len = usize::try_from(bytes).map_err(|_| MemoryError::TooLarge { bytes })?;
        let mut contents = Vec::new();
        contents
            .try_reserve_exact(len)
            .map_err(|_| MemoryError::TooLarge { bytes })?;
        contents.resize(len, POISON);
        Ok(self.push(contents, false))
    }

    /// A new buffer that holds `bytes`.
    ///
    /// # Panics
    ///
    /// When the memory has [`MAX_BUFFERS`] buffers already.
    pub fn alloc_from(&mut self, bytes: Vec<u8>) -> BufferId {
        assert!(
            self.buffers.len() < MAX_BUFFERS,
            "a memory holds at most {MAX_BUFFERS} buffers"
        );
        self.push(bytes, true)
    }

    fn push(&mut self, bytes: Vec<u8>, initialised: bool) -> BufferId {
        self.buffers.push(Buffer { bytes, initialised });
        BufferId(self.buffers.len() as u32 - 1)
    }

    /// The address of the buffer's first byte, a multiple of 256.
    pub fn address(&self, buffer: BufferId) -> u64 {
        base(buffer.index())
    }

    /// The buffer's bytes; empty for a buffer of another memory.
    pub fn bytes(&self, buffer: BufferId) -> &[u8] {
        self.buffers.get(buffer.index()).map_or(&[], |b| &b.bytes)
    }

    /// The buffer's bytes to change; empty for a buffer of another memory.
    pub fn bytes_mut(&mut self, buffer: BufferId) -> &mut [u8] {
        self.buffers
            .get_mut(buffer.index())
            .map_or(&mut [], |b| &mut b.bytes)
    }

    /// The buffer's bytes, with the other buffers given up; empty for a buffer of another memory.
    pub fn into_bytes(mut self, buffer: BufferId) -> Vec<u8> {
        self.buffers
            .get_mut(buffer.index())
            .map_or_else(Vec::new, |b| std::mem::take(&mut b.bytes))
    }

    /// The bytes of every buffer, in order of allocation.
    pub fn into_buffers(self) -> Vec<Vec<u8>> {
        self.buffers.into_iter().map(|buffer| buffer.bytes).collect()
    }

    /// Every buffer, in order of allocation.
    pub fn ids(&self) -> impl Iterator<Item = BufferId> {
        (0..self.buffers.len() as u32).map(BufferId)
    }

    /// The buffer whose region an address lies in, with the offset from its first byte; the offset may be
    /// negative or past the end, for the region is larger than the buffer. Nothing where the nearest region
    /// holds no buffer.
    pub fn locate(&self, address: u64) -> Option<(BufferId, i64)> {
        // The first half of a region belongs to its own buffer, the second half to the one after it.
        let region = (address >> (REGION_BITS - 1)).div_ceil(2);
        let index = usize::try_from(region).ok()?.checked_sub(1)?;
        let offset = address.wrapping_sub(base(index)) as i64;
        (index < self.buffers.len()).then_some((BufferId(index as u32), offset))
    }
}

/// The first address of the buffer with this index.
pub(crate) const fn base(index: usize) -> u64 {
    (index as u64 + 1) << REGION_BITS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_do_not_touch() {
        let mut memory = Memory::new();
        let a = memory.alloc(100).unwrap();
        let b = memory.alloc_from(vec![7; 3]);
        assert_eq!(memory.address(a) % 256, 0);
        assert_eq!(memory.address(b) % 256, 0);
        assert!(memory.address(b) - memory.address(a) > MAX_BUFFER_BYTES);
        assert!(memory.bytes(a).iter().all(|&byte| byte == POISON));
        assert_eq!(memory.bytes(b), [7, 7, 7]);
    }

    #[test]
    fn strays_are_located_by_the_nearest_buffer() {
        let mut memory = Memory::new();
        let a = memory.alloc(100).unwrap();
        let b = memory.alloc(100).unwrap();
        assert_eq!(memory.locate(memory.address(a) + 100), Some((a, 100)));
        assert_eq!(memory.locate(memory.address(b) - 4), Some((b, -4)));
        assert_eq!(memory.locate(memory.address(a)), Some((a, 0)));
        assert_eq!(memory.locate(0), None);
        assert_eq!(memory.locate(u64::MAX), None);
    }

    #[test]
    fn absurd_sizes_are_refused() {
        assert!(Memory::new().alloc(u64::MAX).is_err());
        assert!(Memory::new().alloc(MAX_BUFFER_BYTES + 1).is_err());
    }
}
