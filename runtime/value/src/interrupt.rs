//! The wish that what runs should stop.
//!
//! One side [raises](Interrupt::raise) it, such as the handler of a signal.  The other side looks
//! where a run can end and leave everything whole, and gives the error [`interrupted`]; who cannot
//! look is [told](Interrupt::on_raise).  A wish stays until it is [cleared](Interrupt::clear): what
//! began before does not go on after it.

use base::{Diagnostic, Kind, Span};
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// A wish that clones share; nobody wishes anything at first.
#[derive(Clone, Default)]
pub struct Interrupt(Arc<Shared>);

#[derive(Default)]
struct Shared {
    raised: AtomicBool,
    told: Mutex<Vec<Box<dyn Fn() + Send>>>,
}

impl Interrupt {
    /// Wishes that what runs should stop; tells whether that was wished already.
    pub fn raise(&self) -> bool {
        let already = self.0.raised.swap(true, Ordering::SeqCst);
        let told = self.0.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.iter().for_each(|tell| tell());
        already
    }

    /// Lets this be done whenever the wish is raised, after it can be seen.
    pub fn on_raise(&self, tell: impl Fn() + Send + 'static) {
        self.0.told.lock().unwrap_or_else(PoisonError::into_inner).push(Box::new(tell));
    }

    /// Forgets the wish.
    pub fn clear(&self) {
        self.0.raised.store(false, Ordering::SeqCst);
    }

    /// Whether what runs should stop.
    pub fn is_raised(&self) -> bool {
        self.0.raised.load(Ordering::Relaxed)
    }

    /// Where others can look whether what runs should stop, as long as this wish lives.
    pub fn flag(&self) -> *const bool {
        self.0.raised.as_ptr()
    }
}

impl fmt::Debug for Interrupt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Interrupt({})", self.is_raised())
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    #[test]
    fn a_wish_is_shared_told_and_forgotten() {
        let (interrupt, (send, told)) = (Interrupt::default(), channel());
        let seen = interrupt.clone();
        let look = interrupt.clone();
        interrupt.on_raise(move || send.send(look.is_raised()).unwrap());
        assert!(!seen.is_raised());
        assert!(!interrupt.raise() && interrupt.raise());
        assert!(seen.is_raised());
        seen.clear();
        assert!(!interrupt.is_raised());
        assert_eq!(told.try_iter().collect::<Vec<_>>(), [true, true]);
    }
}
