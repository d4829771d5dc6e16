//! `==`: scalars by value, tuples by parts, sequences by length and elements.

use super::Derived;
use crate::mono::Lower;
use nest::{Op, Type, Value};
use prim::{Monoid, ScalarOp, Ty};

impl Lower<'_> {
    /// Whether two values are equal.
    pub(crate) fn equal(&mut self, a: Value, b: Value) -> Value {
        match self.b.ty(a).clone() {
            Type::Scalar(_) => self.b.scalar(ScalarOp::Eq, &[a, b]),
            Type::Tuple(parts) => {
                let mut all = None;
                for n in 0..parts.len() {
                    let (x, y) = (self.b.field(a, n), self.b.field(b, n));
                    let equal = self.equal(x, y);
                    all = Some(match all {
                        Some(before) => self.b.scalar(ScalarOp::And, &[before, equal]),
                        None => equal,
                    });
                }
                all.unwrap_or_else(|| unreachable!("a tuple has parts"))
            }
            ty @ Type::Seq(_) => {
                let func = self.derived(Derived::Equal(ty));
                self.call_func(func, vec![a, b], Type::Scalar(Ty::Bool))
            }
        }
    }

    /// Whether two sequences are equal; elements are only compared when the lengths agree.
    pub(super) fn equal_sequences(&mut self, a: Value, b: Value) -> Value {
        let (m, n) = (self.b.push(Op::Length(a)), self.b.push(Op::Length(b)));
        let same_length = self.b.scalar(ScalarOp::Eq, &[m, n]);
        self.b.begin();
        let equal = self.each_of(&[a, b], |lower, xy| Ok(lower.equal(xy[0], xy[1])));
        let equal = equal.unwrap_or_else(|_| unreachable!("equality is defined at every type"));
        let all = self.b.push(Op::Reduce(Monoid::And, equal));
        let then = self.b.end(all);
        self.b.begin();
        let no = self.b.bool(false);
        let otherwise = self.b.end(no);
        self.b.push(Op::If(same_length, then, otherwise))
    }
}
