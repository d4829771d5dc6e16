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
    "function: declared",
    "function: polymorphic",
    "function: recursive",
    "function: result is a function",
    "function: takes a function",
    "function: two instances",
    "function: type not written",
    "function: uses a name of the top",
    "function: mutual",
    "let: name hidden",
    "optional: all given",
    "optional: given in a lane",
    "optional: left out in a lane",
    "optional: none given",
    "optional: of a variable type",
    "optional: some given",
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
            self.note("datatype: of a class", data.letters.iter().any(|l| "nog".contains(*l)));
            self.note("datatype: with a function", data.fields.has_function());
        }
        for form in &program.forms {
            match form {
                Form::Function(function) => self.functions.push(function.clone()),
                Form::Value(pattern, exp) => {
                    let pattern = pattern.as_deref().unwrap_or("it");
                    self.top.extend(names(pattern));
                    if exp.ty.has_function() {
                        self.top_functions.extend(names(pattern));
                    }
                }
            }
        }
        for function in self.functions.clone() {
            self.signature(&function);
        }
    }

    fn signature(&mut self, function: &Function) {
        let takes = |is: fn(&Ty) -> bool| function.params.iter().any(|param| is(&param.ty));
        self.note("function: declared", function.declared);
        self.note("function: polymorphic", !function.letters().is_empty());
        self.note("function: type not written", !function.typed);
        self.note("function: takes a function", takes(Ty::has_function));
        self.note("function: result is a function", matches!(function.body.ty, Ty::Fun(..)));
        let data = function.params.iter().any(|param| self.is_data(&param.pattern));
        self.note("datatype: pattern of a parameter", data);
        self.note("datatype: result of a function", is_parametric(&function.body.ty));
        let variable = |p: &&crate::generate::tree::Param| p.default.is_some();
        let variable = function.params.iter().filter(variable).any(|p| matches!(p.ty, Ty::Var(_)));
        self.note("optional: of a variable type", variable);
        let mut calls = BTreeSet::new();
        called(&mut function.body.clone(), &mut calls);
        let recursive = calls.contains(&function.name);
        self.note("function: recursive", recursive);
        self.note(
            "datatype: parameter of a recursive function",
            recursive && function.params.iter().any(|param| is_parametric(&param.ty)),
        );
        let later = self.functions.iter().skip_while(|other| other.name != function.name).skip(1);
        let mutual = later.clone().any(|other| calls.contains(&other.name));
        self.note("function: mutual", mutual);
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
            Ty::Seq(element) => self.note("datatype: in a sequence", is_parametric(element)),
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
