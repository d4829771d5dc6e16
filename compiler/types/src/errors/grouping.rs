//! Expressions and types that group otherwise than their writer thought.
//!
//! ```text
//! reduce((x, y) => if x > y then x else y, 0, s)      the `else` arm is `(y, 0, s)`
//! not any(s)                                          `(not any)(s)`
//! int, int -> int                                     a pair of an int and a function
//! ```

use base::{Diagnostic, Edit, Span};
use syntax::ast::{Exp, ExpKind, Type, TypeKind};

/// What extends through the commas behind it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Greedy {
    /// The whole, but without what stands behind the first comma.
    pub(crate) span: Span,
    advice: &'static str,
}

/// The `if` or `let` at the end of an argument that takes the arguments behind it.
pub(crate) fn greedy(argument: &Exp) -> Option<Greedy> {
    let mut exp = argument;
    loop {
        exp = match &exp.kind {
            ExpKind::Pair(_, last) | ExpKind::Lambda(_, last) => last,
            ExpKind::If(_, _, last) | ExpKind::Let(_, last) => match takes_commas(exp) {
                // In parentheses of its own it was meant to.
                Some(_) if exp.span.end > last.span.end && !std::ptr::eq(exp, argument) => {
                    return None;
                }
                Some(greedy) => return Some(greedy),
                None => last,
            },
            _ => return None,
        };
    }
}

/// The same of an `if` or a `let` itself.
pub(crate) fn takes_commas(exp: &Exp) -> Option<Greedy> {
    let (last, advice) = match &exp.kind {
        ExpKind::If(_, _, last) => {
            (last, "the `else` arm extends through the commas; put the `if` in parentheses")
        }
        ExpKind::Let(_, last) => {
            (last, "the body of a `let` extends through the commas; put the `let` in parentheses")
        }
        _ => return None,
    };
    let ExpKind::Pair(first, _) = &last.kind else { return None };
    // The parentheses of a call may belong to the place of its argument.
    let outside = u32::from(exp.span.end > last.span.end);
    let span = Span { start: exp.span.start + outside, end: first.span.end, ..exp.span };
    (first.span.start == last.span.start).then_some(Greedy { span, advice })
}

impl Greedy {
    /// Advises to put it in parentheses.
    pub(crate) fn explain(self, error: &mut Diagnostic) {
        replace_advice(error, |error| error.suggest_around(self.span, ["(", ")"], self.advice));
    }
}

/// The function and the argument of `f g(x)` and `f a[i]`, if `applied` is `f g` or `f a`.
pub(crate) fn applied_first(applied: &Exp) -> Option<(&str, Span)> {
    let ExpKind::Apply { function, argument, .. } = &applied.kind else { return None };
    match (&function.kind, &argument.kind) {
        (ExpKind::Name(function), ExpKind::Name(argument)) => Some((&function.text, argument.span)),
        _ => None,
    }
}

/// Advises to put in parentheses what a function is to be applied to; `whole` is its place.
pub(crate) fn apply_later(error: &mut Diagnostic, function: &str, whole: Span) {
    let advice = format!("`{function}` takes what stands right behind it: put all in parentheses");
    replace_advice(error, |error| error.suggest_around(whole, ["(", ")"], advice));
}

/// Explains an annotation that is no function type.
pub(crate) fn tuple_of_function(error: Diagnostic, ty: &Type) -> Diagnostic {
    let mut last = ty;
    while let TypeKind::Pair(first, rest) = &last.kind
        && first.span.start == last.span.start
    {
        last = rest;
    }
    match &last.kind {
        TypeKind::Function(argument, _) if last.span.start > ty.span.start => error.suggest_around(
            Span { end: argument.span.end, ..ty.span },
            ["(", ")"],
            "the types of several parameters stand in parentheses",
        ),
        _ => error.help("write `argument type -> result type`"),
    }
}

/// Explains an annotation with an arrow behind the type of each of so many parameters.
pub(crate) fn arrows_for_commas(error: &mut Diagnostic, ty: &Type, parameters: usize) {
    let mut arguments = Vec::new();
    let mut rest = ty;
    while let TypeKind::Function(argument, result) = &rest.kind
        && arguments.len() < parameters
    {
        arguments.push(argument.span);
        rest = result;
    }
    let (Some(first), Some(last)) = (arguments.first(), arguments.last()) else { return };
    if arguments.len() < parameters || parameters < 2 {
        return;
    }
    let put = |start, end, text: &str| Edit {
        span: Span { start, end, ..ty.span },
        text: text.to_owned(),
    };
    let mut edits = vec![put(first.start, first.start, "(")];
    edits.extend(arguments.windows(2).map(|two| put(two[0].end, two[1].start, ", ")));
    edits.push(put(last.end, last.end, ")"));
    let advice = "the parameters are a tuple, with one arrow behind it";
    replace_advice(error, |error| error.suggest_edits(edits, advice));
}

fn replace_advice(error: &mut Diagnostic, advise: impl FnOnce(Diagnostic) -> Diagnostic) {
    error.help.clear();
    error.suggestions.clear();
    *error = advise(error.clone());
}
