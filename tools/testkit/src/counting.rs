//! A device that counts: launches run by the evaluator of plans, and the host by the usual machine.
//!
//! A session on it makes the plan for a kind of machine and executes it as it would there, with
//! every launch, wait, growth and reuse of memory.  So figures of a plan need no such machine, no C
//! compiler and no clock, and are the same everywhere.
//!
//! * A launch is a cluster, a copy of memory or a fill with zeros.
//! * A wait is one by which the host can find something launched that it has not waited for yet.
//! * Elements are those that lanes read and push, and those that the host copies, fills or reads.
//! * Bytes are those in use beside the arguments; a room counts for the part that is settled.
//!
//! Lanes do not run one by one on it, and no recursion without the host: both are choices of a
//! machine at run time, beyond the plan.

#![expect(unsafe_code, reason = "the interface of devices, whose launches trust their arguments")]

mod memory;

pub use memory::Buffer;

use base::{Diagnostic, Id, Kind};
use compile::{Print, Text};
use device::{Argument, Device, Failure, Fault, Loaded, MemoryUse, OutOfMemory, Traffic};
use kernel::KernelId;
use memory::Pool;
use plan::{Launcher, ParamKind};
use prim::{Const, Ty, Widths};
use schedule::Target;
use std::cell::{Cell, RefCell};
use std::marker::PhantomData;
use std::rc::Rc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A kind of machine that plans are made for.
pub trait Machine: Clone + Send + Sync + 'static {
    /// The properties that the schedule knows.
    const TARGET: Target;
    /// Its name in tables.
    const NAME: &str;
}

/// Cores.
#[derive(Clone, Copy, Debug)]
pub enum Cores {}
/// A GPU.
#[derive(Clone, Copy, Debug)]
pub enum Gpu {}

impl Machine for Cores {
    const TARGET: Target = Target::CPU;
    const NAME: &str = "cores";
}
impl Machine for Gpu {
    const TARGET: Target = Target::GPU;
    const NAME: &str = "gpu";
}

/// A plan in place of the text of its kernels.
#[derive(Clone, Debug)]
pub struct Plan<M> {
    plan: Arc<plan::Program>,
    machine: PhantomData<fn() -> M>,
}

impl<M: Machine> Text for Plan<M> {
    const TARGET: Target = M::TARGET;
    const NAME: &str = M::NAME;

    fn print(_: &kernel::Program, plan: &plan::Program, _: &Print<'_>) -> Self {
        Plan { plan: Arc::new(plan.clone()), machine: PhantomData }
    }
    fn show(&self) -> String {
        self.plan.to_string()
    }
    fn kernels(&self) -> usize {
        self.plan.clusters.len()
    }
}

/// The device; a cheap handle.
#[derive(Debug)]
pub struct Counting<M> {
    pool: Arc<Pool>,
    counts: Arc<Mutex<Counts>>,
    machine: PhantomData<fn() -> M>,
}

/// Totals since they were reset.
#[derive(Clone, Copy, Default, Debug)]
struct Counts {
    traffic: Traffic,
    touched: u64,
    /// True if something was launched after the last wait.
    running: bool,
}

// Derived, these would ask the same of the kind of machine.
impl<M> Clone for Counting<M> {
    fn clone(&self) -> Self {
        Counting {
            pool: Arc::clone(&self.pool),
            counts: Arc::clone(&self.counts),
            machine: PhantomData,
        }
    }
}
impl<M> Default for Counting<M> {
    fn default() -> Self {
        Counting { pool: Arc::default(), counts: Arc::default(), machine: PhantomData }
    }
}

impl<M> Counting<M> {
    /// Starts all counts anew; memory in use counts as arguments from now on.
    pub fn reset(&self) {
        *self.counts() = Counts::default();
        self.pool.reset();
    }

    /// The most bytes in use at once beside those at the last reset.
    pub fn peak(&self) -> usize {
        self.pool.peak()
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn launched(&self) {
        let mut counts = self.counts();
        counts.traffic.launches += 1;
        counts.running = true;
    }
}

impl<M: Machine> Device for Counting<M> {
    type Text = Plan<M>;
    type Module = Arc<plan::Program>;
    type Buffer = Buffer;

    fn describe(&self) -> String {
        format!("counted, {}", M::NAME)
    }
    fn units(&self) -> usize {
        2
    }
    fn has_routines(&self) -> bool {
        false
    }
    fn allocate(&self, bytes: usize) -> Result<Buffer, OutOfMemory> {
        Ok(self.pool.allocate(bytes))
    }
    fn room(&self, bytes: usize) -> Result<Buffer, OutOfMemory> {
        Ok(self.pool.room(bytes))
    }
    fn settle(&self, room: &Buffer, bytes: usize) {
        room.settle(bytes);
    }
    fn upload(&self, bytes: &Arc<value::Buffer>) -> Result<Buffer, OutOfMemory> {
        Ok(Buffer::of_host(bytes.as_slice()))
    }
    fn cell(&self) -> Result<Buffer, OutOfMemory> {
        Ok(Buffer::of_host(&[0; 8]))
    }
    fn wait(&self) -> Result<(), Failure> {
        let mut counts = self.counts();
        counts.traffic.waits += u64::from(counts.running);
        counts.running = false;
        Ok(())
    }
    fn read(&self, buffer: &Buffer, from: usize, bytes: &mut [u8]) {
        bytes.copy_from_slice(&buffer.bytes()[from..from + bytes.len()]);
    }
    fn download(&self, buffer: &Buffer) -> Result<Arc<value::Buffer>, OutOfMemory> {
        let copy = value::Buffer::copy_of(&buffer.bytes());
        let no_room =
            |error: value::OutOfMemory| OutOfMemory { asked: error.bytes, used: 0, cap: 0 };
        copy.map(Arc::new).map_err(no_room)
    }
    fn zero(&self, buffer: &Buffer, bytes: usize) {
        buffer.bytes()[..bytes].fill(0);
        if bytes > 0 {
            self.launched();
        }
    }
    fn copy(&self, from: &Buffer, to: &Buffer, bytes: usize) {
        let copied = from.bytes()[..bytes].to_vec();
        to.bytes()[..bytes].copy_from_slice(&copied);
        if bytes > 0 {
            self.launched();
        }
    }
    fn size(&self, buffer: &Buffer) -> usize {
        buffer.used()
    }
    fn capacity(&self, buffer: &Buffer) -> usize {
        buffer.bytes().len()
    }
    fn filled(&self, buffer: &Buffer) -> Option<usize> {
        buffer.filled()
    }
    fn fill(&self, buffer: &Buffer, bytes: Option<usize>) {
        buffer.fill(bytes);
    }
    fn is_shared(&self, buffer: &Buffer) -> bool {
        buffer.is_shared()
    }
    fn is_same(&self, a: &Buffer, b: &Buffer) -> bool {
        a.is_same(b)
    }
    fn memory(&self) -> MemoryUse {
        self.pool.memory()
    }
    fn touched(&self) -> u64 {
        self.counts().touched
    }
    fn traffic(&self) -> Traffic {
        self.counts().traffic
    }
    fn load(&self, text: &Plan<M>) -> Result<Loaded<Arc<plan::Program>>, Diagnostic> {
        Ok(Loaded { module: Arc::clone(&text.plan), cached: false, notes: Vec::new() })
    }

    unsafe fn launch(
        &self,
        program: &Arc<plan::Program>,
        kernel: KernelId,
        args: &[Argument<'_, Buffer>],
        _: usize,
    ) -> Result<(), Failure> {
        self.launched();
        let id: plan::ClusterId = Id::new(kernel.index());
        let cluster = &program.clusters[id];
        let kinds = cluster.params.iter().map(|p| (p.kind, cluster.refs[p.name].ty));
        let bound: Vec<Bound<'_>> = args
            .iter()
            .zip(kinds)
            .map(|(&arg, kind)| Bound::new(program.widths, arg, kind))
            .collect();
        let given: Vec<plan::Argument> = bound.iter().map(|bound| bound.given.clone()).collect();
        let evaluator = plan::Evaluator::new(program);
        let done = evaluator.launch(id, &given);
        self.counts().touched += evaluator.counts().touched();
        done.map_err(|error| failure(&error))?;
        bound.iter().for_each(|bound| bound.write_back(program.widths));
        Ok(())
    }
}

fn failure(failure: &plan::Failure) -> Failure {
    if failure.message.is_some() {
        let bug = "a cluster raised an error of the program's own";
        return Failure::Broken(Box::new(Diagnostic::new(Kind::Bug, bug)));
    }
    let (site, span, args) = (failure.fault.site, failure.fault.span, failure.fault.args);
    Failure::Fault(Fault { site, span, operands: args, positions: Vec::new() })
}

/// An argument of a launch as the evaluator takes it, and the memory that it stands for.
struct Bound<'a> {
    given: plan::Argument,
    /// Memory that is written: from this byte on, elements of this type, which were these before.
    written: Option<(&'a Buffer, usize, Ty, Vec<Option<Const>>)>,
}

impl<'a> Bound<'a> {
    fn new(widths: Widths, arg: Argument<'a, Buffer>, (kind, ty): (ParamKind, Ty)) -> Bound<'a> {
        let (buffer, from) = match arg {
            Argument::Scalar(c) => {
                return Bound { given: plan::Argument::Scalar(c), written: None };
            }
            Argument::Buffer(buffer) => (buffer, 0),
            Argument::Past(buffer, from) => (buffer, from),
        };
        if kind == ParamKind::Set {
            let given = plan::Argument::Set(Rc::default());
            return Bound { given, written: Some((buffer, 0, ty, Vec::new())) };
        }
        let elements = elements(widths, ty, &buffer.bytes()[from..]);
        let is_written = kind == ParamKind::Out;
        let written = is_written.then(|| (buffer, from, ty, elements.clone()));
        let given = plan::Argument::Buffer(Rc::new(RefCell::new(elements)));
        Bound { given, written }
    }

    /// Elements that changed; others may belong to another argument of the same memory.
    fn write_back(&self, widths: Widths) {
        let Some((buffer, from, ty, before)) = &self.written else { return };
        let put = |at: usize, value: Const| {
            let size = widths.size(*ty);
            let start = from + at * size;
            let bits = widths.bits(value).to_le_bytes();
            buffer.bytes()[start..start + size].copy_from_slice(&bits[..size]);
        };
        match &self.given {
            plan::Argument::Set(cell) => {
                if let Some(value) = Cell::get(cell) {
                    put(0, value);
                }
            }
            plan::Argument::Buffer(memory) => {
                for (at, (new, old)) in memory.borrow().iter().zip(before).enumerate() {
                    let bits = |element: &Option<Const>| element.map(|c| widths.bits(c));
                    if let Some(value) = new
                        && bits(new) != bits(old)
                    {
                        put(at, *value);
                    }
                }
            }
            plan::Argument::Scalar(_) => {}
        }
    }
}

/// The elements that lie in memory as these bytes.
fn elements(widths: Widths, ty: Ty, bytes: &[u8]) -> Vec<Option<Const>> {
    let element = |bytes: &[u8]| {
        let mut bits = [0; 8];
        bits[..bytes.len()].copy_from_slice(bytes);
        Some(widths.from_bits(ty, u64::from_le_bytes(bits)))
    };
    bytes.chunks_exact(widths.size(ty)).map(element).collect()
}
