//! Calls.

use crate::error::{ErrorList, guarded};
use crate::handles::CallableHandle;
use crate::session::status;
use arrow::{ArrowArray, ArrowSchema};
use base::{Diagnostic, Files, Kind, Site};
use nesl::{Argument, Error};
use std::ffi::c_int;
use std::ptr;

/// Calls a function.
///
/// # Safety
///
/// `callable` is null or a callable.  `schemas` and `arrays` have `count` elements that are as the
/// C data interface says, each array of the type that its schema tells.  The results can be
/// written, and `error` is null or can be.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nesl_call(
    callable: *const CallableHandle,
    schemas: *const ArrowSchema,
    arrays: *mut ArrowArray,
    count: usize,
    result_schema: *mut ArrowSchema,
    result: *mut ArrowArray,
    error: *mut *mut ErrorList,
) -> c_int {
    // SAFETY: as the caller says.
    let done = unsafe {
        guarded(error, || {
            // Taken first, so that they are let go whatever fails.
            let taken: Vec<ArrowArray> = match arrays.is_null() {
                true => Vec::new(),
                false => (0..count).map(|n| (*arrays.add(n)).take()).collect(),
            };
            let missing = |what: &str| ErrorList::input(format!("{what} is a null pointer"));
            if result_schema.is_null() || result.is_null() {
                return Err(missing("where the result is to go"));
            }
            // The old contents belong to nobody.
            ptr::write(result_schema, ArrowSchema::released());
            ptr::write(result, ArrowArray::released());
            let callable = callable.as_ref().ok_or_else(|| missing("the callable"))?;
            if count > 0 && (schemas.is_null() || arrays.is_null()) {
                return Err(missing("what has the arguments"));
            }
            let (schema, array) = call(callable, schemas, taken)?;
            ptr::write(result_schema, schema);
            ptr::write(result, array);
            Ok(())
        })
    };
    status(done)
}

/// # Safety
///
/// As for [`nesl_call`].
unsafe fn call(
    handle: &CallableHandle,
    schemas: *const ArrowSchema,
    arrays: Vec<ArrowArray>,
) -> Result<(ArrowSchema, ArrowArray), Box<ErrorList>> {
    let function = &handle.0;
    let mut sources = Vec::new();
    for (n, array) in arrays.into_iter().enumerate() {
        let name = function.parameters().get(n).cloned();
        let name = name.unwrap_or_else(|| format!("argument {}", n + 1));
        // SAFETY: as the caller says.
        let rows = unsafe { arrow::import(&*schemas.add(n), array, function.widths()) };
        sources.push(Argument::Rows(rows.map_err(|error| wrong(&name, &error))?));
    }
    let result = function.call(sources)?;
    result.fetch()?;
    let exported = arrow::export(result.shape(), result.columns());
    Ok(exported.map_err(|error| wrong("result", &error))?)
}

/// The error of an array of this name.
pub(crate) fn wrong(name: &str, error: &arrow::Error) -> Error {
    let kind = match (error.memory, error.limit) {
        (true, _) => Kind::Runtime(Site::Memory),
        (_, true) => Kind::Limit,
        _ => Kind::Input,
    };
    let row = error.row.map_or(String::new(), |row| format!(" in row {row}"));
    let message = format!("`{name}{}`{row}: {}", error.path, error.reason);
    let mut told = Diagnostic::new(kind, message);
    told.lanes.extend(error.row.map(|row| row as u64));
    Error::of(&[told], &Files::new())
}
