//! Moving a form of the abstract syntax to another place of its text.

use crate::ast::{
    ClassBound, CommandArg, Datatype, Exp, ExpKind, Form, FormKind, Function, Generator, Name,
    Pattern, PatternKind, Type, TypeKind,
};
use base::Span;
use std::sync::Arc;

/// By how many bytes to move.
#[derive(Clone, Copy)]
struct Shift(i64);

impl Form {
    /// Moves a form without errors by so many bytes and lines.
    pub(crate) fn shift(&mut self, bytes: i64, lines: i64) {
        let shift = Shift(bytes);
        if let Some(end) = &mut self.ends {
            shift.span(&mut end.span);
            end.line = (i64::from(end.line) + lines) as u32;
        }
        if bytes == 0 {
            return;
        }
        shift.span(&mut self.span);
        match &mut self.kind {
            FormKind::Function(function) => shift.function(Arc::make_mut(function)),
            FormKind::Datatype(Datatype { name, fields, classes }) => {
                shift.name(name);
                shift.ty(fields);
                shift.classes(classes);
            }
            FormKind::Binding(pattern, exp) => {
                shift.pattern(pattern);
                shift.exp(exp);
            }
            FormKind::Exp(exp) => shift.exp(exp),
            FormKind::Command(word, arguments) => {
                shift.name(word);
                for argument in arguments {
                    match argument {
                        CommandArg::Name(name) => shift.name(name),
                        CommandArg::Number(_, span) | CommandArg::Str(_, span) => shift.span(span),
                        CommandArg::Exp(exp) => shift.exp(exp),
                    }
                }
            }
            FormKind::Error(errors) => unreachable!("forms with errors are read again: {errors:?}"),
        }
    }
}

impl Shift {
    fn span(self, span: &mut Span) {
        *span = span.moved(self.0);
    }
    fn name(self, name: &mut Name) {
        self.span(&mut name.span);
    }
    fn function(self, function: &mut Function) {
        let Function { name, param, optional, ty, doc: _, body } = function;
        self.name(name);
        self.pattern(param);
        self.optional(optional);
        if let Some((ty, classes)) = ty {
            self.ty(ty);
            self.classes(classes);
        }
        body.iter_mut().for_each(|body| self.exp(body));
    }
    fn optional(self, optional: &mut [(Name, Exp)]) {
        for (name, value) in optional {
            self.name(name);
            self.exp(value);
        }
    }
    fn classes(self, classes: &mut [ClassBound]) {
        for ClassBound { var, class } in classes {
            self.name(var);
            self.name(class);
        }
    }
    fn ty(self, ty: &mut Type) {
        self.span(&mut ty.span);
        match &mut ty.kind {
            TypeKind::Name(name, arguments) => {
                self.name(name);
                arguments.iter_mut().for_each(|ty| self.ty(ty));
            }
            TypeKind::Seq(ty) => self.ty(ty),
            TypeKind::Pair(a, b) | TypeKind::Function(a, b) => {
                self.ty(a);
                self.ty(b);
            }
        }
    }
    fn pattern(self, pattern: &mut Pattern) {
        self.span(&mut pattern.span);
        match &mut pattern.kind {
            PatternKind::Pair(a, b) => {
                self.pattern(a);
                self.pattern(b);
            }
            PatternKind::Construct(name, fields) => {
                self.name(name);
                self.pattern(fields);
            }
            PatternKind::Name(_) | PatternKind::Wildcard | PatternKind::Invalid(_) => {}
        }
    }
    fn exp(self, exp: &mut Exp) {
        self.span(&mut exp.span);
        match &mut exp.kind {
            ExpKind::Int(_) | ExpKind::Float(_) | ExpKind::Bool(_) | ExpKind::Char(_) => {}
            ExpKind::Str(_) | ExpKind::Wildcard => {}
            ExpKind::Name(name) => self.name(name),
            ExpKind::Pair(a, b) | ExpKind::Subscript(a, b) => {
                self.exp(a);
                self.exp(b);
            }
            ExpKind::Operator(operator, parts) => {
                self.span(&mut operator.span);
                parts.iter_mut().for_each(|part| self.exp(part));
            }
            ExpKind::Seq(parts) => parts.iter_mut().for_each(|part| self.exp(part)),
            ExpKind::Apply { function, argument, optional } => {
                self.exp(function);
                self.exp(argument);
                self.optional(optional);
            }
            ExpKind::Empty(ty, span) => {
                self.span(span);
                ty.iter_mut().for_each(|ty| self.ty(ty));
            }
            ExpKind::Range { start, end, step } => {
                self.exp(start);
                self.exp(end);
                step.iter_mut().for_each(|step| self.exp(step));
            }
            ExpKind::If(c, a, b) => [c, a, b].into_iter().for_each(|part| self.exp(part)),
            ExpKind::Let(bindings, body) => {
                for (pattern, value) in bindings {
                    self.pattern(pattern);
                    self.exp(value);
                }
                self.exp(body);
            }
            ExpKind::Lambda(pattern, body) => {
                self.pattern(pattern);
                self.exp(body);
            }
            ExpKind::Each { serial: _, body, generators, test } => {
                for Generator { pattern, source } in generators {
                    self.pattern(pattern);
                    self.exp(source);
                }
                [body, test].into_iter().flatten().for_each(|part| self.exp(part));
            }
        }
    }
}
