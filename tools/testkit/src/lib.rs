//! What tests of whole programs share: conformance cases, comparison of printed values, sessions
//! that are used again and again; and programs made at random, on which all engines must agree.
//!
//! The conformance tests take the corpora below `tests/`; they know sessions and what they tell,
//! and nothing of what is inside an engine.  [`generate`] makes well-typed programs from a seed and
//! shrinks them; [`agree`] runs a program on the interpreter, on the evaluators of the stations and
//! on the CPU, and compares.  The binary `nesl-fuzz` does so with many programs.

pub mod agree;
pub mod case;
pub mod compare;
pub mod counting;
pub mod example;
pub mod generate;
pub mod library;
pub mod paper;
pub mod program;
pub mod random;
pub mod respell;
pub mod respelled;
mod session;
pub mod texts;
mod widths;

pub use case::Case;
pub use session::{Told, on_session};
pub use widths::agreement;

use std::path::PathBuf;

/// How a case ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// As expected.
    Passed,
    /// Not as expected, but we say that we cannot do it: the reason.
    NotYet(String),
    /// Not as expected: how.
    Failed(String),
}

/// A folder of the corpora, such as `conformance`.
pub fn corpus(name: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests")).join(name)
}
