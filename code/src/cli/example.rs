//! `warpwise example`: the chapters' programs, compiled into the binary so that a GPU machine needs no toolchain.

use super::Output;
use crate::examples;
use anyhow::{bail, Result};

// The very files that the chapters show. Their launches are `unsafe` and say why.
#[cfg(feature = "gpu")]
#[allow(unsafe_code, missing_docs)]
#[path = "../../examples"]
mod programs {
    pub mod bounds;
    pub mod diagonal;
    pub mod grid;
    pub mod layout;
    pub mod spiral;
    pub mod transpose;
}

pub(super) fn example(name: &str, output: &mut Output) -> Result<u8> {
    if examples::example(name).is_none() {
        let known: Vec<_> = examples::EXAMPLES.iter().map(|e| e.name).collect();
        bail!(
            "there is no example `{name}`; the examples are {}",
            known.join(", ")
        );
    }
    // An example prints by itself; what was written before it comes first.
    output.out.flush()?;
    #[cfg(feature = "gpu")]
    match name {
        "bounds" => programs::bounds::main(),
        "diagonal" => programs::diagonal::main(),
        "grid" => programs::grid::main(),
        "layout" => programs::layout::main(),
        "spiral" => programs::spiral::main(),
        "transpose" => programs::transpose::main(),
        _ => bail!("the example `{name}` is not compiled in"),
    }?;
    #[cfg(not(feature = "gpu"))]
    bail!("this build has no GPU support; build it with the feature `gpu`");
    #[cfg(feature = "gpu")]
    Ok(super::SUCCESS)
}
