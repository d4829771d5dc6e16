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
//!
//! Sequences for elements of elements are put one after the other, and their results parted
//! again.  A call that is made once is one for the only element of `[x]`.  Elements that are
//! sequences are not copied: they stay where they lie.

use super::cut::First;
use super::{INT, Joining, calls_back, tuple_of};
use crate::analysis::{block_operands, callees};
use base::{Id, Span};
use nest::{Block, Each, Func, Op, Stmt, Type, Value};
use prim::{Const, Ty};
use rustc_hash::{FxHashMap, FxHashSet};

/// The call with whose result the body of an apply-to-each goes on, if that is what calls first.
pub(super) fn first_of(each: &Each, leads_back: &dyn Fn(Func) -> bool) -> Option<First> {
    first_in(each, &FxHashSet::default(), leads_back)
}

/// The same of one in another, which makes some values.
fn first_in(
    each: &Each,
    around: &FxHashSet<Value>,
    leads_back: &dyn Fn(Func) -> bool,
) -> Option<First> {
    let calls = |block: &Block| callees(block).into_iter().any(leads_back);
    if each.test.as_ref().is_some_and(calls) {
        return None;
    }
    let made = made_in(each, around);
    match &each.body.stmts.iter().find(|stmt| calls_back(stmt, leads_back))?.op {
        Op::Call(func, args) => {
            let varies = args.iter().map(|arg| made.contains(arg)).collect();
            Some(First { func: *func, rows: Some(varies) })
        }
        Op::Each(inner) => first_in(inner, &made, leads_back),
        _ => None,
    }
}

/// What varies in one or the other.
pub(super) fn or(mut some: Vec<bool>, others: &[bool]) -> Vec<bool> {
    some.iter_mut().zip(others).for_each(|(some, other)| *some |= other);
    some
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

/// What is the same for all elements of what a call is given, and what varies.
fn told_apart(args: &[Value], varies: &[bool]) -> (Vec<Value>, Vec<Value>) {
    let some = |wanted: bool| {
        let args = args.iter().zip(varies).filter(move |(_, varies)| **varies == wanted);
        args.map(|(arg, _)| *arg).collect()
    };
    (some(false), some(true))
}

/// The values that an apply-to-each binds or makes in its lanes, but for what is the same in all of
/// them and cannot fail; with those that are made around it.
fn made_in(each: &Each, around: &FxHashSet<Value>) -> FxHashSet<Value> {
    let mut made = around.clone();
    made.extend(each.generators.iter().map(|generator| generator.0));
    made.extend(each.test.iter().flat_map(|test| test.stmts.iter().map(|stmt| stmt.value)));
    for stmt in &each.body.stmts {
        let plain = match &stmt.op {
            Op::Const(_) | Op::Literal(..) | Op::Copy(_) | Op::Tuple(_) | Op::Field(..) => true,
            // Whether a slice fits is required in the lanes; without any, nobody looks at it.
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
        let calls = |stmt: &Stmt| calls_back(stmt, self.leads_back);
        let at = each.body.stmts.iter().position(calls).unwrap_or(0);
        let mut rest = Block { stmts: each.body.stmts.split_off(at + 1), result: each.body.result };
        let (mut given, varying, call, nested) = match each.body.stmts.pop() {
            Some(Stmt { value: call, op: Op::Call(_, args), .. }) => {
                let (given, varying) = told_apart(&args, varies);
                (given, varying, call, false)
            }
            Some(inner) => {
                let (mut given, call) =
                    self.part_rows(inner, varies, &mut each.body.stmts, &mut rest);
                let rows = given.pop().into_iter().collect();
                (given, rows, call, true)
            }
            None => unreachable!("an apply-to-each without a call is parted"),
        };
        let made = made_in(&each, &FxHashSet::default());
        let (own, same): (Vec<Stmt>, Vec<Stmt>) =
            each.body.stmts.into_iter().partition(|stmt| made.contains(&stmt.value));
        each.body.stmts = own;
        before.extend(same);
        let mut live: Vec<Value> =
            block_operands(&rest).into_iter().filter(|value| made.contains(value)).collect();
        live.sort_unstable();
        live.dedup();
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
        let whole = rest.stmts.is_empty() && rest.result == call;
        let rows = self.value(self.ty(call).seq());
        let last = if whole {
            Op::Copy(rows)
        } else {
            Op::Each(self.last_rows((rows, call), (all, varying.len(), &live), rest, span))
        };
        behind.stmts.insert(0, Stmt { value, op: last, span });
        if !nested {
            given.push(few);
            return (given, rows);
        }
        let (flat, results) = self.one_after_the_other(few, (rows, call), span, before, behind);
        given.push(flat);
        (given, results)
    }

    /// Sequences of what calls are given as one.  Gives this and its results, which become `rows`.
    fn one_after_the_other(
        &mut self,
        given: Value,
        (rows, call): (Value, Value),
        span: Span,
        before: &mut Vec<Stmt>,
        behind: &mut Block,
    ) -> (Value, Value) {
        let row = self.ty(given).element().clone();
        let bound = self.value(row.clone());
        let mut body = Block::empty();
        body.result = self.add(Op::Length(bound), INT, span, &mut body.stmts);
        let lengths = Each { generators: vec![(bound, given)], test: None, body };
        let lengths = self.add(Op::Each(lengths), INT.seq(), span, before);
        let flat = self.add(Op::Flatten(given), row, span, before);
        let results = self.value(self.ty(call));
        let parted = Op::Partition(results, lengths);
        behind.stmts.insert(0, Stmt { value: rows, op: parted, span });
        (flat, results)
    }

    /// A call as one for the only element of a sequence.  Gives what it is given, and the name of
    /// its results.
    pub(super) fn part_once(
        &mut self,
        stmt: Stmt,
        varies: &[bool],
        before: &mut Vec<Stmt>,
        behind: &mut Block,
    ) -> (Vec<Value>, Value) {
        let Stmt { value, op: Op::Call(_, args), span } = stmt else {
            unreachable!("a statement without a call is parted")
        };
        let (mut given, varying) = told_apart(&args, varies);
        let element = self.together(&varying, span, before);
        let ty = self.ty(element).seq();
        given.push(self.add(Op::Seq(vec![element]), ty, span, before));
        let results = self.value(self.ty(value).seq());
        let first = self.value(INT);
        let only = [
            Stmt { value: first, op: Op::Const(Const::I64(0)), span },
            Stmt { value, op: Op::Element(results, first), span },
        ];
        behind.stmts.splice(0..0, only);
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
