//! Arrays of n dimensions whose elements lie at regular distances: NumPy's, and tensors.

use crate::error::{input, memory};
use arrow::{Memory, Node};
use pyo3::prelude::*;
use std::sync::Arc;
use value::Buffer;
use value::buffer::Owner;
use value::remote::After;

/// The type of elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Int,
    Unsigned,
    Float,
    Bool,
}

/// An array of n dimensions in memory.
#[derive(Debug)]
pub(crate) struct Strided {
    pub(crate) kind: Kind,
    /// The bytes of an element.
    pub(crate) size: usize,
    /// The extents, outermost first.
    pub(crate) shape: Vec<usize>,
    /// The distances in bytes; none if elements lie one after the other, the last index first.
    pub(crate) strides: Option<Vec<isize>>,
    /// The first element.
    pub(crate) data: *const u8,
    /// The GPU that has the memory, and what has to be over before it is read; none if the host
    /// has it.
    pub(crate) gpu: Option<(usize, After)>,
}

/// An array as Arrow describes one: the rows of its first dimension, or the only value if it has
/// none.
pub(crate) struct Placed {
    pub(crate) node: Node,
    pub(crate) is_sequence: bool,
    pub(crate) gpu: Option<(usize, After)>,
}

impl Strided {
    /// Describes it.  It is copied if its elements are not side by side.
    ///
    /// # Safety
    ///
    /// The elements can be read, and nobody writes to them, until `owner` is dropped.
    pub(crate) unsafe fn placed(
        self,
        py: Python<'_>,
        owner: Owner,
        name: &str,
    ) -> PyResult<Placed> {
        let wrong = |what: String| input(py, format!("`{name}`: {what}"));
        let Strided { kind, size, shape, strides, data, gpu } = self;
        let format = match (kind, size) {
            (Kind::Int, 1) => "c",
            (Kind::Int, 2) => "s",
            (Kind::Int, 4) => "i",
            (Kind::Int, 8) => "l",
            (Kind::Unsigned, 1) => "C",
            (Kind::Unsigned, 2) => "S",
            (Kind::Unsigned, 4) => "I",
            (Kind::Unsigned, 8) => "L",
            (Kind::Float, 2) => "e",
            (Kind::Float, 4) => "f",
            (Kind::Float, 8) => "g",
            (Kind::Bool, 1) => "",
            _ => {
                let bits = size * 8;
                return Err(wrong(format!("elements of type {kind:?} with {bits} bits")));
            }
        };
        let count = shape.iter().try_fold(1_usize, |count, &extent| count.checked_mul(extent));
        let bytes = count.and_then(|count| count.checked_mul(size)).filter(|&n| n < 1 << 62);
        let (Some(count), Some(bytes)) = (count, bytes) else {
            return Err(wrong("it has too many elements".to_owned()));
        };
        let at = match strides {
            Some(strides) if count > 0 && !is_dense(&shape, &strides, size) => {
                if gpu.is_some() {
                    let message = "its elements are not side by side: make it contiguous first";
                    return Err(wrong(message.to_owned()));
                }
                let mut copy = Buffer::zeroed(bytes).map_err(|error| memory(py, error))?;
                // SAFETY: as the caller says.
                unsafe { gather(data, &shape, &strides, size, copy.as_mut_slice()) };
                let copy = Arc::new(copy);
                Memory::new(copy.as_ptr(), copy)
            }
            _ => Memory::new(data, owner),
        };
        // SAFETY: there are so many elements of this type.
        let mut node = unsafe {
            match kind {
                Kind::Bool => Node::bools(count, at),
                _ => Node::numbers(format, count, at),
            }
        };
        for n in (1..shape.len()).rev() {
            node = Node::regular(shape[..n].iter().product(), shape[n], node);
        }
        Ok(Placed { node, is_sequence: !shape.is_empty(), gpu })
    }
}

/// True if elements lie one after the other.
fn is_dense(shape: &[usize], strides: &[isize], size: usize) -> bool {
    let mut expected = size.cast_signed();
    shape.iter().zip(strides).rev().all(|(&extent, &stride)| {
        let is = extent == 1 || stride == expected;
        expected *= extent.cast_signed();
        is
    })
}

/// Copies elements at regular distances to lie one after the other.
///
/// # Safety
///
/// There is an element of so many bytes wherever the extents and distances reach.
unsafe fn gather(from: *const u8, shape: &[usize], strides: &[isize], size: usize, to: &mut [u8]) {
    let (Some((&extent, inner)), Some((&stride, distances))) =
        (shape.split_first(), strides.split_first())
    else {
        // SAFETY: as the caller says.
        to.copy_from_slice(unsafe { std::slice::from_raw_parts(from, size) });
        return;
    };
    let part = to.len() / extent.max(1);
    for (n, to) in to.chunks_exact_mut(part.max(1)).enumerate() {
        let at = from.wrapping_offset(n.cast_signed() * stride);
        // SAFETY: as the caller says.
        unsafe { gather(at, inner, distances, size, to) };
    }
}
