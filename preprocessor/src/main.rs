//! `mdbook-warpwise`: what `mdbook build` and `mdbook serve` start, as book.toml says.

use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::{bail, Result};
use mdbook_preprocessor::{parse_input, Preprocessor};
use mdbook_warpwise::Warpwise;

fn main() -> ExitCode {
    match answer() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

/// mdBook asks `supports RENDERER`, or hands over the book on standard input.
fn answer() -> Result<ExitCode> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => {
            let (context, book) = parse_input(io::stdin().lock())?;
            let book = Warpwise.run(&context, book)?;
            let mut out = io::stdout().lock();
            serde_json::to_writer(&mut out, &book)?;
            out.flush()?;
            Ok(ExitCode::SUCCESS)
        }
        ["supports", renderer] => Ok(if Warpwise.supports_renderer(renderer)? {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        }),
        _ => bail!("mdbook starts this program; to build the book, run `cargo book build`"),
    }
}
