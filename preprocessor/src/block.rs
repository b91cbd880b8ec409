//! Rust blocks of a chapter, and what each is expected to do.

/// What is to happen with a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expect {
    /// It compiles and runs to its end.
    Run,
    /// It compiles.
    Compile,
    /// It compiles, and panics when it is run.
    Panic,
    /// The compiler rejects it with this error code.
    Reject(String),
    /// It compiles everywhere, and runs to its end where a CUDA device is.
    Gpu,
    /// Nothing: it is shown only.
    Ignore,
}

/// One Rust block of an expanded chapter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RustBlock {
    /// The line in the chapter that opens it: its fence, or its directive.
    pub line: usize,
    /// What is to happen with it.
    pub expect: Expect,
    /// The code as it is shown, with hidden `# ` lines.
    pub code: String,
}

/// Reads what stands after the backquotes of a fence. `None`: not Rust, and not meant to be.
///
/// # Errors
/// No language; Rust spelled so that nothing would test it; a word nobody knows.
pub fn expectation(info: &str) -> Result<Option<Expect>, String> {
    let mut words = info.split([',', ' ', '\t']).filter(|word| !word.is_empty());
    let Some(language) = words.next() else {
        return Err("this fence names no language; write `rust` to have it tested, or `text`".into());
    };
    if language != "rust" {
        let near = ["rs", "rust", "rust2015", "rust2018", "rust2021", "rust2024"];
        if near.contains(&language.to_ascii_lowercase().as_str()) {
            return Err(format!(
                "`{language}` would be shown as Rust and never tested; write `rust`"
            ));
        }
        // rustdoc takes a fence with only such words for Rust.
        if matches!(
            language,
            "ignore" | "no_run" | "should_panic" | "compile_fail" | "gpu"
        ) {
            return Err(format!(
                "`{language}` alone names no language; write `rust,{language}`"
            ));
        }
        return Ok(None);
    }
    let words: Vec<&str> = words.collect();
    let expect = match words[..] {
        [] => Expect::Run,
        ["no_run"] => Expect::Compile,
        ["should_panic"] => Expect::Panic,
        ["gpu"] => Expect::Gpu,
        ["ignore"] => Expect::Ignore,
        ["compile_fail", code] | [code, "compile_fail"] if is_error_code(code) => Expect::Reject(code.into()),
        ["compile_fail", ..] => {
            return Err("name the error beside it, as in `rust,compile_fail,E0382`: any mistake fails to compile".into())
        }
        _ => {
            return Err(format!(
                "`{info}` is not understood; beside `rust` stands one of no_run, should_panic, gpu, ignore, compile_fail,E0000"
            ))
        }
    };
    Ok(Some(expect))
}

fn is_error_code(word: &str) -> bool {
    word.len() == 5 && word.starts_with('E') && word[1..].bytes().all(|b| b.is_ascii_digit())
}

impl RustBlock {
    /// The program to compile: hidden lines shown, wrapped in `main` where it has none, and moved down so that
    /// the compiler's line numbers are those of the chapter. `before` is how many lines will stand above it.
    ///
    /// A block that ends with `Ok::<(), E>(())` may use `?`, as in rustdoc.
    pub fn program(&self, before: usize) -> String {
        let code: String = self
            .code
            .lines()
            .map(|line| shown(line).to_string() + "\n")
            .collect();
        // The first line of code stands one line under the fence.
        let padding = self.line.saturating_sub(before + 1);
        if has_main(&code) {
            return "\n".repeat(padding) + "\n" + &code;
        }
        // Attributes of the crate belong above `main`. Moving them leaves an empty line, so that nothing shifts.
        let mut attributes = String::new();
        let mut body = String::new();
        for line in code.lines() {
            if line.trim_start().starts_with("#![") {
                attributes.push_str(line.trim());
                body.push('\n');
            } else {
                body.push_str(line);
                body.push('\n');
            }
        }
        let fallible = code.trim_end().lines().last().is_some_and(|line| {
            line.trim_start().starts_with("Ok::<()") && line.trim_end().ends_with("(())")
        });
        let head = if fallible {
            "fn main() -> Result<(), impl core::fmt::Debug> {"
        } else {
            "fn main() {"
        };
        format!("{}{attributes}{head}\n{body}}}\n", "\n".repeat(padding))
    }
}

/// A line as the compiler gets it: `# ` hides a line from readers, `##` stands for one `#`.
fn shown(line: &str) -> &str {
    let trimmed = line.trim_start();
    if trimmed.trim_end() == "#" {
        return "";
    }
    if trimmed.starts_with("##") {
        return &trimmed[1..];
    }
    trimmed.strip_prefix("# ").unwrap_or(line)
}

fn has_main(code: &str) -> bool {
    code.lines().any(|line| {
        let line = line.trim_start();
        let line = line.strip_prefix("pub ").unwrap_or(line);
        line.starts_with("fn main()") || line.starts_with("fn main ()")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(line: usize, code: &str) -> RustBlock {
        RustBlock {
            line,
            expect: Expect::Run,
            code: code.into(),
        }
    }

    #[test]
    fn fences_that_nothing_would_test_are_refused() {
        for info in [
            "",
            "rs",
            "Rust",
            "RUST",
            "rust2021",
            "no_run",
            "rust,norun",
            "rust,compile_fail",
            "rust,E0382",
        ] {
            assert!(expectation(info).is_err(), "{info}");
        }
        assert_eq!(expectation("cpp"), Ok(None));
        assert_eq!(expectation("text"), Ok(None));
        assert_eq!(expectation("rust"), Ok(Some(Expect::Run)));
        assert_eq!(expectation("rust, no_run"), Ok(Some(Expect::Compile)));
        assert_eq!(
            expectation("rust,compile_fail,E0382"),
            Ok(Some(Expect::Reject("E0382".into())))
        );
    }

    #[test]
    fn the_program_keeps_the_chapters_lines() {
        // The fence is line 5 of the chapter, so `boom` is line 7; skeptic puts one line above the program.
        for code in [
            "let a = 1;\nboom;\n",
            "#![allow(unused)]\nboom;\n",
            "fn main() {\nboom;\n}\n",
            "# use x;\nboom;\n",
        ] {
            for before in [0, 1] {
                let program = block(5, code).program(before);
                let at = program.lines().position(|line| line.contains("boom")).unwrap();
                assert_eq!(before + at + 1, 7, "{program}");
            }
        }
        assert!(block(5, "#![allow(unused)]\nx;\n")
            .program(0)
            .contains("\n#![allow(unused)]fn main() {\n"));
        assert!(block(2, "a?;\nOk::<(), E>(())\n")
            .program(0)
            .starts_with("\nfn main() -> Result<"));
        assert!(block(2, "# a();\n## b\n#\n#[c]\n")
            .program(0)
            .ends_with("\na();\n# b\n\n#[c]\n}\n"));
    }
}
