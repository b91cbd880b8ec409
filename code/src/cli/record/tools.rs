//! Other programs: this one again, and NVIDIA's tools where they are installed.

use crate::evidence::Sanitizer;
use crate::kernels::Shape;
use anyhow::{Context, Result};
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

/// Returns this very program, to be run again.
pub(super) fn this_program() -> Command {
    Command::new(std::env::current_exe().unwrap_or_else(|_| PathBuf::from("warpwise")))
}

/// Returns a tool of the CUDA toolkit from the PATH or the toolkit's usual folder, or `None`.
pub(super) fn tool(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let usual = PathBuf::from("/usr/local/cuda/bin");
    std::env::split_paths(&path)
        .chain([usual])
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
}

/// Returns what compute-sanitizer says of a kernel without a guard region, or `None` where it is not installed.
pub(super) fn sanitize(kernel: &str, shape: Shape) -> Result<Option<Sanitizer>> {
    let Some(sanitizer) = tool("compute-sanitizer") else {
        return Ok(None);
    };
    let options = [
        "--tool",
        "memcheck",
        "--show-backtrace",
        "no",
        "--report-api-errors",
        "no",
    ];
    let launch = [
        "launch".to_owned(),
        "--no-guard".to_owned(),
        format!("{kernel}:{shape}"),
    ];
    let program: OsString = this_program().get_program().to_owned();
    let ran = Command::new(sanitizer)
        .args(options)
        .arg(program)
        .args(&launch)
        .output()
        .context("running compute-sanitizer")?;
    let text = String::from_utf8_lossy(&ran.stdout).into_owned();
    let report: Vec<String> = text
        .lines()
        .filter_map(|line| line.strip_prefix("========="))
        .map(|line| line.trim_end().strip_prefix(' ').unwrap_or(line).to_owned())
        .filter(|line| !line.trim().is_empty() && !line.starts_with("COMPUTE-SANITIZER"))
        .collect();
    let errors = report
        .iter()
        .find_map(|l| l.strip_prefix("ERROR SUMMARY: ")?.split(' ').next()?.parse().ok());
    Ok(Some(Sanitizer {
        kernel: kernel.to_owned(),
        rows: shape.rows,
        cols: shape.cols,
        command: format!(
            "compute-sanitizer {} warpwise {}",
            options.join(" "),
            launch.join(" ")
        ),
        errors: errors.context("compute-sanitizer gave no error summary; run it by hand to see why")?,
        report,
    }))
}
