//! Calls whose arguments and result have any of Arrow's forms: arrays, arrays with a device,
//! streams.

use crate::call::wrong;
use crate::error::{ErrorList, guarded};
use crate::handles::CallableHandle;
use crate::session::status;
use arrow::{
    ArrowArray, ArrowArrayStream, ArrowDeviceArray, ArrowSchema, Export, Fill, Lists, Nulls,
};
use nesl::Argument as Source;
use std::ffi::c_int;
use std::ptr;

/// An argument, in one of three forms.
#[repr(C)]
#[derive(Debug)]
pub struct Argument {
    schema: *const ArrowSchema,
    array: *mut ArrowArray,
    device: *mut ArrowDeviceArray,
    stream: *mut ArrowArrayStream,
    fill: *const FillValues,
    reserved: [*const (); 3],
}

/// The place for a result, in one of three forms.
#[repr(C)]
#[derive(Debug)]
pub struct ResultPlace {
    schema: *mut ArrowSchema,
    array: *mut ArrowArray,
    device: *mut ArrowDeviceArray,
    stream: *mut ArrowArrayStream,
    flags: u64,
    reserved: [*const (); 3],
}

/// The values in place of nulls, as C gives them.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct FillValues {
    int: i64,
    float: f64,
    bool: i32,
    reserved: i32,
}

/// Lists are given as list views.
const LIST_VIEWS: u64 = 1;
/// Rows are given as structs.
const TABLE: u64 = 2;

/// The struct of Arrow that was moved out of an argument.
enum Taken {
    Array(ArrowArray),
    Device(ArrowDeviceArray),
    Stream(ArrowArrayStream),
}

/// Calls a function.
///
/// # Safety
///
/// `callable` is null or a callable.  `arguments` has `count` elements, whose pointers are null or
/// point to structs that are as Arrow's interfaces say, each array of the type that its schema
/// tells.  `result` is null or points to places that are null or can be written, and so is `error`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nesl_call_with(
    callable: *const CallableHandle,
    arguments: *const Argument,
    count: usize,
    result: *const ResultPlace,
    error: *mut *mut ErrorList,
) -> c_int {
    // SAFETY: as the caller says.
    let done = unsafe {
        guarded(error, || {
            // Taken first, so that they are let go whatever fails.
            let given = match arguments.is_null() {
                true => &[],
                false => std::slice::from_raw_parts(arguments, count),
            };
            let taken: Vec<Vec<Taken>> = given.iter().map(|argument| argument.take()).collect();
            let missing = |what: &str| ErrorList::input(format!("{what} is a null pointer"));
            let result = result.as_ref().ok_or_else(|| missing("where the result is to go"))?;
            let place = result.place()?;
            let callable = callable.as_ref().ok_or_else(|| missing("the callable"))?;
            if count > 0 && arguments.is_null() {
                return Err(missing("what has the arguments"));
            }
            call(callable, given.iter().zip(taken), &place)
        })
    };
    status(done)
}

/// # Safety
///
/// As for [`nesl_call_with`].
unsafe fn call<'a>(
    handle: &CallableHandle,
    arguments: impl Iterator<Item = (&'a Argument, Vec<Taken>)>,
    place: &Place,
) -> Result<(), Box<ErrorList>> {
    let function = &handle.0;
    let mut sources = Vec::new();
    for (n, (argument, taken)) in arguments.enumerate() {
        let name = function.parameters().get(n).cloned();
        let name = name.unwrap_or_else(|| format!("argument {}", n + 1));
        // SAFETY: as the caller says.
        let nulls = unsafe { argument.nulls() };
        let options = arrow::Options { widths: function.widths(), nulls };
        // SAFETY: as the caller says.
        sources.push(unsafe { argument.rows(taken, options, &name) }?);
    }
    let result = function.call(sources)?;
    let (shape, columns, options) = (result.shape(), result.columns(), place.options);
    let failed = |error: arrow::Error| Box::<ErrorList>::from(wrong("result", &error));
    match place.form {
        Form::Array(to_schema, to_array) => {
            result.fetch()?;
            let made = arrow::export_with(shape, columns, options);
            let (schema, array) = made.map_err(failed)?;
            // SAFETY: as the caller says.
            unsafe {
                ptr::write(to_schema, schema);
                ptr::write(to_array, array);
            }
        }
        Form::Device(to_schema, to_array) => {
            let made = arrow::export_device(shape, columns, options);
            let (schema, array) = made.map_err(failed)?;
            // SAFETY: as the caller says.
            unsafe {
                ptr::write(to_schema, schema);
                ptr::write(to_array, array);
            }
        }
        Form::Stream(to) => {
            result.fetch()?;
            let stream = arrow::export_stream(shape, columns, options).map_err(failed)?;
            // SAFETY: as the caller says.
            unsafe { ptr::write(to, stream) };
        }
    }
    Ok(())
}

impl Argument {
    /// Moves out what is there; more than one form is an error later.
    ///
    /// # Safety
    ///
    /// As for [`nesl_call_with`].
    unsafe fn take(&self) -> Vec<Taken> {
        // SAFETY: as the caller says.
        let forms = unsafe {
            [
                self.array.as_mut().map(|array| Taken::Array(array.take())),
                self.device.as_mut().map(|array| Taken::Device(array.take())),
                self.stream.as_mut().map(|stream| Taken::Stream(stream.take())),
            ]
        };
        forms.into_iter().flatten().collect()
    }

    /// # Safety
    ///
    /// As for [`nesl_call_with`].
    unsafe fn nulls(&self) -> Nulls {
        // SAFETY: as the caller says.
        let fill = unsafe { self.fill.as_ref() };
        fill.map_or(Nulls::Refuse, |&FillValues { int, float, bool, .. }| {
            Nulls::Fill(Fill { int, float, bool: bool != 0 })
        })
    }

    /// # Safety
    ///
    /// As for [`nesl_call_with`].
    unsafe fn rows(
        &self,
        mut taken: Vec<Taken>,
        options: arrow::Options,
        name: &str,
    ) -> Result<Source, Box<ErrorList>> {
        let (Some(form), true) = (taken.pop(), taken.is_empty()) else {
            let message = format!("`{name}` is not given in one of the forms");
            return Err(ErrorList::input(message));
        };
        // SAFETY: null or a schema.
        let schema = unsafe { self.schema.as_ref() };
        let typed = || {
            schema.ok_or_else(|| {
                ErrorList::input(format!("the schema of `{name}` is a null pointer"))
            })
        };
        // SAFETY: as the caller says.
        let rows = unsafe {
            match form {
                Taken::Array(array) => arrow::import(typed()?, array, options),
                Taken::Device(array) => {
                    arrow::import_device(typed()?, array, options, Some(nesl::adopt))
                }
                Taken::Stream(stream) => arrow::import_stream(stream, options),
            }
        };
        rows.map(Source::Rows).map_err(|error| wrong(name, &error).into())
    }
}

/// The destination of a result.
struct Place {
    form: Form,
    options: Export,
}

/// The form of a result, and where it goes.
enum Form {
    Array(*mut ArrowSchema, *mut ArrowArray),
    Device(*mut ArrowSchema, *mut ArrowDeviceArray),
    Stream(*mut ArrowArrayStream),
}

impl ResultPlace {
    /// The place, whose old contents belong to nobody.
    ///
    /// # Safety
    ///
    /// As for [`nesl_call_with`].
    unsafe fn place(&self) -> Result<Place, Box<ErrorList>> {
        // SAFETY: as the caller says.
        unsafe {
            if !self.schema.is_null() {
                ptr::write(self.schema, ArrowSchema::released());
            }
            if !self.array.is_null() {
                ptr::write(self.array, ArrowArray::released());
            }
            if !self.device.is_null() {
                ptr::write(self.device, ArrowDeviceArray::released());
            }
            if !self.stream.is_null() {
                ptr::write(self.stream, ArrowArrayStream::released());
            }
        }
        let [schema, array, device, stream] = [
            self.schema.is_null(),
            self.array.is_null(),
            self.device.is_null(),
            self.stream.is_null(),
        ]
        .map(|null| !null);
        let form = match (schema, array, device, stream) {
            (true, true, false, false) => Form::Array(self.schema, self.array),
            (true, false, true, false) => Form::Device(self.schema, self.device),
            (false, false, false, true) => Form::Stream(self.stream),
            _ => return Err(ErrorList::input("the result has no place in one of the forms")),
        };
        let unknown = self.flags & !(LIST_VIEWS | TABLE);
        if unknown != 0 {
            return Err(ErrorList::input(format!("there is no flag {unknown} of results")));
        }
        let views = self.flags & LIST_VIEWS != 0;
        let lists = if views { Lists::Views } else { Lists::Offsets };
        Ok(Place { form, options: Export { lists, table: self.flags & TABLE != 0 } })
    }
}
