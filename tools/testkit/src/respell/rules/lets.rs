//! Names for values, and back.

use crate::respell::build::{bound, let_in, name, patterns, tuple};
use crate::respell::context::Context;
use crate::respell::names::{bound_by, count, free, map_parts, meet, replace};
use syntax::ast::{Exp, ExpKind, Pattern, PatternKind};

/// Calls and apply-to-eaches that are operands get names.
pub(super) fn name_operands(exp: &Exp, context: &mut Context) -> Option<Exp> {
    let is_large = |it: &Exp| {
        matches!(it.kind, ExpKind::Apply { .. } | ExpKind::Each { .. } | ExpKind::If(..))
    };
    let mut bindings = Vec::new();
    let mut named = |part: &Exp| {
        if !is_large(part) {
            return part.clone();
        }
        let new = context.fresh("value");
        bindings.push((bound(&new), part.clone()));
        name(&new)
    };
    let body = match &exp.kind {
        ExpKind::Operator(..) => map_parts(exp, &mut named),
        ExpKind::Apply { function, .. } if matches!(function.kind, ExpKind::Name(_)) => {
            map_parts(exp, &mut |part| match &part.kind {
                ExpKind::Pair(..) => in_tuple(part, &mut named),
                _ => named(part),
            })
        }
        _ => return None,
    };
    (!bindings.is_empty()).then(|| let_in(bindings, body))
}

/// The parts of a tuple that is written as one.
fn in_tuple(exp: &Exp, map: &mut dyn FnMut(&Exp) -> Exp) -> Exp {
    match &exp.kind {
        ExpKind::Pair(..) => map_parts(exp, &mut |part| in_tuple(part, map)),
        _ => map(exp),
    }
}

/// A value that is used once, and evaluated once there, stands where it is used.
pub(super) fn inline(exp: &Exp, _: &mut Context) -> Option<Exp> {
    let ExpKind::Let(bindings, body) = &exp.kind else { return None };
    let (mut bindings, mut body, mut changed) = (bindings.clone(), (**body).clone(), false);
    let mut at = 0;
    while at < bindings.len() {
        let rest = let_in(bindings[at + 1..].to_vec(), body.clone());
        match inlined(&bindings[at], &rest) {
            Some(new) => {
                changed = true;
                bindings.truncate(at);
                // A `let` that is inlined whole stays a `let`, with one binding less.
                match new.kind {
                    ExpKind::Let(rest, inner) if !matches!(body.kind, ExpKind::Let(..)) => {
                        bindings.extend(rest);
                        body = *inner;
                    }
                    _ => body = new,
                }
            }
            None => at += 1,
        }
    }
    changed.then(|| let_in(bindings, body))
}

fn inlined((pattern, value): &(Pattern, Exp), rest: &Exp) -> Option<Exp> {
    let PatternKind::Name(name) = &pattern.kind else { return None };
    if count(rest, name) != (1, 0) {
        return None;
    }
    replace(rest, name, value)
}

pub(super) fn split_tuples(exp: &Exp, _: &mut Context) -> Option<Exp> {
    let ExpKind::Let(bindings, body) = &exp.kind else { return None };
    let (mut all, mut changed) = (Vec::new(), false);
    for (pattern, value) in bindings {
        match (&pattern.kind, &value.kind) {
            (PatternKind::Pair(p, q), ExpKind::Pair(a, b)) if !meet(&bound_by(p), &free(b)) => {
                changed = true;
                all.push(((**p).clone(), (**a).clone()));
                all.push(((**q).clone(), (**b).clone()));
            }
            _ => all.push((pattern.clone(), value.clone())),
        }
    }
    changed.then(|| let_in(all, (**body).clone()))
}

/// Whether two neighbours of a `let` may change places.
pub(super) fn independent(a: &(Pattern, Exp), b: &(Pattern, Exp)) -> bool {
    let (first, second) = (bound_by(&a.0), bound_by(&b.0));
    !meet(&first, &free(&b.1)) && !meet(&second, &free(&a.1)) && !meet(&first, &second)
}

pub(super) fn join(exp: &Exp, _: &mut Context) -> Option<Exp> {
    in_neighbours(exp, |a, b| {
        let pattern = patterns(vec![a.0.clone(), b.0.clone()]);
        vec![(pattern, tuple(vec![a.1.clone(), b.1.clone()]))]
    })
}

pub(super) fn swap(exp: &Exp, _: &mut Context) -> Option<Exp> {
    in_neighbours(exp, |a, b| vec![b.clone(), a.clone()])
}

type Binding = (Pattern, Exp);

/// Rewrites bindings of a `let` that stand beside each other and are independent.
fn in_neighbours(exp: &Exp, new: impl Fn(&Binding, &Binding) -> Vec<Binding>) -> Option<Exp> {
    let ExpKind::Let(bindings, body) = &exp.kind else { return None };
    let (mut all, mut changed, mut at) = (Vec::new(), false, 0);
    while let Some(first) = bindings.get(at) {
        match bindings.get(at + 1).filter(|second| independent(first, second)) {
            Some(second) => {
                all.extend(new(first, second));
                changed = true;
                at += 2;
            }
            None => {
                all.push(first.clone());
                at += 1;
            }
        }
    }
    changed.then(|| let_in(all, (**body).clone()))
}
