//! What is known of names: their types and documentation.

use super::Session;
use base::{Code, Diagnostic, Span};
use rustc_hash::FxHashSet;
use stdlib::{Doc, TOPICS, Topic, documentation};
use types::{nearest, show_scheme};

/// What is known of a name, or of an operator.
#[derive(Clone, Debug)]
pub struct Described {
    /// The name.
    pub name: String,
    /// Its type as shown.
    pub ty: String,
    /// What is documented.
    pub doc: Option<Doc>,
    /// Whether calling it has an effect (LANGUAGE 12).
    pub effect: bool,
    /// Where it was defined.
    pub span: Span,
}

impl Described {
    /// `name : type`.
    pub fn signature(&self) -> String {
        format!("{} : {}", self.name, self.ty)
    }
}

impl Session {
    /// What is known of a name, or of an operator.
    pub fn described(&self, name: &str) -> Option<Described> {
        let program = &self.checker.program;
        let definition = &program.globals[self.checker.lookup(name)?];
        Some(Described {
            name: name.to_owned(),
            ty: show_scheme(program, &definition.scheme),
            doc: documentation(name, definition),
            effect: definition.effect,
            span: definition.span,
        })
    }

    /// The names in scope, and behind them the operators.
    pub fn names_and_operators(&self) -> impl Iterator<Item = &str> {
        let names: FxHashSet<&str> = self.checker.names().collect();
        let library = TOPICS.iter().flat_map(Topic::names).map(|name| -> &str { name });
        self.checker.names().chain(library.filter(move |name| !names.contains(name)))
    }

    /// What is known of the names that are not the library's, in the order of their definition.
    pub fn own_names(&self) -> impl Iterator<Item = Described> {
        let own = self.checker.names().filter(|name| {
            let global = self.checker.lookup(name);
            global.is_some_and(|global| !self.checker.program.globals[global].library)
        });
        own.filter_map(|name| self.described(name))
    }

    /// An error of a run, with what is known of the place where it arose.
    pub(super) fn with_advice(&self, error: Diagnostic) -> Diagnostic {
        let error = self.with_domain(error);
        let source = |span: Span| {
            let text = &self.files.file(span.file).text;
            text.get(span.start as usize..span.end as usize).unwrap_or_default()
        };
        let place = error.primary.as_ref().filter(|_| error.code == Code::Length);
        // Of an apply-to-each only the generators have lengths that have to fit.
        if place.is_some_and(|label| source(label.span).starts_with(b"{")) {
            return error.help(
                "generators go through their sequences together; all pairs are \
                 `{{x * y : y in b} : x in a}`",
            );
        }
        error
    }

    /// An error about an argument outside a domain, with what the library says of the function.
    fn with_domain(&self, error: Diagnostic) -> Diagnostic {
        let said = error.primary.as_ref().filter(|_| error.code == Code::Domain);
        let said = said.and_then(|label| self.domain(label.span));
        match said {
            Some(said) => error.note(said),
            None => error,
        }
    }

    /// What the library says of the function or operator that is applied there.
    fn domain(&self, call: Span) -> Option<String> {
        let text = self.files.file(call.file).text.get(call.start as usize..call.end as usize)?;
        let text = std::str::from_utf8(text).ok()?;
        let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
        let names = [&text[..end], "^"];
        names.into_iter().find_map(|name| {
            let global = self.checker.lookup(name)?;
            let library = self.checker.program.globals[global].library;
            let doc = self.described(name).filter(|_| library)?.doc?;
            let said = doc.text.replace('\n', " ");
            let (_, when) = said.split_once("fails (domain) ")?;
            let when = when.split(';').next()?;
            let head = said.split_once(": ").map(|(head, _)| head);
            let head = head.filter(|head| head.contains(name) && head.len() < 20);
            let head = head.unwrap_or(name);
            text.contains(name).then(|| format!("`{head}` fails {when}"))
        })
    }

    /// The name that is nearest to another, if one is near enough.
    pub fn nearest(&self, name: &str) -> Option<&str> {
        nearest(name, self.checker.names())
    }
}
