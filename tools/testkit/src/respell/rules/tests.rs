//! Tests mirrored, nested otherwise, and made elsewhere.

use crate::respell::build::{apply, choice, let_in, operator};
use crate::respell::context::Context;
use crate::respell::names::{as_exp, bound_by, free, meet};
use syntax::ast::{Exp, ExpKind};

pub(super) fn mirror(exp: &Exp, _: &mut Context) -> Option<Exp> {
    let ExpKind::If(test, then, other) = &exp.kind else { return None };
    Some(choice(negated(test), (**other).clone(), (**then).clone()))
}

/// Comparisons by order stay what they are: both `<` and `>=` are F for a nan.
fn negated(test: &Exp) -> Exp {
    if let ExpKind::Operator(it, operands) = &test.kind {
        for (sign, other) in [("==", "/="), ("/=", "==")] {
            if it.name == sign {
                return operator(other, operands.clone());
            }
        }
    }
    apply("not", test.clone())
}

/// The operands of `and` and `or` must not fail where they are not evaluated now: they may fail
/// less often, which no result depends on.
pub(super) fn nest(exp: &Exp, _: &mut Context) -> Option<Exp> {
    let ExpKind::If(test, then, other) = &exp.kind else { return None };
    let ExpKind::Operator(it, operands) = &test.kind else { return None };
    let [a, b] = operands.as_slice() else { return None };
    let inner = choice(b.clone(), (**then).clone(), (**other).clone());
    match it.name {
        "and" => Some(choice(a.clone(), inner, (**other).clone())),
        "or" => Some(choice(a.clone(), (**then).clone(), inner)),
        _ => None,
    }
}

pub(super) fn choose_argument(exp: &Exp, context: &mut Context) -> Option<Exp> {
    let ExpKind::If(test, then, other) = &exp.kind else { return None };
    let (name, a) = context.call(then)?;
    let (also, b) = context.call(other)?;
    let chosen = || choice((**test).clone(), a.clone(), b.clone());
    (name == also).then(|| apply(name, chosen()))
}

pub(super) fn choose_call(exp: &Exp, context: &mut Context) -> Option<Exp> {
    let (name, argument) = context.call(exp)?;
    let ExpKind::If(test, then, other) = &argument.kind else { return None };
    let [then, other] = [then, other].map(|arm| apply(name, (**arm).clone()));
    Some(choice((**test).clone(), then, other))
}

/// A recursive call is only made where the recursion goes on.
pub(super) fn test_at_call(exp: &Exp, context: &mut Context) -> Option<Exp> {
    let (name, argument) = context.call(exp)?;
    if name != context.current {
        return None;
    }
    let function = context.function(name)?;
    let (param, body) = (function.param.clone(), function.body.as_ref()?);
    let ExpKind::If(test, base, _) = &body.kind else { return None };
    let mut names = free(test);
    names.extend(free(base));
    let own = bound_by(&param);
    names.retain(|name| !own.contains(name));
    if names.iter().any(|it| it == name) || meet(&names, &context.locals) {
        return None;
    }
    let again = apply(name, as_exp(&param)?);
    let tested = choice((**test).clone(), (**base).clone(), again);
    Some(let_in(vec![(param, argument.clone())], tested))
}
