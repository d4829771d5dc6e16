//! What may run as one cluster, and in which order: every rule of fusion is here, once.
//!
//! Both ways to partition a graph ([`crate::greedy`], [`crate::optimal`]) ask this file, and the
//! reasons that drawings give ([`crate::explain`]) are its answers.
//!
//! # Edges
//!
//! A consumer in the cluster of its producer pulls elements while a lane runs, or cannot be there.
//! How near it can be says an [`Edge`]; the farthest of all the ways in which it uses the
//! producer's results counts.
//!
//! | producer           | consumer                  | what it uses                     | edge   |
//! |--------------------|---------------------------|----------------------------------|--------|
//! | map, reduce, scan  | any                       | own position, or an ancestor's   | own    |
//! | map, reduce, scan  | any over kept lanes       | where its lane was kept from     | kept   |
//! | map, reduce, scan  | any                       | other positions, scalars         | memory |
//! | filter             | map of what it keeps      | positions and shape of its lanes | kept   |
//! | filter             | offsets of what it keeps  | lengths known before they move   | kept   |
//! | filter             | any other                 | anything                         | memory |
//! | offsets, scatter   | any                       | anything                         | memory |
//! | sort, join, call … | any                       | anything                         | memory |
//! | any                | write                     | the base that it overwrites      | memory |
//! | a host's check     | what may fail             | nothing: the order counts        | memory |
//!
//! *Own* edges are fusible in every cluster that both can be in.  *Kept* ones are where the
//! consumer runs with the filter of its lanes.  *Memory* edges are not: the producer's cluster runs
//! before.
//!
//! # Pairs
//!
//! Two statements without such an edge can be in one cluster unless
//!
//! * one of them **stands alone**: sorts, calls, branches, joins, literals, failures, and what the
//!   host does itself;
//! * they work over different **outer spaces**; lanes that a filter keeps count as its source's for
//!   statements that run with the filter;
//! * both are **chain** statements and one needs what the other gives, other than offsets with the
//!   filter of their lanes: a prefix over earlier lanes is known only when these are through;
//! * one reads the **base** that the other overwrites: a base is copied before the launch, or its
//!   memory is taken over, and a cluster that fails finds its inputs as they were;
//! * one is a scatter, whose loop is not vectorised, and one computes **heavy** functions
//!   (elementary ones), which are fast in vectors only;
//! * the first is an **ordered** write (of several to one position the last lane's stays): every
//!   unit of the machine runs all its lanes and stores what falls into its own part;
//! * the second is an ordered write and the first no map: for the same reason.
//!
//! # Clusters
//!
//! One rule is about all statements of a cluster: those with an ordered write are maps for it
//! alone, and do little together ([`LITTLE`]), since every unit does all of it.
//!
//! # Order
//!
//! The cluster of the second does not run before that of the first, if
//!
//! * the second uses what the first makes;
//! * the first reads the base that the second overwrites;
//! * the first may fail, and the host checks afterwards what the second did (a permutation), or
//!   runs the second itself: of two errors the first is told.

use crate::bits::Bits;
use crate::graph::{Graph, GraphNode};
use crate::greedy::Groups;
use crate::scatter;
use flat::{Op, Space};
use std::collections::BTreeSet;

pub(crate) use crate::scatter::LITTLE;

/// How a consumer gets at what a producer makes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Edge {
    /// At positions of its own lane: pulled wherever both run.
    Own,
    /// At the position that a filter kept: pulled where the consumer runs with its filter.
    Kept,
    /// Anywhere: only from memory.
    Memory,
}

/// How close any consumer can be to a producer, by the table; `keeps` says that the producer is a
/// filter and the consumer can run where it keeps a lane.
pub(crate) fn nearest(producer: &Op, keeps: bool) -> Edge {
    match producer {
        Op::Map { .. } | Op::Reduce { .. } | Op::Scan { .. } => Edge::Own,
        Op::Filter { .. } if keeps => Edge::Kept,
        Op::Filter { .. }
        | Op::Offsets { .. }
        | Op::Scatter { .. }
        | Op::Sort { .. }
        | Op::Fail { .. }
        | Op::Literal(..)
        | Op::Join(_)
        | Op::Behind { .. }
        | Op::Grow { .. }
        | Op::Call(..)
        | Op::If(..) => Edge::Memory,
    }
}

/// Whether a statement can share a cluster at all.
pub(crate) fn shares(op: &Op) -> bool {
    match op {
        Op::Map { .. }
        | Op::Reduce { .. }
        | Op::Scan { .. }
        | Op::Filter { .. }
        | Op::Offsets { .. }
        | Op::Scatter { .. } => true,
        Op::Sort { .. }
        | Op::Fail { .. }
        | Op::Literal(..)
        | Op::Join(_)
        | Op::Behind { .. }
        | Op::Grow { .. }
        | Op::Call(..)
        | Op::If(..) => false,
    }
}

/// Why statements are not in one cluster.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Why {
    /// One of them stands alone.
    Alone,
    /// They work over different spaces.
    Spaces,
    /// The second needs elements of the first that are not its own.
    Memory,
    /// One is over kept lanes and would have to run with their filter, but does not.
    Kept,
    /// Both need all lanes before, and one needs the other.
    Chain,
    /// One overwrites what the other reads.
    Base,
    /// Functions that are fast in vectors only, and a scatter.
    Heavy,
    /// An ordered write, of which every unit runs all lanes.
    Ordered,
    /// What one cluster would need runs after it.
    Order,
    /// They could be, but it would cost more.
    Cost,
    /// Nothing is fused.
    Off,
}

impl Why {
    /// The reason as a sentence without a full stop.
    pub fn words(self) -> &'static str {
        match self {
            Why::Alone => "one of them is a step of its own",
            Why::Spaces => "they work over different spaces",
            Why::Memory => "it is needed as a whole, or at positions of other lanes",
            Why::Kept => "kept lanes run with others only where their filter does",
            Why::Chain => "both need all lanes before them, and one needs what the other gives",
            Why::Base => "one overwrites what the other reads",
            Why::Heavy => "elementary functions run in vectors, which a scatter does not",
            Why::Ordered => "every unit runs all lanes of an ordered write, and little else",
            Why::Order => "something that needs the one and makes what the other needs is between",
            Why::Off => "fusion is off",
            Why::Cost => "together they would cost more elsewhere",
        }
    }
}

/// For each of two statements, whether it must run with the filter of its lanes for both to be in
/// one cluster.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Needs {
    pub(crate) first: bool,
    pub(crate) second: bool,
}

/// A graph with what its rules need to know.
pub(crate) struct Legal<'g, 'a> {
    pub(crate) graph: &'g Graph<'a>,
    facts: Vec<Facts>,
}

struct Facts {
    /// The filter that it can run with.
    filter: Option<usize>,
    /// Chain statements that its inputs depend on, that filter itself aside.
    chains: Bits,
    /// Statements before it whose clusters do not run after its own.
    after: Vec<usize>,
    scatter: bool,
    ordered: bool,
    heavy: bool,
    /// Whether and how much it may do with an ordered write.
    little: Option<usize>,
}

impl<'g, 'a> Legal<'g, 'a> {
    pub(crate) fn new(graph: &'g Graph<'a>) -> Legal<'g, 'a> {
        let count = graph.nodes.len();
        // Chain statements that a statement or its inputs are.
        let mut chains: Vec<Bits> = Vec::new();
        let mut facts = Vec::new();
        for (n, node) in graph.nodes.iter().enumerate() {
            let filter = filter(graph, node);
            let behind = |known: Option<usize>| {
                let mut all = Bits::new(count);
                let inputs = node.edges.iter().map(|e| e.0).filter(|&p| Some(p) != known);
                inputs.for_each(|p| all.add(&chains[p]));
                all
            };
            facts.push(Facts {
                filter,
                chains: if node.chain { behind(filter) } else { Bits::new(0) },
                after: after(graph, n),
                scatter: matches!(node.stmt.op, Op::Scatter { .. }),
                ordered: scatter::is_ordered(node.stmt),
                heavy: scatter::is_heavy(node.stmt),
                little: scatter::work_in_all_units(node.stmt),
            });
            let mut all = behind(None);
            if node.chain {
                all.insert(n);
            }
            chains.push(all);
        }
        Legal { graph, facts }
    }

    /// The filter that a statement can run with.
    pub(crate) fn filter(&self, n: usize) -> Option<usize> {
        self.facts[n].filter
    }

    /// Statements before `n` whose clusters must not run after its own.
    pub(crate) fn after(&self, n: usize) -> &[usize] {
        &self.facts[n].after
    }

    /// For an ordered write, what a statement adds to the work of every unit; none if it must not
    /// be with one.
    pub(crate) fn little(&self, n: usize) -> Option<usize> {
        self.facts[n].little
    }

    pub(crate) fn is_ordered(&self, n: usize) -> bool {
        self.facts[n].ordered
    }

    /// Whether two statements, `a` before `b`, can be in one cluster.
    pub(crate) fn pair(&self, a: usize, b: usize) -> Result<Needs, Why> {
        let (first, second) = (&self.graph.nodes[a], &self.graph.nodes[b]);
        let (one, two) = (&self.facts[a], &self.facts[b]);
        let mut needs = self.spaces(a, b)?;
        match second.edges.iter().find(|e| e.0 == a) {
            Some((_, Edge::Memory)) => return Err(Why::Memory),
            Some((_, Edge::Kept)) if two.filter.is_none() => return Err(Why::Kept),
            Some((_, Edge::Kept)) => needs.second = true,
            Some((_, Edge::Own)) | None => {}
        }
        let overwrites = |writer: &GraphNode<'_>, reader: usize| {
            writer.overwrites.iter().any(|&base| self.graph.needs(reader, base))
        };
        if first.chain && two.chains.contains(a) {
            return Err(Why::Chain);
        }
        if overwrites(first, b) || overwrites(second, a) {
            return Err(Why::Base);
        }
        if (one.scatter || two.scatter) && (one.heavy || two.heavy) {
            return Err(Why::Heavy);
        }
        if one.ordered || (two.ordered && one.little.is_none()) {
            return Err(Why::Ordered);
        }
        Ok(needs)
    }

    /// Whether the spaces of two statements go together.
    fn spaces(&self, a: usize, b: usize) -> Result<Needs, Why> {
        let outer = |n: usize| self.graph.nodes[n].outer;
        let (Some(first), Some(second)) = (outer(a), outer(b)) else { return Err(Why::Alone) };
        let source = |n: usize| -> Option<Space> { outer(self.filter(n)?) };
        let needs = |first, second| Ok(Needs { first, second });
        match (source(a), source(b)) {
            _ if first == second => needs(false, false),
            (_, Some(source)) if source == first => needs(false, true),
            (Some(source), _) if source == second => needs(true, false),
            (Some(one), Some(two)) if one == two => needs(true, true),
            _ => Err(Why::Spaces),
        }
    }

    /// Whether statement `n` can be in a group, given the groups of the statements before it.
    pub(crate) fn joins(&self, groups: &Groups, group: usize, n: usize) -> Result<(), Why> {
        if self.after(n).iter().any(|&m| groups.of(m) > group) {
            return Err(Why::Order);
        }
        let members = groups.members(group);
        let with_filter =
            |n: usize| self.filter(n).is_some_and(|filter| members.binary_search(&filter).is_ok());
        for &m in members {
            let needs = self.pair(m, n)?;
            if (needs.first && !with_filter(m)) || (needs.second && !with_filter(n)) {
                return Err(Why::Kept);
            }
        }
        self.is_little(members, n).then_some(()).ok_or(Why::Ordered)
    }

    /// Whether what an ordered write would run with is for it only, and little.
    fn is_little(&self, members: &[usize], n: usize) -> bool {
        if members.is_empty() || !self.is_ordered(n) {
            return true;
        }
        let mut inside: BTreeSet<usize> = members.iter().copied().collect();
        inside.insert(n);
        let stays = |m: usize| {
            let results = &self.graph.nodes[m].stmt.results;
            !results.iter().any(|&result| self.graph.escapes(&inside, result))
        };
        let work: Option<usize> = members.iter().map(|&m| self.little(m)).sum();
        work.is_some_and(|work| work <= LITTLE) && members.iter().all(|&m| stays(m))
    }

    /// Whether groups, by their order, obey all rules; they may be of the first statements only.
    pub(crate) fn check(&self, group_of: impl IntoIterator<Item = usize>) -> Result<(), Why> {
        let mut groups = Groups::default();
        for (n, group) in group_of.into_iter().enumerate() {
            self.joins(&groups, group, n)?;
            groups.push(group);
        }
        Ok(())
    }
}

/// The filter whose kept lanes a statement is over, if it can run with it.
fn filter(graph: &Graph<'_>, node: &GraphNode<'_>) -> Option<usize> {
    let (_, positions) = graph.function.spaces[node.stmt.op.space()?].from?;
    let filter = node.edges.iter().find(|&&(p, edge)| {
        let stmt = graph.nodes[p].stmt;
        edge == Edge::Kept
            && matches!(stmt.op, Op::Filter { .. })
            && stmt.results.first() == Some(&positions)
    })?;
    Some(filter.0)
}

/// Statements before `n` whose clusters must not run after its own.
fn after(graph: &Graph<'_>, n: usize) -> Vec<usize> {
    let node = &graph.nodes[n];
    let mut after: BTreeSet<usize> = node.edges.iter().map(|e| e.0).collect();
    for &base in node.overwrites {
        after.extend(graph.users(base).iter().filter(|&&m| m < n));
    }
    let host = node.outer.is_none() || scatter::is_permute(node.stmt);
    if node.checks && host {
        after.extend((0..n).filter(|&m| graph.nodes[m].checks));
    }
    after.into_iter().collect()
}
