//! Expressions (LANGUAGE 5.2).

use super::{Infer, typed};
use crate::errors::{self, Why, grouping};
use crate::graph::{Node, placed, placeholder};
use crate::scope::Meaning;
use crate::tree::{Binding, Exp, ExpKind, Global, PatternKind};
use crate::ty::{Base, Class};
use base::Span;
use prim::Const;
use std::sync::Arc;
use syntax::ast;

impl Infer<'_> {
    pub(super) fn exp(&mut self, exp: &ast::Exp) -> Exp {
        let span = exp.span;
        match &exp.kind {
            ast::ExpKind::Int(n) => self.number(Const::I64(*n), span),
            ast::ExpKind::Float(x) => self.number(Const::F64(*x), span),
            ast::ExpKind::Bool(b) => self.constant(Const::Bool(*b), span),
            ast::ExpKind::Char(c) => self.constant(Const::Char(*c), span),
            ast::ExpKind::Str(text) => self.string(text, span),
            ast::ExpKind::Name(name) => self.name(&name.text, span),
            // Reported with the names.
            ast::ExpKind::Wildcard => self.failed(span),
            ast::ExpKind::Pair(a, b) => {
                let a = self.exp(a);
                let b = self.exp(b);
                self.pair(a, b, span)
            }
            ast::ExpKind::Operator(operator, operands) => self.operator(operator, operands, span),
            ast::ExpKind::Apply { function, argument, optional } => {
                self.application(function, argument, optional, span)
            }
            ast::ExpKind::Subscript(a, i) => {
                let a = self.applied(a, exp.span);
                let i = self.exp(i);
                self.library_call("elt", vec![(a, Why::Subscripted), (i, Why::Index)], span)
            }
            ast::ExpKind::Seq(elements) => self.sequence(elements, span),
            ast::ExpKind::Empty(ty, brackets) => self.empty(ty.as_ref(), *brackets, span),
            ast::ExpKind::Range { start, end, step } => {
                self.range(start, end, step.as_deref(), span)
            }
            ast::ExpKind::If(c, a, b) => self.conditional([c, a, b], exp),
            ast::ExpKind::Let(bindings, body) => self.bindings(bindings, body, span),
            ast::ExpKind::Lambda(pattern, body) => self.lambda(pattern, body, span),
            ast::ExpKind::Each { serial, body, generators, test } => {
                let parts = super::each::Parts {
                    serial: *serial,
                    body: body.as_deref(),
                    generators,
                    test: test.as_deref(),
                };
                self.each(&parts, span)
            }
        }
    }

    /// Stands for an expression in which an error was reported.
    pub(super) fn failed(&mut self, span: Span) -> Exp {
        let ty = self.graph.error();
        typed(ExpKind::Seq(Vec::new()), ty, span)
    }
    /// A literal, which the program's widths may have no room for.
    fn number(&mut self, value: Const, span: Span) -> Exp {
        let widths = self.program.widths;
        if !widths.holds(value) {
            self.errors.push(errors::number_too_large(value, span));
        }
        self.constant(widths.fit(value), span)
    }
    pub(super) fn constant(&mut self, value: Const, span: Span) -> Exp {
        let ty = self.graph.base(value.ty());
        typed(ExpKind::Const(value), ty, span)
    }
    fn string(&mut self, text: &[u8], span: Span) -> Exp {
        let char = self.graph.base(Base::Char);
        let ty = self.seq(char, span);
        typed(ExpKind::Str(text.to_vec()), ty, span)
    }
    pub(super) fn pair(&mut self, a: Exp, b: Exp, span: Span) -> Exp {
        let ty = self.graph.pair(placed(&a.ty), placed(&b.ty));
        typed(ExpKind::Pair(Box::new(a), Box::new(b)), ty, span)
    }

    fn name(&mut self, name: &str, span: Span) -> Exp {
        if let Some(local) = self.visible(name) {
            let quotient = self.at.quotients.get(&local).copied();
            self.quotients.extend(quotient.map(|quotient| (span, quotient)));
            return self.local_exp(local, span);
        }
        match self.global(name) {
            Some(global) => {
                let quotient = self.tables.quotients.get(&global).copied();
                self.quotients.extend(quotient.map(|quotient| (span, quotient)));
                self.use_of(global, span)
            }
            None => self.failed(span),
        }
    }
    /// The top-level meaning of a name: the function being defined, or what was defined before.
    pub(super) fn global(&self, name: &str) -> Option<Global> {
        if let Some(own) = self.at.own
            && self.members[own].name == name
        {
            return Some(self.members[own].global);
        }
        match self.tables.resolve(self.program, name, self.at.version)? {
            Meaning::Global(global) => Some(global),
            Meaning::Waiting(id) => {
                self.members.iter().find(|m| m.waiting == Some(id)).map(|m| m.global)
            }
        }
    }
    /// A global at new types, or at its one type inside its own unit.
    pub(super) fn use_of(&mut self, global: Global, span: Span) -> Exp {
        let binding = if self.at.own.is_some() { Binding::Latest } else { Binding::Present };
        if let Some(member) = self.members.iter().find(|m| m.global == global) {
            return typed(ExpKind::Global(global, binding, Vec::new()), member.ty, span);
        }
        let tables = self.tables;
        let name = &self.program.globals[global].name;
        // A replacement has the same type, and effects of its own.
        let meaning = self.program.meaning(global, binding);
        let instance = self.graph.instantiate(&tables.polys[meaning], name, span);
        let types = instance.vars.into_iter().map(placeholder).collect();
        typed(ExpKind::Global(global, binding, types), instance.ty, span)
    }

    fn sequence(&mut self, elements: &[ast::Exp], span: Span) -> Exp {
        let mut typed_elements: Vec<Exp> = Vec::with_capacity(elements.len());
        let mut agree = true;
        for element in elements {
            let element = self.exp(element);
            if let Some(first) = typed_elements.first() {
                let (ty, at) = (placed(&first.ty), first.span);
                // Of many that differ from the first, one is told.
                agree = agree && self.expect(&element, ty, &Why::Element(at));
            }
            typed_elements.push(element);
        }
        let (element, at) = match typed_elements.first() {
            Some(first) => (placed(&first.ty), first.span),
            None => (self.graph.error(), span),
        };
        let element = if agree { element } else { self.graph.error() };
        let ty = self.seq(element, at);
        typed(ExpKind::Seq(typed_elements), ty, span)
    }
    fn empty(&mut self, element: Option<&ast::Type>, brackets: Span, span: Span) -> Exp {
        let element = match element {
            Some(ty) => self.written(ty),
            None => {
                let new = self.graph.var(Class::Data);
                self.at.empties.push((brackets, new));
                new
            }
        };
        let ty = self.seq(element, span);
        typed(ExpKind::Seq(Vec::new()), ty, span)
    }
    fn range(
        &mut self,
        start: &ast::Exp,
        end: &ast::Exp,
        step: Option<&ast::Exp>,
        span: Span,
    ) -> Exp {
        let start = self.exp(start);
        let end = self.exp(end);
        let step = match step {
            Some(step) => self.exp(step),
            None => self.constant(Const::I64(1), span),
        };
        let args = [start, end, step].map(|part| (part, Why::Range));
        self.library_call("range", args.into(), span)
    }
    fn conditional(&mut self, [c, a, b]: [&ast::Exp; 3], exp: &ast::Exp) -> Exp {
        let c = self.exp(c);
        let bool = self.graph.base(Base::Bool);
        self.expect(&c, bool, &Why::Condition);
        let a = self.exp(a);
        let b = self.exp(b);
        let mut ty = placed(&a.ty);
        if !self.expect(&b, ty, &Why::Branches(a.span)) {
            if !matches!(self.graph.view(ty), Node::Pair(..)) {
                let greedy = grouping::takes_commas(exp);
                greedy.into_iter().for_each(|greedy| self.explain(greedy));
                self.greedy = greedy.or(self.greedy);
            }
            if [&a, &b].into_iter().any(|branch| self.calls(branch, "error"))
                && let Some(error) = self.errors.last_mut()
            {
                errors::explain_failing(error);
            }
            // Either branch may be the wrong one.
            ty = self.graph.error();
        }
        typed(ExpKind::If(Box::new(c), Box::new(a), Box::new(b)), ty, exp.span)
    }
    fn bindings(
        &mut self,
        bindings: &[(ast::Pattern, ast::Exp)],
        body: &ast::Exp,
        span: Span,
    ) -> Exp {
        let mark = self.mark();
        let mut typed_bindings = Vec::with_capacity(bindings.len());
        for (pattern, value) in bindings {
            let value = self.exp(value);
            let pattern = self.pattern(pattern);
            self.expect(&value, placed(&pattern.ty), &Why::Pattern(pattern.span));
            if let PatternKind::Local(local) = pattern.kind
                && let Some(quotient) = self.quotients.get(&value.span)
            {
                self.at.quotients.insert(local, *quotient);
            }
            typed_bindings.push((pattern, value));
        }
        let body = self.exp(body);
        self.leave(mark);
        let ty = placed(&body.ty);
        typed(ExpKind::Let(typed_bindings, Box::new(body)), ty, span)
    }
    fn lambda(&mut self, pattern: &ast::Pattern, body: &ast::Exp, span: Span) -> Exp {
        let effect = self.graph.effects.fresh();
        let outside = std::mem::replace(&mut self.at.context, effect);
        let mark = self.mark();
        let pattern = self.pattern(pattern);
        let body = self.exp(body);
        self.leave(mark);
        self.at.context = outside;
        let ty = self.graph.fun(placed(&pattern.ty), effect, placed(&body.ty));
        typed(ExpKind::Lambda(Arc::new(pattern), Arc::new(body)), ty, span)
    }

    /// A library function behind an operator or other notation.
    pub(super) fn library_function(&mut self, name: &str, span: Span) -> Exp {
        let scope = &self.tables.scope;
        let meaning = if scope.in_library() {
            self.global(name)
        } else {
            match scope.library_function(name) {
                Some(Meaning::Global(global)) => Some(global),
                _ => None,
            }
        };
        match meaning {
            Some(global) => self.use_of(global, span),
            None => {
                self.errors.push(errors::unknown_name(name, span, None));
                self.failed(span)
            }
        }
    }
}
