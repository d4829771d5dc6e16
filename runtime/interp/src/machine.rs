//! The interpreter as others see it, and the state of one evaluation.

use crate::account::{Account, Clerk, Lines, Owner};
use crate::cost::Cost;
use crate::endless::Pending;
use crate::failure::{Failure, Fault};
use crate::function::{Frame, Function, Lambda};
use crate::helper::{Help, Helper};
use crate::memory::Meter;
use crate::random::Key;
use crate::stream::Streams;
use base::trail::Call;
use base::{Code, Diagnostic, Kind, Site, Span, Trail};
use prim::Widths;
use rustc_hash::FxHashMap;
use std::io::Write;
use std::sync::Arc;
use types::Type;
use types::tree::{Form, FormKind, Global, Pattern, PatternKind, Program};
use value::Value;
use value::failure::in_lanes;
use value::interrupt::{Interrupt, interrupted};
use value::memory::heap;
use value::shape::substitute;
use value::{Budget, Charge, on_big_stack};

/// An interpreter: the values of a session's top-level names, its output and its random numbers.
///
/// Values may hold function values nested as deeply as programs like, so a session that keeps them
/// does well to run on a big stack ([`on_big_stack`]) as a whole; evaluation always does.
pub struct Interp {
    /// Where programs print to.
    out: Box<dyn Write + Send>,
    /// Values of the names that forms bound.
    values: FxHashMap<Global, Value>,
    /// The seed of random numbers.
    seed: i64,
    /// Forms evaluated since it was set.
    forms: i64,
    /// What the last evaluation cost.
    pub cost: Cost,
    /// What evaluations cost, split, if that is wanted; those that failed are left out.
    pub account: Option<Account>,
    /// Where the lines of the program start, which an account is kept of.
    pub lines: Arc<Lines>,
    /// The work that an evaluation may cost; one that needs more ends with a limit.
    pub most_work: u64,
    /// The wish that an evaluation should stop.
    pub interrupt: Interrupt,
    /// What an attempt has printed, until it is known that it counts.
    held: Option<Vec<u8>>,
    /// The memory that values may take.
    budget: Budget,
    /// The charge for the values of names.
    kept: Charge,
    /// The files that are open.
    streams: Streams,
}

impl Interp {
    /// An interpreter that prints to `out`.
    pub fn new(out: Box<dyn Write + Send>) -> Interp {
        let budget = Budget::unlimited();
        Interp {
            out,
            values: FxHashMap::default(),
            seed: 0,
            forms: 0,
            cost: Cost::default(),
            account: None,
            lines: Arc::default(),
            most_work: u64::MAX,
            interrupt: Interrupt::default(),
            held: None,
            kept: budget.nothing(),
            budget,
            streams: Streams::default(),
        }
    }

    /// Charges values to this budget from now on.
    pub fn set_budget(&mut self, budget: &Budget) {
        self.kept = budget.nothing();
        self.budget = budget.clone();
    }

    /// The budget to which values are charged.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// Changes the values of names, and charges the difference of their memory.
    fn accounted<T>(&mut self, work: impl FnOnce(&mut Interp) -> T) -> T {
        let before = heap::held();
        let done = work(self);
        let more = heap::held().wrapping_sub(before);
        self.kept.set(self.kept.bytes().saturating_add_signed(more));
        done
    }

    /// Restarts the random numbers, as `rand_seed` does between forms.
    pub fn set_seed(&mut self, seed: i64) {
        self.seed = seed;
        self.forms = 0;
    }

    /// Counts a form that another engine evaluates; gives the key of its random numbers.
    pub fn key_of_next_form(&mut self, widths: Widths) -> i64 {
        let key = Key::of_form(widths, self.seed, self.forms, 0);
        self.forms += 1;
        key.bits
    }

    /// How many forms were evaluated since the seed was set.
    pub fn forms(&self) -> i64 {
        self.forms
    }

    /// Forgets the values of names that are not to be kept.
    pub fn retain(&mut self, keep: &mut dyn FnMut(Global) -> bool) {
        self.accounted(|interp| interp.values.retain(|&global, _| keep(global)));
    }

    /// Forgets the value of a name.
    pub fn forget(&mut self, global: Global) {
        self.accounted(|interp| drop(interp.values.remove(&global)));
    }

    /// The value of a name that a form bound.
    pub fn value(&self, global: Global) -> Option<&Value> {
        self.values.get(&global)
    }

    /// Binds a top-level name to a value of its type, as a form would.
    pub fn bind(&mut self, global: Global, value: Value) {
        self.values.insert(global, value);
    }

    /// Evaluates a form that is an expression or binding, and binds its names if it succeeds.
    pub fn evaluate(&mut self, program: &Program, form: &Form) -> Result<Value, Diagnostic> {
        self.evaluate_with(program, form, None)
    }

    /// The same with a helper for expressions without effects.
    pub fn evaluate_helped(
        &mut self,
        program: &Program,
        form: &Form,
        helper: &mut dyn Helper,
    ) -> Result<Value, Diagnostic> {
        self.evaluate_with(program, form, Some(helper))
    }

    fn evaluate_with(
        &mut self,
        program: &Program,
        form: &Form,
        helper: Option<&mut dyn Helper>,
    ) -> Result<Value, Diagnostic> {
        on_big_stack(|| match &form.kind {
            // Parts without a name are soon let go.
            FormKind::Evaluate { pattern, .. } if has_wildcard(pattern) => {
                self.evaluate_form(program, form, helper)
            }
            _ => self.accounted(|interp| interp.evaluate_form(program, form, helper)),
        })
    }

    fn evaluate_form(
        &mut self,
        program: &Program,
        form: &Form,
        helper: Option<&mut dyn Helper>,
    ) -> Result<Value, Diagnostic> {
        let FormKind::Evaluate { exp, locals, pattern, binds, .. } = &form.kind else {
            unreachable!("a form without a value");
        };
        // A helper may live longer than this evaluation.
        let help = match helper {
            Some(helper) => Help::by(helper),
            None => Help::default(),
        };
        let mut machine = Machine::start(self, program, help);
        let mut frame = machine.first_frame(locals.len(), form.span);
        machine.begin();
        machine.enters(Owner::Form);
        let result = machine.eval(exp, &mut frame).and_then(|value| {
            machine.bind(pattern, value.clone(), &mut frame);
            machine.flush(form.span, &frame).map(|()| value)
        });
        let value = result.map_err(|fault| machine.told(*fault))?;
        machine.end();
        machine.settle();
        for (local, global) in binds {
            let value = frame.get(*local).clone();
            self.values.insert(*global, value);
        }
        Ok(value)
    }

    /// Binds a top-level name to a value of its type that is made now.
    pub fn bind_made(&mut self, global: Global, make: impl FnOnce() -> Value) {
        self.accounted(|interp| {
            let value = make();
            interp.bind(global, value);
        });
    }

    /// Makes an evaluation without effects.  If that costs more than `most_work` or runs out of
    /// memory, restores the state and returns none.  A failure to write the output is an error at
    /// `span`.
    pub fn attempt(
        &mut self,
        span: Span,
        most_work: u64,
        evaluate: impl FnOnce(&mut Interp) -> Result<Value, Diagnostic>,
    ) -> Option<Result<Value, Diagnostic>> {
        let (forms, usual) = (self.forms, self.most_work);
        self.most_work = most_work;
        self.held = Some(Vec::new());
        let result = evaluate(self);
        self.most_work = usual;
        let held = self.held.take().unwrap_or_default();
        if let Err(error) = &result
            && (self.cost.work > most_work || error.kind == Kind::Runtime(Site::Memory))
        {
            self.forms = forms;
            return None;
        }
        let written = self.out.write_all(&held).and_then(|()| self.out.flush());
        Some(result.and_then(|value| match written {
            Ok(()) => Ok(value),
            Err(error) => {
                let failure = output_failure(&error);
                Err(Diagnostic::of(failure.code, failure.message).label(span, ""))
            }
        }))
    }

    /// Adds the calls, and lanes outside the function with the fault, to the error of an evaluation
    /// in another engine, by evaluating it again with at most `most_work`.  If the error cannot be
    /// reproduced, returns it unchanged.  Nothing is bound, and nothing is written.
    pub fn retrace(
        &mut self,
        error: Diagnostic,
        most_work: u64,
        evaluate: impl FnOnce(&mut Interp) -> Result<Value, Diagnostic>,
    ) -> Diagnostic {
        if !matches!(error.kind, Kind::Runtime(_)) {
            return error;
        }
        let usual = (self.forms, self.most_work, self.cost, self.account.take());
        self.forms -= 1;
        self.most_work = most_work;
        self.held = Some(Vec::new());
        let again = evaluate(self);
        self.held = None;
        (self.forms, self.most_work, self.cost, self.account) = usual;
        match again {
            // A recursion that never ends takes any amount of memory, wherever that was noticed.
            Err(again) if again.kind == error.kind && Failure::is_endless(&again) => again,
            Err(again) if again.kind == error.kind && again.primary == error.primary => {
                // Only the first error knows how much memory was free.
                let full = error.kind == Kind::Runtime(Site::Memory);
                if full { Diagnostic { calls: again.calls, ..error } } else { again }
            }
            Err(_) | Ok(_) => error,
        }
    }

    /// Applies a top-level function, at these types, to an argument.
    pub fn call(
        &mut self,
        program: &Program,
        function: Global,
        types: &[Type],
        argument: Value,
    ) -> Result<Value, Diagnostic> {
        self.call_with(program, (function, types), argument, None)
    }

    /// The same with a helper for expressions without effects.
    pub fn call_helped(
        &mut self,
        program: &Program,
        (function, types): (Global, &[Type]),
        argument: Value,
        helper: &mut dyn Helper,
    ) -> Result<Value, Diagnostic> {
        self.call_with(program, (function, types), argument, Some(helper))
    }

    fn call_with(
        &mut self,
        program: &Program,
        (function, types): (Global, &[Type]),
        argument: Value,
        helper: Option<&mut dyn Helper>,
    ) -> Result<Value, Diagnostic> {
        on_big_stack(|| {
            let span = program.globals[function].span;
            let help = match helper {
                Some(helper) => Help::by(helper),
                None => Help::default(),
            };
            let mut machine = Machine::start(self, program, help);
            let mut frame = machine.first_frame(0, span);
            frame.key.host = true;
            let callee = Function::Global(function, types.into()).value();
            let result = machine
                .apply_value(&callee, argument, span, &mut frame)
                .and_then(|value| machine.flush(span, &frame).map(|()| value));
            let value = result.map_err(|fault| {
                // That call stands nowhere.
                machine.trail.pop();
                machine.told(*fault)
            })?;
            machine.settle();
            Ok(value)
        })
    }
}

impl Drop for Interp {
    /// Function values may nest so deeply that dropping them needs a big stack.
    fn drop(&mut self) {
        let values = std::mem::take(&mut self.values);
        if !values.is_empty() {
            on_big_stack(move || drop(values));
        }
    }
}

/// True if a pattern has a part without a name.
fn has_wildcard(pattern: &Pattern) -> bool {
    match &pattern.kind {
        PatternKind::Local(_) => false,
        PatternKind::Wildcard => true,
        PatternKind::Pair(first, rest) => has_wildcard(first) || has_wildcard(rest),
        PatternKind::Construct(_, fields) => has_wildcard(fields),
    }
}

/// A call, on the way out of which a fault is.
pub(crate) type Called = Call<Option<Global>>;

/// The state of one evaluation.
pub(crate) struct Machine<'p> {
    pub(crate) program: &'p Program,
    pub(crate) interp: &'p mut Interp,
    /// The lanes, outermost first, of the user's apply-to-eaches around the current expression.
    pub(crate) lanes: Vec<usize>,
    /// Calls that have not returned.
    pub(crate) calls: usize,
    /// The same, to find recursion that never ends.
    pub(crate) pending: Pending,
    /// Keeps the account, if there is to be one.
    clerk: Option<Box<Clerk>>,
    /// The calls that a fault has left on its way out.
    pub(crate) trail: Trail<Option<Global>>,
    /// How often the seed has been set in this evaluation.
    seeds: u64,
    /// The memory that the evaluation takes.
    pub(crate) meter: Meter,
    /// The number of effects so far, random numbers included: another evaluation may differ there.
    pub(crate) effects: u64,
    /// The work at which to look again whether to go on.
    next_look: u64,
    /// Apply-to-eaches around the current expression whose lanes run beside each other.
    pub(crate) parallel: usize,
    /// The engine that evaluates expressions without effects, if there is one.
    pub(crate) help: Help<'p>,
    /// No types.
    pub(crate) no_types: Arc<[Type]>,
}

/// Work between two looks at whether the evaluation should stop: well below a millisecond.
const LOOK_EVERY: u64 = 1 << 12;

impl<'p> Machine<'p> {
    fn start(interp: &'p mut Interp, program: &'p Program, help: Help<'p>) -> Machine<'p> {
        interp.cost = Cost::default();
        let clerk = interp.account.is_some().then(|| Box::new(Clerk::new(&interp.lines)));
        // A clerk wants to see all that is done.
        let help = if clerk.is_none() { help } else { Help::default() };
        Machine {
            program,
            interp,
            lanes: Vec::new(),
            calls: 0,
            pending: Pending::default(),
            trail: Trail::default(),
            clerk,
            seeds: 0,
            meter: Meter::start(),
            effects: 0,
            next_look: 0,
            parallel: 0,
            help,
            no_types: Arc::new([]),
        }
    }

    /// The frame of a form.
    fn first_frame(&mut self, names: usize, span: Span) -> Frame {
        let widths = self.program.widths;
        let key = Key::of_form(widths, self.interp.seed, self.interp.forms, span.start);
        self.interp.forms += 1;
        Frame::new(names, Arc::clone(&self.no_types), key, self.seeds)
    }

    /// The counters of work and depth.
    pub(crate) fn cost(&mut self) -> &mut Cost {
        &mut self.interp.cost
    }

    /// Sets the limit of the total work of this evaluation, and returns the limit before.
    pub(crate) fn limit_work(&mut self, most: u64) -> u64 {
        self.next_look = 0;
        std::mem::replace(&mut self.interp.most_work, most)
    }

    /// Ends an evaluation that costs more than it may, or that the user stops.
    #[inline]
    pub(crate) fn check_work(&mut self, span: Span, frame: &Frame) -> Result<(), Fault> {
        if self.interp.cost.work < self.next_look { Ok(()) } else { self.look(span, frame) }
    }

    #[cold]
    fn look(&mut self, span: Span, frame: &Frame) -> Result<(), Fault> {
        self.at(span, frame);
        let (work, most) = (self.interp.cost.work, self.interp.most_work);
        if self.interp.interrupt.is_raised() {
            return Err(Box::new(interrupted(frame.caller.unwrap_or(span))));
        }
        if work > most {
            let span = frame.caller.unwrap_or(span);
            return Err(Box::new(Diagnostic::of(Code::Steps, too_much(most)).label(span, "")));
        }
        self.check_memory(0).map_err(|failure| self.fault(failure, span, frame))?;
        // A clerk wants to see every expression; without one, that costs nothing here.
        if self.clerk.is_none() {
            self.next_look = work.saturating_add(LOOK_EVERY).min(most.saturating_add(1));
        }
        Ok(())
    }

    /// What is counted from here on stands at `span`.
    #[inline]
    pub(crate) fn at(&mut self, span: Span, frame: &Frame) {
        if let Some(clerk) = &mut self.clerk {
            clerk.at(frame.owner, frame.caller.unwrap_or(span), self.interp.cost);
        }
    }

    /// The work that is counted next is that of a primitive.
    #[inline]
    pub(crate) fn at_primitive(&mut self, owner: Owner, span: Span, (work, depth): (u64, u64)) {
        if let Some(clerk) = &mut self.clerk {
            clerk.at(owner, span, self.interp.cost);
            clerk.primitive(owner, work, depth);
        }
    }

    /// A body begins: that of a function or a lane.
    #[inline]
    pub(crate) fn begin(&mut self) {
        if let Some(clerk) = &mut self.clerk {
            clerk.begin(self.interp.cost);
        }
    }

    /// A call begins.
    #[inline]
    pub(crate) fn enters(&mut self, owner: Owner) {
        if let Some(clerk) = &mut self.clerk {
            clerk.enter(owner, self.interp.cost);
        }
    }

    /// A body ends.
    #[inline]
    pub(crate) fn end(&mut self) {
        if let Some(clerk) = &mut self.clerk {
            clerk.end(self.interp.cost);
        }
    }

    /// The evaluation has succeeded: its account counts.
    fn settle(&mut self) {
        if let (Some(clerk), Some(account)) = (self.clerk.take(), &mut self.interp.account) {
            account.merge(&clerk.finish(self.interp.cost));
        }
    }

    /// Announces work that is done at one go; fails if the evaluation may not cost as much.
    pub(crate) fn afford(&mut self, work: u64) -> Result<(), Failure> {
        let (so_far, most) = (self.interp.cost.work, self.interp.most_work);
        let after = so_far.saturating_add(work);
        if after <= most {
            return Ok(());
        }
        self.interp.cost.work = after;
        Err(Failure::new(Code::Steps, too_much(most)))
    }

    /// The value of a name that a form bound, at these types: those of the form's variables, which
    /// all its names share.
    pub(crate) fn bound(&self, global: Global, types: &[Type]) -> Option<Value> {
        let value = self.interp.values.get(&global)?;
        Some(if types.is_empty() { value.clone() } else { with_types(value, types) })
    }

    /// The same of a name that only the helper has a value of.
    pub(crate) fn bound_elsewhere(&mut self, global: Global, types: &[Type]) -> Option<Value> {
        let value = self.lent(global)?;
        self.interp.bind(global, value);
        self.bound(global, types)
    }

    /// `rand_seed`.
    pub(crate) fn reseed(&mut self, seed: i64) {
        self.interp.set_seed(seed);
        // This form is the first one since.
        self.interp.forms = 1;
        self.seeds += 1;
    }

    /// After something at `span` was evaluated: if it set the seed, the frame goes on from there.
    pub(crate) fn follow_seed(&self, frame: &mut Frame, span: Span) {
        if frame.seeds != self.seeds {
            frame.key = self.key_of_seed(span);
            frame.seeds = self.seeds;
        }
    }

    /// The key from which an evaluation goes on at `span` when the seed was set there.
    pub(crate) fn key_of_seed(&self, span: Span) -> Key {
        Key::of_form(self.program.widths, self.interp.seed, 0, span.start)
    }

    /// Writes to the program's output.
    pub(crate) fn print(&mut self, text: &[u8]) -> Result<(), Failure> {
        if let Some(held) = &mut self.interp.held {
            held.extend_from_slice(text);
            return Ok(());
        }
        self.interp.out.write_all(text).map_err(|error| output_failure(&error))
    }

    /// The open files.
    pub(crate) fn streams(&mut self) -> &mut Streams {
        &mut self.interp.streams
    }

    /// Makes what was printed visible.
    pub(crate) fn flush_output(&mut self) -> Result<(), Failure> {
        self.interp.out.flush().map_err(|error| output_failure(&error))
    }

    fn flush(&mut self, span: Span, frame: &Frame) -> Result<(), Fault> {
        self.flush_output().map_err(|failure| self.fault(failure, span, frame))
    }

    /// The error at an expression of this frame.  Inside the library the place is the call in the
    /// user's program.
    pub(crate) fn fault(&self, failure: Failure, span: Span, frame: &Frame) -> Fault {
        let span = frame.caller.unwrap_or(span);
        let mut diagnostic = Diagnostic::of(failure.code, failure.message).label(span, "");
        if let Some(advice) = failure.advice {
            diagnostic = diagnostic.help(advice);
        }
        Box::new(in_lanes(diagnostic, &self.lanes))
    }

    /// A call that a fault leaves: of a function of the program or, without one, of a function
    /// value, at `span` in this frame.
    pub(crate) fn called(&self, callee: Option<Global>, span: Span, frame: &Frame) -> Called {
        let caller = match frame.owner {
            Owner::Function(global) => Some(global),
            Owner::Form | Owner::Primitive(_) => None,
        };
        Called { callee, caller, span: frame.caller.unwrap_or(span), times: 1 }
    }

    /// What is told of a fault that nothing has stopped.
    fn told(&self, fault: Diagnostic) -> Diagnostic {
        let name = |function: &Option<Global>| {
            function.map(|global| self.program.globals[global].name.to_string())
        };
        Diagnostic { calls: self.trail.map(name), ..fault }
    }
}

fn too_much(most: u64) -> String {
    format!("the program needs more than {most} steps")
}

fn output_failure(error: &std::io::Error) -> Failure {
    Failure::new(Code::ProgramFile, format!("the output cannot be written: {error}"))
}

/// Polymorphic functions in a value that was made without types, at these types.
fn with_types(value: &Value, types: &[Type]) -> Value {
    match value {
        Value::Pair(pair) => {
            Value::Pair(Arc::new((with_types(&pair.0, types), with_types(&pair.1, types))))
        }
        Value::Data(fields) => Value::Data(Arc::new(with_types(fields, types))),
        Value::Function(_) => match &*Function::of(value) {
            Function::Global(global, own) => {
                let own = own.iter().map(|ty| substitute(ty, types)).collect();
                Function::Global(*global, own).value()
            }
            Function::Lambda(lambda) => {
                let mut frame = lambda.frame.clone();
                // One of the form itself has the form's variables; others stand in a function.
                frame.types = match &*frame.types {
                    [] => types.into(),
                    own => own.iter().map(|ty| substitute(ty, types)).collect(),
                };
                Lambda::value(&lambda.param, &lambda.body, lambda.origin, &frame)
            }
        },
        Value::Int(_) | Value::Float(_) | Value::Bool(_) | Value::Char(_) | Value::Seq(_) => {
            value.clone()
        }
    }
}
