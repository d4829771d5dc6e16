//! Abstract values and values of nest: taking apart, putting together, passing to an instance.

use crate::facts::Facts;
use crate::mono::{Lower, Lowering, dynamic};
use crate::scope::{Abs, Choice, Closure, Code, Key, Lambda};
use crate::ty;
use base::Span;
use nest::{Op, Value};
use std::rc::Rc;
use types::Type;

/// How deeply the functions captured by a function may nest, and how many they may be, before we
/// give up on knowing them all.
const CLOSURE_DEPTH: usize = 40;
const CLOSURE_SIZE: usize = 10_000;

impl<'a> Lower<'a> {
    /// The first part of a pair.
    pub(crate) fn first(&mut self, abs: &Abs<'a>) -> Abs<'a> {
        match abs {
            Abs::Pair(pair) => pair.0.clone(),
            Abs::Value(v) => Abs::Value(self.b.field(*v, 0)),
            Abs::Rest(v, k) => Abs::Value(self.b.field(*v, *k)),
            Abs::Fun(_) | Abs::Choice(_) => unreachable!("a function is no pair"),
        }
    }

    /// The second part of a pair.
    pub(crate) fn second(&mut self, abs: &Abs<'a>) -> Abs<'a> {
        let (v, next) = match abs {
            Abs::Pair(pair) => return pair.1.clone(),
            Abs::Value(v) => (*v, 1),
            Abs::Rest(v, k) => (*v, k + 1),
            Abs::Fun(_) | Abs::Choice(_) => unreachable!("a function is no pair"),
        };
        if next + 1 == self.width(v) {
            Abs::Value(self.b.field(v, next))
        } else {
            Abs::Rest(v, next)
        }
    }

    /// The first `n - 1` components of a tuple and what follows them, with their types.
    pub(crate) fn components(
        &mut self,
        abs: &Abs<'a>,
        ty: &Type,
        n: usize,
    ) -> Vec<(Abs<'a>, Type)> {
        let mut parts = Vec::with_capacity(n);
        let (mut abs, mut ty) = (abs.clone(), ty.clone());
        while parts.len() + 1 < n {
            let (a, b) = ty::pair(self.program, &ty);
            parts.push((self.first(&abs), Type::clone(&a)));
            abs = self.second(&abs);
            ty = Type::clone(&b);
        }
        parts.push((abs, ty));
        parts
    }

    /// The components of a tuple, each as one value.
    pub(crate) fn operands(&mut self, abs: &Abs<'a>, ty: &Type, n: usize) -> Vec<Value> {
        let parts = self.components(abs, ty, n);
        parts.iter().map(|(abs, ty)| self.reify(abs, ty)).collect()
    }

    /// The value, in one piece.
    pub(crate) fn reify(&mut self, abs: &Abs<'a>, ty: &Type) -> Value {
        match abs {
            Abs::Value(v) => *v,
            Abs::Pair(_) | Abs::Rest(..) => {
                let mut parts = Vec::new();
                self.spine(abs, ty, &mut parts);
                self.b.tuple(parts)
            }
            Abs::Fun(_) | Abs::Choice(_) => unreachable!("a function is no value of nest"),
        }
    }

    /// The components of a right-nested pair.
    fn spine(&mut self, abs: &Abs<'a>, ty: &Type, out: &mut Vec<Value>) {
        let (mut abs, mut ty) = (abs.clone(), ty::fields(self.program, ty));
        loop {
            match (&abs, &ty) {
                (Abs::Pair(pair), Type::Pair(a, b)) => {
                    out.push(self.reify(&pair.0, a));
                    let next = (pair.1.clone(), Type::clone(b));
                    (abs, ty) = next;
                }
                (Abs::Rest(v, k), Type::Pair(..)) => {
                    (*k..self.width(*v)).for_each(|i| out.push(self.b.field(*v, i)));
                    return;
                }
                (Abs::Value(v), Type::Pair(..)) => {
                    (0..self.width(*v)).for_each(|i| out.push(self.b.field(*v, i)));
                    return;
                }
                _ => {
                    out.push(self.reify(&abs, &ty));
                    return;
                }
            }
        }
    }

    /// Number of parts of a tuple.
    fn width(&self, v: Value) -> usize {
        match self.b.ty(v) {
            nest::Type::Tuple(parts) => parts.len(),
            other => unreachable!("{v} of type {other:?} is no tuple"),
        }
    }

    /// All scalars, sequences and captured values of an argument, in the order in which an instance
    /// takes them.
    pub(crate) fn leaves(&mut self, abs: &Abs<'a>, ty: &Type, out: &mut Vec<Value>) {
        match ty::fields(self.program, ty) {
            Type::Pair(a, b) => {
                let first = self.first(abs);
                self.leaves(&first, &a, out);
                let second = self.second(abs);
                self.leaves(&second, &b, out);
            }
            Type::Fun(..) => match abs {
                Abs::Choice(choice) => {
                    out.push(choice.condition);
                    self.leaves(&choice.then, ty, out);
                    self.leaves(&choice.otherwise, ty, out);
                }
                Abs::Fun(closure) => {
                    if let Code::Lambda(lambda) = &closure.code {
                        for (local, captured) in &lambda.captured {
                            let ty = ty::instantiate(&lambda.locals[*local].ty, &closure.types);
                            self.leaves(captured, &ty, out);
                        }
                    }
                }
                _ => unreachable!("{abs:?} is no function"),
            },
            other => out.push(self.reify(abs, &other)),
        }
    }

    /// The argument as an instance sees it: like `template`, with parameters for its leaves.
    pub(crate) fn parameters(
        &mut self,
        template: Option<&Abs<'a>>,
        ty: &Type,
        out: &mut Vec<Value>,
    ) -> Lowering<Abs<'a>> {
        Ok(match ty::fields(self.program, ty) {
            Type::Pair(a, b) => {
                let (first, second) = match template {
                    Some(Abs::Pair(pair)) => (Some(&pair.0), Some(&pair.1)),
                    _ => (None, None),
                };
                let first = self.parameters(first, &a, out)?;
                Abs::pair(first, self.parameters(second, &b, out)?)
            }
            Type::Fun(..) => match template {
                Some(Abs::Fun(closure)) => self
                    .recapture(closure, &mut |lower, captured, ty| {
                        lower.parameters(Some(captured), ty, out)
                    })?,
                Some(Abs::Choice(choice)) => {
                    let condition = self.b.fresh(nest::Type::Scalar(prim::Ty::Bool));
                    out.push(condition);
                    let then = self.parameters(Some(&choice.then), ty, out)?;
                    let otherwise = self.parameters(Some(&choice.otherwise), ty, out)?;
                    Abs::Choice(Rc::new(Choice { condition, then, otherwise }))
                }
                _ => unreachable!("{template:?} is no function"),
            },
            other => {
                let ty = ty::nest(self.program, &other);
                let param = self.b.fresh(ty);
                out.push(param);
                Abs::Value(param)
            }
        })
    }

    /// The same function with other captured values.
    pub(crate) fn recapture(
        &mut self,
        closure: &Rc<Closure<'a>>,
        change: &mut dyn FnMut(&mut Self, &Abs<'a>, &Type) -> Lowering<Abs<'a>>,
    ) -> Lowering<Abs<'a>> {
        let Code::Lambda(lambda) = &closure.code else { return Ok(Abs::Fun(closure.clone())) };
        self.spend(self.b.span())?;
        let mut captured = Vec::with_capacity(lambda.captured.len());
        for (local, abs) in &lambda.captured {
            let ty = ty::instantiate(&lambda.locals[*local].ty, &closure.types);
            captured.push((*local, change(self, abs, &ty)?));
        }
        let lambda = Lambda { captured, ..*lambda };
        let code = Code::Lambda(lambda);
        Ok(Abs::Fun(Rc::new(Closure { code, types: closure.types.clone() })))
    }

    /// What distinguishes the functions in an argument.
    pub(crate) fn key(&self, abs: &Abs<'a>, ty: &Type, span: Span) -> Lowering<Key> {
        self.key_at(abs, ty, 0, &mut 0)
            .ok_or_else(|| dynamic(span, "the functions passed here capture ever more functions"))
    }

    fn key_at(&self, abs: &Abs<'a>, ty: &Type, depth: usize, size: &mut usize) -> Option<Key> {
        *size += 1;
        if depth > CLOSURE_DEPTH || *size > CLOSURE_SIZE {
            return None;
        }
        if !ty::has_functions(self.program, ty) {
            return Some(Key::Data);
        }
        match abs {
            Abs::Pair(pair) => {
                let (a, b) = ty::pair(self.program, ty);
                let first = self.key_at(&pair.0, &a, depth, size)?;
                Some(Key::Pair(Box::new((first, self.key_at(&pair.1, &b, depth, size)?))))
            }
            Abs::Choice(choice) => {
                let then = self.key_at(&choice.then, ty, depth + 1, size)?;
                let otherwise = self.key_at(&choice.otherwise, ty, depth + 1, size)?;
                Some(Key::Choice(Box::new((then, otherwise))))
            }
            Abs::Fun(closure) => match &closure.code {
                Code::Global(global) => Some(Key::Global(*global, closure.types.clone())),
                Code::Lambda(lambda) => {
                    let mut keys = Vec::with_capacity(lambda.captured.len());
                    for (local, captured) in &lambda.captured {
                        let ty = ty::instantiate(&lambda.locals[*local].ty, &closure.types);
                        keys.push(self.key_at(captured, &ty, depth + 1, size)?);
                    }
                    let code = std::ptr::from_ref(lambda.body).addr();
                    Some(Key::Lambda(
                        code,
                        closure.types.clone(),
                        lambda.outside.map(|call| call.span),
                        keys,
                    ))
                }
            },
            Abs::Value(_) | Abs::Rest(..) => unreachable!("a value of nest has no functions"),
        }
    }

    /// Adds what the functions in an argument do.
    pub(crate) fn include_facts(&mut self, abs: &Abs<'a>, facts: &mut Facts) {
        match abs {
            Abs::Value(_) | Abs::Rest(..) => {}
            Abs::Pair(pair) => {
                self.include_facts(&pair.0, facts);
                self.include_facts(&pair.1, facts);
            }
            Abs::Choice(choice) => {
                self.include_facts(&choice.then, facts);
                self.include_facts(&choice.otherwise, facts);
            }
            Abs::Fun(closure) => match &closure.code {
                Code::Global(global) => facts.include(&self.graph.of(*global)),
                Code::Lambda(lambda) => {
                    facts.include(&self.graph.of_exp(lambda.body));
                    for (_, captured) in &lambda.captured {
                        self.include_facts(captured, facts);
                    }
                }
            },
        }
    }

    /// Calls a function of nest.
    pub(crate) fn call_func(
        &mut self,
        func: nest::Func,
        args: Vec<Value>,
        ty: nest::Type,
    ) -> Value {
        self.b.emit(ty, Op::Call(func, args))
    }
}
