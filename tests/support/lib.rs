//! Nothing yet: the tests of the book live beside this file.
