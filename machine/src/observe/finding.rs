//! A defect that a run survived, and the sentence that reports it.

use crate::event::{Access, Fault, WarpEvent};
use crate::lanes::{LaneMask, Line, Pc};
use crate::memory::BufferId;
use std::fmt;

/// What is wrong.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum FindingKind {
    /// A cell of the output that nothing wrote.
    NeverWritten,
    /// A cell of the output that was written more than once.
    WrittenTwice,
    /// An access outside every buffer.
    OutOfBounds,
    /// An address that is not a multiple of the access width.
    Misaligned,
    /// An access past the block's shared memory.
    SharedOutOfRange,
    /// A store to constant memory.
    ReadOnly,
    /// A read of bytes that nothing wrote.
    Uninitialised,
    /// Two accesses to one place, one of them a write, that nothing orders.
    Race,
    /// Some lanes of a warp arrive at a barrier without the others, or the threads of a block arrive at
    /// different barrier instructions.
    DivergentBarrier,
    /// A barrier opened although some threads of the block had exited and never came.
    ExitedBeforeBarrier,
    /// The mask of a warp-wide instruction names other lanes than those that execute it.
    WrongMask,
}

impl FindingKind {
    /// Its name in JSON: `never-written`, `race`, ….
    pub const fn name(self) -> &'static str {
        match self {
            FindingKind::NeverWritten => "never-written",
            FindingKind::WrittenTwice => "written-twice",
            FindingKind::OutOfBounds => "out-of-bounds",
            FindingKind::Misaligned => "misaligned",
            FindingKind::SharedOutOfRange => "shared-out-of-range",
            FindingKind::ReadOnly => "read-only",
            FindingKind::Uninitialised => "uninitialised",
            FindingKind::Race => "race",
            FindingKind::DivergentBarrier => "divergent-barrier",
            FindingKind::ExitedBeforeBarrier => "exited-before-barrier",
            FindingKind::WrongMask => "wrong-mask",
        }
    }
}

impl fmt::Display for FindingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Where in memory a finding lies.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Place {
    /// In a buffer, or near one: the offset in bytes may be negative or past the end.
    Buffer {
        /// Which buffer; nothing for a variable of the module.
        id: Option<BufferId>,
        /// Bytes from its start.
        offset: i64,
        /// Its size in bytes.
        size: u64,
    },
    /// An address near no buffer.
    Address(u64),
    /// In the shared memory of the block, bytes from its start.
    Shared(u64),
    /// A barrier of the block.
    Barrier {
        /// Threads that arrived together.
        arrived: u32,
        /// Threads that should have.
        expected: u32,
    },
    /// A warp-wide instruction.
    WarpMask {
        /// The lanes that execute it.
        executed: LaneMask,
        /// The lanes that it names.
        named: LaneMask,
    },
}

/// Who did something, and in which line.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Site {
    /// The instruction.
    pub pc: Pc,
    /// Its source line.
    pub line: Line,
    /// The block, [x, y, z].
    pub block: [u32; 3],
    /// The thread, [x, y, z], the first of several; nothing where the block as a whole is meant.
    pub thread: Option<[u32; 3]>,
    /// What it did; nothing at a barrier.
    pub access: Option<Access>,
    /// Bytes of the access; 0 at a barrier.
    pub bytes: u32,
}

impl Site {
    /// The access of one lane of a request.
    pub(crate) fn of_event(event: &WarpEvent<'_>, lane: usize) -> Site {
        Site {
            pc: event.pc,
            line: event.line,
            block: event.block,
            thread: Some(event.thread_index(lane)),
            access: Some(event.access),
            bytes: event.bytes,
        }
    }

    /// The access that was dropped.
    pub(crate) fn of_fault(fault: &Fault) -> Site {
        Site {
            pc: fault.pc,
            line: fault.line,
            block: fault.block,
            thread: Some(fault.thread),
            access: Some(fault.access),
            bytes: fault.bytes,
        }
    }
}

impl Site {
    /// Line, thread and block, without what they do.
    fn who(&self) -> String {
        let [x, y, z] = self.block;
        let block = format!("block ({x}, {y}, {z})");
        match self.thread {
            Some([x, y, z]) => format!("{}: thread ({x}, {y}, {z}) of {block}", self.line),
            None => format!("{}: {block}", self.line),
        }
    }
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.who())?;
        let bytes = self.bytes;
        match self.access {
            Some(Access::Load) => write!(f, " loads {bytes} bytes"),
            Some(Access::Store) => write!(f, " stores {bytes} bytes"),
            Some(Access::Atomic { .. }) => write!(f, " updates {bytes} bytes atomically"),
            None => f.write_str(" waits"),
        }
    }
}

/// One defect: what kind, where, and the accesses that make it up, the earlier one first.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Finding {
    /// What is wrong.
    pub kind: FindingKind,
    /// Where in memory.
    pub place: Place,
    /// The access, or the earlier of two. A cell never written has none.
    pub first: Option<Site>,
    /// The later of two accesses.
    pub second: Option<Site>,
}

impl Finding {
    /// One sentence that names source line, block, thread and place; `name` gives a buffer its name.
    pub fn sentence(&self, name: impl Fn(BufferId) -> String) -> String {
        let place = place_text(self.place, &name);
        let text = |site: Option<Site>| site.map(|site| site.to_string()).unwrap_or_default();
        let (first, second) = (text(self.first), text(self.second));
        match self.kind {
            FindingKind::NeverWritten => format!("the output cell at {place} is never written"),
            FindingKind::WrittenTwice => format!("the output cell at {place} is written more than once"),
            FindingKind::OutOfBounds => format!("{first} at {place}, {}", outside(self.place)),
            FindingKind::Misaligned => {
                let bytes = self.first.map_or(0, |site| site.bytes);
                format!("{first} at {place}, which is not a multiple of {bytes}")
            }
            FindingKind::SharedOutOfRange => format!("{first} at {place}, past the block's shared memory"),
            FindingKind::ReadOnly => format!("{first} at {place}, which is constant"),
            FindingKind::Uninitialised => format!("{first} at {place}, which nothing has written"),
            FindingKind::Race => {
                format!("{first} at {place}, and at {second} there, with nothing to order the two")
            }
            FindingKind::DivergentBarrier if self.second.is_some() => {
                format!("{first} at one barrier while at {second} at another")
            }
            FindingKind::DivergentBarrier => {
                format!("{first} at {place} that the rest of its warp does not reach")
            }
            FindingKind::WrongMask => {
                let who = self.first.map(|site| site.who()).unwrap_or_default();
                format!("{who} and the mask of a warp-wide instruction do not agree: {place}")
            }
            FindingKind::ExitedBeforeBarrier => format!("{first} at {place}, the others have exited"),
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence(|id| format!("buffer {}", id.index())))
    }
}

fn place_text(place: Place, name: &dyn Fn(BufferId) -> String) -> String {
    match place {
        Place::Buffer { id, offset, .. } => {
            let name = id.map_or_else(|| "a module variable".to_string(), name);
            let sign = if offset < 0 { '-' } else { '+' };
            format!("{name} {sign} {}", offset.unsigned_abs())
        }
        Place::Address(address) => format!("address {address:#x}"),
        Place::Shared(offset) => format!("shared + {offset}"),
        Place::WarpMask { executed, named } => {
            format!(
                "lanes {:#010x} execute it, the mask is {:#010x}",
                executed.0, named.0
            )
        }
        Place::Barrier { arrived, expected } => format!("a barrier with {arrived} of {expected} threads"),
    }
}

/// On which side of the buffer an access strays.
fn outside(place: Place) -> String {
    match place {
        Place::Buffer { offset, .. } if offset < 0 => "before its start".to_string(),
        Place::Buffer { size, .. } => format!("past its end at {size}"),
        _ => "outside every buffer".to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site(line: u32, thread: u32, access: Access) -> Site {
        Site {
            pc: Pc(line),
            line: Line(line),
            block: [1, 0, 0],
            thread: Some([thread, 0, 0]),
            access: Some(access),
            bytes: 4,
        }
    }

    #[test]
    fn a_race_names_both_accesses() {
        let finding = Finding {
            kind: FindingKind::Race,
            place: Place::Buffer {
                id: Some(BufferId(1)),
                offset: 160,
                size: 400,
            },
            first: Some(site(20, 3, Access::Store)),
            second: Some(site(22, 4, Access::Load)),
        };
        assert_eq!(
            finding.to_string(),
            "line 20: thread (3, 0, 0) of block (1, 0, 0) stores 4 bytes at buffer 1 + 160, and at line 22: \
             thread (4, 0, 0) of block (1, 0, 0) loads 4 bytes there, with nothing to order the two"
        );
        assert!(finding.sentence(|_| "out".into()).contains("at out + 160"));
    }

    #[test]
    fn strays_say_on_which_side() {
        let at = |offset| Finding {
            kind: FindingKind::OutOfBounds,
            place: Place::Buffer {
                id: Some(BufferId(0)),
                offset,
                size: 160,
            },
            first: Some(site(7, 0, Access::Store)),
            second: None,
        };
        assert!(at(164)
            .to_string()
            .ends_with("at buffer 0 + 164, past its end at 160"));
        assert!(at(-4).to_string().ends_with("at buffer 0 - 4, before its start"));
        let nowhere = Finding {
            place: Place::Address(16),
            ..at(0)
        };
        assert!(nowhere
            .to_string()
            .ends_with("at address 0x10, outside every buffer"));
    }
}
