//! Memory of the host that the GPU reaches, and points in time that the host waits for.

#![expect(unsafe_code, reason = "memory is shared with the GPU")]

use super::context::{Address, Context, Stream};
use super::driver::{Error, check};
use cudarc::driver::sys;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Memory of the host at an address of the GPU.
pub(super) struct Pinned {
    host: *mut u8,
    device: Address,
    len: usize,
    context: Arc<Context>,
}

// SAFETY: it owns its memory, and each use says who else uses it.
unsafe impl Send for Pinned {}
// SAFETY: as above.
unsafe impl Sync for Pinned {}

impl Pinned {
    /// So many bytes of 0.
    pub(super) fn new(context: &Arc<Context>, len: usize) -> Result<Pinned, Error> {
        let (mut host, mut device) = (std::ptr::null_mut(), 0);
        let flags = sys::CU_MEMHOSTALLOC_PORTABLE | sys::CU_MEMHOSTALLOC_DEVICEMAP;
        // SAFETY: a context is current; the memory is that long when it is there.
        unsafe {
            check("cuMemHostAlloc", sys::cuMemHostAlloc(&mut host, len, flags))?;
            host.cast::<u8>().write_bytes(0, len);
            let asked = sys::cuMemHostGetDevicePointer_v2(&mut device, host, 0);
            if let Err(error) = check("cuMemHostGetDevicePointer", asked) {
                let _ = sys::cuMemFreeHost(host);
                return Err(error);
            }
        }
        Ok(Pinned { host: host.cast(), device, len, context: Arc::clone(context) })
    }
    /// Where it is for the host.
    pub(super) fn host(&self) -> *mut u8 {
        self.host
    }
    /// Where it is for the GPU.
    pub(super) fn device(&self) -> Address {
        self.device
    }
    /// How many bytes there are.
    pub(super) fn len(&self) -> usize {
        self.len
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        // SAFETY: it was allocated, and what the GPU does with it is waited for.
        unsafe {
            let _ = self.context.enter();
            let _ = self.context.synchronize();
            let _ = sys::cuMemFreeHost(self.host.cast());
        }
    }
}

/// Words in memory of the host, for what a launch tells it.
pub(super) struct Cells {
    context: Arc<Context>,
    shelf: Mutex<Shelf>,
}

#[derive(Default)]
struct Shelf {
    pages: Vec<Pinned>,
    free: Vec<Cell>,
    /// Given back before the launch that sets them has: it may still be to come.
    resting: Vec<Cell>,
}

/// One word.
#[derive(Clone, Copy)]
pub(super) struct Cell {
    /// For the host.
    pub(super) host: *mut u8,
    /// For the GPU.
    pub(super) device: Address,
}

/// What a cell holds that no launch has set.  A launch that sets this very word, or half of it, is
/// waited for a little longer.
const UNSET: u64 = 0x9e37_79b9_7f4a_7c15;

impl Cell {
    fn word(&self) -> &AtomicU64 {
        // SAFETY: the word is in memory of our own, and its address is a multiple of 8.
        unsafe { AtomicU64::from_ptr(self.host.cast()) }
    }
    /// Whether a launch has set it, with what the host reads next.
    pub(super) fn is_set(&self) -> bool {
        self.word().load(Ordering::Acquire) != UNSET
    }
}

// SAFETY: a cell is an address; whoever has it from the shelf is its only owner.
unsafe impl Send for Cell {}
// SAFETY: as above.
unsafe impl Sync for Cell {}

impl Cells {
    /// Bytes of a cell.
    pub(super) const SIZE: usize = size_of::<u64>();
    const PAGE: usize = 4096;

    /// None so far.
    pub(super) fn new(context: &Arc<Context>) -> Cells {
        Cells { context: Arc::clone(context), shelf: Mutex::default() }
    }
    /// A word that nobody uses, not set.
    pub(super) fn take(&self) -> Result<Cell, Error> {
        let mut shelf = self.shelf.lock().unwrap_or_else(PoisonError::into_inner);
        if shelf.free.is_empty() {
            let page = Pinned::new(&self.context, Self::PAGE)?;
            for at in (0..Self::PAGE).step_by(Self::SIZE).rev() {
                let host = page.host().wrapping_add(at);
                shelf.free.push(Cell { host, device: page.device() + at as u64 });
            }
            shelf.pages.push(page);
        }
        let cell = shelf.free.pop().unwrap_or_else(|| unreachable!("a page has cells"));
        cell.word().store(UNSET, Ordering::Release);
        Ok(cell)
    }
    /// Takes a word back; what was launched may still set it.
    pub(super) fn give_back(&self, cell: Cell) {
        let mut shelf = self.shelf.lock().unwrap_or_else(PoisonError::into_inner);
        let Shelf { free, resting, .. } = &mut *shelf;
        if cell.is_set() { free } else { resting }.push(cell);
    }
    /// Says that nothing is going on that would set a word.
    pub(super) fn rest(&self) {
        let mut shelf = self.shelf.lock().unwrap_or_else(PoisonError::into_inner);
        let Shelf { free, resting, .. } = &mut *shelf;
        free.append(resting);
    }
}

/// A point in the order of what the GPU does.
pub(super) struct Event(sys::CUevent);

// SAFETY: it is a name that the driver knows, which may be used from any thread.
unsafe impl Send for Event {}
// SAFETY: as above.
unsafe impl Sync for Event {}

impl Event {
    /// One that counts as reached; some tell times.
    pub(super) fn new(timed: bool) -> Result<Event, Error> {
        let untimed = sys::CUevent_flags::CU_EVENT_DISABLE_TIMING as u32;
        let mut event = std::ptr::null_mut();
        // SAFETY: a context is current.
        let asked = unsafe { sys::cuEventCreate(&mut event, if timed { 0 } else { untimed }) };
        check("cuEventCreate", asked).map(|()| Event(event))
    }
    /// It will be reached when all is done that a stream was given so far.
    pub(super) fn record(&self, context: &Context, stream: Stream) -> Result<(), Error> {
        let stream = context.stream(stream)?;
        // SAFETY: event and stream exist.
        check("cuEventRecord", unsafe { sys::cuEventRecord(self.0, stream) })
    }
    /// What a stream is given from now on is done after it is reached.
    pub(super) fn hold(&self, context: &Context, stream: Stream) -> Result<(), Error> {
        let stream = context.stream(stream)?;
        // SAFETY: as above; the driver knows the event as long as somebody waits for it.
        check("cuStreamWaitEvent", unsafe { sys::cuStreamWaitEvent(stream, self.0, 0) })
    }
    /// Waits until it is reached.
    pub(super) fn wait(&self) -> Result<(), Error> {
        // SAFETY: the event exists.
        check("cuEventSynchronize", unsafe { sys::cuEventSynchronize(self.0) })
    }
    /// Seconds since another; both must have been reached.
    pub(super) fn since(&self, start: &Event) -> Result<f64, Error> {
        let mut milliseconds = 0f32;
        // SAFETY: both exist.
        let asked = unsafe { sys::cuEventElapsedTime_v2(&mut milliseconds, start.0, self.0) };
        check("cuEventElapsedTime", asked).map(|()| f64::from(milliseconds) / 1e3)
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: the event exists; it belongs to a context, which need not be current.
        unsafe {
            let _ = sys::cuEventDestroy_v2(self.0);
        }
    }
}
