//! Builds and serves the book; compiles kernels.
fn main() {}
