//! Greedy partition: each statement joins the first cluster that can take it.

use crate::graph::Partition;
use crate::legal::Legal;

/// Partitions a graph.
pub(crate) fn partition(legal: &Legal<'_, '_>) -> Partition {
    let mut groups = 0;
    let mut group_of: Vec<usize> = Vec::new();
    for n in 0..legal.graph.nodes.len() {
        let home = with_filter(legal, &group_of, n)
            .or_else(|| (0..groups).find(|&g| legal.joins(&group_of, g, n).is_ok()))
            .or_else(|| after_its_base(legal, &mut group_of, n))
            .unwrap_or(groups);
        groups = groups.max(home + 1);
        group_of.push(home);
    }
    sets(&group_of, groups)
}

/// Every statement alone.
pub(crate) fn apart(legal: &Legal<'_, '_>) -> Partition {
    (0..legal.graph.nodes.len()).map(|n| vec![n]).collect()
}

/// Groups as sets.
pub(crate) fn sets(group_of: &[usize], groups: usize) -> Partition {
    let mut sets = vec![Vec::new(); groups];
    for (n, &group) in group_of.iter().enumerate() {
        sets[group].push(n);
    }
    sets
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
fn with_filter(legal: &Legal<'_, '_>, group_of: &[usize], n: usize) -> Option<usize> {
    let group = group_of[legal.filter(n)?];
    legal.joins(group_of, group, n).is_ok().then_some(group)
}

/// A group that a write can be in once what makes its base runs before that group.
///
/// ```text
/// v3 = map [s1] ...                            group 0       group 1
/// v4 = map [s2] \x0 x1 { yield F }             group 1  ==>  group 0
/// v5 = scatter [s1] to [s2] write v4 ...                     group 1
/// ```
fn after_its_base(legal: &Legal<'_, '_>, group_of: &mut Vec<usize>, n: usize) -> Option<usize> {
    let nodes = &legal.graph.nodes;
    let makes_base =
        |&p: &usize| nodes[p].stmt.results.iter().any(|r| nodes[n].overwrites.contains(r));
    let bases: Vec<usize> = nodes[n].edges.iter().map(|e| e.0).filter(makes_base).collect();
    let [base] = bases.as_slice() else { return None };
    let from = group_of[*base];
    // Of two errors the first is told: what may fail is not moved.
    if (0..n).any(|m| group_of[m] == from && nodes[m].checks) {
        return None;
    }
    (0..from).find_map(|to| {
        let moved = |group: usize| match group {
            g if g == from => to,
            g if (to..from).contains(&g) => g + 1,
            g => g,
        };
        let mut all: Vec<usize> = group_of.iter().map(|&g| moved(g)).collect();
        all.push(to + 1);
        legal.check(&all).ok()?;
        all.pop();
        *group_of = all;
        Some(to + 1)
    })
}
