//! The typed tree of a program.  [`print`] gives its source text.

mod print;

use super::ty::{Ty, letters};

/// A program: datatypes, functions and top-level values, and an expression.
#[derive(Clone, PartialEq, Debug)]
pub struct Program {
    /// Its datatypes.
    pub datas: Vec<Datatype>,
    /// Each uses itself, earlier ones, and the function that it is mutual with.
    pub forms: Vec<Form>,
    /// What it computes.
    pub result: Exp,
}

/// A datatype.
#[derive(Clone, PartialEq, Debug)]
pub struct Datatype {
    /// Its name.
    pub name: String,
    /// Its variables.
    pub letters: Vec<char>,
    /// Its fields, over the variables.
    pub fields: Ty,
}

/// A form behind the datatypes.
#[derive(Clone, PartialEq, Debug)]
pub enum Form {
    /// A function.
    Function(Function),
    /// A datatype in place of an earlier one of the same name.
    Datatype(Datatype),
    /// A pattern and the value that it takes apart; without a pattern the value is `it`.
    Value(Option<String>, Exp),
}

/// A function.
#[derive(Clone, PartialEq, Debug)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Those with defaults come last.
    pub params: Vec<Param>,
    /// What it gives; its type is the type of the result.
    pub body: Exp,
    /// Whether its type is written.
    pub typed: bool,
    /// Whether it is declared before.
    pub declared: bool,
    /// Whether its only parameter, a name, stands without parentheses.
    pub bare: bool,
    /// How it is documented.
    pub doc: Option<&'static str>,
}

/// A parameter.
#[derive(Clone, PartialEq, Debug)]
pub struct Param {
    /// Its pattern; a name if it has a default.
    pub pattern: String,
    /// Its type.
    pub ty: Ty,
    /// What it is when it is not given.
    pub default: Option<Exp>,
}

/// An expression with its type.
#[derive(Clone, PartialEq, Debug)]
pub struct Exp {
    /// Its type.
    pub ty: Ty,
    /// What it is.
    pub kind: Kind,
}

/// Kinds of expression.
#[derive(Clone, PartialEq, Debug)]
pub enum Kind {
    /// A literal or a constant, as written.
    Literal(String),
    /// A bound name, or a function as a value.
    Name(String),
    /// `(a, b)`.
    Tuple(Vec<Exp>),
    /// `[a, b]`.
    Seq(Vec<Exp>),
    /// Text of the library's table, in which `$0`, `$1`, ... stand for the parts.
    Template(&'static str, Vec<Exp>),
    /// A call of a function of the program, a constructor or a bound function value; the last
    /// arguments are given by name.
    Call(String, Vec<Exp>, Vec<(String, Exp)>),
    /// `p => e`.
    Lambda(String, Box<Exp>),
    /// `if`.
    If(Box<[Exp; 3]>),
    /// `let`.
    Let(Vec<(String, Exp)>, Box<Exp>),
    /// An apply-to-each.
    Each(Box<Each>),
}

/// An apply-to-each.
#[derive(Clone, PartialEq, Debug)]
pub struct Each {
    /// `{* ...}`.
    pub serial: bool,
    /// None if it is left out: the elements of the first source.
    pub body: Option<Exp>,
    /// Patterns and sources; a name without a pattern ranges over the sequence of that name.
    pub generators: Vec<(Option<String>, Exp)>,
    /// The test.
    pub test: Option<Exp>,
}

impl Program {
    /// The outermost expressions: the result first, then those of the forms.
    pub fn exps_mut(&mut self) -> Vec<&mut Exp> {
        let mut exps = vec![&mut self.result];
        for form in &mut self.forms {
            match form {
                Form::Value(_, exp) => exps.push(exp),
                Form::Datatype(_) => {}
                Form::Function(function) => {
                    exps.extend(function.params.iter_mut().flat_map(|param| &mut param.default));
                    exps.push(&mut function.body);
                }
            }
        }
        exps
    }
}

impl Param {
    /// Whether it is a name and always given.
    pub fn is_name(&self) -> bool {
        self.default.is_none() && self.pattern.chars().all(|c| c.is_ascii_alphanumeric())
    }
}

impl Function {
    /// The variables of its type, in order.
    pub fn letters(&self) -> Vec<char> {
        let mut found = Vec::new();
        for letter in self.params.iter().map(|p| &p.ty).chain([&self.body.ty]).flat_map(letters) {
            if !found.contains(&letter) {
                found.push(letter);
            }
        }
        found
    }
}

impl Exp {
    /// An expression.
    pub fn new(ty: Ty, kind: Kind) -> Exp {
        Exp { ty, kind }
    }

    /// A literal.
    pub fn literal(ty: Ty, text: impl Into<String>) -> Exp {
        Exp::new(ty, Kind::Literal(text.into()))
    }

    /// A bound name.
    pub fn name(ty: Ty, name: impl Into<String>) -> Exp {
        Exp::new(ty, Kind::Name(name.into()))
    }

    /// The parts, in the order of the text.
    pub fn parts_mut(&mut self) -> Vec<&mut Exp> {
        match &mut self.kind {
            Kind::Literal(_) | Kind::Name(_) => Vec::new(),
            Kind::Tuple(parts) | Kind::Seq(parts) | Kind::Template(_, parts) => {
                parts.iter_mut().collect()
            }
            Kind::Call(_, args, named) => {
                args.iter_mut().chain(named.iter_mut().map(|arg| &mut arg.1)).collect()
            }
            Kind::Lambda(_, body) => vec![body],
            Kind::If(parts) => parts.iter_mut().collect(),
            Kind::Let(bindings, body) => {
                bindings.iter_mut().map(|b| &mut b.1).chain([&mut **body]).collect()
            }
            Kind::Each(each) => {
                let sources = each.generators.iter_mut().map(|g| &mut g.1);
                each.body.iter_mut().chain(sources).chain(&mut each.test).collect()
            }
        }
    }

    /// Number of nodes.
    pub fn size(&mut self) -> usize {
        1 + self.parts_mut().into_iter().map(Exp::size).sum::<usize>()
    }
}
