//! Replaces the placeholders in a typed tree by types, when everything about them is known.
//!
//! The type of a pair or a sequence literal is put together from its parts, so that long tuples and
//! literals cost linear time.

use super::{Infer, Value};
use crate::graph::{Poly, Resolver, Ty, placed};
use crate::tree::{Each, Exp, ExpKind, Function, Global, Local, LocalInfo, Pattern, PatternKind};
use crate::ty::Type;
use base::{Id, IdMap};
use std::sync::Arc;

impl Infer<'_> {
    /// The function of the member `index`, where each member has these variables.
    pub(super) fn finish_function(
        &mut self,
        mut function: Function,
        index: usize,
        quantified: &[Vec<Ty>],
    ) -> Function {
        let first = self.program.globals.len();
        let mut finish = Finish {
            types: Resolver::new(&mut self.graph, &quantified[index]),
            unit: quantified,
            first,
        };
        finish.pattern(&mut function.param);
        finish.exp(&mut function.body);
        finish.locals(&mut function.locals);
        function
    }
    /// A value with these variables.
    pub(super) fn finish_value(
        &mut self,
        mut exp: Exp,
        mut pattern: Pattern,
        poly: Poly,
        names: Vec<(Local, String, Poly)>,
        vars: &[Ty],
    ) -> Value {
        let mut locals = std::mem::take(&mut self.at.locals);
        let first = self.program.globals.len();
        let types = Resolver::new(&mut self.graph, vars);
        let mut finish = Finish { types, unit: &[], first };
        finish.exp(&mut exp);
        finish.pattern(&mut pattern);
        finish.locals(&mut locals);
        Value { exp, pattern, locals, poly, names, quotient: None }
    }
}

struct Finish<'g, 'a> {
    types: Resolver<'g, 'a>,
    /// The variables of each function of the unit, the first of which is the global `first`.
    unit: &'g [Vec<Ty>],
    first: usize,
}

impl Finish<'_, '_> {
    fn ty(&mut self, ty: &mut Type) {
        *ty = self.types.resolve(placed(ty));
    }
    fn locals(&mut self, locals: &mut IdMap<Local, LocalInfo>) {
        locals.iter_mut().for_each(|(_, local)| self.ty(&mut local.ty));
    }

    fn exp(&mut self, exp: &mut Exp) {
        match &mut exp.kind {
            ExpKind::Const(_) | ExpKind::Str(_) | ExpKind::Local(_) => {}
            ExpKind::Global(global, _, types) => self.global(*global, types),
            ExpKind::Pair(a, b) => {
                self.exp(a);
                self.exp(b);
                exp.ty = Type::Pair(Arc::new(a.ty.clone()), Arc::new(b.ty.clone()));
                return;
            }
            ExpKind::Seq(elements) => {
                elements.iter_mut().for_each(|e| self.exp(e));
                if let Some(first) = elements.first() {
                    exp.ty = Type::Seq(Arc::new(first.ty.clone()));
                    return;
                }
            }
            ExpKind::Apply(function, argument) => {
                self.exp(function);
                self.exp(argument);
            }
            ExpKind::Lambda(pattern, body) => {
                self.pattern(Arc::make_mut(pattern));
                self.exp(Arc::make_mut(body));
            }
            ExpKind::If(c, a, b) => [c, a, b].into_iter().for_each(|e| self.exp(e)),
            ExpKind::Let(bindings, body) => {
                for (pattern, value) in bindings {
                    self.pattern(pattern);
                    self.exp(value);
                }
                self.exp(body);
            }
            ExpKind::Each(each) => self.each(each),
        }
        self.ty(&mut exp.ty);
    }
    /// The types at which a global is used.  Inside its own unit it is used at its own variables.
    fn global(&mut self, global: Global, types: &mut Vec<Type>) {
        let member = global.index().checked_sub(self.first).and_then(|i| self.unit.get(i));
        match member {
            Some(vars) => *types = vars.iter().map(|&v| self.types.resolve(v)).collect(),
            None => types.iter_mut().for_each(|ty| self.ty(ty)),
        }
    }
    fn each(&mut self, each: &mut Each) {
        for (pattern, source) in &mut each.generators {
            self.pattern(pattern);
            self.exp(source);
        }
        each.test.iter_mut().for_each(|test| self.exp(test));
        self.exp(&mut each.body);
    }
    fn pattern(&mut self, pattern: &mut Pattern) {
        match &mut pattern.kind {
            PatternKind::Local(_) | PatternKind::Wildcard => {}
            PatternKind::Pair(a, b) => {
                self.pattern(a);
                self.pattern(b);
                pattern.ty = Type::Pair(Arc::new(a.ty.clone()), Arc::new(b.ty.clone()));
                return;
            }
            PatternKind::Construct(_, fields) => self.pattern(fields),
        }
        self.ty(&mut pattern.ty);
    }
}
