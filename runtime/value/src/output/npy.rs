//! NumPy's `.npy` files: the inverse of [`crate::input`]'s reading.
//!
//! Nested sequences must be regular; a tuple of scalars of one type becomes the last axis.
//! Characters are written as `S1`, ints as `int64` and floats as `float64`, narrow ones as `int32`
//! and `float32`.

use crate::columns::{Column, Columns};
use crate::input::Problem;
use crate::input::npy::Layout;
use crate::shape::Shape;
use prim::{Ty, Widths};
use std::io::{Result, Write};

/// A value as an array.
pub(super) struct Array<'a> {
    dims: Vec<usize>,
    ty: Ty,
    widths: Widths,
    /// The scalars, one column for each part of a tuple.
    leaves: Vec<&'a Column>,
}

impl<'a> Array<'a> {
    /// The array that holds this value, if it is regular.
    pub(super) fn of(value: &'a Columns, shape: &Shape) -> std::result::Result<Self, Problem> {
        let layout = Layout::of(shape).ok_or_else(|| {
            format!("an array cannot hold values of type {shape}: write a .nesl file")
        })?;
        let mut dims = Vec::new();
        let mut inner = value;
        while let Columns::Seq { offsets, elements } = inner {
            dims.push(regular_length(offsets, dims.len())?);
            inner = elements;
        }
        dims.extend(layout.parts);
        let mut leaves = Vec::new();
        collect(inner, &mut leaves);
        Ok(Array { dims, ty: layout.ty, widths: value.widths(), leaves })
    }

    /// Writes header and data.
    pub(super) fn write(&self, file: &mut impl Write) -> Result<()> {
        file.write_all(&self.header())?;
        if let [column] = self.leaves[..] {
            return file.write_all(column.bytes());
        }
        let size = self.widths.size(self.ty);
        let count = self.leaves.first().map_or(0, |column| column.len);
        for i in 0..count {
            for column in &self.leaves {
                file.write_all(&column.bytes()[i * size..(i + 1) * size])?;
            }
        }
        Ok(())
    }

    /// Magic, version 1, and the dictionary padded so that the data starts at a multiple of 64.
    fn header(&self) -> Vec<u8> {
        let order = if cfg!(target_endian = "big") { '>' } else { '<' };
        let descr = match self.ty {
            Ty::I64 => format!("{order}i{}", self.widths.int.bytes()),
            Ty::F64 => format!("{order}f{}", self.widths.float.bytes()),
            Ty::Bool => "|b1".to_owned(),
            Ty::Char => "|S1".to_owned(),
        };
        let mut shape = String::new();
        for dim in &self.dims {
            shape += &format!("{dim}, ");
        }
        // Python wants the comma of `(3,)` and writes none after the last of several.
        let shape = shape.trim_end();
        let shape = if self.dims.len() > 1 { shape.trim_end_matches(',') } else { shape };
        let mut text =
            format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({shape}), }}");
        let length = (10 + text.len() + 1).next_multiple_of(64) - 10;
        text += &" ".repeat(length - text.len() - 1);
        text.push('\n');
        let mut header = b"\x93NUMPY\x01\x00".to_vec();
        header.extend_from_slice(&(length as u16).to_le_bytes());
        header.extend_from_slice(text.as_bytes());
        header
    }
}

/// The length that all lanes of a sequence have.
fn regular_length(offsets: &Column, axis: usize) -> std::result::Result<usize, Problem> {
    let lengths: Vec<i64> = offsets.ints().windows(2).map(|w| w[1] - w[0]).collect();
    let first = lengths.first().copied().unwrap_or(0);
    match lengths.iter().position(|&length| length != first) {
        None => Ok(first as usize),
        Some(i) => Err(format!(
            "an array needs rows of one length, but along axis {axis} row 0 has length {first} \
             and row {i} has length {}: write a .nesl file",
            lengths[i]
        )
        .into()),
    }
}

fn collect<'a>(columns: &'a Columns, leaves: &mut Vec<&'a Column>) {
    match columns {
        Columns::Scalar(column) => leaves.push(column),
        Columns::Tuple(parts) => parts.iter().for_each(|part| collect(part, leaves)),
        Columns::Seq { .. } => unreachable!("sequences are the outer axes"),
    }
}
