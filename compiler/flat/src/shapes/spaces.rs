//! Lanes of spaces, and what a lane knows of itself.

use super::facts::Source;
use super::linear::Linear;
use super::terms::{Kind, Term};
use super::{Elements, Shapes};
use crate::ir::{Domain, Function, Operand, Space, SpaceKind, Value};
use prim::{ScalarOp, Ty};

/// What is known of a space.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Known {
    /// The first space with as many lanes in each segment.
    pub(super) first: Space,
    /// How many lanes it has.
    pub(super) lanes: Linear,
}

/// How a space is made: its parent, and the length or offsets of its segments.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Making {
    Regular(Space, Linear),
    Packed(Space, Value),
}

/// Of so many lanes around it, and of itself, a lane knows where they lie.  Of those further out it
/// is not told, as each statement of a deep nest would be told of all.
const NEAR: usize = 64;

impl Shapes<'_> {
    /// What is known of a space; the values of its shape have been met.
    pub(super) fn space(&mut self, space: Space) -> Known {
        if let Some(known) = self.spaces.get(&space) {
            return known.clone();
        }
        let known = match self.function.spaces[space].kind {
            SpaceKind::Root => Known { first: space, lanes: Linear::constant(1) },
            SpaceKind::Regular(parent, len) => self.regular(space, parent, len),
            SpaceKind::Packed(parent, offsets) => {
                let parent = self.space(parent);
                let offsets = self.first(offsets);
                let making = Making::Packed(parent.first, offsets);
                let first = *self.space_makings.entry(making).or_insert(space);
                let lanes = self.int_element(offsets, &parent.lanes);
                Known { first, lanes }
            }
        };
        self.spaces.insert(space, known.clone());
        self.asked.push(space);
        known
    }

    fn regular(&mut self, space: Space, parent: Space, len: Operand) -> Known {
        let above = self.space(parent);
        let len = self.operand(len).linear().cloned().unwrap_or_default();
        let first =
            *self.space_makings.entry(Making::Regular(above.first, len.clone())).or_insert(space);
        // A negative length counts as 0.
        let length = self.terms.op(ScalarOp::Max, &[Term::Int(len.clone()), Term::int(0)]);
        let length = length.linear().cloned().unwrap_or_default();
        if let Some(symbol) = length.as_symbol() {
            self.terms.facts.size_found(symbol);
            let len = self.terms.exact(&len);
            self.terms.facts.add_always(length.minus(&len));
        }
        let length = self.terms.exact(&length);
        let lanes = match (above.lanes.as_constant(), length.as_constant()) {
            (_, Some(n)) => above.lanes.times(n),
            (Some(n), None) => length.times(n),
            (None, None) => {
                let lanes = self.terms.symbol(Kind::Lanes(first));
                self.terms.facts.size(lanes);
                Linear::symbol(lanes)
            }
        };
        let lanes = self.terms.kept_short(lanes);
        Known { first, lanes }
    }

    /// Forgets the spaces that were asked for since there were so many.
    pub(super) fn forget_spaces(&mut self, count: usize) {
        for space in self.asked.drain(count..) {
            self.spaces.remove(&space);
        }
    }

    /// The parameters of code over a space, after what the lane knows of itself was noted.
    pub(super) fn enter(&mut self, space: Space) -> Vec<Term> {
        let chain = self.function.chain(space);
        let mut params = Vec::new();
        let mut index = None;
        for (n, &at) in chain.iter().enumerate() {
            let known = self.space(at);
            let position = self.terms.symbol(Kind::Position(known.first));
            self.terms.facts.size(position);
            let position = Linear::symbol(position);
            if chain.len() - n > NEAR {
                params.push(Term::Int(position));
                continue;
            }
            // There is a lane, and it is not behind the last.
            let below = known.lanes.minus(&position).plus_constant(-1);
            self.terms.facts.add(below, Source::Known);
            index = Some(self.index(at, known.first, &position));
            if let Some((source, positions)) = self.function.spaces[at].from {
                self.keep(source, positions, &position);
            }
            params.push(Term::Int(position));
        }
        params.extend(index.map(Term::Int));
        params
    }

    /// The index of the lane in its segment.
    fn index(&mut self, space: Space, first: Space, position: &Linear) -> Linear {
        let (parent, len) = match self.function.spaces[space].kind {
            SpaceKind::Root => unreachable!("the root has no segments"),
            SpaceKind::Regular(parent, len) => {
                let len = self.operand(len).linear().cloned().unwrap_or_default();
                (parent, len)
            }
            SpaceKind::Packed(parent, offsets) => {
                let above = self.space(parent);
                let at = self.terms.named(Kind::Position(above.first));
                let start = self.int_element(offsets, &at);
                let end = self.int_element(offsets, &at.plus_constant(1));
                (parent, end.minus(&start))
            }
        };
        let index = if parent == Function::root() {
            position.clone()
        } else {
            let index = self.terms.symbol(Kind::Index(first));
            self.terms.facts.size(index);
            // The index is at most the position.
            self.terms.facts.add(position.minus(&Linear::symbol(index)), Source::Known);
            Linear::symbol(index)
        };
        let len = self.terms.exact(&len);
        self.terms.facts.add(len.minus(&index).plus_constant(-1), Source::Known);
        index
    }

    /// What a filtered lane knows of where it was taken from.
    fn keep(&mut self, source: Space, positions: Value, position: &Linear) {
        let from = self.int_element(positions, position);
        let source = self.space(source);
        if let Some((space, predicate)) = self.kept.get(&self.first(positions)).cloned()
            && space == source.first
            && let Some(here) = self.at_lane(&predicate, space, &from)
        {
            // What runs with the filter runs for lanes that it does not keep, too, and its guards
            // are needed there.
            self.terms.assume(&here, true, Source::Checked);
        }
    }

    /// An element of a vector of ints.
    pub(super) fn int_element(&mut self, vector: Value, at: &Linear) -> Linear {
        match self.element(vector, at) {
            Term::Int(sum) => sum,
            term => unreachable!("element {term:?} of {vector} is no int"),
        }
    }

    /// The element of a vector at a position inside it.
    pub(super) fn element(&mut self, vector: Value, at: &Linear) -> Term {
        let vector = self.first(vector);
        let made = self.made.get(&vector).cloned();
        let elements = self.elements.get(&vector).cloned();
        if let Some(Elements::Offsets { from_zero, end }) = elements {
            if from_zero && at.as_constant() == Some(0) {
                return Term::int(0);
            }
            return Term::Int(self.offset(vector, at, &end, made));
        }
        if let Some((space, term)) = made {
            let position = self.terms.named(Kind::Position(space));
            if *at == position {
                self.describe(&term);
                return term;
            }
            if let Some(term) = self.at_position(&term, space, at) {
                return term;
            }
        }
        if self.function.values[vector].ty == Ty::I64 {
            Term::Int(self.named_element(vector, at))
        } else {
            Term::Other(self.terms.symbol(Kind::Element(vector, at.clone())))
        }
    }

    /// An element of offsets; the next segment starts where the lane's ends.
    fn offset(
        &mut self,
        offsets: Value,
        at: &Linear,
        total: &Linear,
        made: Option<(Space, Term)>,
    ) -> Linear {
        let Domain::Offsets(space) = self.domain(offsets) else {
            unreachable!("{offsets} is no offsets")
        };
        let space = self.space(space).first;
        let position = self.terms.named(Kind::Position(space));
        if *at != position.plus_constant(1) {
            return self.named_element(offsets, at);
        }
        let start = self.named_element(offsets, &position);
        let end = match made {
            Some((own, Term::Int(len))) if own == space => {
                self.describe(&Term::Int(len.clone()));
                self.terms.kept_short(start.plus(&len))
            }
            _ => return self.named_element(offsets, at),
        };
        let total = self.named_element(offsets, total);
        self.terms.facts.add(total.minus(&end), Source::Known);
        end
    }

    /// An element of a vector of ints, by its name, after what is known of it was noted.
    fn named_element(&mut self, vector: Value, at: &Linear) -> Linear {
        let symbol = self.terms.symbol(Kind::Element(vector, at.clone()));
        self.describe_element(symbol, vector, at);
        Linear::symbol(symbol)
    }
}
