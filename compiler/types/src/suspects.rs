//! Expressions that may be legal but are probably mistakes.
//!
//! ```text
//! n mod 2         applies `n` to `mod`, and the result to 2
//! 1,000,000       is a tuple of three ints
//! g(1) h(2)       applies the value of `g(1)` to `h`
//! ```
//!
//! In a form without errors such an expression causes a warning.  In a form with errors it is
//! probably their cause, so its advice replaces the advice on types.

use base::{Code, Diagnostic, Edit, Kind, Span};
use syntax::ast::{Exp, ExpKind, Form, FormKind};

/// Functions of two arguments that other languages write between their operands.
const BETWEEN: [&str; 8] = ["mod", "rem", "max", "min", "gcd", "lshift", "rshift", "append"];

/// Operators that other languages spell with letters.
const SPELLED: &[(&[&str], &str)] = &[
    (&["div", "quot", "idiv"], "/"),
    (&["plus"], "+"),
    (&["minus"], "-"),
    (&["times"], "*"),
    (&["is", "eq", "equals"], "=="),
];

/// A suspicious expression.
#[derive(Debug)]
struct Suspect {
    span: Span,
    /// The warning in a form without errors; none if only an error makes the expression suspicious.
    warning: Option<String>,
    edits: Vec<Edit>,
    advice: String,
}

/// The warnings about a form without errors.  `is_library` is true for the names of functions of
/// the library.
pub(crate) fn warnings(form: &Form, is_library: &dyn Fn(&str) -> bool) -> Vec<Diagnostic> {
    let warning = |it: Suspect| {
        let error = Diagnostic::new(Kind::Type, it.warning?).label(it.span, "");
        Some(error.suggest_edits(it.edits, it.advice))
    };
    of_form(form, is_library).into_iter().filter_map(warning).collect()
}

/// Puts the advice on suspicious expressions into the errors of a form.
pub(crate) fn explain(errors: &mut [Diagnostic], form: &Form, is_library: &dyn Fn(&str) -> bool) {
    for suspect in of_form(form, is_library) {
        let about = |error: &&mut Diagnostic| {
            let here = error.primary.iter().chain(&error.secondary).any(|label| {
                label.span.start < suspect.span.end && suspect.span.start < label.span.end
            });
            here && error.code != Code::UnknownOptional
        };
        if let Some(error) = errors.iter_mut().find(about) {
            error.help.clear();
            error.suggestions.clear();
            *error = error.clone().suggest_edits(suspect.edits, suspect.advice);
        }
    }
}

/// The suspicious expressions of a form, in order.
fn of_form(form: &Form, is_library: &dyn Fn(&str) -> bool) -> Vec<Suspect> {
    let mut found = Vec::new();
    let value = match &form.kind {
        FormKind::Function(function) => function.body.as_ref(),
        FormKind::Binding(_, value) | FormKind::Exp(value) => Some(value),
        FormKind::Datatype(_) | FormKind::Command(..) | FormKind::Error(_) => None,
    };
    let Some(value) = value else { return found };
    let bound = matches!(form.kind, FormKind::Binding(..));
    if !matches!(form.kind, FormKind::Function(_)) {
        found.extend(beside(value, is_library));
    }
    if found.is_empty() {
        visit(value, bound, is_library, &mut found);
    }
    found
}

/// Searches an expression; `bound` is true if it is the whole right side of a binding.
fn visit(exp: &Exp, bound: bool, is_library: &dyn Fn(&str) -> bool, found: &mut Vec<Suspect>) {
    let suspect = product(exp, is_library)
        .or_else(|| between(exp, is_library))
        .or_else(|| spelled(exp, is_library))
        .or_else(|| thousands(exp, bound));
    match suspect {
        Some(suspect) => found.push(suspect),
        None => exp.parts(&mut |part| visit(part, false, is_library, found)),
    }
}

/// `a word b` where the word is a name without parentheses: `a`, the word with its place, `b`.
fn infix(exp: &Exp) -> Option<(&Exp, &str, Span, &Exp)> {
    let ExpKind::Apply { function, argument: right, optional } = &exp.kind else { return None };
    let ExpKind::Apply { function: left, argument: word, .. } = &function.kind else { return None };
    let ExpKind::Name(name) = &word.kind else { return None };
    let apart = left.span.end < name.span.start && name.span.end <= right.span.start;
    let plain = word.span == name.span && optional.is_empty();
    (apart && plain).then_some((left, &name.text, name.span, right))
}

fn at(place: u32, near: Span, text: String) -> Edit {
    Edit { span: Span { start: place, end: place, ..near }, text }
}

/// `word(a, b)` instead of `a word b`, in edits; `word(word(a, b), c)` if `a` is such a one.
fn prefixed(exp: &Exp, until: u32, edits: &mut Vec<Edit>) -> Option<()> {
    let (left, word, name, right) = infix(exp).filter(|it| BETWEEN.contains(&it.1))?;
    let before = edits.len();
    // The text before `b` up to the end of `a`, which may close a call itself.
    let gap = Span { start: left.span.end, end: right.span.start, ..name };
    let mut comma = Edit { span: gap, text: ", ".to_owned() };
    if prefixed(left, gap.start, edits).is_some() {
        edits[before].text.insert_str(0, &format!("{word}("));
        edits.pop();
        comma.text.insert(0, ')');
    } else {
        edits.push(at(left.span.start, name, format!("{word}(")));
    }
    edits.push(comma);
    edits.push(at(until, name, ")".to_owned()));
    Some(())
}

/// `n mod 2`
fn between(exp: &Exp, is_library: &dyn Fn(&str) -> bool) -> Option<Suspect> {
    let (left, word, _, _) = infix(exp)?;
    // A function of the library before it takes it as an argument.
    let given = matches!(&left.kind, ExpKind::Name(name) if is_library(&name.text));
    if given || !is_library(word) {
        return None;
    }
    let mut edits = Vec::new();
    prefixed(exp, exp.span.end, &mut edits)?;
    Some(Suspect { span: exp.span, edits, ..misplaced(word) })
}

/// `a * b mod c`, which elsewhere is the remainder of the product.
fn product(exp: &Exp, is_library: &dyn Fn(&str) -> bool) -> Option<Suspect> {
    let ExpKind::Operator(operator, operands) = &exp.kind else { return None };
    let [left, last] = operands.as_slice() else { return None };
    let (first, word, name, right) = infix(last)?;
    let remainder = ["mod", "rem"].contains(&word) && is_library(word);
    if !["*", "/"].contains(&operator.name) || !remainder || infix(first).is_some() {
        return None;
    }
    let gap = Span { start: first.span.end, end: right.span.start, ..name };
    let edits = vec![
        at(left.span.start, name, format!("{word}(")),
        Edit { span: gap, text: ", ".to_owned() },
        at(right.span.end, name, ")".to_owned()),
    ];
    Some(Suspect { span: exp.span, edits, ..misplaced(word) })
}

fn misplaced(word: &str) -> Suspect {
    let advice = format!("a function stands before its arguments: `{word}(a, b)`");
    let warning = format!("what is before `{word}` is applied to it; {advice}");
    Suspect { span: Span::none(), warning: Some(warning), edits: Vec::new(), advice }
}

/// `7 div 2`
fn spelled(exp: &Exp, is_library: &dyn Fn(&str) -> bool) -> Option<Suspect> {
    let (_, word, span, _) = infix(exp)?;
    let sign = SPELLED.iter().find(|row| row.0.contains(&word)).map(|row| row.1)?;
    let advice = match sign {
        "/" => "an int divided by an int is an int: `a / b`".to_owned(),
        sign => format!("it is written `a {sign} b`"),
    };
    let edits = vec![Edit { span, text: sign.to_owned() }];
    // Who defines such a function means it.
    (!is_library(word)).then_some(Suspect { span, warning: None, edits, advice })
}

/// `1,000,000`
fn thousands(exp: &Exp, bound: bool) -> Option<Suspect> {
    let mut parts = Vec::new();
    let mut rest = exp;
    while let ExpKind::Pair(first, last) = &rest.kind {
        parts.push(first.as_ref());
        rest = last;
    }
    parts.push(rest);
    let (first, groups) = parts.split_first()?;
    let int = |exp: &Exp| match exp.kind {
        ExpKind::Int(value) => Some((value, (exp.span.end - exp.span.start) as usize)),
        _ => None,
    };
    let joined = parts.windows(2).all(|two| two[0].span.end + 1 == two[1].span.start);
    let grouped = groups.iter().all(|group| int(group).is_some_and(|(_, digits)| digits == 3));
    let head = int(first).is_some_and(|(value, digits)| {
        value > 0 && digits <= 3 && value.to_string().len() == digits
    });
    // Nobody writes a number with zeros before it for their own sake.
    let zeros = groups.iter().any(|group| int(group).is_some_and(|(value, _)| value < 100));
    let bare = bound && first.span.start == exp.span.start;
    if groups.is_empty() || !joined || !grouped || !head || !(zeros || bare) {
        return None;
    }
    let comma = |two: &[&Exp]| Edit {
        span: Span { start: two[0].span.end, end: two[1].span.start, ..two[0].span },
        text: String::new(),
    };
    let edits = parts.windows(2).map(comma).collect();
    let advice = "the digits of a number stand together, as in `1000000`".to_owned();
    let warning = Some(format!("this is a tuple of {} ints; {advice}", parts.len()));
    Some(Suspect { span: first.span.to(rest.span), warning, edits, advice })
}

/// `g(1) h(2)` where a form may end between the calls.
fn beside(value: &Exp, is_library: &dyn Fn(&str) -> bool) -> Option<Suspect> {
    let ExpKind::Apply { function, argument: second, .. } = &value.kind else { return None };
    let ExpKind::Apply { function: first, argument: name, .. } = &function.kind else {
        return None;
    };
    let ExpKind::Apply { function: called, .. } = &first.kind else { return None };
    let (ExpKind::Name(called), ExpKind::Name(name)) = (&called.kind, &name.kind) else {
        return None;
    };
    let call = name.span.end == second.span.start && first.span.end < name.span.start;
    let infix = BETWEEN.contains(&name.text.as_str());
    if !call || infix || !is_library(&called.text) || !is_library(&name.text) {
        return None;
    }
    let edits = vec![at(first.span.end, name.span, ";".to_owned())];
    let advice = "every form ends with `;`".to_owned();
    Some(Suspect { span: first.span, warning: None, edits, advice })
}
