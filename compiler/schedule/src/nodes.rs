//! Items: in which order they happen, and what each adds to its level.

use crate::level::Level;
use crate::scheduler::Scheduler;
use kernel::{Arg, Carry, Stmt};
use plan::{Node, NodeOp, Ref, RefKind, Space};
use prim::{Const, Monoid, ScalarOp, Ty};
use scalar::Atom;
use std::collections::BTreeSet;

impl Scheduler<'_> {
    /// Runs items in the innermost open level, whose space is `space`, and in loops below it.
    pub(crate) fn items(&mut self, items: &[usize], space: Space) {
        let mut left: Vec<usize> = items.to_vec();
        while !left.is_empty() {
            let own = left.iter().copied().find(|&n| {
                self.cluster.nodes[n].space == space
                    && self.is_own(n)
                    && self.is_ready(n, space, &BTreeSet::new(), &left)
            });
            if let Some(n) = own {
                self.own_item(n);
                left.retain(|&m| m != n);
                continue;
            }
            let together = self.next_loop(&left, space);
            left.retain(|n| !together.contains(n));
            let first = self.cluster.nodes[together[0]].space;
            let child = self.step(space, first);
            self.run_loop(&together, child);
        }
    }

    /// Whether a node happens in the level of its space itself, not in a loop over it.
    fn is_own(&self, n: usize) -> bool {
        // Inside a level of its space, everything but a map still open to be looped over was
        // reached through `run_loop`, which opened the level.
        !matches!(self.cluster.nodes[n].op, NodeOp::Filter { .. }) || self.counting
    }

    /// The child of `from` on the way to `to`.
    fn step(&self, from: Space, to: Space) -> Space {
        let mut at = to;
        while let Some(parent) = self.cluster.parent(at) {
            if parent == from {
                return at;
            }
            at = parent;
        }
        unreachable!("{to} is not below {from}")
    }

    /// The space in whose loop a node runs: its own, for kept lanes that of the filter's source.
    fn loop_space(&self, n: usize) -> Space {
        let space = self.cluster.nodes[n].space;
        self.cluster.spaces[space].from.unwrap_or(space)
    }

    /// The items that the next loop below `space` can take: the first, and all that are ready.
    fn next_loop(&self, left: &[usize], space: Space) -> Vec<usize> {
        let is_filter =
            |n: usize| matches!(self.cluster.nodes[n].op, NodeOp::Filter { .. }) && !self.counting;
        let first = left
            .iter()
            .copied()
            .find(|&n| {
                let child = self.step(space, self.loop_space(n));
                let others: &[usize] = if is_filter(n) { &[] } else { left };
                self.is_ready(n, child, &std::iter::once(n).collect(), others)
            })
            .unwrap_or_else(|| unreachable!("no item of {} is ready", self.cluster.name));
        let child = self.step(space, self.loop_space(first));
        // A filter of the child space has a loop to itself and the maps of kept lanes.
        if is_filter(first) && self.cluster.nodes[first].space == child {
            let NodeOp::Filter { kept } = self.cluster.nodes[first].op else {
                unreachable!("not a filter")
            };
            let mut together = vec![first];
            together.extend(left.iter().filter(|&&n| self.cluster.nodes[n].space == kept));
            return together;
        }
        let mut taken = BTreeSet::new();
        let mut together = Vec::new();
        for &n in left {
            let node = &self.cluster.nodes[n];
            let below = self.cluster.chain(self.loop_space(n)).contains(&child);
            let kept = self.cluster.spaces[node.space].from == Some(child);
            let alone = (is_filter(n) && node.space == child) || (kept && !self.counting);
            if below && !alone && self.is_ready(n, child, &taken, left) {
                taken.insert(n);
                together.push(n);
            }
        }
        together
    }

    /// Whether all that an item needs is there, when it runs in or below the level of `space`
    /// together with the items `taken`.  What items still `left` make is waited for; anything else
    /// is made on demand.
    fn is_ready(&self, n: usize, space: Space, taken: &BTreeSet<usize>, left: &[usize]) -> bool {
        let mut todo = self.inputs(n);
        let mut seen = BTreeSet::new();
        while let Some(name) = todo.pop() {
            if !seen.insert(name) || self.levels.iter().any(|l| l.bound.contains_key(&name)) {
                continue;
            }
            let maker = self.makers[&name];
            let node = &self.cluster.nodes[maker];
            let home = match self.cluster.refs[name].kind {
                RefKind::Local(home) => home,
                RefKind::Param => continue,
            };
            match node.op {
                NodeOp::Map => todo.extend(self.inputs(maker)),
                NodeOp::Filter { .. } => {} // its kept maps stand with it
                _ => {
                    // Made by a loop at or below `space`, and bound inside it.
                    let inside = self.cluster.chain(home).contains(&space);
                    let waits = left.contains(&maker) && !taken.contains(&maker);
                    if waits || !inside {
                        return false;
                    }
                    todo.extend(self.inputs(maker));
                }
            }
        }
        true
    }

    /// The local names that a node's code uses.
    fn inputs(&self, n: usize) -> Vec<Ref> {
        let refs = self.cluster.nodes[n].code.refs();
        refs.vectors
            .into_iter()
            .chain(refs.outers)
            .filter(|r| matches!(self.cluster.refs[*r].kind, RefKind::Local(_)))
            .collect()
    }

    /// What a node adds to the level of its space.
    fn own_item(&mut self, n: usize) {
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
            NodeOp::Filter { .. } => self.count_kept(n, level),
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
        for (result, push) in node.results.iter().zip(&node.pushes) {
            if let Some(push) = push {
                let value = self.levels[level].bound[result];
                let store = Stmt::Store(self.arg(*push), position, value);
                self.levels[level].block.push(store);
            }
        }
    }

    fn reduce(&mut self, n: usize, level: usize, monoids: &[Monoid]) {
        let node = &self.cluster.nodes[n];
        let values = self.inline(node, level);
        for (k, (&value, &monoid)) in values.iter().zip(monoids).enumerate() {
            let result = self.accumulate(level, value, monoid);
            self.levels[level].reduced.push((node.results[k], node.pushes[k], result));
        }
    }

    /// Combines a value of each lane; gives the variable that holds the result after the loop.
    fn accumulate(&mut self, level: usize, value: Atom<Arg>, monoid: Monoid) -> scalar::Var {
        let ty = self.builder.ty(value);
        let init = Atom::Const(monoid.identity(ty));
        let (var, result) = (self.builder.fresh(ty), self.builder.fresh(ty));
        let next = self.op_in(level, monoid.op(), &[Atom::Var(var), value]);
        let carry = Carry { var, init, next, result, monoid: Some(monoid) };
        self.levels[level].carried.push(carry);
        result
    }

    fn scan(&mut self, n: usize, level: usize, monoids: &[Monoid]) {
        let node = &self.cluster.nodes[n];
        let values = self.inline(node, level);
        let outer = self.cluster.chain(node.space).len() == 1;
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
                _ => Atom::Const(monoid.identity(ty)),
            };
            let (var, result) = (self.builder.fresh(ty), self.builder.fresh(ty));
            self.levels[level].bound.insert(node.results[k], Atom::Var(var));
            let next = self.op_in(level, monoid.op(), &[Atom::Var(var), value]);
            let carry = Carry { var, init, next, result, monoid: None };
            self.levels[level].carried.push(carry);
        }
        self.push_results(n, level);
    }

    fn offsets(&mut self, n: usize, level: usize) {
        let node = &self.cluster.nodes[n];
        let len = self.inline(node, level)[0];
        let now = self.cursors.get(n);
        if !self.counting
            && let Some(push) = node.pushes[0]
        {
            let store = Stmt::Store(self.arg(push), self.levels[level].position, now);
            self.levels[level].block.push(store);
        }
        let next = self.op_in(level, ScalarOp::Add, &[now, len]);
        self.cursors.set(n, next);
    }

    /// Before the chain, a filter only counts.
    fn count_kept(&mut self, n: usize, level: usize) {
        let node = &self.cluster.nodes[n];
        let keep = self.inline(node, level)[0];
        let one = self.op_in(level, ScalarOp::Btoi, &[keep]);
        let now = self.cursors.get(n);
        let next = self.op_in(level, ScalarOp::Add, &[now, one]);
        self.cursors.set(n, next);
    }

    fn scatter(&mut self, n: usize, level: usize) {
        let node = &self.cluster.nodes[n];
        let NodeOp::Scatter { ordered, .. } = node.op else { unreachable!("not a scatter") };
        let yields = self.inline(node, level);
        let (at, values) = (yields[0], &yields[1..]);
        let inside = if ordered {
            let [_, low, high] = self.tile;
            let above = self.op_in(level, ScalarOp::Ge, &[at, Atom::Var(low)]);
            let below = self.op_in(level, ScalarOp::Lt, &[at, Atom::Var(high)]);
            self.op_in(level, ScalarOp::And, &[above, below])
        } else {
            self.op_in(level, ScalarOp::Ge, &[at, Atom::Const(Const::I64(0))])
        };
        let stores = node
            .pushes
            .iter()
            .zip(values)
            .filter_map(|(push, &value)| push.map(|p| Stmt::Store(self.arg(p), at, value)))
            .collect();
        self.levels[level].block.push(Stmt::If(inside, stores, Vec::new()));
    }

    /// A loop over a space below the innermost level, with these items in it.
    fn run_loop(&mut self, items: &[usize], space: Space) {
        let (from, to) = self.loop_bounds(space);
        let first = &self.cluster.nodes[items[0]];
        if let NodeOp::Filter { kept } = first.op
            && first.space == space
            && !self.counting
        {
            self.pack(items, space, kept, from, to);
            return;
        }
        self.store_shapes(items, space);
        let index = self.builder.fresh(Ty::I64);
        let cursors = self.carry_cursors(items);
        let start = if self.levels.len() == 1 { Atom::Const(Const::I64(0)) } else { from };
        let mut level = Level::new(space, Atom::Var(index), start);
        if self.levels.len() == 1 {
            level.index = Some(Atom::Var(index));
        }
        self.levels.push(level);
        self.items(items, space);
        let level = self.levels.pop().unwrap_or_else(|| unreachable!("a level was pushed"));
        let mut carried = level.carried;
        for (n, var, init, result) in cursors {
            let next = self.cursors.get(n);
            let monoid = self.counting.then_some(Monoid::Add);
            carried.push(Carry { var, init, next, result, monoid });
            self.cursors.set(n, Atom::Var(result));
        }
        // Short inner loops that gather run faster one element after the other.
        let gathers = self.levels.len() > 1 && crate::gather::gathers(&level.block, index);
        let simd =
            !gathers && is_simd(&level.block) && carried.iter().all(|c| c.monoid.is_some());
        self.here().block.push(Stmt::For { index, from, to, carried, body: level.block, simd });
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
        let maker = self.makers[&name];
        if let Some(push) = push
            && !self.counting
            && self.stored.insert((maker, name))
        {
            let store = Stmt::Store(self.arg(push), position, Atom::Var(result));
            self.here().block.push(store);
        }
    }

    fn monoid_of(&self, name: Ref) -> Monoid {
        let node = &self.cluster.nodes[self.makers[&name]];
        let k = node.results.iter().position(|r| *r == name).unwrap_or(0);
        match &node.op {
            NodeOp::Reduce(monoids) => monoids[k],
            op => unreachable!("{op:?} is no reduction"),
        }
    }

    /// Nodes among the items that have a cursor: carried through the loop.
    fn carry_cursors(
        &mut self,
        items: &[usize],
    ) -> Vec<(usize, scalar::Var, Atom<Arg>, scalar::Var)> {
        let mut carried = Vec::new();
        for &n in items {
            if has_cursor(&self.cluster.nodes[n]) {
                let init = self.cursors.get(n);
                let (var, result) = (self.builder.fresh(Ty::I64), self.builder.fresh(Ty::I64));
                self.cursors.set(n, Atom::Var(var));
                carried.push((n, var, init, result));
            }
        }
        carried
    }

    /// Before the loop over a filter's space: where the lanes kept of this segment start.
    fn store_shapes(&mut self, items: &[usize], space: Space) {
        if self.counting || self.levels.len() == 1 {
            return;
        }
        for &n in items {
            let node = &self.cluster.nodes[n];
            if node.space == space && matches!(node.op, NodeOp::Filter { .. }) {
                let now = self.cursors.get(n);
                let position = self.here().position;
                if let Some(push) = node.pushes[1] {
                    let store = Stmt::Store(self.arg(push), position, now);
                    self.here().block.push(store);
                }
            }
        }
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
                debug_assert_eq!(self.here().space, parent, "a reduction is made in its level");
                let space = node.space;
                self.run_loop(&[n], space);
            }
            NodeOp::Scan(_) => self.own_item(n),
            NodeOp::Filter { .. } | NodeOp::Offsets | NodeOp::Scatter { .. } | NodeOp::Sort(_) => {
                unreachable!("{:?} is not made on demand", node.op)
            }
        }
    }

    /// The loop of a filter, with the maps of the lanes that it keeps.
    fn pack(&mut self, items: &[usize], space: Space, kept: Space, from: Atom<Arg>, to: Atom<Arg>) {
        self.store_shapes(items, space);
        let filter = items[0];
        let node = &self.cluster.nodes[filter];
        let index = self.builder.fresh(Ty::I64);
        let (cursor, end) = (self.builder.fresh(Ty::I64), self.builder.fresh(Ty::I64));
        let outer = self.levels.len() == 1;
        let start = if outer { Atom::Const(Const::I64(0)) } else { from };
        let mut level = Level::new(space, Atom::Var(index), start);
        if outer {
            level.index = Some(Atom::Var(index));
        }
        self.levels.push(level);
        let own = self.levels.len() - 1;
        let keep = self.inline(node, own)[0];
        // What kept lanes need of their source lanes is computed in these.
        for &n in &items[1..] {
            for name in self.inputs(n) {
                if self.cluster.refs[name].kind == RefKind::Local(space) {
                    self.pull(name);
                }
            }
        }
        let mut inner = Level::new(kept, Atom::Var(cursor), Atom::Const(Const::I64(0)));
        inner.bound.insert(node.results[0], Atom::Var(index));
        self.levels.push(inner);
        let mut stores = Vec::new();
        if let Some(push) = node.pushes[0] {
            stores.push((self.arg(push), Atom::Var(index)));
        }
        for &n in &items[1..] {
            self.run_map(n);
            let map = &self.cluster.nodes[n];
            for (result, push) in map.results.iter().zip(&map.pushes) {
                if let Some(push) = push {
                    let value = self.levels[own + 1].bound[result];
                    stores.push((self.arg(*push), value));
                }
            }
        }
        let inner = self.levels.pop().map(|l| l.block).unwrap_or_default();
        let body = self.levels.pop().map(|l| l.block).unwrap_or_default();
        let start = self.cursors.get(filter);
        let stmt =
            Stmt::Pack { index, from, to, body, keep, cursor, start, kept: inner, stores, end };
        self.here().block.push(stmt);
        self.cursors.set(filter, Atom::Var(end));
    }
}

/// Whether a node counts through all lanes.
pub(crate) fn has_cursor(node: &Node) -> bool {
    matches!(node.op, NodeOp::Filter { .. } | NodeOp::Offsets)
}

/// Whether a loop body has no loops, calls or guarded stores.
fn is_simd(block: &[Stmt]) -> bool {
    block.iter().all(|s| match s {
        Stmt::Scalar(s) => is_simd_scalar(s),
        Stmt::Store(..) | Stmt::Positions(_) => true,
        Stmt::If(..)
        | Stmt::For { .. }
        | Stmt::Pack { .. }
        | Stmt::Partial(..)
        | Stmt::Chain { .. } => false,
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
