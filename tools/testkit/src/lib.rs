//! What tests of whole programs share: conformance cases, comparison of printed values, sessions
//! that are used again and again.
//!
//! Takes the corpora below `tests/`; knows sessions and what they tell, and nothing of what is
//! inside an engine.

pub mod case;
pub mod compare;
pub mod program;
mod session;

pub use case::Case;
pub use session::{Told, on_session};

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
