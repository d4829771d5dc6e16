//! What happens when a check fails.
//!
//! ```text
//! launch 7 ... launch 8 fails ... launches 9, 10 do nothing ... wait
//!                                  launch 8 again, for diagnosis, twice <-┘
//! ```
//!
//! The host remembers every launch that can fail until it has waited.  All that changes memory does
//! nothing after a failure, so the inputs of the failed launch are what they were, freed or not.
//! What diagnosis itself needs comes fresh from the driver, not from the pool.

#![expect(unsafe_code, reason = "a launch is made again")]

use super::context::{Address, Grid, Stream};
use super::driver::Error;
use super::launch::Scratch;
use super::module::{Module, Report, Run};
use super::{Cuda, State};
use crate::{Failure, Fault};
use base::{Diagnostic, Kind};
use kernel::KernelId;
use std::ops::Range;

/// Launches that can fail, since the host waited.
#[derive(Default)]
pub(super) struct Pending {
    launches: Vec<Remembered>,
    /// The arguments of all of them.
    words: Vec<u64>,
}

/// A launch that can be made again.
struct Remembered {
    module: Module,
    kernel: KernelId,
    grid: Grid,
    run: Run,
    scratch: usize,
    words: Range<usize>,
}

/// A launch.
pub(super) struct Launch<'a> {
    pub(super) module: &'a Module,
    pub(super) kernel: KernelId,
    pub(super) grid: Grid,
    pub(super) run: Run,
    /// Bytes of scratch memory that it was promised.
    pub(super) scratch: usize,
    /// Its arguments.
    pub(super) words: &'a [u64],
}

impl Pending {
    /// The most launches that are remembered.
    const MOST: usize = 1 << 16;

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.launches.is_empty()
    }
    /// Whether the host should wait before there are more.
    pub(super) fn is_full(&self) -> bool {
        self.launches.len() >= Self::MOST
    }
    /// Remembers a launch.
    pub(super) fn push(&mut self, launch: &Launch<'_>) {
        let start = self.words.len();
        self.words.extend_from_slice(launch.words);
        self.launches.push(Remembered {
            module: launch.module.clone(),
            kernel: launch.kernel,
            grid: launch.grid,
            run: launch.run,
            scratch: launch.scratch,
            words: start..self.words.len(),
        });
    }
    /// Forgets all of them.
    fn clear(&mut self) {
        self.launches.clear();
        self.words.clear();
    }
    fn find(&self, number: u32) -> Option<Launch<'_>> {
        let found = self.launches.iter().find(|launch| launch.run.number == number)?;
        Some(Launch {
            module: &found.module,
            kernel: found.kernel,
            grid: found.grid,
            run: found.run,
            scratch: found.scratch,
            words: &self.words[found.words.clone()],
        })
    }
}

impl Cuda {
    /// Waits, and finds out what failed; afterwards no launch is pending.
    pub(super) fn settle_failures(&self, state: &mut State) {
        if !state.busy || state.broken.is_some() {
            return;
        }
        state.traffic.waits += 1;
        state.busy = false;
        let done = self.signals.wait().and_then(|()| state.profile.collect());
        state.note(done);
        self.cells.rest();
        let number = self.signals.told();
        if number != 0 && state.broken.is_none() {
            let found = self.diagnose(state, number);
            state.note(self.signals.reset());
            // What clears it may have done nothing.
            state.scratch = None;
            state.found.get_or_insert(found);
        }
        state.pending.clear();
    }

    /// Finds out which check failed first in a launch.
    fn diagnose(&self, state: &mut State, number: u32) -> Failure {
        let numbers = [0, 0].map(|_: u32| state.next_number());
        let Some(launch) = state.pending.find(number) else {
            let message = format!("launch {number} failed, and nobody made it");
            return Failure::Broken(Box::new(Diagnostic::new(Kind::Bug, message)));
        };
        let text = launch.module.text();
        let report = match self.again(&launch, numbers) {
            Ok(report) => report,
            Err(diagnostic) => return Failure::Broken(diagnostic),
        };
        let row = usize::try_from(report.site).ok();
        let row = row.map(|named| text.code.site(launch.kernel, named));
        let Some(&(site, span)) = row.and_then(|row| text.sites.get(row)) else {
            let name = &text.kernels[launch.kernel].name;
            let message = format!("a check in kernel {name} failed, and then did not");
            return Failure::Broken(Box::new(Diagnostic::new(Kind::Bug, message)));
        };
        let depth = usize::try_from(report.depth).unwrap_or(0).min(report.positions.len());
        let positions = report.positions[..depth].to_vec();
        Failure::Fault(Fault { site, span, operands: report.operands, positions })
    }

    /// Makes a launch twice more, for diagnosis: to find the first fault, and to be told about it.
    fn again(&self, launch: &Launch<'_>, numbers: [u32; 2]) -> Result<Report, Box<Diagnostic>> {
        let (_image, function) = launch.module.diagnosis(launch.kernel, self.loader())?;
        let scratch = Fresh::new(self, Scratch::bytes(launch.scratch))?;
        let runs = || -> Result<Report, Error> {
            let mut report = Report::NONE;
            for (tell, number) in [0, 1].into_iter().zip(numbers) {
                report.tell = tell;
                self.signals.reset()?;
                self.signals.send(&report)?;
                let scratch = Scratch::start(scratch.address, scratch.bytes, launch.scratch);
                let run = Run { number, scratch, ..launch.run };
                let head = Some((&raw const run).cast());
                // SAFETY: these are the arguments of the launch that failed.
                unsafe {
                    self.context.launch(Stream::Main, function, launch.grid, head, launch.words)?;
                };
                report = self.signals.receive()?;
            }
            Ok(report)
        };
        runs().map_err(Error::diagnostic)
    }
}

/// Memory straight from the driver.
struct Fresh<'a> {
    address: Address,
    bytes: usize,
    device: &'a Cuda,
}

impl Fresh<'_> {
    /// So many bytes of 0.
    fn new(device: &Cuda, bytes: usize) -> Result<Fresh<'_>, Box<Diagnostic>> {
        let made = device.context.allocate(bytes).and_then(|address| {
            let fresh = Fresh { address, bytes, device };
            // SAFETY: nobody else has the memory.
            unsafe { device.context.clear(address, bytes)? };
            Ok(fresh)
        });
        made.map_err(Error::diagnostic)
    }
}

impl Drop for Fresh<'_> {
    fn drop(&mut self) {
        // SAFETY: nothing is launched with it any more.
        let _ = unsafe { self.device.context.free(self.address) };
    }
}
