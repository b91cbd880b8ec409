//! Who last touched each byte.

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

/// The shadow of a 4-byte word, or of one byte where accesses were narrower: the last write, and a group of
/// two accesses since that do not clash with one another (reads, or strong accesses).
///
/// The newer of the two is the latest of all. The older is the latest from another block than the newer, or,
/// where there is none, from another thread. So whoever writes next and is not ordered after all of the
/// group is found to clash with one of these two.
///
/// A plain array, so that a fresh shadow costs no memory before it is touched.
type Cell = [u32; 3];
const WRITE: usize = 0;
const NEWER: usize = 1;
const OLDER: usize = 2;
/// In `NEWER`: the group is one of strong accesses.
const STRONG: u32 = 1 << 31;
/// In `WRITE`: the word's bytes have cells of their own, at this place of `split`.
const SPLIT: u32 = u32::MAX;

/// The cells of a buffer, or of a block's shared memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Shadow {
    words: Vec<Cell>,
    split: Vec<[Cell; 4]>,
    /// Accesses before this one are ordered before all to come.
    oldest: u32,
}

impl Shadow {
    /// The shadow of a buffer of `bytes` bytes.
    pub(super) fn of(bytes: u64) -> Shadow {
        Shadow {
            words: vec![[0; 3]; bytes.div_ceil(4) as usize],
            ..Shadow::default()
        }
    }

    /// Accesses with a lower event number are ordered before all to come.
    pub(super) fn stale_below(&mut self, event: u32) {
        self.oldest = super::history::id(event, 0);
    }

    /// Holds an access against what the shadow knows, and adds it.
    #[inline]
    pub(super) fn access(&mut self, offset: u64, bytes: u32, class: Class, visitor: &mut impl Visitor) {
        let first = (offset / 4) as usize;
        let last = ((offset + u64::from(bytes.max(1)) - 1) / 4) as usize;
        if last >= self.words.len() {
            // Only shared memory is not sized beforehand.
            self.words.resize(last + 1, [0; 3]);
        }
        for at in first..=last {
            if bytes >= 4 && self.words[at][WRITE] != SPLIT {
                visit(&mut self.words[at], class, self.oldest, visitor);
            } else {
                self.narrow(at, offset, bytes, class, visitor);
            }
        }
    }

    #[cold]
    fn narrow(&mut self, at: usize, offset: u64, bytes: u32, class: Class, visitor: &mut impl Visitor) {
        let word = self.words[at];
        if word[WRITE] != SPLIT {
            self.words[at] = [SPLIT, self.split.len() as u32, 0];
            self.split.push([word; 4]);
        }
        let start = 4 * at as u64;
        let cells = &mut self.split[self.words[at][NEWER] as usize];
        for (byte, cell) in (start..).zip(cells) {
            if byte >= offset && byte < offset + u64::from(bytes) {
                visit(cell, class, self.oldest, visitor);
            }
        }
    }
}

#[inline]
fn visit(cell: &mut Cell, class: Class, oldest: u32, visitor: &mut impl Visitor) {
    if cell[WRITE] < oldest && cell[NEWER] & !STRONG < oldest {
        // Nobody is known: the usual case, for a kernel that touches each cell once.
        *cell = match class {
            Class::Read => [0, visitor.id(), 0],
            Class::Write => [visitor.id(), 0, 0],
            Class::Strong => [0, visitor.id() | STRONG, 0],
        };
    } else {
        meet(cell, class, oldest, visitor);
    }
}

fn meet(cell: &mut Cell, class: Class, oldest: u32, visitor: &mut impl Visitor) {
    let id = visitor.id();
    let known = |id: u32| Some(id).filter(|&id| id >= oldest && id != 0);
    let strong_group = cell[NEWER] & STRONG != 0;
    let write = known(cell[WRITE]);
    let (newer, older) = (known(cell[NEWER] & !STRONG), known(cell[OLDER]));

    if let Some(write) = write {
        visitor.clash(write);
    }
    let same_group = match class {
        Class::Read => !strong_group,
        Class::Strong => strong_group,
        Class::Write => false,
    };
    let mut last_write = cell[WRITE];
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
        (Class::Write, _) => [id, 0, 0],
        (_, Some(newer)) if same_group => {
            let keep = match (visitor.nearness(newer), older) {
                // The newer one comes from another block: it is the latest from there.
                (Nearness::Other, _) => newer,
                // The older one comes from another block, or the thread is the same as before.
                (_, Some(older)) if visitor.nearness(older) == Nearness::Other => older,
                (Nearness::Block, _) => newer,
                (Nearness::Thread, older) => older.unwrap_or(0),
            };
            [last_write, id | flag, keep]
        }
        _ => [last_write, id | flag, 0],
    };
}
