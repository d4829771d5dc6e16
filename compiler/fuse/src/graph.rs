//! The dependence graph of a block.

use crate::legal::{Edge, nearest, shares};
use crate::scatter::is_permute;
use flat::{Block, Domain, Function, Op, Operand, ScatterKind, Space, SpaceKind, Stmt, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use scalar::{Atom, Item};
use std::collections::BTreeSet;

/// Statements of one block and what they need of each other.
pub(crate) struct Graph<'a> {
    pub(crate) function: &'a Function,
    pub(crate) nodes: Vec<GraphNode<'a>>,
    /// What the block gives.
    yields: FxHashSet<Value>,
    /// The statements that use each value, in order.
    users: FxHashMap<Value, Vec<usize>>,
    /// The kept lanes that each value is the shape of.
    kept: FxHashMap<Value, Space>,
    /// The last statement whose checks the host makes.
    host_check: Option<usize>,
}

/// A statement as a node.
pub(crate) struct GraphNode<'a> {
    pub(crate) stmt: &'a Stmt,
    /// The outer space, if the statement can be in a cluster with others.
    pub(crate) outer: Option<Space>,
    /// Producers in the block and how near this is to them.
    pub(crate) edges: Vec<(usize, Edge)>,
    /// Everything that it uses, nested blocks and shapes of spaces included.
    pub(crate) uses: BTreeSet<Value>,
    /// Whether it is a chain statement.
    pub(crate) chain: bool,
    /// Whether it may fail.
    pub(crate) checks: bool,
    /// Vectors that it overwrites: a copy is made before its cluster runs, or the memory is taken
    /// over.
    pub(crate) overwrites: &'a [Value],
}

/// Sets of statements, in an order in which they can run; each set in program order.
pub(crate) type Partition = Vec<Vec<usize>>;

impl<'a> Graph<'a> {
    pub(crate) fn new(function: &'a Function, block: &'a Block) -> Graph<'a> {
        let mut makers: FxHashMap<Value, usize> = FxHashMap::default();
        for (n, stmt) in block.stmts.iter().enumerate() {
            makers.extend(stmt.results.iter().map(|&r| (r, n)));
        }
        let yields = block.yields.iter().filter_map(|y| y.value()).collect();
        let kept = function.spaces.iter().rev().filter(|(_, info)| info.from.is_some());
        let kept = kept.filter_map(|(space, info)| Some((shape(info)?, space))).collect();
        let (nodes, users) = (Vec::new(), FxHashMap::default());
        let mut graph = Graph { function, nodes, yields, users, kept, host_check: None };
        for stmt in &block.stmts {
            let node = graph.node(stmt, block, &makers);
            graph.add(node);
        }
        graph
    }

    fn add(&mut self, node: GraphNode<'a>) {
        let n = self.nodes.len();
        for &value in &node.uses {
            self.users.entry(value).or_default().push(n);
        }
        if node.checks && (node.outer.is_none() || is_permute(node.stmt)) {
            self.host_check = Some(n);
        }
        self.nodes.push(node);
    }

    fn node(
        &self,
        stmt: &'a Stmt,
        block: &'a Block,
        makers: &FxHashMap<Value, usize>,
    ) -> GraphNode<'a> {
        let outer = self.outer(stmt);
        let reads = if outer.is_some() { self.reads(stmt) } else { FxHashMap::default() };
        let overwrites = match &stmt.op {
            Op::Scatter { kind: ScatterKind::Write(base) | ScatterKind::Into(base), .. } => {
                base.as_slice()
            }
            _ => &[],
        };
        let used = stmt.op.uses().into_iter().map(|value| {
            let whole = overwrites.contains(&value).then_some(Edge::Memory);
            let edge = whole.or(reads.get(&value).copied()).unwrap_or(Edge::Memory);
            (value, edge.max(self.least(stmt, value, block, makers)))
        });
        let shapes = shape_values(self.function, stmt).into_iter().map(|value| {
            let kept = stmt.op.space().is_some_and(|s| self.is_kept_map(stmt, s, value));
            (value, if kept { Edge::Kept } else { Edge::Memory })
        });
        let mut edges: Vec<(usize, Edge)> = Vec::new();
        let mut edge_to: FxHashMap<usize, usize> = FxHashMap::default();
        for (value, edge) in used.chain(shapes) {
            let Some(&maker) = makers.get(&value) else { continue };
            let at = *edge_to.entry(maker).or_insert(edges.len());
            match edges.get_mut(at) {
                Some(known) => known.1 = known.1.max(edge),
                None => edges.push((maker, edge)),
            }
        }
        let mut uses: BTreeSet<Value> = stmt.op.uses().into_iter().collect();
        uses.extend(shape_values(self.function, stmt));
        let checks = stmt.op.has_effect();
        if checks {
            // The host's checks come before those that follow: of two errors the first is told.
            edges.extend(self.host_check.map(|before| (before, Edge::Memory)));
        }
        GraphNode { stmt, outer, edges, uses, chain: self.is_chain(stmt), checks, overwrites }
    }

    /// The outer space of a statement that can share a cluster.
    fn outer(&self, stmt: &Stmt) -> Option<Space> {
        let space = stmt.op.space().filter(|_| shares(&stmt.op))?;
        self.function.chain(space).first().copied()
    }

    fn is_chain(&self, stmt: &Stmt) -> bool {
        match &stmt.op {
            Op::Filter { .. } | Op::Offsets { .. } => true,
            Op::Scan { space, .. } => self.function.chain(*space).len() == 1,
            _ => false,
        }
    }

    /// Whether statement `n` uses a value, in nested blocks and in the shapes of spaces, too.
    pub(crate) fn needs(&self, n: usize, value: Value) -> bool {
        let node = &self.nodes[n];
        node.uses.contains(&value)
    }

    /// The statements that use a value, in order.
    pub(crate) fn users(&self, value: Value) -> &[usize] {
        self.users.get(&value).map_or(&[], Vec::as_slice)
    }

    /// Whether a value is needed outside a set of statements: as a result of the block or by
    /// another statement.
    ///
    /// The shape of kept lanes is needed where what they hold is: it says how much that is.
    pub(crate) fn escapes(&self, inside: &BTreeSet<usize>, value: Value) -> bool {
        let holds = |space: Space| {
            let made = inside.iter().flat_map(|&n| &self.nodes[n].stmt.results);
            let held = |v: &&Value| {
                let domain = self.function.values[**v].domain;
                domain == Domain::Lanes(space) || domain == Domain::Offsets(space)
            };
            made.filter(held).any(|&v| self.is_needed_outside(inside, v))
        };
        self.is_needed_outside(inside, value) || self.kept.get(&value).copied().is_some_and(holds)
    }

    fn is_needed_outside(&self, inside: &BTreeSet<usize>, value: Value) -> bool {
        self.yields.contains(&value) || self.users(value).iter().any(|n| !inside.contains(n))
    }

    /// Whether the statement is a map over a filtered space whose shape is `value`, so that it can
    /// run where the filter keeps a lane.
    fn is_kept_map(&self, stmt: &Stmt, space: Space, value: Value) -> bool {
        let info = &self.function.spaces[space];
        info.from.is_some() && shape(info) == Some(value) && self.function.runs_kept(stmt)
    }

    /// How close a consumer can be to the producer of a value, however it reads it.
    fn least(
        &self,
        stmt: &Stmt,
        value: Value,
        block: &Block,
        makers: &FxHashMap<Value, usize>,
    ) -> Edge {
        let Some(&maker) = makers.get(&value) else { return Edge::Memory };
        let own = stmt.op.space().map(Domain::Lanes);
        let positions = own == Some(self.function.values[value].domain);
        nearest(&block.stmts[maker].op, positions && self.function.runs_kept(stmt))
    }

    /// How a statement reads each vector.
    fn reads(&self, stmt: &Stmt) -> FxHashMap<Value, Edge> {
        let (Some(space), Some(code)) = (stmt.op.space(), stmt.op.code()) else {
            return FxHashMap::default();
        };
        let mut reads = Reads { function: self.function, space, edges: FxHashMap::default() };
        reads.look(code);
        reads.edges
    }
}

/// How code reads vectors.
struct Reads<'a> {
    function: &'a Function,
    space: Space,
    edges: FxHashMap<Value, Edge>,
}

/// Variables that hold a position of the lane: in which space, and whether it is one that a filter
/// kept.
type Positions = FxHashMap<scalar::Var, (Space, Edge)>;

impl Reads<'_> {
    fn look(&mut self, code: &flat::Code) {
        let chain = self.function.chain(self.space);
        let mut positions: Positions =
            code.params.iter().zip(&chain).map(|(&p, &s)| (p, (s, Edge::Own))).collect();
        if let [only] = chain.as_slice() {
            positions.insert(code.params[1], (*only, Edge::Own));
        }
        code.body.walk(&mut |item| match item {
            Item::Stmt(scalar::Stmt::Let(result, scalar::Op::Read(vector, index))) => {
                self.read(&mut positions, *result, *vector, *index);
            }
            Item::Stmt(scalar::Stmt::Call(call)) => {
                call.vectors.iter().for_each(|&v| self.note(v, Edge::Memory));
            }
            Item::Stmt(_) | Item::Yields(_) => {}
        });
        code.refs().outers.into_iter().for_each(|v| self.note(v, Edge::Memory));
    }

    fn note(&mut self, vector: Value, edge: Edge) {
        let known = self.edges.entry(vector).or_insert(edge);
        *known = edge.max(*known);
    }

    fn read(
        &mut self,
        positions: &mut Positions,
        result: scalar::Var,
        vector: Value,
        index: Atom<Value>,
    ) {
        let at = match index {
            Atom::Var(v) => positions.get(&v).copied(),
            Atom::Const(_) | Atom::Outer(..) => None,
        };
        let own = |&(s, _): &(Space, Edge)| self.function.values[vector].domain == Domain::Lanes(s);
        let Some((space, edge)) = at.filter(own) else { return self.note(vector, Edge::Memory) };
        self.note(vector, edge);
        // Reading where a filtered lane came from gives a position there.
        if let Some((source, from)) = self.function.spaces[space].from
            && from == vector
            && space == self.space
        {
            positions.insert(result, (source, Edge::Kept));
        }
    }
}

/// The value that says how long the segments of a space are.
pub(crate) fn shape(info: &flat::SpaceInfo) -> Option<Value> {
    match info.kind {
        SpaceKind::Regular(_, Operand::Value(v)) | SpaceKind::Packed(_, v) => Some(v),
        SpaceKind::Root | SpaceKind::Regular(_, Operand::Const(_)) => None,
    }
}

/// Values that the spaces of a statement, and of those nested in it, are made of.
fn shape_values(function: &Function, stmt: &Stmt) -> Vec<Value> {
    let mut values = Vec::new();
    let mut add = |space: Space| {
        for space in function.chain(space) {
            values.extend(shape(&function.spaces[space]));
        }
    };
    if let Some(space) = stmt.op.space() {
        add(space);
    }
    match &stmt.op {
        Op::Scatter { target, .. } => add(*target),
        Op::If(_, then, els) => {
            for nested in then.stmts.iter().chain(&els.stmts) {
                values.extend(shape_values(function, nested));
            }
        }
        _ => {}
    }
    values
}
