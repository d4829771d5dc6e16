//! A walk over a form in the order of its scopes (LANGUAGE 4): which names it binds, how long they
//! last, and which it uses.
//!
//! ```text
//! function f(a) = let b = g(a) in b;      bound a, used g a, bound b, used b, left b, left a
//! ```
//!
//! Whoever asks what a name stands for, or whether it is used, is a [`Visitor`] of this walk.

use crate::ast::Type;
use crate::ast::{Exp, ExpKind, Form, FormKind, Function, Generator, Name, Pattern, PatternKind};
use base::Span;

/// How a name is bound.
#[derive(Clone, Copy, Debug)]
pub struct Binding {
    /// By what.
    pub binder: Binder,
    /// The scope of the name.
    pub scope: Span,
    /// How many names were used before the value that it is bound to.
    pub since: usize,
}

/// The construct that binds a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Binder {
    /// The parameter of a function or function value.
    Parameter,
    /// An optional parameter.
    Optional,
    /// A `let`.
    Let,
    /// A generator.
    Element {
        /// True if the elements are the result.
        is_result: bool,
    },
    /// `{v}`, which stands for `{v in v}`.
    Itself,
}

/// A visitor of the names of a form, in the order of scopes.
pub trait Visitor<'a> {
    /// A name is bound by a pattern that is written there.
    fn bound(&mut self, name: &'a str, written: Span, binding: &Binding);
    /// So many of the names that were bound last go out of scope.
    fn left(&mut self, count: usize);
    /// A name is used as a value.
    fn used(&mut self, name: &'a Name);
    /// A name is used as a constructor in a pattern.
    fn constructor(&mut self, _name: &'a Name) {}
    /// An argument is given to a function by the name of a parameter.
    fn named(&mut self, _function: &'a Exp, _name: &'a Name) {}
    /// A type is written.
    fn ty(&mut self, _ty: &'a Type) {}
}

/// Walks over a form; top-level patterns bind nothing here.
pub fn walk<'a>(form: &'a Form, visitor: &mut impl Visitor<'a>) {
    let mut walk = Walk { visitor, bound: 0, used: 0 };
    match &form.kind {
        FormKind::Function(function) => walk.function(function, form.span),
        FormKind::Binding(_, exp) | FormKind::Exp(exp) => walk.exp(exp),
        FormKind::Datatype(datatype) => walk.visitor.ty(&datatype.fields),
        FormKind::Command(..) | FormKind::Error(_) => {}
    }
}

struct Walk<'v, V> {
    visitor: &'v mut V,
    /// How many names are in scope.
    bound: usize,
    /// How many names were used.
    used: usize,
}

impl<V> Walk<'_, V> {
    fn function<'a>(&mut self, function: &'a Function, scope: Span)
    where
        V: Visitor<'a>,
    {
        function.optional.iter().for_each(|(_, default)| self.exp(default));
        if let Some((ty, _)) = &function.ty {
            self.visitor.ty(ty);
        }
        let since = self.used;
        self.bind(&function.param, &Binding { binder: Binder::Parameter, scope, since });
        for (name, _) in &function.optional {
            let binding = Binding { binder: Binder::Optional, scope, since };
            self.name(&name.text, name.span, &binding);
        }
        function.body.iter().for_each(|body| self.exp(body));
        self.leave(0);
    }
    fn exp<'a>(&mut self, exp: &'a Exp)
    where
        V: Visitor<'a>,
    {
        match &exp.kind {
            ExpKind::Name(name) => {
                self.used += 1;
                self.visitor.used(name);
            }
            ExpKind::Apply { function, argument, optional } => {
                self.exp(function);
                self.exp(argument);
                for (name, value) in optional {
                    self.exp(value);
                    self.visitor.named(function, name);
                }
            }
            ExpKind::Empty(ty, _) => ty.iter().for_each(|ty| self.visitor.ty(ty)),
            ExpKind::Let(bindings, body) => {
                let mark = self.bound;
                for (pattern, value) in bindings {
                    let since = self.used;
                    self.exp(value);
                    let scope = Span { start: value.span.end, ..exp.span };
                    self.bind(pattern, &Binding { binder: Binder::Let, scope, since });
                }
                self.exp(body);
                self.leave(mark);
            }
            ExpKind::Lambda(pattern, body) => {
                let (mark, since, scope) = (self.bound, self.used, exp.span);
                self.bind(pattern, &Binding { binder: Binder::Parameter, scope, since });
                self.exp(body);
                self.leave(mark);
            }
            ExpKind::Each { body, generators, test, .. } => {
                let inside = [test, body].into_iter().flatten();
                let is_result = body.is_none();
                self.each(generators, is_result, exp.span, inside);
            }
            _ => exp.parts(&mut |part| self.exp(part)),
        }
    }
    fn each<'a>(
        &mut self,
        generators: &'a [Generator],
        is_result: bool,
        scope: Span,
        inside: impl Iterator<Item = &'a Box<Exp>>,
    ) where
        V: Visitor<'a>,
    {
        let since = self.used;
        generators.iter().for_each(|generator| self.exp(&generator.source));
        let mark = self.bound;
        for (place, Generator { pattern, source }) in generators.iter().enumerate() {
            let binder = match pattern.span == source.span {
                true => Binder::Itself,
                // Without a body the elements of the first source are the result.
                false => Binder::Element { is_result: is_result && place == 0 },
            };
            self.bind(pattern, &Binding { binder, scope, since });
        }
        inside.for_each(|exp| self.exp(exp));
        self.leave(mark);
    }
    fn bind<'a>(&mut self, pattern: &'a Pattern, binding: &Binding)
    where
        V: Visitor<'a>,
    {
        match &pattern.kind {
            PatternKind::Name(name) => self.name(name, pattern.span, binding),
            PatternKind::Pair(a, b) => {
                self.bind(a, binding);
                self.bind(b, binding);
            }
            PatternKind::Construct(constructor, fields) => {
                self.visitor.constructor(constructor);
                self.bind(fields, binding);
            }
            PatternKind::Wildcard | PatternKind::Invalid(_) => {}
        }
    }
    fn name<'a>(&mut self, name: &'a str, written: Span, binding: &Binding)
    where
        V: Visitor<'a>,
    {
        self.bound += 1;
        self.visitor.bound(name, written, binding);
    }
    fn leave<'a>(&mut self, mark: usize)
    where
        V: Visitor<'a>,
    {
        self.visitor.left(self.bound - mark);
        self.bound = mark;
    }
}
