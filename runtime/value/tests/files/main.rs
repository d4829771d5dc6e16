//! Files: what is written reads back, and what does not fit is told.

#![expect(missing_docs, reason = "tests")]

mod literal;
mod npy;
mod support;
mod text;
mod write;
