//! The partition of least cost: the greedy one, improved by 0/1 programs.
//!
//! Statements that can be in one cluster, directly or through others, are a *component*; only
//! what is in one component is worth sharing out together.  A component is cut into *windows*:
//! clusters that follow each other in the greedy partition, and overlap those of the windows
//! before and after.  What surrounds a window stays as it is.  In a window
//!
//! 1. nothing is done if it costs no more than a lower bound ([`crate::bound`]);
//! 2. what goes together in any case is moved together ([`crate::units`]), and this is asked again;
//! 3. the 0/1 program shares out the units ([`crate::integer`]).
//!
//! A solution replaces what was there only if it obeys the rules and costs less, so that the result
//! never costs more than the greedy one; and where both cost the same the plan is the greedy one.
//! Windows are limited by their size so that the solver's time limit does not decide what is made.

use crate::bound::bound;
use crate::cost::Sizes;
use crate::graph::Partition;
use crate::greedy::{self, group_of};
use crate::integer::{Window, solve};
use crate::legal::Legal;
use crate::pairs::Pairs;
use crate::units::{Unit, units};
use std::collections::BTreeSet;

/// Most statements of a window; those of the second kind are for components in which one of the
/// first kind has too many units.
const MOST: [usize; 2] = [32, 10];

/// Most units of a window that is solved: more could take longer than a compiler may.
const UNITS: usize = 10;

/// Partitions a graph.
pub(crate) fn partition(legal: &Legal<'_, '_>, sizes: &Sizes) -> Partition {
    let greedy = greedy::partition(legal);
    let clusters = greedy.iter().filter(|set| legal.graph.nodes[set[0]].outer.is_some());
    if clusters.count() < 2 {
        return greedy;
    }
    let pairs = Pairs::new(legal);
    let mut best = greedy.clone();
    for component in components(legal, &pairs) {
        for most in MOST {
            if improve(legal, &pairs, sizes, &component, most, &mut best) {
                break;
            }
        }
    }
    let cost = |partition| sizes.partition(legal.graph, partition).total();
    assert!(cost(&best) <= cost(&greedy), "{best:?} is worse than {greedy:?}");
    best
}

/// Statements that can be in one cluster, directly or through others.
fn components(legal: &Legal<'_, '_>, pairs: &Pairs) -> Vec<BTreeSet<usize>> {
    let mut components: Vec<BTreeSet<usize>> = Vec::new();
    for n in 0..legal.graph.nodes.len() {
        let (mut near, far): (Vec<_>, Vec<_>) =
            components.into_iter().partition(|set| set.iter().any(|&m| pairs.together(m, n)));
        components = far;
        near.push(BTreeSet::from([n]));
        components.push(near.into_iter().flatten().collect());
    }
    components.retain(|set| set.len() > 1);
    components
}

/// Improves the clusters of a component, window by window; says whether all windows are as good as
/// they can be.
fn improve(
    legal: &Legal<'_, '_>,
    pairs: &Pairs,
    sizes: &Sizes,
    component: &BTreeSet<usize>,
    most: usize,
    best: &mut Partition,
) -> bool {
    let (mut from, mut solved) = (0, true);
    loop {
        let clusters: Vec<Vec<usize>> =
            best.iter().filter(|set| component.contains(&set[0])).cloned().collect();
        let mut size = 0;
        let fits = |set: &&Vec<usize>| {
            size += set.len();
            size <= most
        };
        let many = clusters.iter().skip(from).take_while(fits).count();
        if many > 1 {
            let (better, of_all) = window(legal, pairs, sizes, &clusters[from..from + many], best);
            solved &= of_all;
            if let Some(better) = better {
                *best = better;
            }
        }
        if from + many.max(1) >= clusters.len() {
            return solved && from == 0 && many == clusters.len();
        }
        from += (many / 2).max(1);
    }
}

/// A better partition, if there is one, which differs in these clusters only; and whether there is
/// none still better.
fn window(
    legal: &Legal<'_, '_>,
    pairs: &Pairs,
    sizes: &Sizes,
    clusters: &[Vec<usize>],
    best: &Partition,
) -> (Option<Partition>, bool) {
    let free: BTreeSet<usize> = clusters.iter().flatten().copied().collect();
    let cost = |sets: &[Vec<usize>]| -> u64 {
        sets.iter().map(|set| sizes.cluster(legal.graph, set).total()).sum()
    };
    let least = bound(legal.graph, pairs, sizes, &free);
    let before = cost(clusters);
    if before <= least.total() {
        return (None, true);
    }
    let units = units(legal, pairs, sizes, &free);
    let clusters = &joined(clusters, &units);
    let now = cost(clusters);
    let (mut solved, mut of_all) = (None, true);
    if now > least.total() && clusters.len() > 1 {
        if units.len() <= UNITS {
            solved = solve(&Window { legal, pairs, sizes, clusters, units: &units, now, least });
        }
        of_all = solved.is_some();
    }
    let around = || best.iter().filter(|set| !free.contains(&set[0])).cloned();
    let better = solved
        .into_iter()
        .filter(|solved| cost(solved) < now)
        .chain([clusters.clone()])
        .filter(|sets| cost(sets) < before)
        .filter_map(|sets| in_order_of_runs(legal, &[sets, around().collect()].concat()))
        .find(|sets| legal.check(group_of(sets)).is_ok());
    (better, of_all)
}

/// Clusters in which units are in one piece: where their homes are.
fn joined(clusters: &[Vec<usize>], units: &[Unit]) -> Vec<Vec<usize>> {
    let with_units = clusters.iter().map(|set| {
        let here = units.iter().filter(|unit| set.contains(&unit.home));
        let mut members: Vec<usize> = here.flat_map(|unit| unit.members.iter().copied()).collect();
        members.sort_unstable();
        members
    });
    with_units.filter(|set| !set.is_empty()).collect()
}

/// Sets in an order in which they can run, near to that of the program; none if there is none.
pub(crate) fn in_order_of_runs(legal: &Legal<'_, '_>, sets: &[Vec<usize>]) -> Option<Partition> {
    let of = group_of(sets);
    let mut waits: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); sets.len()];
    for (n, &set) in of.iter().enumerate() {
        waits[set].extend(legal.after(n).iter().map(|&m| of[m]).filter(|&other| other != set));
    }
    let mut left: BTreeSet<(usize, usize)> =
        sets.iter().enumerate().map(|(set, members)| (members[0], set)).collect();
    let mut order = Vec::new();
    let mut done = BTreeSet::new();
    while !left.is_empty() {
        let next = *left.iter().find(|(_, set)| waits[*set].is_subset(&done))?;
        left.remove(&next);
        done.insert(next.1);
        order.push(sets[next.1].clone());
    }
    Some(order)
}
