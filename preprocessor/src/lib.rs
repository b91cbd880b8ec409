//! Expands the directives of Warpwise's chapters, strictly.
//!
//! A chapter is Markdown with directives of the form `{{#name arguments}}`: regions of real code, runs of the real
//! program, figures computed now or recorded on a GPU. One [`Expander`] serves the page and the tests, so that
//! what is tested is what is read. What can not be resolved is a [`Diagnostic`] with the chapter's file and line, and
//! all of them are reported, not just the first.
//!
//! ```text
//! chapter.md --Directive--> Snippet, Table, … --> ExpandedChapter --+--> mdBook --> HTML
//!                                                                   +--> RustBlock --> skeptic
//! ```

mod block;
mod book;
mod computed;
mod diagnostic;
mod directive;
mod expand;
mod markdown;
#[cfg(feature = "mdbook")]
mod mdbook;
mod memory;
mod questions;
mod render;
mod snippet;
mod source;
mod suite;

pub use block::{Expect, RustBlock};
pub use book::{chapters, expander};
pub use computed::Computed;
pub use diagnostic::{Diagnostic, Diagnostics};
pub use directive::{Directive, DirectiveError, NAMES};
pub use expand::{ExpandedChapter, Expander};
#[cfg(feature = "mdbook")]
pub use mdbook::Warpwise;
pub use snippet::{Snippet, SnippetError};
pub use source::{Example, Source, SourceError};
pub use suite::Suite;
