//! Rust's values as arguments and results.

#![expect(unsafe_code, reason = "columns over memory that is borrowed for a call")]

use crate::error::Error;
use crate::vectors::{Number, Vectors, joined, lend_slice, list, pairs, parts, scalars, sequence};
use nesl_data::Nested;
use std::sync::Arc;
use types::Type;
use value::buffer::Owner;
use value::{Columns, OutOfMemory};

/// A type of arguments.
pub trait Give: private::Give {}

/// A type of results.
pub trait Take: private::Take {}

/// The parts of the traits that are not for users: they trust whoever implements them.
pub(crate) mod private {
    use super::{Columns, Error, OutOfMemory, Owner, Type};

    pub trait Give {
        fn ty() -> Type;
        /// The value as columns in one lane.
        ///
        /// # Safety
        ///
        /// As for [`crate::vectors::Vectors::lend`].
        unsafe fn lend(&self, owner: &Owner) -> Result<Columns, OutOfMemory>;
    }

    pub trait Take {
        fn ty() -> Type;
        /// A copy of the value in the only lane of columns of this type.
        ///
        /// # Errors
        ///
        /// If values of `Self` have not all forms that values of its type in NESL have.
        fn copy(columns: &Columns) -> Result<Self, Error>
        where
            Self: Sized;
    }
}

impl<T: Number> Give for T {}
impl<T: Number> private::Give for T {
    fn ty() -> Type {
        Type::Base(T::TY)
    }
    unsafe fn lend(&self, _: &Owner) -> Result<Columns, OutOfMemory> {
        self.column().map(Columns::Scalar)
    }
}

impl<T: Number> Give for [T] {}
impl<T: Number> private::Give for [T] {
    fn ty() -> Type {
        list(Type::Base(T::TY))
    }
    unsafe fn lend(&self, owner: &Owner) -> Result<Columns, OutOfMemory> {
        // SAFETY: as the caller says.
        Columns::sequence(unsafe { lend_slice(self, owner)? })
    }
}

impl<A: Number, B: Number> Give for [(A, B)] {}
impl<A: Number, B: Number> private::Give for [(A, B)] {
    fn ty() -> Type {
        list(<(A, B) as Vectors>::ty())
    }
    unsafe fn lend(&self, _: &Owner) -> Result<Columns, OutOfMemory> {
        let (a, b): (Vec<A>, Vec<B>) = self.iter().copied().unzip();
        let (a, b) = (Arc::new(a), Arc::new(b));
        let (of_a, of_b): (Owner, Owner) = (Arc::<Vec<A>>::clone(&a), Arc::<Vec<B>>::clone(&b));
        // SAFETY: each column has its vector as its owner.
        let parts = unsafe { vec![lend_slice(&a, &of_a)?, lend_slice(&b, &of_b)?] };
        Columns::sequence(joined(parts))
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

impl<T: Vectors> Give for Nested<T> {}
impl<T: Vectors> private::Give for Nested<T> {
    fn ty() -> Type {
        list(list(T::ty()))
    }
    unsafe fn lend(&self, owner: &Owner) -> Result<Columns, OutOfMemory> {
        // SAFETY: as the caller says.
        Columns::sequence(unsafe { <Vec<T> as Vectors>::lend(self, owner)? })
    }
}

impl<T: Number> Take for T {}
impl<T: Number> private::Take for T {
    fn ty() -> Type {
        Type::Base(T::TY)
    }
    fn copy(columns: &Columns) -> Result<T, Error> {
        Ok(T::of(scalars(columns).get(0)))
    }
}

impl<T: Number> Take for Vec<T> {}
impl<T: Number> private::Take for Vec<T> {
    fn ty() -> Type {
        list(Type::Base(T::TY))
    }
    fn copy(columns: &Columns) -> Result<Vec<T>, Error> {
        Ok(T::copy_of(scalars(sequence(columns).1)))
    }
}

impl<A: Number, B: Number> Take for Vec<(A, B)> {}
impl<A: Number, B: Number> private::Take for Vec<(A, B)> {
    fn ty() -> Type {
        list(<(A, B) as Vectors>::ty())
    }
    fn copy(columns: &Columns) -> Result<Vec<(A, B)>, Error> {
        let (a, b) = <(A, B) as Vectors>::copy(sequence(columns).1);
        Ok(a.into_iter().zip(b).collect())
    }
}

impl<T: Vectors> Take for Nested<T> {}
impl<T: Vectors> private::Take for Nested<T> {
    fn ty() -> Type {
        list(list(T::ty()))
    }
    fn copy(columns: &Columns) -> Result<Nested<T>, Error> {
        Ok(<Vec<T> as Vectors>::copy(sequence(columns).1))
    }
}

macro_rules! tuple {
    ($($name:ident $part:ident),+) => {
        impl<$($name: Take),+> Take for ($($name,)+) {}
        impl<$($name: Take),+> private::Take for ($($name,)+) {
            fn ty() -> Type {
                pairs(vec![$($name::ty()),+])
            }
            fn copy(columns: &Columns) -> Result<Self, Error> {
                let [$($part),+] = parts(columns);
                Ok(($($name::copy(&$part)?,)+))
            }
        }
    };
}

tuple!(A a, B b);
tuple!(A a, B b, C c);
tuple!(A a, B b, C c, D d);
