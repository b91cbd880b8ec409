//! Reading a chapter as prose: without its directives, and without the code that is tested anyway.

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

/// A line of a chapter that breaks a rule.
#[derive(Debug, PartialEq, Eq)]
pub struct Line {
    /// From 1.
    pub number: usize,
    /// What was found there.
    pub found: String,
}

/// What only a measurement or a count can know. A figure before one of these belongs in a directive.
const UNITS: [&str; 24] = [
    "GB/s",
    "TB/s",
    "MB/s",
    "GiB/s",
    "GFLOP/s",
    "TFLOP/s",
    "elements/s",
    "ms",
    "µs",
    "us",
    "ns",
    "%",
    "hits",
    "misses",
    "requests",
    "sectors",
    "wavefronts",
    "races",
    "times faster",
    "times slower",
    "times as fast",
    "times as slow",
    "x faster",
    "x slower",
];

/// Figures typed into a chapter that should come from a directive: `12.5 GB/s`, `36 sectors`.
///
/// Looks at prose, tables and blocks that show output; code of a language is tested by other means.
pub fn measurements(text: &str) -> Vec<Line> {
    let mut found = Vec::new();
    let mut code = false;
    let parser = Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_GFM).into_offset_iter();
    for (event, range) in parser {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                code = !matches!(
                    info.split([',', ' ']).next(),
                    None | Some("" | "text" | "console")
                );
            }
            Event::End(TagEnd::CodeBlock) => code = false,
            Event::Text(_) | Event::Code(_) | Event::Html(_) | Event::InlineHtml(_) if !code => {
                let number = text[..range.start].matches('\n').count() + 1;
                // A unit may follow in the next event, in code or emphasis: look to the end of the line.
                let end = text[range.end..]
                    .find('\n')
                    .map_or(text.len(), |at| range.end + at);
                for (i, line) in text[range.start..end].lines().enumerate() {
                    let line = without_directives(line);
                    found.extend(typed_in(&line).into_iter().map(|found| Line {
                        number: number + i,
                        found,
                    }));
                }
            }
            _ => {}
        }
    }
    found.sort_by(|a, b| (a.number, &a.found).cmp(&(b.number, &b.found)));
    found.dedup();
    found
}

fn without_directives(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some((before, inside)) = rest.split_once("{{#") {
        out.push_str(before);
        out.push('□');
        rest = inside.split_once("}}").map_or("", |(_, after)| after);
    }
    out + rest
}

/// Figures in digits directly before a unit.
fn typed_in(line: &str) -> Vec<String> {
    let plain: String = line.chars().filter(|c| !matches!(c, '*' | '_' | '`')).collect();
    let mut found = Vec::new();
    for unit in UNITS {
        for (at, _) in plain.match_indices(unit) {
            let after = plain[at + unit.len()..].chars().next();
            if unit != "%" && after.is_some_and(|c| c.is_alphanumeric() || c == '/') {
                continue;
            }
            let before = plain[..at].trim_end_matches([' ', '\u{a0}', '\u{202f}']);
            let digits = before.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ','));
            let figure = &before[digits.len()..];
            if figure.contains(|c: char| c.is_ascii_digit()) {
                found.push(format!("{figure} {unit}"));
            }
        }
    }
    found
}

/// The ids that mdBook gives to a chapter's headings, and those set in its HTML.
pub fn heading_ids(text: &str) -> Vec<String> {
    let mut ids: Vec<String> = Vec::new();
    let mut heading: Option<(HeadingLevel, String, Option<String>)> = None;
    for event in Parser::new_ext(text, Options::ENABLE_HEADING_ATTRIBUTES) {
        match event {
            Event::Start(Tag::Heading { level, id, .. }) => {
                heading = Some((level, String::new(), id.map(|id| id.to_string())));
            }
            Event::Text(words) | Event::Code(words) => {
                if let Some((_, title, _)) = &mut heading {
                    title.push_str(&words);
                }
            }
            Event::End(TagEnd::Heading(_)) => {
                if let Some((_, title, id)) = heading.take() {
                    let slug = id.unwrap_or_else(|| slug(&title));
                    let again = ids.iter().filter(|known| **known == slug).count();
                    ids.push(if again == 0 {
                        slug
                    } else {
                        format!("{slug}-{again}")
                    });
                }
            }
            Event::Html(html) | Event::InlineHtml(html) => {
                let ids_of = html
                    .split("id=\"")
                    .skip(1)
                    .filter_map(|rest| rest.split('"').next());
                ids.extend(ids_of.map(str::to_string));
            }
            _ => {}
        }
    }
    ids
}

fn slug(title: &str) -> String {
    let kept = title.trim().chars().filter_map(|c| match c {
        c if c.is_alphanumeric() || c == '_' || c == '-' => Some(c.to_ascii_lowercase()),
        c if c.is_whitespace() => Some('-'),
        _ => None,
    });
    kept.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        measurements(text)
            .into_iter()
            .map(|line| format!("{}: {}", line.number, line.found))
            .collect()
    }

    #[test]
    fn typed_in_figures_are_found() {
        assert_eq!(
            found("a\n\nIt reaches 12.5 GB/s, or **3**\u{a0}ms.\n"),
            ["3: 12.5 GB/s", "3: 3 ms"]
        );
        assert_eq!(
            found("| kernel | sectors |\n|---|---|\n| a | 36 sectors |\n"),
            ["3: 36 sectors"]
        );
        assert_eq!(found("a\n\n```text\n1,024 hits\n```\n"), ["4: 1,024 hits"]);
        assert_eq!(
            found("It is 50 % done and 2.3 times faster.\n"),
            ["1: 2.3 times faster", "1: 50 %"]
        );
    }

    #[test]
    fn directives_code_and_words_are_not() {
        assert_eq!(
            found("It reaches {{#evidence copy 64x48 gb_per_s}}: {{#value hits rows=8}} hits.\n"),
            Vec::<String>::new()
        );
        assert_eq!(found("```rust\n// 3 ms\n```\n"), Vec::<String>::new());
        assert_eq!(
            found("A 32-byte sector, 3 msgs, two requests, 2 sectorsx.\n"),
            Vec::<String>::new()
        );
    }

    #[test]
    fn ids_are_those_of_mdbook() {
        let ids =
            heading_ids("# The `walk`, again!\n\n## Why\n\n## Why\n\n## X {#own}\n\n<a id=\"here\"></a>\n");
        assert_eq!(ids, ["the-walk-again", "why", "why-1", "own", "here"]);
    }
}
