//! Paths: many shapes of one ink in a single element.

use std::fmt::{Display, Write};

/// The data of a path that grows shape by shape.
#[derive(Default)]
pub struct Path {
    /// The commands so far.
    pub data: String,
    /// The rightmost point so far.
    pub right: f64,
    /// The lowest point so far.
    pub bottom: f64,
}

impl Path {
    /// Adds a rectangle.
    pub fn rect(&mut self, [x, y, w, h]: [f64; 4]) {
        self.reach(x + w, y + h);
        let [nx, ny, nw, nh] = [x, y, w, h].map(Number);
        let back = Number(-w);
        let _ = write!(self.data, "M{nx} {ny}h{nw}v{nh}h{back}z");
    }

    /// Adds a broken line through the points.
    pub fn line(&mut self, points: impl IntoIterator<Item = [f64; 2]>) {
        let mut letter = 'M';
        for [x, y] in points {
            self.reach(x, y);
            let _ = write!(self.data, "{letter}{} {}", Number(x), Number(y));
            letter = 'L';
        }
    }

    /// Adds the head of an arrow whose tip is at `tip`, coming from `from`. Fill it.
    pub fn head(&mut self, from: [f64; 2], tip: [f64; 2], size: f64) {
        let (dx, dy) = (tip[0] - from[0], tip[1] - from[1]);
        let length = dx.hypot(dy);
        if length > 0.0 {
            let (ux, uy) = (dx / length * size, dy / length * size);
            let base = [tip[0] - ux, tip[1] - uy];
            self.line([
                tip,
                [base[0] - uy * 0.5, base[1] + ux * 0.5],
                [base[0] + uy * 0.5, base[1] - ux * 0.5],
            ]);
            self.data.push('z');
        }
    }

    /// Adds a filled dot.
    pub fn dot(&mut self, [x, y]: [f64; 2], radius: f64) {
        self.reach(x + radius, y + radius);
        let (left, y, r, d) = (
            Number(x - radius),
            Number(y),
            Number(radius),
            Number(radius * 2.0),
        );
        let back = Number(-d.0);
        let _ = write!(
            self.data,
            "M{left} {y}a{r} {r} 0 1 0 {d} 0a{r} {r} 0 1 0 {back} 0z"
        );
    }

    fn reach(&mut self, x: f64, y: f64) {
        self.right = self.right.max(x);
        self.bottom = self.bottom.max(y);
    }
}

/// A coordinate, written with at most two digits after the point.
#[derive(Clone, Copy)]
pub struct Number(pub f64);

impl Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let rounded = (self.0 * 100.0).round() / 100.0;
        // -0 and 0 are the same place.
        write!(f, "{}", rounded + 0.0)
    }
}
