//! The book as a whole: what must be there, and what must not.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use mdbook_warpwise::expander;
use pulldown_cmark::{Event, Options, Parser, Tag};
use warpwise::lessons::LESSONS;
use warpwise_book::{chapters, heading_ids, measurements, root, Chapter};

fn lessons() -> Vec<Chapter> {
    let named = |chapter: &Chapter| {
        LESSONS
            .iter()
            .any(|lesson| chapter.path.ends_with(format!("{}.md", lesson.name)))
    };
    let lessons: Vec<Chapter> = chapters().into_iter().filter(named).collect();
    assert_eq!(lessons.len(), LESSONS.len(), "every lesson has its chapter");
    lessons
}

/// Fails with one line for each problem.
fn no(problems: Vec<String>) {
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}

#[test]
fn the_summary_names_every_chapter_and_no_other() {
    let named: BTreeSet<PathBuf> = mdbook_warpwise::chapters(&root())
        .expect("a summary")
        .into_iter()
        .collect();
    let there: BTreeSet<PathBuf> = chapters().into_iter().map(|chapter| chapter.path).collect();
    assert_eq!(named, there);
    let lessons = LESSONS.iter().map(|lesson| lesson.name);
    for name in lessons.chain(["introduction", "running", "glossary", "answers"]) {
        assert!(
            there.contains(&Path::new("src").join(format!("{name}.md"))),
            "{name}"
        );
    }
}

#[test]
fn every_directive_is_resolved() {
    let book = expander(&root())
        .book()
        .unwrap_or_else(|problems| panic!("\n{problems}"));
    for (expanded, written) in book.iter().map(|expanded| (expanded, written(&expanded.path))) {
        let escaped = written.text.matches("\\{{#").count();
        assert_eq!(
            expanded.markdown.matches("{{#").count(),
            escaped,
            "{}",
            expanded.path.display()
        );
    }
}

fn written(path: &Path) -> Chapter {
    chapters()
        .into_iter()
        .find(|chapter| chapter.path == path)
        .expect("the chapter is there")
}

/// Columns that a page shows without scrolling sideways.
const WIDTH: usize = 88;

#[test]
fn no_line_of_code_is_wider_than_a_page() {
    let mut wide = Vec::new();
    for chapter in expander(&root()).book().expect("every directive is resolved") {
        let mut code = false;
        for (line, number) in chapter.markdown.lines().zip(&chapter.lines) {
            if let Some(info) = line.strip_prefix("```") {
                code = info.starts_with("rust") || info.starts_with("cpp");
            } else if code && line.chars().count() > WIDTH {
                wide.push(format!(
                    "{}:{number}: wider than {WIDTH} columns: {line}",
                    chapter.path.display()
                ));
            }
        }
    }
    no(wide);
}

#[test]
fn no_measurement_is_typed_in() {
    let found = chapters().into_iter().flat_map(|chapter| {
        let path = chapter.path.display().to_string();
        let lines = measurements(&chapter.text).into_iter();
        lines.map(move |line| format!("{path}:{}: `{}` belongs in a directive", line.number, line.found))
    });
    no(found.collect());
}

#[test]
fn every_lesson_opens_with_a_question() {
    let silent = lessons().into_iter().filter(|chapter| {
        // Before the first section, the first code and the first directive that shows something.
        let body = chapter.text.split_once('\n').map_or("", |(_, body)| body);
        let opening = body.lines().take_while(|line| {
            !line.starts_with("#") && !line.starts_with("```") && !line.starts_with("{{#")
        });
        !opening.into_iter().any(|line| line.contains('?'))
    });
    no(silent
        .map(|chapter| {
            format!(
                "{}: it asks the reader nothing to predict",
                chapter.path.display()
            )
        })
        .collect());
}

#[test]
fn every_lesson_ends_with_questions_whose_answers_fold_open() {
    let mut problems = Vec::new();
    for chapter in lessons() {
        let last = chapter.text.rsplit("\n## ").next().unwrap_or_default();
        let (opened, named) = (
            last.matches("<details>").count(),
            last.matches("<summary>").count(),
        );
        if opened < 2 || opened != named || opened != last.matches("</details>").count() {
            problems.push(format!(
                "{}: its last section has {opened} <details> with {named} <summary>; two questions or more are due",
                chapter.path.display()
            ));
        }
        let questions = last
            .split("<summary>")
            .skip(1)
            .filter_map(|rest| rest.split("</summary>").next());
        for question in questions.filter(|question| !question.trim_end().ends_with('?')) {
            problems.push(format!("{}: `{question}` is no question", chapter.path.display()));
        }
    }
    no(problems);
}

#[test]
fn links_lead_somewhere() {
    let mut problems = Vec::new();
    let all = chapters();
    for chapter in &all {
        for (event, range) in Parser::new_ext(&chapter.text, Options::all()).into_offset_iter() {
            let Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) = event else {
                continue;
            };
            if dest_url.contains("://") || dest_url.starts_with("mailto:") {
                continue;
            }
            let (file, fragment) = dest_url
                .split_once('#')
                .map_or((&*dest_url, None), |(file, id)| (file, Some(id)));
            let target = if file.is_empty() {
                Some(chapter)
            } else {
                all.iter().find(|other| other.path == Path::new("src").join(file))
            };
            let good = match (target, fragment) {
                (Some(target), Some(id)) => heading_ids(&target.text).iter().any(|known| known == id),
                (Some(_), None) => true,
                (None, _) => root().join("src").join(file).is_file(),
            };
            if !good {
                let line = chapter.text[..range.start].matches('\n').count() + 1;
                problems.push(format!(
                    "{}:{line}: `{dest_url}` leads nowhere",
                    chapter.path.display()
                ));
            }
        }
    }
    no(problems);
}
