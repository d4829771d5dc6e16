//! Arguments, by what they offer: our own arrays, Arrow's capsules, memory as NumPy describes it,
//! tensors of DLPack, and values of Python's own types.
//!
//! An argument is taken in two steps: first it is found out of which type it is and how wide its
//! numbers are; when that is known of all arguments, it becomes a value of the widths of the call.
//! Memory of the caller is taken where it lies if its elements are those of a column and follow
//! each other; its owner is kept until the call is over.

use crate::array::Array;
use crate::cuda;
use crate::dlpack;
use crate::error::{input, memory, of_arrow};
use crate::lists::{self, Growing};
use crate::strided::{Kind, Placed, Strided};
use crate::types::written;
use arrow::{
    ArrowArray, ArrowArrayStream, ArrowDeviceArray, ArrowSchema, Found, Gpu, Memory, Node, Options,
};
use nesl::Argument;
use prim::Ty;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyCapsule, PyFunction};
use std::ffi::{c_char, c_int, c_void};
use std::sync::Arc;
use types::{TyVar, Type};
use value::Typed;
use value::buffer::Owner;
use value::remote::After;
use value::typed::parts;

/// Rows that were put together from the parts of another library's array.
#[pyclass(frozen)]
pub(crate) struct Rows(Node);

/// An argument whose type and widths are known.
pub(crate) enum Taken<'py> {
    Own(Bound<'py, Array>),
    Structs { schema: ArrowSchema, array: ArrowDeviceArray, gpu: Option<Gpu>, form: Form, ty: Type },
    Stream { stream: ArrowArrayStream, ty: Type },
    Python { growing: Growing, value: Bound<'py, PyAny> },
}

/// The meaning of an array's rows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// A sequence, or the value of the only row, as the parameter wants it.
    Rows,
    /// A sequence.
    Sequence,
    /// The value of the only row.
    Value,
}

/// An argument of this name, the widths of whose numbers are added to those that were found.
pub(crate) fn argument<'py>(
    value: &Bound<'py, PyAny>,
    name: &str,
    found: &mut Found,
) -> PyResult<Taken<'py>> {
    if let Ok(array) = value.cast::<Array>() {
        array.get().note(found);
        return Ok(Taken::Own(array.clone()));
    }
    if !lists::is_plain(value) {
        // The commonest of all: what it takes to ask for anything else is saved.
        if value.get_type().name()? == "ndarray"
            && let Some(placed) = array_struct(value, name)?
        {
            return of_placed(value.py(), placed, name, found);
        }
        let value = laid_out(value, name)?;
        if let Some(taken) = offered(&value, name, found)? {
            return Ok(taken);
        }
        let growing = lists::grown(&value, name)?;
        return Ok(Taken::Python { growing, value });
    }
    Ok(Taken::Python { growing: lists::grown(value, name)?, value: value.clone() })
}

/// The same value, or rows of an array whose library has a layout of its own.
fn laid_out<'py>(value: &Bound<'py, PyAny>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    static ROWS: PyOnceLock<Py<PyFunction>> = PyOnceLock::new();
    let rows = ROWS.import(value.py(), "nesl._layouts", "rows")?;
    rows.call1((value, name))
}

/// A value by the first protocol that it offers.
fn offered<'py>(
    value: &Bound<'py, PyAny>,
    name: &str,
    found: &mut Found,
) -> PyResult<Option<Taken<'py>>> {
    let py = value.py();
    if let Ok(rows) = value.cast::<Rows>() {
        return structs(py, rows.get().0.clone(), (Form::Sequence, None), name, found).map(Some);
    }
    if let Some(placed) = array_struct(value, name)? {
        return of_placed(py, placed, name, found).map(Some);
    }
    if let Some(method) = value.getattr_opt("__arrow_c_device_array__")? {
        return from_arrow(&method.call0()?, name, found).map(Some);
    }
    if let Some(method) = value.getattr_opt("__arrow_c_array__")? {
        return from_arrow(&method.call0()?, name, found).map(Some);
    }
    if let Some(method) = value.getattr_opt("__arrow_c_stream__")? {
        return from_stream(&method.call0()?, name, found).map(Some);
    }
    if let Some(method) = value.getattr_opt("__dlpack__")? {
        let placed = dlpack::placed(value, &method, name)?;
        return of_placed(py, placed, name, found).map(Some);
    }
    if let Some(interface) = value.getattr_opt("__cuda_array_interface__")? {
        let placed = cuda::placed(value, &interface.cast_into()?, name)?;
        return of_placed(py, placed, name, found).map(Some);
    }
    if value.getattr_opt("__array_interface__")?.is_some() {
        let array = py.import("numpy")?.call_method1("asarray", (value,))?;
        return argument(&array, name, found).map(Some);
    }
    Ok(None)
}

fn of_placed<'py>(
    py: Python<'_>,
    placed: Placed,
    name: &str,
    found: &mut Found,
) -> PyResult<Taken<'py>> {
    let form = if placed.is_sequence { Form::Sequence } else { Form::Value };
    structs(py, placed.node, (form, placed.gpu), name, found)
}

fn structs<'py>(
    py: Python<'_>,
    node: Node,
    (form, gpu): (Form, Option<(usize, After)>),
    name: &str,
    found: &mut Found,
) -> PyResult<Taken<'py>> {
    let (schema, array) = node.into_structs();
    // SAFETY: a node makes schemas that are as the interface says.
    let ty = unsafe { arrow::describe(&schema, found) };
    let ty = ty.map_err(|error| of_arrow(py, name, &error))?;
    let gpu = gpu.map(|(number, after)| Gpu { number, after, reach: nesl::adopt });
    let array = ArrowDeviceArray::on_cores(array);
    Ok(Taken::Structs { schema, array, gpu, form, ty })
}

fn from_arrow<'py>(
    pair: &Bound<'py, PyAny>,
    name: &str,
    found: &mut Found,
) -> PyResult<Taken<'py>> {
    let (schema, array): (Bound<'_, PyCapsule>, Bound<'_, PyCapsule>) = pair.extract()?;
    let mut schema = schema.pointer_checked(Some(c"arrow_schema"))?.cast::<ArrowSchema>();
    // SAFETY: capsules of these names have such structs, which are ours to move out, and their
    // producer keeps the memory until they are released.
    let (schema, array) = unsafe {
        let array = match array.pointer_checked(Some(c"arrow_device_array")) {
            Ok(device) => device.cast::<ArrowDeviceArray>().as_mut().take(),
            Err(_) => {
                let array = array.pointer_checked(Some(c"arrow_array"))?.cast::<ArrowArray>();
                ArrowDeviceArray::on_cores({ array }.as_mut().take())
            }
        };
        (schema.as_mut().take(), array)
    };
    // SAFETY: as above.
    let ty = unsafe { arrow::describe(&schema, found) };
    let ty = ty.map_err(|error| of_arrow(pair.py(), name, &error))?;
    Ok(Taken::Structs { schema, array, gpu: None, form: Form::Rows, ty })
}

/// The rows of all arrays of a stream: a column in several pieces, or a table.
fn from_stream<'py>(
    stream: &Bound<'py, PyAny>,
    name: &str,
    found: &mut Found,
) -> PyResult<Taken<'py>> {
    let capsule = stream.cast::<PyCapsule>()?;
    let pointer = capsule.pointer_checked(Some(c"arrow_array_stream"))?;
    let mut pointer = pointer.cast::<ArrowArrayStream>();
    // SAFETY: a capsule of this name has such a struct, which is ours to move out.
    let mut taken = unsafe { pointer.as_mut().take() };
    // SAFETY: as above.
    let ty = unsafe { arrow::describe_stream(&mut taken, found) };
    let ty = ty.map_err(|error| of_arrow(stream.py(), name, &error))?;
    Ok(Taken::Stream { stream: taken, ty })
}

/// NumPy's description of an array.
#[repr(C)]
struct ArrayStruct {
    two: c_int,
    dimensions: c_int,
    kind: c_char,
    size: c_int,
    flags: c_int,
    shape: *const isize,
    strides: *const isize,
    data: *const c_void,
}

/// The flag of elements in the order of bytes of this machine.
const NOT_SWAPPED: c_int = 0x200;

/// An array by the struct in which NumPy describes it.
fn array_struct(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Option<Placed>> {
    let py = value.py();
    let Some(capsule) = value.getattr_opt("__array_struct__")? else { return Ok(None) };
    let wrong = |what: String| input(py, format!("`{name}`: {what}"));
    // A plain array has no mask, and asking for one takes time.
    if value.get_type().name()? != "ndarray" && value.hasattr("mask")? {
        return Err(wrong("it is masked, and NESL has no nulls".to_owned()));
    }
    let pointer = capsule.cast::<PyCapsule>()?.pointer_checked(None)?.cast::<ArrayStruct>();
    // SAFETY: the capsule has such a struct, and is kept here.
    let it = unsafe { pointer.as_ref() };
    let kind = match it.kind.cast_unsigned() {
        b'i' => Kind::Int,
        b'u' => Kind::Unsigned,
        b'f' => Kind::Float,
        b'b' => Kind::Bool,
        _ => {
            let ty = value.getattr("dtype")?.str()?.to_string();
            return Err(wrong(format!("elements of type {ty} cannot be taken")));
        }
    };
    if it.flags & NOT_SWAPPED == 0 {
        return Err(wrong("its elements have their bytes in another order: big-endian".to_owned()));
    }
    let dimensions = usize::try_from(it.dimensions).unwrap_or(0);
    let ints = |at: *const isize| -> Vec<isize> {
        // SAFETY: there is one for each dimension.
        (0..dimensions).map(|n| unsafe { at.add(n).read() }).collect()
    };
    let shape = ints(it.shape).into_iter().map(isize::cast_unsigned).collect();
    let strides = (!it.strides.is_null()).then(|| ints(it.strides));
    let size = usize::try_from(it.size).unwrap_or(0);
    let strided = Strided { kind, size, shape, strides, data: it.data.cast(), gpu: None };
    // The capsule keeps the array.
    let owner: Owner = Arc::new(capsule.unbind());
    // SAFETY: the description says so; whoever calls lets nobody write during a call.
    unsafe { strided.placed(py, owner, name) }.map(Some)
}

/// Makes floats of Python's ints where parameters of these types want floats, or where others at
/// the same type variable are floats.
pub(crate) fn adapt(taken: &mut [Taken<'_>], types: &[Type]) {
    fn note(given: &Type, ty: &Type, floats: &mut Vec<TyVar>) {
        match (given, ty) {
            (Type::Base(Ty::F64), Type::Var(var)) => floats.push(*var),
            (Type::Seq(given), Type::Seq(ty)) => note(given, ty, floats),
            (Type::Pair(..), Type::Pair(..)) => {
                parts(given).iter().zip(parts(ty)).for_each(|(given, ty)| note(given, ty, floats));
            }
            _ => {}
        }
    }
    let plain = |taken: &Taken<'_>| matches!(taken, Taken::Python { .. });
    if !taken.iter().any(plain) {
        return;
    }
    let mut floats = Vec::new();
    for (taken, ty) in taken.iter().zip(types) {
        let row = match ty {
            Type::Seq(element) => &**element,
            _ => ty,
        };
        match taken {
            Taken::Own(array) => {
                array.get().element().iter().for_each(|given| note(given, row, &mut floats));
            }
            Taken::Structs { form: Form::Value, ty: given, .. } => note(given, ty, &mut floats),
            Taken::Structs { ty: given, .. } | Taken::Stream { ty: given, .. } => {
                note(given, row, &mut floats);
            }
            Taken::Python { growing, .. } => growing.note(ty, &mut floats),
        }
    }
    for (taken, ty) in taken.iter_mut().zip(types) {
        if let Taken::Python { growing, .. } = taken {
            growing.adapt(ty, &floats);
        }
    }
}

impl Taken<'_> {
    /// The value of an argument of this name.
    pub(crate) fn finish(self, py: Python<'_>, name: &str, options: Options) -> PyResult<Argument> {
        match self {
            Taken::Own(array) => {
                let rows = array.get().rows(py, options.widths, name)?;
                sequence(py, &rows).map(Argument::Memory)
            }
            Taken::Structs { schema, mut array, gpu, form, .. } => {
                // SAFETY: whoever made the structs says that they are as the interface says.
                let rows = unsafe {
                    match gpu {
                        Some(gpu) => {
                            arrow::import_on_gpu(&schema, array.array.take(), options, gpu)
                        }
                        None => arrow::import_device(&schema, array, options, Some(nesl::adopt)),
                    }
                };
                let rows = rows.map_err(|error| of_arrow(py, name, &error))?;
                match form {
                    Form::Rows => Ok(Argument::Rows(rows)),
                    Form::Sequence => sequence(py, &rows).map(Argument::Memory),
                    Form::Value => Ok(Argument::Memory(rows)),
                }
            }
            Taken::Stream { stream, .. } => {
                // SAFETY: as for structs.
                let rows = unsafe { arrow::import_stream(stream, options) };
                rows.map(Argument::Rows).map_err(|error| of_arrow(py, name, &error))
            }
            Taken::Python { growing, value } => {
                lists::finish(growing, &value, name, options.widths)
            }
        }
    }

    /// Its type as NESL writes it, with the nesting of Python's tuples.
    pub(crate) fn type_name(&self) -> Option<String> {
        match self {
            Taken::Own(array) => Some(array.get().ty()),
            Taken::Structs { form: Form::Value, ty, .. } => written(ty),
            Taken::Structs { ty, .. } | Taken::Stream { ty, .. } => {
                Some(format!("[{}]", written(ty)?))
            }
            Taken::Python { growing, .. } => Some(growing.type_name()),
        }
    }
}

fn sequence(py: Python<'_>, rows: &Typed) -> PyResult<Typed> {
    rows.sequence().map_err(|error| memory(py, error))
}

#[pymethods]
impl Rows {
    /// The elements of an array that describes its memory.
    #[staticmethod]
    fn of(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Rows> {
        let py = value.py();
        match array_struct(value, name)? {
            Some(Placed { node, is_sequence: true, .. }) => Ok(Rows(node)),
            _ => Err(input(py, format!("`{name}`: it is no array in memory of the cores"))),
        }
    }

    /// Sequences of these elements between offsets.
    #[staticmethod]
    fn lists(offsets: &Bound<'_, PyAny>, rows: &Rows, name: &str) -> PyResult<Rows> {
        let (memory, wide, count) = offsets_of(offsets, name)?;
        // SAFETY: there are so many offsets, which are checked when they are taken.
        Ok(Rows(unsafe { Node::lists(count, memory, wide, rows.0.clone()) }))
    }

    /// Sequences of one length each.
    #[staticmethod]
    fn regular(count: usize, width: usize, rows: &Rows) -> Rows {
        Rows(Node::regular(count, width, rows.0.clone()))
    }

    /// Texts between offsets in an array of bytes.
    #[staticmethod]
    fn texts(offsets: &Bound<'_, PyAny>, bytes: &Bound<'_, PyAny>, name: &str) -> PyResult<Rows> {
        let py = offsets.py();
        let last: i64 = offsets.get_item(-1)?.extract()?;
        let bytes = Rows::of(bytes, name)?;
        if usize::try_from(last).is_ok_and(|last| last > bytes.0.rows()) {
            return Err(input(py, format!("`{name}`: a text ends behind its bytes")));
        }
        let Some(bytes) = bytes.0.bytes() else {
            return Err(input(py, format!("`{name}`: its texts are of no bytes")));
        };
        let (memory, wide, count) = offsets_of(offsets, name)?;
        // SAFETY: as for lists; the last offset is inside the bytes, and none is larger.
        Ok(Rows(unsafe { Node::texts(count, memory, wide, bytes.clone()) }))
    }

    /// Tuples of these parts.
    #[staticmethod]
    #[expect(clippy::needless_pass_by_value, reason = "arguments from Python are owned")]
    fn tuples(py: Python<'_>, parts: Vec<PyRef<'_, Rows>>, name: &str) -> PyResult<Rows> {
        let Some(count) = parts.iter().map(|part| part.0.rows()).min() else {
            return Err(input(py, format!("`{name}`: an empty record")));
        };
        Ok(Rows(Node::tuple(count, parts.iter().map(|part| part.0.clone()).collect())))
    }
}

/// The memory of offsets, true if they have 64 bits, and how many lists there are.
fn offsets_of(offsets: &Bound<'_, PyAny>, name: &str) -> PyResult<(Memory, bool, usize)> {
    let rows = Rows::of(offsets, name)?;
    match (rows.0.ints(), rows.0.rows().checked_sub(1)) {
        (Some((memory, wide)), Some(count)) => Ok((memory.clone(), wide, count)),
        _ => Err(input(offsets.py(), format!("`{name}`: its offsets are no ints"))),
    }
}
