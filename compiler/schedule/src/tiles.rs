//! The tile: passes over it, the chain between them, and what happens after all tiles.

use crate::cut::Bounds;
use crate::level::Level;
use crate::order::has_cursor;
use crate::scheduler::Scheduler;
use crate::target::Target;
use kernel::{Arg, Body, Keys, Partial, Segments, Stmt, Tiles};
use plan::{Conflict, Node, NodeOp, Ref, Space, SpaceKind};
use prim::{Const, Monoid, Widths};
use rustc_hash::FxHashMap;
use scalar::Atom;

/// So many times the lanes of other tiles are only reduced by one block.
const REDUCED: u32 = 4;
/// Elements that take long to compute are so many times fewer in a tile: blocks that begin and end
/// apart wait and compute at different times.  Black-Scholes takes 6 per cent less on an H100.  Of
/// narrow numbers, as elsewhere, a tile has twice as many: with as few, 5 per cent more on an H200.
const APART: u32 = 4;

impl Scheduler<'_> {
    /// The whole body of the kernel.
    pub(crate) fn body(&mut self) -> Body {
        if let [Node { op: NodeOp::Sort(kind), .. }] = self.cluster.nodes.as_slice() {
            return self.sort(*kind);
        }
        let root: Space = base::Id::new(0);
        let zero = Atom::Const(Const::I64(0));
        let mut level = Level::new(root, zero, zero);
        level.index = Some(zero);
        self.levels.push(level);
        if self.outer().is_none() {
            return self.once(root);
        }
        if let Some(flat) = self.find_flat() {
            self.run_flat(root, flat);
            return self.end_body();
        }
        self.cut = self.find_cut();
        let chained = self.cluster.nodes.iter().any(|n| self.is_chained(n));
        if chained && (self.serial || self.by_threads()) {
            self.start_cursors();
        } else if chained {
            self.count(root);
        }
        let items = self.all_items(|node| self.must_happen(node));
        self.items(&items, root);
        if self.serial {
            self.end_cursors();
        }
        self.end_body()
    }

    /// The body of the kernel, when all items have happened.
    fn end_body(&mut self) -> Body {
        self.store_totals();
        let body = self.levels.pop().map(|l| l.block).unwrap_or_default();
        Body::Tiles {
            tiles: self.tiles(),
            tile: self.tile,
            threads: None,
            partials: std::mem::take(&mut self.partials),
            body,
            finish: std::mem::take(&mut self.finish),
        }
    }

    /// The outer space of the cluster; none when all is at the root.
    fn outer(&self) -> Option<Space> {
        self.cluster.nodes.iter().find_map(|n| {
            let chain = self.cluster.chain(n.space);
            let first = chain.first()?;
            Some(self.cluster.spaces[*first].from.unwrap_or(*first))
        })
    }

    /// Scalar code of the host program, run once.
    fn once(&mut self, root: Space) -> Body {
        for (n, node) in self.cluster.nodes.iter().enumerate() {
            self.run_map(n);
            for (result, push) in node.results.iter().zip(&node.pushes) {
                if let Some(push) = push {
                    let value = self.levels[0].bound[result];
                    let store = Stmt::Store(self.arg(*push), Atom::Const(Const::I64(0)), value);
                    self.levels[0].block.push(store);
                }
            }
        }
        debug_assert_eq!(self.levels[0].space, root);
        let body = self.levels.pop().map(|l| l.block).unwrap_or_default();
        Body::Tiles {
            tiles: Tiles::Once,
            tile: self.tile,
            threads: None,
            partials: Vec::new(),
            body,
            finish: Vec::new(),
        }
    }

    /// Whether a node needs something of the tiles before.  Offsets over kept lanes come with their
    /// filter.
    fn is_chained(&self, node: &Node) -> bool {
        let kept = self.cluster.spaces[node.space].from.is_some();
        (has_cursor(node) && !kept)
            || (matches!(node.op, NodeOp::Scan(_)) && self.cluster.chain(node.space).len() == 1)
    }

    /// The first pass: totals of this tile, then the prefix over the tiles before.
    fn count(&mut self, root: Space) {
        self.counting = true;
        let zero = Atom::Const(Const::I64(0));
        let items = self.all_items(|node| self.is_chained(node));
        let with_offsets = self.with_offsets(&items);
        for &n in &with_offsets {
            if has_cursor(&self.cluster.nodes[n]) {
                self.cursors.set(n, zero);
            }
        }
        self.items(&items, root);
        for &n in &with_offsets {
            if has_cursor(&self.cluster.nodes[n]) {
                let total = self.cursors.at(n).own;
                self.totals.push((n, 0, total, Monoid::Add));
            }
        }
        let mut links = Vec::new();
        for (n, k, total, monoid) in self.totals.clone() {
            let ty = self.builder.ty(total);
            let prefix = self.builder.fresh(ty);
            links.push((prefix, total, monoid));
            self.prefixes.insert((n, k), Atom::Var(prefix));
            if has_cursor(&self.cluster.nodes[n]) {
                self.cursors.set(n, Atom::Var(prefix));
            }
        }
        self.levels[0].block.push(Stmt::Chain { links, restarts: Vec::new(), first_warp: false });
        self.counting = false;
    }

    /// Without tiles before this one, cursors start at 0, and scans at the identity; so do values
    /// that are chained.
    pub(crate) fn start_cursors(&mut self) {
        for (n, node) in self.cluster.nodes.iter().enumerate() {
            if has_cursor(node) {
                self.cursors.set(n, Atom::Const(Const::I64(0)));
            }
        }
    }

    /// In the only tile, a cursor's last value is its total.
    fn end_cursors(&mut self) {
        for (n, node) in self.cluster.nodes.iter().enumerate() {
            if has_cursor(node) {
                self.totals.push((n, 0, self.cursors.at(n).own, Monoid::Add));
            }
        }
    }

    /// After all tiles: counts of filters, ends of offsets.
    fn store_totals(&mut self) {
        let is_filter = |n: usize| matches!(self.cluster.nodes[n].op, NodeOp::Filter { .. });
        let totals = std::mem::take(&mut self.totals);
        let (filters, others): (Vec<_>, Vec<_>) = totals.into_iter().partition(|t| is_filter(t.0));
        // How many lanes each filter keeps of all.
        let mut counts = FxHashMap::default();
        for (n, _, total, monoid) in filters.into_iter().chain(others) {
            let node = &self.cluster.nodes[n];
            let mut wanted = false;
            let (push, end) = match node.op {
                NodeOp::Offsets => {
                    let end = match counts.get(&node.space) {
                        Some(&count) => Atom::Var(count),
                        None => self.operand(self.cluster.spaces[node.space].lanes),
                    };
                    (node.pushes[0], end)
                }
                NodeOp::Filter { kept } => {
                    wanted = !self.kept_offsets(kept).is_empty();
                    let parent = self.cluster.parent(node.space);
                    let root = parent.is_none_or(|p| self.cluster.parent(p).is_none());
                    let zero = Atom::Const(Const::I64(0));
                    let lanes = parent.map(|p| self.operand(self.cluster.spaces[p].lanes));
                    (node.pushes[1], if root { zero } else { lanes.unwrap_or(zero) })
                }
                _ => continue,
            };
            let offsets = usize::from(matches!(node.op, NodeOp::Filter { .. }));
            let scalar = node.pushes.get(offsets + 1).copied().flatten();
            if push.is_none() && scalar.is_none() && !wanted {
                continue;
            }
            let ty = self.builder.ty(total);
            let result = self.builder.fresh(ty);
            let number = self.partials.len();
            self.here().block.push(Stmt::Partial(number, total));
            self.partials.push(Partial { monoid, result });
            if let NodeOp::Filter { kept } = node.op {
                counts.insert(kept, result);
            }
            let zero = Atom::Const(Const::I64(0));
            for (push, at) in [(push, end), (scalar, zero)] {
                let store = push.map(|push| Stmt::Store(self.arg(push), at, Atom::Var(result)));
                self.finish.extend(store);
            }
        }
    }

    /// A reduction over the outer space: combined over the tiles.
    pub(crate) fn partial(&mut self, value: Atom<Arg>, monoid: Monoid, push: Option<Ref>) {
        let ty = self.builder.ty(value);
        let result = self.builder.fresh(ty);
        let number = self.partials.len();
        self.here().block.push(Stmt::Partial(number, value));
        self.partials.push(Partial { monoid, result });
        if let Some(push) = push {
            let store = Stmt::Store(self.arg(push), Atom::Const(Const::I64(0)), Atom::Var(result));
            self.finish.push(store);
        }
    }

    /// First and end of a loop over a child of the innermost level.
    pub(crate) fn loop_bounds(&mut self, space: Space) -> Bounds {
        if self.levels.len() > 1 {
            return self.cut_bounds(space);
        }
        let start = Atom::Const(Const::I64(0));
        if self.is_owned() {
            let to = self.operand(self.cluster.spaces[space].lanes);
            return Bounds { start, from: start, to };
        }
        let tile = [1, 2].map(|n| Atom::Var(self.tile[n]));
        let [from, to] = self.own_lanes().unwrap_or(tile);
        Bounds { start, from, to }
    }

    /// Whether tiles own positions of the result instead of lanes.
    pub(crate) fn is_owned(&self) -> bool {
        self.cluster
            .nodes
            .iter()
            .any(|n| matches!(n.op, NodeOp::Scatter { conflict: Conflict::Last, .. }))
    }

    fn tiles(&self) -> Tiles {
        for node in &self.cluster.nodes {
            if let NodeOp::Scatter { conflict: Conflict::Last, extent } = node.op {
                let extent = self.operand(extent);
                let serial = self.serial;
                return if serial { Tiles::Whole { extent } } else { Tiles::Owners { extent } };
            }
        }
        let outer = self.outer().unwrap_or_else(|| unreachable!("tiles of the root"));
        let extent = self.operand(self.cluster.spaces[outer].lanes);
        if self.serial {
            return Tiles::Whole { extent };
        }
        let Target { grain, grain_nested, grain_heavy, .. } = self.target;
        let heavy = self.cluster.nodes.iter().any(|n| n.code.body.stmts.iter().any(is_heavy));
        if let Some(flat) = self.flat {
            return self.flat_tiles(flat, self.flat_grain());
        }
        if let Some(cut) = self.cut {
            return self.cut_tiles(cut, extent, if heavy { grain_heavy } else { grain });
        }
        for node in &self.cluster.nodes {
            let chain = self.cluster.chain(node.space);
            if let Some(&below) = chain.get(1) {
                let balanced = if heavy { grain_heavy } else { grain };
                return match self.cluster.spaces[below].kind {
                    SpaceKind::Packed(_, offsets) => {
                        let elements = self.operand(self.cluster.spaces[below].lanes);
                        let segments = Segments::Offsets(self.arg(offsets), elements);
                        Tiles::Balanced { extent, segments, grain: balanced }
                    }
                    SpaceKind::Regular(_, Atom::Const(len)) if !heavy => {
                        let len = u32::try_from(len.int().max(1)).unwrap_or(grain);
                        Tiles::Even { extent, grain: (grain / len).max(1) }
                    }
                    // Rows may be so long that a few of them are enough for a tile.
                    SpaceKind::Regular(_, len @ Atom::Outer(..)) if !self.by_threads() => {
                        let segments = Segments::Even(self.operand(len));
                        Tiles::Balanced { extent, segments, grain: balanced }
                    }
                    SpaceKind::Regular(..) | SpaceKind::Root => {
                        Tiles::Even { extent, grain: if heavy { 2 } else { grain_nested } }
                    }
                };
            }
        }
        Tiles::Even { extent, grain: if heavy { grain_heavy } else { self.even_grain(grain) } }
    }

    /// Lanes of a tile without inner loops.  Blocks of threads want as many bytes of narrow
    /// numbers, but for filters, whose registers are full of positions; what is only reduced stays
    /// in none.
    fn even_grain(&self, grain: u32) -> u32 {
        let reduced = |node: &Node| {
            matches!(node.op, NodeOp::Reduce(_))
                || (matches!(node.op, NodeOp::Map) && node.pushes.iter().all(Option::is_none))
        };
        let filters = |node: &Node| matches!(node.op, NodeOp::Filter { .. });
        let maps = |node: &Node| matches!(node.op, NodeOp::Map);
        let long = |node: &Node| node.code.body.is_heavy();
        let nodes = &self.cluster.nodes;
        let narrow = self.widths == Widths::NARROW;
        if !self.by_threads() {
            grain
        } else if nodes.iter().all(maps) && nodes.iter().any(long) {
            (if narrow { grain * 2 } else { grain } / APART).max(1)
        } else if self.cluster.nodes.iter().all(reduced) {
            grain * REDUCED
        } else if narrow && !self.cluster.nodes.iter().any(filters) {
            grain * 2
        } else {
            grain
        }
    }

    /// Lanes and elements of a tile whose segments lie side by side.
    pub(crate) fn flat_grain(&self) -> u32 {
        let heavy = self.cluster.nodes.iter().any(|n| n.code.body.stmts.iter().any(is_heavy));
        if heavy { self.target.grain_heavy } else { self.target.grain_cut }
    }

    fn sort(&self, kind: plan::SortKind) -> Body {
        let node = &self.cluster.nodes[0];
        let keys = node.code.refs().vectors;
        let [keys] = keys.as_slice() else { unreachable!("sort keys are one vector") };
        let Some(out) = node.pushes[0] else { unreachable!("a sort nobody wants") };
        let info = self.cluster.spaces[node.space];
        let (segments, offsets) = match info.kind {
            SpaceKind::Packed(parent, offsets) => {
                (self.operand(self.cluster.spaces[parent].lanes), Some(self.arg(offsets)))
            }
            // Of the root: in lanes only segments with offsets are sorted.
            SpaceKind::Regular(..) | SpaceKind::Root => (Atom::Const(Const::I64(1)), None),
        };
        let length = self.operand(info.lanes);
        let keys = Keys { buffer: self.arg(*keys), segments, offsets, length };
        let kind = match kind {
            plan::SortKind::Sort => kernel::SortKind::Sort,
            plan::SortKind::Rank => kernel::SortKind::Rank,
            plan::SortKind::RankDown => kernel::SortKind::RankDown,
        };
        Body::Sort { kind, keys, out: self.arg(out) }
    }
}

/// Whether a statement may take long.
pub(crate) fn is_heavy<R>(stmt: &scalar::Stmt<R>) -> bool {
    match stmt {
        scalar::Stmt::Loop { .. } | scalar::Stmt::Call(_) => true,
        scalar::Stmt::If { then, els, .. } => {
            then.stmts.iter().any(is_heavy) || els.stmts.iter().any(is_heavy)
        }
        scalar::Stmt::Let(..) | scalar::Stmt::Require { .. } => false,
    }
}
