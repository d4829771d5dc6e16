//! The engine that compiles: the forms of a batch, or a function to be called, become one program
//! on a device.
//!
//! Top-level values without functions live in columns; a program that uses them takes them as
//! arguments.  Three sorts of form are evaluated by the interpreter, on the host: those whose
//! values contain functions, which are no values of a device (they are compiled where they are
//! used), those with effects, which happen one after the other, and those that meet a limit of the
//! compiler, such as functions that are known only while a program runs.  Of the last a warning
//! tells.

use super::build::Prepared;
use super::engine::{Answer, Context, Engine, Report, Trouble, Undone};
use super::late::Late;
use super::message::{diagnostic, no_room_for};
use super::uses::{body, expression, prints, reached};
use super::{Call, Options, bound};
use crate::frame::Passed;
use crate::trace::{Event, EventKind, Track};
use crate::{Facts, Machine, RunError, Trace, border};
use base::timing::{Timing, Timings};
use base::{Diagnostic, Kind, Site, Span};
use compile::{Dump, Text};
use device::Device;
use interp::Interp;
use lower::{Entry, Floats, Forms, Lowered, LoweredEntry};
use prim::Const;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use std::time::Instant;
use types::Type;
use types::tree::{Form, FormKind, Global, Local, Pattern, PatternKind, Program};
use value::{Columns, Shape, Value};

/// Compiled code on a device.
pub(super) struct Compiled<D: Device> {
    device: Late<D>,
    options: Options,
    /// Evaluates the forms that are not compiled, and numbers all of them.
    interp: Interp,
    values: FxHashMap<Global, Columns>,
    /// The forms behind names that have no columns.
    sources: FxHashMap<Global, Arc<Form>>,
    ready: Option<Ready<D>>,
    /// Why forms that are to be evaluated with it are not in it.
    refused: FxHashMap<Span, Diagnostic>,
    /// The arguments of the call that is ready, on the device.
    arguments: Vec<Passed<D::Buffer>>,
    /// Whether that call is one for the interpreter.
    interprets: bool,
    report: Report,
    /// What the user should know, and was not told yet.
    pub(super) warnings: Vec<Diagnostic>,
    /// When the session began.
    origin: Instant,
}

/// Compiled code knows the place of an error, and not by which calls it came there.  The
/// interpreter tells them, if it comes there with so much work: in a second at most.
const RETRACED: u64 = 1 << 25;

/// Whether somebody looks at how a call is made.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Watch {
    Yes,
    No,
}

/// What an entry is given, before the values that it uses.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Arguments {
    Nothing,
    /// Those of the call that is ready.
    Kept,
    /// Those of the call that is ready, which may be overwritten.
    Spent,
}

/// A program that can be run.
struct Ready<D: Device> {
    lowered: Lowered,
    plan: plan::Program,
    facts: Facts,
    module: D::Module,
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
            interprets: false,
            report: Report::default(),
            warnings: Vec::new(),
            origin: Instant::now(),
        };
        compiled.remember(library.iter());
        compiled
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
            interprets: false,
            report: Report::default(),
            warnings: self.warnings,
            origin: self.origin,
        }
    }

    /// How exactly floats are computed.  Without an instruction for it a product and a sum that
    /// round together take longer than two that do not.
    fn floats(&mut self) -> Result<Floats, Diagnostic> {
        let fast = self.options.fast_math && self.device.open()?.has_fma();
        Ok(if fast { Floats::Fast } else { Floats::Exact })
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
    fn load(
        &mut self,
        context: &Context<'_>,
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
        let compiled: compile::Compiled<D::Text> = compile::compile(
            &lowered.program,
            options,
            Some(context.files),
            &mut timings,
            &mut dump,
        );
        self.report.dump += &dump.text;
        self.report.drawings.append(dump.drawings);
        let waiting = Instant::now();
        let device = timings.time("device", || self.device.open())?;
        let waited = waiting.elapsed().as_secs_f64();
        let loaded = timings.time("load", || device.load(&compiled.text))?;
        let (describes, runs) = (device.describe(), device.runs());
        self.note_compile(start, timings.rows());
        self.report.kernels += Text::kernels(&compiled.text);
        self.report.timings.extend_from_slice(timings.rows());
        self.report.compile_seconds += clock() - waited;
        self.report.device = describes;
        self.report.cached = Some(self.report.cached.unwrap_or(true) && loaded.cached);
        self.warnings.extend(loaded.notes);
        let facts = Facts::of(&compiled.plan);
        let ready = Ready { lowered, plan: compiled.plan, facts, module: loaded.module, forms };
        self.ready = runs.then_some(ready);
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
    fn note(&mut self, kind: EventKind, name: &'static str, began: Instant) {
        if self.options.trace {
            let mut trace = Trace::new(self.origin);
            trace.end(kind, name, Span::none(), began);
            self.report.trace.append(&mut trace.events);
        }
    }

    /// The value that an entry of the program that is ready computes.
    fn run(
        &mut self,
        program: &Program,
        entry: usize,
        arguments: Arguments,
    ) -> Result<Columns, RunError> {
        let results = self.launch(program, entry, arguments, Watch::Yes)?;
        let Some(ready) = &self.ready else { unreachable!("nothing is ready to run") };
        let func = ready.lowered.entries[entry].func;
        let result = ready.lowered.program.funcs[func].result_type();
        let result = result.unwrap_or_else(|| unreachable!("an entry has one result"));
        let no_room = |error| RunError::Memory { error, span: Span::none() };
        let device = self.device.get();
        let (began, before) = (Instant::now(), device.traffic());
        let value = border::result(device, program.widths, result, &mut results.into_iter());
        self.report.stats.traffic.add(&device.traffic().since(&before));
        self.note(EventKind::Border, "result", began);
        value.map_err(no_room)
    }

    /// Runs an entry of the program that is ready.
    fn launch(
        &mut self,
        program: &Program,
        entry: usize,
        arguments: Arguments,
        watch: Watch,
    ) -> Result<Vec<Passed<D::Buffer>>, RunError> {
        match self.launch_once(program, entry, arguments, watch, true) {
            Err(RunError::Spent) if arguments != Arguments::Spent => {
                let lost = self.report.runs.pop().unwrap_or(0.0);
                let done = self.launch_once(program, entry, arguments, watch, false);
                self.report.runs.last_mut().into_iter().for_each(|seconds| *seconds += lost);
                done
            }
            done => done,
        }
    }

    /// The same, where lanes may overwrite what nobody else needs, or not.
    fn launch_once(
        &mut self,
        program: &Program,
        entry: usize,
        arguments: Arguments,
        watch: Watch,
        lends: bool,
    ) -> Result<Vec<Passed<D::Buffer>>, RunError> {
        let mut passed = match arguments {
            Arguments::Nothing => Vec::new(),
            Arguments::Kept => self.arguments.clone(),
            Arguments::Spent => std::mem::take(&mut self.arguments),
        };
        let device = self.device.get();
        let key = self.interp.key_of_next_form(program.widths);
        let Some(ready) = &self.ready else { unreachable!("nothing is ready to run") };
        let LoweredEntry { inputs, key: keyed, .. } = &ready.lowered.entries[entry];
        for global in inputs {
            let columns = self.values.get(global);
            let name = || &program.globals[*global].name;
            let columns = columns.unwrap_or_else(|| unreachable!("`{}` has no value", name()));
            let span = program.globals[*global].span;
            border::arguments(device, columns, &mut passed)
                .map_err(|error| RunError::Memory { error, span })?;
        }
        if *keyed {
            passed.push(Passed::Scalar(Const::I64(key)));
        }
        let Options { time_kernels, trace, .. } = self.options;
        device.time_launches(watch == Watch::Yes && (time_kernels || trace));
        let (memory, traffic) = (device.memory(), device.traffic());
        let start = Instant::now();
        let clock = || start.elapsed().as_secs_f64();
        let mut machine = Machine::new(device, &ready.module, &ready.plan, &ready.facts);
        machine.lends = lends;
        machine.count = self.options.compile.count;
        machine.interrupt = self.options.interrupt.clone();
        if watch == Watch::Yes {
            machine.clock = time_kernels.then_some(&clock);
            machine.trace = trace.then(|| Trace::new(self.origin));
        }
        let done = machine.call(ready.plan.entries[entry], passed, Span::none());
        self.report.runs.push(clock());
        self.report.memory = device.memory();
        machine.stats.allocations = self.report.memory.allocations - memory.allocations;
        machine.stats.reused = self.report.memory.reused - memory.reused;
        machine.stats.traffic = device.traffic().since(&traffic);
        self.report.stats.add(&machine.stats);
        self.report.trace.extend(machine.trace.into_iter().flat_map(|trace| trace.events));
        done
    }

    /// Gives the interpreter these values, as far as it has not got them.
    fn lend(&mut self, program: &Program, used: &[Global]) {
        for &global in used {
            if let Some(columns) = self.values.get(&global)
                && self.interp.value(global).is_none()
            {
                let value = columns.value(&shape_of(program, global), 0);
                self.interp.bind(global, value);
            }
        }
    }

    /// Takes over what the interpreter bound.
    fn keep(&mut self, program: &Program, form: &Form, value: Value) -> Result<Answer, Diagnostic> {
        for &(_, global) in binds(form) {
            let shape = shape_of(program, global);
            match self.interp.value(global) {
                Some(value) if !shape.has_function() => {
                    let columns = Columns::of(&shape, program.widths, [value]);
                    let columns = columns.map_err(|error| {
                        let kind = Kind::Runtime(Site::Memory);
                        Diagnostic::at(kind, form.span, error.to_string())
                    })?;
                    self.values.insert(global, columns);
                }
                _ => self.remember(std::iter::once(form)),
            }
        }
        Ok(Answer::Value(value))
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

impl<D: Device<Text: Text>> Engine for Compiled<D> {
    fn looks_ahead(&self) -> bool {
        true
    }

    fn prepare(&mut self, context: &Context<'_>, forms: &[&Form]) -> Result<(), Trouble> {
        let program = context.program;
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
        let (lowered, refused) = lower_forms(program, &sources, forms, &mut places, floats)?;
        drop(sources);
        self.report.compile_seconds += start.elapsed().as_secs_f64();
        let refused = refused.into_iter();
        self.refused = refused.map(|(place, limit)| (forms[place].span, limit)).collect();
        self.note(EventKind::Compile, "lower", start);
        if places.is_empty() {
            return Ok(());
        }
        let order = places.iter().enumerate().map(|(n, &place)| (forms[place].span, n)).collect();
        self.load(context, lowered, order).map_err(Trouble::Broken)
    }

    fn evaluate(&mut self, program: &Program, form: &Form) -> Result<Answer, Diagnostic> {
        let entry = self.ready.as_ref().and_then(|ready| ready.forms.get(&form.span)).copied();
        let Some(entry) = entry else {
            self.warnings.extend(self.refused.remove(&form.span).map(interpreted));
            return self.interpret(program, form);
        };
        let columns = self.run(program, entry, Arguments::Nothing).map_err(|error| {
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
        let value = self.interp.evaluate(program, form)?;
        self.keep(program, form, value)
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
        let done = self.interp.attempt(program, form, most_work)?;
        Some(done.and_then(|value| self.keep(program, form, value)))
    }

    fn prepare_call(&mut self, context: &Context<'_>, call: &Call) -> Result<(), Vec<Diagnostic>> {
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
        self.interprets = lowered.is_none();
        self.warnings.extend(refused.map(interpreted));
        let Some(lowered) = lowered else {
            let used = reached(program, &self.sources, body);
            self.lend(program, &used);
            return Ok(());
        };
        self.report.compile_seconds += start.elapsed().as_secs_f64();
        self.note(EventKind::Compile, "lower", start);
        self.load(context, lowered, FxHashMap::default()).map_err(|error| vec![error])?;
        self.give(call)
    }

    fn give(&mut self, call: &Call) -> Result<(), Vec<Diagnostic>> {
        if self.interprets {
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

    fn rehearse(&mut self, program: &Program, call: &Call) -> Result<(), Diagnostic> {
        if self.interprets {
            return self.call(program, call).map(drop);
        }
        let span = program.globals[call.function].span;
        self.launch(program, 0, Arguments::Kept, Watch::No)
            .map(drop)
            .map_err(|e| diagnostic(e, span, program.widths))
    }

    fn call(&mut self, program: &Program, call: &Call) -> Result<Answer, Diagnostic> {
        if self.interprets {
            let (function, argument) = (call.function, call.argument_value());
            return self.interp.call(program, function, &call.types, argument).map(Answer::Value);
        }
        let span = program.globals[call.function].span;
        let done = self.run(program, 0, Arguments::Kept);
        done.map(Answer::Columns)
            .map_err(|error| self.retrace(program, call, diagnostic(error, span, program.widths)))
    }

    fn retrace(&mut self, program: &Program, call: &Call, error: Diagnostic) -> Diagnostic {
        let used = reached(program, &self.sources, body(program, call.function));
        if call.size() + self.unlent(&used) > RETRACED {
            return error;
        }
        self.lend(program, &used);
        self.interp.retrace(error, RETRACED, |interp| {
            interp.call(program, call.function, &call.types, call.argument_value())
        })
    }

    fn call_last(&mut self, program: &Program, call: &mut Call) -> Result<Answer, Undone> {
        if self.interprets {
            return self.call(program, call).map_err(Undone::Failed);
        }
        let little = call.size() <= RETRACED;
        call.arguments.clear();
        self.run(program, 0, Arguments::Spent).map(Answer::Columns).map_err(|error| match error {
            RunError::Spent => Undone::Spent,
            error => {
                let error = diagnostic(error, program.globals[call.function].span, program.widths);
                let traceable = little && error.kind != Kind::Interrupted;
                if traceable { Undone::Traceable(error) } else { Undone::Failed(error) }
            }
        })
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

/// Lowers the forms at these places; takes away the places of those that compiled code cannot do,
/// and gives why.
fn lower_forms(
    program: &Program,
    sources: &Forms<'_>,
    forms: &[&Form],
    places: &mut Vec<usize>,
    floats: Floats,
) -> Result<(Lowered, Vec<(usize, Diagnostic)>), Trouble> {
    let lower = |places: &[usize]| {
        let entries: Vec<Entry<'_>> =
            places.iter().map(|&place| Entry::Form(forms[place])).collect();
        lower::lower(program, sources, &entries, floats)
    };
    if let Ok(lowered) = lower(places) {
        return Ok((lowered, Vec::new()));
    }
    let (mut limits, mut wrong) = (Vec::new(), Vec::new());
    for place in std::mem::take(places) {
        match lower(&[place]).map_err(limit) {
            Ok(_) => places.push(place),
            Err(Ok(reason)) => limits.push((place, reason)),
            Err(Err(errors)) => wrong.push((place, errors)),
        }
    }
    if !wrong.is_empty() {
        return Err(Trouble::Refused(wrong));
    }
    // Together they may exceed what each of them does not.
    loop {
        let reason = match lower(places).map_err(limit) {
            Ok(lowered) => return Ok((lowered, limits)),
            Err(Ok(reason)) => reason,
            Err(Err(errors)) => {
                return Err(Trouble::Refused(
                    places.iter().map(|&p| (p, errors.clone())).collect(),
                ));
            }
        };
        let more = places.split_off(places.len() / 2);
        limits.extend(more.into_iter().map(|place| (place, reason.clone())));
    }
}

/// Why the compiler cannot do what the interpreter can, if that is all that is wrong.
fn limit(errors: Vec<Diagnostic>) -> Result<Diagnostic, Vec<Diagnostic>> {
    if errors.iter().all(|error| error.kind == Kind::Limit) {
        errors.into_iter().next().ok_or_else(Vec::new)
    } else {
        Err(errors)
    }
}

/// Tells that something is interpreted as the compiler cannot do it.
fn interpreted(limit: Diagnostic) -> Diagnostic {
    Diagnostic { message: format!("interpreted, not compiled: {}", limit.message), ..limit }
}

/// The names that a form binds.
fn binds(form: &Form) -> &[(Local, Global)] {
    match &form.kind {
        FormKind::Evaluate { binds, .. } => binds,
        FormKind::Defined(_) | FormKind::Command(..) => &[],
    }
}

/// What values of a top-level name look like.
fn shape_of(program: &Program, global: Global) -> Shape {
    Shape::of(&program.globals[global].scheme.ty, &[], &program.datas)
}

/// Binds the names of a pattern to the parts of a value.
fn bind(pattern: &Pattern, columns: &Columns, name: &mut impl FnMut(Local, &Columns)) {
    match (&pattern.kind, columns) {
        (PatternKind::Wildcard, _) => {}
        (PatternKind::Local(local), _) => name(*local, columns),
        // A datatype is its fields.
        (PatternKind::Construct(_, fields), _) => bind(fields, columns, name),
        (PatternKind::Pair(first, rest), Columns::Tuple(parts)) => {
            let (head, tail) = parts.split_first().unwrap_or_else(|| unreachable!("no parts"));
            bind(first, head, name);
            match tail {
                [last] => bind(rest, last, name),
                _ => bind(rest, &Columns::Tuple(tail.to_vec()), name),
            }
        }
        (PatternKind::Pair(..), Columns::Scalar(_) | Columns::Seq { .. }) => {
            unreachable!("a pair has parts")
        }
    }
}
