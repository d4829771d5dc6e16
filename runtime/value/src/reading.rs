//! Whether a program reads what is typed.  Who draws on the terminal meanwhile would spoil it.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Reads that have not ended.
static READING: AtomicUsize = AtomicUsize::new(0);

/// Reads from standard input.
pub fn reading<T>(read: impl FnOnce() -> T) -> T {
    READING.fetch_add(1, Ordering::SeqCst);
    let read = read();
    READING.fetch_sub(1, Ordering::SeqCst);
    read
}

/// Whether standard input is being read.
pub fn is_reading() -> bool {
    READING.load(Ordering::SeqCst) > 0
}
