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

#![expect(unsafe_code, reason = "columns over foreign memory trust whoever makes them")]

use crate::buffer::{Buffer, OutOfMemory, Owner, Plain};
use crate::convert::Growing;
use crate::memory::Budget;
use crate::remote::Remote;
use crate::value::Value;
use prim::{Const, Ty, Width, Widths};
use std::borrow::Cow;
use std::ops::Range;
use std::ptr::NonNull;
use std::sync::Arc;

/// A vector of scalars.
#[derive(Clone, Debug)]
pub struct Column {
    /// The type of its elements.
    pub ty: Ty,
    /// How wide ints and floats are in memory.
    pub widths: Widths,
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
    pub fn new(ty: Ty, widths: Widths, bytes: Buffer, len: usize) -> Column {
        assert!(len * widths.size(ty) <= bytes.len(), "a column longer than its memory");
        Column { ty, widths, bytes: Arc::new(bytes), len }
    }

    /// The same over memory that others have, too.
    pub fn shared(ty: Ty, widths: Widths, bytes: Arc<Buffer>, len: usize) -> Column {
        assert!(len * widths.size(ty) <= bytes.len(), "a column longer than its memory");
        Column { ty, widths, bytes, len }
    }

    /// A column over memory of somebody else, which is not copied if it can be helped.  It cannot
    /// where elements are not aligned to their size; nor where there are none, because compiled
    /// code that clamps an index reads the first element of any vector.
    ///
    /// # Safety
    ///
    /// There are `len` elements of this type at `data` that can be read, and nobody writes to them,
    /// until `owner` is dropped.  Bools are 0 or 1.
    pub unsafe fn foreign(
        ty: Ty,
        widths: Widths,
        data: *const u8,
        len: usize,
        owner: Owner,
    ) -> Result<Column, OutOfMemory> {
        let size = widths.size(ty);
        let bytes = len.checked_mul(size).ok_or(OutOfMemory { bytes: usize::MAX })?;
        let bytes = match NonNull::new(data.cast_mut()) {
            _ if len == 0 => Buffer::zeroed(0)?,
            None => panic!("{len} elements at no place"),
            // SAFETY: as the caller says.
            Some(data) if data.addr().get() % size == 0 => unsafe {
                Buffer::foreign(data, bytes, owner)
            },
            // SAFETY: as the caller says; bytes need no alignment.
            Some(_) => Buffer::copy_of(unsafe { std::slice::from_raw_parts(data, bytes) })?,
        };
        Ok(Column::new(ty, widths, bytes, len))
    }

    /// The ints of a vector, which are not copied.
    pub fn from_ints(ints: Vec<i64>) -> Result<Column, OutOfMemory> {
        let (data, len) = (ints.as_ptr().cast(), ints.len());
        // SAFETY: the elements of a vector stay where they are, and nobody can change these.
        unsafe { Column::foreign(Ty::I64, Widths::WIDE, data, len, Arc::new(ints)) }
    }

    /// The floats of a vector, which are not copied.
    pub fn from_floats(floats: Vec<f64>) -> Result<Column, OutOfMemory> {
        let (data, len) = (floats.as_ptr().cast(), floats.len());
        // SAFETY: as for ints.
        unsafe { Column::foreign(Ty::F64, Widths::WIDE, data, len, Arc::new(floats)) }
    }

    /// A column of ints.
    pub fn of_ints(widths: Widths, values: &[i64]) -> Result<Column, OutOfMemory> {
        let mut column = Growing::new(Ty::I64, widths)?;
        column.extend(values)?;
        Ok(column.finish())
    }

    /// A column of floats.
    pub fn of_floats(widths: Widths, values: &[f64]) -> Result<Column, OutOfMemory> {
        let mut column = Growing::new(Ty::F64, widths)?;
        column.extend(values)?;
        Ok(column.finish())
    }

    /// A column of bools or chars.
    pub fn of_bytes(ty: Ty, widths: Widths, values: &[u8]) -> Result<Column, OutOfMemory> {
        Ok(Column::new(ty, widths, Buffer::copy_of(values)?, values.len()))
    }

    /// Charges its memory to a budget; memory that others have is theirs to charge.
    fn charge_to(&mut self, budget: &Budget) -> Result<(), OutOfMemory> {
        Arc::get_mut(&mut self.bytes).map_or(Ok(()), |bytes| bytes.charge_to(budget))
    }

    /// The ints; a bug if it holds no ints.
    pub fn ints(&self) -> Cow<'_, [i64]> {
        self.ints_of(0..self.len)
    }

    /// Int `i`; a bug if it holds no ints.
    pub fn int(&self, i: usize) -> i64 {
        if self.bytes.as_remote().is_some() {
            return self.far_int(i);
        }
        match self.widths.int {
            Width::W32 => i64::from(self.view::<i32>(Ty::I64)[i]),
            Width::W64 => self.view(Ty::I64)[i],
        }
    }

    /// Int `i` of a GPU's memory, of which no more is fetched.
    fn far_int(&self, i: usize) -> i64 {
        assert!(self.ty == Ty::I64 && i < self.len, "an int that is not there");
        let mut word = [0; 8];
        let size = self.size();
        match self.bytes.read(i * size, &mut word[..size]) {
            Ok(()) if size == 4 => {
                i64::from(i32::from_ne_bytes([word[0], word[1], word[2], word[3]]))
            }
            Ok(()) => i64::from_ne_bytes(word),
            Err(reason) => panic!("an int of a GPU cannot be had: {reason}"),
        }
    }

    /// Some of its elements, in the same memory.  Of no elements there is memory by itself, as in
    /// [`Column::foreign`].
    pub fn part(&self, start: usize, len: usize) -> Result<Column, OutOfMemory> {
        let size = self.size();
        let bytes = match len {
            0 => Buffer::zeroed(0)?,
            _ => self.bytes.part(start * size, len * size),
        };
        Ok(Column { ty: self.ty, widths: self.widths, bytes: Arc::new(bytes), len })
    }

    /// A column over the memory of a GPU.
    pub fn remote(
        ty: Ty,
        widths: Widths,
        remote: Arc<dyn Remote>,
        len: usize,
    ) -> Result<Column, OutOfMemory> {
        let bytes = len.checked_mul(widths.size(ty)).ok_or(OutOfMemory { bytes: usize::MAX })?;
        let bytes = if len == 0 { Buffer::zeroed(0)? } else { Buffer::remote(remote, bytes) };
        Ok(Column { ty, widths, bytes: Arc::new(bytes), len })
    }

    /// Some of the ints.
    pub fn ints_of(&self, range: Range<usize>) -> Cow<'_, [i64]> {
        match self.widths.int {
            Width::W32 => {
                let ints = self.view::<i32>(Ty::I64)[range].iter();
                Cow::Owned(ints.map(|&v| i64::from(v)).collect())
            }
            Width::W64 => Cow::Borrowed(&self.view(Ty::I64)[range]),
        }
    }

    /// Some of the floats; a bug if it holds no floats.
    pub fn floats_of(&self, range: Range<usize>) -> Cow<'_, [f64]> {
        match self.widths.float {
            Width::W32 => {
                let floats = self.view::<f32>(Ty::F64)[range].iter();
                Cow::Owned(floats.map(|&v| f64::from(v)).collect())
            }
            Width::W64 => Cow::Borrowed(&self.view(Ty::F64)[range]),
        }
    }

    /// Bytes of an element.
    pub fn size(&self) -> usize {
        self.widths.size(self.ty)
    }

    /// The bytes of all elements.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes.as_slice()[..self.len * self.size()]
    }

    /// Element `i`.
    pub fn get(&self, i: usize) -> Const {
        match self.ty {
            Ty::I64 => Const::I64(self.int(i)),
            Ty::F64 => Const::F64(match self.widths.float {
                Width::W32 => f64::from(self.view::<f32>(Ty::F64)[i]),
                Width::W64 => self.view(Ty::F64)[i],
            }),
            Ty::Bool => Const::Bool(self.bytes()[i] != 0),
            Ty::Char => Const::Char(self.bytes()[i]),
        }
    }

    /// The elements as numbers of their size, whatever they mean.
    pub(crate) fn words<T: Plain>(&self) -> &[T] {
        assert_eq!(size_of::<T>(), self.size(), "a view of another size");
        self.bytes.typed(self.len)
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
        let offsets = Column::of_ints(elements.widths(), &[0, lanes])?;
        Ok(Columns::Seq { offsets, elements: Box::new(elements) })
    }

    /// How wide ints and floats are in memory.
    pub fn widths(&self) -> Widths {
        match self {
            Columns::Scalar(column) => column.widths,
            Columns::Tuple(parts) => parts.first().map_or(Widths::WIDE, Columns::widths),
            Columns::Seq { offsets, .. } => offsets.widths,
        }
    }

    /// The number of elements of the longest column.
    pub fn longest(&self) -> usize {
        match self {
            Columns::Scalar(column) => column.len,
            Columns::Tuple(parts) => parts.iter().map(Columns::longest).max().unwrap_or(0),
            Columns::Seq { offsets, elements } => offsets.len.max(elements.longest()),
        }
    }

    /// Gets all that is in the memory of a GPU to the host; the error is a sentence.
    pub fn fetch(&self) -> Result<(), String> {
        match self {
            Columns::Scalar(column) => column.bytes.fetch(),
            Columns::Tuple(parts) => parts.iter().try_for_each(Columns::fetch),
            Columns::Seq { offsets, elements } => {
                offsets.bytes.fetch()?;
                elements.fetch()
            }
        }
    }

    /// The number of the GPU in whose memory some of the elements are.
    pub fn gpu(&self) -> Option<usize> {
        match self {
            Columns::Scalar(column) => column.bytes.as_remote().map(|remote| remote.gpu()),
            Columns::Tuple(parts) => parts.iter().find_map(Columns::gpu),
            Columns::Seq { offsets, elements } => {
                elements.gpu().or_else(|| offsets.bytes.as_remote().map(|remote| remote.gpu()))
            }
        }
    }

    /// Charges the memory of all columns, as long as it is there, to a budget.
    pub fn charge_to(&mut self, budget: &Budget) -> Result<(), OutOfMemory> {
        match self {
            Columns::Scalar(column) => column.charge_to(budget),
            Columns::Tuple(parts) => parts.iter_mut().try_for_each(|part| part.charge_to(budget)),
            Columns::Seq { offsets, elements } => {
                offsets.charge_to(budget)?;
                elements.charge_to(budget)
            }
        }
    }

    /// The bytes that nested values of these columns take, about.
    pub fn nested_size(&self) -> usize {
        /// A vector in a nested value: how it is known, and what stands before its elements.
        const VECTOR: usize = size_of::<Value>() + 72;
        /// A pair.
        const PAIR: usize = 3 * size_of::<Value>() + 32;
        match self {
            Columns::Scalar(column) => column.len * column.size(),
            Columns::Tuple(parts) => {
                let pairs = parts.len().saturating_sub(1).saturating_mul(self.lanes());
                pairs.saturating_mul(PAIR) + parts.iter().map(Columns::nested_size).sum::<usize>()
            }
            Columns::Seq { elements, .. } => self.lanes() * VECTOR + elements.nested_size(),
        }
    }

    /// The bytes of all columns.
    pub fn size(&self) -> usize {
        match self {
            Columns::Scalar(column) => column.len * column.size(),
            Columns::Tuple(parts) => parts.iter().map(Columns::size).sum(),
            Columns::Seq { offsets, elements } => offsets.len * offsets.size() + elements.size(),
        }
    }
}
