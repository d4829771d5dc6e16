//! Forms (LANGUAGE section 1 and 3.3) and commands (section 14).

use super::expressions::{exp, starts_operand};
use super::{expect_new_name, patterns, types};
use crate::kind::SyntaxKind::{self, *};
use crate::parser::Parser;
use base::Diagnostic;

/// A whole text: `{ form END }`.  Returns the errors of each form.
///
/// `lexical` holds the errors of the tokens, each with the start of its token.  Those behind the
/// place where a form stopped being read are dropped with the rest of the form.
pub(crate) fn source(p: &mut Parser<'_>, lexical: Vec<(u32, Diagnostic)>) -> Vec<Errors> {
    some(p, lexical, &mut Unclosed::default(), u32::MAX)
}

/// The same of a part of a text: up to the first form that ends at a place or behind it.
pub(crate) fn some(
    p: &mut Parser<'_>,
    lexical: Vec<(u32, Diagnostic)>,
    unclosed: &mut Unclosed,
    until: u32,
) -> Vec<Errors> {
    let mut lexical = lexical.into_iter().peekable();
    let mut forms = Vec::new();
    let root = p.open();
    while !p.at_end() && p.reached() < until {
        form(p);
        let follows = unclosed.after(p);
        let (fault, reach) = p.end_form();
        let end = p.span().start;
        let mut errors = Vec::new();
        while let Some((start, error)) = lexical.next_if(|e| e.0 < end || p.at_end()) {
            if start < reach {
                errors.push(error);
            }
        }
        errors.extend(fault);
        forms.push(Errors { errors, follows });
        if p.current().is_terminator() {
            p.bump();
        }
    }
    p.close(root, Source).done();
    forms
}

/// What is wrong with a form.
#[derive(Clone, Debug, Default)]
pub(crate) struct Errors {
    /// The errors of its tokens, then that of the grammar.
    pub(crate) errors: Vec<Diagnostic>,
    /// Whether the error of the grammar only follows from one in a form before.
    pub(crate) follows: bool,
}

/// What forms that do not parse have opened and not closed.
///
/// A form that goes wrong between brackets ends at the first terminator, even if that one separates
/// generators or bindings.  What stands behind it is read as a form of its own; that it closes
/// what was opened before is no second mistake:
///
/// ```text
/// {x * : x in a; y in b}          a form that lacks an operand, and `y in b}`
/// ```
#[derive(Clone, Default)]
pub(crate) struct Unclosed(Vec<SyntaxKind>);

impl Unclosed {
    /// Goes over a form of a kind that has no errors.
    pub(crate) fn pass(&mut self, kind: SyntaxKind) {
        if matches!(kind, FunctionForm | DatatypeForm) {
            self.0.clear();
        }
    }
    /// Goes over the form just read; tells whether its error follows from those before.
    fn after(&mut self, p: &Parser<'_>) -> bool {
        let tokens = p.form();
        if matches!(tokens.first(), Some(Function | Datatype)) {
            self.0.clear();
        }
        let Some(at) = p.fault() else { return false };
        let mut own = Unclosed::default();
        tokens[..at].iter().for_each(|kind| own.read(*kind));
        let goes_on = [RightParen, RightBracket, RightBrace, In, Bar, Then, Else, Comma];
        let stops = tokens.get(at).is_some_and(|kind| goes_on.contains(kind));
        let follows = own.0.is_empty() && stops && !self.0.is_empty();
        tokens.iter().for_each(|kind| self.read(*kind));
        follows
    }
    fn read(&mut self, kind: SyntaxKind) {
        let opening = match kind {
            LeftParen | LeftBracket | LeftBrace | Let => return self.0.push(kind),
            In if self.0.last() == Some(&Let) => Let,
            RightParen => LeftParen,
            RightBracket => LeftBracket,
            RightBrace => LeftBrace,
            _ => return,
        };
        if let Some(at) = self.0.iter().rposition(|open| *open == opening) {
            self.0.truncate(at);
        }
    }
}

/// One form, up to its terminator.
fn form(p: &mut Parser<'_>) {
    p.begin_form();
    let node = p.open();
    let kind = match p.current() {
        Function => function(p),
        Datatype => datatype(p),
        Ident if at_command(p) => command(p),
        Colon => command(p),
        Semicolon | Dollar => {
            p.expected_help("a form", "every `;` or `$` ends a form");
            ErrorForm
        }
        _ => binding_or_exp(p),
    };
    if !p.failed() && !p.current().is_terminator() {
        unfinished(p, kind);
    }
    p.skip_form();
    p.close(node, kind).done();
}

/// Reports what stands behind a form that could end here.
fn unfinished(p: &mut Parser<'_>, kind: SyntaxKind) {
    if p.at(Equal) && kind == BindingForm {
        let span = p.span();
        return p.expected_with("`;`", |e| e.suggest(span, "==", "equality is written `==`"));
    }
    let help = match p.current() {
        End => Some("every form ends with `;` or `$`"),
        RightParen | RightBracket | RightBrace => Some("this bracket closes nothing"),
        ColonEqual => Some("a binding is written `name = value`"),
        In => Some("a generator stands in braces, a binding after `let`"),
        _ => None,
    };
    p.expected_help("`;`", help);
}

/// `pattern '=' exp` or `exp`
fn binding_or_exp(p: &mut Parser<'_>) -> SyntaxKind {
    let first = exp(p);
    if !p.at(Equal) {
        return ExpForm;
    }
    patterns::wrap(p, first).done();
    p.bump();
    exp(p).done();
    BindingForm
}

/// `'function' name params [ ':' type classes ] [ string ] '=' exp`, or without the part from the
/// string on if there is a type.
fn function(p: &mut Parser<'_>) -> SyntaxKind {
    p.bump();
    expect_new_name(p, "the name of a function");
    patterns::params(p);
    let typed = p.eat(Colon);
    if typed {
        types::signature(p);
        if p.current().is_terminator() {
            return FunctionForm;
        }
    }
    let documented = p.at(Str);
    if documented {
        p.leaf(Doc).done();
    }
    if !p.eat(Equal) {
        let what = match (documented, typed) {
            (true, _) => "`=`",
            (false, true) => "`=` or `;`",
            (false, false) => "`=` or `:`",
        };
        let (span, found) = (p.span(), p.current());
        p.expected_with(what, |error| match found {
            EqualEqual | FatArrow | ColonEqual => error.suggest(span, "=", "write `=`"),
            Arrow | ColonColon => {
                error.suggest(span, ":", "the type of a function stands behind `:`")
            }
            found if starts_operand(found) => error.help(FUNCTION),
            _ => error,
        });
    }
    exp(p).done();
    FunctionForm
}

/// How a function is written.
const FUNCTION: &str = "a function is written `function name(parameters) = value;`";

/// `'datatype' name atype classes`
fn datatype(p: &mut Parser<'_>) -> SyntaxKind {
    p.bump();
    expect_new_name(p, "the name of a datatype");
    if p.at(Equal) {
        let (span, fields) = (p.span(), p.nth(1) == LeftParen);
        p.expected_with("the fields", |error| {
            let help = "a datatype is written `datatype name(type, ...)`";
            // Fields of another language would not become right without the sign.
            if fields { error.suggest(span, "", help) } else { error.help(help) }
        });
    }
    if p.at(LeftParen) && p.nth(1) == RightParen {
        p.bump();
        p.expected_help("a type", "a datatype has at least one field");
    }
    types::atype(p).done();
    types::classes(p);
    DatatypeForm
}

/// The words that make a form a command (LANGUAGE 14).
pub const COMMANDS: [&str; 7] = ["help", "describe", "apropos", "load", "set", "show", "exit"];

/// A form is a command if its first word is a command and a name, number, string or terminator
/// follows.  `describe` and `apropos` also take any single word or sign.
fn at_command(p: &Parser<'_>) -> bool {
    let is = |word: &str| word.as_bytes().eq_ignore_ascii_case(p.lexeme());
    let one = p.nth(2).is_terminator() && p.nth(1) != End;
    let word = COMMANDS.into_iter().any(is);
    word && matches!(p.nth(1), Ident | Int | Float | Str | Semicolon | Dollar)
        || (is("describe") || is("apropos")) && one
}

/// A command and its arguments; `: exp` asks for a type.
fn command(p: &mut Parser<'_>) -> SyntaxKind {
    let takes_exp = match p.current() {
        Colon => true,
        _ => p.lexeme().eq_ignore_ascii_case(b"load") && !p.nth(2).is_terminator(),
    };
    let takes_sign = !p.nth(1).is_terminator() && p.nth(2).is_terminator();
    p.bump();
    if takes_exp && !p.current().is_terminator() {
        exp(p).done();
        return CommandForm;
    }
    if takes_sign && !p.at(Float) {
        p.bump();
    }
    while matches!(p.current(), Ident | Int | Str) {
        p.bump();
    }
    if p.at(Float) {
        p.expected("a name, a whole number or a string");
    }
    CommandForm
}
