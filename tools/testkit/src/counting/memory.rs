//! Memory of the counting device: bytes, and how many of them are in use.

use device::MemoryUse;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Counts memory in use.
#[derive(Default, Debug)]
pub(super) struct Pool(Mutex<Count>);

#[derive(Default, Debug)]
struct Count {
    memory: MemoryUse,
    /// Bytes that were in use at the last reset.
    before: usize,
}

impl Pool {
    pub(super) fn allocate(self: &Arc<Self>, bytes: usize) -> Buffer {
        let room = self.room(bytes);
        room.settle(bytes);
        room
    }

    pub(super) fn room(self: &Arc<Self>, bytes: usize) -> Buffer {
        self.count().memory.allocations += 1;
        Buffer::new(vec![0; bytes], Some(Arc::clone(self)))
    }

    pub(super) fn reset(&self) {
        let mut count = self.count();
        count.before = count.memory.used;
        count.memory.peak = count.memory.used;
    }

    pub(super) fn peak(&self) -> usize {
        let count = self.count();
        count.memory.peak.saturating_sub(count.before)
    }

    pub(super) fn memory(&self) -> MemoryUse {
        self.count().memory
    }

    fn count(&self) -> MutexGuard<'_, Count> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Memory; a cheap handle.
#[derive(Clone, Debug)]
pub struct Buffer(Arc<Owned>);

#[derive(Debug)]
struct Owned {
    bytes: Mutex<Vec<u8>>,
    /// The pool that it counts in; none for memory of the host.
    home: Option<Arc<Pool>>,
    /// How many of its bytes count as used; none for a room that is not settled.
    used: OnceLock<usize>,
    filled: Mutex<Option<usize>>,
}

impl Buffer {
    fn new(bytes: Vec<u8>, home: Option<Arc<Pool>>) -> Buffer {
        let (used, filled) = (OnceLock::new(), Mutex::default());
        Buffer(Arc::new(Owned { bytes: Mutex::new(bytes), home, used, filled }))
    }

    /// A copy of memory of the host, which does not count.
    pub(super) fn of_host(bytes: &[u8]) -> Buffer {
        let buffer = Buffer::new(bytes.to_vec(), None);
        buffer.settle(bytes.len());
        buffer
    }

    pub(super) fn bytes(&self) -> MutexGuard<'_, Vec<u8>> {
        self.0.bytes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says how much a room holds; the first word stands.
    pub(super) fn settle(&self, bytes: usize) {
        if self.0.used.set(bytes).is_ok()
            && let Some(home) = &self.0.home
        {
            let memory = &mut home.count().memory;
            memory.used += bytes;
            memory.peak = memory.peak.max(memory.used);
        }
    }

    pub(super) fn used(&self) -> usize {
        self.0.used.get().copied().unwrap_or(0)
    }

    pub(super) fn filled(&self) -> Option<usize> {
        *self.0.filled.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn fill(&self, bytes: Option<usize>) {
        *self.0.filled.lock().unwrap_or_else(PoisonError::into_inner) = bytes;
    }

    /// Memory of the host belongs to the host, too.
    pub(super) fn is_shared(&self) -> bool {
        self.0.home.is_none() || Arc::strong_count(&self.0) > 1
    }

    pub(super) fn is_same(&self, other: &Buffer) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        if let (Some(home), Some(used)) = (&self.home, self.used.get()) {
            home.count().memory.used -= used;
        }
    }
}
