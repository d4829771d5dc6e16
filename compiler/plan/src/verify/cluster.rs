//! The rules of clusters.
//!
//! Names
//! * A name is a parameter, once, or a local that one node gives; a parameter's name is a
//!   parameter.
//! * An operand outside code is a constant or a scalar parameter; lengths, lanes and extents are
//!   ints.
//!
//! Spaces
//! * Space 0 is the root, the only one without a parent, and has one lane; a parent has a smaller
//!   number.  Offsets are an `in` of ints, and a child of the root has none.
//! * A *kept* space (it has a `from`) has no length of its own: `[p > 0] lanes 0`.  It has the
//!   parent of the space that it comes from, one filter of the cluster makes it, and only maps work
//!   over it.
//!
//! Nodes
//! * Code over a space of depth d > 0 has d + 1 `i64` parameters, at the root none, and obeys the
//!   rules of scalar code; it reads `in` parameters anywhere and locals of nodes before it only at
//!   positions of its own lane: in its space and that space's ancestors, or, in a kept lane, at the
//!   position that the filter kept.
//! * Results have the types of the yields.  Their home is the space for a map, a scan and a sort,
//!   the parent for a reduction, the kept space for positions of a filter, a space of `extent`
//!   lanes for a scatter; offsets, and what a filter tells of its shape, are at home at the root.
//!   Offsets, those of a filter, too, may have their total as one result more, a scalar.
//! * A result is pushed to a parameter of its type: a `set` if it is a scalar, else an `out`.
//!   Every `out` and `set` is pushed to once.
//!
//! Clusters
//! * All nodes have one outer space, or all are maps of the root.  A sort is alone, and of one
//!   segment, or of segments with offsets.
//! * What a scatter gives is read by no node: it is whole only when all lanes have run.
//! * With an `ordered` scatter stand only maps, and they push nothing: every unit runs all of them.
//! * The values of a scatter that writes the `same` are the same in all lanes (the evaluator checks
//!   this).
//! * A scatter of which the `greatest` stays yields ints.
//! * A chain node (a filter, offsets, a scan of the outer space) does not depend on another one.
//!   Offsets over kept lanes depend on their filter, for where these come from, and on no more.

use crate::Operand;
use crate::ir::{
    Cluster, ClusterId, Conflict, Node, NodeOp, ParamKind, Program, Ref, RefInfo, RefKind,
    SortKind, Space, SpaceKind,
};
use base::print::{Error, join};
use base::{Id, IdMap};
use prim::{Const, Monoid, ScalarOp, Ty};
use rustc_hash::FxHashMap;
use scalar::{Atom, Item, Op, Scope, Stmt, Var, verify_code};
use std::collections::BTreeSet;
use std::fmt;

/// Checks a cluster whose first item has the number `item`, which is advanced to that after the
/// last.
pub(super) fn verify(
    program: &Program,
    id: ClusterId,
    cluster: &Cluster,
    item: &mut usize,
    errors: &mut Vec<Error>,
) {
    let mut checker = Checker {
        program,
        cluster,
        item: *item,
        current: *item,
        errors,
        kinds: FxHashMap::default(),
        made: BTreeSet::new(),
        chained: BTreeSet::new(),
        scattered: BTreeSet::new(),
    };
    checker.cluster(id);
    *item = checker.item;
}

/// What code of a node may name.
struct CodeScope<'a> {
    program: &'a Program,
    cluster: &'a Cluster,
    kinds: &'a FxHashMap<Ref, ParamKind>,
    made: &'a BTreeSet<Ref>,
}

impl CodeScope<'_> {
    fn ty(&self, name: Ref) -> Option<Ty> {
        self.cluster.refs.get(name).map(|info| info.ty)
    }
}

impl Scope<Ref> for CodeScope<'_> {
    fn widths(&self) -> prim::Widths {
        self.program.widths
    }
    fn outer(&self, name: Ref) -> Option<Ty> {
        self.ty(name).filter(|_| self.kinds.get(&name) == Some(&ParamKind::Scalar))
    }
    fn vector(&self, name: Ref) -> Option<Ty> {
        let read = self.kinds.get(&name) == Some(&ParamKind::In) || self.made.contains(&name);
        self.ty(name).filter(|_| read)
    }
    fn function(&self, func: scalar::Func) -> Option<&scalar::Function> {
        self.program.scalars.get(func)
    }
}

/// The walk over one cluster.
struct Checker<'a> {
    program: &'a Program,
    cluster: &'a Cluster,
    /// The number of the next item.
    item: usize,
    /// The number of the space or node being checked.
    current: usize,
    errors: &'a mut Vec<Error>,
    kinds: FxHashMap<Ref, ParamKind>,
    /// Locals made so far.
    made: BTreeSet<Ref>,
    /// Those that depend on a chain node.
    chained: BTreeSet<Ref>,
    /// Those that scatters give.
    scattered: BTreeSet<Ref>,
}

impl<'a> Checker<'a> {
    /// Notes an error of the item being checked.
    fn error(&mut self, entity: impl fmt::Display, message: impl Into<String>) {
        let error =
            Error { item: self.current, entity: entity.to_string(), message: message.into() };
        self.errors.push(error);
    }

    fn next_item(&mut self) {
        self.current = self.item;
        self.item += 1;
    }

    fn cluster(&mut self, id: ClusterId) {
        self.next_item();
        let header = self.current;
        for param in &self.cluster.params {
            match self.cluster.refs.get(param.name) {
                Some(RefInfo { kind: RefKind::Param, .. }) => {}
                _ => self.error(param.name, "is no name of a parameter"),
            }
            if self.kinds.insert(param.name, param.kind).is_some() {
                self.error(param.name, "is two parameters");
            }
        }
        let before = self.errors.len();
        self.tree();
        if self.errors.len() > before {
            // Without a tree of spaces nothing can be said of nodes.
            self.item += self.cluster.nodes.iter().map(items).sum::<usize>();
            return;
        }
        for node in &self.cluster.nodes {
            self.next_item();
            self.node(node);
        }
        self.current = header;
        self.all_nodes(id);
    }

    /// Checks that the spaces form a tree.
    fn tree(&mut self) {
        for (space, info) in self.cluster.spaces.iter() {
            self.next_item();
            self.int(space, "lanes", info.lanes);
            let parent = match info.kind {
                SpaceKind::Root => None,
                SpaceKind::Regular(parent, len) => {
                    self.int(space, "length", len);
                    Some(parent)
                }
                SpaceKind::Packed(parent, offsets) => {
                    let ints = self.cluster.refs.get(offsets).is_some_and(|i| i.ty == Ty::I64);
                    if !ints || self.kinds.get(&offsets) != Some(&ParamKind::In) {
                        self.error(space, format!("its offsets {offsets} are no `in` of ints"));
                    }
                    if parent == Space::new(0) {
                        self.error(space, "a child of the root has no offsets");
                    }
                    Some(parent)
                }
            };
            if parent.is_none() != (space == Space::new(0)) {
                self.error(space, "the root is s0, and no other space is one");
            }
            if parent.is_some_and(|parent| parent >= space) {
                self.error(space, "the number of its parent is not smaller");
            } else if parent.is_some_and(|p| self.cluster.spaces[p].from.is_some()) {
                self.error(space, "its parent is a kept space");
            }
            self.kept(space);
        }
        if self.cluster.spaces.get(Space::new(0)).map(|s| s.lanes) != Some(int(1)) {
            self.error("s0", "the root has one lane");
        }
    }

    /// Checks a space that a filter makes.
    fn kept(&mut self, space: Space) {
        let info = self.cluster.spaces[space];
        let Some(source) = info.from else { return };
        let parent = |s: SpaceKind| match s {
            SpaceKind::Root => None,
            SpaceKind::Regular(parent, _) | SpaceKind::Packed(parent, _) => Some(parent),
        };
        let from = self.cluster.spaces.get(source).filter(|_| source < space);
        if from.is_none_or(|f| parent(f.kind).is_none() || parent(f.kind) != parent(info.kind)) {
            self.error(space, format!("{source} has another parent"));
        }
        if !matches!(info.kind, SpaceKind::Regular(_, len) if len == int(0)) || info.lanes != int(0)
        {
            self.error(space, "a kept space has no length and no lanes");
        }
        let makes = |n: &&Node| n.op == NodeOp::Filter { kept: space } && n.space == source;
        if self.cluster.nodes.iter().filter(makes).count() != 1 {
            self.error(space, format!("not one filter of {source} makes it"));
        }
    }

    /// Checks an operand outside code.
    fn int(&mut self, user: impl fmt::Display, what: &str, operand: Operand) {
        let ty = match operand {
            Atom::Const(c) => Some(c.ty()),
            Atom::Outer(r, ty) => {
                let scalar = self.kinds.get(&r) == Some(&ParamKind::Scalar);
                let known = self.cluster.refs.get(r).map(|info| info.ty);
                known.filter(|&known| scalar && known == ty)
            }
            Atom::Var(_) => None,
        };
        if ty != Some(Ty::I64) {
            self.error(user, format!("its {what} {operand} is no scalar i64"));
        }
    }

    fn node(&mut self, node: &Node) {
        let cluster = self.cluster;
        let user = join(&node.results, ", ");
        if cluster.spaces.get(node.space).is_none() {
            self.item += items(node) - 1;
            return self.error(user, format!("there is no space {}", node.space));
        }
        self.code(&user, node);
        let yields = node.code.yield_tys();
        self.op(&user, node, &yields);
        if let Some(wanted) = self.results(node, &yields) {
            self.homes(&user, node, &wanted);
        }
        self.pushes(&user, node);
        self.chain(&user, node);
        for &result in &node.results {
            if !self.made.insert(result) {
                self.error(result, "is given twice");
            }
            if let NodeOp::Scatter { .. } = node.op {
                self.scattered.insert(result);
            }
        }
    }

    /// Checks the code of a node.
    fn code(&mut self, user: &str, node: &Node) {
        let depth = self.cluster.chain(node.space).len();
        let wanted = if depth == 0 { 0 } else { depth + 1 };
        let code = &node.code;
        let ints = code.params.iter().all(|&p| code.vars.get(p) == Some(&Ty::I64));
        if code.params.len() != wanted || !ints {
            let space = node.space;
            self.error(user, format!("code over {space} has {wanted} parameters of type i64"));
        } else {
            self.reads(user, node);
        }
        let (program, cluster) = (self.program, self.cluster);
        let scope = CodeScope { program, cluster, kinds: &self.kinds, made: &self.made };
        verify_code(code, &scope, &mut self.item, self.errors);
    }

    /// Checks that locals are read at positions of the own lane.
    fn reads(&mut self, user: &str, node: &Node) {
        let cluster = self.cluster;
        let chain = cluster.chain(node.space);
        let mut positions: FxHashMap<Var, Space> =
            node.code.params.iter().copied().zip(chain.iter().copied()).collect();
        if let [only] = chain.as_slice() {
            positions.insert(node.code.params[1], *only);
        }
        let mut wrong = Vec::new();
        node.code.body.walk(&mut |item| match item {
            Item::Stmt(Stmt::Let(result, Op::Read(vector, index))) => {
                let Some(home) = home(cluster, *vector) else { return };
                let at = if let Atom::Var(v) = index { positions.get(v) } else { None };
                if at != Some(&home) {
                    wrong.push(*vector);
                }
                if let Some(source) = source(cluster, *vector) {
                    positions.insert(*result, source);
                }
            }
            Item::Stmt(Stmt::Call(call)) => {
                wrong.extend(call.vectors.iter().filter(|&&v| home(cluster, v).is_some()));
            }
            Item::Stmt(_) | Item::Yields(_) => {}
        });
        for vector in wrong {
            self.error(user, format!("{vector} is read elsewhere than in the own lane"));
        }
        let mut vectors = node.code.refs().vectors;
        vectors.retain(|v| self.scattered.contains(v));
        for vector in vectors {
            self.error(user, format!("{vector} is read before it is whole"));
        }
    }

    /// Checks what an operation wants of its space and of its yields.
    fn op(&mut self, user: &str, node: &Node, yields: &[Ty]) {
        let cluster = self.cluster;
        let root = node.space == Space::new(0);
        let kept = cluster.spaces[node.space].from.is_some();
        if root && !matches!(node.op, NodeOp::Map | NodeOp::Scatter { .. }) {
            self.error(user, "cannot work over the root");
        }
        if kept && !matches!(node.op, NodeOp::Map | NodeOp::Offsets) {
            self.error(user, "only maps and offsets work over a kept space");
        }
        if kept && node.op == NodeOp::Offsets {
            self.kept_offsets(user, node);
        }
        match &node.op {
            NodeOp::Map => {}
            NodeOp::Reduce(monoids) | NodeOp::Scan(monoids) => self.monoids(user, monoids, yields),
            NodeOp::Filter { kept } => {
                self.yields(user, yields, &[Ty::Bool]);
                if cluster.spaces.get(*kept).and_then(|s| s.from) != Some(node.space) {
                    self.error(user, format!("{kept} is not kept from {}", node.space));
                }
            }
            NodeOp::Offsets => self.yields(user, yields, &[Ty::I64]),
            NodeOp::Scatter { conflict, extent } => {
                self.int(user, "extent", *extent);
                if yields.first() != Some(&Ty::I64) {
                    self.error(user, "its code yields a position first");
                }
                if *conflict == Conflict::Greatest && yields.iter().any(|&ty| ty != Ty::I64) {
                    self.error(user, "of ints alone the greatest can stay");
                }
            }
            NodeOp::Sort(_) => {
                let ordered = |&ty: &Ty| ScalarOp::Lt.result(&[ty, ty]).is_some();
                if yields.len() != 1 || !yields.iter().all(ordered) {
                    self.error(user, "its code yields one ordered key");
                }
                if let SpaceKind::Regular(parent, _) = cluster.spaces[node.space].kind
                    && parent != Space::new(0)
                {
                    self.error(user, "its segments have no offsets");
                }
            }
        }
    }

    /// Checks offsets over the lanes that a filter keeps: their lengths are known in each lane of
    /// the source, where its number among the kept ones is not.
    fn kept_offsets(&mut self, user: &str, node: &Node) {
        let code = &node.code;
        let mut free = !code.has_effect();
        code.body.walk(&mut |item| {
            if let Item::Stmt(Stmt::Let(_, Op::Read(vector, Atom::Var(at)))) = item
                && source(self.cluster, *vector).is_some()
                && code.params.contains(at)
            {
                return;
            }
            item.for_each_atom(&mut |atom| {
                free &= !matches!(atom, Atom::Var(v) if code.params.contains(&v));
            });
        });
        let kept = |v: &Ref| home(self.cluster, *v) == Some(node.space);
        free &= code.refs().vectors.iter().all(|v| !kept(v) || source(self.cluster, *v).is_some());
        if !free {
            self.error(user, "lengths of kept lanes need more than where they come from");
        }
    }

    fn yields(&mut self, user: &str, found: &[Ty], wanted: &[Ty]) {
        if found != wanted {
            let (wanted, found) = (join(wanted, ", "), join(found, ", "));
            self.error(user, format!("its code yields ({found}), not ({wanted})"));
        }
    }

    fn monoids(&mut self, user: &str, monoids: &[Monoid], tys: &[Ty]) {
        if monoids.len() != tys.len() {
            self.error(user, format!("{} monoids for {} yields", monoids.len(), tys.len()));
        }
        for (monoid, &ty) in monoids.iter().zip(tys) {
            if monoid.op().result(&[ty, ty]) != Some(ty) {
                self.error(user, format!("{monoid} is no monoid of {ty}"));
            }
        }
    }

    /// Types and homes of the results; no home where several are possible.
    fn results(&self, node: &Node, yields: &[Ty]) -> Option<Vec<(Ty, Option<Space>)>> {
        let over = |space| yields.iter().map(|&ty| (ty, Some(space))).collect();
        let root = Space::new(0);
        Some(match &node.op {
            NodeOp::Map | NodeOp::Scan(_) => over(node.space),
            NodeOp::Reduce(_) => over(self.cluster.parent(node.space)?),
            NodeOp::Filter { kept } => {
                let own = [(Ty::I64, Some(*kept)), (Ty::I64, Some(root))];
                let total = node.results.len() == 3 && self.cluster.chain(node.space).len() > 1;
                own.into_iter().chain(total.then_some((Ty::I64, Some(root)))).collect()
            }
            NodeOp::Offsets => vec![(Ty::I64, Some(root)); node.results.len().clamp(1, 2)],
            NodeOp::Scatter { .. } => {
                yields.get(1..).unwrap_or_default().iter().map(|&ty| (ty, None)).collect()
            }
            NodeOp::Sort(SortKind::Sort) => over(node.space),
            NodeOp::Sort(_) => vec![(Ty::I64, Some(node.space))],
        })
    }

    fn homes(&mut self, user: &str, node: &Node, wanted: &[(Ty, Option<Space>)]) {
        if node.results.len() != wanted.len() {
            return self.error(user, format!("has {} results", wanted.len()));
        }
        for (&result, &(ty, wanted)) in node.results.iter().zip(wanted) {
            let Some(info) = self.cluster.refs.get(result) else {
                self.error(result, "has no type");
                continue;
            };
            let RefKind::Local(home) = info.kind else {
                self.error(result, "is a parameter and a result");
                continue;
            };
            let fits = match (wanted, &node.op) {
                (Some(wanted), _) => home == wanted,
                (None, NodeOp::Scatter { extent, .. }) => {
                    self.cluster.spaces.get(home).is_some_and(|s| s.lanes == *extent)
                }
                (None, _) => true,
            };
            if info.ty != ty || !fits {
                let over = wanted.map_or(String::new(), |w| format!(" [{w}]"));
                let found = format!("{} [{home}]", info.ty);
                self.error(result, format!("expected {ty}{over}, found {found}"));
            }
        }
    }

    fn pushes(&mut self, user: &str, node: &Node) {
        if node.pushes.len() != node.results.len() {
            self.error(user, "has not one push for each result");
        }
        for (k, (&result, &push)) in node.results.iter().zip(&node.pushes).enumerate() {
            let Some(push) = push else { continue };
            let wanted = if self.is_scalar(node, k) { ParamKind::Set } else { ParamKind::Out };
            if self.kinds.get(&push) != Some(&wanted) {
                self.error(result, format!("{push} is no `{}`", wanted.name()));
            }
            let ty = |r| self.cluster.refs.get(r).map(|info| info.ty);
            if ty(push) != ty(result) {
                self.error(result, format!("{push} is of another type"));
            }
        }
    }

    /// Whether a result is one scalar.
    fn is_scalar(&self, node: &Node, k: usize) -> bool {
        let root = Some(Space::new(0));
        match node.op {
            NodeOp::Map => node.space == Space::new(0),
            NodeOp::Reduce(_) => self.cluster.parent(node.space) == root,
            NodeOp::Filter { .. } => k == 2 || k == 1 && self.cluster.parent(node.space) == root,
            NodeOp::Offsets => k == 1,
            _ => false,
        }
    }

    /// Checks that a chain node does not depend on another one.
    fn chain(&mut self, user: &str, node: &Node) {
        let vectors = node.code.refs().vectors;
        // What a filter keeps is known when its lanes are.
        let kept = node.op == NodeOp::Offsets && self.cluster.spaces[node.space].from.is_some();
        let depends = vectors
            .iter()
            .any(|v| self.chained.contains(v) && !(kept && source(self.cluster, *v).is_some()));
        let is_chain = match node.op {
            NodeOp::Filter { .. } | NodeOp::Offsets => true,
            NodeOp::Scan(_) => self.cluster.chain(node.space).len() == 1,
            _ => false,
        };
        if is_chain && depends {
            self.error(user, "a chain node depends on another");
        }
        if is_chain || depends {
            self.chained.extend(&node.results);
        }
    }

    /// Checks what concerns all nodes together.
    fn all_nodes(&mut self, id: ClusterId) {
        let cluster = self.cluster;
        let mut pushed: IdMap<Ref, usize> = cluster.refs.ids().map(|_| 0).collect();
        for push in cluster.nodes.iter().flat_map(|n| &n.pushes).flatten() {
            if pushed.get(*push).is_some() {
                pushed[*push] += 1;
            }
        }
        for (name, info) in cluster.refs.iter() {
            let times = pushed[name];
            match (info.kind, self.kinds.get(&name)) {
                (RefKind::Param, None) => self.error(name, "is not among the parameters"),
                (RefKind::Param, Some(ParamKind::Out | ParamKind::Set)) if times != 1 => {
                    self.error(name, format!("is pushed to {times} times"));
                }
                (RefKind::Local(_), _) if !self.made.contains(&name) => {
                    self.error(name, "is given by no node");
                }
                _ => {}
            }
        }
        let outers: BTreeSet<Space> = cluster.nodes.iter().map(|n| outer(cluster, n)).collect();
        if outers.len() > 1 {
            self.error(id, format!("works over {}", join(outers, " and ")));
        }
        if cluster.nodes.len() > 1 && cluster.nodes.iter().any(|n| matches!(n.op, NodeOp::Sort(_)))
        {
            self.error(id, "a sort is not alone");
        }
        let ordered = |n: &Node| matches!(n.op, NodeOp::Scatter { conflict: Conflict::Last, .. });
        let quiet = |n: &Node| n.op == NodeOp::Map && n.pushes.iter().all(Option::is_none);
        if let Some(scatter) = cluster.nodes.iter().position(ordered) {
            let others = cluster.nodes.iter().enumerate().filter(|&(n, _)| n != scatter);
            if !others.into_iter().all(|(_, n)| quiet(n)) {
                self.error(id, "beside an ordered scatter there are not only maps without pushes");
            }
        }
    }
}

fn int(n: i64) -> Operand {
    Atom::Const(Const::I64(n))
}

/// The space that a local has elements for.
fn home(cluster: &Cluster, name: Ref) -> Option<Space> {
    match cluster.refs.get(name)?.kind {
        RefKind::Local(home) => Some(home),
        RefKind::Param => None,
    }
}

/// For the positions of a filter: the space in which they are.
fn source(cluster: &Cluster, name: Ref) -> Option<Space> {
    let filter = cluster
        .nodes
        .iter()
        .find(|n| matches!(n.op, NodeOp::Filter { .. }) && n.results.first() == Some(&name))?;
    Some(filter.space)
}

/// The outer space of a node; the root for one of the root.
fn outer(cluster: &Cluster, node: &Node) -> Space {
    let Some(_) = cluster.spaces.get(node.space) else { return Space::new(0) };
    let chain = cluster.chain(node.space);
    chain.first().map_or(Space::new(0), |&s| cluster.spaces[s].from.unwrap_or(s))
}

/// The number of items of a node, as the walk counts them.
fn items(node: &Node) -> usize {
    let mut count = 1;
    node.code.body.walk(&mut |_| count += 1);
    count
}
