//! What is asked of a cluster again and again while its loops are made, found once.

use base::{Id, IdMap};
use kernel::Arg;
use plan::{Cluster, Ref, RefKind, Space};
use rustc_hash::FxHashMap;

/// What is known of a cluster.
pub(crate) struct Facts {
    /// The node that makes a local name.
    pub(crate) makers: FxHashMap<Ref, usize>,
    /// The argument that a parameter becomes.
    pub(crate) args: FxHashMap<Ref, Arg>,
    /// For each node the local names that its code uses.
    pub(crate) reads: Vec<Vec<Ref>>,
    /// The nodes of each space, in order.
    pub(crate) nodes_of: IdMap<Space, Vec<usize>>,
    nested: Nested,
}

impl Facts {
    pub(crate) fn new(cluster: &Cluster) -> Facts {
        let mut makers = FxHashMap::default();
        let mut nodes_of: IdMap<Space, Vec<usize>> =
            cluster.spaces.iter().map(|_| Vec::new()).collect();
        for (n, node) in cluster.nodes.iter().enumerate() {
            makers.extend(node.results.iter().map(|&r| (r, n)));
            nodes_of[node.space].push(n);
        }
        let local = |r: &Ref| matches!(cluster.refs[*r].kind, RefKind::Local(_));
        let reads = cluster.nodes.iter().map(|node| {
            let read = node.code.refs().vectors;
            read.into_iter().filter(local).collect()
        });
        let args = cluster.params.iter().enumerate().map(|(n, p)| (p.name, Arg::new(n)));
        Facts {
            makers,
            args: args.collect(),
            reads: reads.collect(),
            nodes_of,
            nested: Nested::new(cluster),
        }
    }

    /// Whether a space is another or below it, which is not the root.
    pub(crate) fn is_within(&self, space: Space, around: Space) -> bool {
        around.index() > 0 && self.nested.is_within(space, around)
    }
}

/// Which spaces are below which: each has a number, and those below it have the numbers from its
/// own to its last.
struct Nested {
    numbers: IdMap<Space, (usize, usize)>,
}

impl Nested {
    fn new(cluster: &Cluster) -> Nested {
        let mut children: IdMap<Space, Vec<Space>> =
            cluster.spaces.iter().map(|_| Vec::new()).collect();
        for space in cluster.spaces.ids() {
            if let Some(parent) = cluster.parent(space) {
                children[parent].push(space);
            }
        }
        let mut numbers: IdMap<Space, (usize, usize)> =
            cluster.spaces.iter().map(|_| (0, 0)).collect();
        let mut order: Vec<Space> = Vec::new();
        let mut open: Vec<Space> = cluster.spaces.ids().take(1).collect();
        while let Some(space) = open.pop() {
            numbers[space] = (order.len(), order.len());
            order.push(space);
            open.extend(&children[space]);
        }
        for &space in order.iter().rev() {
            if let Some(parent) = cluster.parent(space) {
                numbers[parent].1 = numbers[parent].1.max(numbers[space].1);
            }
        }
        Nested { numbers }
    }

    fn is_within(&self, space: Space, around: Space) -> bool {
        let (first, last) = self.numbers[around];
        (first..=last).contains(&self.numbers[space].0)
    }
}
