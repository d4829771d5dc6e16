//! Results: sequences that stay in the memory of the program that made them.

use crate::dlpack;
use crate::error::{input, memory, of_arrow};
use arrow::{ArrowArray, ArrowSchema, Found, Sizes};
use prim::{Const, Ty, Width, Widths};
use pyo3::exceptions::{PyAttributeError, PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyList, PySlice, PyString, PyTuple};
use std::sync::Arc;
use types::Type;
use value::print::Style;
use value::{Column, Columns, OutOfMemory, Shape, Typed};

/// A sequence: some lanes of columns.
#[pyclass(frozen, module = "nesl")]
pub(crate) struct Array {
    elements: Columns,
    shape: Shape,
    start: usize,
    len: usize,
}

/// A struct of Arrow in a capsule.
#[repr(transparent)]
struct Handed<T>(T);
// SAFETY: the structs own what they refer to, which nobody writes.
unsafe impl Send for Handed<ArrowSchema> {}
// SAFETY: as above.
unsafe impl Send for Handed<ArrowArray> {}

/// The value in a lane as an object of Python.
pub(crate) fn object(
    py: Python<'_>,
    columns: &Columns,
    shape: &Shape,
    lane: usize,
) -> PyResult<Py<PyAny>> {
    match (shape, columns) {
        (Shape::Data { fields, .. }, _) => object(py, columns, fields, lane),
        (Shape::Scalar(_), Columns::Scalar(column)) => Ok(match column.get(lane) {
            Const::I64(int) => int.into_pyobject(py)?.into_any().unbind(),
            Const::F64(float) => float.into_pyobject(py)?.into_any().unbind(),
            Const::Bool(bool) => bool.into_pyobject(py)?.to_owned().into_any().unbind(),
            Const::Char(char) => text(py, &[char]),
        }),
        (Shape::Tuple(shapes), Columns::Tuple(parts)) => {
            let parts = parts.iter().zip(shapes).map(|(part, shape)| object(py, part, shape, lane));
            Ok(PyTuple::new(py, parts.collect::<PyResult<Vec<_>>>()?)?.into_any().unbind())
        }
        (Shape::Seq(element), Columns::Seq { offsets, elements }) => {
            let (start, end) = (offset(offsets, lane), offset(offsets, lane + 1));
            if let (true, Columns::Scalar(chars)) = (shape.is_string(), &**elements) {
                return Ok(text(py, &chars.bytes()[start..end]));
            }
            let (elements, shape) = ((**elements).clone(), (**element).clone());
            let array = Array { elements, shape, start, len: end - start };
            Ok(Py::new(py, array)?.into_any())
        }
        _ => Err(input(py, "the result is a function, which is no data")),
    }
}

fn text(py: Python<'_>, bytes: &[u8]) -> Py<PyAny> {
    let text: String = bytes.iter().copied().map(char::from).collect();
    PyString::new(py, &text).into_any().unbind()
}

fn offset(offsets: &Column, lane: usize) -> usize {
    usize::try_from(offsets.int(lane)).unwrap_or(0)
}

/// Some lanes of columns, in the same memory but for offsets that do not begin at 0.
fn lanes(columns: &Columns, start: usize, len: usize) -> Result<Columns, OutOfMemory> {
    Ok(match columns {
        Columns::Scalar(column) => {
            let at = column.bytes.as_ptr().wrapping_add(start * column.size());
            let owner = Arc::new(Arc::clone(&column.bytes));
            // SAFETY: the column has these lanes, its buffer keeps them, and it is shared.
            Columns::Scalar(unsafe { Column::foreign(column.ty, column.widths, at, len, owner) }?)
        }
        Columns::Tuple(parts) => Columns::Tuple(
            parts.iter().map(|part| lanes(part, start, len)).collect::<Result<_, _>>()?,
        ),
        Columns::Seq { offsets, elements } => {
            let own = offsets.ints_of(start..start + len + 1);
            let first = own[0];
            let moved: Vec<i64> = own.iter().map(|&at| at - first).collect();
            let (from, to) = (offset(offsets, start), offset(offsets, start + len));
            Columns::Seq {
                offsets: Column::of_ints(offsets.widths, &moved)?,
                elements: Box::new(lanes(elements, from, to - from)?),
            }
        }
    })
}

/// The type of values of a shape; that of its fields for a datatype.
fn type_of(shape: &Shape) -> Option<Type> {
    Some(match shape {
        Shape::Scalar(ty) => Type::Base(*ty),
        Shape::Seq(element) => Type::Seq(type_of(element)?.into()),
        Shape::Data { fields, .. } => type_of(fields)?,
        Shape::Tuple(parts) => {
            let mut types = parts.iter().rev().map(type_of);
            let last = types.next()??;
            types.try_fold(last, |rest, ty| Some(Type::Pair(ty?.into(), rest.into())))?
        }
        Shape::Function => return None,
    })
}

impl Array {
    /// The rows as an argument of this name, with numbers of some widths.
    pub(crate) fn rows(&self, py: Python<'_>, widths: Widths, name: &str) -> PyResult<Typed> {
        let columns = self.own(py)?;
        if columns.widths() != widths {
            let failed = |error| of_arrow(py, name, &error);
            let exported = arrow::export_rows(&self.shape, &columns, self.len);
            let (schema, array) = exported.map_err(failed)?;
            // SAFETY: what is exported is as the interface says.
            return unsafe { arrow::import(&schema, array, widths) }.map_err(failed);
        }
        let ty = type_of(&self.shape).ok_or_else(|| input(py, "a function is no data"))?;
        Typed::rows(ty, columns).map_err(|error| input(py, error.to_string()))
    }

    /// Adds the widths of its numbers to those that were found.
    pub(crate) fn note(&self, found: &mut Found) {
        let Widths { int, float } = self.elements.widths();
        let add = |sizes: &mut Sizes, width| match width {
            Width::W32 => sizes.narrow = true,
            Width::W64 => sizes.wide = true,
        };
        let mut pending = vec![&self.shape];
        while let Some(shape) = pending.pop() {
            match shape {
                Shape::Scalar(Ty::I64) => add(&mut found.ints, int),
                Shape::Scalar(Ty::F64) => add(&mut found.floats, float),
                Shape::Scalar(_) | Shape::Function => {}
                Shape::Seq(element) => pending.push(element),
                Shape::Data { fields, .. } => pending.push(fields),
                Shape::Tuple(parts) => pending.extend(parts),
            }
        }
    }

    fn own(&self, py: Python<'_>) -> PyResult<Columns> {
        lanes(&self.elements, self.start, self.len).map_err(|error| memory(py, error))
    }

    /// The column at the bottom, the place of its first element, and the extents above it, if all
    /// rows are of one length.
    pub(crate) fn regular(&self) -> Option<(&Column, usize, Vec<usize>)> {
        let (mut columns, mut start, mut len) = (&self.elements, self.start, self.len);
        let mut extents = vec![len];
        loop {
            match columns {
                Columns::Scalar(column) => return Some((column, start, extents)),
                Columns::Tuple(_) => return None,
                Columns::Seq { offsets, elements } => {
                    let own = offsets.ints_of(start..start + len + 1);
                    let width = if len > 0 { own[1] - own[0] } else { 0 };
                    if own.windows(2).any(|pair| pair[1] - pair[0] != width) {
                        return None;
                    }
                    (start, len) = (offset(offsets, start), len * usize::try_from(width).ok()?);
                    extents.push(usize::try_from(width).ok()?);
                    columns = elements;
                }
            }
        }
    }
}

#[pymethods]
impl Array {
    fn __len__(&self) -> usize {
        self.len
    }

    fn __getitem__(&self, py: Python<'_>, key: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        if let Ok(slice) = key.cast::<PySlice>() {
            let it = slice.indices(self.len.cast_signed())?;
            if it.step != 1 {
                return Err(PyValueError::new_err("slices of a nesl.Array have step 1"));
            }
            let (elements, shape) = (self.elements.clone(), self.shape.clone());
            let start = self.start + it.start.cast_unsigned();
            let array = Array { elements, shape, start, len: it.slicelength };
            return Ok(Py::new(py, array)?.into_any());
        }
        let index: isize = key.extract()?;
        let len = self.len.cast_signed();
        let at = if index < 0 { index + len } else { index };
        if at < 0 || at >= len {
            let message = format!("index {index} is outside a sequence of length {len}");
            return Err(PyIndexError::new_err(message));
        }
        object(py, &self.elements, &self.shape, self.start + at.cast_unsigned())
    }

    /// The type as NESL writes it.
    #[getter(r#type)]
    pub(crate) fn ty(&self) -> String {
        format!("[{}]", self.shape)
    }

    /// Nested lists of the elements.
    fn tolist(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let list = PyList::empty(py);
        for lane in self.start..self.start + self.len {
            list.append(listed(py, object(py, &self.elements, &self.shape, lane)?)?)?;
        }
        Ok(list.into_any().unbind())
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        const SHOWN: usize = 8;
        let shown = lanes(&self.elements, self.start, self.len.min(SHOWN));
        let shown = shown.map_err(|error| memory(py, error))?;
        let parts = (0..shown.lanes()).map(|lane| {
            let part = shown.show(&self.shape, lane, Style::shown(SHOWN));
            String::from_utf8_lossy(&part).into_owned()
        });
        let mut parts: Vec<String> = parts.collect();
        if self.len > SHOWN {
            parts.push(format!("… {} more", self.len - SHOWN));
        }
        Ok(format!("nesl.Array([{}], type='{}')", parts.join(", "), self.ty()))
    }

    /// A NumPy array over the memory of a flat or regular array; a ragged one raises ValueError.
    fn to_numpy<'py>(slf: Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("nesl")?.call_method1("to_numpy", (slf,))
    }

    /// An array of Awkward over the same memory.
    fn to_awkward<'py>(slf: Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("nesl")?.call_method1("to_awkward", (slf,))
    }

    /// A table of the first elements, for notebooks.
    fn _repr_html_<'py>(slf: Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("nesl._show")?.call_method1("table", (slf,))
    }

    /// The memory of a flat or regular array, as NumPy reads it.
    #[getter]
    fn __array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let Some((column, start, extents)) = self.regular() else {
            let message = format!("a {} is not flat and regular: use to_awkward()", self.ty());
            return Err(PyAttributeError::new_err(message));
        };
        let kind = match (column.ty, column.widths.int, column.widths.float) {
            (Ty::I64, Width::W64, _) => "<i8",
            (Ty::I64, Width::W32, _) => "<i4",
            (Ty::F64, _, Width::W64) => "<f8",
            (Ty::F64, _, Width::W32) => "<f4",
            (Ty::Bool, ..) => "|b1",
            (Ty::Char, ..) => "|u1",
        };
        let at = column.bytes.as_ptr().wrapping_add(start * column.size());
        let interface = PyDict::new(py);
        interface.set_item("version", 3)?;
        interface.set_item("typestr", kind)?;
        interface.set_item("shape", PyTuple::new(py, extents)?)?;
        interface.set_item("data", (at.expose_provenance(), true))?;
        Ok(interface)
    }

    /// A tensor over the memory of a flat or regular array, for `from_dlpack` of other libraries.
    #[pyo3(signature = (*, stream=None, max_version=None, dl_device=None, copy=None))]
    fn __dlpack__<'py>(
        slf: &Bound<'py, Self>,
        stream: Option<&Bound<'py, PyAny>>,
        max_version: Option<(u32, u32)>,
        dl_device: Option<(i32, i32)>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // A stream is for consumers on a GPU: on the cores a result is there when a call returns.
        let _ = stream;
        dlpack::exported(slf, max_version, dl_device, copy)
    }

    /// The kind and the number of the device: the cores.
    #[expect(clippy::unused_self, reason = "the protocol asks an array")]
    fn __dlpack_device__(&self) -> (i32, i32) {
        dlpack::CORES
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        // The interface leaves it to the producer if it can give another schema than its own.
        let _ = requested_schema;
        let exported = arrow::export_rows(&self.shape, &self.own(py)?, self.len);
        let (schema, array) = exported.map_err(|error| of_arrow(py, "result", &error))?;
        Ok((
            PyCapsule::new_with_value(py, Handed(schema), c"arrow_schema")?,
            PyCapsule::new_with_value(py, Handed(array), c"arrow_array")?,
        ))
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        Ok(self.__arrow_c_array__(py, None)?.0)
    }

    /// The parts of the elements, for other libraries' arrays: a flat array, the parts of a tuple,
    /// or offsets and elements.
    fn _parts(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let mut shape = &self.shape;
        while let Shape::Data { fields, .. } = shape {
            shape = fields;
        }
        let of = |elements: &Columns, shape: &Shape, start, len| {
            let (elements, shape) = (elements.clone(), shape.clone());
            Py::new(py, Array { elements, shape, start, len })
        };
        let parts = match (shape, &self.elements) {
            (Shape::Seq(element), Columns::Seq { offsets, elements }) => {
                let ints = Shape::Scalar(Ty::I64);
                let own = Columns::Scalar(offsets.clone());
                let own = of(&own, &ints, self.start, self.len + 1)?;
                let within = offset(offsets, self.start + self.len);
                let inner = of(elements, element, 0, within)?;
                ("list", shape.is_string(), own, inner).into_pyobject(py)?
            }
            (Shape::Tuple(shapes), Columns::Tuple(parts)) => {
                let parts = parts.iter().zip(shapes);
                let parts = parts.map(|(part, shape)| of(part, shape, self.start, self.len));
                let parts = PyList::new(py, parts.collect::<PyResult<Vec<_>>>()?)?;
                return Ok(("tuple", parts).into_pyobject(py)?.into_any().unbind());
            }
            _ => return Ok(("flat",).into_pyobject(py)?.into_any().unbind()),
        };
        Ok(parts.into_any().unbind())
    }
}

/// A value in which arrays are lists.
fn listed(py: Python<'_>, value: Py<PyAny>) -> PyResult<Py<PyAny>> {
    let bound = value.bind(py);
    if let Ok(array) = bound.cast::<Array>() {
        return array.get().tolist(py);
    }
    if let Ok(tuple) = bound.cast::<PyTuple>() {
        let parts = tuple.iter().map(|part| listed(py, part.unbind()));
        return Ok(PyTuple::new(py, parts.collect::<PyResult<Vec<_>>>()?)?.into_any().unbind());
    }
    Ok(value)
}
