//! An array as its schema says, with what can be checked checked: counts, pointers to parts, nulls.

use crate::abi::ArrowArray;
use crate::error::Error;
use crate::options::Nulls;
use crate::picks::{Picks, Run};
use crate::schema::Field;
use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};
use value::Buffer;
use value::buffer::Owner;
use value::remote::{After, Reach, Reached, Remote};
use value::typed::Path;

/// The array that was handed over; it is let go with the last column that refers to it.
pub(crate) struct Imported {
    pub(crate) array: ArrowArray,
    /// The GPU that has the memory; none if the host has.
    gpu: Option<Gpu>,
    /// Buffers of the GPU that the host reads.
    copies: Mutex<Vec<Buffer>>,
}

/// The GPU in whose memory an array is.
#[derive(Clone, Copy, Debug)]
pub struct Gpu {
    /// Its number.
    pub number: usize,
    /// The work that has to be over before the memory is read.
    pub after: After,
    /// Makes memory of its addresses.
    pub reach: Reach,
}

impl Imported {
    pub(crate) fn new(array: ArrowArray, gpu: Option<Gpu>) -> Arc<Imported> {
        Arc::new(Imported { array, gpu, copies: Mutex::default() })
    }
}

// SAFETY: what was handed over is only read, and may be let go by any thread.
unsafe impl Send for Imported {}
// SAFETY: as above.
unsafe impl Sync for Imported {}

/// An array, or a part of one, that is as the interface says.
#[derive(Clone, Copy)]
pub(crate) struct Raw<'a> {
    pub(crate) field: &'a Field,
    array: &'a ArrowArray,
    /// Who keeps the memory.
    pub(crate) owner: &'a Arc<Imported>,
    /// How many rows.
    pub(crate) length: usize,
    /// How many rows lie before the first in the buffers.
    pub(crate) offset: usize,
}

impl<'a> Raw<'a> {
    /// The array that its owner has.
    ///
    /// # Safety
    ///
    /// The array is as the interface says for its schema.
    pub(crate) unsafe fn root(
        field: &'a Field,
        owner: &'a Arc<Imported>,
        path: &Path,
    ) -> Result<Raw<'a>, Error> {
        // SAFETY: as the caller says.
        unsafe { Raw::new(field, &owner.array, owner, path) }
    }

    unsafe fn new(
        field: &'a Field,
        array: &'a ArrowArray,
        owner: &'a Arc<Imported>,
        path: &Path,
    ) -> Result<Raw<'a>, Error> {
        let broken = |what: String| Error::at(path, format!("the array {what}"));
        if array.release.is_none() {
            return Err(broken("has been released".to_owned()));
        }
        let count = |count: i64, what: &str| {
            usize::try_from(count).map_err(|_| broken(format!("has {count} {what}")))
        };
        let length = count(array.length, "rows")?;
        let offset = count(array.offset, "rows before the first")?;
        if array.offset.checked_add(array.length).is_none_or(|end| end > i64::MAX / 64) {
            return Err(broken(format!("has {length} rows after {offset}")));
        }
        let (buffers, wanted) = (array.n_buffers, field.layout.buffers());
        if length > 0 && (buffers < wanted || array.buffers.is_null()) {
            return Err(broken(format!("has {buffers} buffers instead of {wanted}")));
        }
        let (children, wanted) = (array.n_children, field.children.len());
        if usize::try_from(children).ok() != Some(wanted) {
            return Err(broken(format!("has {children} children instead of {wanted}")));
        }
        Ok(Raw { field, array, owner, length, offset })
    }

    /// A part.
    pub(crate) fn child(&self, n: usize, path: &Path) -> Result<Raw<'a>, Error> {
        let missing = || Error::at(path, "the array lacks a child");
        if self.array.children.is_null() {
            return Err(missing());
        }
        // SAFETY: there are as many as the schema says, each null or as the interface says.
        unsafe {
            let child = self.array.children.add(n).read().as_ref().ok_or_else(missing)?;
            Raw::new(&self.field.children[n], child, self.owner, path)
        }
    }

    /// The values of a dictionary.
    pub(crate) fn dictionary(&self, path: &Path) -> Result<Option<Raw<'a>>, Error> {
        let Some(field) = &self.field.dictionary else { return Ok(None) };
        // SAFETY: null or as the interface says.
        unsafe {
            let values = self.array.dictionary.as_ref();
            let values = values.ok_or_else(|| Error::at(path, "the array lacks its dictionary"))?;
            Raw::new(field, values, self.owner, path).map(Some)
        }
    }

    /// How many buffers there are.
    pub(crate) fn buffers(&self) -> usize {
        usize::try_from(self.array.n_buffers).unwrap_or(0)
    }

    /// A buffer of which so many elements of a size are to be read, with those before the first
    /// row: a copy of them if a GPU has it.
    pub(crate) fn read(
        &self,
        n: usize,
        elements: usize,
        size: usize,
        path: &Path,
    ) -> Result<*const u8, Error> {
        match self.remote(n, 0, path)? {
            Some(remote) => {
                let bytes = (self.offset + elements).saturating_mul(size);
                self.fetched(&*remote, bytes, path)
            }
            None => self.buffer(n, path),
        }
    }

    /// A bit for each row, with those before the first.
    pub(crate) fn bits(&self, n: usize, path: &Path) -> Result<*const u8, Error> {
        let bytes = (self.offset + self.length).div_ceil(8);
        match self.remote(n, 0, path)? {
            Some(remote) => self.fetched(&*remote, bytes, path),
            None => self.buffer(n, path),
        }
    }

    /// True if a GPU has the memory.
    pub(crate) fn is_on_gpu(&self) -> bool {
        self.owner.gpu.is_some()
    }

    /// The first bytes of a GPU's memory, on the host.
    fn fetched(&self, remote: &dyn Remote, bytes: usize, path: &Path) -> Result<*const u8, Error> {
        let mut copy = Buffer::zeroed(bytes)?;
        let fetched = remote.fetch(0, copy.as_mut_slice());
        fetched.map_err(|reason| Error::at(path, format!("the GPU's memory: {reason}")))?;
        let at = copy.as_ptr();
        self.owner.copies.lock().unwrap_or_else(PoisonError::into_inner).push(copy);
        Ok(at)
    }

    /// The memory of a GPU from a byte of a buffer on; none if the host has it.
    pub(crate) fn remote(
        &self,
        n: usize,
        from: usize,
        path: &Path,
    ) -> Result<Option<Arc<dyn Remote>>, Error> {
        let Some(Gpu { number, after, reach }) = self.owner.gpu else { return Ok(None) };
        let buffer = self.maybe(n);
        if buffer.is_null() {
            return Err(Error::at(path, format!("the array lacks buffer {n}")));
        }
        let address = (buffer.expose_provenance() + from) as u64;
        let owner: Owner = Arc::<Imported>::clone(self.owner);
        Ok(Some(reach(Reached { gpu: number, address, after, owner })))
    }

    /// A buffer, of which something is to be read.
    pub(crate) fn buffer(&self, n: usize, path: &Path) -> Result<*const u8, Error> {
        if self.owner.gpu.is_some() {
            return Err(Error::limit("the array has texts, or indices, in the memory of a GPU"));
        }
        let buffer = self.maybe(n);
        if buffer.is_null() {
            return Err(Error::at(path, format!("the array lacks buffer {n}")));
        }
        Ok(buffer)
    }

    /// A buffer, or null.
    fn maybe(&self, n: usize) -> *const u8 {
        if n >= self.buffers() || self.array.buffers.is_null() {
            return std::ptr::null();
        }
        // SAFETY: there are so many.
        unsafe { self.array.buffers.add(n).read().cast() }
    }

    /// The same lanes with the nulls among them as nulls, or an error if there are to be none.
    pub(crate) fn whole<'p>(
        &self,
        picks: &'p Picks,
        nulls: Nulls,
        path: &Path,
    ) -> Result<Cow<'p, Picks>, Error> {
        let null_count = self.array.null_count;
        if null_count == 0 || !picks.any_row() {
            return Ok(Cow::Borrowed(picks));
        }
        let mut bits = self.maybe(0);
        if !bits.is_null() && self.owner.gpu.is_some() {
            bits = self.bits(0, path)?;
        }
        if bits.is_null() {
            if null_count < 0 {
                return Ok(Cow::Borrowed(picks));
            }
            let message = format!("the array has {null_count} nulls, and does not tell which");
            return Err(Error::at(path, message));
        }
        // The first of some rows that is null, or that is not.
        let next = |null: bool, start: usize, len: usize| {
            // SAFETY: there is a bit for each row.
            unsafe { first(bits, !null, self.offset + start, len) }
        };
        let mut before = 0;
        let null = picks.runs().find_map(|Run { start, len }| {
            let lane = before;
            before += len;
            next(true, start?, len).map(|n| lane + n)
        });
        match (null, nulls) {
            (None, _) => return Ok(Cow::Borrowed(picks)),
            (Some(lane), Nulls::Refuse) => {
                return Err(Error::lane(path, lane, "it is null, and NESL has no nulls"));
            }
            (Some(_), Nulls::Fill(_)) => {}
        }
        let mut whole = Picks::default();
        for Run { start, len } in picks.runs() {
            let Some(start) = start else {
                whole.push_nulls(len);
                continue;
            };
            let (mut at, mut null) = (0, false);
            while at < len {
                // How many rows follow that are like this one.
                let count = next(!null, start + at, len - at).unwrap_or(len - at);
                match null {
                    false => whole.push(start + at, count),
                    true => whole.push_nulls(count),
                }
                (at, null) = (at + count, !null);
            }
        }
        Ok(Cow::Owned(whole))
    }
}

/// A bit of a bitmap.
///
/// # Safety
///
/// The bitmap has it.
pub(crate) unsafe fn bit(bits: *const u8, n: usize) -> bool {
    // SAFETY: as the caller says.
    let byte = unsafe { bits.add(n / 8).read() };
    byte >> (n % 8) & 1 == 1
}

/// Which of some bits is the first that is like this one.
///
/// # Safety
///
/// The bitmap has them.
unsafe fn first(bits: *const u8, wanted: bool, start: usize, len: usize) -> Option<usize> {
    // Bytes that have no such bit are passed over.
    let none = if wanted { 0 } else { 0xff };
    let mut n = 0;
    while n < len {
        let at = start + n;
        // SAFETY: as the caller says.
        if at.is_multiple_of(8) && len - n >= 8 && unsafe { bits.add(at / 8).read() } == none {
            n += 8;
            continue;
        }
        // SAFETY: as the caller says.
        if unsafe { bit(bits, at) } == wanted {
            return Some(n);
        }
        n += 1;
    }
    None
}
