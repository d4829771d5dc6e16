//! NumPy's `.npy` files.
//!
//! An array of rank r is a nest of r regular sequences.  A tuple (or datatype) of scalars of one
//! type is one more axis, the last: an n × 2 array is a `[(float, float)]`.  A contiguous array of
//! the right type is read straight into the memory of its column.

mod convert;
mod header;

use super::{Problem, room};
use crate::buffer::{Buffer, OutOfMemory, Plain};
use crate::columns::{Column, Columns};
use crate::memory::{self, Budget};
use crate::shape::Shape;
use header::{Header, truncated};
use prim::{Ty, Width, Widths};
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;

pub(crate) fn read(
    path: &Path,
    shape: &Shape,
    widths: Widths,
    budget: &Budget,
) -> Result<Columns, Problem> {
    let layout =
        Layout::of(shape).ok_or_else(|| format!("an array cannot hold values of type {shape}"))?;
    let mut file = File::open(path)?;
    let header = Header::read(&mut file)?;
    layout.check(&header, widths)?;
    let (count, size) = extent(&header)?;
    let there = file.metadata()?;
    let data = there.len().saturating_sub(header.length as u64);
    if there.is_file() && data < size as u64 {
        return Err(truncated(&format!("after {data} bytes of data, and {size} were expected")));
    }
    room(count, widths)?;
    has_room(&header, size, budget)?;
    let _charge = budget.charge(size)?;
    let mut raw = Buffer::zeroed(size)?;
    file.read_exact(raw.as_mut_slice()).map_err(|error| match error.kind() {
        ErrorKind::UnexpectedEof => truncated(&format!("before {size} bytes of data")),
        _ => error.into(),
    })?;
    let flat = convert::column(raw, count, header.dtype, layout.ty, widths)?;
    Ok(layout.columns(shape, &header, flat)?)
}

/// The product of lengths of axes.
fn product(dims: impl IntoIterator<Item = usize>) -> Result<usize, Problem> {
    let product = dims.into_iter().try_fold(1_usize, usize::checked_mul);
    product.ok_or_else(|| "the array is larger than any memory".to_owned().into())
}

/// Elements of an array, and bytes of its data.
fn extent(header: &Header) -> Result<(usize, usize), Problem> {
    let count = product(header.dims.iter().copied())?;
    Ok((count, product([count, header.dtype.size])?))
}

/// Checks that an array with `size` bytes of data fits into memory.
fn has_room(header: &Header, size: usize, budget: &Budget) -> Result<(), Problem> {
    // Rows of length 0 are counted in memory, too, though they have no data.
    let rows = product(header.dims.iter().rev().skip(1).map(|&d| d.max(1)))?;
    let bytes = rows.saturating_mul(size_of::<i64>()).max(size);
    if bytes > memory::available() {
        return Err(OutOfMemory { bytes }.into());
    }
    Ok(budget.charge(bytes).map(drop)?)
}

/// How an array holds values of a shape.
pub(crate) struct Layout {
    /// Number of sequences around each other.
    pub(crate) depth: usize,
    /// Scalars of one element when that is a tuple: the length of the last axis.
    pub(crate) parts: Option<usize>,
    /// The type of all scalars.
    pub(crate) ty: Ty,
}

impl Layout {
    /// The layout of a shape; none if an array cannot hold such values.
    pub(crate) fn of(shape: &Shape) -> Option<Layout> {
        let mut depth = 0;
        let mut element = shape;
        while let Shape::Seq(inner) = element {
            depth += 1;
            element = inner;
        }
        let mut leaves = Vec::new();
        collect_leaves(element, &mut leaves)?;
        let ty = *leaves.first()?;
        let one_type = leaves.iter().all(|&leaf| leaf == ty);
        let parts = (leaves.len() > 1).then_some(leaves.len());
        one_type.then_some(Layout { depth, parts, ty })
    }

    fn rank(&self) -> usize {
        self.depth + usize::from(self.parts.is_some())
    }

    /// Whether the array has the right rank and element type.
    fn check(&self, header: &Header, widths: Widths) -> Result<(), Problem> {
        let width_fits = match self.parts {
            Some(parts) => header.dims.last() == Some(&parts),
            None => true,
        };
        if header.dims.len() == self.rank() && width_fits && header.dtype.holds(self.ty, widths) {
            return Ok(());
        }
        Err(format!("the file holds {header}, but {} is needed", self.needed(widths)).into())
    }

    fn needed(&self, widths: Widths) -> String {
        let elements = match self.ty {
            Ty::I64 if widths.int == Width::W32 => {
                "ints (int8 to int32, uint8 to uint32, whole floats; others with the option `--int 64`)"
            }
            Ty::I64 => "ints (int8 to int64, uint8 to uint64, whole floats)",
            Ty::F64 if widths.float == Width::W32 => {
                "floats (float16 or float32; float64 with the option `--float 64`)"
            }
            Ty::F64 => "floats (float16, float32 or float64)",
            Ty::Bool => "bools",
            Ty::Char => "characters (uint8 or S1)",
        };
        match (self.rank(), self.parts) {
            (0, _) => format!("a 0-d array (one scalar) of {elements}"),
            (rank, Some(parts)) => format!("a {rank}-d array of {elements} with {parts} columns"),
            (rank, None) => format!("a {rank}-d array of {elements}"),
        }
    }

    /// The value, given all scalars of the array in the order of the file.
    fn columns(
        &self,
        shape: &Shape,
        header: &Header,
        flat: Column,
    ) -> Result<Columns, OutOfMemory> {
        let widths = flat.widths;
        let dims = &header.dims[..self.depth];
        let mut leaves = if self.parts.is_none() && (!header.fortran || self.rank() < 2) {
            vec![flat]
        } else {
            let strides = header.strides();
            (0..self.parts.unwrap_or(1))
                .map(|part| {
                    let start = part * strides.get(self.depth).copied().unwrap_or(0);
                    strided(&flat, dims, &strides, start)
                })
                .collect::<Result<Vec<Column>, OutOfMemory>>()?
        }
        .into_iter();
        regular(shape, widths, dims, 1, &mut leaves)
    }
}

/// The scalar types of a shape without sequences, left to right.
fn collect_leaves(shape: &Shape, leaves: &mut Vec<Ty>) -> Option<()> {
    match shape {
        Shape::Scalar(ty) => leaves.push(*ty),
        Shape::Tuple(parts) => parts.iter().try_for_each(|part| collect_leaves(part, leaves))?,
        Shape::Data { fields, .. } => collect_leaves(fields, leaves)?,
        Shape::Seq(_) | Shape::Function => return None,
    }
    Some(())
}

/// The elements of an array (its axes `dims`) in row-major order.
fn strided(
    flat: &Column,
    dims: &[usize],
    strides: &[usize],
    start: usize,
) -> Result<Column, OutOfMemory> {
    fn copy<T: Plain>(
        from: &[T],
        to: &mut [T],
        (dims, strides): (&[usize], &[usize]),
        start: usize,
    ) {
        match dims {
            [] => to[0] = from[start],
            [count] => {
                for (i, slot) in to.iter_mut().enumerate().take(*count) {
                    *slot = from[start + i * strides[0]];
                }
            }
            [_, inner @ ..] => {
                let size: usize = inner.iter().product::<usize>().max(1);
                for (i, row) in to.chunks_mut(size).enumerate() {
                    copy(from, row, (inner, &strides[1..]), start + i * strides[0]);
                }
            }
        }
    }
    let count: usize = dims.iter().product();
    let mut bytes = Buffer::zeroed(count * flat.size())?;
    let axes = (dims, strides);
    if count > 0 {
        // What the bits mean does not matter.
        match flat.size() {
            8 => copy(flat.words::<i64>(), bytes.typed_mut(count), axes, start),
            4 => copy(flat.words::<i32>(), bytes.typed_mut(count), axes, start),
            _ => copy(flat.bytes(), bytes.typed_mut(count), axes, start),
        }
    }
    Ok(Column::new(flat.ty, flat.widths, bytes, count))
}

/// Nested regular sequences around the leaf columns.
fn regular(
    shape: &Shape,
    widths: Widths,
    dims: &[usize],
    lanes: usize,
    leaves: &mut impl Iterator<Item = Column>,
) -> Result<Columns, OutOfMemory> {
    Ok(match shape {
        Shape::Scalar(_) => {
            Columns::Scalar(leaves.next().unwrap_or_else(|| unreachable!("a leaf is missing")))
        }
        Shape::Tuple(parts) => Columns::Tuple(
            parts
                .iter()
                .map(|part| regular(part, widths, dims, lanes, leaves))
                .collect::<Result<_, OutOfMemory>>()?,
        ),
        Shape::Data { fields, .. } => regular(fields, widths, dims, lanes, leaves)?,
        Shape::Seq(element) => {
            let offsets: Vec<i64> = (0..=lanes).map(|i| (i * dims[0]) as i64).collect();
            let offsets = Column::of_ints(widths, &offsets)?;
            let elements = regular(element, widths, &dims[1..], lanes * dims[0], leaves)?;
            Columns::Seq { offsets, elements: Box::new(elements) }
        }
        Shape::Function => unreachable!("functions are in no array"),
    })
}
