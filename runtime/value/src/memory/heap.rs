//! The allocator of commands: it counts the bytes of each thread, and a request that the system
//! refuses ends in an error of the language instead of an abort.
//!
//! A thread counts the bytes that it allocates minus those that it frees ([`held`]).  So the
//! difference between two moments of a computation is the memory of its values.  A program gets
//! this with `#[global_allocator]`; without it, [`held`] stays 0.
//!
//! Most code cannot continue when the system has no more memory.  The first refusal frees a reserve
//! and asks again, so that code that calls [`is_short`] can end with an error at its place.  The
//! second refusal ends the process with the same error, without a place.  Code that can continue
//! uses [`fallibly`] or [`can_have`], and gets the refusal.

#![expect(unsafe_code, reason = "an allocator hands out memory")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

/// The allocator of the system, with an account for each thread.
#[derive(Clone, Copy, Debug)]
pub struct Heap;

/// The reserve: enough bytes for the error and the code that makes it.
const RESERVE: Layout = match Layout::from_size_align(1 << 20, 64) {
    Ok(layout) => layout,
    Err(_) => unreachable!(),
};
/// Bytes that the C library's allocator needs beside each piece, about.
const BESIDE: usize = 16;
/// The exit code of a command whose program failed.
const FAILED: i32 = 1;

/// The reserve; null when it has been given back.
static KEPT: AtomicPtr<u8> = AtomicPtr::new(std::ptr::null_mut());
/// Set when the reserve had to be given back.
static SHORT: AtomicBool = AtomicBool::new(false);

thread_local! {
    static HELD: Cell<isize> = const { Cell::new(0) };
    static FALLIBLE: Cell<bool> = const { Cell::new(false) };
}

/// Bytes that this thread has taken less those that it has given back; negative where it gives back
/// what others have taken.
pub fn held() -> isize {
    HELD.get()
}

/// Sets the reserve aside, if the system has it; nothing is short then.
pub fn reserve() {
    if KEPT.load(Ordering::Acquire).is_null() {
        // SAFETY: the size is not 0.
        let kept = unsafe { System.alloc(RESERVE) };
        let before = KEPT.swap(kept, Ordering::AcqRel);
        give_back(before);
        SHORT.store(kept.is_null(), Ordering::Release);
    }
}

/// True if the system had no more memory, so that the evaluation should end.
pub fn is_short() -> bool {
    SHORT.load(Ordering::Relaxed)
}

/// Runs code that handles a refusal of memory itself.
pub fn fallibly<T>(work: impl FnOnce() -> T) -> T {
    let before = FALLIBLE.replace(true);
    let done = work();
    FALLIBLE.set(before);
    done
}

/// True if the system would allocate these bytes in one piece now.
pub fn can_have(bytes: usize) -> bool {
    fallibly(|| Vec::<u8>::new().try_reserve_exact(bytes).is_ok())
}

fn note(bytes: usize, sign: isize) {
    HELD.set(HELD.get().wrapping_add(sign * (bytes + BESIDE).cast_signed()));
}

fn give_back(reserve: *mut u8) {
    if !reserve.is_null() {
        // SAFETY: it was allocated with this layout, and whoever swapped it out alone has it.
        unsafe { System.dealloc(reserve, RESERVE) };
    }
}

/// Handles a refusal of `bytes` bytes: gives the reserve back and asks `again`.
#[cold]
fn refused(bytes: usize, again: impl Fn() -> *mut u8) -> *mut u8 {
    if FALLIBLE.get() {
        return std::ptr::null_mut();
    }
    SHORT.store(true, Ordering::Release);
    give_back(KEPT.swap(std::ptr::null_mut(), Ordering::AcqRel));
    let memory = again();
    if memory.is_null() { end(bytes) } else { memory }
}

/// Ends the process with the error, because no running code can continue.
fn end(bytes: usize) -> ! {
    let mut text = [0_u8; 256];
    let mut rest = &mut text[..];
    // The text fits.
    let _ = write!(
        rest,
        "error[N0509]: out of memory: the system refuses {bytes} bytes\n  \
         = help: `ulimit -v`, or other programs, may leave less\n"
    );
    let length = 256 - rest.len();
    // SAFETY: the text is that long; nothing runs after the exit.
    unsafe {
        write(2, text.as_ptr(), length);
        _exit(FAILED)
    }
}

unsafe extern "C" {
    fn write(file: i32, text: *const u8, length: usize) -> isize;
    fn _exit(code: i32) -> !;
}

// SAFETY: the system's allocator does the work; the account is a number of the thread, which exists
// as long as the thread runs and needs no memory.
unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(layout.size(), 1);
        // SAFETY: the caller answers for the layout, here and below.
        let memory = unsafe { System.alloc(layout) };
        if memory.is_null() {
            // SAFETY: as above.
            let again = || unsafe { System.alloc(layout) };
            return given(refused(layout.size(), again), layout.size());
        }
        memory
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        note(layout.size(), 1);
        // SAFETY: as above.
        let memory = unsafe { System.alloc_zeroed(layout) };
        if memory.is_null() {
            // SAFETY: as above.
            let again = || unsafe { System.alloc_zeroed(layout) };
            return given(refused(layout.size(), again), layout.size());
        }
        memory
    }
    unsafe fn realloc(&self, old: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        note(size, 1);
        // SAFETY: as above; after a refusal the old memory is as it was.
        let mut memory = unsafe { System.realloc(old, layout, size) };
        if memory.is_null() {
            // SAFETY: as above.
            let again = || unsafe { System.realloc(old, layout, size) };
            memory = given(refused(size, again), size);
        }
        if !memory.is_null() {
            note(layout.size(), -1);
        }
        memory
    }
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        note(layout.size(), -1);
        // SAFETY: as above.
        unsafe { System.dealloc(memory, layout) };
    }
}

/// Subtracts a refused request from the account.
fn given(memory: *mut u8, bytes: usize) -> *mut u8 {
    if memory.is_null() {
        note(bytes, -1);
    }
    memory
}
