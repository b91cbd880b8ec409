//! Gives the crate a number for the code that computes figures: another one whenever that code changes.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::Path;

fn main() -> io::Result<()> {
    let mut hasher = DefaultHasher::new();
    for folder in [
        "src",
        "../code/src",
        "../code/examples",
        "../machine/src",
        "../kernels",
    ] {
        println!("cargo:rerun-if-changed={folder}");
        add(Path::new(folder), &mut hasher)?;
    }
    println!("cargo:rustc-env=WARPWISE_COMPUTED_BY={}", hasher.finish());
    Ok(())
}

fn add(path: &Path, hasher: &mut DefaultHasher) -> io::Result<()> {
    if !path.is_dir() {
        path.hash(hasher);
        fs::read(path)?.hash(hasher);
        return Ok(());
    }
    let mut entries = fs::read_dir(path)?
        .map(|entry| Ok(entry?.path()))
        .collect::<io::Result<Vec<_>>>()?;
    entries.sort();
    entries.iter().try_for_each(|entry| add(entry, hasher))
}
