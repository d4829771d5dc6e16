//! The partition of least cost: the greedy one, improved by 0/1 programs.
//!
//! Statements that can be in one cluster, directly or through others, are a *component*; only
//! what is in one component is worth sharing out together.  A component of up to [`MOST`]
//! statements is one window of the integer program, a larger one several, each of clusters that
//! follow each other.  What surrounds a window stays as it is.
//!
//! A solution replaces what was there only if it obeys the rules and costs less, so that the result
//! never costs more than the greedy one; and where both cost the same the plan is the greedy one.

use crate::bound::bound;
use crate::cost::Sizes;
use crate::graph::Partition;
use crate::greedy::{self, group_of};
use crate::integer::{Window, solve};
use crate::legal::Legal;
use crate::pairs::Pairs;
use crate::units::{Unit, units};
use std::collections::BTreeSet;

/// Most statements of a window.
const MOST: usize = 24;

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
        improve(legal, &pairs, sizes, &component, &mut best);
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

/// Improves the clusters of a component, window by window.
fn improve(
    legal: &Legal<'_, '_>,
    pairs: &Pairs,
    sizes: &Sizes,
    component: &BTreeSet<usize>,
    best: &mut Partition,
) {
    let mut from = 0;
    loop {
        let clusters: Vec<Vec<usize>> =
            best.iter().filter(|set| component.contains(&set[0])).cloned().collect();
        let mut size = 0;
        let fits = |set: &&Vec<usize>| {
            size += set.len();
            size <= MOST
        };
        let many = clusters[from..].iter().take_while(fits).count();
        if let Some(better) = window(legal, pairs, sizes, &clusters[from..from + many], best) {
            *best = better;
        }
        if from + many.max(1) >= clusters.len() {
            return;
        }
        // Windows overlap.
        from += (many / 2).max(1);
    }
}

/// A better partition, which differs in these clusters only.
fn window(
    legal: &Legal<'_, '_>,
    pairs: &Pairs,
    sizes: &Sizes,
    clusters: &[Vec<usize>],
    best: &Partition,
) -> Option<Partition> {
    if clusters.len() < 2 {
        return None;
    }
    let free: BTreeSet<usize> = clusters.iter().flatten().copied().collect();
    let in_order: Vec<usize> = free.iter().copied().collect();
    let cost = |sets: &[Vec<usize>]| -> u64 {
        sets.iter().map(|set| sizes.cluster(legal.graph, set).total()).sum()
    };
    let least = bound(legal.graph, pairs, sizes, &in_order);
    let before = cost(clusters);
    if before <= least.total() {
        return None;
    }
    let units = units(legal, pairs, sizes, &free);
    let clusters = &joined(clusters, &units);
    let now = cost(clusters);
    let mut sets = clusters.clone();
    if now > least.total() && clusters.len() > 1 {
        let t = std::time::Instant::now();
        let solved = solve(&Window { legal, pairs, sizes, clusters, units: &units, now, least });
        eprintln!("WIN free {} units {} clusters {} ms {:.2} lb {} before {} now {} then {:?}", free.len(), units.len(), clusters.len(), t.elapsed().as_secs_f64()*1e3, least.total() as f64/crate::cost::LAUNCH as f64, before as f64/crate::cost::LAUNCH as f64, now as f64/crate::cost::LAUNCH as f64, solved.as_ref().map(|s| cost(s) as f64/crate::cost::LAUNCH as f64));
        sets = solved.filter(|solved| cost(solved) < now).unwrap_or(sets);
    } else { eprintln!("TIGHT {} units {} before {} now {}", free.len(), units.len(), before as f64/crate::cost::LAUNCH as f64, now as f64/crate::cost::LAUNCH as f64); }
    if cost(&sets) >= before {
        return None;
    }
    sets.extend(best.iter().filter(|set| !free.contains(&set[0])).cloned());
    let better = in_order_of_runs(legal, sets)?;
    legal.check(&group_of(&better)).ok()?;
    Some(better)
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
pub(crate) fn in_order_of_runs(legal: &Legal<'_, '_>, sets: Vec<Vec<usize>>) -> Option<Partition> {
    let of = group_of(&sets);
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
