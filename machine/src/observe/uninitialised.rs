//! Who read what nothing wrote?

use super::finding::{Finding, FindingKind, Place, Site};
use super::log::Log;
use super::per_block::PerBlock;
use super::region::Regions;
use crate::event::{BlockView, BufferView, LaunchView, Observer, Space, WarpEvent};
use crate::lanes::{LaneMask, Line};
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

    /// Takes over what some lanes write, and tells whether all that they read was written before.
    #[inline]
    fn access(&mut self, event: &WarpEvent<'_>, lanes: LaneMask, base: u64) -> bool {
        let mut known = true;
        if event.access.reads() {
            event.bytes_by_64(lanes, base, |at, bytes, _| known &= self.has(at, bytes));
        }
        if known && event.access.writes() {
            self.write(event, lanes, base);
        }
        known
    }

    #[inline]
    fn write(&mut self, event: &WarpEvent<'_>, lanes: LaneMask, base: u64) {
        event.bytes_by_64(lanes, base, |at, bytes, _| {
            if let Some(written) = self.0.get_mut(at) {
                *written |= bytes;
            } else {
                // Shared memory is small (at most 228 KiB) and grows to what is used.
                self.0.resize(at + 1, 0);
                self.0[at] = bytes;
            }
        });
    }

    #[inline]
    fn has(&self, at: usize, bytes: u64) -> bool {
        self.0.get(at).is_some_and(|written| written & bytes == bytes)
    }

    /// The lanes that read a byte nothing wrote. Lane by lane, as one atomic may write what the next reads.
    fn unwritten(&mut self, event: &WarpEvent<'_>, lanes: LaneMask, base: u64) -> LaneMask {
        let mut unwritten = 0;
        for lane in lanes {
            let one = LaneMask(1 << lane);
            event.bytes_by_64(one, base, |at, bytes, _| {
                unwritten |= u32::from(!self.has(at, bytes)) << lane;
            });
            if event.access.writes() {
                self.write(event, one, base);
            }
        }
        LaneMask(unwritten)
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

    /// The first of them, by block and warp.
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
        // The usual request stays in one buffer; each other one takes a turn of its own.
        let mut left = event.valid;
        while let Some(lane) = left.lowest() {
            let Some(at) = self.regions.find(event.addresses[lane]) else {
                break;
            };
            let BufferView { base, bytes, .. } = self.regions.buffers()[at];
            let inside = event.inside(left, base, bytes);
            left = left - inside;
            let Some(written) = &mut self.written[at] else {
                continue;
            };
            if !written.access(event, inside, base) {
                let regions = &self.regions;
                let unwritten = written.unwritten(event, inside, base);
                report(&mut self.log, event, unwritten, |address| regions.place(address));
            }
        }
    }

    fn shared(&mut self, event: &WarpEvent<'_>) {
        let written = self.shared.get(event.block_index);
        if !written.access(event, event.valid, 0) {
            let unwritten = written.unwritten(event, event.valid, 0);
            report(&mut self.log, event, unwritten, Place::Shared);
        }
    }
}

#[cold]
fn report(log: &mut Log, event: &WarpEvent<'_>, lanes: LaneMask, place: impl Fn(u64) -> Place) {
    for lane in lanes {
        log.add((event.block_index, event.warp), event.line, || Finding {
            kind: FindingKind::Uninitialised,
            place: place(event.addresses[lane]),
            first: Some(Site::of_event(event, lane)),
            second: None,
        });
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
