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
//! space is made of, which is known wherever the space is, and what reads a vector that is made
//! outside: the two are fused.

use crate::ir::{Block, Domain, Function, Op, Operand, SpaceKind, Stmt, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Sinks statements of all blocks of a function.
pub fn sink_into_arms(function: &mut Function) {
    let shapes = shapes(function);
    let mut body = std::mem::take(&mut function.body);
    in_block(function, &mut body, &shapes);
    function.body = body;
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

fn in_block(function: &Function, block: &mut Block, shapes: &BTreeSet<Value>) {
    let mut staying = BTreeSet::new();
    let arms = loop {
        let arms = arms(block, shapes, &staying);
        let alone = |&n: &usize| !reads_fused(function, block, &arms, n);
        let found: BTreeSet<usize> = arms.keys().copied().filter(|n| !alone(n)).collect();
        if found.is_empty() {
            break arms;
        }
        staying.extend(found);
    };
    let mut stmts: Vec<Option<Stmt>> =
        std::mem::take(&mut block.stmts).into_iter().map(Some).collect();
    for (&n, &(home, first)) in arms.iter().rev() {
        let stmt = stmts[n].take();
        let Some(Stmt { op: Op::If(_, then, els), .. }) = &mut stmts[home] else {
            unreachable!("statement {home} has no arms")
        };
        (if first { then } else { els }).stmts.splice(0..0, stmt);
    }
    block.stmts = stmts.into_iter().flatten().collect();
    for stmt in &mut block.stmts {
        if let Op::If(_, then, els) = &mut stmt.op {
            in_block(function, then, shapes);
            in_block(function, els, shapes);
        }
    }
}

/// The statements whose results only one arm uses, and that arm; but for those that stay.
fn arms(
    block: &Block,
    shapes: &BTreeSet<Value>,
    staying: &BTreeSet<usize>,
) -> BTreeMap<usize, Arm> {
    // The only arm that uses a value; none if something else uses it, too.
    let mut users: BTreeMap<Value, Option<Arm>> = BTreeMap::new();
    let note = |users: &mut BTreeMap<Value, Option<Arm>>, value: Value, arm: Option<Arm>| {
        let known = users.entry(value).or_insert(arm);
        if *known != arm {
            *known = None;
        }
    };
    let mut arms = BTreeMap::new();
    for value in block.yields.iter().filter_map(|y| y.value()) {
        note(&mut users, value, None);
    }
    for (n, stmt) in block.stmts.iter().enumerate().rev() {
        if let Op::If(cond, then, els) = &stmt.op {
            cond.value().into_iter().for_each(|v| note(&mut users, v, None));
            for (block, first) in [(then, true), (els, false)] {
                block.uses().into_iter().for_each(|v| note(&mut users, v, Some((n, first))));
            }
            continue;
        }
        let fixed = stmt.op.has_effect() || stmt.results.iter().any(|r| shapes.contains(r));
        let arm = if fixed || staying.contains(&n) { None } else { only_arm(stmt, &users) };
        // What is sunk uses its operands there.
        stmt.op.uses().into_iter().for_each(|v| note(&mut users, v, arm));
        arms.extend(arm.map(|arm| (n, arm)));
    }
    arms
}

/// The arm that uses all that a statement makes, if nothing else uses any of it.
fn only_arm(stmt: &Stmt, users: &BTreeMap<Value, Option<Arm>>) -> Option<Arm> {
    let mut arms = stmt.results.iter().filter_map(|r| users.get(r));
    let arm = (*arms.next()?)?;
    arms.all(|other| *other == Some(arm)).then_some(arm)
}

/// Whether a statement reads a vector that some statement makes that does not sink: the two could
/// run together, and then the vector need not exist.
fn reads_fused(function: &Function, block: &Block, arms: &BTreeMap<usize, Arm>, n: usize) -> bool {
    let stmt = &block.stmts[n];
    let kept = stmt.op.space().is_some_and(|s| function.spaces[s].from.is_some());
    let uses = stmt.op.uses();
    let vector = |v: &Value| function.values[*v].domain != Domain::Scalar && uses.contains(v);
    let makes = |(m, other): (usize, &Stmt)| {
        let bulk = !matches!(other.op, Op::If(..) | Op::Call(..) | Op::Literal(..));
        m < n && bulk && !arms.contains_key(&m) && other.results.iter().any(vector)
    };
    kept || block.stmts.iter().enumerate().any(makes)
}
