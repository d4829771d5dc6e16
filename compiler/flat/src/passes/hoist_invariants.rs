//! Computes once, at the root, what is dear and the same in all lanes.
//!
//! ```text
//! v3 = map [s1] \x0 x1 { x2 = sqrt v2; x3 = read v1 x0; x4 = div x3 x2; yield x4 }
//!   becomes
//! v4 = map [s0] \{ x0 = sqrt v2; yield x0 }
//! v3 = map [s1] \x0 x1 { x2 = read v1 x0; x3 = div x2 v4; yield x3 }
//! ```
//!
//! Only what cannot fail: there may be no lane at all.  Cheap operations stay with their lanes,
//! where they cost less than one more scalar to hand over.

use crate::Code;
use crate::ir::{Block, Domain, Function, Op, Stmt, Value, ValueInfo};
use prim::ScalarOp;
use scalar::{Atom, Builder, Instead, Var, can_fail};
use std::collections::{BTreeMap, BTreeSet};

/// Hoists invariants in all blocks of a function.
pub fn hoist_invariants(function: &mut Function) {
    let mut body = std::mem::take(&mut function.body);
    in_block(function, &mut body);
    function.body = body;
}

fn in_block(function: &mut Function, block: &mut Block) {
    let mut stmts = Vec::new();
    for mut stmt in std::mem::take(&mut block.stmts) {
        if let Op::If(_, then, els) = &mut stmt.op {
            in_block(function, then);
            in_block(function, els);
        } else if stmt.op.space() != Some(Function::root())
            && let Some(code) = stmt.op.code_mut()
            && let Some(hoisted) = hoist(function, code)
        {
            stmts.push(Stmt { span: stmt.span, ..hoisted });
        }
        stmts.push(stmt);
    }
    block.stmts = stmts;
}

/// Takes dear invariants out of code; gives the statement that computes them.
fn hoist(function: &mut Function, code: &mut Code) -> Option<Stmt> {
    // What the same operands give in all lanes, and which of that is worth it.
    let mut invariant: BTreeSet<Var> = BTreeSet::new();
    let mut dear: Vec<Var> = Vec::new();
    for stmt in &code.body.stmts {
        let scalar::Stmt::Let(var, scalar::Op::Scalar(op, args, _)) = stmt else { continue };
        let same = |atom: &Atom<Value>| match atom {
            Atom::Var(v) => invariant.contains(v),
            Atom::Const(_) | Atom::Outer(..) => true,
        };
        if args.iter().all(same) && !can_fail(*op, args, &|atom| code.ty(atom)) {
            invariant.insert(*var);
            if is_dear(*op) {
                dear.push(*var);
            }
        }
    }
    if dear.is_empty() {
        return None;
    }
    let once = at_root(code, &invariant, &dear);
    let made: BTreeMap<Var, Atom<Value>> = dear
        .iter()
        .map(|&var| {
            let info = ValueInfo { ty: code.vars[var], domain: Domain::Scalar };
            (var, Atom::Outer(function.values.push(info), info.ty))
        })
        .collect();
    let results =
        made.values().filter_map(|a| if let Atom::Outer(v, _) = a { Some(*v) } else { None });
    // In the order of the yields: variables are numbered as they come.
    let results: Vec<Value> = results.collect();
    *code = code.replace_results(|var| made.get(&var).map(|&a| Instead::Atom(a))).simplify();
    Some(Stmt {
        results,
        op: Op::Map { space: Function::root(), code: once },
        span: base::Span::none(),
    })
}

/// Whether an operation takes many times as long as reading what it gives.
pub(super) fn is_dear(op: ScalarOp) -> bool {
    op.is_heavy() || matches!(op, ScalarOp::Sqrt | ScalarOp::Div | ScalarOp::Rem | ScalarOp::Mod)
}

/// The invariants as code of the root, which yields those that are dear.
fn at_root(code: &Code, invariant: &BTreeSet<Var>, dear: &[Var]) -> Code {
    let mut builder = Builder::new();
    let mut values: BTreeMap<Var, Atom<Value>> = BTreeMap::new();
    for stmt in &code.body.stmts {
        if let scalar::Stmt::Let(var, scalar::Op::Scalar(op, args, span)) = stmt
            && invariant.contains(var)
        {
            let args: Vec<_> =
                args.iter().map(|&a| if let Atom::Var(v) = a { values[&v] } else { a }).collect();
            let value = builder.scalar(*op, &args, *span);
            values.insert(*var, value);
        }
    }
    let yields = dear.iter().map(|var| values[var]).collect();
    builder.finish(yields).remove_dead_code()
}
