//! Clusters that only move elements to another place.
//!
//! What is to be written to is copied first if it is a slice.  Where that copy is made over what it
//! is a copy of, from the same place on, nothing is left to be done.

use crate::ir::{Cluster, Node, NodeOp, Ref, SpaceKind};
use base::Id;
use prim::ScalarOp;
use scalar::{Atom, Op, Stmt};

/// A vector that a cluster copies: the numbers of parameters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Move {
    /// What is read.
    pub from: usize,
    /// At which position this begins; nothing for 0.
    pub start: Option<usize>,
    /// What is written, from its first element on.
    pub to: usize,
}

impl Cluster {
    /// What the cluster copies, if it does nothing else.
    pub fn moves(&self) -> Option<Vec<Move>> {
        let mut moves = Vec::new();
        for node in &self.nodes {
            let info = &self.spaces[node.space];
            let child = matches!(info.kind, SpaceKind::Regular(parent, _) if parent.index() == 0);
            if node.op != NodeOp::Map || !child {
                return None;
            }
            for (&value, push) in node.code.body.yields.iter().zip(&node.pushes) {
                let (from, start) = element(node, value)?;
                let start = match start {
                    Some(start) => Some(self.number(start)?),
                    None => None,
                };
                moves.push(Move { from: self.number(from)?, start, to: self.number((*push)?)? });
            }
        }
        (!moves.is_empty()).then_some(moves)
    }

    fn number(&self, name: Ref) -> Option<usize> {
        self.params.iter().position(|param| param.name == name)
    }
}

/// The vector that a lane reads at its own position, and where that counts from.
fn element(node: &Node, value: Atom<Ref>) -> Option<(Ref, Option<Ref>)> {
    let Op::Read(from, at) = made(node, value)? else { return None };
    let own = |atom: Atom<Ref>| matches!(atom, Atom::Var(var) if node.code.params.contains(&var));
    if own(*at) {
        return Some((*from, None));
    }
    match made(node, *at)? {
        Op::Scalar(ScalarOp::Add, args, _) => match args[..] {
            [Atom::Outer(start, _), index] | [index, Atom::Outer(start, _)] if own(index) => {
                Some((*from, Some(start)))
            }
            _ => None,
        },
        _ => None,
    }
}

/// How a variable is computed.
fn made(node: &Node, value: Atom<Ref>) -> Option<&Op<Ref>> {
    let Atom::Var(var) = value else { return None };
    let is_made = |stmt: &'_ Stmt<Ref>| matches!(stmt, Stmt::Let(made, _) if *made == var);
    let stmt = node.code.body.stmts.iter().find(|stmt| is_made(stmt))?;
    if let Stmt::Let(_, op) = stmt { Some(op) } else { None }
}
