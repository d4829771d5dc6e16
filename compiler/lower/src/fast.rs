//! Floats that need not be rounded as the program is written (`--fast-math`).
//!
//! ```text
//! a * b + c    v1 = mul a b  v2 = add v1 c        ->   v2 = fma a b c
//! a - b * c    v1 = mul b c  v2 = sub a v1        ->   v1 = neg b  v2 = fma v1 c a
//! a / 3.0      v1 = const 3.0  v2 = div a v1      ->   v1 = const 1/3  v2 = mul a v1
//! ```
//!
//! This happens here, once, and not in the compiler of the text, because later stations copy
//! code: a filter evaluates its test to count and again to write, a check may run in another kernel
//! than what it protects.  Copies must agree to the last bit, and compilers contract each loop in
//! its own way.
//!
//! The library is left as it is written: `parse_float` and `exp_string` live on what roundings
//! lose.

use crate::mono::Lower;
use base::Span;
use nest::Value;
use prim::{Const, ScalarOp, Ty, Width};

/// How exactly operations on floats are done.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Floats {
    /// As they are written: each rounds once.
    #[default]
    Exact,
    /// A product and a sum may round together, and a quotient may be a product.
    Fast,
}

impl Lower<'_> {
    /// How exactly floats of an expression of this text are computed.
    pub(crate) fn floats_at(&self, text: Span) -> Floats {
        if self.library_files.contains(&text.file) { Floats::Exact } else { self.floats }
    }

    /// A scalar operation.
    pub(crate) fn scalar(&mut self, op: ScalarOp, args: &[Value], floats: Floats) -> Value {
        match floats {
            Floats::Fast if *self.b.ty(args[0]) == nest::Type::Scalar(Ty::F64) => {
                self.fast(op, args)
            }
            Floats::Fast | Floats::Exact => self.b.scalar(op, args),
        }
    }

    /// An operation on floats, made of others where that is faster.
    fn fast(&mut self, op: ScalarOp, args: &[Value]) -> Value {
        let product = |lower: &Self, i: usize| lower.products.get(args.get(i)?).copied();
        match (op, args) {
            (ScalarOp::Mul, &[a, b]) => {
                let value = self.b.scalar(op, args);
                self.products.insert(value, [a, b]);
                value
            }
            (ScalarOp::Div, &[a, b]) => match self.reciprocal(b) {
                Some(factor) => {
                    let factor = self.b.constant(factor);
                    self.fast(ScalarOp::Mul, &[a, factor])
                }
                None => self.b.scalar(op, args),
            },
            (ScalarOp::Neg, _) if let Some([a, b]) = product(self, 0) => {
                let a = self.negative(a);
                self.fast(ScalarOp::Mul, &[a, b])
            }
            (ScalarOp::Add, &[_, c]) if let Some([a, b]) = product(self, 0) => {
                self.b.scalar(ScalarOp::Fma, &[a, b, c])
            }
            (ScalarOp::Add, &[c, _]) if let Some([a, b]) = product(self, 1) => {
                self.b.scalar(ScalarOp::Fma, &[a, b, c])
            }
            // Of equal products the difference stays 0: a determinant tells whether points are on a
            // line.
            (ScalarOp::Sub, _) if product(self, 0).is_some() && product(self, 1).is_some() => {
                self.b.scalar(op, args)
            }
            (ScalarOp::Sub, &[_, c]) if let Some([a, b]) = product(self, 0) => {
                let c = self.negative(c);
                self.b.scalar(ScalarOp::Fma, &[a, b, c])
            }
            (ScalarOp::Sub, &[c, _]) if let Some([a, b]) = product(self, 1) => {
                let a = self.negative(a);
                self.b.scalar(ScalarOp::Fma, &[a, b, c])
            }
            _ => self.b.scalar(op, args),
        }
    }

    /// The negative of a float.
    fn negative(&mut self, value: Value) -> Value {
        match self.b.known(value) {
            Some(Const::F64(x)) => self.b.constant(Const::F64(-x)),
            _ => self.b.scalar(ScalarOp::Neg, &[value]),
        }
    }

    /// The reciprocal of a constant, unless dividing by it is more than multiplying: by zero, by
    /// infinity, or where the reciprocal has fewer bits than other floats.
    fn reciprocal(&self, value: Value) -> Option<Const> {
        let Some(Const::F64(x)) = self.b.known(value) else { return None };
        let widths = self.program.widths;
        let result = widths.fit(Const::F64(1.0 / x));
        let is_normal = |c: Const| match widths.float {
            Width::W32 => (c.float() as f32).is_normal(),
            Width::W64 => c.float().is_normal(),
        };
        (is_normal(Const::F64(x)) && is_normal(result)).then_some(result)
    }
}
