//! How an evaluation fails.

use base::{Code, Diagnostic, Kind, Site};
use prim::{ENDLESS, Widths};
use value::failure::{advice, describe, too_long};
use value::memory::heap;

/// An error on its way out of the evaluation, with its place.
pub(crate) type Fault = Box<Diagnostic>;

/// An error that does not know its place yet.
pub(crate) struct Failure {
    /// A run-time error, or a limit of ours.
    pub(crate) code: Code,
    /// One sentence without a full stop.
    pub(crate) message: String,
    /// What helps.
    pub(crate) advice: Option<&'static str>,
}

impl Failure {
    /// An error that says all.
    pub(crate) fn new(code: Code, message: String) -> Failure {
        Failure { code, message, advice: None }
    }

    /// A failed check of these operands.
    pub(crate) fn check(site: Site, a: i64, b: i64) -> Failure {
        let failure = Failure::new(Code::of(Kind::Runtime(site)), describe(site, a, b));
        Failure { advice: advice(site, a, b), ..failure }
    }

    /// A sequence of so many bytes does not fit into memory.
    pub(crate) fn memory(bytes: usize) -> Failure {
        // Sizes stop at the largest number.
        let of = match bytes {
            usize::MAX => "more bytes than can be addressed".to_owned(),
            bytes => format!("{bytes} bytes"),
        };
        Failure::no_room(format!("out of memory for a sequence of {of}"))
    }

    /// The values of the program do not fit into memory.
    pub(crate) fn values(bytes: usize) -> Failure {
        Failure::no_room(format!("out of memory: the values of the program take {bytes} bytes"))
    }

    /// The pending calls do not fit into memory.
    pub(crate) fn recursion(calls: usize) -> Failure {
        let message = format!("the recursion is too deep: {calls} calls are pending");
        Failure::new(Code::Memory, message)
    }

    /// A recursion is endless.
    pub(crate) fn endless() -> Failure {
        Failure::new(Code::Memory, describe(Site::Memory, 0, ENDLESS))
    }

    /// Returns true for the error of a call that leads to itself.
    pub(crate) fn is_endless(error: &Diagnostic) -> bool {
        error.message == Failure::endless().message
    }

    /// A text is larger than the `left` bytes of free memory.
    pub(crate) fn larger(left: usize) -> Failure {
        let message = format!("out of memory: what is read is larger than {left} bytes");
        Failure::no_room(message)
    }

    fn no_room(message: String) -> Failure {
        let advice = if heap::is_short() {
            "`ulimit -v`, or other programs, may leave less"
        } else {
            "`--memory SIZE` allows more or less"
        };
        Failure { advice: Some(advice), ..Failure::new(Code::Memory, message) }
    }
}

/// Whether ints can count the elements of a sequence.
pub(crate) fn counted(widths: Widths, length: usize) -> Result<(), Failure> {
    if int(length) <= widths.max_length() {
        return Ok(());
    }
    let (code, message) = too_long(widths);
    Err(Failure::new(code, message))
}

/// The failure unless a check holds.
pub(crate) fn require(holds: bool, site: Site, a: i64, b: i64) -> Result<(), Failure> {
    if holds { Ok(()) } else { Err(Failure::check(site, a, b)) }
}

/// A length or position as the language's int.
pub(crate) fn int(n: usize) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}
