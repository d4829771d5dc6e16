//! Groups: functions that use later functions wait for them (LANGUAGE 9.2).
//!
//! A waiting function is ready when all functions it needs, directly or through other waiting ones,
//! have been written (`ready`).  Ready functions are checked in units: the strongly connected
//! components of "uses", those that are used first (Tarjan, "Depth-first search and linear graph
//! algorithms").

mod ready;

use super::Checker;
use crate::errors;
use crate::infer::Source;
use crate::scope::{Version, Waiting};
use crate::tree::Form;
use base::{Diagnostic, Span};
use ready::Blocked;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;
use syntax::ast::{self, FormKind, LineEnd, Name};

/// A group whose forms are being checked.
#[derive(Default)]
pub(super) struct Group {
    /// How many functions of each name are still to come.
    later: FxHashMap<String, u32>,
    /// Functions that wait, in the order of the text.
    pub(super) waiting: BTreeMap<Waiting, Pending>,
    /// For what each of them waits.
    blocked: Blocked,
    /// Errors of functions that waited, while the form that completed them was right.
    late: Vec<Diagnostic>,
    /// These functions.
    pub(super) failed: Vec<String>,
    /// Names whose definitions have come, in order.
    arrived: Vec<String>,
}

/// What a group was at some moment.
#[derive(Clone, Debug)]
pub(super) struct Moment {
    waiting: BTreeMap<Waiting, Pending>,
    late: usize,
    failed: usize,
    arrived: usize,
}

/// A function that waits.
#[derive(Clone, Debug)]
pub(super) struct Pending {
    pub(super) id: Waiting,
    pub(super) function: Arc<ast::Function>,
    pub(super) span: Span,
    pub(super) ends: Option<LineEnd>,
    /// The comment above.
    pub(super) comment: Option<String>,
    /// How it sees the names around it.
    pub(super) version: Version,
    /// The names it uses.
    pub(super) needs: Vec<Name>,
}

impl Group {
    /// The group of these forms.
    pub(super) fn new<'f>(forms: impl Iterator<Item = &'f ast::Form>) -> Group {
        Group::default().with(forms)
    }
    /// The group with these forms to come, too.
    fn with<'f>(mut self, forms: impl Iterator<Item = &'f ast::Form>) -> Group {
        for form in forms {
            if let FormKind::Function(function) = &form.kind
                && function.body.is_some()
            {
                *self.later.entry(function.name.text.clone()).or_default() += 1;
            }
        }
        self
    }
    /// The group of forms inside one of this group.
    pub(super) fn inside<'f>(&self, forms: impl Iterator<Item = &'f ast::Form>) -> Group {
        Group { later: self.later.clone(), ..Group::default() }.with(forms)
    }
    /// A definition of this name is no longer a later one.
    pub(super) fn arrived(&mut self, name: &str) {
        if let Some(n) = self.later.get_mut(name)
            && *n > 0
        {
            *n -= 1;
            self.arrived.push(name.to_string());
            self.blocked.touch(name);
        }
    }
    /// A name means something else from now on.
    pub(super) fn touch(&mut self, name: &str) {
        self.blocked.touch(name);
    }
    /// A function begins to wait, or waits again.
    pub(super) fn wait(&mut self, pending: Pending) {
        self.blocked.begin(pending.id);
        self.waiting.insert(pending.id, pending);
    }
    /// The present moment.
    pub(super) fn moment(&self) -> Moment {
        let waiting = self.waiting.clone();
        let (late, failed) = (self.late.len(), self.failed.len());
        Moment { waiting, late, failed, arrived: self.arrived.len() }
    }
    /// Goes back to a moment.
    pub(super) fn back(&mut self, moment: &Moment) {
        self.waiting.clone_from(&moment.waiting);
        self.blocked = Blocked::of(self.waiting.keys().copied());
        self.late.truncate(moment.late);
        self.failed.truncate(moment.failed);
        for name in self.arrived.drain(moment.arrived..) {
            *self.later.entry(name).or_default() += 1;
        }
    }
    /// Whether a function of this name is still to come.
    pub(super) fn defines_later(&self, name: &str) -> bool {
        self.later.get(name).is_some_and(|&n| n > 0)
    }
}

impl Checker {
    /// Checks and defines the waiting functions that are ready.  The errors of `present`, the
    /// function whose form is being checked, are given at once; those of others are kept.
    pub(super) fn complete(
        &mut self,
        present: Option<Waiting>,
    ) -> Result<Vec<Form>, Vec<Diagnostic>> {
        let mut forms = Vec::new();
        let mut failed = Vec::new();
        for unit in self.ready_units() {
            let members = self.take(&unit);
            if members.iter().any(|m| self.missing(m).is_some()) {
                // A function of an earlier unit turned out wrong; there may come another.
                self.wait_again(members);
                continue;
            }
            let Err(errors) = self.complete_unit(&members, &mut forms) else { continue };
            for member in &members {
                self.tables.scope.abandon(&member.function.name.text, member.id);
            }
            if members.iter().any(|m| Some(m.id) == present) {
                failed = errors;
            } else if let Some(group) = self.groups.last_mut() {
                let names = members.iter().map(|member| member.function.name.text.clone());
                group.failed.extend(names);
                group.late.extend(errors);
            }
        }
        if failed.is_empty() { Ok(forms) } else { Err(failed) }
    }
    fn complete_unit(
        &mut self,
        members: &[Pending],
        forms: &mut Vec<Form>,
    ) -> Result<(), Vec<Diagnostic>> {
        let sources: Vec<Source> = members
            .iter()
            .map(|m| Source {
                function: &m.function,
                span: m.span,
                comment: m.comment.as_deref(),
                version: m.version,
                waiting: Some(m.id),
            })
            .collect();
        let defined = self.checked(&sources).map_err(|errors| {
            let ends = members.iter().map(|member| (member.span, member.ends));
            ends.fold(errors, |errors, (span, ends)| errors::of_form(errors, span, ends))
        })?;
        forms.extend(self.define_functions(defined, &sources)?);
        Ok(())
    }
    /// Checks what a form was meant to be that does not parse, and that defines nothing.  The
    /// errors come at the end of the group.
    pub(super) fn look_into(&mut self, forms: &[ast::Form]) {
        let Some(outer) = self.groups.last().filter(|_| !forms.is_empty()) else { return };
        let inner = outer.inside(forms.iter());
        let before = self.checkpoint();
        self.groups.push(inner);
        let mut errors = Vec::new();
        for form in forms {
            if matches!(form.kind, FormKind::Command(..)) {
                // It may load what the forms behind it use.
                break;
            }
            let failed = self.check_ahead(form).err().unwrap_or_default();
            let kind = failed.first().map(|error| error.kind);
            errors.extend(failed.into_iter().filter(|error| Some(error.kind) == kind));
        }
        errors.extend(self.groups.pop().into_iter().flat_map(|inner| inner.late));
        self.rollback(&before);
        self.groups.last_mut().into_iter().for_each(|outer| outer.late.append(&mut errors));
    }
    /// A name that a function needs and that means nothing.
    fn missing<'p>(&self, pending: &'p Pending) -> Option<&'p Name> {
        pending
            .needs
            .iter()
            .find(|name| self.tables.resolve(&self.program, &name.text, pending.version).is_none())
    }
    /// Takes some waiting functions out, in the order of the text.
    fn take(&mut self, ids: &[Waiting]) -> Vec<Pending> {
        let Some(group) = self.groups.last_mut() else { return Vec::new() };
        ids.iter().filter_map(|id| group.waiting.remove(id)).collect()
    }
    fn wait_again(&mut self, members: Vec<Pending>) {
        if let Some(group) = self.groups.last_mut() {
            members.into_iter().for_each(|member| group.wait(member));
        }
    }

    /// The errors of a group at its end.
    pub(super) fn abandon(&mut self, group: Group) -> Vec<Diagnostic> {
        let mut errors = group.late;
        for pending in group.waiting.values() {
            let function = &pending.function.name.text;
            // Or else it waits for a declared function, or for one that waits in vain.
            let name = self
                .missing(pending)
                .or_else(|| pending.needs.iter().find(|name| !self.is_known(&name.text)));
            errors.extend(name.map(|name| errors::never_defined(function, name)));
        }
        for pending in group.waiting.values() {
            self.tables.scope.abandon(&pending.function.name.text, pending.id);
        }
        errors
    }
}
