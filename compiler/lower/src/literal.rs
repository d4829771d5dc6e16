//! Sequences of constants, of any length and nesting: a few literals instead of a statement for
//! each element.
//!
//! ```text
//! [[1, 2], [3]]        partition [1, 2, 3] [2, 1]
//! [(1, T), (2, F)]     each x in [1, 2], y in [T, F] { (x, y) }
//! ```

use crate::mono::Lower;
use crate::ty;
use base::Span;
use nest::{Each, Op, Value};
use prim::{Const, Meaning, Primitive, ScalarOp};
use types::Type;
use types::tree::{DefinitionKind, Exp, ExpKind};

/// A constant of one of the shapes that literals have.
enum Constant<'a> {
    Scalar(Const),
    Text(&'a [u8]),
    Pair(&'a Exp, &'a Exp),
    Seq(&'a [Exp]),
}

impl<'a> Lower<'a> {
    /// The sequence of these elements, if all are constants and there are any.
    pub(crate) fn literal(&mut self, ty: &Type, parts: &'a [Exp], span: Span) -> Option<Value> {
        if parts.is_empty() || !parts.iter().all(|part| self.is_constant(part)) {
            return None;
        }
        let parts: Vec<Constant<'a>> = parts.iter().filter_map(|p| self.constant(p)).collect();
        self.b.at(span);
        let element = ty::element(self.program, ty);
        Some(self.column(&element, parts))
    }

    fn is_constant(&self, exp: &'a Exp) -> bool {
        match self.constant(exp) {
            None => false,
            Some(Constant::Scalar(_) | Constant::Text(_)) => true,
            Some(Constant::Pair(a, b)) => self.is_constant(a) && self.is_constant(b),
            Some(Constant::Seq(parts)) => parts.iter().all(|part| self.is_constant(part)),
        }
    }

    fn constant(&self, exp: &'a Exp) -> Option<Constant<'a>> {
        match &exp.kind {
            ExpKind::Const(c) => Some(Constant::Scalar(*c)),
            ExpKind::Str(text) => Some(Constant::Text(text)),
            ExpKind::Pair(a, b) => Some(Constant::Pair(a, b)),
            ExpKind::Seq(parts) => Some(Constant::Seq(parts)),
            ExpKind::Apply(function, arg) => match (&function.kind, &arg.kind) {
                (ExpKind::Global(global, ..), ExpKind::Const(c)) => {
                    let DefinitionKind::Primitive(prim) = self.program.globals[*global].kind else {
                        return None;
                    };
                    if Primitive::of(prim).meaning != Meaning::Scalar(ScalarOp::Neg) {
                        return None;
                    }
                    prim::eval(self.program.widths, ScalarOp::Neg, &[*c]).ok().map(Constant::Scalar)
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// The sequence of these constants of type `ty`.
    fn column(&mut self, ty: &Type, parts: Vec<Constant<'a>>) -> Value {
        if parts.is_empty() {
            let ty = ty::nest(self.program, ty).seq();
            return self.b.emit(ty, Op::Seq(Vec::new()));
        }
        match ty {
            Type::Base(base) => {
                let scalar = |part| match part {
                    Constant::Scalar(c) => c,
                    _ => unreachable!("a constant of a base type is a scalar"),
                };
                self.b.push(Op::Literal(*base, parts.into_iter().map(scalar).collect()))
            }
            Type::Pair(a, b) => {
                let split = |part| match part {
                    Constant::Pair(a, b) => (a, b),
                    _ => unreachable!("a constant of a pair type is a pair"),
                };
                let (first, second): (Vec<_>, Vec<_>) = parts.into_iter().map(split).unzip();
                let mut columns = Vec::new();
                self.columns(a, first, &mut columns);
                self.columns(b, second, &mut columns);
                self.zip(columns)
            }
            Type::Seq(element) => self.pieces(element, parts),
            other => unreachable!("a constant of type {other:?}"),
        }
    }

    /// The columns of the components of right-nested pairs.
    fn columns(&mut self, ty: &Type, parts: Vec<&'a Exp>, out: &mut Vec<Value>) {
        let mut parts: Vec<Constant<'a>> =
            parts.into_iter().filter_map(|part| self.constant(part)).collect();
        let mut ty = ty;
        // Only what follows a component is flattened; a component that is a pair stays one.
        if !out.is_empty() {
            while let Type::Pair(a, b) = ty {
                let split = |part| match part {
                    Constant::Pair(a, b) => (a, b),
                    _ => unreachable!("a constant of a pair type is a pair"),
                };
                let (first, second): (Vec<_>, Vec<_>) = parts.into_iter().map(split).unzip();
                let first = first.into_iter().filter_map(|part| self.constant(part)).collect();
                out.push(self.column(a, first));
                parts = second.into_iter().filter_map(|part| self.constant(part)).collect();
                ty = b;
            }
        }
        out.push(self.column(ty, parts));
    }

    fn zip(&mut self, columns: Vec<Value>) -> Value {
        let mut generators = Vec::with_capacity(columns.len());
        for column in columns {
            let ty = self.b.ty(column).element().clone();
            generators.push((self.b.fresh(ty), column));
        }
        self.b.begin();
        let tuple = self.b.tuple(generators.iter().map(|g| g.0).collect());
        let body = self.b.end(tuple);
        self.b.push(Op::Each(Each { generators, test: None, body }))
    }

    /// Sequences of constants, as pieces of one sequence.
    fn pieces(&mut self, element: &Type, parts: Vec<Constant<'a>>) -> Value {
        let (mut lengths, mut all) = (Vec::with_capacity(parts.len()), Vec::new());
        for part in parts {
            let before = all.len();
            match part {
                Constant::Text(text) => {
                    all.extend(text.iter().map(|&c| Constant::Scalar(Const::Char(c))));
                }
                Constant::Seq(parts) => all.extend(parts.iter().filter_map(|p| self.constant(p))),
                _ => unreachable!("a constant of a sequence type is a sequence"),
            }
            lengths.push(Const::I64(i64::try_from(all.len() - before).unwrap_or(i64::MAX)));
        }
        let data = self.column(element, all);
        let lengths = self.b.push(Op::Literal(prim::Ty::I64, lengths));
        self.b.push(Op::Partition(data, lengths))
    }
}
