//! Who read what nothing wrote?

use super::finding::{Finding, FindingKind, Place, Site};
use super::log::Log;
use super::per_block::PerBlock;
use super::region::Regions;
use crate::event::{BlockView, LaunchView, Observer, Space, WarpEvent};
use crate::lanes::Line;
use crate::memory::BufferId;
use std::collections::{BTreeMap, HashMap};

/// Counts the reads of single lanes that touch a byte nothing has written: in buffers that were allocated
/// without contents, and in shared memory, which every block starts with fresh.
///
/// What a launch wrote counts as written in the next ones. It can not know of writes by a launch that it did
/// not see, nor of what the host wrote into a buffer allocated without contents. It follows the order in
/// which the machine ran: a read that another order would put before its write is a race, and
/// [`Races`](super::Races) tells.
#[derive(Clone, Debug, Default)]
pub struct Uninitialised {
    regions: Regions,
    /// By place in `regions`: the bytes written so far, for buffers without contents.
    written: Vec<Option<Bits>>,
    shared: PerBlock<Bits>,
    log: Log,
}

/// One bit a byte.
#[derive(Clone, Debug, Default)]
struct Bits(Vec<u64>);

impl Bits {
    fn zeroed(bytes: u64) -> Bits {
        Bits(vec![0; bytes.div_ceil(64) as usize])
    }

    /// The entry and the mask of an access: aligned and of up to 16 bytes, it lies within one entry.
    #[inline]
    fn entry(offset: u64, bytes: u32) -> (usize, u64) {
        (
            (offset / 64) as usize,
            (u64::MAX >> (64 - bytes.clamp(1, 64))) << (offset % 64),
        )
    }

    #[inline]
    fn has(&self, offset: u64, bytes: u32) -> bool {
        let (entry, mask) = Bits::entry(offset, bytes);
        self.0.get(entry).is_some_and(|bits| bits & mask == mask)
    }

    #[inline]
    fn set(&mut self, offset: u64, bytes: u32) {
        let (entry, mask) = Bits::entry(offset, bytes);
        if let Some(bits) = self.0.get_mut(entry) {
            *bits |= mask;
        }
    }
}

impl Uninitialised {
    /// An observer that has seen nothing.
    pub fn new() -> Uninitialised {
        Uninitialised::default()
    }

    /// An observer that keeps the first `limit` findings in full.
    pub fn keeping(limit: usize) -> Uninitialised {
        Uninitialised {
            log: Log::keeping(limit),
            ..Uninitialised::default()
        }
    }

    /// How many reads of single lanes touched a byte that nothing wrote.
    pub fn total(&self) -> u64 {
        self.log.total()
    }

    /// How many, for each source line that had any.
    pub fn by_line(&self) -> &BTreeMap<Line, u64> {
        self.log.per_line()
    }

    /// The first of them, by block index.
    pub fn findings(&self) -> impl Iterator<Item = &Finding> {
        self.log.findings()
    }

    fn watch(&mut self, regions: Regions) {
        let keys = self
            .regions
            .buffers()
            .iter()
            .map(|buffer| (buffer.id, buffer.base));
        let mut before: HashMap<(Option<BufferId>, u64), Option<Bits>> =
            keys.zip(self.written.drain(..)).collect();
        self.written = regions
            .buffers()
            .iter()
            .map(|buffer| {
                let fresh = || (!buffer.initialised).then(|| Bits::zeroed(buffer.bytes));
                before.remove(&(buffer.id, buffer.base)).unwrap_or_else(fresh)
            })
            .collect();
        self.regions = regions;
        self.shared.clear();
    }
}

impl Observer for Uninitialised {
    fn launch(&mut self, launch: &LaunchView<'_>) {
        self.watch(Regions::new(launch.buffers));
    }

    fn block_end(&mut self, block: &BlockView) {
        // Whoever gets this state next starts with nothing written.
        self.shared.get(block.block_index).0.clear();
        self.shared.end(block.block_index);
    }

    #[inline]
    fn request(&mut self, event: &WarpEvent<'_>) {
        match event.space {
            Space::Global => self.global(event),
            Space::Shared => self.shared(event),
        }
    }
}

impl Uninitialised {
    fn global(&mut self, event: &WarpEvent<'_>) {
        // The usual request stays in one buffer: look it up once, and again only for a lane that leaves it.
        let mut at = None;
        let (mut base, mut size) = (0, 0);
        for lane in event.valid {
            let address = event.addresses[lane];
            if address.wrapping_sub(base) >= size {
                at = self.regions.find(address);
                let Some(found) = at else { continue };
                (base, size) = (
                    self.regions.buffers()[found].base,
                    self.regions.buffers()[found].bytes,
                );
            }
            let Some(found) = at else { continue };
            let Some(written) = &mut self.written[found] else {
                continue;
            };
            let offset = address - base;
            if event.access.reads() && !written.has(offset, event.bytes) {
                let regions = &self.regions;
                self.log.add(event.block_index, event.line, || Finding {
                    kind: FindingKind::Uninitialised,
                    place: regions.place(address),
                    first: Some(Site::of_event(event, lane)),
                    second: None,
                });
            }
            if event.access.writes() {
                written.set(offset, event.bytes);
            }
        }
    }

    fn shared(&mut self, event: &WarpEvent<'_>) {
        let written = self.shared.get(event.block_index);
        for lane in event.valid {
            let offset = event.addresses[lane];
            if event.access.reads() && !written.has(offset, event.bytes) {
                self.log.add(event.block_index, event.line, || Finding {
                    kind: FindingKind::Uninitialised,
                    place: Place::Shared(offset),
                    first: Some(Site::of_event(event, lane)),
                    second: None,
                });
            }
            if event.access.writes() {
                let (entry, _) = Bits::entry(offset, event.bytes);
                if entry >= written.0.len() {
                    // Shared memory is small (at most 228 KiB), so growing to what is used is cheap.
                    written.0.resize(entry + 1, 0);
                }
                written.set(offset, event.bytes);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{block, buffer, Warp, BASE};
    use super::*;

    fn watching() -> Uninitialised {
        let mut observer = Uninitialised::new();
        observer.watch(Regions::new(&[buffer(0, 256, false), buffer(1, 256, true)]));
        observer
    }

    #[test]
    fn reads_before_writes_are_found() {
        let mut observer = watching();
        observer.request(&Warp::new().load(&|lane| BASE + 4 * lane));
        assert_eq!(observer.total(), 0, "the second buffer has contents");
        observer.request(&Warp::new().lanes(0xFFFF).store(&|lane| 4 * lane));
        observer.request(&Warp::new().at(6, 12).load(&|lane| 4 * lane));
        assert_eq!((observer.total(), observer.by_line()[&Line(12)]), (16, 16));
        assert_eq!(
            observer.findings().next().unwrap().to_string(),
            "line 12: thread (16, 0, 0) of block (0, 0, 0) loads 4 bytes at buffer 0 + 64, which nothing has written"
        );
    }

    #[test]
    fn one_missing_byte_is_enough() {
        let mut observer = watching();
        observer.request(&Warp::new().bytes(1).lanes(0b111).store(&|lane| lane));
        observer.request(&Warp::new().lanes(1).load(&|_| 0));
        assert_eq!(observer.total(), 1);
    }

    #[test]
    fn an_atomic_reads_and_writes() {
        let mut observer = watching();
        observer.request(&Warp::new().lanes(1).atomic(&|_| 0));
        observer.request(&Warp::new().lanes(1).atomic(&|_| 0));
        assert_eq!(observer.total(), 1);
    }

    #[test]
    fn written_stays_written_over_launches() {
        let mut observer = watching();
        observer.request(&Warp::new().store(&|lane| 4 * lane));
        observer.watch(Regions::new(&[buffer(0, 256, false), buffer(2, 64, false)]));
        observer.request(&Warp::new().load(&|lane| 4 * lane));
        assert_eq!(observer.total(), 0);
    }

    #[test]
    fn shared_memory_is_fresh_in_every_block() {
        let mut observer = watching();
        let warp = Warp::new().shared();
        observer.request(&warp.store(&|lane| 4 * lane));
        observer.request(&warp.load(&|lane| 4 * (31 - lane)));
        assert_eq!(observer.total(), 0);
        observer.block_end(&block(0));
        observer.request(&warp.block(1).load(&|lane| 4 * lane));
        assert_eq!(observer.total(), 32);
    }
}
