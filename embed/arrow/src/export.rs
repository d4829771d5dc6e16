//! Values as arrays.
//!
//! Arrays begin at row 0 of their buffers, have no nulls, and no buffer but that of nulls is a null
//! pointer, of however few rows: other libraries trip over such arrays.  Offsets, ints, floats and
//! chars are those of the columns; bools become bits.

use crate::abi::{ArrowArray, ArrowSchema};
use crate::error::Error;
use prim::{Ty, Width, Widths};
use std::ffi::{CString, c_void};
use std::ptr::null_mut;
use std::sync::Arc;
use value::typed::Path;
use value::{Buffer, Column, Columns, Shape};

/// A value as an array: the elements of a sequence are its rows, and anything else is its only row.
pub fn export(shape: &Shape, value: &Columns) -> Result<(ArrowSchema, ArrowArray), Error> {
    match (shape, value) {
        (Shape::Data { fields, .. }, _) => export(fields, value),
        (Shape::Seq(element), Columns::Seq { offsets, elements }) => {
            let rows = usize::try_from(offsets.int(1)).unwrap_or(0);
            // A sequence of chars has chars as its rows.
            export_rows(element, elements, rows)
        }
        _ => export_rows(shape, value, 1),
    }
}

/// Values of one shape as an array of so many rows, one for each lane.
pub fn export_rows(
    shape: &Shape,
    columns: &Columns,
    rows: usize,
) -> Result<(ArrowSchema, ArrowArray), Error> {
    let node = Node::of(shape, columns, rows, &Path::default())?;
    Ok((node.schema(""), node.array()))
}

/// An array that is to be made.
struct Node {
    format: &'static str,
    rows: usize,
    /// The memory of the buffers behind that of nulls.
    buffers: Vec<Arc<Buffer>>,
    children: Vec<Node>,
}

impl Node {
    fn of(shape: &Shape, columns: &Columns, rows: usize, path: &Path) -> Result<Node, Error> {
        match (shape, columns) {
            (Shape::Data { fields, .. }, _) => Node::of(fields, columns, rows, path),
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
                    let buffers = vec![Arc::clone(&offsets.bytes), Arc::clone(&bytes.bytes)];
                    return Ok(Node { format, rows, buffers, children: Vec::new() });
                }
                let child = Node::of(element, elements, inner, &path.element())?;
                let format = if wide { "+L" } else { "+l" };
                let buffers = vec![Arc::clone(&offsets.bytes)];
                Ok(Node { format, rows, buffers, children: vec![child] })
            }
            (Shape::Tuple(shapes), Columns::Tuple(columns)) => {
                let parts = shapes.iter().zip(columns).enumerate();
                let children = parts
                    .map(|(n, (shape, column))| Node::of(shape, column, rows, &path.part(n + 1)))
                    .collect::<Result<_, _>>()?;
                Ok(Node { format: "+s", rows, buffers: Vec::new(), children })
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
        Ok(Node { format, rows, buffers: vec![buffer], children: Vec::new() })
    }

    fn schema(&self, name: &str) -> ArrowSchema {
        let part =
            |n: usize| if self.format == "+s" { format!("{}", n + 1) } else { "item".to_owned() };
        let children = self.children.iter().enumerate();
        let children: Vec<*mut ArrowSchema> =
            children.map(|(n, child)| Box::into_raw(Box::new(child.schema(&part(n))))).collect();
        let [format, name] = [self.format, name]
            .map(|text| CString::new(text).unwrap_or_else(|_| unreachable!("no zero in {text}")));
        let mut kept = Box::new(KeptSchema { format, name, children });
        let mut schema = ArrowSchema::released();
        schema.format = kept.format.as_ptr();
        schema.name = kept.name.as_ptr();
        schema.n_children = self.children.len() as i64;
        schema.children = kept.children.as_mut_ptr();
        schema.release = Some(release_schema);
        schema.private_data = Box::into_raw(kept).cast();
        schema
    }

    fn array(self) -> ArrowArray {
        let n_children = self.children.len() as i64;
        let children =
            self.children.into_iter().map(|child| Box::into_raw(Box::new(child.array()))).collect();
        let own = self.buffers.iter().map(|buffer| buffer.as_ptr().cast::<c_void>());
        // No row is null, which needs no bits.
        let pointers: Vec<*const c_void> = std::iter::once(std::ptr::null()).chain(own).collect();
        let mut kept = Box::new(KeptArray { pointers, children, _memory: self.buffers });
        let mut array = ArrowArray::released();
        array.length = self.rows as i64;
        array.n_buffers = kept.pointers.len() as i64;
        array.buffers = kept.pointers.as_mut_ptr();
        array.n_children = n_children;
        array.children = kept.children.as_mut_ptr();
        array.release = Some(release_array);
        array.private_data = Box::into_raw(kept).cast();
        array
    }
}

/// Bools as bits, the first in the lowest.
fn bits(bools: &[u8]) -> Result<Buffer, Error> {
    let mut buffer = Buffer::zeroed(bools.len().div_ceil(8))?;
    for (byte, bools) in buffer.as_mut_slice().iter_mut().zip(bools.chunks(8)) {
        *byte = bools.iter().rev().fold(0, |bits, &bool| bits << 1 | (bool & 1));
    }
    Ok(buffer)
}

/// The memory that a schema refers to.
struct KeptSchema {
    format: CString,
    name: CString,
    children: Vec<*mut ArrowSchema>,
}

/// The memory that an array refers to.
struct KeptArray {
    pointers: Vec<*const c_void>,
    children: Vec<*mut ArrowArray>,
    _memory: Vec<Arc<Buffer>>,
}

unsafe extern "C" fn release_schema(schema: *mut ArrowSchema) {
    // SAFETY: whoever has the schema lets it go once.
    let Some(schema) = (unsafe { schema.as_mut() }) else { return };
    schema.release = None;
    // SAFETY: made by `Node::schema`.
    let kept = unsafe { Box::from_raw(schema.private_data.cast::<KeptSchema>()) };
    schema.private_data = null_mut();
    // A child that the caller has moved out has no `release` here.
    // SAFETY: made by `Node::schema`.
    kept.children.into_iter().for_each(|child| drop(unsafe { Box::from_raw(child) }));
}

unsafe extern "C" fn release_array(array: *mut ArrowArray) {
    // SAFETY: whoever has the array lets it go once.
    let Some(array) = (unsafe { array.as_mut() }) else { return };
    array.release = None;
    // SAFETY: made by `Node::array`.
    let kept = unsafe { Box::from_raw(array.private_data.cast::<KeptArray>()) };
    array.private_data = null_mut();
    // SAFETY: made by `Node::array`; as for schemas.
    kept.children.into_iter().for_each(|child| drop(unsafe { Box::from_raw(child) }));
}
