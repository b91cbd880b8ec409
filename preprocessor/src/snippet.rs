//! Regions of source files, cut out strictly: what is not exactly there is an error.

use std::fs;
use std::path::{Component, Path, PathBuf};

/// A region of a file: its lines without the markers, dedented.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snippet {
    /// The file, relative to the book's root.
    pub path: PathBuf,
    /// The fence's language: `rust`, `cpp`, `text`, …
    pub language: &'static str,
    /// First shown line of the file, from 1.
    pub first_line: usize,
    /// Last shown line of the file.
    pub last_line: usize,
    /// The text, each line ended by a newline.
    pub text: String,
}

/// Why a region can not be shown.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)] // every field is named by its message
pub enum SnippetError {
    #[error("`{0}` leaves the book's folder; give a path from its root, as in code/src/layout.rs")]
    Outside(String),
    #[error("`{path}` can not be read: {why}")]
    Unreadable { path: String, why: String },
    #[error("`{path}` has no anchor `{anchor}`; mark the region with `// ANCHOR: {anchor}` and `// ANCHOR_END: {anchor}`")]
    Missing { path: String, anchor: String },
    #[error("`{path}` has no kernel `{kernel}`")]
    MissingKernel { path: String, kernel: String },
    #[error("`{path}:{line}` opens anchor `{anchor}`, which `// ANCHOR_END: {anchor}` never closes")]
    Unclosed {
        path: String,
        anchor: String,
        line: usize,
    },
    #[error("`{path}:{line}` closes anchor `{anchor}` before it was opened")]
    NotOpened {
        path: String,
        anchor: String,
        line: usize,
    },
    #[error("`{path}` has anchor `{anchor}` twice, in lines {first} and {second}")]
    Duplicate {
        path: String,
        anchor: String,
        first: usize,
        second: usize,
    },
    #[error("anchor `{anchor}` of `{path}` holds no code, line {line}")]
    Empty {
        path: String,
        anchor: String,
        line: usize,
    },
}

/// The fence's language for a file.
fn language(path: &Path) -> &'static str {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("rs") => "rust",
        // highlight.js knows no CUDA.
        Some("cu" | "cuh" | "h" | "cpp") => "cpp",
        Some("toml") => "toml",
        Some("json") => "json",
        Some("yml" | "yaml") => "yaml",
        Some("sh") => "sh",
        _ => "text",
    }
}

/// Reads a file of the book as text with plain newlines.
///
/// # Errors
/// A path that is absolute or leaves `root`, also through a link; a file that is not there or not text.
pub fn read(root: &Path, path: &Path) -> Result<String, SnippetError> {
    let shown = path.to_string_lossy().into_owned();
    if !path.components().all(|part| matches!(part, Component::Normal(_))) {
        return Err(SnippetError::Outside(shown));
    }
    let unreadable = |why: std::io::Error| SnippetError::Unreadable {
        path: shown.clone(),
        why: why.to_string(),
    };
    let root = root.canonicalize().map_err(unreadable)?;
    let file = root.join(path).canonicalize().map_err(unreadable)?;
    if !file.starts_with(&root) {
        return Err(SnippetError::Outside(shown));
    }
    Ok(fs::read_to_string(file)
        .map_err(unreadable)?
        .replace("\r\n", "\n"))
}

/// Cuts region `anchor` out of `text`, the content of the file at `path`.
///
/// # Errors
/// Everything that would make mdBook show too much, too little or nothing.
pub fn cut(path: &Path, text: &str, anchor: &str) -> Result<Snippet, SnippetError> {
    let lines: Vec<&str> = text.lines().collect();
    let region = if path.extension().is_some_and(|extension| extension == "ptx") {
        kernel(path, &lines, anchor)?
    } else {
        region(path, &lines, anchor)?
    };
    // Markers of other regions inside this one are not code; blank lines at its edges say nothing.
    let mut shown: Vec<(usize, &str)> = region
        .map(|i| (i + 1, lines[i]))
        .filter(|(_, line)| marker(line).is_none())
        .collect();
    while shown.last().is_some_and(|(_, line)| line.trim().is_empty()) {
        shown.pop();
    }
    let blank = shown
        .iter()
        .take_while(|(_, line)| line.trim().is_empty())
        .count();
    shown.drain(..blank);
    let (Some(&(first_line, _)), Some(&(last_line, _))) = (shown.first(), shown.last()) else {
        let line = lines
            .iter()
            .position(|line| marker(line) == Some((true, anchor)))
            .map_or(0, |i| i + 1);
        return Err(SnippetError::Empty {
            path: name(path),
            anchor: anchor.into(),
            line,
        });
    };
    let shown: Vec<&str> = shown.into_iter().map(|(_, line)| line).collect();
    Ok(Snippet {
        path: path.into(),
        language: language(path),
        first_line,
        last_line,
        text: dedent(&shown),
    })
}

fn name(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}

/// `// ANCHOR: name` gives `(true, name)`, `// ANCHOR_END: name` gives `(false, name)`.
fn marker(line: &str) -> Option<(bool, &str)> {
    let comment = line.trim().trim_start_matches(['/', '#', ';', '*', ' ']);
    if let Some(name) = comment.strip_prefix("ANCHOR:") {
        return Some((true, name.trim()));
    }
    comment
        .strip_prefix("ANCHOR_END:")
        .map(|name| (false, name.trim()))
}

/// The lines between the two markers, as indices.
fn region(path: &Path, lines: &[&str], anchor: &str) -> Result<std::ops::Range<usize>, SnippetError> {
    let (path, anchor) = (name(path), anchor.to_string());
    let find = |open: bool| -> Vec<usize> {
        let wanted = Some((open, anchor.as_str()));
        (0..lines.len()).filter(|&i| marker(lines[i]) == wanted).collect()
    };
    let (opens, closes) = (find(true), find(false));
    for found in [&opens, &closes] {
        if let [first, second, ..] = found[..] {
            return Err(SnippetError::Duplicate {
                path,
                anchor,
                first: first + 1,
                second: second + 1,
            });
        }
    }
    match (opens.first(), closes.first()) {
        (Some(&open), Some(&close)) if open < close => Ok(open + 1..close),
        (Some(&open), None) => Err(SnippetError::Unclosed {
            path,
            anchor,
            line: open + 1,
        }),
        (_, Some(&close)) => Err(SnippetError::NotOpened {
            path,
            anchor,
            line: close + 1,
        }),
        (None, None) => Err(SnippetError::Missing { path, anchor }),
    }
}

/// The lines of one entry of a PTX module. NVRTC writes no comments, so the kernel's name is the anchor.
fn kernel(path: &Path, lines: &[&str], kernel: &str) -> Result<std::ops::Range<usize>, SnippetError> {
    let entry = |line: &str| {
        let rest = line.trim_start().strip_prefix(".visible .entry ")?;
        Some(
            rest.split(|c: char| c != '_' && c != '$' && !c.is_alphanumeric())
                .next()?
                == kernel,
        )
    };
    let missing = || SnippetError::MissingKernel {
        path: name(path),
        kernel: kernel.into(),
    };
    let first = lines
        .iter()
        .position(|line| entry(line) == Some(true))
        .ok_or_else(missing)?;
    // The body's closing brace is the first one in column 0.
    let end = lines[first..]
        .iter()
        .position(|line| line.starts_with('}'))
        .ok_or_else(missing)?;
    Ok(first..first + end + 1)
}

/// Takes away the whitespace that all lines begin with.
fn dedent(lines: &[&str]) -> String {
    let filled = || lines.iter().filter(|line| !line.trim().is_empty());
    let indent = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let common = filled()
        .map(|line| &line[..indent(line)])
        .reduce(|a, b| {
            let same = a.bytes().zip(b.bytes()).take_while(|(x, y)| x == y).count();
            &a[..same]
        })
        .unwrap_or_default();
    lines
        .iter()
        .map(|line| line.strip_prefix(common).unwrap_or("").trim_end().to_string() + "\n")
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rust(text: &str, anchor: &str) -> Result<Snippet, SnippetError> {
        cut(Path::new("code/src/a.rs"), text, anchor)
    }

    #[test]
    fn cuts_dedents_and_drops_inner_markers() {
        let text = "mod m {\n    // ANCHOR: outer\n    fn f() {\n        // ANCHOR: inner\n        1;\n        // ANCHOR_END: inner\n\n    }\n    // ANCHOR_END: outer\n}\n";
        let outer = rust(text, "outer").unwrap();
        assert_eq!(outer.text, "fn f() {\n    1;\n\n}\n");
        assert_eq!(
            (outer.first_line, outer.last_line, outer.language),
            (3, 8, "rust")
        );
        let inner = rust(text, "inner").unwrap();
        assert_eq!(
            (inner.text.as_str(), inner.first_line, inner.last_line),
            ("1;\n", 5, 5)
        );
    }

    #[test]
    fn a_name_is_not_its_prefix() {
        let text = "// ANCHOR: tile_padded\na;\n// ANCHOR_END: tile_padded\n// ANCHOR: tile\nb;\n// ANCHOR_END: tile\n";
        assert_eq!(rust(text, "tile").unwrap().text, "b;\n");
        assert!(matches!(rust(text, "til"), Err(SnippetError::Missing { .. })));
    }

    #[test]
    fn refuses_what_mdbook_lets_pass() {
        let missing = rust("x;\n", "a").unwrap_err();
        assert!(missing.to_string().contains("has no anchor `a`"));
        let unclosed = rust("// ANCHOR: a\nx;\n", "a").unwrap_err();
        assert!(
            unclosed
                .to_string()
                .contains("`code/src/a.rs:1` opens anchor `a`"),
            "{unclosed}"
        );
        assert!(matches!(
            rust("x;\n// ANCHOR_END: a\n", "a"),
            Err(SnippetError::NotOpened { line: 2, .. })
        ));
        assert!(matches!(
            rust("// ANCHOR_END: a\n// ANCHOR: a\n", "a"),
            Err(SnippetError::NotOpened { line: 1, .. })
        ));
        let twice = "// ANCHOR: a\nx;\n// ANCHOR_END: a\n// ANCHOR: a\ny;\n// ANCHOR_END: a\n";
        assert!(matches!(
            rust(twice, "a"),
            Err(SnippetError::Duplicate {
                first: 1,
                second: 4,
                ..
            })
        ));
        let empty = "\n// ANCHOR: a\n\n// ANCHOR: b\n// ANCHOR_END: b\n// ANCHOR_END: a\n";
        assert!(matches!(
            rust(empty, "a"),
            Err(SnippetError::Empty { line: 2, .. })
        ));
    }

    #[test]
    fn a_ptx_anchor_is_a_kernel() {
        let ptx = ".version 7.7\n\n.visible .entry copy(\n\t.param .u64 p\n)\n{\n\tret;\n\n}\n.visible .entry copy_b(\n)\n{\n}\n";
        let snippet = cut(Path::new("kernels/t.ptx"), ptx, "copy").unwrap();
        assert_eq!(
            (snippet.first_line, snippet.last_line, snippet.language),
            (3, 9, "text")
        );
        assert!(matches!(
            cut(Path::new("kernels/t.ptx"), ptx, "cop"),
            Err(SnippetError::MissingKernel { .. })
        ));
    }

    #[test]
    fn paths_stay_inside() {
        let root = tempfile::tempdir().unwrap();
        let book = root.path().join("book");
        fs::create_dir(&book).unwrap();
        fs::write(root.path().join("secret.rs"), "x").unwrap();
        fs::write(book.join("a.rs"), "one\r\ntwo\r\n").unwrap();
        assert_eq!(read(&book, Path::new("a.rs")).unwrap(), "one\ntwo\n");
        let absolute = root.path().join("secret.rs");
        for path in [Path::new("../secret.rs"), Path::new("./../secret.rs"), &absolute] {
            assert!(
                matches!(read(&book, path), Err(SnippetError::Outside(_))),
                "{path:?}"
            );
        }
        assert!(matches!(
            read(&book, Path::new("no.rs")),
            Err(SnippetError::Unreadable { .. })
        ));
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(&absolute, book.join("link.rs")).unwrap();
            assert!(matches!(
                read(&book, Path::new("link.rs")),
                Err(SnippetError::Outside(_))
            ));
        }
    }
}
