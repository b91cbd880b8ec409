//! Which accesses does nothing order?

mod history;
mod order;
mod shadow;

use super::finding::{Finding, FindingKind, Place, Site};
use super::per_block::PerBlock;
use super::region::Regions;
use super::KEPT;
use crate::event::{
    unflatten, Access, BarrierRelease, BlockView, BufferView, Fence, LaunchView, Observer, Ordering, Space,
    WarpEvent,
};
use crate::lanes::{LaneMask, Line, LANES};
use history::{Entry, History};
use order::{Order, Thread};
use shadow::{Class, Nearness, Shadow, Visitor};

/// Finds races: two accesses to one byte by different threads, at least one of them a write, that nothing
/// orders.
///
/// Accesses are ordered within a thread, by a barrier of their block between them, by a warp-wide
/// synchronisation between two lanes of a warp, by the end of a launch, and across blocks by a release that
/// the other side acquired (or fences around relaxed atomics). Atomics, volatile accesses and those with a
/// memory ordering do not race with one another. Lanes of a warp are not assumed to run in step, and two
/// lanes that store to one byte in one instruction race, whatever they store.
///
/// **What is counted:** each byte remembers its last write and two accesses since that do not clash with one
/// another: reads or atomics, from different threads and if possible from different blocks. An access is held
/// against these three; one race is counted for each access and each earlier access that it clashes with.
/// What came before a write is forgotten with it, so the total is a lower bound. Among ordinary reads and
/// writes it is zero only where there is no race.
///
/// **What it can not see:** a race that this run's data did not lead to; a race with a thread that read a byte
/// and then updated it atomically, other than with the update; and it takes some things for more of an order
/// than they are (scopes and the masks of warp synchronisations are not told apart). Barriers of part of a
/// block order nothing here. It stops watching after some 67 million warp-wide accesses in one launch; see
/// [`complete`](Races::complete).
///
/// Shadow memory is as large as the buffers that are touched, and four times as large for those in which a
/// word is touched twice.
#[derive(Clone, Debug)]
pub struct Races {
    grid: [u32; 3],
    regions: Regions,
    /// By place in `regions`; made when a buffer is first touched.
    shadows: Vec<Option<Shadow>>,
    blocks: PerBlock<Running>,
    history: History,
    order: Order,
    found: Found,
}

/// What is kept of a block while it runs.
#[derive(Clone, Debug, Default)]
struct Running {
    /// Barriers it has passed.
    epoch: u32,
    /// The first access after the last of them.
    since: u32,
    shared: Shadow,
}

#[derive(Clone, Debug)]
struct Found {
    total: u64,
    /// The first race of each pair of source lines, and how many there were.
    pairs: Vec<(Finding, u64)>,
    limit: usize,
}

impl Default for Races {
    fn default() -> Races {
        Races::keeping(KEPT)
    }
}

impl Races {
    /// An observer that has seen nothing.
    pub fn new() -> Races {
        Races::default()
    }

    /// An observer that keeps the first race of each of the first `limit` pairs of source lines.
    pub fn keeping(limit: usize) -> Races {
        Races {
            grid: [1; 3],
            regions: Regions::default(),
            shadows: Vec::new(),
            blocks: PerBlock::default(),
            history: History::default(),
            order: Order::default(),
            found: Found {
                total: 0,
                pairs: Vec::new(),
                limit,
            },
        }
    }

    /// How many races were seen; see the counting rule above.
    pub fn total(&self) -> u64 {
        self.found.total
    }

    /// The first race of each pair of source lines, as they happened.
    pub fn findings(&self) -> impl Iterator<Item = &Finding> {
        self.found.pairs.iter().map(|(finding, _)| finding)
    }

    /// How many races there were between two source lines, the line of the earlier access first; only for
    /// pairs that are kept.
    pub fn by_lines(&self) -> impl Iterator<Item = ((Line, Line), u64)> + '_ {
        self.found
            .pairs
            .iter()
            .map(|(finding, count)| (finding.lines(), *count))
    }

    /// False when a launch was so long that the observer stopped watching it.
    pub fn complete(&self) -> bool {
        self.history.complete()
    }

    fn watch(&mut self, regions: Regions, grid: [u32; 3]) {
        // Accesses of earlier launches are older than all of this one, so that shadows need no clearing
        // unless numbers run out or buffers have changed.
        let same = self.regions.buffers() == regions.buffers();
        if self.history.start_launch() || !same {
            self.shadows = vec![None; regions.buffers().len()];
        }
        self.regions = regions;
        self.grid = grid;
        self.blocks.clear();
        self.order = Order::default();
    }
}

impl Finding {
    /// The source lines of its two accesses.
    fn lines(&self) -> (Line, Line) {
        let line = |site: Option<Site>| site.map_or(Line::UNKNOWN, |site| site.line);
        (line(self.first), line(self.second))
    }
}

impl Observer for Races {
    fn launch(&mut self, launch: &LaunchView<'_>) {
        self.watch(Regions::new(launch.buffers), launch.grid);
    }

    fn block_start(&mut self, block: &BlockView) {
        let next = self.history.next();
        let running = self.blocks.get(block.block_index);
        running.epoch = 0;
        running.since = next;
    }

    fn block_end(&mut self, block: &BlockView) {
        self.blocks.end(block.block_index);
    }

    fn release(&mut self, release: &BarrierRelease) {
        self.pass_barrier(release.block_index, release.epoch);
    }

    fn fence(&mut self, fence: &Fence) {
        let since = self.blocks.get(fence.block_index).since;
        for lane in fence.active {
            let thread = Thread::new(fence.block_index, fence.warp, lane);
            self.order.fence(thread, self.history.next(), since);
        }
    }

    fn request(&mut self, event: &WarpEvent<'_>) {
        let mut running = self.blocks.get(event.block_index);
        if event.epoch > running.epoch {
            self.pass_barrier(event.block_index, event.epoch);
            running = self.blocks.get(event.block_index);
        }
        let since = running.since;
        let strong = matches!(event.access, Access::Atomic { .. }) || event.ordering != Ordering::Weak;
        let Some(number) = self.history.push(Entry::of(event, strong)) else {
            return;
        };
        let class = match (strong, event.access.writes()) {
            (true, _) => Class::Strong,
            (false, false) => Class::Read,
            (false, true) => Class::Write,
        };
        let mut judge = Judge {
            event,
            number,
            lane: 0,
            strong,
            clashed: Vec::new(),
            grid: self.grid,
            regions: &self.regions,
            history: &self.history,
            order: &self.order,
            found: &mut self.found,
        };
        match event.space {
            Space::Shared => {
                // All accesses before the block's last barrier are ordered before all that follow.
                running.shared.stale_below(since);
                judge.hear(&mut running.shared, 0, event.valid, class);
            }
            Space::Global => {
                // So they are in global memory when there is no other block.
                let oldest = if self.grid == [1; 3] {
                    since
                } else {
                    self.history.launch_start()
                };
                // The usual request stays in one buffer; each other one takes a turn of its own.
                let mut left = event.valid;
                while let Some(lane) = left.lowest() {
                    let Some(at) = self.regions.find(event.addresses[lane]) else {
                        break;
                    };
                    let BufferView { base, bytes, .. } = self.regions.buffers()[at];
                    let inside = event.inside(left, base, bytes);
                    let shadow = self.shadows[at].get_or_insert_with(|| Shadow::of(bytes));
                    shadow.stale_below(oldest);
                    judge.hear(shadow, base, inside, class);
                    left = left - inside;
                }
            }
        }
        if self.order.concerns(event, strong) {
            for lane in event.valid {
                self.order.access(event, lane, strong, number, since);
            }
        }
    }
}

impl Races {
    /// The block has passed all barriers below `epoch`.
    fn pass_barrier(&mut self, block_index: u64, epoch: u32) {
        let running = self.blocks.get(block_index);
        if epoch > running.epoch {
            running.epoch = epoch;
            running.since = self.history.next();
            self.order.barrier(block_index);
        }
    }
}

/// Decides whether one lane's access clashes with earlier ones, and writes down those that do.
struct Judge<'a> {
    event: &'a WarpEvent<'a>,
    number: u32,
    lane: usize,
    strong: bool,
    /// The earlier accesses that this one clashed with: a vector may meet the same one several times.
    clashed: Vec<u32>,
    grid: [u32; 3],
    regions: &'a Regions,
    history: &'a History,
    order: &'a Order,
    found: &'a mut Found,
}

impl Judge<'_> {
    /// Holds the accesses of some lanes against a shadow that starts at address `base`.
    #[inline]
    fn hear(&mut self, shadow: &mut Shadow, base: u64, lanes: LaneMask, class: Class) {
        let event = self.event;
        let narrow = event.bytes != 4;
        if lanes.is_full() && !narrow && event.is_contiguous() {
            let word = (event.addresses[0] - base) / 4;
            if shadow.are_first(word as usize, class, history::id(self.number, 0)) {
                return;
            }
        }
        for lane in lanes {
            let offset = event.addresses[lane] - base;
            let id = history::id(self.number, lane);
            if narrow || !shadow.is_first((offset / 4) as usize, class, id) {
                self.lane = lane;
                self.clashed.clear();
                shadow.access(offset, event.bytes, class, self);
            }
        }
    }

    fn unordered(&self, prior: &Entry, id: u32) -> bool {
        let event = self.event;
        if !(prior.access.writes() || event.access.writes()) || prior.strong && self.strong {
            return false;
        }
        if prior.block_index == event.block_index {
            if prior.epoch != event.epoch {
                return false;
            }
            if prior.warp == event.warp {
                let same_thread = history::lane(id) == self.lane;
                if same_thread || prior.warp_epoch != event.warp_epoch {
                    return false;
                }
            }
        }
        let before = Thread::new(prior.block_index, prior.warp, history::lane(id));
        let now = Thread::new(event.block_index, event.warp, self.lane);
        !self.order.orders(before, history::event(id), now)
    }

    #[cold]
    fn report(&mut self, prior: &Entry, id: u32) {
        self.found.total += 1;
        let lines = (prior.line, self.event.line);
        if let Some((_, count)) = self
            .found
            .pairs
            .iter_mut()
            .find(|(finding, _)| finding.lines() == lines)
        {
            *count += 1;
            return;
        }
        if self.found.pairs.len() < self.found.limit {
            let finding = self.finding(prior, id);
            self.found.pairs.push((finding, 1));
        }
    }

    fn finding(&self, prior: &Entry, id: u32) -> Finding {
        let event = self.event;
        let address = event.addresses[self.lane];
        let thread = prior.warp * LANES as u32 + history::lane(id) as u32;
        let [x, y] = [u64::from(self.grid[0].max(1)), u64::from(self.grid[1].max(1))];
        let index = prior.block_index;
        Finding {
            kind: FindingKind::Race,
            place: match event.space {
                Space::Global => self.regions.place(address),
                Space::Shared => Place::Shared(address),
            },
            first: Some(Site {
                pc: prior.pc,
                line: prior.line,
                block: [(index % x) as u32, (index / x % y) as u32, (index / x / y) as u32],
                thread: Some(unflatten(thread, event.block_dim)),
                access: Some(prior.access),
                bytes: prior.bytes,
            }),
            second: Some(Site::of_event(event, self.lane)),
        }
    }
}

impl Visitor for Judge<'_> {
    fn id(&self) -> u32 {
        history::id(self.number, self.lane)
    }

    fn clash(&mut self, id: u32) -> bool {
        let Some(prior) = self.history.get(id).copied() else {
            return false;
        };
        if !self.clashed.contains(&id) && self.unordered(&prior, id) {
            self.clashed.push(id);
            self.report(&prior, id);
        }
        prior.access.writes()
    }

    fn nearness(&self, id: u32) -> Nearness {
        match self.history.get(id) {
            Some(prior) if prior.block_index == self.event.block_index => {
                if prior.warp == self.event.warp && history::lane(id) == self.lane {
                    Nearness::Thread
                } else {
                    Nearness::Block
                }
            }
            _ => Nearness::Other,
        }
    }
}

#[cfg(test)]
mod tests;
