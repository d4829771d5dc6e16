//! Help: expressions without effects that another engine evaluates.
//!
//! The interpreter evaluates expressions with effects, in the order of the language, and offers
//! each expression of the user's program to a [`Helper`].  Values pass in both directions, and
//! random numbers continue from the key of the place.  The interpreter reproduces an error of the
//! helper, because it knows the calls and lanes around it.
//!
//! ```text
//! let n = print_line("sorting") in time(sort(keys))
//!         interpreted              clock: interpreted
//!                                       sort(keys): helped
//! ```

use crate::account::Owner;
use crate::failure::Fault;
use crate::function::{Frame, Function};
use crate::machine::Machine;
use base::{Diagnostic, Kind, Site, Trail};
use std::time::{Duration, Instant};
use types::Type;
use types::tree::{Exp, ExpKind, Global, Local, Program};
use value::Value;
use value::failure::in_lanes;

/// The most work to reproduce an error of compiled code: a second at most.
pub const RETRACED: u64 = 1 << 25;

/// An engine that evaluates expressions without effects in place of the interpreter.
pub trait Helper: Send {
    /// Decides who evaluates an expression.
    fn way(&mut self, program: &Program, place: &Place<'_>) -> Way;
    /// Records the work of the interpreter for the expression of the last call of [`Self::way`].
    fn interpreted(&mut self, work: u64);
    /// The value of an expression; none if it turns out that it has to be interpreted.
    fn evaluate(&mut self, program: &Program, place: &Place<'_>) -> Option<Helped>;
    /// The value of a top-level name that the interpreter has none of.
    fn value(&mut self, program: &Program, global: Global) -> Option<Value>;
}

/// The evaluator of an expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// By the interpreter, which asks again about its parts.
    Parts,
    /// By the interpreter if it costs at most this work, else by the helper.
    Attempt(u64),
    /// By the helper.
    Helper,
}

/// The result of a helper.
pub struct Helped {
    /// The value, or an error at some place inside the expression.
    pub result: Result<Value, Diagnostic>,
    /// The time of the evaluation itself, without preparation such as compiling.
    pub running: Duration,
}

/// An expression, and where it stands in the run.
pub struct Place<'a> {
    /// The expression.
    pub exp: &'a Exp,
    /// The function whose text it stands in; none in a form.
    pub function: Option<Global>,
    /// The instances of the type variables of the definition.
    pub types: &'a [Type],
    /// The key of random numbers there.
    pub key: i64,
    /// The byte from which the sites of random numbers are counted there.
    pub origin: u32,
    /// True inside a call of `time`.
    pub measured: bool,
    frame: &'a Frame,
}

impl Place<'_> {
    /// The value of a name that is bound there.
    pub fn get(&self, local: Local) -> &Value {
        self.frame.get(local)
    }
    /// The top-level function, at types, that a value is.
    pub fn function_of(value: &Value) -> Option<(Global, Vec<Type>)> {
        match value {
            Value::Function(_) => match &*Function::of(value) {
                Function::Global(global, types) => Some((*global, types.to_vec())),
                Function::Lambda(_) => None,
            },
            _ => None,
        }
    }
}

/// The helper of a machine, and the state of their work together.
#[derive(Default)]
pub(crate) struct Help<'p> {
    helper: Option<&'p mut (dyn Helper + 'p)>,
    /// True while the machine evaluates everything itself.
    alone: bool,
    /// Calls of `time` around the present expression.
    measuring: usize,
    /// Time that passed and that no part of the program took.
    lost: Duration,
}

impl<'p> Help<'p> {
    /// Help by this one.
    pub(crate) fn by(helper: &'p mut (dyn Helper + 'p)) -> Help<'p> {
        Help { helper: Some(helper), ..Help::default() }
    }
}

impl Machine<'_> {
    /// Returns true if the helper may evaluate an expression: one of the user's, outside parallel
    /// lanes.
    #[inline]
    pub(crate) fn may_be_helped(&self, exp: &Exp, frame: &Frame) -> bool {
        self.help.helper.is_some()
            && !self.help.alone
            && self.parallel == 0
            && frame.caller.is_none()
            && !matches!(
                exp.kind,
                ExpKind::Const(_)
                    | ExpKind::Str(_)
                    | ExpKind::Local(_)
                    | ExpKind::Global(..)
                    | ExpKind::Lambda(..)
            )
    }

    /// The value of such an expression, unless it is to be interpreted as usual.
    #[inline(never)]
    pub(crate) fn helped(&mut self, exp: &Exp, frame: &mut Frame) -> Option<Result<Value, Fault>> {
        let way = self.ask(exp, frame, |helper, program, place| helper.way(program, place))?;
        if way == Way::Parts {
            return None;
        }
        let began = Instant::now();
        if let Way::Attempt(work) = way
            && let Some(result) = self.attempt(work, exp, frame)
        {
            return Some(result);
        }
        let helped =
            self.ask(exp, frame, |helper, program, place| helper.evaluate(program, place))?;
        // It may have drawn random numbers.
        self.effects += 1;
        let running = helped.as_ref().map_or(Duration::ZERO, |helped| helped.running);
        let result =
            helped.map(|helped| helped.result.map_err(|error| self.found_again(error, exp, frame)));
        self.help.lost += began.elapsed().saturating_sub(running);
        result
    }

    /// Asks the helper about an expression.
    fn ask<T>(
        &mut self,
        exp: &Exp,
        frame: &Frame,
        question: impl FnOnce(&mut dyn Helper, &Program, &Place<'_>) -> T,
    ) -> Option<T> {
        let helper = self.help.helper.take()?;
        let answer = question(helper, self.program, &self.place(exp, frame));
        self.help.helper = Some(helper);
        Some(answer)
    }

    /// The value of a top-level name that the helper has.
    pub(crate) fn lent(&mut self, global: Global) -> Option<Value> {
        self.help.helper.as_mut()?.value(self.program, global)
    }

    /// The error as the interpreter reproduces it, if kind and place are equal; else the given one.
    fn found_again(&mut self, error: Diagnostic, exp: &Exp, frame: &mut Frame) -> Fault {
        if !matches!(error.kind, Kind::Runtime(_)) {
            return Box::new(error);
        }
        match self.within(RETRACED, exp, frame) {
            Some(Err(again)) if again.kind == error.kind && again.primary == error.primary => again,
            _ => {
                self.trail = Trail::default();
                Box::new(in_lanes(error, &self.lanes))
            }
        }
    }

    /// Interprets an expression if that costs at most `work`, and reports the cost to the helper.
    fn attempt(&mut self, work: u64, exp: &Exp, frame: &mut Frame) -> Option<Result<Value, Fault>> {
        let before = self.cost().work;
        let result = self.within(work, exp, frame)?;
        let work = self.cost().work - before;
        self.ask(exp, frame, |helper, _, _| helper.interpreted(work));
        Some(result)
    }

    /// Interprets an expression.  If that costs more than `work` or runs out of memory, restores
    /// the state and returns none.
    fn within(&mut self, work: u64, exp: &Exp, frame: &mut Frame) -> Option<Result<Value, Fault>> {
        let (cost, calls, lanes, key) = (*self.cost(), self.calls, self.lanes.len(), frame.key);
        let most = cost.work.saturating_add(work);
        let usual = self.limit_work(most);
        self.help.alone = true;
        let result = self.eval(exp, frame);
        self.help.alone = false;
        self.limit_work(usual);
        let memory = Kind::Runtime(Site::Memory);
        match &result {
            Err(fault) if self.cost().work > most || fault.kind == memory => {
                (*self.cost(), self.calls, frame.key) = (cost, calls, key);
                self.lanes.truncate(lanes);
                self.parallel = 0;
                self.pending.returned(calls);
                self.trail = Trail::default();
                None
            }
            _ => Some(result),
        }
    }

    /// Evaluates what `time` measures; gives the seconds that it took.
    pub(crate) fn measured(&mut self, exp: &Exp, frame: &mut Frame) -> Result<(Value, f64), Fault> {
        let lost = self.help.lost;
        let began = Instant::now();
        self.help.measuring += 1;
        let value = self.eval(exp, frame)?;
        self.help.measuring -= 1;
        let took = began.elapsed().saturating_sub(self.help.lost - lost);
        Ok((value, took.as_secs_f64()))
    }

    fn place<'a>(&self, exp: &'a Exp, frame: &'a Frame) -> Place<'a> {
        let function = match frame.owner {
            Owner::Function(global) => Some(global),
            Owner::Form | Owner::Primitive(_) => None,
        };
        Place {
            exp,
            function,
            types: &frame.types,
            key: frame.key.bits,
            origin: frame.key.origin,
            measured: self.help.measuring > 0,
            frame,
        }
    }
}
