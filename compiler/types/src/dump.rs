//! The typed program as text, for `--dump typed` and tests: NESL with resolved names.
//!
//! ```text
//! function sq(x) = x * x;      sq : a -> a :: (a in number) = x0 => *[a](x0, x0)
//! ```
//!
//! Locals are `x0, x1, ...`; a global is followed by the types at which it is used.

use crate::show::{show_inside, show_scheme};
use crate::tree::{
    DefinitionKind, Each, Exp, ExpKind, Form, FormKind, Global, Pattern, PatternKind, Program,
};
use crate::ty::{TyVar, Type};
use base::Id;
use indexmap::IndexSet;

/// A form.
pub fn dump_form(program: &Program, form: &Form) -> String {
    let dump = Dump::new(program);
    match &form.kind {
        FormKind::Defined(globals) => {
            let lines: Vec<String> = globals.iter().map(|&g| dump_global(program, g)).collect();
            lines.join("\n")
        }
        FormKind::Evaluate { exp, pattern, scheme, .. } => {
            let shown = show_scheme(program, scheme);
            format!("{} : {shown} = {}", dump.pattern(pattern), dump.exp(exp))
        }
        FormKind::Command(word, _) => word.text.clone(),
    }
}

/// A global.
pub fn dump_global(program: &Program, global: Global) -> String {
    let dump = Dump::new(program);
    let definition = &program.globals[global];
    let head = format!("{} : {}", definition.name, show_scheme(program, &definition.scheme));
    if let Some(next) = definition.moved {
        return format!("{head}, now {next}");
    }
    match &definition.kind {
        DefinitionKind::Function(function) => {
            format!("{head} = {} => {}", dump.pattern(&function.param), dump.exp(&function.body))
        }
        DefinitionKind::Declared => format!("{head}, declared"),
        DefinitionKind::Constructor(data) => format!("{head}, constructor of {data}"),
        DefinitionKind::Value => format!("{head}, value"),
        DefinitionKind::Primitive(prim) => format!("{head}, {prim}"),
    }
}

struct Dump<'a> {
    program: &'a Program,
    /// Variables stand for themselves: `t0` is `a`.
    order: IndexSet<TyVar>,
}

impl<'a> Dump<'a> {
    fn new(program: &'a Program) -> Dump<'a> {
        Dump { program, order: (0..26).map(TyVar::new).collect() }
    }

    fn ty(&self, ty: &Type) -> String {
        show_inside(&|d| self.program.datas[d].name.clone(), ty, &self.order)
    }

    fn pattern(&self, pattern: &Pattern) -> String {
        match &pattern.kind {
            PatternKind::Local(local) => local.to_string(),
            PatternKind::Wildcard => "_".to_string(),
            PatternKind::Pair(..) => format!("({})", self.pattern_parts(pattern)),
            PatternKind::Construct(data, fields) => {
                let name = &self.program.datas[*data].name;
                format!("{name}({})", self.pattern_parts(fields))
            }
        }
    }
    fn pattern_parts(&self, mut pattern: &Pattern) -> String {
        let mut parts = Vec::new();
        while let PatternKind::Pair(a, b) = &pattern.kind {
            parts.push(self.pattern(a));
            pattern = b;
        }
        parts.push(self.pattern(pattern));
        parts.join(", ")
    }

    fn exp(&self, exp: &Exp) -> String {
        match &exp.kind {
            ExpKind::Const(value) => value.to_string(),
            ExpKind::Str(text) => base::text::quote(text),
            ExpKind::Local(local) => local.to_string(),
            ExpKind::Global(global, _, types) => self.global(*global, types),
            ExpKind::Pair(..) => format!("({})", self.parts(exp)),
            ExpKind::Seq(elements) if elements.is_empty() => self.empty(&exp.ty),
            ExpKind::Seq(elements) => {
                let elements: Vec<String> = elements.iter().map(|e| self.exp(e)).collect();
                format!("[{}]", elements.join(", "))
            }
            ExpKind::Apply(f, x) => format!("{}({})", self.exp(f), self.parts(x)),
            ExpKind::Lambda(p, body) => format!("({} => {})", self.pattern(p), self.exp(body)),
            ExpKind::If(c, a, b) => {
                format!("(if {} then {} else {})", self.exp(c), self.exp(a), self.exp(b))
            }
            ExpKind::Let(bindings, body) => {
                let bindings: Vec<String> = bindings
                    .iter()
                    .map(|(p, e)| format!("{} = {}", self.pattern(p), self.exp(e)))
                    .collect();
                format!("(let {} in {})", bindings.join("; "), self.exp(body))
            }
            ExpKind::Each(each) => self.each(each),
        }
    }
    fn parts(&self, mut exp: &Exp) -> String {
        let mut parts = Vec::new();
        while let ExpKind::Pair(a, b) = &exp.kind {
            parts.push(self.exp(a));
            exp = b;
        }
        parts.push(self.exp(exp));
        parts.join(", ")
    }
    fn empty(&self, ty: &Type) -> String {
        match ty {
            Type::Seq(element) => format!("[] {}", self.ty(element)),
            _ => "[]".to_string(),
        }
    }
    fn global(&self, global: Global, types: &[Type]) -> String {
        let name = &self.program.globals[global].name;
        if types.is_empty() {
            return name.clone();
        }
        let types: Vec<String> = types.iter().map(|t| self.ty(t)).collect();
        format!("{name}[{}]", types.join("; "))
    }
    fn each(&self, each: &Each) -> String {
        let star = if each.serial { "* " } else { "" };
        let generators: Vec<String> = each
            .generators
            .iter()
            .map(|(p, e)| format!("{} in {}", self.pattern(p), self.exp(e)))
            .collect();
        let test = each.test.as_ref().map_or(String::new(), |t| format!(" | {}", self.exp(t)));
        format!("{{{star}{} : {}{test}}}", self.exp(&each.body), generators.join("; "))
    }
}
