//! The kernels' source files and their compiled PTX, as they are committed side by side.

use std::sync::OnceLock;
use warpwise_machine::{LoadError, Module};

/// A CUDA C file under `kernels/` and the PTX made from it.
///
/// The PTX is what both the machine and a GPU run; the source is what reports and chapters quote.
#[derive(Debug)]
pub struct Source {
    /// File name without its ending: `transpose` for `kernels/transpose.cu`.
    pub stem: &'static str,
    /// The CUDA C text.
    pub cu: &'static str,
    /// The PTX text.
    pub ptx: &'static str,
    module: OnceLock<Result<Module, LoadError>>,
}

impl Source {
    /// Returns the PTX as the machine reads it; it is read once.
    ///
    /// # Errors
    /// The machine does not know something in it.
    pub fn module(&self) -> Result<&Module, &LoadError> {
        self.module.get_or_init(|| Module::parse(self.ptx)).as_ref()
    }
}

macro_rules! source {
    ($(#[$doc:meta])* $name:ident, $stem:literal) => {
        $(#[$doc])*
        pub static $name: Source = Source {
            stem: $stem,
            cu: include_str!(concat!("../../kernels/", $stem, ".cu")),
            ptx: include_str!(concat!("../../kernels/", $stem, ".ptx")),
            module: OnceLock::new(),
        };
    };
}

source!(
    /// Mapping a grid onto a matrix.
    GRID,
    "grid"
);
source!(
    /// A bounds check on one axis only.
    BOUNDS,
    "bounds"
);
source!(
    /// The transpose ladder.
    TRANSPOSE,
    "transpose"
);
source!(
    /// Converting between row-major and column-major.
    LAYOUT,
    "layout"
);
source!(
    /// Spiral order.
    SPIRAL,
    "spiral"
);
source!(
    /// Diagonal order and the wavefront.
    DIAGONAL,
    "diagonal"
);

/// Every source file, in the order of the lessons.
pub static SOURCES: [&Source; 6] = [&GRID, &BOUNDS, &TRANSPOSE, &LAYOUT, &SPIRAL, &DIAGONAL];
