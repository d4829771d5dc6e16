//! Regions: the scalar code of a space under construction, and how it reaches values elsewhere.
//!
//! Scalar statements of a lane are collected in the open region of the lane's space.  A region is
//! closed and put in the program, as one `map`, when something else needs one of its variables;
//! later scalar statements start a new one.  Which variables become results of the map is found out
//! as they are asked for.

use crate::context::{Context, Item};
use crate::rep::Scalar;
use base::define_id;
use flat::{Domain, Function, Space, SpaceKind, Value};
use prim::{Const, ScalarOp, Ty};
use scalar::{Atom, Builder, Span, Var};

define_id!(RegionId, "r", "Scalar code of one space.");

/// Code over a space: builder and parameters.
#[derive(Clone, Debug)]
pub(crate) struct Lane {
    pub(crate) space: Space,
    pub(crate) builder: Builder<Value>,
    /// The chain of the space and the position parameter in each.
    pub(crate) positions: Vec<(Space, Var)>,
    /// The index inside the own segment.
    pub(crate) index: Option<Var>,
}

/// A region and what became of its variables.
pub(crate) struct Region {
    /// Taken while closed.
    pub(crate) lane: Lane,
    /// Variables that became results.
    pub(crate) outputs: Vec<(Var, Value)>,
    pub(crate) span: Span,
}

/// A scalar as one region can name it.
#[derive(Clone, Copy)]
enum Found {
    Atom(Atom<Value>),
    Read(Value, Space),
    Index(Space),
}

impl Context<'_, '_> {
    /// Empty code over a space.
    pub(crate) fn lane(&self, space: Space) -> Lane {
        let mut builder = Builder::new();
        let chain = self.chain(space);
        let positions: Vec<_> = chain.iter().map(|&s| (s, builder.param(Ty::I64))).collect();
        let index = (!positions.is_empty()).then(|| builder.param(Ty::I64));
        Lane { space, builder, positions, index }
    }

    /// The open region of a space.
    pub(crate) fn region(&mut self, space: Space, span: Span) -> RegionId {
        if let Some(&open) = self.open.last().and_then(|level| level.get(&space)) {
            return open;
        }
        let lane = self.lane(space);
        let id = self.regions.push(Region { lane, outputs: Vec::new(), span });
        if let Some(level) = self.open.last_mut() {
            level.insert(space, id);
        }
        id
    }

    fn is_open(&self, region: RegionId) -> bool {
        let space = self.regions[region].lane.space;
        self.open.iter().any(|level| level.get(&space) == Some(&region))
    }

    /// Closes a region: its map stands here.
    pub(crate) fn flush(&mut self, region: RegionId) {
        self.flush_for(region, None);
    }

    /// Closes a region because another one, which stays open, needs it.
    fn flush_for(&mut self, region: RegionId, reader: Option<RegionId>) {
        if !self.is_open(region) {
            return;
        }
        let space = self.regions[region].lane.space;
        debug_assert_eq!(self.regions[region].lane.builder.depth(), 1, "closed inside an arm");
        for level in &mut self.open {
            if level.get(&space) == Some(&region) {
                level.remove(&space);
            }
        }
        // What was checked before runs before.
        self.flush_checks_before(region, reader);
        self.push_item(Item::Region(region));
    }

    /// Closes all open regions of this level.
    pub(crate) fn flush_all(&mut self) {
        let mut ids: Vec<RegionId> =
            self.open.last().map(|level| level.values().copied().collect()).unwrap_or_default();
        ids.sort();
        for id in ids {
            self.flush(id);
        }
    }

    /// Closes the open regions of this level that check something.
    pub(crate) fn flush_checks(&mut self) {
        let next = self.regions.next_id();
        self.flush_checks_before(next, None);
    }

    fn flush_checks_before(&mut self, before: RegionId, kept: Option<RegionId>) {
        let mut ids: Vec<RegionId> =
            self.open.last().map(|level| level.values().copied().collect()).unwrap_or_default();
        ids.retain(|&id| {
            id < before && Some(id) != kept && self.regions[id].lane.builder.has_effect()
        });
        ids.sort();
        for id in ids {
            self.flush_for(id, kept);
        }
    }

    /// A variable of a region as a value over its space.
    pub(crate) fn output(&mut self, region: RegionId, var: Var) -> Value {
        self.output_for(region, var, None)
    }

    /// A variable of a region as a value, for another region that stays open.
    fn output_for(&mut self, region: RegionId, var: Var, reader: Option<RegionId>) -> Value {
        self.flush_for(region, reader);
        let known = self.regions[region].outputs.iter().find(|(v, _)| *v == var);
        if let Some((_, value)) = known {
            return *value;
        }
        let space = self.regions[region].lane.space;
        let ty = self.regions[region].lane.builder.ty(Atom::Var(var));
        let value = self.value_over(space, ty);
        self.regions[region].outputs.push((var, value));
        value
    }

    /// The home of a scalar; constants have none.
    pub(crate) fn home(&self, scalar: Scalar) -> Option<Space> {
        match scalar {
            Scalar::Const(_) => None,
            Scalar::Value(_, space) | Scalar::Index(space) => Some(space),
            Scalar::Pending(region, _) => Some(self.regions[region].lane.space),
        }
    }

    /// The type of a scalar.
    pub(crate) fn scalar_ty(&self, scalar: Scalar) -> Ty {
        match scalar {
            Scalar::Const(c) => c.ty(),
            Scalar::Value(v, _) => self.values[v].ty,
            Scalar::Index(_) => Ty::I64,
            Scalar::Pending(r, var) => self.regions[r].lane.builder.ty(Atom::Var(var)),
        }
    }

    fn find(&mut self, scalar: Scalar, region: Option<RegionId>) -> Found {
        match scalar {
            Scalar::Const(c) => Found::Atom(Atom::Const(c)),
            Scalar::Value(v, space) => Found::Read(v, space),
            Scalar::Index(space) => Found::Index(space),
            Scalar::Pending(r, var) if Some(r) == region => Found::Atom(Atom::Var(var)),
            Scalar::Pending(r, var) => {
                let space = self.regions[r].lane.space;
                Found::Read(self.output_for(r, var, region), space)
            }
        }
    }

    /// A scalar as an operand of code over a space from which its home can be reached.
    pub(crate) fn reach(&mut self, lane: &mut Lane, scalar: Scalar) -> Atom<Value> {
        let found = self.find(scalar, None);
        self.place(lane, found)
    }

    /// A scalar as an operand of a region.
    pub(crate) fn reach_in(&mut self, region: RegionId, scalar: Scalar) -> Atom<Value> {
        let found = self.find(scalar, Some(region));
        self.with_lane(region, |cx, lane| cx.place(lane, found))
    }

    /// Works on the code of a region.
    pub(crate) fn with_lane<T>(
        &mut self,
        region: RegionId,
        work: impl FnOnce(&mut Self, &mut Lane) -> T,
    ) -> T {
        let placeholder = Lane {
            space: self.regions[region].lane.space,
            builder: Builder::new(),
            positions: Vec::new(),
            index: None,
        };
        let mut lane = std::mem::replace(&mut self.regions[region].lane, placeholder);
        let result = work(self, &mut lane);
        self.regions[region].lane = lane;
        result
    }

    fn place(&self, lane: &mut Lane, found: Found) -> Atom<Value> {
        match found {
            Found::Atom(atom) => atom,
            Found::Read(v, space) if space == Function::root() => {
                lane.builder.outer(v, self.values[v].ty)
            }
            Found::Read(v, space) => {
                let at = self.position(lane, space);
                lane.builder.read(self.values[v].ty, v, at)
            }
            Found::Index(space) => self.index_of(lane, space),
        }
    }

    /// The position, in `space`, of the lane that a lane of the code belongs to.
    pub(crate) fn position(&self, lane: &mut Lane, space: Space) -> Atom<Value> {
        for n in (0..lane.positions.len()).rev() {
            let (mut at_space, var) = lane.positions[n];
            let mut at = Atom::Var(var);
            while at_space != space {
                let Some((source, positions)) = self.spaces[at_space].from else { break };
                at = lane.builder.read(Ty::I64, positions, at);
                at_space = source;
            }
            if at_space == space {
                return at;
            }
        }
        unreachable!("{space} cannot be reached from {}", lane.space)
    }

    /// The index of a lane of `space` inside its segment.
    fn index_of(&self, lane: &mut Lane, space: Space) -> Atom<Value> {
        if space == lane.space
            && let Some(index) = lane.index
        {
            return Atom::Var(index);
        }
        let at = self.position(lane, space);
        let Some(parent) = self.parent(space) else { return at };
        if parent == Function::root() {
            return at;
        }
        let above = self.position(lane, parent);
        let start = self.segment_start(lane, space, above);
        lane.builder.scalar(ScalarOp::Sub, &[at, start], self.span)
    }

    /// Where the segment of the parent's lane `above` starts in `space`.
    pub(crate) fn segment_start(
        &self,
        lane: &mut Lane,
        space: Space,
        above: Atom<Value>,
    ) -> Atom<Value> {
        match self.spaces[space].kind {
            SpaceKind::Root => Atom::Const(Const::I64(0)),
            SpaceKind::Regular(parent, _) if parent == Function::root() => {
                // At the root there is one segment; "the next" starts at its end.
                match above {
                    Atom::Const(Const::I64(0)) => Atom::Const(Const::I64(0)),
                    _ => self.segment_end_at_root(lane, space),
                }
            }
            SpaceKind::Regular(_, len) => {
                let len = self.operand(lane, len);
                if lane.space == Function::root() {
                    let widths = self.flattener.nest.widths;
                    return lane.builder.lanes(widths, [above, len], self.span);
                }
                lane.builder.scalar(ScalarOp::Mul, &[above, len], self.span)
            }
            SpaceKind::Packed(_, offsets) => lane.builder.read(Ty::I64, offsets, above),
        }
    }

    fn segment_end_at_root(&self, lane: &mut Lane, space: Space) -> Atom<Value> {
        match self.spaces[space].kind {
            SpaceKind::Regular(_, len) => self.operand(lane, len),
            SpaceKind::Root | SpaceKind::Packed(..) => unreachable!("{space} is not regular"),
        }
    }

    /// A scalar of the function as an operand of code.
    pub(crate) fn operand(&self, lane: &mut Lane, operand: flat::Operand) -> Atom<Value> {
        match operand {
            flat::Operand::Const(c) => Atom::Const(c),
            flat::Operand::Value(v) => lane.builder.outer(v, self.values[v].ty),
        }
    }

    /// An atom of a region's code as a scalar.
    pub(crate) fn scalar_of(&self, region: RegionId, atom: Atom<Value>) -> Scalar {
        match atom {
            Atom::Const(c) => Scalar::Const(c),
            Atom::Outer(v, _) => Scalar::Value(v, Function::root()),
            Atom::Var(var) => Scalar::Pending(region, var),
        }
    }

    /// A new value with one element per lane.
    pub(crate) fn value_over(&mut self, space: Space, ty: Ty) -> Value {
        let domain = if space == Function::root() { Domain::Scalar } else { Domain::Lanes(space) };
        self.values.push(flat::ValueInfo { ty, domain })
    }

    /// A scalar operation in the current space.
    pub(crate) fn compute(&mut self, op: ScalarOp, args: &[Scalar]) -> Scalar {
        let span = self.span;
        let region = self.region(self.space, span);
        let atoms: Vec<_> = args.iter().map(|&a| self.reach_in(region, a)).collect();
        let atom = self.with_lane(region, |_, lane| lane.builder.scalar(op, &atoms, span));
        self.scalar_of(region, atom)
    }
}
