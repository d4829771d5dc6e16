//! Arrays that are to be made: what lies where, before it becomes structs of C.
//!
//! Whoever has data in memory describes it so, ourselves included: our values, arrays that describe
//! themselves in another way than Arrow's, tensors.

use crate::abi::{ArrowArray, ArrowSchema};
use crate::extension::{BOOL8, metadata};
use std::borrow::Cow;
use std::ffi::{CString, c_void};
use std::ptr::null_mut;
use value::buffer::Owner;

/// An array that is to be made.
#[derive(Clone, Debug)]
pub struct Node {
    pub(crate) format: Cow<'static, str>,
    /// The name of the extension type, if it is one.
    extension: Option<&'static str>,
    pub(crate) rows: usize,
    /// The memory of the buffers behind that of nulls.
    buffers: Vec<Memory>,
    children: Vec<Node>,
}

/// The place of a buffer, and who keeps it.
#[derive(Clone)]
pub struct Memory {
    at: *const u8,
    _owner: Owner,
}

// SAFETY: the memory is only read, and its owner may be dropped by any thread.
unsafe impl Send for Memory {}
// SAFETY: as above.
unsafe impl Sync for Memory {}

impl std::fmt::Debug for Memory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Memory({:p})", self.at)
    }
}

impl Memory {
    /// The memory at an address, which nobody writes until `owner` is dropped.
    pub fn new(at: *const u8, owner: Owner) -> Memory {
        Memory { at, _owner: owner }
    }
}

impl Node {
    pub(crate) fn new(
        format: impl Into<Cow<'static, str>>,
        rows: usize,
        buffers: impl Into<Vec<Memory>>,
        children: Vec<Node>,
    ) -> Node {
        let (format, buffers) = (format.into(), buffers.into());
        Node { format, extension: None, rows, buffers, children }
    }

    /// So many numbers of Arrow's type `format`, such as `l` for ints of 64 bits.
    ///
    /// # Safety
    ///
    /// The memory has so many of them.  So it is for all functions below: the memory has as many
    /// elements as the array has rows.
    pub unsafe fn numbers(format: &'static str, rows: usize, memory: Memory) -> Node {
        Node::new(format, rows, [memory], Vec::new())
    }

    /// Bools of one byte each.
    ///
    /// # Safety
    ///
    /// As for [`Node::numbers`].
    pub unsafe fn bools(rows: usize, memory: Memory) -> Node {
        Node { extension: Some(BOOL8), ..Node::new("c", rows, [memory], Vec::new()) }
    }

    /// Lists between offsets of 64 bits, or of 32.
    ///
    /// # Safety
    ///
    /// The memory has one more offset than there are rows.  They are checked when they are taken.
    pub unsafe fn lists(rows: usize, offsets: Memory, wide: bool, elements: Node) -> Node {
        Node::new(if wide { "+L" } else { "+l" }, rows, [offsets], vec![elements])
    }

    /// Texts between offsets of 64 bits, or of 32.
    ///
    /// # Safety
    ///
    /// As for [`Node::lists`]; offsets end inside the bytes.
    pub unsafe fn texts(rows: usize, offsets: Memory, wide: bool, bytes: Memory) -> Node {
        Node::new(if wide { "Z" } else { "z" }, rows, [offsets, bytes], Vec::new())
    }

    /// Lists of one length each.
    pub fn regular(rows: usize, width: usize, elements: Node) -> Node {
        Node::new(format!("+w:{width}"), rows, [], vec![elements])
    }

    /// Arrays side by side.
    pub fn tuple(rows: usize, parts: Vec<Node>) -> Node {
        Node::new("+s", rows, [], parts)
    }

    /// How many rows it has.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The memory of its numbers, and true if they have 64 bits; none if it has no ints.
    pub fn ints(&self) -> Option<(&Memory, bool)> {
        match (&*self.format, self.buffers.first()) {
            ("l", Some(memory)) => Some((memory, true)),
            ("i", Some(memory)) => Some((memory, false)),
            _ => None,
        }
    }

    /// The memory of its bytes; none if it has no numbers of 8 bits.
    pub fn bytes(&self) -> Option<&Memory> {
        matches!(&*self.format, "c" | "C").then(|| self.buffers.first()).flatten()
    }

    /// The structs of C.
    pub fn into_structs(self) -> (ArrowSchema, ArrowArray) {
        (self.schema(""), self.array())
    }

    /// The same without data, for a schema.
    pub(crate) fn kind(&self) -> Node {
        let children = self.children.iter().map(Node::kind).collect();
        let (format, extension) = (self.format.clone(), self.extension);
        Node { format, extension, rows: 0, buffers: Vec::new(), children }
    }

    pub(crate) fn schema(&self, name: &str) -> ArrowSchema {
        let part =
            |n: usize| if self.format == "+s" { format!("{}", n + 1) } else { "item".to_owned() };
        let children = self.children.iter().enumerate();
        let children: Vec<*mut ArrowSchema> =
            children.map(|(n, child)| Box::into_raw(Box::new(child.schema(&part(n))))).collect();
        let [format, name] = [&*self.format, name]
            .map(|text| CString::new(text).unwrap_or_else(|_| unreachable!("no zero in {text}")));
        let metadata = self.extension.map_or_else(Vec::new, metadata);
        let mut kept = Box::new(KeptSchema { format, name, metadata, children });
        let mut schema = ArrowSchema::released();
        schema.format = kept.format.as_ptr();
        schema.name = kept.name.as_ptr();
        if !kept.metadata.is_empty() {
            schema.metadata = kept.metadata.as_ptr().cast();
        }
        schema.n_children = self.children.len() as i64;
        schema.children = kept.children.as_mut_ptr();
        schema.release = Some(release_schema);
        schema.private_data = Box::into_raw(kept).cast();
        schema
    }

    pub(crate) fn array(self) -> ArrowArray {
        let n_children = self.children.len() as i64;
        let children =
            self.children.into_iter().map(|child| Box::into_raw(Box::new(child.array()))).collect();
        let own = self.buffers.iter().map(|memory| memory.at.cast::<c_void>());
        // No row is null, which needs no bits.
        let pointers: Vec<*const c_void> = std::iter::once(std::ptr::null()).chain(own).collect();
        let mut kept = Box::new(KeptArray { pointers, children, _memory: self.buffers });
        let mut array = ArrowArray::released();
        array.length = self.rows as i64;
        array.n_buffers = kept.pointers.len() as i64;
        array.buffers = kept.pointers.as_mut_ptr();
        array.n_children = n_children;
        array.children = kept.children.as_mut_ptr();
        array.release = Some(release_array);
        array.private_data = Box::into_raw(kept).cast();
        array
    }
}

/// The memory that a schema refers to.
struct KeptSchema {
    format: CString,
    name: CString,
    metadata: Vec<u8>,
    children: Vec<*mut ArrowSchema>,
}

/// The memory that an array refers to.
struct KeptArray {
    pointers: Vec<*const c_void>,
    children: Vec<*mut ArrowArray>,
    _memory: Vec<Memory>,
}

unsafe extern "C" fn release_schema(schema: *mut ArrowSchema) {
    // SAFETY: whoever has the schema lets it go once.
    let Some(schema) = (unsafe { schema.as_mut() }) else { return };
    schema.release = None;
    // SAFETY: made by `Node::schema`.
    let kept = unsafe { Box::from_raw(schema.private_data.cast::<KeptSchema>()) };
    schema.private_data = null_mut();
    // A child that the caller has moved out has no `release` here.
    // SAFETY: made by `Node::schema`.
    kept.children.into_iter().for_each(|child| drop(unsafe { Box::from_raw(child) }));
}

unsafe extern "C" fn release_array(array: *mut ArrowArray) {
    // SAFETY: whoever has the array lets it go once.
    let Some(array) = (unsafe { array.as_mut() }) else { return };
    array.release = None;
    // SAFETY: made by `Node::array`.
    let kept = unsafe { Box::from_raw(array.private_data.cast::<KeptArray>()) };
    array.private_data = null_mut();
    // SAFETY: made by `Node::array`; as for schemas.
    kept.children.into_iter().for_each(|child| drop(unsafe { Box::from_raw(child) }));
}
