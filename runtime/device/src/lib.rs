//! Devices: what runs kernels.
//!
//! A device has memory (buffers), turns program text into a module, and launches the module's
//! kernels.  It takes text that `emit` printed and arguments that `run` bound; it knows no plan and
//! no NESL.  The CPU device compiles C with the system's compiler and runs it on a pool of threads;
//! the CUDA device compiles CUDA C++ with NVRTC and runs it on an NVIDIA GPU.  [`Paper`] only keeps
//! texts.

mod arguments;
mod cache;
pub mod cpu;
pub mod cuda;
mod descended;
mod filled;
mod jobs;
mod paper;

pub use cpu::{Buffer, Cpu, CpuOptions, Module};
pub use cuda::{Cuda, CudaOptions, adopt};
pub use descended::{Aside, Descended, Lanes, Parted};
pub use paper::Paper;

use base::{Diagnostic, Site, Span};
use kernel::KernelId;
use std::fmt;
use std::sync::Arc;
use std::time::Instant;

/// A machine that runs kernels.
#[expect(unsafe_code, reason = "compiled code trusts its arguments")]
pub trait Device {
    /// Program text for this kind of device.
    type Text;
    /// A program, ready to be launched.
    type Module;
    /// Memory of the device; a cheap handle, freed with its last clone.
    type Buffer: Clone;

    /// What it is, for people: `2 cores, x86_64, gcc 12.2.0`.
    fn describe(&self) -> String;
    /// Another handle of the same device, with which another thread may launch at the same time;
    /// none if one thread at a time has to launch.
    fn share(&self) -> Option<Self>
    where
        Self: Sized,
    {
        None
    }
    /// How many tiles run at once.
    fn units(&self) -> usize;
    /// Whether its programs have routines, which run lanes one by one.
    fn has_routines(&self) -> bool;
    /// Whether it multiplies and adds floats in one instruction, which rounds once.
    fn has_fma(&self) -> bool {
        true
    }
    /// Whether it launches what it has loaded.  For one that does not, as it only wants the text, a
    /// session compiles in the same way, and its interpreter computes the values.
    fn runs(&self) -> bool {
        true
    }
    /// Memory for `bytes` bytes, of any contents.
    fn allocate(&self, bytes: usize) -> Result<Self::Buffer, OutOfMemory>;
    /// Memory for at most `bytes` bytes, of any contents: none of it counts as used before
    /// [`Device::settle`] tells how much.
    fn room(&self, bytes: usize) -> Result<Self::Buffer, OutOfMemory>;
    /// Says that a room holds something in its first `bytes` bytes only, now and later.
    fn settle(&self, room: &Self::Buffer, bytes: usize);
    /// Memory with these contents, shared with the host where it can be.
    fn upload(&self, bytes: &Arc<value::Buffer>) -> Result<Self::Buffer, OutOfMemory>;
    /// Memory for one scalar that a launch sets and the host reads soon.
    fn cell(&self) -> Result<Self::Buffer, OutOfMemory>;
    /// Waits until everything is done that was launched.  Gives the first failure since the last
    /// time.
    fn wait(&self) -> Result<(), Failure>;
    /// Waits until launches have set these cells, and for nothing else.  That one of them has
    /// failed may be told later only, and what it has set is then worth nothing; until somebody
    /// waits for all, launches after it do nothing.
    fn arrive(&self, _cells: &[&Self::Buffer]) -> Result<(), Failure> {
        self.wait()
    }
    /// Some bytes of the contents.  To be called after [`Device::wait`], for cells after
    /// [`Device::arrive`].
    ///
    /// # Panics
    ///
    /// When the buffer ends before them.
    fn read(&self, buffer: &Self::Buffer, from: usize, bytes: &mut [u8]);
    /// The contents, shared with the host where they can be.  They must not be written any more.
    /// To be called after [`Device::wait`].
    fn download(&self, buffer: &Self::Buffer) -> Result<Arc<value::Buffer>, OutOfMemory>;
    /// Sets the first `bytes` bytes to 0.  Nothing else may use the buffer.
    fn zero(&self, buffer: &Self::Buffer, bytes: usize);
    /// Copies the first `bytes` bytes.  Nothing else may use `to`.
    fn copy(&self, from: &Self::Buffer, to: &Self::Buffer, bytes: usize);
    /// How many bytes of a buffer count as used.
    fn size(&self, buffer: &Self::Buffer) -> usize;
    /// How many bytes a buffer could hold.
    fn capacity(&self, buffer: &Self::Buffer) -> usize;
    /// How many bytes of memory that grows are needed by somebody; nothing where that is not known.
    fn filled(&self, buffer: &Self::Buffer) -> Option<usize>;
    /// Says how many bytes of memory are needed by somebody, or that this is not known.
    fn fill(&self, buffer: &Self::Buffer, bytes: Option<usize>);
    /// Whether another handle refers to the same memory, so that it must not be overwritten.
    fn is_shared(&self, buffer: &Self::Buffer) -> bool;
    /// Whether two handles refer to the same memory.
    fn is_same(&self, a: &Self::Buffer, b: &Self::Buffer) -> bool;
    /// How much memory was used so far.
    fn memory(&self) -> MemoryUse;
    /// How many elements kernels of programs that count have read or written so far.
    fn touched(&self) -> u64;
    /// What went between host and device so far; nothing where they are one.
    fn traffic(&self) -> Traffic {
        Traffic::default()
    }
    /// Says whether launches from now on are timed, where the device has a clock of its own.
    fn time_launches(&self, _timed: bool) {}
    /// The launches that were timed since the last time, in order.  To be called after
    /// [`Device::wait`].
    fn times(&self) -> Vec<LaunchTime> {
        Vec::new()
    }
    /// Makes a program ready.
    fn load(&self, text: &Self::Text) -> Result<Loaded<Self::Module>, Diagnostic>;
    /// Runs a kernel on at most `width` units.  It may still run afterwards; what failed is told by
    /// a later launch or [`Device::wait`], and then launches after it have done nothing.
    ///
    /// # Safety
    ///
    /// The arguments must be those of the kernel, and the buffers as long as the kernel's loops and
    /// indices reach, as a verified plan makes them.  Nothing else may use what is written.
    unsafe fn launch(
        &self,
        module: &Self::Module,
        kernel: KernelId,
        args: &[Argument<'_, Self::Buffer>],
        width: usize,
    ) -> Result<(), Failure>;
    /// Has the device run a descent (`plan::descent`) to its end, without the host, if it can, and
    /// waits for that, or for what is left to the host.  Its launches count as this kernel.
    ///
    /// # Safety
    ///
    /// As for [`Device::launch`]; the arguments are those of the descent's function.
    unsafe fn descend(
        &self,
        _module: &Self::Module,
        (_number, _kernel): (usize, KernelId),
        _args: &[Argument<'_, Self::Buffer>],
    ) -> Result<Descended<Self::Buffer>, Failure> {
        Ok(Descended::Impossible)
    }
    /// Waits for lanes that run aside, and tells whether they have come to their end; if not, they
    /// have to be run in the usual way.  Nothing uses what they were given any more, also after a
    /// failure; what is launched from now on sees what they have written.
    fn join(&self, _aside: &Aside<Self::Buffer>) -> Result<bool, Failure> {
        Ok(false)
    }
    /// Whether lanes that run aside have come to their end, and well, as far as is known without
    /// waiting.  Then it is as if they had been waited for.
    fn has_ended(&self, _aside: &Aside<Self::Buffer>) -> bool {
        false
    }
}

/// A program that was made ready.
#[derive(Debug)]
pub struct Loaded<M> {
    /// The program.
    pub module: M,
    /// Whether it was found ready made.
    pub cached: bool,
    /// What the user should know about how it was made, such as a cache that cannot be written.
    pub notes: Vec<Diagnostic>,
}

/// An argument of a launch.
#[derive(Debug)]
pub enum Argument<'a, B> {
    /// A scalar.
    Scalar(prim::Const),
    /// A buffer, read or written as the kernel says.
    Buffer(&'a B),
    /// A buffer from this byte on, written beside what lies before it.
    Past(&'a B, usize),
}

// Derived, these would want a buffer to be `Copy`.
impl<B> Clone for Argument<'_, B> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<B> Copy for Argument<'_, B> {}

/// Why a launch gave no result.
#[derive(Clone, PartialEq, Debug)]
pub enum Failure {
    /// A check of the program failed.
    Fault(Fault),
    /// There was no room for what the launch itself needs beside its arguments.
    Memory(OutOfMemory),
    /// It failed after it had overwritten what it was given, as it might: why is not known, and
    /// it cannot be made again.
    Spent,
    /// The launch could not be made, or it failed and the reason could not be found out.
    Broken(Box<Diagnostic>),
}

/// The first check that failed, in order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// The kind of error.
    pub site: Site,
    /// The place in the source.
    pub span: Span,
    /// What the check saw, such as index and length.
    pub operands: [i64; 2],
    /// Positions of the lane, outermost first; as many as are known, at most 6.
    pub positions: Vec<i64>,
}

/// Memory of a device.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct MemoryUse {
    /// Bytes in buffers that are in use.
    pub used: usize,
    /// The most bytes that were in use at once.
    pub peak: usize,
    /// How often memory was asked for.
    pub allocations: u64,
    /// How often that was answered with memory used before.
    pub reused: u64,
}

/// What went between host and device.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Traffic {
    /// Launches, those of the device itself included, such as of what copies.
    pub launches: u64,
    /// How often the host waited for the device.
    pub waits: u64,
    /// How often the host read something.
    pub readbacks: u64,
    /// Bytes copied to the device.
    pub bytes_up: u64,
    /// Bytes copied from it.
    pub bytes_down: u64,
}

impl Traffic {
    /// What was added since an earlier moment.
    pub fn since(&self, earlier: &Traffic) -> Traffic {
        Traffic {
            launches: self.launches - earlier.launches,
            waits: self.waits - earlier.waits,
            readbacks: self.readbacks - earlier.readbacks,
            bytes_up: self.bytes_up - earlier.bytes_up,
            bytes_down: self.bytes_down - earlier.bytes_down,
        }
    }
    /// Adds what went at another time.
    pub fn add(&mut self, other: &Traffic) {
        self.launches += other.launches;
        self.waits += other.waits;
        self.readbacks += other.readbacks;
        self.bytes_up += other.bytes_up;
        self.bytes_down += other.bytes_down;
    }
}

/// One launch, timed by the device's own clock.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LaunchTime {
    /// What was launched.
    pub kernel: KernelId,
    /// How many tiles it had; none where it does not work by tiles.
    pub tiles: Option<u64>,
    /// When it began, by the host's clock.
    pub began: Instant,
    /// How long it took.
    pub seconds: f64,
}

/// There is not enough memory for a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OutOfMemory {
    /// Bytes asked for.
    pub asked: usize,
    /// Bytes in use.
    pub used: usize,
    /// Bytes that may be in use.
    pub cap: usize,
}

impl fmt::Display for OutOfMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let OutOfMemory { asked, used, cap } = self;
        write!(f, "no room for {asked} bytes: {used} of {cap} bytes are in use")
    }
}

impl std::error::Error for OutOfMemory {}
