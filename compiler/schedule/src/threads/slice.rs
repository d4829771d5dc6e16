//! What some values need of a block: the statements that compute them, without stores and checks.
//!
//! Where these can fail, checks come with them: a failure must be the first in the order of the
//! program, and say where it is.  Left out are only checks that need what is not known yet, those
//! of kept lanes, and what takes long.

use crate::tiles::is_heavy;
use kernel::{Block, Carry, Operand, Stmt, Var};
use prim::Ty;
use scalar::Atom;
use std::collections::BTreeSet;

/// The statements of a block that the values of some variables need.
pub(super) fn slice(block: &Block, needed: &[Var]) -> Block {
    keep(block, &mut needed.iter().copied().collect(), &|_| false)
}

/// The same, with checks where it can fail; but for those that need what is not known.
pub(super) fn slice_with_checks(
    block: &Block,
    needed: &[Var],
    unknown: &[Var],
    ty: &impl Fn(Operand) -> Option<Ty>,
) -> Block {
    let plain = slice(block, needed);
    if !can_fail(&plain, ty) {
        return plain;
    }
    let mut own = Vec::new();
    plain.iter().for_each(|stmt| stmt.defined(&mut own));
    let mut out_of_reach = unknown.iter().copied().collect();
    spread(block, &own, &mut out_of_reach);
    let check = |stmt: &Stmt| {
        let check = match stmt {
            Stmt::Positions(_) => true,
            Stmt::Scalar(scalar) => scalar.has_effect(ty) && !is_heavy(scalar),
            _ => false,
        };
        check && !uses(stmt, &out_of_reach)
    };
    keep(block, &mut needed.iter().copied().collect(), &check)
}

/// The same; where it cannot fail, with the checks that need nothing more from memory.
pub(super) fn slice_with_free_checks(
    block: &Block,
    needed: &[Var],
    unknown: &[Var],
    ty: &impl Fn(Operand) -> Option<Ty>,
) -> Block {
    let plain = slice(block, needed);
    if can_fail(&plain, ty) {
        return slice_with_checks(block, needed, unknown, ty);
    }
    let mut out_of_reach = unknown.iter().copied().collect();
    spread(block, &[], &mut out_of_reach);
    let free = |stmt: &Stmt| {
        let vars: Vec<Var> = stmt
            .operands()
            .iter()
            .filter_map(|a| if let Atom::Var(v) = a { Some(*v) } else { None })
            .collect();
        let known = |stmt: &Stmt| match stmt {
            Stmt::Scalar(scalar) => !scalar.has_effect(ty) && stmt.reads().is_empty(),
            _ => false,
        };
        let known = |stmt: &Stmt| plain.contains(stmt) || known(stmt);
        !uses(stmt, &out_of_reach) && slice(block, &vars).iter().all(known)
    };
    let places = |stmt: &&Stmt| matches!(stmt, Stmt::Positions(_));
    if !block.iter().filter(places).all(free) {
        return plain;
    }
    let check = |stmt: &Stmt| match stmt {
        Stmt::Positions(_) => true,
        Stmt::Scalar(scalar::Stmt::Require { .. }) => free(stmt),
        _ => false,
    };
    if !block.iter().any(|stmt| !matches!(stmt, Stmt::Positions(_)) && check(stmt)) {
        return plain;
    }
    keep(block, &mut needed.iter().copied().collect(), &check)
}

/// Whether a statement among these may fail.
pub(super) fn can_fail(block: &Block, ty: &impl Fn(Operand) -> Option<Ty>) -> bool {
    block.iter().any(|stmt| match stmt {
        Stmt::Scalar(scalar) => scalar.has_effect(ty),
        _ => stmt.blocks().into_iter().any(|block| can_fail(block, ty)),
    })
}

/// Adds what is computed from variables out of reach, and what takes long and is not among `own`.
fn spread(block: &Block, own: &[Var], out_of_reach: &mut BTreeSet<Var>) {
    for stmt in block {
        let long = match stmt {
            Stmt::Scalar(scalar) => is_heavy(scalar),
            Stmt::For { .. } => true,
            _ => false,
        };
        let kept = stmt.results().iter().any(|v| own.contains(v));
        if (long && !kept) || uses(stmt, out_of_reach) {
            out_of_reach.extend(stmt.results());
        }
        stmt.blocks().into_iter().for_each(|block| spread(block, own, out_of_reach));
    }
}

fn uses(stmt: &Stmt, vars: &BTreeSet<Var>) -> bool {
    stmt.operands().iter().any(|atom| matches!(atom, Atom::Var(v) if vars.contains(v)))
}

fn keep(block: &Block, needed: &mut BTreeSet<Var>, check: &dyn Fn(&Stmt) -> bool) -> Block {
    let parts = block.iter().rev().filter_map(|stmt| part(stmt, needed, check));
    let mut kept: Vec<Stmt> = parts.collect();
    kept.reverse();
    kept
}

/// What is needed of a statement; adds what that needs itself.
fn part(stmt: &Stmt, needed: &mut BTreeSet<Var>, check: &dyn Fn(&Stmt) -> bool) -> Option<Stmt> {
    if !(stmt.results().iter().any(|v| needed.contains(v)) || check(stmt)) {
        return None;
    }
    let part = match stmt {
        Stmt::For { index, from, to, carried, body, way } => {
            let (carried, body) = needed_carries(carried, body, needed, check);
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
fn needed_carries(
    carried: &[Carry],
    body: &Block,
    needed: &BTreeSet<Var>,
    check: &dyn Fn(&Stmt) -> bool,
) -> (Vec<Carry>, Block) {
    let mut wanted: BTreeSet<usize> =
        (0..carried.len()).filter(|&n| needed.contains(&carried[n].result)).collect();
    loop {
        let mut inside: BTreeSet<Var> = wanted
            .iter()
            .filter_map(|&n| if let Atom::Var(v) = carried[n].next { Some(v) } else { None })
            .collect();
        let body = keep(body, &mut inside, check);
        let more: Vec<usize> =
            (0..carried.len()).filter(|&n| inside.contains(&carried[n].var)).collect();
        if more.iter().all(|n| wanted.contains(n)) {
            return (wanted.iter().map(|&n| carried[n].clone()).collect(), body);
        }
        wanted.extend(more);
    }
}
