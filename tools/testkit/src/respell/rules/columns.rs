//! Other parameters: in another order, and sequences of pairs as pairs of sequences.

use crate::respell::build::{apply, bound, function, let_in, name, patterns, tuple};
use crate::respell::context::Context;
use crate::respell::names::{bound_by, map_parts};
use syntax::ast::{Exp, ExpKind, Function, Pattern, PatternKind, Type, TypeKind};

/// Functions that only others call, always with a tuple, take it in the other order.
pub(super) fn swap_parameters(
    functions: &[Function],
    context: &mut Context,
) -> Option<Vec<Function>> {
    let mut functions = functions.to_vec();
    let names: Vec<String> = functions.iter().map(|it| it.name.text.clone()).collect();
    let mut changed = false;
    for name in names {
        let definitions = functions.iter().filter(|it| it.name.text == name).count();
        let free = !context.outside.contains(&name) && !context.declared.contains(&name);
        let calls = functions.iter().filter_map(|it| it.body.as_ref());
        if definitions != 1 || !free || !calls.clone().all(|body| has_only_calls(body, &name)) {
            continue;
        }
        let bodies: Vec<Option<Exp>> = functions
            .iter()
            .map(|it| it.body.as_ref().map(|body| with_swapped_calls(body, &name)))
            .collect();
        let Some(at) = functions.iter().position(|it| it.name.text == name) else { continue };
        let PatternKind::Pair(a, b) = functions[at].param.kind.clone() else { continue };
        if !functions[at].optional.is_empty() {
            continue;
        }
        let ty = match functions[at].ty.clone() {
            None => None,
            Some((ty, classes)) => match swapped(ty) {
                Some(ty) => Some((ty, classes)),
                None => continue,
            },
        };
        functions[at].param = patterns(vec![*b, *a]);
        functions[at].ty = ty;
        for (function, body) in functions.iter_mut().zip(bodies) {
            function.body = body;
        }
        changed = true;
    }
    changed.then_some(functions)
}

fn swapped(mut ty: Type) -> Option<Type> {
    let TypeKind::Function(argument, _) = &mut ty.kind else { return None };
    let TypeKind::Pair(a, b) = argument.kind.clone() else { return None };
    argument.kind = TypeKind::Pair(b, a);
    Some(ty)
}

/// The argument, if the expression is a call of a function.
fn argument<'a>(exp: &'a Exp, name: &str) -> Option<&'a Exp> {
    let ExpKind::Apply { function, argument, optional } = &exp.kind else { return None };
    let ExpKind::Name(called) = &function.kind else { return None };
    (called.text == name && optional.is_empty()).then_some(argument)
}

/// True if a name is called, with a tuple, at each place of it.
fn has_only_calls(exp: &Exp, name: &str) -> bool {
    let (mut good, called) = (true, argument(exp, name));
    if let Some(argument) = called {
        return matches!(argument.kind, ExpKind::Pair(..)) && has_only_calls(argument, name);
    }
    if let ExpKind::Name(it) = &exp.kind {
        return it.text != name;
    }
    if binds(exp, name) {
        return false;
    }
    exp.parts(&mut |part| good &= has_only_calls(part, name));
    good
}

/// True if an expression binds a name itself.
fn binds(exp: &Exp, name: &str) -> bool {
    let has = |pattern: &Pattern| bound_by(pattern).iter().any(|it| it == name);
    match &exp.kind {
        ExpKind::Let(bindings, _) => bindings.iter().any(|(it, _)| has(it)),
        ExpKind::Lambda(pattern, _) => has(pattern),
        ExpKind::Each { generators, .. } => generators.iter().any(|it| has(&it.pattern)),
        _ => false,
    }
}

fn with_swapped_calls(exp: &Exp, name: &str) -> Exp {
    let new = map_parts(exp, &mut |part| with_swapped_calls(part, name));
    match argument(&new, name).map(|it| &it.kind) {
        Some(ExpKind::Pair(a, b)) => apply(name, tuple(vec![(**b).clone(), (**a).clone()])),
        _ => new,
    }
}

/// A recursive function whose parameter, or the first of several, is a sequence of pairs hands on
/// two sequences.
pub(super) fn columns(functions: &[Function], context: &mut Context) -> Option<Vec<Function>> {
    let hidden = |name: &str| context.defined.contains(name);
    if hidden("zip") || hidden("unzip") {
        return None;
    }
    let mut all: Vec<Function> = Vec::new();
    let mut changed = false;
    for it in functions {
        match in_columns(it, context) {
            Some(two) => {
                all.extend(two);
                changed = true;
            }
            None => all.push(it.clone()),
        }
    }
    changed.then_some(all)
}

fn in_columns(it: &Function, context: &mut Context) -> Option<[Function; 2]> {
    let own = it.name.text.as_str();
    let body = it.body.as_ref()?;
    let free = !context.declared.contains(own) && it.optional.is_empty();
    if !free || !crate::respell::names::uses(body, own) {
        return None;
    }
    let TypeKind::Function(argument, _) = &context.types.get(own)?.0.kind else { return None };
    let (first, others) = match (&it.param.kind, &argument.kind) {
        (PatternKind::Pair(first, others), TypeKind::Pair(ty, _)) => {
            is_pairs(ty).then_some((first, Some(others)))?
        }
        (PatternKind::Name(_), ty) if is_pairs_kind(ty) => (&Box::new(it.param.clone()), None),
        _ => return None,
    };
    let PatternKind::Name(pairs) = &first.kind else { return None };
    let (pairs, others) = (pairs.clone(), others.map(|it| (**it).clone()));
    // `zip` and `unzip` are no more work than the function itself does.
    if !runs_over(body, &pairs) {
        return None;
    }
    let calls_are_plain = match others {
        Some(_) => has_only_calls(body, own),
        None => only_called(body, own),
    };
    let rest = match &others {
        Some(pattern) => Some(crate::respell::names::as_exp(pattern)?),
        None => None,
    };
    if !calls_are_plain || super::helpers::has_type_variable(body) {
        return None;
    }
    let called = context.fresh(&format!("{own}_columns"));
    let [xs, ys] = ["firsts", "seconds"].map(|it| context.fresh(it));
    let [left, right] = ["left", "right"].map(|it| context.fresh(it));
    let again = in_calls(body, own, &|argument| {
        let (pairs, others) = match (&argument.kind, &others) {
            (ExpKind::Pair(pairs, others), Some(_)) => (&**pairs, Some((**others).clone())),
            _ => (argument, None),
        };
        let split = patterns(vec![bound(&left), bound(&right)]);
        let mut parts = vec![name(&left), name(&right)];
        parts.extend(others);
        let_in(vec![(split, apply("unzip", pairs.clone()))], apply(&called, tuple(parts)))
    });
    let zipped = apply("zip", tuple(vec![name(&xs), name(&ys)]));
    let again = let_in(vec![(bound(&pairs), zipped)], again);
    let mut params = vec![bound(&xs), bound(&ys)];
    params.extend(others);
    let inner = function(&called, patterns(params), again);
    let mut parts = vec![name(&xs), name(&ys)];
    parts.extend(rest);
    let split = patterns(vec![bound(&xs), bound(&ys)]);
    let unzipped = apply("unzip", name(&pairs));
    let outer = let_in(vec![(split, unzipped)], apply(&called, tuple(parts)));
    Some([inner, Function { body: Some(outer), ..it.clone() }])
}

/// True if an apply-to-each runs over a sequence.
fn runs_over(exp: &Exp, sequence: &str) -> bool {
    let is = |source: &Exp| matches!(&source.kind, ExpKind::Name(it) if it.text == sequence);
    let mut found = match &exp.kind {
        ExpKind::Each { generators, .. } => generators.iter().any(|it| is(&it.source)),
        _ => false,
    };
    exp.parts(&mut |part| found |= runs_over(part, sequence));
    found
}

/// True if a type is that of a sequence of pairs of scalars.
fn is_pairs(ty: &Type) -> bool {
    is_pairs_kind(&ty.kind)
}

fn is_pairs_kind(kind: &TypeKind) -> bool {
    let TypeKind::Seq(element) = kind else { return false };
    let TypeKind::Pair(a, b) = &element.kind else { return false };
    [a, b].iter().all(|it| matches!(it.kind, TypeKind::Name(_, None)))
}

fn only_called(exp: &Exp, name: &str) -> bool {
    if let Some(argument) = argument(exp, name) {
        return only_called(argument, name);
    }
    let mut good = !matches!(&exp.kind, ExpKind::Name(it) if it.text == name) && !binds(exp, name);
    exp.parts(&mut |part| good &= only_called(part, name));
    good
}

/// The expression with others in place of the calls of a function.
fn in_calls(exp: &Exp, name: &str, new: &dyn Fn(&Exp) -> Exp) -> Exp {
    let inner = map_parts(exp, &mut |part| in_calls(part, name, new));
    match argument(&inner, name) {
        Some(argument) => new(argument),
        None => inner,
    }
}
