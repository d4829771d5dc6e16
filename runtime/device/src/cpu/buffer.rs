//! Pooled memory.
//!
//! A fresh vector of 80 MB costs 18 ms of page faults, so memory that is no longer used is kept and
//! given out again.  Sizes are rounded up to classes, four for each doubling, so that vectors of
//! about one length share memory.  A budget is charged for the memory in use.  Kept memory stays
//! below the rest of the budget: before it would exceed that, it goes back to the system.
//!
//! A *room* is memory for something whose size is known only when it is there.  The system gives a
//! page when it is first touched, so a room is counted for what it holds.  The rest of it is set
//! aside, so that the cap is never exceeded.

use crate::filled::Filled;
use crate::{MemoryUse, OutOfMemory};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use value::Budget;
use value::buffer::Home;

/// Memory of the CPU device; a cheap handle.  The bytes go back to the pool with the last handle,
/// those of the host included.
#[derive(Clone)]
pub struct Buffer(Arc<Owned>);

struct Owned {
    /// Present until the owner is dropped.
    bytes: Option<Arc<value::Buffer>>,
    /// The pool it counts in; none for memory that came from the host.
    home: Option<Arc<Pool>>,
    /// How many of its bytes count as used there; none for a room that is not settled.
    used: OnceLock<usize>,
    filled: Filled,
}

impl Buffer {
    /// The first byte.
    pub(super) fn pointer(&self) -> *mut u8 {
        self.0.bytes.as_ref().map_or(std::ptr::null_mut(), |b| b.as_ptr().cast_mut())
    }
    /// The memory itself, shared with this buffer.
    pub fn host(&self) -> Arc<value::Buffer> {
        match &self.0.bytes {
            Some(bytes) => Arc::clone(bytes),
            None => unreachable!("only a buffer being dropped has no bytes"),
        }
    }
    /// Memory that belongs to the host.
    pub(super) fn of_host(bytes: &Arc<value::Buffer>) -> Buffer {
        let used = OnceLock::from(bytes.len());
        let filled = Filled::default();
        Buffer(Arc::new(Owned { bytes: Some(Arc::clone(bytes)), home: None, used, filled }))
    }
    /// How many bytes count as used.
    pub(super) fn used(&self) -> usize {
        self.0.used.get().copied().unwrap_or(0)
    }
    /// Says how much a room holds; the first word stands.
    pub(super) fn settle(&self, bytes: usize) {
        let len = self.len();
        let bytes = bytes.min(len);
        if let Some(home) = &self.0.home
            && self.0.used.set(bytes).is_ok()
        {
            let mut shelves = locked(&home.0);
            shelves.reserved -= bytes;
            shelves.settle_one(bytes);
        }
    }
    /// How many bytes somebody needs, if the memory grows.
    pub(super) fn filled(&self) -> Option<usize> {
        self.0.filled.get()
    }
    pub(super) fn fill(&self, bytes: Option<usize>) {
        self.0.filled.set(bytes);
    }
    /// How many bytes there are at least.
    pub fn len(&self) -> usize {
        self.0.bytes.as_ref().map_or(0, |b| b.len())
    }
    /// Whether there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// True if another handle refers to this memory.
    pub fn is_same(&self, other: &Buffer) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
    /// True if another handle refers to the same memory, or somebody else owns it, so that it must
    /// not be overwritten.
    pub fn is_shared(&self) -> bool {
        Arc::strong_count(&self.0) > 1
            || self.0.bytes.as_ref().is_some_and(|b| Arc::strong_count(b) > 1 || b.is_foreign())
    }
}

impl fmt::Debug for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Buffer({} bytes)", self.len())
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        if let (Some(bytes), Some(home)) = (self.bytes.take(), &self.home) {
            // The memory itself comes back when the host does not hold it either.
            let mut shelves = locked(&home.0);
            let used = self.used.get().copied().unwrap_or_else(|| {
                shelves.settle_one(0);
                0
            });
            shelves.count.used -= used;
            shelves.reserved -= bytes.len() - used;
        }
    }
}

/// The pool.
pub(super) struct Memory {
    shelves: Arc<Pool>,
    budget: Budget,
}

#[derive(Default)]
struct Shelves {
    /// Memory to be given out again, by size.
    free: BTreeMap<usize, Vec<value::Buffer>>,
    /// Bytes of it.
    kept: usize,
    /// Bytes of rooms beyond what they hold.
    reserved: usize,
    /// Rooms that are not settled: they may hold something already.
    unsettled: usize,
    /// The most bytes that were in use since the oldest of them was made.
    since: usize,
    count: MemoryUse,
}

impl Memory {
    /// A pool that charges this budget for the memory in use.
    pub(super) fn new(budget: Budget) -> Memory {
        let shelves = Shelves::default();
        Memory { shelves: Arc::new(Pool(Mutex::new(shelves))), budget }
    }
    /// Memory for `bytes` bytes, of any contents.
    pub(super) fn allocate(&self, bytes: usize) -> Result<Buffer, OutOfMemory> {
        let buffer = self.room(bytes)?;
        buffer.settle(buffer.len());
        Ok(buffer)
    }
    /// Memory for at most `bytes` bytes, of any contents.
    pub(super) fn room(&self, bytes: usize) -> Result<Buffer, OutOfMemory> {
        let mut shelves = locked(&self.shelves.0);
        let (used, cap) = (self.budget.used(), self.budget.cap());
        let refused = OutOfMemory { asked: bytes, used, cap };
        let size = class(bytes).ok_or(refused)?;
        let charge = self.budget.charge(size).map_err(|_| refused)?;
        let memory = match shelves.take(size) {
            Some(memory) => memory,
            None => shelves.fresh(size, self.budget.left()).ok_or(refused)?,
        };
        shelves.count.allocations += 1;
        shelves.reserved += size;
        shelves.unsettled += 1;
        shelves.since = shelves.since.max(shelves.count.used);
        let memory = memory.with_charge(charge).with_home(Arc::<Pool>::clone(&self.shelves));
        let home = Some(Arc::clone(&self.shelves));
        let (bytes, used, filled) = (Some(Arc::new(memory)), OnceLock::new(), Filled::default());
        Ok(Buffer(Arc::new(Owned { bytes, home, used, filled })))
    }
    /// How many bytes may still be used.
    pub(super) fn left(&self) -> usize {
        self.budget.left()
    }
    /// Counts `extra` bytes that were in use for a while.
    pub(super) fn note_peak(&self, extra: usize) {
        let mut shelves = locked(&self.shelves.0);
        shelves.count.peak = shelves.count.peak.max(shelves.count.used + extra);
    }
    /// What was used so far.
    pub(super) fn count(&self) -> MemoryUse {
        locked(&self.shelves.0).count
    }
}

/// The pool as the home of its memory.
struct Pool(Mutex<Shelves>);

impl Home for Pool {
    fn take_back(&self, memory: value::Buffer) {
        let mut shelves = locked(&self.0);
        shelves.kept += memory.len();
        shelves.free.entry(memory.len()).or_default().push(memory);
    }
}

impl Shelves {
    fn take(&mut self, size: usize) -> Option<value::Buffer> {
        let memory = self.free.get_mut(&size)?.pop()?;
        self.kept -= size;
        self.count.reused += 1;
        Some(memory)
    }
    /// Memory from the system.  Kept memory goes back to the system if it exceeds `left`, or if the
    /// system has not enough.
    fn fresh(&mut self, size: usize, left: usize) -> Option<value::Buffer> {
        if self.kept > left {
            self.release();
        }
        value::Buffer::zeroed(size).ok().or_else(|| {
            self.release();
            value::Buffer::zeroed(size).ok()
        })
    }
    /// A room holds so many bytes, and held them already while others were in use that have been
    /// freed since.
    fn settle_one(&mut self, bytes: usize) {
        self.count.used += bytes;
        self.since += bytes;
        self.count.peak = self.count.peak.max(self.since).max(self.count.used);
        self.unsettled -= 1;
        if self.unsettled == 0 {
            self.since = 0;
        }
    }
    fn release(&mut self) {
        self.free.clear();
        self.kept = 0;
    }
}

/// A poisoned lock only means that another thread stopped between two counts.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The size of the class of `bytes`: 64 or four steps for each doubling.
fn class(bytes: usize) -> Option<usize> {
    const SMALLEST: usize = 256;
    if bytes <= SMALLEST {
        return Some(SMALLEST);
    }
    let step = (bytes - 1).checked_next_power_of_two()? / 8;
    let step = if (bytes - 1).is_power_of_two() { step * 2 } else { step };
    bytes.checked_next_multiple_of(step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_waste_little() {
        for bytes in [1, 256, 257, 320, 321, 1000, 1 << 20, (1 << 20) + 1, 80_000_000] {
            let size = class(bytes).unwrap();
            assert!(size >= bytes && (size <= 256 || size <= bytes + bytes / 4), "{bytes} {size}");
            assert_eq!(class(size), Some(size), "{bytes}");
        }
        assert_eq!(class(usize::MAX), None);
    }

    #[test]
    fn memory_is_given_out_again() {
        let memory = Memory::new(Budget::new(1 << 20));
        let first = memory.allocate(1000).unwrap();
        let at = first.pointer();
        drop(first);
        let second = memory.allocate(1010).unwrap();
        assert_eq!(second.pointer(), at);
        let count = memory.count();
        assert_eq!((count.allocations, count.reused, count.used), (2, 1, 1024));
    }

    #[test]
    fn a_room_counts_what_it_holds() {
        let memory = Memory::new(Budget::new(10_000));
        let room = memory.room(8000).unwrap();
        assert_eq!((memory.count().used, memory.count().peak), (0, 0));
        // What it could hold is set aside.
        assert!(memory.room(8000).is_err());
        assert_eq!(memory.left(), 10_000 - 8192);
        room.settle(3000);
        assert_eq!((memory.count().used, memory.count().peak), (3000, 3000));
        assert_eq!(memory.left(), 10_000 - 8192);
        let other = memory.allocate(1024).unwrap();
        assert_eq!(memory.count().used, 3000 + 1024);
        drop((room, other));
        assert_eq!((memory.count().used, memory.left()), (0, 10_000));
        // What it held while others were there counts, even if they are freed before it is said.
        let other = memory.allocate(4096).unwrap();
        let room = memory.room(4096).unwrap();
        drop(other);
        room.settle(4000);
        assert_eq!((memory.count().used, memory.count().peak), (4000, 8096));
        drop(room);
        drop(memory.room(5000).unwrap());
        assert_eq!(memory.left(), 10_000);
    }

    #[test]
    fn the_host_keeps_what_it_holds() {
        let memory = Memory::new(Budget::new(1 << 20));
        let buffer = memory.allocate(1000).unwrap();
        let host = buffer.host();
        assert!(buffer.is_shared());
        drop(buffer);
        assert_eq!(memory.count().used, 0);
        let other = memory.allocate(1000).unwrap();
        assert_ne!(other.pointer().cast_const(), host.as_ptr());
    }

    #[test]
    fn the_cap_holds() {
        let memory = Memory::new(Budget::new(10_000));
        let kept = memory.allocate(4096).unwrap();
        drop(memory.allocate(5000).unwrap());
        // The 5120 bytes kept have to go first.
        let other = memory.allocate(2048).unwrap();
        let error = memory.allocate(5000).unwrap_err();
        assert_eq!(error, OutOfMemory { asked: 5000, used: 4096 + 2048, cap: 10_000 });
        drop((kept, other));
        assert!(memory.allocate(5000).is_ok());
        assert_eq!(memory.count().peak, 4096 + 5120);
    }
}
