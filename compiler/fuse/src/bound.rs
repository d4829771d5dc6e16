//! What the statements of some clusters cost at least, however they are shared out: if they cost no
//! more as they are, nothing needs to be solved.

use crate::cost::{LAUNCH, Sizes};
use crate::graph::Graph;
use crate::pairs::Pairs;
use flat::Value;
use std::collections::{BTreeMap, BTreeSet};

/// A bound below the cost of some clusters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bound {
    launches: u64,
    /// Bytes.
    traffic: u64,
}

impl Bound {
    pub(crate) fn total(self) -> u64 {
        (LAUNCH * self.launches).saturating_add(self.traffic)
    }

    /// How many launches there can be at the cost of `now`.
    pub(crate) fn most_launches(self, now: u64) -> u64 {
        now.saturating_sub(self.traffic) / LAUNCH
    }
}

/// A bound below the cost of the clusters of these statements, which are in program order.
///
/// Of statements that are apart in pairs each has a cluster of its own; a vector is read once for
/// each of its readers of which this is so, its maker aside, and written if somebody needs it who
/// cannot be with the maker.
pub(crate) fn bound(
    graph: &Graph<'_>,
    pairs: &Pairs,
    sizes: &Sizes,
    inside: &BTreeSet<usize>,
) -> Bound {
    let free: Vec<usize> = inside.iter().copied().collect();
    let mut makers: BTreeMap<Value, usize> = BTreeMap::new();
    let mut used: BTreeSet<Value> = BTreeSet::new();
    for &n in &free {
        makers.extend(graph.nodes[n].stmt.results.iter().map(|&r| (r, n)));
        used.extend(&graph.nodes[n].uses);
    }
    let mut traffic = 0_u64;
    for &value in &used {
        let readers: Vec<usize> = free.iter().copied().filter(|&n| graph.needs(n, value)).collect();
        let maker: Vec<usize> = makers.get(&value).copied().into_iter().collect();
        let reads = all_apart(pairs, &maker, &readers) as u64;
        traffic = traffic.saturating_add(sizes.bytes(value).saturating_mul(reads));
    }
    for (&value, &maker) in &makers {
        let far = |&n: &usize| graph.needs(n, value) && !pairs.together(maker, n);
        if graph.escapes(inside, value) || free.iter().filter(|&&n| n != maker).any(far) {
            traffic = traffic.saturating_add(sizes.bytes(value));
        }
    }
    Bound { launches: all_apart(pairs, &[], &free) as u64, traffic }
}

/// How many of some statements are apart from each other and from `others`, which are not counted.
fn all_apart(pairs: &Pairs, others: &[usize], of: &[usize]) -> usize {
    let mut chosen = others.to_vec();
    for &n in of {
        if chosen.iter().all(|&c| c != n && !pairs.together(c, n)) {
            chosen.push(n);
        }
    }
    chosen.len() - others.len()
}
