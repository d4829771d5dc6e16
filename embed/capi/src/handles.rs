//! Programs and their functions.

use crate::error::{ErrorList, guarded};
use crate::session::{SessionHandle, free, status};
use nesl::{Function, Program};
use std::ffi::{CStr, c_char, c_int};
use std::ptr;

/// The functions of a text.
pub struct ProgramHandle(Program);

/// A function.
pub struct CallableHandle(pub(crate) Function);

/// Compiles a text.
///
/// # Safety
///
/// `session` is null or a session; `text` has `length` bytes; `program` can be written, and
/// `error` is null or can be.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nesl_compile(
    session: *const SessionHandle,
    text: *const c_char,
    length: usize,
    program: *mut *mut ProgramHandle,
    error: *mut *mut ErrorList,
) -> c_int {
    // SAFETY: as the caller says.
    let made = unsafe {
        guarded(error, || {
            let missing = |what: &str| ErrorList::input(format!("{what} is a null pointer"));
            let to = program.as_mut().ok_or_else(|| missing("where the program is to go"))?;
            *to = ptr::null_mut();
            let session = session.as_ref().ok_or_else(|| missing("the session"))?;
            if text.is_null() && length > 0 {
                return Err(missing("the text"));
            }
            let text = match length {
                0 => &[],
                _ => std::slice::from_raw_parts(text.cast::<u8>(), length),
            };
            let made = session.0.compile_named("program", text)?;
            *to = Box::into_raw(Box::new(ProgramHandle(made)));
            Ok(())
        })
    };
    status(made)
}

/// Lets a program go; callables of it go on.
///
/// # Safety
///
/// `program` is null or a program that was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nesl_program_free(program: *mut ProgramHandle) {
    // SAFETY: as the caller says.
    unsafe { free(program) };
}

/// A function by its name.
///
/// # Safety
///
/// `program` is null or a program, `name` null or a text of C; `error` is null or can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nesl_function(
    program: *const ProgramHandle,
    name: *const c_char,
    error: *mut *mut ErrorList,
) -> *mut CallableHandle {
    // SAFETY: as the caller says.
    let made = unsafe {
        guarded(error, || {
            let program = program.as_ref();
            let program =
                program.ok_or_else(|| ErrorList::input("the program is a null pointer"))?;
            if name.is_null() {
                return Err(ErrorList::input("the name is a null pointer"));
            }
            let name = CStr::from_ptr(name).to_string_lossy();
            Ok(Box::new(CallableHandle(program.0.function(&name)?)))
        })
    };
    made.map_or(ptr::null_mut(), Box::into_raw)
}

/// Lets a callable go.
///
/// # Safety
///
/// `callable` is null or a callable that was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nesl_callable_free(callable: *mut CallableHandle) {
    // SAFETY: as the caller says.
    unsafe { free(callable) };
}
