//! Names and patterns of a form: which are bound, which are free, and every *pattern* and
//! *undefined* error (LANGUAGE 4).
//!
//! This comes before inference, because these errors go before type errors, and because a function
//! that uses a later one waits for it: its free names say for which.

mod habits;

use crate::errors;
use crate::scope::{Meaning, Scope, Version};
use crate::ty::{Class, Data};
use base::{Diagnostic, Span, nearest};
use rustc_hash::{FxHashMap, FxHashSet};
use syntax::ast::{
    ClassBound, Datatype, Exp, ExpKind, Function, Generator, Name, Pattern, PatternKind, Type,
    TypeKind,
};

/// How a form sees the names around it.
pub(crate) struct View<'a> {
    pub(crate) scope: &'a Scope,
    pub(crate) version: Version,
    /// Whether a later form of the group defines a function of this name.
    pub(crate) later: &'a dyn Fn(&str) -> bool,
    /// Names that forms with errors were to define.
    pub(crate) missing: &'a FxHashSet<String>,
}

/// What a walk over a form found.
#[derive(Default)]
pub(crate) struct Found {
    /// Names used that this form does not bind, each once, in order.
    pub(crate) free: Vec<Name>,
    /// Names of types and of constructors in patterns, and the datatypes that they mean.
    pub(crate) types: Vec<(String, Option<Data>)>,
    /// Pattern and undefined errors.
    pub(crate) errors: Vec<Diagnostic>,
}

/// The names of a function definition or declaration.
pub(crate) fn of_function(view: &View, function: &Function) -> Found {
    let mut walk = Walk::new(view, Some(&function.name.text));
    for (_, default) in &function.optional {
        walk.exp(default);
    }
    if let Some((ty, classes)) = &function.ty {
        walk.signature(ty, classes);
    }
    let mark = walk.entered.len();
    let mut bound = Distinct::default();
    walk.bind(&function.param, &mut bound);
    for (name, _) in &function.optional {
        walk.bind_name(&name.text, name.span, &mut bound);
    }
    if let Some(body) = &function.body {
        walk.exp(body);
    }
    walk.leave(mark);
    walk.found
}

/// The names of an expression, or of a binding if there is a pattern.
pub(crate) fn of_value(view: &View, pattern: Option<&Pattern>, value: &Exp) -> Found {
    let mut walk = Walk::new(view, None);
    if let Some(PatternKind::Construct(name, _)) = pattern.map(|pattern| &pattern.kind)
        && view.scope.constructor(&name.text, view.version).is_none()
        && errors::foreign::is_word(&name.text)
    {
        // Of a definition in another language no name makes sense.
        walk.unknown_constructor(name);
        return walk.found;
    }
    if let Some((name, meant)) = habits::misspelt(pattern, value)
        && !walk.knows(&name.text)
    {
        // Of a definition that is none no name makes sense.
        walk.found.errors.push(errors::misspelt_word(name, meant));
        return walk.found;
    }
    if let Some((name, parameters)) = pattern.and_then(|pattern| walk.defined(pattern)) {
        walk.found.errors.push(errors::unmarked_function(name));
        walk.function(name, parameters, value);
        return walk.found;
    }
    if pattern.is_none()
        && let Some((name, span)) = habits::commented(value)
        && !walk.knows(name)
    {
        walk.found.errors.push(errors::comment(name, span));
        return walk.found;
    }
    if pattern.is_none()
        && let Some((name, meant)) = habits::misspelt_command(value)
        && !walk.knows(&name.text)
    {
        let names = view.scope.names(view.version).chain([meant]);
        if nearest(&name.text, names) == Some(meant) {
            // The arguments of a command are no expressions.
            walk.found.errors.push(errors::misspelt_word(name, meant));
            return walk.found;
        }
    }
    walk.exp(value);
    if let Some(pattern) = pattern {
        walk.bind(pattern, &mut Distinct::default());
    }
    walk.found
}

/// The names of a datatype's fields.
pub(crate) fn of_fields(view: &View, datatype: &Datatype) -> Found {
    let mut walk = Walk::new(view, None);
    walk.own_type = Some(&datatype.name.text);
    walk.signature(&datatype.fields, &datatype.classes);
    walk.found
}

/// The names bound by one pattern, all parameters, or all generators of an apply-to-each.
type Distinct = FxHashMap<String, Span>;

struct Walk<'a> {
    view: &'a View<'a>,
    /// The function being defined.
    own: Option<&'a str>,
    /// The datatype being defined.
    own_type: Option<&'a str>,
    /// How often each local name is bound around here.
    locals: FxHashMap<String, u32>,
    entered: Vec<String>,
    /// The variables of the annotation.
    type_variables: Vec<String>,
    /// The names of the generators whose sources are walked over.
    coming: Vec<String>,
    /// Free and unknown names that were noted already.
    noted: FxHashSet<String>,
    /// Unknown types that were noted already.
    noted_types: FxHashSet<String>,
    /// Whether a word of control of another language was found.
    foreign: bool,
    found: Found,
}

impl<'a> Walk<'a> {
    fn new(view: &'a View<'a>, own: Option<&'a str>) -> Walk<'a> {
        Walk {
            view,
            own,
            own_type: None,
            locals: FxHashMap::default(),
            entered: Vec::new(),
            type_variables: Vec::new(),
            coming: Vec::new(),
            noted: FxHashSet::default(),
            noted_types: FxHashSet::default(),
            foreign: false,
            found: Found::default(),
        }
    }

    fn exp(&mut self, exp: &Exp) {
        match &exp.kind {
            ExpKind::Int(_)
            | ExpKind::Float(_)
            | ExpKind::Bool(_)
            | ExpKind::Char(_)
            | ExpKind::Str(_) => {}
            ExpKind::Name(name) => self.name(&name.text, name.span),
            ExpKind::Wildcard => self.found.errors.push(errors::wildcard(exp.span)),
            ExpKind::Pair(a, b) => {
                self.exp(a);
                self.exp(b);
            }
            ExpKind::Operator(operator, operands) => {
                for function in operator_functions(operator.name) {
                    self.library_name(function, operator.span);
                }
                self.arrow(operator, operands);
                self.exps(operands);
            }
            ExpKind::Apply { function, argument, optional } => {
                self.number(function, argument);
                if !self.operator_applied(function) {
                    self.exp(function);
                }
                self.exp(argument);
                optional.iter().for_each(|(_, value)| self.exp(value));
            }
            ExpKind::Subscript(a, i) => {
                self.library_name("elt", exp.span);
                self.exp(a);
                self.exp(i);
            }
            ExpKind::Seq(elements) => self.exps(elements),
            ExpKind::Empty(ty, _) => ty.iter().for_each(|ty| self.ty(ty)),
            ExpKind::Range { start, end, step } => {
                self.library_name("range", exp.span);
                self.exp(start);
                self.exp(end);
                step.iter().for_each(|step| self.exp(step));
            }
            ExpKind::If(c, a, b) => [c, a, b].into_iter().for_each(|e| self.exp(e)),
            ExpKind::Let(bindings, body) => self.bindings(bindings, body),
            ExpKind::Lambda(pattern, body) => {
                let mark = self.entered.len();
                self.bind(self.parameter(pattern), &mut Distinct::default());
                self.marked_lambda(pattern);
                self.exp(body);
                self.leave(mark);
            }
            ExpKind::Each { body, generators, test, .. } => {
                self.each(generators, test.as_deref(), body.as_deref());
            }
        }
    }
    fn exps(&mut self, exps: &[Exp]) {
        exps.iter().for_each(|e| self.exp(e));
    }
    /// Whether a name has a meaning here, or will have one.
    fn knows(&self, name: &str) -> bool {
        self.locals.get(name).is_some_and(|&n| n > 0)
            || self.own == Some(name)
            || self.view.scope.lookup(name, self.view.version).is_some()
            || (self.view.later)(name)
    }
    fn bindings(&mut self, bindings: &[(Pattern, Exp)], body: &Exp) {
        let mark = self.entered.len();
        for (pattern, value) in bindings {
            if let Some((name, parameters)) = self.defined(pattern) {
                self.found.errors.push(errors::local_function(name));
                self.function(name, parameters, value);
                continue;
            }
            self.exp(value);
            self.bind(pattern, &mut Distinct::default());
        }
        self.exp(body);
        self.leave(mark);
    }
    fn each(&mut self, generators: &[Generator], test: Option<&Exp>, body: Option<&Exp>) {
        let before = self.coming.len();
        generators.iter().for_each(|g| names_of(&g.pattern, &mut self.coming));
        generators.iter().for_each(|g| self.exp(&g.source));
        self.coming.truncate(before);
        let mark = self.entered.len();
        let mut bound = Distinct::default();
        generators.iter().for_each(|g| self.bind(&g.pattern, &mut bound));
        test.into_iter().chain(body).for_each(|e| self.exp(e));
        self.leave(mark);
    }

    fn bind(&mut self, pattern: &Pattern, bound: &mut Distinct) {
        match &pattern.kind {
            PatternKind::Name(name) => self.bind_name(name, pattern.span, bound),
            PatternKind::Wildcard => {}
            PatternKind::Pair(a, b) => {
                self.bind(a, bound);
                self.bind(b, bound);
            }
            PatternKind::Construct(name, fields) => {
                let data = self.view.scope.constructor(&name.text, self.view.version);
                self.found.types.push((name.text.clone(), data));
                if data.is_none() {
                    self.unknown_constructor(name);
                }
                self.bind(fields, bound);
            }
            PatternKind::Invalid(why) => {
                self.found.errors.push(errors::invalid_pattern(pattern.span, why));
            }
        }
    }
    /// The function that a pattern would define in another language: a name that is no datatype,
    /// before parameters.
    fn defined<'p>(&self, pattern: &'p Pattern) -> Option<(&'p Name, &'p Pattern)> {
        let PatternKind::Construct(name, parameters) = &pattern.kind else { return None };
        if name.text == "rec" && matches!(parameters.kind, PatternKind::Construct(..)) {
            return self.defined(parameters);
        }
        let known = self.view.scope.constructor(&name.text, self.view.version).is_some();
        let near = nearest(&name.text, self.view.scope.data_names(self.view.version));
        (!known && near.is_none()).then_some((name, parameters))
    }
    /// Goes over such a definition.  All its names are bound for what follows, too: whichever was
    /// meant, a use of them is no mistake of its own.
    fn function(&mut self, name: &Name, parameters: &Pattern, body: &Exp) {
        self.bind(parameters, &mut Distinct::default());
        self.bind_name(&name.text, name.span, &mut Distinct::default());
        self.exp(body);
    }
    fn bind_name(&mut self, name: &str, span: Span, bound: &mut Distinct) {
        if let Some(first) = bound.insert(name.to_string(), span) {
            self.found.errors.push(errors::bound_twice(name, first, span));
        }
        *self.locals.entry(name.to_string()).or_default() += 1;
        self.entered.push(name.to_string());
    }
    fn leave(&mut self, mark: usize) {
        for name in self.entered.drain(mark..) {
            self.locals.entry(name).and_modify(|n| *n -= 1);
        }
    }

    fn name(&mut self, name: &str, span: Span) {
        let local = self.locals.get(name).is_some_and(|&n| n > 0);
        if local || self.own == Some(name) || !self.noted.insert(name.to_string()) {
            return;
        }
        let view = self.view;
        match view.scope.lookup(name, view.version) {
            Some(Meaning::Waiting(_)) if self.own.is_none() => {
                self.found.errors.push(errors::still_waiting(name, span));
            }
            Some(_) => self.free(name, span),
            None if self.own.is_some() && (view.later)(name) => self.free(name, span),
            None => self.unknown_name(name, span),
        }
    }
    /// A function behind an operator.  Only while the library is read it may be a later one.
    fn library_name(&mut self, name: &str, span: Span) {
        if self.view.scope.in_library() && self.own != Some(name) && self.noted.insert(name.into())
        {
            self.free(name, span);
        }
    }
    fn free(&mut self, name: &str, span: Span) {
        self.found.free.push(Name { text: name.to_string(), span });
    }

    fn signature(&mut self, ty: &Type, classes: &[ClassBound]) {
        for bound in classes {
            if Class::parse(&bound.class.text).is_none() {
                let near = nearest(&bound.class.text, CLASS_NAMES.into_iter());
                self.found.errors.push(errors::unknown_class(&bound.class, near));
            }
            self.type_variables.push(bound.var.text.clone());
        }
        self.ty(ty);
    }
    fn ty(&mut self, ty: &Type) {
        match &ty.kind {
            TypeKind::Name(name, arguments) => {
                self.type_name(name);
                arguments.iter().for_each(|t| self.ty(t));
            }
            TypeKind::Seq(t) => self.ty(t),
            TypeKind::Pair(a, b) | TypeKind::Function(a, b) => {
                self.ty(a);
                self.ty(b);
            }
        }
    }
    fn type_name(&mut self, name: &Name) {
        if BASE_NAMES.contains(&name.text.as_str()) {
            return;
        }
        let data = self.view.scope.data(&name.text, self.view.version);
        self.found.types.push((name.text.clone(), data));
        let known = self.type_variables.contains(&name.text) || data.is_some();
        if !known && self.own_type == Some(&name.text) {
            self.found.errors.push(errors::contains_itself(name));
        } else if !known && self.noted_types.insert(name.text.clone()) {
            let datas = self.view.scope.data_names(self.view.version);
            let near = nearest(&name.text, BASE_NAMES.into_iter().chain(datas));
            self.found.errors.push(errors::unknown_type(name, near));
        }
    }

    fn unknown_name(&mut self, name: &str, span: Span) {
        if self.foreign {
            return;
        }
        self.foreign = errors::foreign::is_control(name);
        if name == "where" && !self.coming.is_empty() {
            return self.found.errors.push(errors::marked_test(name, span));
        }
        let why = if self.coming.iter().any(|coming| coming == name) {
            Some((
                "the names of generators have values in the test and in the body only",
                "a test stands behind `|`: `{x in s | x > 0}`",
            ))
        } else if (self.view.later)(name) {
            let help = "move the definition before its use";
            Some(("it is defined later in this text", help))
        } else {
            None
        };
        if let Some((why, help)) = why {
            return self.found.errors.push(errors::unknown_here(name, span, why, help));
        }
        if self.view.missing.contains(name) {
            // A look at all other names would take time for what nobody misspelt.
            return self.found.errors.push(errors::unknown_name(name, span, None));
        }
        let mut locals: Vec<&str> =
            self.locals.iter().filter(|(_, n)| **n > 0).map(|(name, _)| name.as_str()).collect();
        locals.sort_unstable();
        let globals = self.view.scope.names(self.view.version);
        let near = nearest(name, locals.into_iter().chain(self.own).chain(globals));
        self.found.errors.push(errors::unknown_name(name, span, near));
    }
    fn unknown_constructor(&mut self, name: &Name) {
        let near = nearest(&name.text, self.view.scope.data_names(self.view.version));
        self.found.errors.push(errors::unknown_constructor(name, near));
    }
}

/// The names that a pattern binds.
fn names_of(pattern: &Pattern, names: &mut Vec<String>) {
    pattern.walk(&mut |part| {
        if let PatternKind::Name(name) = &part.kind {
            names.push(name.clone());
        }
    });
}

/// The base types as written.
pub(crate) const BASE_NAMES: [&str; 4] = ["int", "float", "bool", "char"];

const CLASS_NAMES: [&str; 5] = ["any", "number", "ordinal", "logical", "scalar"];

/// The functions of the library that an operator stands for, applied from right to left: most are
/// primitives that have the operator's own name.
pub(crate) fn operator_functions(sign: &str) -> &'static [&'static str] {
    match sign {
        "->" => &["get"],
        "<-" => &["write"],
        "^" => &["power"],
        "||" => &["pad_string"],
        "nand" => &["not", "and"],
        "nor" => &["not", "or"],
        "and" => &["and"],
        "or" => &["or"],
        "xor" => &["xor"],
        "negate" => &["negate"],
        "#" => &["#"],
        "@" => &["@"],
        "++" => &["++"],
        "+" => &["+"],
        "-" => &["-"],
        "*" => &["*"],
        "/" => &["/"],
        "==" => &["=="],
        "/=" => &["/="],
        "<" => &["<"],
        ">" => &[">"],
        "<=" => &["<="],
        ">=" => &[">="],
        _ => &[],
    }
}
