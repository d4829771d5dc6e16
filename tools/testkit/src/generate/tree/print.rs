//! Source text of programs.  What is no atom stands in parentheses wherever an operand may.

use super::super::ty::{Ty, classes};
use super::{Datatype, Each, Exp, Form, Function, Kind, Param, Program};
use base::print::join;
use std::fmt::{self, Display};

/// Whether an expression is written without parentheses where an operand stands.
fn is_atom(exp: &Exp) -> bool {
    match &exp.kind {
        Kind::Literal(text) => !text.starts_with('-'),
        Kind::Seq(parts) => !parts.is_empty(),
        Kind::Name(_) | Kind::Tuple(_) | Kind::Call(..) | Kind::Each(_) => true,
        Kind::Template(text, _) => is_call(text),
        Kind::Lambda(..) | Kind::If(_) | Kind::Let(..) => false,
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
        if is_atom(self.0) { write!(f, "{}", self.0) } else { write!(f, "({})", self.0) }
    }
}

fn list<'a>(parts: impl IntoIterator<Item = &'a Exp>) -> String {
    join(parts.into_iter().map(Operand), ", ")
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
            Kind::Call(name, args, named) if named.is_empty() => {
                write!(f, "{name}({})", list(args))
            }
            Kind::Call(name, args, named) => {
                let named = named.iter().map(|(name, arg)| format!("{name} := {}", Operand(arg)));
                write!(f, "{name}({}, {})", list(args), join(named, ", "))
            }
            Kind::Lambda(pattern, body) => write!(f, "{pattern} => {}", Operand(body)),
            Kind::If(parts) => {
                let [test, then, els] = &**parts;
                write!(f, "if {} then {} else {els}", Operand(test), Operand(then))
            }
            Kind::Let(bindings, body) => {
                let bindings = bindings.iter().map(|(p, e)| format!("{p} = {}", Operand(e)));
                write!(f, "let {} in {body}", join(bindings, "; "))
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
        f.write_str(&join(generators, "; "))?;
        if let Some(test) = &self.test {
            write!(f, " | {}", Operand(test))?;
        }
        f.write_str("}")
    }
}

impl Display for Param {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.default {
            Some(default) => write!(f, "{} := {}", self.pattern, Operand(default)),
            None => f.write_str(&self.pattern),
        }
    }
}

impl Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, params) = (&self.name, join(&self.params, ", "));
        let bare = self.bare && self.params.len() == 1 && self.params[0].is_name();
        let params = if bare { format!(" {params}") } else { format!("({params})") };
        let doc = self.doc.map(|doc| format!(" \"{doc}\"")).unwrap_or_default();
        if !self.typed {
            return write!(f, "function {name}{params}{doc}\n  = {};", self.body);
        }
        let types = self.params.iter().map(|p| p.ty.to_string()).collect::<Vec<_>>();
        let types = match types.as_slice() {
            [one] if matches!(self.params[0].ty, Ty::Fun(..)) => format!("({one})"),
            [one] => one.clone(),
            _ => format!("({})", types.join(", ")),
        };
        let result = match &self.body.ty {
            function @ Ty::Fun(..) => format!("({function})"),
            other => other.to_string(),
        };
        let ty = format!("{types} -> {result}{}", classes(&self.letters()));
        if self.declared {
            writeln!(f, "function {name}({}) : {ty};", join(self.params.iter().map(plain), ", "))?;
        }
        write!(f, "function {name}{params} : {ty}{doc}\n  = {};", self.body)
    }
}

fn plain(param: &Param) -> &str {
    &param.pattern
}

impl Display for Datatype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fields = match &self.fields {
            fields @ Ty::Tuple(_) => fields.to_string(),
            field => format!("({field})"),
        };
        write!(f, "datatype {} {fields}{};", self.name, classes(&self.letters))
    }
}

impl Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for data in &self.datas {
            writeln!(f, "{data}")?;
        }
        for form in &self.forms {
            match form {
                Form::Function(function) => writeln!(f, "{function}")?,
                Form::Datatype(data) => writeln!(f, "{data}")?,
                Form::Value(Some(pattern), exp) => writeln!(f, "{pattern} = {exp};")?,
                Form::Value(None, exp) => writeln!(f, "{exp};")?,
            }
        }
        writeln!(f, "{};", self.result)
    }
}
