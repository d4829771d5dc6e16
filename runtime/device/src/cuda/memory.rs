//! Pooled memory of the GPU.
//!
//! Memory that is no longer used is kept and given out again.  Everything happens on one stream, in
//! order, so memory may be given out again at once: what was launched before is done with it when
//! what is launched later gets it.  The driver takes nothing back before the pool is
//! [released](Pool::release), so that a launch that failed can be looked at with its inputs intact.
//!
//! Sizes are rounded up, and a larger piece serves if it is not much larger.  A *room* counts for
//! what it holds once that is known; the rest of it is set aside.

#![expect(unsafe_code, reason = "memory is given back to the driver")]

use super::context::{Address, Context};
use super::driver::Error;
use super::host::{Cell, Cells};
use crate::filled::Filled;
use crate::{MemoryUse, OutOfMemory};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

/// Memory of the GPU; a cheap handle.  The bytes go back to the pool with the last handle.
#[derive(Clone)]
pub struct Buffer(Arc<Owned>);

enum Owned {
    /// Memory of the GPU.
    Device {
        block: Block,
        home: Arc<Pool>,
        /// How many of its bytes count as used there; none for a room that is not settled.
        used: OnceLock<usize>,
        filled: Filled,
    },
    /// Memory of somebody else on the same GPU, which is only read.
    Foreign { block: Block, keeper: Arc<value::Buffer> },
    /// A word of the host.
    Cell { cell: Cell, home: Arc<Cells> },
}

/// A piece of memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Block {
    address: Address,
    size: usize,
}

impl Buffer {
    /// A word in memory of the host.
    pub(super) fn cell(home: &Arc<Cells>) -> Result<Buffer, Error> {
        let cell = home.take()?;
        Ok(Buffer(Arc::new(Owned::Cell { cell, home: Arc::clone(home) })))
    }
    /// Memory of somebody else on the same GPU.
    pub(super) fn foreign(address: Address, keeper: &Arc<value::Buffer>) -> Buffer {
        let block = Block { address, size: keeper.len() };
        Buffer(Arc::new(Owned::Foreign { block, keeper: Arc::clone(keeper) }))
    }
    /// Memory of somebody else as it was given.
    pub(super) fn keeper(&self) -> Option<&Arc<value::Buffer>> {
        match &*self.0 {
            Owned::Foreign { keeper, .. } => Some(keeper),
            Owned::Device { .. } | Owned::Cell { .. } => None,
        }
    }
    /// Other memory of the same pool; none if there is none without waiting.
    pub(super) fn beside(&self, bytes: usize) -> Option<Buffer> {
        let Owned::Device { home, .. } = &*self.0 else { return None };
        home.context.enter().ok()?;
        let buffer = home.room(bytes).ok()?;
        buffer.settle(buffer.len());
        Some(buffer)
    }
    /// True if it is memory of the GPU that comes from a pool.
    pub(super) fn is_pooled(&self) -> bool {
        matches!(&*self.0, Owned::Device { .. })
    }
    /// Where it is for the GPU.
    pub(super) fn address(&self) -> Address {
        match &*self.0 {
            Owned::Device { block, .. } | Owned::Foreign { block, .. } => block.address,
            Owned::Cell { cell, .. } => cell.device,
        }
    }
    /// Where it is for the host; none if it cannot see it.
    pub(super) fn host(&self) -> Option<*const u8> {
        match &*self.0 {
            Owned::Device { .. } | Owned::Foreign { .. } => None,
            Owned::Cell { cell, .. } => Some(cell.host),
        }
    }
    /// Whether it is a cell that a launch has set.
    pub(super) fn is_set(&self) -> bool {
        matches!(&*self.0, Owned::Cell { cell, .. } if cell.is_set())
    }
    /// How many bytes count as used.
    pub(super) fn used(&self) -> usize {
        match &*self.0 {
            Owned::Device { used, .. } => used.get().copied().unwrap_or(0),
            // Its owner counts it.
            Owned::Foreign { block, .. } => block.size,
            Owned::Cell { .. } => Cells::SIZE,
        }
    }
    /// Says how much a room holds; the first word stands.
    pub(super) fn settle(&self, bytes: usize) {
        if let Owned::Device { block, home, used, .. } = &*self.0 {
            let bytes = bytes.min(block.size);
            if used.set(bytes).is_ok() {
                home.shelves().settle(bytes);
            }
        }
    }
    /// How many bytes somebody needs, if the memory grows.
    pub(super) fn filled(&self) -> Option<usize> {
        match &*self.0 {
            Owned::Device { filled, .. } => filled.get(),
            Owned::Foreign { .. } | Owned::Cell { .. } => None,
        }
    }
    pub(super) fn fill(&self, bytes: Option<usize>) {
        if let Owned::Device { filled, .. } = &*self.0 {
            filled.set(bytes);
        }
    }
    /// How many bytes there are at least.
    pub fn len(&self) -> usize {
        match &*self.0 {
            Owned::Device { block, .. } | Owned::Foreign { block, .. } => block.size,
            Owned::Cell { .. } => Cells::SIZE,
        }
    }
    /// Whether there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Whether another handle refers to this memory.
    pub fn is_same(&self, other: &Buffer) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
    /// Whether another handle refers to the same memory, so that it must not be overwritten.
    pub fn is_shared(&self) -> bool {
        Arc::strong_count(&self.0) > 1 || matches!(&*self.0, Owned::Foreign { .. })
    }
}

/// Refers to memory as long as somebody else has a handle to it.
#[derive(Default)]
pub(super) struct Hint(Weak<Owned>);

impl Hint {
    pub(super) fn of(buffer: &Buffer) -> Hint {
        Hint(Arc::downgrade(&buffer.0))
    }
    pub(super) fn get(&self) -> Option<Buffer> {
        self.0.upgrade().map(Buffer)
    }
}

impl fmt::Debug for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Buffer({} bytes)", self.len())
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        match self {
            Owned::Device { block, home, used, .. } => {
                home.shelves().put(*block, used.get().copied());
            }
            Owned::Foreign { .. } => {}
            Owned::Cell { cell, home } => home.give_back(*cell),
        }
    }
}

/// The pool.
pub(super) struct Pool {
    context: Arc<Context>,
    shelves: Mutex<Shelves>,
    /// The most bytes that may be in use.
    cap: usize,
}

/// Why a pool has no memory to give.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Refusal {
    /// Too much is in use.
    Cap(OutOfMemory),
    /// There may be some when what is kept was released.
    Kept,
    /// The driver is in trouble.
    Broken(Error),
}

impl Pool {
    /// A pool that uses at most `cap` bytes, and what the GPU has.
    pub(super) fn new(context: &Arc<Context>, cap: Option<usize>) -> Pool {
        let cap = cap.map_or(context.total, |cap| cap.min(context.total));
        Pool { context: Arc::clone(context), shelves: Mutex::default(), cap }
    }
    /// Memory for at most `bytes` bytes, of any contents.
    pub(super) fn room(self: &Arc<Self>, bytes: usize) -> Result<Buffer, Refusal> {
        let mut shelves = self.shelves();
        let size = class(bytes).ok_or_else(|| shelves.full(bytes, self.cap))?;
        let block = match shelves.take(size) {
            Some(block) => block,
            None => match shelves.refuses(bytes, size, self.cap) {
                Some(refusal) => return Err(refusal),
                None => self.fresh(size)?,
            },
        };
        shelves.give(block.size);
        drop(shelves);
        let home = Arc::clone(self);
        let (used, filled) = (OnceLock::new(), Filled::default());
        Ok(Buffer(Arc::new(Owned::Device { block, home, used, filled })))
    }
    /// Memory from the driver.
    fn fresh(&self, size: usize) -> Result<Block, Refusal> {
        match self.context.allocate(size) {
            Ok(address) => Ok(Block { address, size }),
            Err(error) if error.is_memory() => Err(Refusal::Kept),
            Err(error) => Err(Refusal::Broken(error)),
        }
    }
    /// Gives back to the driver what is kept.
    ///
    /// # Safety
    ///
    /// No failed launch will be looked at that reads it.
    pub(super) unsafe fn release(&self) -> Result<(), Error> {
        let free = self.shelves().clear();
        for block in free {
            // SAFETY: the memory is on no shelf any more, and the caller says the rest.
            unsafe { self.context.free(block.address)? };
        }
        self.context.trim()
    }
    /// The message that the GPU itself has no room for so many bytes: others use it, too.
    pub(super) fn full(&self, asked: usize) -> OutOfMemory {
        // The driver keeps what it had found of the memory that it could not give.
        let _ = self.context.trim();
        match self.context.memory() {
            Ok((free, total)) => OutOfMemory { asked, used: total - free, cap: total },
            Err(_) => OutOfMemory { asked, used: self.shelves().count.used, cap: self.cap },
        }
    }
    /// What was used so far.
    pub(super) fn count(&self) -> MemoryUse {
        self.shelves().count
    }
    /// A poisoned lock only means that another thread stopped between two counts.
    fn shelves(&self) -> MutexGuard<'_, Shelves> {
        self.shelves.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        let _ = self.context.enter();
        // SAFETY: nobody is left who could launch anything or look at it.
        let _ = unsafe { self.release() };
    }
}

/// What the pool knows; addresses are numbers here.
#[derive(Default)]
struct Shelves {
    /// Memory to be given out again, by size.
    free: BTreeMap<usize, Vec<Address>>,
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

impl Shelves {
    /// A kept piece that suits a size.
    fn take(&mut self, size: usize) -> Option<Block> {
        let (&size, addresses) = self.free.range_mut(size..=size + size / 8).next()?;
        let address = addresses.pop();
        if addresses.is_empty() {
            self.free.remove(&size);
        }
        self.kept -= size;
        self.count.reused += 1;
        address.map(|address| Block { address, size })
    }
    /// Why there is no piece of this size that would have to be new.
    fn refuses(&self, asked: usize, size: usize, cap: usize) -> Option<Refusal> {
        let left = cap.saturating_sub(self.count.used + self.reserved);
        if size > left {
            return Some(self.full(asked, cap));
        }
        (size > left.saturating_sub(self.kept)).then_some(Refusal::Kept)
    }
    /// There is no room for so many bytes, whatever is released: rooms count as what they may hold.
    fn full(&self, asked: usize, cap: usize) -> Refusal {
        Refusal::Cap(OutOfMemory { asked, used: self.count.used + self.reserved, cap })
    }
    /// Counts a room that was given out.
    fn give(&mut self, size: usize) {
        self.count.allocations += 1;
        self.reserved += size;
        self.unsettled += 1;
        self.since = self.since.max(self.count.used);
    }
    /// A room holds so many bytes, and held them already while others were in use that have been
    /// freed since.
    fn settle(&mut self, bytes: usize) {
        self.reserved -= bytes;
        self.count.used += bytes;
        self.since += bytes;
        self.count.peak = self.count.peak.max(self.since).max(self.count.used);
        self.unsettled -= 1;
        if self.unsettled == 0 {
            self.since = 0;
        }
    }
    /// Takes a piece back, of which so much was used.
    fn put(&mut self, block: Block, used: Option<usize>) {
        let used = used.unwrap_or_else(|| {
            self.settle(0);
            0
        });
        self.count.used -= used;
        self.reserved -= block.size - used;
        self.kept += block.size;
        self.free.entry(block.size).or_default().push(block.address);
    }
    /// Everything that is kept.
    fn clear(&mut self) -> Vec<Block> {
        self.kept = 0;
        let free = std::mem::take(&mut self.free).into_iter();
        free.flat_map(|(size, all)| all.into_iter().map(move |address| Block { address, size }))
            .collect()
    }
}

/// The size of the class of `bytes`: steps of 512 bytes below 1 MiB, above it eight to sixteen for
/// each doubling.
fn class(bytes: usize) -> Option<usize> {
    const STEP: usize = 512;
    const SMALL: usize = 1 << 20;
    if bytes <= SMALL {
        return Some(bytes.max(1).next_multiple_of(STEP));
    }
    let step = 1 << ((bytes - 1).ilog2() - 3);
    bytes.checked_next_multiple_of(step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_waste_little() {
        let sizes = [0, 1, 511, 512, 513, 1 << 20, (1 << 20) + 1, 3 << 20, 80_000_000, 1 << 36];
        for bytes in sizes {
            let size = class(bytes).unwrap();
            let limit = if bytes <= 1 << 20 { bytes + 512 } else { bytes + bytes / 8 };
            assert!(size >= bytes && size <= limit && size.is_multiple_of(512), "{bytes} {size}");
            assert_eq!(class(size), Some(size), "{bytes}");
        }
        assert_eq!(class(usize::MAX), None);
    }

    #[test]
    fn a_piece_that_is_little_larger_serves() {
        let mut shelves = Shelves::default();
        for (address, size) in [(1, 1024), (2, 8192), (3, 8704)] {
            shelves.give(size);
            shelves.settle(size);
            shelves.put(Block { address, size }, Some(size));
        }
        assert_eq!(shelves.kept, 1024 + 8192 + 8704);
        assert_eq!(shelves.take(512), None);
        assert_eq!(shelves.take(7680), Some(Block { address: 2, size: 8192 }));
        assert_eq!(shelves.take(8192), Some(Block { address: 3, size: 8704 }));
        assert_eq!(shelves.take(8192), None);
        assert_eq!((shelves.kept, shelves.count.reused), (1024, 2));
        assert_eq!(shelves.clear(), [Block { address: 1, size: 1024 }]);
        assert_eq!((shelves.kept, shelves.count.used, shelves.reserved), (0, 0, 0));
    }

    /// What is kept is released before anything is refused.
    #[test]
    fn what_can_be_released_does_not_count() {
        let mut shelves = Shelves::default();
        shelves.give(4096);
        shelves.settle(4096);
        shelves.give(2048);
        // A room of which nothing is used yet is set aside.
        assert_eq!(shelves.refuses(1024, 1024, 8192), None);
        let full = OutOfMemory { asked: 3000, used: 6144, cap: 8192 };
        assert_eq!(shelves.refuses(3000, 3072, 8192), Some(Refusal::Cap(full)));
        shelves.put(Block { address: 1, size: 4096 }, Some(4096));
        assert_eq!(shelves.refuses(3000, 3072, 8192), Some(Refusal::Kept));
        assert_eq!(shelves.clear().len(), 1);
        assert_eq!(shelves.refuses(3000, 3072, 8192), None);
    }

    #[test]
    fn a_room_counts_what_it_holds() {
        let mut shelves = Shelves::default();
        shelves.give(8192);
        assert_eq!((shelves.count.used, shelves.reserved), (0, 8192));
        // Another comes and goes before the room is settled.
        shelves.give(4096);
        shelves.settle(4096);
        shelves.put(Block { address: 2, size: 4096 }, Some(4096));
        shelves.settle(3000);
        assert_eq!((shelves.count.used, shelves.count.peak), (3000, 7096));
        assert_eq!(shelves.reserved, 8192 - 3000);
        shelves.put(Block { address: 1, size: 8192 }, Some(3000));
        // One that is never settled.
        shelves.give(512);
        shelves.put(Block { address: 3, size: 512 }, None);
        assert_eq!((shelves.count.used, shelves.reserved), (0, 0));
        assert_eq!(shelves.count.allocations, 3);
    }
}
