//! The wish that what runs should stop.
//!
//! One side [raises](Interrupt::raise) it, such as the handler of a signal.  The other side looks
//! where a run can end and leave everything whole, and gives the error [`interrupted`].  A wish
//! stays until it is [cleared](Interrupt::clear): what began before does not go on after it.

use base::{Diagnostic, Kind, Span};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A wish that clones share; nobody wishes anything at first.
#[derive(Clone, Default, Debug)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Wishes that what runs should stop; tells whether that was wished already.
    pub fn raise(&self) -> bool {
        self.0.swap(true, Ordering::Relaxed)
    }

    /// Forgets the wish.
    pub fn clear(&self) {
        self.0.store(false, Ordering::Relaxed);
    }

    /// Whether what runs should stop.
    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The error of a run that was stopped here.
pub fn interrupted(span: Span) -> Diagnostic {
    let message = "the program was interrupted";
    if span.is_none() {
        Diagnostic::new(Kind::Interrupted, message)
    } else {
        Diagnostic::at(Kind::Interrupted, span, message)
    }
}
