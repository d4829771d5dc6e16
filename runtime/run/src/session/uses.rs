//! Which top-level names the functions of a session use.
//!
//! Only their uses follow a redefinition (LANGUAGE 9.3), so only those make it matter when one
//! takes effect.  Function values keep what they were made with (LANGUAGE 7).

use prim::{Meaning, Primitive};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;
use types::Type;
use types::tree::{Binding, DefinitionKind, Exp, ExpKind, Form, FormKind, Global, Program};

/// What keeps names in use.
#[derive(Default)]
pub(super) struct Uses {
    /// Names that functions use, and those that have replaced them.
    functions: FxHashSet<Global>,
    /// Names that function values use as they were when these were made.
    values: FxHashSet<Global>,
    /// How many definitions were looked at.
    known: usize,
}

impl Uses {
    /// Whether a function, or a function value, uses a name.
    pub(super) fn contains(&self, global: Global) -> bool {
        self.matters(global) || self.values.contains(&global)
    }

    /// Whether functions are to use what replaces a name.
    pub(super) fn matters(&self, global: Global) -> bool {
        self.functions.contains(&global)
    }

    /// Follows replacements that take effect now.
    pub(super) fn follow(&mut self, replaced: &[(Global, Global)]) {
        for (old, new) in replaced {
            if self.matters(*old) {
                self.functions.insert(*new);
            }
        }
    }

    /// Adds what is used by the functions defined since the last time, those that evaluate defaults
    /// among them, and by function values in the result of a form.
    pub(super) fn add(&mut self, program: &Program, form: &Form) {
        let known = self.known;
        for definition in program.globals.values().skip(known).filter(|own| !own.library) {
            if let DefinitionKind::Function(function) = &definition.kind {
                self.add_exp(program, &function.body);
            }
        }
        self.known = program.globals.len();
        if let FormKind::Evaluate { exp, .. } = &form.kind
            && may_have_functions(&exp.ty)
        {
            self.add_exp(program, exp);
        }
    }

    fn add_exp(&mut self, program: &Program, exp: &Exp) {
        exp.walk(&mut |part| {
            if let ExpKind::Global(global, binding, _) = part.kind {
                let declared = matches!(program.globals[global].kind, DefinitionKind::Declared);
                if binding == Binding::Latest || declared {
                    self.functions.insert(global);
                } else {
                    self.values.insert(global);
                }
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
    follow(program, Some(exp), source, &mut |global| found |= is_effect(program, global));
    found
}

/// The same of calling a top-level function.
pub(super) fn reaches_effect(
    program: &Program,
    sources: &FxHashMap<Global, Arc<Form>>,
    global: Global,
) -> bool {
    let source = |global| sources.get(&global).and_then(|form| expression(form));
    let body = match &program.globals[global].kind {
        DefinitionKind::Function(function) => Some(&function.body),
        DefinitionKind::Value => source(global),
        DefinitionKind::Constructor(_)
        | DefinitionKind::Primitive(_)
        | DefinitionKind::Declared => None,
    };
    is_effect(program, global) || body.is_some_and(|body| prints(program, &source, body))
}

fn is_effect(program: &Program, global: Global) -> bool {
    let definition = &program.globals[global];
    let debugs = |prim| Primitive::of(prim).meaning == Meaning::PrintDebug;
    definition.effect || matches!(definition.kind, DefinitionKind::Primitive(prim) if debugs(prim))
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
            let ExpKind::Global(global, binding, _) = part.kind else { return };
            let global = program.meaning(global, binding);
            if !seen.insert(global) {
                return;
            }
            visit(global);
            match &program.globals[global].kind {
                DefinitionKind::Function(function) => open.push(&function.body),
                DefinitionKind::Value => open.extend(source(global)),
                DefinitionKind::Constructor(_)
                | DefinitionKind::Primitive(_)
                | DefinitionKind::Declared => {}
            }
        });
    }
}

/// The names that a function is made of: its own, those that it uses, and so on.
pub(super) fn parts(program: &Program, function: Global) -> Vec<Global> {
    let mut found = vec![function];
    follow(program, body(program, function), &|_| None, &mut |global| found.push(global));
    found
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
    match &program.globals[program.meaning(function, Binding::Latest)].kind {
        DefinitionKind::Function(function) => Some(&function.body),
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
