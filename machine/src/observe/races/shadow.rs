//! Who last touched each byte.

use crate::lanes::LANES;
use std::ops::Range;

/// What an access is, as far as clashing goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Class {
    /// An ordinary read.
    Read,
    /// An ordinary write.
    Write,
    /// Atomic, volatile or with a memory ordering; does not clash with its like.
    Strong,
}

/// Whether an earlier access is by the same thread, by another thread of the block, or from elsewhere.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Nearness {
    Thread,
    Block,
    Other,
}

/// The access that looks at the shadow.
pub(super) trait Visitor {
    /// Its own id.
    fn id(&self) -> u32;
    /// It meets an earlier access that may clash with it. Returns whether that one writes.
    fn clash(&mut self, prior: u32) -> bool;
    /// How near the earlier access is.
    fn nearness(&self, prior: u32) -> Nearness;
}

/// What is known of a 4-byte word, or of one byte where accesses were narrower: the last write, and a group of
/// two accesses since that do not clash with one another (reads, or strong accesses).
///
/// The newer of the two is the latest of all. The older is the latest from another block than the newer, or,
/// where there is none, from another thread. So whoever writes next and is not ordered after all of the
/// group is found to clash with one of these two. `older` is always older than `newer`.
#[derive(Clone, Copy, Default, Debug)]
struct Cell {
    write: u32,
    newer: u32,
    older: u32,
}

/// In `newer`: the group is one of strong accesses.
const STRONG: u32 = 1 << 31;
/// In `write`: the word's bytes have cells of their own, at place `newer` of `split`.
const SPLIT: u32 = u32::MAX;
/// In `latest`: more than one access is known, and the word's cell tells.
const CELL: u32 = u32::MAX;

/// What is known of a buffer, or of a block's shared memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Shadow {
    /// For each word the only access known: its id times two, plus one for a write. Most words of most
    /// kernels are touched once, so most need no more.
    latest: Vec<u32>,
    /// Empty until a word is touched twice.
    cells: Vec<[u32; 3]>,
    split: Vec<[Cell; 4]>,
    /// Accesses before this one are ordered before all to come.
    oldest: u32,
}

impl Shadow {
    /// The shadow of a buffer of `bytes` bytes.
    pub(super) fn of(bytes: u64) -> Shadow {
        Shadow {
            latest: vec![0; bytes.div_ceil(4) as usize],
            ..Shadow::default()
        }
    }

    /// Accesses with a lower event number are ordered before all to come.
    #[inline]
    pub(super) fn stale_below(&mut self, event: u32) {
        self.oldest = super::history::id(event, 0);
    }

    /// Adds an access to one word if nothing else is known there; otherwise false.
    #[inline]
    pub(super) fn is_first(&mut self, word: usize, class: Class, id: u32) -> bool {
        match self.latest.get_mut(word) {
            Some(latest) if *latest >> 1 < self.oldest && class != Class::Strong => {
                *latest = only(class, id);
                true
            }
            _ => false,
        }
    }

    /// The same for 32 lanes on as many words in a row; lane 0 has the id `first_id`.
    #[inline]
    pub(super) fn are_first(&mut self, word: usize, class: Class, first_id: u32) -> bool {
        let oldest = self.oldest;
        let Some(latest) = self.latest.get_mut(word..word + LANES) else {
            return false;
        };
        let known = latest.iter().fold(class == Class::Strong, |known, latest| {
            known | (latest >> 1 >= oldest)
        });
        if !known {
            latest
                .iter_mut()
                .zip(first_id..)
                .for_each(|(latest, id)| *latest = only(class, id));
        }
        !known
    }

    /// Holds an access against what is known, and adds it.
    pub(super) fn access(&mut self, offset: u64, bytes: u32, class: Class, visitor: &mut impl Visitor) {
        let end = offset + u64::from(bytes.max(1));
        let words = end.div_ceil(4) as usize;
        if words > self.latest.len() {
            // Only shared memory, whose size no launch tells beforehand.
            self.latest.resize(words, 0);
        }
        for at in (offset / 4) as usize..words {
            let mut cell = self.cell(at);
            if bytes < 4 || cell.write == SPLIT {
                self.narrow(at, offset..end, class, visitor);
            } else {
                meet(&mut cell, class, self.oldest, visitor);
                self.put(at, cell);
            }
        }
    }

    fn cell(&self, at: usize) -> Cell {
        match self.latest[at] {
            CELL => {
                let [write, newer, older] = self.cells[at];
                Cell { write, newer, older }
            }
            latest if latest & 1 == 1 => Cell {
                write: latest >> 1,
                ..Cell::default()
            },
            latest => Cell {
                newer: latest >> 1,
                ..Cell::default()
            },
        }
    }

    fn put(&mut self, at: usize, cell: Cell) {
        if cell.newer == 0 && cell.write != SPLIT {
            self.latest[at] = only(Class::Write, cell.write);
            return;
        }
        if self.cells.len() < self.latest.len() {
            if self.cells.is_empty() {
                // Zeroed by the system: what is not touched takes no memory.
                self.cells = vec![[0; 3]; self.latest.len()];
            }
            self.cells.resize(self.latest.len(), [0; 3]);
        }
        self.latest[at] = CELL;
        self.cells[at] = [cell.write, cell.newer, cell.older];
    }

    #[cold]
    fn narrow(&mut self, at: usize, touched: Range<u64>, class: Class, visitor: &mut impl Visitor) {
        let cell = self.cell(at);
        let place = if cell.write == SPLIT {
            cell.newer
        } else {
            self.split.len() as u32
        };
        if cell.write != SPLIT {
            self.split.push([cell; 4]);
            self.put(
                at,
                Cell {
                    write: SPLIT,
                    newer: place,
                    older: 0,
                },
            );
        }
        let cells = &mut self.split[place as usize];
        for (byte, cell) in (4 * at as u64..).zip(cells) {
            if touched.contains(&byte) {
                meet(cell, class, self.oldest, visitor);
            }
        }
    }
}

/// The entry of `latest` for an access that is the only one known.
fn only(class: Class, id: u32) -> u32 {
    id << 1 | u32::from(class == Class::Write)
}

fn meet(cell: &mut Cell, class: Class, oldest: u32, visitor: &mut impl Visitor) {
    let id = visitor.id();
    let known = |id: u32| Some(id).filter(|&id| id >= oldest && id != 0);
    let strong_group = cell.newer & STRONG != 0;
    let write = known(cell.write);
    let (newer, older) = (known(cell.newer & !STRONG), known(cell.older));

    if let Some(write) = write {
        visitor.clash(write);
    }
    let same_group = match class {
        Class::Read => !strong_group,
        Class::Strong => strong_group,
        Class::Write => false,
    };
    let mut last_write = cell.write;
    if !same_group {
        // Reads after strong accesses, the other way round, or a write after either.
        for prior in [older, newer].into_iter().flatten() {
            if visitor.clash(prior) {
                last_write = prior;
            }
        }
    }
    let flag = if class == Class::Strong { STRONG } else { 0 };
    *cell = match (class, newer) {
        (Class::Write, _) => Cell {
            write: id,
            ..Cell::default()
        },
        (_, Some(newer)) if same_group => {
            let keep = match (visitor.nearness(newer), older) {
                // The newer one comes from another block: it is the latest from there.
                (Nearness::Other, _) => newer,
                // The older one comes from another block, or the thread is the same as before.
                (_, Some(older)) if visitor.nearness(older) == Nearness::Other => older,
                (Nearness::Block, _) => newer,
                (Nearness::Thread, older) => older.unwrap_or(0),
            };
            Cell {
                write: last_write,
                newer: id | flag,
                older: keep,
            }
        }
        _ => Cell {
            write: last_write,
            newer: id | flag,
            older: 0,
        },
    };
}
