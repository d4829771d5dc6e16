//! Which floats are on one side of 0, whatever is computed with.
//!
//! Gaussians, `exp(-0.5 * x * x)`, are most of what programs ask `exp` for; of an argument that is
//! never above 0 it is cheaper.  0 and nan are on both sides.

use prim::{Const, ScalarOp};
use scalar::{Atom, Var};
use std::collections::HashMap;

/// On which side of 0 a float is.
#[derive(Clone, Copy)]
struct Side<R> {
    below: bool,
    /// Told of the product with this operand, which is on either side: `-0.5 * x` is above 0 where
    /// `x` is below.
    times: Option<Atom<R>>,
}

/// What is known of the variables of the function being printed, in the order of statements.
pub(crate) struct Signs<R>(HashMap<Var, Side<R>>);

impl<R> Default for Signs<R> {
    fn default() -> Self {
        Signs(HashMap::new())
    }
}

impl<R: Copy + PartialEq> Signs<R> {
    /// Takes note of `var = op(args)`.
    pub(crate) fn note(&mut self, var: Var, op: ScalarOp, args: &[Atom<R>]) {
        if let Some(side) = self.result(op, args) {
            self.0.insert(var, side);
        }
    }
    /// Whether the operand, a float, is never above 0.
    pub(crate) fn below(&self, atom: Atom<R>) -> bool {
        let side = self.side(atom);
        side.below && side.times.is_none()
    }
    fn side(&self, atom: Atom<R>) -> Side<R> {
        let unknown = Side { below: false, times: Some(atom) };
        match atom {
            Atom::Var(v) => self.0.get(&v).copied().unwrap_or(unknown),
            Atom::Const(Const::F64(x)) if !x.is_nan() => Side { below: x < 0.0, times: None },
            _ => unknown,
        }
    }
    fn result(&self, op: ScalarOp, args: &[Atom<R>]) -> Option<Side<R>> {
        let above = Side { below: false, times: None };
        match (op, args) {
            (ScalarOp::Abs | ScalarOp::Sqrt | ScalarOp::Exp, _) => Some(above),
            (ScalarOp::Neg, &[a]) => {
                let side = self.side(a);
                Some(Side { below: !side.below, ..side })
            }
            (ScalarOp::Mul | ScalarOp::Div, &[a, b]) => product(self.side(a), self.side(b)),
            (ScalarOp::Add, &[a, b]) => {
                let [a, b] = [self.side(a), self.side(b)];
                let same = a.below == b.below && a.times.is_none() && b.times.is_none();
                same.then_some(a)
            }
            _ => None,
        }
    }
}

fn product<R: PartialEq>(a: Side<R>, b: Side<R>) -> Option<Side<R>> {
    let below = a.below != b.below;
    match (a.times, b.times) {
        (None, times) | (times, None) => Some(Side { below, times }),
        (Some(x), Some(y)) if x == y => Some(Side { below, times: None }),
        _ => None,
    }
}
