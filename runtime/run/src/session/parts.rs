//! Parts of a program that has effects: which of its expressions have none, and can be compiled.
//!
//! An expression is a part if nothing that it names has an effect, its value holds no function, and
//! it does enough that compiling may pay: it goes through a sequence or calls a function.

use super::uses::reaches_effect;
use prim::{Meaning, Primitive};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;
use types::Type;
use types::tree::{
    DefinitionKind, Exp, ExpKind, Form, FormKind, Global, Local, Pattern, PatternKind, Program,
};

/// An expression that can be compiled by itself.
pub(super) struct Part {
    /// Its free names, and their types in the definition around it.
    pub(super) free: Vec<(Local, Type)>,
    /// Top-level values that it may use.
    pub(super) inputs: Vec<Global>,
}

/// What was found out about expressions, by their addresses: they stay where they are while a form
/// is evaluated.
pub(super) struct Parts {
    sources: FxHashMap<Global, Arc<Form>>,
    /// The expressions in the form that is evaluated.
    own: FxHashSet<usize>,
    known: FxHashMap<usize, Option<Arc<Part>>>,
    effects: FxHashMap<Global, bool>,
}

impl Parts {
    /// Nothing is known yet of this form, or of the functions that are called without one.
    pub(super) fn new(sources: &FxHashMap<Global, Arc<Form>>, form: Option<&Form>) -> Parts {
        let mut own = FxHashSet::default();
        if let Some(FormKind::Evaluate { exp, .. }) = form.map(|form| &form.kind) {
            exp.walk(&mut |part| {
                own.insert(address(part));
            });
        }
        let sources = sources.clone();
        Parts { sources, own, known: FxHashMap::default(), effects: FxHashMap::default() }
    }

    /// Whether an expression stands in the form that is evaluated, and not in an earlier one.
    pub(super) fn is_own(&self, exp: &Exp) -> bool {
        self.own.contains(&address(exp))
    }

    /// An expression as a part, if it is one.
    pub(super) fn part(&mut self, program: &Program, exp: &Exp) -> Option<Arc<Part>> {
        if let Some(known) = self.known.get(&address(exp)) {
            return known.clone();
        }
        let part = self.find(program, exp).map(Arc::new);
        self.known.insert(address(exp), part.clone());
        part
    }

    fn find(&mut self, program: &Program, exp: &Exp) -> Option<Part> {
        let (mut pays, mut globals) = (false, Vec::new());
        exp.walk(&mut |part| match &part.kind {
            ExpKind::Each(_) => pays = true,
            ExpKind::Apply(function, _) => pays |= is_work(program, function),
            ExpKind::Global(global, binding, _) => globals.push(program.meaning(*global, *binding)),
            _ => {}
        });
        if !pays || globals.iter().any(|&global| self.has_effect(program, global)) {
            return None;
        }
        let inputs = super::uses::reached(program, &self.sources, Some(exp));
        Some(Part { free: free(exp), inputs })
    }

    /// Whether to call a top-level function may have an effect, or print while it is debugged.
    pub(super) fn has_effect(&mut self, program: &Program, global: Global) -> bool {
        let sources = &self.sources;
        *self.effects.entry(global).or_insert_with(|| reaches_effect(program, sources, global))
    }
}

/// What distinguishes an expression from others while all of them stay where they are.
pub(super) fn address(exp: &Exp) -> usize {
    std::ptr::from_ref(exp).addr()
}

/// Whether an application is more than an operation on scalars.
fn is_work(program: &Program, function: &Exp) -> bool {
    let ExpKind::Global(global, binding, _) = function.kind else { return true };
    match &program.globals[program.meaning(global, binding)].kind {
        DefinitionKind::Function(_) | DefinitionKind::Value | DefinitionKind::Declared => true,
        DefinitionKind::Constructor(_) => false,
        DefinitionKind::Primitive(prim) => {
            matches!(Primitive::of(*prim).meaning, Meaning::Bulk(_))
        }
    }
}

/// The free names of an expression, in order of appearance.
fn free(exp: &Exp) -> Vec<(Local, Type)> {
    let (mut bound, mut used) = (FxHashSet::default(), Vec::<(Local, Type)>::new());
    exp.walk(&mut |part| match &part.kind {
        ExpKind::Local(local) if used.iter().all(|(known, _)| known != local) => {
            used.push((*local, part.ty.clone()));
        }
        ExpKind::Lambda(param, _) => binders(param, &mut bound),
        ExpKind::Let(bindings, _) => bindings.iter().for_each(|b| binders(&b.0, &mut bound)),
        ExpKind::Each(each) => each.generators.iter().for_each(|g| binders(&g.0, &mut bound)),
        _ => {}
    });
    used.retain(|(local, _)| !bound.contains(local));
    used
}

/// The names that a pattern binds.
fn binders(pattern: &Pattern, out: &mut FxHashSet<Local>) {
    match &pattern.kind {
        PatternKind::Local(local) => {
            out.insert(*local);
        }
        PatternKind::Wildcard => {}
        PatternKind::Pair(a, b) => {
            binders(a, out);
            binders(b, out);
        }
        PatternKind::Construct(_, fields) => binders(fields, out),
    }
}
