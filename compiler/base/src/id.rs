//! Typed ids and the maps that own what they name.
//!
//! An id is a `u32` newtype whose `Display` *is* its spelling in the textual IR (`v12`, `s3`),
//! so that dumps, error messages and readers agree without a table.

use std::fmt;
use std::marker::PhantomData;

/// A typed index: a `u32` with the prefix that its textual form carries.
pub trait Id: Copy + Eq + Ord + std::hash::Hash + fmt::Debug + fmt::Display {
    /// The letters before the number, such as `v`.
    const PREFIX: &'static str;
    /// The id with this number.
    fn new(index: usize) -> Self;
    /// The number of this id.
    fn index(self) -> usize;
    /// Reads `v12`; `None` if the text is not an id of this kind.
    fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix(Self::PREFIX)?;
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        digits.parse::<u32>().ok().map(|n| Self::new(n as usize))
    }
}

/// Declares an id type: `define_id!(Value, "v", "A value of the flat IR.");`
#[macro_export]
macro_rules! define_id {
    ($name:ident, $prefix:literal, $doc:literal) => {
        #[doc = $doc]
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);
        impl $crate::Id for $name {
            const PREFIX: &'static str = $prefix;
            fn new(index: usize) -> Self {
                $name(u32::try_from(index).expect("more than 2^32 entities"))
            }
            fn index(self) -> usize {
                self.0 as usize
            }
        }
        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                write!(f, "{}{}", $prefix, self.0)
            }
        }
        impl ::std::fmt::Debug for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                ::std::fmt::Display::fmt(self, f)
            }
        }
    };
}

/// A growing table that owns one `T` for each id, numbered from 0.
#[derive(Clone, PartialEq, Eq)]
pub struct IdMap<I: Id, T> {
    items: Vec<T>,
    ids: PhantomData<I>,
}

impl<I: Id, T> Default for IdMap<I, T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<I: Id, T> IdMap<I, T> {
    /// An empty table.
    pub fn new() -> Self {
        IdMap { items: Vec::new(), ids: PhantomData }
    }
    /// Adds an item and names it.
    pub fn push(&mut self, item: T) -> I {
        let id = I::new(self.items.len());
        self.items.push(item);
        id
    }
    /// The id that the next `push` will return.
    pub fn next_id(&self) -> I {
        I::new(self.items.len())
    }
    /// How many there are.
    pub fn len(&self) -> usize {
        self.items.len()
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
    /// The item, if the id belongs to this table.
    pub fn get(&self, id: I) -> Option<&T> {
        self.items.get(id.index())
    }
    /// Ids and items in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (I, &T)> + ExactSizeIterator {
        self.items.iter().enumerate().map(|(i, t)| (I::new(i), t))
    }
    /// Ids and items in order, items changeable.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (I, &mut T)> {
        self.items.iter_mut().enumerate().map(|(i, t)| (I::new(i), t))
    }
    /// The items in order.
    pub fn values(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }
    /// The ids in order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + use<I, T> {
        (0..self.items.len()).map(I::new)
    }
}

impl<I: Id, T> std::ops::Index<I> for IdMap<I, T> {
    type Output = T;
    fn index(&self, id: I) -> &T {
        &self.items[id.index()]
    }
}

impl<I: Id, T> std::ops::IndexMut<I> for IdMap<I, T> {
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.items[id.index()]
    }
}

impl<I: Id, T> FromIterator<T> for IdMap<I, T> {
    fn from_iter<A: IntoIterator<Item = T>>(items: A) -> Self {
        IdMap { items: items.into_iter().collect(), ids: PhantomData }
    }
}

impl<I: Id, T: fmt::Debug> fmt::Debug for IdMap<I, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}
