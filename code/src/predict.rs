//! What the machine predicts of a GPU's counters, and what evidence says.

use crate::evidence::{Archive, PREDICTED};
use crate::kernels::{self, KernelSpec, Shape, Threads};
use crate::outcome::Traffic;
use crate::plan::Plan;
use crate::run::{traffic_on_machine, RunError};
use serde::Serialize;
use std::collections::BTreeMap;

/// A counter, predicted and measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Prediction {
    /// The kernel.
    pub kernel: String,
    /// Rows of the matrix.
    pub rows: u64,
    /// Columns of the matrix.
    pub cols: u64,
    /// Which counter: one of [`PREDICTED`].
    pub quantity: String,
    /// What the machine counted.
    pub predicted: u64,
    /// What the GPU counted.
    pub measured: u64,
}

impl Prediction {
    /// Returns whether the prediction holds: exactly for requests and sectors; for wavefronts within 0.1 % or 2,
    /// whichever is more, because hardware now and then replays a shared access.
    pub fn holds(&self) -> bool {
        let off = self.predicted.abs_diff(self.measured);
        if self.quantity.ends_with("wavefronts") {
            off <= 2.max(self.measured / 1000)
        } else {
            off == 0
        }
    }

    /// Returns the shape.
    pub fn shape(&self) -> Shape {
        Shape::new(self.rows, self.cols)
    }
}

/// The shapes on which `record` counts a kernel: up to a million cells, one of them awkward on both axes.
///
/// A kernel with one launch a diagonal gets smaller ones, since a profiler takes its time for every launch.
pub fn counted_shapes(kernel: &KernelSpec) -> [Shape; 3] {
    match kernel.threads {
        Threads::Diagonals => [Shape::new(64, 48), Shape::new(61, 37), Shape::new(100, 150)],
        _ => [
            Shape::new(1024, 1024),
            Shape::new(1001, 777),
            Shape::new(1000, 776),
        ],
    }
}

/// Returns what the machine counts for a kernel on a shape, as `record` launches it.
///
/// # Errors
/// The launch is impossible, or the machine stops.
pub fn predict(
    kernel: &'static KernelSpec,
    shape: Shape,
    block: Option<[u32; 3]>,
) -> Result<Traffic, RunError> {
    let block = block.map(|[x, y, _]| [x, y]);
    traffic_on_machine(&Plan::new(kernel, shape, block, true)?)
}

/// Which records' counters to compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Size {
    /// Shapes up to [`PREDICT_UP_TO`] cells: here every prediction must hold.
    Promised,
    /// Larger ones, up to [`COMPARE_UP_TO`] cells: requests and sectors still agree, but the card replays more shared
    /// accesses than the rule knows.
    Beyond,
}

impl Size {
    /// Returns which of the two a shape is, or `None` where the machine would take minutes.
    fn of(shape: Shape) -> Option<Size> {
        let cells = shape.cells()?;
        let size = match cells <= PREDICT_UP_TO {
            true => Size::Promised,
            false => Size::Beyond,
        };
        (cells <= COMPARE_UP_TO).then_some(size)
    }
}

/// Returns every counter of fresh evidence beside the machine's prediction, of one lesson's kernels or of all.
///
/// A kernel on a shape runs once, however many cards counted it. Records of another kernel than today's are left
/// out: they are stale, and say nothing about this one.
///
/// # Errors
/// The machine stops, which evidence of a kernel that runs on a GPU does not make it do.
pub fn predictions(archive: &Archive, size: Size, lesson: Option<&str>) -> Result<Vec<Prediction>, RunError> {
    let mut known: BTreeMap<(String, Shape, Option<[u32; 3]>), Traffic> = BTreeMap::new();
    let mut all = Vec::new();
    for record in archive.records() {
        let (Some(counters), Some(kernel)) = (&record.counters, kernels::kernel(&record.kernel)) else {
            continue;
        };
        let wanted = lesson.is_none_or(|name| name == kernel.lesson);
        if !wanted || !record.is_fresh() || Size::of(record.shape()) != Some(size) {
            continue;
        }
        let key = (record.kernel.clone(), record.shape(), record.block);
        let traffic = match known.get(&key) {
            Some(traffic) => *traffic,
            None => *known
                .entry(key)
                .or_insert(predict(kernel, record.shape(), record.block)?),
        };
        for quantity in PREDICTED {
            if let (Some(&measured), Some(predicted)) = (counters.get(quantity), traffic.quantity(quantity)) {
                all.push(Prediction {
                    kernel: record.kernel.clone(),
                    rows: record.rows,
                    cols: record.cols,
                    quantity: quantity.to_owned(),
                    predicted,
                    measured,
                });
            }
        }
    }
    Ok(all)
}

/// Cells of the largest matrix on which every prediction must hold.
pub const PREDICT_UP_TO: u64 = 1 << 20;
/// Cells of the largest matrix that the machine is asked about at all.
pub const COMPARE_UP_TO: u64 = 1 << 24;

#[cfg(test)]
mod tests {
    use super::*;

    fn prediction(quantity: &str, predicted: u64, measured: u64) -> Prediction {
        let quantity = quantity.to_owned();
        Prediction {
            kernel: "copy".to_owned(),
            rows: 1,
            cols: 1,
            quantity,
            predicted,
            measured,
        }
    }

    #[test]
    fn the_machine_is_asked_up_to_a_size() {
        assert_eq!(Size::of(Shape::new(1024, 1024)), Some(Size::Promised));
        assert_eq!(Size::of(Shape::new(1024, 1025)), Some(Size::Beyond));
        assert_eq!(Size::of(Shape::new(4096, 4096)), Some(Size::Beyond));
        assert_eq!(Size::of(Shape::new(12_289, 8191)), None);
        assert_eq!(Size::of(Shape::new(u64::MAX, 2)), None);
    }

    #[test]
    fn sectors_must_agree_exactly() {
        assert!(prediction("global_load_sectors", 1_000_000, 1_000_000).holds());
        assert!(!prediction("global_load_sectors", 1_000_000, 1_000_001).holds());
        assert!(!prediction("global_store_requests", 3, 4).holds());
    }

    #[test]
    fn wavefronts_may_be_replayed_now_and_then() {
        assert!(prediction("shared_load_wavefronts", 100, 102).holds());
        assert!(!prediction("shared_load_wavefronts", 100, 103).holds());
        assert!(prediction("shared_load_wavefronts", 1_000_000, 1_001_000).holds());
        assert!(!prediction("shared_load_wavefronts", 1_000_000, 1_002_000).holds());
    }
}
