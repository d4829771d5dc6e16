//! Values as arrays.
//!
//! Arrays begin at row 0 of their buffers, have no nulls, and no buffer but that of nulls is a null
//! pointer, of however few rows: other libraries trip over such arrays.  Offsets, ints, floats and
//! chars are those of the columns; bools become bits.

use crate::abi::{ArrowArray, ArrowArrayStream, ArrowDeviceArray, ArrowSchema};
use crate::error::Error;
use crate::node::{Memory, Node};
use crate::options::{Export, Lists};
use prim::{Ty, Width, Widths};
use std::ffi::{c_char, c_int};
use std::ptr::null_mut;
use std::sync::Arc;
use value::buffer::Plain;
use value::typed::Path;
use value::{Buffer, Column, Columns, Shape};

/// A value as an array: the elements of a sequence are its rows, and anything else is its only row.
pub fn export(shape: &Shape, value: &Columns) -> Result<(ArrowSchema, ArrowArray), Error> {
    export_with(shape, value, Export::default())
}

/// The same in a layout that is asked for.
pub fn export_with(
    shape: &Shape,
    value: &Columns,
    options: Export,
) -> Result<(ArrowSchema, ArrowArray), Error> {
    let node = Node::of_value(shape, value, options)?;
    Ok(node.into_structs())
}

/// The same in the form that tells where memory is.
pub fn export_device(
    shape: &Shape,
    value: &Columns,
    options: Export,
) -> Result<(ArrowSchema, ArrowDeviceArray), Error> {
    let (schema, array) = export_with(shape, value, options)?;
    Ok((schema, ArrowDeviceArray::on_cores(array)))
}

/// The same as the only array of a stream.
pub fn export_stream(
    shape: &Shape,
    value: &Columns,
    options: Export,
) -> Result<ArrowArrayStream, Error> {
    let node = Node::of_value(shape, value, options)?;
    let kind = node.kind();
    let kept = Box::new(KeptStream { kind, data: Some(node) });
    let mut stream = ArrowArrayStream::released();
    stream.get_schema = Some(stream_schema);
    stream.get_next = Some(stream_next);
    stream.get_last_error = Some(stream_error);
    stream.release = Some(release_stream);
    stream.private_data = Box::into_raw(kept).cast();
    Ok(stream)
}

/// Values of one shape as an array of so many rows, one for each lane.
pub fn export_rows(
    shape: &Shape,
    columns: &Columns,
    rows: usize,
) -> Result<(ArrowSchema, ArrowArray), Error> {
    let node = Node::of(shape, columns, rows, Lists::Offsets, &Path::default())?;
    Ok(node.into_structs())
}

impl Node {
    fn of_value(shape: &Shape, value: &Columns, options: Export) -> Result<Node, Error> {
        let path = Path::default();
        let node = match (shape, value) {
            (Shape::Data { fields, .. }, _) => return Node::of_value(fields, value, options),
            (Shape::Seq(element), Columns::Seq { offsets, elements }) => {
                let rows = usize::try_from(offsets.int(1)).unwrap_or(0);
                // A sequence of chars has chars as its rows.
                Node::of(element, elements, rows, options.lists, &path)?
            }
            _ => Node::of(shape, value, 1, options.lists, &path)?,
        };
        if !options.table || node.format == "+s" {
            return Ok(node);
        }
        let rows = node.rows;
        Ok(Node::tuple(rows, vec![node]))
    }

    fn of(
        shape: &Shape,
        columns: &Columns,
        rows: usize,
        lists: Lists,
        path: &Path,
    ) -> Result<Node, Error> {
        match (shape, columns) {
            (Shape::Data { fields, .. }, _) => Node::of(fields, columns, rows, lists, path),
            (Shape::Scalar(ty), Columns::Scalar(column)) => Node::scalar(*ty, column, rows),
            (Shape::Seq(element), Columns::Seq { offsets, elements }) => {
                let inner = offsets.int(rows);
                let inner = usize::try_from(inner).unwrap_or(0);
                let wide = offsets.widths.int == Width::W64;
                if let (true, Columns::Scalar(bytes)) = (shape.is_string(), &**elements) {
                    let text = bytes.bytes()[..inner].is_ascii();
                    let format = match (text, wide) {
                        (true, true) => "U",
                        (true, false) => "u",
                        (false, true) => "Z",
                        (false, false) => "z",
                    };
                    let buffers = [&offsets.bytes, &bytes.bytes].map(memory);
                    return Ok(Node::new(format, rows, buffers, Vec::new()));
                }
                let child = Node::of(element, elements, inner, lists, &path.element())?;
                let format = match (lists, wide) {
                    (Lists::Offsets, true) => "+L",
                    (Lists::Offsets, false) => "+l",
                    (Lists::Views, true) => "+vL",
                    (Lists::Views, false) => "+vl",
                };
                let mut buffers = vec![memory(&offsets.bytes)];
                if lists == Lists::Views {
                    buffers.push(memory(&Arc::new(sizes(offsets, rows)?)));
                }
                Ok(Node::new(format, rows, buffers, vec![child]))
            }
            (Shape::Tuple(shapes), Columns::Tuple(columns)) => {
                let parts = shapes.iter().zip(columns).enumerate();
                let part = |(n, (shape, column)): (usize, (&Shape, &Columns))| {
                    Node::of(shape, column, rows, lists, &path.part(n + 1))
                };
                Ok(Node::tuple(rows, parts.map(part).collect::<Result<_, _>>()?))
            }
            (Shape::Function, _) => Err(Error::at(path, "a function is no data")),
            _ => unreachable!("columns that are no {shape}"),
        }
    }

    fn scalar(ty: Ty, column: &Column, rows: usize) -> Result<Node, Error> {
        let Widths { int, float } = column.widths;
        let (format, buffer) = match ty {
            Ty::I64 if int == Width::W64 => ("l", Arc::clone(&column.bytes)),
            Ty::I64 => ("i", Arc::clone(&column.bytes)),
            Ty::F64 if float == Width::W64 => ("g", Arc::clone(&column.bytes)),
            Ty::F64 => ("f", Arc::clone(&column.bytes)),
            Ty::Char => ("C", Arc::clone(&column.bytes)),
            Ty::Bool => ("b", Arc::new(bits(&column.bytes()[..rows])?)),
        };
        Ok(Node::new(format, rows, [memory(&buffer)], Vec::new()))
    }
}

/// The memory of a buffer, which is kept.
fn memory(buffer: &Arc<Buffer>) -> Memory {
    Memory::new(buffer.as_ptr(), Arc::new(Arc::clone(buffer)))
}

/// Bools as bits, the first in the lowest.
fn bits(bools: &[u8]) -> Result<Buffer, Error> {
    let mut buffer = Buffer::zeroed(bools.len().div_ceil(8))?;
    for (byte, bools) in buffer.as_mut_slice().iter_mut().zip(bools.chunks(8)) {
        *byte = bools.iter().rev().fold(0, |bits, &bool| bits << 1 | (bool & 1));
    }
    Ok(buffer)
}

/// How long each of some lists is; they lie one after the other.
fn sizes(offsets: &Column, rows: usize) -> Result<Buffer, Error> {
    fn of<T: Plain + std::ops::Sub<Output = T>>(
        offsets: &Column,
        rows: usize,
    ) -> Result<Buffer, Error> {
        let mut buffer = Buffer::zeroed(rows.saturating_mul(size_of::<T>()))?;
        let ends = offsets.bytes.typed::<T>(rows + 1).windows(2);
        for (size, ends) in buffer.typed_mut::<T>(rows).iter_mut().zip(ends) {
            *size = ends[1] - ends[0];
        }
        Ok(buffer)
    }
    match offsets.widths.int {
        Width::W32 => of::<i32>(offsets, rows),
        Width::W64 => of::<i64>(offsets, rows),
    }
}

/// A stream that has one array, until that is taken.
struct KeptStream {
    kind: Node,
    data: Option<Node>,
}

unsafe extern "C" fn stream_schema(
    stream: *mut ArrowArrayStream,
    schema: *mut ArrowSchema,
) -> c_int {
    // SAFETY: made by `export_stream` and not let go, and the schema can be written.
    unsafe {
        let kept = &*(*stream).private_data.cast::<KeptStream>();
        schema.write(kept.kind.schema(""));
    }
    0
}

unsafe extern "C" fn stream_next(stream: *mut ArrowArrayStream, array: *mut ArrowArray) -> c_int {
    // SAFETY: as for the schema.
    unsafe {
        let kept = &mut *(*stream).private_data.cast::<KeptStream>();
        array.write(kept.data.take().map_or_else(ArrowArray::released, Node::array));
    }
    0
}

unsafe extern "C" fn stream_error(_: *mut ArrowArrayStream) -> *const c_char {
    // Nothing of it fails.
    std::ptr::null()
}

unsafe extern "C" fn release_stream(stream: *mut ArrowArrayStream) {
    // SAFETY: whoever has the stream lets it go once.
    let Some(stream) = (unsafe { stream.as_mut() }) else { return };
    stream.release = None;
    // SAFETY: made by `export_stream`.
    drop(unsafe { Box::from_raw(stream.private_data.cast::<KeptStream>()) });
    stream.private_data = null_mut();
}
