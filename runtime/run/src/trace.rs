//! What happened when, for people who look for lost time: `nesl run --profile`.
//!
//! Events of the host lie inside each other as calls do.  Those of the device are launches: as the
//! device's own clock has them, where it has one, else as long as the host was busy with them.

use base::{Id, Span};
use device::LaunchTime;
use std::time::Instant;

/// Memory of at least so many bytes is worth an event.
const LARGE: usize = 1 << 20;

/// Where something happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Track {
    /// What the host does.
    Host,
    /// Launches.
    Device,
}

/// What sort of thing happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EventKind {
    /// A pass of the compiler, or making code of its text.
    Compile,
    /// A call of a function.
    Call,
    /// The host waited for the device.
    Wait,
    /// Memory for a vector.
    Memory,
    /// Values went over the border between host and device.
    Border,
    /// A launch.
    Kernel,
}

impl EventKind {
    /// In a word.
    pub fn name(self) -> &'static str {
        match self {
            EventKind::Compile => "compile",
            EventKind::Call => "call",
            EventKind::Wait => "wait",
            EventKind::Memory => "memory",
            EventKind::Border => "border",
            EventKind::Kernel => "kernel",
        }
    }
}

/// Something that took time.
#[derive(Clone, PartialEq, Debug)]
pub struct Event {
    /// Where it happened.
    pub track: Track,
    /// What sort of thing it was.
    pub kind: EventKind,
    /// A function, a pass, a kernel.
    pub name: String,
    /// The source texts that it comes from.
    pub spans: Vec<Span>,
    /// When it began, in seconds since the session did.
    pub start: f64,
    /// How long it took.
    pub seconds: f64,
    /// Numbers that matter, by name.
    pub facts: Vec<(&'static str, u64)>,
}

/// Events, in the order in which they ended.
#[derive(Clone, Debug)]
pub struct Trace {
    origin: Instant,
    /// What happened.
    pub events: Vec<Event>,
    /// Launches that the device may have timed: the kernel, and the number of the event.
    launches: Vec<(usize, usize)>,
}

impl Trace {
    /// Nothing happened yet.  Times count from `origin`.
    pub fn new(origin: Instant) -> Trace {
        Trace { origin, events: Vec::new(), launches: Vec::new() }
    }

    /// Something of the host ends now.
    pub(crate) fn end(&mut self, kind: EventKind, name: &str, span: Span, began: Instant) {
        self.end_with(kind, name, span, began, Vec::new());
    }
    fn end_with(
        &mut self,
        kind: EventKind,
        name: &str,
        span: Span,
        began: Instant,
        facts: Vec<(&'static str, u64)>,
    ) {
        let (start, seconds) = (self.at(began), began.elapsed().as_secs_f64());
        let spans = if span.is_none() { Vec::new() } else { vec![span] };
        let (track, name) = (Track::Host, name.to_owned());
        self.events.push(Event { track, kind, name, spans, start, seconds, facts });
    }
    /// Memory was given for a vector.
    pub(crate) fn allocated(&mut self, bytes: usize, span: Span, began: Instant) {
        if bytes >= LARGE {
            let facts = vec![("bytes", bytes as u64)];
            self.end_with(EventKind::Memory, "memory", span, began, facts);
        }
    }
    /// A launch was made, and took as long as the host was busy with it if the device does not know
    /// better.
    pub(crate) fn launched(&mut self, launch: Launched<'_>) {
        let Launched { kernel, name, spans, lanes, bytes, began } = launch;
        self.launches.push((kernel, self.events.len()));
        let (start, seconds) = (self.at(began), began.elapsed().as_secs_f64());
        let (track, kind) = (Track::Device, EventKind::Kernel);
        let (name, spans) = (name.to_owned(), spans.to_vec());
        let facts = vec![("lanes", lanes), ("bytes", bytes)];
        self.events.push(Event { track, kind, name, spans, start, seconds, facts });
    }
    /// What the device knows of the launches since the last time.
    pub(crate) fn timed(&mut self, times: &[LaunchTime]) {
        let launches = std::mem::take(&mut self.launches);
        for ((kernel, event), time) in launches.into_iter().zip(times) {
            // A launch that failed may be on one of the lists only.
            if kernel != time.kernel.index() {
                return;
            }
            self.events[event].start = self.at(time.began);
            self.events[event].seconds = time.seconds;
            self.events[event].facts.extend(time.tiles.map(|tiles| ("tiles", tiles)));
        }
    }
    fn at(&self, moment: Instant) -> f64 {
        moment.saturating_duration_since(self.origin).as_secs_f64()
    }
}

/// A launch that was made.
#[derive(Clone, Copy)]
pub(crate) struct Launched<'a> {
    pub(crate) kernel: usize,
    pub(crate) name: &'a str,
    pub(crate) spans: &'a [Span],
    /// Elements that it works on.
    pub(crate) lanes: u64,
    /// Bytes of its vectors.
    pub(crate) bytes: u64,
    pub(crate) began: Instant,
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn launch(trace: &mut Trace, kernel: usize, began: Instant) {
        let spans = &[Span::none()];
        trace.launched(Launched { kernel, name: "f", spans, lanes: 3, bytes: 24, began });
    }

    #[test]
    fn the_clock_of_the_device_counts() {
        let origin = Instant::now();
        let mut trace = Trace::new(origin);
        launch(&mut trace, 0, origin);
        trace.end(EventKind::Wait, "wait", Span::none(), origin);
        launch(&mut trace, 1, origin);
        let time = |kernel, ms| LaunchTime {
            kernel: Id::new(kernel),
            tiles: Some(7),
            began: origin + Duration::from_millis(ms),
            seconds: 0.5,
        };
        trace.timed(&[time(0, 10), time(2, 20)]);
        let [first, wait, other] = trace.events.as_slice() else { panic!("{trace:?}") };
        assert_eq!((first.start, first.seconds), (0.010, 0.5));
        assert_eq!(first.facts, [("lanes", 3), ("bytes", 24), ("tiles", 7)]);
        assert_eq!((wait.kind, wait.track), (EventKind::Wait, Track::Host));
        assert_eq!(other.facts, [("lanes", 3), ("bytes", 24)], "another kernel's time");
    }

    #[test]
    fn small_memory_is_no_event() {
        let mut trace = Trace::new(Instant::now());
        trace.allocated(LARGE - 1, Span::none(), Instant::now());
        assert!(trace.events.is_empty());
        trace.allocated(LARGE, Span::none(), Instant::now());
        assert_eq!(trace.events[0].facts, [("bytes", LARGE as u64)]);
    }
}
