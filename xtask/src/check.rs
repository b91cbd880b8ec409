//! What CI checks, in its order: the quick and frequent mistakes first.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{bail, Context, Result};

const STEPS: [&[&str]; 7] = [
    &["fmt", "--all", "--check"],
    &[
        "clippy",
        "--quiet",
        "--workspace",
        "--all-targets",
        "--",
        "-D",
        "warnings",
    ],
    &["xtask", "ptx", "--check"],
    &["test"],
    &["test", "--package", "xtask"],
    &["book", "build"],
    &["xtask", "links"],
];

/// Runs every step, stops at the first that fails, and says how long each took.
///
/// # Errors
/// The step that failed.
pub fn all(root: &Path) -> Result<()> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    for step in STEPS {
        let (name, start) = (step.join(" "), Instant::now());
        eprintln!("== cargo {name}");
        let status = Command::new(&cargo)
            .args(step)
            .current_dir(root)
            .status()
            .context("cargo can not be started")?;
        if !status.success() {
            bail!("`cargo {name}` failed");
        }
        eprintln!("== cargo {name}: {:.0} s", start.elapsed().as_secs_f64());
    }
    Ok(())
}
