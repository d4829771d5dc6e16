//! The meaning of plans: steps one after the other, clusters by the definition of their nodes.
//!
//! Slow and plain on purpose.  It stops at the first fault in the order of steps, nodes and lanes,
//! counts launches and the elements of buffers that are touched, and checks what the verifier
//! cannot: that reads stay inside their buffers and see only elements that were written.  Where
//! they do not, the pass before has a bug, and the evaluator panics.
//!
//! * A negative length counts as 0.
//! * A position outside the extent of a scatter is left out, like a negative one.
//! * Calls are kept on a stack of our own: runaway recursion is a fault.

mod lanes;

use crate::ir::{
    Arg, Block, Buffer, ClusterId, Func, Function, ParamKind, Place, Program, Slot, Step,
};
use base::{IdMap, Site, Span};
use prim::{Const, Ty, Widths};
use scalar::{Env, Fault};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// Elements of a buffer, shared by all who name it; some may not be written yet.
pub type Memory = Rc<RefCell<Vec<Option<Const>>>>;

/// What is handed over.
#[derive(Clone, PartialEq, Debug)]
pub enum Data {
    /// A scalar.
    Scalar(Const),
    /// A buffer; it may be longer than what it holds.
    Buffer(Memory),
}

impl Data {
    /// A buffer of these elements.
    pub fn buffer(elements: impl IntoIterator<Item = Const>) -> Data {
        Data::Buffer(Rc::new(RefCell::new(elements.into_iter().map(Some).collect())))
    }
    fn scalar(&self) -> Const {
        match self {
            Data::Scalar(c) => *c,
            Data::Buffer(_) => unreachable!("a buffer in place of a scalar"),
        }
    }
    fn memory(&self) -> Memory {
        match self {
            Data::Buffer(memory) => memory.clone(),
            Data::Scalar(c) => unreachable!("the scalar {c} in place of a buffer"),
        }
    }
}

/// A run-time error of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// The kind of error, its place, the ints of its message.
    pub fault: Fault,
    /// The text of `error(message)`.
    pub message: Option<Vec<u8>>,
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Failure {
        Failure { fault, message: None }
    }
}

/// How much was done.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Counts {
    /// Clusters launched.
    pub launches: u64,
    /// Elements of buffers read by code.
    pub reads: u64,
    /// Elements of buffers written by clusters.
    pub writes: u64,
}

impl Counts {
    /// Elements read or written.
    pub fn touched(&self) -> u64 {
        self.reads + self.writes
    }
}

/// What a cluster gets for one of its parameters.
#[derive(Clone, Debug)]
pub enum Argument {
    /// A scalar by value.
    Scalar(Const),
    /// A buffer to be read or written.
    Buffer(Memory),
    /// A scalar to be set.
    Set(Rc<Cell<Option<Const>>>),
}

/// Runs the clusters of a program.
pub trait Launcher {
    /// Runs a cluster; the arguments are in the order of its parameters.
    fn launch(&self, cluster: ClusterId, args: &[Argument]) -> Result<(), Failure>;
}

/// Calls under way at one time, above which memory counts as exhausted.
pub const MAX_CALLS: usize = 1 << 14;

/// Calls a plan of a verified program.
pub fn eval(program: &Program, func: Func, args: Vec<Data>) -> Result<Vec<Data>, Failure> {
    Evaluator::new(program).call(func, args)
}

/// Runs plans of a program and counts.
#[derive(Debug)]
pub struct Evaluator<'a> {
    program: &'a Program,
    counts: Cell<Counts>,
}

impl<'a> Evaluator<'a> {
    /// Nothing counted yet.
    pub fn new(program: &'a Program) -> Self {
        Evaluator { program, counts: Cell::default() }
    }

    /// What was done so far.
    pub fn counts(&self) -> Counts {
        self.counts.get()
    }

    fn count(&self, change: impl FnOnce(&mut Counts)) {
        let mut counts = self.counts.get();
        change(&mut counts);
        self.counts.set(counts);
    }

    /// Calls a plan.
    pub fn call(&self, func: Func, args: Vec<Data>) -> Result<Vec<Data>, Failure> {
        run(self.program, func, args, self)
    }
}

impl Launcher for Evaluator<'_> {
    fn launch(&self, cluster: ClusterId, args: &[Argument]) -> Result<(), Failure> {
        self.count(|c| c.launches += 1);
        lanes::run(self, cluster, args)
    }
}

/// Calls a plan whose clusters are run by `launcher`.
pub fn run(
    program: &Program,
    func: Func,
    args: Vec<Data>,
    launcher: &dyn Launcher,
) -> Result<Vec<Data>, Failure> {
    let mut calls = vec![Frame::new(program, func, args, &[])];
    loop {
        let depth = calls.len();
        let Some(frame) = calls.last_mut() else { return Ok(Vec::new()) };
        match frame.next() {
            Next::Step(Step::Call { results, func, args, span }) => {
                if depth >= MAX_CALLS {
                    return Err(Fault { site: Site::Memory, span: *span, args: [0, 0] }.into());
                }
                let args = args.iter().map(|&a| frame.data(a)).collect();
                calls.push(Frame::new(program, *func, args, results));
            }
            Next::Step(step) => frame.step(step, launcher)?,
            Next::EndOfArm(results, values) => frame.set_all(results, values),
            Next::EndOfCall(values) => {
                let results = frame.results;
                calls.pop();
                match calls.last_mut() {
                    None => return Ok(values),
                    Some(caller) => caller.set_all(results, values),
                }
            }
        }
    }
}

/// A call under way.
struct Frame<'a> {
    program: &'a Program,
    function: &'a Function,
    slots: IdMap<Slot, Option<Const>>,
    buffers: IdMap<Buffer, Option<Memory>>,
    /// The open blocks, innermost last.
    open: Vec<Open<'a>>,
    /// Where the caller wants the results.
    results: &'a [Place],
}

/// A block under way.
struct Open<'a> {
    block: &'a Block,
    /// The next step.
    at: usize,
    /// Where the values of the arm go.
    results: &'a [Place],
}

/// What a call does next.
enum Next<'a> {
    Step(&'a Step),
    EndOfArm(&'a [Place], Vec<Data>),
    EndOfCall(Vec<Data>),
}

impl<'a> Frame<'a> {
    fn new(program: &'a Program, func: Func, args: Vec<Data>, results: &'a [Place]) -> Frame<'a> {
        let function = &program.funcs[func];
        assert_eq!(args.len(), function.params.len(), "arguments of {func} {}", function.name);
        let slots = function.slots.ids().map(|_| None).collect();
        let buffers = function.buffers.ids().map(|_| None).collect();
        let open = vec![Open { block: &function.body, at: 0, results: &[] }];
        let mut frame = Frame { program, function, slots, buffers, open, results };
        frame.set_all(&function.params, args);
        frame
    }

    /// The next step, or what ends.
    fn next(&mut self) -> Next<'a> {
        let Some(open) = self.open.last_mut() else { return Next::EndOfCall(Vec::new()) };
        let (block, results) = (open.block, open.results);
        if let Some(step) = block.steps.get(open.at) {
            open.at += 1;
            return Next::Step(step);
        }
        let values = block.yields.iter().map(|&y| self.data(y)).collect();
        self.open.pop();
        if self.open.is_empty() { Next::EndOfCall(values) } else { Next::EndOfArm(results, values) }
    }

    fn set_all(&mut self, places: &[Place], data: Vec<Data>) {
        for (&place, data) in places.iter().zip(data) {
            match place {
                Place::Slot(slot) => self.slots[slot] = Some(data.scalar()),
                Place::Buffer(buffer) => self.buffers[buffer] = Some(data.memory()),
            }
        }
    }

    fn data(&self, arg: Arg) -> Data {
        match arg {
            Arg::Const(c) => Data::Scalar(c),
            Arg::Slot(slot) => Data::Scalar(self.slot(slot)),
            Arg::Buffer(buffer) => Data::Buffer(self.buffer(buffer)),
            Arg::Past(..) => unreachable!("{arg} beside no launch"),
        }
    }

    fn slot(&self, slot: Slot) -> Const {
        self.slots[slot].unwrap_or_else(|| panic!("bug: {slot} has no value yet"))
    }

    fn buffer(&self, buffer: Buffer) -> Memory {
        self.buffers[buffer].clone().unwrap_or_else(|| panic!("bug: {buffer} is not there"))
    }

    /// The value of a length.
    fn length(&self, arg: Arg) -> usize {
        usize::try_from(self.data(arg).scalar().int()).unwrap_or(0)
    }

    fn make(&mut self, buffer: Buffer, elements: Vec<Option<Const>>) {
        self.buffers[buffer] = Some(Rc::new(RefCell::new(elements)));
    }

    fn ty(&self, buffer: Buffer) -> Ty {
        self.function.buffers[buffer].ty
    }

    fn step(&mut self, step: &'a Step, launcher: &dyn Launcher) -> Result<(), Failure> {
        match step {
            // What is over another is memory of its own here: nodes run one after the other, and
            // would read what was overwritten.  The evaluator of kernels checks that lanes do not.
            Step::Alloc { buffer, len, .. } | Step::Room { buffer, len, .. } => {
                self.make(*buffer, vec![None; self.length(*len)]);
            }
            Step::Zero { buffer, len, .. } => {
                self.make(*buffer, vec![Some(self.ty(*buffer).zero()); self.length(*len)]);
            }
            Step::Literal(buffer, consts) => {
                self.make(*buffer, consts.iter().map(|&c| Some(c)).collect());
            }
            Step::Alias(buffer, from) => self.buffers[*buffer] = Some(self.buffer(*from)),
            Step::Copy { buffer, from, len, .. } => {
                let (from, len) = (self.buffer(*from), self.length(*len));
                let elements = from.borrow().get(..len).map(<[_]>::to_vec);
                self.make(*buffer, elements.unwrap_or_else(|| panic!("bug: a copy of too much")));
            }
            // Memory is never shared here.
            Step::Behind { begin, alone, from, used, .. } => {
                let used = self.data(*used).scalar();
                let all = || Const::I64(self.buffer(from[0]).borrow().len() as i64);
                self.slots[*begin] = Some(if used.int() < 0 { all() } else { used });
                self.slots[*alone] = Some(Const::Bool(true));
            }
            Step::Grow { buffer, from, used, len, .. } => {
                let (from, used) = (self.buffer(*from), self.length(*used));
                let mut elements = from
                    .borrow()
                    .get(..used)
                    .map_or_else(|| panic!("bug: more is kept than there is"), <[_]>::to_vec);
                elements.resize(self.length(*len), None);
                self.make(*buffer, elements);
            }
            Step::Eval { results, code } => {
                for (&slot, value) in results.iter().zip(scalar::eval(code, &[], self)?) {
                    self.slots[slot] = Some(value);
                }
            }
            Step::Launch { cluster, args, .. } => self.launch(*cluster, args, launcher)?,
            Step::If { results, cond, then, els } => {
                let block = if self.data(*cond).scalar().bool() { then } else { els };
                self.open.push(Open { block, at: 0, results });
            }
            Step::Fail { start, len, chars, span } => {
                return Err(self.raised(*start, *len, *chars, *span));
            }
            Step::Free(buffer) => self.buffers[*buffer] = None,
            Step::Call { .. } => unreachable!("calls change the stack"),
        }
        Ok(())
    }

    fn launch(
        &mut self,
        id: ClusterId,
        args: &[Arg],
        launcher: &dyn Launcher,
    ) -> Result<(), Failure> {
        let params = &self.program.clusters[id].params;
        let bound: Vec<Argument> = params
            .iter()
            .zip(args)
            .map(|(param, &arg)| match param.kind {
                ParamKind::Scalar => Argument::Scalar(self.data(arg).scalar()),
                ParamKind::In | ParamKind::Out => Argument::Buffer(self.handed(arg)),
                ParamKind::Set => Argument::Set(Rc::default()),
            })
            .collect();
        launcher.launch(id, &bound)?;
        for (argument, &arg) in bound.iter().zip(args) {
            match (argument, arg) {
                (Argument::Set(cell), Arg::Slot(slot)) => self.slots[slot] = cell.get(),
                (Argument::Buffer(written), Arg::Past(buffer, from)) => {
                    let (whole, from) = (self.buffer(buffer), self.length(Arg::Slot(from)));
                    let mut whole = whole.borrow_mut();
                    // The gap between both may be moved with what is around it.
                    let ty = self.function.buffers[buffer].ty;
                    let gap = whole[..from].iter_mut().filter(|element| element.is_none());
                    gap.for_each(|element| *element = Some(ty.left_over()));
                    for (old, new) in whole[from..].iter_mut().zip(written.borrow().iter()) {
                        *old = new.or(*old);
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The memory that a launch gets; in place of the end of a buffer, memory of its own.
    fn handed(&self, arg: Arg) -> Memory {
        let Arg::Past(buffer, from) = arg else { return self.data(arg).memory() };
        let length = self.buffer(buffer).borrow().len();
        let past = length.saturating_sub(self.length(Arg::Slot(from)));
        Rc::new(RefCell::new(vec![None; past]))
    }

    /// The error of `error(message)`.
    fn raised(&self, start: Arg, len: Arg, chars: Buffer, span: Span) -> Failure {
        let (start, len) = (self.length(start), self.length(len));
        let memory = self.buffer(chars);
        let memory = memory.borrow();
        let Some(text) = memory.get(start..start + len) else {
            panic!("bug: a message outside {chars}")
        };
        let message = text.iter().flatten().map(|c| c.char()).collect();
        let fault = Fault { site: Site::User, span, args: [0, 0] };
        Failure { fault, message: Some(message) }
    }
}

impl Env<Place> for Frame<'_> {
    fn widths(&self) -> Widths {
        self.program.widths
    }
    fn outer(&self, name: Place) -> Const {
        match name {
            Place::Slot(slot) => self.slot(slot),
            Place::Buffer(buffer) => unreachable!("{buffer} is no scalar"),
        }
    }
    fn element(&self, vector: Place, index: i64) -> Option<Const> {
        let Place::Buffer(buffer) = vector else { unreachable!("{vector} is no vector") };
        self.buffer(buffer).borrow().get(usize::try_from(index).ok()?).copied().flatten()
    }
    fn function(&self, func: scalar::Func) -> &scalar::Function {
        &self.program.scalars[func]
    }
}
