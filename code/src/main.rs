//! The command line of Warpwise: see `warpwise --help`.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<_> = std::env::args_os().skip(1).collect();
    let (out, err) = (std::io::stdout(), std::io::stderr());
    ExitCode::from(warpwise::cli::run(args, &mut out.lock(), &mut err.lock()))
}
