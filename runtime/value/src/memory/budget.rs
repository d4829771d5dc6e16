//! The bound on the memory of all values, and the charges to it.
//!
//! A session has one [`Budget`]. Readers charge it while they read, the interpreter for the values
//! that it holds, the CPU device for its vectors. A [`Charge`] lasts as long as the memory that it
//! counts.

use crate::OutOfMemory;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A number of bytes that clones share.
#[derive(Clone)]
pub struct Budget(Arc<Shared>);

struct Shared {
    cap: usize,
    used: AtomicUsize,
}

impl Budget {
    /// So many bytes, none of which is charged.
    pub fn new(cap: usize) -> Budget {
        Budget(Arc::new(Shared { cap, used: AtomicUsize::new(0) }))
    }
    /// As much as there can be.
    pub fn unlimited() -> Budget {
        Budget::new(usize::MAX)
    }
    /// All bytes, charged or not.
    pub fn cap(&self) -> usize {
        self.0.cap
    }
    /// The bytes that are charged.
    pub fn used(&self) -> usize {
        self.0.used.load(Ordering::Relaxed)
    }
    /// The bytes that may still be charged.
    pub fn left(&self) -> usize {
        self.cap().saturating_sub(self.used())
    }
    /// A charge of no bytes.
    pub fn nothing(&self) -> Charge {
        Charge { budget: self.clone(), bytes: 0 }
    }
    /// Charges this number of bytes.
    pub fn charge(&self, bytes: usize) -> Result<Charge, OutOfMemory> {
        let mut charge = self.nothing();
        charge.grow(bytes)?;
        Ok(charge)
    }
}

impl Default for Budget {
    /// The budget of a program without an option.
    fn default() -> Budget {
        Budget::new(super::default_cap())
    }
}

impl fmt::Debug for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Budget({} of {} bytes)", self.used(), self.cap())
    }
}

/// Bytes that are charged to a budget until this is dropped.
#[derive(Debug)]
pub struct Charge {
    budget: Budget,
    bytes: usize,
}

impl Charge {
    /// Charges additional bytes.
    pub fn grow(&mut self, bytes: usize) -> Result<(), OutOfMemory> {
        let Shared { cap, used } = &*self.budget.0;
        let within = |used: usize| used.checked_add(bytes).filter(|&used| used <= *cap);
        used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, within)
            .map_err(|_| OutOfMemory { bytes })?;
        self.bytes += bytes;
        Ok(())
    }
    /// Sets the charge to the size of memory that is in use already.
    pub fn set(&mut self, bytes: usize) {
        let used = &self.budget.0.used;
        used.fetch_sub(self.bytes, Ordering::Relaxed);
        used.fetch_add(bytes, Ordering::Relaxed);
        self.bytes = bytes;
    }
    /// The bytes that are charged.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.budget.0.used.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn charges_last_as_long_as_they_are_there() {
        let budget = Budget::new(100);
        let shared = budget.clone();
        let mut charge = budget.charge(60).unwrap();
        assert_eq!(shared.left(), 40);
        assert_eq!(shared.charge(41).unwrap_err(), OutOfMemory { bytes: 41 });
        charge.grow(30).unwrap();
        assert_eq!(charge.grow(11), Err(OutOfMemory { bytes: 11 }));
        assert_eq!(charge.grow(usize::MAX), Err(OutOfMemory { bytes: usize::MAX }));
        assert_eq!((shared.used(), charge.bytes()), (90, 90));
        charge.set(130);
        assert_eq!((shared.used(), shared.left()), (130, 0));
        drop(charge);
        assert_eq!(budget.left(), 100);
    }
}
