//! What the chapters claim of a card, as numbers that evidence must reach.

use crate::evidence::Archive;
use crate::kernels::Shape;
use serde::Serialize;

/// A claim with its goal.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Target {
    /// What is claimed.
    pub name: String,
    /// The least that bears it out.
    pub goal: f64,
    /// What evidence gives; null where nothing was recorded.
    pub measured: Option<f64>,
    /// Whether the claim stands.
    pub met: bool,
}

const SHAPE: Shape = Shape::new(4096, 4096);

/// One kernel's bandwidth over another's, both at 4096x4096.
const RATIOS: [(&str, &str, &str, f64); 5] = [
    (
        "a strided read over a strided write",
        "transpose_strided_read",
        "transpose_naive",
        2.0,
    ),
    ("memcpy over a one-cell copy", "memcpy", "copy", 1.5),
    (
        "a strided read over a tile without a pad",
        "transpose_strided_read",
        "transpose_tiled",
        1.0,
    ),
    (
        "the pad over the same tile without it",
        "transpose_padded",
        "transpose_tiled_four",
        1.5,
    ),
    (
        "the padded tile over cuBLAS geam",
        "transpose_padded",
        "cublas_geam",
        0.9,
    ),
];

/// Returns every claim with what the first card's evidence says.
pub fn targets(archive: &Archive) -> Vec<Target> {
    let bandwidth = |kernel| {
        archive
            .find(kernel, SHAPE, |r| r.gb_per_s.is_some())
            .and_then(|(_, r)| r.gb_per_s)
    };
    RATIOS
        .iter()
        .map(|&(name, above, below, goal)| {
            let measured = bandwidth(above).zip(bandwidth(below)).map(|(a, b)| a / b);
            Target {
                name: name.to_owned(),
                goal,
                measured,
                met: measured.is_some_and(|m| m >= goal),
            }
        })
        .collect()
}
