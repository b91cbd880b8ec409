//! Just enough of HTML to read what mdBook writes: tags with attributes, and the text between them.

/// An opening tag.
#[derive(Debug, PartialEq, Eq)]
pub struct Tag {
    /// In lower case.
    pub name: String,
    /// Names in lower case, values with their entities resolved.
    pub attributes: Vec<(String, String)>,
}

impl Tag {
    /// Whether an attribute has this value.
    pub fn is(&self, name: &str, value: &str) -> bool {
        self.attributes
            .iter()
            .any(|(known, is)| known == name && is == value)
    }
}

/// All opening tags, and the text that is neither code nor script.
pub fn read(text: &str) -> (Vec<Tag>, String) {
    let mut tags = Vec::new();
    let mut prose = String::new();
    let mut code = 0usize;
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('<') {
        if code == 0 {
            prose.push_str(before);
        }
        rest = after;
        if let Some(comment) = rest.strip_prefix("!--") {
            rest = comment.split_once("-->").map_or("", |(_, after)| after);
        } else if let Some(closing) = rest.strip_prefix('/') {
            if closing
                .get(..5)
                .is_some_and(|name| name.eq_ignore_ascii_case("code>"))
            {
                code = code.saturating_sub(1);
            }
            rest = closing.split_once('>').map_or("", |(_, after)| after);
        } else if rest.starts_with(|c: char| c.is_ascii_alphabetic()) {
            let (tag, after) = tag(rest);
            rest = after;
            match tag.name.as_str() {
                "code" => code += 1,
                // Their text is no HTML.
                "script" | "style" => {
                    let end = format!("</{}", tag.name);
                    rest = rest.find(&end).map_or("", |at| &rest[at..]);
                }
                _ => {}
            }
            tags.push(tag);
        }
    }
    prose.push_str(rest);
    (tags, prose)
}

/// Reads a tag behind its `<`, and returns what follows its `>`.
fn tag(text: &str) -> (Tag, &str) {
    let ends = |c: char| c.is_whitespace() || c == '>' || c == '/';
    let (name, mut rest) = text.split_at(text.find(ends).unwrap_or(text.len()));
    let mut tag = Tag {
        name: name.to_ascii_lowercase(),
        attributes: Vec::new(),
    };
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '/');
        if let Some(after) = rest.strip_prefix('>') {
            return (tag, after);
        }
        if rest.is_empty() {
            return (tag, rest);
        }
        let end = rest.find(|c: char| ends(c) || c == '=').unwrap_or(rest.len());
        // A stray `=` would else be read forever.
        let (name, after) = rest.split_at(end.max(1));
        rest = after.trim_start();
        let value = match rest.strip_prefix('=') {
            Some(after) => {
                let (value, after) = value(after.trim_start());
                rest = after;
                value
            }
            None => "",
        };
        tag.attributes.push((name.to_ascii_lowercase(), resolved(value)));
    }
}

fn value(text: &str) -> (&str, &str) {
    for quote in ['"', '\''] {
        if let Some(quoted) = text.strip_prefix(quote) {
            return quoted.split_once(quote).unwrap_or((quoted, ""));
        }
    }
    text.split_at(
        text.find(|c: char| c.is_whitespace() || c == '>')
            .unwrap_or(text.len()),
    )
}

fn resolved(value: &str) -> String {
    value
        .replace("&quot;", "\"")
        .replace("&#x27;", "'")
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_and_text_are_told_apart() {
        let page = "<!-- <a href=x> --><P ID='a' hidden data-x=1>t &lt; <code>{{#</code><script>\"<a>\"</script></p><br/>1 < 2";
        let (tags, prose) = read(page);
        let names: Vec<&str> = tags.iter().map(|tag| tag.name.as_str()).collect();
        assert_eq!(names, ["p", "code", "script", "br"]);
        assert!(tags[0].is("id", "a") && tags[0].is("hidden", "") && tags[0].is("data-x", "1"));
        assert_eq!(prose, "t &lt; 1  2");
    }

    #[test]
    fn broken_html_ends() {
        for page in [
            "<",
            "<a",
            "<a href",
            "<a href=",
            "<a href=\"",
            "<a =>",
            "<!--",
            "<script>",
            "</",
        ] {
            read(page);
        }
    }
}
