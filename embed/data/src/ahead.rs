//! Items that the functions of `nesl-build` use; not for users.

#![doc(hidden)]
#![expect(unsafe_code, reason = "results lie in memory of compiled code")]

use crate::{Element, Error, Nested};
use std::ffi::{CStr, c_char, c_void};

/// A vector of a result, which is let go at the end.
#[derive(Debug)]
pub struct Out<T> {
    /// The place in which a call puts its address.
    pub address: *mut T,
    free: unsafe extern "C" fn(*mut c_void),
}

impl<T: Copy> Out<T> {
    /// A vector that is not there yet, and the function that frees it.
    pub fn new(free: unsafe extern "C" fn(*mut c_void)) -> Out<T> {
        Out { address: std::ptr::null_mut(), free }
    }

    /// Its elements.
    ///
    /// # Safety
    ///
    /// A call has put so many elements there.
    pub unsafe fn slice(&self, count: i64) -> &[T] {
        if count <= 0 {
            return &[];
        }
        // SAFETY: as the caller says; a count of elements in memory is no larger than `usize`.
        unsafe { std::slice::from_raw_parts(self.address, count as usize) }
    }
}

impl<T> Drop for Out<T> {
    fn drop(&mut self) {
        // SAFETY: it is null, or memory that the library gave away.
        unsafe { (self.free)(self.address.cast()) }
    }
}

/// The offset behind the last row.
pub fn end(offsets: &[i64]) -> i64 {
    offsets.last().copied().unwrap_or(0)
}

/// Rows of a result, whose offsets are right.
pub fn nested<T: Element>(offsets: &[i64], elements: T::Columns) -> Nested<T> {
    Nested::trusted(offsets.to_vec(), elements)
}

/// The number of elements of an argument that is a tuple of vectors.
///
/// # Errors
///
/// If the vectors have different lengths.
pub fn count<T: Element>(name: &str, columns: &T::Columns) -> Result<i64, Error> {
    let count = T::count(columns).map(|count| count as i64);
    count.ok_or_else(|| Error::input(format!("`{name}`: the vectors have different lengths")))
}

/// The error of a call that gave `codes[code]`.
///
/// # Safety
///
/// `message` is the function of the library whose last call in this thread failed.
pub unsafe fn failed(
    code: &'static str,
    message: unsafe extern "C" fn() -> *const c_char,
) -> Error {
    // SAFETY: as the caller says; the message ends with 0 and lasts until the next call.
    let text = unsafe { CStr::from_ptr(message()) };
    Error::new(code, text.to_string_lossy().into_owned())
}
