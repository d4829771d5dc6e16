//! The memory behind columns.
//!
//! A buffer starts at a multiple of 64 bytes and has at least 64 readable bytes after its data, so
//! that vector loads may begin anywhere inside and run over the end.  Large buffers start at a
//! multiple of 2 MiB and ask for huge pages, which makes first touch and address translation
//! several times cheaper.  New memory is zero; of a large buffer no page exists before it is
//! touched.

#![expect(unsafe_code, reason = "this is where memory is allocated and viewed as scalars")]

use crate::memory::{Budget, Charge, heap};
use std::fmt;
use std::ptr::NonNull;
use std::sync::Arc;

/// Readable bytes after the data.
const SLACK: usize = 64;
/// From this size on, a buffer is mapped from the system by itself.
const LARGE: usize = 2 << 20;

/// An owned, aligned allocation of bytes.
pub struct Buffer {
    data: NonNull<u8>,
    len: usize,
    /// Present until the memory is given back.
    memory: Option<raw::Memory>,
    /// Who gets the memory when it is no longer used, and its length then; the system if nobody.
    home: Option<(Arc<dyn Home>, usize)>,
    /// The charge for it, if it is charged.
    charge: Option<Charge>,
}

/// Where memory goes that is no longer used, to be given out again.
pub trait Home: Send + Sync {
    /// Takes the memory.
    fn take_back(&self, memory: Buffer);
}

// SAFETY: a buffer owns its memory; shared access only reads.
unsafe impl Send for Buffer {}
// SAFETY: as above.
unsafe impl Sync for Buffer {}

/// A buffer of this many bytes could not be had.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OutOfMemory {
    /// The size asked for.
    pub bytes: usize,
}

impl fmt::Display for OutOfMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "out of memory for a vector of {} bytes", self.bytes)
    }
}

impl std::error::Error for OutOfMemory {}

impl Buffer {
    /// `len` bytes of zero.
    pub fn zeroed(len: usize) -> Result<Buffer, OutOfMemory> {
        let full = OutOfMemory { bytes: len };
        let size = len.checked_add(SLACK).ok_or(full)?;
        let (data, memory) = heap::fallibly(|| raw::allocate(size)).ok_or(full)?;
        Ok(Buffer { data, len, memory: Some(memory), home: None, charge: None })
    }

    /// A copy of `bytes`.
    pub fn copy_of(bytes: &[u8]) -> Result<Buffer, OutOfMemory> {
        let mut buffer = Buffer::zeroed(bytes.len())?;
        buffer.as_mut_slice().copy_from_slice(bytes);
        Ok(buffer)
    }

    /// The same memory, which goes to `home` when it is dropped.
    #[must_use]
    pub fn with_home(mut self, home: Arc<dyn Home>) -> Buffer {
        self.home = Some((home, self.len));
        self
    }

    /// The same memory, which is charged until it is dropped.
    #[must_use]
    pub fn with_charge(mut self, charge: Charge) -> Buffer {
        self.charge = Some(charge);
        self
    }

    /// Charges it to a budget, unless it is charged already.
    pub(crate) fn charge_to(&mut self, budget: &Budget) -> Result<(), OutOfMemory> {
        if self.charge.is_none() {
            self.charge = Some(budget.charge(self.len)?);
        }
        Ok(())
    }

    /// Number of bytes, slack excluded.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The first byte: never null, a multiple of 64.
    pub fn as_ptr(&self) -> *const u8 {
        self.data.as_ptr()
    }

    /// The first byte, for a kernel that writes.
    pub fn as_mut_ptr(&mut self) -> *mut u8 {
        self.data.as_ptr()
    }

    /// The bytes.
    pub fn as_slice(&self) -> &[u8] {
        // SAFETY: `data` points to `len` initialised bytes that this buffer owns.
        unsafe { std::slice::from_raw_parts(self.data.as_ptr(), self.len) }
    }

    /// The bytes, to be changed.
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        // SAFETY: as in `as_slice`, and `&mut self` makes the access exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.data.as_ptr(), self.len) }
    }

    /// The first `count` values of type `T`; a bug if they do not fit.
    pub fn typed<T: Plain>(&self, count: usize) -> &[T] {
        assert!(count * size_of::<T>() <= self.len, "view beyond the buffer");
        // SAFETY: in bounds by the assertion, aligned to 64 bytes, and every bit pattern is a `T`.
        unsafe { std::slice::from_raw_parts(self.data.as_ptr().cast(), count) }
    }

    /// The first `count` values of type `T`, to be changed.
    pub fn typed_mut<T: Plain>(&mut self, count: usize) -> &mut [T] {
        assert!(count * size_of::<T>() <= self.len, "view beyond the buffer");
        // SAFETY: as in `typed`, and `&mut self` makes the access exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.data.as_ptr().cast(), count) }
    }

    /// A buffer of `len` bytes that begins with the bytes of this one.
    pub fn resized(self, len: usize) -> Result<Buffer, OutOfMemory> {
        let mut larger = Buffer::zeroed(len)?;
        let keep = len.min(self.len);
        larger.as_mut_slice()[..keep].copy_from_slice(&self.as_slice()[..keep]);
        Ok(larger)
    }

    /// Forgets the bytes from `len` on.
    pub fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        let Some(memory) = self.memory.take() else { return };
        self.charge = None;
        match self.home.take() {
            Some((home, len)) => {
                let memory = Some(memory);
                home.take_back(Buffer { data: self.data, len, memory, home: None, charge: None });
            }
            None => raw::free(self.data, &memory),
        }
    }
}

impl fmt::Debug for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Buffer({} bytes)", self.len)
    }
}

/// Types for which every bit pattern is a value, so that bytes may be viewed as them.
pub trait Plain: Copy + sealed::Sealed {
    /// The type of the same number where numbers are [narrow](prim::Widths).
    type Narrow: Plain;
    /// The number there, which has room for it; a float is rounded.
    fn narrow(self) -> Self::Narrow;
}
macro_rules! plain {
    ($($wide:ty => $narrow:ty),*) => {
        $(impl Plain for $wide {
            type Narrow = $narrow;
            fn narrow(self) -> $narrow {
                self as $narrow
            }
        })*
    };
}
plain!(i64 => i32, f64 => f32, i32 => i32, f32 => f32, u8 => u8);

mod sealed {
    /// Keeps [`super::Plain`] to the types for which it is sound.
    pub trait Sealed {}
    impl Sealed for i64 {}
    impl Sealed for f64 {}
    impl Sealed for i32 {}
    impl Sealed for f32 {}
    impl Sealed for u8 {}
}

/// Small allocations come from the allocator, large ones from `mmap`.
mod raw {
    use super::LARGE;
    use std::alloc::Layout;
    use std::ptr::NonNull;

    /// How to give the memory back.
    pub(super) enum Memory {
        /// To the allocator.
        Allocated(Layout),
        /// To the system: start and size of the mapping.
        #[cfg(target_os = "linux")]
        Mapped(*mut u8, usize),
    }

    /// Zeroed memory of at least `size` bytes, `size > 0`.
    pub(super) fn allocate(size: usize) -> Option<(NonNull<u8>, Memory)> {
        #[cfg(target_os = "linux")]
        if size >= LARGE {
            return map(size);
        }
        let align = if size >= LARGE { LARGE } else { 64 };
        let layout = Layout::from_size_align(size, align).ok()?;
        // SAFETY: the size is not 0.
        let data = NonNull::new(unsafe { std::alloc::alloc_zeroed(layout) })?;
        Some((data, Memory::Allocated(layout)))
    }

    pub(super) fn free(data: NonNull<u8>, memory: &Memory) {
        match memory {
            // SAFETY: allocated by `allocate` with this layout.
            Memory::Allocated(layout) => unsafe { std::alloc::dealloc(data.as_ptr(), *layout) },
            // SAFETY: mapped by `map`, and nothing refers to it any more.
            #[cfg(target_os = "linux")]
            Memory::Mapped(start, size) => unsafe {
                munmap(*start, *size);
            },
        }
    }

    /// Maps a little more than asked for, so that a multiple of 2 MiB lies at the front.
    #[cfg(target_os = "linux")]
    fn map(size: usize) -> Option<(NonNull<u8>, Memory)> {
        const READ_WRITE: i32 = 1 | 2;
        const PRIVATE_ANONYMOUS: i32 = 0x02 | 0x20;
        const HUGE_PAGES: i32 = 14;
        let total = size.checked_add(LARGE)?;
        // SAFETY: a fresh private mapping touches nothing that exists.
        let start =
            unsafe { mmap(std::ptr::null_mut(), total, READ_WRITE, PRIVATE_ANONYMOUS, -1, 0) };
        // `MAP_FAILED` is -1.
        if start.addr() == usize::MAX {
            return None;
        }
        let data = start.wrapping_add(start.addr().next_multiple_of(LARGE) - start.addr());
        // SAFETY: inside the mapping.  The advice may be refused, which only costs speed.
        unsafe { madvise(data, size, HUGE_PAGES) };
        Some((NonNull::new(data)?, Memory::Mapped(start, total)))
    }

    #[cfg(target_os = "linux")]
    unsafe extern "C" {
        fn mmap(at: *mut u8, size: usize, access: i32, flags: i32, file: i32, from: i64)
        -> *mut u8;
        fn munmap(at: *mut u8, size: usize) -> i32;
        fn madvise(at: *mut u8, size: usize, advice: i32) -> i32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_are_aligned_and_zero() {
        for len in [0, 1, 64, 1000, LARGE - SLACK, LARGE, 5 * LARGE + 3] {
            let buffer = Buffer::zeroed(len).unwrap();
            let align = if len >= LARGE { LARGE } else { 64 };
            assert_eq!(buffer.as_ptr().addr() % align, 0, "{len}");
            assert_eq!(buffer.len(), len);
            assert!(buffer.as_slice().iter().all(|&b| b == 0));
        }
    }

    #[test]
    fn too_much_is_an_error() {
        let bytes = usize::MAX / 4;
        assert_eq!(Buffer::zeroed(bytes).unwrap_err(), OutOfMemory { bytes });
    }

    #[test]
    fn resizing_keeps_the_bytes() {
        let buffer = Buffer::copy_of(&[1, 2, 3]).unwrap();
        let larger = buffer.resized(LARGE).unwrap();
        assert_eq!(&larger.as_slice()[..5], &[1, 2, 3, 0, 0]);
    }
}
