//! The questions at the end of a chapter, collected for another page.

/// Returns a list of the questions in the last section of a chapter, each a link to that section.
///
/// `file` is the chapter as a link names it. A question is what stands between `<summary>` and `</summary>`.
///
/// # Errors
/// The chapter's last section asks nothing.
pub fn collect(file: &str, text: &str) -> Result<String, String> {
    let text = text.replace("\r\n", "\n");
    let last = text.rsplit("\n## ").next().unwrap_or_default();
    let heading = last.lines().next().unwrap_or_default();
    let questions: Vec<&str> = last
        .split("<summary>")
        .skip(1)
        .filter_map(|rest| rest.split("</summary>").next())
        .map(str::trim)
        .collect();
    if questions.is_empty() {
        return Err(format!(
            "the last section of src/{file}, `{heading}`, asks no question"
        ));
    }
    let id = id(heading);
    let item = |question: &&str| format!("1. [{question}]({file}#{id})\n");
    Ok(questions.iter().map(item).collect())
}

/// The id that mdBook gives to a heading.
fn id(heading: &str) -> String {
    if let Some((_, set)) = heading.rsplit_once("{#") {
        return set.trim_end().trim_end_matches('}').to_string();
    }
    let kept = heading.trim().chars().filter_map(|c| match c {
        c if c.is_alphanumeric() || c == '_' || c == '-' => Some(c.to_ascii_lowercase()),
        c if c.is_whitespace() => Some('-'),
        _ => None,
    });
    kept.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHAPTER: &str = "# T\n\n## A\n\n<details>\n<summary>No?</summary>\n</details>\n\n## Check `it`\n\n\
                           <details>\n<summary>Why?</summary>\n\nSo.\n\n</details>\n\n<details>\n<summary> How? </summary>\n</details>\n";

    #[test]
    fn the_last_section_is_collected() {
        assert_eq!(
            collect("t.md", CHAPTER).as_deref(),
            Ok("1. [Why?](t.md#check-it)\n1. [How?](t.md#check-it)\n")
        );
        let named = CHAPTER.replace("`it`", "it {#check}");
        assert!(collect("t.md", &named).unwrap().contains("(t.md#check)"));
    }

    #[test]
    fn a_chapter_that_asks_nothing_is_refused() {
        assert!(collect("t.md", "# T\n\nNot yet.\n").is_err());
    }
}
