//! The CUDA device: CUDA C++ compiled by NVRTC, run by an NVIDIA GPU.
//!
//! Nothing waits that need not: launches, copies and memory follow each other in the order of one
//! stream, and the host goes on at once.  The first check that fails sets a word which every kernel
//! looks at before it does anything.  So after a failure memory stays as the failed launch saw it,
//! and when the host waits, that launch runs again in a build that reports which check failed and
//! what it saw.
//!
//! Both the driver and NVRTC are looked for when the device is made; nothing is needed to build or
//! to start a program that has this device in it.

#![expect(unsafe_code, reason = "a GPU is told what to do with memory")]

mod build;
mod context;
mod descent;
mod driver;
mod failure;
mod far;
mod host;
mod image;
mod launch;
mod launcher;
mod memory;
mod module;
mod nvrtc;
mod own;
mod probe;
mod profile;
mod search;
mod signals;
mod sort;
mod staging;

pub use build::{Made, Mode, compile_for};
pub use far::adopt;
pub use memory::Buffer;
pub use module::Module;
pub use nvrtc::Aim;

use crate::{
    Argument, Aside, Descended, Device, Failure, LaunchTime, Loaded, MemoryUse, OutOfMemory,
    Traffic,
};
use base::{Code, Diagnostic};
use build::Builder;
use context::{ASIDES, Context};
use driver::Error;
use emit::cuda::CudaText;
use failure::Pending;
use host::{Cells, Pinned};
use kernel::KernelId;
use launch::Scratch;
use memory::{Hint, Pool, Refusal};
use module::{Library, Loader};
use profile::Profile;
use signals::Signals;
use staging::Staging;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Choices about the CUDA device.
#[derive(Clone, Default, Debug)]
pub struct CudaOptions {
    /// Which GPU, counted from 0.
    pub device: usize,
    /// How many bytes of its memory; all if none.
    pub memory: Option<usize>,
    /// Where compiled programs are kept; as the environment says if none.
    pub cache: Option<PathBuf>,
    /// Whether quotients and roots of singles may be off in the last bits, and elementary functions
    /// are CUDA's.
    pub fast_math: bool,
    /// Whether programs are compiled quickly rather than to run fast, for tests.
    pub quick: bool,
    /// Whether little data is treated as much is, as far as that is possible, for tests.
    pub tiny: bool,
    /// True if results stay in the GPU's memory until the host looks at them.
    pub keep: bool,
}

/// Tiles that run at once, and would wait for each other if some looked for where all start.  Of
/// four times as many segments one is found in two reads.
const FEW: u32 = 1024;
/// Tiles for each multiprocessor that keep it busy.
const TILES: usize = 8;

/// How long the host looks for what launches set before it asks the driver to wait for them: most
/// come within some microseconds, of which the driver would take several of its own.
const SOON: Duration = Duration::from_millis(2);

/// An NVIDIA GPU.
pub struct Cuda {
    builder: Builder,
    /// Tiles of which each looks for its own start.
    few: u32,
    /// How descents part lanes.
    lanes: descent::Sizes,
    state: Mutex<State>,
    cells: Arc<Cells>,
    pool: Arc<Pool>,
    signals: Signals,
    /// Gets what results hold to the host.
    fetcher: far::Fetcher,
    /// True if results stay where they are.
    keeps: bool,
    context: Arc<Context>,
}

/// What changes with every call.
struct State {
    /// Of the last launch.
    number: u32,
    /// Launches that may have failed.
    pending: Pending,
    /// A failure that was found and not told.
    found: Option<Failure>,
    /// Why nothing works any more.
    broken: Option<Box<Diagnostic>>,
    /// Whether something was launched since the host waited.
    busy: bool,
    scratch: Option<Scratch>,
    staging: Staging,
    /// Where a few bytes arrive that the host reads.
    page: Option<Pinned>,
    /// Texts of the device itself, by name, as loaded code.
    libraries: Vec<(String, Arc<Library>)>,
    /// Whether threads have the stack that recursion wants.
    deep: bool,
    profile: Profile,
    traffic: Traffic,
    /// The stream of what ran aside last.
    aside: usize,
    /// What blocks on these streams use as their own memory, one launch after the other.
    rooms: [Hint; ASIDES],
}

impl State {
    /// Notes that the driver refused something; the first reason stands.
    fn note(&mut self, done: Result<(), Error>) {
        if let Err(error) = done {
            self.broken.get_or_insert_with(|| error.diagnostic());
        }
    }
    /// Tells what went wrong, a failed check once.
    fn tell(&mut self) -> Result<(), Failure> {
        if let Some(failure) = self.found.take() {
            return Err(failure);
        }
        self.broken.as_ref().map_or(Ok(()), |reason| Err(Failure::Broken(reason.clone())))
    }
}

impl Cuda {
    /// Whether there is a GPU that a device could be made of, asked once; NVRTC is not looked for.
    pub fn is_there() -> bool {
        probe::driver().is_ok()
    }

    /// Looks for the driver's library, which takes no time; the driver is not started.
    pub fn look_for_driver() -> Result<(), Diagnostic> {
        probe::library()
    }

    /// The device; without driver, GPU or NVRTC, what to do about it.
    pub fn new(options: &CudaOptions) -> Result<Cuda, Diagnostic> {
        let aim = if options.quick { Aim::Try } else { Aim::Run };
        let builder = Builder::new(options.cache.clone(), aim, options.fast_math);
        // Each takes some time, and they have nothing to do with each other.
        let context = std::thread::scope(|scope| {
            scope.spawn(|| builder.nvrtc().is_ok());
            Context::new(options.device)
        })?;
        builder.nvrtc()?;
        let unusable = |error: Error| {
            let message = format!("{} cannot be used", context.name);
            Diagnostic::of(Code::Gpu, message).note(error.to_string())
        };
        context.enter().map_err(unusable)?;
        let state = State {
            number: 0,
            pending: Pending::default(),
            found: None,
            broken: None,
            busy: false,
            scratch: None,
            staging: Staging::default(),
            page: None,
            libraries: Vec::new(),
            deep: false,
            profile: Profile::default(),
            traffic: Traffic::default(),
            aside: 0,
            rooms: Default::default(),
        };
        Ok(Cuda {
            builder,
            few: if options.tiny { 0 } else { FEW },
            lanes: if options.tiny { descent::Sizes::TINY } else { descent::Sizes::USUAL },
            state: Mutex::new(state),
            cells: Arc::new(Cells::new(&context)),
            pool: Arc::new(Pool::new(&context, options.memory)),
            fetcher: far::Fetcher::new(&context),
            keeps: options.keep,
            signals: Signals::new(&context).map_err(unusable)?,
            context,
        })
    }

    /// The state, on a thread that may call the driver.
    fn state(&self) -> MutexGuard<'_, State> {
        // A poisoned lock only means that another thread stopped between two calls of the driver.
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.note(self.context.enter());
        state
    }
    fn loader(&self) -> Loader<'_> {
        Loader { builder: &self.builder, context: &self.context }
    }

    /// Memory for at most `bytes` bytes, of any contents.
    fn obtain(&self, state: &mut State, bytes: usize) -> Result<Buffer, OutOfMemory> {
        match self.pool.room(bytes) {
            Ok(buffer) => return Ok(buffer),
            Err(Refusal::Cap(error)) if state.scratch.is_none() => return Err(error),
            Err(Refusal::Cap(_) | Refusal::Kept) => {}
            Err(Refusal::Broken(error)) => {
                state.note(Err(error));
                return Err(self.pool.full(bytes));
            }
        }
        // A failed launch has to be looked at before the memory that it read is gone.
        self.settle_failures(state);
        state.scratch = None;
        // SAFETY: no launch is pending.
        let released = unsafe { self.pool.release() };
        state.note(released);
        self.pool.room(bytes).map_err(|refusal| match refusal {
            Refusal::Cap(error) => error,
            Refusal::Kept => self.pool.full(bytes),
            Refusal::Broken(error) => {
                state.note(Err(error));
                self.pool.full(bytes)
            }
        })
    }

    /// Memory that is on the GPU already.
    fn adopt(
        &self,
        bytes: &Arc<value::Buffer>,
        remote: &Arc<dyn value::Remote>,
    ) -> Result<Buffer, OutOfMemory> {
        /// Kernels read vectors of so many bytes.
        const ALIGNED: u64 = 16;
        if let Some(kept) = remote.as_any().downcast_ref::<far::Kept>() {
            return Ok(kept.buffer.clone());
        }
        let mut state = self.state();
        let waited = self.context.wait_after(remote.after());
        state.note(waited);
        let foreign = Buffer::foreign(remote.address(), bytes);
        if remote.address().is_multiple_of(ALIGNED) {
            return Ok(foreign);
        }
        let copy = self.obtain(&mut state, bytes.len())?;
        copy.settle(bytes.len());
        self.duplicate(&mut state, &foreign, &copy, bytes.len());
        Ok(copy)
    }

    /// Copies some bytes of a buffer to the host.
    fn fetch(&self, state: &mut State, buffer: &Buffer, from: usize, bytes: &mut [u8]) {
        let end = from.checked_add(bytes.len()).filter(|&end| end <= buffer.len());
        assert!(end.is_some(), "{buffer:?} is read beyond its end");
        state.traffic.readbacks += 1;
        if let Some(host) = buffer.host() {
            // SAFETY: it is that long, and what was launched is done.
            unsafe { bytes.as_mut_ptr().copy_from(host.add(from), bytes.len()) };
        } else if !bytes.is_empty() {
            let address = buffer.address() + from as u64;
            let done = if bytes.len() <= own::PAGE {
                self.peek(state, address, bytes)
            } else {
                // SAFETY: the memory is that long.
                unsafe { state.staging.download(&self.context, address, bytes) }
            };
            state.note(done);
            state.traffic.bytes_down += bytes.len() as u64;
        }
    }
}

impl Device for Cuda {
    type Text = CudaText;
    type Module = Module;
    type Buffer = Buffer;

    fn describe(&self) -> String {
        let Context { name, arch, driver, .. } = &*self.context;
        let release = driver.release.as_ref().map_or_else(String::new, |r| format!("{r} / "));
        format!("{name}, sm_{arch}, driver {release}CUDA {}", probe::version(driver.cuda))
    }
    fn units(&self) -> usize {
        self.context.multiprocessors * TILES
    }
    fn has_routines(&self) -> bool {
        false
    }
    fn allocate(&self, bytes: usize) -> Result<Buffer, OutOfMemory> {
        let buffer = self.room(bytes)?;
        buffer.settle(buffer.len());
        Ok(buffer)
    }
    fn room(&self, bytes: usize) -> Result<Buffer, OutOfMemory> {
        self.obtain(&mut self.state(), bytes)
    }
    fn settle(&self, room: &Buffer, bytes: usize) {
        room.settle(bytes);
    }
    fn upload(&self, bytes: &Arc<value::Buffer>) -> Result<Buffer, OutOfMemory> {
        if let Some(remote) = bytes.as_remote()
            && remote.gpu() == self.context.number()
        {
            return self.adopt(bytes, remote);
        }
        let buffer = self.allocate(bytes.len())?;
        let mut state = self.state();
        state.traffic.bytes_up += bytes.len() as u64;
        if bytes.len() <= own::PARCELS {
            self.put(&mut state, bytes.as_slice(), &buffer);
        } else {
            // The GPU's copies do not look whether a launch has failed.
            if !state.pending.is_empty() {
                self.settle_failures(&mut state);
            }
            state.busy = true;
            let (from, to) = (bytes.as_slice(), buffer.address());
            // SAFETY: the memory is that long, and no launch is pending.
            let done = unsafe { state.staging.upload(&self.context, from, to) };
            state.note(done);
        }
        Ok(buffer)
    }
    fn cell(&self) -> Result<Buffer, OutOfMemory> {
        let mut state = self.state();
        Buffer::cell(&self.cells).map_err(|error| {
            state.note(Err(error));
            self.pool.full(Cells::SIZE)
        })
    }
    fn wait(&self) -> Result<(), Failure> {
        let mut state = self.state();
        self.settle_failures(&mut state);
        state.tell()
    }
    fn arrive(&self, cells: &[&Buffer]) -> Result<(), Failure> {
        let mut state = self.state();
        // What a failed launch and those after it would set does not come.
        let came = || self.signals.told() == 0 && cells.iter().all(|cell| cell.is_set());
        let began = Instant::now();
        while state.busy && self.signals.told() == 0 && began.elapsed() < SOON {
            if came() {
                state.traffic.waits += 1;
                return Ok(());
            }
            std::hint::spin_loop();
        }
        self.settle_failures(&mut state);
        state.tell()
    }
    fn read(&self, buffer: &Buffer, from: usize, bytes: &mut [u8]) {
        self.fetch(&mut self.state(), buffer, from, bytes);
    }
    fn download(&self, buffer: &Buffer) -> Result<Arc<value::Buffer>, OutOfMemory> {
        if let Some(keeper) = buffer.keeper() {
            return Ok(Arc::clone(keeper));
        }
        if self.keeps && buffer.is_pooled() {
            let kept = far::Kept { buffer: buffer.clone(), fetcher: self.fetcher.clone() };
            return Ok(Arc::new(value::Buffer::remote(Arc::new(kept), buffer.len())));
        }
        let mut host = value::Buffer::zeroed(buffer.len()).map_err(|error| {
            let (asked, cap) = (error.bytes, value::memory::available());
            OutOfMemory { asked, used: 0, cap }
        })?;
        self.fetch(&mut self.state(), buffer, 0, host.as_mut_slice());
        Ok(Arc::new(host))
    }
    fn zero(&self, buffer: &Buffer, bytes: usize) {
        self.clear(&mut self.state(), buffer, bytes);
    }
    fn copy(&self, from: &Buffer, to: &Buffer, bytes: usize) {
        self.duplicate(&mut self.state(), from, to, bytes);
    }
    fn size(&self, buffer: &Buffer) -> usize {
        buffer.used()
    }
    fn capacity(&self, buffer: &Buffer) -> usize {
        buffer.len()
    }
    fn filled(&self, buffer: &Buffer) -> Option<usize> {
        buffer.filled()
    }
    fn fill(&self, buffer: &Buffer, bytes: Option<usize>) {
        buffer.fill(bytes);
    }
    fn is_shared(&self, buffer: &Buffer) -> bool {
        buffer.is_shared()
    }
    fn is_same(&self, a: &Buffer, b: &Buffer) -> bool {
        a.is_same(b)
    }
    fn memory(&self) -> MemoryUse {
        self.pool.count()
    }
    fn touched(&self) -> u64 {
        0
    }
    fn traffic(&self) -> Traffic {
        self.state().traffic
    }
    fn time_launches(&self, timed: bool) {
        let knows = self.context.driver.cuda >= profile::OLDEST;
        self.state().profile.set(timed && knows);
    }
    fn times(&self) -> Vec<LaunchTime> {
        self.state().profile.take()
    }
    fn load(&self, text: &CudaText) -> Result<Loaded<Module>, Diagnostic> {
        // Other calls may go on meanwhile.
        drop(self.state());
        let mut notes = Vec::new();
        let (module, cached) = Module::load(text, self.loader(), &mut notes)?;
        Ok(Loaded { module, cached, notes })
    }

    unsafe fn launch(
        &self,
        module: &Module,
        kernel: KernelId,
        args: &[Argument<'_, Buffer>],
        _width: usize,
    ) -> Result<(), Failure> {
        // SAFETY: the caller answers for the arguments.
        unsafe { self.start(&mut self.state(), module, kernel, args) }
    }
    unsafe fn descend(
        &self,
        module: &Module,
        (number, kernel): (usize, KernelId),
        args: &[Argument<'_, Buffer>],
    ) -> Result<Descended<Buffer>, Failure> {
        // SAFETY: the caller says so.
        unsafe { self.go_down(module, (number, kernel), args) }
    }
    fn join(&self, aside: &Aside<Buffer>) -> Result<bool, Failure> {
        self.wait_for(aside)
    }
    fn has_ended(&self, aside: &Aside<Buffer>) -> bool {
        Cuda::has_ended(self, aside)
    }
}

impl Drop for Cuda {
    fn drop(&mut self) {
        // What is freed next may be in use.
        drop(self.state());
        let _ = self.context.synchronize();
    }
}
