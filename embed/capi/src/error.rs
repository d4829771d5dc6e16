//! Errors as C sees them: a list, whose first element owns the others.

use base::Kind;
use nesl::{Error, Message};
use std::any::Any;
use std::ffi::{CString, c_char, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

/// One error, and those that come behind it.
pub struct ErrorList {
    code: CString,
    message: CString,
    text: CString,
    span: Option<Span>,
    lanes: Vec<u64>,
    next: Option<Box<ErrorList>>,
}

/// A place in a text.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Span {
    start: u64,
    end: u64,
    line: u64,
    column: u64,
}

/// A text for C, which a zero ends.
fn c_text(text: &str) -> CString {
    let text = text.replace('\0', "\\0");
    CString::new(text).unwrap_or_else(|_| unreachable!("zeros were taken out"))
}

impl ErrorList {
    /// An error about what the caller hands over.
    pub(crate) fn input(message: impl Into<String>) -> Box<ErrorList> {
        Error::input(message).into()
    }

    /// A bug of ours, by what a panic said.
    fn panicked(panic: &(dyn Any + Send)) -> Box<ErrorList> {
        let said = panic.downcast_ref::<String>().map(String::as_str);
        let said = said.or_else(|| panic.downcast_ref::<&str>().copied());
        Error::plain(Kind::Bug, said.unwrap_or("the library panicked")).into()
    }
}

impl From<Error> for Box<ErrorList> {
    fn from(error: Error) -> Box<ErrorList> {
        let mut list: Option<Box<ErrorList>> = None;
        let messages: Vec<&Message> = error.messages().collect();
        for message in messages.into_iter().rev() {
            list = Some(Box::new(ErrorList {
                code: c_text(&message.code),
                message: c_text(&message.message),
                text: c_text(&message.text),
                span: message.span.map(Span::from),
                lanes: message.lanes.clone(),
                next: list,
            }));
        }
        list.unwrap_or_else(|| unreachable!("an error has a message"))
    }
}

impl From<nesl::Span> for Span {
    fn from(span: nesl::Span) -> Span {
        let nesl::Span { start, end, line, column } = span;
        Span { start, end, line, column }
    }
}

/// Does something that may fail or panic; on failure hands the error over, if somebody wants it.
///
/// # Safety
///
/// `error` is null or can be written.
pub(crate) unsafe fn guarded<T>(
    error: *mut *mut ErrorList,
    work: impl FnOnce() -> Result<T, Box<ErrorList>>,
) -> Option<T> {
    // State that a panic leaves in disorder is behind a lock, which is poisoned then.
    let done = catch_unwind(AssertUnwindSafe(work));
    let (value, failure) = match done {
        Ok(Ok(value)) => (Some(value), ptr::null_mut()),
        Ok(Err(list)) => (None, Box::into_raw(list)),
        Err(panic) => (None, Box::into_raw(ErrorList::panicked(&*panic))),
    };
    // SAFETY: as the caller says.
    match unsafe { error.as_mut() } {
        Some(error) => *error = failure,
        // SAFETY: null or made above.
        None => unsafe { nesl_error_free(failure) },
    }
    value
}

/// The code of an error.
///
/// # Safety
///
/// `error` is null or an error that was not freed.  So it is for all functions about errors.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nesl_error_code(error: *const ErrorList) -> *const c_char {
    // SAFETY: as the caller says.
    unsafe { error.as_ref() }.map_or(c"".as_ptr(), |error| error.code.as_ptr())
}

/// One sentence.
///
/// # Safety
///
/// As for [`nesl_error_code`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nesl_error_message(error: *const ErrorList) -> *const c_char {
    // SAFETY: as the caller says.
    unsafe { error.as_ref() }.map_or(c"".as_ptr(), |error| error.message.as_ptr())
}

/// The message with its source.
///
/// # Safety
///
/// As for [`nesl_error_code`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nesl_error_text(error: *const ErrorList) -> *const c_char {
    // SAFETY: as the caller says.
    unsafe { error.as_ref() }.map_or(c"".as_ptr(), |error| error.text.as_ptr())
}

/// The place at fault; tells whether there is one.
///
/// # Safety
///
/// As for [`nesl_error_code`]; `span` is null or can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nesl_error_span(error: *const ErrorList, span: *mut Span) -> c_int {
    // SAFETY: as the caller says.
    let (error, to) = unsafe { (error.as_ref(), span.as_mut()) };
    let Some(found) = error.and_then(|error| error.span) else { return 0 };
    if let Some(to) = to {
        *to = found;
    }
    1
}

/// The lanes in which it arose; gives how many.
///
/// # Safety
///
/// As for [`nesl_error_code`]; `lanes` is null or can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nesl_error_lanes(
    error: *const ErrorList,
    lanes: *mut *const u64,
) -> usize {
    // SAFETY: as the caller says.
    let (error, to) = unsafe { (error.as_ref(), lanes.as_mut()) };
    let found = error.map_or(&[][..], |error| error.lanes.as_slice());
    if let Some(to) = to {
        *to = found.as_ptr();
    }
    found.len()
}

/// The next error, or null.
///
/// # Safety
///
/// As for [`nesl_error_code`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nesl_error_next(error: *const ErrorList) -> *const ErrorList {
    // SAFETY: as the caller says.
    let next = unsafe { error.as_ref() }.and_then(|error| error.next.as_deref());
    next.map_or(ptr::null(), ptr::from_ref)
}

/// Frees an error and those behind it.
///
/// # Safety
///
/// As for [`nesl_error_code`], and it is the first of its list.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nesl_error_free(error: *mut ErrorList) {
    if error.is_null() {
        return;
    }
    // SAFETY: made by `Box::into_raw`.
    let mut list = Some(unsafe { Box::from_raw(error) });
    // One after the other: a long list is no deep recursion.
    while let Some(mut first) = list {
        list = first.next.take();
    }
}
