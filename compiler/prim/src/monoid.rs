//! The associative operations of built-in scans and reductions.

use crate::eval::eval;
use crate::scalar::ScalarOp;
use crate::ty::{Const, Ty};
use crate::widths::Widths;
use std::fmt;

/// An associative operation with an identity at each type that it is defined on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Monoid {
    /// Sum.
    Add,
    /// Product.
    Mul,
    /// Larger; a nan is ignored.
    Max,
    /// Smaller; a nan is ignored.
    Min,
    /// Conjunction.
    And,
    /// Disjunction.
    Or,
    /// Exclusive or.
    Xor,
}

impl Monoid {
    /// All of them.
    pub const ALL: [Monoid; 7] =
        [Monoid::Add, Monoid::Mul, Monoid::Max, Monoid::Min, Monoid::And, Monoid::Or, Monoid::Xor];
    /// The word used in IR text.
    pub fn name(self) -> &'static str {
        self.op().name()
    }
    /// The monoid of a word.
    pub fn parse(word: &str) -> Option<Monoid> {
        Monoid::ALL.into_iter().find(|m| m.name() == word)
    }
    /// The scalar operation that combines two values.
    pub fn op(self) -> ScalarOp {
        match self {
            Monoid::Add => ScalarOp::Add,
            Monoid::Mul => ScalarOp::Mul,
            Monoid::Max => ScalarOp::Max,
            Monoid::Min => ScalarOp::Min,
            Monoid::And => ScalarOp::And,
            Monoid::Or => ScalarOp::Or,
            Monoid::Xor => ScalarOp::Xor,
        }
    }
    /// Two values of a type that it is defined on, combined.
    pub fn combine(self, widths: Widths, a: Const, b: Const) -> Const {
        eval(widths, self.op(), &[a, b]).unwrap_or_else(|_| unreachable!("{self} cannot fail"))
    }
    /// Whether values of a type can be combined in any grouping: floats are rounded at each step,
    /// and of two zeros the one that comes first may stay.
    pub fn regroups(self, ty: Ty) -> bool {
        ty != Ty::F64
    }
    /// The value of an empty reduction (LIBRARY 6) at 64 bits: [`Widths::identity`] gives that of
    /// a program's widths.
    pub(crate) fn identity(self, ty: Ty) -> Const {
        match (self, ty) {
            (Monoid::Max, Ty::I64) => Const::I64(i64::MIN),
            (Monoid::Max, Ty::F64) => Const::F64(f64::NEG_INFINITY),
            (Monoid::Min, Ty::I64) => Const::I64(i64::MAX),
            (Monoid::Min, Ty::F64) => Const::F64(f64::INFINITY),
            (Monoid::Min, Ty::Char) => Const::Char(255),
            (Monoid::Mul, Ty::I64) => Const::I64(1),
            (Monoid::Mul, Ty::F64) => Const::F64(1.0),
            (Monoid::And, Ty::I64) => Const::I64(-1),
            (Monoid::And, Ty::Bool) => Const::Bool(true),
            _ => ty.zero(),
        }
    }
}

impl fmt::Display for Monoid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
