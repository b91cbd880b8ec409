//! A book with one fault in it: each must be refused, with the place named.

use std::fs;
use std::path::Path;

use mdbook_warpwise::{Computed, Expander};
use serde_json::Value;
use tempfile::TempDir;
use warpwise::evidence;
use warpwise_book::root;

const CHAPTER: &str = "# Fault\n\nBefore.\n\n{{#snippet code/fault.rs:region}}\n";
const CODE: &str = "// ANCHOR: region\nlet a = 1;\n// ANCHOR_END: region\n";

/// A book of one chapter beside copies of what the real one draws on.
fn book() -> TempDir {
    let book = tempfile::tempdir().expect("a temporary folder");
    for folder in ["src", "code", "kernels", "evidence"] {
        fs::create_dir_all(book.path().join(folder)).expect("a folder");
    }
    for folder in ["kernels", "evidence"] {
        copy(&root().join(folder), &book.path().join(folder));
    }
    write(&book, "src/SUMMARY.md", "# Summary\n\n- [Fault](fault.md)\n");
    write(&book, "src/fault.md", CHAPTER);
    write(&book, "code/fault.rs", CODE);
    book
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder to copy").flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("a file can be copied");
        }
    }
}

fn write(book: &TempDir, path: &str, text: &str) {
    fs::write(book.path().join(path), text).expect("a file can be written");
}

/// What the expander says of the book; empty if it is content.
fn verdict(book: &TempDir) -> String {
    let expander = Expander::new(book.path(), Computed::new(book.path()));
    expander
        .book()
        .err()
        .map(|problems| problems.to_string())
        .unwrap_or_default()
}

/// The verdict on a book whose `path` holds `text`.
fn with(path: &str, text: &str) -> String {
    let book = book();
    write(&book, path, text);
    verdict(&book)
}

#[test]
fn the_book_without_a_fault_passes() {
    assert_eq!(verdict(&book()), "");
}

#[test]
fn a_missing_file() {
    let said = with("src/fault.md", "\n{{#snippet code/gone.rs:region}}\n");
    assert!(
        said.starts_with("src/fault.md:2: `code/gone.rs` can not be read"),
        "{said}"
    );
}

#[test]
fn a_missing_chapter() {
    let said = with("src/SUMMARY.md", "- [Fault](fault.md)\n- [Gone](gone.md)\n");
    assert!(
        said.starts_with("src/gone.md:1: this chapter of src/SUMMARY.md can not be read"),
        "{said}"
    );
}

#[test]
fn a_missing_anchor() {
    let said = with("code/fault.rs", "let a = 1;\n");
    assert!(
        said.starts_with("src/fault.md:5: `code/fault.rs` has no anchor `region`"),
        "{said}"
    );
}

#[test]
fn an_unclosed_anchor() {
    let said = with("code/fault.rs", "// ANCHOR: region\nlet a = 1;\n");
    assert!(
        said.starts_with("src/fault.md:5: `code/fault.rs:1` opens anchor `region`"),
        "{said}"
    );
}

#[test]
fn a_duplicate_anchor() {
    let said = with("code/fault.rs", &CODE.repeat(2));
    assert!(
        said.starts_with("src/fault.md:5: `code/fault.rs` has anchor `region` twice, in lines 1 and 4"),
        "{said}"
    );
}

#[test]
fn an_empty_region() {
    let said = with("code/fault.rs", "// ANCHOR: region\n\n// ANCHOR_END: region\n");
    assert!(
        said.starts_with("src/fault.md:5: anchor `region` of `code/fault.rs` holds no code"),
        "{said}"
    );
}

#[test]
fn a_fence_in_a_list_and_rust_that_nothing_tests() {
    let said = with(
        "src/fault.md",
        "- a\n\n  ```rust\n  b();\n  ```\n\n```rs\nc();\n```\n\n```\nd();\n```\n",
    );
    let lines: Vec<&str> = said.lines().collect();
    assert!(
        lines[0].starts_with("src/fault.md:3: a code block inside a list item"),
        "{said}"
    );
    assert!(
        lines[1].starts_with("src/fault.md:7: `rs` would be shown as Rust and never tested"),
        "{said}"
    );
    assert!(
        lines[2].starts_with("src/fault.md:11: this fence names no language"),
        "{said}"
    );
}

#[test]
fn an_unknown_directive_and_one_of_mdbook() {
    let said = with("src/fault.md", "{{#shippet a:b}}\n\n{{#include code/fault.rs}}\n");
    let lines: Vec<&str> = said.lines().collect();
    assert!(
        lines[0].starts_with("src/fault.md:1: unknown directive `{{#shippet}}`"),
        "{said}"
    );
    assert!(
        lines[1].starts_with("src/fault.md:3: `{{#include}}` is mdBook's own"),
        "{said}"
    );
}

const RECORDED: &str = "evidence/nvidia-h200/transpose.json";

/// The verdict on a chapter that shows one recorded figure, once `change` was made to the evidence.
fn with_evidence(change: impl FnOnce(String) -> String) -> String {
    let book = book();
    write(
        &book,
        "src/fault.md",
        "# Fault\n\nIt reaches {{#evidence transpose_naive 4096x4096 gb_per_s}}.\n",
    );
    let text = fs::read_to_string(book.path().join(RECORDED)).expect("evidence is there");
    write(&book, RECORDED, &change(text));
    verdict(&book)
}

#[test]
fn evidence_as_it_was_recorded_passes() {
    assert_eq!(with_evidence(|text| text), "");
}

#[test]
fn edited_evidence() {
    // One digit of one sample.
    let said = with_evidence(|text| {
        let at = text.find("\"samples_ms\": [").expect("there are samples");
        let digit = at
            + text[at..]
                .find(|c: char| ('1'..='8').contains(&c))
                .expect("a digit");
        let other = if &text[digit..=digit] == "8" { "7" } else { "8" };
        text[..digit].to_string() + other + &text[digit + 1..]
    });
    assert!(said.starts_with("src/fault.md:3: "), "{said}");
    assert!(said.contains(RECORDED), "{said}");
}

#[test]
fn a_stale_fingerprint() {
    let said = with_evidence(|text| {
        let mut document: Value = serde_json::from_str(&text).expect("evidence is JSON");
        for record in document["records"].as_array_mut().expect("there are records") {
            if record["kernel"] == "transpose_naive" {
                record["fingerprint"] = Value::from("0".repeat(64));
            }
        }
        // Whole, but of another kernel.
        document["digest"] = Value::from(evidence::digest(&document));
        evidence::to_text(&document).expect("it is JSON")
    });
    assert!(
        said.starts_with("src/fault.md:3: ") && said.contains("stale"),
        "{said}"
    );
    assert!(said.contains("transpose_naive"), "{said}");
}
