//! Results that are made where they belong.
//!
//! A function whose result is as long as an argument ([`crate::conserve`]) is given the *place* of
//! its result: where it begins, in each lane, in vectors that hold the results of all lanes.  What
//! it puts together is written there, part by part, and calls are given the places of their parts.
//! Nothing is left to do after a call, so that a depth of the recursion keeps nothing for it.
//!
//! ```text
//! quicksort(a)                    quicksort(a, at, out)
//!   if #a < 2 then a                out[at ...] := a
//!   else sorted[0]                  quicksort(less, at, out)
//!     ++ equal                      out[at + #less ...] := equal
//!     ++ sorted[1]                  quicksort(greater, at + #less + #equal, out)
//! ```
//!
//! The vectors are values like others: each write gives new ones, which lie where the old ones did,
//! as nobody uses these any more.

use crate::block::{Env, get};
use crate::conserve::{Piece, Rows, Tail};
use crate::context::{Context, Item, Items};
use crate::rep::{Pool, Rep, Scalar};
use crate::scalars::scalar_types;
use crate::twin::{Passing, TwinKey};
use crate::ways::Handed;
use flat::{Function, Op, Operand, ScatterKind, Space, Value};
use nest::{Block, Func, Stmt, Type};
use prim::{Const, Monoid, ScalarOp};
use rustc_hash::FxHashMap;
use scalar::Atom;
use std::collections::BTreeMap;

/// Where the current lanes' results belong.
#[derive(Clone)]
pub(crate) struct Place {
    /// The position of the first element of the lane's result.
    pub(crate) at: Scalar,
    /// The vectors that hold the results of all lanes, and their space, a child of the root.
    pub(crate) out: Vec<Value>,
    pub(crate) target: Space,
}

impl<'a> Context<'_, 'a> {
    /// A call of a function whose result is as long as argument `own`.
    pub(crate) fn call_placed(&mut self, func: Func, args: &[Rep], own: usize) -> Rep {
        let callee = &self.flattener.nest.funcs[func];
        let ty = callee.values[callee.body.result].ty.element().clone();
        let len = self.length(&args[own]);
        let (at, len, total) = if self.at_root() {
            (Scalar::int(0), len, len)
        } else {
            let space = self.packed_space(len);
            let (at, len) = self.segment(space);
            (at, len, self.count(space))
        };
        let (target, out) = self.within(Function::root(), |cx| {
            let target = cx.new_space(total);
            (target, cx.blank(&ty, target))
        });
        let mut place = Place { at, out, target };
        self.place_call(func, args, &mut place);
        let pool = pool(&ty, &mut place.out.iter().copied());
        if self.at_root() {
            let elem = self.within(target, |cx| cx.lane_values(&pool));
            return Rep::Lanes { space: target, elem: Box::new(elem) };
        }
        Rep::View { start: at, len, pool }
    }

    /// The parameters that say where the results of the current lanes belong.
    pub(crate) fn declare_place(&mut self, ty: &Type, params: &mut Vec<Value>) -> Place {
        let root = Function::root();
        let at = self.value_over(self.space, prim::Ty::I64);
        let len = self.value_over(root, prim::Ty::I64);
        params.extend([at, len]);
        let target = self.within(root, |cx| cx.new_space(Scalar::Value(len, root)));
        let mut tys = Vec::new();
        scalar_types(ty.element(), &mut tys);
        let out: Vec<Value> = tys.iter().map(|&ty| self.value_over(target, ty)).collect();
        params.extend(&out);
        Place { at: Scalar::Value(at, self.space), out, target }
    }

    /// Vectors whose elements are all going to be written.
    fn blank(&mut self, ty: &Type, target: Space) -> Vec<Value> {
        let mut tys = Vec::new();
        scalar_types(ty, &mut tys);
        let zeros: Vec<Scalar> = tys.iter().map(|ty| Scalar::Const(ty.zero())).collect();
        let code = self.code(target, &zeros);
        let out: Vec<Value> = tys.iter().map(|&ty| self.value_over(target, ty)).collect();
        self.push(out.clone(), Op::Map { space: target, code });
        out
    }

    /// The statements of a block, whose result goes to its place.
    pub(crate) fn place_block(&mut self, block: &'a Block, env: &mut Env, place: &mut Place) {
        let tail = self.flattener.conserving.tail(self.source, block);
        for stmt in &block.stmts {
            if !tail.deferred.contains(&stmt.value) {
                self.at_span(stmt, |cx| {
                    let rep = cx.nest_stmt(stmt, env);
                    env.insert(stmt.value, rep);
                });
            }
        }
        let places = self.places(&tail, env, place);
        for (value, at) in &places.values {
            self.place_value(&get(env, *value), *at, place);
        }
        // Calls, in their order, as the first that fails is reported.
        for stmt in &block.stmts {
            self.at_span(stmt, |cx| cx.place_stmt(stmt, env, &places, place));
        }
    }

    fn at_span(&mut self, stmt: &Stmt, work: impl FnOnce(&mut Self)) {
        let saved = self.span;
        if self.follow_spans {
            self.span = stmt.span;
        }
        work(self);
        self.span = saved;
    }

    /// Where the pieces of a result belong.
    fn places(&mut self, tail: &Tail, env: &Env, place: &Place) -> Places {
        let mut found = Places::default();
        let mut at = place.at;
        for (n, &piece) in tail.pieces.iter().enumerate() {
            let last = n + 1 == tail.pieces.len();
            let len = self.place_piece(piece, at, last, env, &mut found);
            if !last {
                at = self.add(at, len);
            }
        }
        found
    }

    /// Notes where a piece belongs; gives its length, which matters if it is not the last.
    fn place_piece(
        &mut self,
        piece: Piece,
        at: Scalar,
        last: bool,
        env: &Env,
        found: &mut Places,
    ) -> Scalar {
        let conserving = &self.flattener.conserving;
        let as_long = match piece {
            Piece::Value(value) => {
                found.values.push((value, at));
                value
            }
            Piece::Call(value) => {
                found.whole.insert(value, at);
                conserving.argument(self.source, value)
            }
            Piece::Row(each, row) => {
                found.rows.entry(each).or_default().insert(row, at);
                conserving.listed(self.source, each)[row]
            }
            Piece::If(value) => {
                found.whole.insert(value, at);
                return Scalar::int(0);
            }
            Piece::Rows(each) => {
                let rows = conserving.rows(self.source, each);
                let (space, item) = self.elements(&get(env, rows.source));
                let len = self.within(space, |cx| cx.length(&item));
                let before = self.scan_over(Monoid::Add, space, len);
                let starts = self.within(space, |cx| cx.add(at, before));
                found.all.insert(each, (space, starts));
                return if last { Scalar::int(0) } else { self.sum_over(space, len) };
            }
        };
        self.length(&get(env, as_long))
    }

    /// The sum of a scalar over the lanes of a child space.
    fn sum_over(&mut self, space: Space, elem: Scalar) -> Scalar {
        let code = self.code(space, &[elem]);
        let result = self.value_over(self.space, prim::Ty::I64);
        self.push(vec![result], Op::Reduce { space, monoids: vec![Monoid::Add], code });
        Scalar::Value(result, self.space)
    }

    fn place_stmt(&mut self, stmt: &'a Stmt, env: &mut Env, places: &Places, place: &mut Place) {
        let value = stmt.value;
        if let Some(&at) = places.whole.get(&value) {
            let mut own = Place { at, ..place.clone() };
            match &stmt.op {
                nest::Op::If(cond, then, els) => {
                    let cond = get(env, *cond).scalar();
                    self.place_if(cond, (then, els), env, &mut own);
                }
                nest::Op::Call(func, args) => {
                    let args: Vec<Rep> = args.iter().map(|&a| get(env, a)).collect();
                    self.place_call(*func, &args, &mut own);
                }
                op => unreachable!("{op:?} has no place"),
            }
            place.out = own.out;
        } else if let Some(rows) = places.rows.get(&value) {
            let calls = self.flattener.conserving.rows(self.source, value);
            let (space, item) = self.elements(&get(env, calls.source));
            let at = self.within(space, |cx| cx.chosen(Scalar::Index(space), rows));
            self.place_rows(calls, space, item, at, env, place);
        } else if let Some(&(space, at)) = places.all.get(&value) {
            let calls = self.flattener.conserving.rows(self.source, value);
            let item = self.elements_in(&get(env, calls.source), space);
            self.place_rows(calls, space, item, at, env, place);
        }
    }

    /// The scalar with this number.
    fn chosen(&mut self, index: Scalar, scalars: &BTreeMap<usize, Scalar>) -> Scalar {
        let mut list = scalars.iter();
        let Some((_, &first)) = list.next() else { unreachable!("a list without items") };
        list.fold(first, |chosen, (&n, &scalar)| {
            let here = Scalar::int(i64::try_from(n).unwrap_or(i64::MAX));
            let here = self.compute(ScalarOp::Ge, &[index, here]);
            self.compute(ScalarOp::Select, &[here, scalar, chosen])
        })
    }

    /// The calls of an apply-to-each.
    fn place_rows(
        &mut self,
        calls: Rows<'a>,
        space: Space,
        item: Rep,
        at: Scalar,
        env: &Env,
        place: &mut Place,
    ) {
        let mut env = env.clone();
        env.insert(calls.bound, item);
        let mut own = Place { at, ..place.clone() };
        self.within(space, |cx| {
            for stmt in &calls.body.stmts {
                cx.at_span(stmt, |cx| {
                    if stmt.value == calls.body.result {
                        let args: Vec<Rep> = calls.args.iter().map(|&a| get(&env, a)).collect();
                        cx.place_call(calls.func, &args, &mut own);
                    } else {
                        let rep = cx.nest_stmt(stmt, &mut env);
                        env.insert(stmt.value, rep);
                    }
                });
            }
        });
        place.out = own.out;
    }

    /// Writes a sequence to a place.
    fn place_value(&mut self, rep: &Rep, at: Scalar, place: &mut Place) {
        let (space, elem) = self.elements(rep);
        let at = self.within(space, |cx| cx.add(at, Scalar::Index(space)));
        // Vectors of their own, so that what a filter keeps is taken inside the filter.
        let values: Vec<Scalar> = self
            .scalars(&elem)
            .into_iter()
            .map(|value| Scalar::Value(self.vector(value, space), space))
            .collect();
        let mut lane = self.lane(space);
        let mut yields: Vec<Atom<Value>> = vec![self.reach(&mut lane, at)];
        for value in values {
            yields.push(self.reach(&mut lane, value));
        }
        let code = lane.builder.finish(yields);
        let old = place.out.clone();
        place.out = self.renewed(place);
        let kind = ScatterKind::Into(old);
        let op = Op::Scatter { space, code, kind, target: place.target };
        self.push(place.out.clone(), op);
    }

    /// New values like those of a place.
    fn renewed(&mut self, place: &Place) -> Vec<Value> {
        let info = |cx: &Self, &v: &Value| cx.values[v].ty;
        let tys: Vec<prim::Ty> = place.out.iter().map(|v| info(self, v)).collect();
        tys.into_iter().map(|ty| self.value_over(place.target, ty)).collect()
    }

    fn place_if(
        &mut self,
        cond: Scalar,
        (then, els): (&'a Block, &'a Block),
        env: &Env,
        place: &mut Place,
    ) {
        if let Scalar::Const(known) = cond {
            let arm = if known.bool() { then } else { els };
            return self.place_block(arm, &mut env.clone(), place);
        }
        if self.at_root() {
            let Some(cond) = self.uniform(cond) else { unreachable!("the root has no lanes") };
            let here = self.space;
            let [then, els] = [then, els].map(|arm| self.place_arm(arm, here, env, place));
            return self.choose_place(cond, then, els, place);
        }
        let here = self.space;
        let not = self.compute(ScalarOp::Not, &[cond]);
        let (yes, _) = self.filter(here, cond);
        let (no, _) = self.filter(here, not);
        for (lanes, arm) in [(yes, then), (no, els)] {
            let count = self.count(lanes);
            let some = self.within(Function::root(), |cx| {
                let some = cx.compute(ScalarOp::Gt, &[count, Scalar::int(0)]);
                cx.uniform(some).unwrap_or(Operand::Const(Const::Bool(true)))
            });
            let taken = self.place_arm(arm, lanes, env, place);
            let left = self.unplaced(place);
            self.choose_place(some, taken, left, place);
        }
    }

    /// An arm that puts its result into its place.
    fn place_arm(&mut self, arm: &'a Block, lanes: Space, env: &Env, place: &Place) -> Items {
        self.begin();
        let mut own = place.clone();
        self.within(lanes, |cx| cx.place_block(arm, &mut env.clone(), &mut own));
        self.end(own.out.iter().map(|&v| Operand::Value(v)).collect())
    }

    /// An arm that leaves a place as it is.
    fn unplaced(&mut self, place: &Place) -> Items {
        self.begin();
        self.end(place.out.iter().map(|&v| Operand::Value(v)).collect())
    }

    fn choose_place(&mut self, cond: Operand, then: Items, els: Items, place: &mut Place) {
        place.out = self.renewed(place);
        let (results, span) = (place.out.clone(), self.span);
        self.push_item(Item::If { results, cond, then, els, span });
    }

    /// A call that puts its results into their places, if there are any lanes.
    fn place_call(&mut self, func: Func, args: &[Rep], place: &mut Place) {
        let lanes = self.space;
        let mut operands = Vec::new();
        let mut some = Operand::Const(Const::Bool(true));
        let (passing, ways) = if self.at_root() {
            let Handed { ways, .. } = self.root_arguments(func, args, &mut operands);
            operands.push(self.component(place.at));
            (Passing::Root, ways)
        } else {
            let (count, any) = self.count_lanes();
            some = any;
            operands.push(count);
            let (Handed { ways, .. }, uniform) = self.lane_arguments(func, args, &mut operands);
            operands.push(Operand::Value(self.vector(place.at, lanes)));
            (Passing::Lifted(uniform), ways)
        };
        let (_, len) = self.within(Function::root(), |cx| cx.segment(place.target));
        let len = self.within(Function::root(), |cx| cx.component(len));
        operands.push(len);
        operands.extend(place.out.iter().map(|&v| Operand::Value(v)));
        let twin = self.flattener.twin(TwinKey { func, passing, ways, placed: true });
        if some == Operand::Const(Const::Bool(true)) {
            self.flush_all();
            place.out = self.renewed(place);
            return self.push(place.out.clone(), Op::Call(twin, operands));
        }
        self.begin();
        let inner = self.renewed(place);
        let yields = inner.iter().map(|&v| Operand::Value(v)).collect();
        self.push(inner, Op::Call(twin, operands));
        let then = self.end(yields);
        let els = self.unplaced(place);
        self.choose_place(some, then, els, place);
    }
}

/// Where the pieces of a result begin.
#[derive(Default)]
struct Places {
    values: Vec<(nest::Value, Scalar)>,
    /// Results of calls and choices.
    whole: FxHashMap<nest::Value, Scalar>,
    /// For an apply-to-each over a list, the places of its results by number.
    rows: FxHashMap<nest::Value, BTreeMap<usize, Scalar>>,
    /// For any other its lanes, and the places of their results.
    all: FxHashMap<nest::Value, (Space, Scalar)>,
}

/// A pool of these vectors.
fn pool(ty: &Type, vectors: &mut impl Iterator<Item = Value>) -> Pool {
    match ty {
        Type::Scalar(ty) => {
            let vector = vectors.next().unwrap_or_else(|| unreachable!("too few vectors"));
            Pool::Scalar(vector, *ty)
        }
        Type::Tuple(parts) => Pool::Tuple(parts.iter().map(|p| pool(p, vectors)).collect()),
        Type::Seq(_) => unreachable!("a sequence in a place"),
    }
}
