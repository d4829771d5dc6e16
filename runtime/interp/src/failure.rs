//! How an evaluation fails.

use base::{Diagnostic, Site};
use value::failure::describe;

/// An error on its way out of the evaluation, with its place.
pub(crate) type Fault = Box<Diagnostic>;

/// An error that does not know its place yet.
pub(crate) struct Failure {
    /// Where it arises, in the words of LANGUAGE 11.
    pub(crate) site: Site,
    /// One sentence without a full stop.
    pub(crate) message: String,
}

impl Failure {
    /// A failed check of these operands.
    pub(crate) fn check(site: Site, a: i64, b: i64) -> Failure {
        Failure { site, message: describe(site, a, b) }
    }

    /// A sequence of so many bytes does not fit into memory.
    pub(crate) fn memory(bytes: usize) -> Failure {
        let message = format!("out of memory for a sequence of {bytes} bytes");
        Failure { site: Site::Memory, message }
    }
}

/// The failure unless a check holds.
pub(crate) fn require(holds: bool, site: Site, a: i64, b: i64) -> Result<(), Failure> {
    if holds { Ok(()) } else { Err(Failure::check(site, a, b)) }
}

/// A length or position as the language's int.
pub(crate) fn int(n: usize) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}
