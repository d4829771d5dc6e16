//! The abstract syntax as S-expressions, one form a line: for tests and `--dump`.
//!
//! ```text
//! {x + 1 : x in s | x > 0};      (each (+ x 1) (x s) (| (> x 0)))
//! ```

use crate::ast::*;
use std::fmt::Write;

/// All forms.
pub fn group(group: &Group) -> String {
    let mut out = String::new();
    for form in &group.forms {
        form_kind(&mut out, &form.kind);
        out.push('\n');
    }
    out
}

/// A type with its classes.
pub fn signature(ty: &Type, classes: &[ClassBound]) -> String {
    let mut out = String::new();
    type_kind(&mut out, ty);
    bounds(&mut out, classes);
    out
}

fn form_kind(out: &mut String, form: &FormKind) {
    match form {
        FormKind::Function(it) => function(out, it),
        FormKind::Datatype(it) => {
            put(out, format_args!("(datatype {} ", it.name.text));
            type_kind(out, &it.fields);
            bounds(out, &it.classes);
            out.push(')');
        }
        FormKind::Binding(it, value) => {
            out.push_str("(= ");
            pattern(out, it);
            out.push(' ');
            exp(out, value);
            out.push(')');
        }
        FormKind::Exp(it) => exp(out, it),
        FormKind::Command(word, args) => {
            put(out, format_args!("(command {}", word.text));
            for arg in args {
                out.push(' ');
                match arg {
                    CommandArg::Name(name) => out.push_str(&name.text),
                    CommandArg::Number(number, _) => put(out, format_args!("{number}")),
                    CommandArg::Str(text, _) => out.push_str(&base::text::quote(text)),
                    CommandArg::Exp(it) => exp(out, it),
                }
            }
            out.push(')');
        }
        FormKind::Error(errors) => {
            let shown = |e: &base::Diagnostic| format!("{}: {}", e.kind, e.message);
            let errors: Vec<String> = errors.iter().map(shown).collect();
            put(out, format_args!("(error {})", errors.join("; ")));
        }
    }
}

fn function(out: &mut String, it: &Function) {
    put(out, format_args!("(function {} ", it.name.text));
    pattern(out, &it.param);
    optionals(out, &it.optional);
    if let Some((ty, classes)) = &it.ty {
        out.push_str(" (: ");
        type_kind(out, ty);
        bounds(out, classes);
        out.push(')');
    }
    if let Some(doc) = &it.doc {
        put(out, format_args!(" (doc {})", base::text::quote(doc)));
    }
    if let Some(body) = &it.body {
        out.push(' ');
        exp(out, body);
    }
    out.push(')');
}

fn optionals(out: &mut String, optional: &[(Name, Exp)]) {
    for (name, value) in optional {
        put(out, format_args!(" (:= {} ", name.text));
        exp(out, value);
        out.push(')');
    }
}

fn bounds(out: &mut String, classes: &[ClassBound]) {
    for bound in classes {
        put(out, format_args!(" (in {} {})", bound.var.text, bound.class.text));
    }
}

fn pattern(out: &mut String, it: &Pattern) {
    match &it.kind {
        PatternKind::Name(name) => out.push_str(name),
        PatternKind::Wildcard => out.push('_'),
        PatternKind::Pair(first, rest) => {
            out.push_str("(pair ");
            pattern(out, first);
            out.push(' ');
            pattern(out, rest);
            out.push(')');
        }
        PatternKind::Construct(name, inner) => {
            put(out, format_args!("({} ", name.text));
            pattern(out, inner);
            out.push(')');
        }
        PatternKind::Invalid(message) => put(out, format_args!("(invalid {message:?})")),
    }
}

fn type_kind(out: &mut String, it: &Type) {
    let (head, parts): (&str, Vec<&Type>) = match &it.kind {
        TypeKind::Name(name, None) => return out.push_str(&name.text),
        TypeKind::Name(name, Some(arguments)) => (name.text.as_str(), vec![arguments]),
        TypeKind::Seq(element) => ("seq", vec![element]),
        TypeKind::Pair(first, rest) => ("pair", vec![first, rest]),
        TypeKind::Function(argument, result) => ("->", vec![argument, result]),
    };
    put(out, format_args!("({head}"));
    for part in parts {
        out.push(' ');
        type_kind(out, part);
    }
    out.push(')');
}

fn exp(out: &mut String, it: &Exp) {
    match &it.kind {
        ExpKind::Int(value) => put(out, format_args!("{value}")),
        ExpKind::Float(value) => put(out, format_args!("{value:?}")),
        ExpKind::Bool(value) => out.push(if *value { 'T' } else { 'F' }),
        ExpKind::Char(code) => put(out, format_args!("(char {code})")),
        ExpKind::Str(text) => out.push_str(&base::text::quote(text)),
        ExpKind::Name(name) => out.push_str(&name.text),
        ExpKind::Wildcard => out.push('_'),
        ExpKind::Pair(first, rest) => list(out, "pair", [&**first, rest]),
        ExpKind::Operator(operator, operands) => list(out, operator.name, operands),
        ExpKind::Apply { function, argument, optional } => {
            out.push_str("(apply ");
            exp(out, function);
            out.push(' ');
            exp(out, argument);
            optionals(out, optional);
            out.push(')');
        }
        ExpKind::Subscript(sequence, index) => list(out, "elt", [&**sequence, index]),
        ExpKind::Seq(elements) => list(out, "seq", elements),
        ExpKind::Empty(None, _) => out.push_str("(empty)"),
        ExpKind::Empty(Some(ty), _) => {
            out.push_str("(empty ");
            type_kind(out, ty);
            out.push(')');
        }
        ExpKind::Range { start, end, step } => {
            list(out, "range", [&**start, end].into_iter().chain(step.as_deref()));
        }
        ExpKind::If(condition, then, other) => list(out, "if", [&**condition, then, other]),
        ExpKind::Let(bindings, body) => {
            out.push_str("(let");
            for (bound, value) in bindings {
                bind(out, bound, value);
            }
            out.push(' ');
            exp(out, body);
            out.push(')');
        }
        ExpKind::Lambda(parameter, body) => {
            out.push_str("(=> ");
            pattern(out, parameter);
            out.push(' ');
            exp(out, body);
            out.push(')');
        }
        ExpKind::Each { serial, body, generators, test } => {
            out.push_str(if *serial { "(each*" } else { "(each" });
            if let Some(body) = body {
                out.push(' ');
                exp(out, body);
            }
            for generator in generators {
                bind(out, &generator.pattern, &generator.source);
            }
            if let Some(test) = test {
                out.push(' ');
                list(out, "|", [&**test]);
            }
            out.push(')');
        }
    }
}

/// A pattern and what it is bound to.
fn bind(out: &mut String, bound: &Pattern, value: &Exp) {
    out.push_str(" (");
    pattern(out, bound);
    out.push(' ');
    exp(out, value);
    out.push(')');
}

fn list<'a>(out: &mut String, head: &str, parts: impl IntoIterator<Item = &'a Exp>) {
    put(out, format_args!("({head}"));
    for part in parts {
        out.push(' ');
        exp(out, part);
    }
    out.push(')');
}

/// Writing to a `String` does not fail.
fn put(out: &mut String, text: std::fmt::Arguments<'_>) {
    let _ = out.write_fmt(text);
}
