//! Chores of the book. `cargo book build | serve` and `cargo xtask …` are aliases in .cargo/config.toml.

mod book;
mod log;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(
    name = "cargo xtask",
    about = "Chores of the book",
    disable_version_flag = true
)]
struct Arguments {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// The book itself
    Book {
        #[command(subcommand)]
        action: Action,
    },
}

#[derive(Subcommand)]
enum Action {
    /// Writes the book once, into book/
    Build,
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().chore {
        Chore::Book {
            action: Action::Build,
        } => book::build(&root()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

/// The repository's root: this package's parent.
fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}
