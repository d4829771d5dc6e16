//! Simplifies the code of every statement: constants, common subexpressions, dead statements, and
//! what an arm knows by its condition.

use crate::ir::{Block, Function, Op};

/// Simplifies all code of a function.
pub fn simplify_code(function: &mut Function) {
    in_block(&mut function.body);
}

fn in_block(block: &mut Block) {
    for stmt in &mut block.stmts {
        if let Op::If(_, then, els) = &mut stmt.op {
            in_block(then);
            in_block(els);
        } else if let Some(code) = stmt.op.code_mut() {
            *code = code.simplify().specialise_arms().simplify();
        }
    }
}
