//! Code of kept lanes under the condition by which they were kept.

use super::CHEAP_OPS;
use crate::Code;
use crate::ir::{Domain, Function, Op, Space, Value};
use prim::{Const, Monoid, ScalarOp, Ty, Widths};
use scalar::{Atom, Builder, Item, Var};

/// Puts a condition before what a lane does.
pub(super) struct Guard<'f> {
    pub(super) function: &'f Function,
    /// Of the program's numbers.
    pub(super) widths: Widths,
    pub(super) source: Space,
    /// Whether a lane meets the condition.
    pub(super) meets: Value,
    pub(super) positions: Value,
}

impl Guard<'_> {
    /// What all lanes do in place of what the kept ones did.
    pub(super) fn op(&self, op: &Op) -> Op {
        let space = self.source;
        let Some(code) = op.code() else { unreachable!("it runs lane by lane") };
        let tys = code.yield_tys();
        match op {
            Op::Map { .. } => {
                let other: Vec<Const> = tys.iter().map(|ty| ty.zero()).collect();
                let plain = self.runs_anywhere(code);
                let code = if plain { code.clone() } else { self.guarded(code, &other) };
                Op::Map { space, code }
            }
            Op::Reduce { monoids, .. } => {
                let neutral = |(&monoid, &ty): (&Monoid, &Ty)| self.widths.identity(monoid, ty);
                let other: Vec<Const> = monoids.iter().zip(&tys).map(neutral).collect();
                Op::Reduce { space, monoids: monoids.clone(), code: self.guarded(code, &other) }
            }
            Op::Filter { .. } => {
                Op::Filter { space, code: self.guarded(code, &[Const::Bool(false)]) }
            }
            _ => unreachable!("only maps, reductions and filters are over kept lanes"),
        }
    }

    /// The code's yields where the condition is met, else the others.
    fn guarded(&self, code: &Code, others: &[Const]) -> Code {
        let mut builder = Builder::new();
        let params: Vec<Var> = code.params.iter().map(|&p| builder.param(code.vars[p])).collect();
        let args: Vec<Atom<Value>> = params.iter().map(|&p| Atom::Var(p)).collect();
        let met = builder.read(Ty::Bool, self.meets, args[args.len() - 2]);
        let others: Vec<Atom<Value>> = others.iter().map(|&c| Atom::Const(c)).collect();
        let select = |builder: &mut Builder<Value>, yields: Vec<Atom<Value>>| {
            let pairs = yields.into_iter().zip(&others);
            pairs
                .map(|(value, &other)| {
                    builder.scalar(ScalarOp::Select, &[met, value, other], base::Span::none())
                })
                .collect::<Vec<_>>()
        };
        if self.runs_anywhere(code) {
            let yields = builder.inline(code, &args);
            let yields = select(&mut builder, yields);
            return builder.finish(yields);
        }
        builder.begin();
        let yields = builder.inline(code, &args);
        let results: Vec<Var> = yields
            .iter()
            .map(|&y| builder.ty(y))
            .collect::<Vec<_>>()
            .into_iter()
            .map(|ty| builder.fresh(ty))
            .collect();
        let then = builder.end(yields);
        builder.begin();
        let els = builder.end(others.clone());
        builder.push(scalar::Stmt::If { results: results.clone(), cond: met, then, els });
        builder.finish(results.into_iter().map(Atom::Var).collect())
    }

    /// Whether code costs little, and does no harm, in lanes that do not meet the condition: it
    /// reads only what these lanes and those around them have.
    fn runs_anywhere(&self, code: &Code) -> bool {
        let chain = self.function.chain(self.source);
        let mut ops = 0;
        let mut fits = !code.has_effect();
        code.body.walk(&mut |item| match item {
            Item::Stmt(scalar::Stmt::Let(_, scalar::Op::Scalar(op, ..))) => {
                ops += 1;
                fits &= !op.is_heavy();
            }
            Item::Stmt(scalar::Stmt::Let(_, scalar::Op::Read(vector, index))) => {
                let own = chain.iter().zip(&code.params).any(|(&space, &param)| {
                    *index == Atom::Var(param) && self.held_by(*vector, space)
                });
                fits &= own;
            }
            Item::Stmt(_) => fits = false,
            Item::Yields(_) => {}
        });
        fits && ops <= CHEAP_OPS
    }

    fn held_by(&self, vector: Value, space: Space) -> bool {
        match self.function.values[vector].domain {
            // What the kept lanes have is about to be what all lanes have.
            Domain::Lanes(s) => {
                s == space
                    || (space == self.source
                        && self.function.spaces[s].from == Some((space, self.positions)))
            }
            Domain::Offsets(s) => s == space,
            Domain::Scalar | Domain::Pool => false,
        }
    }
}
