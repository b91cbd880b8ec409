//! The directives a chapter may contain, and how they are written.

use std::path::PathBuf;

use warpwise::args::Args;
use warpwise::kernels::Shape;

/// What a chapter asks the expander for. One variant a name; `NAMES` lists how each is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Directive {
    /// A region of a file, as a captioned code block.
    Snippet {
        /// From the book's root, with forward slashes.
        path: PathBuf,
        /// The region between `ANCHOR: name` and `ANCHOR_END: name`; in PTX, a kernel's name.
        anchor: String,
        /// Words beside `rust` in the fence: `ignore`, `no_run`, `should_panic`.
        words: Vec<String>,
    },
    /// The command line of `warpwise`, run now, and what it printed.
    Run {
        /// Arguments after `warpwise`.
        args: Vec<String>,
    },
    /// One computed figure, within a sentence.
    Value {
        /// Its name in the registry of figures.
        name: String,
        /// What it depends on.
        args: Args,
    },
    /// One computed table.
    Table {
        /// Its name in the registry of figures.
        name: String,
        /// What it depends on.
        args: Args,
    },
    /// One recorded figure, within a sentence, with its unit.
    Evidence {
        /// The kernel it was recorded for.
        kernel: String,
        /// The matrix it was recorded on.
        shape: Shape,
        /// Which field of the record.
        field: String,
    },
    /// The name of the device the evidence was recorded on.
    Device,
    /// All records of one lesson on one shape.
    EvidenceTable {
        /// The lesson.
        lesson: String,
        /// The matrix.
        shape: Shape,
    },
    /// What the machine predicted for a lesson, beside what the card counted.
    Predictions {
        /// The lesson.
        lesson: String,
        /// On shapes larger than predictions must hold for.
        beyond: bool,
    },
    /// What compute-sanitizer reported of a kernel without its guard region.
    Sanitizer {
        /// The kernel.
        kernel: String,
    },
    /// A kernel's source lines with the requests, sectors and wavefronts of each.
    Lines {
        /// The kernel.
        kernel: String,
        /// The matrix it runs on.
        shape: Shape,
    },
    /// A whole program from code/examples, and what it printed on a GPU.
    Example {
        /// The file's name without `.rs`.
        name: String,
    },
    /// The questions at the end of a chapter, as links.
    Questions {
        /// The chapter's file in `src`, without `.md`.
        chapter: String,
    },
    /// A drawing.
    Figure {
        /// Its name.
        name: String,
        /// What it depends on.
        args: Args,
    },
}

/// How each directive is written; the first word is its name.
pub const NAMES: [&str; 13] = [
    "snippet PATH:ANCHOR",
    "run ARGUMENTS",
    "value NAME key=value",
    "table NAME key=value",
    "evidence KERNEL ROWSxCOLS FIELD",
    "device",
    "evidence-table LESSON ROWSxCOLS",
    "predictions LESSON [beyond]",
    "sanitizer KERNEL",
    "lines KERNEL ROWSxCOLS",
    "example NAME",
    "questions CHAPTER",
    "figure NAME key=value",
];

/// Why a directive can not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DirectiveError {
    /// A directive of mdBook itself, which fails silently there.
    #[error(
        "`{{{{#{0}}}}}` is mdBook's own and fails silently; write `{{{{#snippet PATH:ANCHOR}}}}` instead"
    )]
    Mdbook(String),
    /// `{{#title …}}` of mdBook, which has no use here.
    #[error("`{{{{#title}}}}` is mdBook's own; a page takes its title from its first heading")]
    Title,
    /// A name nobody knows.
    #[error("unknown directive `{{{{#{name}}}}}`; known are {}", known())]
    Unknown {
        /// The name as it was written.
        name: String,
    },
    /// The right name with the wrong arguments.
    #[error("this directive is written `{{{{#{form}}}}}`: {what}")]
    Arguments {
        /// How it is written.
        form: &'static str,
        /// What is wrong with the arguments.
        what: String,
    },
}

fn known() -> String {
    let names: Vec<&str> = NAMES
        .iter()
        .map(|form| form.split(' ').next().unwrap_or(form))
        .collect();
    names.join(", ")
}

impl Directive {
    /// Reads the inside of a directive: what stands between `{{#` and `}}`.
    ///
    /// # Errors
    /// An unknown name, one of mdBook's own directives, or arguments that do not fit.
    pub fn parse(inside: &str) -> Result<Directive, DirectiveError> {
        let mut words = inside.split_whitespace();
        let name = words.next().unwrap_or_default();
        let rest: Vec<&str> = words.collect();
        match name {
            "include" | "rustdoc_include" | "playground" | "playpen" => {
                return Err(DirectiveError::Mdbook(name.into()))
            }
            "title" => return Err(DirectiveError::Title),
            _ => {}
        }
        let form = NAMES
            .into_iter()
            .find(|form| form.split(' ').next() == Some(name))
            .ok_or_else(|| DirectiveError::Unknown { name: name.into() })?;
        let wrong = |what: String| DirectiveError::Arguments { form, what };
        let fixed = |count: usize| -> Result<(), DirectiveError> {
            if rest.len() == count {
                return Ok(());
            }
            let plural = if count == 1 { "" } else { "s" };
            Err(wrong(format!(
                "it takes {count} argument{plural}, not {}",
                rest.len()
            )))
        };
        match name {
            "snippet" => {
                let (target, words) = rest
                    .split_first()
                    .ok_or_else(|| wrong("no path is given".into()))?;
                let (path, anchor) = target
                    .rsplit_once(':')
                    .filter(|(path, anchor)| !path.is_empty() && !anchor.is_empty())
                    .ok_or_else(|| wrong(format!("`{target}` names no anchor")))?;
                let words = words.iter().map(|word| word.to_string()).collect();
                Ok(Directive::Snippet {
                    path: path.into(),
                    anchor: anchor.into(),
                    words,
                })
            }
            "run" => Ok(Directive::Run {
                args: rest.iter().map(|word| word.to_string()).collect(),
            }),
            "value" | "table" | "figure" => {
                let (head, pairs) = rest
                    .split_first()
                    .ok_or_else(|| wrong("no name is given".into()))?;
                let args = Args::parse(pairs).map_err(|e| wrong(e.to_string()))?;
                let name_of = head.to_string();
                Ok(match name {
                    "value" => Directive::Value { name: name_of, args },
                    "table" => Directive::Table { name: name_of, args },
                    _ => Directive::Figure { name: name_of, args },
                })
            }
            "evidence" => {
                fixed(3)?;
                let shape = rest[1].parse().map_err(wrong)?;
                Ok(Directive::Evidence {
                    kernel: rest[0].into(),
                    shape,
                    field: rest[2].into(),
                })
            }
            "device" => fixed(0).map(|()| Directive::Device),
            "evidence-table" => {
                fixed(2)?;
                Ok(Directive::EvidenceTable {
                    lesson: rest[0].into(),
                    shape: rest[1].parse().map_err(wrong)?,
                })
            }
            "lines" => {
                fixed(2)?;
                Ok(Directive::Lines {
                    kernel: rest[0].into(),
                    shape: rest[1].parse().map_err(wrong)?,
                })
            }
            "predictions" => match rest[..] {
                [lesson] => Ok(Directive::Predictions {
                    lesson: lesson.into(),
                    beyond: false,
                }),
                [lesson, "beyond"] => Ok(Directive::Predictions {
                    lesson: lesson.into(),
                    beyond: true,
                }),
                _ => Err(wrong("it takes a lesson, and `beyond` for larger shapes".into())),
            },
            "sanitizer" => fixed(1).map(|()| Directive::Sanitizer {
                kernel: rest[0].into(),
            }),
            "questions" => fixed(1).map(|()| Directive::Questions {
                chapter: rest[0].into(),
            }),
            "example" => fixed(1).map(|()| Directive::Example { name: rest[0].into() }),
            _ => Err(DirectiveError::Unknown { name: name.into() }),
        }
    }

    /// Whether it becomes a block of its own rather than words within a sentence.
    pub fn is_block(&self) -> bool {
        !matches!(
            self,
            Directive::Value { .. } | Directive::Evidence { .. } | Directive::Device
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(inside: &str) -> String {
        Directive::parse(inside)
            .expect_err("it must be refused")
            .to_string()
    }

    #[test]
    fn reads_every_form() {
        let samples = [
            "snippet code/src/layout.rs:index",
            "run run transpose --rows 3",
            "value hits rows=8 cols=64",
            "table traversal",
            "evidence copy 64x48 median_ms",
            "device",
            "evidence-table transpose 64x48",
            "predictions transpose",
            "sanitizer fill_rows_only",
            "lines copy 64x48",
            "example transpose",
            "questions transpose",
            "figure tile step=3",
        ];
        for (sample, form) in samples.iter().zip(NAMES) {
            assert_eq!(sample.split(' ').next(), form.split(' ').next());
            Directive::parse(sample).unwrap_or_else(|e| panic!("{sample}: {e}"));
        }
    }

    #[test]
    fn refuses_mdbook_and_says_what_to_write() {
        for name in ["include a.rs", "rustdoc_include a.rs:b", "playground a.rs"] {
            assert!(
                message(name).contains("{{#snippet PATH:ANCHOR}}"),
                "{}",
                message(name)
            );
        }
        assert!(message("title Hello").contains("first heading"));
    }

    #[test]
    fn refuses_what_does_not_fit() {
        assert!(
            message("snipet code/a.rs:b").contains("unknown directive `{{#snipet}}`; known are snippet, run")
        );
        assert!(message("snippet code/a.rs").contains("names no anchor"));
        assert!(message("snippet").contains("no path"));
        assert!(message("evidence copy 64x48").contains("takes 3 arguments, not 2"));
        assert!(message("evidence copy 64 median_ms").contains("`64` is no shape"));
        assert!(message("value hits rows").contains("`rows` is not of the form key=value"));
        assert!(message("value hits rows=1 rows=2").contains("given twice"));
        assert!(message("").contains("unknown directive"));
    }
}
