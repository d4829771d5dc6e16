//! Calls.
//!
//! A function that does not lead back to itself is translated in place, unless it is large and
//! there are several calls of it.  Others become scalar functions when they are scalar, else
//! twins, which are called once for all lanes.

use crate::context::{Context, Item};
use crate::held::{Held, argument};
use crate::origin::Lying;
use crate::rep::{Pool, Rep, Scalar};
use crate::scalars::scalar_types;
use crate::twin::{Passing, TwinKey};
use crate::ways::Handed;
use base::Id;
use flat::{Function, Op, Operand, Value};
use nest::{Func, Type};
use prim::{Const, ScalarOp};
use scalar::Call;

impl Context<'_, '_> {
    pub(crate) fn call(&mut self, func: Func, args: Vec<Rep>) -> Rep {
        let analysis = &self.flattener.analysis;
        if !analysis.called[func.index()] {
            return self.inline(func, args);
        }
        if analysis.scalar[func.index()] {
            return self.call_scalar(func, &args);
        }
        if let Some(own) = self.flattener.conserving.parameter(func) {
            return self.call_placed(func, &args, own);
        }
        if self.at_root() { self.call_root(func, &args) } else { self.call_lifted(func, &args) }
    }

    fn inline(&mut self, func: Func, args: Vec<Rep>) -> Rep {
        let callee = &self.flattener.nest.funcs[func];
        let saved = std::mem::replace(&mut self.source, callee);
        let mut env = callee.params.iter().copied().zip(args).collect();
        let result = self.nest_block(&callee.body, &mut env);
        self.source = saved;
        result
    }

    fn result_type(&self, func: Func) -> Type {
        let callee = &self.flattener.nest.funcs[func];
        callee.values[callee.body.result].ty.clone()
    }

    fn call_scalar(&mut self, func: Func, args: &[Rep]) -> Rep {
        let args: Vec<Rep> = args.iter().map(|a| self.with_starts(a)).collect();
        let ty = self.result_type(func);
        let mut tys = Vec::new();
        scalar_types(&ty, &mut tys);
        let span = self.span;
        let region = self.region(self.space, span);
        let held: Vec<Held<Value>> = args.iter().map(|a| self.held(region, a)).collect();
        let id = self.flattener.scalar_function(func, held.iter().map(Held::shape).collect());
        let results = self.with_lane(region, |_, lane| {
            let (mut atoms, mut vectors) = (Vec::new(), Vec::new());
            for arg in &held {
                argument(arg, &mut atoms, &mut vectors);
            }
            let results: Vec<_> = tys.iter().map(|&t| lane.builder.fresh(t)).collect();
            let call = Call { results: results.clone(), func: id, args: atoms, vectors, span };
            lane.builder.push(scalar::Stmt::Call(call));
            results
        });
        let mut scalars = results.into_iter().map(|v| Scalar::Pending(region, v));
        rep_of(&ty, &mut scalars)
    }

    /// Sequences as views whose pools have starts and lengths at every level.
    pub(crate) fn with_starts(&mut self, rep: &Rep) -> Rep {
        match rep {
            Rep::Scalar(_) => rep.clone(),
            Rep::Tuple(parts) => Rep::Tuple(parts.iter().map(|p| self.with_starts(p)).collect()),
            Rep::Lanes { .. } | Rep::View { .. } => {
                let (start, len, pool) = self.as_view(rep);
                let pool = self.pool_with_starts(&pool);
                Rep::View { start, len, pool }
            }
        }
    }

    fn call_root(&mut self, func: Func, args: &[Rep]) -> Rep {
        let (twin, operands, (ty, lying)) = self.root_twin(func, args);
        self.called(&ty, &lying, twin, operands)
    }

    /// Which twin a call at the root is one of, what it is given, and what it gives.
    fn root_twin(&mut self, func: Func, args: &[Rep]) -> (flat::Func, Vec<Operand>, (Type, Lying)) {
        let mut operands = Vec::new();
        let handed = self.root_arguments(func, args, &mut operands);
        let (passing, ways) = (Passing::Root, handed.ways.clone());
        let twin = self.flattener.twin(TwinKey { func, passing, ways, placed: false });
        (twin, operands, self.result_of(func, &handed))
    }

    /// The components of what a call of the root gives, the last that a function does.
    pub(super) fn last_call(
        &mut self,
        func: Func,
        args: &[Rep],
        (result, own): (&Type, &Lying),
    ) -> Vec<Operand> {
        let (twin, operands, (ty, lying)) = self.root_twin(func, args);
        let mut results = Vec::new();
        let rep = self.received(&ty, &lying, &mut results);
        self.flush_all();
        self.push(results.clone(), Op::Call(twin, operands));
        if lying == *own {
            return results.into_iter().map(Operand::Value).collect();
        }
        let rep = self.arrived(&rep, &lying);
        let mut out = Vec::new();
        self.hand_up(&rep, result, own, &mut out);
        out
    }

    /// The type of a function's result, and where it lies.
    fn result_of(&mut self, func: Func, args: &Handed) -> (Type, Lying) {
        (self.result_type(func), self.flattener.origins.lying(func, args))
    }

    /// A call that runs in any case.
    fn called(
        &mut self,
        ty: &Type,
        lying: &Lying,
        twin: flat::Func,
        operands: Vec<Operand>,
    ) -> Rep {
        let mut results = Vec::new();
        let rep = self.received(ty, lying, &mut results);
        self.flush_all();
        self.push(results, Op::Call(twin, operands));
        self.arrived(&rep, lying)
    }

    /// One call for all lanes, if there are any.
    fn call_lifted(&mut self, func: Func, args: &[Rep]) -> Rep {
        let (count, some) = self.count_lanes();
        let mut operands = vec![count];
        let (handed, uniform) = self.lane_arguments(func, args, &mut operands);
        let ways = handed.ways.clone();
        let key = TwinKey { func, passing: Passing::Lifted(uniform), ways, placed: false };
        let twin = self.flattener.twin(key);
        let (ty, lying) = self.result_of(func, &handed);
        if some == Operand::Const(Const::Bool(true)) {
            return self.called(&ty, &lying, twin, operands);
        }
        self.begin();
        let mut inner = Vec::new();
        self.received(&ty, &lying, &mut inner);
        let yields = inner.iter().map(|&v| Operand::Value(v)).collect();
        self.push(inner, Op::Call(twin, operands));
        let then = self.end(yields);
        let mut results = Vec::new();
        let rep = self.received(&ty, &lying, &mut results);
        self.begin();
        let yields = results.iter().map(|&v| self.nothing(v)).collect();
        let els = self.end(yields);
        let span = self.span;
        self.push_item(Item::If { results, cond: some, then, els, span });
        self.arrived(&rep, &lying)
    }

    /// The arguments of a call at the root, where each sequence has one pool.
    pub(crate) fn root_arguments(
        &mut self,
        func: Func,
        args: &[Rep],
        operands: &mut Vec<Operand>,
    ) -> Handed {
        if let Some(handed) = self.hand_on_outside(func, args, operands) {
            return handed;
        }
        let in_heaps = !self.heaps.is_empty();
        let arg = |arg: &Rep| {
            let arg = if in_heaps { arg.clone() } else { self.of_one_pool(arg) };
            (arg, Function::root())
        };
        let args: Vec<_> = args.iter().map(arg).collect();
        self.hand_on(func, &args, operands)
    }

    /// The arguments of a lifted function; tells which are the same for all lanes.
    pub(crate) fn lane_arguments(
        &mut self,
        func: Func,
        args: &[Rep],
        operands: &mut Vec<Operand>,
    ) -> (Handed, Vec<bool>) {
        let uniform: Vec<bool> = args.iter().map(|arg| self.is_uniform(arg)).collect();
        let space = |&same: &bool| if same { Function::root() } else { self.space };
        let spaces = uniform.iter().map(space);
        let args: Vec<_> = args.iter().cloned().zip(spaces).collect();
        (self.hand_on(func, &args, operands), uniform)
    }

    /// How many lanes the current space has, and whether it has any.
    pub(crate) fn count_lanes(&mut self) -> (Operand, Operand) {
        let count = self.count(self.space);
        self.within(Function::root(), |cx| {
            let some = cx.compute(ScalarOp::Gt, &[count, Scalar::int(0)]);
            let operand = |cx: &mut Self, s| {
                cx.uniform(s).unwrap_or_else(|| unreachable!("a count of lanes at the root"))
            };
            (operand(cx, count), operand(cx, some))
        })
    }

    /// Whether a value is the same for all lanes: nothing in it has a home but the root.
    fn is_uniform(&self, rep: &Rep) -> bool {
        let root = |s: Scalar| self.home(s).is_none_or(|home| home == Function::root());
        match rep {
            Rep::Scalar(s) => root(*s),
            Rep::Tuple(parts) => parts.iter().all(|p| self.is_uniform(p)),
            Rep::Lanes { space, .. } => self.parent(*space) == Some(Function::root()),
            Rep::View { start, len, pool: Pool::Chosen(choice, _) } => {
                [*start, *len, *choice].into_iter().all(root)
            }
            Rep::View { start, len, .. } => root(*start) && root(*len),
        }
    }
}

/// A value without sequences from its scalars.
pub(super) fn rep_of(ty: &Type, scalars: &mut impl Iterator<Item = Scalar>) -> Rep {
    match ty {
        Type::Scalar(_) => {
            Rep::Scalar(scalars.next().unwrap_or_else(|| unreachable!("too few scalars")))
        }
        Type::Tuple(parts) => Rep::Tuple(parts.iter().map(|p| rep_of(p, scalars)).collect()),
        Type::Seq(_) => unreachable!("a sequence from scalars"),
    }
}
