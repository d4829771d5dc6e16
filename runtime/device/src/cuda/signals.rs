//! Words by which kernels, host and launches tell each other what happened.
//!
//! ```text
//! GPU:   failed    ended    report                 host:   told    reached    report
//! ```

#![expect(unsafe_code, reason = "memory is shared with the GPU")]

use super::SOON;
use super::context::{Address, Context};
use super::driver::Error;
use super::host::Pinned;
use super::module::{Report, Run};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering, fence};
use std::time::Instant;

/// Where words are in the GPU's memory.
const FAILED: u64 = 0;
const ENDED: u64 = 64;
/// Where words are in the host's.
const TOLD: u64 = 0;
const REACHED: u64 = 64;
/// Where the report is in either.
const REPORT: u64 = 128;
/// Bytes of either.
const SIZE: usize = 256;

/// The words.
pub(super) struct Signals {
    device: Address,
    host: Pinned,
    context: Arc<Context>,
}

impl Signals {
    /// Before anything has failed.
    pub(super) fn new(context: &Arc<Context>) -> Result<Signals, Error> {
        let host = Pinned::new(context, SIZE)?;
        let device = context.allocate(SIZE)?;
        let signals = Signals { device, host, context: Arc::clone(context) };
        signals.reset()?;
        Ok(signals)
    }
    /// Says that no launch has failed.  To be called when the GPU is idle.
    pub(super) fn reset(&self) -> Result<(), Error> {
        self.word(TOLD).store(0, Ordering::Relaxed);
        // SAFETY: these are our words, and no kernel takes them for input.
        unsafe { self.context.clear(self.device, REPORT as usize) }
    }
    /// Where kernels look whether a launch has failed.
    pub(super) fn failed(&self) -> Address {
        self.device + FAILED
    }
    /// The number of the first launch that failed since the last reset; 0 if there is none.
    pub(super) fn told(&self) -> u32 {
        let number = self.word(TOLD).load(Ordering::Relaxed);
        fence(Ordering::Acquire);
        number
    }
    /// Waits until everything is done, but what runs aside.  The GPU writes a word when it has come
    /// to that, which is here half a microsecond before the driver would know.
    pub(super) fn wait(&self) -> Result<(), Error> {
        let word = self.word(REACHED);
        let next = word.load(Ordering::Relaxed).wrapping_add(1);
        // SAFETY: the word is ours, and giving it back waits for the GPU.
        let asked = unsafe { self.context.write(self.host.device() + REACHED, next) };
        // Refused, it costs time and nothing else.
        if asked.is_ok() {
            let began = Instant::now();
            while began.elapsed() < SOON {
                if word.load(Ordering::Acquire) == next {
                    return Ok(());
                }
                std::hint::spin_loop();
            }
        }
        self.context.synchronize()
    }
    /// A word of the host's memory.
    fn word(&self, at: u64) -> &AtomicU32 {
        // SAFETY: the word is in our memory, and its address is a multiple of 4.
        unsafe { AtomicU32::from_ptr(self.host.host().wrapping_add(at as usize).cast()) }
    }
    /// A launch with all words; the rest is to be filled in.
    pub(super) fn run(&self) -> Run {
        Run {
            failed: self.failed(),
            told: self.host.device(),
            ended: self.device + ENDED,
            report: self.device + REPORT,
            ..Run::default()
        }
    }
    /// Hands a report to the GPU.  To be called when it is idle.
    pub(super) fn send(&self, report: &Report) -> Result<(), Error> {
        let (bytes, host) = (report.bytes(), self.host.host().wrapping_add(REPORT as usize));
        // SAFETY: the report is inside our memory on both sides.
        unsafe {
            host.copy_from(bytes.as_ptr(), bytes.len());
            self.context.copy_in(host, self.device + REPORT, bytes.len())
        }
    }
    /// Gets the report back from the GPU, and waits for it.
    pub(super) fn receive(&self) -> Result<Report, Error> {
        let mut bytes = [0; size_of::<Report>()];
        let host = self.host.host().wrapping_add(REPORT as usize);
        // SAFETY: as above.
        unsafe {
            self.context.copy_out(self.device + REPORT, host, bytes.len())?;
            self.context.synchronize()?;
            bytes.as_mut_ptr().copy_from(host, bytes.len());
        }
        Ok(Report::of_bytes(&bytes))
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        let _ = self.context.enter();
        // SAFETY: nobody launches anything any more.
        let _ = unsafe { self.context.free(self.device) };
    }
}
