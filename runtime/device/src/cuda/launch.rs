//! Launching kernels: those of programs, and the device's own.

#![expect(unsafe_code, reason = "kernels are launched")]

use super::context::{Address, Grid};
use super::driver::Error;
use super::failure::Launch;
use super::host::Pinned;
use super::module::{Library, Module};
use super::{Buffer, Cuda, State, sort};
use crate::arguments::check;
use crate::{Argument, Failure, OutOfMemory};
use base::{Diagnostic, Id, Kind, Site};
use emit::cuda::{TileCount, Work};
use kernel::{Arg, KernelId};
use prim::Const;
use std::sync::Arc;

/// Kernels for what the host does to memory.
pub(super) const BUILTIN: &str = include_str!("builtin.cu");
/// The most blocks of a launch.
const BLOCKS: u64 = (1 << 31) - 1;
/// Bytes of stack of each thread where functions recurse.
const STACK: usize = 16 << 10;

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

/// The most bytes that a kernel writes to memory of the host: for more, the GPU's copies are faster.
pub(super) const PAGE: usize = 4096;

/// Scratch memory of launches, kept between them.
///
/// ```text
///         | words of all tiles  | flags       |
///         ^ handed over         ^ the middle
/// ```
///
/// Flags always begin in the middle and words always end there, so that no word of one launch is
/// taken for a flag by another with more or fewer tiles.  Only the flags have to be 0 at first.
pub(super) struct Scratch(Buffer);

impl Scratch {
    /// Bytes of memory for so many bytes of words, and as many of flags.
    pub(super) fn bytes(words: usize) -> usize {
        words.max(1).div_ceil(512).saturating_mul(1024)
    }
    /// What is handed to a launch, given memory and the bytes of its words.
    pub(super) fn start(address: Address, bytes: usize, words: usize) -> Address {
        Scratch::middle(address, bytes) - words as u64
    }
    fn middle(address: Address, bytes: usize) -> Address {
        address + (bytes / 2 / 512 * 512) as u64
    }
}

impl State {
    /// The number of the next launch.
    pub(super) fn next_number(&mut self) -> u32 {
        self.number = self.number.wrapping_add(1);
        if self.number == 0 {
            // Flags of old launches would look like new ones.
            self.scratch = None;
            self.number = 1;
        }
        self.number
    }
}

impl Cuda {
    /// Launches a kernel of a program.
    ///
    /// # Safety
    ///
    /// As for [`crate::Device::launch`].
    pub(super) unsafe fn start(
        &self,
        state: &mut State,
        module: &Module,
        kernel: KernelId,
        args: &[Argument<'_, Buffer>],
    ) -> Result<(), Failure> {
        if self.signals.told() != 0 || state.pending.is_full() {
            self.settle_failures(state);
        }
        state.tell()?;
        let facts = &module.text().kernels[kernel];
        check(&facts.name, &facts.args, args, |buffer| usize::try_from(buffer.address()).ok())?;
        let began = state.profile.begin(&self.context).map_err(broken)?;
        match &facts.work {
            &Work::Tiles { unit, tiles, threads, words, fails, recursive } => {
                let tiles = Tiles { unit, tiles, threads, words, fails, recursive };
                // SAFETY: the caller answers for the arguments.
                unsafe { self.tiles(state, (module, kernel), &tiles, args)? };
            }
            Work::Sort { .. } => {
                sort::launch(
                    &mut Launcher { device: self, state: &mut *state },
                    &facts.work,
                    args,
                )?;
            }
        }
        state.profile.end(kernel, began, &self.context).map_err(broken)
    }

    /// Launches a kernel that works by tiles.
    ///
    /// # Safety
    ///
    /// As for [`crate::Device::launch`].
    unsafe fn tiles(
        &self,
        state: &mut State,
        (module, kernel): (&Module, KernelId),
        work: &Tiles,
        args: &[Argument<'_, Buffer>],
    ) -> Result<(), Failure> {
        if work.recursive && !state.deep {
            self.context.set_stack(STACK).map_err(broken)?;
            state.deep = true;
        }
        let count = work.tiles.of(|arg| scalar(args, arg));
        let tiles = usize::try_from(count).unwrap_or(usize::MAX);
        let scratch = tiles.saturating_mul(work.words as usize).saturating_mul(size_of::<u64>());
        let mut run = self.signals.run();
        run.tiles = i64::try_from(count).unwrap_or(i64::MAX);
        // Before scratch memory is asked for, which a new round of numbers gives back.
        run.number = state.next_number();
        if scratch > 0 {
            run.scratch = self.scratch(state, scratch).map_err(|error| no_room(&error))?;
            // Finding room may have found a failure, whose launch has made no inputs for this one.
            state.tell()?;
        }
        let blocks = count.clamp(1, BLOCKS);
        let blocks = u32::try_from(blocks).unwrap_or(1);
        let grid = Grid { blocks, threads: work.threads, shared: 0 };
        let function = module.function(kernel, work.unit).map_err(broken)?;
        let words: Vec<u64> = args.iter().map(word).collect();
        let launch = Launch { module, kernel, grid, run, scratch, words: &words };
        state.traffic.launches += 1;
        state.busy = true;
        let head = Some((&raw const launch.run).cast());
        // SAFETY: the caller answers for the arguments; the rest is as the text says.
        unsafe { self.context.launch(function, grid, head, &words) }.map_err(broken)?;
        if work.fails {
            state.pending.push(&launch);
        }
        Ok(())
    }

    /// Scratch memory with so many bytes of words, flags 0 or of an old launch.
    fn scratch(&self, state: &mut State, words: usize) -> Result<Address, OutOfMemory> {
        /// Bytes of words for which there is always room.
        const LEAST: usize = 256 << 10;
        let needed = Scratch::bytes(words.max(LEAST));
        if state.scratch.as_ref().is_none_or(|scratch| scratch.0.len() < needed) {
            state.scratch = None;
            // A little more may soon be asked for.
            let buffer = match self.obtain(state, needed.saturating_add(needed / 2)) {
                Ok(buffer) => buffer,
                Err(_) => self.obtain(state, needed)?,
            };
            buffer.settle(buffer.len());
            self.clear(state, &buffer, buffer.len());
            state.scratch = Some(Scratch(buffer));
        }
        let Some(Scratch(buffer)) = &state.scratch else { unreachable!("scratch was made") };
        Ok(Scratch::start(buffer.address(), buffer.len(), words))
    }

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
        // SAFETY: both are that long; the page is our own.
        unsafe { self.builtin(state, "nesl_copy", self.grid(bytes.len()), &words) };
        self.context.synchronize()?;
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
                unsafe { self.context.launch(function, grid, head, &[]) }.map_err(Error::diagnostic)
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
    /// # Safety
    ///
    /// The words are the kernel's parameters.
    unsafe fn run_own(
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
        unsafe { self.context.launch(function, grid, None, words) }.map_err(Error::diagnostic)
    }
    /// A text of the device itself under its name, made when it is first needed.
    fn library(
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

/// What launches of a kernel by tiles need, as [`Work::Tiles`] has it.
struct Tiles {
    unit: usize,
    tiles: TileCount,
    threads: u32,
    words: u32,
    fails: bool,
    recursive: bool,
}

/// What steps of several kernels, such as sorts, are made with.
///
/// Everything happens in the order it is asked for, after all that was launched before, and the
/// host does not wait.  What a kernel is given may be an input of a launch that failed, and its own
/// inputs may not have been made.  So either every kernel looks at [`Launcher::failed`] before it
/// does anything, or [`Launcher::settle`] comes first.
pub(super) struct Launcher<'a> {
    device: &'a Cuda,
    state: &'a mut State,
}

#[expect(dead_code, reason = "no kernels for sorting are there yet")]
impl Launcher<'_> {
    /// Where kernels look whether a launch has failed: a word of 32 bits, then not 0.
    pub(super) fn failed(&self) -> u64 {
        self.device.signals.failed()
    }
    /// Waits if a launch may have failed; if one has, that is the end.
    pub(super) fn settle(&mut self) -> Result<(), Failure> {
        if !self.state.pending.is_empty() {
            self.device.settle_failures(self.state);
        }
        self.state.tell()
    }
    /// How many multiprocessors the GPU has.
    pub(super) fn multiprocessors(&self) -> usize {
        self.device.context.multiprocessors
    }
    /// Memory of any contents, until it is dropped; launches made before that may still use it.
    pub(super) fn temporary(&mut self, bytes: usize) -> Result<Buffer, Failure> {
        let buffer = self.device.obtain(self.state, bytes).map_err(|error| no_room(&error))?;
        // Finding room may have found a failure, whose launch has made no inputs for the next.
        self.state.tell()?;
        buffer.settle(buffer.len());
        Ok(buffer)
    }
    /// Sets the first bytes of a buffer to 0.
    pub(super) fn zero(&mut self, buffer: &Buffer, bytes: usize) {
        self.device.clear(self.state, buffer, bytes);
    }
    /// Copies the first bytes of a buffer to another.
    pub(super) fn copy(&mut self, from: &Buffer, to: &Buffer, bytes: usize) {
        self.device.duplicate(self.state, from, to, bytes);
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

/// The value of a scalar argument.
pub(super) fn scalar(args: &[Argument<'_, Buffer>], arg: Arg) -> Const {
    match args[arg.index()] {
        Argument::Scalar(value) => value,
        Argument::Buffer(_) => unreachable!("{arg} is a number"),
    }
}

/// An argument in the first bytes of a word.
fn word(arg: &Argument<'_, Buffer>) -> u64 {
    match *arg {
        Argument::Scalar(Const::I64(int)) => int.cast_unsigned(),
        Argument::Scalar(Const::F64(float)) => float.to_bits(),
        Argument::Scalar(Const::Bool(value)) => u64::from(value),
        Argument::Scalar(Const::Char(value)) => u64::from(value),
        Argument::Buffer(buffer) => buffer.address(),
    }
}

fn note(state: &mut State, done: Result<(), Box<Diagnostic>>) {
    if let Err(diagnostic) = done {
        state.broken.get_or_insert(diagnostic);
    }
}

fn broken(error: Error) -> Failure {
    Failure::Broken(error.diagnostic())
}

fn no_room(error: &OutOfMemory) -> Failure {
    let kind = Kind::Runtime(Site::Memory);
    Failure::Broken(Box::new(Diagnostic::new(kind, error.to_string())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_end_where_flags_begin() {
        for words in [8, 512, 1 << 20] {
            let bytes = Scratch::bytes(1 << 20);
            let start = Scratch::start(4096, bytes, words);
            assert_eq!(start + words as u64, 4096 + (1 << 20));
        }
        // Diagnosis asks for just enough.
        for words in [8, 504, 512, 520, 1000] {
            let bytes = Scratch::bytes(words);
            let start = Scratch::start(4096, bytes, words);
            let end = start + 2 * words as u64;
            assert!(start >= 4096 && end <= 4096 + bytes as u64, "{words}");
        }
    }

    #[test]
    fn a_parcel_fits_into_parameters() {
        assert!(size_of::<Parcel>() <= 4096);
    }
}
