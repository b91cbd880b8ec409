//! What CommonMark says about a text: where its code is, and which of its fences would mislead.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use crate::block::{expectation, RustBlock};

/// The extensions that mdBook reads chapters with.
fn options() -> Options {
    Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_HEADING_ATTRIBUTES
        | Options::ENABLE_DEFINITION_LIST
        | Options::ENABLE_GFM
}

/// Byte ranges of code: blocks, and spans within a line.
pub struct Code {
    blocks: Vec<Range<usize>>,
    spans: Vec<Range<usize>>,
}

impl Code {
    /// Finds all code of a text.
    pub fn find(text: &str) -> Code {
        let mut code = Code {
            blocks: Vec::new(),
            spans: Vec::new(),
        };
        for (event, range) in Parser::new_ext(text, options()).into_offset_iter() {
            match event {
                Event::Start(Tag::CodeBlock(_)) => code.blocks.push(range),
                Event::Code(_) => code.spans.push(range),
                _ => {}
            }
        }
        code
    }

    /// Whether the byte at `offset` is part of a code block.
    pub fn in_block(&self, offset: usize) -> bool {
        self.blocks.iter().any(|range| range.contains(&offset))
    }

    /// Whether the byte at `offset` is part of a code span.
    pub fn in_span(&self, offset: usize) -> bool {
        self.spans.iter().any(|range| range.contains(&offset))
    }
}

/// All Rust blocks of a text, and what is wrong with its code blocks. `place` turns a line of the text, from 0, into
/// a line of the chapter.
pub fn rust_blocks(text: &str, place: impl Fn(usize) -> usize) -> (Vec<RustBlock>, Vec<(usize, String)>) {
    let mut lists = 0usize;
    let mut blocks: Vec<RustBlock> = Vec::new();
    let mut problems = Vec::new();
    let mut open: Option<RustBlock> = None;
    let (mut counted, mut lines) = (0, 0);
    for (event, range) in Parser::new_ext(text, options()).into_offset_iter() {
        match event {
            Event::Start(Tag::List(_) | Tag::DefinitionList) => lists += 1,
            Event::End(TagEnd::List(_) | TagEnd::DefinitionList) => lists = lists.saturating_sub(1),
            Event::Start(Tag::CodeBlock(kind)) => {
                if range.start > counted {
                    lines += text[counted..range.start].matches('\n').count();
                    counted = range.start;
                }
                let line = place(lines);
                if lists > 0 {
                    problems.push((line, "a code block inside a list item is neither shown nor tested well; move it out of the list".into()));
                }
                match kind {
                    CodeBlockKind::Indented => problems.push((
                        line,
                        "this indented block names no language; use a fence, as in ```rust or ```text".into(),
                    )),
                    CodeBlockKind::Fenced(info) => {
                        if !is_closed(&text[range]) {
                            problems.push((line, "this fence is never closed".into()));
                        }
                        match expectation(&info) {
                            Ok(None) => {}
                            Ok(Some(expect)) => {
                                open = Some(RustBlock {
                                    line,
                                    expect,
                                    code: String::new(),
                                })
                            }
                            Err(problem) => problems.push((line, problem)),
                        }
                    }
                }
            }
            Event::Text(code) => {
                if let Some(block) = &mut open {
                    block.code.push_str(&code);
                }
            }
            Event::End(TagEnd::CodeBlock) => {
                if let Some(block) = open.take() {
                    if block.code.trim().is_empty() {
                        problems.push((block.line, "this Rust block holds no code".into()));
                    } else if block.code.contains("\"####") {
                        // The generated test quotes the block in r####"…"####.
                        problems.push((
                            block.line,
                            "a quote followed by four `#` can not be tested".into(),
                        ));
                    }
                    blocks.push(block);
                }
            }
            _ => {}
        }
    }
    (blocks, problems)
}

/// Whether the last line of a fenced block closes it.
fn is_closed(block: &str) -> bool {
    let ticks = block.chars().take_while(|&c| c == '`' || c == '~').count();
    let last = block.trim_end().lines().last().unwrap_or_default();
    let last = last.trim_start_matches(['>', ' ', '\t']);
    block.trim_end().lines().count() > 1
        && last.len() >= ticks
        && last.bytes().all(|b| Some(&b) == block.as_bytes().first())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::Expect;

    fn problems(text: &str) -> Vec<(usize, String)> {
        rust_blocks(text, |line| line + 1).1
    }

    #[test]
    fn finds_blocks_with_their_lines() {
        let text = "# T\n\n```rust\na;\n```\n\n> ```rust,no_run\n> b;\n> ```\n\n~~~text\nc\n~~~\n";
        let (blocks, problems) = rust_blocks(text, |line| line + 1);
        assert_eq!(problems, []);
        assert_eq!(
            blocks[0],
            RustBlock {
                line: 3,
                expect: Expect::Run,
                code: "a;\n".into()
            }
        );
        assert_eq!(
            blocks[1],
            RustBlock {
                line: 7,
                expect: Expect::Compile,
                code: "b;\n".into()
            }
        );
    }

    #[test]
    fn refuses_what_would_slip_through() {
        let found = problems("- item\n\n  ```rust\n  a;\n  ```\n");
        assert!(
            found.len() == 1 && found[0].0 == 3 && found[0].1.contains("list item"),
            "{found:?}"
        );
        assert!(problems("```\nlet a = 1;\n```\n")[0]
            .1
            .contains("names no language"));
        assert!(problems("text\n\n    let a = 1;\n")[0].1.contains("indented"));
        assert!(problems("```rust\nlet a = 1;\n")[0].1.contains("never closed"));
        assert!(problems("```rust\n```\n")[0].1.contains("no code"));
        assert!(problems("```rust\nlet s = \"\"####\"\";\n```\n")[0]
            .1
            .contains("four `#`"));
        assert_eq!(problems("````text\n```\n````\n"), []);
    }

    #[test]
    fn knows_code_from_prose() {
        let text = "a `b` c\n\n```text\nd\n```\n";
        let code = Code::find(text);
        assert!(code.in_span(3) && !code.in_span(7) && !code.in_block(3));
        assert!(code.in_block(text.find('d').unwrap()));
    }
}
