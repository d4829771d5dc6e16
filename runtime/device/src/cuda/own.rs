//! The device's own kernels, for what the host does to memory.
//!
//! The driver has calls for all of it, which would go on after a launch has failed.

#![expect(unsafe_code, reason = "kernels are launched")]

use super::context::{Address, Grid, Stream};
use super::driver::Error;
use super::host::Pinned;
use super::module::Library;
use super::{Buffer, Cuda, State};
use base::Diagnostic;
use std::sync::Arc;

/// Kernels for what the host does to memory.
pub(super) const BUILTIN: &str = include_str!("builtin.cu");

/// Words that travel with a launch: `nesl_parcel`.
#[repr(C)]
struct Parcel {
    failed: Address,
    to: Address,
    count: u64,
    words: [u64; WORDS],
}

/// With the rest, they fit into the 4096 bytes of parameters that every GPU takes.
const WORDS: usize = 480;
/// The most bytes that are sent in parcels: for more, waiting costs less.
pub(super) const PARCELS: usize = 2 * WORDS * size_of::<u64>();

/// The most bytes that a kernel writes to the host's memory: for more, the GPU's copies are faster.
pub(super) const PAGE: usize = 4096;

impl Cuda {
    /// Sets the first bytes of a buffer to 0.
    pub(super) fn clear(&self, state: &mut State, buffer: &Buffer, bytes: usize) {
        let bytes = bytes.min(buffer.len());
        let words = [self.signals.failed(), buffer.address(), bytes as u64];
        // SAFETY: the memory is that long.
        unsafe { self.builtin(state, "nesl_zero", self.grid(bytes), &words) };
    }
    /// Copies the first bytes of a buffer to another.
    pub(super) fn duplicate(&self, state: &mut State, from: &Buffer, to: &Buffer, bytes: usize) {
        let bytes = bytes.min(from.len()).min(to.len());
        let words = [self.signals.failed(), from.address(), to.address(), bytes as u64];
        // Copying memory to itself changes nothing.
        if from.address() != to.address() {
            // SAFETY: both are that long and do not overlap.
            unsafe { self.builtin(state, "nesl_copy", self.grid(bytes), &words) };
        }
    }
    /// Gets a few bytes without the GPU's machinery for large copies, and waits for them.
    pub(super) fn peek(
        &self,
        state: &mut State,
        from: Address,
        bytes: &mut [u8],
    ) -> Result<(), Error> {
        let page = match state.page.take() {
            Some(page) => page,
            None => Pinned::new(&self.context, PAGE)?,
        };
        let words = [self.signals.failed(), from, page.device(), bytes.len() as u64];
        let busy = state.busy;
        // SAFETY: both are that long; the page is our own.
        unsafe { self.builtin(state, "nesl_copy", self.grid(bytes.len()), &words) };
        self.signals.wait()?;
        state.busy = busy;
        // SAFETY: the page is that long, and the GPU has done with it.
        unsafe { bytes.as_mut_ptr().copy_from(page.host(), bytes.len()) };
        state.page = Some(page);
        Ok(())
    }
    /// Sends bytes along with launches.
    pub(super) fn put(&self, state: &mut State, bytes: &[u8], buffer: &Buffer) {
        const PARCEL: usize = WORDS * size_of::<u64>();
        for (n, piece) in bytes.chunks(PARCEL).enumerate() {
            let mut words = [0; WORDS];
            for (word, bytes) in words.iter_mut().zip(piece.chunks(size_of::<u64>())) {
                let mut whole = [0; size_of::<u64>()];
                whole[..bytes.len()].copy_from_slice(bytes);
                *word = u64::from_le_bytes(whole);
            }
            let parcel = Parcel {
                failed: self.signals.failed(),
                to: buffer.address() + (n * PARCEL) as u64,
                count: piece.len().div_ceil(size_of::<u64>()) as u64,
                words,
            };
            let grid = Grid { blocks: 1, threads: 256, shared: 0 };
            let done = self.library(state, "builtin", || BUILTIN.to_owned()).and_then(|library| {
                let function = library.function("nesl_put", 0).map_err(Error::diagnostic)?;
                state.traffic.launches += 1;
                state.busy = true;
                let head = Some((&raw const parcel).cast());
                // SAFETY: the parcel is its only parameter; memory comes in steps of 512 bytes, so
                // the last word is inside.
                unsafe { self.context.launch(Stream::Main, function, grid, head, &[]) }
                    .map_err(Error::diagnostic)
            });
            note(state, done);
        }
    }
    /// A grid that moves so many bytes fast.
    fn grid(&self, bytes: usize) -> Grid {
        const THREADS: usize = 256;
        let most = self.context.multiprocessors * 8;
        let blocks = bytes.div_ceil(16 * THREADS).clamp(1, most);
        Grid { blocks: blocks as u32, threads: THREADS as u32, shared: 0 }
    }

    /// Launches a kernel of the device itself; what goes wrong is told later.
    ///
    /// # Safety
    ///
    /// The words are the kernel's parameters.
    unsafe fn builtin(&self, state: &mut State, name: &'static str, grid: Grid, words: &[u64]) {
        let done = self.library(state, "builtin", || BUILTIN.to_owned()).and_then(|library| {
            // SAFETY: the caller says so.
            unsafe { self.run_own(state, &library, (name, grid), words) }
        });
        note(state, done);
    }
    /// Launches a kernel of such a text.
    ///
    /// # Safety
    ///
    /// The words are the kernel's parameters.
    pub(super) unsafe fn run_own(
        &self,
        state: &mut State,
        library: &Library,
        (name, grid): (&'static str, Grid),
        words: &[u64],
    ) -> Result<(), Box<Diagnostic>> {
        let function = library.function(name, grid.shared).map_err(Error::diagnostic)?;
        state.traffic.launches += 1;
        state.busy = true;
        // SAFETY: the caller says so.
        unsafe { self.context.launch(Stream::Main, function, grid, None, words) }
            .map_err(Error::diagnostic)
    }
    /// A text of the device itself under its name, made when it is first needed.
    pub(super) fn library(
        &self,
        state: &mut State,
        name: &str,
        text: impl FnOnce() -> String,
    ) -> Result<Arc<Library>, Box<Diagnostic>> {
        if let Some((_, library)) = state.libraries.iter().find(|(known, _)| known == name) {
            return Ok(Arc::clone(library));
        }
        let library = Arc::new(Library::load(&text(), self.loader())?);
        state.libraries.push((name.to_owned(), Arc::clone(&library)));
        Ok(library)
    }
}

fn note(state: &mut State, done: Result<(), Box<Diagnostic>>) {
    if let Err(diagnostic) = done {
        state.broken.get_or_insert(diagnostic);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parcel_fits_into_parameters() {
        assert!(size_of::<Parcel>() <= 4096);
    }
}
