//! `hash_bits`: the hash of any value, equal for equal values.
//!
//! An int `x` is `mix(x, 0)`; a float, bool or char likewise its bits with 1, its code with 2 or 3.
//! A tuple is `mix(first, hash of the rest)`.  A sequence is `mix(total, length)`, where the total
//! is the sum of `mix(element i, i)`: a sum, so that it can be taken in any order.

use super::Derived;
use crate::mono::Lower;
use nest::{Op, Type, Value};
use prim::{Monoid, ScalarOp, Ty};

impl Lower<'_> {
    /// The hash of a value.
    pub(crate) fn hash(&mut self, value: Value) -> Value {
        match self.b.ty(value).clone() {
            Type::Scalar(ty) => self.hash_scalar(value, ty),
            Type::Tuple(parts) => {
                let hashes = (0..parts.len()).map(|n| {
                    let part = self.b.field(value, n);
                    self.hash(part)
                });
                let hashes: Vec<Value> = hashes.collect();
                let join = |rest, first| self.b.scalar(ScalarOp::Mix, &[first, rest]);
                let whole = hashes.into_iter().rev().reduce(join);
                whole.unwrap_or_else(|| unreachable!("a tuple has parts"))
            }
            ty @ Type::Seq(_) => {
                let func = self.derived(Derived::Hash(ty));
                self.call_func(func, vec![value], Type::Scalar(Ty::I64))
            }
        }
    }

    fn hash_scalar(&mut self, value: Value, ty: Ty) -> Value {
        let (bits, kind) = match ty {
            Ty::I64 => (value, 0),
            Ty::F64 => (self.b.scalar(ScalarOp::FloatBits, &[value]), 1),
            Ty::Bool => (self.b.scalar(ScalarOp::Btoi, &[value]), 2),
            Ty::Char => (self.b.scalar(ScalarOp::CharCode, &[value]), 3),
        };
        let kind = self.b.int(kind);
        self.b.scalar(ScalarOp::Mix, &[bits, kind])
    }

    pub(super) fn hash_sequence(&mut self, value: Value) -> Value {
        let length = self.b.push(Op::Length(value));
        let positions = self.b.push(Op::Index(length));
        let hashes = self.each_of(&[value, positions], |lower, lane| {
            let hash = lower.hash(lane[0]);
            Ok(lower.b.scalar(ScalarOp::Mix, &[hash, lane[1]]))
        });
        let hashes = hashes.unwrap_or_else(|_| unreachable!("every type has a hash"));
        let total = self.b.push(Op::Reduce(Monoid::Add, hashes));
        self.b.scalar(ScalarOp::Mix, &[total, length])
    }
}
