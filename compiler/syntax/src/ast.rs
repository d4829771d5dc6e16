//! What was written: the abstract syntax of LANGUAGE section 3, every node with its span.
//!
//! Names are in lower case, because their case is ignored.  Operators stay operators; `a[i]`,
//! ranges and strings stay what they are.

use base::{Diagnostic, Span};
use std::sync::Arc;

/// A name and where it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name {
    /// In lower case.
    pub text: String,
    /// Where.
    pub span: Span,
}

/// A source text: its forms in order, as far as they could be read.
#[derive(Clone, Debug)]
pub struct Group {
    /// The forms; one that does not parse holds its errors.
    pub forms: Vec<Form>,
}

/// One form and the text it covers, terminator excluded.
#[derive(Clone, Debug)]
pub struct Form {
    /// What it is.
    pub kind: FormKind,
    /// Where.
    pub span: Span,
    /// The names that it is to define, or seems to if it does not parse.
    pub defines: Vec<String>,
    /// Where it may have been meant to end, if it is wrong as it is.
    pub ends: Option<LineEnd>,
    /// The comment directly above a definition, without its signs.
    pub comment: Option<String>,
    /// What stands here, if only terminators at ends of lines are missing.
    pub meant: Vec<Form>,
}

/// A place at the end of a line where a form could end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LineEnd {
    /// The empty place behind the last token.
    pub span: Span,
    /// The number of the line.
    pub line: u32,
}

/// The forms of LANGUAGE section 1.
#[derive(Clone, Debug)]
pub enum FormKind {
    /// A function definition, or a forward declaration when it has no body.
    Function(Arc<Function>),
    /// `datatype name fields :: classes`.
    Datatype(Datatype),
    /// `pattern = exp`.
    Binding(Pattern, Exp),
    /// An expression.
    Exp(Exp),
    /// A command of section 14: its word and arguments.
    Command(Name, Vec<CommandArg>),
    /// A form that does not parse, and why; of one that only goes wrong because a form before it
    /// did, nothing is said.
    Error(Vec<Diagnostic>),
}

/// An argument of a command.
#[derive(Clone, Debug)]
pub enum CommandArg {
    /// A word, or a sign.
    Name(Name),
    /// A number.
    Number(i64, Span),
    /// A string.
    Str(Vec<u8>, Span),
    /// An expression: of `load` if it is no single word or string, and of `:`.
    Exp(Exp),
}

impl CommandArg {
    /// The text of the argument without quotes; empty for an expression.
    pub fn text(&self) -> String {
        match self {
            CommandArg::Name(name) => name.text.clone(),
            CommandArg::Number(number, _) => number.to_string(),
            CommandArg::Str(text, _) => String::from_utf8_lossy(text).into_owned(),
            CommandArg::Exp(_) => String::new(),
        }
    }
    /// Where it is written.
    pub fn span(&self) -> Span {
        match self {
            CommandArg::Name(name) => name.span,
            CommandArg::Number(_, span) | CommandArg::Str(_, span) => *span,
            CommandArg::Exp(exp) => exp.span,
        }
    }
}

/// A definition or declaration of a function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: Name,
    /// The one parameter pattern (without the optional ones).
    pub param: Pattern,
    /// Optional parameters with their defaults.
    pub optional: Vec<(Name, Exp)>,
    /// The annotation.
    pub ty: Option<(Type, Vec<ClassBound>)>,
    /// The documentation string.
    pub doc: Option<Vec<u8>>,
    /// The body; absent in a forward declaration.
    pub body: Option<Exp>,
}

/// A datatype definition.
#[derive(Clone, Debug)]
pub struct Datatype {
    /// The name of the type and of its constructor.
    pub name: Name,
    /// The fields as one type (a right-nested pair when there are several).
    pub fields: Type,
    /// Type parameters in order.
    pub classes: Vec<ClassBound>,
}

/// `var in class`.
#[derive(Clone, PartialEq, Debug)]
pub struct ClassBound {
    /// The variable.
    pub var: Name,
    /// The class; an unknown one is found by the type checker.
    pub class: Name,
}

/// A pattern.
#[derive(Clone, PartialEq, Debug)]
pub struct Pattern {
    /// What it is.
    pub kind: PatternKind,
    /// Where.
    pub span: Span,
}

impl Pattern {
    /// Meets the pattern and those inside of it, from left to right.
    pub fn walk<'a>(&'a self, meet: &mut impl FnMut(&'a Pattern)) {
        meet(self);
        match &self.kind {
            PatternKind::Pair(a, b) => {
                a.walk(meet);
                b.walk(meet);
            }
            PatternKind::Construct(_, inner) => inner.walk(meet),
            PatternKind::Name(_) | PatternKind::Wildcard | PatternKind::Invalid(_) => {}
        }
    }
}

/// Kinds of pattern.
#[derive(Clone, PartialEq, Debug)]
pub enum PatternKind {
    /// Binds a name.
    Name(String),
    /// `_`.
    Wildcard,
    /// `a, b`.
    Pair(Box<Pattern>, Box<Pattern>),
    /// A datatype constructor applied to a pattern.
    Construct(Name, Box<Pattern>),
    /// Something that cannot be bound; a *pattern* error when it is checked, with this message.
    Invalid(String),
}

/// A type as written.
#[derive(Clone, PartialEq, Debug)]
pub struct Type {
    /// What it is.
    pub kind: TypeKind,
    /// Where.
    pub span: Span,
}

/// Kinds of type.
#[derive(Clone, PartialEq, Debug)]
pub enum TypeKind {
    /// `int`, `float`, `bool`, `char`, a variable, or a datatype with its arguments (one type, a
    /// pair when there are several).
    Name(Name, Option<Box<Type>>),
    /// `[t]`.
    Seq(Box<Type>),
    /// `a, b`.
    Pair(Box<Type>, Box<Type>),
    /// `a -> b`.
    Function(Box<Type>, Box<Type>),
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Exp {
    /// What it is.
    pub kind: ExpKind,
    /// Where.
    pub span: Span,
}

impl Exp {
    /// Meets the expressions directly inside this one, from left to right.
    pub fn parts<'a>(&'a self, meet: &mut impl FnMut(&'a Exp)) {
        match &self.kind {
            ExpKind::Int(_) | ExpKind::Float(_) | ExpKind::Bool(_) | ExpKind::Char(_) => {}
            ExpKind::Str(_) | ExpKind::Name(_) | ExpKind::Wildcard | ExpKind::Empty(..) => {}
            ExpKind::Pair(a, b) | ExpKind::Subscript(a, b) => {
                meet(a);
                meet(b);
            }
            ExpKind::Operator(_, exps) | ExpKind::Seq(exps) => exps.iter().for_each(meet),
            ExpKind::Apply { function, argument, optional } => {
                meet(function);
                meet(argument);
                optional.iter().for_each(|(_, value)| meet(value));
            }
            ExpKind::Range { start, end, step } => {
                meet(start);
                meet(end);
                step.iter().for_each(|step| meet(step));
            }
            ExpKind::If(c, a, b) => [c, a, b].into_iter().for_each(|part| meet(part)),
            ExpKind::Let(bindings, body) => {
                bindings.iter().for_each(|(_, value)| meet(value));
                meet(body);
            }
            ExpKind::Lambda(_, body) => meet(body),
            ExpKind::Each { body, generators, test, .. } => {
                body.iter().for_each(|body| meet(body));
                generators.iter().for_each(|generator| meet(&generator.source));
                test.iter().for_each(|test| meet(test));
            }
        }
    }
}

/// Kinds of expression.
#[derive(Clone, Debug)]
pub enum ExpKind {
    /// An int literal.
    Int(i64),
    /// A float literal.
    Float(f64),
    /// `t` or `f`.
    Bool(bool),
    /// A character.
    Char(u8),
    /// A string.
    Str(Vec<u8>),
    /// A name in lower case.
    Name(Name),
    /// `_` used as an expression: an undefined error.
    Wildcard,
    /// `a, b`.
    Pair(Box<Exp>, Box<Exp>),
    /// `a op b` or a prefix operator with its one operand (`-`, `#`, `@`).
    Operator(Operator, Vec<Exp>),
    /// `f x`; optional arguments are given by name.
    Apply {
        /// `f`.
        function: Box<Exp>,
        /// `x`.
        argument: Box<Exp>,
        /// `name := e`; empty unless `f` is a name.
        optional: Vec<(Name, Exp)>,
    },
    /// `a[i]`.
    Subscript(Box<Exp>, Box<Exp>),
    /// `[e1, ..., ek]`, not empty.
    Seq(Vec<Exp>),
    /// `[]` with its element type if given, and where that stands, without parentheses around it.
    Empty(Option<Type>, Span),
    /// `[start : end]`, `[start : end : step]`.
    Range {
        /// The first element, if there is one.
        start: Box<Exp>,
        /// The bound, excluded.
        end: Box<Exp>,
        /// 1 if absent.
        step: Option<Box<Exp>>,
    },
    /// `if c then a else b`.
    If(Box<Exp>, Box<Exp>, Box<Exp>),
    /// `let p = e; ... in b`.
    Let(Vec<(Pattern, Exp)>, Box<Exp>),
    /// `p => e`.
    Lambda(Box<Pattern>, Box<Exp>),
    /// An apply-to-each.
    Each {
        /// Written `{* ... }`.
        serial: bool,
        /// If absent, the elements of the first source are kept.
        body: Option<Box<Exp>>,
        /// At least one.
        generators: Vec<Generator>,
        /// Which lanes stay.
        test: Option<Box<Exp>>,
    },
}

/// `p in e`; a bare name `v` is `v in v`.
#[derive(Clone, Debug)]
pub struct Generator {
    /// Bound to each element.
    pub pattern: Pattern,
    /// The source.
    pub source: Exp,
}

/// An operator and where its sign stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Operator {
    /// As in the library's table: `+`, `and`, `->`, ...; prefix minus is `negate`.
    pub name: &'static str,
    /// Where.
    pub span: Span,
}
