//! Figures of the chapters: inline SVG, drawn from what this crate computes.
//!
//! [`draw`] is the only door. A figure takes `key=value` arguments, computes with the modules of this crate, and
//! returns one `<svg>` element without blank lines, for use inside Markdown. The colours of lines and text follow
//! the page (`currentColor`); fills are half transparent, so that they serve light and dark themes. Every meaning
//! that a colour carries is carried by a number, an outline or a sentence as well. A theme may restyle the classes
//! `warpwise-figure`, `hue-0` to `hue-7`, `strong`, `faint` and `alarm`.
//!
//! Cells of the small figures carry `data-step`, their place in the order that the figure is about, so that a page can
//! step through what was drawn here.

mod banks;
mod bounds;
mod grid;
mod mapping;
mod order;
mod path;
mod svg;
mod tile;
mod traversal;
mod wavefront;

use crate::args::{ArgError, Args};

/// What can be wrong with a figure.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DrawError {
    /// There is no figure of this name.
    #[error("there is no figure `{name}`; there are: {}", names().collect::<Vec<_>>().join(", "))]
    Unknown {
        /// The name as it was given.
        name: String,
    },
    /// An argument is wrong.
    #[error("figure `{name}`: {error}")]
    Args {
        /// The figure.
        name: String,
        /// What is wrong.
        error: ArgError,
    },
}

/// A figure: its name, the keys it knows, and the function that draws it.
type Figure = (
    &'static str,
    &'static [&'static str],
    fn(&Args) -> Result<String, ArgError>,
);

/// All figures. A new one is a module, and a line here.
const FIGURES: [Figure; 9] = [
    ("traversal", traversal::KEYS, traversal::draw),
    ("layout", order::LAYOUT_KEYS, order::layout),
    ("mapping", mapping::KEYS, mapping::draw),
    ("bounds", bounds::KEYS, bounds::draw),
    ("banks", banks::KEYS, banks::draw),
    ("tile", tile::KEYS, tile::draw),
    ("spiral", order::KEYS, order::spiral),
    ("zigzag", order::KEYS, order::zigzag),
    ("wavefront", wavefront::KEYS, wavefront::draw),
];

/// Returns the names of all figures.
pub fn names() -> impl Iterator<Item = &'static str> {
    FIGURES.iter().map(|(name, ..)| *name)
}

/// Returns the keys that a figure knows, or `None` if there is no such figure.
pub fn keys(name: &str) -> Option<&'static [&'static str]> {
    FIGURES
        .iter()
        .find(|(known, ..)| *known == name)
        .map(|(_, keys, _)| *keys)
}

/// Returns the figure `name` as one `<svg>` element.
///
/// Every key has a default, so that no arguments at all draw the figure of the chapter. The same arguments give the
/// same bytes.
///
/// # Errors
/// For an unknown figure or key, and for a value that can not be read or is too large to draw.
pub fn draw(name: &str, args: &Args) -> Result<String, DrawError> {
    let found = FIGURES.iter().find(|(known, ..)| *known == name);
    let (_, keys, draw) = found.ok_or_else(|| DrawError::Unknown {
        name: name.to_owned(),
    })?;
    let drawn = args.only(keys).and_then(|()| draw(args));
    drawn.map_err(|error| DrawError::Args {
        name: name.to_owned(),
        error,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Asserts that a piece of SVG is one well-formed element without blank lines.
    fn assert_well_formed(svg: &str) {
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>"), "{svg}");
        assert!(!svg.contains("\n\n"));
        assert!(
            !svg.contains("NaN") && !svg.contains("inf"),
            "a coordinate is no number: {svg}"
        );
        let mut open = Vec::new();
        let mut rest = svg;
        while let Some(at) = rest.find('<') {
            assert!(!rest[..at].contains('>'), "stray > before {}", &rest[at..]);
            let end = at + rest[at..].find('>').expect("a tag ends");
            let tag = &rest[at + 1..end];
            assert!(
                !tag.contains('<') && tag.matches('"').count().is_multiple_of(2),
                "{tag}"
            );
            if let Some(name) = tag.strip_prefix('/') {
                assert_eq!(open.pop(), Some(name));
            } else if !tag.ends_with('/') {
                open.push(tag.split(' ').next().unwrap());
            }
            rest = &rest[end + 1..];
        }
        assert!(open.is_empty(), "{open:?}");
    }

    #[test]
    fn every_figure_draws_without_arguments() {
        for name in names() {
            let svg = draw(name, &Args::default()).unwrap();
            assert_well_formed(&svg);
            assert_eq!(svg, draw(name, &Args::default()).unwrap(), "the same bytes");
            for part in ["viewBox=\"0 0 ", "role=\"img\"", "<title>", "<desc>"] {
                assert!(svg.contains(part), "{name}: {part}");
            }
            assert!(svg.len() < 60_000, "{name} has {} bytes", svg.len());
        }
    }

    #[test]
    fn mistakes_are_named() {
        let unknown = draw("spirale", &Args::default()).unwrap_err();
        assert!(unknown.to_string().contains("`spirale`") && unknown.to_string().contains("spiral, zigzag"));
        let key = draw("spiral", &Args::default().with("row", 3)).unwrap_err();
        assert_eq!(
            key.to_string(),
            "figure `spiral`: `row` is not known here; known are: rows, cols"
        );
        let value = draw("spiral", &Args::default().with("rows", 3000)).unwrap_err();
        assert!(value.to_string().contains("`rows=3000`"));
    }

    proptest! {
        /// Any shape and any word draws a well-formed figure or names the key.
        #[test]
        fn any_arguments(which in 0usize..FIGURES.len(), numbers in prop::collection::vec(0u64..70, 12), words in "[a-z<&\"]{0,6}") {
            let (name, keys, _) = FIGURES[which];
            let mut args = Args::default();
            for (i, key) in keys.iter().enumerate() {
                match numbers[i] % 5 {
                    0 => {}
                    1 => args = args.with(key, &words),
                    2 => args = args.with(key, format!("{},{}", numbers[i] / 2, numbers[11 - i] / 2)),
                    _ => args = args.with(key, numbers[i]),
                }
            }
            match draw(name, &args) {
                Ok(svg) => assert_well_formed(&svg),
                Err(error) => prop_assert!(keys.iter().any(|key| error.to_string().contains(&format!("`{key}"))), "{error}"),
            }
        }

        /// The shapes of the numeric keys alone, so that most of them draw.
        #[test]
        fn any_shape(which in 0usize..FIGURES.len(), rows in 0u64..40, cols in 0u64..40) {
            let (name, keys, _) = FIGURES[which];
            let mut args = Args::default();
            for (key, value) in [("rows", rows), ("cols", cols)] {
                if keys.contains(&key) {
                    args = args.with(key, value);
                }
            }
            if let Ok(svg) = draw(name, &args) {
                assert_well_formed(&svg);
            }
        }
    }
}
