//! Elements and their vectors as columns, and back.

#![expect(unsafe_code, reason = "columns over memory that is borrowed for a call")]

use nesl_data::{Element, Nested, Scalar};
use prim::{Const, Ty, Widths};
use std::borrow::Cow;
use types::Type;
use value::buffer::Owner;
use value::{Column, Columns, OutOfMemory};

/// Elements whose vectors are columns.
pub trait Vectors: Element {
    fn ty() -> Type;
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

pub(crate) fn list(ty: Type) -> Type {
    Type::Seq(ty.into())
}

/// Columns that are not of the type for which they were checked.
pub(crate) fn mixed_up() -> ! {
    unreachable!("a result of another type than its function")
}

/// Scalars, which lie in columns as they lie in slices.
pub trait Number: Scalar {
    const TY: Ty;
    fn of(value: Const) -> Self;
    fn column(self) -> Result<Column, OutOfMemory>;
    fn copy_of(column: &Column) -> Vec<Self>;
}

macro_rules! scalar {
    ($rust:ty, $ty:ident, |$value:ident| $column:expr, |$from:ident| $copy:expr) => {
        impl Number for $rust {
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

pub(crate) fn scalars(columns: &Columns) -> &Column {
    if let Columns::Scalar(column) = columns { column } else { mixed_up() }
}

/// The columns of a sequence's elements, and its offsets.
pub(crate) fn sequence(columns: &Columns) -> (&Column, &Columns) {
    if let Columns::Seq { offsets, elements } = columns { (offsets, elements) } else { mixed_up() }
}

/// The type of a tuple of at least two parts.
pub(crate) fn pairs(mut parts: Vec<Type>) -> Type {
    let last = parts.pop().unwrap_or_else(|| mixed_up());
    parts.into_iter().rev().fold(last, |rest, part| Type::Pair(part.into(), rest.into()))
}

/// The columns of a tuple: as in NESL, `(a, (b, c))` is `(a, b, c)`.
pub(crate) fn joined(mut parts: Vec<Columns>) -> Columns {
    match parts.pop() {
        Some(Columns::Tuple(more)) => parts.extend(more),
        last => parts.extend(last),
    }
    Columns::Tuple(parts)
}

/// The columns of a tuple's parts; the last part of several may be a tuple itself.
pub(crate) fn parts<const N: usize>(columns: &Columns) -> [Cow<'_, Columns>; N] {
    let Columns::Tuple(parts) = columns else { mixed_up() };
    std::array::from_fn(|n| match &parts[n..] {
        [part] => Cow::Borrowed(part),
        more if n == N - 1 => Cow::Owned(Columns::Tuple(more.to_vec())),
        [part, ..] => Cow::Borrowed(part),
        [] => mixed_up(),
    })
}

/// # Safety
///
/// As for [`Vectors::lend`].
pub(crate) unsafe fn lend_slice<T: Number>(
    slice: &[T],
    owner: &Owner,
) -> Result<Columns, OutOfMemory> {
    let (data, len) = (slice.as_ptr().cast(), slice.len());
    // SAFETY: the slice is borrowed until nobody has the owner; a Rust bool is 0 or 1.
    let column = unsafe { Column::foreign(T::TY, WIDE, data, len, Owner::clone(owner)) };
    column.map(Columns::Scalar)
}

impl<T: Number> Vectors for T {
    fn ty() -> Type {
        Type::Base(T::TY)
    }
    unsafe fn lend(columns: &Vec<T>, owner: &Owner) -> Result<Columns, OutOfMemory> {
        // SAFETY: as the caller says.
        unsafe { lend_slice(columns, owner) }
    }
    fn copy(columns: &Columns) -> Vec<T> {
        T::copy_of(scalars(columns))
    }
}

impl<T: Vectors> Vectors for Vec<T> {
    fn ty() -> Type {
        list(T::ty())
    }
    unsafe fn lend(columns: &Nested<T>, owner: &Owner) -> Result<Columns, OutOfMemory> {
        // SAFETY: as the caller says.
        unsafe {
            let Columns::Scalar(offsets) = lend_slice(columns.offsets(), owner)? else {
                unreachable!("offsets are ints")
            };
            let elements = Box::new(T::lend(columns.elements(), owner)?);
            Ok(Columns::Seq { offsets, elements })
        }
    }
    fn copy(columns: &Columns) -> Nested<T> {
        let (offsets, elements) = sequence(columns);
        Nested::trusted(offsets.ints().into_owned(), T::copy(elements))
    }
}

macro_rules! tuple {
    ($($name:ident $part:ident),+) => {
        impl<$($name: Vectors),+> Vectors for ($($name,)+) {
            fn ty() -> Type {
                pairs(vec![$($name::ty()),+])
            }
            unsafe fn lend(
                ($($part,)+): &Self::Columns,
                owner: &Owner,
            ) -> Result<Columns, OutOfMemory> {
                // SAFETY: as the caller says.
                unsafe { Ok(joined(vec![$($name::lend($part, owner)?),+])) }
            }
            fn copy(columns: &Columns) -> Self::Columns {
                let [$($part),+] = parts(columns);
                ($($name::copy(&$part),)+)
            }
        }
    };
}

tuple!(A a, B b);
tuple!(A a, B b, C c);
tuple!(A a, B b, C c, D d);
tuple!(A a, B b, C c, D d, E e);
tuple!(A a, B b, C c, D d, E e, F f);
