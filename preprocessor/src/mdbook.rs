//! The expander as a preprocessor of mdBook.

use std::path::Path;

use anyhow::Result;
use mdbook_preprocessor::book::{Book, BookItem};
use mdbook_preprocessor::{Preprocessor, PreprocessorContext};

use crate::book::expander;
use crate::diagnostic::Diagnostics;

/// Expands all chapters of a book before mdBook renders them.
pub struct Warpwise;

impl Preprocessor for Warpwise {
    fn name(&self) -> &str {
        "warpwise"
    }

    fn supports_renderer(&self, renderer: &str) -> Result<bool> {
        Ok(renderer == "html")
    }

    fn run(&self, ctx: &PreprocessorContext, mut book: Book) -> Result<Book> {
        let expander = expander(&ctx.root);
        let mut problems = Vec::new();
        book.for_each_mut(|item| {
            let BookItem::Chapter(chapter) = item else { return };
            let Some(path) = &chapter.source_path else { return };
            let path = Path::new("src").join(path);
            match expander.chapter(&path, &chapter.content) {
                Ok(expanded) => chapter.content = expanded.markdown,
                Err(found) => problems.extend(found),
            }
        });
        if problems.is_empty() {
            Ok(book)
        } else {
            Err(Diagnostics(problems).into())
        }
    }
}
