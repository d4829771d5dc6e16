//! What each item adds to the level of its space, and the loops over spaces.

use crate::cursor::Cursor;
use crate::cut::Bounds;
use crate::level::Level;
use crate::order::has_cursor;
use crate::scheduler::Scheduler;
use crate::split::Loop;
use base::{Site, Span};
use kernel::{Arg, Carry, Stmt, Way};
use plan::{Conflict, NodeOp, Ref, Space};
use prim::{Const, Monoid, ScalarOp, TOO_LONG, Ty};
use scalar::Atom;

impl Scheduler<'_> {
    /// What a node adds to the level of its space.
    pub(crate) fn own_item(&mut self, n: usize) {
        let node = &self.cluster.nodes[n];
        let level = self.level_of(node.space);
        match &node.op {
            NodeOp::Map => {
                self.run_map(n);
                self.push_results(n, level);
            }
            NodeOp::Reduce(monoids) => self.reduce(n, level, &monoids.clone()),
            NodeOp::Scan(monoids) => self.scan(n, level, &monoids.clone()),
            NodeOp::Offsets => self.offsets(n, level),
            NodeOp::Filter { .. } if self.counting => self.count_kept(n, level),
            NodeOp::Filter { kept } => self.keep(n, level, *kept),
            NodeOp::Scatter { .. } => self.scatter(n, level),
            NodeOp::Sort(_) => unreachable!("a sort is a kernel of its own"),
        }
    }

    /// Stores the results of a map or scan that are needed outside.
    fn push_results(&mut self, n: usize, level: usize) {
        let node = &self.cluster.nodes[n];
        if self.counting || !self.done.insert(n) {
            return;
        }
        let position = self.levels[level].position;
        let mut stores = Vec::new();
        for (result, push) in node.results.iter().zip(&node.pushes) {
            if let Some(push) = push {
                let value = self.levels[level].bound[result];
                stores.push(Stmt::Store(self.arg(*push), position, value));
            }
        }
        self.store_once(level, stores);
    }

    fn reduce(&mut self, n: usize, level: usize, monoids: &[Monoid]) {
        let node = &self.cluster.nodes[n];
        let values = self.inline(node, level);
        for (k, (&value, &monoid)) in values.iter().zip(monoids).enumerate() {
            let result = if self.is_flat(level) && !self.goes_through(n) {
                self.combine_segment(level, value, monoid)[1]
            } else {
                self.accumulate(level, value, monoid)
            };
            self.levels[level].reduced.push((node.results[k], node.pushes[k], result));
        }
    }

    /// Combines a value of each lane; gives the variable that holds the result after the loop.
    fn accumulate(&mut self, level: usize, value: Atom<Arg>, monoid: Monoid) -> scalar::Var {
        let ty = self.builder.ty(value);
        let init = Atom::Const(self.widths.identity(monoid, ty));
        let (var, result) = (self.builder.fresh(ty), self.builder.fresh(ty));
        let next = self.op_in(level, monoid.op(), &[Atom::Var(var), value]);
        let monoid = Some(monoid);
        let carry = Carry { var, init, next, result, monoid, chained: false, restart: None };
        self.levels[level].carried.push(carry);
        result
    }

    fn scan(&mut self, n: usize, level: usize, monoids: &[Monoid]) {
        let node = &self.cluster.nodes[n];
        let values = self.inline(node, level);
        let outer = self.cluster.chain(node.space).len() == 1;
        if self.is_flat(level) {
            for (k, (&value, &monoid)) in values.iter().zip(monoids).enumerate() {
                let before = self.combine_segment(level, value, monoid)[0];
                self.levels[level].bound.insert(node.results[k], Atom::Var(before));
            }
            return self.push_results(n, level);
        }
        if outer && self.counting {
            for (k, (&value, &monoid)) in values.iter().zip(monoids).enumerate() {
                let total = self.accumulate(level, value, monoid);
                self.totals.push((n, k, Atom::Var(total), monoid));
            }
            return;
        }
        for (k, (&value, &monoid)) in values.iter().zip(monoids).enumerate() {
            let ty = self.builder.ty(value);
            let init = match self.prefixes.get(&(n, k)) {
                Some(&prefix) if outer => prefix,
                _ => Atom::Const(self.widths.identity(monoid, ty)),
            };
            let (var, result) = (self.builder.fresh(ty), self.builder.fresh(ty));
            self.levels[level].bound.insert(node.results[k], Atom::Var(var));
            let next = self.op_in(level, monoid.op(), &[Atom::Var(var), value]);
            // Inner loops are mostly too short for what it takes to vectorise a scan.
            let monoid = outer.then_some(monoid);
            let chained = outer && self.by_threads();
            let carry = Carry { var, init, next, result, monoid, chained, restart: None };
            self.levels[level].carried.push(carry);
        }
        self.push_results(n, level);
    }

    fn offsets(&mut self, n: usize, level: usize) {
        let node = &self.cluster.nodes[n];
        let len = self.inline(node, level)[0];
        if !self.counting
            && let Some(push) = node.pushes[0]
        {
            let now = self.cursor(n, level);
            let store = Stmt::Store(self.arg(push), self.levels[level].position, now);
            self.levels[level].block.push(store);
        }
        self.add_length(n, level, len);
    }

    /// Moves the cursor of offsets on by the length of a lane.  The first lane that goes past the
    /// longest length fails; cursors behind it may have wrapped.
    fn add_length(&mut self, n: usize, level: usize, len: Atom<Arg>) {
        // A negative length counts as 0.
        let len = self.op_in(level, ScalarOp::Max, &[len, Atom::Const(Const::I64(0))]);
        if !self.counting {
            let now = self.cursor(n, level);
            let int = |n| Atom::Const(Const::I64(n));
            let left = self.op_in(level, ScalarOp::Sub, &[int(self.widths.max_length()), now]);
            let check = scalar::Stmt::Require {
                site: Site::Memory,
                cond: self.op_in(level, ScalarOp::Le, &[len, left]),
                args: [len, int(TOO_LONG)],
                span: Span::none(),
            };
            self.levels[level].block.push(Stmt::Scalar(check));
        }
        self.advance(n, level, len);
    }

    /// Before the chain, a filter only counts.
    fn count_kept(&mut self, n: usize, level: usize) {
        let node = &self.cluster.nodes[n];
        let keep = self.inline(node, level)[0];
        let lengths = self.kept_lengths(n, level, keep);
        let one = self.op_in(level, ScalarOp::Btoi, &[keep]);
        self.advance(n, level, one);
        for (m, len) in lengths {
            self.add_length(m, level, len);
        }
    }

    /// For each `offsets` over the lanes that a filter keeps: the length of this lane, which is 0
    /// if it is not kept.
    fn kept_lengths(
        &mut self,
        filter: usize,
        level: usize,
        keep: Atom<Arg>,
    ) -> Vec<(usize, Atom<Arg>)> {
        let node = &self.cluster.nodes[filter];
        let NodeOp::Filter { kept } = node.op else { unreachable!("not a filter") };
        let zero = Atom::Const(Const::I64(0));
        let index = self.levels[level].position;
        let mut lengths = Vec::new();
        for m in self.kept_offsets(kept) {
            // Its code uses the position among the kept lanes only to read where they come from.
            let mut own = Level::new(kept, zero, zero);
            own.bound.insert(node.results[0], index);
            self.levels.push(own);
            let len = self.inline(&self.cluster.nodes[m], level + 1)[0];
            let stmts = self.pop_level().block;
            let ty = |atom| Some(self.builder.ty(atom));
            let len = if stmts.iter().all(|stmt| is_harmless_at(stmt, index, &ty)) {
                self.levels[level].block.extend(stmts);
                self.op_in(level, ScalarOp::Select, &[keep, len, zero])
            } else {
                let scalar = |stmt| match stmt {
                    Stmt::Scalar(stmt) => stmt,
                    stmt => unreachable!("{stmt:?} for the length of a lane"),
                };
                let stmts = stmts.into_iter().map(scalar).collect();
                let then = scalar::Block { stmts, yields: vec![len] };
                let els = scalar::Block { stmts: Vec::new(), yields: vec![zero] };
                let result = self.builder.fresh(Ty::I64);
                let choice = scalar::Stmt::If { results: vec![result], cond: keep, then, els };
                self.levels[level].block.push(Stmt::Scalar(choice));
                Atom::Var(result)
            };
            lengths.push((m, len));
        }
        lengths
    }

    /// Where the elements of a kept lane start, to be stored where the lane is.
    fn kept_starts_of(
        &mut self,
        level: usize,
        lengths: &[(usize, Atom<Arg>)],
    ) -> Vec<(Option<Ref>, Atom<Arg>)> {
        let starts = lengths.iter().map(|&(m, _)| {
            let push = self.cluster.nodes[m].pushes[0];
            (push, self.cursor(m, level))
        });
        starts.collect()
    }

    /// A filter that shares its loop: what it keeps is stored for every lane, and the cursor moves
    /// on if the lane is kept.  Threads, whose stores come in any order, store kept lanes only.
    fn keep(&mut self, n: usize, level: usize, kept: Space) {
        let node = &self.cluster.nodes[n];
        let keep = self.inline(node, level)[0];
        let lengths = self.kept_lengths(n, level, keep);
        let (now, index) = (self.cursor(n, level), self.levels[level].position);
        let starts = self.kept_starts_of(level, &lengths);
        let mut own = Level::new(kept, now, self.kept_starts[&n]);
        own.bound.insert(node.results[0], index);
        self.levels.push(own);
        let mut stores: Vec<(Option<Ref>, Atom<Arg>)> = vec![(node.pushes[0], index)];
        for m in self.kept_maps(kept) {
            self.run_map(m);
            let map = &self.cluster.nodes[m];
            let bound = &self.levels[level + 1].bound;
            stores.extend(map.results.iter().zip(&map.pushes).map(|(r, &push)| (push, bound[r])));
        }
        stores.extend(starts);
        let mut inner = self.pop_level().block;
        for (push, value) in stores {
            inner.extend(push.map(|push| Stmt::Store(self.arg(push), now, value)));
        }
        if self.by_threads() {
            inner = vec![Stmt::If(keep, inner, Vec::new())];
        }
        self.levels[level].block.extend(inner);
        let one = self.op_in(level, ScalarOp::Btoi, &[keep]);
        self.advance(n, level, one);
        for (m, len) in lengths {
            self.add_length(m, level, len);
        }
    }

    fn scatter(&mut self, n: usize, level: usize) {
        let node = &self.cluster.nodes[n];
        let NodeOp::Scatter { conflict, extent } = node.op else { unreachable!("not a scatter") };
        let yields = self.inline(node, level);
        let (at, values) = (yields[0], &yields[1..]);
        let [low, high] = if conflict == Conflict::Last {
            [self.tile[1], self.tile[2]].map(Atom::Var)
        } else {
            [Atom::Const(Const::I64(0)), self.operand(extent)]
        };
        let above = self.op_in(level, ScalarOp::Ge, &[at, low]);
        let below = self.op_in(level, ScalarOp::Lt, &[at, high]);
        let inside = self.op_in(level, ScalarOp::And, &[above, below]);
        let store = if conflict == Conflict::Greatest { Stmt::Raise } else { Stmt::Store };
        let stores = node
            .pushes
            .iter()
            .zip(values)
            .filter_map(|(push, &value)| push.map(|p| store(self.arg(p), at, value)))
            .collect();
        self.levels[level].block.push(Stmt::If(inside, stores, Vec::new()));
    }

    /// A loop over a space below the innermost level, with these items in it.
    pub(crate) fn run_loop(&mut self, items: &[usize], space: Space) {
        let Bounds { start, from, to } = self.loop_bounds(space);
        let first = &self.cluster.nodes[items[0]];
        if let NodeOp::Filter { kept } = first.op
            && first.space == space
            && self.is_pack(items[0])
        {
            self.pack(items[0], kept, Bounds { start, from, to });
            return;
        }
        if !self.counting {
            for &n in items {
                if matches!(self.cluster.nodes[n].op, NodeOp::Filter { .. })
                    && self.cluster.nodes[n].space == space
                {
                    let start = self.store_shape(n);
                    self.kept_starts.insert(n, start);
                }
            }
        }
        let index = self.builder.fresh(Ty::I64);
        let cursors = self.carry_cursors(items);
        let outermost = self.levels.len() == 1;
        let level = self.loop_level(space, index, start);
        self.levels.push(level);
        self.items(items, space);
        for carried in &cursors {
            self.count_tile(carried, outermost);
        }
        let mut level = self.pop_level();
        let mut carried = level.carried;
        carried.extend(cursors.iter().map(|cursor| self.carry(cursor)));
        if !outermost && !self.by_threads() {
            self.hoist_reads(&mut level.block, [from, to], index, &carried);
        }
        if self.by_threads() {
            // Lanes of the tile are the threads'; what a lane has below it is one thread's.
            let way = if outermost && !self.is_owned() { Way::Simd } else { Way::Serial };
            self.here().block.push(Stmt::For { index, from, to, carried, body: level.block, way });
        } else if carried.is_empty() {
            let whole = Loop { index, start, from, to, body: level.block, inner: !outermost };
            let stmts = whole.split(&mut self.builder);
            self.here().block.extend(stmts);
        } else {
            // Short inner loops that gather run faster one element after the other.
            let gathers = !outermost && crate::gather::gathers(&level.block, index);
            let all = carried.iter().all(|c| c.monoid.is_some());
            let simd = !gathers && is_simd(&level.block) && all;
            let way = if simd { Way::Simd } else { Way::Serial };
            self.here().block.push(Stmt::For { index, from, to, carried, body: level.block, way });
        }
        for cursor in cursors {
            self.leave(&cursor);
        }
        for (name, push, result) in level.reduced {
            self.reduced(name, push, result);
        }
    }

    pub(crate) fn here(&mut self) -> &mut Level {
        self.levels.last_mut().unwrap_or_else(|| unreachable!("the root level is always open"))
    }

    /// The result of a reduction, in the level above its loop.
    fn reduced(&mut self, name: Ref, push: Option<Ref>, result: scalar::Var) {
        if self.levels.len() == 1 {
            let monoid = self.monoid_of(name);
            self.partial(Atom::Var(result), monoid, push);
            return;
        }
        let position = self.here().position;
        self.here().bound.insert(name, Atom::Var(result));
        let maker = self.facts.makers[&name];
        if let Some(push) = push
            && !self.counting
            && self.stored.insert((maker, name))
        {
            let store = Stmt::Store(self.arg(push), position, Atom::Var(result));
            self.here().block.push(store);
        }
    }

    pub(crate) fn monoid_of(&self, name: Ref) -> Monoid {
        let node = &self.cluster.nodes[self.facts.makers[&name]];
        let k = node.results.iter().position(|r| *r == name).unwrap_or(0);
        match &node.op {
            NodeOp::Reduce(monoids) => monoids[k],
            op => unreachable!("{op:?} is no reduction"),
        }
    }

    /// Nodes among the items that have a cursor: carried through the loop.
    pub(crate) fn carry_cursors(&mut self, items: &[usize]) -> Vec<Carried> {
        let mut carried = Vec::new();
        for node in self.with_offsets(items) {
            if has_cursor(&self.cluster.nodes[node]) {
                let before = self.cursors.at(node);
                let (var, result) = (self.builder.fresh(Ty::I64), self.builder.fresh(Ty::I64));
                let level = self.levels.len() - 1;
                let (base, init) = if self.by_threads() && level > 0 {
                    (Some(self.cursor(node, level)), Atom::Const(Const::I64(0)))
                } else {
                    (before.base, before.own)
                };
                self.cursors.put(node, Cursor { base, own: Atom::Var(var), amount: init });
                carried.push(Carried { node, before, var, init, result });
            }
        }
        carried
    }

    /// What a tile counts of a cursor that is chained, beside the cursor itself.
    pub(crate) fn count_tile(&mut self, carried: &Carried, outermost: bool) {
        let level = self.levels.len() - 1;
        if self.by_threads() && outermost {
            let amount = self.cursors.at(carried.node).amount;
            let total = self.accumulate(level, amount, Monoid::Add);
            self.totals.push((carried.node, 0, Atom::Var(total), Monoid::Add));
        }
    }

    /// How a cursor is carried through the loop around the innermost level.
    pub(crate) fn carry(&self, carried: &Carried) -> Carry {
        let &Carried { node, var, init, result, .. } = carried;
        let next = self.cursors.at(node).own;
        let monoid = (self.counting || self.by_threads()).then_some(Monoid::Add);
        let chained = self.by_threads() && self.levels.len() == 1;
        Carry { var, init, next, result, monoid, chained, restart: None }
    }

    /// After the loop: where a cursor stands.
    pub(crate) fn leave(&mut self, carried: &Carried) {
        let &Carried { node, before, result, .. } = carried;
        let level = self.levels.len() - 1;
        if self.by_threads() && level > 0 {
            self.cursors.put(node, before);
            self.advance(node, level, Atom::Var(result));
        } else {
            let own = Atom::Var(result);
            self.cursors.put(node, Cursor { own, ..before });
        }
    }

    /// Before the loop over a filter's space: where the lanes kept of this segment start.
    fn store_shape(&mut self, filter: usize) -> Atom<Arg> {
        let now = self.cursor(filter, self.levels.len() - 1);
        let position = self.here().position;
        if self.levels.len() > 1
            && let Some(push) = self.cluster.nodes[filter].pushes[1]
        {
            let store = Stmt::Store(self.arg(push), position, now);
            self.store_once(self.levels.len() - 1, vec![store]);
        }
        now
    }

    /// Makes a value that no item has made: a map in its level, a reduction by a loop.
    pub(crate) fn make_on_demand(&mut self, n: usize) {
        let node = &self.cluster.nodes[n];
        match node.op {
            NodeOp::Map => self.run_map(n),
            NodeOp::Reduce(_) => {
                let Some(parent) = self.cluster.parent(node.space) else {
                    unreachable!("a reduction over the root")
                };
                // The loop stands in the level of the result, before the loops now open in it.
                let space = node.space;
                let below = self.levels.split_off(self.level_of(parent) + 1);
                self.run_loop(&[n], space);
                self.levels.extend(below);
            }
            NodeOp::Scan(_) => self.own_item(n),
            NodeOp::Filter { .. } | NodeOp::Offsets | NodeOp::Scatter { .. } | NodeOp::Sort(_) => {
                unreachable!("{:?} is not made on demand", node.op)
            }
        }
    }

    /// The loop of a filter, with the maps of the lanes that it keeps.
    fn pack(&mut self, filter: usize, kept: Space, bounds: Bounds) {
        let Bounds { start: first, from, to } = bounds;
        let start = self.store_shape(filter);
        let node = &self.cluster.nodes[filter];
        let index = self.builder.fresh(Ty::I64);
        let (cursor, end) = (self.builder.fresh(Ty::I64), self.builder.fresh(Ty::I64));
        let cursors = self.carry_cursors(&self.kept_offsets(kept));
        let mut level = self.loop_level(node.space, index, first);
        self.levels.push(level);
        let own = self.levels.len() - 1;
        let keep = self.inline(node, own)[0];
        let lengths = self.kept_lengths(filter, own, keep);
        let starts = self.kept_starts_of(own, &lengths);
        for (m, len) in lengths {
            self.add_length(m, own, len);
        }
        level = Level::new(kept, Atom::Var(cursor), start);
        if own == 1 {
            level.index = Some(Atom::Var(cursor));
        }
        level.bound.insert(node.results[0], Atom::Var(index));
        self.levels.push(level);
        let mut stores = Vec::new();
        if let Some(push) = node.pushes[0] {
            stores.push((self.arg(push), Atom::Var(index)));
        }
        stores.extend(
            starts.into_iter().filter_map(|(push, at)| push.map(|push| (self.arg(push), at))),
        );
        let mut harmless = true;
        for n in self.kept_maps(kept) {
            self.run_map(n);
            let map = &self.cluster.nodes[n];
            harmless &= !map.code.has_effect();
            for (result, push) in map.results.iter().zip(&map.pushes) {
                if let Some(push) = push {
                    let value = self.levels[own + 1].bound[result];
                    stores.push((self.arg(*push), value));
                }
            }
        }
        let inner = self.pop_level().block;
        let mut level = self.pop_level();
        level.carried.extend(cursors.iter().map(|cursor| self.carry(cursor)));
        let stmt = if level.carried.is_empty() {
            let (mut body, mut kept) = (level.block, inner);
            if harmless && is_cheap(&kept, cursor) {
                // Computed for all lanes, so that nothing in the loop branches.
                body.append(&mut kept);
            }
            Stmt::Pack { index, from, to, body, keep, cursor, start, kept, stores, end }
        } else {
            // A pack carries nothing but its cursor: with scans it is a loop with guarded stores.
            let at = Atom::Var(cursor);
            let stores = stores.into_iter().map(|(arg, value)| Stmt::Store(arg, at, value));
            let guarded = inner.into_iter().chain(stores).collect();
            level.block.push(Stmt::If(keep, guarded, Vec::new()));
            self.levels.push(level);
            let one = self.op_in(own, ScalarOp::Btoi, &[keep]);
            let next = self.op_in(own, ScalarOp::Add, &[at, one]);
            let Level { block: body, mut carried, .. } = self.pop_level();
            let (monoid, chained) = (None, false);
            carried.push(Carry {
                var: cursor,
                init: start,
                next,
                result: end,
                monoid,
                chained,
                restart: None,
            });
            Stmt::For { index, from, to, carried, body, way: Way::Serial }
        };
        self.here().block.push(stmt);
        self.cursors.set(filter, Atom::Var(end));
        cursors.iter().for_each(|cursor| self.leave(cursor));
    }

    /// The level of a loop over a space below the innermost level.
    fn loop_level(&self, space: Space, index: scalar::Var, start: Atom<Arg>) -> Level {
        let outer = self.levels.len() == 1;
        let mut level = Level::new(space, Atom::Var(index), start);
        level.index = outer.then_some(Atom::Var(index));
        level
    }

    pub(crate) fn pop_level(&mut self) -> Level {
        self.levels.pop().unwrap_or_else(|| unreachable!("a level was pushed"))
    }
}

/// Whether a statement can run in any lane: it cannot fail and reads nothing but the own lane's.
fn is_harmless_at(stmt: &Stmt, index: Atom<Arg>, ty: &impl Fn(Atom<Arg>) -> Option<Ty>) -> bool {
    match stmt {
        Stmt::Scalar(scalar::Stmt::Let(_, scalar::Op::Read(_, at))) => *at == index,
        Stmt::Scalar(stmt @ scalar::Stmt::Let(..)) => !stmt.has_effect(ty),
        _ => false,
    }
}

/// A cursor that is carried through a loop.
pub(crate) struct Carried {
    node: usize,
    /// Where it stood before the loop.
    before: Cursor,
    var: scalar::Var,
    init: Atom<Arg>,
    result: scalar::Var,
}

/// Whether statements are a few operations and reads that do not need the cursor.
fn is_cheap(block: &[Stmt], cursor: scalar::Var) -> bool {
    const FEW: usize = 8;
    block.len() <= FEW
        && block.iter().all(|s| match s {
            Stmt::Scalar(s @ scalar::Stmt::Let(..)) => !s.atoms().contains(&Atom::Var(cursor)),
            _ => false,
        })
}

/// Whether a loop body has no loops, calls or guarded stores.
pub(crate) fn is_simd(block: &[Stmt]) -> bool {
    block.iter().all(|s| match s {
        Stmt::Scalar(s) => is_simd_scalar(s),
        Stmt::Store(..) | Stmt::Positions(_) => true,
        Stmt::If(..)
        | Stmt::Raise(..)
        | Stmt::For { .. }
        | Stmt::Pack { .. }
        | Stmt::Partial(..)
        | Stmt::Chain { .. }
        | Stmt::Owner { .. }
        | Stmt::Owners(_)
        | Stmt::Ends(_)
        | Stmt::Rows(_)
        | Stmt::Barrier
        | Stmt::Combine(_)
        | Stmt::Scan(_) => false,
    })
}

fn is_simd_scalar(stmt: &scalar::Stmt<Arg>) -> bool {
    match stmt {
        scalar::Stmt::Let(..) | scalar::Stmt::Require { .. } => true,
        scalar::Stmt::If { then, els, .. } => {
            then.stmts.iter().all(is_simd_scalar) && els.stmts.iter().all(is_simd_scalar)
        }
        scalar::Stmt::Loop { .. } | scalar::Stmt::Call(_) => false,
    }
}
