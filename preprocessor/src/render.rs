//! What a directive becomes: Markdown with a little HTML around it.
//!
//! HTML here never contains a blank line, for that is where CommonMark ends it.

use std::fmt::Write;

use warpwise::table::Table;

use crate::snippet::Snippet;

/// Text made safe inside an HTML element or a quoted attribute.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
    out
}

/// A fence around `text`, longer than any run of backquotes in it.
pub fn fence(info: &str, text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let ticks = "`".repeat(longest.max(2) + 1);
    let newline = if text.is_empty() || text.ends_with('\n') {
        ""
    } else {
        "\n"
    };
    format!("{ticks}{info}\n{text}{newline}{ticks}\n")
}

/// A captioned block: `class` on the figure, `content` as Markdown between blank lines.
fn figure(class: &str, content: &str, caption: &str) -> String {
    format!("<figure class=\"{class}\">\n\n{content}\n<figcaption>{caption}</figcaption>\n</figure>\n")
}

/// A region of a file, captioned with where it comes from.
pub fn snippet(snippet: &Snippet, words: &[String]) -> String {
    let info = std::iter::once(snippet.language).chain(words.iter().map(String::as_str));
    let info = info.collect::<Vec<_>>().join(",");
    let path = escape(&snippet.path.to_string_lossy().replace('\\', "/"));
    let lines = match (snippet.first_line, snippet.last_line) {
        (first, last) if first == last => format!("line {first}"),
        (first, last) => format!("lines {first}–{last}"),
    };
    figure(
        "source",
        &fence(&info, &snippet.text),
        &format!("<code>{path}</code>, {lines}"),
    )
}

/// A command and what it printed.
pub fn run(args: &[String], output: &str) -> String {
    fence(
        "text",
        &format!("$ {}\n{}", command(args), without_colour(output)),
    )
}

/// Columns of a command before it is broken, as a shell lets you, so that it needs no scrolling.
const COMMAND_WIDTH: usize = 88;

/// The command line, in as many lines as it takes. An option stays with its value.
fn command(args: &[String]) -> String {
    let mut lines = vec!["warpwise".to_string()];
    let mut rest = args;
    while let Some((word, after)) = rest.split_first() {
        let value = after
            .first()
            .filter(|next| word.starts_with("--") && !next.starts_with("--"));
        rest = &after[usize::from(value.is_some())..];
        let piece = value.map_or(word.clone(), |value| format!("{word} {value}"));
        match lines.last_mut() {
            Some(line) if line.len() + 1 + piece.len() <= COMMAND_WIDTH => {
                line.push(' ');
                line.push_str(&piece);
            }
            _ => lines.push(format!("    {piece}")),
        }
    }
    lines.join(" \\\n")
}

/// A whole program and, under it, what it printed where.
pub fn example(code: &Snippet, stdout: &str, device: &str, recorded: &str) -> String {
    let words = ["gpu".to_string()];
    let caption = format!(
        "Printed by this program on an {}, {}",
        escape(device),
        escape(recorded)
    );
    format!(
        "{}\n{}",
        snippet(code, &words),
        figure("printed", &fence("text", &without_colour(stdout)), &caption)
    )
}

/// A table that can be scrolled sideways, also with the keyboard.
pub fn table(table: &Table) -> String {
    let caption = cell(&table.caption);
    let numeric = table.numeric();
    let class = |column: usize| {
        if numeric.get(column) == Some(&true) {
            " class=\"number\""
        } else {
            ""
        }
    };
    let label = escape(&table.caption.replace('`', ""));
    let mut out = format!("<figure class=\"table\">\n<div class=\"scroll\" role=\"group\" tabindex=\"0\" aria-label=\"{label}\">\n<table>\n<thead><tr>");
    // Writing to a String can not fail.
    for (column, name) in table.header.iter().enumerate() {
        let _ = match name.trim() {
            // The corner above row names heads no column.
            "" => write!(out, "<td></td>"),
            name => write!(out, "<th scope=\"col\"{}>{}</th>", class(column), cell(name)),
        };
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for row in &table.rows {
        out.push_str("<tr>");
        for (column, text) in row.iter().enumerate() {
            let _ = write!(out, "<td{}>{}</td>", class(column), cell(text));
        }
        out.push_str("</tr>\n");
    }
    let _ = writeln!(
        out,
        "</tbody>\n</table>\n</div>\n<figcaption>{caption}</figcaption>\n</figure>"
    );
    out
}

/// Plain text with `code` in backquotes, as HTML on one line.
fn cell(text: &str) -> String {
    let mut out = String::new();
    let parts: Vec<&str> = text.split('`').collect();
    // An odd number of parts means that every backquote has its partner.
    let paired = parts.len() % 2 == 1;
    for (i, part) in parts.iter().enumerate() {
        let part = escape(part).replace('\n', " ");
        match (i % 2 == 1, paired) {
            (true, true) => out.push_str(&format!("<code>{part}</code>")),
            (_, true) => out.push_str(&part),
            (_, false) => out.push_str(&format!("{}{part}", if i == 0 { "" } else { "`" })),
        }
    }
    out
}

/// A drawing.
pub fn drawing(svg: &str) -> String {
    format!("<figure class=\"drawing\">\n{}\n</figure>\n", svg.trim())
}

/// Terminal colours have no place on a page.
fn without_colour(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("\u{1b}[") {
        out.push_str(&rest[..start]);
        let after = &rest[start + 2..];
        rest = after
            .find(|c: char| c.is_ascii_alphabetic())
            .map_or("", |end| &after[end + 1..]);
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_is_longer_than_what_it_holds() {
        assert_eq!(fence("text", "a"), "```text\na\n```\n");
        assert_eq!(
            fence("text", "```rust\n````\n"),
            "`````text\n```rust\n````\n`````\n"
        );
    }

    #[test]
    fn a_table_escapes_labels_and_aligns() {
        let html = table(&Table {
            caption: "Hits of `walk` <8x64>".into(),
            header: vec!["case".into(), "hits".into()],
            rows: vec![
                vec!["a & `b`".into(), "480".into()],
                vec!["odd ` tick".into(), "-".into()],
            ],
        });
        assert!(
            html.contains("aria-label=\"Hits of walk &lt;8x64&gt;\""),
            "{html}"
        );
        assert!(html.contains("<th scope=\"col\">case</th><th scope=\"col\" class=\"number\">hits</th>"));
        assert!(html.contains("<td>a &amp; <code>b</code></td><td class=\"number\">480</td>"));
        assert!(html.contains("odd ` tick"));
        assert!(
            !html.trim_end().contains("\n\n"),
            "a blank line would end the HTML"
        );
    }

    #[test]
    fn colours_are_dropped() {
        assert_eq!(without_colour("a\u{1b}[1;32mb\u{1b}[0mc"), "abc");
        assert!(run(&["list".into()], "x\n").starts_with("```text\n$ warpwise list\nx\n```"));
    }

    #[test]
    fn a_long_command_is_broken_between_options() {
        let args: Vec<String> =
            "trace kernels/some/where.ptx --kernel a_kernel --grid 10,20 --block 32,8 --arg in:u32:1 --json"
                .split(' ')
                .map(String::from)
                .collect();
        assert_eq!(
            command(&args),
            "warpwise trace kernels/some/where.ptx --kernel a_kernel --grid 10,20 --block 32,8 \\\n    --arg in:u32:1 --json"
        );
    }
}
