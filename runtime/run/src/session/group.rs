//! Groups: forms in order, each with everything before it (LANGUAGE 1 and 9).
//!
//! An engine that compiles sees many forms at once, a **batch**: they are checked as if all would
//! succeed.  When one fails, it defines nothing; the checker goes back to the moment before it, and
//! the forms behind it are checked again, in a new batch.  A batch ends early at a command, and
//! where a redefinition changes what functions before it mean.

use super::engine::{Context, Trouble};
use super::uses::prints;
use super::{Event, Flow, Session, Sink};
use base::{Diagnostic, Kind, Span};
use rustc_hash::FxHashMap;
use std::ops::ControlFlow;
use syntax::ast;
use types::tree::{Exp, Form, FormKind, Global};
use types::{Checkpoint, show_scheme};
use value::Shape;
use value::interrupt::interrupted;

/// Forms of a group that an engine refused, by position, and why.
type Refused = FxHashMap<usize, Vec<Diagnostic>>;

/// A form that has been checked.
struct Ahead {
    /// The moment before it, if it may fail.
    before: Option<Checkpoint>,
    /// What is complete with it.
    forms: Result<Vec<Form>, Vec<Diagnostic>>,
    /// The names that it is to define.
    names: Vec<String>,
    /// Functions before it of which it showed that they are wrong.
    failed: Vec<String>,
    /// What is to be said of what is right.
    warnings: Vec<Diagnostic>,
}

impl Session {
    /// Processes a group.
    pub(super) fn group(&mut self, group: &ast::Group, sink: &mut Sink<'_>) -> Flow {
        self.checker.begin_group(group);
        let mut refused = Refused::default();
        let mut next = 0;
        while next < group.forms.len() {
            if self.stops() {
                // Functions that wait for the rest are nobody's fault.
                self.checker.end_group();
                return ControlFlow::Continue(());
            }
            match self.batch(&group.forms, next, &mut refused, sink) {
                ControlFlow::Continue(count) => next += count,
                ControlFlow::Break(()) => {
                    self.checker.end_group();
                    return ControlFlow::Break(());
                }
            }
        }
        self.end_group(sink);
        ControlFlow::Continue(())
    }

    /// Whether the user wishes that the rest is not run.
    fn stops(&mut self) -> bool {
        if self.interrupt.is_raised() && self.stopped.is_none() {
            self.stopped = Some(interrupted(Span::none()));
        }
        self.stopped.is_some()
    }

    /// Ends a group; tells of functions that waited in vain.
    fn end_group(&mut self, sink: &mut Sink<'_>) {
        for error in self.checker.end_group() {
            self.tell(vec![error], sink);
        }
    }

    /// Checks the forms of a group, and of files that it loads, without evaluating anything.
    pub(super) fn check_group(&mut self, group: &ast::Group, sink: &mut Sink<'_>) {
        self.checker.begin_group(group);
        for form in &group.forms {
            let checked = self.checker.check(form);
            for warning in self.checker.take_warnings() {
                sink(&self.files, Event::Warning(warning));
            }
            match checked {
                Ok(forms) => {
                    for warning in types::warnings(form) {
                        sink(&self.files, Event::Warning(warning));
                    }
                    for form in &forms {
                        if let FormKind::Command(word, arguments) = &form.kind {
                            self.check_loaded(word, arguments, sink);
                        }
                    }
                    self.texts.follow(form);
                }
                Err(errors) => {
                    self.missing.add(&self.checker.failed());
                    self.tell(errors, sink);
                    self.miss(&form.defines);
                }
            }
        }
        self.missing.add(&self.checker.failed());
        self.end_group(sink);
    }

    /// Notes that these names remain without a definition, and so functions that wait for them.
    fn miss(&mut self, names: &[String]) {
        let waiting = self.checker.waiting_for(names);
        for names in [names, &waiting] {
            self.missing.add(names);
            self.checker.miss(names);
        }
    }

    /// Tells why a form failed, unless that is the consequence of what was told before.
    fn tell(&self, errors: Vec<Diagnostic>, sink: &mut Sink<'_>) {
        let text = |span: Span| {
            let text = &self.files.file(span.file).text;
            text.get(span.start as usize..span.end as usize).unwrap_or_default()
        };
        let errors = self.missing.without_consequences(errors, text);
        if !errors.is_empty() {
            sink(&self.files, Event::Failed(first_kind(&errors)));
        }
    }

    /// Processes forms from `next` on; gives how many.
    fn batch(
        &mut self,
        forms: &[ast::Form],
        next: usize,
        refused: &mut Refused,
        sink: &mut Sink<'_>,
    ) -> ControlFlow<(), usize> {
        self.settle();
        let start = self.checker.checkpoint();
        let batch = loop {
            let batch = self.look_ahead(forms, next, refused);
            let (positions, values): (Vec<usize>, Vec<&Form>) = evaluated(&batch).unzip();
            let context = Context { program: &self.checker.program, files: &self.files };
            match self.engine.prepare(&context, &values) {
                Ok(()) => break batch,
                Err(Trouble::Refused(list)) => {
                    for (place, reasons) in list {
                        refused.insert(next + positions[place], reasons);
                    }
                    self.checker.rollback(&start);
                }
                // A compiler that was stopped is not broken.
                Err(Trouble::Broken(_)) if self.stops() => {
                    self.checker.rollback(&start);
                    return ControlFlow::Continue(0);
                }
                Err(Trouble::Broken(diagnostic)) => {
                    sink(&self.files, Event::Failed(vec![diagnostic]));
                    return ControlFlow::Break(());
                }
            }
        };
        self.warn(sink);
        for (done, ahead) in batch.iter().enumerate() {
            if !self.process(ahead, sink)? {
                // What comes behind it is seen with other eyes.
                refused.retain(|&place, _| place <= next + done);
                return ControlFlow::Continue(done + 1);
            }
            if ahead.forms.is_ok() {
                self.texts.follow(&forms[next + done]);
            }
        }
        self.settle();
        self.forget_replaced();
        ControlFlow::Continue(batch.len())
    }

    /// Passes on what the engine has to tell.
    fn warn(&mut self, sink: &mut Sink<'_>) {
        for warning in self.engine.warnings() {
            sink(&self.files, Event::Warning(warning));
        }
    }

    /// Forgets values that no name stands for any more and no function uses.
    fn forget_replaced(&mut self) {
        for global in self.bound.take_replaced() {
            let name = &self.checker.program.globals[global].name;
            if self.checker.lookup(name) == Some(global) {
                // What was bound after it is an older function that had waited until then.
                self.bound.bind(name, global);
            } else if !self.uses.contains(global) {
                self.engine.forget(global);
            }
        }
    }

    /// Lets redefinitions take effect.
    pub(super) fn settle(&mut self) {
        self.uses.follow(self.checker.unsettled());
        self.checker.settle();
    }

    /// Checks the forms of a batch.
    fn look_ahead(&mut self, forms: &[ast::Form], next: usize, refused: &Refused) -> Vec<Ahead> {
        let mut batch = Vec::new();
        for (place, form) in forms.iter().enumerate().skip(next) {
            let command = matches!(form.kind, ast::FormKind::Command(..));
            if command && !batch.is_empty() {
                break;
            }
            batch.push(match refused.get(&place) {
                Some(reasons) => Ahead {
                    before: None,
                    forms: Err(reasons.clone()),
                    names: form.defines.clone(),
                    failed: Vec::new(),
                    warnings: Vec::new(),
                },
                None => self.check_form(form),
            });
            let matters = self.checker.unsettled().iter().any(|(old, _)| self.uses.matters(*old));
            if command || matters || !self.engine.looks_ahead() {
                break;
            }
        }
        batch
    }

    fn check_form(&mut self, form: &ast::Form) -> Ahead {
        let may_fail = matches!(form.kind, ast::FormKind::Binding(..) | ast::FormKind::Exp(_));
        let before = may_fail.then(|| self.checker.checkpoint());
        let forms = self.checker.check_ahead(form);
        for form in forms.iter().flatten() {
            self.uses.add(&self.checker.program, form);
        }
        let failed = self.checker.failed();
        let warnings = self.checker.take_warnings();
        Ahead { before, forms, names: form.defines.clone(), failed, warnings }
    }

    /// Evaluates and shows what is complete with a form; tells whether it succeeded.
    fn process(&mut self, ahead: &Ahead, sink: &mut Sink<'_>) -> ControlFlow<(), bool> {
        self.missing.add(&ahead.failed);
        for warning in &ahead.warnings {
            sink(&self.files, Event::Warning(warning.clone()));
        }
        let forms = match &ahead.forms {
            Ok(forms) => forms,
            Err(errors) => {
                // The batch was checked without it.
                self.tell(errors.clone(), sink);
                self.miss(&ahead.names);
                return ControlFlow::Continue(true);
            }
        };
        for form in forms {
            match &form.kind {
                FormKind::Defined(globals) => {
                    self.bind(globals.iter().copied());
                    self.show_definitions(globals, sink);
                }
                FormKind::Evaluate { binds, exp, .. } => {
                    self.tell_effects(exp, sink);
                    let shown = self.evaluate(form);
                    self.warn(sink);
                    if shown.is_err()
                        && let Some(before) = &ahead.before
                    {
                        self.checker.rollback(before);
                    }
                    match shown {
                        Ok(event) => {
                            self.bind(binds.iter().map(|bind| bind.1));
                            sink(&self.files, event);
                        }
                        Err(error) => {
                            self.miss(&ahead.names);
                            self.tell_failure(error, sink);
                            return ControlFlow::Continue(false);
                        }
                    }
                }
                FormKind::Command(word, arguments) => self.command(word, arguments, sink)?,
            }
        }
        ControlFlow::Continue(true)
    }

    /// Says, once, that a form with effects is run, if somebody wants to know.
    fn tell_effects(&mut self, exp: &Exp, sink: &mut Sink<'_>) {
        if self.effects_told.is_some()
            && prints(&self.checker.program, &|_| None, exp)
            && let Some(message) = self.effects_told.take()
        {
            let warning = Diagnostic::at(Kind::Input, exp.span, message);
            sink(&self.files, Event::Warning(warning));
        }
    }

    /// Notes that names are bound.
    fn bind(&mut self, globals: impl Iterator<Item = Global>) {
        for global in globals {
            self.bound.bind(&self.checker.program.globals[global].name, global);
        }
    }

    /// Tells why a form failed, or keeps it until the end if that is the end.
    fn tell_failure(&mut self, error: Diagnostic, sink: &mut Sink<'_>) {
        if error.kind == Kind::Interrupted {
            self.stopped = Some(error);
        } else {
            let error = self.with_advice(error);
            sink(&self.files, Event::Failed(vec![error]));
        }
    }

    fn evaluate(&mut self, form: &Form) -> Result<Event, Diagnostic> {
        let FormKind::Evaluate { exp, scheme, .. } = &form.kind else {
            unreachable!("a form without a value")
        };
        let program = &self.checker.program;
        let answer = self.engine.evaluate(program, form)?;
        let shape = Shape::of(&exp.ty, &[], &program.datas);
        Ok(Event::Shown {
            name: form.shown.clone(),
            value: answer.show(&shape, self.style()),
            ty: show_scheme(program, scheme),
            data: Some((answer, shape)),
        })
    }

    fn show_definitions(&self, globals: &[Global], sink: &mut Sink<'_>) {
        if !self.settings.verbose {
            return;
        }
        for &global in globals {
            let definition = &self.checker.program.globals[global];
            let ty = show_scheme(&self.checker.program, &definition.scheme);
            let (name, value) = (definition.name.clone(), b"fn".to_vec());
            sink(&self.files, Event::Shown { name, value, ty, data: None });
        }
    }
}

/// The forms of a batch that have a value, and their positions.
fn evaluated(batch: &[Ahead]) -> impl Iterator<Item = (usize, &Form)> {
    batch.iter().enumerate().flat_map(|(place, ahead)| {
        let forms = ahead.forms.iter().flatten();
        let values = forms.filter(|form| matches!(form.kind, FormKind::Evaluate { .. }));
        values.map(move |form| (place, form))
    })
}

/// Of several errors in a form only those of the kind that stands highest are told.
fn first_kind(errors: &[Diagnostic]) -> Vec<Diagnostic> {
    let highest = errors.iter().map(|error| error.kind).min();
    errors.iter().filter(|error| Some(error.kind) == highest).cloned().collect()
}
