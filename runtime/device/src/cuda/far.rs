//! Memory of the GPU that the host holds, and fetches when it looks.
//!
//! Results stay where they are if that is wanted, and memory of other libraries is taken where it
//! is.

#![expect(unsafe_code, reason = "memory of others is read")]

use super::context::{Address, Context};
use super::driver::{Error, check};
use super::memory::Buffer;
use super::staging::Staging;
use cudarc::driver::sys;
use std::any::Any;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use value::buffer::Owner;
use value::remote::{After, Reached, Remote};

/// Copies to the host by any thread.
#[derive(Clone)]
pub(super) struct Fetcher {
    pub(super) context: Arc<Context>,
    staging: Arc<Mutex<Staging>>,
}

impl Fetcher {
    pub(super) fn new(context: &Arc<Context>) -> Fetcher {
        Fetcher { context: Arc::clone(context), staging: Arc::default() }
    }

    /// # Safety
    ///
    /// The GPU has so many bytes there.
    unsafe fn fetch(&self, from: Address, to: &mut [u8]) -> Result<(), Error> {
        self.context.enter()?;
        let mut staging = self.staging.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: as the caller says.
        unsafe { staging.download(&self.context, from, to) }
    }

    /// # Safety
    ///
    /// As for [`Fetcher::fetch`].
    unsafe fn send(&self, bytes: &[u8], to: Address) -> Result<(), Error> {
        self.context.enter()?;
        let mut staging = self.staging.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: as the caller says; memory that was just given out is in no launch.
        unsafe { staging.upload(&self.context, bytes, to)? };
        self.context.synchronize()
    }
}

/// Memory of our own.
pub(super) struct Kept {
    pub(super) buffer: Buffer,
    pub(super) fetcher: Fetcher,
}

impl Remote for Kept {
    fn gpu(&self) -> usize {
        self.fetcher.context.number()
    }
    fn address(&self) -> u64 {
        self.buffer.address()
    }
    fn fetch(&self, from: usize, to: &mut [u8]) -> Result<(), String> {
        assert!(from + to.len() <= self.buffer.len(), "bytes beyond the GPU's memory");
        // SAFETY: the memory is that long.
        let done = unsafe { self.fetcher.fetch(self.buffer.address() + from as u64, to) };
        done.map_err(|error| error.to_string())
    }
    fn beside(&self, bytes: &[u8]) -> Option<Arc<dyn Remote>> {
        let buffer = self.buffer.beside(bytes.len())?;
        // SAFETY: the memory is that long, and new.
        unsafe { self.fetcher.send(bytes, buffer.address()) }.ok()?;
        Some(Arc::new(Kept { buffer, fetcher: self.fetcher.clone() }))
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// Memory of another library.
struct Adopted {
    gpu: usize,
    address: Address,
    after: After,
    _owner: Owner,
}

/// Memory of another library at an address of a GPU.
pub fn adopt(it: Reached) -> Arc<dyn Remote> {
    let Reached { gpu, address, after, owner } = it;
    Arc::new(Adopted { gpu, address, after, _owner: owner })
}

/// One for each GPU, for memory that no device of ours knows.
fn fetcher(gpu: usize) -> Result<Fetcher, String> {
    const GPUS: usize = 64;
    static KNOWN: [OnceLock<Result<Fetcher, String>>; GPUS] = [const { OnceLock::new() }; GPUS];
    let known = KNOWN.get(gpu).ok_or_else(|| format!("GPU {gpu} is not known"))?;
    let open = || Context::new(gpu).map(|context| Fetcher::new(&context));
    known.get_or_init(|| open().map_err(|error| error.message)).clone()
}

impl Remote for Adopted {
    fn gpu(&self) -> usize {
        self.gpu
    }
    fn address(&self) -> u64 {
        self.address
    }
    fn after(&self) -> After {
        self.after
    }
    fn fetch(&self, from: usize, to: &mut [u8]) -> Result<(), String> {
        let fetcher = fetcher(self.gpu)?;
        let waited = fetcher.context.enter().and_then(|()| fetcher.context.wait_after(self.after));
        // SAFETY: who described the memory says that it is that long.
        let done = waited.and_then(|()| unsafe { fetcher.fetch(self.address + from as u64, to) });
        done.map_err(|error| error.to_string())
    }
    fn beside(&self, _: &[u8]) -> Option<Arc<dyn Remote>> {
        None
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl fmt::Debug for Fetcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Fetcher")
    }
}

impl Context {
    /// Lets what comes from now on wait for something of another library.
    pub(super) fn wait_after(&self, after: After) -> Result<(), Error> {
        let hold = |event: sys::CUevent| {
            // SAFETY: both exist, as their owners say.
            let asked = unsafe { sys::cuStreamWaitEvent(self.main(), event, 0) };
            check("cuStreamWaitEvent", asked)
        };
        match after {
            After::Nothing => Ok(()),
            After::Event(event) => hold(handle(event)),
            After::Stream(stream) => {
                let mut event = std::ptr::null_mut();
                let flags = sys::CUevent_flags::CU_EVENT_DISABLE_TIMING as u32;
                // SAFETY: a context is current; the stream is its owner's.
                unsafe {
                    check("cuEventCreate", sys::cuEventCreate(&mut event, flags))?;
                    let asked = sys::cuEventRecord(event, handle(stream));
                    let done = check("cuEventRecord", asked).and_then(|()| hold(event));
                    // The driver keeps an event that somebody waits for.
                    let gone = check("cuEventDestroy", sys::cuEventDestroy_v2(event));
                    done.and(gone)
                }
            }
        }
    }
}

/// A handle of the driver that another library has told as a number.
fn handle<T>(number: u64) -> *mut T {
    std::ptr::with_exposed_provenance_mut(usize::try_from(number).unwrap_or(0))
}
