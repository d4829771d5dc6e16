//! Removes checks that cannot fail, by what is known of sizes.
//!
//! ```text
//! s1 = [s0 > v0]
//! v2 = map [s1] \x0 x1 {
//!   x2 = lt x1 v0
//!   require index x2 x1 v0
//!   x3 = select x2 x1 0
//!   x4 = read v1 x3
//!   yield x4
//! }
//!   becomes
//! v2 = map [s1] \x0 x1 { x2 = read v1 x1; yield x2 }
//! ```
//!
//! A condition that a check asks for and that is known to hold wherever it is computed becomes T;
//! so do the guards that use it.  One that never holds stays: its check tells what it looked at.
//! A check that all lanes have made before is dropped, too; its guards stay.
//! A minimum or maximum of which one operand is known to be the result becomes that operand:
//! lengths of generators are such minima.  What is known only because another check went before is
//! not used: where that check fails, guards are still needed (see
//! [`facts`](crate::shapes::facts)).

use crate::Code;
use crate::ir::{Block, Function, Op, Value};
use crate::shapes::Folds;
use crate::shapes::Shapes;
use crate::shapes::calls::Summary;
use prim::Const;
use rustc_hash::{FxHashMap, FxHashSet};
use scalar::{Atom, Var};

/// Removes checks of all statements of a function.
pub fn remove_checks(function: &mut Function) {
    remove_checks_after(function, None);
}

/// The same where it is known what calls give.
pub(super) fn remove_checks_after(function: &mut Function, calls: Option<&[Summary]>) {
    if !checks(&function.body) {
        return;
    }
    let folds = Shapes::with(function, calls).folds;
    let mut folds = folds.into_iter();
    in_block(&mut function.body, &mut folds);
}

/// Whether some code of a block checks something, or takes a minimum or maximum.
fn checks(block: &Block) -> bool {
    block.stmts.iter().any(|stmt| match &stmt.op {
        Op::If(_, then, els) => checks(then) || checks(els),
        op => op.code().is_some_and(|code| {
            let mut found = false;
            code.body.walk(&mut |item| {
                found |= matches!(
                    item,
                    scalar::Item::Stmt(
                        scalar::Stmt::Require { .. }
                            | scalar::Stmt::Let(
                                _,
                                scalar::Op::Scalar(prim::ScalarOp::Min | prim::ScalarOp::Max, ..)
                            )
                    )
                );
            });
            found
        }),
    })
}

fn in_block(block: &mut Block, folds: &mut impl Iterator<Item = Folds>) {
    for stmt in &mut block.stmts {
        if let Op::If(_, then, els) = &mut stmt.op {
            in_block(then, folds);
            in_block(els, folds);
        } else if let Some(code) = stmt.op.code_mut() {
            let Some(mut folds) = folds.next() else {
                unreachable!("code that was not met:\n{code}")
            };
            let Folds { vars, repeated } = &mut folds;
            if !repeated.is_empty() {
                drop_checks(&mut code.body, repeated, &mut 0);
            }
            vars.retain(|_, known| *known != Atom::Const(Const::Bool(false)));
            if !vars.is_empty() || !repeated.is_empty() {
                *code = folded(code, vars);
            }
        }
    }
}

/// Drops the checks with these numbers, in the order of the text.
fn drop_checks(block: &mut scalar::Block<Value>, dropped: &FxHashSet<usize>, met: &mut usize) {
    block.stmts.retain_mut(|stmt| match stmt {
        scalar::Stmt::Require { .. } => {
            *met += 1;
            !dropped.contains(&(*met - 1))
        }
        scalar::Stmt::If { then, els, .. } => {
            drop_checks(then, dropped, met);
            drop_checks(els, dropped, met);
            true
        }
        scalar::Stmt::Loop { body, .. } => {
            drop_checks(body, dropped, met);
            true
        }
        scalar::Stmt::Let(..) | scalar::Stmt::Call(_) => true,
    });
}

/// Code with variables replaced.
fn folded(code: &Code, folds: &FxHashMap<Var, Atom<Value>>) -> Code {
    let operand = |mut atom: Atom<Value>| {
        // What stands for a variable was there before it, so that this ends.
        while let Atom::Var(var) = atom
            && let Some(&other) = folds.get(&var)
        {
            atom = other;
        }
        atom
    };
    let mut code = code.clone();
    let stmts = code.body.stmts.iter().map(|stmt| stmt.copy(&|var| var, &operand));
    code.body.stmts = stmts.collect();
    code.body.yields.iter_mut().for_each(|atom| *atom = operand(*atom));
    code.simplify()
}
