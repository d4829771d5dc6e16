//! The meaning of nest programs, executed lane after lane on nested values.
//!
//! Stops at the first failure in the order of the program.  Calls, lanes and arms are kept on a
//! stack of our own: runaway recursion is a failure and does not touch the host's stack.  What the
//! program promises without a check — slices inside their sequence, lengths of pieces that fit — is
//! checked here; a broken promise is a bug of the pass before and panics with the statement.

use crate::ir::{Block, Each, Func, Function, Op, Program, Stmt, Value};
use crate::op;
use crate::print::statement;
use base::{IdMap, Site, Span};
use prim::{Const, Widths};
use std::fmt;
use std::rc::Rc;

/// A value of the source language.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Datum {
    /// A scalar.
    Scalar(Const),
    /// A sequence, shared by all who have it.
    Seq(Rc<Vec<Datum>>),
    /// A tuple.
    Tuple(Vec<Datum>),
}

impl Datum {
    /// A sequence of these.
    pub fn seq(items: impl IntoIterator<Item = Datum>) -> Datum {
        Datum::Seq(Rc::new(items.into_iter().collect()))
    }
    /// An int.
    pub fn int(n: i64) -> Datum {
        Datum::Scalar(Const::I64(n))
    }
    /// A sequence of ints.
    pub fn ints(items: impl IntoIterator<Item = i64>) -> Datum {
        Datum::seq(items.into_iter().map(Datum::int))
    }
    /// The scalar; a bug if it is none.
    pub fn scalar(&self) -> Const {
        match self {
            Datum::Scalar(c) => *c,
            Datum::Seq(_) | Datum::Tuple(_) => unreachable!("{self} is no scalar"),
        }
    }
    /// The items; a bug if it is no sequence.
    pub fn items(&self) -> &Rc<Vec<Datum>> {
        match self {
            Datum::Seq(items) => items,
            Datum::Scalar(_) | Datum::Tuple(_) => unreachable!("{self} is no sequence"),
        }
    }
    /// The characters; a bug if it is no string.
    pub fn chars(&self) -> Vec<u8> {
        self.items().iter().map(|c| c.scalar().char()).collect()
    }
}

/// `[1 2]`, `(1, T)`.
impl fmt::Display for Datum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Datum::Scalar(c) => write!(f, "{c}"),
            Datum::Seq(items) => write!(f, "[{}]", base::print::join(items.iter(), " ")),
            Datum::Tuple(parts) => write!(f, "({})", base::print::join(parts, ", ")),
        }
    }
}

/// A run-time error.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// The kind of error.
    pub site: Site,
    /// The source text at fault.
    pub span: Span,
    /// Ints for the message.
    pub args: [i64; 2],
    /// The text of `error(message)`.
    pub message: Option<Vec<u8>>,
}

impl Fault {
    pub(crate) fn new(site: Site, span: Span, args: [i64; 2]) -> Fault {
        Fault { site, span, args, message: None }
    }
}

/// Calls under way at one time, above which memory counts as exhausted.
pub const MAX_CALLS: usize = 1 << 14;

/// Calls a function of a verified program.
pub fn eval(program: &Program, func: Func, args: Vec<Datum>) -> Result<Datum, Fault> {
    let mut machine = Machine { program, calls: vec![Frame::new(program, func, args)] };
    loop {
        if let Some(result) = machine.step()? {
            return Ok(result);
        }
    }
}

/// A call under way.
pub(crate) struct Frame<'a> {
    pub(crate) widths: Widths,
    pub(crate) function: &'a Function,
    values: IdMap<Value, Option<Datum>>,
    /// The open blocks, innermost last; each but the first belongs to a statement.
    open: Vec<Open<'a>>,
}

/// A block under way.
struct Open<'a> {
    block: &'a Block,
    /// The next statement.
    at: usize,
    exit: Exit<'a>,
}

/// What happens with the value of a block.
enum Exit<'a> {
    /// It is the result of the call.
    Return,
    /// It is the value of the `if`.
    Arm(Value),
    /// It tells whether the lane is wanted.
    Test(Lanes<'a>),
    /// It is the element of the lane.
    Body(Lanes<'a>),
}

/// An apply-to-each under way.
struct Lanes<'a> {
    each: &'a Each,
    /// Its value.
    value: Value,
    sources: Vec<Rc<Vec<Datum>>>,
    /// The lane being run.
    lane: usize,
    done: Vec<Datum>,
}

impl<'a> Frame<'a> {
    fn new(program: &'a Program, func: Func, args: Vec<Datum>) -> Self {
        let function = &program.funcs[func];
        assert_eq!(args.len(), function.params.len(), "arguments of {func} {}", function.name);
        let mut values: IdMap<Value, Option<Datum>> = function.values.ids().map(|_| None).collect();
        for (&param, arg) in function.params.iter().zip(args) {
            values[param] = Some(arg);
        }
        let open = vec![Open { block: &function.body, at: 0, exit: Exit::Return }];
        Frame { widths: program.widths, function, values, open }
    }

    pub(crate) fn get(&self, value: Value) -> &Datum {
        self.values[value].as_ref().unwrap_or_else(|| panic!("bug: {value} has no value yet"))
    }

    fn set(&mut self, value: Value, datum: Datum) {
        self.values[value] = Some(datum);
    }

    /// A broken promise of a statement.
    pub(crate) fn bug(&self, stmt: &Stmt, message: &str) -> ! {
        let text = statement(self.function, stmt);
        panic!("bug: {message} in {}\n{text}", self.function.name)
    }

    fn begin_each(&mut self, each: &'a Each, stmt: &Stmt) -> Result<(), Fault> {
        let sources: Vec<Rc<Vec<Datum>>> =
            each.generators.iter().map(|g| self.get(g.1).items().clone()).collect();
        let length = sources[0].len();
        if let Some(other) = sources.iter().find(|s| s.len() != length) {
            let args = [length as i64, other.len() as i64];
            return Err(Fault::new(Site::Length, stmt.span, args));
        }
        self.run_lane(Lanes { each, value: stmt.value, sources, lane: 0, done: Vec::new() });
        Ok(())
    }

    /// Starts the current lane, or ends the apply-to-each if there is none.
    fn run_lane(&mut self, lanes: Lanes<'a>) {
        let each = lanes.each;
        if lanes.lane == lanes.sources[0].len() {
            return self.set(lanes.value, Datum::seq(lanes.done));
        }
        for (generator, source) in each.generators.iter().zip(&lanes.sources) {
            self.values[generator.0] = Some(source[lanes.lane].clone());
        }
        self.open.push(match &each.test {
            Some(test) => Open { block: test, at: 0, exit: Exit::Test(lanes) },
            None => Open { block: &each.body, at: 0, exit: Exit::Body(lanes) },
        });
    }

    /// Goes on after a block with this value; gives it back if it is the result of the call.
    fn end_block(&mut self, exit: Exit<'a>, result: Datum) -> Option<Datum> {
        match exit {
            Exit::Return => return Some(result),
            Exit::Arm(value) => self.set(value, result),
            Exit::Test(lanes) if result.scalar().bool() => {
                let block = &lanes.each.body;
                self.open.push(Open { block, at: 0, exit: Exit::Body(lanes) });
            }
            Exit::Test(mut lanes) => {
                lanes.lane += 1;
                self.run_lane(lanes);
            }
            Exit::Body(mut lanes) => {
                lanes.done.push(result);
                lanes.lane += 1;
                self.run_lane(lanes);
            }
        }
        None
    }
}

struct Machine<'a> {
    program: &'a Program,
    /// Innermost last; the statement under way of each but the last is a call.
    calls: Vec<Frame<'a>>,
}

impl<'a> Machine<'a> {
    /// Executes a statement or ends a block; gives the result of the first call at its end.
    fn step(&mut self) -> Result<Option<Datum>, Fault> {
        let depth = self.calls.len();
        let Some(frame) = self.calls.last_mut() else { return Ok(None) };
        let Some(mut open) = frame.open.pop() else { return Ok(None) };
        let block: &'a Block = open.block;
        let Some(stmt) = block.stmts.get(open.at) else {
            let result = frame.get(block.result).clone();
            return Ok(match frame.end_block(open.exit, result) {
                Some(result) => self.end_call(result),
                None => None,
            });
        };
        open.at += 1;
        frame.open.push(open);
        match &stmt.op {
            Op::Call(func, args) => {
                if depth >= MAX_CALLS {
                    return Err(Fault::new(Site::Memory, stmt.span, [0, 0]));
                }
                let args = args.iter().map(|&a| frame.get(a).clone()).collect();
                self.calls.push(Frame::new(self.program, *func, args));
            }
            Op::If(cond, then, els) => {
                let arm = if frame.get(*cond).scalar().bool() { then } else { els };
                frame.open.push(Open { block: arm, at: 0, exit: Exit::Arm(stmt.value) });
            }
            Op::Each(each) => frame.begin_each(each, stmt)?,
            _ => {
                let datum = op::run(frame, stmt)?;
                frame.set(stmt.value, datum);
            }
        }
        Ok(None)
    }

    /// Hands a result to the caller; gives it back if there is none.
    fn end_call(&mut self, result: Datum) -> Option<Datum> {
        self.calls.pop();
        let Some(caller) = self.calls.last_mut() else { return Some(result) };
        let at = caller.open.last().map(|open| open.block.stmts[open.at - 1].value);
        if let Some(value) = at {
            caller.set(value, result);
        }
        None
    }
}
