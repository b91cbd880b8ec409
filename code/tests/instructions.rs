//! Every instruction of the machine against what real GPUs computed.

use std::collections::HashSet;
use std::path::Path;
use warpwise::evidence::{to_text, Archive, Device, Instructions, SCHEMA};
use warpwise::instructions::{fingerprints, kernels, output_text, outputs_on_machine, score, PROGRAMS};
use warpwise_machine::observe::{Races, Stray, Uninitialised};

fn archive() -> Archive {
    Archive::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../evidence")).unwrap()
}

#[test]
fn the_machine_computes_what_the_cards_did() {
    let archive = archive();
    let score = score(&archive).unwrap();
    println!(
        "{} of {} instructions agree, {} are recorded on no card: {}",
        score.agree,
        score.total,
        score.unrecorded.len(),
        score.unrecorded.join(" ")
    );
    assert!(
        score.disagreements.is_empty(),
        "{} of {} differ\n{}",
        score.disagreements.len(),
        score.total,
        score.disagreements.join("\n")
    );
}

#[test]
fn no_recorded_instruction_is_stale() {
    let (_, stale) = archive().freshness();
    let stale: Vec<_> = stale.iter().filter(|s| s.contains("instructions.json")).collect();
    assert!(stale.is_empty(), "{stale:#?}");
}

#[test]
fn kernels_have_names_of_their_own_and_results() {
    let mut names = HashSet::new();
    for program in &PROGRAMS {
        for kernel in program.kernels().unwrap() {
            assert!(names.insert(kernel.name()), "{} stands twice", kernel.name());
            let outputs = outputs_on_machine(kernel, &mut ()).unwrap();
            let text = output_text(outputs.iter().map(|(buffer, bytes)| (buffer, bytes.as_slice())));
            assert!(text.len() >= 128, "{}: {text}", kernel.name());
        }
    }
}

/// On a GPU nobody would notice: what a kernel reads must be there, and what it writes must be its own.
#[test]
fn kernels_are_free_of_findings() {
    for kernel in kernels().unwrap().values() {
        let mut watch = (Stray::new(), (Uninitialised::new(), Races::new()));
        outputs_on_machine(kernel, &mut watch).unwrap();
        let (stray, (uninitialised, races)) = watch;
        assert_eq!(
            (stray.total(), uninitialised.total(), races.total()),
            (0, 0, 0),
            "{}",
            kernel.name()
        );
    }
}

/// Evidence of a card that computes what the machine does.
fn of_the_machine() -> Instructions {
    let text = |text: &str| text.to_owned();
    let mut instructions = Instructions {
        schema: SCHEMA,
        device: Device {
            name: text("NVIDIA Test 1"),
            compute_capability: text("9.0"),
            driver: text("1"),
            cuda: text("12.0"),
        },
        recorded: text("2026-01-31"),
        command: text("warpwise record instructions"),
        digest: String::new(),
        kernels: Vec::new(),
    };
    for (name, kernel) in kernels().unwrap() {
        let outputs = outputs_on_machine(kernel, &mut ()).unwrap();
        let output = output_text(outputs.iter().map(|(buffer, bytes)| (buffer, bytes.as_slice())));
        instructions.push(name, &fingerprints().unwrap()[name], output);
    }
    instructions
}

/// Writes evidence of one card and loads it again.
fn loaded(instructions: &Instructions) -> Archive {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join(instructions.device.folder());
    std::fs::create_dir(&folder).unwrap();
    let text = to_text(instructions).unwrap();
    assert!(text.len() < 1 << 20, "{} bytes", text.len());
    std::fs::write(folder.join("instructions.json"), text).unwrap();
    Archive::load(root.path()).unwrap()
}

#[test]
fn one_other_digit_is_found_and_named() {
    let mut instructions = of_the_machine();
    let archive = loaded(&instructions);
    let same = score(&archive).unwrap();
    assert_eq!((same.agree, same.unrecorded.len()), (same.total, 0));
    assert_eq!(archive.freshness(), (same.total, Vec::new()));

    let at = |name: &str, i: &Instructions| i.kernels.iter().position(|k| k.name == name).unwrap();
    let at_fault = at("bfe_s64", &instructions);
    let digit = &mut instructions.kernels[at_fault].output;
    let other = if digit.ends_with('0') { '1' } else { '0' };
    digit.pop();
    digit.push(other);
    let sub = at("sub_u32", &instructions);
    instructions.kernels[sub].fingerprint = "0".repeat(64);
    let archive = loaded(&instructions);
    let score = score(&archive).unwrap();
    assert_eq!((score.agree, score.total), (same.total - 2, same.total - 1));
    assert_eq!(score.disagreements.len(), 1);
    assert!(
        score.disagreements[0].starts_with("bfe_s64: 1 results differ\n  thread 127, out_s64: a_s64 "),
        "{}",
        score.disagreements[0]
    );
    let (_, stale) = archive.freshness();
    assert!(stale.len() == 1 && stale[0].contains("sub_u32"), "{stale:?}");
}
