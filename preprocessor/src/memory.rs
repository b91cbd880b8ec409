//! Answers, kept on disk from one build to the next.
//!
//! An answer depends on the directive, on the code that computes it and on the evidence. The last two are one number,
//! `version`: answers of another version are thrown away. So a changed chapter costs no run of a kernel, and a
//! changed kernel can not leave an old figure on a page.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

/// Answers of one version.
#[derive(Debug)]
pub struct Memory(PathBuf);

impl Memory {
    /// The answers kept in `folder` for `version`; others that are there are deleted.
    pub fn open(folder: &Path, version: u64) -> Memory {
        let own = folder.join(format!("{version:016x}"));
        if !own.is_dir() {
            // Nothing here is more than a short cut: what can not be deleted or written is computed again.
            let _ = fs::remove_dir_all(folder);
            let _ = fs::create_dir_all(&own);
        }
        Memory(own)
    }

    /// What is known of `question`.
    pub fn recall(&self, question: &str) -> Option<String> {
        let kept = fs::read_to_string(self.file(question)).ok()?;
        // The question is kept with the answer, so that two with one hash can not be confused.
        Some(kept.strip_prefix(question)?.strip_prefix('\n')?.to_string())
    }

    /// Keeps an answer. Another process may do the same at this moment, hence the detour.
    pub fn keep(&self, question: &str, answer: &str) {
        let file = self.file(question);
        let half = file.with_extension(std::process::id().to_string());
        if fs::write(&half, format!("{question}\n{answer}")).is_ok() {
            let _ = fs::rename(half, file);
        }
    }

    fn file(&self, question: &str) -> PathBuf {
        let mut hasher = DefaultHasher::new();
        question.hash(&mut hasher);
        self.0.join(format!("{:016x}", hasher.finish()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_last_as_long_as_their_version() {
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::open(folder.path(), 1);
        assert_eq!(memory.recall("predictions grid"), None);
        memory.keep("predictions grid", "a\nb\n");
        assert_eq!(
            Memory::open(folder.path(), 1)
                .recall("predictions grid")
                .as_deref(),
            Some("a\nb\n")
        );
        assert_eq!(memory.recall("predictions"), None);
        assert_eq!(Memory::open(folder.path(), 2).recall("predictions grid"), None);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
