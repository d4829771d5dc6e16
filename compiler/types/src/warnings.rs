//! Warnings about programs without errors: local names without uses, and names that hide another.
//!
//! ```text
//! function mean(s, n) = let total = sum(s) in sum(s) / #s;     `n`, `total` are not used
//! function inner(a, b) = {{a * b : a in row} : row in b};      the inner `a` hides the parameter
//! ```
//!
//! Names that begin with `_` may go unused.  A name may hide the one that its own value is made
//! from, as in `let s = trimmed(s) in ...` and `{x : x in x}`: it is the same thing, one step
//! later.  Names of the top level are for other texts, too, and local names may hide those.

use base::{Code, Diagnostic, Span};
use syntax::ast::{Exp, ExpKind, Form, FormKind, Function, Generator, Pattern, PatternKind};

/// The warnings about a form without errors, in the order of the text.
pub fn warnings(form: &Form) -> Vec<Diagnostic> {
    let mut walk = Walk { bound: Vec::new(), uses: Vec::new(), found: Vec::new() };
    match &form.kind {
        FormKind::Function(function) => walk.function(function),
        FormKind::Binding(_, exp) | FormKind::Exp(exp) => walk.exp(exp),
        FormKind::Datatype(_) | FormKind::Command(..) | FormKind::Error(_) => {}
    }
    walk.found.sort_by_key(|(span, warning)| (*span, warning.code));
    walk.found.into_iter().map(|(_, warning)| warning).collect()
}

/// The construct that binds a name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Binder {
    /// A pattern, in which `_` may stand instead.
    Pattern,
    /// An optional parameter, which has a name for its callers.
    Optional,
    /// `{v}`, which stands for `{v in v}`.
    Itself,
}

struct Bound<'a> {
    name: &'a str,
    span: Span,
    binder: Binder,
    used: bool,
}

/// A walk in the order of scopes.
struct Walk<'a> {
    /// Local names, innermost last.
    bound: Vec<Bound<'a>>,
    /// The names that were used so far.
    uses: Vec<&'a str>,
    found: Vec<(Span, Diagnostic)>,
}

impl<'a> Walk<'a> {
    fn function(&mut self, function: &'a Function) {
        // A declaration has no use for its parameters.
        let Some(body) = &function.body else { return };
        function.optional.iter().for_each(|(_, default)| self.exp(default));
        self.bind(&function.param, Binder::Pattern, self.uses.len());
        for (name, _) in &function.optional {
            self.name(&name.text, name.span, Binder::Optional, self.uses.len());
        }
        self.exp(body);
        self.leave(0);
    }

    fn exp(&mut self, exp: &'a Exp) {
        match &exp.kind {
            ExpKind::Name(name) => self.used(&name.text),
            ExpKind::Pair(a, b) | ExpKind::Subscript(a, b) => {
                self.exp(a);
                self.exp(b);
            }
            ExpKind::Operator(_, parts) | ExpKind::Seq(parts) => {
                parts.iter().for_each(|part| self.exp(part));
            }
            ExpKind::Apply { function, argument, optional } => {
                self.exp(function);
                self.exp(argument);
                optional.iter().for_each(|(_, value)| self.exp(value));
            }
            ExpKind::Range { start, end, step } => {
                self.exp(start);
                self.exp(end);
                step.iter().for_each(|step| self.exp(step));
            }
            ExpKind::If(c, a, b) => [c, a, b].into_iter().for_each(|part| self.exp(part)),
            ExpKind::Let(bindings, body) => {
                let mark = self.bound.len();
                for (pattern, value) in bindings {
                    let uses = self.uses.len();
                    self.exp(value);
                    self.bind(pattern, Binder::Pattern, uses);
                }
                self.exp(body);
                self.leave(mark);
            }
            ExpKind::Lambda(pattern, body) => {
                let mark = self.bound.len();
                self.bind(pattern, Binder::Pattern, self.uses.len());
                self.exp(body);
                self.leave(mark);
            }
            ExpKind::Each { body, generators, test, .. } => {
                self.each(generators, test.as_deref(), body.as_deref());
            }
            ExpKind::Int(_)
            | ExpKind::Float(_)
            | ExpKind::Bool(_)
            | ExpKind::Char(_)
            | ExpKind::Str(_)
            | ExpKind::Empty(..)
            | ExpKind::Wildcard => {}
        }
    }
    fn each(&mut self, generators: &'a [Generator], test: Option<&'a Exp>, body: Option<&'a Exp>) {
        let uses = self.uses.len();
        generators.iter().for_each(|generator| self.exp(&generator.source));
        let mark = self.bound.len();
        for (place, Generator { pattern, source }) in generators.iter().enumerate() {
            let itself = pattern.span == source.span;
            let binder = if itself { Binder::Itself } else { Binder::Pattern };
            let first = self.bound.len();
            self.bind(pattern, binder, uses);
            if place == 0 && body.is_none() {
                // The elements of the first source are the result.
                self.bound[first..].iter_mut().for_each(|bound| bound.used = true);
            }
        }
        test.into_iter().chain(body).for_each(|exp| self.exp(exp));
        self.leave(mark);
    }

    fn used(&mut self, name: &'a str) {
        self.uses.push(name);
        if let Some(bound) = self.bound.iter_mut().rev().find(|bound| bound.name == name) {
            bound.used = true;
        }
    }
    /// Binds the names of a pattern; the uses from `value` on are those of its value.
    fn bind(&mut self, pattern: &'a Pattern, binder: Binder, value: usize) {
        match &pattern.kind {
            PatternKind::Name(name) => self.name(name, pattern.span, binder, value),
            PatternKind::Pair(a, b) => {
                self.bind(a, binder, value);
                self.bind(b, binder, value);
            }
            PatternKind::Construct(_, fields) => self.bind(fields, binder, value),
            PatternKind::Wildcard | PatternKind::Invalid(_) => {}
        }
    }
    fn name(&mut self, name: &'a str, span: Span, binder: Binder, value: usize) {
        let hidden = self.bound.iter().rev().find(|bound| bound.name == name);
        if let Some(hidden) = hidden
            && !name.starts_with('_')
            && !self.uses[value..].contains(&name)
        {
            self.found.push((span, shadowed(name, span, hidden.span)));
        }
        self.bound.push(Bound { name, span, binder, used: false });
    }
    fn leave(&mut self, mark: usize) {
        for Bound { name, span, binder, used } in self.bound.drain(mark..) {
            if !used && !name.starts_with('_') && binder != Binder::Itself {
                self.found.push((span, unused(name, span, binder)));
            }
        }
    }
}

/// The warning about a local name without uses.
fn unused(name: &str, span: Span, binder: Binder) -> Diagnostic {
    let warning = Diagnostic::of(Code::UnusedName, format!("`{name}` is not used")).label(span, "");
    match binder {
        Binder::Pattern => warning.suggest(span, "_", "write `_` for what is not needed"),
        Binder::Optional | Binder::Itself => warning.help("leave it out"),
    }
}

/// A name that hides another one of the same function.
fn shadowed(name: &str, span: Span, hidden: Span) -> Diagnostic {
    Diagnostic::of(Code::ShadowedName, format!("`{name}` hides another `{name}`"))
        .label(span, "")
        .also(hidden, "this one is hidden")
        .help("use different names")
}
