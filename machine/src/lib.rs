//! Reads PTX and runs it warp by warp on the CPU.

pub mod request;
