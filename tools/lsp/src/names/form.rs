//! The names of one form, before it is known what those that it does not bind stand for.
//!
//! They depend on the text of the form alone, so that they are kept while it stays as it is.

use super::SymbolKind;
use base::Span;
use std::sync::Arc;
use syntax::ast::{
    CommandArg, Exp, ExpKind, Form, FormKind, Name, Pattern, PatternKind, Type, TypeKind,
};
use syntax::scopes::{self, Binder, Binding, Visitor};

/// What a form without a name binds; it is nobody's to rename.
const RESULT: &str = "it";

/// A local name of a form, by its number.
pub(super) type Local = u32;

/// Definitions and uses of names in a form, in the order of scopes.
pub(crate) struct FormNames {
    /// The form when its names were found.
    pub(super) form: Span,
    /// The function that it defines or declares, and where it is named.
    pub(super) function: Option<(Arc<str>, Span)>,
    /// True if it defines the function.
    pub(super) has_body: bool,
    pub(super) events: Vec<Event>,
}

/// A step over the names of a form.
pub(super) enum Event {
    /// The next local name is bound.
    Bind { name: Arc<str>, kind: SymbolKind, span: Span, scope: Span },
    /// An optional parameter of the form's function.
    Optional { name: Arc<str>, span: Span },
    /// A local name is used.
    Local { local: Local, span: Span },
    /// Another name is used.
    Free { name: Arc<str>, span: Span },
    /// An argument is given by name, perhaps to a name that is not local.
    Named { function: Option<Arc<str>>, name: Arc<str>, span: Span },
    /// A type is written.
    Type { name: Arc<str>, span: Span },
    /// The form defines a name at the top level.
    Define { name: Arc<str>, kind: SymbolKind, span: Span },
    /// The form loads a text that is named there.
    Load { span: Span },
}

impl FormNames {
    /// The names of a form of a text.
    pub(crate) fn of(text: &str, form: &Form) -> FormNames {
        let mut walk = Walk { text, events: Vec::new(), locals: Vec::new(), bound: 0 };
        let (mut function, mut has_body) = (None, false);
        if let FormKind::Function(defined) = &form.kind {
            let name = &defined.name;
            function = Some((Arc::from(name.text.as_str()), name.span));
            has_body = defined.body.is_some();
        }
        scopes::walk(form, &mut walk);
        match &form.kind {
            FormKind::Datatype(datatype) => {
                walk.define(&datatype.name.text, datatype.name.span, SymbolKind::Datatype);
            }
            FormKind::Binding(pattern, _) => walk.define_all(pattern),
            FormKind::Command(word, arguments) if word.text == "describe" => {
                for argument in arguments {
                    if let CommandArg::Name(name) = argument {
                        walk.used(name);
                    }
                }
            }
            FormKind::Command(word, arguments) if word.text == "load" => {
                let span = arguments.first().map(CommandArg::span);
                walk.events.extend(span.map(|span| Event::Load { span }));
            }
            FormKind::Function(_)
            | FormKind::Exp(_)
            | FormKind::Command(..)
            | FormKind::Error(_) => {}
        }
        FormNames { form: form.span, function, has_body, events: walk.events }
    }
}

/// A walk over a form.
struct Walk<'a> {
    text: &'a str,
    events: Vec<Event>,
    /// The names in scope, innermost last; none of them is that outside of the form.
    locals: Vec<(Arc<str>, Option<Local>)>,
    /// How many local names were bound.
    bound: Local,
}

impl Walk<'_> {
    /// The text of a name, and what it stands for if it is local.
    fn lookup(&self, name: &str) -> (Arc<str>, Option<Local>) {
        let found = self.locals.iter().rev().find(|(local, _)| **local == *name);
        found.cloned().unwrap_or_else(|| (Arc::from(name), None))
    }
    fn meet(&mut self, Name { text, span }: &Name) {
        let (name, local) = self.lookup(text);
        self.events.push(match local {
            Some(local) => Event::Local { local, span: *span },
            None => Event::Free { name, span: *span },
        });
    }
    fn bind(&mut self, name: Arc<str>, event: Event) {
        self.locals.push((name, Some(self.bound)));
        self.bound += 1;
        self.events.push(event);
    }
    fn define(&mut self, name: &str, span: Span, kind: SymbolKind) {
        if name != RESULT {
            self.events.push(Event::Define { name: Arc::from(name), kind, span });
        }
    }
    fn define_all(&mut self, pattern: &Pattern) {
        match &pattern.kind {
            PatternKind::Name(name) => {
                self.define(name, self.exact(name, pattern.span), SymbolKind::Value);
            }
            PatternKind::Pair(a, b) => {
                self.define_all(a);
                self.define_all(b);
            }
            PatternKind::Construct(constructor, fields) => {
                self.meet(constructor);
                self.define_all(fields);
            }
            PatternKind::Wildcard | PatternKind::Invalid(_) => {}
        }
    }
    /// The place of the name in a span that may have parentheses around it, too.
    fn exact(&self, name: &str, span: Span) -> Span {
        let written = &self.text[span.start as usize..span.end as usize];
        let mut rest = written;
        while let Some(first) = rest.chars().next() {
            rest = match first {
                '%' => rest[1..].split_once('%').map_or("", |(_, behind)| behind),
                '(' => &rest[1..],
                _ if first.is_ascii_whitespace() => &rest[1..],
                _ => break,
            };
        }
        let start = span.start + (written.len() - rest.len()) as u32;
        Span::new(span.file, start, start + name.len() as u32)
    }
}

impl<'a> Visitor<'a> for Walk<'_> {
    fn used(&mut self, name: &'a Name) {
        self.meet(name);
    }
    fn constructor(&mut self, name: &'a Name) {
        self.meet(name);
    }
    fn named(&mut self, function: &'a Exp, name: &'a Name) {
        let function = match &function.kind {
            ExpKind::Name(function) => match self.lookup(&function.text) {
                (function, None) => Some(function),
                (_, Some(_)) => None,
            },
            _ => None,
        };
        self.events.push(Event::Named { function, name: Arc::from(&*name.text), span: name.span });
    }
    fn bound(&mut self, written: &'a str, span: Span, binding: &Binding) {
        let name: Arc<str> = Arc::from(written);
        let kind = match binding.binder {
            Binder::Parameter => SymbolKind::Parameter,
            Binder::Let => SymbolKind::Let,
            Binder::Element { .. } => SymbolKind::Element,
            Binder::Optional => return self.bind(name.clone(), Event::Optional { name, span }),
            // One name that is written once.
            Binder::Itself => return self.locals.push(self.lookup(written)),
        };
        let (span, scope) = (self.exact(written, span), binding.scope);
        self.bind(name.clone(), Event::Bind { name, kind, span, scope });
    }
    fn left(&mut self, count: usize) {
        self.locals.truncate(self.locals.len() - count);
    }
    fn ty(&mut self, ty: &'a Type) {
        match &ty.kind {
            TypeKind::Name(name, arguments) => {
                self.events.push(Event::Type { name: Arc::from(&*name.text), span: name.span });
                arguments.iter().for_each(|ty| self.ty(ty));
            }
            TypeKind::Seq(ty) => self.ty(ty),
            TypeKind::Pair(a, b) | TypeKind::Function(a, b) => {
                self.ty(a);
                self.ty(b);
            }
        }
    }
}
