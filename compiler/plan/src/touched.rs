//! About how many elements a launch reads and writes, from its cluster alone.
//!
//! Each operation counts its reads and its results that are kept, once for each lane; a read in a
//! loop or a branch counts as if it ran once.  A program that is compiled to count knows the number
//! itself.

use crate::ir::{Cluster, Node, NodeOp};
use crate::{Atom, Operand};

/// A number of lanes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lanes {
    /// Always so many.
    Const(i64),
    /// What the launch hands over for this parameter.
    Param(usize),
}

/// What the operations of a cluster touch: numbers of lanes, and elements for each of them.
pub fn weights(cluster: &Cluster) -> Vec<(Lanes, u64)> {
    let mut weights: Vec<(Lanes, u64)> = Vec::new();
    for node in &cluster.nodes {
        let info = cluster.spaces[node.space];
        // How many lanes a filter of this launch keeps is not known before.
        let lanes = lanes(cluster, info.from.map_or(info.lanes, |from| cluster.spaces[from].lanes));
        let own = touches(node);
        match weights.iter_mut().find(|(known, _)| *known == lanes) {
            Some((_, sum)) => *sum += own,
            None => weights.push((lanes, own)),
        }
    }
    weights.retain(|&(_, own)| own > 0);
    weights
}

fn touches(node: &Node) -> u64 {
    let mut reads = 0;
    node.code.body.walk(&mut |item| {
        if let scalar::Item::Stmt(scalar::Stmt::Let(_, scalar::Op::Read(..))) = item {
            reads += 1;
        }
    });
    let kept = node.pushes.iter().flatten().count() as u64;
    // A sort reads and writes each key in each of some rounds.
    if matches!(node.op, NodeOp::Sort(_)) { 2 * ROUNDS } else { reads + kept }
}

/// Rounds of a sort.
const ROUNDS: u64 = 8;

fn lanes(cluster: &Cluster, lanes: Operand) -> Lanes {
    match lanes {
        Atom::Const(c) => Lanes::Const(c.int()),
        Atom::Outer(name, _) => {
            let found = cluster.params.iter().position(|p| p.name == name);
            Lanes::Param(found.unwrap_or_else(|| unreachable!("{name} is no parameter")))
        }
        Atom::Var(v) => unreachable!("{v} outside code"),
    }
}
