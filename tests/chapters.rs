//! Every Rust block of every chapter, through skeptic. A test is named after the chapter and the line of the block.

use std::env;
use std::io::Write;
use std::path::Path;
use std::process::Command;

use mdbook_warpwise::{Computed, Expander, Suite};

include!(concat!(env!("OUT_DIR"), "/skeptic-tests.rs"));
include!(concat!(env!("OUT_DIR"), "/special-tests.rs"));

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
const OUT: &str = env!("OUT_DIR");
const TARGET: &str = env!("WARPWISE_TARGET");

/// Set in a process that only compiles one block, so that its parent can read what the compiler says.
const ONLY_COMPILE: &str = "WARPWISE_ONLY_COMPILE";

/// Set where a GPU is there to be used: then a missing device is a failure.
const REQUIRE_GPU: &str = "WARPWISE_REQUIRE_GPU";

/// Compiles and runs a block, and tries again where the system calls its program busy.
///
/// skeptic opens a kept program for writing when it marks it as used. Another test that starts a process at that very
/// moment passes the open file on, and Linux refuses to run a file that somebody may write (ETXTBSY).
fn run(root: &str, out: &str, target: &str, program: &str) {
    for _ in 0..9 {
        let Err(panic) = std::panic::catch_unwind(|| skeptic::rt::run_test(root, out, target, program))
        else {
            return;
        };
        let said = panic.downcast_ref::<String>().map_or("", String::as_str);
        if !said.contains("Text file busy") {
            std::panic::resume_unwind(panic);
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    skeptic::rt::run_test(root, out, target, program);
}

#[allow(dead_code)] // some books have no such block
fn compiles(program: &str) {
    skeptic::rt::compile_test(ROOT, OUT, TARGET, program);
}

/// Compiles `program` and returns what the compiler said if it rejects it.
///
/// skeptic only says whether a block compiles. So `test`, whose body ends here, runs itself once more in a process
/// whose output is read.
#[allow(dead_code)]
fn rejection(test: &str, program: &str) -> Option<String> {
    if env::var_os(ONLY_COMPILE).is_some() {
        compiles(program);
        std::process::exit(0);
    }
    let this = env::current_exe().expect("a test knows its own path");
    let child = Command::new(this)
        .args(["--exact", test, "--nocapture"])
        .env(ONLY_COMPILE, "1")
        .output()
        .expect("a test can run itself");
    let said = String::from_utf8_lossy(&child.stderr).into_owned() + &String::from_utf8_lossy(&child.stdout);
    (!child.status.success()).then_some(said)
}

/// Passes if the compiler rejects `program` with the error `code`, and not for some other mistake.
#[allow(dead_code)]
fn rejected(code: &str, test: &str, place: &str, program: &str) {
    let said = rejection(test, program)
        .unwrap_or_else(|| panic!("{place}: this block compiles, and its page says that it does not"));
    assert!(
        said.contains(&format!("error[{code}]")),
        "{place}: rejected, but not with {code}:\n{said}"
    );
}

/// Runs `program` where a CUDA device is, and says plainly where none is.
#[allow(dead_code)]
fn runs_on_gpu(place: &str, program: &str) {
    match warpwise_book::cuda_device() {
        Ok(_) => run(ROOT, OUT, TARGET, program),
        Err(why) if env::var_os(REQUIRE_GPU).is_some() => {
            panic!("{place}: {REQUIRE_GPU} is set, and there is no CUDA device: {why}")
        }
        // Written past the test harness, which keeps what a passing test prints to itself.
        Err(why) => {
            let _ = writeln!(std::io::stderr(), "{place}: compiled, not run: {why}");
        }
    }
}

#[test]
fn the_book_is_full_of_code_that_runs() {
    const { assert!(BLOCKS >= 40, "fewer than 40 blocks of the chapters are tested") }
}

/// The fence is line 3 of the chapter, and what is wrong with it is in line 5.
const BROKEN: &str = "# T\n\n```rust\nlet a = 1;\nlet b: String = a;\n```\n";

#[test]
fn a_broken_block_is_named_by_chapter_and_line() {
    let root = Path::new(ROOT);
    let expander = Expander::new(root, Computed::new(root));
    let chapter = expander
        .chapter(Path::new("src/broken.md"), BROKEN)
        .expect("it expands");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let suite = Suite::write(std::slice::from_ref(&chapter), folder.path()).expect("it can be written");
    // The name that skeptic makes of this is `broken_line_3`.
    assert_eq!(
        suite.documents,
        [folder.path().join("broken_3").join("broken.md")]
    );
    let program = chapter.blocks[0].program(0);
    let said =
        rejection("a_broken_block_is_named_by_chapter_and_line", &program).expect("it must not compile");
    assert!(said.contains("test.rs:5:"), "{said}");
}

#[test]
fn a_block_that_compiles_is_not_rejected() {
    assert_eq!(
        rejection("a_block_that_compiles_is_not_rejected", "fn main() {}\n"),
        None
    );
}
