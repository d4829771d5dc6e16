//! Calls in lanes of a literal become calls in `let`s.

use crate::respell::build::{apply_to, bound, let_in, name, patterns, seq, tuple};
use crate::respell::context::Context;
use crate::respell::names::{count, map_parts, uses};
use syntax::ast::{Exp, ExpKind, Generator, Pattern, PatternKind};

/// Most elements of a literal whose lanes are written apart.
const FEW: usize = 4;

/// For each element of literals of one length, the body with the patterns bound.
fn lanes(exp: &Exp) -> Option<Vec<Exp>> {
    let ExpKind::Each { body: Some(body), generators, test: None, .. } = &exp.kind else {
        return None;
    };
    let literals: Vec<&Vec<Exp>> = generators.iter().map(literal).collect::<Option<_>>()?;
    let count = literals[0].len();
    if count > FEW || literals.iter().any(|it| it.len() != count) {
        return None;
    }
    let pattern = patterns(generators.iter().map(|it| it.pattern.clone()).collect());
    let lane = |n: usize| {
        let value = tuple(literals.iter().map(|it| it[n].clone()).collect());
        // A name for an element of a single sequence is not needed where it is the argument.
        match (&pattern.kind, &body.kind) {
            (PatternKind::Name(name), ExpKind::Apply { function, argument, optional })
                if optional.is_empty()
                    && !uses(function, name)
                    && matches!(&argument.kind, ExpKind::Name(it) if it.text == *name) =>
            {
                apply_to((**function).clone(), value)
            }
            _ => let_in(vec![(pattern.clone(), value)], (**body).clone()),
        }
    };
    Some((0..count).map(lane).collect())
}

pub(super) fn literal(generator: &Generator) -> Option<&Vec<Exp>> {
    if let ExpKind::Seq(elements) = &generator.source.kind { Some(elements) } else { None }
}

pub(super) fn in_lets(exp: &Exp, context: &mut Context) -> Option<Exp> {
    if let ExpKind::Let(bindings, body) = &exp.kind {
        return elements_in_lets(bindings, body);
    }
    let lanes = lanes(exp)?;
    let names: Vec<String> = lanes.iter().map(|_| context.fresh("part")).collect();
    let bindings = names.iter().map(|name| bound(name)).zip(lanes).collect();
    Some(let_in(bindings, seq(names.iter().map(|it| name(it)).collect())))
}

/// `let s = let x = a; y = b in [x, y]`, as the rule leaves a value, becomes `let x = a; y = b` if
/// all uses of `s` are elements.
fn elements_in_lets(bindings: &[(Pattern, Exp)], body: &Exp) -> Option<Exp> {
    let (mut all, mut body, mut changed) = (bindings.to_vec(), body.clone(), false);
    let mut at = 0;
    while at < all.len() {
        let (pattern, value) = all[at].clone();
        at += 1;
        let (PatternKind::Name(of), ExpKind::Let(inner, elements)) = (&pattern.kind, &value.kind)
        else {
            continue;
        };
        let ExpKind::Seq(elements) = &elements.kind else { continue };
        // Only those that the rule made: their names are new.
        if inner.iter().any(|(it, _)| !is_new(it)) {
            continue;
        }
        let rest = let_in(all[at..].to_vec(), body.clone());
        let Some(rest) = with_elements(&rest, of, elements) else { continue };
        all.truncate(at - 1);
        all.extend(inner.iter().cloned());
        at = all.len();
        match rest.kind {
            ExpKind::Let(later, inner) if !later.is_empty() => {
                all.extend(later);
                body = *inner;
            }
            _ => body = rest,
        }
        changed = true;
    }
    changed.then(|| let_in(all, body))
}

fn is_new(pattern: &Pattern) -> bool {
    pattern.span == base::Span::none()
}

/// The expression with elements in place of `s[0]`, `s[1]`; nothing if `s` is used otherwise.
pub(super) fn with_elements(exp: &Exp, of: &str, elements: &[Exp]) -> Option<Exp> {
    let mut found = 0;
    let new = replaced_elements(exp, of, elements, &mut found);
    let (once, otherwise) = count(exp, of);
    (found == once + otherwise && !uses(&new, of)).then_some(new)
}

fn replaced_elements(exp: &Exp, of: &str, elements: &[Exp], found: &mut usize) -> Exp {
    if let Some(n) = element_of(exp, of)
        && let Some(element) = elements.get(n)
    {
        *found += 1;
        return element.clone();
    }
    map_parts(exp, &mut |part| replaced_elements(part, of, elements, found))
}

/// The index, if the expression is `s[n]`.
fn element_of(exp: &Exp, of: &str) -> Option<usize> {
    let ExpKind::Subscript(sequence, index) = &exp.kind else { return None };
    let (ExpKind::Name(name), ExpKind::Int(n)) = (&sequence.kind, &index.kind) else {
        return None;
    };
    usize::try_from(*n).ok().filter(|_| name.text == of)
}
