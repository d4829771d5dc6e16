//! Removes statements whose results nobody uses and which cannot fail.

use crate::ir::{Block, Function, Op, Operand, SpaceKind, Value};
use std::collections::BTreeSet;

/// Removes dead statements and dead results of maps from a function.
pub fn remove_dead_statements(function: &mut Function) {
    let mut live = BTreeSet::new();
    // Spaces are used wherever their lanes are; keeping what they name is cheap and always right.
    let used = used_spaces(function);
    for (id, info) in function.spaces.iter() {
        if !used.contains(&id) {
            continue;
        }
        match info.kind {
            SpaceKind::Regular(_, Operand::Value(v)) | SpaceKind::Packed(_, v) => {
                live.insert(v);
            }
            SpaceKind::Root | SpaceKind::Regular(_, Operand::Const(_)) => {}
        }
    }
    let mut body = std::mem::take(&mut function.body);
    sweep(&mut body, &mut live);
    function.body = body;
}

/// Spaces that a statement works over, and their ancestors.
fn used_spaces(function: &Function) -> BTreeSet<crate::Space> {
    let mut used = BTreeSet::new();
    let mut note = |space: crate::Space| {
        used.insert(space);
        used.extend(function.chain(space));
    };
    fn walk(block: &Block, note: &mut dyn FnMut(crate::Space)) {
        for stmt in &block.stmts {
            if let Some(space) = stmt.op.space() {
                note(space);
            }
            match &stmt.op {
                Op::Scatter { target, .. } => note(*target),
                Op::If(_, a, b) => {
                    walk(a, note);
                    walk(b, note);
                }
                _ => {}
            }
        }
    }
    walk(&function.body, &mut note);
    used
}

fn sweep(block: &mut Block, live: &mut BTreeSet<Value>) {
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
                sweep(then, live);
                sweep(els, live);
            }
            op => live.extend(op.uses()),
        }
        kept.push(stmt);
    }
    kept.reverse();
    block.stmts = kept;
}
