//! Calls of the driver, with errors as values.
//!
//! Every call needs a driver that [`super::probe`] has found, and a context that is current on the
//! thread that calls; both hold wherever there is a [`super::context::Context`] that was entered.

use base::{Diagnostic, Kind};
use cudarc::driver::sys::{self, CUresult};
use std::ffi::CStr;
use std::fmt;

/// A call of the driver that failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Error {
    /// The function.
    pub(super) call: &'static str,
    /// What it gave.
    pub(super) code: CUresult,
}

/// What a call gave, as a result.
pub(super) fn check(call: &'static str, code: CUresult) -> Result<(), Error> {
    match code {
        CUresult::CUDA_SUCCESS => Ok(()),
        code => Err(Error { call, code }),
    }
}

impl Error {
    /// Whether memory is all that is missing.
    pub(super) fn is_memory(self) -> bool {
        self.code == CUresult::CUDA_ERROR_OUT_OF_MEMORY
    }
    /// The message about something that should not have happened.
    pub(super) fn diagnostic(self) -> Box<Diagnostic> {
        let message = format!("the GPU's driver refused `{}`", self.call);
        Box::new(Diagnostic::new(Kind::Bug, message).note(self.reason()))
    }
    fn reason(self) -> String {
        let mut text = std::ptr::null();
        // SAFETY: there is a driver, since it gave this code; what it says stays as it is.
        let text = unsafe {
            let known = sys::cuGetErrorString(self.code, &mut text) == CUresult::CUDA_SUCCESS;
            (known && !text.is_null()).then(|| CStr::from_ptr(text).to_string_lossy())
        };
        match text {
            Some(text) => format!("{:?}: {text}", self.code),
            None => format!("{:?}", self.code),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` gave {:?}", self.call, self.code)
    }
}
