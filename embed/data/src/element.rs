//! Which types elements of nested data have, and how many of them lie in vectors.

use crate::Nested;
use std::fmt::Debug;

/// Numbers, truth values and characters: `i64`, `f64`, `bool` and `u8`.
pub trait Scalar: Copy + Default + PartialEq + Debug + Send + Sync + sealed::Scalar {}

/// A type of elements that lie in vectors: scalars, tuples of elements, and `Vec<T>` for
/// sequences of elements.
pub trait Element: Clone + PartialEq + Debug + sealed::Element {
    /// The vectors of many elements: a vector of scalars, a tuple of the vectors of its parts, or
    /// [`Nested`] for sequences.
    type Columns: Clone + Default + PartialEq + Debug;

    /// The number of elements, if all vectors have the same.
    fn count(columns: &Self::Columns) -> Option<usize>;
}

/// Other types lie otherwise in memory than compiled code expects.
mod sealed {
    pub trait Scalar: 'static {}
    pub trait Element {}
}

macro_rules! scalar {
    ($($ty:ty)*) => {$(
        impl Scalar for $ty {}
        impl sealed::Scalar for $ty {}
    )*};
}

scalar!(i64 f64 bool u8);

impl<T: Scalar> sealed::Element for T {}
impl<T: Scalar> Element for T {
    type Columns = Vec<T>;
    fn count(columns: &Vec<T>) -> Option<usize> {
        Some(columns.len())
    }
}

impl<T: Element> sealed::Element for Vec<T> {}
impl<T: Element> Element for Vec<T> {
    type Columns = Nested<T>;
    fn count(columns: &Nested<T>) -> Option<usize> {
        Some(columns.len())
    }
}

macro_rules! tuple {
    ($first:ident $one:ident, $($other:ident $more:ident),+) => {
        impl<$first: Element, $($other: Element),+> sealed::Element for ($first, $($other),+) {}
        impl<$first: Element, $($other: Element),+> Element for ($first, $($other),+) {
            type Columns = ($first::Columns, $($other::Columns),+);
            fn count(($one, $($more),+): &Self::Columns) -> Option<usize> {
                let count = $first::count($one)?;
                $((($other::count($more)?) == count).then_some(())?;)+
                Some(count)
            }
        }
    };
}

tuple!(A a, B b);
tuple!(A a, B b, C c);
tuple!(A a, B b, C c, D d);
tuple!(A a, B b, C c, D d, E e);
tuple!(A a, B b, C c, D d, E e, F f);
