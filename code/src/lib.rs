//! Walking matrices on the GPU: layouts, launch mapping, transposes, spiral and diagonal order.
#![deny(unsafe_code)]
#![warn(missing_docs)]

// Chapters show this crate's code with the paths that a reader's own crate would use.
extern crate self as warpwise;

pub mod args;
pub mod banks;
pub mod bounds;
pub mod cache;
pub mod claims;
pub mod coalescing;
pub mod diagonal;
pub mod drawing;
pub mod evidence;
pub mod examples;
pub mod figures;
pub mod fingerprint;
pub mod gemm;
pub mod instructions;
pub mod kernels;
pub mod layout;
pub mod lessons;
pub mod mapping;
pub mod outcome;
pub mod plan;
pub mod predict;
pub mod run;
pub mod source;
pub mod spiral;
pub mod table;
pub mod transpose;
pub mod wrong;

#[cfg(feature = "cli")]
pub mod cli;
#[cfg(feature = "gpu")]
pub mod gpu;
