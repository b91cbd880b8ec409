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

const SQUARE: Shape = Shape::new(4096, 4096);
const ODD: Shape = Shape::new(12_289, 8191);

/// One kernel's bandwidth over another's on the same shape.
const RATIOS: [(&str, &str, &str, Shape, f64); 6] = [
    (
        "a strided read over a strided write",
        "transpose_strided_read",
        "transpose_naive",
        SQUARE,
        2.0,
    ),
    ("memcpy over a one-cell copy", "memcpy", "copy", SQUARE, 1.5),
    (
        "a strided read over a tile without a pad",
        "transpose_strided_read",
        "transpose_tiled",
        SQUARE,
        1.0,
    ),
    (
        "the pad over the same tile without it",
        "transpose_padded",
        "transpose_tiled_four",
        SQUARE,
        1.5,
    ),
    (
        "the padded tile over cuBLAS geam",
        "transpose_padded",
        "cublas_geam",
        SQUARE,
        0.9,
    ),
    (
        "tiles along the output over tiles along the input, on odd sides",
        "transpose_padded_raster",
        "transpose_padded",
        ODD,
        1.1,
    ),
];

/// Returns every claim with what the first card's evidence says.
pub fn targets(archive: &Archive) -> Vec<Target> {
    let bandwidth = |kernel, shape| {
        archive
            .find(kernel, shape, |r| r.gb_per_s.is_some())
            .and_then(|(_, r)| r.gb_per_s)
    };
    RATIOS
        .iter()
        .map(|&(name, above, below, shape, goal)| {
            let measured = bandwidth(above, shape)
                .zip(bandwidth(below, shape))
                .map(|(a, b)| a / b);
            Target {
                name: name.to_owned(),
                goal,
                measured,
                met: measured.is_some_and(|m| m >= goal),
            }
        })
        .collect()
}
