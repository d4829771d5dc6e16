//! The machine that executes plans.
//!
//! A plan is data; each step costs far less than a launch.

mod calls;
mod endless;
mod memory;

use crate::facts::Facts;
use crate::frame::{Frame, fault};
use crate::lanes::LanePolicy;
use crate::stats::{KernelRow, Stats};
use crate::trace::{EventKind, Launched, Trace};
use base::{Diagnostic, Id, Kind, Site, Span};
use device::{Argument, Device, Failure, Fault, OutOfMemory};
use plan::moves::Move;
use plan::over::dies;
use plan::touched::Lanes;
use plan::{Arg, Func, ParamKind, Program, Step};
use prim::Ty;
use rustc_hash::FxHashMap;
use std::time::Instant;
use value::Interrupt;

/// Launches that work on fewer elements than this stay on one unit: waking others costs more.
pub(crate) const ALONE: i64 = 1 << 15;
/// Why a run gave no result.
#[derive(Clone, PartialEq, Debug)]
pub enum RunError {
    /// A sequence that ints cannot count.
    Long {
        /// Where.
        span: Span,
    },
    /// A check of the program failed.
    Fault(Fault),
    /// `error(message)`.
    Raised {
        /// The message.
        message: Vec<u8>,
        /// Where.
        span: Span,
    },
    /// No room for a vector.
    Memory {
        /// What was asked for, and what there is.
        error: OutOfMemory,
        /// The source text that needs it.
        span: Span,
    },
    /// Too many calls under way.
    Depth {
        /// The call.
        span: Span,
    },
    /// A call that is made again and again, with the same arguments.
    Endless {
        /// The call.
        span: Span,
    },
    /// The user stopped it.
    Interrupted {
        /// The source text that ran.
        span: Span,
    },
    /// It failed after it had overwritten what is needed to tell why; with [`Machine::lends`] off
    /// it does not.
    Spent,
    /// A launch could not be made.
    Broken(Box<Diagnostic>),
}

pub(crate) type Result<T> = std::result::Result<T, RunError>;

/// A program on a device.
pub struct Machine<'a, D: Device> {
    pub(crate) device: &'a D,
    pub(crate) module: &'a D::Module,
    pub(crate) program: &'a Program,
    pub(crate) facts: &'a Facts,
    /// Of what the device may run to its end by itself: how many calls are not tried.
    pub(crate) rests: FxHashMap<Func, u32>,
    /// When they do.
    pub policy: LanePolicy,
    /// What was done so far.
    pub stats: Stats,
    /// Whether launches are timed.
    pub clock: Option<&'a dyn Fn() -> f64>,
    /// What happened when, if that is wanted.
    pub trace: Option<Trace>,
    /// Whether the program counts the elements that it reads and writes.
    pub count: bool,
    /// The wish that the run should stop; it is looked at before each step.
    pub interrupt: Interrupt,
    /// Whether a lane that is alone may overwrite a sequence from outside that nobody else needs.
    /// If it then fails, the run ends with [`RunError::Spent`].
    pub lends: bool,
    /// Bytes that calls under way may take.
    pub room: usize,
    /// Whether results of maps may be written over dead inputs.
    reuse: bool,
}

impl<'a, D: Device> Machine<'a, D> {
    /// A machine for a program whose kernels are in `module`.
    pub fn new(
        device: &'a D,
        module: &'a D::Module,
        program: &'a Program,
        facts: &'a Facts,
    ) -> Self {
        let stats = Stats::default();
        Machine {
            device,
            module,
            program,
            facts,
            rests: FxHashMap::default(),
            policy: if device.has_routines() { LanePolicy::Auto } else { LanePolicy::Never },
            stats,
            clock: None,
            trace: None,
            count: false,
            interrupt: Interrupt::default(),
            lends: false,
            room: usize::MAX,
            reuse: true,
        }
    }

    /// The moment, if somebody wants to know what happened when.
    pub(crate) fn moment(&self) -> Option<Instant> {
        self.trace.as_ref().map(|_| Instant::now())
    }
    /// Does something that may wait for the device.
    pub(crate) fn waiting<T>(&mut self, wait: impl FnOnce(&D) -> T) -> T {
        let Some(trace) = &mut self.trace else { return wait(self.device) };
        let (waits, began) = (self.device.traffic().waits, Instant::now());
        let result = wait(self.device);
        if self.device.traffic().waits > waits {
            trace.end(EventKind::Wait, "wait", Span::none(), began);
        }
        result
    }

    /// Notes how long launches took by the device's own clock, if it has one: it goes on while the
    /// host does.
    fn note_times(&mut self) {
        let times = self.device.times();
        if times.is_empty() {
            return;
        }
        if let Some(trace) = &mut self.trace {
            trace.timed(&times);
        }
        self.stats.kernels.values_mut().for_each(|row| row.seconds = 0.0);
        for time in times {
            let row = self.stats.kernels.entry(time.kernel.index()).or_default();
            row.seconds += time.seconds;
        }
    }

    /// What comes before each step.
    fn begin(&mut self, frame: &mut Frame<'a, D>, step: &Step) -> Result<()> {
        if self.interrupt.is_raised() {
            return Err(RunError::Interrupted { span: Span::none() });
        }
        if frame.awaits(|| step.scalars()) {
            self.waiting(|_| frame.settle())?;
        }
        Ok(())
    }

    fn step(&mut self, frame: &mut Frame<'a, D>, step: &'a Step, after: &[Step]) -> Result<()> {
        match step {
            Step::Alloc { buffer, len, over, span } => {
                let ty = frame.buffer_ty(*buffer);
                let memory = match over.and_then(|over| self.overwritten(frame, over, *len)) {
                    Some(memory) => memory,
                    None => self.allocate(frame, *len, ty, *span)?,
                };
                frame.set_buffer(*buffer, memory);
            }
            Step::Room { buffer, len, span } => {
                let bytes = self.bytes(frame, *len, frame.buffer_ty(*buffer));
                let memory = self.obtain(bytes, *span, |device| device.room(bytes))?;
                frame.set_buffer(*buffer, memory);
            }
            Step::Literal(buffer, consts) => self.literal(frame, *buffer, consts)?,
            Step::Alias(buffer, from) => {
                let memory = frame.buffer(*from).clone();
                frame.set_buffer(*buffer, memory);
            }
            Step::Copy { buffer, from, len, span } => {
                self.copy(frame, *buffer, *from, *len, (dies(*from, after), *span))?;
            }
            Step::Behind { begin, alone, from, used, more } => {
                self.behind(frame, [*begin, *alone], from, [*used, *more], after);
            }
            Step::Grow { buffer, from, used, begin, len, span } => {
                let counts = [*used, *begin, *len];
                self.grow(frame, *buffer, *from, counts, (dies(*from, after), *span))?;
            }
            Step::Zero { buffer, len, span } => self.zeros(frame, *buffer, *len, *span)?,
            Step::Eval { results, code } => {
                if code.body.reads() && !frame.knows(&code.body) {
                    self.waiting(|device| device.wait())?;
                }
                let values = scalar::eval(code, &[], frame)
                    .map_err(|f| RunError::Fault(fault(f.site, f.span, f.args)))?;
                for (&slot, value) in results.iter().zip(values) {
                    frame.set_slot(slot, value);
                }
            }
            Step::Launch { cluster, args, work } => self.launch(frame, *cluster, args, *work)?,
            Step::Fail { start, len, chars, span } => {
                self.waiting(|device| device.wait())?;
                return Err(raised::<D>(frame, *start, *len, *chars, *span));
            }
            Step::Free(buffer) => {
                frame.take_buffer(*buffer);
            }
            Step::If { .. } | Step::Call { .. } => unreachable!("steps of the way through a plan"),
        }
        Ok(())
    }

    /// Bytes of an element.
    pub(crate) fn size(&self, ty: Ty) -> usize {
        self.program.widths.size(ty)
    }

    /// Whether ints can count so many elements.
    pub(crate) fn counted(&self, length: usize, span: Span) -> Result<()> {
        let length = i64::try_from(length).unwrap_or(i64::MAX);
        if length <= self.program.widths.max_length() {
            Ok(())
        } else {
            Err(RunError::Long { span })
        }
    }

    fn launch(
        &mut self,
        frame: &mut Frame<'a, D>,
        id: plan::ClusterId,
        args: &[Arg],
        work: Arg,
    ) -> Result<()> {
        let cluster = &self.program.clusters[id];
        if self.is_there(frame, id, args) {
            return Ok(());
        }
        let mut cells: Vec<(usize, D::Buffer)> = Vec::new();
        for (n, param) in cluster.params.iter().enumerate() {
            if param.kind == ParamKind::Set {
                let cell = self.device.cell();
                let span = place(&cluster.spans);
                cells.push((n, cell.map_err(|error| RunError::Memory { error, span })?));
            }
        }
        let mut bound: Vec<Argument<'_, D::Buffer>> = Vec::with_capacity(args.len());
        for (n, (&arg, param)) in args.iter().zip(&cluster.params).enumerate() {
            bound.push(match (param.kind, arg) {
                (ParamKind::Set, _) => {
                    let cell = cells.iter().find(|c| c.0 == n).map(|c| &c.1);
                    Argument::Buffer(cell.unwrap_or_else(|| unreachable!("a cell was made")))
                }
                (_, Arg::Buffer(b)) => Argument::Buffer(frame.buffer(b)),
                (_, Arg::Past(b, from)) => {
                    let from = self.bytes(frame, Arg::Slot(from), frame.buffer_ty(b));
                    Argument::Past(frame.buffer(b), from)
                }
                (_, arg) => Argument::Scalar(frame.scalar(arg)),
            });
        }
        let work = frame.scalar(work).int();
        let width = if work < ALONE { 1 } else { self.device.units() };
        let start = self.clock.map(|c| c());
        let began = self.moment();
        let before = self.device.touched();
        #[expect(unsafe_code, reason = "the arguments are those that the plan lists")]
        // SAFETY: fuse made the cluster and its buffers together; lengths come from its spaces.
        let done = unsafe { self.device.launch(self.module, Id::new(id.index()), &bound, width) };
        let seconds = start.and_then(|s| self.clock.map(|c| c() - s)).unwrap_or(0.0);
        let touched = if self.count {
            self.device.touched() - before
        } else {
            let int = |n: usize| frame.scalar(args[n]).int();
            self.facts.weights[id.index()]
                .iter()
                .map(|&(lanes, each)| touched(lanes, each, int))
                .sum()
        };
        let bytes = bound.iter().map(|argument| match argument {
            Argument::Buffer(buffer) => self.device.size(buffer) as u64,
            Argument::Scalar(_) | Argument::Past(..) => 0,
        });
        let bytes: u64 = bytes.sum();
        let row = self.row(id.index(), (&cluster.name, &cluster.spans), work);
        row.seconds += seconds;
        row.elements_touched += touched;
        self.stats.bytes_moved += bytes;
        self.stats.elements_touched += touched;
        done.map_err(|failure| failed(failure, &cluster.spans))?;
        if let (Some(trace), Some(began)) = (&mut self.trace, began) {
            let (kernel, lanes) = (id.index(), u64::try_from(work).unwrap_or(0));
            let (name, spans) = (cluster.name.as_str(), cluster.spans.as_slice());
            trace.launched(Launched { kernel, name, spans, lanes, bytes, began });
        }
        for (n, cell) in cells {
            if let Arg::Slot(slot) = args[n] {
                frame.defer(slot, cell);
            }
        }
        Ok(())
    }

    /// Whether a cluster would only write what is there already.
    fn is_there(&self, frame: &Frame<'a, D>, id: plan::ClusterId, args: &[Arg]) -> bool {
        let is_there = |&Move { from, start, to }: &Move| {
            let (Arg::Buffer(from), Arg::Buffer(to)) = (args[from], args[to]) else { return false };
            let start = start.map_or(0, |start| frame.scalar(args[start]).int());
            start == 0 && self.device.is_same(frame.buffer(from), frame.buffer(to))
        };
        self.facts.moves[id.index()].as_ref().is_some_and(|moves| moves.iter().all(is_there))
    }

    /// Counts a launch, and gives the numbers of its kernel.
    pub(crate) fn row(
        &mut self,
        kernel: usize,
        (name, spans): (&str, &[Span]),
        work: i64,
    ) -> &mut KernelRow {
        let lanes = u64::try_from(work).unwrap_or(0);
        self.stats.kernels_run += 1;
        self.stats.lanes += lanes;
        let row = self.stats.kernels.entry(kernel).or_default();
        if row.name.is_empty() {
            name.clone_into(&mut row.name);
            spans.clone_into(&mut row.spans);
        }
        row.launches += 1;
        row.lanes += lanes;
        row
    }

    /// Counts elements that the host reads or writes.
    fn touch(&mut self, elements: u64) {
        if self.count {
            self.stats.elements_touched += elements;
        }
    }
}

/// What so many lanes touch, given the launch's scalar arguments.
fn touched(lanes: Lanes, each: u64, int: impl Fn(usize) -> i64) -> u64 {
    let lanes = match lanes {
        Lanes::Const(n) => n,
        Lanes::Param(n) => int(n),
    };
    u64::try_from(lanes).unwrap_or(0) * each
}

/// A number of elements.
fn elements<D: Device>(frame: &Frame<'_, D>, len: Arg) -> u64 {
    u64::try_from(frame.scalar(len).int()).unwrap_or(0)
}

impl From<Failure> for RunError {
    fn from(failure: Failure) -> RunError {
        match failure {
            Failure::Fault(fault) => RunError::Fault(fault),
            Failure::Memory(error) => RunError::Memory { error, span: Span::none() },
            Failure::Spent => RunError::Spent,
            Failure::Broken(diagnostic) if diagnostic.kind == Kind::Interrupted => {
                RunError::Interrupted { span: Span::none() }
            }
            Failure::Broken(diagnostic) => RunError::Broken(diagnostic),
        }
    }
}

/// Why a launch of what these source texts became gave no result.
fn failed(failure: Failure, spans: &[Span]) -> RunError {
    match failure {
        Failure::Memory(error) => RunError::Memory { error, span: place(spans) },
        other => match other.into() {
            RunError::Interrupted { .. } => RunError::Interrupted { span: place(spans) },
            other => other,
        },
    }
}

/// The source text that stands for several.
fn place(spans: &[Span]) -> Span {
    spans.first().copied().unwrap_or_else(Span::none)
}

/// The error of `error(message)`.
fn raised<D: Device>(
    frame: &Frame<'_, D>,
    start: Arg,
    len: Arg,
    chars: plan::Buffer,
    span: Span,
) -> RunError {
    let start = usize::try_from(frame.scalar(start).int()).unwrap_or(0);
    let len = usize::try_from(frame.scalar(len).int()).unwrap_or(0);
    let message = frame
        .device
        .download(frame.buffer(chars))
        .ok()
        .and_then(|host| host.as_slice().get(start..start + len).map(<[u8]>::to_vec))
        .unwrap_or_default();
    RunError::Raised { message, span }
}

impl RunError {
    /// The kind of error in the language.
    pub fn site(&self) -> Option<Site> {
        match self {
            RunError::Fault(fault) => Some(fault.site),
            RunError::Raised { .. } => Some(Site::User),
            RunError::Memory { .. } | RunError::Depth { .. } | RunError::Endless { .. } => {
                Some(Site::Memory)
            }
            RunError::Long { .. }
            | RunError::Interrupted { .. }
            | RunError::Spent
            | RunError::Broken(_) => None,
        }
    }
}
