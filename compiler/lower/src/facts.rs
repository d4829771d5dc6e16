//! What must be known of a definition before it is called: does it call itself, does it draw random
//! numbers, which top-level values does it use?
//!
//! The answers are those of the strongly connected components of the graph of mentions (R. Tarjan,
//! "Depth-first search and linear graph algorithms"), found from a definition when it is first
//! asked for.

use crate::Forms;
use crate::ty::has_functions;
use prim::{Meaning, Primitive};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::rc::Rc;
use types::tree::{
    DefinitionKind, Exp, ExpKind, FormKind, Global, Local, Pattern, PatternKind, Program,
};

/// What is known of a definition or expression.
#[derive(Clone, Default, Debug)]
pub(crate) struct Facts {
    /// It may call itself.
    pub(crate) recursive: bool,
    /// It draws random numbers.
    pub(crate) random: bool,
    /// Top-level values without functions that it uses.
    pub(crate) inputs: BTreeSet<Global>,
}

impl Facts {
    /// Adds what a called function does.
    pub(crate) fn include(&mut self, other: &Facts) {
        self.random |= other.random;
        self.inputs.extend(&other.inputs);
    }
}

/// The graph of mentions, explored on demand.
pub(crate) struct Graph<'a> {
    program: &'a Program,
    forms: &'a Forms<'a>,
    facts: FxHashMap<Global, Rc<Facts>>,
    expressions: FxHashMap<*const Exp, Rc<Facts>>,
    free: FxHashMap<*const Exp, Rc<[Local]>>,
    order: FxHashMap<Global, usize>,
    low: FxHashMap<Global, usize>,
    stack: Vec<Global>,
}

impl<'a> Graph<'a> {
    pub(crate) fn new(program: &'a Program, forms: &'a Forms<'a>) -> Self {
        Graph {
            program,
            forms,
            facts: FxHashMap::default(),
            expressions: FxHashMap::default(),
            free: FxHashMap::default(),
            order: FxHashMap::default(),
            low: FxHashMap::default(),
            stack: Vec::new(),
        }
    }

    /// The expression that stands for a top-level value: one that contains functions, or belongs to
    /// the library.
    pub(crate) fn inlined_value(&self, global: Global) -> Option<&'a Exp> {
        let definition = &self.program.globals[global];
        if !definition.library && !has_functions(self.program, &definition.scheme.ty) {
            return None;
        }
        match &self.forms.get(&global)?.kind {
            FormKind::Evaluate { exp, .. } => Some(exp),
            FormKind::Defined(_) | FormKind::Command(..) => None,
        }
    }

    /// What is known of a definition.
    pub(crate) fn of(&mut self, global: Global) -> Rc<Facts> {
        if !self.order.contains_key(&global) {
            self.visit(global);
        }
        self.facts[&global].clone()
    }

    /// What is known of an expression.
    pub(crate) fn of_exp(&mut self, exp: &'a Exp) -> Rc<Facts> {
        if let Some(found) = self.expressions.get(&std::ptr::from_ref(exp)) {
            return found.clone();
        }
        let mut facts = Facts::default();
        for mention in self.mentions(exp) {
            facts.include(&self.of(mention));
        }
        let facts = Rc::new(facts);
        self.expressions.insert(exp, facts.clone());
        facts
    }

    /// The free names of a function value, in order of appearance.
    pub(crate) fn free(&mut self, param: &'a Pattern, body: &'a Exp) -> Rc<[Local]> {
        if let Some(found) = self.free.get(&std::ptr::from_ref(body)) {
            return found.clone();
        }
        let mut bound = FxHashSet::default();
        binders(param, &mut bound);
        let (mut seen, mut used) = (FxHashSet::default(), Vec::new());
        walk(body, &mut |exp| match &exp.kind {
            ExpKind::Local(local) if seen.insert(*local) => used.push(*local),
            ExpKind::Lambda(param, _) => binders(param, &mut bound),
            ExpKind::Let(bindings, _) => bindings.iter().for_each(|b| binders(&b.0, &mut bound)),
            ExpKind::Each(each) => each.generators.iter().for_each(|g| binders(&g.0, &mut bound)),
            _ => {}
        });
        used.retain(|local| !bound.contains(local));
        let free: Rc<[Local]> = used.into();
        self.free.insert(body, free.clone());
        free
    }

    fn mentions(&self, exp: &'a Exp) -> Vec<Global> {
        let (mut seen, mut found) = (FxHashSet::default(), Vec::new());
        walk(exp, &mut |exp| {
            if let ExpKind::Global(global, binding, _) = exp.kind {
                let global = self.program.meaning(global, binding);
                if seen.insert(global) {
                    found.push(global);
                }
            }
        });
        found
    }

    fn visit(&mut self, global: Global) {
        let number = self.order.len();
        self.order.insert(global, number);
        self.low.insert(global, number);
        self.stack.push(global);
        let mentions = self.body(global).map(|exp| self.mentions(exp)).unwrap_or_default();
        for &mention in &mentions {
            let low = if !self.order.contains_key(&mention) {
                self.visit(mention);
                self.low[&mention]
            } else if self.facts.contains_key(&mention) {
                continue;
            } else {
                self.order[&mention]
            };
            if low < self.low[&global] {
                self.low.insert(global, low);
            }
        }
        if self.low[&global] == number {
            let first = self.stack.iter().rposition(|&g| g == global).unwrap_or(0);
            let members = self.stack.split_off(first);
            self.close(&members);
        }
    }

    /// Gives all members of a component their facts.
    fn close(&mut self, members: &[Global]) {
        let mut facts = Facts { recursive: members.len() > 1, ..Facts::default() };
        for &member in members {
            let definition = &self.program.globals[member];
            match (&definition.kind, self.body(member)) {
                (_, Some(exp)) => {
                    for mention in self.mentions(exp) {
                        match self.facts.get(&mention) {
                            Some(known) => facts.include(known),
                            None => facts.recursive = true,
                        }
                    }
                }
                (DefinitionKind::Value, None)
                    if !has_functions(self.program, &definition.scheme.ty) =>
                {
                    facts.inputs.insert(member);
                }
                (DefinitionKind::Primitive(prim), None) => {
                    facts.random |= Primitive::of(*prim).meaning == Meaning::RandomBits;
                }
                _ => {}
            }
        }
        let facts = Rc::new(facts);
        for &member in members {
            self.facts.insert(member, facts.clone());
        }
    }

    fn body(&self, global: Global) -> Option<&'a Exp> {
        match &self.program.globals[global].kind {
            DefinitionKind::Function(function) => Some(&function.body),
            DefinitionKind::Value => self.inlined_value(global),
            _ => None,
        }
    }
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

/// Visits an expression and all its parts.
fn walk<'a>(exp: &'a Exp, visit: &mut impl FnMut(&'a Exp)) {
    visit(exp);
    match &exp.kind {
        ExpKind::Const(_) | ExpKind::Str(_) | ExpKind::Local(_) | ExpKind::Global(..) => {}
        ExpKind::Pair(a, b) | ExpKind::Apply(a, b) => {
            walk(a, visit);
            walk(b, visit);
        }
        ExpKind::Seq(parts) => parts.iter().for_each(|part| walk(part, visit)),
        ExpKind::Lambda(_, body) => walk(body, visit),
        ExpKind::If(c, a, b) => {
            walk(c, visit);
            walk(a, visit);
            walk(b, visit);
        }
        ExpKind::Let(bindings, body) => {
            bindings.iter().for_each(|(_, bound)| walk(bound, visit));
            walk(body, visit);
        }
        ExpKind::Each(each) => {
            each.generators.iter().for_each(|(_, source)| walk(source, visit));
            each.test.iter().for_each(|test| walk(test, visit));
            walk(&each.body, visit);
        }
    }
}
