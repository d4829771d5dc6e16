//! Arrays as other libraries make them, buffer by buffer, that count how often they are released.

use arrow::{ArrowArray, ArrowSchema};
use std::ffi::{CString, c_void};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// An array and its type, before it is handed over.
#[derive(Clone, Debug)]
pub(crate) struct Made {
    pub(crate) format: &'static str,
    pub(crate) length: i64,
    pub(crate) null_count: i64,
    pub(crate) offset: i64,
    /// None is a null pointer.
    pub(crate) buffers: Vec<Option<Vec<u8>>>,
    pub(crate) children: Vec<Made>,
    pub(crate) dictionary: Option<Box<Made>>,
}

/// Bytes of numbers.
pub(crate) fn bytes<T: Copy, const N: usize>(values: &[T], to: fn(T) -> [u8; N]) -> Vec<u8> {
    values.iter().flat_map(|&value| to(value)).collect()
}
pub(crate) fn i64s(values: &[i64]) -> Vec<u8> {
    bytes(values, i64::to_ne_bytes)
}
pub(crate) fn i32s(values: &[i32]) -> Vec<u8> {
    bytes(values, i32::to_ne_bytes)
}
pub(crate) fn f64s(values: &[f64]) -> Vec<u8> {
    bytes(values, f64::to_ne_bytes)
}
/// Bits, the first in the lowest, after so many that are not looked at.
pub(crate) fn bits(before: usize, values: &[bool]) -> Vec<u8> {
    let mut bits = vec![0; (before + values.len()).div_ceil(8)];
    for (n, _) in values.iter().enumerate().filter(|(_, value)| **value) {
        bits[(before + n) / 8] |= 1 << ((before + n) % 8);
    }
    bits
}

impl Made {
    /// An array without nulls.
    pub(crate) fn new(format: &'static str, length: i64, buffers: Vec<Vec<u8>>) -> Made {
        let buffers = std::iter::once(None).chain(buffers.into_iter().map(Some)).collect();
        Made {
            format,
            length,
            null_count: 0,
            offset: 0,
            buffers,
            children: Vec::new(),
            dictionary: None,
        }
    }
    pub(crate) fn with(mut self, children: Vec<Made>) -> Made {
        self.children = children;
        self
    }
    /// Rows from `offset` on.
    pub(crate) fn slice(mut self, offset: i64, length: i64) -> Made {
        (self.offset, self.length) = (offset, length);
        self
    }

    /// Hands it over; the counts are of the schema and of the array.
    pub(crate) fn hand(&self) -> (ArrowSchema, ArrowArray, [Arc<AtomicUsize>; 2]) {
        let counts = [Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0))];
        let [of_schema, of_array] = counts.clone();
        (self.schema(of_schema), self.array(of_array), counts)
    }

    fn schema(&self, count: Arc<AtomicUsize>) -> ArrowSchema {
        let part = |made: &Made| Box::into_raw(Box::new(made.schema(Arc::default())));
        let mut kept = Box::new(Kept {
            format: CString::new(self.format).unwrap(),
            pointers: Vec::new(),
            _buffers: Vec::new(),
            schemas: self.children.iter().map(part).collect(),
            arrays: Vec::new(),
            count,
        });
        let mut schema = ArrowSchema::released();
        schema.format = kept.format.as_ptr();
        schema.n_children = kept.schemas.len() as i64;
        schema.children = kept.schemas.as_mut_ptr();
        if let Some(values) = &self.dictionary {
            schema.dictionary = part(values);
            kept.schemas.push(schema.dictionary);
            schema.children = kept.schemas.as_mut_ptr();
        }
        schema.private_data = Box::into_raw(kept).cast();
        schema.release = Some(release_schema);
        schema
    }

    fn array(&self, count: Arc<AtomicUsize>) -> ArrowArray {
        let part = |made: &Made| Box::into_raw(Box::new(made.array(Arc::default())));
        // Words, so that buffers are aligned.
        let words = |bytes: &Vec<u8>| {
            let chunks = bytes.chunks(8).map(|chunk| {
                let mut word = [0; 8];
                word[..chunk.len()].copy_from_slice(chunk);
                u64::from_ne_bytes(word)
            });
            chunks.collect::<Vec<u64>>()
        };
        let buffers: Vec<Option<Vec<u64>>> =
            self.buffers.iter().map(|buffer| buffer.as_ref().map(words)).collect();
        let pointer = |buffer: &Option<Vec<u64>>| match buffer {
            Some(words) => words.as_ptr().cast(),
            None => std::ptr::null(),
        };
        let mut kept = Box::new(Kept {
            format: CString::default(),
            pointers: buffers.iter().map(pointer).collect(),
            _buffers: buffers,
            schemas: Vec::new(),
            arrays: self.children.iter().map(part).collect(),
            count,
        });
        let mut array = ArrowArray::released();
        array.length = self.length;
        array.null_count = self.null_count;
        array.offset = self.offset;
        array.n_buffers = kept.pointers.len() as i64;
        array.buffers = kept.pointers.as_mut_ptr();
        array.n_children = kept.arrays.len() as i64;
        array.children = kept.arrays.as_mut_ptr();
        if let Some(values) = &self.dictionary {
            array.dictionary = part(values);
            kept.arrays.push(array.dictionary);
            array.children = kept.arrays.as_mut_ptr();
        }
        array.private_data = Box::into_raw(kept).cast();
        array.release = Some(release_array);
        array
    }
}

/// The memory that a schema or an array refers to.
struct Kept {
    format: CString,
    pointers: Vec<*const c_void>,
    _buffers: Vec<Option<Vec<u64>>>,
    schemas: Vec<*mut ArrowSchema>,
    arrays: Vec<*mut ArrowArray>,
    count: Arc<AtomicUsize>,
}

unsafe extern "C" fn release_schema(schema: *mut ArrowSchema) {
    // SAFETY: made by `Made::schema`, and let go once.
    unsafe {
        (*schema).release = None;
        let kept = Box::from_raw((*schema).private_data.cast::<Kept>());
        kept.count.fetch_add(1, Ordering::SeqCst);
        kept.schemas.iter().for_each(|&part| drop(Box::from_raw(part)));
    }
}

unsafe extern "C" fn release_array(array: *mut ArrowArray) {
    // SAFETY: made by `Made::array`, and let go once.
    unsafe {
        (*array).release = None;
        let kept = Box::from_raw((*array).private_data.cast::<Kept>());
        kept.count.fetch_add(1, Ordering::SeqCst);
        kept.arrays.iter().for_each(|&part| drop(Box::from_raw(part)));
    }
}
