//! What a card made of every instruction: `evidence/<gpu>/instructions.json`.

use super::Device;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// What a card made of one kernel of the instruction programs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InstructionRun {
    /// Name of the kernel.
    pub name: String,
    /// Fingerprint of the kernel and of the values it was given.
    pub fingerprint: String,
    /// Its results in hexadecimal, thread after thread, a space between two outputs; or `as NAME` where an earlier
    /// kernel gave the same.
    pub output: String,
}

/// The evidence file of the instructions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Instructions {
    /// Version of the format.
    pub schema: u32,
    /// The card.
    pub device: Device,
    /// The date.
    pub recorded: String,
    /// The command that recorded it.
    pub command: String,
    /// SHA-256 over the rest of the file.
    pub digest: String,
    /// What each kernel gave.
    pub kernels: Vec<InstructionRun>,
}

impl Instructions {
    /// Returns every kernel's name, fingerprint and results, these written out.
    pub fn results(&self) -> impl Iterator<Item = (&str, &str, &str)> {
        let mut known: HashMap<&str, &str> = HashMap::new();
        self.kernels.iter().map(move |run| {
            let (name, given) = (run.name.as_str(), run.output.as_str());
            let earlier = given
                .strip_prefix("as ")
                .and_then(|earlier| known.get(earlier).copied());
            let output = earlier.unwrap_or(given);
            known.insert(name, output);
            (name, run.fingerprint.as_str(), output)
        })
    }

    /// Adds a kernel's results.
    pub fn push(&mut self, name: &str, fingerprint: &str, output: String) {
        let earlier = self.kernels.iter().find(|run| run.output == output);
        self.kernels.push(InstructionRun {
            name: name.to_owned(),
            fingerprint: fingerprint.to_owned(),
            output: earlier.map_or(output, |earlier| format!("as {}", earlier.name)),
        });
    }
}
