//! The book in a browser, built anew when anything it is made of changes.
//!
//! Every build is `cargo run --package xtask -- book build` in a process of its own. So changed Rust code is noticed by
//! cargo itself: an edit to a chapter costs a fraction of a second, an edit to a lesson's code one compilation.

mod http;
mod watch;

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{anyhow, Context, Result};

use watch::Snapshot;

/// What open pages want to know.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct State {
    /// Another number after every build.
    version: u64,
    /// What went wrong in the last build.
    problem: Option<String>,
}

/// The state of the book, and a bell that rings when it changes.
#[derive(Default)]
struct Board {
    state: Mutex<State>,
    changed: Condvar,
}

impl Board {
    /// The state, once it is another than `known` or `patience` has passed.
    fn after(&self, known: u64, patience: Duration) -> State {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self
            .changed
            .wait_timeout_while(state, patience, |state| state.version == known);
        waited.unwrap_or_else(PoisonError::into_inner).0.clone()
    }

    fn now(&self) -> State {
        self.after(u64::MAX, Duration::ZERO)
    }

    fn post(&self, problem: Option<String>) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        *state = State {
            version: state.version + 1,
            problem,
        };
        self.changed.notify_all();
    }
}

/// Serves the book on `address` until the process is ended.
///
/// # Errors
/// The address is taken.
pub fn serve(root: &Path, address: &str) -> Result<()> {
    let server = tiny_http::Server::http(address).map_err(|e| {
        anyhow!("{address} can not be served ({e}); choose another with --address 127.0.0.1:PORT")
    })?;
    let board = Arc::new(Board::default());
    // Pages that stayed open while the server was away must see another number than the one they know.
    let start = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs());
    board.state.lock().unwrap_or_else(PoisonError::into_inner).version = start;

    let mut seen = Snapshot::take(root);
    board.post(build(root)?);
    eprintln!("the book is at http://{address}; it follows every change until you press Ctrl-C");

    let pages = Arc::new(http::Pages::new(root.join("book"), board.clone()));
    thread::spawn(move || {
        // A page that waits for news holds its thread, hence one for each request.
        for request in server.incoming_requests() {
            let pages = pages.clone();
            thread::spawn(move || pages.answer(request));
        }
    });
    loop {
        seen = seen.changed(root);
        board.post(build(root)?);
    }
}

/// Builds the book in another process. Its messages are shown here, and returned if it fails.
fn build(root: &Path) -> Result<Option<String>> {
    make_room()?;
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["run", "--quiet", "--package", "xtask", "--", "book", "build"])
        .current_dir(root)
        .stdin(Stdio::null())
        .output()
        .context("cargo can not be started")?;
    // A closed terminal is no reason to stop serving.
    let _ = std::io::stderr().write_all(&output.stderr);
    let said = String::from_utf8_lossy(&output.stderr).trim().to_string();
    Ok((!output.status.success()).then_some(said))
}

/// Windows does not let cargo replace a program that runs, but lets it be renamed.
#[cfg(windows)]
fn make_room() -> Result<()> {
    let this = std::env::current_exe()?;
    if this.extension().is_some_and(|extension| extension == "exe") {
        let aside = this.with_extension("serving");
        if !aside.exists() || std::fs::remove_file(&aside).is_ok() {
            std::fs::rename(&this, &aside)?;
        }
    }
    Ok(())
}

#[cfg(not(windows))]
fn make_room() -> Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_pages_hear_of_a_build() {
        let board = Arc::new(Board::default());
        assert_eq!(board.after(0, Duration::from_millis(1)), State::default());
        let page = board.clone();
        let waiting = thread::spawn(move || page.after(0, Duration::from_secs(60)));
        board.post(Some("broken".into()));
        assert_eq!(
            waiting.join().unwrap(),
            State {
                version: 1,
                problem: Some("broken".into())
            }
        );
        assert_eq!(board.now().version, 1);
    }
}
