//! How a lesson's run reads as text.

use crate::outcome::{
    GlobalCount, KernelRun, LessonRun, MappingRun, OnGpu, OnMachine, Run, SharedCount, StorageRun,
};
use crate::table::{grouped, ratio, Table};
use std::io::{self, Write};

/// Writes the report of a lesson.
///
/// The machine's own time is left out: it says nothing about a GPU, and a report should read the same each time.
pub(super) fn lesson(run: &LessonRun, out: &mut dyn Write) -> io::Result<()> {
    let device = match run.device {
        "gpu" => "on the GPU",
        "machine" => "on the PTX machine",
        _ => "on a model of a cache",
    };
    let shape = run.runs.first().map(shape_of).unwrap_or_default();
    writeln!(out, "{} {shape} {device}", run.lesson)?;
    let storage: Vec<_> = run
        .runs
        .iter()
        .filter_map(|r| if let Run::Storage(s) = r { Some(s) } else { None })
        .collect();
    let kernels: Vec<_> = run
        .runs
        .iter()
        .filter_map(|r| {
            if let Run::Kernel(k) = r {
                Some(k.as_ref())
            } else {
                None
            }
        })
        .collect();
    for run in &run.runs {
        if let Run::Mapping(mapping) = run {
            mapping_line(mapping, out)?;
        }
    }
    if !storage.is_empty() {
        write!(out, "{}", storage_table(&storage).to_text())?;
    }
    if !kernels.is_empty() {
        write!(out, "{}", kernel_table(&kernels).to_text())?;
        notes(&kernels, out)?;
    }
    Ok(())
}

fn shape_of(run: &Run) -> String {
    let (rows, cols) = match run {
        Run::Storage(s) => (s.rows, s.cols),
        Run::Mapping(m) => (m.rows, m.cols),
        Run::Kernel(k) => (k.rows, k.cols),
    };
    format!("{rows}x{cols}")
}

fn mapping_line(m: &MappingRun, out: &mut dyn Write) -> io::Result<()> {
    let once = if m.covered_once {
        "every cell has one thread"
    } else {
        "some cell has none, or several"
    };
    writeln!(
        out,
        "blocks of {}x{} in a grid of {}x{}: {} threads, {} without a cell; {once}",
        m.block[0],
        m.block[1],
        m.grid[0],
        m.grid[1],
        grouped(m.launched),
        grouped(m.wasted)
    )
}

fn storage_table(runs: &[&StorageRun]) -> Table {
    let mut table = Table::new("", &["layout", "traversal", "lines", "hits", "misses"]);
    for run in runs {
        let numbers = [run.lines, run.hits, run.misses].map(grouped);
        table.row(
            [run.layout.clone(), run.traversal.clone()]
                .into_iter()
                .chain(numbers),
        );
    }
    table
}

/// Columns that are empty for every kernel are left out.
fn kernel_table(runs: &[&KernelRun]) -> Table {
    let mut columns: Vec<(&str, Vec<String>)> = Vec::new();
    let mut column = |head, cell: &dyn Fn(&KernelRun) -> String| {
        let cells: Vec<String> = runs.iter().map(|r| cell(r)).collect();
        if cells.iter().any(|c| !c.is_empty()) {
            columns.push((head, cells));
        }
    };
    column("kernel", &|r| r.kernel.to_owned());
    column("grid", &|r| format!("{}x{}", r.grid[0], r.grid[1]));
    column("block", &|r| format!("{}x{}", r.block[0], r.block[1]));
    column("right", &|r| yes(r.correct));
    let machine =
        |r: &KernelRun, cell: &dyn Fn(&OnMachine) -> String| r.machine.as_ref().map_or(String::new(), cell);
    column("once", &|r| machine(r, &|m| yes(m.written_once)));
    column("load s/r", &|r| machine(r, &|m| sectors(m.traffic.global_load)));
    column("store s/r", &|r| machine(r, &|m| sectors(m.traffic.global_store)));
    column("shared load w/r", &|r| {
        machine(r, &|m| wavefronts(m.traffic.shared_load))
    });
    column("shared store w/r", &|r| {
        machine(r, &|m| wavefronts(m.traffic.shared_store))
    });
    column("stray", &|r| machine(r, &|m| grouped(m.stray)));
    column("races", &|r| {
        machine(r, &|m| m.races.map_or(String::new(), grouped))
    });
    column("corrupted rows", &|r| {
        r.damage.map_or(String::new(), |d| grouped(d.corrupted_rows))
    });
    column("past the end", &|r| {
        r.damage
            .map_or(String::new(), |d| grouped(d.guard_cells_overwritten))
    });
    let gpu = |r: &KernelRun, cell: &dyn Fn(&OnGpu) -> String| r.gpu.as_ref().map_or(String::new(), cell);
    let number = |n: Option<f64>, digits: usize| n.map_or(String::new(), |n| format!("{n:.digits$}"));
    column("median ms", &|r| gpu(r, &|g| number(g.median_ms, 4)));
    column("min", &|r| gpu(r, &|g| number(g.min_ms, 4)));
    column("max", &|r| gpu(r, &|g| number(g.max_ms, 4)));
    column("GB/s", &|r| gpu(r, &|g| number(g.gb_per_s, 0)));
    column("of copy", &|r| gpu(r, &|g| number(g.of_copy, 2)));
    column("of memcpy", &|r| gpu(r, &|g| number(g.of_memcpy, 2)));
    let heads: Vec<&str> = columns.iter().map(|(head, _)| *head).collect();
    let mut table = Table::new("", &heads);
    for i in 0..runs.len() {
        table.row(columns.iter().map(|(_, cells)| cells[i].clone()));
    }
    table
}

/// Explains the abbreviations that the table used, and the mistakes made on purpose.
fn notes(runs: &[&KernelRun], out: &mut dyn Write) -> io::Result<()> {
    let on_machine = runs.iter().filter_map(|r| r.machine.as_ref());
    if on_machine.clone().any(|m| m.traffic.global_store.requests > 0) {
        let shared = on_machine.clone().any(|m| m.traffic.shared_load.requests > 0);
        writeln!(
            out,
            "s/r: sectors a request{}",
            if shared { "; w/r: wavefronts a request" } else { "" }
        )?;
    }
    if on_machine.count() > 0 && runs.iter().any(|r| r.damage.is_some()) {
        writeln!(
            out,
            "stray: accesses outside every buffer; past the end: cells behind the matrix that were written"
        )?;
    }
    let wrong: Vec<_> = runs
        .iter()
        .filter(|r| r.wrong_on_purpose)
        .map(|r| r.kernel)
        .collect();
    if !wrong.is_empty() {
        writeln!(out, "wrong on purpose: {}", wrong.join(", "))?;
    }
    Ok(())
}

fn yes(b: bool) -> String {
    if b { "yes" } else { "no" }.to_owned()
}

fn sectors(count: GlobalCount) -> String {
    if count.requests == 0 {
        String::new()
    } else {
        ratio(count.sectors, count.requests)
    }
}

fn wavefronts(count: SharedCount) -> String {
    if count.requests == 0 {
        String::new()
    } else {
        ratio(count.wavefronts, count.requests)
    }
}
