//! Text to syntax: lexer, lossless tree, and the abstract syntax that the type checker reads.
//!
//! Takes a source text; gives forms, each whole or with its errors.  Knows no types and no library.

pub mod ast;
