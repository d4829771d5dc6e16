//! Where a segment starts plus the index in it is the position of the lane.
//!
//! ```text
//! s2 = [s1 > offsets v4]
//! map [s2] \x0 x1 x2 { x3 = read v4 x0; x4 = add x3 x2; x5 = read v7 x4; yield x5 }
//!   becomes
//! map [s2] \x0 x1 x2 { x3 = read v7 x1; yield x3 }
//! ```
//!
//! So sequences that were zipped are read side by side, once their equal descriptors are one: what
//! is at the own position can run with what makes it.

use crate::Code;
use crate::ir::{Block, Function, Op, Space, SpaceKind, Value};
use prim::ScalarOp;
use scalar::{Atom, Instead, Item, Stmt, Var};
use std::collections::BTreeSet;

/// Rewrites all code of a function.
pub fn own_positions(function: &mut Function) {
    let mut body = std::mem::take(&mut function.body);
    in_block(function, &mut body);
    function.body = body;
}

fn in_block(function: &Function, block: &mut Block) {
    for stmt in &mut block.stmts {
        let space = stmt.op.space();
        if let Op::If(_, then, els) = &mut stmt.op {
            in_block(function, then);
            in_block(function, els);
        } else if let (Some(space), Some(code)) = (space, stmt.op.code_mut())
            && let Some(positions) = own_position(function, space, code)
        {
            *code = positions.simplify();
        }
    }
}

/// Code of lanes in segments in which the lane's position is not added up; none if it never was.
fn own_position(function: &Function, space: Space, code: &Code) -> Option<Code> {
    let SpaceKind::Packed(_, offsets) = function.spaces[space].kind else { return None };
    let depth = code.params.len() - 1;
    let (&[row, own], index) = (code.params.get(depth.checked_sub(2)?..depth)?, code.params[depth])
    else {
        return None;
    };
    let is = |atom: Atom<Value>, var: Var| atom == Atom::Var(var);
    let mut starts = BTreeSet::new();
    let mut sums = BTreeSet::new();
    let is_start = |atom: Atom<Value>, starts: &BTreeSet<Var>| match atom {
        Atom::Var(v) => starts.contains(&v),
        Atom::Outer(..) | Atom::Const(_) => false,
    };
    code.body.walk(&mut |item| {
        let Item::Stmt(Stmt::Let(var, op)) = item else { return };
        match op {
            scalar::Op::Read(vector, at) if *vector == offsets && is(*at, row) => {
                starts.insert(*var);
            }
            scalar::Op::Scalar(ScalarOp::Add, args, _)
                if (is_start(args[0], &starts) && is(args[1], index))
                    || (is_start(args[1], &starts) && is(args[0], index)) =>
            {
                sums.insert(*var);
            }
            scalar::Op::Read(..) | scalar::Op::Scalar(..) => {}
        }
    });
    let instead = |var: Var| sums.contains(&var).then_some(Instead::Atom(Atom::Var(own)));
    (!sums.is_empty()).then(|| code.replace_results(instead))
}
