//! Habits from other languages that show in names which mean nothing here.

use super::Walk;
use crate::errors;
use base::{Span, nearest};
use syntax::ast::{Exp, ExpKind, Name, Operator, Pattern, PatternKind};
use syntax::{COMMANDS, defining_word};

/// The first word of a form, and what it was to be, if the form was to be a definition.
pub(super) fn misspelt<'a>(
    pattern: Option<&'a Pattern>,
    value: &'a Exp,
) -> Option<(&'a Name, &'static str)> {
    let word = pattern.map_or_else(|| first_word(value), marked)?;
    Some((word, defining_word(&word.text)?))
}

/// The first of two words before an argument.
fn first_word(value: &Exp) -> Option<&Name> {
    let ExpKind::Apply { function, .. } = &value.kind else { return None };
    let ExpKind::Apply { function, argument, .. } = &function.kind else { return None };
    match (&function.kind, &argument.kind) {
        (ExpKind::Name(word), ExpKind::Name(_)) => Some(word),
        _ => None,
    }
}

/// The first of two words before a pattern.
fn marked(pattern: &Pattern) -> Option<&Name> {
    match &pattern.kind {
        PatternKind::Construct(word, fields) => {
            matches!(fields.kind, PatternKind::Construct(..)).then_some(word)
        }
        _ => None,
    }
}

/// The first word of a form that may be a command but for its spelling, and that command.
pub(super) fn misspelt_command(value: &Exp) -> Option<(&Name, &'static str)> {
    let mut arguments = Vec::new();
    let mut first = value;
    while let ExpKind::Apply { function, argument, .. } = &first.kind {
        arguments.push(&argument.kind);
        first = function;
    }
    arguments.reverse();
    let ExpKind::Name(word) = &first.kind else { return None };
    let meant = nearest(&word.text, COMMANDS.into_iter())?;
    // What it is applied to is what that command takes.
    let takes = matches!(
        (meant, arguments.as_slice()),
        ("help" | "exit", [])
            | ("describe" | "apropos", [ExpKind::Name(_) | ExpKind::Str(_)])
            | ("load", [ExpKind::Str(_)])
            | ("show", [ExpKind::Name(_)])
            | ("set", [ExpKind::Name(_), ExpKind::Name(_) | ExpKind::Int(_)])
    );
    takes.then_some((word, meant))
}

/// The first word of a form that may be a comment of another language: `# word` or `-- word`.
pub(super) fn commented(value: &Exp) -> Option<(&str, Span)> {
    let ExpKind::Operator(outer, operands) = &value.kind else { return None };
    let words = match (outer.name, operands.as_slice()) {
        ("#", [words]) if outer.span.end < words.span.start => match &words.kind {
            ExpKind::Apply { .. } => words,
            _ => return None,
        },
        ("negate", [Exp { kind: ExpKind::Operator(inner, operands), .. }])
            if inner.name == "negate" && outer.span.end == inner.span.start =>
        {
            operands.first()?
        }
        _ => return None,
    };
    let mut first = words;
    while let ExpKind::Apply { function, .. } = &first.kind {
        first = function;
    }
    match &first.kind {
        ExpKind::Name(name) => Some((&name.text, name.span)),
        _ => None,
    }
}

impl Walk<'_> {
    /// A function value of another language: its parameter is an unknown name before `->`.
    pub(super) fn arrow(&mut self, operator: &Operator, operands: &[Exp]) {
        if operator.name == "->"
            && let [Exp { kind: ExpKind::Apply { function, argument, .. }, .. }, _] = operands
            && let (ExpKind::Name(word), ExpKind::Name(parameter)) =
                (&function.kind, &argument.kind)
            && errors::foreign::is_lambda(&word.text)
            && !self.knows(&word.text)
        {
            self.noted.extend([word.text.clone(), parameter.text.clone()]);
            let error = errors::marked_lambda(word, parameter.span, Some(operator.span));
            return self.found.errors.push(error);
        }
        let [Exp { kind: ExpKind::Name(Name { text: name, span }), .. }, _] = operands else {
            return;
        };
        if operator.name == "->" && !self.knows(name) && self.noted.insert(name.clone()) {
            self.found.errors.push(errors::unknown_parameter(name, *span, operator.span));
        }
    }
    /// The parameter of a function value, without the word that other languages put before it.
    pub(super) fn parameter<'p>(&self, pattern: &'p Pattern) -> &'p Pattern {
        match &pattern.kind {
            PatternKind::Construct(word, parameter) if self.marks_lambda(word) => parameter,
            _ => pattern,
        }
    }
    pub(super) fn marked_lambda(&mut self, pattern: &Pattern) {
        if let PatternKind::Construct(word, parameter) = &pattern.kind
            && self.marks_lambda(word)
        {
            self.found.errors.push(errors::marked_lambda(word, parameter.span, None));
        }
    }
    pub(super) fn marks_lambda(&self, word: &Name) -> bool {
        let known = self.view.scope.constructor(&word.text, self.view.version).is_some();
        !known && errors::foreign::is_lambda(&word.text)
    }
    /// The name of an operator in another language before its operands.
    pub(super) fn operator_applied(&mut self, function: &Exp) -> bool {
        let ExpKind::Name(name) = &function.kind else { return false };
        let sign = errors::foreign::operator(&name.text).filter(|_| !self.knows(&name.text));
        let Some(sign) = sign.filter(|_| !self.foreign) else { return false };
        if self.noted.insert(name.text.clone()) {
            self.found.errors.push(errors::operator_applied(name, sign));
        }
        true
    }
    /// A number of another language, such as `0x10` or `1_000`: an unknown name right behind one.
    pub(super) fn number(&mut self, function: &Exp, argument: &Exp) {
        let ExpKind::Name(Name { text: name, span }) = &argument.kind else { return };
        let digits = matches!(function.kind, ExpKind::Int(_) | ExpKind::Float(_));
        if digits
            && function.span.end == argument.span.start
            && !self.knows(name)
            && self.noted.insert(name.clone())
        {
            self.found.errors.push(errors::unknown_here(
                name,
                *span,
                "it stands right behind a number",
                "numbers are written in decimal digits, without other signs among them",
            ));
        }
    }
}
