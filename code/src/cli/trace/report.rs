//! How a trace reads as text.

use super::spec::OutBuffer;
use super::Trace;
use crate::table::{grouped, Table};
use std::io::{self, Write};
use std::path::Path;
use warpwise_machine::Memory;

/// Values of an output buffer that a report shows.
const SHOWN: usize = 8;

/// The source text that line marks refer to, where it was found beside the PTX.
pub(super) struct Source {
    name: String,
    lines: Vec<String>,
}

impl Source {
    /// Returns the source of a file: itself if it is CUDA C, else what its `.file` names, looked for beside it.
    pub(super) fn find(path: &Path, ptx: &str) -> Source {
        let named = ptx
            .lines()
            .rev()
            .find_map(|l| l.trim().strip_prefix(".file")?.split('"').nth(1));
        let base = named
            .and_then(|n| n.rsplit(['/', '\\']).next())
            .unwrap_or("source")
            .to_owned();
        let beside = if path.extension().is_some_and(|e| e == "cu") {
            path.to_owned()
        } else {
            path.with_file_name(&base)
        };
        let text = std::fs::read_to_string(beside).unwrap_or_default();
        Source {
            name: base,
            lines: text.lines().map(str::to_owned).collect(),
        }
    }

    /// Returns a line's text, from 1.
    pub(super) fn line(&self, line: u32) -> Option<String> {
        let text = self.lines.get((line as usize).checked_sub(1)?)?;
        Some(text.trim().to_owned())
    }
}

pub(super) fn text(trace: &Trace, source: &Source, out: &mut dyn Write) -> io::Result<()> {
    let [gx, gy, gz] = trace.grid;
    let [bx, by, bz] = trace.block;
    writeln!(
        out,
        "{} in a grid of {gx}x{gy}x{gz} blocks of {bx}x{by}x{bz} threads on the PTX machine",
        trace.kernel
    )?;
    let head = format!("{} line", source.name);
    let mut table = Table::new(
        "",
        &[&head, "access", "requests", "sectors", "wavefronts", "source"],
    );
    for line in &trace.lines {
        let t = &line.traffic;
        let global = [("global load", t.global_load), ("global store", t.global_store)];
        let shared = [("shared load", t.shared_load), ("shared store", t.shared_store)];
        let global = global.map(|(name, c)| (name, c.requests, grouped(c.sectors), String::new()));
        let shared = shared.map(|(name, c)| (name, c.requests, String::new(), grouped(c.wavefronts)));
        for (name, requests, sectors, wavefronts) in global.into_iter().chain(shared).filter(|r| r.1 > 0) {
            let source = line.source.clone().unwrap_or_default();
            table.row([
                line.line.to_string(),
                name.to_owned(),
                grouped(requests),
                sectors,
                wavefronts,
                source,
            ]);
        }
    }
    if table.rows.is_empty() {
        writeln!(out, "no memory instruction with a source line ran")?;
    } else {
        write!(out, "{}", table.to_text())?;
    }
    let races = trace.races.map_or("not looked for (--races)".to_owned(), grouped);
    let once = if trace.written_once { "yes" } else { "no" };
    writeln!(
        out,
        "every output cell written once: {once}; stray accesses: {}; races: {races}",
        grouped(trace.stray)
    )?;
    for finding in &trace.findings {
        writeln!(out, "finding: {}", broken(&finding.sentence))?;
    }
    Ok(())
}

/// Breaks a sentence about two accesses before the second one, so that a page shows it without scrolling.
fn broken(sentence: &str) -> String {
    [", and at line ", ", with nothing to order "]
        .iter()
        .fold(sentence.to_owned(), |text, words| {
            text.replace(words, &format!(",\n    {}", &words[2..]))
        })
}

/// Writes the first values of every output buffer; `names` are those of all buffers.
pub(super) fn outputs(
    outputs: &[OutBuffer],
    names: &[String],
    memory: &Memory,
    out: &mut dyn Write,
) -> io::Result<()> {
    for buffer in outputs {
        let values = buffer.ty.show(memory.bytes(buffer.id), SHOWN).join(" ");
        let more = if buffer.cells > SHOWN as u64 { " …" } else { "" };
        writeln!(
            out,
            "{}, {} x {}: {values}{more}",
            names[buffer.id.index()],
            grouped(buffer.cells),
            buffer.ty.word()
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::broken;

    #[test]
    fn the_second_access_has_a_line_of_its_own() {
        let race =
            "line 1: it stores at out + 4, and at line 2: it loads there, with nothing to order the two";
        let lines = [
            "line 1: it stores at out + 4,",
            "    and at line 2: it loads there,",
            "    with nothing to order the two",
        ];
        assert_eq!(broken(race), lines.join("\n"));
        assert_eq!(
            broken("line 1: it stores past the end"),
            "line 1: it stores past the end"
        );
    }
}
