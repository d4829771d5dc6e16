//! The memory behind columns.
//!
//! A buffer starts at a multiple of 64 bytes and has at least 64 readable bytes after its data, so
//! that vector loads may begin anywhere inside and run over the end.  Large buffers start at a
//! multiple of 2 MiB and ask for huge pages, which makes first touch and address translation
//! several times cheaper.  New memory is zero; of a large buffer no page exists before it is
//! touched.
//!
//! A buffer may also be *foreign*: memory of the caller, which is only read, and whose owner is let
//! go when nobody uses it any more.  Such memory is aligned to its elements and ends where it ends.
//! Compiled code takes it as it is, because kernels read elements alone: vector instructions of
//! theirs need no alignment, and read under a mask where a row ends.  What writes looks for memory
//! of its own first.  Memory of a GPU is foreign, too, and is fetched when the host reads it.

#![expect(unsafe_code, reason = "this is where memory is allocated and viewed as scalars")]

use crate::memory::{Budget, Charge, heap};
use crate::remote::{Part, Remote};
use std::any::Any;
use std::fmt;
use std::ptr::NonNull;
use std::sync::{Arc, OnceLock};

/// Readable bytes after the data.
const SLACK: usize = 64;
/// From this size on, a buffer is mapped from the system by itself.
const LARGE: usize = 2 << 20;

/// Who keeps foreign memory alive; it is dropped with the last buffer that needs it.
pub type Owner = Arc<dyn Any + Send + Sync>;

/// An owned, aligned allocation of bytes, or foreign memory.
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

/// Memory of a GPU, and a copy of it on the host when somebody has looked.
pub(crate) struct Far {
    remote: Arc<dyn Remote>,
    host: OnceLock<Box<Buffer>>,
}

impl Far {
    fn on_host(&self, len: usize) -> Result<&Buffer, String> {
        if let Some(host) = self.host.get() {
            return Ok(host);
        }
        let mut host = Buffer::zeroed(len).map_err(|error| error.to_string())?;
        self.remote.fetch(0, host.as_mut_slice())?;
        // Threads that look at the same time all fetch, and the first one's copy stays.
        Ok(self.host.get_or_init(|| Box::new(host)))
    }
}

/// Where memory goes that is no longer used, to be given out again.
pub trait Home: Send + Sync {
    /// Takes the memory.
    fn take_back(&self, memory: Buffer);
}

// SAFETY: a buffer owns its memory, or nobody writes to it; shared access only reads.
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

    /// Memory of somebody else, which is only read.
    ///
    /// # Safety
    ///
    /// There are `len` bytes that can be read, and nobody writes to them, until `owner` is dropped.
    pub unsafe fn foreign(data: NonNull<u8>, len: usize, owner: Owner) -> Buffer {
        let memory = Some(raw::Memory::Foreign(owner));
        Buffer { data, len, memory, home: None, charge: None }
    }

    /// `len` bytes of a GPU's memory.
    pub fn remote(remote: Arc<dyn Remote>, len: usize) -> Buffer {
        let memory = Some(raw::Memory::Remote(Far { remote, host: OnceLock::new() }));
        Buffer { data: NonNull::dangling(), len, memory, home: None, charge: None }
    }

    /// The memory of a GPU; none if it is the host's.
    pub fn as_remote(&self) -> Option<&Arc<dyn Remote>> {
        match &self.memory {
            Some(raw::Memory::Remote(far)) => Some(&far.remote),
            _ => None,
        }
    }

    /// Some bytes in the same memory.
    ///
    /// # Panics
    ///
    /// If there are not so many.
    pub fn part(self: &Arc<Buffer>, from: usize, len: usize) -> Buffer {
        assert!(from.checked_add(len).is_some_and(|end| end <= self.len), "a part beyond the end");
        match self.as_remote() {
            Some(remote) => {
                let (of, remote) = (Arc::clone(self), Arc::clone(remote));
                Buffer::remote(Arc::new(Part { of, remote, offset: from }), len)
            }
            None => {
                let owner: Owner = Arc::new(Arc::clone(self));
                // SAFETY: the bytes are inside, and the owner keeps them; nobody writes what is
                // shared.
                unsafe { Buffer::foreign(self.data.add(from), len, owner) }
            }
        }
    }

    /// Gets the bytes to the host if they are on a GPU; the error is a sentence.  Without it the
    /// first look at them does that, and panics if it fails.
    pub fn fetch(&self) -> Result<(), String> {
        match &self.memory {
            Some(raw::Memory::Remote(far)) => far.on_host(self.len).map(drop),
            _ => Ok(()),
        }
    }

    /// Copies some bytes, without fetching others.
    pub fn read(&self, from: usize, to: &mut [u8]) -> Result<(), String> {
        match &self.memory {
            Some(raw::Memory::Remote(far)) if far.host.get().is_none() => {
                assert!(from + to.len() <= self.len, "bytes beyond the buffer");
                far.remote.fetch(from, to)
            }
            _ => {
                to.copy_from_slice(&self.as_slice()[from..from + to.len()]);
                Ok(())
            }
        }
    }

    /// The first byte on the host.
    fn host(&self) -> NonNull<u8> {
        match &self.memory {
            Some(raw::Memory::Remote(far)) => match far.on_host(self.len) {
                Ok(host) => host.data,
                Err(reason) => panic!("{} bytes of a GPU cannot be had: {reason}", self.len),
            },
            _ => self.data,
        }
    }

    /// True if the memory belongs to a caller or is a GPU's, and must not be written.
    pub fn is_foreign(&self) -> bool {
        matches!(self.memory, Some(raw::Memory::Foreign(_) | raw::Memory::Remote(_)))
    }

    /// A copy of `bytes`.
    pub fn copy_of(bytes: &[u8]) -> Result<Buffer, OutOfMemory> {
        let mut buffer = Buffer::zeroed(bytes.len())?;
        buffer.as_mut_slice().copy_from_slice(bytes);
        Ok(buffer)
    }

    /// The same memory, which goes to `home` when it is dropped; a bug if it is foreign.
    #[must_use]
    pub fn with_home(mut self, home: Arc<dyn Home>) -> Buffer {
        assert!(!self.is_foreign(), "foreign memory would be given out again");
        self.home = Some((home, self.len));
        self
    }

    /// The same memory, which is charged until it is dropped.
    #[must_use]
    pub fn with_charge(mut self, charge: Charge) -> Buffer {
        self.charge = Some(charge);
        self
    }

    /// Charges it to a budget, unless it is charged already; foreign memory is its owner's to
    /// charge.
    pub(crate) fn charge_to(&mut self, budget: &Budget) -> Result<(), OutOfMemory> {
        if self.charge.is_none() && !self.is_foreign() {
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

    /// The first byte: never null, and a multiple of 64 unless it is foreign.
    pub fn as_ptr(&self) -> *const u8 {
        self.host().as_ptr()
    }

    /// The first byte, for a kernel that writes; a bug if the memory is foreign.
    pub fn as_mut_ptr(&mut self) -> *mut u8 {
        assert!(!self.is_foreign(), "foreign memory is only read");
        self.data.as_ptr()
    }

    /// The bytes.
    pub fn as_slice(&self) -> &[u8] {
        // SAFETY: `data` points to `len` initialised bytes that this buffer, or its owner, keeps.
        unsafe { std::slice::from_raw_parts(self.host().as_ptr(), self.len) }
    }

    /// The bytes, to be changed; a bug if they are foreign.
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        assert!(!self.is_foreign(), "foreign memory is only read");
        // SAFETY: as in `as_slice`, and `&mut self` makes the access exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.data.as_ptr(), self.len) }
    }

    /// The first `count` values of type `T`; a bug if they do not fit.
    pub fn typed<T: Plain>(&self, count: usize) -> &[T] {
        assert!(count * size_of::<T>() <= self.len, "view beyond the buffer");
        let data = self.host().cast::<T>();
        assert!(data.is_aligned(), "view of memory that is not aligned to it");
        // SAFETY: in bounds and aligned by the assertions, and every bit pattern is a `T`.
        unsafe { std::slice::from_raw_parts(data.as_ptr(), count) }
    }

    /// The first `count` values of type `T`, to be changed.
    pub fn typed_mut<T: Plain>(&mut self, count: usize) -> &mut [T] {
        assert!(count * size_of::<T>() <= self.len, "view beyond the buffer");
        assert!(!self.is_foreign(), "foreign memory is only read");
        // SAFETY: as in `typed`, as own memory is aligned to 64 bytes; `&mut self` makes the access
        // exclusive.
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
            None => raw::free(self.data, memory),
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
        /// It is not ours: its owner is let go.
        Foreign(super::Owner),
        /// It is a GPU's.
        Remote(super::Far),
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

    pub(super) fn free(data: NonNull<u8>, memory: Memory) {
        match memory {
            // SAFETY: allocated by `allocate` with this layout.
            Memory::Allocated(layout) => unsafe { std::alloc::dealloc(data.as_ptr(), layout) },
            Memory::Foreign(owner) => drop(owner),
            Memory::Remote(far) => drop(far),
            // SAFETY: mapped by `map`, and nothing refers to it any more.
            #[cfg(target_os = "linux")]
            Memory::Mapped(start, size) => unsafe {
                munmap(start, size);
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

    /// Foreign memory: the bytes of a vector that is dropped with its last user.
    fn foreign(bytes: Vec<u8>) -> (Buffer, std::sync::Weak<Vec<u8>>) {
        let owner = Arc::new(bytes);
        let data = NonNull::new(owner.as_ptr().cast_mut()).unwrap();
        let (len, watch) = (owner.len(), Arc::downgrade(&owner));
        // SAFETY: the vector is not changed, and lives as long as its `Arc`.
        (unsafe { Buffer::foreign(data, len, owner) }, watch)
    }

    #[test]
    fn foreign_memory_is_let_go_by_its_last_user() {
        let (buffer, watch) = foreign(vec![1, 2, 3]);
        let at = buffer.as_ptr();
        assert_eq!(watch.upgrade().unwrap().as_ptr(), at);
        let (first, second) = (Arc::new(buffer), watch);
        let other = Arc::clone(&first);
        assert_eq!(first.as_slice(), [1, 2, 3]);
        drop(first);
        assert!(second.strong_count() > 0);
        drop(other);
        assert_eq!(second.strong_count(), 0);
    }

    #[test]
    fn copies_of_foreign_memory_are_our_own() {
        let (buffer, watch) = foreign(vec![1, 2, 3]);
        let mut own = buffer.resized(4).unwrap();
        assert_eq!(watch.strong_count(), 0);
        assert!(!own.is_foreign());
        own.as_mut_slice()[3] = 4;
        assert_eq!(own.as_slice(), [1, 2, 3, 4]);
    }

    #[test]
    #[should_panic(expected = "foreign memory is only read")]
    fn foreign_memory_is_not_written() {
        foreign(vec![1, 2, 3]).0.as_mut_slice()[0] = 0;
    }

    /// Memory of a GPU that counts how often it is fetched.
    struct Counted(Vec<u8>, std::sync::atomic::AtomicUsize);

    impl Remote for Counted {
        fn gpu(&self) -> usize {
            0
        }
        fn address(&self) -> u64 {
            0x1000
        }
        fn fetch(&self, from: usize, to: &mut [u8]) -> Result<(), String> {
            self.1.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            let bytes = self.0.get(from..from + to.len()).ok_or("too much")?;
            to.copy_from_slice(bytes);
            Ok(())
        }
        fn beside(&self, _: &[u8]) -> Option<Arc<dyn Remote>> {
            None
        }
        fn as_any(&self) -> &dyn Any {
            self
        }
    }

    #[test]
    fn remote_memory_is_fetched_once_when_it_is_read() {
        let remote = Arc::new(Counted((0..100).collect(), 0.into()));
        let fetched = || remote.1.load(std::sync::atomic::Ordering::Relaxed);
        let buffer = Arc::new(Buffer::remote(Arc::clone(&remote) as Arc<dyn Remote>, 100));
        let part = Arc::new(buffer.part(10, 20));
        assert!(buffer.is_foreign() && part.as_remote().unwrap().address() == 0x100a);
        let mut two = [0; 2];
        part.read(3, &mut two).unwrap();
        assert_eq!((two, fetched()), ([13, 14], 1));
        assert_eq!(buffer.as_slice()[99], 99);
        assert_eq!((buffer.as_slice()[1], fetched()), (1, 2));
        // A part of what is there is not fetched again.
        assert_eq!((part.as_slice()[19], fetched()), (29, 2));
        assert!(Buffer::remote(remote as Arc<dyn Remote>, 101).fetch().is_err());
    }

    #[test]
    fn resizing_keeps_the_bytes() {
        let buffer = Buffer::copy_of(&[1, 2, 3]).unwrap();
        let larger = buffer.resized(LARGE).unwrap();
        assert_eq!(&larger.as_slice()[..5], &[1, 2, 3, 0, 0]);
    }
}
