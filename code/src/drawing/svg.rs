//! Writing SVG: a canvas with the few shapes that the figures are made of.
//!
//! One user unit is a CSS pixel on a narrow screen: figures are at most [`MAX_WIDTH`] wide, so that text of
//! [`TEXT`] units stays readable at a page width of 390 pixels. Wider pages enlarge them a little.

use std::fmt::{Display, Write};

use super::path::{Number, Path};

/// Units across the widest figure.
pub const MAX_WIDTH: f64 = 352.0;
/// Font size of sentences, in units.
pub const TEXT: f64 = 12.0;
/// Font size of numbers in cells, in units; the least that is used.
pub const SMALL: f64 = 10.0;
/// How much wider pages enlarge a figure.
const ENLARGE: f64 = 1.4;

/// Fills: the palette of Okabe and Ito, which colour-blind readers can tell apart. Four steps apart is far apart.
const HUES: [&str; 8] = [
    "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#b8a900", "#56b4e9", "#d55e00", "#888888",
];

/// How a shape is painted. The class serves themes, the attributes serve pages without a theme.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Ink {
    /// A transparent fill in one of eight colours; numbers from 8 on start over.
    Hue(u64),
    /// The same with a frame, for the part of a figure that is at work.
    StrongHue(u64),
    /// The fill of something that went wrong.
    Alarm,
    /// An outline.
    Line,
    /// A thick outline.
    Strong,
    /// A faint outline.
    Faint,
    /// A dashed outline.
    Dashed,
    /// The thin lines between cells.
    Hair,
    /// Filled with the colour of the text, faintly.
    Pale,
    /// Filled with the colour of the text.
    Solid,
}

impl Ink {
    fn attributes(self) -> String {
        let hue = |n: u64| HUES[(n % 8) as usize];
        match self {
            Ink::Hue(n) => format!(r#"class="hue-{}" fill="{}" fill-opacity="0.24""#, n % 8, hue(n)),
            Ink::StrongHue(n) => format!(
                r#"class="hue-{} strong" fill="{}" fill-opacity="0.3" stroke="currentColor" stroke-width="1.5""#,
                n % 8,
                hue(n)
            ),
            Ink::Alarm => r##"class="alarm" fill="#d0021b" fill-opacity="0.3" stroke="currentColor" stroke-width="1.5""##.to_owned(),
            Ink::Line => r#"fill="none" stroke="currentColor""#.to_owned(),
            Ink::Strong => r#"class="strong" fill="none" stroke="currentColor" stroke-width="2""#.to_owned(),
            Ink::Faint => {
                r#"class="faint" fill="none" stroke="currentColor" stroke-opacity="0.55""#.to_owned()
            }
            Ink::Dashed => {
                r#"class="dashed" fill="none" stroke="currentColor" stroke-dasharray="3 2""#.to_owned()
            }
            Ink::Hair => {
                r#"class="hair" fill="none" stroke="currentColor" stroke-opacity="0.25" stroke-width="0.5""#
                    .to_owned()
            }
            Ink::Pale => r#"class="faint" fill="currentColor" fill-opacity="0.5""#.to_owned(),
            Ink::Solid => r#"fill="currentColor""#.to_owned(),
        }
    }
}

/// Where a text stands relative to its point.
#[derive(Clone, Copy)]
pub enum Anchor {
    /// To the right of the point.
    Start,
    /// Centred on it.
    Middle,
    /// To the left of it.
    End,
}

/// A figure in the making.
pub struct Canvas {
    title: String,
    desc: String,
    body: String,
    width: f64,
    height: f64,
}

impl Canvas {
    /// Returns an empty figure. The title says what it shows, the description what a reader should see in it.
    pub fn new(title: impl Into<String>, desc: impl Into<String>) -> Canvas {
        Canvas {
            title: title.into(),
            desc: desc.into(),
            body: String::new(),
            width: 0.0,
            height: 0.0,
        }
    }

    /// Makes room for a point: the figure ends where its last shape does.
    fn reach(&mut self, x: f64, y: f64) {
        self.width = self.width.max(x);
        self.height = self.height.max(y);
    }

    fn push(&mut self, element: std::fmt::Arguments) {
        // Writing to a String can not fail.
        let _ = writeln!(self.body, "{element}");
    }

    /// Draws a rectangle; `step` becomes its `data-step`.
    pub fn rect(&mut self, [x, y, w, h]: [f64; 4], ink: Ink, step: Option<u64>) {
        self.reach(x + w, y + h);
        let step = step.map(|n| format!(r#" data-step="{n}""#)).unwrap_or_default();
        let [x, y, w, h] = [x, y, w, h].map(Number);
        let ink = ink.attributes();
        self.push(format_args!(
            r#"<rect x="{x}" y="{y}" width="{w}" height="{h}" {ink}{step}/>"#
        ));
    }

    /// Draws many shapes of one ink as a single path.
    pub fn path(&mut self, path: &Path, ink: Ink) {
        if !path.data.is_empty() {
            self.reach(path.right, path.bottom);
            self.push(format_args!(r#"<path d="{}" {}/>"#, path.data, ink.attributes()));
        }
    }

    /// Fills shapes that are sorted by hue.
    pub fn fills(&mut self, fills: &[Path; 8]) {
        for (hue, fill) in (0..).zip(fills) {
            self.path(fill, Ink::Hue(hue));
        }
    }

    /// Writes a text whose middle line is at `y`.
    pub fn text(&mut self, x: f64, y: f64, size: f64, anchor: Anchor, text: impl Display) {
        let text = escape(&text.to_string());
        // About 0.55 of the font size a letter: enough to keep the text inside the figure.
        let wide = text.chars().count() as f64 * size * 0.55;
        let (anchor, right) = match anchor {
            Anchor::Start => ("", x + wide),
            Anchor::Middle => (r#" text-anchor="middle""#, x + wide / 2.0),
            Anchor::End => (r#" text-anchor="end""#, x),
        };
        self.reach(right, y + size * 0.7);
        let (x, y, size) = (Number(x), Number(y + size * 0.35), Number(size));
        self.push(format_args!(
            r#"<text x="{x}" y="{y}" font-size="{size}"{anchor}>{text}</text>"#
        ));
    }

    /// Writes a sentence, broken into lines that fit the figure, and returns the height that it takes.
    pub fn sentence(&mut self, y: f64, text: &str) -> f64 {
        let per_line = (MAX_WIDTH / (TEXT * 0.52)) as usize;
        let mut lines: Vec<String> = vec![String::new()];
        for word in text.split(' ') {
            match lines.last_mut() {
                Some(line) if line.is_empty() => line.push_str(word),
                Some(line) if line.chars().count() + word.chars().count() < per_line => {
                    line.push(' ');
                    line.push_str(word);
                }
                _ => lines.push(word.to_owned()),
            }
        }
        let step = TEXT * 1.35;
        for (i, line) in lines.iter().enumerate() {
            self.text(MARGIN, y + step * (i as f64 + 0.5), TEXT, Anchor::Start, line);
        }
        step * lines.len() as f64
    }

    /// Returns the figure.
    pub fn finish(self) -> String {
        let (w, h) = (
            Number(self.width.max(40.0) + MARGIN),
            Number(self.height.max(20.0) + MARGIN),
        );
        let (title, desc) = (escape(&self.title), escape(&self.desc));
        let style = format!("width:{}px;max-width:100%;height:auto", Number(w.0 * ENLARGE));
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"warpwise-figure\" viewBox=\"0 0 {w} {h}\" role=\"img\" \
             style=\"{style}\" font-family=\"sans-serif\" fill=\"currentColor\">\n\
             <title>{title}</title>\n<desc>{desc}</desc>\n{}</svg>",
            self.body
        )
    }
}

/// Room around a figure, so that thick outlines are not cut off.
pub const MARGIN: f64 = 2.0;

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// Returns how many cells the shapes of a class cover: the sum of their areas over that of a cell.
#[cfg(test)]
pub fn covered(svg: &str, class: &str, cell: [f64; 2]) -> u64 {
    let mut area = 0.0;
    for line in svg.lines().filter(|line| line.contains(class)) {
        for shape in line.split('M').skip(1) {
            let number = |letter: char| {
                shape
                    .split(letter)
                    .nth(1)?
                    .split(['h', 'v', 'z'])
                    .next()?
                    .parse::<f64>()
                    .ok()
            };
            area += number('h').unwrap_or(0.0) * number('v').unwrap_or(0.0);
        }
    }
    (area / (cell[0] * cell[1])).round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped_and_numbers_are_short() {
        let mut canvas = Canvas::new("a < b & c", "\"d\"");
        canvas.text(1.0 / 3.0, 0.0, SMALL, Anchor::End, "<x>");
        let svg = canvas.finish();
        assert!(svg.contains("<title>a &lt; b &amp; c</title>"));
        assert!(svg.contains(r#"<text x="0.33" y="3.5" font-size="10" text-anchor="end">&lt;x&gt;</text>"#));
        assert_eq!(Number(-0.001).to_string(), "0");
    }
}
