//! Lanes of a recursion that end with at most one element write it where the others are filtered.
//!
//! ```text
//! v4, v3 = filter [s1] \x0 x1 { lt (read v2 x0) 2 }
//! v5: bool = map [s0] \{ gt v3 0 }
//! v6 = offsets [s2] \x0 x1 { read v2 (read v4 x0) }             s2 = [s0 > v3] from s1 at v4
//! v8 = if v5 {
//!   v7 = scatter [s3] to [s4] into v0 \x0 x1 x2 { ... }         s3 = [s2 > offsets v6]
//!   yield v7
//! } else {
//!   yield v0
//! }
//!   becomes
//! v8 = scatter [s1] to [s4] into v0 \x0 x1 { if eq (read v2 x0) 1 { ... } else { -1, 0 } }
//! ```
//!
//! The law: segments of at most one element are lanes under a condition.  That they have no more is
//! what they were filtered by.  Nobody then has to count, number, or visit these lanes, or to wait
//! until it is known whether there are any; and what writes over the lanes of the filter runs with
//! other filters of them.  In a recursion by lanes this is a launch and a wait less at each depth.

use super::lift_out_of_arms::conditions;
use super::trace::Trace;
use crate::Code;
use crate::ir::{Block, Function, Op, Operand, ScatterKind, Space, SpaceKind, Stmt, Value};
use prim::{Const, ScalarOp, Ty};
use scalar::{Atom, Builder, Instead, Item, Var};
use std::collections::BTreeMap;

/// Rewrites all blocks of a function.
pub fn finish_leaves(function: &mut Function) {
    let mut body = std::mem::take(&mut function.body);
    in_block(function, &mut body);
    function.body = body;
}

/// What a block has made of its filters so far.
#[derive(Default)]
struct Known {
    /// Lanes of which at most one element each is known, by the value that counts them.
    short: BTreeMap<Value, Short>,
    /// Conditions that there are lanes, and their count.
    any: BTreeMap<Value, Value>,
    /// The code of offsets.
    offsets: BTreeMap<Value, Code>,
}

/// Lanes that a filter keeps because some vector has at most 1 there.
#[derive(Clone, Copy)]
struct Short {
    source: Space,
    positions: Value,
    /// That vector.
    lengths: Value,
}

fn in_block(function: &Function, block: &mut Block) {
    let mut known = Known::default();
    for stmt in &mut block.stmts {
        match &mut stmt.op {
            Op::Filter { space, code } => {
                if let (&[positions, count], Some(lengths)) =
                    (stmt.results.as_slice(), bounded(code))
                    && function.parent(*space) == Some(Function::root())
                {
                    known.short.insert(count, Short { source: *space, positions, lengths });
                }
            }
            Op::Map { code, .. } => known.any.extend(conditions(code, &stmt.results)),
            Op::Offsets { code, .. } => {
                known.offsets.insert(stmt.results[0], code.clone());
            }
            Op::If(cond, then, els) => {
                if let Some(op) = written(function, &known, *cond, then, els) {
                    stmt.op = op;
                    continue;
                }
                in_block(function, then);
                in_block(function, els);
            }
            _ => {}
        }
    }
}

/// The vector of which a filter's code keeps the lanes with less than 2.
fn bounded(code: &Code) -> Option<Value> {
    let trace = Trace::of(code);
    let Some(scalar::Op::Scalar(op, args, _)) = trace.op(*code.body.yields.first()?) else {
        return None;
    };
    let most = match (op, args.as_slice()) {
        (ScalarOp::Lt, [_, Atom::Const(Const::I64(n))]) => n - 1,
        (ScalarOp::Le, [_, Atom::Const(Const::I64(n))]) => *n,
        _ => return None,
    };
    (most == 1).then(|| trace.own_element(args[0]))?
}

/// The scatter in place of a branch that writes what short lanes have.
fn written(
    function: &Function,
    known: &Known,
    cond: Operand,
    then: &Block,
    els: &Block,
) -> Option<Op> {
    let short = known.short.get(known.any.get(&cond.value()?)?)?;
    let (last, maps) = then.stmts.split_last()?;
    let Op::Scatter { space, code, kind, target } = &last.op else { return None };
    let (ScatterKind::Write(base) | ScatterKind::Into(base)) = kind else { return None };
    let as_operands = |values: &[Value]| values.iter().map(|&v| Operand::Value(v)).collect();
    let ends: [Vec<Operand>; 2] = [as_operands(&last.results), as_operands(base)];
    if !els.stmts.is_empty() || [&then.yields, &els.yields] != [&ends[0], &ends[1]] {
        return None;
    }
    // The segments have the lengths by which the lanes were chosen.
    let SpaceKind::Packed(lanes, offsets) = function.spaces[*space].kind else { return None };
    let kept = function.spaces[lanes].from == Some((short.source, short.positions));
    if !kept || length_of(known.offsets.get(&offsets)?, short.positions)? != short.lengths {
        return None;
    }
    let code = with_maps(code, *space, maps)?;
    let code = of_lane(&code, short)?;
    Some(Op::Scatter { space: short.source, code, kind: kind.clone(), target: *target })
}

/// The vector whose elements, where kept lanes come from, are the lengths of their segments.
fn length_of(code: &Code, positions: Value) -> Option<Value> {
    let trace = Trace::of(code);
    match trace.op(*code.body.yields.first()?)? {
        scalar::Op::Read(vector, at) if trace.own_element(*at) == Some(positions) => Some(*vector),
        _ => None,
    }
}

/// The code of a scatter with the codes of the maps over its space that it reads in it; none if
/// there is anything else.
fn with_maps(code: &Code, space: Space, maps: &[Stmt]) -> Option<Code> {
    let mut code = code.clone();
    for stmt in maps.iter().rev() {
        let Op::Map { space: own, code: made } = &stmt.op else { return None };
        if *own != space || made.has_effect() {
            return None;
        }
        let params: Vec<Atom<Value>> = code.params.iter().map(|&p| Atom::Var(p)).collect();
        let trace = Trace::of(&code);
        let place = |var: Var| {
            let vector = trace.own_element(Atom::Var(var))?;
            stmt.results.iter().position(|&result| result == vector)
        };
        let instead =
            |var: Var| Some(Instead::Code(made.keep_yields(&[place(var)?]), params.clone()));
        let inlined = code.replace_results(instead);
        let rest = inlined.refs();
        if stmt.results.iter().any(|result| rest.vectors.contains(result)) {
            return None;
        }
        code = inlined;
    }
    (!code.has_effect()).then_some(code)
}

/// What the only element of a kept lane's segment does, as the code of the lane that it comes from;
/// none if it asks for its own number or that of its lane.
fn of_lane(code: &Code, short: &Short) -> Option<Code> {
    let &[lane, element, _] = code.params.as_slice() else { return None };
    let trace = Trace::of(code);
    let source = |var: Var| match trace.op(Atom::Var(var)) {
        Some(scalar::Op::Read(vector, at)) => *vector == short.positions && *at == Atom::Var(lane),
        _ => false,
    };
    let mut fits = true;
    code.body.walk(&mut |item| {
        if !matches!(item, Item::Stmt(scalar::Stmt::Let(var, _)) if source(*var)) {
            item.for_each_atom(&mut |atom| {
                fits &= atom != Atom::Var(lane) && atom != Atom::Var(element);
            });
        }
    });
    if !fits {
        return None;
    }
    let code = code.replace_results(|var| source(var).then_some(Instead::Atom(Atom::Var(lane))));
    let mut builder = Builder::new();
    let own = Atom::Var(builder.param(Ty::I64));
    builder.param(Ty::I64);
    let zero = Atom::Const(Const::I64(0));
    let length = builder.read(Ty::I64, short.lengths, own);
    let one = Atom::Const(Const::I64(1));
    let any = builder.scalar(ScalarOp::Eq, &[length, one], base::Span::none());
    builder.begin();
    let yields = builder.inline(&code, &[own, zero, zero]);
    let tys: Vec<Ty> = yields.iter().map(|&atom| builder.ty(atom)).collect();
    let results: Vec<Var> = tys.iter().map(|&ty| builder.fresh(ty)).collect();
    let then = builder.end(yields);
    builder.begin();
    let nowhere = Atom::Const(Const::I64(-1));
    let nothing = tys[1..].iter().map(|ty| Atom::Const(ty.zero()));
    let els = builder.end(std::iter::once(nowhere).chain(nothing).collect());
    builder.push(scalar::Stmt::If { results: results.clone(), cond: any, then, els });
    Some(builder.finish(results.into_iter().map(Atom::Var).collect()))
}
