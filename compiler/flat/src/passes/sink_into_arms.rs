//! Sinks statements into the one arm that uses their results, so that the other does without.
//!
//! ```text
//! v2 = map [s1] { ... }
//! v3 = if v1 { yield v2 } else { ... yield v9 }
//!   becomes
//! v3 = if v1 { v2 = map [s1] { ... }; yield v2 } else { ... yield v9 }
//! ```
//!
//! What may fail stays where it is: of two errors the first is told.  So does what the shape of a
//! space is made of, which is known wherever the space is.

use crate::ir::{Block, Function, Op, Operand, SpaceKind, Stmt, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Sinks statements of all blocks of a function.
pub fn sink_into_arms(function: &mut Function) {
    let shapes = shapes(function);
    in_block(&mut function.body, &shapes);
}

/// Values that spaces are made of.
fn shapes(function: &Function) -> BTreeSet<Value> {
    let mut shapes = BTreeSet::new();
    for info in function.spaces.values() {
        if let SpaceKind::Regular(_, Operand::Value(v)) | SpaceKind::Packed(_, v) = info.kind {
            shapes.insert(v);
        }
        shapes.extend(info.from.map(|(_, kept)| kept));
    }
    shapes
}

/// An arm: the number of its statement, and whether it is the first.
type Arm = (usize, bool);

fn in_block(block: &mut Block, shapes: &BTreeSet<Value>) {
    // The only arm that uses a value; none if something else uses it, too.
    let mut user: BTreeMap<Value, Option<Arm>> = BTreeMap::new();
    let elsewhere = |operand: &Operand| match operand {
        Operand::Value(v) => Some((*v, None)),
        Operand::Const(_) => None,
    };
    user.extend(block.yields.iter().filter_map(elsewhere));
    let mut sunk: Vec<(Arm, Stmt)> = Vec::new();
    let mut kept: Vec<Option<Stmt>> = Vec::new();
    for (n, stmt) in std::mem::take(&mut block.stmts).into_iter().enumerate().rev() {
        let arm = (!stmt.op.has_effect() && !matches!(stmt.op, Op::If(..)))
            .then(|| only_arm(&stmt, &user, shapes))
            .flatten();
        if let Op::If(cond, then, els) = &stmt.op {
            user.extend(elsewhere(cond));
            for (block, first) in [(then, true), (els, false)] {
                block.uses().into_iter().for_each(|v| note(&mut user, v, Some((n, first))));
            }
        } else {
            // What is sunk uses its operands there.
            stmt.op.uses().into_iter().for_each(|v| note(&mut user, v, arm));
        }
        if let Some(arm) = arm {
            sunk.push((arm, stmt));
            kept.push(None);
        } else {
            kept.push(Some(stmt));
        }
    }
    kept.reverse();
    for ((n, first), stmt) in sunk {
        let Some(Stmt { op: Op::If(_, then, els), .. }) = &mut kept[n] else {
            unreachable!("statement {n} has no arms")
        };
        // Later statements come first in the list.
        (if first { then } else { els }).stmts.insert(0, stmt);
    }
    block.stmts = kept.into_iter().flatten().collect();
    for stmt in &mut block.stmts {
        if let Op::If(_, then, els) = &mut stmt.op {
            in_block(then, shapes);
            in_block(els, shapes);
        }
    }
}

/// The arm that uses all that a statement makes, if nothing else uses any of it.
fn only_arm(
    stmt: &Stmt,
    user: &BTreeMap<Value, Option<Arm>>,
    shapes: &BTreeSet<Value>,
) -> Option<Arm> {
    if stmt.results.iter().any(|r| shapes.contains(r)) {
        return None;
    }
    let mut arms = stmt.results.iter().filter_map(|r| user.get(r));
    let arm = (*arms.next()?)?;
    arms.all(|other| *other == Some(arm)).then_some(arm)
}

/// Notes a use.
fn note(user: &mut BTreeMap<Value, Option<Arm>>, value: Value, arm: Option<Arm>) {
    let known = user.entry(value).or_insert(arm);
    if *known != arm {
        *known = None;
    }
}
