//! Tensors by DLPack, version 1: arrays of n dimensions that libraries hand to each other.
//!
//! A capsule has a tensor until a consumer takes it, which renames the capsule and calls the
//! tensor's deleter when it is done.

use crate::array::Array;
use crate::error::{input, memory};
use crate::strided::{Kind, Placed, Strided};
use prim::{Ty, Width};
use pyo3::exceptions::{PyBufferError, PyTypeError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict};
use std::ffi::{CStr, c_void};
use std::sync::Arc;
use value::Buffer;
use value::buffer::Owner;

/// The memory of the cores, as DLPack numbers devices.
pub(crate) const CORES: (i32, i32) = (1, 0);

/// The newest version that is known.
const VERSION: (u32, u32) = (1, 1);
const READ_ONLY: u64 = 1;
const COPIED: u64 = 2;

const NEW: &CStr = c"dltensor_versioned";
const NEW_USED: &CStr = c"used_dltensor_versioned";
const OLD: &CStr = c"dltensor";
const OLD_USED: &CStr = c"used_dltensor";

#[repr(C)]
#[derive(Clone, Copy)]
struct ElementType {
    code: u8,
    bits: u8,
    lanes: u16,
}

#[repr(C)]
struct Tensor {
    data: *mut c_void,
    device: [i32; 2],
    dimensions: i32,
    element: ElementType,
    shape: *mut i64,
    /// In elements; null if elements lie one after the other.
    strides: *mut i64,
    offset: u64,
}

/// A tensor as libraries before version 1 hand it over.
#[repr(C)]
struct Plain {
    tensor: Tensor,
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut Plain)>,
}

#[repr(C)]
struct Versioned {
    version: [u32; 2],
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut Versioned)>,
    flags: u64,
    tensor: Tensor,
}

/// A tensor that was taken, which is deleted with this.
struct Used<T: Deleted>(*mut T);

trait Deleted {
    /// # Safety
    ///
    /// The tensor was taken, and nobody uses it any more.
    unsafe fn delete(it: *mut Self);
}

impl Deleted for Plain {
    unsafe fn delete(it: *mut Plain) {
        // SAFETY: as the caller says.
        if let Some(deleter) = unsafe { (*it).deleter } {
            unsafe { deleter(it) };
        }
    }
}

impl Deleted for Versioned {
    unsafe fn delete(it: *mut Versioned) {
        // SAFETY: as the caller says.
        if let Some(deleter) = unsafe { (*it).deleter } {
            unsafe { deleter(it) };
        }
    }
}

// SAFETY: the tensor is only read; the standard asks deleters to be callable from any thread.
unsafe impl<T: Deleted> Send for Used<T> {}
// SAFETY: as above.
unsafe impl<T: Deleted> Sync for Used<T> {}

impl<T: Deleted> Drop for Used<T> {
    fn drop(&mut self) {
        // SAFETY: it was taken, and this is dropped when nobody uses it.
        unsafe { T::delete(self.0) };
    }
}

/// The tensor that a method gives, as an argument of this name.
pub(crate) fn placed(
    value: &Bound<'_, PyAny>,
    method: &Bound<'_, PyAny>,
    name: &str,
) -> PyResult<Placed> {
    let py = value.py();
    if let Some(device) = value.getattr_opt("__dlpack_device__")? {
        let (kind, number): (i32, i32) = device.call0()?.extract()?;
        // Pinned memory is the cores', too.
        if !matches!(kind, 1 | 3) {
            let message = format!(
                "`{name}`: it is in memory of device {number} of DLPack's type {kind}, which is not \
                 taken yet: copy it to memory of the cores"
            );
            return Err(input(py, message));
        }
    }
    let options = PyDict::new(py);
    options.set_item("max_version", VERSION)?;
    let capsule = match method.call((), Some(&options)) {
        Err(error) if error.is_instance_of::<PyTypeError>(py) => method.call0()?,
        done => done?,
    };
    let capsule = capsule.cast::<PyCapsule>()?;
    // SAFETY: capsules of these names have such structs, which are ours as soon as the name says
    // so.
    unsafe {
        if let Ok(found) = capsule.pointer_checked(Some(NEW)) {
            let it = found.cast::<Versioned>().as_ptr();
            if (*it).version[0] != VERSION.0 {
                let version = (*it).version[0];
                return Err(input(py, format!("`{name}`: a tensor of DLPack {version}")));
            }
            used(capsule, NEW_USED)?;
            return taken(py, &(*it).tensor, Arc::new(Used(it)), name);
        }
        let it = capsule.pointer_checked(Some(OLD))?.cast::<Plain>().as_ptr();
        used(capsule, OLD_USED)?;
        taken(py, &(*it).tensor, Arc::new(Used(it)), name)
    }
}

/// Says that the tensor of a capsule was taken.
fn used(capsule: &Bound<'_, PyCapsule>, name: &'static CStr) -> PyResult<()> {
    // SAFETY: the capsule is one, and the name lives as long as the program.
    let status = unsafe { ffi::PyCapsule_SetName(capsule.as_ptr(), name.as_ptr()) };
    if status == 0 { Ok(()) } else { Err(PyErr::fetch(capsule.py())) }
}

/// # Safety
///
/// The tensor is as the standard says, and its owner keeps its memory.
unsafe fn taken(py: Python<'_>, it: &Tensor, owner: Owner, name: &str) -> PyResult<Placed> {
    let ElementType { code, bits, lanes } = it.element;
    let kind = match code {
        0 => Kind::Int,
        1 => Kind::Unsigned,
        2 => Kind::Float,
        6 => Kind::Bool,
        _ => {
            let message = format!("`{name}`: elements of DLPack's type {code} with {bits} bits");
            return Err(input(py, message));
        }
    };
    if lanes != 1 || bits % 8 != 0 {
        return Err(input(py, format!("`{name}`: elements of {lanes} parts of {bits} bits")));
    }
    let size = usize::from(bits / 8);
    let dimensions = usize::try_from(it.dimensions).unwrap_or(0);
    // SAFETY: there is one for each dimension.
    let ints = |at: *const i64| (0..dimensions).map(move |n| unsafe { at.add(n).read() });
    let shape = ints(it.shape).map(|extent| usize::try_from(extent).unwrap_or(0)).collect();
    let strides = (!it.strides.is_null()).then(|| {
        let bytes = |stride: i64| isize::try_from(stride).unwrap_or(0) * size.cast_signed();
        ints(it.strides).map(bytes).collect()
    });
    let offset = usize::try_from(it.offset).unwrap_or(0);
    let data = it.data.cast::<u8>().cast_const().wrapping_add(offset);
    // SAFETY: as the caller says.
    unsafe { Strided { kind, size, shape, strides, data }.placed(py, owner, name) }
}

/// The parts of a tensor that was handed over.
struct Kept {
    shape: Vec<i64>,
    strides: Vec<i64>,
    _memory: Arc<Buffer>,
}

/// A tensor over the memory of an array in a capsule.
pub(crate) fn exported<'py>(
    array: &Bound<'py, Array>,
    max_version: Option<(u32, u32)>,
    device: Option<(i32, i32)>,
    copy: Option<bool>,
) -> PyResult<Bound<'py, PyCapsule>> {
    let py = array.py();
    if device.is_some_and(|device| device != CORES) {
        return Err(PyBufferError::new_err("a nesl.Array is in memory of the cores"));
    }
    let Some((column, start, extents)) = array.get().regular() else {
        let message = format!("a {} is not flat and regular: use to_awkward()", array.get().ty());
        return Err(PyBufferError::new_err(message));
    };
    let (code, bits) = match (column.ty, column.widths.int, column.widths.float) {
        (Ty::I64, Width::W64, _) => (0, 64),
        (Ty::I64, Width::W32, _) => (0, 32),
        (Ty::F64, _, Width::W64) => (2, 64),
        (Ty::F64, _, Width::W32) => (2, 32),
        (Ty::Bool, ..) => (6, 8),
        (Ty::Char, ..) => (1, 8),
    };
    let versioned = max_version.is_some_and(|(major, _)| major >= 1);
    let size = column.size();
    let mut memory_of = Arc::clone(&column.bytes);
    let mut from = start * size;
    // Libraries before version 1 cannot be told that memory is only to be read.
    let copies = copy == Some(true) || !versioned;
    if copies && copy == Some(false) {
        let message = "memory that is only read cannot be given without a copy before DLPack 1";
        return Err(PyBufferError::new_err(message));
    }
    if copies {
        let count: usize = extents.iter().product();
        let bytes = &column.bytes.as_slice()[from..from + count * size];
        let copied = Buffer::copy_of(bytes).map_err(|error| memory(py, error))?;
        (memory_of, from) = (Arc::new(copied), 0);
    }
    let data = memory_of.as_ptr().wrapping_add(from).cast_mut().cast();
    let shape: Vec<i64> = extents.iter().map(|&extent| extent as i64).collect();
    let mut strides = vec![1; shape.len()];
    for n in (1..shape.len()).rev() {
        strides[n - 1] = strides[n] * shape[n].max(1);
    }
    let mut kept = Box::new(Kept { shape, strides, _memory: memory_of });
    let tensor = Tensor {
        data,
        device: [CORES.0, CORES.1],
        dimensions: i32::try_from(extents.len()).unwrap_or(0),
        element: ElementType { code, bits, lanes: 1 },
        shape: kept.shape.as_mut_ptr(),
        strides: kept.strides.as_mut_ptr(),
        offset: 0,
    };
    let context = Box::into_raw(kept).cast();
    if versioned {
        let flags = if copies { COPIED } else { READ_ONLY };
        let version = [VERSION.0, VERSION.1];
        let deleter: Option<unsafe extern "C" fn(*mut Versioned)> = Some(delete_versioned);
        let it = Box::new(Versioned { version, context, deleter, flags, tensor });
        return capsule(py, Box::into_raw(it).cast(), NEW, drop_versioned);
    }
    let it = Box::new(Plain { tensor, context, deleter: Some(delete_plain) });
    capsule(py, Box::into_raw(it).cast(), OLD, drop_plain)
}

fn capsule<'py>(
    py: Python<'py>,
    it: *mut c_void,
    name: &'static CStr,
    destructor: unsafe extern "C" fn(*mut ffi::PyObject),
) -> PyResult<Bound<'py, PyCapsule>> {
    // SAFETY: the name lives as long as the program, and the destructor is that of the struct.
    unsafe {
        let made = ffi::PyCapsule_New(it, name.as_ptr(), Some(destructor));
        Ok(Bound::from_owned_ptr_or_err(py, made)?.cast_into()?)
    }
}

unsafe extern "C" fn delete_plain(it: *mut Plain) {
    // SAFETY: made by `exported`; whoever has the tensor deletes it once.
    let it = unsafe { Box::from_raw(it) };
    // SAFETY: as above.
    drop(unsafe { Box::from_raw(it.context.cast::<Kept>()) });
}

unsafe extern "C" fn delete_versioned(it: *mut Versioned) {
    // SAFETY: as above.
    let it = unsafe { Box::from_raw(it) };
    // SAFETY: as above.
    drop(unsafe { Box::from_raw(it.context.cast::<Kept>()) });
}

/// The pointer of a capsule whose tensor nobody has taken.
unsafe fn untaken(capsule: *mut ffi::PyObject, name: &CStr) -> Option<*mut c_void> {
    // SAFETY: Python calls destructors with their capsules.
    unsafe {
        (ffi::PyCapsule_IsValid(capsule, name.as_ptr()) == 1)
            .then(|| ffi::PyCapsule_GetPointer(capsule, name.as_ptr()))
    }
}

unsafe extern "C" fn drop_plain(capsule: *mut ffi::PyObject) {
    // SAFETY: as the names say.
    unsafe { untaken(capsule, OLD).into_iter().for_each(|it| delete_plain(it.cast())) };
}

unsafe extern "C" fn drop_versioned(capsule: *mut ffi::PyObject) {
    // SAFETY: as the names say.
    unsafe { untaken(capsule, NEW).into_iter().for_each(|it| delete_versioned(it.cast())) };
}
