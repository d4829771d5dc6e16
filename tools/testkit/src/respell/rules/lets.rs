//! Names for values, and back.

use crate::respell::build::{bound, choice, let_in, name, patterns, tuple};
use crate::respell::context::Context;
use crate::respell::names::{bound_by, count, free, map_parts, meet, replace};
use syntax::ast::{Exp, ExpKind, Generator, Pattern, PatternKind};

/// Calls and apply-to-eaches inside of values, bodies and arms get names there.
pub(super) fn name_operands(exp: &Exp, context: &mut Context) -> Option<Exp> {
    let mut changed = false;
    let mut root = |part: &Exp| {
        let mut bindings = Vec::new();
        let new = named(part, true, &mut bindings, context);
        changed |= !bindings.is_empty();
        (bindings, new)
    };
    let new = match &exp.kind {
        ExpKind::If(test, then, other) => {
            let [then, other] = [then, other].map(|arm| {
                let (bindings, arm) = root(arm);
                let_in(bindings, arm)
            });
            choice((**test).clone(), then, other)
        }
        ExpKind::Let(bindings, body) => {
            let mut all = Vec::new();
            for (pattern, value) in bindings {
                let (before, value) = root(value);
                all.extend(before);
                all.push((pattern.clone(), value));
            }
            let (before, body) = root(body);
            all.extend(before);
            let_in(all, body)
        }
        _ => return None,
    };
    changed.then_some(new)
}

/// An expression with names for its operands; for itself, too, unless it is the root.
fn named(exp: &Exp, is_root: bool, out: &mut Vec<(Pattern, Exp)>, context: &mut Context) -> Exp {
    let new = match &exp.kind {
        ExpKind::Let(..) | ExpKind::If(..) | ExpKind::Lambda(..) => return exp.clone(),
        ExpKind::Each { serial, body, generators, test } => {
            let source = |it: &Generator| Generator {
                pattern: it.pattern.clone(),
                source: named(&it.source, false, out, context),
            };
            let generators = generators.iter().map(source).collect();
            let (body, test) = (body.clone(), test.clone());
            Exp { kind: ExpKind::Each { serial: *serial, body, generators, test }, span: exp.span }
        }
        _ => map_parts(exp, &mut |part| named(part, false, out, context)),
    };
    if is_root || !matches!(exp.kind, ExpKind::Apply { .. } | ExpKind::Each { .. }) {
        return new;
    }
    let value = context.fresh("value");
    out.push((bound(&value), new));
    name(&value)
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

/// True if two neighbours of a `let` may change places.
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
