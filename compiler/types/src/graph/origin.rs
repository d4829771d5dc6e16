//! Where variables became what they are, for messages.
//!
//! A type that is wrong in one place was often fixed in another.  Each time that an expression is
//! fitted to a type, the variables that become more by it note the expression:
//!
//! ```text
//! (x + 1, #x)      `+` : (a, a) -> a      a and `x` are one by `x`, and int by `1`
//! ```

use super::{Clash, Graph, Ty};
use crate::tree::Local;
use base::Span;
use rustc_hash::FxHashMap;

/// An expression that was fitted to a type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin {
    /// Its place.
    pub(crate) span: Span,
    /// That of the operation around it, or of what else says that it has to fit.
    pub(crate) whole: Span,
    /// Its type.
    pub(crate) ty: Ty,
    /// The name that it is, if it is one.
    pub(crate) local: Option<Local>,
}

/// What happened to a variable last.
#[derive(Clone, Copy)]
pub(super) struct Step {
    origin: Option<Origin>,
    change: Change,
}

/// What a variable became.
#[derive(Clone, Copy)]
pub(super) enum Change {
    /// Another variable.
    Joined(Ty),
    /// Something else, which itself may have been a variable before.
    Bound(Ty),
    /// One of fewer types.
    Narrowed,
}

/// What happened to the variables of a graph.
#[derive(Default)]
pub(super) struct Origins {
    steps: FxHashMap<Ty, Step>,
    /// The expression being fitted.
    now: Option<Origin>,
    /// The steps that the unification at hand has replaced.
    replaced: Vec<(Ty, Option<Step>)>,
    /// The parts that the last unification could not make one.
    clashing: Option<(Ty, Ty)>,
}

impl Origins {
    /// Begins a unification.
    pub(super) fn begin(&mut self) {
        self.clashing = None;
    }
    /// These parts cannot become one.
    pub(super) fn clash(&mut self, parts: (Ty, Ty)) {
        self.clashing = Some(parts);
    }
    /// A variable changes.
    pub(super) fn note(&mut self, var: Ty, change: Change) {
        let before = self.steps.insert(var, Step { origin: self.now, change });
        self.replaced.push((var, before));
    }
    /// Ends a unification.
    pub(super) fn end(&mut self, succeeded: bool) {
        if succeeded {
            self.replaced.clear();
        }
        for (var, before) in self.replaced.drain(..).rev() {
            match before {
                Some(step) => self.steps.insert(var, step),
                None => self.steps.remove(&var),
            };
        }
    }
}

impl Graph<'_> {
    /// [`Graph::unify`] for an expression that is fitted to a type.
    pub(crate) fn fit(&mut self, origin: Origin, expected: Ty) -> Result<(), Clash> {
        self.origins.now = Some(origin);
        let result = self.unify(origin.ty, expected);
        self.origins.now = None;
        result
    }

    /// What a type was fitted to first; nothing for one that was never a variable.
    pub(crate) fn first_origin(&self, ty: Ty) -> Option<Origin> {
        self.steps(ty).find_map(|step| step.origin)
    }
    /// What made a type what it is.
    pub(crate) fn maker(&self, ty: Ty) -> Option<Origin> {
        let mut maker = None;
        for Step { origin, change } in self.steps(ty) {
            maker = origin.or(maker);
            if origin.is_some() && matches!(change, Change::Bound(_)) {
                break;
            }
        }
        maker
    }
    fn steps(&self, ty: Ty) -> impl Iterator<Item = Step> {
        let step = |ty| self.origins.steps.get(&ty).copied();
        std::iter::successors(step(ty), move |last| match last.change {
            Change::Joined(next) | Change::Bound(next) => step(next),
            Change::Narrowed => None,
        })
    }

    /// The parts of the two types of the last unification that could not become one.
    pub(crate) fn clashing(&self) -> Option<(Ty, Ty)> {
        self.origins.clashing
    }
}
