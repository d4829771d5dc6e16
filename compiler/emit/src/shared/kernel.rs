//! What printers of kernels ask of them.

use super::Expr;
use super::op::{self, Operand};
use super::stmt::Shared;
use super::types::constant;
use kernel::{Arg, Block, Body, Kernel, Stmt};
use prim::{Monoid, Ty, Widths};
use scalar::{Atom, Var};

/// `a` and `b` combined.
pub(crate) fn combine(widths: Widths, monoid: Monoid, ty: Ty, a: Expr, b: Expr) -> Expr {
    let operand = |expr| Operand { expr, ty, value: None };
    op::apply(widths, monoid.op(), &[operand(a), operand(b)])
}

/// The name of an operand that is known outside blocks.
pub(crate) fn outer_name(widths: Widths, atom: kernel::Operand) -> String {
    match atom {
        Atom::Outer(a, _) => a.to_string(),
        Atom::Var(v) => v.to_string(),
        Atom::Const(c) => constant(widths, c, false),
    }
}

/// What the chain statement of a tile passes on; empty if there is none.
pub(crate) fn chain_links(body: &Block) -> &[(Var, kernel::Operand, Monoid)] {
    body.iter()
        .find_map(
            |stmt| if let Stmt::Chain { links, .. } = stmt { Some(links.as_slice()) } else { None },
        )
        .unwrap_or(&[])
}

/// Functions called by the blocks themselves.
pub(crate) fn called(kernel: &Kernel) -> Vec<scalar::Func> {
    let mut calls = Vec::new();
    if let Body::Tiles { body, finish, .. } = &kernel.body {
        for block in [body, finish] {
            walk(block, &mut |stmt| {
                if let scalar::Stmt::Call(call) = stmt {
                    calls.push(call.func);
                }
            });
        }
    }
    calls
}

/// Calls `visit` with every scalar statement.
pub(crate) fn walk(block: &Block, visit: &mut dyn FnMut(&scalar::Stmt<Arg>)) {
    for stmt in block {
        match stmt {
            Stmt::Scalar(stmt) => super::facts::walk_stmt(stmt, visit),
            Stmt::If(_, then, els) => {
                walk(then, visit);
                walk(els, visit);
            }
            Stmt::For { body, .. } => walk(body, visit),
            Stmt::Pack { body, kept, .. } => {
                walk(body, visit);
                walk(kept, visit);
            }
            _ => {}
        }
    }
}

/// Calls `visit` with the buffer and the index of every store.
pub(crate) fn stores(block: &Block, visit: &mut dyn FnMut(Arg, kernel::Operand)) {
    for stmt in block {
        match stmt {
            Stmt::Store(buffer, index, _) => visit(*buffer, *index),
            Stmt::If(_, then, els) => {
                stores(then, visit);
                stores(els, visit);
            }
            Stmt::For { body, .. } => stores(body, visit),
            Stmt::Pack { body, kept, .. } => {
                stores(body, visit);
                stores(kept, visit);
            }
            _ => {}
        }
    }
}

/// Whether a kernel can record a fault.
pub(crate) fn fails(shared: &Shared<'_>, kernel: &Kernel) -> bool {
    let mut fails = false;
    if let Body::Tiles { body, finish, .. } = &kernel.body {
        for block in [body, finish] {
            walk(block, &mut |stmt| fails |= shared.facts.stmt_fails(stmt, &kernel.vars));
        }
    }
    fails
}

/// Whether a function that wants the lane's state is called.
pub(crate) fn lane_calls(shared: &Shared<'_>, blocks: [&Block; 2]) -> bool {
    let mut found = false;
    for block in blocks {
        walk(block, &mut |stmt| {
            if let scalar::Stmt::Call(call) = stmt {
                found |= shared.facts.functions[call.func].lane;
            }
        });
    }
    found
}
