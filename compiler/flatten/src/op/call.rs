//! Calls.
//!
//! A function that does not lead back to itself is translated in place.  A recursive one becomes a
//! scalar function when it is scalar, else a twin, which is called once for all lanes.

use crate::context::{Context, Item};
use crate::origin::Origin;
use crate::rep::{Pool, Rep, Scalar, Segments};
use crate::scalars::{Held, argument, scalar_types};
use crate::twin::{Passing, TwinKey};
use base::Id;
use flat::{Domain, Function, Op, Operand, Value, ValueInfo};
use nest::{Func, Type};
use prim::{Const, ScalarOp, Ty};
use scalar::Call;

impl Context<'_, '_> {
    pub(crate) fn call(&mut self, func: Func, args: Vec<Rep>) -> Rep {
        let analysis = &self.flattener.analysis;
        if !analysis.recursive[func.index()] {
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
        let id = self.flattener.scalar_function(func);
        let ty = self.result_type(func);
        let mut tys = Vec::new();
        scalar_types(&ty, &mut tys);
        let span = self.span;
        let region = self.region(self.space, span);
        let held: Vec<Held<Value>> = args.iter().map(|a| self.held(region, a)).collect();
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

    /// Sequences as plain views whose pools have starts and lengths at every level.
    pub(crate) fn with_starts(&mut self, rep: &Rep) -> Rep {
        match rep {
            Rep::Scalar(_) => rep.clone(),
            Rep::Tuple(parts) => Rep::Tuple(parts.iter().map(|p| self.with_starts(p)).collect()),
            Rep::Lanes { .. } | Rep::View { .. } => {
                let (start, len, pool) = self.as_plain_view(rep);
                let pool = self.pool_with_starts(&pool);
                Rep::View { start, len, pool }
            }
        }
    }

    fn call_root(&mut self, func: Func, args: &[Rep]) -> Rep {
        let mut operands = Vec::new();
        let args: Vec<Rep> = args.iter().map(|arg| self.plain(arg)).collect();
        for arg in &args {
            self.components(arg, &mut operands);
        }
        let twin = self.flattener.twin(TwinKey { func, passing: Passing::Root, placed: false });
        let ty = self.result_type(func);
        let origin = self.flattener.origins.of(func).clone();
        let mut results = Vec::new();
        let rep = self.received(&ty, &origin, &args, &mut results);
        self.flush_all();
        self.push(results, Op::Call(twin, operands));
        rep
    }

    /// One call for all lanes, if there are any.
    fn call_lifted(&mut self, func: Func, args: &[Rep]) -> Rep {
        let (count, some) = self.count_lanes();
        let mut operands = vec![count];
        let (args, uniform) = self.lane_arguments(args, &mut operands);
        let key = TwinKey { func, passing: Passing::Lifted(uniform), placed: false };
        let twin = self.flattener.twin(key);
        let ty = self.result_type(func);
        let origin = self.flattener.origins.of(func).clone();
        if some == Operand::Const(Const::Bool(true)) {
            let mut results = Vec::new();
            let rep = self.received(&ty, &origin, &args, &mut results);
            self.flush_all();
            self.push(results, Op::Call(twin, operands));
            return rep;
        }
        self.begin();
        let mut inner = Vec::new();
        self.received(&ty, &origin, &args, &mut inner);
        let yields = inner.iter().map(|&v| Operand::Value(v)).collect();
        self.push(inner, Op::Call(twin, operands));
        let then = self.end(yields);
        let mut results = Vec::new();
        let rep = self.received(&ty, &origin, &args, &mut results);
        self.begin();
        let yields = results.iter().map(|&v| self.nothing(v)).collect();
        let els = self.end(yields);
        let span = self.span;
        self.push_item(Item::If { results, cond: some, then, els, span });
        rep
    }

    /// The result of a call, whose arguments are plain, as the current lanes find it: new values
    /// for what does not lie in an argument.
    fn received(&mut self, ty: &Type, origin: &Origin, args: &[Rep], out: &mut Vec<Value>) -> Rep {
        let mut item = |cx: &mut Self, ty| {
            let value = cx.value_over(cx.space, ty);
            out.push(value);
            Scalar::Value(value, cx.space)
        };
        match (ty, origin) {
            (Type::Scalar(ty), _) => Rep::Scalar(item(self, *ty)),
            (Type::Tuple(tys), Origin::Tuple(origins)) => {
                let parts = tys.iter().zip(origins);
                Rep::Tuple(parts.map(|(ty, o)| self.received(ty, o, args, out)).collect())
            }
            (Type::Seq(element), origin) => {
                let (start, len) = (item(self, Ty::I64), item(self, Ty::I64));
                let pool = self.received_behind(element, origin, args, out);
                Rep::View { start, len, pool }
            }
            (Type::Tuple(_), _) => unreachable!("{origin:?} of a tuple"),
        }
    }

    /// The pool behind a sequence of the result of a call.
    fn received_behind(
        &mut self,
        element: &Type,
        seq: &Origin,
        args: &[Rep],
        out: &mut Vec<Value>,
    ) -> Pool {
        match seq {
            Origin::Given(path) => path.pool(args).clone(),
            Origin::Own(origin) => self.received_pool(element, origin, args, out),
            Origin::Open | Origin::Scalar | Origin::Tuple(_) => {
                unreachable!("{seq:?} of a sequence")
            }
        }
    }

    fn received_pool(
        &mut self,
        ty: &Type,
        origin: &Origin,
        args: &[Rep],
        out: &mut Vec<Value>,
    ) -> Pool {
        let mut vector = |cx: &mut Self, ty| {
            let value = cx.values.push(ValueInfo { ty, domain: Domain::Pool });
            out.push(value);
            value
        };
        match (ty, origin) {
            (Type::Scalar(ty), _) => Pool::Scalar(vector(self, *ty), *ty),
            (Type::Tuple(tys), Origin::Tuple(origins)) => {
                let parts = tys.iter().zip(origins);
                Pool::Tuple(parts.map(|(ty, o)| self.received_pool(ty, o, args, out)).collect())
            }
            (Type::Seq(element), origin) => {
                let segments = Segments::View(vector(self, Ty::I64), vector(self, Ty::I64));
                let inner = self.received_behind(element, origin, args, out);
                Pool::Seq(segments, Box::new(inner))
            }
            (Type::Tuple(_), _) => unreachable!("{origin:?} of a tuple"),
        }
    }

    /// The components of a function's result but the pools that its caller knows, as they lie in
    /// what it was given.
    pub(crate) fn hand_up(
        &mut self,
        rep: &Rep,
        origin: &Origin,
        given: &[Rep],
        out: &mut Vec<Operand>,
    ) {
        match (rep, origin) {
            (Rep::Scalar(s), _) => out.push(self.component(*s)),
            (Rep::Tuple(parts), Origin::Tuple(origins)) => {
                let parts = parts.iter().zip(origins);
                parts.for_each(|(part, origin)| self.hand_up(part, origin, given, out));
            }
            (Rep::Lanes { .. } | Rep::View { .. }, origin) => {
                let (start, len, pool) = self.as_plain_view(rep);
                out.push(self.component(start));
                out.push(self.component(len));
                self.hand_up_behind(&pool, origin, given, out);
            }
            (Rep::Tuple(_), _) => unreachable!("{origin:?} of a tuple"),
        }
    }

    fn hand_up_behind(&mut self, pool: &Pool, seq: &Origin, given: &[Rep], out: &mut Vec<Operand>) {
        match seq {
            Origin::Given(path) => {
                assert!(pool == path.pool(given), "{pool:?} is not behind {path:?} of {given:?}");
            }
            Origin::Own(origin) => self.hand_up_pool(pool, origin, given, out),
            Origin::Open | Origin::Scalar | Origin::Tuple(_) => {
                unreachable!("{seq:?} of a sequence")
            }
        }
    }

    fn hand_up_pool(
        &mut self,
        pool: &Pool,
        origin: &Origin,
        given: &[Rep],
        out: &mut Vec<Operand>,
    ) {
        match (pool, origin) {
            (Pool::Tuple(parts), Origin::Tuple(origins)) => {
                let parts = parts.iter().zip(origins);
                parts.for_each(|(part, origin)| self.hand_up_pool(part, origin, given, out));
            }
            (Pool::Seq(segments, inner), origin) => {
                let (starts, lens) = self.as_starts(*segments, inner);
                out.extend([starts, lens].map(Operand::Value));
                self.hand_up_behind(inner, origin, given, out);
            }
            (pool, _) => self.pool_components(pool, out),
        }
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

    /// The arguments of a lifted function, plain; tells which are the same for all lanes.
    pub(crate) fn lane_arguments(
        &mut self,
        args: &[Rep],
        operands: &mut Vec<Operand>,
    ) -> (Vec<Rep>, Vec<bool>) {
        let lanes = self.space;
        let (mut plain, mut uniform) = (Vec::new(), Vec::new());
        for arg in args {
            let same = self.is_uniform(arg);
            uniform.push(same);
            let space = if same { Function::root() } else { lanes };
            plain.push(self.within(space, |cx| {
                let arg = cx.plain(arg);
                cx.components(&arg, operands);
                arg
            }));
        }
        (plain, uniform)
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
