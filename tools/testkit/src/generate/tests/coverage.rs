//! What generated programs hold, as the parser sees their text: every kind of node of the syntax
//! tree, every name of the library, sequences of every depth.
//!
//! The kinds are matched case by case, so that a new one breaks the build until it has a name here;
//! the library's names are those of its topics.

use crate::generate::program;
use crate::generate::ty::Ty;
use base::FileId;
use base::Id;
use std::collections::BTreeMap;
use syntax::ast::{Exp, ExpKind, FormKind, Function, Pattern, PatternKind, Type, TypeKind};

/// Programs that are looked at; they are only printed and parsed.
const PROGRAMS: u64 = 1500;
/// In so many of them each thing occurs.
const LEAST: usize = 3;

/// Why a function with an effect is not used.
const EFFECT: &str = "compiled code has no effects: such forms run on the interpreter alone";

/// What the library's topics list and programs do not use, and why.
const WITHOUT: &[(&str, &str)] = &[
    ("print_debug", EFFECT),
    ("print_char", EFFECT),
    ("print_string", EFFECT),
    ("print_line", EFFECT),
    ("print", EFFECT),
    ("printl", EFFECT),
    ("time", EFFECT),
    ("rand_seed", EFFECT),
];

/// The topic whose functions read or write what is outside the program: effects, too.
const FILES: &str = "files";

/// Constructs, under the names that `Seen` gives them.
const CONSTRUCTS: &[&str] = &[
    "application",
    "application: optional arguments",
    "bool",
    "char",
    "element",
    "empty sequence",
    "empty sequence: type",
    "each",
    "each: no body",
    "each: several sources",
    "each: serial",
    "each: test",
    "each: four deep",
    "float",
    "form: binding",
    "form: datatype",
    "form: datatype with classes",
    "form: declaration",
    "form: expression",
    "form: function",
    "function: classes",
    "function: documentation",
    "function: optional parameters",
    "function: type",
    "function: type left out",
    "function value",
    "if",
    "int",
    "let",
    "let: several",
    "name",
    "pair",
    "pattern: constructor",
    "pattern: name",
    "pattern: pair",
    "pattern: wildcard",
    "range",
    "range: step",
    "redefinition: datatype",
    "redefinition: function of the library",
    "redefinition: function of the program",
    "redefinition: value",
    "sequence",
    "string",
    "type: datatype with arguments",
    "type: function",
    "type: name",
    "type: pair",
    "type: sequence",
];

/// In how many programs things occur.
#[derive(Default)]
struct Seen {
    /// Constructs, and names and operators of expressions.
    constructs: BTreeMap<String, usize>,
    names: BTreeMap<String, usize>,
}

/// What one program holds.
#[derive(Default)]
struct Found {
    constructs: Vec<String>,
    names: Vec<String>,
    /// So many apply-to-eaches are around what is looked at.
    lanes: usize,
}

impl Found {
    fn note(&mut self, construct: &str, holds: bool) {
        if holds {
            self.constructs.push(construct.to_owned());
        }
    }

    fn form(&mut self, kind: &FormKind) {
        match kind {
            FormKind::Function(function) => self.function(function),
            FormKind::Datatype(data) => {
                self.note("form: datatype", true);
                self.note("form: datatype with classes", !data.classes.is_empty());
                self.ty(&data.fields);
            }
            FormKind::Binding(pattern, exp) => {
                self.note("form: binding", true);
                self.pattern(pattern);
                self.exp(exp);
            }
            FormKind::Exp(exp) => {
                self.note("form: expression", true);
                self.exp(exp);
            }
            // Commands talk to the system, which the compared engines do not have.
            FormKind::Command(..) => self.note("form: command", true),
            FormKind::Error(errors) => self.note(&format!("form: error {errors:?}"), true),
        }
    }

    fn function(&mut self, function: &Function) {
        self.note("form: function", function.body.is_some());
        self.note("form: declaration", function.body.is_none());
        self.note("function: optional parameters", !function.optional.is_empty());
        self.note("function: type left out", function.ty.is_none());
        self.note("function: documentation", function.doc.is_some());
        self.pattern(&function.param);
        if let Some((ty, classes)) = &function.ty {
            self.note("function: type", true);
            self.note("function: classes", !classes.is_empty());
            self.ty(ty);
        }
        function.optional.iter().for_each(|(_, default)| self.exp(default));
        function.body.iter().for_each(|body| self.exp(body));
    }

    fn pattern(&mut self, pattern: &Pattern) {
        match &pattern.kind {
            PatternKind::Name(_) => self.note("pattern: name", true),
            PatternKind::Wildcard => self.note("pattern: wildcard", true),
            PatternKind::Pair(first, rest) => {
                self.note("pattern: pair", true);
                self.pattern(first);
                self.pattern(rest);
            }
            PatternKind::Construct(_, fields) => {
                self.note("pattern: constructor", true);
                self.pattern(fields);
            }
            PatternKind::Invalid(text) => self.note(&format!("pattern: invalid {text}"), true),
        }
    }

    fn ty(&mut self, ty: &Type) {
        match &ty.kind {
            TypeKind::Name(_, args) => {
                self.note("type: name", args.is_none());
                self.note("type: datatype with arguments", args.is_some());
                args.iter().for_each(|args| self.ty(args));
            }
            TypeKind::Seq(element) => {
                self.note("type: sequence", true);
                self.ty(element);
            }
            TypeKind::Pair(first, rest) => {
                self.note("type: pair", true);
                self.ty(first);
                self.ty(rest);
            }
            TypeKind::Function(from, to) => {
                self.note("type: function", true);
                self.ty(from);
                self.ty(to);
            }
        }
    }

    fn exp(&mut self, exp: &Exp) {
        let name = match &exp.kind {
            ExpKind::Int(_) => "int",
            ExpKind::Float(_) => "float",
            ExpKind::Bool(_) => "bool",
            ExpKind::Char(_) => "char",
            ExpKind::Str(_) => "string",
            ExpKind::Name(name) => {
                self.names.push(name.text.clone());
                "name"
            }
            ExpKind::Wildcard => "wildcard, which is an error",
            ExpKind::Pair(first, rest) => {
                self.exps([&**first, rest]);
                "pair"
            }
            ExpKind::Operator(operator, operands) => {
                self.names.push(operator.name.to_owned());
                self.exps(operands);
                "operator"
            }
            ExpKind::Apply { function, argument, optional } => {
                self.note("application: optional arguments", !optional.is_empty());
                self.exps([&**function, argument]);
                self.exps(optional.iter().map(|(_, exp)| exp));
                "application"
            }
            ExpKind::Subscript(source, index) => {
                self.exps([&**source, index]);
                "element"
            }
            ExpKind::Seq(parts) => {
                self.exps(parts);
                "sequence"
            }
            ExpKind::Empty(ty, _) => {
                self.note("empty sequence: type", ty.is_some());
                ty.iter().for_each(|ty| self.ty(ty));
                if ty.is_some() { "empty sequence: type" } else { "empty sequence" }
            }
            ExpKind::Range { start, end, step } => {
                self.note("range: step", step.is_some());
                self.exps([&**start, end].into_iter().chain(step.as_deref()));
                "range"
            }
            ExpKind::If(test, then, els) => {
                self.exps([&**test, then, els]);
                "if"
            }
            ExpKind::Let(bindings, body) => {
                self.note("let: several", bindings.len() > 1);
                bindings.iter().for_each(|(pattern, _)| self.pattern(pattern));
                self.exps(bindings.iter().map(|(_, exp)| exp).chain([&**body]));
                "let"
            }
            ExpKind::Lambda(pattern, body) => {
                self.pattern(pattern);
                self.exp(body);
                "function value"
            }
            ExpKind::Each { serial, body, generators, test } => {
                self.note("each: serial", *serial);
                self.note("each: no body", body.is_none());
                self.note("each: test", test.is_some());
                self.note("each: several sources", generators.len() > 1);
                generators.iter().for_each(|generator| self.pattern(&generator.pattern));
                self.exps(generators.iter().map(|generator| &generator.source));
                self.lanes += 1;
                self.note("each: four deep", self.lanes == 4);
                self.exps(body.iter().chain(test).map(|exp| &**exp));
                self.lanes -= 1;
                "each"
            }
        };
        self.note(name, name != "operator");
    }

    fn exps<'a>(&mut self, exps: impl IntoIterator<Item = &'a Exp>) {
        exps.into_iter().for_each(|exp| self.exp(exp));
    }

    /// Names that the forms define more than once, or that the library has, too.
    fn redefinitions(&mut self, forms: &[syntax::ast::Form], library: &[String]) {
        let (mut datas, mut functions, mut values) = (Vec::new(), Vec::new(), Vec::new());
        for form in forms {
            let (name, known, construct) = match &form.kind {
                FormKind::Function(function) if function.body.is_some() => (
                    function.name.text.clone(),
                    &mut functions,
                    "redefinition: function of the program",
                ),
                FormKind::Binding(Pattern { kind: PatternKind::Name(name), .. }, _) => {
                    (name.clone(), &mut values, "redefinition: value")
                }
                FormKind::Datatype(data) => {
                    (data.name.text.clone(), &mut datas, "redefinition: datatype")
                }
                FormKind::Function(_) | FormKind::Binding(..) => continue,
                FormKind::Exp(_) | FormKind::Command(..) | FormKind::Error(_) => continue,
            };
            self.note("redefinition: function of the library", library.contains(&name));
            self.note(construct, known.contains(&name));
            known.push(name);
        }
    }
}

impl Seen {
    fn of_programs(library: &[String]) -> Seen {
        let mut seen = Seen::default();
        for seed in 0..PROGRAMS {
            let group = syntax::parse(FileId::new(0), program(seed).to_string().as_bytes());
            let mut found = Found::default();
            group.forms.iter().for_each(|form| found.form(&form.kind));
            found.redefinitions(&group.forms, library);
            for (list, counts) in
                [(found.constructs, &mut seen.constructs), (found.names, &mut seen.names)]
            {
                let mut list = list;
                list.sort();
                list.dedup();
                list.into_iter().for_each(|name| *counts.entry(name).or_default() += 1);
            }
        }
        seen
    }
}

/// The names of the library that programs can use, from its topics.
fn library() -> Vec<String> {
    let topics = stdlib::TOPICS.iter().filter(|topic| topic.word != FILES);
    topics.flat_map(stdlib::Topic::names).map(str::to_owned).collect()
}

#[test]
fn every_construct_and_every_name_of_the_library_occurs() {
    let library = library();
    let seen = Seen::of_programs(&library);
    let rare = |counts: &BTreeMap<String, usize>, name: &str| {
        let count = counts.get(name).copied().unwrap_or(0);
        (count < LEAST).then(|| format!("{name}: in {count} programs"))
    };
    let mut missing: Vec<String> =
        CONSTRUCTS.iter().filter_map(|name| rare(&seen.constructs, name)).collect();
    let unused = |name: &&String| WITHOUT.iter().all(|(without, _)| without != name);
    missing.extend(library.iter().filter(unused).filter_map(|name| rare(&seen.names, name)));
    assert!(missing.is_empty(), "of {PROGRAMS} programs:\n{}", missing.join("\n"));
    let unknown: Vec<&String> =
        seen.constructs.keys().filter(|name| !CONSTRUCTS.contains(&name.as_str())).collect();
    assert!(unknown.is_empty(), "not in the list: {unknown:?}");
    for (name, why) in WITHOUT {
        assert!(
            library.iter().any(|known| known == name),
            "`{name}` ({why}) is no name of the library"
        );
        assert!(!seen.names.contains_key(*name), "`{name}` is used, though {why}");
    }
}

/// Sequences of values at the top nest in every way up to four deep.
#[test]
fn types_nest_to_depth_four() {
    let mut programs = [0; 5];
    for seed in 0..PROGRAMS {
        let mut program = program(seed);
        let depths: Vec<usize> = program.exps_mut().iter().map(|exp| Ty::depth(&exp.ty)).collect();
        for (depth, count) in programs.iter_mut().enumerate() {
            *count += usize::from(depths.contains(&depth));
        }
    }
    assert!(programs.iter().all(|&count| count > 40), "{programs:?}");
}
