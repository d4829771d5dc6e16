//! Rows of different lengths.

use crate::{Element, Error, Scalar};
use std::ops::Range;

/// Rows of different lengths: a sequence of sequences, as offsets and the elements of all rows.
///
/// | Rust | NESL | [elements](Nested::elements) |
/// |---|---|---|
/// | `Nested<f64>` | `[[float]]` | `Vec<f64>` |
/// | `Nested<(i64, f64)>` | `[[(int, float)]]` | `(Vec<i64>, Vec<f64>)` |
/// | `Nested<Vec<f64>>` | `[[[float]]]` | `Nested<f64>` |
#[derive(Clone, PartialEq, Debug)]
pub struct Nested<T: Element> {
    /// Row `i` has the elements `offsets[i]..offsets[i + 1]`; one more than there are rows.
    offsets: Vec<i64>,
    elements: T::Columns,
}

impl<T: Element> Nested<T> {
    /// Rows by their offsets: row `i` has the elements `offsets[i]..offsets[i + 1]`.
    ///
    /// # Errors
    ///
    /// If the offsets do not begin at 0, fall, or end elsewhere than the elements; if the vectors
    /// of a tuple have different lengths.
    pub fn new(offsets: Vec<i64>, elements: T::Columns) -> Result<Nested<T>, Error> {
        let Some(count) = T::count(&elements) else {
            return Err(Error::input("the vectors of the elements have different lengths"));
        };
        if offsets.first() != Some(&0) {
            return Err(Error::input("offsets begin with 0"));
        }
        if let Some(row) = offsets.windows(2).position(|pair| pair[0] > pair[1]) {
            return Err(Error::input(format!("the offsets fall in row {row}")));
        }
        let end = offsets[offsets.len() - 1];
        if usize::try_from(end) != Ok(count) {
            let message = format!("the offsets end at {end}, and there are {count} elements");
            return Err(Error::input(message));
        }
        Ok(Nested { offsets, elements })
    }

    /// Rows by offsets that are right.
    #[doc(hidden)]
    pub fn trusted(offsets: Vec<i64>, elements: T::Columns) -> Nested<T> {
        debug_assert_eq!(T::count(&elements), offsets.last().map(|&end| end as usize));
        Nested { offsets, elements }
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
