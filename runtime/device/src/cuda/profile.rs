//! How long launches take on the GPU, by its own clock.
//!
//! The launch itself takes longer than the marks around it, so profiles may be taken of all.

use super::context::{Context, Stream};
use super::driver::Error;
use super::host::Event;
use crate::LaunchTime;
use kernel::KernelId;
use std::time::{Duration, Instant};

/// The oldest CUDA whose driver tells times in the way that is used here.
pub(super) const OLDEST: i32 = 12_080;

/// Marks around launches.
#[derive(Default)]
pub(super) struct Profile {
    on: bool,
    /// The start of everything, by both clocks.
    origin: Option<(Event, Instant)>,
    /// Marks that may be used again.
    free: Vec<Event>,
    /// Launches that may not be done.
    open: Vec<Open>,
    times: Vec<LaunchTime>,
}

/// A launch between two marks.
struct Open {
    kernel: KernelId,
    tiles: Option<u64>,
    start: Event,
    end: Event,
}

impl Profile {
    /// Whether launches are timed from now on; a profile that is off costs nothing.
    pub(super) fn set(&mut self, on: bool) {
        // Marks tell times in few digits, so they count from here.
        self.origin = None;
        self.on = on;
    }
    fn mark(&mut self, context: &Context, stream: Stream) -> Result<Event, Error> {
        if self.origin.is_none() {
            let origin = Event::new(true)?;
            origin.record(context, Stream::Main)?;
            origin.wait()?;
            self.origin = Some((origin, Instant::now()));
        }
        let event = self.free.pop().map_or_else(|| Event::new(true), Ok)?;
        event.record(context, stream)?;
        Ok(event)
    }
    /// Before a launch.
    pub(super) fn begin(
        &mut self,
        context: &Context,
        stream: Stream,
    ) -> Result<Option<Event>, Error> {
        if self.on { self.mark(context, stream).map(Some) } else { Ok(None) }
    }
    /// After a launch that began so.
    pub(super) fn end(
        &mut self,
        (kernel, tiles): (KernelId, Option<u64>),
        began: Option<Event>,
        (context, stream): (&Context, Stream),
    ) -> Result<(), Error> {
        if let Some(start) = began {
            let end = self.mark(context, stream)?;
            self.open.push(Open { kernel, tiles, start, end });
        }
        Ok(())
    }
    /// After everything is done, but what runs aside: reads the marks.
    pub(super) fn collect(&mut self) -> Result<(), Error> {
        for Open { kernel, tiles, start, end } in self.open.drain(..) {
            // What runs aside may not be done.
            end.wait()?;
            if let Some((origin, moment)) = &self.origin {
                let (at, seconds) = (start.since(origin)?, end.since(&start)?);
                let began = *moment + Duration::from_secs_f64(at.max(0.0));
                self.times.push(LaunchTime { kernel, tiles, began, seconds });
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
