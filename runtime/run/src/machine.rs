//! The machine that executes plans.
//!
//! A plan is data; each step costs far less than a launch.  Plans may recurse deeply: callers run
//! the machine on a big stack.

mod memory;

use crate::descent::Descents;
use crate::frame::{Frame, Passed, fault};
use crate::lanes::LanePolicy;
use crate::stats::{KernelRow, Stats};
use crate::trace::{EventKind, Launched, Trace};
use base::{Diagnostic, Id, Site, Span};
use device::{Argument, Device, Failure, Fault, OutOfMemory};
use plan::moves::Move;
use plan::over::dies;
use plan::touched::Lanes;
use plan::{Arg, Block, Func, ParamKind, Place, Program, Routine, Step};
use prim::Ty;
use rustc_hash::FxHashMap;
use std::time::Instant;
use value::Interrupt;

/// Launches that work on fewer elements than this stay on one unit: waking others costs more.
pub(crate) const ALONE: i64 = 1 << 15;
/// Calls under way at one time, above which memory counts as exhausted.
const MAX_DEPTH: usize = 200_000;

/// Bytes of stack under which no further call is made.
const LOW_STACK: usize = 1 << 20;

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
    /// The user stopped it.
    Interrupted,
    /// A launch could not be made.
    Broken(Box<Diagnostic>),
}

pub(crate) type Result<T> = std::result::Result<T, RunError>;

/// A call of a plan.
struct Call<B> {
    func: Func,
    args: Vec<Passed<B>>,
    span: Span,
}

/// What a call gives, or the call whose results these are.
enum Ended<B> {
    With(Vec<Passed<B>>),
    By(Call<B>),
}

/// A program on a device.
pub struct Machine<'a, D: Device> {
    pub(crate) device: &'a D,
    pub(crate) module: &'a D::Module,
    pub(crate) program: &'a Program,
    /// The routines of lifted functions that may run lane by lane.
    pub(crate) routines: FxHashMap<Func, Routine>,
    /// What the device may run to its end by itself.
    pub(crate) descents: Descents,
    /// What each cluster copies, if it does nothing else.
    moves: Vec<Option<Vec<Move>>>,
    /// What the lanes of each cluster touch.
    weights: Vec<Vec<(Lanes, u64)>>,
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
    depth: usize,
    /// Whether results of maps may be written over dead inputs.
    reuse: bool,
}

impl<'a, D: Device> Machine<'a, D> {
    /// A machine for a program whose kernels are in `module`.
    pub fn new(device: &'a D, module: &'a D::Module, program: &'a Program) -> Self {
        let stats = Stats::default();
        let routines = program.routines.iter().map(|(id, lanes)| (lanes.lifted, id)).collect();
        Machine {
            device,
            module,
            program,
            routines,
            descents: Descents::of(program),
            moves: program.clusters.values().map(plan::Cluster::moves).collect(),
            weights: program.clusters.values().map(plan::touched::weights).collect(),
            policy: if device.has_routines() { LanePolicy::Auto } else { LanePolicy::Never },
            stats,
            clock: None,
            trace: None,
            count: false,
            interrupt: Interrupt::default(),
            depth: 0,
            reuse: true,
        }
    }

    /// Runs a plan.
    pub fn call(
        &mut self,
        func: Func,
        args: Vec<Passed<D::Buffer>>,
        span: Span,
    ) -> Result<Vec<Passed<D::Buffer>>> {
        let mut call = Call { func, args, span };
        let result = loop {
            match self.run(call) {
                Ok(Ended::By(next)) => call = next,
                Ok(Ended::With(values)) => break Ok(values),
                Err(error) => break Err(error),
            }
        };
        if self.depth == 0 {
            // What a launch had to tell comes before what the host found after it.
            let done = self.waiting(|device| device.wait());
            self.note_times();
            done?;
        }
        result
    }

    /// Runs a call, up to one that it ends with.
    fn run(&mut self, call: Call<D::Buffer>) -> Result<Ended<D::Buffer>> {
        let Call { func, args, span } = call;
        if self.depth >= MAX_DEPTH || value::stack::remaining().is_some_and(|left| left < LOW_STACK)
        {
            return Err(RunError::Depth { span });
        }
        let function = &self.program.funcs[func];
        let mut frame = Frame::new(self.device, self.program, function);
        for (&param, arg) in function.params.iter().zip(args) {
            frame.set(param, arg);
        }
        let began = self.moment();
        self.depth += 1;
        let result = self.last_block(&mut frame, &function.body);
        self.depth -= 1;
        self.touch(frame.reads.get());
        if let (Some(trace), Some(began)) = (&mut self.trace, began) {
            trace.end(EventKind::Call, &function.name, span, began);
        }
        result
    }

    /// The moment, if somebody wants to know what happened when.
    pub(crate) fn moment(&self) -> Option<Instant> {
        self.trace.as_ref().map(|_| Instant::now())
    }
    /// Does something that may wait for the device.
    fn waiting<T>(&mut self, wait: impl FnOnce(&D) -> T) -> T {
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

    fn block(
        &mut self,
        frame: &mut Frame<'a, D>,
        block: &'a Block,
    ) -> Result<Vec<Passed<D::Buffer>>> {
        for (n, step) in block.steps.iter().enumerate() {
            self.begin(frame, step)?;
            self.step(frame, step, &block.steps[n + 1..])?;
        }
        self.yielded(frame, block)
    }

    /// The block that a call ends with: if it ends with a call, that one is still to be run.
    fn last_block(
        &mut self,
        frame: &mut Frame<'a, D>,
        block: &'a Block,
    ) -> Result<Ended<D::Buffer>> {
        for (n, step) in block.steps.iter().enumerate() {
            self.begin(frame, step)?;
            let after = &block.steps[n + 1..];
            match step {
                Step::If { cond, then, els, .. } if block.ends_with(n) => {
                    let arm = if frame.scalar(*cond).bool() { then } else { els };
                    return self.last_block(frame, arm);
                }
                Step::Call { func, args, span, .. } if block.ends_with(n) => {
                    let args = handed(frame, args, after);
                    let done = self.run_otherwise(*func, &args, *span)?;
                    let next = || Ended::By(Call { func: *func, args, span: *span });
                    return Ok(done.map_or_else(next, Ended::With));
                }
                _ => self.step(frame, step, after)?,
            }
        }
        Ok(Ended::With(self.yielded(frame, block)?))
    }

    /// What comes before each step.
    fn begin(&mut self, frame: &mut Frame<'a, D>, step: &Step) -> Result<()> {
        if self.interrupt.is_raised() {
            return Err(RunError::Interrupted);
        }
        if frame.awaits(|| step.scalars()) {
            self.waiting(|_| frame.settle())?;
        }
        Ok(())
    }

    fn yielded(
        &mut self,
        frame: &mut Frame<'a, D>,
        block: &Block,
    ) -> Result<Vec<Passed<D::Buffer>>> {
        if frame.awaits(|| block.yields.iter().filter_map(|y| y.slot()).collect()) {
            self.waiting(|_| frame.settle())?;
        }
        Ok(block.yields.iter().map(|&y| frame.passed(y)).collect())
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
                let values = scalar::eval::eval(code, &[], frame)
                    .map_err(|f| RunError::Fault(fault(f.site, f.span, f.args)))?;
                for (&slot, value) in results.iter().zip(values) {
                    frame.set_slot(slot, value);
                }
            }
            Step::Launch { cluster, args, work } => self.launch(frame, *cluster, args, *work)?,
            Step::If { results, cond, then, els } => {
                let block = if frame.scalar(*cond).bool() { then } else { els };
                let values = self.block(frame, block)?;
                // What the arm yields lives on as a result only.
                for buffer in block.yields.iter().filter_map(|y| y.buffer()) {
                    if block.steps.iter().any(|s| s.results().contains(&Place::Buffer(buffer))) {
                        frame.take_buffer(buffer);
                    }
                }
                for (&place, value) in results.iter().zip(values) {
                    frame.set(place, value);
                }
            }
            Step::Call { results, func, args, span } => {
                let passed = handed(frame, args, after);
                let values = match self.run_otherwise(*func, &passed, *span)? {
                    Some(values) => values,
                    None => self.call(*func, passed, *span)?,
                };
                for (&place, value) in results.iter().zip(values) {
                    frame.set(place, value);
                }
            }
            Step::Fail { start, len, chars, span } => {
                self.waiting(|device| device.wait())?;
                return Err(raised::<D>(frame, *start, *len, *chars, *span));
            }
            Step::Free(buffer) => {
                frame.take_buffer(*buffer);
            }
        }
        Ok(())
    }

    /// What a call gives that runs lane by lane, or on the device alone.
    fn run_otherwise(
        &mut self,
        func: Func,
        args: &[Passed<D::Buffer>],
        span: Span,
    ) -> Result<Option<Vec<Passed<D::Buffer>>>> {
        match self.routine(func, args) {
            Some(routine) => Ok(Some(self.call_lanes(routine, args, span)?)),
            None => self.descend(func, args, span),
        }
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
            self.weights[id.index()].iter().map(|&(lanes, each)| touched(lanes, each, int)).sum()
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
        self.moves[id.index()].as_ref().is_some_and(|moves| moves.iter().all(is_there))
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

/// What a call is given.  What is not used afterwards is the callee's alone, to free or to
/// overwrite.
fn handed<D: Device>(
    frame: &mut Frame<'_, D>,
    args: &[Arg],
    after: &[Step],
) -> Vec<Passed<D::Buffer>> {
    let passed = args.iter().map(|&arg| frame.passed(arg)).collect();
    for buffer in args.iter().filter_map(|arg| arg.buffer()) {
        if dies(buffer, after) {
            frame.take_buffer(buffer);
        }
    }
    passed
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
            Failure::Broken(diagnostic) => RunError::Broken(diagnostic),
        }
    }
}

/// Why a launch of what these source texts became gave no result.
fn failed(failure: Failure, spans: &[Span]) -> RunError {
    match failure {
        Failure::Memory(error) => RunError::Memory { error, span: place(spans) },
        other => other.into(),
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
            RunError::Memory { .. } | RunError::Depth { .. } => Some(Site::Memory),
            RunError::Long { .. } | RunError::Interrupted | RunError::Broken(_) => None,
        }
    }
}
