//! One expander for the page and for its tests, so that what is tested is what is read.

#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use crate::block::RustBlock;
use crate::diagnostic::Diagnostic;
use crate::directive::Directive;
use crate::markdown::{rust_blocks, Code};
use crate::memory::Memory;
use crate::questions;
use crate::render;
use crate::snippet::{self, Snippet, SnippetError};
use crate::source::Source;

/// A chapter with every directive resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpandedChapter {
    /// The chapter, relative to the book's root: `src/transpose.md`.
    pub path: PathBuf,
    /// Markdown as the renderer gets it.
    pub markdown: String,
    /// For each line of `markdown`, the line of the chapter that it came from, from 1.
    pub lines: Vec<usize>,
    /// Its Rust blocks, in reading order.
    pub blocks: Vec<RustBlock>,
}

/// Expands chapters of the book at `root`. What a directive became is kept, so that a run shown twice runs once.
pub struct Expander<S> {
    root: PathBuf,
    source: S,
    memory: Option<Memory>,
    files: RefCell<HashMap<PathBuf, Result<Rc<str>, SnippetError>>>,
    resolved: RefCell<HashMap<String, Result<Rc<str>, String>>>,
}

impl<S: Source> Expander<S> {
    /// An expander for the book whose `book.toml` is in `root`.
    pub fn new(root: impl Into<PathBuf>, source: S) -> Self {
        Expander {
            root: root.into(),
            source,
            memory: None,
            files: RefCell::default(),
            resolved: RefCell::default(),
        }
    }

    /// The same, with answers kept in `folder` until code or evidence change.
    pub fn remembering(mut self, folder: &Path) -> Self {
        self.memory = self.source.version().map(|version| Memory::open(folder, version));
        self
    }

    /// The book's root.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The chapter with every directive resolved; `path` is relative to the root.
    ///
    /// # Errors
    /// Everything that is wrong in it, in the order of its lines.
    pub fn chapter(&self, path: &Path, text: &str) -> Result<ExpandedChapter, Vec<Diagnostic>> {
        let text = text
            .strip_prefix('\u{feff}')
            .unwrap_or(text)
            .replace("\r\n", "\n");
        let code = Code::find(&text);
        let mut page = Page::default();
        let mut problems: Vec<(usize, String)> = Vec::new();
        let mut offset = 0;
        for (number, line) in (1..).zip(text.split_inclusive('\n')) {
            match self.line(line, offset, &code) {
                Ok(Line::Text(line)) => page.push(&line, number),
                Ok(Line::Block(block)) => page.push_block(&block, number),
                Err(found) => {
                    problems.extend(found.into_iter().map(|message| (number, message)));
                    page.push(line, number);
                }
            }
            offset += line.len();
        }
        let lines = &page.lines;
        let place = |line: usize| lines.get(line).or(lines.last()).copied().unwrap_or(1);
        let (blocks, found) = rust_blocks(&page.markdown, place);
        problems.extend(found);
        if problems.is_empty() {
            return Ok(ExpandedChapter {
                path: path.into(),
                markdown: page.markdown,
                lines: page.lines,
                blocks,
            });
        }
        problems.sort();
        problems.dedup();
        let diagnostic = |(line, message)| Diagnostic {
            file: path.into(),
            line,
            message,
        };
        Err(problems.into_iter().map(diagnostic).collect())
    }

    /// One line of a chapter; `offset` is where it begins.
    fn line(&self, line: &str, offset: usize, code: &Code) -> Result<Line, Vec<String>> {
        let mut out = String::with_capacity(line.len());
        let mut problems = Vec::new();
        let mut rest = line;
        while let Some(open) = rest.find("{{") {
            let inside = rest[open + 2..].trim_start();
            let Some(inside) = inside.strip_prefix('#') else {
                out.push_str(&rest[..open + 2]);
                rest = &rest[open + 2..];
                continue;
            };
            if rest[..open].ends_with('\\') {
                // Escaped: shown as it is written, without the backslash.
                out.push_str(&rest[..open - 1]);
                out.push_str("{{");
                rest = &rest[open + 2..];
                continue;
            }
            out.push_str(&rest[..open]);
            let Some((inside, after)) = inside.split_once("}}") else {
                problems.push("this directive is not closed by `}}` on its line".to_string());
                rest = "";
                break;
            };
            let at = offset + (line.len() - rest.len()) + open;
            let standing = rest[..open].is_empty() && out.is_empty() && after.trim().is_empty();
            match self.directive(inside, standing, at, code) {
                Ok((true, block)) => return Ok(Line::Block(block)),
                Ok((false, words)) => out.push_str(&words),
                Err(problem) => problems.push(problem),
            }
            rest = after;
        }
        out.push_str(rest);
        if problems.is_empty() {
            Ok(Line::Text(out))
        } else {
            Err(problems)
        }
    }

    /// What one directive becomes, and whether that is a block. `standing`: it has its line to itself.
    fn directive(
        &self,
        inside: &str,
        standing: bool,
        at: usize,
        code: &Code,
    ) -> Result<(bool, Rc<str>), String> {
        if code.in_block(at) {
            return Err(format!(
                "`{{{{#{inside}}}}}` stands in a code block, where nothing is expanded; write `\\{{{{#` to show it"
            ));
        }
        let directive = Directive::parse(inside).map_err(|e| e.to_string())?;
        let block = directive.is_block();
        if block && (!standing || code.in_span(at)) {
            return Err(format!(
                "`{{{{#{inside}}}}}` becomes a block: give it a line of its own, not indented and not in a list or quote"
            ));
        }
        let key = inside.split_whitespace().collect::<Vec<_>>().join(" ");
        if let Some(known) = self.resolved.borrow().get(&key) {
            return known.clone().map(|text| (block, text));
        }
        let text = self.answer(&key, &directive).and_then(|text| {
            if !block && text.trim().contains('\n') {
                return Err(format!("`{{{{#{inside}}}}}` is more than one line long"));
            }
            Ok(Rc::from(if block { text } else { text.trim().into() }))
        });
        self.resolved.borrow_mut().insert(key, text.clone());
        text.map(|text| (block, text))
    }

    /// What a directive becomes: known from an earlier build, or resolved now.
    fn answer(&self, key: &str, directive: &Directive) -> Result<String, String> {
        // What shows files depends on more than the version.
        let shows_files = match directive {
            Directive::Snippet { .. } | Directive::Example { .. } => true,
            Directive::Run { args } => args.first().is_some_and(|command| command == "trace"),
            _ => false,
        };
        let Some(memory) = self.memory.as_ref().filter(|_| !shows_files) else {
            return self.resolve(directive);
        };
        if let Some(known) = memory.recall(key) {
            return Ok(known);
        }
        let text = self.resolve(directive)?;
        memory.keep(key, &text);
        Ok(text)
    }

    fn resolve(&self, directive: &Directive) -> Result<String, String> {
        let source = &self.source;
        let text = match directive {
            Directive::Snippet { path, anchor, words } => {
                let snippet = self.snippet(path, anchor).map_err(|e| e.to_string())?;
                if snippet.language != "rust" && !words.is_empty() {
                    return Err(format!("`{}` only fits a Rust file", words.join(" ")));
                }
                return Ok(render::snippet(&snippet, words));
            }
            Directive::Run { args } => source.run(args).map(|output| render::run(args, &output)),
            Directive::Value { name, args } => source.value(name, args),
            Directive::Table { name, args } => source.table(name, args).map(|table| render::table(&table)),
            Directive::Evidence { kernel, shape, field } => source.evidence(kernel, *shape, field),
            Directive::Device => source.device(),
            Directive::EvidenceTable { lesson, shape } => source
                .evidence_table(lesson, *shape)
                .map(|table| render::table(&table)),
            Directive::Predictions { lesson, beyond } => source
                .predictions(lesson, *beyond)
                .map(|table| render::table(&table)),
            Directive::Lines { kernel, shape } => {
                source.lines(kernel, *shape).map(|table| render::table(&table))
            }
            Directive::Example { name } => {
                let example = source.example(name).map_err(|e| e.to_string())?;
                let text = self.file(&example.path).map_err(|e| e.to_string())?;
                let snippet = Snippet {
                    language: "rust",
                    first_line: 1,
                    last_line: text.lines().count(),
                    text: text.to_string(),
                    path: example.path,
                };
                return Ok(render::example(
                    &snippet,
                    &example.stdout,
                    &example.device,
                    &example.recorded,
                ));
            }
            Directive::Questions { chapter } => {
                let file = format!("{chapter}.md");
                let text = self.file(&Path::new("src").join(&file));
                return questions::collect(&file, &text.map_err(|e| e.to_string())?);
            }
            Directive::Sanitizer { kernel } => source
                .sanitizer(kernel)
                .map(|report| render::fence("text", &report)),
            Directive::Figure { name, args } => source.figure(name, args).map(|svg| render::drawing(&svg)),
        };
        text.map_err(|e| e.to_string())
    }

    fn snippet(&self, path: &Path, anchor: &str) -> Result<Snippet, SnippetError> {
        snippet::cut(path, &self.file(path)?, anchor)
    }

    fn file(&self, path: &Path) -> Result<Rc<str>, SnippetError> {
        let mut files = self.files.borrow_mut();
        files
            .entry(path.into())
            .or_insert_with(|| snippet::read(&self.root, path).map(Rc::from))
            .clone()
    }
}

/// What a line of a chapter becomes.
enum Line {
    Text(String),
    Block(Rc<str>),
}

/// Expanded Markdown, with the line of the chapter that each of its lines came from.
#[derive(Default)]
struct Page {
    markdown: String,
    lines: Vec<usize>,
}

impl Page {
    fn push(&mut self, line: &str, number: usize) {
        self.markdown.push_str(line);
        self.lines.push(number);
    }

    /// A block between blank lines, so that it neither continues nor begins a paragraph.
    fn push_block(&mut self, block: &str, number: usize) {
        if !self.markdown.is_empty() && !self.markdown.ends_with("\n\n") {
            self.push("\n", number);
        }
        for line in block.trim_end().lines() {
            self.push(line, number);
            self.markdown.push('\n');
        }
        self.push("\n", number);
    }
}
