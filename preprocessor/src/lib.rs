//! Expands the directives of the book.
