//! The book, built in this process by mdBook's library and our own preprocessor.

use std::path::Path;
use std::time::Instant;

use anyhow::{bail, Result};
use mdbook_driver::MDBook;
use mdbook_warpwise::Warpwise;

use crate::log;

/// Writes the book into the folder that book.toml names.
///
/// # Errors
/// Whatever is wrong in a chapter, and whatever mdBook warns of.
pub fn build(root: &Path) -> Result<()> {
    let start = Instant::now();
    let warnings = log::to_stderr();
    let mut book = MDBook::load(root)?;
    // Takes the place of the command in book.toml, which other people's `mdbook` starts.
    book.with_preprocessor(Warpwise);
    book.build()?;
    if warnings.count() > 0 {
        bail!("mdBook was not content; see above");
    }
    eprintln!(
        "{} in {:.1} s",
        book.build_dir_for("html").join("index.html").display(),
        start.elapsed().as_secs_f64()
    );
    Ok(())
}
