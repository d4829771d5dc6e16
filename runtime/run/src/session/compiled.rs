//! The engine that compiles: the forms of a batch, or a function to be called, become one program
//! on a device.
//!
//! Top-level values without functions live in columns; a program that uses them takes them as
//! arguments.  Two sorts of form are interpreted but for their [parts](super::spine): those whose
//! values contain functions, which are no values of a device (they are compiled where they are
//! used), and those with effects, which happen one after the other.  Forms that meet a limit of the
//! compiler, such as functions that are known only while a program runs, are interpreted as a
//! whole; a warning tells of them.

use super::build::Prepared;
use super::direct::{Beside, Concurrent};
use super::engine::{Answer, Context, Engine, Report, Trouble, Undone};
use super::late::Late;
use super::launch::{Arguments, Watch};
use super::message::{diagnostic, no_room_for};
use super::mirror::Mirror;
use super::names::{bind, binds, shape_of};
use super::refusal::{interpreted, limit, lower_forms, slow};
use super::small::WORK;
use super::spine::Spine;
use super::uses::{body, expression, prints, reached};
use super::{Call, Options, bound};
use crate::frame::Passed;
use crate::trace::{Event, EventKind, Track};
use crate::{Facts, RunError, Trace, border};
use base::timing::{Timing, Timings};
use base::{Diagnostic, Files, Kind, Site, Span};
use compile::{Dump, Text};
use device::Device;
use interp::Interp;
use interp::helper::RETRACED;
use lower::{Entry, Floats, Forms, Lowered};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use std::time::Instant;
use types::Type;
use types::tree::{Form, FormKind, Global, Program};
use value::{Budget, Columns, Shape, Value};

/// Compiled code on a device.
pub(super) struct Compiled<D: Device> {
    pub(super) device: Late<D>,
    pub(super) options: Options,
    /// Evaluates the forms that are not compiled, and numbers all of them.
    pub(super) interp: Interp,
    pub(super) values: FxHashMap<Global, Columns>,
    /// The forms behind names that have no columns.
    pub(super) sources: FxHashMap<Global, Arc<Form>>,
    pub(super) ready: Option<Arc<Ready<D>>>,
    /// Why forms that are to be evaluated with it are not in it.
    refused: FxHashMap<Span, Diagnostic>,
    /// The arguments of the call that is ready, on the device.
    pub(super) arguments: Vec<Passed<D::Buffer>>,
    /// How that call is made.
    calls: Calls,
    /// The function and types of that call, if its code is to be kept.
    called: Option<Signature>,
    /// Calls that were ready, to be made ready again at once.
    kept: FxHashMap<Signature, Kept<D>>,
    /// Columns of values that the interpreter has.
    pub(super) mirror: Mirror,
    /// Whether it was told that something is interpreted.
    told: bool,
    pub(super) report: Report,
    /// What the user should know, and was not told yet.
    pub(super) warnings: Vec<Diagnostic>,
    /// When the session began.
    pub(super) origin: Instant,
}

/// The work of the interpreter, beside compiled parts, from which on that is told: half a second.
const SLOW: u64 = 20 * WORK;

/// A function at what the variables of its type stand for.
type Signature = (Global, Vec<Type>);

/// The code and data of a call beside its arguments.
struct Kept<D: Device> {
    calls: Calls,
    ready: Option<Arc<Ready<D>>>,
}

/// How the call that is ready is made.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Calls {
    /// By compiled code.
    Code,
    /// By the interpreter: it has effects, and its parts without effects are compiled.
    Parts,
    /// By the interpreter, as the compiler cannot do it.
    Interpreter,
}

/// A program that can be run.
pub(super) struct Ready<D: Device> {
    pub(super) lowered: Lowered,
    pub(super) plan: plan::Program,
    pub(super) facts: Facts,
    pub(super) module: D::Module,
    /// Kernels that were compiled before it: by that its own are numbered on.
    pub(super) kernels_before: usize,
    /// The entry of each form.
    forms: FxHashMap<Span, usize>,
}

impl<D: Device<Text: Text>> Compiled<D> {
    /// An engine that knows the values of the library, on a device that may be opened meanwhile.
    pub(super) fn new(
        device: Late<D>,
        interp: Interp,
        options: &Options,
        library: &[Form],
    ) -> Self {
        let mut compiled = Compiled {
            device,
            options: options.clone(),
            interp,
            values: FxHashMap::default(),
            sources: FxHashMap::default(),
            ready: None,
            refused: FxHashMap::default(),
            arguments: Vec::new(),
            calls: Calls::Code,
            called: None,
            kept: FxHashMap::default(),
            mirror: Mirror::default(),
            told: false,
            report: Report::default(),
            warnings: Vec::new(),
            origin: Instant::now(),
        };
        compiled.remember(library.iter());
        compiled
    }

    /// The budget to which values are charged.
    pub(super) fn budget(&self) -> &Budget {
        self.interp.budget()
    }

    /// Why the device cannot be used, as far as that is known.
    pub(super) fn unusable(&mut self) -> Option<Diagnostic> {
        self.device.unusable()
    }

    /// The same engine on another device, before anything was loaded.
    pub(super) fn onto<E: Device<Text: Text>>(self, device: E, options: &Options) -> Compiled<E> {
        Compiled {
            device: Late::now(device),
            options: options.clone(),
            interp: self.interp,
            values: self.values,
            sources: self.sources,
            ready: None,
            refused: FxHashMap::default(),
            arguments: Vec::new(),
            calls: Calls::Code,
            called: None,
            kept: FxHashMap::default(),
            mirror: Mirror::default(),
            told: false,
            report: Report::default(),
            warnings: self.warnings,
            origin: self.origin,
        }
    }

    /// How exactly floats are computed.  Without an instruction for it a product and a sum that
    /// round together take longer than two that do not.
    pub(super) fn floats(&mut self) -> Result<Floats, Diagnostic> {
        let fast = self.options.fast_math && self.device.open()?.has_fma();
        Ok(if fast { Floats::Fast } else { Floats::Exact })
    }

    /// Puts the call that is ready aside, if it is to be kept.
    fn put_aside(&mut self) {
        if let Some(signature) = self.called.take() {
            // Parts that were compiled are of one call.
            let ready = if self.calls == Calls::Code { self.ready.take() } else { None };
            self.kept.insert(signature, Kept { calls: self.calls, ready });
        }
    }

    /// Makes a call ready that was so before; tells whether there is one.
    fn take_up(&mut self, signature: &Signature) -> bool {
        if self.called.as_ref() == Some(signature) {
            return true;
        }
        self.put_aside();
        let Some(kept) = self.kept.remove(signature) else { return false };
        (self.calls, self.ready) = (kept.calls, kept.ready);
        self.called = Some(signature.clone());
        true
    }

    /// Keeps forms from which values are compiled.
    fn remember<'f>(&mut self, forms: impl Iterator<Item = &'f Form>) {
        for form in forms {
            let FormKind::Evaluate { binds, .. } = &form.kind else { continue };
            let form = Arc::new(form.clone());
            self.sources.extend(binds.iter().map(|(_, global)| (*global, Arc::clone(&form))));
        }
    }

    /// Compiles and loads a program.
    pub(super) fn load(
        &mut self,
        files: Option<&Files>,
        lowered: Lowered,
        forms: FxHashMap<Span, usize>,
    ) -> Result<(), Diagnostic> {
        let start = Instant::now();
        let clock = || start.elapsed().as_secs_f64();
        let mut timings = Timings::new(&clock);
        let mut dump =
            Dump { wanted: self.options.dump.clone(), draw: self.options.draw, ..Dump::default() };
        dump.note("lower", "nest", || lowered.program.to_string());
        let options = self.options.compile;
        let compiled: compile::Compiled<D::Text> =
            compile::compile(&lowered.program, options, files, &mut timings, &mut dump);
        self.report.dump += &dump.text;
        self.report.drawings.append(dump.drawings);
        let waiting = Instant::now();
        let device = timings.time("device", || self.device.open())?;
        let waited = waiting.elapsed().as_secs_f64();
        let loaded = timings.time("load", || device.load(&compiled.text))?;
        let (describes, runs) = (device.describe(), device.runs());
        self.note_compile(start, timings.rows());
        let kernels_before = self.report.kernels;
        self.report.kernels += Text::kernels(&compiled.text);
        self.report.timings.extend_from_slice(timings.rows());
        self.report.compile_seconds += clock() - waited;
        self.report.device = describes;
        self.report.cached = Some(self.report.cached.unwrap_or(true) && loaded.cached);
        self.warnings.extend(loaded.notes);
        let facts = Facts::of(&compiled.plan);
        let (plan, module) = (compiled.plan, loaded.module);
        let ready = Ready { lowered, plan, facts, module, kernels_before, forms };
        self.ready = runs.then(|| Arc::new(ready));
        Ok(())
    }

    /// Notes when passes ran, by a clock that began so.
    fn note_compile(&mut self, began: Instant, rows: &[Timing]) {
        if self.options.trace {
            let offset = (began - self.origin).as_secs_f64();
            self.report.trace.extend(rows.iter().map(|row| Event {
                track: Track::Host,
                kind: EventKind::Compile,
                name: row.pass.to_owned(),
                spans: Vec::new(),
                start: offset + row.start,
                seconds: row.seconds,
                facts: Vec::new(),
            }));
        }
    }
    /// Notes that the host was busy with something until now.
    pub(super) fn note(&mut self, kind: EventKind, name: &'static str, began: Instant) {
        if self.options.trace {
            let mut trace = Trace::new(self.origin);
            trace.end(kind, name, Span::none(), began);
            self.report.trace.append(&mut trace.events);
        }
    }

    /// Gives the interpreter these values, as far as it has not got them.
    fn lend(&mut self, program: &Program, used: &[Global]) {
        for &global in used {
            if let Some(columns) = self.values.get(&global)
                && self.interp.value(global).is_none()
            {
                self.interp.bind_made(global, || columns.value(&shape_of(program, global), 0));
            }
        }
    }

    /// Takes over what the interpreter bound.
    fn keep(&mut self, program: &Program, form: &Form, value: Value) -> Result<Answer, Diagnostic> {
        for &(_, global) in binds(form) {
            let shape = shape_of(program, global);
            match self.interp.value(global) {
                Some(value) if !shape.has_function() => {
                    let columns = self.mirror.columns(value, &shape, program.widths);
                    let columns = columns
                        .and_then(|mut columns| columns.charge_to(self.budget()).map(|()| columns));
                    let columns = columns.map_err(|error| {
                        let kind = Kind::Runtime(Site::Memory);
                        Diagnostic::at(kind, form.span, error.to_string())
                    })?;
                    self.values.insert(global, columns);
                }
                _ => self.remember(std::iter::once(form)),
            }
        }
        self.mirror.forget();
        Ok(Answer::Value(value))
    }

    /// Interprets a form or a call, and compiles its parts that have no effects.
    fn on_spine(
        &mut self,
        form: Option<&Form>,
        span: Span,
        evaluate: impl FnOnce(&mut Interp, &mut Spine<'_, D>) -> Result<Value, Diagnostic>,
    ) -> Result<Value, Diagnostic> {
        let (began, compiling) = (Instant::now(), self.report.compile_seconds);
        let runs = self.report.runs.len();
        let mut nobody = Interp::new(Box::new(std::io::sink()));
        nobody.set_budget(self.interp.budget());
        let mut interp = std::mem::replace(&mut self.interp, nobody);
        let mut spine = Spine::new(self, form);
        let done = evaluate(&mut interp, &mut spine);
        let refused = spine.refused;
        self.interp = interp;
        // Runs of parts are one run.
        self.report.runs.truncate(runs);
        let compiling = self.report.compile_seconds - compiling;
        self.report.runs.push((began.elapsed().as_secs_f64() - compiling).max(0.0));
        if self.interp.cost.work > SLOW && !std::mem::replace(&mut self.told, true) {
            self.warnings.push(refused.map_or_else(|| slow(span), interpreted));
        }
        done
    }

    /// The error of a form, with the calls in which it arose.
    fn retraced(&mut self, program: &Program, form: &Form, error: Diagnostic) -> Diagnostic {
        let used = reached(program, &self.sources, expression(form));
        if self.unlent(&used) > RETRACED {
            return error;
        }
        self.lend(program, &used);
        self.interp.retrace(error, RETRACED, |interp| interp.evaluate(program, form))
    }

    /// Components of these values that only the columns hold, in bytes.
    fn unlent(&self, used: &[Global]) -> u64 {
        let only = used.iter().filter(|&&global| self.interp.value(global).is_none());
        only.filter_map(|global| self.values.get(global)).map(|c| c.size() as u64).sum()
    }
}

impl<D> Engine for Compiled<D>
where
    D: Device<Text: Text, Module: Send + Sync, Buffer: Send> + Send + 'static,
{
    fn looks_ahead(&self) -> bool {
        true
    }

    fn prepare(&mut self, context: &Context<'_>, forms: &[&Form]) -> Result<(), Trouble> {
        let program = context.program;
        self.put_aside();
        let floats = self.floats().map_err(Trouble::Broken)?;
        let start = Instant::now();
        let mut sources: Forms<'_> = self.sources.iter().map(|(&g, form)| (g, &**form)).collect();
        let mut places = Vec::new();
        for (place, &form) in forms.iter().enumerate() {
            let FormKind::Evaluate { exp, binds, .. } = &form.kind else { continue };
            let functions = Shape::of(&exp.ty, &[], &program.datas).has_function();
            if functions {
                sources.extend(binds.iter().map(|(_, global)| (*global, form)));
            }
            let source = |global| sources.get(&global).and_then(|form| expression(form));
            if !functions && !prints(program, &source, exp) {
                places.push(place);
            }
        }
        self.ready = None;
        self.refused.clear();
        if places.is_empty() {
            return Ok(());
        }
        let lowered = lower_forms(program, &sources, forms, &mut places, floats);
        drop(sources);
        self.report.compile_seconds += start.elapsed().as_secs_f64();
        let (lowered, refused) = lowered?;
        let refused = refused.into_iter();
        self.refused = refused.map(|(place, limit)| (forms[place].span, limit)).collect();
        self.note(EventKind::Compile, "lower", start);
        if places.is_empty() {
            return Ok(());
        }
        let order = places.iter().enumerate().map(|(n, &place)| (forms[place].span, n)).collect();
        self.load(Some(context.files), lowered, order).map_err(Trouble::Broken)
    }

    fn evaluate(&mut self, program: &Program, form: &Form) -> Result<Answer, Diagnostic> {
        let entry = self.ready.as_ref().and_then(|ready| ready.forms.get(&form.span)).copied();
        let Some(entry) = entry else {
            if let Some(limit) = self.refused.remove(&form.span) {
                self.warnings.push(interpreted(limit));
                return self.interpret(program, form);
            }
            let value = self.on_spine(Some(form), form.span, |interp, spine| {
                interp.evaluate_helped(program, form, spine)
            })?;
            return self.keep(program, form, value);
        };
        let key = self.interp.key_of_next_form(program.widths);
        let columns = self.run(program, entry, Arguments::Nothing, key).map_err(|error| {
            self.retraced(program, form, diagnostic(error, form.span, program.widths))
        })?;
        let FormKind::Evaluate { pattern, binds, .. } = &form.kind else {
            unreachable!("a form without a value")
        };
        bind(pattern, &columns, &mut |local, columns| {
            let names = binds.iter().filter(|(bound, _)| *bound == local);
            self.values.extend(names.map(|(_, global)| (*global, columns.clone())));
        });
        Ok(Answer::Columns(columns))
    }

    fn interpret(&mut self, program: &Program, form: &Form) -> Result<Answer, Diagnostic> {
        let used = reached(program, &self.sources, expression(form));
        self.lend(program, &used);
        let began = Instant::now();
        let done = self.interp.evaluate(program, form);
        self.report.runs.push(began.elapsed().as_secs_f64());
        self.keep(program, form, done?)
    }

    fn attempt(
        &mut self,
        program: &Program,
        form: &Form,
        most_work: u64,
    ) -> Option<Result<Answer, Diagnostic>> {
        let FormKind::Evaluate { exp, .. } = &form.kind else { return None };
        let used = reached(program, &self.sources, Some(exp));
        // To nest a value takes about a step for each of its bytes.
        let source = |global| self.sources.get(&global).and_then(|form| expression(form));
        if prints(program, &source, exp) || self.unlent(&used) > most_work {
            return None;
        }
        self.lend(program, &used);
        let began = Instant::now();
        let done =
            self.interp.attempt(form.span, most_work, |interp| interp.evaluate(program, form))?;
        self.report.runs.push(began.elapsed().as_secs_f64());
        Some(done.and_then(|value| self.keep(program, form, value)))
    }

    fn attempt_call(
        &mut self,
        program: &Program,
        call: &Call,
        most_work: u64,
    ) -> Option<Result<Answer, Diagnostic>> {
        let body = body(program, call.function);
        let used = reached(program, &self.sources, body);
        let source = |global| self.sources.get(&global).and_then(|form| expression(form));
        let prints = body.is_some_and(|body| prints(program, &source, body));
        if prints || self.unlent(&used) + call.size() > most_work {
            return None;
        }
        self.lend(program, &used);
        let began = Instant::now();
        let span = program.globals[call.function].span;
        let done =
            self.interp.attempt(span, most_work, |interp| call.interpreted(interp, program))?;
        self.report.runs.push(began.elapsed().as_secs_f64());
        Some(done.map(Answer::Value))
    }

    fn interpret_call(&mut self, program: &Program, call: &Call) -> Result<Answer, Diagnostic> {
        let used = reached(program, &self.sources, body(program, call.function));
        self.lend(program, &used);
        let began = Instant::now();
        let done = call.interpreted(&mut self.interp, program);
        self.report.runs.push(began.elapsed().as_secs_f64());
        done.map(Answer::Value)
    }

    fn prepare_call(&mut self, context: &Context<'_>, call: &Call) -> Result<(), Vec<Diagnostic>> {
        let signature = self.options.keep_calls.then(|| (call.function, call.types.clone()));
        if signature.as_ref().is_some_and(|signature| self.take_up(signature)) {
            return self.give(call);
        }
        let floats = self.floats().map_err(|error| vec![error])?;
        let start = Instant::now();
        let sources: Forms<'_> = self.sources.iter().map(|(&g, form)| (g, &**form)).collect();
        let (program, body) = (context.program, body(context.program, call.function));
        let source = |global| sources.get(&global).and_then(|form| expression(form));
        let entry = Entry::Function(call.function, call.types.clone());
        let mut refused = None;
        let lowered = if body.is_some_and(|body| prints(program, &source, body)) {
            None
        } else {
            match lower::lower(program, &sources, &[entry], floats).map_err(limit) {
                Ok(lowered) => Some(lowered),
                Err(reason) => {
                    refused = Some(reason?);
                    None
                }
            }
        };
        drop(sources);
        self.calls = match (&lowered, &refused) {
            (Some(_), _) => Calls::Code,
            (None, None) => Calls::Parts,
            (None, Some(_)) => Calls::Interpreter,
        };
        self.warnings.extend(refused.map(interpreted));
        let Some(lowered) = lowered else {
            self.called = signature;
            return Ok(());
        };
        self.report.compile_seconds += start.elapsed().as_secs_f64();
        self.note(EventKind::Compile, "lower", start);
        self.load(Some(context.files), lowered, FxHashMap::default())
            .map_err(|error| vec![error])?;
        self.called = signature;
        self.give(call)
    }

    fn give(&mut self, call: &Call) -> Result<(), Vec<Diagnostic>> {
        if self.calls != Calls::Code {
            return Ok(());
        }
        // Those of the call before are not needed any more.
        self.arguments.clear();
        let mut arguments = Vec::new();
        let began = Instant::now();
        for argument in &call.arguments {
            border::arguments(self.device.get(), &argument.columns, &mut arguments)
                .map_err(|error| vec![no_room_for(&argument.name, error, Span::none())])?;
        }
        self.arguments = arguments;
        self.note(EventKind::Border, "arguments", began);
        Ok(())
    }

    fn lower(
        &mut self,
        context: &Context<'_>,
        functions: &[(Global, Vec<Type>)],
    ) -> Result<Prepared, Vec<Diagnostic>> {
        let floats = self.floats().map_err(|error| vec![error])?;
        let sources: Forms<'_> = self.sources.iter().map(|(&g, form)| (g, &**form)).collect();
        let entries: Vec<Entry<'_>> = functions
            .iter()
            .map(|(global, types)| Entry::Function(*global, types.clone()))
            .collect();
        let lowered = lower::lower(context.program, &sources, &entries, floats)?;
        let value = |global: &Global| {
            let name = || &context.program.globals[*global].name;
            let columns = self.values.get(global).cloned();
            columns.unwrap_or_else(|| unreachable!("`{}` has no value", name()))
        };
        let hidden = lowered.entries.iter().map(|e| e.inputs.iter().map(value).collect()).collect();
        Ok(Prepared { lowered, hidden, forms: self.interp.forms() })
    }

    fn direct(&self) -> Option<Arc<dyn Concurrent>> {
        let ready = self.ready.as_ref().filter(|_| self.calls == Calls::Code)?;
        let entry = &ready.lowered.entries[0];
        // Random numbers follow the order of the calls.
        if entry.key {
            return None;
        }
        let inputs = entry.inputs.iter().map(|global| self.values.get(global).cloned());
        let inputs = inputs.collect::<Option<Vec<Columns>>>()?;
        let device = self.device.get().share()?;
        let budget = self.budget().clone();
        let interrupt = self.options.interrupt.clone();
        Some(Arc::new(Beside::new(device, Arc::clone(ready), inputs, budget, interrupt)))
    }

    fn rehearse(&mut self, program: &Program, call: &Call) -> Result<(), Diagnostic> {
        if self.calls != Calls::Code {
            return self.call(program, call).map(drop);
        }
        let span = program.globals[call.function].span;
        let key = self.interp.key_of_next_form(program.widths);
        self.launch(program, 0, (Arguments::Kept, key), Watch::No)
            .map(drop)
            .map_err(|e| diagnostic(e, span, program.widths))
    }

    fn call(&mut self, program: &Program, call: &Call) -> Result<Answer, Diagnostic> {
        let span = program.globals[call.function].span;
        match self.calls {
            Calls::Code => {}
            Calls::Interpreter => return self.interpret_call(program, call),
            Calls::Parts => {
                let value =
                    self.on_spine(None, span, |interp, spine| call.helped(interp, program, spine))?;
                self.mirror.forget();
                return Ok(Answer::Value(value));
            }
        }
        let key = self.interp.key_of_next_form(program.widths);
        let done = self.run(program, 0, Arguments::Kept, key);
        done.map(Answer::Columns)
            .map_err(|error| self.retrace(program, call, diagnostic(error, span, program.widths)))
    }

    fn retrace(&mut self, program: &Program, call: &Call, error: Diagnostic) -> Diagnostic {
        let used = reached(program, &self.sources, body(program, call.function));
        if call.size() + self.unlent(&used) > RETRACED {
            return error;
        }
        self.lend(program, &used);
        self.interp.retrace(error, RETRACED, |interp| call.interpreted(interp, program))
    }

    fn call_last(&mut self, program: &Program, call: &mut Call) -> Result<Answer, Undone> {
        if self.calls != Calls::Code {
            return self.call(program, call).map_err(Undone::Failed);
        }
        let little = call.size() <= RETRACED;
        call.arguments.clear();
        let key = self.interp.key_of_next_form(program.widths);
        self.run(program, 0, Arguments::Spent, key).map(Answer::Columns).map_err(
            |error| match error {
                RunError::Spent => Undone::Spent,
                error => {
                    let span = program.globals[call.function].span;
                    let error = diagnostic(error, span, program.widths);
                    let traceable = little && error.kind != Kind::Interrupted;
                    if traceable { Undone::Traceable(error) } else { Undone::Failed(error) }
                }
            },
        )
    }

    fn forget(&mut self, global: Global) {
        self.values.remove(&global);
        self.sources.remove(&global);
        self.interp.forget(global);
    }
    #[cfg(test)]
    fn holds(&self, global: Global) -> bool {
        self.values.contains_key(&global) || self.interp.value(global).is_some()
    }

    fn reset(&mut self, library: &[Form]) {
        let kept = bound(library);
        self.values.retain(|global, _| kept.contains(global));
        self.sources.retain(|global, _| kept.contains(global));
        self.interp.retain(&mut |global| kept.contains(&global));
        self.interp.set_seed(0);
        self.ready = None;
        self.called = None;
        self.kept.clear();
    }

    fn warnings(&mut self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.warnings)
    }
    fn report(&self) -> &Report {
        &self.report
    }
    fn reset_counts(&mut self) {
        self.report.runs.clear();
        self.report.stats = crate::Stats::default();
    }
}
