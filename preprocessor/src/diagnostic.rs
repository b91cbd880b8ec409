//! What is wrong in a chapter, and where.

use std::fmt;
use std::path::PathBuf;

/// One defect of the book: the chapter's file, its line, and a sentence that says what to do.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Diagnostic {
    /// The chapter, relative to the book's root, `src/transpose.md`.
    pub file: PathBuf,
    /// The line in that file, from 1.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Forward slashes on every system, so that a message can be clicked and compared.
        let file = self.file.to_string_lossy().replace('\\', "/");
        write!(f, "{file}:{}: {}", self.line, self.message)
    }
}

/// Every defect found in one pass over the book, in reading order. Never empty.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct Diagnostics(pub Vec<Diagnostic>);

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, diagnostic) in self.0.iter().enumerate() {
            let newline = if i == 0 { "" } else { "\n" };
            write!(f, "{newline}{diagnostic}")?;
        }
        Ok(())
    }
}
