//! `if`, also between functions.
//!
//! Where the arms give functions, the result is a *choice*: the condition and both functions.  An
//! application of it is an `if` again.  What a function captured inside its arm leaves the `if` as
//! a part of its result, with an arbitrary value from the other arm.
//!
//! ```text
//! let g = if c then (let y = h(x) in z => z + y) else sin in g(a)
//!     v1 = if c { v2 = call h x; yield v2 } else { v3 = 0.0; yield v3 }
//!     v4 = if c { v5 = add a v1; yield v5 } else { v6 = sin a; yield v6 }
//! ```

use crate::mono::{Lower, Lowering};
use crate::scope::{Abs, Choice, Code};
use crate::ty;
use nest::{Block, Op, Stmt, Value};
use prim::ScalarOp;
use std::rc::Rc;
use types::Type;

/// A value that leaves an `if` between functions: its name outside, its type, and what the arms
/// give for it.
struct Export<'a> {
    outside: Value,
    ty: Type,
    then: Option<Abs<'a>>,
    otherwise: Option<Abs<'a>>,
}

/// What leaves an `if`; values from `mark` on were made in its arms.
struct Exports<'a> {
    mark: Value,
    list: Vec<Export<'a>>,
}

impl<'a> Lower<'a> {
    /// An `if` whose arms are made by `arm(T)` and `arm(F)`.  A known condition leaves one arm.
    pub(crate) fn branch(
        &mut self,
        condition: Value,
        ty: &Type,
        mut arm: impl FnMut(&mut Self, bool) -> Lowering<Abs<'a>>,
    ) -> Lowering<Abs<'a>> {
        if let Some(known) = self.b.known(condition) {
            return arm(self, known.bool());
        }
        if ty::has_functions(self.program, ty) {
            return self.branch_of_functions(condition, ty, arm);
        }
        let span = self.b.span();
        let mut block = |lower: &mut Self, side| -> Lowering<Block> {
            lower.b.begin();
            let abs = arm(lower, side)?;
            lower.b.at(span);
            let result = lower.reify(&abs, ty);
            Ok(lower.b.end(result))
        };
        let then = block(self, true)?;
        let otherwise = block(self, false)?;
        self.b.at(span);
        Ok(Abs::Value(self.b.push(Op::If(condition, then, otherwise))))
    }

    fn branch_of_functions(
        &mut self,
        condition: Value,
        ty: &Type,
        mut arm: impl FnMut(&mut Self, bool) -> Lowering<Abs<'a>>,
    ) -> Lowering<Abs<'a>> {
        let span = self.b.span();
        let mut exports = Exports { mark: self.b.next(), list: Vec::new() };
        self.b.begin();
        let then = arm(self, true)?;
        let then_stmts = self.b.suspend();
        self.b.begin();
        let otherwise = arm(self, false)?;
        let otherwise_stmts = self.b.suspend();
        self.b.at(span);
        let both = self.join(condition, [&then, &otherwise], ty, &mut exports)?;
        if exports.list.is_empty() && then_stmts.is_empty() && otherwise_stmts.is_empty() {
            return Ok(self.merge_choices(both));
        }
        let then = self.give(then_stmts, true, &exports);
        let otherwise = self.give(otherwise_stmts, false, &exports);
        let result = self.b.push(Op::If(condition, then, otherwise));
        let single = exports.list.len() == 1;
        for (n, export) in exports.list.iter().enumerate() {
            let op = if single { Op::Copy(result) } else { Op::Field(result, n) };
            self.b.define(export.outside, op);
        }
        Ok(self.merge_choices(both))
    }

    /// Choices between a function and a choice in which it occurs, as choices between two: so a
    /// recursive function may choose again and again between the functions it was given.
    fn merge_choices(&mut self, abs: Abs<'a>) -> Abs<'a> {
        match &abs {
            Abs::Pair(pair) => {
                let first = self.merge_choices(pair.0.clone());
                Abs::pair(first, self.merge_choices(pair.1.clone()))
            }
            Abs::Choice(choice) => self.merge_choice(choice).unwrap_or(abs),
            Abs::Value(_) | Abs::Rest(..) | Abs::Fun(_) => abs,
        }
    }

    fn merge_choice(&mut self, choice: &Choice<'a>) -> Option<Abs<'a>> {
        let Choice { condition: c, then, otherwise } = choice;
        if self.is_same(then, otherwise) {
            return Some(then.clone());
        }
        let (inner, condition) = match (then, otherwise) {
            (Abs::Choice(inner), other) if self.is_same(&inner.then, other) => {
                let not = self.b.scalar(ScalarOp::Not, &[*c]);
                (inner, self.b.scalar(ScalarOp::Or, &[not, inner.condition]))
            }
            (Abs::Choice(inner), other) if self.is_same(&inner.otherwise, other) => {
                (inner, self.b.scalar(ScalarOp::And, &[*c, inner.condition]))
            }
            (other, Abs::Choice(inner)) if self.is_same(&inner.then, other) => {
                (inner, self.b.scalar(ScalarOp::Or, &[*c, inner.condition]))
            }
            (other, Abs::Choice(inner)) if self.is_same(&inner.otherwise, other) => {
                let not = self.b.scalar(ScalarOp::Not, &[*c]);
                (inner, self.b.scalar(ScalarOp::And, &[not, inner.condition]))
            }
            _ => return None,
        };
        let (then, otherwise) = (inner.then.clone(), inner.otherwise.clone());
        Some(Abs::Choice(Rc::new(Choice { condition, then, otherwise })))
    }

    /// Whether two functions are one: the same code with the same captured values.
    fn is_same(&self, a: &Abs<'a>, b: &Abs<'a>) -> bool {
        match (a, b) {
            (Abs::Value(v), Abs::Value(w)) => v == w,
            (Abs::Rest(v, m), Abs::Rest(w, n)) => (v, m) == (w, n),
            (Abs::Pair(x), Abs::Pair(y)) => {
                Rc::ptr_eq(x, y) || self.is_same(&x.0, &y.0) && self.is_same(&x.1, &y.1)
            }
            (Abs::Fun(x), Abs::Fun(y)) => {
                Rc::ptr_eq(x, y) || x.types == y.types && self.is_same_code(&x.code, &y.code)
            }
            _ => false,
        }
    }

    fn is_same_code(&self, a: &Code<'a>, b: &Code<'a>) -> bool {
        match (a, b) {
            (Code::Global(g), Code::Global(h)) => g == h,
            (Code::Lambda(x), Code::Lambda(y)) => {
                let mut captured = x.captured.iter().zip(&y.captured);
                std::ptr::eq(x.body, y.body)
                    && x.outside.map(|call| call.span) == y.outside.map(|call| call.span)
                    && captured.all(|(v, w)| self.is_same(&v.1, &w.1))
            }
            _ => false,
        }
    }

    /// Ends an arm with what leaves it.
    fn give(&mut self, stmts: Vec<Stmt>, side: bool, exports: &Exports<'a>) -> Block {
        self.b.resume(stmts);
        let mut values = Vec::with_capacity(exports.list.len());
        for export in &exports.list {
            let given = if side { &export.then } else { &export.otherwise };
            values.push(match given {
                Some(abs) => self.reify(abs, &export.ty),
                None => {
                    let ty = ty::nest(self.program, &export.ty);
                    self.identity(&ty)
                }
            });
        }
        let result = if values.is_empty() { self.b.bool(true) } else { self.b.tuple(values) };
        self.b.end(result)
    }

    /// The value after the `if`.
    fn join(
        &mut self,
        condition: Value,
        arms: [&Abs<'a>; 2],
        ty: &Type,
        exports: &mut Exports<'a>,
    ) -> Lowering<Abs<'a>> {
        let [then, otherwise] = arms;
        if !ty::has_functions(self.program, ty) {
            return Ok(self.export(ty, Some(then.clone()), Some(otherwise.clone()), exports));
        }
        match ty::fields(self.program, ty) {
            Type::Pair(a, b) => {
                let (x, y) = (self.first(then), self.first(otherwise));
                let first = self.join(condition, [&x, &y], &a, exports)?;
                let (x, y) = (self.second(then), self.second(otherwise));
                Ok(Abs::pair(first, self.join(condition, [&x, &y], &b, exports)?))
            }
            _ => {
                let then = self.carry(then, ty, true, exports)?;
                let otherwise = self.carry(otherwise, ty, false, exports)?;
                Ok(Abs::Choice(Rc::new(Choice { condition, then, otherwise })))
            }
        }
    }

    /// A value of one arm, as it is known after the `if`.
    fn carry(
        &mut self,
        abs: &Abs<'a>,
        ty: &Type,
        side: bool,
        exports: &mut Exports<'a>,
    ) -> Lowering<Abs<'a>> {
        Ok(match abs {
            Abs::Fun(closure) => self.recapture(closure, &mut |lower, captured, ty| {
                lower.carry(captured, ty, side, exports)
            })?,
            Abs::Choice(choice) => {
                let bool = Type::Base(prim::Ty::Bool);
                let condition = Abs::Value(choice.condition);
                let condition = self.carry(&condition, &bool, side, exports)?;
                let condition = self.reify(&condition, &bool);
                let then = self.carry(&choice.then, ty, side, exports)?;
                let otherwise = self.carry(&choice.otherwise, ty, side, exports)?;
                Abs::Choice(Rc::new(Choice { condition, then, otherwise }))
            }
            Abs::Pair(pair) if ty::has_functions(self.program, ty) => {
                let (a, b) = ty::pair(self.program, ty);
                let first = self.carry(&pair.0, &a, side, exports)?;
                Abs::pair(first, self.carry(&pair.1, &b, side, exports)?)
            }
            _ if made_before(abs, exports.mark) => abs.clone(),
            _ if side => self.export(ty, Some(abs.clone()), None, exports),
            _ => self.export(ty, None, Some(abs.clone()), exports),
        })
    }

    fn export(
        &mut self,
        ty: &Type,
        then: Option<Abs<'a>>,
        otherwise: Option<Abs<'a>>,
        exports: &mut Exports<'a>,
    ) -> Abs<'a> {
        let outside = self.b.fresh(ty::nest(self.program, ty));
        exports.list.push(Export { outside, ty: ty.clone(), then, otherwise });
        Abs::Value(outside)
    }
}

/// Whether all of a value without functions was there before `mark`.
fn made_before(abs: &Abs<'_>, mark: Value) -> bool {
    match abs {
        Abs::Value(v) | Abs::Rest(v, _) => *v < mark,
        Abs::Pair(pair) => made_before(&pair.0, mark) && made_before(&pair.1, mark),
        Abs::Fun(_) | Abs::Choice(_) => unreachable!("a function among values"),
    }
}
