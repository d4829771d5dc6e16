//! Arrays of the crate `arrow-array` as arguments and results of calls.

#![expect(unsafe_code, reason = "arrays are handed over as structs of C")]

use crate::error::Error;
use crate::{Argument, Function, Value};
use arrow::{ArrowArray, ArrowSchema};
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi, to_ffi};
use arrow_array::{Array, ArrayRef, make_array};
use base::{Diagnostic, Files, Kind, Site};

impl Function {
    /// Calls it with Arrow arrays, of which each is the rows of one argument, as for
    /// [`Function::call`]; a parameter that is no sequence takes an array of one row.  The result
    /// is as for [`Value::to_arrow`].  With the feature `arrow`.
    ///
    /// | Arrow | NESL | copied |
    /// |---|---|---|
    /// | int64, float64 | `int`, `float` | no |
    /// | other ints and floats, boolean | `int`, `float`, `bool` | yes |
    /// | large list | sequence | offsets that do not begin at 0 |
    /// | list, fixed-size list | sequence | the offsets |
    /// | struct | tuple | no |
    /// | strings of ASCII, binary | `[char]` | as lists |
    /// | views, dictionaries | what they stand for | yes |
    ///
    /// ```
    /// use arrow_array::{Array, Int64Array};
    ///
    /// # fn main() -> Result<(), nesl::Error> {
    /// # let options = nesl::Options { engine: nesl::Engine::Interp, ..Default::default() };
    /// # let session = nesl::Session::new(&options)?;
    /// let program = session.compile("function squares(a) = {x * x : x in a};")?;
    /// let result = program.function("squares")?.call_arrow(&[&Int64Array::from(vec![1, 2, 3])])?;
    /// assert_eq!(result.as_any().downcast_ref(), Some(&Int64Array::from(vec![1, 4, 9])));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// If an array has nulls, or is of a type that NESL does not have, with the parameter, the part
    /// and the row; if the call fails.
    pub fn call_arrow(&self, arguments: &[&dyn Array]) -> Result<ArrayRef, Error> {
        let mut sources = Vec::new();
        for (n, &array) in arguments.iter().enumerate() {
            let name = self.parameters().get(n).cloned();
            let name = name.unwrap_or_else(|| format!("argument {}", n + 1));
            sources.push(self.argument(&name, array)?);
        }
        self.call(sources)?.to_arrow()
    }

    fn argument(&self, name: &str, array: &dyn Array) -> Result<Argument, Error> {
        let exported = to_ffi(&array.to_data());
        let (array, schema) =
            exported.map_err(|error| Error::input(format!("`{name}`: {error}")))?;
        // SAFETY: both are the struct of the C data interface, and this one is moved.
        let array = unsafe { std::mem::transmute::<FFI_ArrowArray, ArrowArray>(array) };
        // SAFETY: the same, of a borrow; arrays of this crate are as the interface says, and nobody
        // writes to their memory while it is shared.
        let rows = unsafe {
            let schema = &*(&raw const schema).cast::<ArrowSchema>();
            arrow::import(schema, array, self.widths())
        };
        rows.map(Argument::Rows).map_err(|error| wrong(name, &error))
    }
}

impl Value {
    /// The value as an Arrow array: the elements of a sequence are its rows, and anything else is
    /// its only row.  Sequences inside are large lists, tuples are structs whose fields are called
    /// `0`, `1`, …, and chars are bytes (uint8).  The array shares the memory of the value; bools
    /// become bits.  With the feature `arrow`.
    ///
    /// # Errors
    ///
    /// If there is too little memory, or if the value has functions.
    pub fn to_arrow(&self) -> Result<ArrayRef, Error> {
        self.fetch()?;
        let exported = arrow::export(self.shape(), self.columns());
        let (schema, array) = exported.map_err(|error| wrong("result", &error))?;
        // SAFETY: both are the structs of the C data interface, and are moved; they are as it says.
        let imported = unsafe {
            let schema = std::mem::transmute::<ArrowSchema, FFI_ArrowSchema>(schema);
            let array = std::mem::transmute::<ArrowArray, FFI_ArrowArray>(array);
            from_ffi(array, &schema)
        };
        let data = imported.map_err(|error| Error::plain(Kind::Bug, error.to_string()))?;
        Ok(make_array(data))
    }
}

/// The error of an array of this name.
fn wrong(name: &str, error: &arrow::Error) -> Error {
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
