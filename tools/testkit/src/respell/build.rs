//! Makes abstract syntax that stands nowhere in a text.

use base::Span;
use syntax::ast::*;

fn exp(kind: ExpKind) -> Exp {
    Exp { kind, span: Span::none() }
}

/// A name as it is kept.
pub(super) fn word(text: &str) -> Name {
    Name { text: text.to_owned(), span: Span::none() }
}

pub(super) fn name(text: &str) -> Exp {
    exp(ExpKind::Name(word(text)))
}

pub(super) fn int(value: usize) -> Exp {
    exp(ExpKind::Int(i64::try_from(value).unwrap_or(i64::MAX)))
}

pub(super) fn operator(name: &'static str, operands: Vec<Exp>) -> Exp {
    exp(ExpKind::Operator(Operator { name, span: Span::none() }, operands))
}

/// `f(argument)`.
pub(super) fn apply(function: &str, argument: Exp) -> Exp {
    apply_to(name(function), argument)
}

/// An application of any function value.
pub(super) fn apply_to(function: Exp, argument: Exp) -> Exp {
    let (function, argument) = (Box::new(function), Box::new(argument));
    exp(ExpKind::Apply { function, argument, optional: Vec::new() })
}

/// A tuple, which nests to the right.
///
/// # Panics
///
/// When there are no parts.
pub(super) fn tuple(parts: Vec<Exp>) -> Exp {
    let pair = |rest, first| exp(ExpKind::Pair(Box::new(first), Box::new(rest)));
    let whole = parts.into_iter().rev().reduce(pair);
    whole.unwrap_or_else(|| unreachable!("a tuple without parts"))
}

pub(super) fn seq(elements: Vec<Exp>) -> Exp {
    exp(ExpKind::Seq(elements))
}

pub(super) fn subscript(sequence: Exp, index: Exp) -> Exp {
    exp(ExpKind::Subscript(Box::new(sequence), Box::new(index)))
}

pub(super) fn choice(test: Exp, then: Exp, other: Exp) -> Exp {
    exp(ExpKind::If(Box::new(test), Box::new(then), Box::new(other)))
}

/// A `let`, or its body if nothing is bound.
pub(super) fn let_in(bindings: Vec<(Pattern, Exp)>, body: Exp) -> Exp {
    if bindings.is_empty() { body } else { exp(ExpKind::Let(bindings, Box::new(body))) }
}

pub(super) fn lambda(parameter: Pattern, body: Exp) -> Exp {
    exp(ExpKind::Lambda(Box::new(parameter), Box::new(body)))
}

/// An apply-to-each.
pub(super) fn each(body: Option<Exp>, generators: Vec<Generator>, test: Option<Exp>) -> Exp {
    let [body, test] = [body, test].map(|part| part.map(Box::new));
    exp(ExpKind::Each { serial: false, body, generators, test })
}

pub(super) fn generator(pattern: Pattern, source: Exp) -> Generator {
    Generator { pattern, source }
}

pub(super) fn bound(text: &str) -> Pattern {
    Pattern { kind: PatternKind::Name(text.to_owned()), span: Span::none() }
}

/// A pattern of a tuple.
///
/// # Panics
///
/// When there are no parts.
pub(super) fn patterns(parts: Vec<Pattern>) -> Pattern {
    let pair = |rest, first| Pattern {
        kind: PatternKind::Pair(Box::new(first), Box::new(rest)),
        span: Span::none(),
    };
    let whole = parts.into_iter().rev().reduce(pair);
    whole.unwrap_or_else(|| unreachable!("a pattern without parts"))
}

/// A function without a type.
pub(super) fn function(text: &str, param: Pattern, body: Exp) -> Function {
    let body = Some(body);
    Function { name: word(text), param, optional: Vec::new(), ty: None, doc: None, body }
}
