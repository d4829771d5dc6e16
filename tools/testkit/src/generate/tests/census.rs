//! The constructs of the language that a generated program holds.

use crate::generate::tree::{Each, Exp, Form, Function, Kind, Program};
use crate::generate::ty::Ty;
use std::collections::{BTreeMap, BTreeSet};

/// All constructs that are looked for.
pub(super) const CONSTRUCTS: &[&str] = &[
    "datatype: in a sequence",
    "datatype: instance inside an instance",
    "datatype: of a class",
    "datatype: parameter of a recursive function",
    "datatype: parametric",
    "datatype: pattern in a generator",
    "datatype: pattern in a let",
    "datatype: pattern of a parameter",
    "datatype: redefined",
    "datatype: result of a function",
    "datatype: two instances",
    "datatype: with a function",
    "each: name as generator",
    "each: no body",
    "each: pattern",
    "each: serial",
    "each: test",
    "each: three sources",
    "each: two sources",
    "function: class scalar",
    "function: declared",
    "function: documented",
    "function: polymorphic",
    "function: recursive",
    "function: replaced by one of its type",
    "function: result is a function",
    "function: takes a function",
    "function: two instances",
    "function: type not written",
    "function: uses a name of the top",
    "function: mutual",
    "function: mutual of three",
    "function: parameter without parentheses",
    "function: recursion in both arms",
    "function: recursion without a test",
    "function: waits for a later one",
    "let: name hidden",
    "optional: all given",
    "optional: given in a lane",
    "optional: left out in a lane",
    "optional: none given",
    "optional: of a variable type",
    "optional: some given",
    "table: in a datatype",
    "table: in a sequence",
    "table: inside a table",
    "table: parameter",
    "table: result of a function",
    "top: function value",
    "top: function value called in a lane",
    "top: function value passed on",
    "top: it",
    "top: other name of a function",
    "top: pattern",
    "value: constructor as a function",
    "value: function applied where it is made",
    "value: function of two",
    "value: more arguments than parameters",
];

/// The constructs in a program.
pub(super) fn census(program: &mut Program) -> BTreeSet<&'static str> {
    let mut census = Census::default();
    census.declarations(program);
    census.instances = BTreeMap::new();
    for function in &census.functions.clone() {
        census.inside.clone_from(&function.name);
        for default in function.params.iter().filter_map(|param| param.default.clone()) {
            census.exp(&mut default.clone());
        }
        census.exp(&mut function.body.clone());
    }
    census.inside = String::new();
    for form in &mut program.forms {
        if let Form::Value(pattern, exp) = form {
            census.value(pattern.as_deref(), exp);
        }
    }
    census.exp(&mut program.result);
    census.found
}

#[derive(Default)]
struct Census {
    found: BTreeSet<&'static str>,
    functions: Vec<Function>,
    /// Names of datatypes.
    datas: Vec<String>,
    /// Names of the top, and those of them that are functions.
    top: Vec<String>,
    top_functions: Vec<String>,
    /// Types at which datatypes and functions are used.
    instances: BTreeMap<String, Vec<Ty>>,
    /// The function that is looked at.
    inside: String,
    lanes: usize,
    bound: Vec<String>,
}

impl Census {
    fn note(&mut self, construct: &'static str, holds: bool) {
        if holds {
            self.found.insert(construct);
        }
    }

    fn declarations(&mut self, program: &Program) {
        for data in &program.datas {
            self.datas.push(data.name.clone());
            self.note("datatype: parametric", !data.letters.is_empty());
            self.note("datatype: of a class", data.letters.iter().any(|l| "nogs".contains(*l)));
            self.note("datatype: with a function", data.fields.has_function());
            self.note("table: in a datatype", has_table(&data.fields));
        }
        for form in &program.forms {
            match form {
                Form::Function(function) => self.functions.push(function.clone()),
                Form::Datatype(_) => self.note("datatype: redefined", true),
                Form::Value(pattern, exp) => {
                    let pattern = pattern.as_deref().unwrap_or("it");
                    self.top.extend(names(pattern));
                    if exp.ty.has_function() {
                        self.top_functions.extend(names(pattern));
                    }
                }
            }
        }
        for (i, function) in self.functions.clone().iter().enumerate() {
            self.signature(function);
            let ty = |function: &Function| {
                let params = function.params.iter().map(|param| param.ty.clone());
                params.chain([function.body.ty.clone()]).collect::<Vec<Ty>>()
            };
            let same = |old: &Function| old.name == function.name && ty(old) == ty(function);
            let replaced = self.functions[..i].iter().any(same);
            self.note("function: replaced by one of its type", replaced);
        }
    }

    fn signature(&mut self, function: &Function) {
        let takes = |is: fn(&Ty) -> bool| function.params.iter().any(|param| is(&param.ty));
        self.note("function: declared", function.declared);
        self.note("function: documented", function.doc.is_some());
        self.note("function: parameter without parentheses", function.bare);
        self.note("function: polymorphic", !function.letters().is_empty());
        self.note("function: class scalar", function.letters().contains(&'s'));
        self.note("table: parameter", takes(|ty| matches!(ty, Ty::Table(_))));
        self.note("table: result of a function", matches!(function.body.ty, Ty::Table(_)));
        self.note("function: type not written", !function.typed);
        self.note("function: takes a function", takes(Ty::has_function));
        self.note("function: result is a function", matches!(function.body.ty, Ty::Fun(..)));
        let data = function.params.iter().any(|param| self.is_data(&param.pattern));
        self.note("datatype: pattern of a parameter", data);
        self.note("datatype: result of a function", is_parametric(&function.body.ty));
        let variable = |p: &&crate::generate::tree::Param| p.default.is_some();
        let variable = function.params.iter().filter(variable).any(|p| matches!(p.ty, Ty::Var(_)));
        self.note("optional: of a variable type", variable);
        let calls = self.calls(&function.name);
        let recursive = calls.contains(&function.name);
        self.note("function: recursive", recursive);
        self.note("function: recursion without a test", recurs_untested(function));
        self.note("function: recursion in both arms", recurs_in_arms(function));
        self.note(
            "datatype: parameter of a recursive function",
            recursive && function.params.iter().any(|param| is_parametric(&param.ty)),
        );
        let later = self.functions.iter().skip_while(|other| other.name != function.name).skip(1);
        let later: Vec<String> = later.map(|other| other.name.clone()).collect();
        let around = self.around(&function.name);
        let waits = later.iter().any(|name| calls.contains(name) && !around.contains(name));
        self.note("function: waits for a later one", waits);
        self.note("function: mutual", around.len() > 1);
        self.note("function: mutual of three", around.len() > 2);
    }

    /// What the body of a function calls.
    fn calls(&self, name: &str) -> BTreeSet<String> {
        let mut calls = BTreeSet::new();
        if let Some(function) = self.function(name) {
            called(&mut function.body.clone(), &mut calls);
        }
        calls
    }

    /// The functions that call a function, directly or not, and are called by it.
    fn around(&self, name: &str) -> Vec<String> {
        let reached = |from: &str| {
            let mut reached = BTreeSet::new();
            let mut open = vec![from.to_owned()];
            while let Some(name) = open.pop() {
                open.extend(self.calls(&name).into_iter().filter(|n| reached.insert(n.clone())));
            }
            reached
        };
        reached(name).into_iter().filter(|other| reached(other).contains(name)).collect()
    }

    fn is_data(&self, pattern: &str) -> bool {
        names(pattern).any(|name| self.datas.contains(&name))
    }

    fn value(&mut self, pattern: Option<&str>, exp: &mut Exp) {
        self.note("top: it", pattern.is_none());
        self.note("top: pattern", pattern.is_some_and(|p| p.contains('(')));
        self.note("top: function value", matches!(exp.ty, Ty::Fun(..)));
        let named = matches!(&exp.kind, Kind::Name(name) if self.function(name).is_some());
        self.note("top: other name of a function", named);
        self.exp(exp);
    }

    fn function(&self, name: &str) -> Option<&Function> {
        self.functions.iter().find(|function| function.name == name)
    }

    fn instance(&mut self, name: &str, ty: &Ty, construct: &'static str) {
        let known = self.instances.entry(name.to_owned()).or_default();
        if !known.contains(ty) {
            known.push(ty.clone());
        }
        let several = known.len() > 1;
        self.note(construct, several);
    }

    fn exp(&mut self, exp: &mut Exp) {
        self.ty(&exp.ty);
        match &exp.kind {
            Kind::Name(name) => self.name(name, &exp.ty),
            Kind::Call(name, args, named) => self.call(name, args, named),
            Kind::If(_) => self.note("value: function of two", matches!(exp.ty, Ty::Fun(..))),
            Kind::Template(text, _) => {
                self.note("value: function applied where it is made", *text == "($0)($1)");
            }
            Kind::Let(bindings, _) => {
                for (pattern, _) in bindings {
                    self.note("datatype: pattern in a let", self.is_data(pattern));
                    for name in names(pattern) {
                        self.note("let: name hidden", self.bound.contains(&name));
                        self.bound.push(name);
                    }
                }
            }
            Kind::Lambda(pattern, _) => self.bound.extend(names(pattern)),
            Kind::Each(each) => self.each(each),
            Kind::Literal(_) | Kind::Tuple(_) | Kind::Seq(_) => {}
        }
        if let Kind::Each(each) = &mut exp.kind {
            each.generators.iter_mut().for_each(|generator| self.exp(&mut generator.1));
            self.lanes += 1;
            each.body.iter_mut().chain(&mut each.test).for_each(|part| self.exp(part));
            self.lanes -= 1;
        } else {
            exp.parts_mut().into_iter().for_each(|part| self.exp(part));
        }
    }

    fn ty(&mut self, ty: &Ty) {
        match ty {
            Ty::Data(data) => {
                if !data.args.is_empty() && crate::generate::ty::letters(ty).is_empty() {
                    self.instance(&data.name, ty, "datatype: two instances");
                }
                let inner = data.args.iter().any(|arg| matches!(arg, Ty::Data(_)));
                self.note("datatype: instance inside an instance", inner);
            }
            Ty::Seq(element) => {
                self.note("datatype: in a sequence", is_parametric(element));
                self.note("table: in a sequence", has_table(element));
            }
            Ty::Table(of) => {
                self.note("table: inside a table", has_table(&of.0) || has_table(&of.1));
            }
            Ty::Int | Ty::Float | Ty::Bool | Ty::Char => {}
            Ty::Tuple(_) | Ty::Fun(..) | Ty::Var(_) => {}
        }
    }

    fn name(&mut self, name: &str, ty: &Ty) {
        let function = matches!(ty, Ty::Fun(..));
        self.note("value: constructor as a function", self.datas.iter().any(|data| data == name));
        let top = self.top_functions.iter().any(|top| top == name);
        self.note("top: function value passed on", function && top);
        let used = !self.inside.is_empty() && self.top.iter().any(|top| top == name);
        self.note("function: uses a name of the top", used);
    }

    fn call(&mut self, name: &str, args: &[Exp], named: &[(String, Exp)]) {
        let lane = self.lanes > 0;
        let top = self.top_functions.iter().any(|top| top == name);
        self.note("top: function value called in a lane", top && lane);
        let Some(function) = self.function(name).cloned() else { return };
        let optional = function.params.iter().filter(|param| param.default.is_some()).count();
        let needed = function.params.len() - optional;
        self.note("value: more arguments than parameters", args.len() > needed);
        self.note("optional: all given", optional > 0 && named.len() == optional);
        self.note("optional: none given", optional > 0 && named.is_empty());
        self.note("optional: some given", !named.is_empty() && named.len() < optional);
        self.note("optional: given in a lane", !named.is_empty() && lane);
        self.note("optional: left out in a lane", named.len() < optional && lane);
        if !function.letters().is_empty() && !args.is_empty() && args.len() == needed {
            let ty = Ty::tuple(args.iter().map(|arg| arg.ty.clone()).collect());
            if crate::generate::ty::letters(&ty).is_empty() {
                self.instance(name, &ty, "function: two instances");
            }
        }
    }

    fn each(&mut self, each: &Each) {
        self.note("each: serial", each.serial);
        self.note("each: no body", each.body.is_none());
        self.note("each: test", each.test.is_some());
        self.note("each: two sources", each.generators.len() == 2);
        self.note("each: three sources", each.generators.len() == 3);
        for (pattern, _) in &each.generators {
            let pattern = pattern.as_deref();
            self.note("each: name as generator", pattern.is_none());
            self.note("each: pattern", pattern.is_some_and(|p| p.contains('(')));
            self.note("datatype: pattern in a generator", pattern.is_some_and(|p| self.is_data(p)));
            self.bound.extend(pattern.into_iter().flat_map(names));
        }
    }
}

fn is_parametric(ty: &Ty) -> bool {
    matches!(ty, Ty::Data(data) if !data.args.is_empty())
}

fn has_table(ty: &Ty) -> bool {
    match ty {
        Ty::Table(_) => true,
        Ty::Seq(element) => has_table(element),
        Ty::Tuple(parts) => parts.iter().any(has_table),
        Ty::Data(data) => has_table(&data.fields),
        Ty::Int | Ty::Float | Ty::Bool | Ty::Char | Ty::Fun(..) | Ty::Var(_) => false,
    }
}

/// Whether a function begins with calls of itself in lanes, without a test before.
fn recurs_untested(function: &Function) -> bool {
    let Kind::Let(bindings, _) = &function.body.kind else { return false };
    let Some(Kind::Each(each)) = bindings.first().map(|binding| &binding.1.kind) else {
        return false;
    };
    let body = each.body.as_ref().map(|body| &body.kind);
    matches!(body, Some(Kind::Call(name, ..)) if *name == function.name)
}

/// Whether a function calls itself in both arms of an `if` behind the one that ends it.
fn recurs_in_arms(function: &Function) -> bool {
    let Kind::If(ends) = &function.body.kind else { return false };
    let Kind::If(parts) = &ends[2].kind else { return false };
    parts[1..].iter().all(|arm| {
        let mut calls = BTreeSet::new();
        called(&mut arm.clone(), &mut calls);
        calls.contains(&function.name)
    })
}

/// The names in a pattern, constructors included.
fn names(pattern: &str) -> impl Iterator<Item = String> {
    let words = pattern.split(|c: char| !c.is_ascii_alphanumeric());
    words.filter(|word| !word.is_empty()).map(str::to_owned)
}

/// The functions that an expression calls.
fn called(exp: &mut Exp, found: &mut BTreeSet<String>) {
    if let Kind::Call(name, ..) = &exp.kind {
        found.insert(name.clone());
    }
    exp.parts_mut().into_iter().for_each(|part| called(part, found));
}
