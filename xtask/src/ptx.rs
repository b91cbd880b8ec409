//! Kernels to PTX: the text that the machine runs and that the GPU gets.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{bail, Context, Result};

use crate::nvrtc::Nvrtc;

/// The oldest architecture that all plain kernels compile for, hence the most GPUs that can run them.
const ARCHITECTURE: &str = "compute_75";

/// A kernel file that needs a newer one says so in a line of its own.
const ARCHITECTURE_MARK: &str = "// Architecture: ";

/// Compiles every `.cu` below `kernels/` and writes the `.ptx` beside it, or compares it with the one that is there.
///
/// # Errors
/// A kernel that does not compile, no NVRTC, or, if `check`, PTX that is not what its source compiles to.
pub fn compile_all(root: &Path, check: bool) -> Result<()> {
    let nvrtc = Nvrtc::fetch(&root.join("target").join("nvrtc"))?;
    let sources = files(&root.join("kernels"), "cu")?;
    let mut stale = Vec::new();
    for source in &sources {
        let shown = source.strip_prefix(root).unwrap_or(source).display().to_string();
        let ptx = compile(&nvrtc, source).with_context(|| shown.clone())?;
        let target = source.with_extension("ptx");
        let there = fs::read_to_string(&target)
            .unwrap_or_default()
            .replace("\r\n", "\n");
        if there == ptx {
            continue;
        }
        if check {
            stale.push(format!(
                "{shown} does not compile to the PTX beside it:\n{}",
                difference(&there, &ptx)
            ));
        } else {
            fs::write(&target, ptx).with_context(|| target.display().to_string())?;
            eprintln!("{}", target.display());
        }
    }
    for ptx in files(&root.join("kernels"), "ptx")? {
        // The programs that try every instruction are written by a test of the machine, not by a compiler.
        let written = ptx
            .parent()
            .is_some_and(|folder| folder.ends_with("instructions"));
        if !written && !ptx.with_extension("cu").exists() {
            stale.push(format!("{} has no .cu beside it", ptx.display()));
        }
    }
    if !stale.is_empty() {
        bail!("{}\nrun `cargo xtask ptx`", stale.join("\n"));
    }
    eprintln!(
        "{} kernel files, PTX {}",
        sources.len(),
        if check { "as committed" } else { "up to date" }
    );
    Ok(())
}

fn compile(nvrtc: &Nvrtc, source: &Path) -> Result<String> {
    let text = fs::read_to_string(source)?.replace("\r\n", "\n");
    let name = source.file_name().unwrap_or_default().to_string_lossy();
    let architecture = text
        .lines()
        .find_map(|line| line.strip_prefix(ARCHITECTURE_MARK))
        .unwrap_or(ARCHITECTURE);
    Ok(plain(&nvrtc.compile(&text, &name, architecture.trim())?))
}

/// Takes the folder out of `.file`, so that the PTX is the same wherever it was compiled.
fn plain(ptx: &str) -> String {
    let lines = ptx.lines().map(|line| match line.split_once('"') {
        Some((head, rest)) if head.trim_start().starts_with(".file") => {
            let (path, tail) = rest.split_once('"').unwrap_or((rest, ""));
            format!(
                "{head}\"{}\"{tail}",
                path.rsplit(['/', '\\']).next().unwrap_or(path)
            )
        }
        _ => line.to_string(),
    });
    lines.collect::<Vec<_>>().join("\n").trim_end().to_string() + "\n"
}

/// The first lines that differ, with their numbers.
fn difference(there: &str, new: &str) -> String {
    let (there, new): (Vec<&str>, Vec<&str>) = (there.lines().collect(), new.lines().collect());
    let mut out = String::new();
    let differing = (0..there.len().max(new.len())).filter(|&i| there.get(i) != new.get(i));
    for i in differing.take(5) {
        // Writing to a String can not fail.
        let _ = there.get(i).map(|line| writeln!(out, "{:5} - {line}", i + 1));
        let _ = new.get(i).map(|line| writeln!(out, "{:5} + {line}", i + 1));
    }
    out
}

fn files(folder: &Path, extension: &str) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(files(&path, extension)?);
        } else if path.extension().is_some_and(|is| is == extension) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_taken_out() {
        let ptx = ".version 7.7\n\t.file\t1 \"/home/me/kernels/grid.cu\"\n.file 2 \"C:\\\\a\\\\b.cu\"\nmov \"x/y\";\n\n";
        assert_eq!(
            plain(ptx),
            ".version 7.7\n\t.file\t1 \"grid.cu\"\n.file 2 \"b.cu\"\nmov \"x/y\";\n"
        );
    }

    #[test]
    fn the_difference_names_lines() {
        assert_eq!(
            difference("a\nb\n", "a\nc\nd\n"),
            "    2 - b\n    2 + c\n    3 + d\n"
        );
    }
}
