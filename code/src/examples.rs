//! The GPU-marked examples of the chapters: their programs as text.
//!
//! The same files are compiled as examples, into the binary (`warpwise example NAME`), and by skeptic as blocks
//! of the book.

use crate::fingerprint;
use crate::source::{self, Source};

/// A whole program that a chapter shows.
#[derive(Debug)]
pub struct Example {
    /// Name: of the file under `code/examples/`, and on the command line.
    pub name: &'static str,
    /// The program.
    pub program: &'static str,
    /// The PTX it launches from, if any.
    pub source: Option<&'static Source>,
}

macro_rules! example {
    ($name:literal, $source:expr) => {
        Example {
            name: $name,
            program: include_str!(concat!("../examples/", $name, ".rs")),
            source: $source,
        }
    };
}

/// Every example, in the order of the lessons.
pub static EXAMPLES: [Example; 6] = [
    example!("grid", Some(&source::GRID)),
    example!("bounds", Some(&source::BOUNDS)),
    example!("transpose", Some(&source::TRANSPOSE)),
    example!("layout", None),
    example!("spiral", Some(&source::SPIRAL)),
    example!("diagonal", Some(&source::DIAGONAL)),
];

/// Returns the example of that name.
pub fn example(name: &str) -> Option<&'static Example> {
    EXAMPLES.iter().find(|e| e.name == name)
}

/// Returns the fingerprint of an example and of the PTX it launches from.
pub fn fingerprint(name: &str) -> Option<String> {
    example(name).map(|e| fingerprint::of_example(e.program, e.source.map_or("", |s| s.ptx)))
}
