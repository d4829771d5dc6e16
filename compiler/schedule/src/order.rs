//! Items: which there are, and in which order and in which loops they happen.
//!
//! An item waits for what other items make, unless it runs in the same loop and gets it there lane
//! by lane.  The first item in the order of the cluster never waits; so there is always one that
//! can happen.  A filter is an item together with the maps of the lanes that it keeps; when it
//! stores, it has a loop of its own, in which everything of its lane is computed anew.

use crate::scheduler::Scheduler;
use plan::{Node, NodeOp, Ref, RefKind, Space};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

impl Scheduler<'_> {
    /// The nodes that happen even if no other needs them, and the reductions that they need, which
    /// then share a loop instead of being made on demand one by one.
    pub(crate) fn all_items(&self, wanted: impl Fn(&Node) -> bool) -> Vec<usize> {
        let nodes = &self.cluster.nodes;
        let mut todo: Vec<usize> = (0..nodes.len()).filter(|&n| wanted(&nodes[n])).collect();
        let mut items: BTreeSet<usize> = todo.iter().copied().collect();
        while let Some(n) = todo.pop() {
            // What a filter needs of its own lanes is made in its own loop.
            let own = self.is_pack(n).then_some(nodes[n].space);
            let here = |home| own.is_none_or(|own| !self.facts.is_within(home, own));
            let is_item = |maker: usize, home: Space| {
                matches!(nodes[maker].op, NodeOp::Reduce(_)) && here(home)
            };
            // What an item needs is looked for when its turn comes.
            for (maker, home) in self.producers(n, is_item) {
                if is_item(maker, home) && items.insert(maker) {
                    todo.push(maker);
                }
            }
        }
        items.into_iter().collect()
    }

    /// Whether a node happens even if no other needs it.  Maps of kept lanes come with their
    /// filter.
    pub(crate) fn must_happen(&self, node: &Node) -> bool {
        let kept = self.cluster.spaces[node.space].from.is_some();
        let filter = matches!(node.op, NodeOp::Filter { .. });
        filter || (!kept && has_purpose(node))
    }

    /// The maps that store something of, or check, the lanes that a filter keeps.
    pub(crate) fn kept_maps(&self, kept: Space) -> Vec<usize> {
        let nodes = &self.cluster.nodes;
        let chosen = |&n: &usize| matches!(nodes[n].op, NodeOp::Map) && has_purpose(&nodes[n]);
        self.facts.nodes_of[kept].iter().copied().filter(chosen).collect()
    }

    /// The offsets of segments that the lanes have that a filter keeps.
    pub(crate) fn kept_offsets(&self, kept: Space) -> Vec<usize> {
        let chosen = |&n: &usize| matches!(self.cluster.nodes[n].op, NodeOp::Offsets);
        self.facts.nodes_of[kept].iter().copied().filter(chosen).collect()
    }

    /// Items, and the offsets over the lanes that filters among them keep.
    pub(crate) fn with_offsets(&self, items: &[usize]) -> Vec<usize> {
        let mut all = items.to_vec();
        for &n in items {
            if let NodeOp::Filter { kept } = self.cluster.nodes[n].op {
                all.extend(self.kept_offsets(kept));
            }
        }
        all
    }

    /// Whether a node is a filter that stores what it keeps in a loop of its own.
    pub(crate) fn is_pack(&self, n: usize) -> bool {
        let filter = matches!(self.cluster.nodes[n].op, NodeOp::Filter { .. });
        filter && !self.counting && !self.by_threads() && !self.joins(n)
    }

    /// Whether a filter shares a loop with others.  With one tile, what it keeps may be stored
    /// before it is known whether it is kept: the next lane's store comes to the same place, and
    /// there is room, as no more lanes are kept than there are.
    fn joins(&self, n: usize) -> bool {
        const FEW: usize = 8;
        let NodeOp::Filter { kept } = self.cluster.nodes[n].op else { return false };
        let simple = |m: usize| {
            let code = &self.cluster.nodes[m].code;
            code.body.stmts.len() <= FEW
                && code.body.stmts.iter().all(|s| matches!(s, scalar::Stmt::Let(..)))
                && !code.has_effect()
                && self.reads_only_own(code, kept)
        };
        self.serial
            && self.kept_offsets(kept).is_empty()
            && self.kept_maps(kept).into_iter().all(simple)
    }

    /// Whether code over kept lanes uses their positions only to read what was made for them.
    fn reads_only_own(&self, code: &plan::Code, kept: Space) -> bool {
        let own = &code.params[code.params.len() - 2..];
        let is_own = |a: plan::Operand| own.iter().any(|&p| a == scalar::Atom::Var(p));
        let local = |r: Ref| self.cluster.refs[r].kind == RefKind::Local(kept);
        let fine = code.body.stmts.iter().all(|stmt| match stmt {
            scalar::Stmt::Let(_, scalar::Op::Read(vector, _)) if local(*vector) => true,
            stmt => !stmt.atoms().into_iter().any(is_own),
        });
        fine && !code.body.yields.iter().any(|&y| is_own(y))
    }

    /// Runs items in the innermost open level, whose space is `space`, and in loops below it.
    pub(crate) fn items(&mut self, items: &[usize], space: Space) {
        let mut left: BTreeSet<usize> = items.iter().copied().collect();
        while !left.is_empty() {
            let own = left.iter().copied().find(|&n| {
                self.cluster.nodes[n].space == space
                    && self.is_ready(n, space, &BTreeSet::new(), &left)
            });
            if let Some(n) = own {
                self.own_item(n);
                left.remove(&n);
                continue;
            }
            let together = self.next_loop(&left, space);
            let child = self.step(space, self.cluster.nodes[together[0]].space);
            together.iter().for_each(|n| {
                left.remove(n);
            });
            self.run_loop(&together, child);
        }
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

    /// The items that the next loop below `space` takes: the first that is ready, and all others
    /// that can run with it.
    fn next_loop(&self, left: &BTreeSet<usize>, space: Space) -> Vec<usize> {
        let below = |n: usize| self.cluster.nodes[n].space != space;
        let child_of = |n: usize| self.step(space, self.cluster.nodes[n].space);
        let first = left
            .iter()
            .copied()
            .find(|&n| below(n) && self.is_ready(n, child_of(n), &BTreeSet::from([n]), left))
            .unwrap_or_else(|| unreachable!("no item of {} is ready", self.cluster.name));
        let child = child_of(first);
        let alone = |n: usize| self.is_pack(n) && self.cluster.nodes[n].space == child;
        if alone(first) {
            return vec![first];
        }
        let mut taken = BTreeSet::new();
        for &n in left {
            let inside = self.facts.is_within(self.cluster.nodes[n].space, child);
            if inside && !alone(n) && self.is_ready(n, child, &taken, left) {
                taken.insert(n);
            }
        }
        taken.into_iter().collect()
    }

    /// Whether an item can run in or below the level of `space` together with the items `taken`,
    /// when those `left` have not happened yet.  What no item makes is made on demand.
    fn is_ready(
        &self,
        n: usize,
        space: Space,
        taken: &BTreeSet<usize>,
        left: &BTreeSet<usize>,
    ) -> bool {
        let waits = |maker: usize| {
            let op = &self.cluster.nodes[maker].op;
            matches!(op, NodeOp::Reduce(_) | NodeOp::Scan(_)) && left.contains(&maker)
        };
        // Made inside the loop, lane by lane.
        let inside = |home| self.facts.is_within(home, space);
        if self.is_pack(n) && self.cluster.nodes[n].space == space {
            let all = self.producers(n, |_, _| false);
            return all.into_iter().all(|(maker, home)| !waits(maker) || inside(home));
        }
        // What is taken waits for nothing else: only the nearest must be looked at.
        let nearest = self.producers(n, |maker, _| waits(maker));
        nearest
            .into_iter()
            .all(|(maker, home)| !waits(maker) || (inside(home) && taken.contains(&maker)))
    }

    /// The nodes that make what a node needs, directly or not, as far as it is not bound in an open
    /// level, with the spaces of the values.  What is behind those for which `ends` holds is left
    /// out.
    fn producers(&self, n: usize, ends: impl Fn(usize, Space) -> bool) -> Vec<(usize, Space)> {
        let mut todo = self.inputs(n);
        let mut seen = FxHashSet::default();
        let mut makers = Vec::new();
        while let Some(name) = todo.pop() {
            let RefKind::Local(home) = self.cluster.refs[name].kind else { continue };
            if self.is_bound(name, home) || !seen.insert(name) {
                continue;
            }
            let maker = self.facts.makers[&name];
            if !matches!(self.cluster.nodes[maker].op, NodeOp::Filter { .. }) {
                makers.push((maker, home));
                if !ends(maker, home) {
                    todo.extend(self.local_reads(maker));
                }
            }
        }
        makers
    }

    /// Whether a value is known in the level of its space.
    fn is_bound(&self, name: Ref, home: Space) -> bool {
        let level = self.levels.of(home);
        level.is_some_and(|level| self.levels[level].bound.contains_key(&name))
    }

    /// The local names that an item uses.
    fn inputs(&self, n: usize) -> Vec<Ref> {
        let mut names = self.local_reads(n).to_vec();
        if let NodeOp::Filter { kept } = self.cluster.nodes[n].op
            && !self.counting
        {
            for m in self.kept_maps(kept) {
                names.extend(self.local_reads(m));
            }
        }
        names
    }

    /// The local names that the code of a node uses.
    pub(crate) fn local_reads(&self, n: usize) -> &[Ref] {
        &self.facts.reads[n]
    }
}

/// Whether a node stores something, or may fail.
pub(crate) fn has_purpose(node: &Node) -> bool {
    node.pushes.iter().any(Option::is_some) || node.code.has_effect()
}

/// Whether a node counts through all lanes.
pub(crate) fn has_cursor(node: &Node) -> bool {
    matches!(node.op, NodeOp::Filter { .. } | NodeOp::Offsets)
}
