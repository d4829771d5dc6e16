//! The typed tree of a program, and its source text.

use super::ty::Ty;
use std::fmt::{self, Display};

/// A program: datatypes, functions, top-level values, and an expression.
#[derive(Clone, PartialEq, Debug)]
pub struct Program {
    /// Names and fields.
    pub datas: Vec<(String, Ty)>,
    /// In an order in which each uses itself, earlier ones, and the one it is mutual with.
    pub functions: Vec<Function>,
    /// Names bound at the top.
    pub values: Vec<(String, Exp)>,
    /// What it computes.
    pub result: Exp,
}

/// A function.
#[derive(Clone, PartialEq, Debug)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Patterns and types of its parameters.
    pub params: Vec<(String, Ty)>,
    /// What it gives; its type is the type of the result.
    pub body: Exp,
    /// Whether its type is written.
    pub typed: bool,
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
    /// A call of a function of the program, a constructor or a bound function value.
    Call(String, Vec<Exp>),
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
            Kind::Tuple(parts)
            | Kind::Seq(parts)
            | Kind::Template(_, parts)
            | Kind::Call(_, parts) => parts.iter_mut().collect(),
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

    /// Whether it is written without parentheses where an operand stands.
    fn is_atom(&self) -> bool {
        match &self.kind {
            Kind::Literal(text) => !text.starts_with('-'),
            Kind::Seq(parts) => !parts.is_empty(),
            Kind::Name(_) | Kind::Tuple(_) | Kind::Call(..) | Kind::Each(_) => true,
            Kind::Template(text, _) => is_call(text),
            Kind::Lambda(..) | Kind::If(_) | Kind::Let(..) => false,
        }
    }
}

/// `f(...)` and nothing else.
fn is_call(text: &str) -> bool {
    let name = text.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
    let mut open = 0;
    name.len() < text.len()
        && name.starts_with('(')
        && name.char_indices().all(|(i, c)| {
            open += match c {
                '(' => 1,
                ')' => -1,
                _ => 0,
            };
            open > 0 || i + 1 == name.len()
        })
}

/// An operand.
struct Operand<'a>(&'a Exp);

impl Display for Operand<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_atom() { write!(f, "{}", self.0) } else { write!(f, "({})", self.0) }
    }
}

fn list<'a>(parts: impl IntoIterator<Item = &'a Exp>) -> String {
    base::print::join(parts.into_iter().map(Operand), ", ")
}

impl Display for Exp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::Literal(text) | Kind::Name(text) => f.write_str(text),
            Kind::Tuple(parts) => write!(f, "({})", list(parts)),
            Kind::Seq(parts) if parts.is_empty() => match &self.ty {
                Ty::Seq(element) => write!(f, "[] {element}"),
                other => unreachable!("a sequence of type {other}"),
            },
            Kind::Seq(parts) => write!(f, "[{}]", list(parts)),
            Kind::Template(text, parts) => template(f, text, parts),
            Kind::Call(name, args) => write!(f, "{name}({})", list(args)),
            Kind::Lambda(pattern, body) => write!(f, "{pattern} => {}", Operand(body)),
            Kind::If(parts) => {
                let [test, then, els] = &**parts;
                write!(f, "if {} then {} else {els}", Operand(test), Operand(then))
            }
            Kind::Let(bindings, body) => {
                let bindings = bindings.iter().map(|(p, e)| format!("{p} = {}", Operand(e)));
                write!(f, "let {} in {body}", base::print::join(bindings, "; "))
            }
            Kind::Each(each) => write!(f, "{each}"),
        }
    }
}

fn template(f: &mut fmt::Formatter<'_>, text: &str, parts: &[Exp]) -> fmt::Result {
    let mut pieces = text.split('$');
    f.write_str(pieces.next().unwrap_or_default())?;
    for piece in pieces {
        let (digit, after) = piece.split_at(1);
        let part = digit.parse::<usize>().ok().and_then(|i| parts.get(i));
        let part = part.unwrap_or_else(|| unreachable!("the parts of {text}"));
        write!(f, "{}{after}", Operand(part))?;
    }
    Ok(())
}

impl Display for Each {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.serial { "{* " } else { "{" })?;
        if let Some(body) = &self.body {
            write!(f, "{} : ", Operand(body))?;
        }
        let generators = self.generators.iter().map(|(pattern, source)| match pattern {
            Some(pattern) => format!("{pattern} in {}", Operand(source)),
            None => source.to_string(),
        });
        f.write_str(&base::print::join(generators, "; "))?;
        if let Some(test) = &self.test {
            write!(f, " | {}", Operand(test))?;
        }
        f.write_str("}")
    }
}

impl Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = base::print::join(self.params.iter().map(|p| &p.0), ", ");
        if !self.typed {
            return write!(f, "function {}({names})\n  = {};", self.name, self.body);
        }
        let types = self.params.iter().map(|p| p.1.to_string()).collect::<Vec<_>>();
        let types = match types.as_slice() {
            [one] if matches!(self.params[0].1, Ty::Fun(..)) => format!("({one})"),
            [one] => one.clone(),
            _ => format!("({})", types.join(", ")),
        };
        let result = match &self.body.ty {
            function @ Ty::Fun(..) => format!("({function})"),
            other => other.to_string(),
        };
        write!(f, "function {}({names}) : {types} -> {result}\n  = {};", self.name, self.body)
    }
}

impl Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, fields) in &self.datas {
            match fields {
                Ty::Tuple(_) => writeln!(f, "datatype {name} {fields};")?,
                _ => writeln!(f, "datatype {name}({fields});")?,
            }
        }
        for function in &self.functions {
            writeln!(f, "{function}")?;
        }
        for (name, exp) in &self.values {
            writeln!(f, "{name} = {exp};")?;
        }
        writeln!(f, "{};", self.result)
    }
}
