//! Names: which are free, which a pattern binds, how often one is used; and substitution.

use std::collections::BTreeSet;
use syntax::ast::*;

/// The names that a pattern binds, from left to right.
pub(super) fn bound_by(pattern: &Pattern) -> Vec<String> {
    let mut names = Vec::new();
    pattern.walk(&mut |it| {
        if let PatternKind::Name(name) = &it.kind {
            names.push(name.clone());
        }
    });
    names
}

/// The names that are used and not bound inside, in the order in which they are first used.
pub(super) fn free(exp: &Exp) -> Vec<String> {
    let mut names = Vec::new();
    each_use(exp, &mut Vec::new(), &mut |name, place| {
        if place != Place::Bound && !names.iter().any(|it| it == name) {
            names.push(name.to_owned());
        }
    });
    names
}

/// True if a name is used free.
pub(super) fn uses(exp: &Exp, name: &str) -> bool {
    free(exp).iter().any(|it| it == name)
}

/// True if two sets of names have one in common.
pub(super) fn meet(a: &[String], b: &[String]) -> bool {
    let a: BTreeSet<&String> = a.iter().collect();
    b.iter().any(|name| a.contains(name))
}

/// A place of a name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// It is bound inside of the expression.
    Bound,
    /// It is evaluated once whenever the expression is.
    Once,
    /// It is evaluated in lanes, in an arm, or when a function value is called.
    Otherwise,
}

/// The free uses of a name: those that are evaluated once whenever the expression is, and others.
pub(super) fn count(exp: &Exp, name: &str) -> (usize, usize) {
    let mut found = (0, 0);
    each_use(exp, &mut Vec::new(), &mut |used, place| match place {
        Place::Once if used == name => found.0 += 1,
        Place::Otherwise if used == name => found.1 += 1,
        Place::Once | Place::Otherwise | Place::Bound => {}
    });
    found
}

/// Meets the uses of names with their places, in the order of the text.
fn each_use(exp: &Exp, scope: &mut Vec<String>, meet: &mut dyn FnMut(&str, Place)) {
    walk(exp, scope, Place::Once, meet);
}

fn walk(exp: &Exp, scope: &mut Vec<String>, place: Place, meet: &mut dyn FnMut(&str, Place)) {
    let mark = scope.len();
    match &exp.kind {
        ExpKind::Name(name) => {
            let bound = scope.contains(&name.text);
            meet(&name.text, if bound { Place::Bound } else { place });
        }
        ExpKind::If(test, then, other) => {
            walk(test, scope, place, meet);
            walk(then, scope, Place::Otherwise, meet);
            walk(other, scope, Place::Otherwise, meet);
        }
        ExpKind::Let(bindings, body) => {
            for (pattern, value) in bindings {
                walk(value, scope, place, meet);
                bind(pattern, scope, meet);
            }
            walk(body, scope, place, meet);
        }
        ExpKind::Lambda(pattern, body) => {
            bind(pattern, scope, meet);
            walk(body, scope, Place::Otherwise, meet);
        }
        ExpKind::Each { body, generators, test, .. } => {
            for generator in generators {
                walk(&generator.source, scope, place, meet);
            }
            for generator in generators {
                bind(&generator.pattern, scope, meet);
            }
            for part in [test, body].into_iter().flatten() {
                walk(part, scope, Place::Otherwise, meet);
            }
        }
        _ => exp.parts(&mut |part| walk(part, scope, place, meet)),
    }
    scope.truncate(mark);
}

/// Constructors in patterns are used there.
fn bind(pattern: &Pattern, scope: &mut Vec<String>, meet: &mut dyn FnMut(&str, Place)) {
    pattern.walk(&mut |it| {
        if let PatternKind::Construct(name, _) = &it.kind {
            meet(&name.text, Place::Otherwise);
        }
    });
    scope.extend(bound_by(pattern));
}

/// The expression with another in place of each free use of a name; nothing if a name of that would
/// be captured.
pub(super) fn replace(exp: &Exp, name: &str, by: &Exp) -> Option<Exp> {
    let free = free(by);
    let mut captured = false;
    let replaced = replaced(exp, name, by, &mut |bound: &[String]| captured |= meet(bound, &free));
    (!captured).then_some(replaced)
}

/// `binds` is told the names of each binder with a use in its scope.
fn replaced(exp: &Exp, name: &str, by: &Exp, binds: &mut dyn FnMut(&[String])) -> Exp {
    if let ExpKind::Name(it) = &exp.kind {
        return if it.text == name { by.clone() } else { exp.clone() };
    }
    if !uses(exp, name) {
        return exp.clone();
    }
    let kind = match &exp.kind {
        ExpKind::Let(bindings, body) => {
            let (mut all, mut hidden) = (Vec::new(), false);
            for (at, (pattern, value)) in bindings.iter().enumerate() {
                let value = if hidden { value.clone() } else { replaced(value, name, by, binds) };
                let bound = bound_by(pattern);
                if !hidden && !bound.contains(&name.to_owned()) {
                    let later = bindings[at + 1..].iter().any(|(_, it)| uses(it, name));
                    if later || uses(body, name) {
                        binds(&bound);
                    }
                }
                hidden |= bound.contains(&name.to_owned());
                all.push((pattern.clone(), value));
            }
            let body = if hidden { (**body).clone() } else { replaced(body, name, by, binds) };
            ExpKind::Let(all, Box::new(body))
        }
        ExpKind::Lambda(pattern, body) => {
            binds(&bound_by(pattern));
            ExpKind::Lambda(pattern.clone(), Box::new(replaced(body, name, by, binds)))
        }
        ExpKind::Each { serial, body, generators, test } => {
            let bound: Vec<String> =
                generators.iter().flat_map(|it| bound_by(&it.pattern)).collect();
            let source = |it: &Generator| Generator {
                pattern: it.pattern.clone(),
                source: replaced(&it.source, name, by, &mut *binds),
            };
            let generators = generators.iter().map(source).collect();
            let hidden = bound.contains(&name.to_owned());
            let mut inside = |part: &Option<Box<Exp>>| {
                part.as_ref().map(|part| {
                    if hidden {
                        return part.clone();
                    }
                    if uses(part, name) {
                        binds(&bound);
                    }
                    Box::new(replaced(part, name, by, binds))
                })
            };
            let (test, body) = (inside(test), inside(body));
            ExpKind::Each { serial: *serial, body, generators, test }
        }
        _ => return map_parts(exp, &mut |part| replaced(part, name, by, binds)),
    };
    Exp { kind, span: exp.span }
}

/// The expression with others in place of those directly inside of it.
pub(super) fn map_parts(exp: &Exp, map: &mut dyn FnMut(&Exp) -> Exp) -> Exp {
    let mut boxed = |part: &Exp| Box::new(map(part));
    let kind = match &exp.kind {
        ExpKind::Pair(a, b) => ExpKind::Pair(boxed(a), boxed(b)),
        ExpKind::Subscript(a, b) => ExpKind::Subscript(boxed(a), boxed(b)),
        ExpKind::Operator(operator, operands) => {
            ExpKind::Operator(operator.clone(), operands.iter().map(map).collect())
        }
        ExpKind::Seq(elements) => ExpKind::Seq(elements.iter().map(map).collect()),
        ExpKind::Apply { function, argument, optional } => ExpKind::Apply {
            function: boxed(function),
            argument: boxed(argument),
            optional: optional.iter().map(|(name, value)| (name.clone(), map(value))).collect(),
        },
        ExpKind::Range { start, end, step } => ExpKind::Range {
            start: boxed(start),
            end: boxed(end),
            step: step.as_ref().map(|step| boxed(step)),
        },
        ExpKind::If(test, then, other) => ExpKind::If(boxed(test), boxed(then), boxed(other)),
        ExpKind::Let(bindings, body) => {
            let bindings = bindings.iter().map(|(p, value)| (p.clone(), map(value))).collect();
            ExpKind::Let(bindings, Box::new(map(body)))
        }
        ExpKind::Lambda(parameter, body) => ExpKind::Lambda(parameter.clone(), boxed(body)),
        ExpKind::Each { serial, body, generators, test } => {
            let source =
                |it: &Generator| Generator { pattern: it.pattern.clone(), source: map(&it.source) };
            let generators = generators.iter().map(source).collect();
            let [test, body] = [test, body].map(|part| part.as_ref().map(|it| Box::new(map(it))));
            ExpKind::Each { serial: *serial, body, generators, test }
        }
        ExpKind::Int(_)
        | ExpKind::Float(_)
        | ExpKind::Bool(_)
        | ExpKind::Char(_)
        | ExpKind::Str(_)
        | ExpKind::Name(_)
        | ExpKind::Wildcard
        | ExpKind::Empty(..) => exp.kind.clone(),
    };
    Exp { kind, span: exp.span }
}

/// A pattern as the expression of what it is bound to; nothing if a part has no name.
pub(super) fn as_exp(pattern: &Pattern) -> Option<Exp> {
    let kind = match &pattern.kind {
        PatternKind::Name(name) => return Some(super::build::name(name)),
        PatternKind::Pair(a, b) => ExpKind::Pair(Box::new(as_exp(a)?), Box::new(as_exp(b)?)),
        PatternKind::Wildcard | PatternKind::Construct(..) | PatternKind::Invalid(_) => {
            return None;
        }
    };
    Some(Exp { kind, span: pattern.span })
}
