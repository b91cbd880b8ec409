//! `warpwise verify`.

use super::{write_json, Output, FAILURE, SUCCESS};
use crate::claims::{self, Target};
use crate::evidence::Archive;
use crate::instructions;
use crate::predict::{self, Prediction, Size};
use crate::table::{grouped, Table};
use crate::wrong;

use anyhow::{bail, Result};
use serde::Serialize;
use std::io::Write;
use std::path::{Path, PathBuf};

#[derive(Serialize)]
struct Report {
    evidence: Freshness,
    predictions: Vec<Prediction>,
    /// The same for larger shapes, where nothing is promised of wavefronts; a chapter says why.
    beyond: Vec<Prediction>,
    wrong_kernels: Caught,
    instructions: Agreement,
    targets: Vec<Target>,
}

#[derive(Serialize)]
struct Freshness {
    fresh: usize,
    stale: usize,
}

#[derive(Serialize)]
struct Caught {
    caught: usize,
    total: usize,
}

#[derive(Serialize)]
struct Agreement {
    agree: usize,
    total: usize,
}

pub(super) fn verify(json: bool, folder: Option<PathBuf>, larger: bool, output: &mut Output) -> Result<u8> {
    let named = folder.as_ref().map(|f| output.folder.join(f));
    if let Some(folder) = folder.filter(|_| named.as_ref().is_some_and(|f| !f.is_dir())) {
        bail!(
            "{} is no folder; name the one that holds a folder for each card",
            folder.display()
        );
    }
    let archive = Archive::load(&named.unwrap_or_else(|| evidence_folder(output.folder)))?;
    let (fresh, stale) = archive.freshness();
    let predictions = predict::predictions(&archive, Size::Promised, None)?;
    let beyond = match larger {
        true => predict::predictions(&archive, Size::Beyond, None)?,
        false => Vec::new(),
    };
    let score = wrong::score();
    let instructions = instructions::score(&archive)?;
    let report = Report {
        evidence: Freshness {
            fresh,
            stale: stale.len(),
        },
        predictions,
        beyond,
        wrong_kernels: Caught {
            caught: score.caught,
            total: score.total,
        },
        instructions: Agreement {
            agree: instructions.agree,
            total: instructions.total,
        },
        targets: claims::targets(&archive),
    };
    if json {
        write_json(&report, output.out)?;
    } else {
        text(&report, output.out)?;
    }
    for sentence in &stale {
        writeln!(output.err, "warpwise: {sentence}")?;
    }
    for name in &score.missed {
        writeln!(
            output.err,
            "warpwise: the wrong kernel {name} is not caught; see kernels/wrong/{name}.cu"
        )?;
    }
    for sentence in &instructions.disagreements {
        writeln!(output.err, "warpwise: the machine computes otherwise: {sentence}")?;
    }
    let holds = stale.is_empty()
        && score.missed.is_empty()
        && instructions.disagreements.is_empty()
        && report.predictions.iter().all(Prediction::holds);
    Ok(if holds { SUCCESS } else { FAILURE })
}

fn text(report: &Report, out: &mut dyn Write) -> Result<()> {
    writeln!(
        out,
        "evidence: {} fresh, {} stale",
        report.evidence.fresh, report.evidence.stale
    )?;
    let mut table = Table::new(
        "",
        &["kernel", "shape", "quantity", "predicted", "measured", "holds"],
    );
    for p in &report.predictions {
        let holds = if p.holds() { "yes" } else { "NO" }.to_owned();
        let numbers = [grouped(p.predicted), grouped(p.measured), holds];
        table.row(
            [p.kernel.clone(), p.shape().to_string(), p.quantity.clone()]
                .into_iter()
                .chain(numbers),
        );
    }
    write!(out, "{}", table.to_text())?;
    let holding = report.predictions.iter().filter(|p| p.holds()).count();
    writeln!(out, "predictions: {holding} of {} hold", report.predictions.len())?;
    if !report.beyond.is_empty() {
        let holding = report.beyond.iter().filter(|p| p.holds()).count();
        let beyond = report.beyond.len();
        writeln!(
            out,
            "on larger shapes, where none is promised: {holding} of {beyond} hold"
        )?;
    }
    writeln!(
        out,
        "wrong kernels: {} of {} caught",
        report.wrong_kernels.caught, report.wrong_kernels.total
    )?;
    writeln!(
        out,
        "instructions: {} of {} agree with the card",
        report.instructions.agree, report.instructions.total
    )?;
    for Target {
        name,
        goal,
        measured,
        met,
    } in &report.targets
    {
        let word = if *met { "met" } else { "missed" };
        let measured = measured.map_or("not measured".to_owned(), |m| format!("{m:.3}"));
        writeln!(out, "target {word}: {name}: {measured} (goal {goal})")?;
    }
    Ok(())
}

/// `evidence` below the folder, else the one of the checkout that this binary was built from.
fn evidence_folder(folder: &Path) -> PathBuf {
    let here = folder.join("evidence");
    if here.is_dir() {
        here
    } else {
        PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../evidence"))
    }
}
