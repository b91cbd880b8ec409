//! The whole book: which chapters there are, and all that is wrong in them.

use std::fs;
use std::path::{Path, PathBuf};

use crate::computed::Computed;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::expand::{ExpandedChapter, Expander};
use crate::source::Source;

/// The chapters that `src/SUMMARY.md` names, relative to `root`, in reading order.
///
/// # Errors
/// No summary, or a summary that names no chapter.
pub fn chapters(root: &Path) -> Result<Vec<PathBuf>, Diagnostics> {
    let summary = PathBuf::from("src/SUMMARY.md");
    let fail = |message: String| {
        Diagnostics(vec![Diagnostic {
            file: summary.clone(),
            line: 1,
            message,
        }])
    };
    let text =
        fs::read_to_string(root.join(&summary)).map_err(|e| fail(format!("it can not be read: {e}")))?;
    let links = pulldown_cmark::Parser::new(&text).filter_map(|event| match event {
        pulldown_cmark::Event::Start(pulldown_cmark::Tag::Link { dest_url, .. }) => {
            Some(dest_url.to_string())
        }
        _ => None,
    });
    let chapters: Vec<PathBuf> = links
        .filter(|link| link.ends_with(".md"))
        .map(|link| Path::new("src").join(link))
        .collect();
    if chapters.is_empty() {
        return Err(fail("it names no chapter".into()));
    }
    Ok(chapters)
}

/// The expander of the book at `root`, which keeps answers below `target/`.
pub fn expander(root: &Path) -> Expander<Computed> {
    Expander::new(root, Computed::new(root)).remembering(&root.join("target").join("answers"))
}

impl<S: Source> Expander<S> {
    /// Every chapter of the book, expanded.
    ///
    /// # Errors
    /// All that is wrong in any of them, in reading order.
    pub fn book(&self) -> Result<Vec<ExpandedChapter>, Diagnostics> {
        let mut expanded = Vec::new();
        let mut problems = Vec::new();
        for path in chapters(self.root())? {
            let text = fs::read_to_string(self.root().join(&path)).map_err(|e| {
                let message = format!("this chapter of src/SUMMARY.md can not be read: {e}");
                vec![Diagnostic {
                    file: path.clone(),
                    line: 1,
                    message,
                }]
            });
            match text.and_then(|text| self.chapter(&path, &text)) {
                Ok(chapter) => expanded.push(chapter),
                Err(found) => problems.extend(found),
            }
        }
        if problems.is_empty() {
            Ok(expanded)
        } else {
            Err(Diagnostics(problems))
        }
    }
}
