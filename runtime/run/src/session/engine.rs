//! What evaluates forms: the interface, and the interpreter as the simplest engine.

use crate::session::Call;
use crate::session::build::Prepared;
use crate::session::direct::Concurrent;
use crate::stats::Stats;
use crate::trace;
use base::timing::Timing;
use base::{Diagnostic, Files, Kind, Span};
use device::MemoryUse;
use interp::account::Account;
use interp::{Cost, Interp};
use prim::Widths;
use std::sync::Arc;
use std::time::Instant;
use types::Type;
use types::tree::{Form, Global, Program};
use value::print::Style;
use value::{Columns, OutOfMemory, Shape, Value};

/// An engine and the values of a session's top-level names.
pub(super) trait Engine {
    /// Whether it wants to see many forms before the first of them is evaluated.
    fn looks_ahead(&self) -> bool;
    /// Makes ready to evaluate these forms in this order.
    fn prepare(&mut self, context: &Context<'_>, forms: &[&Form]) -> Result<(), Trouble>;
    /// Evaluates a form that is ready, and binds its names.
    fn evaluate(&mut self, program: &Program, form: &Form) -> Result<Answer, Diagnostic>;
    /// Evaluates a form on the host alone, whether it is ready or not, and binds its names.
    fn interpret(&mut self, program: &Program, form: &Form) -> Result<Answer, Diagnostic>;
    /// The same if that takes at most so much work; if not, nothing has happened.
    fn attempt(
        &mut self,
        program: &Program,
        form: &Form,
        most_work: u64,
    ) -> Option<Result<Answer, Diagnostic>>;
    /// Calls a function on the host alone if that takes at most so much work; if not, nothing has
    /// happened.
    fn attempt_call(
        &mut self,
        _: &Program,
        _: &Call,
        _most_work: u64,
    ) -> Option<Result<Answer, Diagnostic>> {
        None
    }
    /// Calls a function on the host alone, whether it is ready or not.
    fn interpret_call(&mut self, program: &Program, call: &Call) -> Result<Answer, Diagnostic>;
    /// Makes ready to call a function.
    fn prepare_call(&mut self, context: &Context<'_>, call: &Call) -> Result<(), Vec<Diagnostic>>;
    /// Lowers functions at instance types for a library; an engine that does not compile refuses.
    fn lower(
        &mut self,
        _: &Context<'_>,
        _: &[(Global, Vec<Type>)],
    ) -> Result<Prepared, Vec<Diagnostic>> {
        Err(vec![Diagnostic::new(Kind::Input, "this engine does not compile")])
    }
    /// Calls the function that is ready and lets the result go; kernels are not timed.
    fn rehearse(&mut self, program: &Program, call: &Call) -> Result<(), Diagnostic> {
        self.call(program, call).map(drop)
    }
    /// Calls the function that is ready.
    fn call(&mut self, program: &Program, call: &Call) -> Result<Answer, Diagnostic>;
    /// Calls the function that is ready for the last time: it may overwrite its arguments, which
    /// are taken out of `call`.
    fn call_last(&mut self, program: &Program, call: &mut Call) -> Result<Answer, Undone> {
        self.call(program, call).map_err(Undone::Failed)
    }
    /// Makes calls of the function that is ready, without the engine; none if there is no such way.
    fn direct(&self) -> Option<Arc<dyn Concurrent>> {
        None
    }
    /// Has the function that is ready called with these arguments, which are of the same types.
    fn give(&mut self, _: &Call) -> Result<(), Vec<Diagnostic>> {
        Ok(())
    }
    /// The error of a call with the calls in which it arose, if they can be found out.
    fn retrace(&mut self, _: &Program, _: &Call, error: Diagnostic) -> Diagnostic {
        error
    }
    /// Forgets the value of a name, if it has one.
    fn forget(&mut self, global: Global);
    /// Whether it has a value for a name.
    #[cfg(test)]
    fn holds(&self, global: Global) -> bool;
    /// Forgets everything but the values of the library.
    fn reset(&mut self, library: &[Form]);
    /// Warnings since the last time they were asked for.
    fn warnings(&mut self) -> Vec<Diagnostic>;
    /// What it did so far.
    fn report(&self) -> &Report;
    /// Starts the counts of the report anew.
    fn reset_counts(&mut self);
}

/// What an engine may look at.
pub(super) struct Context<'a> {
    /// Everything that is defined.
    pub(super) program: &'a Program,
    /// The texts.
    pub(super) files: &'a Files,
}

/// Why a last call gives nothing.
pub(super) enum Undone {
    /// It failed.
    Failed(Diagnostic),
    /// It failed, and with its arguments more can be told.
    Traceable(Diagnostic),
    /// It has overwritten its arguments, and with them it can be made as any other.
    Spent,
}

/// Why forms cannot be evaluated.
pub(super) enum Trouble {
    /// Some of them are refused: their positions, and why.
    Refused(Vec<(usize, Vec<Diagnostic>)>),
    /// Nothing can be evaluated.
    Broken(Diagnostic),
}

/// A value, as the engine that computed it holds it.
#[derive(Clone, Debug)]
pub enum Answer {
    /// Nested.
    Value(Value),
    /// Flat, in one lane.
    Columns(Columns),
}

impl Answer {
    /// The text of this value.
    pub fn show(&self, shape: &Shape, style: Style) -> Vec<u8> {
        match self {
            Answer::Value(value) => value.show(shape, style),
            Answer::Columns(columns) => columns.show(shape, 0, style),
        }
    }

    /// The flat form, of which columns are as they are.
    pub fn into_columns(self, shape: &Shape, widths: Widths) -> Result<Columns, OutOfMemory> {
        match self {
            Answer::Value(value) => Columns::of(shape, widths, [&value]),
            Answer::Columns(columns) => Ok(columns),
        }
    }

    /// The flat form.
    pub fn columns(&self, shape: &Shape, widths: Widths) -> Result<Columns, OutOfMemory> {
        match self {
            Answer::Value(value) => Columns::of(shape, widths, [value]),
            Answer::Columns(columns) => Ok(columns.clone()),
        }
    }
}

/// What an engine did.
#[derive(Clone, Default, Debug)]
pub struct Report {
    /// What the engine runs on, for people.
    pub device: String,
    /// Seconds from typed programs to code that can be launched.
    pub compile_seconds: f64,
    /// Whether all code came from the cache; none if none was needed.
    pub cached: Option<bool>,
    /// Seconds of each evaluation or call, in order.
    pub runs: Vec<f64>,
    /// The passes of the compiler.
    pub timings: Vec<Timing>,
    /// The programs that were to be shown.
    pub dump: String,
    /// What there is to draw of the programs compiled so far, if that is wanted.
    pub drawings: compile::Drawings,
    /// Kernels of the compiled programs that can come to be launched.
    pub kernels: usize,
    /// What happened when, if that is wanted.
    pub trace: Vec<trace::Event>,
    /// What launches did.
    pub stats: Stats,
    /// Work and depth by the cost model of the language, in sum; the interpreter counts them.
    pub cost: Cost,
    /// The same for each form and place, if that is wanted.
    pub interpreted: Interpreted,
    /// Memory of the device.
    pub memory: MemoryUse,
}

/// What the interpreter evaluated with success, if it was to keep an account.
#[derive(Clone, Default, Debug)]
pub struct Interpreted {
    /// Forms and calls: what is shown of them, where they stand, what they cost.
    pub forms: Vec<(String, Span, Cost)>,
    /// What they cost together, by function and place.
    pub account: Account,
}

/// The interpreter as an engine.
pub(super) struct Interpreter {
    interp: Interp,
    report: Report,
}

impl Interpreter {
    pub(super) fn new(interp: Interp) -> Interpreter {
        let report = Report { device: "interpreter".to_owned(), ..Report::default() };
        Interpreter { interp, report }
    }

    fn timed<T>(&mut self, work: impl FnOnce(&mut Interp) -> T) -> T {
        let start = Instant::now();
        let result = work(&mut self.interp);
        self.report.cost.add(self.interp.cost.work, self.interp.cost.depth);
        self.report.runs.push(start.elapsed().as_secs_f64());
        result
    }

    /// Finds out where lines start, if an account of them is kept.
    fn look(&mut self, files: &Files) {
        if self.interp.account.is_some() {
            Arc::make_mut(&mut self.interp.lines).look(files);
        }
    }

    /// Takes the account of an evaluation that succeeded, if there is one.
    fn account(&mut self, name: &str, span: Span) {
        if let Some(account) = self.interp.account.as_mut().map(std::mem::take) {
            let interpreted = &mut self.report.interpreted;
            interpreted.forms.push((name.to_owned(), span, self.interp.cost));
            interpreted.account.merge(&account);
        }
    }
}

impl Engine for Interpreter {
    fn looks_ahead(&self) -> bool {
        false
    }
    fn prepare(&mut self, context: &Context<'_>, _: &[&Form]) -> Result<(), Trouble> {
        self.look(context.files);
        Ok(())
    }
    fn evaluate(&mut self, program: &Program, form: &Form) -> Result<Answer, Diagnostic> {
        let value = self.timed(|interp| interp.evaluate(program, form))?;
        self.account(&form.shown, form.span);
        Ok(Answer::Value(value))
    }
    fn interpret(&mut self, program: &Program, form: &Form) -> Result<Answer, Diagnostic> {
        self.evaluate(program, form)
    }
    fn attempt(
        &mut self,
        program: &Program,
        form: &Form,
        most_work: u64,
    ) -> Option<Result<Answer, Diagnostic>> {
        let done = self.timed(|interp| {
            interp.attempt(form.span, most_work, |interp| interp.evaluate(program, form))
        })?;
        Some(done.map(Answer::Value))
    }
    fn prepare_call(&mut self, context: &Context<'_>, _: &Call) -> Result<(), Vec<Diagnostic>> {
        self.look(context.files);
        Ok(())
    }
    fn interpret_call(&mut self, program: &Program, call: &Call) -> Result<Answer, Diagnostic> {
        self.call(program, call)
    }
    fn call(&mut self, program: &Program, call: &Call) -> Result<Answer, Diagnostic> {
        let value = self.timed(|interp| call.interpreted(interp, program))?;
        let definition = &program.globals[call.function];
        self.account(&definition.name, definition.span);
        Ok(Answer::Value(value))
    }
    fn forget(&mut self, global: Global) {
        self.interp.forget(global);
    }
    #[cfg(test)]
    fn holds(&self, global: Global) -> bool {
        self.interp.value(global).is_some()
    }
    fn reset(&mut self, library: &[Form]) {
        let kept = super::bound(library);
        self.interp.retain(&mut |global| kept.contains(&global));
        self.interp.set_seed(0);
    }
    fn warnings(&mut self) -> Vec<Diagnostic> {
        Vec::new()
    }
    fn report(&self) -> &Report {
        &self.report
    }
    fn reset_counts(&mut self) {
        self.report.runs.clear();
        self.report.cost = Cost::default();
        self.report.interpreted = Interpreted::default();
    }
}
