//! Segments side by side: for threads, the elements of all segments of a tile are lanes of one
//! loop.
//!
//! A thread for each outer lane would leave most threads waiting for the one with the longest
//! segment.  So tiles cut segments, and
//!
//! * what belongs to outer lanes alone runs in a loop over those that start in the tile;
//! * what belongs to elements runs in one loop over the tile's elements, each of which finds the
//!   lane that it is in.  What is combined or scanned in a segment restarts at its first element,
//!   and is chained from tile to tile; at its last element the result is known, and what needs it
//!   follows;
//! * where filters start in each lane, and results of empty lanes, are told in a last loop over
//!   lanes.
//!
//! Elements that go through to a reduction of all lanes (`through`) are combined as if there were
//! no segments.  Not for clusters in which elements need what their whole segment was combined to.

use crate::level::Level;
use crate::order::has_purpose;
use crate::scheduler::Scheduler;
use crate::target::Target;
use crate::through::Through;
use kernel::{Arg, ArgInfo, ArgKind, Block, Carry, Segments, Stmt, Tiles, Way};
use plan::{Cluster, Conflict, Node, NodeOp, Ref, Space, SpaceKind};
use prim::{Const, Monoid, ScalarOp, Ty, Widths};
use scalar::{Atom, Op, Span, Var};

const ZERO: Atom<Arg> = Atom::Const(Const::I64(0));

/// Segments of so many elements are long.
const LONG: i64 = 32;

/// Most filters of which a tile remembers where they start in each lane.
const MOST_FILTERS: usize = 4;

/// A cluster whose segments lie side by side.
#[derive(Clone, Copy)]
pub(crate) struct Flat {
    lanes: Space,
    elements: Space,
    segments: Segments,
    /// The first lane that starts in the tile, its first element, and one past its last.
    own: [Var; 3],
    /// Whether the element being run is the first of its segment, once that is known.
    first: Option<Atom<Arg>>,
}

/// Where a filter starts in each element.
struct Starts {
    filter: usize,
    array: Arg,
    push: Ref,
}

/// Whether all segments of a cluster, if there are any, can be run so.
pub(crate) fn has_flat(cluster: &Cluster, target: &Target) -> bool {
    let mut scheduler = Scheduler::new(cluster, *target, Widths::WIDE);
    let inner = |node: &Node| scheduler.first_inner(node.space).is_some();
    !cluster.nodes.iter().any(inner) || scheduler.find_flat().is_some()
}

impl Scheduler<'_> {
    /// The lanes and elements of a cluster that can be run so.
    pub(crate) fn find_flat(&mut self) -> Option<Flat> {
        if self.serial || !self.by_threads() {
            return None;
        }
        let nodes = &self.cluster.nodes;
        let mut elements = None;
        for node in nodes {
            let Some(inner) = self.first_inner(node.space) else { continue };
            if elements.is_some_and(|known| known != inner) {
                return None;
            }
            elements = Some(inner);
        }
        let elements = elements?;
        let (lanes, segments) = match self.cluster.spaces[elements].kind {
            SpaceKind::Packed(lanes, offsets) => {
                let count = self.operand(self.cluster.spaces[elements].lanes);
                (lanes, Segments::Offsets(self.arg(offsets), count))
            }
            SpaceKind::Regular(lanes, len) => (lanes, Segments::Even(self.operand(len))),
            SpaceKind::Root => return None,
        };
        // Lanes of regular lanes are numbered through.
        let chain = self.cluster.chain(lanes);
        let regular = |space: &Space| match self.cluster.spaces[*space].kind {
            SpaceKind::Regular(_, Atom::Const(len)) => len.int() > 0,
            _ => false,
        };
        if !chain[1..].iter().all(regular) {
            return None;
        }
        let fits = (0..nodes.len()).all(|n| self.fits_flat(n, lanes, elements));
        let shapes = nodes.iter().filter(|node| node.space == elements && has_shape(node)).count();
        if !fits || shapes > MOST_FILTERS {
            return None;
        }
        let own = [(); 3].map(|()| self.builder.fresh(Ty::I64));
        Some(Flat { lanes, elements, segments, own, first: None })
    }

    /// The first space on the way to this one, below the outermost, whose segments are not short
    /// and of one length; of what a filter keeps, where that comes from.
    fn first_inner(&self, space: Space) -> Option<Space> {
        let chain = self.cluster.chain(space);
        let source = |space: Space| self.cluster.spaces[space].from.unwrap_or(space);
        let mut below = chain.into_iter().skip(1).map(source);
        below.find(|&space| match self.cluster.spaces[space].kind {
            SpaceKind::Packed(..) => true,
            SpaceKind::Regular(_, Atom::Const(len)) => len.int() >= LONG,
            SpaceKind::Regular(..) => true,
            SpaceKind::Root => false,
        })
    }

    fn fits_flat(&self, n: usize, lanes: Space, elements: Space) -> bool {
        let node = &self.cluster.nodes[n];
        let kept = self.cluster.spaces[node.space].from.is_some();
        let late = self.needs_whole(n, elements);
        let outermost = self.cluster.chain(lanes).len() == 1;
        let above = self.first_inner(node.space).is_none_or(|inner| inner != elements);
        if (!above || late) && self.needs_prefix(n, elements) {
            return false;
        }
        let source = self.cluster.spaces[node.space].from.unwrap_or(node.space);
        if above && source != lanes && !self.cluster.chain(lanes).contains(&source) {
            return match self.cluster.parent(node.space) {
                None => true,
                // A few elements for each lane run with it.
                Some(parent) => {
                    parent == lanes && outermost && !late && matches!(node.op, NodeOp::Map)
                }
            };
        }
        if above && !outermost {
            // Loops over these lanes alone are loops over segments.
            let quiet = !has_purpose(node) && matches!(node.op, NodeOp::Map);
            return quiet || (node.space == lanes && matches!(node.op, NodeOp::Map));
        }
        match &node.op {
            NodeOp::Scatter { conflict: Conflict::Last, .. } | NodeOp::Sort(_) => false,
            NodeOp::Map => !late || (above && !kept),
            NodeOp::Filter { kept } => {
                let numbers = |m: &Node| m.code.uses_param(m.code.params.len() - 1);
                let mut own = self.cluster.nodes.iter().filter(|m| m.space == *kept);
                let numbered = !above && own.any(numbers);
                !late && !numbered && (above || node.space == elements)
            }
            NodeOp::Reduce(_) if late => self.comes_through(n).is_some(),
            NodeOp::Reduce(_) | NodeOp::Scan(_) | NodeOp::Offsets => !late && (above || !kept),
            NodeOp::Scatter { .. } => !late,
        }
    }

    /// Whether a node needs what a whole segment is combined to.
    fn needs_whole(&self, n: usize, elements: Space) -> bool {
        let whole = |m: &usize| {
            let maker = &self.cluster.nodes[*m];
            maker.space == elements && matches!(maker.op, NodeOp::Reduce(_))
        };
        self.makers_of(n).iter().any(whole)
    }

    /// Whether a node needs what lanes are scanned to: only the loop over them finds that, and a
    /// tile's first elements may be of a lane before them.
    fn needs_prefix(&self, n: usize, elements: Space) -> bool {
        self.makers_of(n).iter().any(|&m| {
            let maker = &self.cluster.nodes[m];
            let above = self.first_inner(maker.space).is_none_or(|inner| inner != elements);
            above && matches!(maker.op, NodeOp::Scan(_))
        })
    }

    /// All nodes that a node needs, directly or not.
    fn makers_of(&self, n: usize) -> Vec<usize> {
        let mut open = vec![n];
        let mut found = Vec::new();
        while let Some(m) = open.pop() {
            for &name in self.local_reads(m) {
                let maker = self.facts.makers[&name];
                if !found.contains(&maker) {
                    found.push(maker);
                    open.push(maker);
                }
            }
        }
        found
    }

    /// The statements of the tile.
    pub(crate) fn run_flat(&mut self, root: Space, flat: Flat) {
        self.flat = Some(flat);
        self.start_cursors();
        let items = self.all_items(|node| self.must_happen(node));
        let deep = |n: &usize| self.first_inner(self.cluster.nodes[*n].space).is_some();
        let (elements, outer): (Vec<usize>, Vec<usize>) = items.into_iter().partition(deep);
        let (mut late, early): (Vec<usize>, Vec<usize>) =
            outer.into_iter().partition(|&n| self.needs_whole(n, flat.elements));
        let mut through = Vec::new();
        late.retain(|&n| {
            let comes = self.comes_through(n);
            let stays = comes.is_none();
            through.extend(comes.into_iter().flatten());
            stays
        });
        self.run_own_lanes(&early, root, flat.lanes);
        self.run_elements(&elements, &late, &through);
    }

    /// The loop over lanes before that over elements.
    fn run_own_lanes(&mut self, items: &[usize], root: Space, lanes: Space) {
        if self.cluster.chain(lanes).len() == 1 || items.is_empty() {
            return self.items(items, root);
        }
        let lane = self.builder.fresh(Ty::I64);
        let count = self.push_lanes(lanes, lane, Vec::new());
        items.iter().for_each(|&n| self.own_item(n));
        let body = self.pop_lanes(count);
        let [from, to] = self.own_lanes().unwrap_or([ZERO; 2]);
        let (carried, way) = (Vec::new(), Way::Simd);
        self.here().block.push(Stmt::For { index: lane, from, to, carried, body, way });
    }

    /// Opens the levels of a lane and of those that it is in; `first` comes before all that.
    fn push_lanes(&mut self, lanes: Space, lane: Var, first: Block) -> usize {
        let chain = self.cluster.chain(lanes);
        let base = self.levels.len();
        self.levels.extend(chain.iter().map(|&space| Level::new(space, ZERO, ZERO)));
        self.levels[base].block = first;
        let mut position = Atom::Var(lane);
        for (n, &space) in chain.iter().enumerate().rev() {
            self.levels[base + n].position = position;
            let SpaceKind::Regular(_, len) = self.cluster.spaces[space].kind else { break };
            if n > 0 {
                let len = self.operand(len);
                let above = self.op_in(base, ScalarOp::Div, &[position, len]);
                self.levels[base + n].start = self.op_in(base, ScalarOp::Mul, &[above, len]);
                position = above;
            }
        }
        self.levels[base].index = Some(self.levels[base].position);
        chain.len()
    }

    /// Closes the levels of a lane; gives their statements.
    fn pop_lanes(&mut self, count: usize) -> Block {
        let mut blocks: Vec<Block> = (0..count).map(|_| self.pop_level().block).collect();
        blocks.reverse();
        blocks.concat()
    }

    /// The lanes that start in the tile.
    pub(crate) fn own_lanes(&self) -> Option<[Atom<Arg>; 2]> {
        self.flat.map(|flat| [flat.own[0], self.tile[2]].map(Atom::Var))
    }

    /// Whether the innermost loop is that over elements.
    pub(crate) fn is_flat(&self, level: usize) -> bool {
        self.flat.is_some_and(|flat| self.levels[level].space == flat.elements)
    }

    pub(crate) fn flat_tiles(&self, flat: Flat, grain: u32) -> Tiles {
        let extent = self.operand(self.cluster.spaces[flat.lanes].lanes);
        Tiles::Cut { extent, segments: flat.segments, grain, own: flat.own }
    }

    /// The loop over elements, and what comes after it.
    fn run_elements(&mut self, items: &[usize], late: &[usize], through: &[Through]) {
        let Some(Flat { lanes, elements, segments, own, .. }) = self.flat else { return };
        let starts = self.starts(items, elements);
        let (index, lane) = (self.builder.fresh(Ty::I64), self.builder.fresh(Ty::I64));
        let cursors = self.carry_cursors(items);
        let range = [self.tile[1], self.tile[2]].map(Atom::Var);
        let owner = Stmt::Owner { index: lane, segments, range, element: Atom::Var(index) };
        let count = self.push_lanes(lanes, lane, vec![owner]);
        let (start, end) = self.bounds(elements);
        self.levels.push(Level::new(elements, Atom::Var(index), start));
        let level = self.levels.len() - 1;
        for &n in items {
            self.kept_starts.insert(n, ZERO);
        }
        for Starts { filter, array, .. } in &starts {
            let at = self.op_in(level, ScalarOp::Sub, &[Atom::Var(index), Atom::Var(own[1])]);
            let now = self.cursors.at(*filter).own;
            self.levels[level].block.push(Stmt::Store(*array, at, now));
        }
        self.items(items, elements);
        for carried in &cursors {
            self.count_tile(carried, true);
        }
        let next = self.op_in(level, ScalarOp::Add, &[Atom::Var(index), ONE]);
        let last = self.op_in(level, ScalarOp::Eq, &[next, end]);
        let inner = self.pop_level();
        let all = inner.reduced.iter().map(|&(name, push, next)| (name, push, Atom::Var(next)));
        let goes =
            |(name, ..): &(Ref, Option<Ref>, Atom<Arg>)| through.iter().any(|t| t.inner == *name);
        let (totals, known): (Vec<_>, Vec<_>) = all.partition(goes);
        let after = self.late_block(lane, &known, late);
        let mut body = self.pop_lanes(count);
        body.extend(inner.block);
        if !after.is_empty() {
            body.push(Stmt::If(last, after, Vec::new()));
        }
        let mut carried = inner.carried;
        carried.extend(cursors.iter().map(|cursor| self.carry(cursor)));
        let [_, from, to] = own.map(Atom::Var);
        self.here().block.push(Stmt::For { index, from, to, carried, body, way: Way::Simd });
        for cursor in &cursors {
            self.leave(cursor);
        }
        for (name, _, total) in totals {
            if let Some(of) = through.iter().find(|t| t.inner == name) {
                self.partial(total, of.monoid, of.push);
            }
        }
        self.run_lanes(&starts, &known, late);
    }

    /// Arrays of where filters of elements start, as far as that is asked for.
    fn starts(&mut self, items: &[usize], elements: Space) -> Vec<Starts> {
        let mut starts = Vec::new();
        for &filter in items {
            let node = &self.cluster.nodes[filter];
            if let (NodeOp::Filter { .. }, Some(Some(push))) = (&node.op, node.pushes.get(1))
                && node.space == elements
            {
                let kind = ArgKind::Shared(self.flat_grain() + 1);
                self.arrays.push(ArgInfo { ty: Ty::I64, kind });
                let array = base::Id::new(self.cluster.params.len() + self.arrays.len() - 1);
                starts.push(Starts { filter, array, push: *push });
            }
        }
        starts
    }

    /// What follows when lanes know what their segments are combined to.
    fn late_block(
        &mut self,
        lane: Var,
        known: &[(Ref, Option<Ref>, Atom<Arg>)],
        late: &[usize],
    ) -> Block {
        let &mut Level { space, position, start, index, ref bound, .. } = self.here();
        let bound = bound.clone();
        self.levels.push(Level { index, bound, ..Level::new(space, position, start) });
        let level = self.levels.len() - 1;
        for &(name, push, value) in known {
            self.levels[level].bound.insert(name, value);
            if let Some(push) = push {
                let store = Stmt::Store(self.arg(push), Atom::Var(lane), value);
                self.levels[level].block.push(store);
            }
        }
        for &n in late {
            self.done.remove(&n);
            self.own_item(n);
        }
        self.pop_level().block
    }

    /// The loop over lanes after that over elements.
    fn run_lanes(
        &mut self,
        starts: &[Starts],
        known: &[(Ref, Option<Ref>, Atom<Arg>)],
        late: &[usize],
    ) {
        let Some(Flat { lanes, elements, segments, own, .. }) = self.flat else { return };
        let empty_lanes = !late.is_empty() || known.iter().any(|(_, push, _)| push.is_some());
        if starts.is_empty() && !empty_lanes {
            return;
        }
        let [_, first, last] = own.map(Atom::Var);
        for Starts { filter, array, .. } in starts {
            let at = self.op_in(0, ScalarOp::Sub, &[last, first]);
            let end = self.cursors.at(*filter).own;
            self.here().block.push(Stmt::Store(*array, at, end));
        }
        let lane = self.builder.fresh(Ty::I64);
        let count = self.push_lanes(lanes, lane, Vec::new());
        let (mut start, mut end) = self.bounds(elements);
        let level = self.levels.len() - 1;
        if let Segments::Even(Atom::Outer(..)) = segments {
            // Of a negative length there are no elements, and all lanes start at 0.
            [start, end] = [start, end].map(|at| self.op_in(level, ScalarOp::Max, &[at, ZERO]));
        }
        for Starts { array, push, .. } in starts {
            let at = self.op_in(level, ScalarOp::Sub, &[start, first]);
            let now = self.read_in(level, *array, at);
            let store = Stmt::Store(self.arg(*push), Atom::Var(lane), now);
            self.levels[level].block.push(store);
        }
        if empty_lanes {
            let empty = self.op_in(level, ScalarOp::Eq, &[start, end]);
            let nothing: Vec<_> = known
                .iter()
                .map(|&(name, push, _)| {
                    let ty = self.cluster.refs[name].ty;
                    (name, push, Atom::Const(self.widths.identity(self.monoid_of(name), ty)))
                })
                .collect();
            let block = self.late_block(lane, &nothing, late);
            self.levels[level].block.push(Stmt::If(empty, block, Vec::new()));
        }
        let body = self.pop_lanes(count);
        let [from, to] = self.own_lanes().unwrap_or([ZERO; 2]);
        let (carried, way) = (Vec::new(), Way::Simd);
        self.here().block.push(Stmt::For { index: lane, from, to, carried, body, way });
    }

    /// Combines a value of each element with those before it in its segment: what they have come to
    /// before it, and with it.
    pub(crate) fn combine_segment(
        &mut self,
        level: usize,
        value: Atom<Arg>,
        monoid: Monoid,
    ) -> [Var; 2] {
        let restart = self.is_first(level);
        let ty = self.builder.ty(value);
        let (var, result) = (self.builder.fresh(ty), self.builder.fresh(ty));
        let init = Atom::Const(self.widths.identity(monoid, ty));
        // Not simplified: `threads` looks for just these.
        let before = self.plain_op(level, ScalarOp::Select, vec![restart, init, Atom::Var(var)]);
        let after = self.plain_op(level, monoid.op(), vec![Atom::Var(before), value]);
        self.levels[level].carried.push(Carry {
            var,
            init,
            next: Atom::Var(after),
            result,
            monoid: Some(monoid),
            chained: true,
            restart: Some(restart),
        });
        [before, after]
    }

    /// Whether the element being run is the first of its segment.
    fn is_first(&mut self, level: usize) -> Atom<Arg> {
        if let Some(first) = self.flat.and_then(|flat| flat.first) {
            return first;
        }
        let (position, start) = (self.levels[level].position, self.levels[level].start);
        let first = Atom::Var(self.plain_op(level, ScalarOp::Eq, vec![position, start]));
        if let Some(flat) = &mut self.flat {
            flat.first = Some(first);
        }
        first
    }

    fn plain_op(&mut self, level: usize, op: ScalarOp, args: Vec<Atom<Arg>>) -> Var {
        let tys: Vec<Ty> = args.iter().map(|&a| self.builder.ty(a)).collect();
        let ty = op.result(&tys).unwrap_or_else(|| unreachable!("{op} on {tys:?}"));
        let result = self.builder.fresh(ty);
        let stmt = scalar::Stmt::Let(result, Op::Scalar(op, args, Span::none()));
        self.levels[level].block.push(Stmt::Scalar(stmt));
        result
    }
}

const ONE: Atom<Arg> = Atom::Const(Const::I64(1));

/// Whether it is asked where a filter starts in each lane.
fn has_shape(node: &Node) -> bool {
    matches!(node.op, NodeOp::Filter { .. }) && node.pushes.get(1).is_some_and(Option::is_some)
}
