//! Makes a cluster of a set of statements.

use crate::scatter::conflict;
use flat::{Domain, Function, Op, Operand, ScatterKind, Space, SpaceKind, Stmt, Value};
use plan::{Cluster, Node, NodeOp, Param, ParamKind, Ref, RefInfo, RefKind};
use prim::{Const, Monoid, ScalarOp, Ty, Width, Widths};
use rustc_hash::FxHashMap;
use scalar::Atom;
use std::collections::BTreeSet;

/// What a parameter of a cluster is bound to by the launch.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Bound {
    /// The value of the function.
    Value(Value),
    /// The number of lanes of a space.
    Lanes(Space),
    /// What the launch makes up to check permutations, in their order.
    Extra(usize),
}

/// A cluster and what its parameters are bound to.
pub(crate) struct Made {
    pub(crate) cluster: Cluster,
    pub(crate) bound: Vec<(Bound, ParamKind)>,
    /// The spaces that it works over.
    pub(crate) spaces: Vec<Space>,
    /// Those that its own filters make.
    pub(crate) kept: Vec<Space>,
}

struct Maker<'a> {
    function: &'a Function,
    cluster: Cluster,
    bound: Vec<(Bound, ParamKind)>,
    params: FxHashMap<Bound, Ref>,
    locals: FxHashMap<Value, Ref>,
    spaces: FxHashMap<Space, plan::Space>,
    /// Filtered spaces whose filter is in this cluster.
    kept: Vec<Space>,
    /// What is made up so far.
    extras: usize,
    widths: Widths,
}

/// Makes a cluster of statements; `escapes` tells which results are needed outside.
pub(crate) fn make(
    function: &Function,
    widths: Widths,
    stmts: &[&Stmt],
    escapes: impl Fn(Value) -> bool,
) -> Made {
    let mut maker = Maker::new(function, widths);
    for stmt in stmts {
        if let Op::Filter { .. } = stmt.op {
            maker.kept.extend(kept_space(function, stmt));
        }
    }
    maker.cluster.name = function.name.clone();
    for stmt in stmts {
        maker.stmt(stmt, &escapes);
    }
    // Nothing runs over what is only written to.
    let over = stmts.iter().filter_map(|stmt| stmt.op.space());
    let over: BTreeSet<Space> = over.flat_map(|space| function.chain(space)).collect();
    let spaces = over.into_iter().filter(|space| maker.spaces.contains_key(space)).collect();
    Made { cluster: maker.cluster, bound: maker.bound, spaces, kept: maker.kept }
}

/// The space of the lanes that a filter keeps.
pub(crate) fn kept_space(function: &Function, filter: &Stmt) -> Option<Space> {
    let positions = *filter.results.first()?;
    function.spaces.iter().find(|(_, s)| s.from.is_some_and(|f| f.1 == positions)).map(|(id, _)| id)
}

impl<'a> Maker<'a> {
    fn new(function: &'a Function, widths: Widths) -> Maker<'a> {
        let mut spaces = base::IdMap::new();
        let one = Atom::Const(Const::I64(1));
        let root =
            spaces.push(plan::SpaceInfo { kind: plan::SpaceKind::Root, lanes: one, from: None });
        let cluster = Cluster {
            name: String::new(),
            params: Vec::new(),
            refs: base::IdMap::new(),
            spaces,
            nodes: Vec::new(),
            spans: Vec::new(),
        };
        Maker {
            function,
            cluster,
            bound: Vec::new(),
            params: FxHashMap::default(),
            locals: FxHashMap::default(),
            spaces: std::iter::once((Function::root(), root)).collect(),
            kept: Vec::new(),
            extras: 0,
            widths,
        }
    }

    /// The parameter for something outside.
    fn param(&mut self, bound: Bound, kind: ParamKind, ty: Ty) -> Ref {
        if let Some(&known) = self.params.get(&bound) {
            return known;
        }
        let name = self.cluster.refs.push(RefInfo { ty, kind: RefKind::Param });
        self.cluster.params.push(Param { name, kind });
        self.bound.push((bound, kind));
        self.params.insert(bound, name);
        name
    }

    /// The name of a value inside.
    fn name(&mut self, value: Value) -> Ref {
        if let Some(&local) = self.locals.get(&value) {
            return local;
        }
        let info = self.function.values[value];
        let kind = match info.domain {
            Domain::Scalar => ParamKind::Scalar,
            Domain::Lanes(_) | Domain::Offsets(_) | Domain::Pool => ParamKind::In,
        };
        self.param(Bound::Value(value), kind, info.ty)
    }

    fn operand(&mut self, operand: Operand) -> plan::Operand {
        match operand {
            Operand::Const(c) => Atom::Const(c),
            Operand::Value(v) => Atom::Outer(self.name(v), self.function.values[v].ty),
        }
    }

    /// A space of the function inside the cluster.
    fn space(&mut self, space: Space) -> plan::Space {
        if let Some(&known) = self.spaces.get(&space) {
            return known;
        }
        let info = self.function.spaces[space];
        // A space kept by a filter of this cluster has no lanes of its own yet.
        let inside = self.kept.contains(&space);
        let zero = Atom::Const(Const::I64(0));
        let (kind, lanes) = match info.kind {
            SpaceKind::Root => unreachable!("the root is known"),
            SpaceKind::Regular(parent, _) | SpaceKind::Packed(parent, _) if inside => {
                (plan::SpaceKind::Regular(self.space(parent), zero), zero)
            }
            SpaceKind::Regular(parent, len) => {
                let parent = self.space(parent);
                let len = self.operand(len);
                (plan::SpaceKind::Regular(parent, len), self.lanes(space))
            }
            SpaceKind::Packed(parent, offsets) => {
                let parent = self.space(parent);
                let offsets = self.name(offsets);
                (plan::SpaceKind::Packed(parent, offsets), self.lanes(space))
            }
        };
        let from = match info.from {
            Some((source, _)) if inside => Some(self.space(source)),
            _ => None,
        };
        let id = self.cluster.spaces.push(plan::SpaceInfo { kind, lanes, from });
        self.spaces.insert(space, id);
        id
    }

    /// The number of lanes; that of a child of the root is its length.
    fn lanes(&mut self, space: Space) -> plan::Operand {
        match self.function.spaces[space].kind {
            SpaceKind::Regular(parent, len) if parent == Function::root() => self.operand(len),
            _ => Atom::Outer(self.param(Bound::Lanes(space), ParamKind::Scalar, Ty::I64), Ty::I64),
        }
    }

    fn code(&mut self, code: &flat::Code) -> plan::Code {
        code.map_refs(|v| self.name(v))
    }

    fn stmt(&mut self, stmt: &Stmt, escapes: &impl Fn(Value) -> bool) {
        let Some(code) = stmt.op.code() else { unreachable!("{stmt:?} in a cluster") };
        if !stmt.span.is_none() && !self.cluster.spans.contains(&stmt.span) {
            self.cluster.spans.push(stmt.span);
        }
        let code = self.code(code);
        let space = stmt.op.space().unwrap_or(Function::root());
        let id = self.space(space);
        let op = match &stmt.op {
            Op::Map { .. } => NodeOp::Map,
            Op::Reduce { monoids, .. } => NodeOp::Reduce(monoids.clone()),
            Op::Scan { monoids, .. } => NodeOp::Scan(monoids.clone()),
            Op::Filter { .. } => {
                let kept = kept_space(self.function, stmt);
                let kept = kept.unwrap_or_else(|| unreachable!("{stmt:?} keeps no space"));
                NodeOp::Filter { kept: self.space(kept) }
            }
            Op::Offsets { .. } => NodeOp::Offsets,
            Op::Scatter { kind, target, .. } => {
                return self.scatter(stmt, id, code, kind, *target);
            }
            Op::Sort { kind, .. } => NodeOp::Sort(match kind {
                flat::SortKind::Sort => plan::SortKind::Sort,
                flat::SortKind::Rank => plan::SortKind::Rank,
                flat::SortKind::RankDown => plan::SortKind::RankDown,
            }),
            Op::Fail { .. } => NodeOp::Map,
            Op::Literal(..)
            | Op::Join(_)
            | Op::Behind { .. }
            | Op::Grow { .. }
            | Op::Call(..)
            | Op::If(..) => {
                unreachable!("{stmt:?} in a cluster")
            }
        };
        let (mut results, mut pushes) = (Vec::new(), Vec::new());
        for &value in &stmt.results {
            let (local, push) = self.result(value, escapes(value));
            results.push(local);
            pushes.push(push);
        }
        self.cluster.nodes.push(Node { op, space: id, code, results, pushes });
    }

    /// A result: its name inside, and the parameter that it is pushed to.
    fn result(&mut self, value: Value, escapes: bool) -> (Ref, Option<Ref>) {
        let info = self.function.values[value];
        let home = match info.domain {
            Domain::Lanes(space) => self.space(space),
            Domain::Scalar | Domain::Offsets(_) | Domain::Pool => self.spaces[&Function::root()],
        };
        let local = self.cluster.refs.push(RefInfo { ty: info.ty, kind: RefKind::Local(home) });
        let push = escapes.then(|| {
            let kind = match info.domain {
                Domain::Scalar => ParamKind::Set,
                Domain::Lanes(_) | Domain::Offsets(_) | Domain::Pool => ParamKind::Out,
            };
            self.param(Bound::Value(value), kind, info.ty)
        });
        self.locals.insert(value, local);
        (local, push)
    }

    fn scatter(
        &mut self,
        stmt: &Stmt,
        space: plan::Space,
        mut code: plan::Code,
        kind: &ScatterKind,
        target: Space,
    ) {
        let target = self.space(target);
        let extent = self.cluster.spaces[target].lanes;
        let (mut results, mut pushes) = (Vec::new(), Vec::new());
        for &value in &stmt.results {
            let (local, push) = self.result(value, true);
            results.push(local);
            pushes.push(push);
        }
        let conflict = conflict(kind, &code);
        if *kind == ScatterKind::Permute {
            match check(self.function, stmt) {
                Check::Marks => {
                    code.body.yields.push(Atom::Const(Const::Bool(true)));
                    let kind = RefKind::Local(target);
                    results.push(self.cluster.refs.push(RefInfo { ty: Ty::Bool, kind }));
                    let marks = self.extra();
                    pushes.push(Some(self.param(marks, ParamKind::Out, Ty::Bool)));
                }
                Check::Sums => {
                    let at = code.body.yields[0];
                    self.sums(space, code.clone(), at);
                }
            }
        }
        let op = NodeOp::Scatter { conflict, extent };
        self.cluster.nodes.push(Node { op, space, code, results, pushes });
    }

    fn extra(&mut self) -> Bound {
        self.extras += 1;
        Bound::Extra(self.extras - 1)
    }

    /// Sums over a child of the root of the hashes of what code finds at `at`.
    fn sums(&mut self, space: plan::Space, code: plan::Code, at: plan::Operand) {
        let root = self.spaces[&Function::root()];
        let seeds = seeds(self.widths);
        let mut code = code;
        code.body.yields = seeds
            .iter()
            .map(|&seed| {
                let result = code.vars.push(Ty::I64);
                let args = vec![at, Atom::Const(Const::I64(seed))];
                let op = scalar::Op::Scalar(ScalarOp::Mix, args, base::Span::none());
                code.body.stmts.push(scalar::Stmt::Let(result, op));
                Atom::Var(result)
            })
            .collect();
        let (mut results, mut pushes) = (Vec::new(), Vec::new());
        for _ in seeds {
            let kind = RefKind::Local(root);
            results.push(self.cluster.refs.push(RefInfo { ty: Ty::I64, kind }));
            let sum = self.extra();
            pushes.push(Some(self.param(sum, ParamKind::Set, Ty::I64)));
        }
        let op = NodeOp::Reduce(vec![Monoid::Add; seeds.len()]);
        self.cluster.nodes.push(Node { op, space, code, results, pushes });
    }
}

/// How it is found out whether positions are a permutation of a space: each less than its length,
/// and none twice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Check {
    /// A mark at each position; all are marked if none was there twice.  Exact, but a second pass
    /// through memory in no order.
    Marks,
    /// Sums of the positions' hashes, which are those of all positions of the space.  Positions of
    /// which one is missing always come to another sum, others all but once in 2^64 times
    /// (fingerprints of multisets: Wegman and Carter, "New hash functions and their use in
    /// authentication and set equality").
    Sums,
}

/// How the positions of a permutation are checked: sums are of all lanes, so they must be those of
/// one vector.
pub(crate) fn check(function: &Function, permute: &Stmt) -> Check {
    let space = permute.op.space().unwrap_or(Function::root());
    match function.spaces[space].kind {
        SpaceKind::Regular(parent, _) | SpaceKind::Packed(parent, _)
            if parent == Function::root() =>
        {
            Check::Sums
        }
        _ => Check::Marks,
    }
}

/// What positions are hashed with, once for each sum: together the sums have 64 bits.
pub(crate) fn seeds(widths: Widths) -> &'static [i64] {
    match widths.int {
        Width::W64 => &[0x2545_f491],
        Width::W32 => &[0x2545_f491, 0x1b87_3593],
    }
}

/// A function without anything, for clusters that are of none.
fn nothing(name: &str) -> Function {
    Function {
        signature: None,
        lanes_of: None,
        name: name.to_string(),
        params: Vec::new(),
        values: base::IdMap::new(),
        spaces: base::IdMap::new(),
        body: flat::Block::default(),
    }
}

/// A cluster that sums the hashes of all positions of a space: their number, then the sums.
pub(crate) fn sum_positions(target: Space, widths: Widths) -> Made {
    let function = nothing("positions");
    let mut maker = Maker::new(&function, widths);
    let lanes = maker.extra();
    let lanes = Atom::Outer(maker.param(lanes, ParamKind::Scalar, Ty::I64), Ty::I64);
    let root = maker.spaces[&Function::root()];
    let kind = plan::SpaceKind::Regular(root, lanes);
    let space = maker.cluster.spaces.push(plan::SpaceInfo { kind, lanes, from: None });
    let mut builder = scalar::Builder::new();
    let at = Atom::Var(builder.param(Ty::I64));
    builder.param(Ty::I64);
    let code = builder.finish(Vec::new());
    maker.cluster.name.clone_from(&function.name);
    maker.sums(space, code, at);
    Made { cluster: maker.cluster, bound: maker.bound, spaces: vec![target], kept: Vec::new() }
}

/// A cluster that counts the marks of a permutation to a space: marks, their number, their count.
pub(crate) fn count_marks(target: Space, widths: Widths) -> Made {
    let function = nothing("marks");
    let mut maker = Maker::new(&function, widths);
    let marks = maker.param(Bound::Extra(0), ParamKind::In, Ty::Bool);
    let lanes = maker.param(Bound::Extra(1), ParamKind::Scalar, Ty::I64);
    let count = maker.param(Bound::Extra(2), ParamKind::Set, Ty::I64);
    let root = maker.spaces[&Function::root()];
    let lanes = Atom::Outer(lanes, Ty::I64);
    let kind = plan::SpaceKind::Regular(root, lanes);
    let space = maker.cluster.spaces.push(plan::SpaceInfo { kind, lanes, from: None });
    let mut builder = scalar::Builder::new();
    let at = builder.param(Ty::I64);
    builder.param(Ty::I64);
    let mark = builder.read(Ty::Bool, marks, Atom::Var(at));
    let one = builder.scalar(ScalarOp::Btoi, &[mark], base::Span::none());
    let code = builder.finish(vec![one]);
    let local = maker.cluster.refs.push(RefInfo { ty: Ty::I64, kind: RefKind::Local(root) });
    maker.cluster.name = "marks".to_string();
    maker.cluster.nodes.push(Node {
        op: NodeOp::Reduce(vec![Monoid::Add]),
        space,
        code,
        results: vec![local],
        pushes: vec![Some(count)],
    });
    Made { cluster: maker.cluster, bound: maker.bound, spaces: vec![target], kept: Vec::new() }
}
