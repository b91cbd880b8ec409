//! Chores of the book. `cargo book build | serve` and `cargo xtask …` are aliases in .cargo/config.toml.

mod book;
mod check;
mod log;
mod nvrtc;
mod ptx;
mod rendered;
mod serve;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Chores of the book")]
struct Arguments {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// The book itself; `cargo book` is short for it
    Book {
        #[command(subcommand)]
        action: Action,
    },
    /// Compiles every kernel to PTX with NVRTC, which pip fetches into target/
    Ptx {
        /// Only compares with the PTX that is there
        #[arg(long)]
        check: bool,
    },
    /// Checks links, fragments and ids of the built book, and that no page loads anything from outside
    Links,
    /// Everything that CI checks and that needs nothing but Rust and pip
    Check,
}

#[derive(Subcommand)]
enum Action {
    /// Writes the book once, into book/
    Build,
    /// Serves the book and builds it anew when chapters, code, kernels, evidence or theme change
    Serve {
        /// Where to serve it
        #[arg(long, default_value = "127.0.0.1:3000", value_name = "HOST:PORT")]
        address: String,
    },
}

fn main() -> ExitCode {
    let root = root();
    let outcome = match Arguments::parse().chore {
        Chore::Book {
            action: Action::Build,
        } => book::build(&root),
        Chore::Book {
            action: Action::Serve { address },
        } => serve::serve(&root, &address),
        Chore::Ptx { check } => ptx::compile_all(&root, check),
        Chore::Links => rendered::check(&root.join("book")),
        Chore::Check => check::all(&root),
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
