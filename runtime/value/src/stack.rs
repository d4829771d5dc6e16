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
/// Bytes for the code below the last check on a thread of the system, which prints nothing.
const OWN_MARGIN: usize = 256 << 10;
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

/// Runs `work` on this thread with what is left of the stack that it has, if that is at least
/// `least` bytes and its bounds are known.  [`remaining`] then tells how much that is.
pub fn on_own_stack<T>(least: usize, work: impl FnOnce() -> T) -> Option<T> {
    if FLOOR.get().is_some() {
        return Some(work());
    }
    let floor = own_floor()?;
    if here().saturating_sub(floor) < least {
        return None;
    }
    /// Leaves the thread as it was, also after a panic.
    struct Restore;
    impl Drop for Restore {
        fn drop(&mut self) {
            FLOOR.set(None);
        }
    }
    FLOOR.set(Some(floor));
    let _restore = Restore;
    Some(work())
}

/// The lowest address that recursion may reach on the stack that the system gave this thread.  Each
/// thread asks once: for the main thread the C library reads the memory map of the process, which
/// takes 0.1 ms in a process with many libraries.
fn own_floor() -> Option<usize> {
    thread_local! {
        static OWN: Cell<Option<Option<usize>>> = const { Cell::new(None) };
    }
    OWN.get().unwrap_or_else(|| {
        let floor = own_bounds().map(|(lowest, size)| lowest + OWN_MARGIN.min(size / 2));
        OWN.set(Some(floor));
        floor
    })
}

/// The lowest address of this thread's stack, and its bytes.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "the C library knows the bounds")]
fn own_bounds() -> Option<(usize, usize)> {
    let mut about = std::mem::MaybeUninit::<libc::pthread_attr_t>::uninit();
    let (mut lowest, mut size) = (std::ptr::null_mut(), 0);
    // SAFETY: the attributes are made by the first call, and destroyed if it made them.
    unsafe {
        if libc::pthread_getattr_np(libc::pthread_self(), about.as_mut_ptr()) != 0 {
            return None;
        }
        let told = libc::pthread_attr_getstack(about.as_ptr(), &raw mut lowest, &raw mut size);
        libc::pthread_attr_destroy(about.as_mut_ptr());
        (told == 0).then(|| (lowest.addr(), size))
    }
}

/// Nobody tells them here.
#[cfg(not(target_os = "linux"))]
fn own_bounds() -> Option<(usize, usize)> {
    None
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

    #[cfg(target_os = "linux")]
    #[test]
    fn a_thread_of_the_system_uses_its_own_stack() {
        let thread = thread::Builder::new().stack_size(4 << 20);
        let depths = thread.spawn(|| {
            let enough = on_own_stack(1 << 20, || descend(0));
            (enough, remaining(), on_own_stack(64 << 20, || descend(0)))
        });
        let (enough, after, more) = depths.unwrap().join().unwrap();
        // Frames are larger than the array in them.
        assert!(enough.is_some_and(|depth| (1000..4000).contains(&depth)), "{enough:?}");
        assert_eq!((after, more), (None, None));
        assert_eq!(on_big_stack(|| on_own_stack(32 << 20, || descend(0))), Some(300_000));
    }
}
