//! Segments that are combined to what the lanes around them are combined from, and to nothing else.
//!
//! ```text
//! v1 = reduce [s2] add \x0 x1 x2 { ... }       the sum of each row
//! v2 = reduce [s1] add \x0 x1 { read v1 x0 }   the sum of these
//! ```
//!
//! Elements *go through* the first to the second: nobody asks which segment an element was in.  So
//! a tile that has a part of a segment combines that part, and what all tiles have come to is the
//! result: segments can be cut, and threads combine elements as if there were no segments.  Not of
//! floats, which are rounded at each step.

use crate::scheduler::Scheduler;
use plan::{Node, NodeOp, Ref};
use prim::Monoid;
use scalar::{Atom, Op, Stmt};

/// A reduction of lanes, and the reduction of their segments that goes through to it, by result.
pub(crate) struct Through {
    /// The result of the segments.
    pub(crate) inner: Ref,
    /// Where the result of all goes.
    pub(crate) push: Option<Ref>,
    pub(crate) monoid: Monoid,
}

impl Scheduler<'_> {
    /// What goes through to a node, if that is all that it combines.
    pub(crate) fn comes_through(&self, n: usize) -> Option<Vec<Through>> {
        let node = &self.cluster.nodes[n];
        let NodeOp::Reduce(monoids) = &node.op else { return None };
        let yields = reads_alone(node)?;
        let found = yields.iter().enumerate().map(|(k, &inner)| {
            let &maker = self.facts.makers.get(&inner)?;
            let segments = &self.cluster.nodes[maker];
            let same = matches!(segments.op, NodeOp::Reduce(_))
                && self.monoid_of(inner) == monoids[k]
                && monoids[k].regroups(self.cluster.refs[inner].ty);
            // Then it is read at the own position: there is no other at which locals are.
            let below = self.cluster.parent(segments.space) == Some(node.space);
            let alone = self.goes_to(maker, n) && !yields[..k].contains(&inner);
            (same && below && alone).then_some(Through {
                inner,
                push: node.pushes[k],
                monoid: monoids[k],
            })
        });
        found.collect()
    }

    /// Whether all that a reduction of segments gives goes through to one of their lanes.
    pub(crate) fn goes_through(&self, n: usize) -> bool {
        let node = &self.cluster.nodes[n];
        if !matches!(node.op, NodeOp::Reduce(_)) {
            return false;
        }
        let reads = |m: &usize| self.facts.reads[*m].iter().any(|r| node.results.contains(r));
        let mut readers = (0..self.cluster.nodes.len()).filter(reads);
        match (readers.next(), readers.next()) {
            (Some(reader), None) => self.comes_through(reader).is_some(),
            _ => false,
        }
    }

    /// Whether nobody but another node asks for what a node makes.
    fn goes_to(&self, n: usize, reader: usize) -> bool {
        let results = &self.cluster.nodes[n].results;
        let read_by = |m: usize| self.facts.reads[m].iter().any(|r| results.contains(r));
        self.cluster.nodes[n].pushes.iter().all(Option::is_none)
            && (0..self.cluster.nodes.len()).all(|m| m == reader || !read_by(m))
    }
}

/// The vectors that the yields of a node are read from, if that is all there is.
fn reads_alone(node: &Node) -> Option<Vec<Ref>> {
    let read = |value: &plan::Operand| {
        node.code.body.stmts.iter().find_map(|stmt| match stmt {
            Stmt::Let(result, Op::Read(vector, _)) if *value == Atom::Var(*result) => Some(*vector),
            _ => None,
        })
    };
    let body = &node.code.body;
    let reads = body.yields.iter().map(read).collect::<Option<Vec<Ref>>>()?;
    (body.stmts.len() == reads.len()).then_some(reads)
}
