//! The lessons: what each is called, its default shape, its chapter and its example.

use crate::kernels::Shape;

/// A lesson of the book.
#[derive(Debug)]
pub struct Lesson {
    /// Name on the command line, in evidence and of the chapter file.
    pub name: &'static str,
    /// Heading.
    pub title: &'static str,
    /// Shape when none is asked for.
    pub shape: Shape,
    /// Shape on a GPU when none is asked for: large enough to time.
    pub gpu_shape: Shape,
    /// The GPU-marked example that its chapter shows, if it has one.
    pub example: Option<&'static str>,
}

/// Every lesson, in the order of the book.
pub static LESSONS: [Lesson; 7] = [
    Lesson {
        name: "storage",
        title: "Storage and traversal",
        shape: Shape::new(8, 64),
        gpu_shape: Shape::new(8, 64),
        example: None,
    },
    Lesson {
        name: "grid",
        title: "Mapping a grid onto a matrix",
        shape: Shape::new(37, 61),
        gpu_shape: Shape::new(37, 61),
        example: Some("grid"),
    },
    Lesson {
        name: "bounds",
        title: "The bounds check on one axis",
        shape: Shape::new(4, 10),
        gpu_shape: Shape::new(4, 10),
        example: Some("bounds"),
    },
    Lesson {
        name: "transpose",
        title: "The transpose ladder",
        shape: Shape::new(64, 48),
        gpu_shape: Shape::new(4096, 4096),
        example: Some("transpose"),
    },
    Lesson {
        name: "layout",
        title: "Converting layouts and meeting cuBLAS",
        shape: Shape::new(4, 6),
        gpu_shape: Shape::new(4, 6),
        example: Some("layout"),
    },
    Lesson {
        name: "spiral",
        title: "Spiral order",
        shape: Shape::new(6, 9),
        gpu_shape: Shape::new(4096, 4096),
        example: Some("spiral"),
    },
    Lesson {
        name: "diagonal",
        title: "Diagonal order and the wavefront",
        shape: Shape::new(6, 9),
        gpu_shape: Shape::new(4096, 4096),
        example: Some("diagonal"),
    },
];

/// Returns the lesson of that name.
pub fn lesson(name: &str) -> Option<&'static Lesson> {
    LESSONS.iter().find(|l| l.name == name)
}
