//! Ready-made observers, one for each question.
//!
//! | observer | asks | a launch on several host threads |
//! |---|---|---|
//! | [`Counts`] | what did each instruction cost? | yes |
//! | [`Coverage`] | was each output cell written exactly once? | yes |
//! | [`Stray`] | which accesses could not be done? | yes |
//! | [`Barriers`] | did all threads arrive at each barrier together? | yes |
//! | [`Uninitialised`] | who read what nothing wrote? | no |
//! | [`Races`] | which accesses does nothing order? | no |
//!
//! The last two depend on the order in which the machine ran the blocks, so the machine runs them one after
//! the other on one host thread. Observers combine in tuples: `(Counts, Races)` is an observer too; [`Watch`] is
//! all of them.
//!
//! Each keeps a total, and the first few [`Finding`]s in full.

mod barriers;
mod counts;
mod coverage;
mod finding;
mod log;
mod per_block;
mod races;
mod region;
mod stray;
#[cfg(test)]
mod testing;
mod uninitialised;
mod watch;

pub use barriers::Barriers;
pub use counts::{Counts, GlobalCount, Requests, SharedCount};
pub use coverage::Coverage;
pub use finding::{Finding, FindingKind, Place, Site};
pub use races::Races;
pub use stray::Stray;
pub use uninitialised::Uninitialised;
pub use watch::Watch;

/// Findings that an observer keeps in full unless told otherwise.
pub const KEPT: usize = 16;
