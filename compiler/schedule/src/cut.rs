//! Tiles that cut segments, so that a few long ones keep all units busy.
//!
//! A lane of the outer space whose segment is cut is run by several tiles: each computes what its
//! elements need of the lane, but only the tile in which the lane starts stores what belongs to it.
//! Clusters that combine or count something over a whole segment, or over the lanes of the outer
//! space, keep whole segments, unless the first goes through to the second (`through`).

use crate::scheduler::Scheduler;
use kernel::{Arg, Block, Segments, Stmt, Tiles};
use plan::{Conflict, NodeOp, Space, SpaceKind};
use prim::{ScalarOp, Ty};
use scalar::{Atom, Var};

/// Which segments are cut, and what each tile knows of the cut.
#[derive(Clone, Copy)]
pub(crate) struct Cut {
    /// The space of their elements.
    pub(crate) space: Space,
    segments: Segments,
    /// The first lane that starts in the tile, its first element, and one past its last.
    own: [Var; 3],
}

/// What a loop over a segment runs through.
#[derive(Clone, Copy)]
pub(crate) struct Bounds {
    /// Where the segment starts.
    pub(crate) start: Atom<Arg>,
    /// The first element of the loop.
    pub(crate) from: Atom<Arg>,
    /// One past its last.
    pub(crate) to: Atom<Arg>,
}

impl Scheduler<'_> {
    /// The segments that tiles may cut.
    pub(crate) fn find_cut(&mut self) -> Option<Cut> {
        if self.serial || self.by_threads() {
            return None;
        }
        let mut below: Option<Space> = None;
        for node in &self.cluster.nodes {
            let chain = self.cluster.chain(node.space);
            let source = |space: Space| self.cluster.spaces[space].from.unwrap_or(space);
            match (chain.get(1).map(|&space| source(space)), below) {
                (Some(space), None) => below = Some(space),
                (Some(space), Some(known)) if space != known => return None,
                _ => {}
            }
        }
        let space = below?;
        if !(0..self.cluster.nodes.len()).all(|n| self.survives_cut(n, space)) {
            return None;
        }
        let segments = match self.cluster.spaces[space].kind {
            SpaceKind::Packed(_, offsets) => {
                let elements = self.operand(self.cluster.spaces[space].lanes);
                Segments::Offsets(self.arg(offsets), elements)
            }
            // Short segments of a known length are whole in any tile.
            SpaceKind::Regular(_, Atom::Const(len)) if len.int() <= self.target.grain.into() => {
                return None;
            }
            SpaceKind::Root => return None,
            SpaceKind::Regular(_, len) => Segments::Even(self.operand(len)),
        };
        let own = [(); 3].map(|()| self.builder.fresh(Ty::I64));
        Some(Cut { space, segments, own })
    }

    /// Whether a node does not mind that its lane, or the segment around it, is cut.
    fn survives_cut(&self, n: usize, space: Space) -> bool {
        let node = &self.cluster.nodes[n];
        let depth = self.cluster.chain(node.space).len();
        match &node.op {
            // The index of a lane among those that are kept of its segment is not known, neither to
            // the code nor to the report of a fault.
            NodeOp::Map if self.cluster.spaces[node.space].from == Some(space) => {
                !node.code.uses_param(depth) && !node.code.has_effect()
            }
            NodeOp::Map => true,
            NodeOp::Filter { .. } => depth > 1,
            NodeOp::Reduce(_) => match depth {
                1 => self.comes_through(n).is_some(),
                2 => self.goes_through(n),
                _ => true,
            },
            NodeOp::Scan(_) => depth > 2,
            NodeOp::Offsets => depth > 1,
            NodeOp::Scatter { conflict, .. } => depth > 1 && *conflict != Conflict::Last,
            NodeOp::Sort(_) => false,
        }
    }

    /// The tiles of this cut.
    pub(crate) fn cut_tiles(&self, cut: Cut, extent: Atom<Arg>, grain: u32) -> Tiles {
        Tiles::Cut { extent, segments: cut.segments, grain, own: cut.own }
    }

    /// The elements of a segment that belong to this tile.
    pub(crate) fn cut_bounds(&mut self, space: Space) -> Bounds {
        let (start, end) = self.bounds(space);
        let Some(cut) = self.cut.filter(|cut| cut.space == space) else {
            return Bounds { start, from: start, to: end };
        };
        let level = self.levels.len() - 1;
        let [_, first, last] = cut.own.map(Atom::Var);
        let from = self.op_in(level, ScalarOp::Max, &[start, first]);
        let to = self.op_in(level, ScalarOp::Min, &[end, last]);
        Bounds { start, from, to }
    }

    /// Adds stores of a lane to its level; of a lane that may be cut, they are made once.
    pub(crate) fn store_once(&mut self, level: usize, stores: Block) {
        let outer = level == 1;
        match self.cut.filter(|_| outer && !stores.is_empty()) {
            Some(cut) => {
                let lane = self.levels[level].position;
                let starts = self.op_in(level, ScalarOp::Ge, &[lane, Atom::Var(cut.own[0])]);
                self.levels[level].block.push(Stmt::If(starts, stores, Vec::new()));
            }
            None => self.levels[level].block.extend(stores),
        }
    }
}
