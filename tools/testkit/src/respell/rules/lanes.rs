//! Calls side by side in lanes.

use super::calls::{literal, with_elements};
use super::lets::independent;
use crate::respell::build::{
    apply, bound, each, generator, int, let_in, name, patterns, seq, subscript, tuple,
};
use crate::respell::context::Context;
use crate::respell::names::{map_parts, replace, uses};
use syntax::ast::{Exp, ExpKind, PatternKind, Type, TypeKind};

/// True if an argument may be an element of a sequence.
fn has_no_function(exp: &Exp, context: &Context) -> bool {
    let mut found = true;
    if let ExpKind::Name(name) = &exp.kind {
        found = context.function(&name.text).is_none();
    }
    exp.parts(&mut |part| {
        let call =
            matches!(&exp.kind, ExpKind::Apply { function, .. } if std::ptr::eq(part, &**function));
        found &= call || has_no_function(part, context);
    });
    found && !matches!(exp.kind, ExpKind::Lambda(..))
}

/// True if a function of the program takes or gives functions, or has no known type.
fn takes_functions(function: &str, context: &Context) -> bool {
    let Some((ty, _)) = context.types.get(function) else { return true };
    let TypeKind::Function(argument, result) = &ty.kind else { return true };
    let mut found = false;
    for ty in [argument, result] {
        has_function(ty, &mut found);
    }
    found
}

fn has_function(ty: &Type, found: &mut bool) {
    match &ty.kind {
        TypeKind::Function(..) => *found = true,
        TypeKind::Seq(part) | TypeKind::Name(_, Some(part)) => has_function(part, found),
        TypeKind::Pair(a, b) => {
            has_function(a, found);
            has_function(b, found);
        }
        TypeKind::Name(_, None) => {}
    }
}

/// A call of a recursive function that may run in a lane.
fn recursive<'a>(exp: &'a Exp, context: &Context) -> Option<(&'a str, &'a Exp)> {
    let (function, argument) = context.call(exp)?;
    let known = function == context.current
        || context.functions[function].body.as_ref().is_some_and(|it| uses(it, function));
    let may = known && !takes_functions(function, context) && has_no_function(argument, context);
    may.then_some((function, argument))
}

pub(super) fn in_lanes(exp: &Exp, context: &mut Context) -> Option<Exp> {
    let ExpKind::Let(bindings, body) = &exp.kind else { return None };
    let (mut all, mut changed, mut at) = (Vec::new(), false, 0);
    while let Some(first) = bindings.get(at) {
        let found = bindings.get(at + 1).filter(|second| independent(first, second));
        let found = found.and_then(|second| {
            let (function, a) = recursive(&first.1, context)?;
            let (also, b) = recursive(&second.1, context)?;
            (function == also).then(|| (second, function.to_owned(), a.clone(), b.clone()))
        });
        let Some((second, function, a, b)) = found else {
            all.push(first.clone());
            at += 1;
            continue;
        };
        let (both, lane) = (context.fresh("both"), context.fresh("lane"));
        all.push((bound(&both), in_lanes_of(&function, &lane, vec![a, b])));
        all.push((first.0.clone(), subscript(name(&both), int(0))));
        all.push((second.0.clone(), subscript(name(&both), int(1))));
        changed = true;
        at += 2;
    }
    changed.then(|| let_in(all, (**body).clone()))
}

/// `{g(v) : v in [a, b]}`.
fn in_lanes_of(function: &str, lane: &str, arguments: Vec<Exp>) -> Exp {
    let body = apply(function, name(lane));
    each(Some(body), vec![generator(bound(lane), seq(arguments))], None)
}

/// Operators that group to the left.
const CHAINS: [&str; 3] = ["++", "+", "*"];

/// The operands of a chain of one operator.
pub(super) fn operands<'a>(exp: &'a Exp, sign: &str, out: &mut Vec<&'a Exp>) {
    match &exp.kind {
        ExpKind::Operator(it, parts) if it.name == sign && parts.len() == 2 => {
            operands(&parts[0], sign, out);
            operands(&parts[1], sign, out);
        }
        _ => out.push(exp),
    }
}

/// Operands of a chain, or parts of an argument, that call one recursive function.
pub(super) fn operands_in_lanes(exp: &Exp, context: &mut Context) -> Option<Exp> {
    let mut parts = Vec::new();
    match &exp.kind {
        ExpKind::Operator(it, _) if CHAINS.contains(&it.name) => operands(exp, it.name, &mut parts),
        ExpKind::Apply { argument, .. } => components(argument, &mut parts),
        _ => return None,
    }
    let function = parts.iter().find_map(|part| recursive(part, context))?.0.to_owned();
    let calls: Vec<&Exp> = parts
        .into_iter()
        .filter(|part| recursive(part, context).is_some_and(|call| call.0 == function))
        .collect();
    if calls.len() < 2 {
        return None;
    }
    let arguments = calls.iter().filter_map(|it| context.call(it)).map(|it| it.1.clone()).collect();
    let (both, lane) = (context.fresh("both"), context.fresh("lane"));
    let of = |part: &Exp| {
        let place = calls.iter().position(|call| std::ptr::eq(*call, part))?;
        Some(subscript(name(&both), int(place)))
    };
    let body = replaced_parts(exp, &of);
    Some(let_in(vec![(bound(&both), in_lanes_of(&function, &lane, arguments))], body))
}

fn components<'a>(exp: &'a Exp, out: &mut Vec<&'a Exp>) {
    match &exp.kind {
        ExpKind::Pair(a, b) => {
            components(a, out);
            components(b, out);
        }
        _ => out.push(exp),
    }
}

fn replaced_parts(exp: &Exp, of: &dyn Fn(&Exp) -> Option<Exp>) -> Exp {
    of(exp).unwrap_or_else(|| map_parts(exp, &mut |part| replaced_parts(part, of)))
}

pub(super) fn swap_lanes(exp: &Exp, _: &mut Context) -> Option<Exp> {
    let ExpKind::Let(bindings, body) = &exp.kind else { return None };
    for (at, (pattern, value)) in bindings.iter().enumerate() {
        let PatternKind::Name(of) = &pattern.kind else { continue };
        let ExpKind::Each { body: Some(_), generators, test: None, .. } = &value.kind else {
            continue;
        };
        let Some(literals) = generators.iter().map(literal).collect::<Option<Vec<_>>>() else {
            continue;
        };
        if literals.iter().any(|it| it.len() != 2) {
            continue;
        }
        let mut swapped = value.clone();
        if let ExpKind::Each { generators, .. } = &mut swapped.kind {
            for generator in generators {
                if let ExpKind::Seq(elements) = &mut generator.source.kind {
                    elements.reverse();
                }
            }
        }
        let elements = [1, 0].map(|n| subscript(name("\u{1}"), int(n)));
        let rest = let_in(bindings[at + 1..].to_vec(), (**body).clone());
        let Some(rest) = with_elements(&rest, of, &elements) else { continue };
        // The sequence keeps its name, which nothing but the elements used.
        let rest = replace(&rest, "\u{1}", &name(of))?;
        let mut all = bindings[..at].to_vec();
        all.push((pattern.clone(), swapped));
        return Some(let_in(all, rest));
    }
    None
}

/// Literals beside each other become one of tuples.
pub(super) fn pairs_in_lanes(exp: &Exp, _: &mut Context) -> Option<Exp> {
    let ExpKind::Each { body: Some(body), generators, test, .. } = &exp.kind else { return None };
    let literals: Vec<&Vec<Exp>> = generators.iter().map(literal).collect::<Option<_>>()?;
    let count = literals[0].len();
    if generators.len() < 2 || literals.iter().any(|it| it.len() != count) {
        return None;
    }
    let row = |n: usize| tuple(literals.iter().map(|it| it[n].clone()).collect());
    let pattern = patterns(generators.iter().map(|it| it.pattern.clone()).collect());
    let rows = seq((0..count).map(row).collect());
    let test = test.as_ref().map(|it| (**it).clone());
    Some(each(Some((**body).clone()), vec![generator(pattern, rows)], test))
}
