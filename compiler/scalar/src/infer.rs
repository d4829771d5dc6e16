//! The types that IR text leaves out: printer and reader agree here on what they are.
//!
//! A type is written where it is neither that of the operands nor `i64`, the type of positions and
//! sizes.  So text is short and reading it back loses nothing, even of code whose types are wrong.

use crate::code::{Atom, Block, Op, Stmt, Var};
use prim::Ty;

/// The type that the `k`-th result of a statement has when the text gives none.
pub(crate) fn result<R: Copy>(stmt: &Stmt<R>, k: usize, ty: &impl Fn(Atom<R>) -> Ty) -> Ty {
    match stmt {
        Stmt::Let(_, Op::Scalar(op, args, _)) => {
            let tys: Vec<Ty> = args.iter().map(|&a| ty(a)).collect();
            op.result(&tys).unwrap_or(Ty::I64)
        }
        Stmt::Let(_, Op::Read(..)) | Stmt::Require { .. } | Stmt::Call(_) => Ty::I64,
        Stmt::If { then, .. } => yielded(then, k, ty),
        Stmt::Loop { params, body, .. } => yielded(body, 1 + params.len() + k, ty),
    }
}

fn yielded<R: Copy>(block: &Block<R>, k: usize, ty: &impl Fn(Atom<R>) -> Ty) -> Ty {
    block.yields.get(k).map_or(Ty::I64, |&a| ty(a))
}

/// `x3`, or `x3: f64` where the type is not the one that is left out.
pub(crate) fn define(var: Var, ty: Ty, left_out: Ty) -> String {
    if ty == left_out { var.to_string() } else { format!("{var}: {ty}") }
}
