//! Was each cell of the output written exactly once?

use super::finding::{Finding, FindingKind, Place};
use super::region::{offsets_by_64, run_by_64};
use crate::event::{LaunchView, Observer, Space, WarpEvent};
use crate::lanes::LANES;
use crate::memory::BufferId;

/// Watches one buffer and tells which of its cells were written never, once, or more than once.
///
/// Writes add up over launches, so that a wavefront of many launches is one whole. An atomic is a write. A
/// cell counts as written when all of its bytes are, and as written twice when any byte is.
///
/// It can not tell whether what was written is right, nor who wrote a cell twice: [`Races`](super::Races)
/// names both where nothing orders them.
#[derive(Clone, Debug)]
pub struct Coverage {
    buffer: BufferId,
    cell_bytes: u64,
    cells: u64,
    /// The first address of the buffer, once a launch has told.
    base: u64,
    /// Two bits a byte, 64 bytes an entry: written at all, written again.
    marks: Vec<[u64; 2]>,
    /// A fork marks nothing: it notes the writes of its blocks, for the observer that it joins to mark. A round
    /// of blocks writes a small part of a large buffer, and marks of the whole would be made anew for each.
    noted: Option<Vec<Noted>>,
}

/// Writes of `bytes` bytes each, `step` bytes from each to the next.
#[derive(Clone, Copy, Debug)]
struct Noted {
    address: u64,
    step: i64,
    times: u32,
    bytes: u32,
}

impl Coverage {
    /// An observer of the first `cells` cells of `buffer`, of `cell_bytes` bytes each.
    pub fn new(buffer: BufferId, cells: u64, cell_bytes: u64) -> Coverage {
        Coverage {
            buffer,
            cell_bytes: cell_bytes.max(1),
            cells,
            base: 0,
            marks: Vec::new(),
            noted: None,
        }
    }

    /// True when every cell was written exactly once.
    pub fn once(&self) -> bool {
        self.tally().is_whole()
    }

    /// How many cells were never written.
    pub fn never_written(&self) -> u64 {
        self.tally().never
    }

    /// How many cells were written more than once.
    pub fn written_twice(&self) -> u64 {
        self.tally().twice
    }

    /// The lowest cell that was never written.
    pub fn first_never_written(&self) -> Option<u64> {
        self.tally().first_never
    }

    /// The lowest cell that was written more than once.
    pub fn first_written_twice(&self) -> Option<u64> {
        self.tally().first_twice
    }

    /// The lowest cell of each kind, as findings; none when [`once`](Coverage::once).
    pub fn findings(&self) -> Vec<Finding> {
        let tally = self.tally();
        [
            (FindingKind::NeverWritten, tally.first_never),
            (FindingKind::WrittenTwice, tally.first_twice),
        ]
        .into_iter()
        .filter_map(|(kind, cell)| {
            let place = Place::Buffer {
                id: Some(self.buffer),
                offset: (cell? * self.cell_bytes) as i64,
                size: self.cells * self.cell_bytes,
            };
            Some(Finding {
                kind,
                place,
                first: None,
                second: None,
            })
        })
        .collect()
    }

    fn tally(&self) -> Tally {
        let mut tally = Tally::default();
        let cells_per_entry = 64 / self.cell_bytes;
        let mut next = 0;
        while next < self.cells {
            let cell = next;
            // Nearly all entries are whole, and need no look at their cells.
            if cells_per_entry * self.cell_bytes == 64
                && cell % cells_per_entry == 0
                && self.marks.get((cell / cells_per_entry) as usize) == Some(&[u64::MAX, 0])
            {
                next += cells_per_entry;
                continue;
            }
            next += 1;
            let (mut once, mut twice) = (true, false);
            let mut byte = cell * self.cell_bytes;
            let end = byte + self.cell_bytes;
            while byte < end {
                // The part of the cell that lies in one entry.
                let length = (64 - byte % 64).min(end - byte);
                let mask = (u64::MAX >> (64 - length)) << (byte % 64);
                let [written, again] = self.marks.get((byte / 64) as usize).copied().unwrap_or_default();
                once &= written & mask == mask;
                twice |= again & mask != 0;
                byte += length;
            }
            if !once {
                tally.never += 1;
                tally.first_never.get_or_insert(cell);
            }
            if twice {
                tally.twice += 1;
                tally.first_twice.get_or_insert(cell);
            }
        }
        tally
    }

    fn watch(&mut self, base: u64, bytes: u64) {
        self.base = base;
        let watched = bytes.min(self.cells.saturating_mul(self.cell_bytes));
        if self.marks.is_empty() {
            self.marks = vec![[0; 2]; watched.div_ceil(64) as usize];
        }
    }
}

#[derive(Default)]
struct Tally {
    never: u64,
    twice: u64,
    first_never: Option<u64>,
    first_twice: Option<u64>,
}

impl Tally {
    fn is_whole(&self) -> bool {
        self.never == 0 && self.twice == 0
    }
}

impl Observer for Coverage {
    fn launch(&mut self, launch: &LaunchView<'_>) {
        if let Some(buffer) = launch
            .buffers
            .iter()
            .find(|buffer| buffer.id == Some(self.buffer))
        {
            self.watch(buffer.base, buffer.bytes);
        }
    }

    #[inline]
    fn request(&mut self, event: &WarpEvent<'_>) {
        if event.space != Space::Global || !event.access.writes() {
            return;
        }
        match &mut self.noted {
            None => event.bytes_by_64(event.valid, self.base, marker(&mut self.marks)),
            Some(noted) => note(noted, event),
        }
    }

    fn fork(&self) -> Option<Coverage> {
        Some(Coverage {
            marks: Vec::new(),
            noted: Some(Vec::new()),
            ..*self
        })
    }

    fn join(&mut self, part: Coverage) {
        for noted in part.noted.into_iter().flatten() {
            let offset = noted.address.wrapping_sub(self.base);
            let (times, mark) = (u64::from(noted.times), marker(&mut self.marks));
            if noted.step == i64::from(noted.bytes) {
                run_by_64(offset, times * u64::from(noted.bytes), mark);
            } else {
                let offsets = (0..times).map(|n| offset.wrapping_add((noted.step as u64).wrapping_mul(n)));
                offsets_by_64(offsets, noted.bytes, mark);
            }
        }
    }
}

/// Marks bytes of one entry as written.
#[inline]
fn marker(marks: &mut [[u64; 2]]) -> impl FnMut(usize, u64, u64) + '_ {
    |at, bytes, twice| {
        if let Some([written, again]) = marks.get_mut(at) {
            *again |= *written & bytes | twice;
            *written |= bytes;
        }
    }
}

fn note(noted: &mut Vec<Noted>, event: &WarpEvent<'_>) {
    let writes = |lane: usize, step, times| Noted {
        address: event.addresses[lane],
        step,
        times,
        bytes: event.bytes,
    };
    match event.step {
        Some(step) if event.valid.is_full() => noted.push(writes(0, step, LANES as u32)),
        _ => noted.extend(event.valid.iter().map(|lane| writes(lane, 0, 1))),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Warp, BASE};
    use super::*;

    fn watching(cells: u64, cell_bytes: u64) -> Coverage {
        let mut coverage = Coverage::new(BufferId(0), cells, cell_bytes);
        coverage.watch(BASE, 4096);
        coverage
    }

    #[test]
    fn a_whole_write_is_once() {
        let mut coverage = watching(64, 4);
        coverage.request(&Warp::new().store(&|lane| 4 * lane));
        assert_eq!(
            (coverage.never_written(), coverage.first_never_written()),
            (32, Some(32))
        );
        coverage.request(&Warp::new().store(&|lane| 128 + 4 * (31 - lane)));
        assert!(coverage.once() && coverage.findings().is_empty());
    }

    #[test]
    fn two_lanes_of_one_store_and_two_stores_are_both_seen() {
        let mut coverage = watching(32, 4);
        coverage.request(&Warp::new().store(&|lane| 4 * (lane / 2)));
        assert_eq!((coverage.written_twice(), coverage.never_written()), (16, 16));
        let mut coverage = watching(32, 4);
        coverage.request(&Warp::new().store(&|lane| 4 * lane));
        coverage.request(&Warp::new().lanes(1 << 7).store(&|lane| 4 * lane));
        assert_eq!(
            (coverage.written_twice(), coverage.first_written_twice()),
            (1, Some(7))
        );
        assert_eq!(
            coverage.findings()[0].to_string(),
            "the output cell at buffer 0 + 28 is written more than once"
        );
    }

    #[test]
    fn a_cell_needs_all_its_bytes() {
        let mut coverage = watching(2, 8);
        coverage.request(&Warp::new().lanes(0b111).store(&|lane| 4 * lane));
        assert_eq!(
            (coverage.never_written(), coverage.first_never_written()),
            (1, Some(1))
        );
    }

    #[test]
    fn cells_need_not_divide_an_entry() {
        let mut coverage = watching(11, 12);
        coverage.request(&Warp::new().store(&|lane| 4 * lane));
        assert_eq!(
            (coverage.never_written(), coverage.first_never_written()),
            (1, Some(10))
        );
    }

    #[test]
    fn loads_other_buffers_and_cells_past_the_end_do_not_count() {
        let mut coverage = watching(4, 4);
        coverage.request(&Warp::new().load(&|lane| 4 * lane));
        coverage.request(&Warp::new().store(&|lane| BASE + 4 * lane));
        coverage.request(&Warp::new().store(&|lane| 1024 + 4 * lane));
        coverage.request(&Warp::new().shared().store(&|lane| 4 * lane));
        assert_eq!(coverage.never_written(), 4);
    }

    #[test]
    fn parts_that_wrote_the_same_cell_wrote_it_twice() {
        let mut coverage = watching(32, 4);
        let mut part = coverage.fork().unwrap();
        coverage.request(&Warp::new().lanes(0xFFFF).store(&|lane| 4 * lane));
        part.request(&Warp::new().lanes(0xFFFF_8000).store(&|lane| 4 * lane));
        coverage.join(part);
        assert_eq!((coverage.written_twice(), coverage.never_written()), (1, 0));
        assert_eq!(coverage.first_written_twice(), Some(15));
    }
}
