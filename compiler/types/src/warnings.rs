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
use syntax::ast::{Form, FormKind, Name};
use syntax::scopes::{self, Binder, Binding, Visitor};

/// The warnings about a form without errors, in the order of the text.
pub fn warnings(form: &Form) -> Vec<Diagnostic> {
    // A declaration has no use for its parameters.
    if matches!(&form.kind, FormKind::Function(function) if function.body.is_none()) {
        return Vec::new();
    }
    let mut locals = Locals { bound: Vec::new(), uses: Vec::new(), found: Vec::new() };
    scopes::walk(form, &mut locals);
    locals.found.sort_by_key(|(span, warning)| (*span, warning.code));
    locals.found.into_iter().map(|(_, warning)| warning).collect()
}

struct Bound<'a> {
    name: &'a str,
    span: Span,
    binder: Binder,
    used: bool,
}

/// The local names of a form.
struct Locals<'a> {
    /// The names in scope, innermost last.
    bound: Vec<Bound<'a>>,
    /// The names that were used so far.
    uses: Vec<&'a str>,
    found: Vec<(Span, Diagnostic)>,
}

impl<'a> Visitor<'a> for Locals<'a> {
    fn used(&mut self, name: &'a Name) {
        self.uses.push(&name.text);
        if let Some(bound) = self.bound.iter_mut().rev().find(|bound| bound.name == name.text) {
            bound.used = true;
        }
    }
    fn bound(&mut self, name: &'a str, span: Span, binding: &Binding) {
        let hidden = self.bound.iter().rev().find(|bound| bound.name == name);
        if let Some(hidden) = hidden
            && !name.starts_with('_')
            && !self.uses[binding.since..].contains(&name)
        {
            self.found.push((span, shadowed(name, span, hidden.span)));
        }
        let binder = binding.binder;
        let used = matches!(binder, Binder::Itself | Binder::Element { is_result: true });
        self.bound.push(Bound { name, span, binder, used });
    }
    fn left(&mut self, count: usize) {
        for Bound { name, span, binder, used } in self.bound.drain(self.bound.len() - count..) {
            if !used && !name.starts_with('_') {
                self.found.push((span, unused(name, span, binder)));
            }
        }
    }
}

/// The warning about a local name without uses.
fn unused(name: &str, span: Span, binder: Binder) -> Diagnostic {
    let warning = Diagnostic::of(Code::UnusedName, format!("`{name}` is not used")).label(span, "");
    match binder {
        // It has a name for its callers.
        Binder::Optional => warning.help("leave it out"),
        Binder::Parameter | Binder::Let | Binder::Element { .. } | Binder::Itself => {
            warning.suggest(span, "_", "write `_` for what is not needed")
        }
    }
}

/// A name that hides another one of the same function.
fn shadowed(name: &str, span: Span, hidden: Span) -> Diagnostic {
    Diagnostic::of(Code::ShadowedName, format!("`{name}` hides another `{name}`"))
        .label(span, "")
        .also(hidden, "this one is hidden")
        .help("use different names")
}
