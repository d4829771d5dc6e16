//! Function definitions: one, or several that call each other and are checked as one unit
//! (LANGUAGE 9).

use super::{Body, Infer, Member, Optional, Quotient, Tables};
use crate::errors::{Why, grouping};
use crate::graph::{Node, Poly, Ty, placed};
use crate::scope::{Version, Waiting};
use crate::tree::{Exp, Function, Global, Pattern, PatternKind, Program};
use crate::ty::{Base, Class, Type};
use base::{Diagnostic, Id, Span};
use std::sync::Arc;
use syntax::ast;

/// A function to be defined, and how it sees the names around it.
pub(crate) struct Source<'f> {
    pub(crate) function: &'f Arc<ast::Function>,
    pub(crate) span: Span,
    /// The comment above.
    pub(crate) comment: Option<&'f str>,
    pub(crate) version: Version,
    /// Its number if it waited.
    pub(crate) waiting: Option<Waiting>,
}

/// A checked function.
pub(crate) struct Defined {
    /// Its place in the unit's sources; none for a hidden function.
    pub(crate) source: Option<usize>,
    pub(crate) name: String,
    pub(crate) poly: Poly,
    pub(crate) function: Function,
    pub(crate) optional: Optional,
    pub(crate) span: Span,
    /// The division that gives its result, if that is an int.
    pub(crate) quotient: Option<Quotient>,
}

/// Checks functions that call each other, or one alone.  The results become globals in their order:
/// each function is followed by the hidden functions of its defaults.
pub(crate) fn functions(
    program: &Program,
    tables: &Tables,
    unit: &[Source],
) -> Result<Vec<Defined>, Vec<Diagnostic>> {
    let mut infer = Infer::new(program, tables);
    let places = infer.members(unit);
    let mut bodies = Vec::new();
    for (source, &place) in unit.iter().zip(&places) {
        bodies.push(infer.definition(source, place));
        for (i, (_, default)) in source.function.optional.iter().enumerate() {
            bodies.push(infer.default(source, place, place + 1 + i, default));
        }
    }
    infer.check_elements(&bodies);
    infer.check_effects()?;
    let functions = infer.generalised(bodies, &places);
    infer.check_defaults(&functions);
    infer.check_effects()?;
    Ok(functions)
}

/// How many parameters come before the optional ones.  Only a pair without parentheses of its own
/// counts as several.
fn required(function: &ast::Function) -> usize {
    let mut count = 1;
    let mut pattern = &function.param;
    while let ast::PatternKind::Pair(a, b) = &pattern.kind
        && a.span.start == pattern.span.start
    {
        count += 1;
        pattern = b;
    }
    count
}

/// A definition whose types are still placeholders.
struct Draft {
    function: Function,
    span: Span,
    empties: Vec<(Span, Ty)>,
}

impl Infer<'_> {
    /// Gives every function of the unit, and every default, its number and one new type; gives the
    /// places of the functions.
    fn members(&mut self, unit: &[Source]) -> Vec<usize> {
        let first = self.program.globals.len();
        let mut places = Vec::new();
        for source in unit {
            let place = self.members.len();
            places.push(place);
            let function = source.function;
            let global = Global::new(first + place);
            let hidden = |i: usize| Global::new(first + place + 1 + i);
            let names = function.optional.iter().enumerate();
            let optional = Optional {
                required: required(function),
                params: names.map(|(i, (name, _))| (name.text.clone(), hidden(i))).collect(),
            };
            let name = function.name.text.clone();
            let param = self.graph.var(Class::Any);
            self.member(name.clone(), source.waiting, global, param, optional);
            for (i, (param, _)) in function.optional.iter().enumerate() {
                let name = format!("{name}.{}", param.text);
                let ignored = self.graph.base(Base::I64);
                self.member(name, None, hidden(i), ignored, Optional::default());
            }
        }
        places
    }
    fn member(
        &mut self,
        name: String,
        waiting: Option<Waiting>,
        global: Global,
        param: Ty,
        optional: Optional,
    ) {
        let effect = self.graph.effects.fresh();
        let result = self.graph.var(Class::Any);
        let ty = self.graph.fun(param, effect, result);
        self.members.push(Member { name, waiting, global, ty, optional });
    }

    fn definition(&mut self, source: &Source, place: usize) -> Draft {
        let function = source.function;
        let (param_type, result_type) = self.start(source, place, place);
        let annotation = function.ty.as_ref().map(|(ty, bounds)| {
            self.type_variables(bounds);
            (self.function_type(ty), ty.span)
        });
        let param = self.parameters(function);
        if self.trusts_uses(placed(&param.ty), param_type) {
            self.equate(param.span, placed(&param.ty), param_type, &Why::Calls);
        }
        if let Some((written, span)) = annotation
            && let Node::Fun(p, e, r) = self.graph.view(written)
            && let Node::Fun(_, effect, _) = self.graph.view(self.members[place].ty)
        {
            if self.equate(param.span, param_type, p, &Why::Parameter(span)) {
                self.equate(function.name.span, result_type, r, &Why::Body(Some(span)));
                self.graph.effects.merge(e, effect);
            } else if let Some(error) = self.errors.last_mut()
                && let Some((ty, _)) = &function.ty
            {
                // What is wrong with the result would only follow.
                grouping::arrows_for_commas(error, ty, required(function));
            }
        }
        let body = match &function.body {
            Some(body) => self.exp(body),
            None => self.failed(source.span),
        };
        if annotation.is_some() || self.trusts_uses(placed(&body.ty), result_type) {
            self.expect(&body, result_type, &Why::Body(annotation.map(|(_, span)| span)));
        }
        self.draft(param, body, source.span)
    }
    /// Whether it is told that uses of a member do not fit its definition.  Where something in the
    /// unit is wrong the uses may be a part of it; then the types become one if they can.
    fn trusts_uses(&mut self, defined: Ty, used: Ty) -> bool {
        self.errors.is_empty() || {
            self.graph.unify(defined, used).ok();
            false
        }
    }
    /// The hidden function of a default.  It sees the names around the function.  Its type is its
    /// own: whether it fits the parameter shows at each call that leaves the parameter out.
    fn default(
        &mut self,
        source: &Source,
        function: usize,
        place: usize,
        default: &ast::Exp,
    ) -> Draft {
        let (ignored, result_type) = self.start(source, function, place);
        let value = self.exp(default);
        self.equate(value.span, result_type, placed(&value.ty), &Why::Default);
        let ty = crate::graph::placeholder(ignored);
        let param = Pattern { kind: PatternKind::Wildcard, ty, span: default.span };
        self.draft(param, value, default.span)
    }
    /// Starts on the member at `place`; `own` is the function whose name is visible.
    fn start(&mut self, source: &Source, own: usize, place: usize) -> (Ty, Ty) {
        match self.graph.view(self.members[place].ty) {
            Node::Fun(param, effect, result) => {
                self.at = Body::new(source.version, Some(own), effect);
                (param, result)
            }
            other => unreachable!("{other:?} is no function"),
        }
    }
    fn draft(&mut self, param: Pattern, body: Exp, span: Span) -> Draft {
        let locals = std::mem::take(&mut self.at.locals);
        let empties = std::mem::take(&mut self.at.empties);
        Draft { function: Function { param, body, locals }, span, empties }
    }

    /// The parameter pattern, optional parameters folded in at the end.
    fn parameters(&mut self, function: &ast::Function) -> Pattern {
        let param = self.pattern(&function.param);
        let span = param.span;
        let mut optional: Option<Pattern> = None;
        let mut names = Vec::new();
        for (name, _) in &function.optional {
            let ty = self.graph.var(Class::Any);
            let local = self.local(&name.text, ty);
            self.enter(local);
            names.push((local, name.span));
        }
        for (local, span) in names.into_iter().rev() {
            let ty = self.at.locals[local].ty.clone();
            let pattern = Pattern { kind: PatternKind::Local(local), ty, span };
            optional = Some(match optional {
                Some(rest) => self.pair_pattern(pattern, rest, span),
                None => pattern,
            });
        }
        match optional {
            Some(rest) => self.append(param, required(function), rest, span),
            None => param,
        }
    }
    /// Adds `rest` after the first `count` parts of a tuple.
    fn append(&mut self, pattern: Pattern, count: usize, rest: Pattern, span: Span) -> Pattern {
        match pattern.kind {
            PatternKind::Pair(a, b) if count > 1 => {
                let b = self.append(*b, count - 1, rest, span);
                self.pair_pattern(*a, b, span)
            }
            _ => self.pair_pattern(pattern, rest, span),
        }
    }

    /// Quantifies what is left in the type of each function.
    fn generalised(&mut self, bodies: Vec<Draft>, places: &[usize]) -> Vec<Defined> {
        let types: Vec<Ty> = self.members.iter().map(|m| m.ty).collect();
        let quantified: Vec<Vec<Ty>> =
            types.iter().map(|&ty| self.graph.variables(&[ty])).collect();
        let mut functions = Vec::new();
        for (index, draft) in bodies.into_iter().enumerate() {
            let poly = self.graph.generalise(types[index], &quantified[index]);
            let gives_int = |ty: &Type| match ty {
                Type::Fun(_, result) => **result == Type::Base(Base::I64),
                _ => false,
            };
            let quotient = self.quotients.get(&draft.function.body.span).copied();
            functions.push(Defined {
                quotient: quotient.filter(|_| gives_int(&poly.scheme.ty)),
                source: places.iter().position(|&p| p == index),
                name: self.members[index].name.clone(),
                poly,
                function: self.finish_function(draft.function, index, &quantified),
                optional: self.members[index].optional.clone(),
                span: draft.span,
            });
        }
        functions
    }
    /// A default has to fit its parameter at least at some types.
    fn check_defaults(&mut self, functions: &[Defined]) {
        for (index, defined) in functions.iter().enumerate() {
            let uses = self.graph.instantiate(&defined.poly, &defined.name, defined.span);
            let Node::Fun(mut param, _, _) = self.graph.view(uses.ty) else { continue };
            let count = defined.optional.params.len();
            let mut parts = Vec::new();
            for _ in 0..defined.optional.required + count {
                match self.graph.view(param) {
                    Node::Pair(a, b) if parts.len() + 1 < defined.optional.required + count => {
                        parts.push(a);
                        param = b;
                    }
                    _ => parts.push(param),
                }
            }
            for i in 0..count {
                let default = &functions[index + 1 + i];
                let value = self.graph.instantiate(&default.poly, &default.name, default.span);
                if let Node::Fun(_, _, value) = self.graph.view(value.ty) {
                    let expected = parts[defined.optional.required + i];
                    self.equate(default.span, value, expected, &Why::Default);
                }
            }
        }
    }

    /// Checks every `[]` against the variables of the function around it.
    fn check_elements(&mut self, bodies: &[Draft]) {
        if !self.errors.is_empty() {
            return;
        }
        for (index, draft) in bodies.iter().enumerate() {
            let ty = self.members[index].ty;
            let quantified = self.graph.variables(&[ty]);
            self.at.empties = draft.empties.clone();
            self.check_empties(&quantified);
        }
    }
}
