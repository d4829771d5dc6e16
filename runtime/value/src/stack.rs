//! Threads with very large stacks, for code that recurses as deeply as programs and texts do.
//!
//! [`on_big_stack`] runs a function on such a thread; [`remaining`] says how much stack is left
//! there, so that recursion can end with an error instead of a crash.  A stack only takes address
//! space; memory comes as it is touched.  Its size is an eighth of the memory that is available,
//! so that an endless recursion fails in seconds and leaves room for the error.  If address space
//! is limited, the size is at most a quarter of the free address space.

use crate::memory;
use std::cell::Cell;
use std::thread;

/// The stack is never smaller than this: 100,000 pending calls fit.
const SMALLEST: usize = 512 << 20;
/// Nor larger than this.
const LARGEST: usize = 64 << 30;
/// Bytes for the code below the last check of the stack: printing, messages, the system; at most a
/// quarter of the stack.
const MARGIN: usize = 16 << 20;
/// The smallest stack that a thread is started with.
const LEAST: usize = 512 << 10;
/// Bytes of stack that a thread of the system has at least.
const USUAL: usize = 2 << 20;

thread_local! {
    /// Lowest address that recursion on this thread may reach; none on ordinary threads.
    static FLOOR: Cell<Option<usize>> = const { Cell::new(None) };
}

/// Runs `work` on a thread with a very large stack: on this thread, if it has one.
pub fn on_big_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    if FLOOR.get().is_some() {
        return work();
    }
    on_stack_of(size(), work)
}

/// How much calls under way may take: an eighth of the memory that is available.
pub fn size() -> usize {
    let usual = (memory::available() / 8).clamp(SMALLEST, LARGEST);
    memory::address_left().map_or(usual, |left| usual.min(left / 4))
}

/// Runs `work` on a new thread with a stack of so many bytes, or fewer if address space is
/// rationed.
pub fn on_stack_of<T: Send>(bytes: usize, work: impl FnOnce() -> T + Send) -> T {
    let mut work = Some(work);
    let mut size = bytes.max(LEAST);
    while size >= LEAST {
        if let Some(result) = attempt(&mut work, size) {
            return result.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        }
        size /= 2;
    }
    let Some(work) = work else { unreachable!("the work was done on a thread") };
    // No thread can be had at all.
    let before = FLOOR.replace(Some(floor(USUAL)));
    let result = work();
    FLOOR.set(before);
    result
}

/// Runs the work on a thread with a stack of this size; none if there is no such thread.
fn attempt<T: Send, F: FnOnce() -> T + Send>(
    work: &mut Option<F>,
    size: usize,
) -> Option<thread::Result<T>> {
    thread::scope(|scope| {
        let run = || {
            FLOOR.set(Some(floor(size)));
            match work.take() {
                Some(work) => work(),
                None => unreachable!("the work is there until a thread takes it"),
            }
        };
        thread::Builder::new().stack_size(size).spawn_scoped(scope, run).ok().map(|t| t.join())
    })
}

/// The lowest address that recursion may reach from here on a stack of this size.
fn floor(size: usize) -> usize {
    here().saturating_sub(size) + MARGIN.min(size / 4)
}

/// Bytes of stack that recursion on this thread may still use; none on threads that
/// [`on_big_stack`] did not make.
pub fn remaining() -> Option<usize> {
    FLOOR.get().map(|floor| here().saturating_sub(floor))
}

/// An address in the current stack frame; stacks grow towards 0.
#[inline(never)]
pub fn here() -> usize {
    let mark = 0_u8;
    std::ptr::from_ref(&mark).addr()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Recursion with frames of a kilobyte, to the end of the stack.
    fn descend(depth: usize) -> usize {
        let frame = std::hint::black_box([0_u8; 1000]);
        match remaining() {
            Some(left) if left > 0 && depth < 300_000 => descend(depth + 1) + usize::from(frame[0]),
            _ => depth,
        }
    }

    #[test]
    fn deep_recursion_fits() {
        assert_eq!(remaining(), None);
        assert_eq!(on_big_stack(|| on_big_stack(|| descend(0))), 300_000);
    }
}
