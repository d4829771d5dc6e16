//! The typed program: what was written, and what it means.
//!
//! Every expression has its type and span; every name is resolved.  Operators, ranges, subscripts
//! and strings have become applications of library globals.  Polymorphic definitions keep their
//! variables; a use of a global carries the types at which its variables are instantiated, in the
//! order of the scheme.  The interpreter runs this tree; the road `lower` specialises it.

use crate::ty::{Data, Scheme, Type};
use base::{IdMap, Span, define_id};
use prim::{Const, Prim};
use std::sync::Arc;

define_id!(Global, "g", "A top-level name: a function, a value, or a constructor.");
define_id!(Local, "x", "A name bound inside one definition or form.");

/// Everything defined so far.  Ids are never reused: a redefinition is a new `Global`, so that
/// compiled forms can keep the old one (LANGUAGE 9.3).
#[derive(Clone, Default, Debug)]
pub struct Program {
    /// How wide ints and floats are; constants are of these widths.
    pub widths: prim::Widths,
    /// Top-level names.
    pub globals: IdMap<Global, Definition>,
    /// Datatypes.
    pub datas: IdMap<Data, Datatype>,
}

impl Program {
    /// Which definition a use of a name means now.
    #[must_use]
    pub fn meaning(&self, mut global: Global, binding: Binding) -> Global {
        loop {
            let definition = &self.globals[global];
            // What is only declared has no meaning of its own.
            let follows = match binding {
                Binding::Latest => true,
                Binding::Present => matches!(definition.kind, DefinitionKind::Declared),
            };
            match definition.moved {
                Some(next) if follows => global = next,
                _ => return global,
            }
        }
    }
}

/// A datatype.
#[derive(Clone, Debug)]
pub struct Datatype {
    /// As shown.
    pub name: String,
    /// Number of parameters; they are variables 0, 1, ... of `fields`.
    pub params: usize,
    /// The fields as one type.
    pub fields: Type,
}

/// A top-level name.
#[derive(Clone, Debug)]
pub struct Definition {
    /// As shown.
    pub name: String,
    /// Its type.
    pub scheme: Scheme,
    /// The documentation.
    pub doc: Option<String>,
    /// Where it was defined.
    pub span: Span,
    /// Defined in the library.
    pub library: bool,
    /// Whether calling it has an effect (LANGUAGE 12).
    pub effect: bool,
    /// What it is.
    pub kind: DefinitionKind,
    /// The definition of the same type that replaced it: later uses in functions go there (LANGUAGE
    /// 9.3).
    pub moved: Option<Global>,
}

/// What a top-level name is.
#[derive(Clone, Debug)]
pub enum DefinitionKind {
    /// A function.
    Function(Function),
    /// A forward declaration whose definition has not come yet.
    Declared,
    /// A constructor of a datatype: of type fields -> data.
    Constructor(Data),
    /// A value bound by a form `pattern = exp` or `it`; the session holds its value.
    Value,
    /// A primitive under its public or library-only name.
    Primitive(Prim),
}

/// A function: one parameter pattern and a body.  `locals` gives the types of all names bound in
/// it, over the variables of the scheme.  The default of an optional parameter is a hidden function
/// of its own, named `function.parameter`, which ignores its argument; calls that leave the
/// parameter out call it.
#[derive(Clone, Debug)]
pub struct Function {
    /// The parameter, optional parameters folded in at the end.
    pub param: Pattern,
    /// The body.
    pub body: Exp,
    /// Names bound in it.
    pub locals: IdMap<Local, LocalInfo>,
}

/// A name bound inside a definition.
#[derive(Clone, Debug)]
pub struct LocalInfo {
    /// As written.
    pub name: String,
    /// Its type.
    pub ty: Type,
}

/// A checked form, ready to run.
#[derive(Clone, Debug)]
pub struct Form {
    /// What is shown before `=`: `it`, the pattern, the function's name.
    pub shown: String,
    /// What it is.
    pub kind: FormKind,
    /// Where.
    pub span: Span,
}

/// Kinds of checked form.
#[derive(Clone, Debug)]
pub enum FormKind {
    /// Functions or constructors that are usable from now on (several when a group of mutually
    /// recursive functions is complete).
    Defined(Vec<Global>),
    /// An expression to evaluate and bind.
    Evaluate {
        /// The expression.
        exp: Exp,
        /// Names bound in it and by the pattern.
        locals: IdMap<Local, LocalInfo>,
        /// Binds the value to locals.
        pattern: Pattern,
        /// Which global each of the pattern's locals becomes.
        binds: Vec<(Local, Global)>,
        /// The type to show.
        scheme: Scheme,
    },
    /// A command, left to the session.
    Command(syntax::ast::Name, Vec<syntax::ast::CommandArg>),
}

/// A pattern.
#[derive(Clone, Debug)]
pub struct Pattern {
    /// What it is.
    pub kind: PatternKind,
    /// The type of what it takes apart.
    pub ty: Type,
    /// Where.
    pub span: Span,
}

/// Kinds of pattern.
#[derive(Clone, Debug)]
pub enum PatternKind {
    /// Binds a name.
    Local(Local),
    /// Binds nothing.
    Wildcard,
    /// A pair.
    Pair(Box<Pattern>, Box<Pattern>),
    /// The fields of a datatype.
    Construct(Data, Box<Pattern>),
}

/// Which definition a use of a top-level name means.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Binding {
    /// In a function: the last one of its type (LANGUAGE 9.3).
    Latest,
    /// In a form with a value: the one of that moment, which function values keep (LANGUAGE 7).
    Present,
}

/// A typed expression.
#[derive(Clone, Debug)]
pub struct Exp {
    /// What it is.
    pub kind: ExpKind,
    /// Its type.
    pub ty: Type,
    /// Where.
    pub span: Span,
}

/// Kinds of expression.
#[derive(Clone, Debug)]
pub enum ExpKind {
    /// A scalar literal.
    Const(Const),
    /// A string literal.
    Str(Vec<u8>),
    /// A bound name.
    Local(Local),
    /// A top-level name at these types.
    Global(Global, Binding, Vec<Type>),
    /// `a, b`.
    Pair(Box<Exp>, Box<Exp>),
    /// `[e1, ..., ek]`; empty for `[]`.
    Seq(Vec<Exp>),
    /// `f x`.
    Apply(Box<Exp>, Box<Exp>),
    /// `p => e`.  Shared, because function values outlive the form that they come from.
    Lambda(Arc<Pattern>, Arc<Exp>),
    /// `if`.
    If(Box<Exp>, Box<Exp>, Box<Exp>),
    /// `let`.
    Let(Vec<(Pattern, Exp)>, Box<Exp>),
    /// An apply-to-each; with the body left out, `body` yields the first generator's element
    /// (the checker binds it to a local if its pattern does not).
    Each(Box<Each>),
}

/// An apply-to-each.
#[derive(Clone, Debug)]
pub struct Each {
    /// `{* ...}`.
    pub serial: bool,
    /// Sources in order.
    pub generators: Vec<(Pattern, Exp)>,
    /// The test, evaluated before the body.
    pub test: Option<Exp>,
    /// The body.
    pub body: Exp,
}

impl Exp {
    /// Calls `visit` with this expression and all those inside it, outer ones first.
    pub fn walk<'a>(&'a self, visit: &mut impl FnMut(&'a Exp)) {
        visit(self);
        match &self.kind {
            ExpKind::Const(_) | ExpKind::Str(_) | ExpKind::Local(_) | ExpKind::Global(..) => {}
            ExpKind::Pair(a, b) | ExpKind::Apply(a, b) => {
                a.walk(visit);
                b.walk(visit);
            }
            ExpKind::Seq(parts) => parts.iter().for_each(|part| part.walk(visit)),
            ExpKind::Lambda(_, body) => body.walk(visit),
            ExpKind::If(condition, then, other) => {
                condition.walk(visit);
                then.walk(visit);
                other.walk(visit);
            }
            ExpKind::Let(bindings, body) => {
                bindings.iter().for_each(|(_, bound)| bound.walk(visit));
                body.walk(visit);
            }
            ExpKind::Each(each) => {
                each.generators.iter().for_each(|(_, source)| source.walk(visit));
                each.test.iter().for_each(|test| test.walk(visit));
                each.body.walk(visit);
            }
        }
    }
}
