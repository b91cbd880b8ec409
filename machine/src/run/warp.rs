//! A warp: registers, and the fragments into which divergence splits its lanes.

use super::copies::Copies;
use super::lanes::Addresses;
use super::setup::Plan;
use crate::lanes::{LaneMask, LANES};
use crate::registers::Registers;

/// Steps that a warp takes before the machine asks for the first time whether it goes round in circles.
pub(crate) const FIRST_SLICE: u64 = 1 << 10;
/// The same when it has not for a long time.
pub(crate) const LONGEST_SLICE: u64 = 1 << 16;
/// The same for a warp that has been caught before.
pub(crate) const SHORT_SLICE: u64 = 64;

/// Lanes that go the same way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Fragment {
    /// The next step.
    pub(crate) at: u32,
    pub(crate) mask: LaneMask,
    pub(crate) state: State,
}

/// Why a fragment can or can not go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum State {
    Ready,
    /// Waits at a barrier of the block; `from` is the step of the barrier.
    Barrier {
        barrier: usize,
        from: u32,
    },
    /// Waits for other lanes of its warp.
    Lanes,
    /// Goes round a loop in which nothing changes, until memory does. Holds the version of memory.
    Parked(u64),
    /// Has gone on for long without changing memory: gives way until memory changes or nobody else can go on.
    Yielded(u64),
}

/// A warp of a block.
#[derive(Debug)]
pub(crate) struct Warp {
    pub(crate) index: u32,
    pub(crate) registers: Registers,
    pub(crate) fragments: Vec<Fragment>,
    /// Lanes that hold a thread.
    pub(crate) threads: LaneMask,
    /// Those of them that have not exited.
    pub(crate) live: LaneMask,
    /// Local memory, lane after lane.
    pub(crate) local: Vec<u8>,
    pub(crate) copies: Copies,
    /// Warp-wide synchronisations passed.
    pub(crate) epoch: u32,
    /// The last address that the warp read.
    pub(crate) last_read: Option<u64>,
    /// How long the warp may go on before it is checked.
    pub(crate) slice: u64,
    /// The next lanes that come to a barrier arrive there without the rest of their warp, which can not come.
    pub(crate) forced: bool,
    /// Lanes that had not exited when the first lanes of the warp came to the barrier that they wait at.
    pub(crate) awaited: LaneMask,
}

impl Warp {
    pub(crate) fn new(plan: &Plan<'_>) -> Box<Warp> {
        Box::new(Warp {
            index: 0,
            registers: plan.template.clone(),
            fragments: Vec::new(),
            threads: LaneMask::EMPTY,
            live: LaneMask::EMPTY,
            local: vec![0; plan.code.local_bytes as usize * LANES],
            copies: Copies::default(),
            epoch: 0,
            last_read: None,
            slice: FIRST_SLICE,
            forced: false,
            awaited: LaneMask::EMPTY,
        })
    }

    /// Makes this warp number `index` of the block at `block`, about to start.
    pub(crate) fn start(&mut self, plan: &Plan<'_>, block: [u32; 3], index: u32) {
        plan.prepare(&mut self.registers, block, index);
        self.index = index;
        self.threads = plan.lanes(index);
        self.live = self.threads;
        self.fragments.clear();
        self.fragments.push(Fragment {
            at: 0,
            mask: self.threads,
            state: State::Ready,
        });
        // Local memory that nothing wrote reads as zero, whichever warp used it before.
        self.local.fill(0);
        self.copies.clear();
        self.epoch = 0;
        self.last_read = None;
        self.slice = FIRST_SLICE;
        self.forced = false;
        self.awaited = LaneMask::EMPTY;
    }

    /// Local memory of one lane in bytes.
    pub(crate) fn local_share(&self) -> u64 {
        (self.local.len() / LANES) as u64
    }

    /// Addresses in each lane's local memory, as offsets in that of the warp.
    pub(crate) fn in_local(&self, addresses: &Addresses) -> Addresses {
        let share = self.local_share();
        let of = std::array::from_fn(|lane| addresses.of[lane].wrapping_add(lane as u64 * share));
        Addresses::from(of, addresses.lanes)
    }

    /// True when some fragment can go on.
    pub(crate) fn is_ready(&self, version: u64) -> bool {
        self.fragments.iter().any(|f| match f.state {
            State::Ready => true,
            State::Parked(seen) | State::Yielded(seen) => seen != version,
            State::Barrier { .. } | State::Lanes => false,
        })
    }

    /// Chooses the fragment with the lowest step among those that can go on, joined with all others that are
    /// at the same step: this is where lanes that went different ways meet again. Returns its place.
    #[inline]
    pub(crate) fn pick(&mut self, version: u64) -> Option<usize> {
        if let [only] = self.fragments.as_slice() {
            if only.state == State::Ready {
                return Some(0);
            }
        }
        for fragment in &mut self.fragments {
            if let State::Parked(seen) | State::Yielded(seen) = fragment.state {
                if seen != version {
                    fragment.state = State::Ready;
                }
            }
        }
        let ready = self.fragments.iter().filter(|f| f.state == State::Ready);
        let at = ready.map(|f| f.at).min()?;
        let meets = |f: &Fragment| f.at == at && matches!(f.state, State::Ready | State::Lanes);
        let mask = self
            .fragments
            .iter()
            .filter(|f| meets(f))
            .fold(LaneMask::EMPTY, |m, f| m | f.mask);
        self.fragments.retain(|f| !meets(f));
        self.fragments.push(Fragment {
            at,
            mask,
            state: State::Ready,
        });
        Some(self.fragments.len() - 1)
    }

    /// The next step after `at` at which another fragment could be met.
    pub(crate) fn next_meeting(&self, at: u32) -> u32 {
        let others = self.fragments.iter().filter(|f| f.at > at);
        let meets = others.filter(|f| !matches!(f.state, State::Barrier { .. }));
        meets.map(|f| f.at).min().unwrap_or(u32::MAX)
    }

    /// Lanes have exited: those that wait for them look again.
    pub(crate) fn exit(&mut self, lanes: LaneMask) {
        self.live = self.live - lanes;
        for fragment in &mut self.fragments {
            if fragment.state == State::Lanes {
                fragment.state = State::Ready;
            }
        }
    }
}
