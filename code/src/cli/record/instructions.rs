//! `warpwise record instructions`: what a card makes of every instruction.

use super::today;
use crate::cli::Output;
use crate::evidence::{Device, Instructions, SCHEMA};
use crate::gpu::Gpu;
use crate::instructions::{buffers, fingerprints, output_text, PROGRAMS};
use anyhow::{Context, Result};

pub(super) fn record(gpu: &Gpu, device: &Device, command: &str, output: &mut Output) -> Result<Instructions> {
    let fingerprints = fingerprints()?;
    let mut instructions = Instructions {
        schema: SCHEMA,
        device: device.clone(),
        recorded: today(),
        command: command.to_owned(),
        digest: String::new(),
        kernels: Vec::new(),
    };
    for program in &PROGRAMS {
        if program.capability() > gpu.capability() {
            writeln!(
                output.err,
                "kernels/instructions/{}.ptx is for newer cards, and left out",
                program.stem
            )?;
            continue;
        }
        let module = gpu.instruction_program(program)?;
        for kernel in program.kernels()? {
            let buffers = buffers(kernel)?;
            let run = || -> Result<String> {
                let after = gpu
                    .instruction_kernel(&module, kernel.name(), &buffers)
                    .with_context(|| kernel.name().to_owned())?;
                Ok(output_text(buffers.iter().zip(after.iter().map(Vec::as_slice))))
            };
            let result = run()?;
            if result != run()? {
                writeln!(
                    output.err,
                    "{} gives other results when it runs again, and is left out",
                    kernel.name()
                )?;
                continue;
            }
            let fingerprint = fingerprints.get(kernel.name()).map_or("", String::as_str);
            instructions.push(kernel.name(), fingerprint, result);
        }
    }
    Ok(instructions)
}
