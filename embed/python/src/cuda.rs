//! Arrays on a GPU, by the dictionary in which CuPy, Numba and PyTorch describe them.

use crate::array::Array;
use crate::error::input;
use crate::strided::{Kind, Placed, Strided};
use prim::{Ty, Width};
use pyo3::exceptions::PyAttributeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::sync::Arc;
use value::remote::After;

/// An array by its description.
pub(crate) fn placed(
    value: &Bound<'_, PyAny>,
    interface: &Bound<'_, PyDict>,
    name: &str,
) -> PyResult<Placed> {
    let py = value.py();
    let wrong = |what: String| input(py, format!("`{name}`: {what}"));
    let item = |key: &str| {
        let item = interface.get_item(key)?;
        item.ok_or_else(|| wrong(format!("its `__cuda_array_interface__` lacks `{key}`")))
    };
    let ty: String = item("typestr")?.extract()?;
    let shape: Vec<usize> = item("shape")?.extract()?;
    let (data, _): (usize, bool) = item("data")?.extract()?;
    let optional = |key: &str| Ok::<_, PyErr>(interface.get_item(key)?.filter(|it| !it.is_none()));
    let strides = optional("strides")?.map(|strides| strides.extract()).transpose()?;
    if optional("mask")?.is_some() {
        return Err(wrong("it is masked, and NESL has no nulls".to_owned()));
    }
    let stream: Option<u64> = optional("stream")?.map(|stream| stream.extract()).transpose()?;
    let kind = match ty.as_bytes() {
        [b'<' | b'|', b'i', ..] => Kind::Int,
        [b'<' | b'|', b'u', ..] => Kind::Unsigned,
        [b'<' | b'|', b'f', ..] => Kind::Float,
        [b'<' | b'|', b'b', ..] => Kind::Bool,
        _ => return Err(wrong(format!("elements of type {ty} cannot be taken"))),
    };
    let size = ty.get(2..).and_then(|size| size.parse().ok()).unwrap_or(0);
    let after = stream.map_or(After::Nothing, After::Stream);
    // The interface does not tell the GPU; libraries know it by another name.
    let number = match value.getattr_opt("__dlpack_device__")? {
        Some(device) => device.call0()?.extract::<(i32, usize)>()?.1,
        None => 0,
    };
    let data = std::ptr::with_exposed_provenance(data);
    let strided = Strided { kind, size, shape, strides, data, gpu: Some((number, after)) };
    let owner = Arc::new(value.clone().unbind());
    // SAFETY: the description says so; whoever calls lets nobody write during a call.
    unsafe { strided.placed(py, owner, name) }
}

/// The description of a flat or regular array in the memory of a GPU.
pub(crate) fn interface<'py>(py: Python<'py>, array: &Array) -> PyResult<Bound<'py, PyDict>> {
    let found = array.regular().and_then(|(column, start, extents)| {
        Some((column, start, extents, column.bytes.as_remote()?))
    });
    let Some((column, start, extents, remote)) = found else {
        let message = format!("a {} is not flat, or not in the memory of a GPU", array.ty());
        return Err(PyAttributeError::new_err(message));
    };
    let interface = PyDict::new(py);
    interface.set_item("version", 3)?;
    interface.set_item("typestr", typestr(column.ty, column.widths.int, column.widths.float))?;
    interface.set_item("shape", PyTuple::new(py, extents)?)?;
    // Consumers refuse memory that is said to be read only, and trust their users.
    interface.set_item("data", (remote.address() + (start * column.size()) as u64, false))?;
    // The call that made it has waited.
    interface.set_item("stream", py.None())?;
    Ok(interface)
}

/// The type of elements as NumPy writes it.
pub(crate) fn typestr(ty: Ty, int: Width, float: Width) -> &'static str {
    match (ty, int, float) {
        (Ty::I64, Width::W64, _) => "<i8",
        (Ty::I64, Width::W32, _) => "<i4",
        (Ty::F64, _, Width::W64) => "<f8",
        (Ty::F64, _, Width::W32) => "<f4",
        (Ty::Bool, ..) => "|b1",
        (Ty::Char, ..) => "|u1",
    }
}
