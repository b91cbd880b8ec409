//! The book as it was written to disk: do its links lead somewhere, and does it stay at home?

mod html;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

use anyhow::{bail, Context, Result};

use html::Tag;

/// Checks every page and stylesheet in `book`.
///
/// # Errors
/// One line for each dead link, missing fragment, id given twice, load from outside, and directive left over.
pub fn check(book: &Path) -> Result<()> {
    let mut pages = BTreeMap::new();
    let mut problems = Vec::new();
    for file in files(book).context("there is no book yet; run `cargo book build`")? {
        let name = file.strip_prefix(book).unwrap_or(&file).to_path_buf();
        let text = || fs::read_to_string(&file).with_context(|| file.display().to_string());
        match file.extension().and_then(|extension| extension.to_str()) {
            Some("html") => {
                pages.insert(name, Page::read(&text()?));
            }
            Some("css") => {
                problems.extend(loads(&text()?).map(|url| format!("{}: loads {url}", name.display())))
            }
            _ => {}
        }
    }
    for (name, page) in &pages {
        problems.extend(
            page.problems(name, &pages, book)
                .map(|problem| format!("{}: {problem}", name.display())),
        );
    }
    if pages.is_empty() {
        bail!("there is no page in {}", book.display());
    }
    if !problems.is_empty() {
        bail!("{}", problems.join("\n"));
    }
    let links: usize = pages.values().map(|page| page.links.len()).sum();
    eprintln!(
        "{} pages, {links} links: all lead somewhere, nothing is loaded from outside",
        pages.len()
    );
    Ok(())
}

/// What matters of one page.
#[derive(Default)]
struct Page {
    ids: BTreeSet<String>,
    twice: Vec<String>,
    links: Vec<String>,
    loads: Vec<String>,
    left_over: bool,
}

impl Page {
    fn read(text: &str) -> Page {
        let mut page = Page::default();
        let (tags, prose) = html::read(text);
        for tag in &tags {
            page.add(tag);
        }
        page.left_over = prose.contains("{{#");
        page
    }

    fn add(&mut self, tag: &Tag) {
        for (name, value) in &tag.attributes {
            if name == "id" && !self.ids.insert(value.clone()) {
                self.twice.push(value.clone());
            }
            match (tag.name.as_str(), name.as_str()) {
                ("a" | "area", "href") => self.links.push(value.clone()),
                // A canonical address is no load, and neither is the element that only moves links.
                ("link", "href") if tag.is("rel", "canonical") => {}
                ("link" | "base" | "use" | "image", "href") | (_, "src" | "poster" | "data" | "action") => {
                    self.loads.push(value.clone());
                }
                (_, "srcset") => self.loads.extend(
                    value
                        .split(',')
                        .filter_map(|part| part.split_whitespace().next().map(str::to_string)),
                ),
                (_, "style") => self.loads.extend(loads(value)),
                _ => {}
            }
        }
    }

    fn problems<'a>(
        &'a self,
        name: &'a Path,
        pages: &'a BTreeMap<PathBuf, Page>,
        book: &'a Path,
    ) -> impl Iterator<Item = String> + 'a {
        let twice = self.twice.iter().map(|id| format!("id `{id}` is given twice"));
        let left_over = self.left_over.then(|| "a directive is left over".to_string());
        let outside = self
            .loads
            .iter()
            .filter(|url| is_outside(url))
            .map(|url| format!("loads {url}"));
        let all = self
            .links
            .iter()
            .chain(&self.loads)
            .filter(|url| !is_outside(url));
        let dead = all.filter_map(move |url| dead(url, name, pages, book));
        twice.chain(left_over).chain(outside).chain(dead)
    }
}

fn is_outside(url: &str) -> bool {
    url.starts_with("//") || url.contains("://") || url.starts_with("mailto:")
}

/// Why a link within the book leads nowhere.
fn dead(url: &str, from: &Path, pages: &BTreeMap<PathBuf, Page>, book: &Path) -> Option<String> {
    if url.starts_with("data:") || url.starts_with("javascript:") {
        return url
            .starts_with("javascript:")
            .then(|| format!("`{url}` is no link"));
    }
    let (path, fragment) = url
        .split_once('#')
        .map_or((url, ""), |(path, fragment)| (path, fragment));
    let path = path.split('?').next().unwrap_or_default();
    let target = if path.is_empty() {
        from.to_path_buf()
    } else {
        resolve(from, path)?
    };
    let page = pages.get(&target);
    if page.is_none() && !book.join(&target).exists() {
        return Some(format!("`{url}` leads nowhere"));
    }
    let known = fragment.is_empty() || page.is_none_or(|page| page.ids.contains(fragment));
    (!known).then(|| format!("`{url}`: {} has no such id", target.display()))
}

/// A link's path, seen from the page it stands on.
fn resolve(from: &Path, path: &str) -> Option<PathBuf> {
    let mut parts: Vec<Component> = from.parent()?.components().collect();
    for part in Path::new(path.trim_start_matches('/')).components() {
        match part {
            Component::ParentDir => drop(parts.pop()),
            Component::CurDir => {}
            part => parts.push(part),
        }
    }
    Some(parts.into_iter().collect())
}

/// What a stylesheet loads from outside.
fn loads(css: &str) -> impl Iterator<Item = String> + '_ {
    let after = ["url(", "@import"]
        .into_iter()
        .flat_map(|word| css.split(word).skip(1));
    let url = after.map(|rest| {
        rest.trim_start_matches([' ', '"', '\''])
            .split([')', '"', '\'', ';'])
            .next()
            .unwrap_or_default()
    });
    url.filter(|url| is_outside(url)).map(str::to_string)
}

fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(files(&path)?);
        } else {
            found.push(path);
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(page: &str) -> String {
        let book = tempfile::tempdir().unwrap();
        fs::write(book.path().join("b.html"), "<h1 id=\"there\">b</h1>").unwrap();
        fs::write(book.path().join("a.html"), page).unwrap();
        check(book.path())
            .err()
            .map(|error| error.to_string())
            .unwrap_or_default()
    }

    #[test]
    fn a_good_page_passes() {
        let page = "<a href=\"b.html#there\">b</a> <a href='#x'>x</a><p id=x></p><a href=\"https://example.org/\">o</a>";
        assert_eq!(said(page), "");
    }

    #[test]
    fn what_is_wrong_is_named() {
        assert_eq!(said("<a href=\"c.html\">c</a>"), "a.html: `c.html` leads nowhere");
        assert_eq!(
            said("<a href=\"b.html#gone\">b</a>"),
            "a.html: `b.html#gone`: b.html has no such id"
        );
        assert_eq!(
            said("<a id=\"x\"></a><a id=\"x\"></a>"),
            "a.html: id `x` is given twice"
        );
        assert_eq!(
            said("<img src=\"https://example.org/a.png\">"),
            "a.html: loads https://example.org/a.png"
        );
        assert_eq!(
            said("<script src=\"//cdn/a.js\"></script>"),
            "a.html: loads //cdn/a.js"
        );
        assert_eq!(
            said("<p style=\"background:url(https://a/b)\">"),
            "a.html: loads https://a/b"
        );
        assert_eq!(
            said("<p>{{#snippet a:b}}</p>"),
            "a.html: a directive is left over"
        );
        assert_eq!(said("<code>{{#snippet a:b}}</code>"), "");
    }
}
