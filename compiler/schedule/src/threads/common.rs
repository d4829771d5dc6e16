//! Common subexpressions: what a thread has computed or read, it does not find again.
//!
//! The compiler behind would see this, too, but between two parts of a tile it may only keep it in
//! registers that it can tell apart; and what is read once is kept once (`rounds.rs`).

use super::alias;
use kernel::{Arg, Block, Kernel, Operand, Segments, Stmt, Var};
use prim::{ScalarOp, Ty};
use scalar::{Atom, Op};

/// What a statement computes, if it gives the same wherever it stands.
#[derive(Clone, PartialEq)]
enum Value {
    Op(ScalarOp, Vec<Operand>),
    Read(Arg, Operand),
    Owner(Segments, [Operand; 2], Operand),
}

/// The block with other names for what has a name already.
pub(super) fn share(block: &Block, kernel: &Kernel) -> Block {
    Shared { kernel, known: Vec::new(), names: Vec::new() }.block(block)
}

struct Shared<'k> {
    kernel: &'k Kernel,
    known: Vec<(Value, Var)>,
    /// Names and what they stand for.
    names: Vec<(Var, Var)>,
}

impl Shared<'_> {
    fn block(&mut self, block: &Block) -> Block {
        let outer = self.known.len();
        let shared = block.iter().map(|stmt| self.stmt(stmt)).collect();
        self.known.truncate(outer);
        shared
    }

    fn stmt(&mut self, stmt: &Stmt) -> Stmt {
        if let Some((var, value)) = self.value(stmt) {
            if let Some((_, known)) = self.known.iter().find(|(known, _)| *known == value) {
                self.names.push((var, *known));
                return alias(var, Atom::Var(*known));
            }
            self.known.push((value, var));
        }
        stmt.with_blocks(|block| self.block(block))
    }

    /// What a statement computes, under the first name of each operand.
    fn value(&self, stmt: &Stmt) -> Option<(Var, Value)> {
        let first = |atom: &Operand| match *atom {
            Atom::Var(v) => {
                let known = self.names.iter().find(|(name, _)| *name == v);
                Atom::Var(known.map_or(v, |(_, first)| *first))
            }
            other => other,
        };
        match stmt {
            Stmt::Scalar(scalar) if scalar.has_effect(&|atom| self.ty(atom)) => None,
            Stmt::Scalar(scalar::Stmt::Let(var, Op::Scalar(op, args, _))) => {
                Some((*var, Value::Op(*op, args.iter().map(first).collect())))
            }
            Stmt::Scalar(scalar::Stmt::Let(var, Op::Read(buffer, at))) => {
                let steady = self.kernel.args[*buffer].kind == kernel::ArgKind::In
                    && self.kernel.overwritten().all(|(_, over)| over.input != *buffer);
                steady.then(|| (*var, Value::Read(*buffer, first(at))))
            }
            Stmt::Owner { index, segments, range, element } => {
                let range = [first(&range[0]), first(&range[1])];
                Some((*index, Value::Owner(*segments, range, first(element))))
            }
            _ => None,
        }
    }

    fn ty(&self, atom: Operand) -> Option<Ty> {
        match atom {
            Atom::Var(v) => self.kernel.vars.get(v).copied(),
            Atom::Const(c) => Some(c.ty()),
            Atom::Outer(_, ty) => Some(ty),
        }
    }
}
