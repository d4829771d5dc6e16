//! Errors about values that are applied and are no functions.

use base::{Code, Diagnostic, Span};

/// A value applied that has the name of a function of the library, and where it is defined.
pub(crate) fn hidden_function(
    span: Span,
    shown: &str,
    name: &str,
    definition: Option<Span>,
) -> Diagnostic {
    let error =
        Diagnostic::of(Code::NoFunction, format!("only a function can be applied, found {shown}"))
            .label(span, format!("this is {shown}"));
    let error = match definition {
        Some(definition) => error.also(definition, format!("`{name}` is this from here on")),
        None => error,
    };
    error
        .note(format!("the library's function `{name}` is hidden by a value of the same name"))
        .help("give the value another name")
}

/// Something applied that is no function.
pub(crate) struct NoFunction<'a> {
    pub(crate) function: Span,
    pub(crate) argument: Span,
    pub(crate) shown: &'a str,
    /// The name of the value that is applied, if it is one of the library.
    pub(crate) value: Option<&'a str>,
    /// The advice if this is one number that ends too early: `3.14.15`, `1.0f`.
    pub(crate) number: Option<&'a str>,
    /// True if the program applies a literal.
    pub(crate) literal: bool,
    /// The digits of the argument, if it is an int literal.
    pub(crate) digits: Option<&'a str>,
}

/// The error about something applied that is no function.
pub(crate) fn not_a_function(it: &NoFunction) -> Diagnostic {
    let message = format!("only a function can be applied, found {}", it.shown);
    let mut error = Diagnostic::of(Code::NoFunction, message)
        .label(it.function, format!("this is {}", it.shown))
        .also(it.argument, "applied to this");
    if let Some(value) = it.value {
        error = error.note(format!("`{value}` is a value, which takes no argument"));
    }
    let joined = it.function.end == it.argument.start;
    match it.shown {
        _ if let Some(number) = it.number => error.help(number),
        // `[0..9]` reads as `0.` before `.9`.
        "float" if it.literal && joined => error.help("a range is written `[start:end]`"),
        "int" | "float" if joined => product(error, it),
        "bool" if it.function.end - it.function.start == 1 => {
            error.help("`t` and `f` are the truth values: functions have other names")
        }
        _ if joined && it.shown.starts_with('[') => {
            error.help("an element of a sequence is written `a[i]`")
        }
        _ => error.help(
            "two values beside each other are a call: an operator, a comma or a `;` may be \
             missing between them",
        ),
    }
}

/// Advises to multiply by the expression directly after a number.
fn product(error: Diagnostic, it: &NoFunction) -> Diagnostic {
    let between = Span { start: it.function.end, end: it.function.end, ..it.function };
    let advice = "a product is written `a * b`";
    match it.digits {
        Some(digits) if it.shown == "float" => {
            error.suggest(it.argument, format!(" * {digits}.0"), advice)
        }
        _ => error.suggest(between, " * ", advice),
    }
}
