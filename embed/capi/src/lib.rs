//! NESL from C: `include/nesl.h` says what each function does.
//!
//! A handle is a box that C knows by its address.  What a handle needs it keeps alive: a callable
//! its program, a program its session.  A session is behind a lock, which a call holds from reading
//! its arguments to its result, so that calls from several threads are made one after the other.
//!
//! Panics end at this border: they are bugs, which become errors, and what they may have left in
//! disorder is not used any more.

#![expect(unsafe_code, reason = "C calls these functions with pointers")]

mod arguments;
mod call;
mod error;
mod handles;
mod session;

pub use arguments::{Argument, FillValues, ResultPlace, nesl_call_with};
pub use call::nesl_call;
pub use error::{
    ErrorList, Span, nesl_error_code, nesl_error_free, nesl_error_lanes, nesl_error_message,
    nesl_error_next, nesl_error_span, nesl_error_text,
};
pub use handles::{
    CallableHandle, ProgramHandle, nesl_callable_free, nesl_compile, nesl_function,
    nesl_program_free,
};
pub use session::{Options, SessionHandle, nesl_session_free, nesl_session_new};

use std::ffi::c_char;

/// The version of the library.
#[unsafe(no_mangle)]
pub extern "C" fn nesl_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}
