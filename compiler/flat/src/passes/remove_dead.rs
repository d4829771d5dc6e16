//! Removes statements whose results nobody uses and which cannot fail.

use crate::ir::{Block, Function, Op, Operand, Space, SpaceInfo, SpaceKind, Value};
use std::collections::BTreeSet;

/// Removes dead statements and dead results of maps from a function.
pub fn remove_dead_statements(function: &mut Function) {
    let mut body = std::mem::take(&mut function.body);
    sweep(function, &mut body, &mut BTreeSet::new());
    let mut defined: BTreeSet<Value> = function.params.iter().copied().collect();
    define(&body, &mut defined);
    function.body = body;
    let gone = |info: &SpaceInfo| {
        let shape = match info.kind {
            SpaceKind::Regular(_, Operand::Value(v)) | SpaceKind::Packed(_, v) => Some(v),
            SpaceKind::Root | SpaceKind::Regular(_, Operand::Const(_)) => None,
        };
        shape.into_iter().chain(info.from.map(|from| from.1)).any(|v| !defined.contains(&v))
    };
    // Nobody is in a space whose shape nobody needed.
    let nobody = Operand::Const(prim::Const::I64(0));
    let nothing = SpaceInfo { kind: SpaceKind::Regular(Function::root(), nobody), from: None };
    for (_, info) in function.spaces.iter_mut().filter(|(_, info)| gone(info)) {
        *info = nothing;
    }
}

/// Notes what the statements of a block and of those in it give.
fn define(block: &Block, defined: &mut BTreeSet<Value>) {
    for stmt in &block.stmts {
        defined.extend(&stmt.results);
        if let Op::If(_, then, els) = &stmt.op {
            define(then, defined);
            define(els, defined);
        }
    }
}

/// What the lanes of a space and of those around it are numbered by; none of it is dead where a
/// statement works over the space.
fn shapes(function: &Function, space: Space) -> impl Iterator<Item = Value> {
    function.chain(space).into_iter().filter_map(|space| match function.spaces[space].kind {
        SpaceKind::Regular(_, Operand::Value(v)) | SpaceKind::Packed(_, v) => Some(v),
        SpaceKind::Root | SpaceKind::Regular(_, Operand::Const(_)) => None,
    })
}

/// Goes backwards, so that all users of a statement are known when it comes.
fn sweep(function: &Function, block: &mut Block, live: &mut BTreeSet<Value>) {
    let use_operand = |live: &mut BTreeSet<Value>, operand: &Operand| {
        if let Operand::Value(v) = operand {
            live.insert(*v);
        }
    };
    block.yields.iter().for_each(|y| use_operand(live, y));
    let mut kept = Vec::new();
    for mut stmt in std::mem::take(&mut block.stmts).into_iter().rev() {
        if let Op::Map { code, .. } = &mut stmt.op {
            let needed: Vec<usize> =
                (0..stmt.results.len()).filter(|&n| live.contains(&stmt.results[n])).collect();
            if needed.len() < stmt.results.len() {
                *code = code.keep_yields(&needed);
                stmt.results = needed.iter().map(|&n| stmt.results[n]).collect();
            }
        }
        let needed = stmt.results.iter().any(|r| live.contains(r));
        if !needed && !stmt.op.has_effect() {
            continue;
        }
        match &mut stmt.op {
            Op::If(cond, then, els) => {
                use_operand(live, cond);
                sweep(function, then, live);
                sweep(function, els, live);
            }
            op => live.extend(op.uses()),
        }
        let target = match stmt.op {
            Op::Scatter { target, .. } => Some(target),
            _ => None,
        };
        for space in stmt.op.space().into_iter().chain(target) {
            live.extend(shapes(function, space));
        }
        kept.push(stmt);
    }
    kept.reverse();
    block.stmts = kept;
}
