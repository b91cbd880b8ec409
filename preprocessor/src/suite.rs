//! The Rust blocks of the book as tests: what skeptic generates from files, and what it has no word for.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::block::{Expect, RustBlock};
use crate::expand::ExpandedChapter;
use crate::render::fence;

/// How many lines skeptic puts above a block when it compiles it.
const ABOVE: usize = 1;

/// All tests of the book's Rust blocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suite {
    /// One small document a test, for `skeptic::generate_doc_tests`.
    pub documents: Vec<PathBuf>,
    /// Tests in Rust for blocks that skeptic has no word for. They call `rejected(code, test, place, program)`,
    /// `compiles(program)` and `runs_on_gpu(place, program)`, and there is a `BLOCKS: usize`.
    pub tests: String,
}

impl Suite {
    /// Writes the documents into `folder`.
    ///
    /// Each has its block at the line where the chapter has it, so that the test's name and the compiler's messages
    /// point at the chapter. A document that has not changed is not touched, and none looks newer than the epoch:
    /// skeptic has cargo watch them, and a file written by a build script would make every build a dirty one.
    ///
    /// # Errors
    /// The folder can not be written.
    pub fn write(chapters: &[ExpandedChapter], folder: &Path) -> io::Result<Suite> {
        let mut suite = Suite {
            documents: Vec::new(),
            tests: String::new(),
        };
        let mut count = 0;
        for chapter in chapters {
            count += chapter.blocks.len();
            for block in &chapter.blocks {
                suite.add(chapter, block, folder)?;
            }
        }
        // Writing to a String can not fail.
        let _ = writeln!(
            suite.tests,
            "/// Rust blocks in all chapters.\nconst BLOCKS: usize = {count};"
        );
        Ok(suite)
    }

    fn add(&mut self, chapter: &ExpandedChapter, block: &RustBlock, folder: &Path) -> io::Result<()> {
        let stem = identifier(&chapter.path.file_stem().unwrap_or_default().to_string_lossy());
        let name = format!("{stem}_line_{}", block.line);
        let place = format!(
            "{}:{}",
            chapter.path.to_string_lossy().replace('\\', "/"),
            block.line
        );
        let mut document = |stem: String, info: &str| {
            let program = block.program(ABOVE);
            let text = "\n".repeat(block.line.saturating_sub(1)) + &fence(info, &program);
            // skeptic names a test after its file and the line of the fence.
            let file = folder.join(format!("{stem}_{}", block.line)).join(stem + ".md");
            write_once(&file, &text)?;
            self.documents.push(file);
            io::Result::Ok(())
        };
        match &block.expect {
            Expect::Run => document(stem, "rust"),
            Expect::Compile => document(stem, "rust,no_run"),
            Expect::Ignore => document(stem, "rust,ignore"),
            Expect::Panic => {
                // A block that does not compile would pass as one that panics.
                document(format!("{stem}_compiles"), "rust,no_run")?;
                document(format!("{stem}_panics"), "rust,should_panic")
            }
            Expect::Reject(code) => {
                let test = format!("{name}_is_rejected");
                let program = block.program(0);
                let _ = writeln!(
                    self.tests,
                    "#[test]\nfn {test}() {{\n    rejected({code:?}, {test:?}, {place:?}, {program:?});\n}}"
                );
                Ok(())
            }
            Expect::Gpu => {
                let program = block.program(0);
                let _ = writeln!(
                    self.tests,
                    "#[test]\nfn {name}_compiles() {{\n    compiles({program:?});\n}}\n\
                     #[test]\nfn {name}_runs_on_gpu() {{\n    runs_on_gpu({place:?}, {program:?});\n}}"
                );
                Ok(())
            }
        }
    }
}

/// Words of a file name joined so that they can be part of a function's name.
fn identifier(stem: &str) -> String {
    stem.chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() {
                c.to_ascii_lowercase()
            } else {
                '_'
            }
        })
        .collect()
}

fn write_once(file: &Path, text: &str) -> io::Result<()> {
    if fs::read_to_string(file).is_ok_and(|old| old == text) {
        return Ok(());
    }
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(file, text)?;
    File::options()
        .write(true)
        .open(file)?
        .set_modified(SystemTime::UNIX_EPOCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chapter(expect: Expect) -> ExpandedChapter {
        let block = RustBlock {
            line: 5,
            expect,
            code: "boom();\n".into(),
        };
        ExpandedChapter {
            path: "src/one-two.md".into(),
            markdown: String::new(),
            lines: Vec::new(),
            blocks: vec![block],
        }
    }

    #[test]
    fn a_document_keeps_the_chapters_lines_and_its_age() {
        let folder = tempfile::tempdir().unwrap();
        let write = || Suite::write(&[chapter(Expect::Run)], folder.path()).unwrap();
        let suite = write();
        assert_eq!(
            suite.documents,
            [folder.path().join("one_two_5").join("one_two.md")]
        );
        let text = fs::read_to_string(&suite.documents[0]).unwrap();
        assert_eq!(text.lines().nth(4), Some("```rust"));
        let modified = || fs::metadata(&suite.documents[0]).unwrap().modified().unwrap();
        assert_eq!(modified(), SystemTime::UNIX_EPOCH);
        write();
        assert_eq!(modified(), SystemTime::UNIX_EPOCH);
        assert!(suite.tests.contains("const BLOCKS: usize = 1;"));
    }

    #[test]
    fn every_expectation_is_tested() {
        let folder = tempfile::tempdir().unwrap();
        let write = |expect| Suite::write(&[chapter(expect)], folder.path()).unwrap();
        assert_eq!(write(Expect::Panic).documents.len(), 2);
        let rejected = write(Expect::Reject("E0382".into()));
        assert!(rejected.documents.is_empty());
        assert!(rejected
            .tests
            .contains("fn one_two_line_5_is_rejected() {\n    rejected(\"E0382\""));
        let gpu = write(Expect::Gpu).tests;
        assert!(
            gpu.contains("fn one_two_line_5_compiles()") && gpu.contains("fn one_two_line_5_runs_on_gpu()")
        );
        assert!(gpu.contains("\"src/one-two.md:5\""));
    }
}
