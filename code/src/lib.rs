//! Walking matrices on the GPU: layouts, launch mapping, transposes, spiral and diagonal order.
#![warn(missing_docs)]

// Chapters show this crate's code with the paths that a reader's own crate would use.
extern crate self as warpwise;

pub mod args;
pub mod banks;
pub mod bounds;
pub mod cache;
pub mod coalescing;
pub mod diagonal;
pub mod gemm;
pub mod layout;
pub mod mapping;
pub mod spiral;
pub mod transpose;
