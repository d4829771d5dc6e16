//! Moves out of an apply-to-each what is the same for all of its lanes.
//!
//! ```text
//! v4 = each v1 in v0 { v2 = reduce add v0; v3 = div v1 v2; yield v3 }
//!   becomes
//! v2 = reduce add v0
//! v4 = each v1 in v0 { v3 = div v1 v2; yield v3 }
//! ```
//!
//! Only what cannot fail moves, as there may be no lane, and only what goes over sequences: the rest
//! stays where it is used.  A lane that is not there must not cost anything either.  So what moves
//! goes over sequences that the lanes are taken from, which are empty then; or else, outside of all
//! lanes, it is done if there is one.

use crate::ir::{Block, Each, Function, Op, Program, Stmt, Type, Value, ValueInfo};
use base::Span;
use prim::{Const, ScalarOp, Ty};
use std::collections::BTreeSet;

/// Moves what is the same for all lanes out of each apply-to-each.
pub fn hoist_sequences(program: &mut Program) {
    for function in program.funcs.values_mut() {
        let mut body = std::mem::replace(&mut function.body, Block::empty());
        in_block(function, &mut body, false);
        function.body = body;
    }
}

/// `inside` tells whether the block belongs to lanes.
fn in_block(function: &mut Function, block: &mut Block, inside: bool) {
    let mut stmts = Vec::new();
    for mut stmt in std::mem::take(&mut block.stmts) {
        match &mut stmt.op {
            Op::Each(each) => {
                for block in each.test.iter_mut().chain([&mut each.body]) {
                    in_block(function, block, true);
                }
                hoist(function, each, inside, &mut stmts);
            }
            op => {
                for block in op.parts_mut().1 {
                    in_block(function, block, inside);
                }
            }
        }
        stmts.push(stmt);
    }
    block.stmts = stmts;
}

/// What is known of the values that an apply-to-each uses.
struct Known {
    /// Those that its lanes have each for itself, or that cannot be had before it.
    varying: BTreeSet<Value>,
    /// Sequences that are empty if there are no lanes.
    sources: BTreeSet<Value>,
}

/// Moves statements out of an apply-to-each, to the end of `out`.
fn hoist(function: &mut Function, each: &mut Each, inside: bool, out: &mut Vec<Stmt>) {
    let bound = each.generators.iter().map(|generator| generator.0);
    let sources = each.generators.iter().map(|generator| generator.1);
    let mut known = Known { varying: bound.collect(), sources: sources.collect() };
    let source = each.generators[0].1;
    let tested = each.test.is_some();
    if let Some(test) = &mut each.test {
        hoist_from(function, test, &mut known, (!inside).then_some(source), out);
    }
    // Of lanes that a test keeps there may be none.
    let guard = (!inside && !tested).then_some(source);
    hoist_from(function, &mut each.body, &mut known, guard, out);
}

/// Moves statements out of a block of an apply-to-each; those that do not go over its sources, if
/// `guard` has elements.
fn hoist_from(
    function: &mut Function,
    block: &mut Block,
    known: &mut Known,
    guard: Option<Value>,
    out: &mut Vec<Stmt>,
) {
    let mut moves = BTreeSet::new();
    let mut guarded = BTreeSet::new();
    for stmt in &block.stmts {
        let free = free_values(stmt);
        if stmt.op.has_effect(function) || free.iter().any(|v| known.varying.contains(v)) {
            known.varying.insert(stmt.value);
            continue;
        }
        if !goes_over_sequences(&stmt.op) {
            // It costs next to nothing, and moves with what needs it.
            continue;
        }
        let is_seq = |v: &&Value| matches!(function.values[**v].ty, Type::Seq(_));
        let sources = free.iter().filter(is_seq).all(|v| known.sources.contains(v));
        if sources {
            known.sources.insert(stmt.value);
        } else if guard.is_some() {
            guarded.insert(stmt.value);
        } else {
            known.varying.insert(stmt.value);
            continue;
        }
        moves.insert(stmt.value);
    }
    if moves.is_empty() {
        return;
    }
    // What these need moves, too.
    for stmt in block.stmts.iter().rev() {
        if moves.contains(&stmt.value) {
            let own = block.stmts.iter().map(|stmt| stmt.value).collect::<BTreeSet<_>>();
            moves.extend(free_values(stmt).intersection(&own));
        }
    }
    let (moved, left) =
        std::mem::take(&mut block.stmts).into_iter().partition(|stmt| moves.contains(&stmt.value));
    block.stmts = left;
    let moved: Vec<Stmt> = moved;
    let Some(guard) = guard.filter(|_| !guarded.is_empty()) else { return out.extend(moved) };
    let some = has_elements(function, guard, out);
    for stmt in moved {
        let stmt = if guarded.contains(&stmt.value) { only_if(function, some, stmt) } else { stmt };
        out.push(stmt);
    }
}

/// The values that a statement uses and that were there before it.
fn free_values(stmt: &Stmt) -> BTreeSet<Value> {
    fn add(op: &Op, free: &mut BTreeSet<Value>, own: &mut BTreeSet<Value>) {
        free.extend(op.operands());
        if let Op::Each(each) = op {
            own.extend(each.generators.iter().map(|generator| generator.0));
        }
        for block in op.blocks() {
            for stmt in &block.stmts {
                add(&stmt.op, free, own);
                own.insert(stmt.value);
            }
            free.insert(block.result);
        }
    }
    let (mut free, mut own) = (BTreeSet::new(), BTreeSet::new());
    add(&stmt.op, &mut free, &mut own);
    free.difference(&own).copied().collect()
}

/// Whether an operation takes as long as sequences are.
fn goes_over_sequences(op: &Op) -> bool {
    match op {
        Op::Which(_)
        | Op::Reduce(..)
        | Op::Scan(..)
        | Op::Flatten(_)
        | Op::Partition(..)
        | Op::Append(..)
        | Op::Sort(..)
        | Op::Each(_) => true,
        Op::If(_, then, els) => {
            [then, els].iter().any(|arm| arm.stmts.iter().any(|stmt| goes_over_sequences(&stmt.op)))
        }
        _ => false,
    }
}

/// Whether a sequence has elements.
fn has_elements(function: &mut Function, seq: Value, out: &mut Vec<Stmt>) -> Value {
    let mut add = |op, ty| {
        let value = function.values.push(ValueInfo { ty: Type::Scalar(ty) });
        out.push(Stmt { value, op, span: Span::none() });
        value
    };
    let length = add(Op::Length(seq), Ty::I64);
    let none = add(Op::Const(Const::I64(0)), Ty::I64);
    add(Op::Scalar(ScalarOp::Gt, vec![length, none]), Ty::Bool)
}

/// A statement that runs on a condition; else its value is nothing that anybody asks for.
fn only_if(function: &mut Function, cond: Value, stmt: Stmt) -> Stmt {
    let Stmt { value, op, span } = stmt;
    let ty = function.values[value].ty.clone();
    let result = function.values.push(ValueInfo { ty: ty.clone() });
    let then = Block { stmts: vec![Stmt { value: result, op, span }], result };
    let mut stmts = Vec::new();
    let result = nothing(function, &ty, span, &mut stmts);
    Stmt { value, op: Op::If(cond, then, Block { stmts, result }), span }
}

fn nothing(function: &mut Function, ty: &Type, span: Span, out: &mut Vec<Stmt>) -> Value {
    let op = match ty {
        Type::Scalar(ty) => Op::Const(ty.zero()),
        Type::Seq(_) => Op::Seq(Vec::new()),
        Type::Tuple(tys) => {
            Op::Tuple(tys.iter().map(|ty| nothing(function, ty, span, out)).collect())
        }
    };
    let value = function.values.push(ValueInfo { ty: ty.clone() });
    out.push(Stmt { value, op, span });
    value
}
