//! The dependence graph of a block.

use flat::{Block, Domain, Function, Op, Operand, Space, SpaceKind, Stmt, Value};
use rustc_hash::FxHashMap;
use scalar::{Atom, Item};
use std::collections::BTreeSet;

/// Statements of one block and what they need of each other.
pub(crate) struct Graph<'a> {
    pub(crate) function: &'a Function,
    pub(crate) nodes: Vec<GraphNode<'a>>,
}

/// A statement as a node.
pub(crate) struct GraphNode<'a> {
    pub(crate) stmt: &'a Stmt,
    /// The outer space, if the statement can be in a cluster with others.
    pub(crate) outer: Option<Space>,
    /// Producers in the block and whether the edge is fusible.
    pub(crate) edges: Vec<(usize, bool)>,
    /// Everything that it uses, nested blocks and shapes of spaces included.
    pub(crate) uses: BTreeSet<Value>,
    /// Whether it is a chain statement.
    pub(crate) chain: bool,
}

/// Sets of statements, in an order in which they can run; each set in program order.
pub(crate) type Partition = Vec<Vec<usize>>;

impl<'a> Graph<'a> {
    pub(crate) fn new(function: &'a Function, block: &'a Block) -> Graph<'a> {
        let mut makers: FxHashMap<Value, usize> = FxHashMap::default();
        for (n, stmt) in block.stmts.iter().enumerate() {
            makers.extend(stmt.results.iter().map(|&r| (r, n)));
        }
        let mut graph = Graph { function, nodes: Vec::new() };
        for stmt in &block.stmts {
            let node = graph.node(stmt, block, &makers);
            graph.nodes.push(node);
        }
        graph
    }

    fn node(
        &self,
        stmt: &'a Stmt,
        block: &'a Block,
        makers: &FxHashMap<Value, usize>,
    ) -> GraphNode<'a> {
        let outer = self.outer(stmt);
        let mut needs: Vec<(usize, bool)> = Vec::new();
        let mut need = |value: Value, fusible: bool| {
            if let Some(&maker) = makers.get(&value) {
                needs.push((maker, fusible));
            }
        };
        let pulled =
            if outer.is_some() { self.pulled(stmt, block, makers) } else { BTreeSet::new() };
        for value in stmt.op.uses() {
            need(value, pulled.contains(&value));
        }
        for value in shape_values(self.function, stmt) {
            let own_filter = stmt.op.space().is_some_and(|s| self.is_kept_map(stmt, s, value));
            need(value, own_filter);
        }
        let mut edges: Vec<(usize, bool)> = Vec::new();
        for (maker, fusible) in needs {
            match edges.iter_mut().find(|e| e.0 == maker) {
                Some(edge) => edge.1 &= fusible,
                None => edges.push((maker, fusible)),
            }
        }
        let mut uses: BTreeSet<Value> = stmt.op.uses().into_iter().collect();
        uses.extend(shape_values(self.function, stmt));
        GraphNode { stmt, outer, edges, uses, chain: self.is_chain(stmt) }
    }

    /// The outer space of a statement that can share a cluster.
    fn outer(&self, stmt: &Stmt) -> Option<Space> {
        match &stmt.op {
            Op::Map { space, .. }
            | Op::Reduce { space, .. }
            | Op::Scan { space, .. }
            | Op::Filter { space, .. }
            | Op::Offsets { space, .. } => self.function.chain(*space).first().copied(),
            Op::Scatter { .. }
            | Op::Sort { .. }
            | Op::Fail { .. }
            | Op::Literal(..)
            | Op::Call(..)
            | Op::If(..) => None,
        }
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

    /// Whether the statement is a map over a filtered space whose shape is `value`, so that it can
    /// run where the filter keeps a lane.
    fn is_kept_map(&self, stmt: &Stmt, space: Space, value: Value) -> bool {
        let info = &self.function.spaces[space];
        let shape = match info.kind {
            SpaceKind::Regular(_, Operand::Value(v)) | SpaceKind::Packed(_, v) => Some(v),
            SpaceKind::Root | SpaceKind::Regular(_, Operand::Const(_)) => None,
        };
        info.from.is_some() && shape == Some(value) && matches!(stmt.op, Op::Map { .. })
    }

    /// The vectors that a statement only reads at positions of its own lane, and whose producers
    /// hold an element for each lane.
    fn pulled(
        &self,
        stmt: &Stmt,
        block: &Block,
        makers: &FxHashMap<Value, usize>,
    ) -> BTreeSet<Value> {
        let (Some(space), Some(code)) = (stmt.op.space(), stmt.op.code()) else {
            return BTreeSet::new();
        };
        let mut reads =
            Reads { function: self.function, space, good: BTreeSet::new(), bad: BTreeSet::new() };
        reads.look(code);
        let pullable = |v: &Value| {
            makers.get(v).is_some_and(|&m| match &block.stmts[m].op {
                Op::Map { .. } | Op::Reduce { .. } | Op::Scan { .. } => true,
                Op::Filter { .. } => {
                    // Positions: only where the filter keeps a lane.
                    self.function.values[*v].domain == Domain::Lanes(space)
                        && matches!(stmt.op, Op::Map { .. })
                }
                _ => false,
            })
        };
        reads.good.iter().filter(|v| !reads.bad.contains(v) && pullable(v)).copied().collect()
    }
}

/// Which vectors code reads at its own positions, and which elsewhere.
struct Reads<'a> {
    function: &'a Function,
    space: Space,
    good: BTreeSet<Value>,
    bad: BTreeSet<Value>,
}

impl Reads<'_> {
    fn look(&mut self, code: &flat::Code) {
        let chain = self.function.chain(self.space);
        // Variables that hold a position of this lane in some space.
        let mut positions: FxHashMap<scalar::Var, Space> =
            chain.iter().zip(&code.params).map(|(&s, &p)| (p, s)).collect();
        if chain.len() == 1 {
            positions.insert(code.params[1], chain[0]);
        }
        code.body.walk(&mut |item| match item {
            Item::Stmt(scalar::Stmt::Let(result, scalar::Op::Read(vector, index))) => {
                self.read(&mut positions, *result, *vector, *index);
            }
            Item::Stmt(scalar::Stmt::Call(call)) => self.bad.extend(&call.vectors),
            Item::Stmt(_) | Item::Yields(_) => {}
        });
        self.bad.extend(code.refs().outers);
    }

    fn read(
        &mut self,
        positions: &mut FxHashMap<scalar::Var, Space>,
        result: scalar::Var,
        vector: Value,
        index: Atom<Value>,
    ) {
        let at = match index {
            Atom::Var(v) => positions.get(&v).copied(),
            Atom::Const(_) | Atom::Outer(..) => None,
        };
        let own = at.is_some_and(|s| self.function.values[vector].domain == Domain::Lanes(s));
        if !own {
            self.bad.insert(vector);
            return;
        }
        self.good.insert(vector);
        // Reading where a filtered lane came from gives a position there.
        if let Some((source, from)) = at.and_then(|s| self.function.spaces[s].from)
            && from == vector
        {
            positions.insert(result, source);
        }
    }
}

/// Values that the spaces of a statement, and of those nested in it, are made of.
fn shape_values(function: &Function, stmt: &Stmt) -> Vec<Value> {
    let mut values = Vec::new();
    let mut add = |space: Space| {
        for space in function.chain(space) {
            match function.spaces[space].kind {
                SpaceKind::Regular(_, Operand::Value(v)) | SpaceKind::Packed(_, v) => {
                    values.push(v);
                }
                SpaceKind::Root | SpaceKind::Regular(_, Operand::Const(_)) => {}
            }
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
