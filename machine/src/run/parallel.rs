//! Blocks on several threads of the host, with the result of one.
//!
//! Blocks go in rounds. In a round each thread runs some consecutive blocks against memory as it was when the
//! round began, and keeps a log of what they write. If no region of memory was both read and written in the
//! round, no block can have read what another one wrote, nor what it wrote itself: every read gave what it
//! would have given had the blocks run one after the other. The logs are then applied in the order of the
//! blocks, so that where several wrote one place the last one stays, as it would have. If some region was
//! read and written, or anything stopped, the round is forgotten, and the blocks run one after the other
//! from there on.
//!
//! Kernels that have other ways to notice each other, atomics, fences, volatile and ordered accesses, are not
//! run like this, nor are observers that can not be put together from parts.

use super::global::{Device, Global};
use super::grid::Spare;
use super::lanes::{Addresses, Element};
use super::machine::Machine;
use super::setup::Plan;
use crate::error::RunError;
use crate::event::Observer;
use crate::lanes::{LaneMask, LANES};
use crate::launch::Order;
use crate::memory::base as base_of;
use std::ops::Range;

/// Blocks that one thread takes in a round, at most.
const MOST_BLOCKS: u64 = 1 << 12;
/// What the logs of a round may take, in bytes.
const LOG_BYTES: usize = 16 << 20;

/// One store: `lanes` values of `width` bytes, `step` bytes from each to the next.
struct Write {
    region: usize,
    offset: u64,
    step: i64,
    lanes: usize,
    width: usize,
    /// Where its values start in the log's data.
    data: usize,
}

/// What some blocks read and wrote.
#[derive(Default)]
struct Log {
    writes: Vec<Write>,
    data: Vec<u8>,
    /// By region.
    read: Vec<bool>,
    written: Vec<bool>,
}

impl Log {
    fn clear(&mut self, regions: usize) {
        self.writes.clear();
        self.data.clear();
        self.read.clear();
        self.read.resize(regions, false);
        self.written.clear();
        self.written.resize(regions, false);
    }

    fn bytes(&self) -> usize {
        self.data.len() + self.writes.len() * std::mem::size_of::<Write>()
    }
}

/// Memory as it was when the round began, and the log of one thread.
struct Logged<'a> {
    device: &'a Device,
    log: Log,
}

impl Global for Logged<'_> {
    fn read(&mut self, region: usize) -> &[u8] {
        if let Some(read) = self.log.read.get_mut(region) {
            *read = true;
        }
        self.device.bytes(region)
    }

    fn extent(&self, region: usize) -> (u64, bool) {
        self.device.extent(region)
    }

    fn write<E: Element>(
        &mut self,
        region: usize,
        base: u64,
        addresses: &Addresses,
        lanes: LaneMask,
        values: &E::Lanes,
        skip: usize,
    ) {
        if let Some(written) = self.log.written.get_mut(region) {
            *written = true;
        }
        let (data, width) = (self.log.data.len(), E::BYTES);
        self.log.data.resize(data + width * lanes.count() as usize, 0);
        for (number, lane) in lanes.iter().enumerate() {
            E::get(values, lane).store(&mut self.log.data[data..], number * width);
        }
        let offset = |lane: usize| addresses.of[lane] - base + skip as u64;
        match addresses.step {
            Some(step) if lanes.is_full() => {
                self.log.writes.push(Write {
                    region,
                    offset: offset(0),
                    step,
                    lanes: LANES,
                    width,
                    data,
                });
            }
            _ => {
                let singles = lanes.iter().enumerate().map(|(number, lane)| Write {
                    region,
                    offset: offset(lane),
                    step: 0,
                    lanes: 1,
                    width,
                    data: data + number * width,
                });
                self.log.writes.extend(singles);
            }
        }
    }

    fn update<E: Element>(&mut self, region: usize, at: usize, value: E) {
        let address = base_of(region) + at as u64;
        let addresses = Addresses::from([address; LANES], LaneMask(1));
        let values = E::collect(|_| value);
        self.write::<E>(region, base_of(region), &addresses, LaneMask(1), &values, 0);
    }
}

/// Runs rounds for as long as they can be trusted. Returns the place from which blocks must go one after the
/// other, and how many instructions were executed up to there.
pub(crate) fn run_rounds<O: Observer>(
    plan: &Plan<'_>,
    device: &mut Device,
    order: Order,
    threads: usize,
    observer: &mut O,
) -> (u64, u64) {
    let mut done = 0;
    let mut spent = 0;
    let mut share = 1;
    let mut logs: Vec<Log> = (0..threads).map(|_| Log::default()).collect();
    let room = LOG_BYTES.min(device.total_bytes() / 4).max(1 << 16);
    while done < plan.blocks {
        let places: Vec<Range<u64>> = (0..threads as u64)
            .map(|thread| {
                (done + thread * share).min(plan.blocks)..(done + (thread + 1) * share).min(plan.blocks)
            })
            .filter(|places| !places.is_empty())
            .collect();
        let observers: Option<Vec<O>> = places.iter().map(|_| O::fork(observer)).collect();
        let Some(observers) = observers else { break };
        let Some(round) = execute(plan, device, order, &places, observers, &mut logs, spent) else {
            break;
        };
        apply(device, &logs[..places.len()], threads);
        for (part, instructions) in round {
            observer.join(part);
            spent += instructions;
        }
        done = places.last().map_or(plan.blocks, |places| places.end);
        let bytes: usize = logs.iter().map(Log::bytes).sum();
        if bytes > room / 2 {
            share = (share / 2).max(1);
        } else if bytes < room / 4 {
            share = (share * 2).min(MOST_BLOCKS);
        }
    }
    (done, spent)
}

/// Runs the blocks of one round. Nothing when the round can not be trusted.
fn execute<O: Observer>(
    plan: &Plan<'_>,
    device: &Device,
    order: Order,
    places: &[Range<u64>],
    observers: Vec<O>,
    logs: &mut [Log],
    spent: u64,
) -> Option<Vec<(O, u64)>> {
    let run = |places: Range<u64>, mut observer: O, mut log: Log| {
        log.clear(device.regions());
        let global = Logged { device, log };
        let mut machine = Machine {
            plan,
            observer: &mut observer,
            global,
            spent,
            version: 0,
        };
        let result: Result<(), RunError> = machine.run_blocks(places, order, &mut Spare::default());
        let (log, instructions) = (machine.global.log, machine.spent - spent);
        (result.is_ok(), observer, instructions, log)
    };
    let finished: Vec<_> = std::thread::scope(|scope| {
        let started: Vec<_> = places
            .iter()
            .cloned()
            .zip(observers)
            .zip(logs.iter_mut())
            .map(|((places, observer), log)| {
                let log = std::mem::take(log);
                scope.spawn(move || run(places, observer, log))
            })
            .collect();
        started.into_iter().map(|thread| thread.join().ok()).collect()
    });
    let mut parts = Vec::new();
    let mut trusted = true;
    let mut total = spent;
    for (finished, place) in finished.into_iter().zip(logs.iter_mut()) {
        let (ended, observer, instructions, log) = finished?;
        *place = log;
        trusted &= ended;
        total += instructions;
        parts.push((observer, instructions));
    }
    let logs = &logs[..places.len()];
    let any = |of: fn(&Log) -> &Vec<bool>, region: usize| logs.iter().any(|log| of(log)[region]);
    let mixed = (0..device.regions()).any(|r| any(|log| &log.read, r) && any(|log| &log.written, r));
    (trusted && !mixed && total <= plan.limits.instructions).then_some(parts)
}

/// Applies the logs in their order. Each thread of the host takes a part of every region.
fn apply(device: &mut Device, logs: &[Log], threads: usize) {
    let parts = device.parts(threads);
    std::thread::scope(|scope| {
        for mut part in parts {
            scope.spawn(move || {
                for log in logs {
                    for write in &log.writes {
                        let (start, bytes) = &mut part[write.region];
                        write.apply(&log.data[write.data..], *start, bytes);
                    }
                }
            });
        }
    });
}

impl Write {
    /// Writes the values that lie in the part of the region that starts at `start`. Parts are cut at multiples
    /// of 16 bytes, so that no value is cut.
    fn apply(&self, data: &[u8], start: u64, part: &mut [u8]) {
        let last = self
            .offset
            .wrapping_add_signed(self.step * (self.lanes as i64 - 1));
        let (low, high) = (self.offset.min(last), self.offset.max(last));
        if high < start || low >= start + part.len() as u64 {
            return;
        }
        match self.width {
            4 => self.copy::<4>(data, start, part),
            8 => self.copy::<8>(data, start, part),
            2 => self.copy::<2>(data, start, part),
            _ => self.copy::<1>(data, start, part),
        }
    }

    fn copy<const WIDTH: usize>(&self, data: &[u8], start: u64, part: &mut [u8]) {
        let mut at = self.offset.wrapping_sub(start);
        for value in data.chunks_exact(WIDTH).take(self.lanes) {
            let target = usize::try_from(at)
                .ok()
                .and_then(|at| part.get_mut(at..at.checked_add(WIDTH)?));
            if let Some(target) = target {
                target.copy_from_slice(value);
            }
            at = at.wrapping_add_signed(self.step);
        }
    }
}
