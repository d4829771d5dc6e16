//! The interface for steps that take several kernels of our own, such as sorts.

#![expect(unsafe_code, reason = "kernels are launched")]

use super::context::Grid;
use super::module::Library;
use super::{Buffer, Cuda, State};
use crate::Failure;
use std::sync::Arc;

/// What steps of several kernels, such as sorts, are made with.
///
/// Everything happens in the order it is asked for, after all that was launched before, and the
/// host does not wait.  What a kernel is given may be an input of a launch that failed, and its own
/// inputs may not have been made.  So [`Launcher::settle`] comes first.
pub(super) struct Launcher<'a> {
    pub(super) device: &'a Cuda,
    pub(super) state: &'a mut State,
}

impl Launcher<'_> {
    /// Waits if a launch may have failed; if one has, that is the end.
    pub(super) fn settle(&mut self) -> Result<(), Failure> {
        if !self.state.pending.is_empty() {
            self.device.settle_failures(self.state);
        }
        self.state.tell()
    }
    /// Memory of any contents, until it is dropped; launches made before that may still use it.
    pub(super) fn temporary(&mut self, bytes: usize) -> Result<Buffer, Failure> {
        let buffer = self.device.obtain(self.state, bytes).map_err(Failure::Memory)?;
        // Finding room may have found a failure, whose launch has made no inputs for the next.
        self.state.tell()?;
        buffer.settle(buffer.len());
        Ok(buffer)
    }
    /// Sets the first bytes of a buffer to 0.
    pub(super) fn zero(&mut self, buffer: &Buffer, bytes: usize) {
        self.device.clear(self.state, buffer, bytes);
    }
    /// A text with kernels of our own under a name, made and compiled when it is first needed.
    pub(super) fn library(
        &mut self,
        name: &str,
        text: impl FnOnce() -> String,
    ) -> Result<Arc<Library>, Failure> {
        self.device.library(self.state, name, text).map_err(Failure::Broken)
    }
    /// Launches a kernel of such a text.
    ///
    /// # Safety
    ///
    /// The words are the kernel's parameters, each in the first bytes of its word.
    pub(super) unsafe fn run(
        &mut self,
        library: &Library,
        name: &'static str,
        grid: Grid,
        words: &[u64],
    ) -> Result<(), Failure> {
        // SAFETY: the caller says so.
        unsafe { self.device.run_own(self.state, library, (name, grid), words) }
            .map_err(Failure::Broken)
    }
}
