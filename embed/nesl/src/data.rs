//! Rust's values as columns, and back.

#![expect(unsafe_code, reason = "columns over memory that is borrowed for a call")]

use crate::error::Error;
use prim::{Const, Ty, Widths};
use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;
use types::Type;
use value::buffer::Owner;
use value::{Column, Columns, OutOfMemory};

/// Rows of different lengths: a sequence of sequences, as offsets and the elements of all rows.
///
/// `Nested<f64>` is `[[float]]`, `Nested<(i64, f64)>` is `[[(int, float)]]`, of which the ints and
/// the floats are a vector each, and `Nested<Vec<f64>>` is `[[[float]]]`.
#[derive(Clone, PartialEq, Debug)]
pub struct Nested<T: Element> {
    /// Row `i` has the elements `offsets[i]..offsets[i + 1]`; one more than there are rows.
    offsets: Vec<i64>,
    elements: T::Columns,
}

/// A type of elements that lie in vectors.
pub trait Element: private::Element {}

/// A type of arguments.
pub trait Give: private::Give {}

/// A type of results.
pub trait Take: private::Take {}

/// The parts of the traits that are not for users: they trust whoever implements them.
pub(crate) mod private {
    use super::{Columns, OutOfMemory, Owner, Type};
    use std::fmt::Debug;

    pub trait Element: Clone + PartialEq + Debug {
        /// The vectors of many elements.
        type Columns: Clone + Default + PartialEq + Debug;
        fn ty() -> Type;
        /// The number of elements, if all vectors have the same.
        fn len(columns: &Self::Columns) -> Option<usize>;
        /// Adds elements.
        fn append(columns: &mut Self::Columns, other: Self::Columns);
        /// The vectors as columns, one lane for each element.
        ///
        /// # Safety
        ///
        /// The columns are not used after the borrow of `columns`; that is over when nobody has
        /// the owner any more.
        unsafe fn lend(columns: &Self::Columns, owner: &Owner) -> Result<Columns, OutOfMemory>;
        /// A copy of columns of this type.
        fn copy(columns: &Columns) -> Self::Columns;
    }

    pub trait Give {
        fn ty() -> Type;
        /// The value as columns in one lane.
        ///
        /// # Safety
        ///
        /// As for [`Element::lend`].
        unsafe fn lend(&self, owner: &Owner) -> Result<Columns, OutOfMemory>;
    }

    pub trait Take {
        fn ty() -> Type;
        /// A copy of the value in the only lane of columns of this type.
        fn copy(columns: &Columns) -> Self;
    }
}

fn list(ty: Type) -> Type {
    Type::Seq(ty.into())
}

/// Columns that are not of the type for which they were checked.
fn mixed_up() -> ! {
    unreachable!("a result of another type than its function")
}

/// Numbers, truth values and characters, which lie in columns as they lie in slices.
pub trait Scalar: Copy + Default + PartialEq + Debug + Send + Sync + 'static {
    #[doc(hidden)]
    const TY: Ty;
    #[doc(hidden)]
    fn of(value: Const) -> Self;
    #[doc(hidden)]
    fn column(self) -> Result<Column, OutOfMemory>;
    #[doc(hidden)]
    fn copy_of(column: &Column) -> Vec<Self> {
        (0..column.len).map(|i| Self::of(column.get(i))).collect()
    }
}

macro_rules! scalar {
    ($rust:ty, $ty:ident, |$value:ident| $column:expr, |$from:ident| $copy:expr) => {
        impl Scalar for $rust {
            const TY: Ty = Ty::$ty;
            fn of(value: Const) -> $rust {
                if let Const::$ty(value) = value { value } else { mixed_up() }
            }
            fn column(self) -> Result<Column, OutOfMemory> {
                let $value = self;
                $column
            }
            fn copy_of($from: &Column) -> Vec<$rust> {
                $copy
            }
        }
    };
}

const WIDE: Widths = Widths::WIDE;
scalar!(i64, I64, |v| Column::of_ints(WIDE, &[v]), |from| from.ints().into_owned());
scalar!(f64, F64, |v| Column::of_floats(WIDE, &[v]), |from| from
    .floats_of(0..from.len)
    .into_owned());
scalar!(u8, Char, |v| Column::of_bytes(Ty::Char, WIDE, &[v]), |from| from.bytes().to_vec());
scalar!(bool, Bool, |v| Column::of_bytes(Ty::Bool, WIDE, &[u8::from(v)]), |from| from
    .bytes()
    .iter()
    .map(|&byte| byte != 0)
    .collect());

fn scalars(columns: &Columns) -> &Column {
    if let Columns::Scalar(column) = columns { column } else { mixed_up() }
}

/// The columns of a sequence's elements, and its offsets.
fn sequence(columns: &Columns) -> (&Column, &Columns) {
    if let Columns::Seq { offsets, elements } = columns { (offsets, elements) } else { mixed_up() }
}

fn tuple(columns: &Columns) -> &[Columns] {
    if let Columns::Tuple(parts) = columns { parts } else { mixed_up() }
}

/// # Safety
///
/// As for [`private::Element::lend`].
unsafe fn lend_slice<T: Scalar>(slice: &[T], owner: &Owner) -> Result<Columns, OutOfMemory> {
    let (data, len) = (slice.as_ptr().cast(), slice.len());
    // SAFETY: the slice is borrowed until nobody has the owner; a Rust bool is 0 or 1.
    let column = unsafe { Column::foreign(T::TY, WIDE, data, len, Owner::clone(owner)) };
    column.map(Columns::Scalar)
}

impl<T: Scalar> Element for T {}
impl<T: Scalar> private::Element for T {
    type Columns = Vec<T>;
    fn ty() -> Type {
        Type::Base(T::TY)
    }
    fn len(columns: &Vec<T>) -> Option<usize> {
        Some(columns.len())
    }
    fn append(columns: &mut Vec<T>, mut other: Vec<T>) {
        columns.append(&mut other);
    }
    unsafe fn lend(columns: &Vec<T>, owner: &Owner) -> Result<Columns, OutOfMemory> {
        // SAFETY: as the caller says.
        unsafe { lend_slice(columns, owner) }
    }
    fn copy(columns: &Columns) -> Vec<T> {
        T::copy_of(scalars(columns))
    }
}

impl<A: Scalar, B: Scalar> Element for (A, B) {}
impl<A: Scalar, B: Scalar> private::Element for (A, B) {
    type Columns = (Vec<A>, Vec<B>);
    fn ty() -> Type {
        Type::Pair(Type::Base(A::TY).into(), Type::Base(B::TY).into())
    }
    fn len((a, b): &(Vec<A>, Vec<B>)) -> Option<usize> {
        (a.len() == b.len()).then_some(a.len())
    }
    fn append((a, b): &mut (Vec<A>, Vec<B>), (mut c, mut d): (Vec<A>, Vec<B>)) {
        a.append(&mut c);
        b.append(&mut d);
    }
    unsafe fn lend((a, b): &(Vec<A>, Vec<B>), owner: &Owner) -> Result<Columns, OutOfMemory> {
        // SAFETY: as the caller says.
        unsafe { Ok(Columns::Tuple(vec![lend_slice(a, owner)?, lend_slice(b, owner)?])) }
    }
    fn copy(columns: &Columns) -> (Vec<A>, Vec<B>) {
        let [a, b] = tuple(columns) else { mixed_up() };
        (A::copy_of(scalars(a)), B::copy_of(scalars(b)))
    }
}

impl<T: Element> Element for Vec<T> {}
impl<T: Element> private::Element for Vec<T> {
    type Columns = Nested<T>;
    fn ty() -> Type {
        list(T::ty())
    }
    fn len(columns: &Nested<T>) -> Option<usize> {
        Some(columns.len())
    }
    fn append(columns: &mut Nested<T>, other: Nested<T>) {
        let end = columns.offsets[columns.len()];
        columns.offsets.extend(other.offsets[1..].iter().map(|offset| end + offset));
        T::append(&mut columns.elements, other.elements);
    }
    unsafe fn lend(columns: &Nested<T>, owner: &Owner) -> Result<Columns, OutOfMemory> {
        // SAFETY: as the caller says.
        unsafe {
            let Columns::Scalar(offsets) = lend_slice(&columns.offsets, owner)? else {
                unreachable!("offsets are ints")
            };
            let elements = Box::new(T::lend(&columns.elements, owner)?);
            Ok(Columns::Seq { offsets, elements })
        }
    }
    fn copy(columns: &Columns) -> Nested<T> {
        let (offsets, elements) = sequence(columns);
        Nested { offsets: offsets.ints().into_owned(), elements: T::copy(elements) }
    }
}

impl<T: Element> Nested<T> {
    /// Rows by their offsets: row `i` has the elements `offsets[i]..offsets[i + 1]`.
    ///
    /// # Errors
    ///
    /// If the offsets do not begin at 0, fall, or end elsewhere than the elements; if the vectors
    /// of a tuple have different lengths.
    pub fn new(offsets: Vec<i64>, elements: T::Columns) -> Result<Nested<T>, Error> {
        let Some(len) = T::len(&elements) else {
            return Err(Error::input("the vectors of the elements have different lengths"));
        };
        if offsets.first() != Some(&0) {
            return Err(Error::input("offsets begin with 0"));
        }
        if let Some(row) = offsets.windows(2).position(|pair| pair[0] > pair[1]) {
            return Err(Error::input(format!("the offsets fall in row {row}")));
        }
        let end = offsets[offsets.len() - 1];
        if usize::try_from(end) != Ok(len) {
            let message = format!("the offsets end at {end}, and there are {len} elements");
            return Err(Error::input(message));
        }
        Ok(Nested { offsets, elements })
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }
    /// True if there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The offsets, one more than there are rows.
    pub fn offsets(&self) -> &[i64] {
        &self.offsets
    }
    /// The elements of all rows.
    pub fn elements(&self) -> &T::Columns {
        &self.elements
    }
    /// The offsets and the elements of all rows.
    pub fn into_parts(self) -> (Vec<i64>, T::Columns) {
        (self.offsets, self.elements)
    }
    /// The positions of the elements of a row.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    pub fn range(&self, row: usize) -> Range<usize> {
        let [start, end] = [self.offsets[row], self.offsets[row + 1]];
        // Offsets are not negative and end at the elements.
        start as usize..end as usize
    }
}

impl<T: Scalar> Nested<T> {
    /// Rows that are vectors.
    pub fn from_rows(rows: impl IntoIterator<Item = Vec<T>>) -> Nested<T> {
        let (mut offsets, mut elements) = (vec![0], Vec::new());
        for row in rows {
            elements.extend_from_slice(&row);
            offsets.push(elements.len() as i64);
        }
        Nested { offsets, elements }
    }
    /// The elements of a row.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    pub fn row(&self, row: usize) -> &[T] {
        &self.elements[self.range(row)]
    }
    /// The rows in order.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[T]> {
        (0..self.len()).map(|row| self.row(row))
    }
}

/// No rows.
impl<T: Element> Default for Nested<T> {
    fn default() -> Nested<T> {
        Nested { offsets: vec![0], elements: T::Columns::default() }
    }
}

impl<T: Scalar> Give for T {}
impl<T: Scalar> private::Give for T {
    fn ty() -> Type {
        Type::Base(T::TY)
    }
    unsafe fn lend(&self, _: &Owner) -> Result<Columns, OutOfMemory> {
        self.column().map(Columns::Scalar)
    }
}

impl<T: Scalar> Give for [T] {}
impl<T: Scalar> private::Give for [T] {
    fn ty() -> Type {
        list(Type::Base(T::TY))
    }
    unsafe fn lend(&self, owner: &Owner) -> Result<Columns, OutOfMemory> {
        // SAFETY: as the caller says.
        Columns::sequence(unsafe { lend_slice(self, owner)? })
    }
}

impl<A: Scalar, B: Scalar> Give for [(A, B)] {}
impl<A: Scalar, B: Scalar> private::Give for [(A, B)] {
    fn ty() -> Type {
        list(<(A, B) as private::Element>::ty())
    }
    unsafe fn lend(&self, _: &Owner) -> Result<Columns, OutOfMemory> {
        let (a, b): (Vec<A>, Vec<B>) = self.iter().copied().unzip();
        let (a, b) = (Arc::new(a), Arc::new(b));
        let (of_a, of_b): (Owner, Owner) = (Arc::<Vec<A>>::clone(&a), Arc::<Vec<B>>::clone(&b));
        // SAFETY: each column has its vector as its owner.
        let parts = unsafe { vec![lend_slice(&a, &of_a)?, lend_slice(&b, &of_b)?] };
        Columns::sequence(Columns::Tuple(parts))
    }
}

impl<T> Give for Vec<T> where [T]: Give {}
impl<T> private::Give for Vec<T>
where
    [T]: private::Give,
{
    fn ty() -> Type {
        <[T] as private::Give>::ty()
    }
    unsafe fn lend(&self, owner: &Owner) -> Result<Columns, OutOfMemory> {
        // SAFETY: as the caller says.
        unsafe { self.as_slice().lend(owner) }
    }
}

impl<T: Element> Give for Nested<T> {}
impl<T: Element> private::Give for Nested<T> {
    fn ty() -> Type {
        list(list(T::ty()))
    }
    unsafe fn lend(&self, owner: &Owner) -> Result<Columns, OutOfMemory> {
        // SAFETY: as the caller says.
        Columns::sequence(unsafe { <Vec<T> as private::Element>::lend(self, owner)? })
    }
}

impl<T: Scalar> Take for T {}
impl<T: Scalar> private::Take for T {
    fn ty() -> Type {
        Type::Base(T::TY)
    }
    fn copy(columns: &Columns) -> T {
        T::of(scalars(columns).get(0))
    }
}

impl<T: Scalar> Take for Vec<T> {}
impl<T: Scalar> private::Take for Vec<T> {
    fn ty() -> Type {
        list(Type::Base(T::TY))
    }
    fn copy(columns: &Columns) -> Vec<T> {
        T::copy_of(scalars(sequence(columns).1))
    }
}

impl<A: Scalar, B: Scalar> Take for Vec<(A, B)> {}
impl<A: Scalar, B: Scalar> private::Take for Vec<(A, B)> {
    fn ty() -> Type {
        list(<(A, B) as private::Element>::ty())
    }
    fn copy(columns: &Columns) -> Vec<(A, B)> {
        let (a, b) = <(A, B) as private::Element>::copy(sequence(columns).1);
        a.into_iter().zip(b).collect()
    }
}

impl<T: Element> Take for Nested<T> {}
impl<T: Element> private::Take for Nested<T> {
    fn ty() -> Type {
        list(list(T::ty()))
    }
    fn copy(columns: &Columns) -> Nested<T> {
        <Vec<T> as private::Element>::copy(sequence(columns).1)
    }
}

impl<A: Take, B: Take> Take for (A, B) {}
impl<A: Take, B: Take> private::Take for (A, B) {
    fn ty() -> Type {
        Type::Pair(A::ty().into(), B::ty().into())
    }
    fn copy(columns: &Columns) -> (A, B) {
        let [a, b] = tuple(columns) else { mixed_up() };
        (A::copy(a), B::copy(b))
    }
}

impl<A: Take, B: Take, C: Take> Take for (A, B, C) {}
impl<A: Take, B: Take, C: Take> private::Take for (A, B, C) {
    fn ty() -> Type {
        Type::Pair(A::ty().into(), Type::Pair(B::ty().into(), C::ty().into()).into())
    }
    fn copy(columns: &Columns) -> (A, B, C) {
        let [a, b, c] = tuple(columns) else { mixed_up() };
        (A::copy(a), B::copy(b), C::copy(c))
    }
}
