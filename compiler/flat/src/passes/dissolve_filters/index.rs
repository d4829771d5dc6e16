//! Who uses what in a block, looked up once for all of its filters.

use crate::ir::{Block, Domain, Function, Op, Operand, Space, SpaceKind, Stmt, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::ops::Range;

/// The uses of values and spaces in a block, by statement; what nested blocks use, the statement
/// around them does.
pub(super) struct Index {
    users: FxHashMap<Value, BTreeSet<usize>>,
    over: FxHashMap<Space, BTreeSet<usize>>,
    makers: FxHashMap<Value, usize>,
    yielded: FxHashSet<Value>,
    /// Statements that may fail.
    failing: BTreeSet<usize>,
    /// Vectors with an element for each lane of a space.
    held: FxHashMap<Space, Vec<Value>>,
    /// Spaces that filters of a space keep, and the one that is kept at these positions.
    kept_from: FxHashMap<Space, Vec<Space>>,
    kept_by: FxHashMap<Value, Vec<Space>>,
    /// What filters of a space give: positions among its lanes.
    positions: FxHashMap<Space, Vec<Value>>,
    parents: FxHashSet<Space>,
    yielded_of: FxHashSet<Space>,
}

impl Index {
    pub(super) fn of(function: &Function, block: &Block) -> Index {
        let mut index = Index {
            users: FxHashMap::default(),
            over: FxHashMap::default(),
            makers: FxHashMap::default(),
            yielded: block.yields.iter().filter_map(|y| y.value()).collect(),
            failing: BTreeSet::new(),
            held: FxHashMap::default(),
            kept_from: FxHashMap::default(),
            kept_by: FxHashMap::default(),
            positions: FxHashMap::default(),
            parents: FxHashSet::default(),
            yielded_of: FxHashSet::default(),
        };
        for (n, stmt) in block.stmts.iter().enumerate() {
            index.stmt(function, n, stmt);
            index.makers.extend(stmt.results.iter().map(|&r| (r, n)));
            if stmt.op.has_effect() {
                index.failing.insert(n);
            }
        }
        for (value, info) in function.values.iter() {
            if let Domain::Lanes(space) = info.domain {
                index.held.entry(space).or_default().push(value);
            }
        }
        for (space, info) in function.spaces.iter() {
            if let Some((source, positions)) = info.from {
                index.kept_from.entry(source).or_default().push(space);
                index.kept_by.entry(positions).or_default().push(space);
                index.positions.entry(source).or_default().push(positions);
            }
        }
        // Of spaces that nobody uses only the text is left.
        let used: Vec<Space> = index.over.keys().copied().collect();
        index.parents = used.into_iter().filter_map(|space| function.parent(space)).collect();
        for value in block.yields.iter().filter_map(|y| y.value()) {
            if let Domain::Lanes(space) | Domain::Offsets(space) = function.values[value].domain {
                index.yielded_of.insert(space);
            }
        }
        index
    }

    fn stmt(&mut self, function: &Function, n: usize, stmt: &Stmt) {
        for value in stmt.op.uses() {
            self.users.entry(value).or_default().insert(n);
        }
        let target = match stmt.op {
            Op::Scatter { target, .. } => Some(target),
            _ => None,
        };
        for space in stmt.op.space().into_iter().chain(target) {
            for space in function.chain(space) {
                self.over.entry(space).or_default().insert(n);
                match function.spaces[space].kind {
                    SpaceKind::Regular(_, Operand::Value(v)) | SpaceKind::Packed(_, v) => {
                        self.users.entry(v).or_default().insert(n);
                    }
                    SpaceKind::Regular(_, Operand::Const(_)) | SpaceKind::Root => {}
                }
            }
        }
        if let Op::If(_, then, els) = &stmt.op {
            for stmt in then.stmts.iter().chain(&els.stmts) {
                self.stmt(function, n, stmt);
            }
        }
    }

    /// Statements that use a value, or a space of that shape.
    pub(super) fn users(&self, value: Value) -> impl Iterator<Item = usize> {
        self.users.get(&value).into_iter().flatten().copied()
    }
    /// Statements over a space, or that use what its lanes have, or where among them filters found
    /// those that they keep.
    pub(super) fn users_of_lanes(&self, space: Space) -> BTreeSet<usize> {
        let used = self.held(space).chain(self.positions(space));
        let using = used.flat_map(|value| self.users(value));
        self.over.get(&space).into_iter().flatten().copied().chain(using).collect()
    }
    /// Positions among the lanes of a space, of those that filters keep.
    fn positions(&self, space: Space) -> impl Iterator<Item = Value> {
        self.positions.get(&space).into_iter().flatten().copied()
    }
    /// Vectors with an element for each lane of a space.
    pub(super) fn held(&self, space: Space) -> impl Iterator<Item = Value> {
        self.held.get(&space).into_iter().flatten().copied()
    }
    /// The space that is kept at these positions, if it is one.
    pub(super) fn kept_by(&self, positions: Value) -> Option<Space> {
        match self.kept_by.get(&positions)?.as_slice() {
            [only] => Some(*only),
            _ => None,
        }
    }
    /// Spaces that filters of a space keep.
    pub(super) fn kept_from(&self, space: Space) -> impl Iterator<Item = Space> {
        self.kept_from.get(&space).into_iter().flatten().copied()
    }
    /// Whether there are spaces inside a space.
    pub(super) fn is_parent(&self, space: Space) -> bool {
        self.parents.contains(&space)
    }
    /// Whether the block gives a value.
    pub(super) fn is_yielded(&self, value: Value) -> bool {
        self.yielded.contains(&value)
    }
    /// Whether the block gives something that lanes of a space have, or where they are.
    pub(super) fn is_yielded_of(&self, space: Space) -> bool {
        self.yielded_of.contains(&space) || self.positions(space).any(|p| self.is_yielded(p))
    }
    /// Whether a statement after this one makes a value.
    pub(super) fn is_made_after(&self, value: Value, n: usize) -> bool {
        self.makers.get(&value).is_some_and(|&maker| maker > n)
    }
    /// Statements of a range that may fail.
    pub(super) fn failing(&self, range: Range<usize>) -> impl Iterator<Item = usize> {
        let range = if range.is_empty() { 0..0 } else { range };
        self.failing.range(range).copied()
    }
}
