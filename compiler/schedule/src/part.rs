//! Pass **part**: clusters that threads cannot run with their segments side by side become several
//! that they can (`flat.rs`).
//!
//! The items of a cluster are dealt out in an order in which what they need comes first; each goes
//! to the first part that can be run with it.  What only serves items is computed again in each
//! part; what an item makes for one of a later part is stored.

use crate::flat::has_flat;
use crate::parts::{Launch, Parts, Stored, extract, nodes_of, replace, with_kept};
use crate::scheduler::Scheduler;
use crate::target::Target;
use plan::{Cluster, Node, NodeOp, Param, ParamKind, Program, RefInfo, RefKind};
use prim::Widths;
use std::collections::BTreeSet;

/// Parts the clusters of a plan, as far as the target needs it.
pub fn part(program: &mut Program, target: &Target) {
    if target.block.is_some() {
        replace(program, |cluster| parts(cluster, target));
    }
}

/// The parts of a cluster; none if it stays whole.
fn parts(cluster: &Cluster, target: &Target) -> Option<Parts> {
    let mut groups = groups(cluster, target)?;
    let mut whole = cluster.clone();
    let stored = store(&mut whole, &mut groups);
    let launch = |(n, group): (usize, &BTreeSet<usize>)| {
        let earlier = groups[..n].iter().flatten().copied().collect();
        Launch::new(extract(&whole, group, &earlier), cluster)
    };
    let launches = groups.iter().enumerate().map(launch).collect();
    Some(Parts { launches, stored })
}

/// The items of each part; none if the cluster stays whole.
fn groups(cluster: &Cluster, target: &Target) -> Option<Vec<BTreeSet<usize>>> {
    let scheduler = Scheduler::new(cluster, *target, Widths::WIDE);
    let sorts = |node: &Node| matches!(node.op, NodeOp::Sort(_));
    if scheduler.is_owned() || cluster.nodes.iter().any(sorts) || has_flat(cluster, target) {
        return None;
    }
    let mut left = scheduler.all_items(|node| scheduler.must_happen(node));
    let mut groups: Vec<BTreeSet<usize>> = Vec::new();
    while !left.is_empty() {
        // What an item needs is made in its part or before it.
        let place = left.iter().position(|&n| {
            needs(cluster, &scheduler, n).iter().all(|m| *m == n || !left.contains(m))
        })?;
        let n = left.remove(place);
        let needed = needs(cluster, &scheduler, n);
        let first = (0..groups.len()).rfind(|&g| needed.iter().any(|m| groups[g].contains(m)));
        let home = (first.unwrap_or(0)..groups.len()).find(|&g| {
            let with = groups[g].iter().copied().chain([n]).collect();
            let earlier = groups[..g].iter().flatten().copied().collect();
            has_flat(&extract(cluster, &with, &earlier).0, target)
        });
        match home {
            Some(g) => drop(groups[g].insert(n)),
            None => groups.push(BTreeSet::from([n])),
        }
    }
    (groups.len() > 1).then_some(groups)
}

/// The nodes that an item needs, directly or not.
fn needs(cluster: &Cluster, scheduler: &Scheduler<'_>, n: usize) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    let mut open = with_kept(cluster, n);
    while let Some(m) = open.pop() {
        for &name in scheduler.local_reads(m) {
            let maker = scheduler.facts.makers[&name];
            if found.insert(maker) {
                open.push(maker);
            }
        }
    }
    found
}

/// Adds parameters for what parts store for later ones.
fn store(cluster: &mut Cluster, groups: &mut [BTreeSet<usize>]) -> Vec<Stored> {
    let mut stored = Vec::new();
    for n in 1..groups.len() {
        let earlier = groups[..n].iter().flatten().copied().collect();
        for name in nodes_of(cluster, &groups[n], &earlier).1 {
            let RefInfo { ty, kind: RefKind::Local(home) } = cluster.refs[name] else { continue };
            let node = cluster.nodes.iter_mut().find(|node| node.results.contains(&name));
            let node = node.unwrap_or_else(|| unreachable!("{name} has no maker"));
            let place = node.results.iter().position(|&r| r == name).unwrap_or_default();
            if node.pushes[place].is_some() {
                continue;
            }
            let param = cluster.refs.push(RefInfo { ty, kind: RefKind::Param });
            node.pushes[place] = Some(param);
            stored.push(Stored::new(cluster, ty, cluster.spaces[home].lanes));
            cluster.params.push(Param { name: param, kind: ParamKind::Out });
        }
    }
    stored
}
