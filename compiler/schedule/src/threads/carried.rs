//! What a loop does with the values that it carries.

use super::defines;
use super::rounds::Scanned;
use super::slice::slice;
use kernel::{Block, Carry, Operand, Stmt, Var};
use prim::{Const, Monoid, ScalarOp};
use scalar::{Atom, Op};

/// What a lane adds to a carried value: `next` is the value combined with it.
pub(super) fn adds(
    carry: &Carry,
    monoid: Monoid,
    body: &Block,
    identity: Const,
) -> Option<Operand> {
    if carry.next == Atom::Var(carry.var) {
        return Some(Atom::Const(identity));
    }
    // Where it restarts, the identity is chosen instead.
    let own = Atom::Var(choice(carry, body).unwrap_or(carry.var));
    let Atom::Var(next) = carry.next else { return None };
    body.iter().find_map(|stmt| match stmt {
        Stmt::Scalar(scalar::Stmt::Let(var, Op::Scalar(op, args, _)))
            if *var == next && *op == monoid.op() =>
        {
            match *args.as_slice() {
                [a, b] if a == own && b != a => Some(b),
                [a, b] if b == own && b != a => Some(a),
                _ => None,
            }
        }
        _ => None,
    })
}

/// The bool that is counted, if that is what lanes add.
pub(super) fn counted(adds: Operand, monoid: Monoid, body: &Block) -> Option<Operand> {
    let Atom::Var(adds) = adds else { return None };
    body.iter().find_map(|stmt| match stmt {
        Stmt::Scalar(scalar::Stmt::Let(var, Op::Scalar(ScalarOp::Btoi, args, _)))
            if *var == adds && monoid == Monoid::Add =>
        {
            Some(args[0])
        }
        _ => None,
    })
}

/// Gives each scan the stage after those that it needs; the number of stages, if there is an order.
pub(super) fn stages(scans: &mut [Scanned<'_>], body: &Block) -> Option<usize> {
    let needs: Vec<Vec<usize>> = scans
        .iter()
        .map(|scan| {
            let Atom::Var(adds) = scan.adds else { return Vec::new() };
            let own = slice(body, &[adds]);
            let used: Vec<Operand> =
                own.iter().flat_map(Stmt::operands).chain([scan.adds]).collect();
            let needed = |n: &usize| scans[*n].vars().any(|var| used.contains(&Atom::Var(var)));
            (0..scans.len()).filter(needed).collect()
        })
        .collect();
    for _ in 0..scans.len() {
        for n in 0..scans.len() {
            let after = needs[n].iter().map(|&m| scans[m].stage + 1).max().unwrap_or(0);
            scans[n].stage = after;
        }
    }
    let count = scans.iter().map(|s| s.stage + 1).max().unwrap_or(0);
    (count <= scans.len()).then_some(count)
}

/// The choice between a carried value and the identity where it restarts, if all that becomes of it
/// is the next value.
pub(super) fn chosen_only(carry: &Carry, body: &Block) -> Option<Var> {
    let chosen = choice(carry, body)?;
    let users = |atom: Operand| {
        body.iter().filter(move |stmt| stmt.operands().contains(&atom)).collect::<Vec<_>>()
    };
    let only = matches!(users(Atom::Var(carry.var)).as_slice(), [stmt] if defines(stmt, Atom::Var(chosen)))
        && matches!(users(Atom::Var(chosen)).as_slice(), [stmt] if defines(stmt, carry.next));
    only.then_some(chosen)
}

/// The choice between a carried value and the identity where it restarts.
pub(super) fn choice(carry: &Carry, body: &Block) -> Option<Var> {
    body.iter().find_map(|stmt| match stmt {
        Stmt::Scalar(scalar::Stmt::Let(var, Op::Scalar(ScalarOp::Select, args, _)))
            if carry.restart == Some(args[0]) && args[2] == Atom::Var(carry.var) =>
        {
            Some(*var)
        }
        _ => None,
    })
}
