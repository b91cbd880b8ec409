//! Fingerprints of kernels and examples: what evidence is tied to.
//!
//! A fingerprint covers what the GPU would execute. Comments, line marks and white space do not change it,
//! so that moving an anchor in a `.cu` file keeps its evidence; any changed instruction makes it another.

use sha2::{Digest, Sha256};
use std::collections::HashMap;

/// Returns the SHA-256 of a text, in hexadecimal.
pub fn sha256(text: &str) -> String {
    Sha256::digest(text)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// Returns the fingerprint of one kernel of a PTX text, or `None` if the text has no such entry.
///
/// It covers the module's version, target and address size, and the entry from its name to its closing brace.
pub fn of_kernel(ptx: &str, kernel: &str) -> Option<String> {
    let lines: Vec<String> = code_lines(ptx).collect();
    let opens = |line: &String| {
        line.split_once(".entry ").is_some_and(|(_, rest)| {
            rest.strip_prefix(kernel)
                .is_some_and(|tail| !tail.starts_with(is_name))
        })
    };
    let start = lines.iter().position(opens)?;
    let length = lines[start..].iter().position(|line| line == "}")?;
    let header = lines.iter().filter(|line| is_header(line));
    let entry = &lines[start..=start + length];
    Some(sha256(
        &header
            .chain(entry)
            .map(|line| format!("{line}\n"))
            .collect::<String>(),
    ))
}

/// Returns the fingerprint of every kernel of a PTX text, as [`of_kernel`] gives it, by name.
pub fn of_kernels(ptx: &str) -> HashMap<String, String> {
    let lines: Vec<String> = code_lines(ptx).collect();
    let header: String = lines
        .iter()
        .filter(|line| is_header(line))
        .map(|line| format!("{line}\n"))
        .collect();
    let mut all = HashMap::new();
    let mut open: Option<(String, String)> = None;
    for line in &lines {
        if let Some((_, rest)) = line.split_once(".entry ") {
            let name: String = rest.chars().take_while(|&c| is_name(c)).collect();
            open = Some((name, header.clone()));
        }
        if let Some((_, text)) = &mut open {
            text.push_str(line);
            text.push('\n');
        }
        if line == "}" {
            all.extend(open.take().map(|(name, text)| (name, sha256(&text))));
        }
    }
    all
}

/// Returns the fingerprint of an example: its program and all of the PTX it launches from.
///
/// Region markers and comments do not count, as in [`of_kernel`].
pub fn of_example(program: &str, ptx: &str) -> String {
    let code = program.lines().map(str::trim_end).filter(|l| {
        let line = l.trim_start();
        !line.is_empty() && !line.starts_with("//")
    });
    sha256(
        &code
            .map(str::to_owned)
            .chain(code_lines(ptx))
            .map(|line| format!("{line}\n"))
            .collect::<String>(),
    )
}

/// The lines of a PTX text without comments, line marks, blank lines and doubled white space.
fn code_lines(ptx: &str) -> impl Iterator<Item = String> + '_ {
    ptx.lines()
        .map(|line| {
            line.split("//")
                .next()
                .unwrap_or("")
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ")
        })
        .filter(|line| !line.is_empty() && !line.starts_with(".loc") && !line.starts_with(".file"))
}

fn is_header(line: &str) -> bool {
    [".version", ".target", ".address_size"]
        .iter()
        .any(|word| line.starts_with(word))
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '$'
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::KERNELS;
    use std::collections::HashSet;

    #[test]
    fn every_kernel_has_its_own() {
        let all: HashSet<_> = KERNELS
            .iter()
            .map(|k| of_kernel(k.source.ptx, k.name).expect(k.name))
            .collect();
        assert_eq!(all.len(), KERNELS.len());
        for kernel in KERNELS {
            let together = of_kernels(kernel.source.ptx);
            assert_eq!(
                together.get(kernel.name),
                of_kernel(kernel.source.ptx, kernel.name).as_ref()
            );
        }
    }

    #[test]
    fn line_marks_and_comments_do_not_count_and_instructions_do() {
        let ptx = crate::source::TRANSPOSE.ptx;
        let plain = of_kernel(ptx, "copy");
        let moved = ptx
            .replace(".loc\t1 ", ".loc\t1 9")
            .replace("\tmov.u32", "\t  mov.u32");
        assert_ne!(moved, ptx);
        assert_eq!(of_kernel(&moved, "copy"), plain);
        let entry = ptx.find(".entry copy(").expect("copy is there");
        let (before, after) = ptx.split_at(entry);
        let changed = format!("{before}{}", after.replacen("add.s64", "sub.s64", 1));
        assert_ne!(of_kernel(&changed, "copy"), plain);
        assert_eq!(
            of_kernel(&changed, "transpose_naive"),
            of_kernel(ptx, "transpose_naive")
        );
    }

    #[test]
    fn a_name_is_not_found_in_a_longer_one() {
        assert_eq!(of_kernel(crate::source::TRANSPOSE.ptx, "transpose"), None);
    }

    #[test]
    fn examples_ignore_region_markers() {
        let program = "// ANCHOR: all\nfn main() {}\n// ANCHOR_END: all\n";
        assert_eq!(of_example(program, ""), of_example("fn main() {}\n", ""));
        assert_ne!(of_example(program, ""), of_example("fn main() { }\n", ""));
        assert_ne!(of_example(program, ""), of_example(program, "ret;"));
    }
}
