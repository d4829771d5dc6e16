//! What is said about each error: one function, or one row, for each.

mod applied;
pub(crate) mod foreign;
pub(crate) mod grouping;
mod hints;

pub(crate) use applied::{NoFunction, hidden_function, not_a_function};

use crate::graph::{Cause, Clash, Conflict, Reason, Ty};
use crate::infer::Quotient;
use crate::tree::Global;
use crate::ty::{Class, Type};
use base::{Code, Diagnostic, Edit, Kind, Span};
use prim::{Const, Widths};
use syntax::ast::{self, LineEnd, Name};

// Whole forms.

/// The errors of a form.  If it is one only because its terminator is missing, the first says it.
pub(crate) fn of_form(
    errors: Vec<Diagnostic>,
    form: Span,
    ends: Option<LineEnd>,
) -> Vec<Diagnostic> {
    let within = |span: Span| form.start <= span.start && span.end <= form.end;
    let here = |error: &Diagnostic| error.primary.as_ref().is_some_and(|at| within(at.span));
    let Some(end) = ends.filter(|_| errors.first().is_some_and(here)) else { return errors };
    let parsed = |error: &Diagnostic| error.kind != Kind::Parse;
    let Some(mut error) = errors.iter().find(|error| parsed(error)).cloned() else { return errors };
    if error.help.iter().any(|help| help == COMMENT) {
        // Elsewhere comments end with their lines, and forms have no need to.
        return errors;
    }
    error.help.clear();
    error.suggestions.clear();
    vec![error.suggest(end.span, ";", format!("a `;` may be missing after line {}", end.line))]
}

// Numbers.

/// A literal that is too large for the widths of the program.
pub(crate) fn number_too_large(value: Const, span: Span) -> Diagnostic {
    let error = Diagnostic::of(Code::NumberTooLarge, Widths::misfit(value));
    let help = match value {
        Const::F64(_) => {
            "the largest float is about 3.4e38; the option `--float 64` allows larger ones"
        }
        _ => "the largest int is 2147483647; the option `--int 64` allows larger ones",
    };
    error.label(span, "too large").help(help)
}

// Patterns.

/// Something that cannot be bound.
pub(crate) fn invalid_pattern(span: Span, why: &str) -> Diagnostic {
    Diagnostic::of(Code::InvalidPattern, why)
        .label(span, "not a pattern")
        .help("a pattern is a name, `_`, a tuple of patterns, or a datatype applied to a pattern")
}

/// A name twice in one pattern.
pub(crate) fn bound_twice(name: &str, first: Span, second: Span) -> Diagnostic {
    Diagnostic::of(Code::BoundTwice, format!("`{name}` is bound twice"))
        .label(second, "bound again here")
        .also(first, "first bound here")
        .help("use different names, or `_` for parts that are not needed")
}

// Undefined names.

/// `_` used as an expression.
pub(crate) fn wildcard(span: Span) -> Diagnostic {
    Diagnostic::of(Code::Wildcard, "`_` has no value")
        .label(span, "`_` in a pattern binds nothing")
        .help("give the value a name to use it")
}

/// A name found nowhere.
pub(crate) fn unknown_name(name: &str, span: Span, near: Option<&str>) -> Diagnostic {
    let error = Diagnostic::of(Code::UnknownName, format!("`{name}` is not defined"));
    let error = error.label(span, "unknown name");
    match (foreign::operator(name), foreign::name(name)) {
        (Some(sign), _) => error.suggest(
            span,
            format!("(x, y) => x {sign} y"),
            "an operator is not a value; a function value applies it",
        ),
        (None, Some(here)) => error.help(here),
        (None, None) => advise(error, span, near),
    }
}

/// The name of an operator in another language, which is applied to something.
pub(crate) fn operator_applied(name: &Name, sign: &str) -> Diagnostic {
    Diagnostic::of(Code::UnknownName, format!("`{}` is not defined", name.text))
        .label(name.span, "unknown name")
        .help(format!("an operator stands between its operands: `a {sign} b`"))
}

/// A name that something later, or elsewhere in the form, would give a meaning.
pub(crate) fn unknown_here(name: &str, span: Span, why: &str, help: &str) -> Diagnostic {
    Diagnostic::of(Code::UnknownName, format!("`{name}` is not defined"))
        .label(span, "unknown name")
        .note(why)
        .help(help)
}

/// A name found nowhere that may have been meant as the parameter of a function value.
pub(crate) fn unknown_parameter(name: &str, span: Span, arrow: Span) -> Diagnostic {
    let error = Diagnostic::of(Code::UnknownName, format!("`{name}` is not defined"));
    error.label(span, "unknown name").suggest(
        arrow,
        "=>",
        "a function value is written `x => value`",
    )
}

/// How a comment is written.
const COMMENT: &str = "a comment runs from one `%` to the next";

/// An unknown name behind what begins a comment elsewhere.
pub(crate) fn comment(name: &str, span: Span) -> Diagnostic {
    unknown_name(name, span, None).help(COMMENT)
}

/// A type name found nowhere.
pub(crate) fn unknown_type(name: &Name, near: Option<&str>) -> Diagnostic {
    let error = Diagnostic::of(Code::UnknownType, format!("there is no type `{}`", name.text))
        .label(name.span, "unknown type");
    match (near, foreign::ty(&name.text)) {
        (_, Some(here)) => error.suggest(name.span, here, format!("it is written `{here}`")),
        (Some(_), None) => advise(error, name.span, near),
        (None, None) => {
            error.help(format!("a type variable is listed: `:: ({} in any)`", name.text))
        }
    }
}

/// The name of a datatype among its own fields.
pub(crate) fn contains_itself(name: &Name) -> Diagnostic {
    Diagnostic::of(Code::UnknownType, format!("the datatype `{}` contains itself", name.text))
        .label(name.span, "not defined before the `;`")
        .help(
            "datatypes are not recursive: keep the nodes in a sequence, and in each the positions \
             of others",
        )
}

/// A class that does not exist.
pub(crate) fn unknown_class(name: &Name, near: Option<&str>) -> Diagnostic {
    let error = Diagnostic::of(Code::UnknownClass, format!("there is no class `{}`", name.text))
        .label(name.span, "unknown class")
        .note("the classes are any, number, ordinal, logical and scalar");
    advise(error, name.span, near)
}

/// A pattern that applies something that is no datatype.
pub(crate) fn unknown_constructor(name: &Name, near: Option<&str>) -> Diagnostic {
    let error = not_a_datatype(name);
    match foreign::word(&name.text) {
        Some(here) => error.help(here),
        None => advise(error, name.span, near),
    }
}

/// A pattern in a `let` that would define a function in another language.
pub(crate) fn local_function(name: &Name) -> Diagnostic {
    not_a_datatype(name).help(format!(
        "a function in a `let` is a value: `{} = x => value`; it cannot call itself",
        name.text
    ))
}

/// A form that was to define something, but for the spelling of its first word.
pub(crate) fn misspelt_word(name: &Name, meant: &str) -> Diagnostic {
    let error = Diagnostic::of(Code::UnknownName, format!("`{}` is not defined", name.text));
    advise(error.label(name.span, "unknown name"), name.span, Some(meant))
}

/// A function value with a word before its parameter; `arrow` is its sign if that is another one.
pub(crate) fn marked_lambda(word: &Name, parameter: Span, arrow: Option<Span>) -> Diagnostic {
    let put = |span, text: &str| Edit { span, text: text.to_owned() };
    let mut edits = vec![put(Span { end: parameter.start, ..word.span }, "")];
    edits.extend(arrow.map(|arrow| put(arrow, "=>")));
    Diagnostic::of(Code::UnknownName, format!("`{}` is not defined", word.text))
        .label(word.span, "unknown name")
        .suggest_edits(edits, "a function value is written `x => value`")
}

/// A test behind a word instead of the sign.
pub(crate) fn marked_test(word: &str, span: Span) -> Diagnostic {
    Diagnostic::of(Code::UnknownName, format!("`{word}` is not defined"))
        .label(span, "unknown name")
        .suggest(span, "|", "a test stands behind `|`")
}

/// The same at the top level.
pub(crate) fn unmarked_function(name: &Name) -> Diagnostic {
    let before = Span { end: name.span.start, ..name.span };
    not_a_datatype(name).suggest(before, "function ", "a function is defined by `function`")
}

fn not_a_datatype(name: &Name) -> Diagnostic {
    Diagnostic::of(Code::UnknownDatatype, format!("there is no datatype `{}`", name.text))
        .label(name.span, "only a datatype can be taken apart here")
}

/// A function used while it waits for later ones.
pub(crate) fn still_waiting(name: &str, span: Span) -> Diagnostic {
    Diagnostic::of(Code::Incomplete, format!("`{name}` is not complete yet"))
        .label(span, "used here")
        .note(format!("`{name}` uses functions that are defined later"))
}

/// A function that waited for a name in vain.
pub(crate) fn never_defined(function: &str, name: &Name) -> Diagnostic {
    Diagnostic::of(Code::UnknownName, format!("`{}` is not defined", name.text))
        .label(name.span, "unknown name")
        .note(format!("`{function}` waited for it to the end of the text"))
}

fn advise(error: Diagnostic, span: Span, near: Option<&str>) -> Diagnostic {
    match near {
        Some(near) => error.suggest(span, near, format!("did you mean `{near}`?")),
        None => error,
    }
}

// Types.

/// Why a type is expected.
#[derive(Clone, Debug)]
pub(crate) enum Why {
    /// An argument, or a part of it, of this function if it has a name.
    Argument(Option<Global>),
    /// An operand; perhaps the other one has fixed the type.
    Operand(&'static str, Global, Option<(Span, Ty)>),
    /// Between `if` and `then`.
    Condition,
    /// After the `|` of an apply-to-each.
    Test,
    /// The other branch of an `if`.
    Branches(Span),
    /// An element of a sequence whose first element stands here.
    Element(Span),
    /// The element of `a[i]` is asked of something that is no sequence.
    Subscripted,
    /// `i` in `a[i]`.
    Index,
    /// A part of a range.
    Range,
    /// A source of an apply-to-each.
    Source,
    /// The value that this pattern takes apart.
    Pattern(Span),
    /// The parameter, against the annotation here.
    Parameter(Span),
    /// The body, against the annotation, or against an earlier use of the result.
    Body(Option<Span>),
    /// The parameter, against calls in the functions that this one calls.
    Calls,
    /// The default of an optional parameter, in its definition.
    Default,
    /// The same, in a call that leaves this parameter out.
    DefaultOf(String),
    /// The argument of a type, against the class of the parameter.
    TypeArgument(String),
}

/// Types that do not fit, as shown and in themselves.
pub(crate) struct Mismatch<'a> {
    pub(crate) clash: Clash,
    pub(crate) span: Span,
    pub(crate) found: Type,
    pub(crate) expected: Type,
    /// The variables of the two types that have a class other than `any`, as shown.
    pub(crate) classes: Vec<(String, Class)>,
    pub(crate) shown: [String; 2],
    pub(crate) why: &'a Why,
    /// The function or operator of an argument or operand, and its type as shown.
    pub(crate) callee: Option<(String, String)>,
    /// The type of the other operand in words.
    pub(crate) other: Option<String>,
    /// The first optional parameter of the function of an argument.
    pub(crate) optional: Option<String>,
    /// The literal at fault, if it is one.
    pub(crate) literal: Option<&'a str>,
    /// The literals of the wrong type, if the value is a sequence of nothing else.
    pub(crate) literals: Vec<Span>,
    /// The division that gives an int where a float is meant.
    pub(crate) quotient: Option<Quotient>,
    /// Whether what was found is the length of something.
    pub(crate) length: bool,
}

impl Mismatch<'_> {
    /// Whether the function of the argument has this name.
    fn calls(&self, name: &str) -> bool {
        self.callee.as_ref().is_some_and(|(callee, _)| callee == name)
    }
}

/// Types that do not fit.
pub(crate) fn mismatch(it: &Mismatch) -> Diagnostic {
    let [shown, of_expected] = &it.shown;
    let found = &in_words(&it.found, shown, &it.classes);
    let expected = in_words(&it.expected, of_expected, &it.classes);
    let wanted = wanted(it);
    let message = match it.why {
        _ if it.clash == Clash::Functions => return functions(it),
        _ if it.clash == Clash::Infinite => {
            format!("this type would contain itself: {of_expected} = {shown}")
        }
        Why::Argument(_) => format!("{} takes {wanted}, found {found}", subject(it)),
        Why::Operand(..) => format!("{} needs {wanted} here, found {found}", subject(it)),
        Why::Condition => format!("a condition is a bool, found {found}"),
        Why::Test => format!("a test is a bool, found {found}"),
        Why::Branches(_) => {
            let and = if expected.contains(" or ") { ", and" } else { " and" };
            format!("the branches of `if` have different types: {expected}{and} {found}")
        }
        Why::Element(_) => {
            format!("the elements of a sequence have one type: expected {expected}, found {found}")
        }
        Why::Subscripted => format!("only a sequence has elements, found {found}"),
        Why::Index => format!("an index is an int, found {found}"),
        Why::Range => format!("the parts of a range are ints, found {found}"),
        Why::Source => format!("an apply-to-each ranges over a sequence, found {found}"),
        Why::Pattern(_) => format!("the pattern is for {expected}, the value is {found}"),
        Why::Parameter(_) => {
            format!("the parameter is {found}, but the annotation says {expected}")
        }
        Why::Body(Some(_)) => format!("the result is {found}, but the annotation says {expected}"),
        Why::Body(None) => format!("the result is used as {expected}, but the body gives {found}"),
        Why::Calls => format!("the parameter is {found}, but calls pass {expected}"),
        Why::Default => format!("the default is {found}, but the parameter is {wanted}"),
        Why::DefaultOf(name) => {
            format!("the default of `{name}` is {found}, but the parameter is {wanted} here")
        }
        Why::TypeArgument(name) => format!("`{name}` needs {wanted} here, found {found}"),
    };
    let here = if it.clash == Clash::Infinite { shown } else { found };
    let error = Diagnostic::of(code(it), message).label(it.span, format!("this is {here}"));
    let error = places(error, it);
    if shown == of_expected && it.clash == Clash::Different {
        return error.note("the two types have the same name, but come from different definitions");
    }
    if it.clash == Clash::Infinite { nested(error, it) } else { hints::add(error, it) }
}

/// Helps where a type would contain itself because an element was taken for its sequence.
fn nested(error: Diagnostic, it: &Mismatch) -> Diagnostic {
    let holds = |whole: &Type, part: &Type| match whole {
        Type::Seq(element) => **element == *part,
        _ => false,
    };
    if holds(&it.found, &it.expected) || holds(&it.expected, &it.found) {
        return error.help(
            "one is a sequence of the other: an element may lack brackets, as in `a ++ [x]`",
        );
    }
    error
}

fn code(it: &Mismatch) -> Code {
    match it.why {
        _ if it.clash == Clash::Infinite => Code::Infinite,
        Why::Argument(_) => Code::Argument,
        Why::Operand(..) => Code::Operand,
        Why::Condition | Why::Test => Code::Condition,
        Why::Branches(_) => Code::Branches,
        Why::Element(_) => Code::Elements,
        Why::Subscripted | Why::Source => Code::NoSequence,
        Why::Index | Why::Range => Code::Index,
        Why::Pattern(_) => Code::PatternType,
        Why::Parameter(_) | Why::Body(Some(_)) => Code::Annotation,
        Why::Body(None) | Why::Calls => Code::Recursion,
        Why::Default | Why::DefaultOf(_) => Code::Default,
        Why::TypeArgument(_) => Code::TypeArguments,
    }
}

/// The expected type: the base types of a class if it is a variable, else with the classes of its
/// variables.
fn wanted(it: &Mismatch) -> String {
    let expected = &it.shown[1];
    let words = in_words(&it.expected, expected, &it.classes);
    if words != *expected {
        return words;
    }
    let in_expected = |name: &String| crate::show::mentions(expected, name);
    let bounds: Vec<String> = it
        .classes
        .iter()
        .filter(|(name, _)| in_expected(name))
        .map(|(name, class)| format!("{name} in {}", class.name()))
        .collect();
    if bounds.is_empty() { expected.clone() } else { format!("{expected} ({})", bounds.join("; ")) }
}

/// A type as shown, but where that is a name that says nothing: the base types of the class of a
/// variable, and a sequence of which no more is known.
pub(crate) fn in_words(ty: &Type, shown: &str, classes: &[(String, Class)]) -> String {
    let element = shown.strip_prefix('[').and_then(|shown| shown.strip_suffix(']'));
    let class = |shown: &str| classes.iter().find(|(name, _)| name == shown).map(|it| it.1);
    match (ty, class(shown)) {
        (_, Some(class)) => bases(class, |base| base.to_owned()),
        (Type::Seq(_), None) if let Some(class) = element.and_then(class) => {
            bases(class, |base| format!("[{base}]"))
        }
        (Type::Seq(element), None)
            if matches!(**element, Type::Var(_))
                && !classes.iter().any(|(name, _)| crate::show::mentions(shown, name)) =>
        {
            "a sequence".to_owned()
        }
        _ => shown.to_owned(),
    }
}

/// How a message names what is applied.
fn subject(it: &Mismatch) -> String {
    it.callee.as_ref().map_or("this function".to_string(), |(name, _)| format!("`{name}`"))
}

/// The other places that explain a mismatch.
fn places(error: Diagnostic, it: &Mismatch) -> Diagnostic {
    let expected = match it.clash {
        Clash::Infinite => it.shown[1].clone(),
        _ => in_words(&it.expected, &it.shown[1], &it.classes),
    };
    let error = match it.why {
        Why::Operand(_, _, Some((other, _))) => {
            error.also(*other, format!("this is {}", it.other.as_deref().unwrap_or(&expected)))
        }
        Why::Branches(then) => error.also(*then, format!("this is {expected}")),
        Why::Element(first) => error.also(*first, format!("the first element is {expected}")),
        Why::Pattern(pattern) => error.also(*pattern, format!("this is for {expected}")),
        Why::Parameter(at) | Why::Body(Some(at)) => error.also(*at, "the annotation"),
        _ => error,
    };
    match &it.callee {
        Some((name, ty)) => error.note(format!("`{name}` has type {ty}")),
        None => error,
    }
}

/// `int or float`.
fn bases(class: Class, shown: impl Fn(&str) -> String) -> String {
    let names: Vec<String> =
        class.bases().map(|base| shown(crate::show::base_name(base))).collect();
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => String::new(),
    }
}

fn functions(it: &Mismatch) -> Diagnostic {
    let message = match (it.why, &it.callee) {
        (Why::Operand("==" | "/=", ..), _) => "functions cannot be compared".to_string(),
        (_, Some((name, _))) => format!("`{name}` cannot be used with functions"),
        (_, None) => "a sequence cannot have functions as elements".to_string(),
    };
    let error =
        Diagnostic::of(Code::Functions, message).label(it.span, format!("this is {}", it.shown[0]));
    places(error, it).note("functions cannot be compared or hashed, nor be elements of sequences")
}

/// A sequence of functions, made by an expression.
pub(crate) fn sequence_of_functions(span: Span, shown: &str) -> Diagnostic {
    Diagnostic::of(Code::Functions, "a sequence cannot have functions as elements")
        .label(span, format!("this is {shown}"))
        .help("apply the functions, or choose between them with `if`")
}

/// Explains a branch of another type that is a call of `error`.
pub(crate) fn explain_failing(branches: &mut Diagnostic) {
    branches.help = vec![
        "`error` gives a bool: `let _ = error(m) in x` fails where an `x` of any type is wanted"
            .to_owned(),
    ];
}

/// An annotation that is no function type.
pub(crate) fn annotation_not_a_function(ty: &ast::Type, shown: &str) -> Diagnostic {
    let error = Diagnostic::of(Code::NoArrow, "the type of a function has an arrow")
        .label(ty.span, format!("this is {shown}"));
    grouping::tuple_of_function(error, ty)
}

/// An element type that nothing determines, and one that would do, as far as it is shown.
pub(crate) fn undetermined_element(span: Span, such: &str) -> Diagnostic {
    Diagnostic::of(Code::Undetermined, "nothing determines the element type of this `[]`")
        .label(span, "of what type are its elements?")
        .suggest(span, format!("[] {such}"), format!("write the type after it, such as {such}"))
}

/// A value whose type is not determined.
pub(crate) fn undetermined_value(span: Span, shown: &str) -> Diagnostic {
    Diagnostic::of(
        Code::Undetermined,
        format!("nothing determines the type of this value: {shown}"),
    )
    .label(span, format!("this is {shown}"))
    .help("if the value comes from an empty sequence, write its type: `[] int`")
}

/// The value of a function no call of which ends.
pub(crate) fn endless_value(span: Span, name: &str) -> Diagnostic {
    let message = format!("no call of `{name}` ends, so that it has no value");
    Diagnostic::of(Code::Undetermined, message)
        .label(span, "of what type would this be?")
        .note(format!("every path through `{name}` calls it again"))
        .help("a function that calls itself has an `if` with an arm that does not")
}

/// A type applied to the wrong number of arguments.
pub(crate) fn type_arguments(name: &Name, wanted: usize) -> Diagnostic {
    let message = match wanted {
        0 => format!("`{}` takes no type arguments", name.text),
        1 => format!("`{}` takes a type argument", name.text),
        n => format!("`{}` takes {n} type arguments", name.text),
    };
    Diagnostic::of(Code::TypeArguments, message).label(name.span, "")
}

/// An optional argument that the function does not have.
pub(crate) fn unknown_optional(function: &str, name: &Name, known: &[String]) -> Diagnostic {
    let error = Diagnostic::of(
        Code::UnknownOptional,
        format!("`{function}` has no optional parameter `{}`", name.text),
    )
    .label(name.span, "unknown optional parameter");
    match known {
        [] => error,
        known => error.note(format!("it has {}", known.join(", "))),
    }
}

/// An optional argument given twice.
pub(crate) fn optional_twice(name: &Name, first: Span) -> Diagnostic {
    Diagnostic::of(Code::OptionalTwice, format!("`{}` is given twice", name.text))
        .label(name.span, "given again here")
        .also(first, "first given here")
}

/// A definition whose type differs from that of its declaration.
pub(crate) fn not_as_declared(name: &Name, found: &str, declared: &str, at: Span) -> Diagnostic {
    Diagnostic::of(
        Code::Declaration,
        format!("`{}` has type {found}, but was declared as {declared}", name.text),
    )
    .label(name.span, "defined here")
    .also(at, "declared here")
    .help(format!("leave the declaration of `{}` out: {UNDECLARED}", name.text))
}

/// A use of a function that is declared and has no definition.
#[must_use]
pub fn only_declared(name: &str, span: Span) -> Diagnostic {
    Diagnostic::of(Code::OnlyDeclared, format!("`{name}` is declared but not defined"))
        .label(span, "")
        .help(format!("define `{name}`, and leave its declaration out: {UNDECLARED}"))
}

/// Why no declaration is needed.
const UNDECLARED: &str = "a function may use functions that the same text defines later";

// Effects.

/// The same error in an earlier definition, which uses this new one from now on.
pub(crate) fn late_effect(error: Diagnostic, name: &str, at: Span) -> Diagnostic {
    let error = Diagnostic { code: Code::LateEffect, ..error };
    error
        .also(at, format!("the new definition of `{name}`"))
        .note("functions that were defined before use the new definition from now on")
}

/// An effect inside an apply-to-each.
pub(crate) fn effect(conflict: &Conflict) -> Diagnostic {
    let Cause { span, reason } = &conflict.effect;
    let name = match reason {
        Reason::Uses(name) => match name.split_once('.') {
            Some((function, param)) => format!("the default of `{param}` in `{function}`"),
            None => format!("`{name}`"),
        },
        Reason::Each | Reason::AppliesInEach(_) => "this".to_string(),
    };
    let error = Diagnostic::of(
        Code::Effect,
        format!("{name} has an effect, which an apply-to-each does not allow"),
    )
    .label(*span, "this has an effect");
    let forbidden = &conflict.forbidden;
    let error = match &forbidden.reason {
        Reason::AppliesInEach(name) => error
            .also(forbidden.span, format!("`{name}` applies its argument inside an apply-to-each")),
        Reason::Each | Reason::Uses(_) => error.also(forbidden.span, "the apply-to-each"),
    };
    error.help("`{* ... }` goes through the elements one after the other and allows effects")
}
