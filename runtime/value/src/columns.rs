//! Columnar values: what the engines take and give.
//!
//! A `Columns` holds one value for each of some number of lanes; a value by itself is one lane.
//! A sequence in every lane is `lanes + 1` offsets and the elements of all lanes in order.  So
//! `[[1, 2], [], [3]]` as one lane is
//!
//! ```text
//! Seq { offsets: [0, 3], elements: Seq { offsets: [0, 2, 2, 3], elements: [1, 2, 3] } }
//! ```
//!
//! A tuple is a tuple of columns over the same lanes; a datatype is its fields.  This is Arrow's
//! `LargeList` and `Struct` and, for `[[(int, float)]]`, a CSR matrix.

use crate::buffer::{Buffer, OutOfMemory, Plain};
use prim::{Const, Ty};
use std::sync::Arc;

/// A vector of scalars.
#[derive(Clone, Debug)]
pub struct Column {
    /// The type of its elements.
    pub ty: Ty,
    /// The memory; at least `len` elements.
    pub bytes: Arc<Buffer>,
    /// Number of elements.
    pub len: usize,
}

/// One value per lane, in columns.
#[derive(Clone, Debug)]
pub enum Columns {
    /// A scalar per lane.
    Scalar(Column),
    /// A tuple per lane.
    Tuple(Vec<Columns>),
    /// A sequence per lane.
    Seq {
        /// Lane `i` has the elements `offsets[i]..offsets[i + 1]`; ints, one more than lanes.
        offsets: Column,
        /// The elements of all lanes.
        elements: Box<Columns>,
    },
}

impl Column {
    /// A column over memory that holds `len` elements of this type.
    pub fn new(ty: Ty, bytes: Buffer, len: usize) -> Column {
        assert!(len * ty.size() <= bytes.len(), "a column longer than its memory");
        Column { ty, bytes: Arc::new(bytes), len }
    }

    /// A column of ints.
    pub fn of_ints(values: &[i64]) -> Result<Column, OutOfMemory> {
        let mut bytes = Buffer::zeroed(size_of_val(values))?;
        bytes.typed_mut(values.len()).copy_from_slice(values);
        Ok(Column::new(Ty::I64, bytes, values.len()))
    }

    /// A column of floats.
    pub fn of_floats(values: &[f64]) -> Result<Column, OutOfMemory> {
        let mut bytes = Buffer::zeroed(size_of_val(values))?;
        bytes.typed_mut(values.len()).copy_from_slice(values);
        Ok(Column::new(Ty::F64, bytes, values.len()))
    }

    /// A column of bools or chars.
    pub fn of_bytes(ty: Ty, values: &[u8]) -> Result<Column, OutOfMemory> {
        Ok(Column::new(ty, Buffer::copy_of(values)?, values.len()))
    }

    /// The ints; a bug if it holds no ints.
    pub fn ints(&self) -> &[i64] {
        self.view(Ty::I64)
    }

    /// The floats; a bug if it holds no floats.
    pub fn floats(&self) -> &[f64] {
        self.view(Ty::F64)
    }

    /// The bytes of all elements.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes.as_slice()[..self.len * self.ty.size()]
    }

    /// Element `i`.
    pub fn get(&self, i: usize) -> Const {
        match self.ty {
            Ty::I64 => Const::I64(self.ints()[i]),
            Ty::F64 => Const::F64(self.floats()[i]),
            Ty::Bool => Const::Bool(self.bytes()[i] != 0),
            Ty::Char => Const::Char(self.bytes()[i]),
        }
    }

    fn view<T: Plain>(&self, ty: Ty) -> &[T] {
        assert_eq!(self.ty, ty, "a view of another type");
        self.bytes.typed(self.len)
    }
}

impl Columns {
    /// Number of lanes.
    pub fn lanes(&self) -> usize {
        match self {
            Columns::Scalar(column) => column.len,
            Columns::Tuple(parts) => parts.first().map_or(0, Columns::lanes),
            Columns::Seq { offsets, .. } => offsets.len.saturating_sub(1),
        }
    }

    /// One lane with one sequence: all lanes of `elements`.
    pub fn sequence(elements: Columns) -> Result<Columns, OutOfMemory> {
        let lanes = i64::try_from(elements.lanes()).unwrap_or(i64::MAX);
        let offsets = Column::of_ints(&[0, lanes])?;
        Ok(Columns::Seq { offsets, elements: Box::new(elements) })
    }

    /// The bytes of all columns.
    pub fn size(&self) -> usize {
        match self {
            Columns::Scalar(column) => column.bytes().len(),
            Columns::Tuple(parts) => parts.iter().map(Columns::size).sum(),
            Columns::Seq { offsets, elements } => offsets.bytes().len() + elements.size(),
        }
    }
}
