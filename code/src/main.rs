//! The command line of Warpwise.
fn main() {}
