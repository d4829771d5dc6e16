//! Arrays of the crate `ndarray` as arguments and results.

#![expect(unsafe_code, reason = "columns over memory that is borrowed for a call")]

use crate::data::{Give, Take, private};
use crate::error::Error;
use crate::vectors::{Number, lend_slice, list, scalars, sequence};
use base::{Kind, Site};
use ndarray::{Array1, Array2, ArrayBase, ArrayRef, ArrayRef1, ArrayRef2, Data, Ix1, Ix2};
use prim::Widths;
use std::sync::Arc;
use types::Type;
use value::buffer::Owner;
use value::{Column, Columns, OutOfMemory};

/// The elements of an array, row after row: where they are if they lie so, else a copy of them.
///
/// # Safety
///
/// As for [`lend_slice`].
unsafe fn elements<T: Number, D: ndarray::Dimension>(
    array: &ArrayRef<T, D>,
    owner: &Owner,
) -> Result<Columns, OutOfMemory> {
    if let Some(slice) = array.as_slice() {
        // SAFETY: as the caller says.
        return unsafe { lend_slice(slice, owner) };
    }
    let copied: Arc<Vec<T>> = Arc::new(array.iter().copied().collect());
    let owner: Owner = Arc::<Vec<T>>::clone(&copied);
    // SAFETY: the column has the vector as its owner.
    unsafe { lend_slice(&copied, &owner) }
}

impl<T: Number> Give for ArrayRef1<T> {}
impl<T: Number> private::Give for ArrayRef1<T> {
    fn ty() -> Type {
        list(Type::Base(T::TY))
    }
    unsafe fn lend(&self, owner: &Owner) -> Result<Columns, OutOfMemory> {
        // SAFETY: as the caller says.
        Columns::sequence(unsafe { elements(self, owner)? })
    }
}

impl<T: Number> Give for ArrayRef2<T> {}
impl<T: Number> private::Give for ArrayRef2<T> {
    fn ty() -> Type {
        list(list(Type::Base(T::TY)))
    }
    unsafe fn lend(&self, owner: &Owner) -> Result<Columns, OutOfMemory> {
        let width = self.ncols() as i64;
        let offsets: Vec<i64> = (0..=self.nrows() as i64).map(|row| row * width).collect();
        let offsets = Column::of_ints(Widths::WIDE, &offsets)?;
        // SAFETY: as the caller says.
        let elements = Box::new(unsafe { elements(self, owner)? });
        Columns::sequence(Columns::Seq { offsets, elements })
    }
}

/// Arrays and views are what they refer to.
macro_rules! array {
    ($dimension:ty, $reference:ident) => {
        impl<T: Number, S: Data<Elem = T>> Give for ArrayBase<S, $dimension> {}
        impl<T: Number, S: Data<Elem = T>> private::Give for ArrayBase<S, $dimension> {
            fn ty() -> Type {
                <$reference<T> as private::Give>::ty()
            }
            unsafe fn lend(&self, owner: &Owner) -> Result<Columns, OutOfMemory> {
                // SAFETY: as the caller says.
                unsafe { private::Give::lend(&**self, owner) }
            }
        }
    };
}

array!(Ix1, ArrayRef1);
array!(Ix2, ArrayRef2);

impl<T: Number> Take for Array1<T> {}
impl<T: Number> private::Take for Array1<T> {
    fn ty() -> Type {
        list(Type::Base(T::TY))
    }
    fn copy(columns: &Columns) -> Result<Array1<T>, Error> {
        <Vec<T> as private::Take>::copy(columns).map(Array1::from)
    }
}

impl<T: Number> Take for Array2<T> {}
impl<T: Number> private::Take for Array2<T> {
    fn ty() -> Type {
        list(list(Type::Base(T::TY)))
    }
    fn copy(columns: &Columns) -> Result<Array2<T>, Error> {
        let (offsets, elements) = sequence(sequence(columns).1);
        let offsets = offsets.ints();
        let length = |row: usize| offsets[row + 1] - offsets[row];
        let rows = offsets.len() - 1;
        let width = if rows == 0 { 0 } else { length(0) };
        if let Some(row) = (0..rows).find(|&row| length(row) != width) {
            let message = format!(
                "row {row} of the result has length {}, and row 0 has length {width}: only rows of \
                 one length are an array of two dimensions",
                length(row)
            );
            return Err(Error::plain(Kind::Runtime(Site::Length), message));
        }
        let shape = (rows, width as usize);
        let array = Array2::from_shape_vec(shape, T::copy_of(scalars(elements)));
        Ok(array.unwrap_or_else(|error| unreachable!("offsets that are no rows: {error}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::s;

    /// The place of the elements that a function reads, and how many there are.
    fn read<G: private::Give>(array: &G) -> (*const u8, usize) {
        let owner: Owner = Arc::new(());
        // SAFETY: nothing is read after the borrow.
        let columns = unsafe { array.lend(&owner) }.unwrap();
        let mut elements = sequence(&columns).1;
        if let Columns::Seq { elements: inner, .. } = elements {
            elements = inner;
        }
        let column = scalars(elements);
        (column.bytes().as_ptr(), column.len)
    }

    #[test]
    fn elements_in_order_are_read_where_they_are() {
        let array = Array2::from_shape_fn((100, 10), |(row, column)| (row * column) as f64);
        assert_eq!(read(&array), (array.as_ptr().cast(), 1000));
        assert_eq!(read(&array.view()), (array.as_ptr().cast(), 1000));
        let rows = array.slice(s![20..40, ..]);
        assert_eq!(read(&rows), (rows.as_ptr().cast(), 200));
        let row = array.row(7);
        assert_eq!(read(&row), (row.as_ptr().cast(), 10));
        for apart in [array.slice(s![.., 1..]), array.t(), array.slice(s![..;-1, ..])] {
            let (at, count) = read(&apart);
            assert_ne!(at, apart.as_ptr().cast());
            assert_eq!(count, apart.len());
        }
        assert_ne!(read(&array.column(3)).0, array.column(3).as_ptr().cast());
    }
}
