//! Memory of routines: a stack for each worker (`rts/lanes.h`).
//!
//! How much the lanes of a launch need is not known before, so each worker has an equal share of
//! all memory that is left.  The system gives a page when it is first touched; so a stack costs
//! what was used of it.

#![expect(unsafe_code, reason = "compiled code writes to the stacks")]

use crate::OutOfMemory;

/// Stacks that have grown beyond this in all go back to the system after their launch.
const KEPT: usize = 512 << 20;
/// A smaller stack than this is of no use.
const LEAST: usize = 1 << 16;

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
    memory: Vec<value::Buffer>,
    arenas: Vec<Arena>,
}

impl Arenas {
    /// Empty stacks for `workers` workers, which share `left` bytes.
    pub(super) fn prepare(
        &mut self,
        workers: usize,
        left: usize,
    ) -> Result<*mut Arena, OutOfMemory> {
        let share = left / workers;
        if self.memory.iter().any(|m| m.len() < share / 2) {
            self.release();
        }
        while self.memory.len() < workers {
            self.memory.push(reserve(share)?);
        }
        self.arenas = self.memory[..workers].iter().map(|m| Arena::new(m, share)).collect();
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
        self.memory.clear();
    }
}

/// Address space for a stack: less than asked for where it is rationed.
fn reserve(bytes: usize) -> Result<value::Buffer, OutOfMemory> {
    let mut size = bytes;
    while size >= LEAST {
        if let Ok(memory) = value::Buffer::zeroed(size) {
            return Ok(memory);
        }
        size /= 2;
    }
    Err(OutOfMemory { asked: LEAST, used: 0, cap: bytes })
}

impl Arena {
    fn new(memory: &value::Buffer, share: usize) -> Arena {
        let base = memory.as_ptr().cast_mut();
        let limit = base.wrapping_add(memory.len().min(share));
        let offers = Offers { count: 0, calls: [std::ptr::null_mut(); OFFERS] };
        Arena { top: base, base, limit, high: base, touched: 0, offers }
    }
}
