//! Paper: a device that keeps the texts that it is given and launches nothing.
//!
//! With it a session shows what programs become for a device that is not there.

#![expect(unsafe_code, reason = "a launch trusts its arguments")]

use crate::{Argument, Device, Failure, Loaded, MemoryUse, OutOfMemory};
use base::Diagnostic;
use kernel::KernelId;
use std::sync::{Arc, Mutex, PoisonError};

/// A device for texts of this type; a cheap handle.
#[derive(Clone, Debug)]
pub struct Paper<T> {
    texts: Arc<Mutex<Vec<T>>>,
}

// Derived, this would want a text to have a default.
impl<T> Default for Paper<T> {
    fn default() -> Self {
        Paper { texts: Arc::default() }
    }
}

impl<T> Paper<T> {
    /// The texts of the programs that were loaded since the last time, in order.
    pub fn take(&self) -> Vec<T> {
        std::mem::take(&mut *self.texts.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl<T: Clone> Device for Paper<T> {
    type Text = T;
    type Module = ();
    type Buffer = ();

    fn describe(&self) -> String {
        "paper".to_owned()
    }
    fn units(&self) -> usize {
        1
    }
    fn has_routines(&self) -> bool {
        false
    }
    fn runs(&self) -> bool {
        false
    }
    fn load(&self, text: &T) -> Result<Loaded<()>, Diagnostic> {
        self.texts.lock().unwrap_or_else(PoisonError::into_inner).push(text.clone());
        Ok(Loaded { module: (), cached: false, notes: Vec::new() })
    }

    // Arguments of calls come here before the call.
    fn upload(&self, _: &Arc<value::Buffer>) -> Result<(), OutOfMemory> {
        Ok(())
    }
    fn allocate(&self, _: usize) -> Result<(), OutOfMemory> {
        Ok(())
    }
    fn room(&self, _: usize) -> Result<(), OutOfMemory> {
        Ok(())
    }
    fn settle(&self, (): &(), _: usize) {}
    fn cell(&self) -> Result<(), OutOfMemory> {
        Ok(())
    }
    fn wait(&self) -> Result<(), Failure> {
        Ok(())
    }
    fn zero(&self, (): &(), _: usize) {}
    fn copy(&self, (): &(), (): &(), _: usize) {}
    fn size(&self, (): &()) -> usize {
        0
    }
    fn capacity(&self, (): &()) -> usize {
        0
    }
    fn filled(&self, (): &()) -> Option<usize> {
        None
    }
    fn fill(&self, (): &(), _: Option<usize>) {}
    fn is_shared(&self, (): &()) -> bool {
        true
    }
    fn is_same(&self, (): &(), (): &()) -> bool {
        false
    }
    fn memory(&self) -> MemoryUse {
        MemoryUse::default()
    }
    fn touched(&self) -> u64 {
        0
    }

    fn read(&self, (): &(), _: usize, _: &mut [u8]) {
        unreachable!("paper has no memory")
    }
    fn download(&self, (): &()) -> Result<Arc<value::Buffer>, OutOfMemory> {
        unreachable!("paper has no memory")
    }
    unsafe fn launch(
        &self,
        (): &(),
        kernel: KernelId,
        _: &[Argument<'_, ()>],
        _: usize,
    ) -> Result<(), Failure> {
        unreachable!("paper launches nothing, nor {kernel}")
    }
}
