//! Pages from the book's folder, each with a script that waits for the next build.

use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tiny_http::{Header, Request, Response, StatusCode};

use super::{Board, State};

/// Where a page asks for news: `/~news?after=VERSION`.
const NEWS: &str = "/~news";

/// Shorter than the time after which browsers and proxies give up.
const PATIENCE: Duration = Duration::from_secs(20);

const SCRIPT: &str = include_str!("reload.js");

/// The files of the book.
pub struct Pages {
    folder: PathBuf,
    board: Arc<Board>,
}

impl Pages {
    /// Serves what is in `folder`, and the news of `board`.
    pub fn new(folder: PathBuf, board: Arc<Board>) -> Self {
        Pages { folder, board }
    }

    /// Answers one request. A reader who has gone away is no trouble.
    pub fn answer(&self, request: Request) {
        let (path, query) = request.url().split_once('?').unwrap_or((request.url(), ""));
        let (status, kind, body) = if path == NEWS {
            let known = query
                .strip_prefix("after=")
                .and_then(|version| version.parse().ok())
                .unwrap_or(u64::MAX);
            (
                200,
                "text/plain; charset=utf-8",
                news(&self.board.after(known, PATIENCE)).into_bytes(),
            )
        } else {
            self.file(path)
        };
        let mut response = Response::from_data(body).with_status_code(StatusCode(status));
        for (name, value) in [("Content-Type", kind), ("Cache-Control", "no-store")] {
            if let Ok(header) = Header::from_bytes(name, value) {
                response.add_header(header);
            }
        }
        let _ = request.respond(response);
    }

    fn file(&self, path: &str) -> (u16, &'static str, Vec<u8>) {
        let found = inside(path).and_then(|path| {
            let file = self.folder.join(path);
            let file = if file.is_dir() {
                file.join("index.html")
            } else {
                file
            };
            Some((kind(&file), fs::read(&file).ok()?))
        });
        let state = self.board.now();
        match found {
            Some((kind, body)) if kind.starts_with("text/html") => (200, kind, with_script(&body, &state)),
            Some((kind, body)) => (200, kind, body),
            None => (
                404,
                "text/html; charset=utf-8",
                with_script(b"<p>This page is not in the book.</p></body>", &state),
            ),
        }
    }
}

/// The version, then what is wrong.
fn news(state: &State) -> String {
    format!(
        "{}\n{}",
        state.version,
        state.problem.as_deref().unwrap_or_default()
    )
}

fn with_script(page: &[u8], state: &State) -> Vec<u8> {
    let page = String::from_utf8_lossy(page);
    let (before, after) = page.rsplit_once("</body>").unwrap_or((&page, ""));
    format!(
        "{before}<script>{}</script></body>{after}",
        SCRIPT.replace("VERSION", &state.version.to_string())
    )
    .into_bytes()
}

/// A path of the web as a path below the book's folder; `None` if it would leave it.
fn inside(path: &str) -> Option<PathBuf> {
    let path = PathBuf::from(decode(path)?.trim_start_matches('/'));
    path.components()
        .all(|part| matches!(part, Component::Normal(_)))
        .then_some(path)
}

/// `%20` and the like.
fn decode(path: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = path.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte == b'%' {
            let (digits, after) = rest.split_at_checked(2)?;
            bytes.push(u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?);
            rest = after;
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

fn kind(file: &Path) -> &'static str {
    match file.extension().and_then(|extension| extension.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("json") => "application/json",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("wasm") => "application/wasm",
        Some("woff2") => "font/woff2",
        Some("txt" | "md") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_in_the_book() {
        assert_eq!(inside("/css/a%20b.css"), Some("css/a b.css".into()));
        assert_eq!(inside("/"), Some(PathBuf::new()));
        for outside in ["/../a", "/a/../../b", "/%2e%2e/a", "/a%", "/%zz", "/%ff"] {
            assert_eq!(inside(outside), None, "{outside}");
        }
    }

    #[test]
    fn pages_carry_the_version() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("index.html"), "<body>a</body>").unwrap();
        let board = Arc::new(Board::default());
        board.post(None);
        let pages = Pages::new(folder.path().into(), board);
        let (status, kind, body) = pages.file("/");
        let body = String::from_utf8(body).unwrap();
        assert_eq!((status, kind), (200, "text/html; charset=utf-8"));
        assert!(
            body.starts_with("<body>a<script>")
                && body.contains("version = 1;")
                && body.ends_with("</script></body>")
        );
        assert_eq!(pages.file("/none.html").0, 404);
    }
}
