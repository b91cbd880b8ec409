//! From text to syntax: tokens, then kernels with their declarations and instructions. No meaning yet.

mod body;
mod inline;
mod lexer;
mod parser;
pub(crate) mod syntax;
pub(crate) mod types;

pub(crate) use parser::{bits_of, parse};

#[cfg(test)]
mod tests;
