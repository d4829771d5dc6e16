//! Forms that were checked before, in an earlier version of their text.
//!
//! A form is not checked again if it reads as before and all names that it uses mean what they
//! meant.  A definition that was checked again, and whose type and effects came out as before,
//! takes the place of the earlier one, so that the forms that use it need no new check:
//!
//! ```text
//! function f(x) = x + 1;      function f(x) = x + 2;      checked; of the same type, so it is g7
//! function g(x) = f(x);       function g(x) = f(x);       uses g7 as before: not checked
//! ```
//!
//! This is the early cutoff of incremental build systems (Mokhov et al., "Build systems à la
//! carte").

use super::Checker;
use crate::infer::{Source, is_declared};
use crate::scope::Meaning;
use crate::tree::{Definition, DefinitionKind, Form, FormKind, Global};
use crate::ty::Data;
use base::Span;
use std::mem::discriminant;
use syntax::ast::{self, Name};

/// The result of checking a form that has no error and waited for no other form.
#[derive(Clone, Debug)]
pub struct Known {
    /// The names that it uses, and what they meant.
    uses: Vec<(String, Global)>,
    /// Names of types, and the datatypes that they meant.
    types: Vec<(String, Option<Data>)>,
    /// The checked form.
    form: Form,
}

impl Known {
    /// The globals that the form defines, without hidden ones.
    pub fn defines(&self) -> Vec<Global> {
        match &self.form.kind {
            FormKind::Defined(globals) => globals.clone(),
            FormKind::Evaluate { binds, .. } => binds.iter().map(|bind| bind.1).collect(),
            FormKind::Command(..) => Vec::new(),
        }
    }
    /// The place of the form when it was checked.
    pub fn span(&self) -> Span {
        self.form.span
    }
    /// The form.
    pub fn form(&self) -> &Form {
        &self.form
    }
}

impl Checker {
    /// Keeps the result of each form from now on.
    pub fn take_notes(&mut self) {
        self.notes = true;
    }
    /// Takes the result of the last form, if it has no error and waited for no other form.
    pub fn known(&mut self) -> Option<Known> {
        self.known.take()
    }
    pub(super) fn note(
        &mut self,
        uses: Vec<(String, Global)>,
        types: Vec<(String, Option<Data>)>,
        form: &Form,
    ) {
        if self.notes {
            self.known = Some(Known { uses, types, form: form.clone() });
        }
    }
    /// The present meanings of names.
    pub(super) fn meanings(&self, names: &[Name]) -> Vec<(String, Global)> {
        if !self.notes {
            return Vec::new();
        }
        let meaning = |name: &Name| Some((name.text.clone(), self.meaning(&name.text)?));
        names.iter().filter_map(meaning).collect()
    }
    fn meaning(&self, name: &str) -> Option<Global> {
        match self.tables.scope.lookup(name, self.tables.scope.version()) {
            Some(Meaning::Global(global)) => Some(global),
            Some(Meaning::Waiting(_)) | None => None,
        }
    }

    /// Takes a form as it was, if it need not be checked again; gives the other forms that are
    /// complete with it.  The form reads as the known one did.
    pub fn check_again(&mut self, form: &ast::Form, known: &Known) -> Option<Vec<Form>> {
        if !self.holds(form, known) {
            return None;
        }
        self.settle();
        let mut others = Vec::new();
        match &form.kind {
            ast::FormKind::Function(function) => {
                let (span, version) = (form.span, self.tables.scope.version());
                self.define_again(form, known, function.doc.as_deref());
                if function.body.is_some() {
                    let source = Source { function, span, comment: None, version, waiting: None };
                    self.keep_functions(&[source], known.defines());
                    if let Some(group) = self.groups.last_mut() {
                        group.arrived(&function.name.text);
                    }
                    // The form has no error; errors of functions that waited are kept.
                    others = self.complete(None).unwrap_or_default();
                }
            }
            ast::FormKind::Datatype(datatype) => {
                for global in known.defines() {
                    if let DefinitionKind::Constructor(data) = self.program.globals[global].kind {
                        self.tables.scope.add_data(&datatype.name.text, data, false);
                    }
                }
                self.define_again(form, known, None);
            }
            ast::FormKind::Binding(..) | ast::FormKind::Exp(_) => {
                self.define_again(form, known, None);
            }
            ast::FormKind::Command(..) | ast::FormKind::Error(_) => {}
        }
        if !matches!(form.kind, ast::FormKind::Binding(..) | ast::FormKind::Exp(_)) {
            self.settle();
        }
        Some(others)
    }
    /// Returns true if all names of a form have the same meaning as before.
    fn holds(&self, form: &ast::Form, known: &Known) -> bool {
        let scope = &self.tables.scope;
        let completes = match &form.kind {
            ast::FormKind::Function(function) if function.body.is_some() => {
                self.is_declaration(&function.name.text)
            }
            _ => false,
        };
        let is_function = matches!(form.kind, ast::FormKind::Function(_));
        let same = |(name, global): &(String, Global)| {
            self.meaning(name) == Some(*global) && (!is_function || self.is_known(name))
        };
        let same_type =
            |(name, data): &(String, Option<Data>)| scope.data(name, scope.version()) == *data;
        !completes && known.uses.iter().all(same) && known.types.iter().all(same_type)
    }
    /// Puts the definitions of a form in scope again, at the place where it stands now.
    fn define_again(&mut self, form: &ast::Form, known: &Known, string: Option<&[u8]>) {
        let doc = self.documentation(string, form.comment.as_deref());
        for global in known.defines() {
            let definition = &mut self.program.globals[global];
            let before = definition.span;
            definition.span = form.span;
            definition.doc.clone_from(&doc);
            self.define(global, false);
            for hidden in self.hidden(global) {
                let span = &mut self.program.globals[hidden].span;
                let start = form.span.start + span.start.saturating_sub(before.start);
                *span = Span::new(form.span.file, start, start + (span.end - span.start));
                self.define(hidden, true);
            }
        }
    }
    /// The functions that evaluate the defaults of a function's optional parameters.
    pub fn hidden(&self, function: Global) -> Vec<Global> {
        let optional = self.tables.optional.get(&function);
        optional.iter().flat_map(|it| &it.params).map(|(_, hidden)| *hidden).collect()
    }

    /// Replaces an earlier definition by one of the last form, if types, effects and optional
    /// parameters are equal, so that no user of it changes.  Returns true if it does.
    pub fn take_place(&mut self, new: Global, old: Global) -> bool {
        let (hidden, before) = (self.hidden(new), self.hidden(old));
        let alike = self.is_alike(new, old)
            && self.has_same_parameters(new, old)
            && hidden.iter().zip(&before).all(|(&new, &old)| self.is_alike(new, old));
        if alike {
            let pairs = std::iter::once((new, old)).chain(hidden.into_iter().zip(before));
            pairs.for_each(|(new, old)| self.exchange(new, old));
        }
        alike
    }
    fn is_alike(&self, new: Global, old: Global) -> bool {
        let [new_kind, old_kind] = [new, old].map(|it| &self.program.globals[it].kind);
        let plain = |kind: &DefinitionKind| {
            matches!(kind, DefinitionKind::Function(_) | DefinitionKind::Value)
        };
        plain(new_kind)
            && discriminant(new_kind) == discriminant(old_kind)
            && self.tables.polys[new].is_same(&self.tables.polys[old])
            && !is_declared(&self.program, old)
    }
    fn has_same_parameters(&self, new: Global, old: Global) -> bool {
        match [new, old].map(|it| self.tables.optional.get(&it)) {
            [None, None] => true,
            [Some(new), Some(old)] => {
                let names = |it: &'_ crate::infer::Optional| -> Vec<String> {
                    it.params.iter().map(|(name, _)| name.clone()).collect()
                };
                new.required == old.required && names(new) == names(old)
            }
            [Some(_), None] | [None, Some(_)] => false,
        }
    }
    fn exchange(&mut self, new: Global, old: Global) {
        let definition = Definition { moved: None, ..self.program.globals[new].clone() };
        self.tables.scope.exchange(&definition.name, new, old);
        self.program.globals[old] = definition;
        let follow = |pair: &mut (Global, Global)| {
            if pair.1 == new {
                pair.1 = old;
            }
        };
        self.moves.iter_mut().for_each(follow);
        let units = self.units.iter_mut().flat_map(|unit| &mut unit.globals);
        units.filter(|global| **global == new).for_each(|global| *global = old);
        if let Some(known) = &mut self.known {
            known.exchange(new, old);
        }
    }
}

impl Known {
    /// The form defines another global in the place of one.
    fn exchange(&mut self, from: Global, to: Global) {
        let globals: Vec<&mut Global> = match &mut self.form.kind {
            FormKind::Defined(globals) => globals.iter_mut().collect(),
            FormKind::Evaluate { binds, .. } => binds.iter_mut().map(|bind| &mut bind.1).collect(),
            FormKind::Command(..) => Vec::new(),
        };
        globals.into_iter().filter(|global| **global == from).for_each(|global| *global = to);
    }
}
