//! Warnings of mdBook, printed and counted: a book with a warning is not built.

use std::fmt::{Debug, Write};
use std::sync::atomic::{AtomicUsize, Ordering};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

static WARNINGS: AtomicUsize = AtomicUsize::new(0);

/// How many warnings and errors there were so far.
pub struct Warnings;

impl Warnings {
    /// Warnings and errors since the program began.
    pub fn count(&self) -> usize {
        WARNINGS.load(Ordering::Relaxed)
    }
}

/// Prints warnings and errors to standard error from now on.
pub fn to_stderr() -> Warnings {
    // It fails where a subscriber is set already, and then that is this one.
    let _ = tracing::subscriber::set_global_default(Printer);
    Warnings
}

struct Printer;

impl Subscriber for Printer {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() <= Level::WARN
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        WARNINGS.fetch_add(1, Ordering::Relaxed);
        let mut line = Line(String::new());
        event.record(&mut line);
        eprintln!("{}: {}", event.metadata().level(), line.0);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// The message of an event, then its other fields.
struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        // Writing to a String can not fail.
        let _ = match field.name() {
            "message" => write!(self.0, "{value:?}"),
            name => write!(self.0, " {name}={value:?}"),
        };
    }
}
