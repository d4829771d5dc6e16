//! The meaning of flat programs: every operation by its definition, lane by lane.
//!
//! Slow and plain on purpose.  It stops at the first fault in the order of the program and of the
//! lanes, counts what is touched, and checks what the verifier cannot: that reads stay inside their
//! vectors and that vectors have the lengths of their domains.  Where they do not, the pass before
//! has a bug, and the evaluator panics with the statement.
//!
//! * A negative length counts as 0.
//! * A `scatter write` to a position outside the target is left out; to one written before, it
//!   wins.
//! * Calls are kept on a stack of our own: runaway recursion is a fault.

use crate::ir::{
    Block, Domain, Func, Function, Op, Operand, Program, Space, SpaceKind, Stmt, Value,
};
use crate::lanes;
use crate::print::statement;
use base::{Id, IdMap, Site};
use prim::{Const, Ty, Widths};
use scalar::{Env, Fault};
use std::cell::Cell;
use std::rc::Rc;

/// What a value holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Data {
    /// A scalar.
    Scalar(Const),
    /// A vector, shared by all who have it.
    Vector(Rc<Vec<Const>>),
}

impl Data {
    /// A vector of these elements.
    pub fn vector(elements: impl IntoIterator<Item = Const>) -> Data {
        Data::Vector(Rc::new(elements.into_iter().collect()))
    }
    /// A vector of ints.
    pub fn ints(elements: impl IntoIterator<Item = i64>) -> Data {
        Data::vector(elements.into_iter().map(Const::I64))
    }
    /// The scalar; a bug if it is none.
    pub fn scalar(&self) -> Const {
        match self {
            Data::Scalar(c) => *c,
            Data::Vector(_) => unreachable!("a vector in place of a scalar"),
        }
    }
    /// The elements; a bug if it is no vector.
    pub fn elements(&self) -> &Rc<Vec<Const>> {
        match self {
            Data::Vector(elements) => elements,
            Data::Scalar(_) => unreachable!("a scalar in place of a vector"),
        }
    }
}

/// A run-time error of a flat program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// The kind of error, its place, the ints of its message.
    pub fault: Fault,
    /// The parameters of the lane that failed; empty at the root.
    pub lane: Vec<i64>,
    /// The text of `error(message)`.
    pub message: Option<Vec<u8>>,
}

/// How much was done.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Counts {
    /// Bulk operations run, literals and those at the root included.
    pub operations: u64,
    /// Lanes that ran code.
    pub lanes: u64,
    /// Elements read by code.
    pub reads: u64,
    /// Elements of results.
    pub writes: u64,
}

impl Counts {
    /// Elements read or written.
    pub fn touched(&self) -> u64 {
        self.reads + self.writes
    }
}

/// Calls under way at one time, above which memory counts as exhausted.
pub const MAX_CALLS: usize = 1 << 14;

/// Calls a function of a verified program.
pub fn eval(program: &Program, func: Func, args: Vec<Data>) -> Result<Vec<Data>, Failure> {
    Evaluator::new(program).call(func, args)
}

/// Sees each call that ends, before its values are gone.
pub(crate) type Watch<'a> = &'a dyn Fn(Func, &Frame<'_>);

/// Runs functions of a program and counts.
pub struct Evaluator<'a> {
    program: &'a Program,
    counts: Cell<Counts>,
    watch: Option<Watch<'a>>,
}

impl std::fmt::Debug for Evaluator<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Evaluator").field("counts", &self.counts).finish_non_exhaustive()
    }
}

impl<'a> Evaluator<'a> {
    /// Nothing counted yet.
    pub fn new(program: &'a Program) -> Self {
        Evaluator { program, counts: Cell::default(), watch: None }
    }

    /// One that shows each call that ends.
    pub(crate) fn watched(program: &'a Program, watch: Watch<'a>) -> Self {
        Evaluator { watch: Some(watch), ..Evaluator::new(program) }
    }

    /// What was done so far.
    pub fn counts(&self) -> Counts {
        self.counts.get()
    }

    pub(crate) fn count(&self, change: impl FnOnce(&mut Counts)) {
        let mut counts = self.counts.get();
        change(&mut counts);
        self.counts.set(counts);
    }

    /// Calls a function; the arguments are one `Data` for each of its parameters.
    pub fn call(&self, func: Func, args: Vec<Data>) -> Result<Vec<Data>, Failure> {
        let mut calls = vec![Frame::new(self, func, args, &[])];
        loop {
            let depth = calls.len();
            let Some(frame) = calls.last_mut() else { return Ok(Vec::new()) };
            match frame.next() {
                Step::Stmt(stmt) => match &stmt.op {
                    Op::Call(callee, operands) => {
                        if depth >= MAX_CALLS {
                            let (site, args) = (Site::Memory, [0, 0]);
                            let fault = Fault { site, span: stmt.span, args };
                            return Err(Failure { fault, lane: Vec::new(), message: None });
                        }
                        let args = operands.iter().map(|&o| frame.operand(o)).collect();
                        calls.push(Frame::new(self, *callee, args, &stmt.results));
                    }
                    Op::If(cond, then, els) => {
                        let arm = if frame.operand(*cond).scalar().bool() { then } else { els };
                        frame.open.push(Open { block: arm, at: 0, results: &stmt.results });
                    }
                    _ => frame.bulk(stmt)?,
                },
                Step::EndOfArm(results, values) => frame.define(results, values),
                Step::EndOfCall(values) => {
                    let results = frame.results;
                    if let Some(watch) = self.watch {
                        watch(frame.func, frame);
                    }
                    calls.pop();
                    match calls.last_mut() {
                        None => return Ok(values),
                        Some(caller) => caller.define(results, values),
                    }
                }
            }
        }
    }
}

/// A call under way.
pub(crate) struct Frame<'a> {
    evaluator: &'a Evaluator<'a>,
    func: Func,
    pub(crate) function: &'a Function,
    values: IdMap<Value, Option<Data>>,
    /// The open blocks, innermost last.
    open: Vec<Open<'a>>,
    /// Where the caller wants the results.
    results: &'a [Value],
}

/// A block under way.
struct Open<'a> {
    block: &'a Block,
    /// The next statement.
    at: usize,
    /// Where the values of the arm go.
    results: &'a [Value],
}

/// What a call does next.
enum Step<'a> {
    Stmt(&'a Stmt),
    EndOfArm(&'a [Value], Vec<Data>),
    EndOfCall(Vec<Data>),
}

impl<'a> Frame<'a> {
    fn new(
        evaluator: &'a Evaluator<'a>,
        func: Func,
        args: Vec<Data>,
        results: &'a [Value],
    ) -> Frame<'a> {
        let function = &evaluator.program.funcs[func];
        assert_eq!(args.len(), function.params.len(), "arguments of {func} {}", function.name);
        let values = function.values.ids().map(|_| None).collect();
        let open = vec![Open { block: &function.body, at: 0, results: &[] }];
        let mut frame = Frame { evaluator, func, function, values, open, results };
        frame.define(&function.params, args);
        frame
    }

    /// The next statement, or what ends.
    fn next(&mut self) -> Step<'a> {
        let Some(open) = self.open.last_mut() else { return Step::EndOfCall(Vec::new()) };
        let block = open.block;
        if let Some(stmt) = block.stmts.get(open.at) {
            open.at += 1;
            return Step::Stmt(stmt);
        }
        let results = open.results;
        let values = block.yields.iter().map(|&o| self.operand(o)).collect();
        self.open.pop();
        if self.open.is_empty() { Step::EndOfCall(values) } else { Step::EndOfArm(results, values) }
    }

    fn bulk(&mut self, stmt: &Stmt) -> Result<(), Failure> {
        self.evaluator.count(|c| c.operations += 1);
        let results = lanes::run(self, stmt)?;
        for data in &results {
            if let Data::Vector(elements) = data {
                self.evaluator.count(|c| c.writes += elements.len() as u64);
            }
        }
        self.define(&stmt.results, results);
        Ok(())
    }

    /// Gives values their data and checks that they have the lengths of their domains.
    fn define(&mut self, values: &[Value], data: Vec<Data>) {
        for (&value, data) in values.iter().zip(data) {
            self.values[value] = Some(data);
        }
        for &value in values {
            let wanted = match self.function.values[value].domain {
                Domain::Scalar | Domain::Pool => continue,
                Domain::Lanes(space) => self.lanes(space),
                Domain::Offsets(space) => self.lanes(space) + 1,
            };
            let found = self.data(value).elements().len();
            let name = &self.function.name;
            assert_eq!(
                found,
                wanted,
                "bug: elements of {value} in {name}\n{}",
                self.function_text()
            );
        }
    }

    fn function_text(&self) -> String {
        let mut printer = base::Printer::new();
        crate::print::print_function(&mut printer, Func::new(0), self.function);
        printer.text()
    }

    /// Whether a value was made.
    pub(crate) fn has(&self, value: Value) -> bool {
        self.values.get(value).is_some_and(Option::is_some)
    }

    pub(crate) fn data(&self, value: Value) -> &Data {
        self.values[value].as_ref().unwrap_or_else(|| panic!("bug: {value} has no value yet"))
    }

    pub(crate) fn operand(&self, operand: Operand) -> Data {
        match operand {
            Operand::Value(v) => self.data(v).clone(),
            Operand::Const(c) => Data::Scalar(c),
        }
    }

    /// The number of lanes of a space.
    pub(crate) fn lanes(&self, space: Space) -> usize {
        match self.function.spaces[space].kind {
            SpaceKind::Root => 1,
            SpaceKind::Regular(parent, len) => self.lanes(parent) * self.regular(len),
            SpaceKind::Packed(_, offsets) => {
                let end = self.data(offsets).elements().last().map_or(0, |c| c.int());
                usize::try_from(end).unwrap_or(0)
            }
        }
    }

    fn regular(&self, len: Operand) -> usize {
        usize::try_from(self.operand(len).scalar().int()).unwrap_or(0)
    }

    /// Where the segments of a space begin, and the end: one number more than its parent has lanes.
    pub(crate) fn starts(&self, space: Space) -> Vec<usize> {
        match self.function.spaces[space].kind {
            SpaceKind::Root => vec![0, 1],
            SpaceKind::Regular(parent, len) => {
                let len = self.regular(len);
                (0..=self.lanes(parent)).map(|lane| lane * len).collect()
            }
            SpaceKind::Packed(_, offsets) => {
                let offsets = self.data(offsets).elements();
                offsets.iter().map(|c| usize::try_from(c.int()).unwrap_or(0)).collect()
            }
        }
    }

    /// A failure that names a statement: what should not happen.
    pub(crate) fn bug(&self, stmt: &Stmt, message: &str) -> ! {
        panic!("bug: {message} in {}\n{}", self.function.name, statement(self.function, stmt))
    }

    pub(crate) fn count(&self, change: impl FnOnce(&mut Counts)) {
        self.evaluator.count(change);
    }
}

impl Env<Value> for Frame<'_> {
    fn widths(&self) -> Widths {
        self.evaluator.program.widths
    }
    fn outer(&self, name: Value) -> Const {
        self.data(name).scalar()
    }
    fn element(&self, vector: Value, index: i64) -> Option<Const> {
        self.evaluator.count(|c| c.reads += 1);
        self.data(vector).elements().get(usize::try_from(index).ok()?).copied()
    }
    fn function(&self, func: scalar::Func) -> &scalar::Function {
        &self.evaluator.program.scalars[func]
    }
}

/// A vector of this length without values.
pub(crate) fn zeros(ty: Ty, len: usize) -> Vec<Const> {
    vec![ty.zero(); len]
}
