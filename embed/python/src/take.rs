//! Arguments, by what they offer: our own arrays, Arrow's capsules, memory as NumPy describes it,
//! and values of Python's own types.
//!
//! Memory of the caller is taken where it lies if its elements are those of a column and follow
//! each other; its owner is kept until the call is over.

use crate::array::Array;
use crate::error::{input, memory, of_arrow};
use crate::lists;
use arrow::{ArrowArray, ArrowArrayStream, ArrowSchema};
use nesl::Argument;
use prim::{Ty, Widths};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict};
use std::sync::Arc;
use types::Type;
use value::{Column, Columns, Typed};

/// Rows that were put together from the parts of another library's array.
#[pyclass(frozen)]
pub(crate) struct Rows(Typed);

/// An argument of this name.
pub(crate) fn argument(value: &Bound<'_, PyAny>, name: &str, widths: Widths) -> PyResult<Argument> {
    let py = value.py();
    if let Ok(array) = value.cast::<Array>() {
        let rows = array.get().rows(py)?;
        return Ok(Argument::Memory(rows.sequence().map_err(|error| memory(py, error))?));
    }
    if let Ok(rows) = value.cast::<Rows>() {
        let sequence = rows.get().0.sequence().map_err(|error| memory(py, error))?;
        return Ok(Argument::Memory(sequence));
    }
    if let Some(method) = value.getattr_opt("__arrow_c_array__")? {
        return from_arrow(&method.call0()?, name, widths).map(Argument::Rows);
    }
    if let Some(method) = value.getattr_opt("__arrow_c_stream__")? {
        return from_stream(&method.call0()?, name, widths).map(Argument::Rows);
    }
    if let Some(interface) = value.getattr_opt("__array_interface__")? {
        let interface = interface.cast_into::<PyDict>()?;
        let typed = described(value, &interface, name, widths)?;
        return Ok(Argument::Memory(typed));
    }
    lists::taken(value, name, widths)
}

fn from_arrow(pair: &Bound<'_, PyAny>, name: &str, widths: Widths) -> PyResult<Typed> {
    let (schema, array): (Bound<'_, PyCapsule>, Bound<'_, PyCapsule>) = pair.extract()?;
    let schema = schema.pointer_checked(Some(c"arrow_schema"))?.cast::<ArrowSchema>();
    let mut array = array.pointer_checked(Some(c"arrow_array"))?.cast::<ArrowArray>();
    // SAFETY: capsules of these names have such structs, which are ours to move out, and their
    // producer keeps the memory until they are released.
    let rows = unsafe { arrow::import(schema.as_ref(), array.as_mut().take(), widths) };
    rows.map_err(|error| of_arrow(pair.py(), name, &error))
}

/// The rows of all arrays of a stream: a column in several pieces, or a table.
fn from_stream(stream: &Bound<'_, PyAny>, name: &str, widths: Widths) -> PyResult<Typed> {
    let capsule = stream.cast::<PyCapsule>()?;
    let pointer = capsule.pointer_checked(Some(c"arrow_array_stream"))?;
    let mut pointer = pointer.cast::<ArrowArrayStream>();
    // SAFETY: a capsule of this name has such a struct, which is ours to move out.
    let rows = unsafe { arrow::import_stream(pointer.as_mut().take(), widths) };
    rows.map_err(|error| of_arrow(stream.py(), name, &error))
}

/// An array of n dimensions, by the dictionary in which NumPy describes it.
fn described(
    value: &Bound<'_, PyAny>,
    interface: &Bound<'_, PyDict>,
    name: &str,
    widths: Widths,
) -> PyResult<Typed> {
    let py = value.py();
    let wrong = |what: &str| input(py, format!("`{name}`: {what}"));
    let item = |key: &str| interface.get_item(key)?.ok_or_else(|| wrong("it lacks its shape"));
    let kind: String = item("typestr")?.extract()?;
    let shape: Vec<usize> = item("shape")?.extract()?;
    if value.hasattr("mask")? {
        return Err(wrong("it is masked, and NESL has no nulls"));
    }
    let ty = match kind.as_str() {
        "<i8" => Ty::I64,
        "<f8" => Ty::F64,
        "|b1" => Ty::Bool,
        "<i4" | "<i2" | "|i1" | "<u4" | "<u2" | "|u1" => return cast(value, "int64", name, widths),
        "<f4" | "<f2" => return cast(value, "float64", name, widths),
        "<u8" => {
            let fits = shape.contains(&0) || value.call_method0("max")?.le(i64::MAX)?;
            if !fits {
                return Err(wrong("an element is too large for an int of 64 bits"));
            }
            return cast(value, "int64", name, widths);
        }
        other if other.starts_with('>') => return Err(wrong("it is big-endian")),
        other => return Err(wrong(&format!("elements of type {other} cannot be taken"))),
    };
    if interface.get_item("strides")?.is_some_and(|strides| !strides.is_none()) {
        let copy = value.call_method0("copy")?;
        if copy.getattr("__array_interface__")?.get_item("strides")?.is_none() {
            return argued(&copy, name, widths);
        }
        let flat = copy.call_method1("ravel", ("C",))?;
        return argued(&flat.call_method1("reshape", (shape,))?, name, widths);
    }
    let (at, _): (usize, bool) = item("data")?.extract()?;
    let count = shape.iter().try_fold(1_usize, |count, &extent| count.checked_mul(extent));
    let count = count.ok_or_else(|| wrong("it has too many elements"))?;
    let data = std::ptr::with_exposed_provenance::<u8>(at);
    let owner = Arc::new(value.clone().unbind());
    // SAFETY: the description says that there are so many elements of this type in a row, and the
    // object keeps them.  NumPy's bools are 0 or 1.
    let column = unsafe { Column::foreign(ty, Widths::WIDE, data, count, owner) };
    let mut columns = Columns::Scalar(column.map_err(|error| memory(py, error))?);
    let (mut ty, mut lanes) = (Type::Base(ty), count);
    for (n, &extent) in shape.iter().enumerate().rev() {
        lanes = shape[..n].iter().product();
        let offsets: Vec<i64> = (0..=lanes).map(|row| (row * extent) as i64).collect();
        let offsets = Column::from_ints(offsets).map_err(|error| memory(py, error))?;
        columns = Columns::Seq { offsets, elements: Box::new(columns) };
        ty = Type::Seq(ty.into());
    }
    debug_assert_eq!(lanes, 1);
    Typed::value(ty, columns).map_err(|error| wrong(&error.to_string()))
}

/// The array with elements of another type, which NumPy converts.
fn cast(value: &Bound<'_, PyAny>, to: &str, name: &str, widths: Widths) -> PyResult<Typed> {
    argued(&value.call_method1("astype", (to,))?, name, widths)
}

fn argued(value: &Bound<'_, PyAny>, name: &str, widths: Widths) -> PyResult<Typed> {
    let interface = value.getattr("__array_interface__")?.cast_into::<PyDict>()?;
    described(value, &interface, name, widths)
}

/// The only sequence of a value that is given as one.
fn elements(typed: &Typed) -> Option<Typed> {
    let (Type::Seq(ty), Columns::Seq { elements, .. }) = (typed.ty(), typed.columns()) else {
        return None;
    };
    Typed::rows((**ty).clone(), (**elements).clone()).ok()
}

#[pymethods]
impl Rows {
    /// The elements of an array that describes its memory.
    #[staticmethod]
    fn of(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Rows> {
        let py = value.py();
        let rows = elements(&argued(value, name, Widths::WIDE)?);
        rows.map(Rows).ok_or_else(|| input(py, format!("`{name}`: it is no sequence")))
    }

    /// Sequences of these elements between offsets, which are int64 and begin at 0.
    #[staticmethod]
    fn lists(offsets: &Bound<'_, PyAny>, rows: &Rows, name: &str) -> PyResult<Rows> {
        let py = offsets.py();
        let own = Rows::of(offsets, name)?;
        let Columns::Scalar(offsets) = own.0.columns() else {
            return Err(input(py, format!("`{name}`: its offsets are no ints")));
        };
        let (offsets, elements) = (offsets.clone(), Box::new(rows.0.columns().clone()));
        let ty = Type::Seq(rows.0.ty().clone().into());
        let rows = Typed::rows(ty, Columns::Seq { offsets, elements });
        rows.map(Rows).map_err(|error| input(py, format!("`{name}`{error}")))
    }

    /// The same bytes as chars.
    #[staticmethod]
    fn chars(bytes: &Bound<'_, PyAny>, name: &str) -> PyResult<Rows> {
        let bools = bytes.call_method1("view", ("bool",))?;
        let py = bytes.py();
        let interface = bools.getattr("__array_interface__")?;
        let (at, _): (usize, bool) = interface.get_item("data")?.extract()?;
        let data = std::ptr::with_exposed_provenance::<u8>(at);
        let owner = Arc::new(bools.clone().unbind());
        // SAFETY: NumPy keeps so many bytes, and any byte is a char.
        let column = unsafe { Column::foreign(Ty::Char, Widths::WIDE, data, bools.len()?, owner) };
        let columns = Columns::Scalar(column.map_err(|error| memory(py, error))?);
        let rows = Typed::rows(Type::Base(Ty::Char), columns);
        rows.map(Rows).map_err(|error| input(py, format!("`{name}`{error}")))
    }

    /// Tuples of these parts.
    #[staticmethod]
    #[expect(clippy::needless_pass_by_value, reason = "arguments from Python are owned")]
    fn tuples(py: Python<'_>, parts: Vec<PyRef<'_, Rows>>, name: &str) -> PyResult<Rows> {
        let mut types = parts.iter().rev().map(|part| part.0.ty().clone());
        let last = types.next().ok_or_else(|| input(py, format!("`{name}`: an empty record")))?;
        let ty = types.fold(last, |rest, ty| Type::Pair(ty.into(), rest.into()));
        let columns = parts.iter().map(|part| part.0.columns().clone()).collect();
        let rows = Typed::rows(ty, lists::flat_tuple(columns));
        rows.map(Rows).map_err(|error| input(py, format!("`{name}`{error}")))
    }
}
