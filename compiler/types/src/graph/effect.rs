//! Effects (LANGUAGE 12), inferred together with types.
//!
//! Every function type has an effect variable: what calling it does.  Function types that are
//! unified share it.  A call lets the effect of the function *flow* into the context of the call:
//! the effect of the function definition or function value around it.  The body of an
//! apply-to-each is a context in which effects are *forbidden*.  A form is wrong when an effect
//! reaches a forbidden context:
//!
//! ```text
//! function each(g, s) = {g(x) : x in s};     effect of g -> body of the apply-to-each: forbidden
//! each(print_char, "ab")                     print_char: effectful; unified with g: error
//! ```
//!
//! Polymorphic functions keep what is left: which effects they have, forbid and pass on.

use base::{Id, IdMap, Span, define_id};
use std::collections::VecDeque;

define_id!(Eff, "e", "What calling a function does.");

/// Why something is an effect, or why none may be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Cause {
    /// Where.
    pub(crate) span: Span,
    /// What.
    pub(crate) reason: Reason,
}

/// See [`Cause`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Reason {
    /// This effectful name is used.
    Uses(String),
    /// The body or test of an apply-to-each.
    Each,
    /// This function applies its argument inside an apply-to-each.
    AppliesInEach(String),
}

/// An effect where none may be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Conflict {
    /// The effect.
    pub(crate) effect: Cause,
    /// Why it may not be.
    pub(crate) forbidden: Cause,
}

#[derive(Default)]
struct Variable {
    parent: Option<Eff>,
    effectful: Option<Cause>,
    forbidden: Option<Cause>,
}

/// The effects of the form being checked.
#[derive(Default)]
pub(crate) struct Effects {
    variables: IdMap<Eff, Variable>,
    flows: Vec<(Eff, Eff)>,
}

/// What is known of an effect when its form has been checked.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Summary {
    /// It is an effect for sure.
    pub(crate) effectful: bool,
    /// It must not be an effect.
    pub(crate) forbidden: bool,
    /// If it is an effect, so are these (numbers in the same table).
    pub(crate) flows: Vec<usize>,
}

impl Effects {
    /// A new effect, none as far as known.
    pub(crate) fn fresh(&mut self) -> Eff {
        self.variables.push(Variable::default())
    }
    /// A context without effects.
    pub(crate) fn forbidding(&mut self, cause: Cause) -> Eff {
        self.variables.push(Variable { forbidden: Some(cause), ..Variable::default() })
    }
    /// Makes two effects one.
    pub(crate) fn merge(&mut self, a: Eff, b: Eff) {
        let (a, b) = (self.root(a), self.root(b));
        if a == b {
            return;
        }
        let young = std::mem::replace(
            &mut self.variables[a.max(b)],
            Variable { parent: Some(a.min(b)), ..Variable::default() },
        );
        let old = &mut self.variables[a.min(b)];
        old.effectful = old.effectful.take().or(young.effectful);
        old.forbidden = old.forbidden.take().or(young.forbidden);
    }
    /// What is an effect of the first is one of the second.
    pub(crate) fn flow(&mut self, from: Eff, to: Eff) {
        self.flows.push((from, to));
    }
    /// States that it is an effect.
    pub(crate) fn mark(&mut self, effect: Eff, cause: Cause) {
        let root = self.root(effect);
        self.variables[root].effectful.get_or_insert(cause);
    }
    /// States that it must not be an effect.
    pub(crate) fn forbid(&mut self, effect: Eff, cause: Cause) {
        let root = self.root(effect);
        self.variables[root].forbidden.get_or_insert(cause);
    }
    /// The variable that stands for an effect.
    pub(crate) fn root(&mut self, effect: Eff) -> Eff {
        let mut root = effect;
        while let Some(parent) = self.variables[root].parent {
            root = parent;
        }
        if root != effect {
            self.variables[effect].parent = Some(root);
        }
        root
    }

    /// Lets effects flow as far as they go; gives those that arrive where none may be.
    pub(crate) fn solve(&mut self) -> Vec<Conflict> {
        let next = self.successors();
        let ids: Vec<Eff> = self.variables.ids().collect();
        let mut queue: VecDeque<Eff> =
            ids.iter().copied().filter(|&e| self.variables[e].effectful.is_some()).collect();
        while let Some(effect) = queue.pop_front() {
            let cause = self.variables[effect].effectful.clone();
            for &to in &next[effect.index()] {
                if self.variables[to].effectful.is_none() {
                    self.variables[to].effectful = cause.clone();
                    queue.push_back(to);
                }
            }
        }
        let conflict = |v: &Variable| {
            Some(Conflict { effect: v.effectful.clone()?, forbidden: v.forbidden.clone()? })
        };
        let mut found: Vec<Conflict> = Vec::new();
        for conflict in self.variables.values().filter_map(conflict) {
            if !found.contains(&conflict) {
                found.push(conflict);
            }
        }
        found
    }

    /// What remains to be known of some effects, after [`Effects::solve`].
    pub(crate) fn summarise(&mut self, exposed: &[Eff]) -> Vec<Summary> {
        let next = self.successors();
        let roots: Vec<Eff> = exposed.iter().map(|&e| self.root(e)).collect();
        roots.iter().map(|&root| self.summary(root, &roots, &next)).collect()
    }

    fn summary(&self, root: Eff, exposed: &[Eff], next: &[Vec<Eff>]) -> Summary {
        let mut seen = vec![false; self.variables.len()];
        let mut queue = VecDeque::from([root]);
        seen[root.index()] = true;
        let mut forbidden = false;
        while let Some(effect) = queue.pop_front() {
            forbidden |= self.variables[effect].forbidden.is_some();
            for &to in &next[effect.index()] {
                if !std::mem::replace(&mut seen[to.index()], true) {
                    queue.push_back(to);
                }
            }
        }
        let reached = |e: &Eff| *e != root && seen[e.index()];
        Summary {
            effectful: self.variables[root].effectful.is_some(),
            forbidden,
            flows: exposed.iter().enumerate().filter(|(_, e)| reached(e)).map(|(i, _)| i).collect(),
        }
    }

    /// For each variable those into which it flows.
    fn successors(&mut self) -> Vec<Vec<Eff>> {
        let mut next = vec![Vec::new(); self.variables.len()];
        for (from, to) in self.flows.clone() {
            let (from, to) = (self.root(from), self.root(to));
            if from != to {
                next[from.index()].push(to);
            }
        }
        next
    }
}
