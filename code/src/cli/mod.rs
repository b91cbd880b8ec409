//! The command line: what it accepts, what it prints, how it ends.
//!
//! Everything is written to the two writers that [`run`] is given, so that the book shows what a command prints by
//! running it.

mod args;
#[cfg(feature = "gpu")]
mod device;
mod example;
mod list;
#[cfg(feature = "gpu")]
mod record;
mod report;
mod run;
mod trace;
mod verify;

use anyhow::{bail, Result};
use args::{Cli, Command, Walk};
use clap::Parser;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;

/// Ended as it should.
pub const SUCCESS: u8 = 0;
/// Something went wrong, or a kernel that should be right is not.
pub const FAILURE: u8 = 1;
/// The command line was not understood.
pub const USAGE: u8 = 2;

/// What surrounds a command.
struct Output<'a> {
    /// Where relative paths of files to read start; empty for the current folder.
    folder: &'a Path,
    /// What was asked for.
    out: &'a mut dyn Write,
    /// What else there is to say.
    err: &'a mut dyn Write,
}

/// Returns the exit code of a command line (without the program's name), whose output goes to `out` and whose
/// errors and remarks go to `err`.
///
/// A reader that stops reading is no error.
pub fn run<A>(args: impl IntoIterator<Item = A>, out: &mut dyn Write, err: &mut dyn Write) -> u8
where
    A: Into<OsString> + Clone,
{
    run_in(Path::new(""), args, out, err)
}

/// As [`run`], with the relative paths of files that it reads seen from `folder`, as the book needs it, wherever its
/// build was started.
pub fn run_in<A>(
    folder: &Path,
    args: impl IntoIterator<Item = A>,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> u8
where
    A: Into<OsString> + Clone,
{
    let words = std::iter::once(OsString::from("warpwise")).chain(args.into_iter().map(Into::into));
    let cli = match Cli::try_parse_from(words) {
        Ok(cli) => cli,
        Err(error) => return usage(&error, out, err),
    };
    let result = dispatch(cli, &mut Output { folder, out, err });
    let result = result.and_then(|code| out.flush().map_err(Into::into).map(|()| code));
    match result {
        Ok(code) => code,
        Err(error) if is_broken_pipe(&error) => SUCCESS,
        Err(error) => {
            // Where even the error can not be written there is nobody left to tell.
            let _ = writeln!(err, "warpwise: {error:#}");
            FAILURE
        }
    }
}

fn dispatch(cli: Cli, output: &mut Output) -> Result<u8> {
    match cli.command {
        None => run::every_lesson(output),
        Some(Command::List { json }) => list::list(json, output),
        Some(Command::Run(args)) => run::one_lesson(&args, output),
        Some(Command::Order { walk, rows, cols }) => order(walk, rows, cols, output),
        Some(Command::Example { name }) => example::example(&name, output),
        Some(Command::Trace(args)) => trace::trace(&args, output),
        Some(Command::Verify {
            json,
            evidence,
            beyond,
        }) => verify::verify(json, evidence, beyond, output),
        #[cfg(feature = "gpu")]
        Some(Command::Record(args)) => record::record(&args, output),
        #[cfg(feature = "gpu")]
        Some(Command::Launch { runs, no_guard }) => record::launch(&runs, !no_guard),
        #[cfg(not(feature = "gpu"))]
        Some(Command::Record(_) | Command::Launch { .. }) => {
            bail!("this build has no GPU support; build it with the feature `gpu`")
        }
    }
}

fn usage(error: &clap::Error, out: &mut dyn Write, err: &mut dyn Write) -> u8 {
    if !error.use_stderr() {
        return match write!(out, "{error}").and_then(|()| out.flush()) {
            Ok(()) => SUCCESS,
            Err(e) if e.kind() == io::ErrorKind::BrokenPipe => SUCCESS,
            Err(_) => FAILURE,
        };
    }
    // clap words an error over several lines, usage included; the first paragraph is the sentence.
    let text = error.to_string();
    let sentence: Vec<&str> = text
        .trim_start_matches("error: ")
        .lines()
        .take_while(|l| !l.is_empty())
        .map(str::trim)
        .collect();
    let _ = writeln!(
        err,
        "warpwise: {}; see `warpwise --help`",
        sentence.join(" ").trim_end_matches('.')
    );
    USAGE
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        let kind = cause.downcast_ref::<io::Error>().map(io::Error::kind);
        let json = cause
            .downcast_ref::<serde_json::Error>()
            .and_then(serde_json::Error::io_error_kind);
        kind == Some(io::ErrorKind::BrokenPipe) || json == Some(io::ErrorKind::BrokenPipe)
    })
}

fn order(walk: Walk, rows: u64, cols: u64, output: &mut Output) -> Result<u8> {
    if rows.checked_mul(cols).is_none() {
        bail!("a {rows}x{cols} matrix has more cells than can be numbered; ask for fewer rows or columns");
    }
    // One cell at a time: a long line needs no memory, and stops when its reader does.
    let mut out = io::BufWriter::new(&mut *output.out);
    let cells: Box<dyn Iterator<Item = (u64, u64)>> = match walk {
        Walk::Spiral => Box::new(crate::spiral::walk(rows, cols)),
        Walk::Zigzag => Box::new(crate::diagonal::zigzag(rows, cols)),
    };
    for (i, (r, c)) in cells.enumerate() {
        let gap = if i == 0 { "" } else { " " };
        write!(out, "{gap}{}", r * cols + c)?;
    }
    writeln!(out)?;
    out.flush()?;
    Ok(SUCCESS)
}

/// Writes one JSON document and a newline.
fn write_json(value: &impl serde::Serialize, out: &mut dyn Write) -> Result<()> {
    serde_json::to_writer_pretty(&mut *out, value)?;
    writeln!(out)?;
    Ok(())
}
