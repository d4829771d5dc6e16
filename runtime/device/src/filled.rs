//! How much of memory that grows is needed by somebody.

use std::sync::atomic::{AtomicUsize, Ordering};

/// A number of bytes, if it is known.
#[derive(Debug)]
pub(crate) struct Filled(AtomicUsize);

/// Not known.
const NONE: usize = usize::MAX;

impl Filled {
    pub(crate) fn get(&self) -> Option<usize> {
        Some(self.0.load(Ordering::Relaxed)).filter(|&bytes| bytes != NONE)
    }
    pub(crate) fn set(&self, bytes: Option<usize>) {
        self.0.store(bytes.unwrap_or(NONE), Ordering::Relaxed);
    }
}

impl Default for Filled {
    fn default() -> Self {
        Filled(AtomicUsize::new(NONE))
    }
}
