//! Why a call fails, or data are refused.

use std::borrow::Cow;
use std::fmt;

/// Why something failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error {
    code: &'static str,
    message: Cow<'static, str>,
}

/// The code of an argument that is none.
const INPUT: &str = "N0601";

impl Error {
    /// An error of a function that was compiled before.
    #[doc(hidden)]
    pub fn new(code: &'static str, message: impl Into<Cow<'static, str>>) -> Error {
        Error { code, message: message.into() }
    }
    /// An error about an argument.
    pub(crate) fn input(message: impl Into<Cow<'static, str>>) -> Error {
        Error::new(INPUT, message)
    }
    /// The code, such as `N0502` for an index outside its sequence: `docs/errors` has a page for
    /// each.
    pub fn code(&self) -> &'static str {
        self.code
    }
    /// The failure, and, of a function that was compiled before, where in its source and in which
    /// element.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error[{}]: {}", self.code, self.message)
    }
}

impl std::error::Error for Error {}
