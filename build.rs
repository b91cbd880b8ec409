//! Hands every Rust block of every chapter to skeptic, expanded by the same code that expands the page.

use std::env;
use std::error::Error;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use mdbook_warpwise::{expander, Suite};

fn main() -> ExitCode {
    match generate() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // One defect a line, each with its chapter and line.
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn generate() -> Result<(), Box<dyn Error>> {
    for watched in ["book.toml", "build.rs", "src", "code", "kernels", "evidence"] {
        println!("cargo:rerun-if-changed={watched}");
    }
    println!("cargo:rustc-env=WARPWISE_TARGET={}", env::var("TARGET")?);
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let chapters = expander(&root).book()?;
    let suite = Suite::write(&chapters, &out.join("blocks"))?;
    fs::write(out.join("special-tests.rs"), &suite.tests)?;
    // skeptic writes nothing for an empty list.
    fs::write(out.join("skeptic-tests.rs"), "")?;
    skeptic::generate_doc_tests(&suite.documents);
    // The tests call skeptic through a function of ours, which knows when to try again.
    let generated = out.join("skeptic-tests.rs");
    let tests = fs::read_to_string(&generated)?;
    fs::write(generated, tests.replace("skeptic::rt::run_test(", "run("))?;
    Ok(())
}
