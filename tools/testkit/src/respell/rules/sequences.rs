//! Apply-to-eaches and the functions of the library that do the same.

use super::lanes::operands;
use crate::respell::build::{
    apply, bound, each, generator, let_in, name, operator, patterns, seq, subscript, tuple,
};
use crate::respell::context::Context;
use crate::respell::names::{as_exp, bound_by, free, uses};
use syntax::ast::{Exp, ExpKind, Generator, PatternKind};

/// An apply-to-each with its parts.
struct Each<'a> {
    body: Option<&'a Exp>,
    generators: &'a [Generator],
    test: Option<&'a Exp>,
}

fn parts(exp: &Exp) -> Option<Each<'_>> {
    let ExpKind::Each { serial: false, body, generators, test } = &exp.kind else { return None };
    Some(Each { body: body.as_deref(), generators, test: test.as_deref() })
}

pub(super) fn pack(exp: &Exp, context: &mut Context) -> Option<Exp> {
    if is_hidden(&["pack", "zip"], context) {
        return None;
    }
    let Each { body, generators, test: Some(test) } = parts(exp)? else { return None };
    let (first, others) = generators.split_first()?;
    if body.is_some() && !others.is_empty() {
        return None;
    }
    let (sequence, mut bindings) = (context.fresh("all"), Vec::new());
    let source = match &first.source.kind {
        ExpKind::Name(_) => first.source.clone(),
        _ => {
            bindings.push((bound(&sequence), first.source.clone()));
            name(&sequence)
        }
    };
    let mut over = vec![generator(first.pattern.clone(), source.clone())];
    over.extend(others.iter().cloned());
    let flags = each(Some(test.clone()), over, None);
    let kept = apply("pack", apply("zip", tuple(vec![source, flags])));
    let whole = match body {
        None => kept,
        Some(body) => each(Some(body.clone()), vec![generator(first.pattern.clone(), kept)], None),
    };
    Some(let_in(bindings, whole))
}

/// True if a name of the library stands for something else here.
fn is_hidden(names: &[&str], context: &Context) -> bool {
    names
        .iter()
        .any(|name| context.defined.contains(*name) || context.locals.iter().any(|it| it == name))
}

pub(super) fn filter_first(exp: &Exp, _: &mut Context) -> Option<Exp> {
    let Each { body: Some(body), generators, test: Some(test) } = parts(exp)? else { return None };
    let [only] = generators else { return None };
    let kept = each(None, vec![only.clone()], Some(test.clone()));
    Some(each(Some(body.clone()), vec![generator(only.pattern.clone(), kept)], None))
}

pub(super) fn gather(exp: &Exp, _: &mut Context) -> Option<Exp> {
    let Each { body: Some(body), generators: [only], test: None } = parts(exp)? else {
        return None;
    };
    let PatternKind::Name(index) = &only.pattern.kind else { return None };
    let ExpKind::Subscript(sequence, at) = &body.kind else { return None };
    let (ExpKind::Name(values), ExpKind::Name(at)) = (&sequence.kind, &at.kind) else {
        return None;
    };
    let is_read = at.text == *index && values.text != *index;
    is_read.then(|| operator("->", vec![(**sequence).clone(), only.source.clone()]))
}

pub(super) fn read_each(exp: &Exp, context: &mut Context) -> Option<Exp> {
    let ExpKind::Operator(it, operands) = &exp.kind else { return None };
    let ([values, places], "->") = (operands.as_slice(), it.name) else { return None };
    let (named, index) = (context.fresh("values"), context.fresh("at"));
    let body = subscript(name(&named), name(&index));
    let read = each(Some(body), vec![generator(bound(&index), places.clone())], None);
    Some(let_in(vec![(bound(&named), values.clone())], read))
}

pub(super) fn zip(exp: &Exp, context: &mut Context) -> Option<Exp> {
    let Each { body, generators, test } = parts(exp)?;
    if generators.len() < 2 || is_hidden(&["zip"], context) {
        return None;
    }
    let body = match body {
        Some(body) => body.clone(),
        None => as_exp(&generators[0].pattern)?,
    };
    let sources = generators.iter().rev().map(|it| it.source.clone());
    let zipped = sources.reduce(|rest, first| apply("zip", tuple(vec![first, rest])))?;
    let pattern = patterns(generators.iter().map(|it| it.pattern.clone()).collect());
    Some(each(Some(body), vec![generator(pattern, zipped)], test.cloned()))
}

/// Whole chains are left to their outermost sign: it flattens what the inner ones have left.
pub(super) fn flatten(exp: &Exp, context: &mut Context) -> Option<Exp> {
    if is_hidden(&["flatten"], context) {
        return None;
    }
    let ExpKind::Operator(it, _) = &exp.kind else { return None };
    if it.name != "++" {
        return None;
    }
    let mut chain = Vec::new();
    operands(exp, "++", &mut chain);
    let elements = chain.into_iter().flat_map(|part| match flattened(part) {
        // Only what the rule made of an inner part of the chain.
        Some(elements) if part.span == base::Span::none() => elements.to_vec(),
        _ => vec![part.clone()],
    });
    Some(apply("flatten", seq(elements.collect())))
}

/// The elements, if the expression is `flatten([a, b])`.
fn flattened(exp: &Exp) -> Option<&[Exp]> {
    let ExpKind::Apply { function, argument, .. } = &exp.kind else { return None };
    let (ExpKind::Name(name), ExpKind::Seq(elements)) = (&function.kind, &argument.kind) else {
        return None;
    };
    (name.text == "flatten").then_some(elements)
}

pub(super) fn append(exp: &Exp, context: &mut Context) -> Option<Exp> {
    if is_hidden(&["flatten"], context) {
        return None;
    }
    flattened(exp)?.iter().cloned().reduce(|a, b| operator("++", vec![a, b]))
}

/// Operands that are computed in the lanes become a sequence of their own.
pub(super) fn split_body(exp: &Exp, context: &mut Context) -> Option<Exp> {
    let Each { body: Some(body), generators, test: None } = parts(exp)? else { return None };
    let inner = match &body.kind {
        ExpKind::Apply { argument, .. } if !matches!(argument.kind, ExpKind::Pair(..)) => argument,
        ExpKind::Operator(_, operands) => &operands[0],
        _ => return None,
    };
    let is_computed = matches!(inner.kind, ExpKind::Apply { .. } | ExpKind::Operator(..));
    let bound_here: Vec<String> = generators.iter().flat_map(|it| bound_by(&it.pattern)).collect();
    let depends = free(inner).iter().any(|it| bound_here.contains(it));
    if !is_computed || !depends || makes_function(inner) {
        return None;
    }
    let value = context.fresh("inner");
    let mut first = true;
    let outer = crate::respell::names::map_parts(body, &mut |part| match &part.kind {
        _ if first && std::ptr::eq(part, inner) => {
            first = false;
            name(&value)
        }
        ExpKind::Pair(..) => part.clone(),
        _ => part.clone(),
    });
    // Sources are evaluated once.
    let (mut bindings, mut over) = (Vec::new(), Vec::new());
    for it in generators {
        let source = match &it.source.kind {
            ExpKind::Name(_) => it.source.clone(),
            _ => {
                let named = context.fresh("source");
                bindings.push((bound(&named), it.source.clone()));
                name(&named)
            }
        };
        over.push(generator(it.pattern.clone(), source));
    }
    let made = each(Some(inner.clone()), over.clone(), None);
    let mut all = vec![generator(bound(&value), made)];
    all.extend(
        over.into_iter().filter(|it| bound_by(&it.pattern).iter().any(|name| uses(&outer, name))),
    );
    Some(let_in(bindings, each(Some(outer), all, None)))
}

fn makes_function(exp: &Exp) -> bool {
    let mut found = matches!(exp.kind, ExpKind::Lambda(..));
    exp.parts(&mut |part| found |= makes_function(part));
    found
}
