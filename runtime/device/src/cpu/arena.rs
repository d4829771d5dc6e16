//! Memory of routines: a stack for each worker (`rts/lanes.h`).
//!
//! How much the lanes of a launch need is not known before, so each worker has an equal share of
//! all memory that is left.  The system gives a page when it is first touched; so a stack costs
//! what was used of it.  Stacks lie side by side, so that two comparisons tell whether something is
//! in one of them.

#![expect(unsafe_code, reason = "compiled code writes to the stacks")]

use crate::OutOfMemory;

/// Stacks that have grown beyond this in all go back to the system after their launch.
const KEPT: usize = 512 << 20;
/// A smaller stack than this is of no use.
const LEAST: usize = 1 << 16;
/// Stacks begin at multiples of so many bytes.
const LINE: usize = 64;

/// The most calls that a worker offers to others at once.
const OFFERS: usize = 32;

/// The stack of one worker, and calls that it offers to others: `nesl_arena`.
#[repr(C, align(64))]
#[derive(Debug)]
pub(super) struct Arena {
    top: *mut u8,
    base: *mut u8,
    limit: *mut u8,
    high: *mut u8,
    touched: i64,
    offers: Offers,
}

/// In a cache line of their own, as others look at them.
#[repr(C, align(64))]
#[derive(Debug)]
struct Offers {
    count: i32,
    calls: [*mut u8; OFFERS],
}

const _: () = {
    assert!(std::mem::offset_of!(Arena, offers) == 64);
    assert!(size_of::<Arena>() == 384);
};

// SAFETY: the pointers are to memory that the stacks own, and only a launch uses them.
unsafe impl Send for Arena {}

/// The stacks of all workers.
#[derive(Default)]
pub(super) struct Arenas {
    memory: Option<value::Buffer>,
    arenas: Vec<Arena>,
}

impl Arenas {
    /// Empty stacks for `workers` workers, which share `left` bytes.
    pub(super) fn prepare(
        &mut self,
        workers: usize,
        left: usize,
    ) -> Result<*mut Arena, OutOfMemory> {
        if self.memory.as_ref().is_some_and(|memory| memory.len() < left / 2) {
            self.release();
        }
        let memory = match &mut self.memory {
            Some(memory) => memory,
            none => none.insert(reserve(left, workers * LEAST)?),
        };
        let share = memory.len().min(left) / workers / LINE * LINE;
        let base = memory.as_ptr().cast_mut();
        let stacks = (0..workers).map(|n| Arena::new(base.wrapping_add(n * share), share));
        self.arenas = stacks.collect();
        Ok(self.arenas.as_mut_ptr())
    }
    /// How many bytes the last launch used at most.
    pub(super) fn high(&self) -> usize {
        self.arenas.iter().map(|a| a.high.addr() - a.base.addr()).sum()
    }
    /// After the last use of what the stacks hold: gives large ones back.
    pub(super) fn done(&mut self) {
        if self.high() > KEPT {
            self.release();
        }
    }
    fn release(&mut self) {
        self.arenas.clear();
        self.memory = None;
    }
}

/// Address space for stacks: less than asked for where it is rationed, but not less than `least`.
fn reserve(bytes: usize, least: usize) -> Result<value::Buffer, OutOfMemory> {
    let mut size = bytes;
    while size >= least {
        if let Ok(memory) = value::Buffer::zeroed(size) {
            return Ok(memory);
        }
        size /= 2;
    }
    Err(OutOfMemory { asked: least, used: 0, cap: bytes })
}

impl Arena {
    fn new(base: *mut u8, bytes: usize) -> Arena {
        let limit = base.wrapping_add(bytes);
        let offers = Offers { count: 0, calls: [std::ptr::null_mut(); OFFERS] };
        Arena { top: base, base, limit, high: base, touched: 0, offers }
    }
}
