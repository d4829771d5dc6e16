//! Expressions.

use crate::call::Signature;
use crate::mono::{Lower, Lowering};
use crate::random::site;
use crate::scope::{Abs, Closure, Code, Frame, Lambda};
use crate::ty;
use nest::{Op, Value};
use prim::{Meaning, Primitive};
use std::rc::Rc;
use types::Type;
use types::tree::{DefinitionKind, Exp, ExpKind, Global, Pattern};

impl<'a> Lower<'a> {
    /// The value of an expression.
    pub(crate) fn exp(&mut self, frame: &mut Frame<'a>, exp: &'a Exp) -> Lowering<Abs<'a>> {
        match &exp.kind {
            ExpKind::Const(c) => {
                self.b.at(frame.place(exp.span));
                Ok(Abs::Value(self.b.constant(*c)))
            }
            ExpKind::Str(text) => {
                self.b.at(frame.place(exp.span));
                Ok(Abs::Value(self.b.text(text)))
            }
            ExpKind::Local(local) => match frame.vars.get(local) {
                Some(abs) => Ok(abs.clone()),
                None => unreachable!("{local} is not bound"),
            },
            ExpKind::Global(global, binding, types) => {
                let global = self.program.meaning(*global, *binding);
                self.global(frame, exp, global, types)
            }
            ExpKind::Pair(a, b) => {
                let first = self.exp(frame, a)?;
                Ok(Abs::pair(first, self.exp(frame, b)?))
            }
            ExpKind::Seq(parts) => self.sequence(frame, exp, parts),
            ExpKind::Apply(function, arg) => self.application(frame, exp, function, arg),
            ExpKind::Lambda(param, body) => Ok(self.lambda(frame, exp, param, body)),
            ExpKind::If(condition, then, otherwise) => {
                let condition = self.exp_value(frame, condition)?;
                self.b.at(frame.place(exp.span));
                let ty = ty::instantiate(&exp.ty, &frame.types);
                self.branch(condition, &ty, |lower, side| {
                    lower.exp(frame, if side { then } else { otherwise })
                })
            }
            ExpKind::Let(bindings, body) => {
                for (pattern, bound) in bindings {
                    let abs = self.exp(frame, bound)?;
                    self.b.at(frame.place(pattern.span));
                    self.bind(frame, pattern, abs);
                }
                self.exp(frame, body)
            }
            ExpKind::Each(each) => self.each(frame, exp, each),
        }
    }

    /// The value of an expression without functions, in one piece.
    pub(crate) fn exp_value(&mut self, frame: &mut Frame<'a>, exp: &'a Exp) -> Lowering<Value> {
        let abs = self.exp(frame, exp)?;
        if let Abs::Value(v) = abs {
            return Ok(v);
        }
        self.b.at(frame.place(exp.span));
        let ty = ty::instantiate(&exp.ty, &frame.types);
        Ok(self.reify(&abs, &ty))
    }

    fn global(
        &mut self,
        frame: &Frame<'a>,
        exp: &Exp,
        global: Global,
        types: &[Type],
    ) -> Lowering<Abs<'a>> {
        let span = frame.place(exp.span);
        self.b.at(span);
        match &self.program.globals[global].kind {
            DefinitionKind::Value => self.value(global, &instances(frame, types), span),
            DefinitionKind::Primitive(prim) => match Primitive::of(*prim).meaning {
                Meaning::Const(c) => {
                    Ok(Abs::Value(self.b.constant(self.program.widths.constant(c))))
                }
                _ => Ok(Abs::global(global, instances(frame, types))),
            },
            _ => Ok(Abs::global(global, instances(frame, types))),
        }
    }

    fn application(
        &mut self,
        frame: &mut Frame<'a>,
        exp: &'a Exp,
        function: &'a Exp,
        arg: &'a Exp,
    ) -> Lowering<Abs<'a>> {
        let signature = Signature {
            param: ty::instantiate(&arg.ty, &frame.types),
            result: ty::instantiate(&exp.ty, &frame.types),
            span: frame.place(exp.span),
            callee: frame.outside.map(|call| call.callee),
            site: site(exp.span, frame.origin),
            floats: self.floats_at(exp.span),
        };
        let function = self.exp(frame, function)?;
        let arg = self.exp(frame, arg)?;
        self.b.at(signature.span);
        self.apply(&function, arg, &signature)
    }

    fn lambda(
        &mut self,
        frame: &Frame<'a>,
        exp: &Exp,
        param: &'a Pattern,
        body: &'a Exp,
    ) -> Abs<'a> {
        let free = self.graph.free(param, body);
        let captured = free.iter().map(|local| (*local, frame.vars[local].clone())).collect();
        let lambda = Lambda {
            param,
            body,
            locals: frame.locals,
            captured,
            outside: frame.outside,
            origin: exp.span.start,
        };
        Abs::Fun(Rc::new(Closure { code: Code::Lambda(lambda), types: frame.types.clone() }))
    }

    fn sequence(
        &mut self,
        frame: &mut Frame<'a>,
        exp: &'a Exp,
        parts: &'a [Exp],
    ) -> Lowering<Abs<'a>> {
        let ty = ty::instantiate(&exp.ty, &frame.types);
        let span = frame.place(exp.span);
        if let Some(literal) = self.literal(&ty, parts, span) {
            return Ok(Abs::Value(literal));
        }
        let mut values = Vec::with_capacity(parts.len());
        for part in parts {
            values.push(self.exp_value(frame, part)?);
        }
        self.b.at(span);
        let ty = ty::nest(self.program, &ty);
        Ok(Abs::Value(self.b.emit(ty, Op::Seq(values))))
    }
}

/// The types of an instance seen from a frame.
fn instances(frame: &Frame<'_>, types: &[Type]) -> Rc<[Type]> {
    types.iter().map(|ty| ty::instantiate(ty, &frame.types)).collect()
}
