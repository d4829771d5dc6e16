//! The memory that an evaluation takes: its values, by the account of the thread, and its pending
//! calls, by the stack.  Both are held against the budget of the session.

use crate::failure::Failure;
use crate::machine::Machine;
use value::memory::{self, heap};
use value::stack;

/// Allocations of this size in all are made between two looks at the memory that the system has.
const CHECK_EVERY: usize = 64 << 20;
/// A vector of this size is held against the budget before it is made.
const LARGE: usize = 64 << 10;
/// And one of this size is asked of the system, to hear of a refusal.
const HUGE: usize = 1 << 20;
/// Memory left to the rest of the machine.
const RESERVE: usize = 128 << 20;

/// The state of the thread when an evaluation began.
pub(crate) struct Meter {
    /// Bytes that the thread held.
    held: isize,
    /// The position in its stack.
    stack: usize,
    /// Bytes allocated since the last look at the memory that the system has.
    unchecked: usize,
}

impl Meter {
    /// An evaluation begins.
    pub(crate) fn start() -> Meter {
        heap::reserve();
        Meter { held: heap::held(), stack: stack::here(), unchecked: 0 }
    }
}

impl Machine<'_> {
    /// Announces an allocation; fails while there is still memory left to say so.
    pub(crate) fn allocate(&mut self, bytes: usize) -> Result<(), Failure> {
        self.meter.unchecked = self.meter.unchecked.saturating_add(bytes);
        if bytes >= LARGE {
            self.check_memory(bytes)?;
        }
        if bytes >= HUGE && !heap::can_have(bytes) {
            return Err(Failure::memory(bytes));
        }
        if self.meter.unchecked >= CHECK_EVERY {
            self.meter.unchecked = 0;
            if memory::available() < bytes.saturating_add(RESERVE) {
                return Err(Failure::memory(bytes));
            }
        }
        Ok(())
    }

    /// Ends an evaluation whose values and pending calls take more memory than they may, with so
    /// many bytes that it is about to take.
    pub(crate) fn check_memory(&self, bytes: usize) -> Result<(), Failure> {
        let (values, calls) = (self.values(), self.meter.stack.saturating_sub(stack::here()));
        let left = self.interp.budget().left();
        if values.saturating_add(calls).saturating_add(bytes) <= left && !heap::is_short() {
            return Ok(());
        }
        Err(match bytes {
            0 if calls > values => Failure::recursion(self.calls),
            0 => Failure::values(values),
            bytes => Failure::memory(bytes),
        })
    }

    /// Bytes that values of this evaluation take.
    fn values(&self) -> usize {
        usize::try_from(heap::held().wrapping_sub(self.meter.held)).unwrap_or(0)
    }

    /// Bytes that this evaluation may still take.
    pub(crate) fn room(&self) -> usize {
        self.interp.budget().left().saturating_sub(self.values())
    }
}
