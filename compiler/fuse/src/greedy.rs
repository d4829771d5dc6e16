//! Greedy partition: each statement joins the latest cluster that it can be in, looking backwards
//! no further than its producers allow.

use crate::Fusion;
use crate::graph::{Edge, Graph, Partition};
use crate::scatter::may_join;
use flat::{Op, Space};
use std::collections::BTreeSet;

struct Group {
    members: Vec<usize>,
    /// The outer space, or that it takes no others.
    outer: Option<Space>,
}

/// Partitions a graph.
pub(crate) fn partition(graph: &Graph, fusion: Fusion) -> Partition {
    let mut groups: Vec<Group> = Vec::new();
    let mut group_of: Vec<usize> = Vec::new();
    for n in 0..graph.nodes.len() {
        let home = (fusion == Fusion::Greedy)
            .then(|| {
                with_filter(graph, &group_of, n)
                    .or_else(|| beside(graph, &groups, &group_of, n))
                    .or_else(|| after_its_base(graph, &mut groups, &mut group_of, n))
            })
            .flatten()
            .unwrap_or_else(|| {
                groups.push(Group { members: Vec::new(), outer: graph.nodes[n].outer });
                groups.len() - 1
            });
        groups[home].members.push(n);
        group_of.push(home);
    }
    groups.into_iter().map(|g| g.members).collect()
}

/// The first group in which a statement may stand: with producers whose edge is at most `fused`,
/// after the others.
fn first_group(graph: &Graph, group_of: &[usize], n: usize, fused: Edge) -> usize {
    let after = |&(p, edge): &(usize, Edge)| group_of[p] + usize::from(edge > fused);
    graph.nodes[n].edges.iter().map(after).max().unwrap_or(0)
}

/// The group of the filter whose kept lanes a map is over, if the map can run with it.
fn with_filter(graph: &Graph, group_of: &[usize], n: usize) -> Option<usize> {
    let node = &graph.nodes[n];
    let (_, positions) = graph.function.spaces[node.stmt.op.space()?].from?;
    let filter = node.edges.iter().find(|&&(p, edge)| {
        let stmt = graph.nodes[p].stmt;
        edge == Edge::Kept
            && matches!(stmt.op, Op::Filter { .. })
            && stmt.results.first() == Some(&positions)
    })?;
    let group = group_of[filter.0];
    let first = first_group(graph, group_of, n, Edge::Kept);
    // What the filter keeps is known where its lanes are counted.
    let counted = node.chain && depends_on_chain(graph, group_of, group, n, Some(filter.0));
    (first <= group && !counted && may_join(graph, group_of, group, n)).then_some(group)
}

/// A group over the same outer space that can take the statement.  A map of kept lanes that does
/// not stand with its filter stands after it.
fn beside(graph: &Graph, groups: &[Group], group_of: &[usize], n: usize) -> Option<usize> {
    let node = &graph.nodes[n];
    let outer: Space = node.outer?;
    let first = first_group(graph, group_of, n, Edge::Own);
    (first..groups.len()).find(|&g| {
        groups[g].outer == Some(outer)
            && !(node.chain && depends_on_chain(graph, group_of, g, n, None))
            && may_join(graph, group_of, g, n)
    })
}

/// A group that a write can be in once what makes its base runs before that group.
///
/// ```text
/// v3 = map [s1] ...                            group 0       group 1
/// v4 = map [s2] \x0 x1 { yield F }             group 1  ==>  group 0
/// v5 = scatter [s1] to [s2] write v4 ...                     group 1
/// ```
fn after_its_base(
    graph: &Graph,
    groups: &mut [Group],
    group_of: &mut [usize],
    n: usize,
) -> Option<usize> {
    let node = &graph.nodes[n];
    let makes_base = |p: usize| {
        graph.nodes[p].stmt.results.iter().any(|result| node.overwrites.contains(result))
    };
    let (bases, others): (Vec<_>, Vec<_>) = node.edges.iter().partition(|e| makes_base(e.0));
    let [(base, _)] = bases.as_slice() else { return None };
    let from = group_of[*base];
    let first = others.iter().map(|&(p, edge)| group_of[p] + usize::from(edge > Edge::Own)).max();
    let free = |to: usize| {
        (0..n).filter(|&m| group_of[m] == from).all(|m| {
            let member = &graph.nodes[m];
            let before = |&(p, _): &(usize, Edge)| group_of[p] < to || group_of[p] == from;
            !member.checks && member.edges.iter().all(before)
        })
    };
    let to = (first.unwrap_or(0)..from).find(|&g| {
        let together = node.outer.is_some() && groups[g].outer == node.outer;
        together && free(g) && may_join(graph, group_of, g, n)
    })?;
    groups[to..=from].rotate_right(1);
    for group in group_of.iter_mut() {
        *group = match *group {
            g if g == from => to,
            g if (to..from).contains(&g) => g + 1,
            g => g,
        };
    }
    Some(to + 1)
}

/// Whether a statement's inputs inside the group come from a chain statement, other than `known`.
fn depends_on_chain(
    graph: &Graph,
    group_of: &[usize],
    group: usize,
    n: usize,
    known: Option<usize>,
) -> bool {
    let inputs = graph.nodes[n].edges.iter().map(|e| e.0);
    let mut todo: Vec<usize> = inputs.filter(|&p| Some(p) != known).collect();
    let mut seen = BTreeSet::new();
    while let Some(p) = todo.pop() {
        if group_of[p] != group || !seen.insert(p) {
            continue;
        }
        if graph.nodes[p].chain {
            return true;
        }
        todo.extend(graph.nodes[p].edges.iter().map(|e| e.0));
    }
    false
}
