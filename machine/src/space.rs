//! State spaces, and how generic addresses tell them apart.

use crate::memory::REGION_BITS;

/// A state space that instructions can access.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum MemorySpace {
    /// Buffers and variables of the module; constants too, which nothing may write.
    Global,
    /// The block's window.
    Shared,
    /// The thread's own.
    Local,
    /// Any of them: the address says which.
    Generic,
}

/// Where the shared window starts among generic addresses: below every buffer.
pub(crate) const SHARED_WINDOW: u64 = 1 << 32;
/// Where the local window starts among generic addresses.
pub(crate) const LOCAL_WINDOW: u64 = 1 << 33;
const WINDOW_BYTES: u64 = 1 << 32;

/// The space that a generic address lies in.
pub(crate) fn of_generic(address: u64) -> MemorySpace {
    match address {
        SHARED_WINDOW..LOCAL_WINDOW => MemorySpace::Shared,
        LOCAL_WINDOW.. if address < LOCAL_WINDOW + WINDOW_BYTES => MemorySpace::Local,
        _ => MemorySpace::Global,
    }
}

/// What to subtract from a generic address for the address in its space.
pub(crate) fn window(space: MemorySpace) -> u64 {
    match space {
        MemorySpace::Shared => SHARED_WINDOW,
        MemorySpace::Local => LOCAL_WINDOW,
        MemorySpace::Global | MemorySpace::Generic => 0,
    }
}

// The windows lie in the first region, which holds no buffer.
const _: () = assert!(LOCAL_WINDOW + WINDOW_BYTES < 1 << REGION_BITS);
