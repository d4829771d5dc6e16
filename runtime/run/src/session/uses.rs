//! Which top-level names the functions of a session use.
//!
//! Only their uses follow a redefinition (LANGUAGE 9.3), so only those keep an old value alive, or
//! make it matter when a redefinition takes effect.

use prim::{Meaning, Primitive};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;
use types::Type;
use types::tree::{DefinitionKind, Exp, ExpKind, Form, FormKind, Global, Program};

/// Names that functions use, and those that have replaced them.
#[derive(Default)]
pub(super) struct Uses {
    globals: FxHashSet<Global>,
}

impl Uses {
    /// Whether a function uses a name.
    pub(super) fn contains(&self, global: Global) -> bool {
        self.globals.contains(&global)
    }

    /// Follows replacements that take effect now.
    pub(super) fn follow(&mut self, replaced: &[(Global, Global)]) {
        for (old, new) in replaced {
            if self.contains(*old) {
                self.globals.insert(*new);
            }
        }
    }

    /// Adds what the functions of a form use: those that it defines, and function values in its
    /// result.
    pub(super) fn add(&mut self, program: &Program, form: &Form) {
        match &form.kind {
            FormKind::Defined(globals) => {
                for &global in globals {
                    if let DefinitionKind::Function(function) = &program.globals[global].kind {
                        self.add_exp(&function.body);
                    }
                }
            }
            FormKind::Evaluate { exp, .. } if may_have_functions(&exp.ty) => self.add_exp(exp),
            FormKind::Evaluate { .. } | FormKind::Command(..) => {}
        }
    }

    fn add_exp(&mut self, exp: &Exp) {
        exp.walk(&mut |part| {
            if let ExpKind::Global(global, _) = &part.kind {
                self.globals.insert(*global);
            }
        });
    }
}

/// The names bound by forms whose values evaluating an expression may need: those that it names,
/// those that functions it names use, and so on.  `sources` are the forms whose values are
/// functions.
pub(super) fn reached(
    program: &Program,
    sources: &FxHashMap<Global, Arc<Form>>,
    exp: Option<&Exp>,
) -> Vec<Global> {
    let mut found = Vec::new();
    let source = |global| sources.get(&global).and_then(|form| expression(form));
    follow(program, exp, &source, &mut |global| {
        if let DefinitionKind::Value = program.globals[global].kind {
            found.push(global);
        }
    });
    found
}

/// Whether evaluating an expression may have an effect, or print while it is debugged: compiled
/// code does neither.
pub(super) fn prints<'a>(
    program: &'a Program,
    source: &dyn Fn(Global) -> Option<&'a Exp>,
    exp: &'a Exp,
) -> bool {
    let mut found = false;
    follow(program, Some(exp), source, &mut |global| {
        let definition = &program.globals[global];
        let debugs = |prim| Primitive::of(prim).meaning == Meaning::PrintDebug;
        found |= definition.effect
            || matches!(definition.kind, DefinitionKind::Primitive(prim) if debugs(prim));
    });
    found
}

/// Visits the names that evaluating an expression may use.
fn follow<'a>(
    program: &'a Program,
    exp: Option<&'a Exp>,
    source: &dyn Fn(Global) -> Option<&'a Exp>,
    visit: &mut dyn FnMut(Global),
) {
    let mut seen = FxHashSet::default();
    let mut open: Vec<&Exp> = exp.into_iter().collect();
    while let Some(exp) = open.pop() {
        exp.walk(&mut |part| {
            let ExpKind::Global(mut global, _) = part.kind else { return };
            while let DefinitionKind::Moved(next) = program.globals[global].kind {
                global = next;
            }
            if !seen.insert(global) {
                return;
            }
            visit(global);
            match &program.globals[global].kind {
                DefinitionKind::Function(function) => open.push(&function.body),
                DefinitionKind::Value => open.extend(source(global)),
                DefinitionKind::Constructor(_)
                | DefinitionKind::Primitive(_)
                | DefinitionKind::Declared
                | DefinitionKind::Moved(_) => {}
            }
        });
    }
}

/// What a form evaluates.
pub(super) fn expression(form: &Form) -> Option<&Exp> {
    match &form.kind {
        FormKind::Evaluate { exp, .. } => Some(exp),
        FormKind::Defined(_) | FormKind::Command(..) => None,
    }
}

/// The body of a function that the program defines.
pub(super) fn body(program: &Program, function: Global) -> Option<&Exp> {
    match &program.globals[function].kind {
        DefinitionKind::Function(function) => Some(&function.body),
        DefinitionKind::Moved(next) => body(program, *next),
        DefinitionKind::Value
        | DefinitionKind::Constructor(_)
        | DefinitionKind::Primitive(_)
        | DefinitionKind::Declared => None,
    }
}

/// Whether values of a type may contain functions; datatypes are not looked into.
fn may_have_functions(ty: &Type) -> bool {
    match ty {
        Type::Base(_) | Type::Seq(_) => false,
        Type::Pair(a, b) => may_have_functions(a) || may_have_functions(b),
        Type::Fun(..) | Type::Data(..) | Type::Var(_) => true,
    }
}
