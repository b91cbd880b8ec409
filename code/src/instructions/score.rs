//! The machine against the cards that answered.

use super::bounds::{allows, is_approximate};
use super::buffers::{buffers, output_text, Buffer, Role, THREADS};
use super::{fingerprints, kernels, InstructionError};
use crate::evidence::{Archive, Device};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use warpwise_machine::{run, Arg, Kernel, Launch, Memory, Observer, Options};

/// How many instructions agree.
#[derive(Clone, Debug, Default)]
pub struct Score {
    /// Kernels on which machine and card agree, counted once a card.
    pub agree: usize,
    /// Kernels that were compared: those whose evidence is fresh.
    pub total: usize,
    /// One sentence for each of the others.
    pub disagreements: Vec<String>,
    /// Kernels that no card has run.
    pub unrecorded: Vec<&'static str>,
}

/// Returns what the machine makes of a kernel: its buffers, and the bytes in them afterwards.
///
/// # Errors
/// The kernel's parameters are named after nothing known, or the machine stops.
pub fn outputs_on_machine(
    kernel: &Kernel,
    observer: &mut impl Observer,
) -> Result<Vec<(Buffer, Vec<u8>)>, InstructionError> {
    let buffers = buffers(kernel)?;
    let mut memory = Memory::new();
    let ids: Vec<_> = buffers
        .iter()
        .map(|buffer| memory.alloc_from(buffer.bytes.clone()))
        .collect();
    let launch = Launch {
        grid: [1; 3],
        block: [THREADS as u32, 1, 1],
        shared_bytes: 0,
        args: ids.iter().map(|&id| Arg::Buffer(id)).collect(),
    };
    run(kernel, &launch, &mut memory, &Options::default(), observer).map_err(|error| {
        InstructionError::Run {
            kernel: kernel.name().to_owned(),
            error,
        }
    })?;
    let after = ids.iter().map(|&id| memory.bytes(id).to_vec());
    Ok(buffers.into_iter().zip(after).collect())
}

/// Returns how the machine compares with every card in the archive, on kernels that are still what was recorded.
///
/// # Errors
/// A program does not load, or does not run to its end.
pub fn score(archive: &Archive) -> Result<Score, InstructionError> {
    let (kernels, fingerprints) = (kernels()?, fingerprints()?);
    let mut score = Score::default();
    let mut recorded = BTreeSet::new();
    let mut known = BTreeMap::new();
    for instructions in archive.cards.iter().filter_map(|card| card.instructions.as_ref()) {
        for (name, fingerprint, results) in instructions.results() {
            let Some(kernel) = kernels.get(name) else {
                continue;
            };
            recorded.insert(kernel.name());
            if fingerprints.get(name).map(String::as_str) != Some(fingerprint) {
                continue;
            }
            let outputs = match known.entry(kernel.name()) {
                std::collections::btree_map::Entry::Occupied(entry) => entry.into_mut(),
                std::collections::btree_map::Entry::Vacant(entry) => {
                    entry.insert(outputs_on_machine(kernel, &mut ())?)
                }
            };
            score.total += 1;
            match difference(kernel, outputs, results, &instructions.device) {
                None => score.agree += 1,
                Some(sentence) => score.disagreements.push(sentence),
            }
        }
    }
    score.unrecorded = kernels
        .keys()
        .copied()
        .filter(|name| !recorded.contains(name))
        .collect();
    Ok(score)
}

/// Where machine and card differ, in a sentence; nothing where they agree.
fn difference(
    kernel: &Kernel,
    outputs: &[(Buffer, Vec<u8>)],
    recorded: &str,
    device: &Device,
) -> Option<String> {
    let ours = output_text(outputs.iter().map(|(buffer, bytes)| (buffer, bytes.as_slice())));
    if ours == recorded {
        return None;
    }
    if ours.len() != recorded.len() {
        return Some(format!(
            "{}: evidence has {} digits, and {} are wanted",
            kernel.name(),
            recorded.len(),
            ours.len()
        ));
    }
    let opcodes = kernel.instructions().iter().map(|i| i.opcode.as_str());
    let approximate = opcodes.clone().find(|opcode| is_approximate(opcode));
    let inputs: Vec<(&Buffer, Vec<u64>)> = outputs
        .iter()
        .filter(|(buffer, _)| buffer.role != Role::Out)
        .map(|(buffer, _)| (buffer, buffer.elements(&buffer.bytes)))
        .collect();
    let mut start = 0;
    let (mut differing, mut shown) = (0, String::new());
    for (buffer, bytes) in outputs.iter().filter(|(buffer, _)| buffer.is_output()) {
        let digits = buffer.kind.digits();
        for (thread, machine) in buffer.elements(bytes).into_iter().enumerate() {
            let at = start + thread * digits;
            let card = recorded
                .get(at..at + digits)
                .and_then(|text| u64::from_str_radix(text, 16).ok());
            let operands: Vec<u32> = inputs.iter().map(|(_, values)| values[thread] as u32).collect();
            let fine = card == Some(machine)
                || approximate
                    .zip(card)
                    .is_some_and(|(opcode, card)| allows(opcode, &operands, machine as u32, card as u32));
            if fine {
                continue;
            }
            differing += 1;
            if differing <= SHOWN {
                let _ = write!(shown, "\n  thread {thread}, {}:", buffer.name);
                for (input, values) in &inputs {
                    let _ = write!(
                        shown,
                        " {} {:0w$x}",
                        input.name,
                        values[thread],
                        w = input.kind.digits()
                    );
                }
                let card = card.map_or("?".to_owned(), |card| format!("{card:0digits$x}"));
                let _ = write!(shown, ", machine {machine:0digits$x}, {} {card}", device.name);
            }
        }
        start += THREADS * digits + 1;
    }
    (differing > 0).then(|| format!("{}: {differing} results differ{shown}", kernel.name()))
}

/// Differing results that a message shows.
const SHOWN: usize = 3;
