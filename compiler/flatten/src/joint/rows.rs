//! Calls for all elements of sequences, in several arms.
//!
//! An apply-to-each that calls is parted: what the call is given becomes a sequence, which arms can
//! choose ([`super::cut`]), and what is done with the results another apply-to-each.
//!
//! ```text
//!                                            p = {(g(x), x) : x in s}
//! {f(g(x), k) + x : x in s}         ==>      r = {f(a, k) : a in {a : (a, _) in p}}
//!                                            {r + x : r in r; (_, x) in p}
//! ```

use super::cut::First;
use super::{Joining, tuple_of};
use crate::analysis::{block_operands, callees};
use base::{Id, Span};
use nest::{Block, Each, Func, Op, Stmt, Type, Value};
use prim::Ty;
use rustc_hash::{FxHashMap, FxHashSet};

/// The call with whose result the body of an apply-to-each goes on, if that is what calls first.
pub(super) fn first_of(each: &Each, leads_back: &dyn Fn(Func) -> bool) -> Option<First> {
    let calls = |block: &Block| callees(block).into_iter().any(leads_back);
    if each.test.as_ref().is_some_and(calls) {
        return None;
    }
    let alone = |stmt: &&Stmt| calls(&Block { stmts: vec![(*stmt).clone()], result: stmt.value });
    match each.body.stmts.iter().find(alone) {
        Some(Stmt { op: Op::Call(func, args), .. }) => {
            let made = made_in(each);
            let varies = args.iter().map(|arg| made.contains(arg)).collect();
            Some(First { func: *func, rows: Some(varies) })
        }
        _ => None,
    }
}

/// What one call for several of these is given: nothing if no sequence can be; for what is no call
/// for elements, that.
#[expect(clippy::option_option, reason = "what cannot be is not what is called once")]
pub(super) fn together(firsts: &[&First], params: &[Type]) -> Option<Option<Vec<bool>>> {
    let mut all = firsts.iter().map(|first| first.rows.as_ref());
    let Some(Some(first)) = all.next() else { return Some(None) };
    let mut varies = first.clone();
    for other in all.clone().flatten() {
        varies.iter_mut().zip(other).for_each(|(varies, other)| *varies |= other);
    }
    // A sequence that is the same for all elements would be copied for each.
    let fits = |own: &Vec<bool>| {
        let mut params = own.iter().zip(&varies).zip(params);
        params.all(|((own, varies), ty)| own == varies || ty.is_flat())
    };
    let fit = fits(first) && all.flatten().all(fits);
    (fit && varies.contains(&true)).then_some(Some(varies))
}

/// The types of what such a call is given: what is the same for all elements, then a sequence.
pub(super) fn given(varies: &[bool], params: &[Type]) -> Vec<Type> {
    let some = |wanted: bool| {
        let params = params.iter().zip(varies).filter(move |(_, varies)| **varies == wanted);
        params.map(|(ty, _)| ty.clone())
    };
    let element = tuple_of(&some(true).collect::<Vec<Type>>());
    some(false).chain([element.seq()]).collect()
}

/// The values that an apply-to-each binds or makes in its lanes, but for what is the same in all of
/// them and cannot fail.
fn made_in(each: &Each) -> FxHashSet<Value> {
    let mut made: FxHashSet<Value> = each.generators.iter().map(|generator| generator.0).collect();
    made.extend(each.test.iter().flat_map(|test| test.stmts.iter().map(|stmt| stmt.value)));
    for stmt in &each.body.stmts {
        let plain = match &stmt.op {
            Op::Const(_) | Op::Literal(..) | Op::Copy(_) | Op::Tuple(_) | Op::Field(..) => true,
            Op::Length(_) | Op::Slice { .. } => true,
            Op::Scalar(op, _) => [Ty::I64, Ty::F64].into_iter().all(|ty| op.site(ty).is_none()),
            _ => false,
        };
        if !plain || stmt.op.operands().iter().any(|operand| made.contains(operand)) {
            made.insert(stmt.value);
        }
    }
    made
}

impl Joining<'_> {
    /// Parts an apply-to-each at its call.  Gives what the call is given, and the name of its
    /// results.
    pub(super) fn part_rows(
        &mut self,
        stmt: Stmt,
        varies: &[bool],
        before: &mut Vec<Stmt>,
        behind: &mut Block,
    ) -> (Vec<Value>, Value) {
        let Stmt { value, op: Op::Each(mut each), span } = stmt else {
            unreachable!("no apply-to-each is parted")
        };
        let mut made = made_in(&each);
        let calls = |stmt: &Stmt| matches!(stmt.op, Op::Call(f, _) if (self.leads_back)(f));
        let at = each.body.stmts.iter().position(calls).unwrap_or(0);
        let rest = Block { stmts: each.body.stmts.split_off(at + 1), result: each.body.result };
        let Some(Stmt { value: call, op: Op::Call(_, args), .. }) = each.body.stmts.pop() else {
            unreachable!("an apply-to-each without a call is parted")
        };
        let (own, same): (Vec<Stmt>, Vec<Stmt>) =
            each.body.stmts.into_iter().partition(|stmt| made.contains(&stmt.value));
        each.body.stmts = own;
        before.extend(same);
        let some = |wanted: bool| {
            let args = args.iter().zip(varies).filter(move |(_, varies)| **varies == wanted);
            args.map(|(arg, _)| *arg)
        };
        let (mut given, varying): (Vec<Value>, Vec<Value>) =
            (some(false).collect(), some(true).collect());
        for stmt in &rest.stmts {
            made.remove(&stmt.value);
        }
        made.remove(&call);
        let mut live: Vec<Value> =
            block_operands(&rest).into_iter().filter(|value| made.contains(value)).collect();
        live.sort_unstable();
        live.dedup();
        let results = self.value(self.ty(call).seq());
        let whole = rest.stmts.is_empty() && rest.result == call;

        let source = match (each.generators.as_slice(), varying.as_slice()) {
            ([(bound, source)], [arg])
                if bound == arg && live.is_empty() && each.test.is_none() =>
            {
                Some(*source)
            }
            _ => None,
        };
        let (all, few) = match source {
            Some(source) => (source, source),
            None => self.first_rows(each, &varying, &live, span, before),
        };
        given.push(few);
        let last = if whole {
            Op::Copy(results)
        } else {
            let each = self.last_rows((results, call), (all, varying.len(), &live), rest, span);
            Op::Each(each)
        };
        behind.stmts.insert(0, Stmt { value, op: last, span });
        (given, results)
    }

    /// What calls are given, and what is used behind them besides; and the former alone.
    fn first_rows(
        &mut self,
        mut each: Each,
        varying: &[Value],
        live: &[Value],
        span: Span,
        out: &mut Vec<Stmt>,
    ) -> (Value, Value) {
        let parts: Vec<Value> = varying.iter().chain(live).copied().collect();
        each.body.result = self.together(&parts, span, &mut each.body.stmts);
        let element = self.ty(each.body.result);
        let all = self.add(Op::Each(each), element.clone().seq(), span, out);
        if live.is_empty() {
            return (all, all);
        }
        let bound = self.value(element);
        let mut body = Block::empty();
        let few: Vec<Value> = varying
            .iter()
            .enumerate()
            .map(|(n, &v)| self.field(bound, n, v, span, &mut body))
            .collect();
        body.result = self.together(&few, span, &mut body.stmts);
        let element = self.ty(body.result);
        let each = Each { generators: vec![(bound, all)], test: None, body };
        (all, self.add(Op::Each(each), element.seq(), span, out))
    }

    /// What is done with each result.
    fn last_rows(
        &mut self,
        (results, call): (Value, Value),
        (all, first, live): (Value, usize, &[Value]),
        rest: Block,
        span: Span,
    ) -> Each {
        let mut generators = vec![(call, results)];
        let mut body = Block::empty();
        let mut names = FxHashMap::default();
        if !live.is_empty() {
            let bound = self.value(self.ty(all).element().clone());
            generators.push((bound, all));
            for (n, &value) in live.iter().enumerate() {
                names.insert(value, self.field(bound, first + n, value, span, &mut body));
            }
        }
        let mut rest = rest;
        super::rename(&mut rest, &|value| names.get(&value).copied().unwrap_or(value));
        body.stmts.append(&mut rest.stmts);
        body.result = rest.result;
        Each { generators, test: None, body }
    }

    /// Part of a tuple that has a place for a value.
    fn field(&mut self, of: Value, n: usize, like: Value, span: Span, to: &mut Block) -> Value {
        let ty = self.ty(like);
        self.add(Op::Field(of, n), ty, span, &mut to.stmts)
    }

    /// A call for all elements of the last of these.
    pub(super) fn call_rows(
        &mut self,
        func: Func,
        varies: &[bool],
        mut given: Vec<Value>,
        span: Span,
        out: &mut Vec<Stmt>,
    ) -> Value {
        let Some(source) = given.pop() else { unreachable!("no sequence is given") };
        let (params, result) = self.signatures[func.index()].clone();
        let bound = self.value(self.ty(source).element().clone());
        let mut body = Block::empty();
        let types: Vec<Type> =
            varies.iter().zip(params).filter(|(varies, _)| **varies).map(|(_, ty)| ty).collect();
        let mut parts = self.parts(bound, &types, span, &mut body.stmts).into_iter();
        let mut same = given.into_iter();
        let args =
            varies.iter().filter_map(|&varies| if varies { parts.next() } else { same.next() });
        let call = Op::Call(func, args.collect());
        body.result = self.add(call, result.clone(), span, &mut body.stmts);
        let each = Each { generators: vec![(bound, source)], test: None, body };
        self.add(Op::Each(each), result.seq(), span, out)
    }
}
