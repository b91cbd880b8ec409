//! Which accesses could not be done?

use super::finding::{Finding, FindingKind, Place, Site};
use super::log::Log;
use super::region::Regions;
use crate::event::{Fault, FaultKind, LaunchView, Observer, Space};
use crate::lanes::Line;
use std::collections::BTreeMap;

/// Counts the accesses of single lanes that leave every buffer, are misaligned, or run past shared memory.
///
/// It can not see an access that goes astray within its buffer: the columns past a row's end are the next
/// row's first. [`Coverage`](super::Coverage) and [`Races`](super::Races) see what such a store does.
#[derive(Clone, Debug, Default)]
pub struct Stray {
    regions: Regions,
    log: Log,
}

impl Stray {
    /// An observer that has seen nothing.
    pub fn new() -> Stray {
        Stray::default()
    }

    /// An observer that keeps the first `limit` findings in full.
    pub fn keeping(limit: usize) -> Stray {
        Stray {
            log: Log::keeping(limit),
            ..Stray::default()
        }
    }

    /// How many accesses of single lanes could not be done.
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
}

impl Observer for Stray {
    const REQUESTS: bool = false;

    fn launch(&mut self, launch: &LaunchView<'_>) {
        self.regions = Regions::new(launch.buffers);
    }

    fn fault(&mut self, fault: &Fault) {
        let Stray { regions, log } = self;
        log.add((fault.block_index, fault.warp), fault.line, || Finding {
            kind: match fault.kind {
                FaultKind::OutOfBounds => FindingKind::OutOfBounds,
                FaultKind::Misaligned => FindingKind::Misaligned,
                FaultKind::SharedOutOfRange => FindingKind::SharedOutOfRange,
                FaultKind::ReadOnly => FindingKind::ReadOnly,
            },
            place: match fault.space {
                Space::Global => regions.place(fault.address),
                Space::Shared => Place::Shared(fault.address),
            },
            first: Some(Site::of_fault(fault)),
            second: None,
        });
    }

    fn fork(&self) -> Option<Stray> {
        Some(Stray {
            regions: self.regions.clone(),
            log: self.log.fork(),
        })
    }

    fn join(&mut self, part: Stray) {
        self.log.join(part.log);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{buffer, BASE};
    use super::*;
    use crate::event::Access;
    use crate::lanes::Pc;

    fn fault(block_index: u64, kind: FaultKind, address: u64) -> Fault {
        Fault {
            kind,
            block: [block_index as u32, 0, 0],
            block_index,
            thread: [3, 1, 0],
            warp: 0,
            lane: 7,
            pc: Pc(5),
            line: Line(31),
            space: if kind == FaultKind::SharedOutOfRange {
                Space::Shared
            } else {
                Space::Global
            },
            access: Access::Store,
            address,
            bytes: 4,
        }
    }

    #[test]
    fn faults_are_counted_and_named() {
        let mut stray = Stray {
            regions: Regions::new(&[buffer(0, 160, true)]),
            ..Stray::keeping(2)
        };
        let mut part = stray.fork().unwrap();
        part.fault(&fault(9, FaultKind::OutOfBounds, BASE + 164));
        stray.fault(&fault(2, FaultKind::SharedOutOfRange, 4096));
        stray.fault(&fault(1, FaultKind::OutOfBounds, BASE + 160));
        stray.join(part);
        assert_eq!((stray.total(), stray.by_line()[&Line(31)]), (3, 3));
        let sentences: Vec<String> = stray.findings().map(|finding| finding.to_string()).collect();
        assert_eq!(
            sentences,
            [
                "line 31: thread (3, 1, 0) of block (1, 0, 0) stores 4 bytes at buffer 0 + 160, past its end at 160",
                "line 31: thread (3, 1, 0) of block (2, 0, 0) stores 4 bytes at shared + 4096, past the \
                 block's shared memory"
            ]
        );
    }
}
