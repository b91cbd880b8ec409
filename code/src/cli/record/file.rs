//! A file that is whole or not there.

use crate::evidence::to_text;
use anyhow::{Context, Result};
use serde::Serialize;
use std::io::Write;
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// A file about to be written: the room for it is taken before the work begins.
pub(super) struct Target {
    path: PathBuf,
    draft: NamedTempFile,
}

impl Target {
    /// Returns the target `folder/name.json`, with its folder made and a draft beside it that can be written.
    pub(super) fn open(folder: &Path, name: &str) -> Result<Target> {
        let hint = || {
            format!(
                "can not write evidence into {}; choose another folder with --evidence",
                folder.display()
            )
        };
        std::fs::create_dir_all(folder).with_context(hint)?;
        let draft = NamedTempFile::new_in(folder).with_context(hint)?;
        Ok(Target {
            path: folder.join(format!("{name}.json")),
            draft,
        })
    }

    /// Writes the value with its digest, in one step: a full disk leaves what was there before.
    pub(super) fn write(mut self, value: &impl Serialize) -> Result<PathBuf> {
        let path = &self.path;
        let hint = || {
            format!(
                "can not write {}; make room or choose another folder with --evidence",
                path.display()
            )
        };
        self.draft
            .write_all(to_text(value)?.as_bytes())
            .with_context(hint)?;
        self.draft.as_file().sync_all().with_context(hint)?;
        self.draft.persist(path).with_context(hint)?;
        Ok(self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn nothing_is_left_of_a_target_that_was_not_written() {
        let folder = tempfile::tempdir().unwrap();
        drop(Target::open(folder.path(), "copy").unwrap());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_written_target_is_the_only_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = Target::open(folder.path(), "copy")
            .unwrap()
            .write(&json!({ "schema": 1 }))
            .unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains("\"digest\"") && text.ends_with("}\n"), "{text}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_folder_that_can_not_be_made_is_one_sentence() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "").unwrap();
        let message = format!("{:#}", Target::open(&file.join("below"), "copy").err().unwrap());
        assert!(message.contains("--evidence"), "{message}");
    }
}
