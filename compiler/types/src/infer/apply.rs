//! Application: calls, operators, optional arguments.

use super::{Infer, Optional, literal, origin, typed};
use crate::errors::grouping::{self, Greedy};
use crate::errors::{self, Why};
use crate::graph::{Node, Origin, Ty, placed};
use crate::names::operator_functions;
use crate::scope::Meaning;
use crate::tree::{Exp, ExpKind, Global, Local, Pattern, PatternKind};
use crate::ty::{Class, Type};
use base::Span;
use prim::Const;
use syntax::ast;

impl Infer<'_> {
    pub(super) fn application(
        &mut self,
        function: &ast::Exp,
        argument: &ast::Exp,
        optional: &[(ast::Name, ast::Exp)],
        span: Span,
    ) -> Exp {
        if let ast::ExpKind::Name(name) = &function.kind
            && self.visible(&name.text).is_none()
            && let Some(global) = self.global(&name.text)
            && let Some(quotient) = self.tables.quotients.get(&global)
        {
            self.quotients.insert(span, *quotient);
        }
        if let Some((global, info)) = self.with_optional(function) {
            let function = self.use_of(global, function.span);
            return self.optional_call(function, &info, argument, optional, span);
        }
        for (name, _) in optional {
            let callee = match &function.kind {
                ast::ExpKind::Name(callee) => &callee.text,
                _ => "this function",
            };
            self.errors.push(errors::unknown_optional(callee, name, &[]));
        }
        let function = self.applied(function, span);
        let written = argument;
        let argument = self.exp(written);
        let why = Why::Argument(named(&function));
        self.call(function, argument, |infer, param, argument| {
            let fits = infer.pass(argument, param, &why);
            if !fits
                && infer.arity(param) > parts(argument)
                && let Some(greedy) = grouping::greedy(written)
            {
                infer.explain(greedy);
            }
            fits
        })
        .with_span(span)
    }
    /// What is applied, or subscripted, in an expression that ends at `whole`.
    pub(super) fn applied(&mut self, function: &ast::Exp, whole: Span) -> Exp {
        let known = self.errors.len();
        let typed = self.exp(function);
        if self.errors.len() == known + 1
            && let ExpKind::Apply(_, argument) = &typed.kind
            && matches!(self.graph.view(placed(&argument.ty)), Node::Fun(..) | Node::Seq(_))
            && let Some((name, inner)) = grouping::applied_first(function)
            && let Some(error) = self.errors.last_mut()
            && error.primary.as_ref().is_some_and(|at| at.span == inner)
        {
            grouping::apply_later(error, name, Span { start: inner.start, ..whole });
        }
        typed
    }
    /// Says in the last error what takes the commas behind it.
    pub(super) fn explain(&mut self, greedy: Greedy) {
        self.errors.last_mut().into_iter().for_each(|error| greedy.explain(error));
    }
    /// How many parts an argument has at least.
    fn arity(&mut self, mut ty: Ty) -> usize {
        let mut parts = 1;
        while let Node::Pair(_, rest) = self.graph.view(ty) {
            (ty, parts) = (rest, parts + 1);
        }
        parts
    }

    /// An application; `pass` fits the argument to the parameter.  If it does not fit, the result
    /// could be anything: what does not fit it would only follow.
    fn call(
        &mut self,
        function: Exp,
        argument: Exp,
        pass: impl FnOnce(&mut Self, Ty, &Exp) -> bool,
    ) -> Exp {
        let span = function.span.to(argument.span);
        let ty = match self.arrow(&function, &argument) {
            Some((param, result))
                if !self.lacks_parts(&argument)
                    && pass(self, param, &argument)
                    && !self.is_wrong(&argument) =>
            {
                result
            }
            _ => self.graph.error(),
        };
        typed(ExpKind::Apply(Box::new(function), Box::new(argument)), ty, span)
    }
    /// Whether it was reported that something in an argument takes the commas behind it.
    fn lacks_parts(&self, argument: &Exp) -> bool {
        let within =
            |part: Span| argument.span.start <= part.start && part.end <= argument.span.end;
        self.greedy.is_some_and(|greedy| within(greedy.span))
    }
    /// Whether an error was reported in an argument or in a part of it.
    fn is_wrong(&mut self, argument: &Exp) -> bool {
        match &argument.kind {
            ExpKind::Pair(a, b) => self.is_wrong(a) || self.is_wrong(b),
            _ => matches!(self.graph.view(placed(&argument.ty)), Node::Error),
        }
    }
    /// The parameter and result of what is applied; its effect arises here.
    fn arrow(&mut self, function: &Exp, argument: &Exp) -> Option<(Ty, Ty)> {
        let ty = placed(&function.ty);
        match self.graph.view(ty) {
            Node::Fun(param, effect, result) => {
                self.graph.effects.flow(effect, self.at.context);
                Some((param, result))
            }
            Node::Error => None,
            _ => {
                let param = self.graph.var(Class::Any);
                let result = self.graph.var(Class::Any);
                let effect = self.graph.effects.fresh();
                let arrow = self.graph.fun(param, effect, result);
                let whole = function.span.to(argument.span);
                if self.graph.fit(Origin { whole, ..origin(function) }, arrow).is_err() {
                    self.no_function(function, argument);
                    return None;
                }
                self.graph.effects.flow(effect, self.at.context);
                Some((param, result))
            }
        }
    }
    /// Reports that what is applied is no function; of `t` and `f` once.
    fn no_function(&mut self, function: &Exp, argument: &Exp) {
        let letter = matches!(function.kind, ExpKind::Const(Const::Bool(_)));
        if letter && std::mem::replace(&mut self.letters, true) {
            return;
        }
        let shown = self.shown_alone(placed(&function.ty));
        if let Some((name, definition)) = self.hides_function(function) {
            let error = errors::hidden_function(function.span, &shown, &name, definition);
            self.errors.push(error);
            return;
        }
        let value = named(function).and_then(|global| self.program.globals.get(global));
        let value = value.filter(|value| value.library).map(|value| value.name.as_str());
        let int = |exp: &&Exp| matches!(exp.kind, ExpKind::Const(Const::I64(_)));
        let digits = Some(argument).filter(int).and_then(literal);
        self.errors.push(errors::not_a_function(&errors::NoFunction {
            function: function.span,
            argument: argument.span,
            shown: &shown,
            value,
            number: one_number(function, argument),
            literal: matches!(function.kind, ExpKind::Const(_)),
            digits: digits.as_deref(),
        }));
    }
    /// The name of a value, and where it is defined if at top level, where the library has a
    /// function of this name.
    fn hides_function(&self, value: &Exp) -> Option<(String, Option<Span>)> {
        let (name, definition) = match value.kind {
            ExpKind::Local(local) => (self.at.locals[local].name.clone(), None),
            ExpKind::Global(global, ..) => {
                let definition = self.program.globals.get(global).filter(|it| !it.library)?;
                (definition.name.clone(), Some(definition.span))
            }
            _ => return None,
        };
        let Meaning::Global(hidden) = self.tables.scope.library_function(&name)? else {
            return None;
        };
        let function = matches!(self.program.globals[hidden].scheme.ty, Type::Fun(..));
        function.then_some((name, definition))
    }
    /// Fits an argument to a parameter, part by part where both are pairs, so that a mismatch is
    /// reported at the part.  Stops at the first one; says whether there was none.
    fn pass(&mut self, argument: &Exp, param: Ty, why: &Why) -> bool {
        match (&argument.kind, self.graph.view(param)) {
            // Two tuples of different lengths differ as a whole.
            (ExpKind::Pair(..), Node::Pair(..))
                if matches!(why, Why::Operand(_, _, Some(_)))
                    && parts(argument) != self.arity(param) =>
            {
                self.expect(argument, param, why)
            }
            (ExpKind::Pair(a, b), Node::Pair(p, q)) => self.pass(a, p, why) && self.pass(b, q, why),
            _ => self.expect(argument, param, why),
        }
    }

    pub(super) fn operator(
        &mut self,
        operator: &ast::Operator,
        operands: &[ast::Exp],
        span: Span,
    ) -> Exp {
        let operands: Vec<Exp> = operands.iter().map(|e| self.exp(e)).collect();
        self.note_quotient(operator, &operands, span);
        let mut functions = operator_functions(operator.name).iter().rev();
        let mut result = match functions.next() {
            Some(name) => self.operation(operator, name, operands, span),
            None => self.failed(span),
        };
        for name in functions {
            let function = self.library_function(name, operator.span);
            let why = Why::Argument(named(&function));
            result = self
                .call(function, result, |infer, param, result| infer.expect(result, param, &why))
                .with_span(span);
        }
        result
    }
    /// Notes a division, which gives an int if its operands are ints.
    fn note_quotient(&mut self, operator: &ast::Operator, operands: &[Exp], span: Span) {
        if let ("/", [above, below]) = (operator.name, operands) {
            let int = |exp: &Exp| self.is_length(exp) || literal(exp).is_some();
            let operands = [above, below].map(|operand| (operand.span, int(operand)));
            self.quotients.insert(span, operands);
        }
    }
    fn operation(
        &mut self,
        operator: &ast::Operator,
        name: &str,
        operands: Vec<Exp>,
        span: Span,
    ) -> Exp {
        let function = self.library_function(name, operator.span);
        let Some(global) = named(&function) else { return function };
        let mut other = None;
        // Prefix minus has a name of its own.
        let sign = if operator.name == "negate" { "-" } else { operator.name };
        let operands = operands
            .into_iter()
            .map(|operand| {
                let here = (operand.span, placed(&operand.ty));
                let why = Why::Operand(sign, global, other.replace(here));
                (operand, why)
            })
            .collect::<Vec<_>>();
        let names = two_names(&operands);
        if names.is_some_and(|names| self.at.apart.contains(&names)) {
            return self.failed(span);
        }
        let known = self.errors.len();
        self.operation = Some(span);
        let result = self.call_parts(function, operands, span);
        self.operation = None;
        if self.errors.len() > known {
            self.at.apart.extend(names);
        }
        result
    }
    /// A call of a library function with separate reasons for each part of the argument.
    pub(super) fn library_call(&mut self, name: &str, parts: Vec<(Exp, Why)>, span: Span) -> Exp {
        let function = self.library_function(name, span);
        self.call_parts(function, parts, span)
    }
    fn call_parts(&mut self, function: Exp, parts: Vec<(Exp, Why)>, span: Span) -> Exp {
        let (parts, whys): (Vec<Exp>, Vec<Why>) = parts.into_iter().unzip();
        let argument = self.tuple(parts);
        self.call(function, argument, |infer, param, argument| {
            infer.pass_parts(argument, param, &whys)
        })
        .with_span(span)
    }
    /// Fits the parts of an argument, each for its own reason; the last takes what is left.  Stops
    /// at the first mismatch, since the other parts then have nothing to agree with.
    fn pass_parts(&mut self, mut argument: &Exp, mut param: Ty, whys: &[Why]) -> bool {
        let Some((last, whys)) = whys.split_last() else { return true };
        for why in whys {
            match (&argument.kind, self.graph.view(param)) {
                (ExpKind::Pair(a, b), Node::Pair(p, q)) => {
                    if !self.pass(a, p, why) {
                        return false;
                    }
                    (argument, param) = (b.as_ref(), q);
                }
                _ => return self.expect(argument, param, why),
            }
        }
        self.pass(argument, param, last)
    }
    /// Right-nested pairs of at least one part.
    fn tuple(&mut self, mut parts: Vec<Exp>) -> Exp {
        let mut result = match parts.pop() {
            Some(last) => last,
            None => unreachable!("a tuple has parts"),
        };
        while let Some(part) = parts.pop() {
            let span = part.span.to(result.span);
            result = self.pair(part, result, span);
        }
        result
    }

    /// The function with optional parameters that an expression names, if it does.
    fn with_optional(&self, function: &ast::Exp) -> Option<(Global, Optional)> {
        let ast::ExpKind::Name(name) = &function.kind else { return None };
        if self.visible(&name.text).is_some() {
            return None;
        }
        let global = self.global(&name.text)?;
        let info = self.optional(global)?;
        (!info.params.is_empty()).then(|| (global, info.clone()))
    }
    fn optional(&self, global: Global) -> Option<&Optional> {
        let member = self.members.iter().find(|m| m.global == global).map(|m| &m.optional);
        member.or_else(|| self.tables.optional.get(&global))
    }
    /// The names of the optional parameters of a function.
    pub(super) fn optional_of(&self, global: Global) -> Vec<String> {
        let params = self.optional(global).into_iter().flat_map(|info| &info.params);
        params.map(|(name, _)| name.clone()).collect()
    }
    /// A call in which optional arguments may be given by name (LANGUAGE 9.4).  A missing one is
    /// computed by the hidden function of its default.
    fn optional_call(
        &mut self,
        function: Exp,
        info: &Optional,
        argument: &ast::Exp,
        given: &[(ast::Name, ast::Exp)],
        span: Span,
    ) -> Exp {
        let why = Why::Argument(named(&function));
        let (written, known) = (argument, self.errors.len());
        let argument = self.exp(written);
        let right = self.errors.len() == known;
        let (bindings, required) = self.required_parts(argument, info.required, &why);
        if right
            && self.errors.len() > known
            && let Some(greedy) = grouping::greedy(written)
        {
            self.explain(greedy);
        }
        let mut parts: Vec<(Exp, Why)> =
            required.into_iter().map(|part| (part, why.clone())).collect();
        let mut values = self.given(&function, info, given);
        for (param, default) in &info.params {
            parts.push(match values.iter().position(|(name, _)| name == param) {
                Some(at) => (values.swap_remove(at).1, why.clone()),
                None => (self.default_value(*default, span), Why::DefaultOf(param.clone())),
            });
        }
        let call = self.call_parts(function, parts, span);
        if bindings.is_empty() {
            return call;
        }
        let ty = placed(&call.ty);
        typed(ExpKind::Let(bindings, Box::new(call)), ty, span)
    }
    /// Takes the argument apart into as many parts as there are required parameters; what is left
    /// over belongs to the last.  An argument that is not written as a tuple is bound first.
    fn required_parts(
        &mut self,
        mut argument: Exp,
        required: usize,
        why: &Why,
    ) -> (Vec<(Pattern, Exp)>, Vec<Exp>) {
        let mut parts = Vec::new();
        while parts.len() + 1 < required {
            let Exp { kind: ExpKind::Pair(a, b), .. } = argument else {
                return self.bound_parts(argument, required, parts, why);
            };
            parts.push(*a);
            argument = *b;
        }
        parts.push(argument);
        (Vec::new(), parts)
    }
    fn bound_parts(
        &mut self,
        argument: Exp,
        required: usize,
        mut parts: Vec<Exp>,
        why: &Why,
    ) -> (Vec<(Pattern, Exp)>, Vec<Exp>) {
        let span = argument.span;
        let locals: Vec<_> = (parts.len()..required)
            .map(|i| {
                let ty = self.graph.var(Class::Any);
                self.local(&format!("part.{i}"), ty)
            })
            .collect();
        let mut pattern: Option<Pattern> = None;
        for &local in locals.iter().rev() {
            let ty = self.at.locals[local].ty.clone();
            let part = Pattern { kind: PatternKind::Local(local), ty, span };
            pattern = Some(match pattern {
                Some(rest) => self.pair_pattern(part, rest, span),
                None => part,
            });
        }
        parts.extend(locals.iter().map(|&local| self.local_exp(local, span)));
        match pattern {
            Some(pattern) => {
                if !self.lacks_parts(&argument) {
                    self.expect(&argument, placed(&pattern.ty), why);
                }
                (vec![(pattern, argument)], parts)
            }
            None => (Vec::new(), parts),
        }
    }
    /// The optional arguments given by name, checked to exist once.
    fn given(
        &mut self,
        function: &Exp,
        info: &Optional,
        given: &[(ast::Name, ast::Exp)],
    ) -> Vec<(String, Exp)> {
        let mut values: Vec<(String, Exp)> = Vec::new();
        let mut spans: Vec<(&str, Span)> = Vec::new();
        for (name, value) in given {
            if let Some((_, first)) = spans.iter().find(|(known, _)| *known == name.text) {
                self.errors.push(errors::optional_twice(name, *first));
            }
            if !info.params.iter().any(|(param, _)| *param == name.text) {
                let callee = match named(function) {
                    Some(global) => self.callee(global, None).0,
                    None => "this function".to_string(),
                };
                let known: Vec<String> =
                    info.params.iter().map(|(param, _)| format!("`{param}`")).collect();
                self.errors.push(errors::unknown_optional(&callee, name, &known));
            }
            spans.push((&name.text, name.span));
            values.push((name.text.clone(), self.exp(value)));
        }
        values
    }
    /// A call of the hidden function of a default; it ignores its argument.
    fn default_value(&mut self, default: Global, span: Span) -> Exp {
        let function = self.use_of(default, span);
        let argument = self.constant(Const::I64(0), span);
        self.call(function, argument, |infer, param, argument| {
            infer.expect(argument, param, &Why::Argument(None))
        })
        .with_span(span)
    }
}

/// What is wrong with a number that ends too early: `3.14.15`, `1.0f`.
fn one_number(function: &Exp, argument: &Exp) -> Option<&'static str> {
    let ExpKind::Const(Const::F64(value)) = &function.kind else { return None };
    let joined = function.span.end == argument.span.start;
    let length = (function.span.end - function.span.start) as usize;
    match &argument.kind {
        ExpKind::Const(Const::Bool(_)) if joined => Some("numbers have no letter behind them"),
        // A range of another language begins with a whole number, such as `0.` in `0..9`.
        ExpKind::Const(Const::F64(_)) if joined && length != format!("{value}.").len() => {
            Some("a number has one point")
        }
        _ => None,
    }
}

/// How many parts a tuple has as it is written.
fn parts(mut argument: &Exp) -> usize {
    let mut parts = 1;
    while let ExpKind::Pair(_, rest) = &argument.kind {
        (argument, parts) = (rest, parts + 1);
    }
    parts
}

/// Two operands that are names, in any order.
fn two_names(operands: &[(Exp, Why)]) -> Option<[Local; 2]> {
    let [(a, _), (b, _)] = operands else { return None };
    match (&a.kind, &b.kind) {
        (ExpKind::Local(a), ExpKind::Local(b)) => Some([*a.min(b), *a.max(b)]),
        _ => None,
    }
}

/// The global that an expression names.
fn named(function: &Exp) -> Option<Global> {
    match function.kind {
        ExpKind::Global(global, ..) => Some(global),
        _ => None,
    }
}

impl Exp {
    fn with_span(mut self, span: Span) -> Exp {
        self.span = span;
        self
    }
}
