//! What some values need of a block: the statements that compute them, without stores and checks.

use kernel::{Block, Carry, Stmt, Var};
use scalar::Atom;
use std::collections::BTreeSet;

/// The statements of a block that the values of some variables need.
pub(super) fn slice(block: &Block, needed: &[Var]) -> Block {
    keep(block, &mut needed.iter().copied().collect())
}

fn keep(block: &Block, needed: &mut BTreeSet<Var>) -> Block {
    let mut kept: Vec<Stmt> = block.iter().rev().filter_map(|stmt| part(stmt, needed)).collect();
    kept.reverse();
    kept
}

/// What is needed of a statement; adds what that needs itself.
fn part(stmt: &Stmt, needed: &mut BTreeSet<Var>) -> Option<Stmt> {
    if !stmt.results().iter().any(|v| needed.contains(v)) {
        return None;
    }
    let part = match stmt {
        Stmt::For { index, from, to, carried, body, way } => {
            let (carried, body) = needed_carries(carried, body, needed);
            Stmt::For { index: *index, from: *from, to: *to, carried, body, way: *way }
        }
        _ => stmt.clone(),
    };
    for atom in part.operands() {
        if let Atom::Var(v) = atom {
            needed.insert(v);
        }
    }
    Some(part)
}

/// The carried values that are needed, directly or by others, and what they need of the body.
fn needed_carries(carried: &[Carry], body: &Block, needed: &BTreeSet<Var>) -> (Vec<Carry>, Block) {
    let mut wanted: BTreeSet<usize> =
        (0..carried.len()).filter(|&n| needed.contains(&carried[n].result)).collect();
    loop {
        let mut inside: BTreeSet<Var> = wanted
            .iter()
            .filter_map(|&n| if let Atom::Var(v) = carried[n].next { Some(v) } else { None })
            .collect();
        let body = keep(body, &mut inside);
        let more: Vec<usize> =
            (0..carried.len()).filter(|&n| inside.contains(&carried[n].var)).collect();
        if more.iter().all(|n| wanted.contains(n)) {
            return (wanted.iter().map(|&n| carried[n].clone()).collect(), body);
        }
        wanted.extend(more);
    }
}
