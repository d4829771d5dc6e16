//! Prefixes and sums of what is the same in all lanes, without a pass over these.
//!
//! ```text
//! v2 = scan [s1] add \x0 x1 { yield 3 }       ==>  v2 = map [s1] \x0 x1 { mul x1 3 }
//! v3 = reduce [s1] add \x0 x1 { yield v0 }    ==>  v3 = map [s0] \{ mul #s1 v0 }
//! ```
//!
//! The laws: `n` times `c` added up is `n * c`, where ints wrap as well; `c` combined with itself
//! by the lesser, the greater, *and* or *or* is `c`, if there is any, and if it is no `nan`.
//! Floats are rounded at each step, so their sums stay.

use crate::Code;
use crate::ir::{Block, Function, Op, Operand, Space, SpaceKind, Stmt, Value};
use base::Span;
use prim::{Const, Monoid, ScalarOp, Ty, Widths};
use scalar::{Atom, Builder, Var};

/// Replaces scans and reductions of constants in all blocks of a function.
pub fn scan_constants(function: &mut Function, widths: Widths) {
    let mut body = std::mem::take(&mut function.body);
    Constants { function, widths }.in_block(&mut body);
    function.body = body;
}

/// Computes the scans and reductions of constants in one function.
struct Constants<'f> {
    function: &'f Function,
    widths: Widths,
}

impl Constants<'_> {
    fn in_block(&self, block: &mut Block) {
        for Stmt { op, .. } in &mut block.stmts {
            match op {
                Op::If(_, then, els) => {
                    self.in_block(then);
                    self.in_block(els);
                }
                Op::Scan { space, monoids, code } if are_constant(monoids, code) => {
                    let (space, code) = (*space, self.prefixes(*space, monoids, code));
                    *op = Op::Map { space, code };
                }
                Op::Reduce { space, monoids, code } if are_constant(monoids, code) => {
                    if let Some(parent) = self.function.parent(*space) {
                        let code = self.sums(*space, monoids, code);
                        *op = Op::Map { space: parent, code };
                    }
                }
                _ => {}
            }
        }
    }

    /// `count` times the value of a yield.
    fn repeated(
        &self,
        builder: &mut Builder<Value>,
        monoid: Monoid,
        value: Atom<Value>,
        count: Atom<Value>,
    ) -> Atom<Value> {
        let mut op = |op, args: &[Atom<Value>]| builder.scalar(op, args, Span::none());
        if monoid == Monoid::Add {
            return op(ScalarOp::Mul, &[count, value]);
        }
        let some = op(ScalarOp::Gt, &[count, Atom::Const(Const::I64(0))]);
        let none = Atom::Const(self.widths.identity(monoid, builder.ty(value)));
        builder.scalar(ScalarOp::Select, &[some, value, none], Span::none())
    }

    fn all_repeated(
        &self,
        builder: &mut Builder<Value>,
        monoids: &[Monoid],
        code: &Code,
        count: Atom<Value>,
    ) -> Vec<Atom<Value>> {
        let pairs = monoids.iter().zip(&code.body.yields);
        pairs.map(|(&monoid, &value)| self.repeated(builder, monoid, value, count)).collect()
    }

    /// A lane has as many before it as its index says.
    fn prefixes(&self, space: Space, monoids: &[Monoid], code: &Code) -> Code {
        let mut builder = Builder::new();
        let depth = self.function.chain(space).len();
        let params: Vec<Var> = (0..=depth).map(|_| builder.param(Ty::I64)).collect();
        let yields = self.all_repeated(&mut builder, monoids, code, Atom::Var(params[depth]));
        builder.finish(yields)
    }

    /// A lane of the parent has as many as its segment is long.
    fn sums(&self, space: Space, monoids: &[Monoid], code: &Code) -> Code {
        let mut builder = Builder::new();
        let zero = Atom::Const(Const::I64(0));
        let depth = self.function.chain(space).len() - 1;
        let params: Vec<Var> = match depth {
            0 => Vec::new(),
            _ => (0..=depth).map(|_| builder.param(Ty::I64)).collect(),
        };
        let count = match self.function.spaces[space].kind {
            SpaceKind::Regular(_, length) => {
                let length = match length {
                    Operand::Const(c) => Atom::Const(c),
                    Operand::Value(v) => builder.outer(v, Ty::I64),
                };
                // A negative length counts as 0.
                builder.scalar(ScalarOp::Max, &[length, zero], Span::none())
            }
            SpaceKind::Packed(_, offsets) => {
                let own = depth.checked_sub(1).map_or(zero, |d| Atom::Var(params[d]));
                let one = Atom::Const(Const::I64(1));
                let next = builder.scalar(ScalarOp::Add, &[own, one], Span::none());
                let [start, end] = [own, next].map(|at| builder.read(Ty::I64, offsets, at));
                builder.scalar(ScalarOp::Sub, &[end, start], Span::none())
            }
            SpaceKind::Root => unreachable!("the root is not reduced"),
        };
        let yields = self.all_repeated(&mut builder, monoids, code, count);
        builder.finish(yields)
    }
}

/// Whether all yields are the same in all lanes, and combine to what one operation gives.
fn are_constant(monoids: &[Monoid], code: &Code) -> bool {
    let fits = |(monoid, atom): (&Monoid, &Atom<Value>)| {
        let ty = code.ty(*atom);
        let repeated = match monoid {
            Monoid::Add => ty == Some(Ty::I64),
            Monoid::Max | Monoid::Min => ty != Some(Ty::F64) || is_number(*atom),
            Monoid::And | Monoid::Or => true,
            _ => false,
        };
        repeated && matches!(atom, Atom::Const(_) | Atom::Outer(..))
    };
    !code.has_effect() && monoids.iter().zip(&code.body.yields).all(fits)
}

/// Whether it is surely no `nan`, which is neither less nor greater than what it is combined with.
fn is_number(atom: Atom<Value>) -> bool {
    matches!(atom, Atom::Const(Const::F64(float)) if !float.is_nan())
}
