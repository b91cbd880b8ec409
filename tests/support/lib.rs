//! What the tests of the book share.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

mod prose;

pub use prose::{heading_ids, measurements, Line};

/// The book's root.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_path_buf()
}

/// One chapter as its author wrote it.
pub struct Chapter {
    /// Relative to the root: `src/transpose.md`.
    pub path: PathBuf,
    /// Its text with plain newlines.
    pub text: String,
}

/// Every Markdown file in `src`, the summary not included.
///
/// # Panics
/// A file can not be read.
pub fn chapters() -> Vec<Chapter> {
    let entries = fs::read_dir(root().join("src")).expect("src is there");
    let mut chapters: Vec<Chapter> = entries
        .map(|entry| entry.expect("src can be listed").path())
        .filter(|path| {
            path.extension().is_some_and(|extension| extension == "md") && !path.ends_with("SUMMARY.md")
        })
        .map(|path| Chapter {
            text: fs::read_to_string(&path)
                .expect("a chapter can be read")
                .replace("\r\n", "\n"),
            path: Path::new("src").join(path.file_name().expect("a file has a name")),
        })
        .collect();
    chapters.sort_by(|a, b| a.path.cmp(&b.path));
    chapters
}

/// The name of the first CUDA device, looked for once.
///
/// # Errors
/// Why there is none, as one sentence.
pub fn cuda_device() -> Result<String, String> {
    static DEVICE: OnceLock<Result<String, String>> = OnceLock::new();
    let look = || {
        warpwise::gpu::Gpu::open()
            .map(|gpu| gpu.name)
            .map_err(|error| error.to_string())
    };
    DEVICE.get_or_init(look).clone()
}
