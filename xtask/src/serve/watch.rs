//! What the book is made of, looked at a few times a second.
//!
//! A look costs about a millisecond for the few hundred files there are, and works the same on every system, also in
//! containers and on network drives, where notifications get lost.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime};

/// Everything that a page may depend on.
const WATCHED: [&str; 11] = [
    "book.toml",
    "src",
    "theme",
    "code",
    "kernels",
    "evidence",
    "machine",
    "preprocessor",
    "xtask",
    "Cargo.toml",
    "Cargo.lock",
];

const LOOK: Duration = Duration::from_millis(250);

/// Age and size of every watched file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Snapshot(BTreeMap<PathBuf, (Option<SystemTime>, u64)>);

impl Snapshot {
    /// How things are now.
    pub fn take(root: &Path) -> Snapshot {
        let mut snapshot = Snapshot::default();
        for name in WATCHED {
            snapshot.add(root.join(name));
        }
        snapshot
    }

    fn add(&mut self, path: PathBuf) {
        // What is gone between two looks is not there, which is a change like any other.
        let Ok(metadata) = fs::metadata(&path) else { return };
        if metadata.is_dir() {
            let entries = fs::read_dir(&path).into_iter().flatten().flatten();
            let hidden = |name: &str| name.starts_with('.') || name == "target" || name == "node_modules";
            entries
                .filter(|entry| !hidden(&entry.file_name().to_string_lossy()))
                .for_each(|entry| self.add(entry.path()));
        } else {
            self.0.insert(path, (metadata.modified().ok(), metadata.len()));
        }
    }

    /// Waits until something is different and has settled: an editor may write a file in several steps.
    pub fn changed(&self, root: &Path) -> Snapshot {
        let mut now = Snapshot::take(root);
        while now == *self {
            thread::sleep(LOOK);
            now = Snapshot::take(root);
        }
        loop {
            thread::sleep(LOOK / 5);
            let later = Snapshot::take(root);
            if later == now {
                return now;
            }
            now = later;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_come_change_and_go_are_seen() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("src/.swap")).unwrap();
        let chapter = root.path().join("src/a.md");
        let none = Snapshot::take(root.path());
        fs::write(&chapter, "a").unwrap();
        let one = none.changed(root.path());
        assert_ne!(one, none);
        fs::write(&chapter, "ab").unwrap();
        let other = one.changed(root.path());
        assert_ne!(other, one);
        fs::remove_file(&chapter).unwrap();
        assert_eq!(other.changed(root.path()), none);
        fs::write(root.path().join("src/.swap/b"), "b").unwrap();
        assert_eq!(Snapshot::take(root.path()), none);
    }
}
