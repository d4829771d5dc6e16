//! How long launches take on the GPU, by its own clock.
//!
//! The launch itself takes longer than the marks around it, so profiles may be taken of all.

use super::context::Context;
use super::driver::Error;
use super::host::Event;
use kernel::KernelId;

/// The oldest CUDA whose driver tells times in the way that is used here.
pub(super) const OLDEST: i32 = 12_080;

/// One launch, timed.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LaunchTime {
    /// What was launched.
    pub kernel: KernelId,
    /// When it began, in seconds since the first.
    pub start: f64,
    /// How long it took.
    pub seconds: f64,
}

/// Marks around launches.
#[derive(Default)]
pub(super) struct Profile {
    on: bool,
    /// The start of everything.
    origin: Option<Event>,
    /// Marks that may be used again.
    free: Vec<Event>,
    /// Launches that may not be done.
    open: Vec<(KernelId, Event, Event)>,
    times: Vec<LaunchTime>,
}

impl Profile {
    /// A profile; one that is off costs nothing.
    pub(super) fn new(on: bool) -> Profile {
        Profile { on, ..Profile::default() }
    }
    fn mark(&mut self, context: &Context) -> Result<Event, Error> {
        if self.origin.is_none() {
            let origin = Event::new(true)?;
            origin.record(context)?;
            self.origin = Some(origin);
        }
        let event = self.free.pop().map_or_else(|| Event::new(true), Ok)?;
        event.record(context)?;
        Ok(event)
    }
    /// Before a launch.
    pub(super) fn begin(&mut self, context: &Context) -> Result<Option<Event>, Error> {
        if self.on { self.mark(context).map(Some) } else { Ok(None) }
    }
    /// After a launch that began so.
    pub(super) fn end(
        &mut self,
        kernel: KernelId,
        began: Option<Event>,
        context: &Context,
    ) -> Result<(), Error> {
        if let Some(start) = began {
            let end = self.mark(context)?;
            self.open.push((kernel, start, end));
        }
        Ok(())
    }
    /// After everything is done: reads the marks.
    pub(super) fn collect(&mut self) -> Result<(), Error> {
        for (kernel, start, end) in self.open.drain(..) {
            if let Some(origin) = &self.origin {
                let (at, seconds) = (start.since(origin)?, end.since(&start)?);
                self.times.push(LaunchTime { kernel, start: at, seconds });
            }
            self.free.extend([start, end]);
        }
        Ok(())
    }
    /// What was timed since the last time.
    pub(super) fn take(&mut self) -> Vec<LaunchTime> {
        std::mem::take(&mut self.times)
    }
}
