//! One GPU: its context, the stream on which everything happens in order, and its memory.
//!
//! What runs aside, while that stream goes on, has streams of its own; whoever puts it there says
//! what comes before it and what after it ([`Context::follow`]).
//!
//! The context is the device's primary one, which other libraries of the process share.  The pool
//! that memory comes from is our own, so that what we set there concerns nobody else.

#![expect(unsafe_code, reason = "the driver is called")]

use super::driver::{Error, check};
use super::host::Event;
use super::image::Function;
use super::probe::{self, Driver};
use base::{Code, Diagnostic};
use cudarc::driver::sys;
use std::ffi::{CStr, c_void};
use std::mem::MaybeUninit;
use std::sync::{Arc, OnceLock};

/// An address of the GPU.
pub(super) type Address = u64;

/// The oldest driver that surely knows how to write a word when a stream has come to that.
const WRITES: i32 = 12_000;

/// Streams for what runs aside.
pub(super) const ASIDES: usize = 2;

/// What happens in order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stream {
    /// Everything that is not said to run aside.
    Main,
    /// One of those that run aside.
    Aside(usize),
}

/// A GPU in use.
pub(super) struct Context {
    device: sys::CUdevice,
    context: sys::CUcontext,
    stream: sys::CUstream,
    /// Streams for what runs aside, as they are needed.
    asides: [OnceLock<sys::CUstream>; ASIDES],
    /// Where memory comes from; none where the driver knows no pools.
    pool: Option<sys::CUmemoryPool>,
    /// The driver.
    pub(super) driver: Driver,
    /// What the maker calls it.
    pub(super) name: String,
    /// Its architecture, such as 90.
    pub(super) arch: i32,
    /// How many multiprocessors it has.
    pub(super) multiprocessors: usize,
    /// Bytes of its memory.
    pub(super) total: usize,
}

// SAFETY: the driver may be called from any thread that has entered the context.
unsafe impl Send for Context {}
// SAFETY: as above; the driver does its own locking.
unsafe impl Sync for Context {}

/// How many threads run a function, and with what.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Grid {
    /// Blocks.
    pub(super) blocks: u32,
    /// Threads of a block.
    pub(super) threads: u32,
    /// Bytes of shared memory of a block, besides those that the function declares.
    pub(super) shared: u32,
}

impl Context {
    /// The device of this number.
    pub(super) fn new(number: usize) -> Result<Arc<Context>, Diagnostic> {
        let driver = probe::driver()?.clone();
        let ordinal = i32::try_from(number).unwrap_or(i32::MAX);
        if ordinal >= driver.devices {
            let message = format!("there is no NVIDIA GPU with number {number}");
            let note = format!("the driver sees {}, counted from 0", driver.devices);
            return Err(Diagnostic::of(Code::Gpu, message).note(note));
        }
        Context::open(ordinal, driver).map(Arc::new).map_err(|error| {
            let message = format!("GPU {number} cannot be used");
            Diagnostic::of(Code::Gpu, message)
                .note(error.to_string())
                .help("`nvidia-smi` tells who else uses it; `--engine cpu` does without")
        })
    }

    fn open(ordinal: i32, driver: Driver) -> Result<Context, Error> {
        let (mut device, mut context) = (0, std::ptr::null_mut());
        // SAFETY: the driver is there, and the pointers are to variables of the right types.
        unsafe {
            check("cuDeviceGet", sys::cuDeviceGet(&mut device, ordinal))?;
            let retained = sys::cuDevicePrimaryCtxRetain(&mut context, device);
            check("cuDevicePrimaryCtxRetain", retained)?;
        }
        // From here on, dropping it gives back what it has so far.
        let mut this = Context {
            device,
            context,
            stream: std::ptr::null_mut(),
            asides: Default::default(),
            pool: None,
            driver,
            name: String::new(),
            arch: 0,
            multiprocessors: 1,
            total: 0,
        };
        this.enter()?;
        this.ask()?;
        this.stream = this.make_stream()?;
        this.pool = this.make_pool()?;
        Ok(this)
    }

    /// Asks the device for its facts.
    fn ask(&mut self) -> Result<(), Error> {
        use sys::CUdevice_attribute as Attribute;
        let mut name = [0; 128];
        // SAFETY: the buffer has that length, and what is written to it ends with a 0.
        unsafe {
            let asked = sys::cuDeviceGetName(name.as_mut_ptr(), name.len() as i32, self.device);
            check("cuDeviceGetName", asked)?;
            self.name = CStr::from_ptr(name.as_ptr()).to_string_lossy().into_owned();
        }
        let major = self.attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
        let minor = self.attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
        self.arch = 10 * major + minor;
        let count = self.attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?;
        self.multiprocessors = usize::try_from(count).unwrap_or(1).max(1);
        self.total = self.memory()?.1;
        Ok(())
    }
    fn attribute(&self, attribute: sys::CUdevice_attribute) -> Result<i32, Error> {
        let mut value = 0;
        // SAFETY: the device exists.
        let asked = unsafe { sys::cuDeviceGetAttribute(&mut value, attribute, self.device) };
        check("cuDeviceGetAttribute", asked).map(|()| value)
    }
    fn make_pool(&self) -> Result<Option<sys::CUmemoryPool>, Error> {
        let supported = sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED;
        if self.attribute(supported)? == 0 {
            return Ok(None);
        }
        // SAFETY: the properties are a struct of numbers, for which 0 means the usual.
        let mut about: sys::CUmemPoolProps = unsafe { MaybeUninit::zeroed().assume_init() };
        about.allocType = sys::CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED;
        about.location.type_ = sys::CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE;
        about.location.id = self.device;
        let mut pool = std::ptr::null_mut();
        // What is freed stays in the pool until it is trimmed.
        let mut threshold = u64::MAX;
        // SAFETY: the pointers are to variables of the types that the calls want.
        unsafe {
            check("cuMemPoolCreate", sys::cuMemPoolCreate(&mut pool, &about))?;
            let attribute = sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
            let value = (&raw mut threshold).cast();
            // Refused, it costs time and nothing else.
            let _ = sys::cuMemPoolSetAttribute(pool, attribute, value);
        }
        Ok(Some(pool))
    }

    fn make_stream(&self) -> Result<sys::CUstream, Error> {
        let flags = sys::CUstream_flags::CU_STREAM_NON_BLOCKING as u32;
        let mut stream = std::ptr::null_mut();
        // SAFETY: a context is current.
        let asked = unsafe { sys::cuStreamCreate(&mut stream, flags) };
        check("cuStreamCreate", asked).map(|()| stream)
    }

    /// The number of the device.
    pub(super) fn number(&self) -> usize {
        usize::try_from(self.device).unwrap_or(0)
    }
    /// The stream on which everything happens in order.
    pub(super) fn main(&self) -> sys::CUstream {
        self.stream
    }
    /// Makes this thread one that may call the driver about this GPU.
    pub(super) fn enter(&self) -> Result<(), Error> {
        // SAFETY: the context exists.
        check("cuCtxSetCurrent", unsafe { sys::cuCtxSetCurrent(self.context) })
    }
    /// Waits until everything is done, but what runs aside.
    pub(super) fn synchronize(&self) -> Result<(), Error> {
        self.synchronize_with(Stream::Main)
    }
    /// Waits until everything on a stream is done.
    pub(super) fn synchronize_with(&self, stream: Stream) -> Result<(), Error> {
        let stream = self.stream(stream)?;
        // SAFETY: the stream exists.
        check("cuStreamSynchronize", unsafe { sys::cuStreamSynchronize(stream) })
    }
    /// Writes a word when everything is done but what runs aside.
    ///
    /// # Safety
    ///
    /// There is memory for it, which nobody gives back before that.
    pub(super) unsafe fn write(&self, to: Address, word: u32) -> Result<(), Error> {
        if self.driver.cuda < WRITES {
            return check("cuStreamWriteValue32", sys::CUresult::CUDA_ERROR_NOT_SUPPORTED);
        }
        // SAFETY: the stream exists, and the caller says the rest.
        let asked = unsafe { sys::cuStreamWriteValue32_v2(self.stream, to, word, 0) };
        check("cuStreamWriteValue32", asked)
    }
    /// A stream, as the driver has it.
    pub(super) fn stream(&self, stream: Stream) -> Result<sys::CUstream, Error> {
        let Stream::Aside(number) = stream else { return Ok(self.stream) };
        let known = &self.asides[number % ASIDES];
        if let Some(&made) = known.get() {
            return Ok(made);
        }
        let made = self.make_stream()?;
        Ok(*known.get_or_init(|| made))
    }
    /// Lets what a stream is given from now on come after all that another was given so far.
    pub(super) fn follow(&self, stream: Stream, first: Stream) -> Result<(), Error> {
        let event = Event::new(false)?;
        event.record(self, first)?;
        event.hold(self, stream)
    }
    /// Bytes that are free and bytes that there are.
    pub(super) fn memory(&self) -> Result<(usize, usize), Error> {
        let (mut free, mut total) = (0, 0);
        // SAFETY: a context is current.
        let asked = unsafe { sys::cuMemGetInfo_v2(&mut free, &mut total) };
        check("cuMemGetInfo", asked).map(|()| (free, total))
    }
    /// Memory; more than 0 bytes.
    pub(super) fn allocate(&self, bytes: usize) -> Result<Address, Error> {
        let mut address = 0;
        // SAFETY: a context is current; the stream and the pool exist.
        unsafe {
            match self.pool {
                Some(pool) => check(
                    "cuMemAllocFromPoolAsync",
                    sys::cuMemAllocFromPoolAsync(&mut address, bytes, pool, self.stream),
                )?,
                None => check("cuMemAlloc", sys::cuMemAlloc_v2(&mut address, bytes))?,
            }
        }
        Ok(address)
    }
    /// Gives memory back, after what was launched so far.
    ///
    /// # Safety
    ///
    /// It came from [`Context::allocate`], and nothing launched later uses it.
    pub(super) unsafe fn free(&self, address: Address) -> Result<(), Error> {
        // SAFETY: the caller says so.
        unsafe {
            match self.pool {
                Some(_) => check("cuMemFreeAsync", sys::cuMemFreeAsync(address, self.stream)),
                None => check("cuMemFree", sys::cuMemFree_v2(address)),
            }
        }
    }
    /// Gives back to the system what was freed.
    pub(super) fn trim(&self) -> Result<(), Error> {
        self.synchronize()?;
        match self.pool {
            // SAFETY: the pool exists.
            Some(pool) => check("cuMemPoolTrimTo", unsafe { sys::cuMemPoolTrimTo(pool, 0) }),
            None => Ok(()),
        }
    }
    /// Sets the stack of every thread of the GPU.
    pub(super) fn set_stack(&self, bytes: usize) -> Result<(), Error> {
        let limit = sys::CUlimit::CU_LIMIT_STACK_SIZE;
        // SAFETY: a context is current.
        check("cuCtxSetLimit", unsafe { sys::cuCtxSetLimit(limit, bytes) })
    }
    /// Copies from memory of the host that the driver knows.
    ///
    /// # Safety
    ///
    /// Both are that long, and the host's memory stays as it is until the copy is done.
    pub(super) unsafe fn copy_in(
        &self,
        from: *const u8,
        to: Address,
        bytes: usize,
    ) -> Result<(), Error> {
        // SAFETY: the caller says so.
        let asked = unsafe { sys::cuMemcpyHtoDAsync_v2(to, from.cast(), bytes, self.stream) };
        check("cuMemcpyHtoDAsync", asked)
    }
    /// Copies to memory of the host that the driver knows.
    ///
    /// # Safety
    ///
    /// Both are that long, and nothing else uses the host's memory until the copy is done.
    pub(super) unsafe fn copy_out(
        &self,
        from: Address,
        to: *mut u8,
        bytes: usize,
    ) -> Result<(), Error> {
        // SAFETY: the caller says so.
        let asked = unsafe { sys::cuMemcpyDtoHAsync_v2(to.cast(), from, bytes, self.stream) };
        check("cuMemcpyDtoHAsync", asked)
    }
    /// Sets bytes to 0, whether or not a launch has failed.
    ///
    /// # Safety
    ///
    /// The memory is that long, and no failed launch will be looked at that reads it.
    pub(super) unsafe fn clear(&self, at: Address, bytes: usize) -> Result<(), Error> {
        // SAFETY: the caller says so.
        check("cuMemsetD8Async", unsafe { sys::cuMemsetD8Async(at, 0, bytes, self.stream) })
    }
    /// Runs a function on a stream.  Its first parameter is at `head`, if that is given; the others
    /// are words, each of which holds a parameter in its first bytes.
    ///
    /// # Safety
    ///
    /// The parameters are those of the function, and it does with them what may be done.
    pub(super) unsafe fn launch(
        &self,
        stream: Stream,
        function: Function,
        grid: Grid,
        head: Option<*const c_void>,
        words: &[u64],
    ) -> Result<(), Error> {
        let words = words.iter().map(|word| std::ptr::from_ref(word).cast());
        let mut params: Vec<*mut c_void> =
            head.into_iter().chain(words).map(<*const c_void>::cast_mut).collect();
        let stream = self.stream(stream)?;
        // SAFETY: the caller says so; the driver copies the parameters during the call.
        let asked = unsafe {
            sys::cuLaunchKernel(
                function.name(),
                grid.blocks,
                1,
                1,
                grid.threads,
                1,
                1,
                grid.shared,
                stream,
                params.as_mut_ptr(),
                std::ptr::null_mut(),
            )
        };
        check("cuLaunchKernel", asked)
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: each exists if it was made, and its users are gone.  When the process ends, the
        // driver may be gone, too; then it says so, and nothing is left to be done.
        unsafe {
            let _ = self.enter();
            let asides = self.asides.iter().filter_map(OnceLock::get);
            for &stream in asides.chain([&self.stream]).filter(|stream| !stream.is_null()) {
                let _ = sys::cuStreamSynchronize(stream);
                let _ = sys::cuStreamDestroy_v2(stream);
            }
            if let Some(pool) = self.pool {
                let _ = sys::cuMemPoolDestroy(pool);
            }
            let _ = sys::cuDevicePrimaryCtxRelease_v2(self.device);
        }
    }
}
