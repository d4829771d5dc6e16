//! Clusters that become several, launched one after the other.

use crate::order::has_purpose;
use base::{Id, IdMap};
use plan::{
    Arg, Block, Buffer, BufferInfo, Cluster, ClusterId, Node, NodeOp, Operand, Param, ParamKind,
    Program, Ref, RefInfo, RefKind, Space, SpaceInfo, SpaceKind, Span, Step,
};
use prim::Ty;
use rustc_hash::FxHashMap;
use scalar::Atom;
use std::collections::BTreeSet;

/// What a cluster becomes.
pub(crate) struct Parts {
    /// In order.
    pub(crate) launches: Vec<Launch>,
    /// What they hand on; freed after the last.
    pub(crate) stored: Vec<Stored>,
}

/// One part.
pub(crate) struct Launch {
    cluster: Cluster,
    args: Vec<PartArg>,
}

impl Launch {
    /// A part and the parameters that it has, where those of the whole cluster are the first.
    pub(crate) fn new((cluster, params): (Cluster, Vec<usize>), whole: &Cluster) -> Launch {
        let known = whole.params.len();
        let arg = |n: usize| if n < known { PartArg::Given(n) } else { PartArg::Stored(n - known) };
        Launch { cluster, args: params.into_iter().map(arg).collect() }
    }
}

/// Replaces clusters, and their launches.
pub(crate) fn replace(program: &mut Program, parts: impl Fn(&Cluster) -> Option<Parts>) {
    let mut parted = FxHashMap::default();
    let ids: Vec<ClusterId> = program.clusters.ids().collect();
    for id in ids {
        let Some(Parts { launches, stored }) = parts(&program.clusters[id]) else { continue };
        let span = program.clusters[id].spans.first().copied().unwrap_or(Span::none());
        let launches = launches.into_iter().enumerate().map(|(n, launch)| {
            let Launch { cluster, args } = launch;
            if n == 0 {
                program.clusters[id] = cluster;
                return (id, args);
            }
            (program.clusters.push(cluster), args)
        });
        let launches = launches.collect();
        parted.insert(id, Parted { launches, stored, span });
    }
    for (_, function) in program.funcs.iter_mut() {
        let mut body = std::mem::take(&mut function.body);
        rewrite(&mut body, &parted, &mut function.buffers);
        function.body = body;
    }
}

/// What becomes of a launch.
struct Parted {
    launches: Vec<(ClusterId, Vec<PartArg>)>,
    stored: Vec<Stored>,
    /// The source text.
    span: Span,
}

/// An argument of a part.
#[derive(Clone, Copy)]
enum PartArg {
    /// That of the whole cluster for this parameter.
    Given(usize),
    /// What an earlier part has stored.
    Stored(usize),
}

/// What one part stores for another.
#[derive(Clone, Copy)]
pub(crate) struct Stored {
    ty: Ty,
    /// Elements: a scalar of the cluster.
    len: Operand,
    /// The parameter of the whole cluster that hands over `len`.
    param: Option<usize>,
}

impl Stored {
    /// So many elements, a scalar that the cluster knows.
    pub(crate) fn new(cluster: &Cluster, ty: Ty, len: Operand) -> Stored {
        let handed = |p: &Param| matches!(len, Atom::Outer(r, _) if r == p.name);
        Stored { ty, len, param: cluster.params.iter().position(handed) }
    }
}

/// The launches of a block, replaced.
fn rewrite(
    block: &mut Block,
    parted: &FxHashMap<ClusterId, Parted>,
    buffers: &mut IdMap<Buffer, BufferInfo>,
) {
    let mut steps = Vec::new();
    for mut step in std::mem::take(&mut block.steps) {
        match &mut step {
            Step::If { then, els, .. } => {
                rewrite(then, parted, buffers);
                rewrite(els, parted, buffers);
            }
            Step::Launch { cluster, args, work } => {
                if let Some(parts) = parted.get(cluster) {
                    steps.extend(launches(parts, args, *work, buffers));
                    continue;
                }
            }
            _ => {}
        }
        steps.push(step);
    }
    block.steps = steps;
}

/// The steps for one launch.
fn launches(
    parts: &Parted,
    given: &[Arg],
    work: Arg,
    buffers: &mut IdMap<Buffer, BufferInfo>,
) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut own = Vec::new();
    for &Stored { ty, len, param } in &parts.stored {
        let len = match (len, param) {
            (Atom::Const(c), _) => Arg::Const(c),
            (_, Some(param)) => given[param],
            _ => unreachable!("a length is a scalar"),
        };
        let buffer = buffers.push(BufferInfo { ty });
        own.push(buffer);
        steps.push(Step::Alloc { buffer, len, over: None, span: parts.span });
    }
    for &(cluster, ref args) in &parts.launches {
        let args = args.iter().map(|arg| match *arg {
            PartArg::Given(n) => given[n],
            PartArg::Stored(n) => Arg::Buffer(own[n]),
        });
        steps.push(Step::Launch { cluster, args: args.collect(), work });
    }
    steps.extend(own.into_iter().map(Step::Free));
    steps
}

/// An item; a filter with what happens in the lanes that it keeps.
pub(crate) fn with_kept(cluster: &Cluster, n: usize) -> Vec<usize> {
    let mut all = vec![n];
    if let NodeOp::Filter { kept } = cluster.nodes[n].op {
        let kept_map =
            |&m: &usize| cluster.nodes[m].space == kept && has_purpose(&cluster.nodes[m]);
        all.extend((0..cluster.nodes.len()).filter(kept_map));
    }
    all
}

/// The nodes of a part, and what it reads of what earlier parts make.
pub(crate) fn nodes_of(
    cluster: &Cluster,
    items: &BTreeSet<usize>,
    earlier: &BTreeSet<usize>,
) -> (BTreeSet<usize>, BTreeSet<Ref>) {
    let maker = |name: Ref| cluster.nodes.iter().position(|node| node.results.contains(&name));
    let mut nodes = BTreeSet::new();
    let mut read = BTreeSet::new();
    let mut open: Vec<usize> = items.iter().flat_map(|&n| with_kept(cluster, n)).collect();
    while let Some(n) = open.pop() {
        if !nodes.insert(n) {
            continue;
        }
        for name in cluster.nodes[n].code.refs().vectors {
            match maker(name) {
                Some(m) if earlier.contains(&m) => drop(read.insert(name)),
                Some(m) => open.push(m),
                None => {}
            }
        }
    }
    (nodes, read)
}

/// A part as a cluster of its own, and the parameters of the whole that it has.
pub(crate) fn extract(
    cluster: &Cluster,
    items: &BTreeSet<usize>,
    earlier: &BTreeSet<usize>,
) -> (Cluster, Vec<usize>) {
    let (nodes, read) = nodes_of(cluster, items, earlier);
    // What earlier parts have stored is read from there.
    let mut pushed = FxHashMap::default();
    for node in &cluster.nodes {
        for (&name, push) in node.results.iter().zip(&node.pushes) {
            if read.contains(&name) {
                // Without a parameter, as when parts are tried, the name stands for one.
                pushed.insert(name, push.unwrap_or(name));
            }
        }
    }
    let parts: Vec<Node> = nodes
        .iter()
        .map(|&n| {
            let node = &cluster.nodes[n];
            let code = node.code.map_refs(|r| pushed.get(&r).copied().unwrap_or(r));
            Node { code, ..node.clone() }
        })
        .collect();
    compact(cluster, &parts, &pushed.into_values().collect())
}

/// A cluster of these nodes, with only the names and spaces that they use.
fn compact(cluster: &Cluster, nodes: &[Node], stored: &BTreeSet<Ref>) -> (Cluster, Vec<usize>) {
    let mut used = Used { cluster, refs: BTreeSet::new(), spaces: BTreeSet::new() };
    used.space(Id::new(0));
    nodes.iter().for_each(|node| used.node(node));
    let Used { refs: names, spaces, .. } = used;
    let mut refs = IdMap::new();
    let name: FxHashMap<Ref, Ref> = names
        .iter()
        .map(|&r| {
            let info = cluster.refs[r];
            let kind = match info.kind {
                RefKind::Local(space) if !stored.contains(&r) => {
                    RefKind::Local(Id::new(spaces.range(..space).count()))
                }
                _ => RefKind::Param,
            };
            (r, refs.push(RefInfo { kind, ..info }))
        })
        .collect();
    let space = |s: Space| Id::new(spaces.range(..s).count());
    let operand = |operand: Operand| match operand {
        Atom::Outer(r, ty) => Atom::Outer(name[&r], ty),
        _ => operand,
    };
    let info = |&s: &Space| {
        let SpaceInfo { kind, lanes, from } = cluster.spaces[s];
        let kind = match kind {
            SpaceKind::Root => SpaceKind::Root,
            SpaceKind::Regular(parent, len) => SpaceKind::Regular(space(parent), operand(len)),
            SpaceKind::Packed(parent, offsets) => SpaceKind::Packed(space(parent), name[&offsets]),
        };
        SpaceInfo { kind, lanes: operand(lanes), from: from.map(space) }
    };
    let params: Vec<usize> =
        (0..cluster.params.len()).filter(|&n| names.contains(&cluster.params[n].name)).collect();
    let tried = stored.iter().filter(|&&r| matches!(cluster.refs[r].kind, RefKind::Local(_)));
    let tried = tried.map(|r| Param { name: name[r], kind: ParamKind::In });
    let own = |n: &usize| {
        let Param { name: old, kind } = cluster.params[*n];
        let kind = if stored.contains(&old) { ParamKind::In } else { kind };
        Param { name: name[&old], kind }
    };
    let part = Cluster {
        name: cluster.name.clone(),
        params: params.iter().map(own).chain(tried).collect(),
        refs,
        spaces: spaces.iter().map(info).collect(),
        nodes: nodes
            .iter()
            .map(|node| Node {
                op: match &node.op {
                    NodeOp::Filter { kept } => NodeOp::Filter { kept: space(*kept) },
                    NodeOp::Scatter { conflict, extent } => {
                        NodeOp::Scatter { conflict: *conflict, extent: operand(*extent) }
                    }
                    other => other.clone(),
                },
                space: space(node.space),
                code: node.code.map_refs(|r| name[&r]),
                results: node.results.iter().map(|r| name[r]).collect(),
                pushes: node.pushes.iter().map(|push| push.map(|r| name[&r])).collect(),
            })
            .collect(),
        spans: cluster.spans.clone(),
    };
    (part, params)
}

/// The names and spaces that nodes use.
struct Used<'c> {
    cluster: &'c Cluster,
    refs: BTreeSet<Ref>,
    spaces: BTreeSet<Space>,
}

impl Used<'_> {
    fn node(&mut self, node: &Node) {
        let refs = node.code.refs();
        self.refs.extend(refs.vectors.into_iter().chain(refs.outers));
        for &name in node.results.iter().chain(node.pushes.iter().flatten()) {
            self.refs.insert(name);
            if let RefKind::Local(home) = self.cluster.refs[name].kind {
                self.space(home);
            }
        }
        self.space(node.space);
        match node.op {
            NodeOp::Filter { kept } => self.space(kept),
            NodeOp::Scatter { extent, .. } => self.operand(extent),
            _ => {}
        }
    }
    fn operand(&mut self, operand: Operand) {
        if let Atom::Outer(r, _) = operand {
            self.refs.insert(r);
        }
    }
    fn space(&mut self, space: Space) {
        if !self.spaces.insert(space) {
            return;
        }
        let SpaceInfo { kind, lanes, from } = self.cluster.spaces[space];
        self.operand(lanes);
        match kind {
            SpaceKind::Root => {}
            SpaceKind::Regular(parent, len) => {
                self.operand(len);
                self.space(parent);
            }
            SpaceKind::Packed(parent, offsets) => {
                self.refs.insert(offsets);
                self.space(parent);
            }
        }
        if let Some(from) = from {
            self.space(from);
        }
    }
}
