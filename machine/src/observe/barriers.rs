//! Did all threads arrive at each barrier together?

use super::finding::{Finding, FindingKind, Place, Site};
use super::log::{Log, Origin, WHOLE_BLOCK};
use crate::event::{unflatten, BarrierArrival, BarrierRelease, LaunchView, Meeting, Observer};
use crate::lanes::{Line, LANES};
use std::collections::BTreeMap;

/// Counts barriers that were not reached as CUDA demands: by all threads of the block, at one instruction.
///
/// Reported are warps that arrive in parts, threads of one barrier that wait at different instructions, and
/// barriers that opened only because the missing threads had exited; also warp-wide instructions (shuffles,
/// votes, `__syncwarp`) whose mask leaves out a lane that executes them or names one that has exited. A barrier that never opens is not this
/// observer's: the run ends with [`RunError::Hang`](crate::RunError::Hang). It can not tell a barrier that is
/// missing; [`Races`](super::Races) sees what that leads to.
#[derive(Clone, Debug, Default)]
pub struct Barriers {
    block_dim: [u32; 3],
    log: Log,
}

impl Barriers {
    /// An observer that has seen nothing.
    pub fn new() -> Barriers {
        Barriers::default()
    }

    /// An observer that keeps the first `limit` findings in full.
    pub fn keeping(limit: usize) -> Barriers {
        Barriers {
            log: Log::keeping(limit),
            ..Barriers::default()
        }
    }

    /// How many barriers were reached in a wrong way.
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

    fn add(&mut self, origin: Origin, kind: FindingKind, place: Place, first: Site, second: Option<Site>) {
        self.log.add(origin, first.line, || Finding {
            kind,
            place,
            first: Some(first),
            second,
        });
    }
}

impl Observer for Barriers {
    const REQUESTS: bool = false;

    fn launch(&mut self, launch: &LaunchView<'_>) {
        self.block_dim = launch.block;
    }

    fn barrier(&mut self, arrival: &BarrierArrival) {
        if !arrival.aligned || arrival.live.is_subset_of(arrival.arrived) {
            return;
        }
        let first = arrival.warp * LANES as u32 + arrival.arrived.lowest().unwrap_or(0) as u32;
        let site = Site {
            pc: arrival.pc,
            line: arrival.line,
            block: arrival.block,
            thread: Some(unflatten(first, self.block_dim)),
            access: None,
            bytes: 0,
        };
        let place = Place::Barrier {
            arrived: arrival.arrived.count(),
            expected: arrival.live.count(),
        };
        self.add(
            (arrival.block_index, arrival.warp),
            FindingKind::DivergentBarrier,
            place,
            site,
            None,
        );
    }

    fn meet(&mut self, meeting: &Meeting) {
        let exited = (meeting.named & meeting.threads) - meeting.active;
        let Some(lane) = ((meeting.active - meeting.named) | exited).lowest() else {
            return;
        };
        let site = Site {
            pc: meeting.pc,
            line: meeting.line,
            block: meeting.block,
            thread: Some(unflatten(
                meeting.warp * LANES as u32 + lane as u32,
                self.block_dim,
            )),
            access: None,
            bytes: 0,
        };
        let place = Place::WarpMask {
            executed: meeting.active,
            named: meeting.named,
        };
        self.add(
            (meeting.block_index, meeting.warp),
            FindingKind::WrongMask,
            place,
            site,
            None,
        );
    }

    fn release(&mut self, release: &BarrierRelease) {
        let site = Site {
            pc: release.pc,
            line: release.line,
            block: release.block,
            thread: None,
            access: None,
            bytes: 0,
        };
        let place = Place::Barrier {
            arrived: release.arrived,
            expected: release.threads,
        };
        if let Some((pc, line)) = release.other {
            let second = Some(Site { pc, line, ..site });
            self.add(
                (release.block_index, WHOLE_BLOCK),
                FindingKind::DivergentBarrier,
                place,
                site,
                second,
            );
        }
        if release.exited > 0 {
            self.add(
                (release.block_index, WHOLE_BLOCK),
                FindingKind::ExitedBeforeBarrier,
                place,
                site,
                None,
            );
        }
    }

    fn fork(&self) -> Option<Barriers> {
        Some(Barriers {
            block_dim: self.block_dim,
            log: self.log.fork(),
        })
    }

    fn join(&mut self, part: Barriers) {
        self.log.join(part.log);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::{LaneMask, Pc};

    fn arrival(arrived: u32, live: u32) -> BarrierArrival {
        BarrierArrival {
            block: [2, 0, 0],
            block_index: 2,
            warp: 1,
            pc: Pc(40),
            line: Line(17),
            barrier: 0,
            arrived: LaneMask(arrived),
            live: LaneMask(live),
            threads: LaneMask::FULL,
            aligned: true,
            epoch: 0,
        }
    }

    fn release(arrived: u32, exited: u32, other: Option<(Pc, Line)>) -> BarrierRelease {
        BarrierRelease {
            block: [2, 0, 0],
            block_index: 2,
            barrier: 0,
            arrived,
            threads: 64,
            exited,
            pc: Pc(40),
            line: Line(17),
            other,
            epoch: 1,
        }
    }

    #[test]
    fn whole_arrivals_are_fine() {
        let mut barriers = Barriers::new();
        barriers.barrier(&arrival(u32::MAX, u32::MAX));
        barriers.barrier(&BarrierArrival {
            aligned: false,
            ..arrival(1, u32::MAX)
        });
        barriers.release(&release(64, 0, None));
        assert_eq!(barriers.total(), 0);
    }

    #[test]
    fn a_warp_in_parts_is_found() {
        let mut barriers = Barriers {
            block_dim: [16, 4, 1],
            ..Barriers::new()
        };
        barriers.barrier(&arrival(0xFFFF_0000, u32::MAX));
        assert_eq!((barriers.total(), barriers.by_line()[&Line(17)]), (1, 1));
        assert_eq!(
            barriers.findings().next().unwrap().to_string(),
            "line 17: thread (0, 3, 0) of block (2, 0, 0) waits at a barrier with 16 of 32 threads that the rest of \
             its warp does not reach"
        );
    }

    #[test]
    fn a_mask_names_the_lanes_that_execute() {
        let meeting = |active, named, threads| Meeting {
            block: [2, 0, 0],
            block_index: 2,
            warp: 0,
            pc: Pc(40),
            line: Line(17),
            active: LaneMask(active),
            named: LaneMask(named),
            threads: LaneMask(threads),
        };
        let mut barriers = Barriers {
            block_dim: [64, 1, 1],
            ..Barriers::new()
        };
        barriers.meet(&meeting(u32::MAX, u32::MAX, u32::MAX));
        barriers.meet(&meeting(0xFF, u32::MAX, 0xFF));
        assert_eq!(barriers.total(), 0, "lanes that hold no thread may be named");
        barriers.meet(&meeting(u32::MAX, 0xFFFF, u32::MAX));
        barriers.meet(&meeting(0xFF, u32::MAX, u32::MAX));
        let sentences: Vec<String> = barriers.findings().map(|finding| finding.to_string()).collect();
        assert_eq!(
            sentences,
            [
                "line 17: thread (16, 0, 0) of block (2, 0, 0) and the mask of a warp-wide instruction do not \
                 agree: lanes 0xffffffff execute it, the mask is 0x0000ffff",
                "line 17: thread (8, 0, 0) of block (2, 0, 0) and the mask of a warp-wide instruction do not \
                 agree: lanes 0x000000ff execute it, the mask is 0xffffffff",
            ]
        );
    }

    #[test]
    fn exited_threads_and_other_barriers_are_found() {
        let mut barriers = Barriers::new();
        barriers.release(&release(48, 16, Some((Pc(44), Line(21)))));
        let kinds: Vec<FindingKind> = barriers.findings().map(|finding| finding.kind).collect();
        assert_eq!(
            kinds,
            [FindingKind::DivergentBarrier, FindingKind::ExitedBeforeBarrier]
        );
    }
}
