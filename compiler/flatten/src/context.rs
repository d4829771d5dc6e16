//! One flat function under construction: values, spaces, and the stack of open blocks.

use crate::fit::Names;
use crate::op::heap::{Grown, Heap};
use crate::op::merge::Appended;
use crate::op::segment::Partitioned;
use crate::region::{Region, RegionId};
use crate::rep::{Pool, Rep, Scalar};
use crate::twin::Flattener;
use base::IdMap;
use flat::{
    Block, Domain, Function, Op, Operand, Space, SpaceInfo, SpaceKind, Stmt, Value, ValueInfo,
};
use prim::Ty;
use rustc_hash::{FxHashMap, FxHashSet};
use scalar::{Atom, Span};

/// What a block holds until it is finished.
pub(crate) enum Item {
    Stmt(Stmt),
    Region(RegionId),
    If { results: Vec<Value>, cond: Operand, then: Items, els: Items, span: Span },
}

/// A finished list of items and what it gives.
pub(crate) struct Items {
    pub(crate) items: Vec<Item>,
    pub(crate) yields: Vec<Operand>,
}

/// A flat function under construction.
pub(crate) struct Context<'f, 'a> {
    pub(crate) flattener: &'f mut Flattener<'a>,
    /// The nest function being translated (a callee while it is inlined).
    pub(crate) source: &'a nest::Function,
    pub(crate) values: IdMap<Value, ValueInfo>,
    pub(crate) spaces: IdMap<Space, SpaceInfo>,
    pub(crate) regions: IdMap<RegionId, Region>,
    /// For each open block, the open region of each space.
    pub(crate) open: Vec<FxHashMap<Space, RegionId>>,
    /// For each open block, spaces made in it by (parent, length).
    pub(crate) lengths: Vec<FxHashMap<(Space, Scalar), Space>>,
    blocks: Vec<Vec<Item>>,
    /// The current space.
    pub(crate) space: Space,
    /// The source text being translated.
    pub(crate) span: Span,
    /// Whether errors are reported where statements stand (not at the call being inlined).
    pub(crate) follow_spans: bool,
    /// The space of the segments that the offsets of a packed parameter describe.
    pub(crate) packed: FxHashMap<Value, Space>,
    /// The pools behind the parameters, in order.
    pub(crate) given: Vec<Pool>,
    /// Pools that have other names.
    pub(crate) known: Names,
    /// Whether the function hands up pools of its arguments by number.
    pub(crate) numbers_pools: bool,
    /// The recursion that the function is part of.
    pub(crate) recursion: nest::Func,
    /// What its sequences look into, if it is called with heaps.
    pub(crate) heaps: Vec<Heap>,
    /// Where the root looks at what lies in heaps otherwise: by the types of elements the pools
    /// that the recursion was given.
    pub(crate) outside: Vec<(nest::Type, Vec<Pool>)>,
    /// Heaps to which something was added.
    pub(crate) grown: Vec<Grown>,
    /// Whether it is a lifted function.
    pub(crate) lifted: bool,
    /// In a lifted function: the vectors of pools that calls have handed up.
    pub(crate) growing: FxHashSet<Value>,
    /// The vectors of pools that have no elements.
    pub(crate) empty: FxHashSet<Value>,
    /// The sequences that were put together last, by the space of their elements.
    pub(crate) appended: FxHashMap<Space, Appended>,
    /// The sequences that were cut into pieces last, by the space of the pieces.
    pub(crate) partitioned: FxHashMap<Space, Partitioned>,
}

impl<'f, 'a> Context<'f, 'a> {
    /// The function under construction, of a recursion.
    pub(crate) fn new(
        flattener: &'f mut Flattener<'a>,
        source: &'a nest::Function,
        recursion: nest::Func,
    ) -> Self {
        let mut spaces = IdMap::new();
        let root = spaces.push(SpaceInfo { kind: SpaceKind::Root, from: None });
        Context {
            flattener,
            source,
            values: IdMap::new(),
            spaces,
            regions: IdMap::new(),
            open: vec![FxHashMap::default()],
            lengths: vec![FxHashMap::default()],
            blocks: vec![Vec::new()],
            space: root,
            span: source.span,
            follow_spans: true,
            packed: FxHashMap::default(),
            given: Vec::new(),
            known: Names::default(),
            numbers_pools: false,
            recursion,
            heaps: Vec::new(),
            outside: Vec::new(),
            grown: Vec::new(),
            lifted: false,
            growing: FxHashSet::default(),
            empty: FxHashSet::default(),
            appended: FxHashMap::default(),
            partitioned: FxHashMap::default(),
        }
    }

    pub(crate) fn at_root(&self) -> bool {
        self.space == Function::root()
    }

    pub(crate) fn parent(&self, space: Space) -> Option<Space> {
        match self.spaces[space].kind {
            SpaceKind::Root => None,
            SpaceKind::Regular(parent, _) | SpaceKind::Packed(parent, _) => Some(parent),
        }
    }

    pub(crate) fn chain(&self, space: Space) -> Vec<Space> {
        let mut chain = Vec::new();
        let mut at = space;
        while let Some(parent) = self.parent(at) {
            chain.push(at);
            at = parent;
        }
        chain.reverse();
        chain
    }

    pub(crate) fn push_item(&mut self, item: Item) {
        if let Some(block) = self.blocks.last_mut() {
            block.push(item);
        }
    }

    /// Whether a value is made in the block opened last.
    pub(crate) fn is_made_here(&self, value: Value) -> bool {
        let makes = |item: &Item| match item {
            Item::Stmt(stmt) => stmt.results.contains(&value),
            Item::Region(region) => self.regions[*region].outputs.iter().any(|o| o.1 == value),
            Item::If { results, .. } => results.contains(&value),
        };
        self.blocks.last().is_some_and(|items| items.iter().any(makes))
    }

    /// Adds a statement.  Open regions with checks stand before it, so that what depends on a
    /// check runs after it.
    pub(crate) fn push(&mut self, results: Vec<Value>, op: Op) {
        self.flush_checks();
        let span = self.span;
        self.push_item(Item::Stmt(Stmt { results, op, span }));
    }

    /// Opens a block of the function (an arm that may not run).
    pub(crate) fn begin(&mut self) {
        self.flush_all();
        self.open.push(FxHashMap::default());
        self.lengths.push(FxHashMap::default());
        self.blocks.push(Vec::new());
    }

    /// Closes the block opened last.
    pub(crate) fn end(&mut self, yields: Vec<Operand>) -> Items {
        self.flush_all();
        self.open.pop();
        self.lengths.pop();
        Items { items: self.blocks.pop().unwrap_or_default(), yields }
    }

    /// Works in another space.
    pub(crate) fn within<T>(&mut self, space: Space, work: impl FnOnce(&mut Self) -> T) -> T {
        let saved = std::mem::replace(&mut self.space, space);
        let result = work(self);
        self.space = saved;
        result
    }

    /// The child space of the current one whose segments have this length (negative counts as 0).
    pub(crate) fn new_space(&mut self, len: Scalar) -> Space {
        let parent = self.space;
        let key = (parent, len);
        if let Some(&known) = self.lengths.iter().rev().find_map(|level| level.get(&key)) {
            return known;
        }
        let len = match len {
            Scalar::Const(c) => Scalar::int(c.int().max(0)),
            other => other,
        };
        let kind = match self.uniform(len) {
            Some(operand) => SpaceKind::Regular(parent, operand),
            None => SpaceKind::Packed(parent, self.offsets(len)),
        };
        let space = self.spaces.push(SpaceInfo { kind, from: None });
        if let Some(level) = self.lengths.last_mut() {
            level.insert(key, space);
        }
        space
    }

    /// A child space of the current one with offsets, even if all segments have one length.
    pub(crate) fn packed_space(&mut self, len: Scalar) -> Space {
        let kind = SpaceKind::Packed(self.space, self.offsets(len));
        self.spaces.push(SpaceInfo { kind, from: None })
    }

    /// A scalar that is the same for all lanes, as an operand of the function.
    pub(crate) fn uniform(&mut self, scalar: Scalar) -> Option<Operand> {
        match scalar {
            Scalar::Const(c) => Some(Operand::Const(c)),
            Scalar::Value(v, space) => (space == Function::root()).then_some(Operand::Value(v)),
            Scalar::Index(_) => None,
            Scalar::Pending(region, var) => (self.home(scalar) == Some(Function::root()))
                .then(|| Operand::Value(self.output(region, var))),
        }
    }

    /// Offsets over the lanes of the current space for segments of this length.
    fn offsets(&mut self, len: Scalar) -> Value {
        let space = self.space;
        let mut lane = self.lane(space);
        let atom = self.reach(&mut lane, len);
        let code = lane.builder.finish(vec![atom]);
        let info = ValueInfo { ty: Ty::I64, domain: Domain::Offsets(space) };
        let result = self.values.push(info);
        self.push(vec![result], Op::Offsets { space, code });
        result
    }

    /// Code over a space that yields these scalars.
    pub(crate) fn code(&mut self, space: Space, scalars: &[Scalar]) -> flat::Code {
        let mut lane = self.lane(space);
        let atoms: Vec<Atom<Value>> = scalars.iter().map(|&s| self.reach(&mut lane, s)).collect();
        lane.builder.finish(atoms)
    }

    /// The scalars of a rep without sequences, in order.
    pub(crate) fn scalars(&self, rep: &Rep) -> Vec<Scalar> {
        match rep {
            Rep::Scalar(s) => vec![*s],
            Rep::Tuple(parts) => parts.iter().flat_map(|p| self.scalars(p)).collect(),
            Rep::Lanes { .. } | Rep::View { .. } => unreachable!("a sequence among scalars"),
        }
    }

    /// Finishes the function.
    pub(crate) fn finish(
        mut self,
        name: String,
        params: Vec<Value>,
        yields: Vec<Operand>,
    ) -> Function {
        let items = self.end(yields);
        let body = self.block(items);
        Function {
            name,
            params,
            signature: None,
            lanes_of: None,
            values: self.values,
            spaces: self.spaces,
            body,
        }
    }

    fn block(&mut self, items: Items) -> Block {
        let mut stmts = Vec::new();
        for item in items.items {
            match item {
                Item::Stmt(stmt) => stmts.push(stmt),
                Item::Region(id) => stmts.extend(self.map_of(id)),
                Item::If { results, cond, then, els, span } => {
                    let op = Op::If(cond, self.block(then), self.block(els));
                    stmts.push(Stmt { results, op, span });
                }
            }
        }
        Block { stmts, yields: items.yields }
    }

    /// The map that a region has become; nothing if it neither gives nor checks anything.
    fn map_of(&mut self, id: RegionId) -> Option<Stmt> {
        let region = &self.regions[id];
        let results: Vec<Value> = region.outputs.iter().map(|o| o.1).collect();
        let yields = region.outputs.iter().map(|o| Atom::Var(o.0)).collect();
        let code = region.lane.builder.clone().finish(yields);
        if results.is_empty() && code.body.stmts.is_empty() {
            return None;
        }
        let op = Op::Map { space: region.lane.space, code };
        Some(Stmt { results, op, span: region.span })
    }
}
