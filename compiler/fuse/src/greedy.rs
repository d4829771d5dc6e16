//! Greedy partition: each statement joins the first cluster that can take it.

use crate::graph::Partition;
use crate::legal::Legal;

/// Partitions a graph.
pub(crate) fn partition(legal: &Legal<'_, '_>) -> Partition {
    let mut groups = Groups::default();
    for n in 0..legal.graph.nodes.len() {
        let home = with_filter(legal, &groups, n)
            .or_else(|| first_that_takes(legal, &groups, n))
            .or_else(|| after_its_base(legal, &mut groups, n))
            .unwrap_or(groups.members.len());
        groups.push(home);
    }
    groups.members
}

/// Groups of the first statements of a graph.
#[derive(Default)]
pub(crate) struct Groups {
    of: Vec<usize>,
    members: Partition,
}

impl Groups {
    /// Puts the next statement into a group.
    pub(crate) fn push(&mut self, group: usize) {
        if self.members.len() <= group {
            self.members.resize(group + 1, Vec::new());
        }
        self.members[group].push(self.of.len());
        self.of.push(group);
    }

    /// The group of a statement.
    pub(crate) fn of(&self, n: usize) -> usize {
        self.of[n]
    }

    /// The statements of a group, in order.
    pub(crate) fn members(&self, group: usize) -> &[usize] {
        self.members.get(group).map_or(&[], Vec::as_slice)
    }
}

impl FromIterator<usize> for Groups {
    fn from_iter<T: IntoIterator<Item = usize>>(of: T) -> Groups {
        let mut groups = Groups::default();
        of.into_iter().for_each(|group| groups.push(group));
        groups
    }
}

/// Every statement alone.
pub(crate) fn apart(legal: &Legal<'_, '_>) -> Partition {
    (0..legal.graph.nodes.len()).map(|n| vec![n]).collect()
}

/// For each statement its group.
pub(crate) fn group_of(partition: &[Vec<usize>]) -> Vec<usize> {
    let mut group_of = vec![0; partition.iter().map(Vec::len).sum()];
    for (group, set) in partition.iter().enumerate() {
        set.iter().for_each(|&n| group_of[n] = group);
    }
    group_of
}

/// The group of the filter whose kept lanes a statement is over, if it can run with it.
fn with_filter(legal: &Legal<'_, '_>, groups: &Groups, n: usize) -> Option<usize> {
    let group = groups.of(legal.filter(n)?);
    legal.joins(groups, group, n).is_ok().then_some(group)
}

/// The first group that can take a statement.
fn first_that_takes(legal: &Legal<'_, '_>, groups: &Groups, n: usize) -> Option<usize> {
    // What stands alone joins nothing, and nothing joins a group that runs before what it needs.
    legal.graph.nodes[n].outer?;
    let first = legal.after(n).iter().map(|&m| groups.of(m)).max().unwrap_or(0);
    (first..groups.members.len()).find(|&group| legal.joins(groups, group, n).is_ok())
}

/// A group that a write can be in once what makes its base runs before that group.
///
/// ```text
/// v3 = map [s1] ...                            group 0       group 1
/// v4 = map [s2] \x0 x1 { yield F }             group 1  ==>  group 0
/// v5 = scatter [s1] to [s2] write v4 ...                     group 1
/// ```
fn after_its_base(legal: &Legal<'_, '_>, groups: &mut Groups, n: usize) -> Option<usize> {
    let nodes = &legal.graph.nodes;
    let makes_base =
        |&p: &usize| nodes[p].stmt.results.iter().any(|r| nodes[n].overwrites.contains(r));
    let bases: Vec<usize> = nodes[n].edges.iter().map(|e| e.0).filter(makes_base).collect();
    let [base] = bases.as_slice() else { return None };
    let from = groups.of(*base);
    // Of two errors the first is told: what may fail is not moved.
    if groups.members(from).iter().any(|&m| nodes[m].checks) {
        return None;
    }
    (0..from).find_map(|to| {
        let moved = |group: usize| match group {
            g if g == from => to,
            g if (to..from).contains(&g) => g + 1,
            g => g,
        };
        let before = groups.of.iter().map(|&g| moved(g));
        legal.check(before.clone().chain([to + 1])).ok()?;
        *groups = before.collect();
        Some(to + 1)
    })
}
