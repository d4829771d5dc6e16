//! Function definitions and forward declarations (LANGUAGE 9).

use super::Checker;
use super::group::Pending;
use crate::endless;
use crate::errors;
use crate::infer::{self, Defined, Source, is_declared};
use crate::names;
use crate::scope::Meaning;
use crate::show::show_scheme;
use crate::tree::{DefinitionKind, Exp, Form, FormKind, Global};
use base::{Diagnostic, Id};
use std::sync::Arc;
use syntax::ast;

impl Checker {
    pub(super) fn function(
        &mut self,
        function: &Arc<ast::Function>,
        form: &ast::Form,
    ) -> Result<Vec<Form>, Vec<Diagnostic>> {
        let span = form.span;
        if let Some(group) = self.groups.last_mut()
            && function.body.is_some()
        {
            group.arrived(&function.name.text);
        }
        let found = self.names_of(|view| names::of_function(view, function))?;
        if function.body.is_none() {
            let declared = self.declaration(function, form)?;
            self.note(Vec::new(), found.types, &declared);
            return Ok(vec![declared]);
        }
        let version = self.tables.scope.version();
        if found.free.iter().all(|name| self.is_known(&name.text)) {
            let comment = form.comment.as_deref();
            let source = Source { function, span, comment, version, waiting: None };
            let defined = self.checked(std::slice::from_ref(&source))?;
            let uses = self.meanings(&found.free);
            let completes = self.is_declaration(&function.name.text);
            let mut forms = self.define_functions(defined, &[source])?;
            if let [defined] = forms.as_slice()
                && !completes
            {
                self.note(uses, found.types, defined);
            }
            forms.extend(self.complete(None)?);
            return Ok(forms);
        }
        let id = self.waited;
        self.waited += 1;
        let name = &function.name.text;
        self.tables.scope.add(name, Meaning::Waiting(id), self.is_internal(function));
        let (function, needs) = (function.clone(), found.free);
        let (ends, comment) = (form.ends, form.comment.clone());
        let pending = Pending { id, function, span, ends, comment, version, needs };
        if let Some(group) = self.groups.last_mut() {
            group.wait(pending);
        }
        self.complete(Some(id))
    }

    /// Whether a name is defined, and not only declared with its definition still to come.
    pub(super) fn is_known(&self, name: &str) -> bool {
        let scope = &self.tables.scope;
        match scope.lookup(name, scope.version()) {
            Some(Meaning::Global(global)) => {
                let later = || self.groups.last().is_some_and(|g| g.defines_later(name));
                !(is_declared(&self.program, global) && later())
            }
            Some(Meaning::Waiting(_)) | None => false,
        }
    }
    /// Returns true if a name is that of a function that is declared and not yet defined.
    pub(super) fn is_declaration(&self, name: &str) -> bool {
        let meaning = self.tables.scope.lookup(name, self.tables.scope.version());
        matches!(meaning, Some(Meaning::Global(global)) if is_declared(&self.program, global))
    }
    /// A function of the library without documentation is visible only to the library, and so are
    /// those that users know only as operators.
    fn is_internal(&self, function: &ast::Function) -> bool {
        let operator = matches!(function.name.text.as_str(), "power" | "pad_string" | "range");
        self.tables.scope.in_library() && (function.doc.is_none() || operator)
    }

    fn declaration(
        &mut self,
        function: &ast::Function,
        form: &ast::Form,
    ) -> Result<Form, Vec<Diagnostic>> {
        let span = form.span;
        let name = &function.name.text;
        let Some(annotation) = &function.ty else {
            unreachable!("the grammar gives a declaration its type");
        };
        let poly = infer::declaration(&self.program, &self.tables, annotation)?;
        let global = self.push(name, poly, DefinitionKind::Declared, span);
        let doc = self.documentation(function.doc.as_deref(), form.comment.as_deref());
        self.program.globals[global].doc = doc;
        self.define(global, self.is_internal(function));
        Ok(Form { shown: name.clone(), kind: FormKind::Defined(vec![global]), span })
    }

    /// Infers the types of functions that call each other, and compares them with declarations.
    pub(super) fn checked(&self, unit: &[Source]) -> Result<Vec<Defined>, Vec<Diagnostic>> {
        let functions = infer::functions(&self.program, &self.tables, unit)?;
        let mut failed = Vec::new();
        for defined in &functions {
            let Some(source) = defined.source.map(|i| &unit[i]) else { continue };
            let name = &source.function.name;
            let before = self.tables.scope.lookup(&name.text, source.version);
            let Some(Meaning::Global(declared)) = before else { continue };
            if !is_declared(&self.program, declared) {
                continue;
            }
            let old = &self.program.globals[declared];
            let [found, expected] =
                [&defined.poly.scheme, &old.scheme].map(|s| show_scheme(&self.program, s));
            if !defined.poly.same_type(&self.tables.polys[declared]) {
                failed.push(errors::not_as_declared(name, &found, &expected, old.span));
            }
        }
        if failed.is_empty() { Ok(functions) } else { Err(failed) }
    }

    /// Makes globals of checked functions, unless an effect of theirs is not allowed where earlier
    /// definitions use them from now on.
    pub(super) fn define_functions(
        &mut self,
        functions: Vec<Defined>,
        sources: &[Source],
    ) -> Result<Vec<Form>, Vec<Diagnostic>> {
        let before = self.before();
        let (mut forms, mut globals) = (Vec::new(), Vec::new());
        self.note_endless(&functions);
        for defined in functions {
            if let Some(quotient) = defined.quotient {
                let global = Global::new(self.program.globals.len());
                self.tables.quotients.insert(global, quotient);
            }
            let kind = DefinitionKind::Function(defined.function);
            let global = self.push(&defined.name, defined.poly, kind, defined.span);
            globals.push(global);
            let Some(&Source { function, span, comment, waiting, .. }) =
                defined.source.map(|i| &sources[i])
            else {
                self.define(global, true);
                continue;
            };
            self.program.globals[global].doc = self.documentation(function.doc.as_deref(), comment);
            if !defined.optional.params.is_empty() {
                self.tables.optional.insert(global, defined.optional);
            }
            self.enter_function(function, waiting, global);
            let kind = FormKind::Defined(vec![global]);
            forms.push(Form { shown: function.name.text.clone(), kind, span });
        }
        self.keep_functions(sources, globals);
        self.follow_effects(&before)?;
        Ok(forms)
    }
    /// Notes the functions of a unit no call of which ends, and warns of them.
    fn note_endless(&mut self, functions: &[Defined]) {
        if self.tables.scope.in_library() {
            return;
        }
        let first = self.program.globals.len();
        let members = functions.iter().enumerate();
        let unit: Vec<(Global, &Exp)> = members
            .map(|(place, defined)| (Global::new(first + place), &defined.function.body))
            .collect();
        let found = endless::among(&self.program, &self.tables.endless, &unit);
        for (global, call) in found {
            let name = &functions[global.index() - first].name;
            self.tables.endless.insert(global);
            self.warnings.push(endless::warning(name, call));
        }
    }
    /// Puts a function in scope, at the place where it has been waiting if it has.
    fn enter_function(&mut self, function: &ast::Function, waiting: Option<usize>, global: Global) {
        match waiting {
            Some(id) => {
                let name = &function.name.text;
                self.tables.scope.complete(name, id, global);
                self.replace(global);
            }
            None => self.define(global, self.is_internal(function)),
        }
    }
}
