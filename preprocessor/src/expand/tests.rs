//! Chapters expanded by a source that answers with what it was asked.

use std::cell::Cell;
use std::fs;

use super::*;
use crate::block::Expect;
use crate::source::{Example, SourceError};
use warpwise::args::Args;
use warpwise::kernels::Shape;
use warpwise::table::Table;

/// Answers with what it was asked, and counts how often.
#[derive(Default)]
struct Fake {
    runs: Cell<usize>,
}

impl Source for &Fake {
    fn run(&self, args: &[String]) -> Result<String, SourceError> {
        self.runs.set(self.runs.get() + 1);
        match args.first().map(String::as_str) {
            Some("fail") => Err(SourceError("exit code 1".into())),
            _ => Ok("ran\n\nwell\n".into()),
        }
    }

    fn value(&self, name: &str, args: &Args) -> Result<String, SourceError> {
        Ok(format!("{name}{:?}", args.get("a")))
    }

    fn table(&self, name: &str, _: &Args) -> Result<Table, SourceError> {
        Ok(Table {
            caption: name.into(),
            header: vec!["n".into()],
            rows: vec![vec!["1".into()]],
        })
    }

    fn evidence(&self, kernel: &str, shape: Shape, field: &str) -> Result<String, SourceError> {
        Ok(format!("{kernel} {shape} {field}"))
    }

    fn device(&self) -> Result<String, SourceError> {
        Ok("H200".into())
    }

    fn evidence_table(&self, lesson: &str, _: Shape) -> Result<Table, SourceError> {
        self.table(lesson, &Args::default())
    }

    fn predictions(&self, lesson: &str, _: bool) -> Result<Table, SourceError> {
        self.table(lesson, &Args::default())
    }

    fn sanitizer(&self, kernel: &str) -> Result<String, SourceError> {
        Ok(kernel.into())
    }

    fn lines(&self, kernel: &str, _: Shape) -> Result<Table, SourceError> {
        self.table(kernel, &Args::default())
    }

    fn example(&self, name: &str) -> Result<Example, SourceError> {
        Ok(Example {
            path: format!("code/examples/{name}.rs").into(),
            stdout: "done\n".into(),
            device: "H200".into(),
            recorded: "2026-01-31".into(),
        })
    }

    fn figure(&self, name: &str, _: &Args) -> Result<String, SourceError> {
        Ok(format!("<svg>{name}</svg>"))
    }
}

fn expand(text: &str) -> Result<ExpandedChapter, Vec<String>> {
    let root = tempfile::tempdir().unwrap();
    fs::create_dir_all(root.path().join("code/examples")).unwrap();
    fs::write(
        root.path().join("code/a.rs"),
        "// ANCHOR: f\n    fn f() {}\n\n    f();\n// ANCHOR_END: f\n",
    )
    .unwrap();
    fs::write(root.path().join("code/examples/e.rs"), "fn main() {}\n").unwrap();
    let fake = Fake::default();
    let expander = Expander::new(root.path(), &fake);
    expander
        .chapter(Path::new("src/c.md"), text)
        .map_err(|found| found.iter().map(ToString::to_string).collect())
}

#[test]
fn a_snippet_keeps_its_place_in_the_chapter() {
    let chapter = expand("# T\n\nBefore\n{{#snippet code/a.rs:f}}\nafter\n\n```rust\ng();\n```\n").unwrap();
    let lines: Vec<(usize, &str)> = chapter
        .lines
        .iter()
        .copied()
        .zip(chapter.markdown.lines())
        .collect();
    assert!(
        lines.contains(&(4, "fn f() {}")) && lines.contains(&(4, "```rust")),
        "{lines:?}"
    );
    assert!(lines.contains(&(4, "<figcaption><code>code/a.rs</code>, lines 2–4</figcaption>")));
    assert!(lines.contains(&(5, "after")) && lines.contains(&(7, "```rust")));
    assert_eq!(chapter.lines.len(), chapter.markdown.lines().count());
    let blocks: Vec<usize> = chapter.blocks.iter().map(|block| block.line).collect();
    assert_eq!(blocks, [4, 7]);
    assert_eq!(chapter.blocks[0].code, "fn f() {}\n\nf();\n");
}

#[test]
fn words_become_words_and_blocks_become_blocks() {
    let text = "On an {{#device}}: {{#evidence copy 4x5 median_ms}}, {{#value v a=1}} and `{{#device}}`.\n";
    let line = expand(text).unwrap().markdown;
    assert_eq!(line, "On an H200: copy 4x5 median_ms, vSome(\"1\") and `H200`.\n");
    for block in [
        "table t",
        "evidence-table t 1x1",
        "predictions t",
        "lines copy 1x1",
        "figure t",
    ] {
        let markdown = expand(&format!("a\n{{{{#{block}}}}}\nb\n")).unwrap().markdown;
        assert!(
            markdown.starts_with("a\n\n<figure") && markdown.ends_with("</figure>\n\nb\n"),
            "{markdown}"
        );
    }
}

#[test]
fn a_run_and_an_example_are_shown_with_what_they_printed() {
    let chapter = expand("{{#run list}}\n\n{{#example e}}\n").unwrap();
    assert!(chapter
        .markdown
        .starts_with("```text\n$ warpwise list\nran\n\nwell\n```\n"));
    assert!(chapter.markdown.contains("```rust,gpu\nfn main() {}\n```"));
    assert!(chapter
        .markdown
        .contains("Printed by this program on an H200, 2026-01-31"));
    assert_eq!(chapter.blocks[0].expect, Expect::Gpu);
}

#[test]
fn questions_of_another_chapter_are_listed() {
    let root = tempfile::tempdir().unwrap();
    fs::create_dir_all(root.path().join("src")).unwrap();
    fs::write(
        root.path().join("src/other.md"),
        "# O\n\n## Check\n\n<summary>Why?</summary>\n",
    )
    .unwrap();
    let fake = Fake::default();
    let expander = Expander::new(root.path(), &fake);
    let expand = |text| expander.chapter(Path::new("src/c.md"), text);
    let markdown = expand("{{#questions other}}\n").unwrap().markdown;
    assert_eq!(markdown, "1. [Why?](other.md#check)\n\n");
    assert!(expand("{{#questions none}}\n").is_err());
}

#[test]
fn escaped_directives_are_text() {
    let text = "`\\{{#snippet a:b}}` and \\{{#x}}\n\n```text\n\\{{#run y}}\n```\n\n{{ not }} {{one}}\n";
    let markdown = expand(text).unwrap().markdown;
    assert_eq!(markdown, text.replace('\\', ""));
}

#[test]
fn everything_wrong_is_reported_with_its_line() {
    let text = "{{#snippet code/a.rs:g}}\n{{#snippet code/b.rs:f}}\n{{#snippet ../a.rs:f}}\n{{#include code/a.rs}}\n\
                {{ #include code/a.rs }}\n- {{#run list}}\ntext {{#run list}}\n{{#run fail}}\n{{#value\n\n\
                ```text\n{{#device}}\n```\n\n```\nx\n```\n{{#snippet code/a.rs:f norun}}\n{{#device}} {{#devise}} {{#x}}\n";
    let found = expand(text).unwrap_err();
    let expected = [
        "src/c.md:1: `code/a.rs` has no anchor `g`",
        "src/c.md:2: `code/b.rs` can not be read",
        "src/c.md:3: `../a.rs` leaves the book's folder",
        "src/c.md:4: `{{#include}}` is mdBook's own",
        "src/c.md:5: `{{#include}}` is mdBook's own",
        "src/c.md:6: `{{#run list}}` becomes a block",
        "src/c.md:7: `{{#run list}}` becomes a block",
        "src/c.md:8: exit code 1",
        "src/c.md:9: this directive is not closed",
        "src/c.md:12: `{{#device}}` stands in a code block",
        "src/c.md:15: this fence names no language",
        "src/c.md:18: `rust,norun` is not understood",
        "src/c.md:19: unknown directive `{{#devise}}`",
        "src/c.md:19: unknown directive `{{#x}}`",
    ];
    assert_eq!(found.len(), expected.len(), "{found:#?}");
    for (found, expected) in found.iter().zip(expected) {
        assert!(
            found.starts_with(expected),
            "{found}\nshould begin with\n{expected}"
        );
    }
}

#[test]
fn a_run_shown_twice_runs_once() {
    let fake = Fake::default();
    let expander = Expander::new(".", &fake);
    for _ in 0..2 {
        expander
            .chapter(Path::new("src/c.md"), "{{#run list}}\n\n{{#run  list}}\n")
            .unwrap();
    }
    assert_eq!(fake.runs.get(), 1);
}

#[test]
fn newlines_of_windows_change_nothing() {
    let plain = "# T\n\n```rust\na();\n```\n";
    assert_eq!(expand(&plain.replace('\n', "\r\n")), expand(plain));
}
