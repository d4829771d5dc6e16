//! Operations on descriptors: flatten and partition.

use super::merge::MOST_PIECES;
use crate::choose::Position;
use crate::context::Context;
use crate::rep::{Pool, Rep, Scalar, Segments};
use flat::{Function, Operand, Space, SpaceKind};
use prim::{Const, Monoid, ScalarOp, Ty};
use scalar::Atom;

impl Context<'_, '_> {
    /// The pieces one after the other.  Packed pieces are not copied, and neither are all pieces of
    /// one sequence.
    pub(crate) fn flatten(&mut self, seq: &Rep) -> Rep {
        if let Some(whole) = self.whole(seq) {
            return whole;
        }
        if let Rep::View { start, len, pool: Pool::Seq(Segments::Packed(offsets), inner) } = seq {
            return self.flatten_packed(*start, *len, *offsets, inner);
        }
        if let Some(pieces) = self.few_pieces(seq) {
            return self.put_together(pieces);
        }
        let (outer, piece) = self.elements(seq);
        let (inner, elem) = self.within(outer, |cx| cx.elements(&piece));
        let pool = self.make_pool(&elem, inner);
        let (start, len) = self.grand_segment(outer, inner);
        Rep::View { start, len, pool }
    }

    /// The pieces, if they are there already, and the same few in each lane: what is made of all of
    /// them needs neither their places nor a copy.
    fn few_pieces(&mut self, pieces: &Rep) -> Option<Vec<(Scalar, Scalar, Pool)>> {
        let Rep::Lanes { space, elem } = pieces else { return None };
        if !matches!(**elem, Rep::View { .. }) {
            return None;
        }
        let SpaceKind::Regular(_, Operand::Const(count)) = self.spaces[*space].kind else {
            return None;
        };
        let few = 1..=i64::try_from(MOST_PIECES).unwrap_or(i64::MAX);
        if !few.contains(&count.int()) {
            return None;
        }
        let (start, _, pool) = self.as_view(pieces);
        let views = (0..count.int()).map(|n| {
            let at = self.add(start, Scalar::int(n));
            let piece = self.pool_at(Position { at, exists: None }, &pool);
            self.as_view(&piece)
        });
        Some(views.collect())
    }

    /// What these pieces are all of.
    fn whole(&self, pieces: &Rep) -> Option<Rep> {
        let Rep::Lanes { space, elem } = pieces else { return None };
        // Other pieces of these lengths have the same space.
        let known = self.partitioned.get(space)?;
        (known.home == self.space && known.piece == **elem).then(|| known.whole.clone())
    }

    fn flatten_packed(
        &mut self,
        start: Scalar,
        len: Scalar,
        offsets: flat::Value,
        inner: &Pool,
    ) -> Rep {
        let end = self.add(start, len);
        let region = self.region(self.space, self.span);
        let [start, end] = [start, end].map(|s| self.reach_in(region, s));
        let span = self.span;
        let (start, len) = self.with_lane(region, |_, lane| {
            let start = lane.builder.read(Ty::I64, offsets, start);
            let end = lane.builder.read(Ty::I64, offsets, end);
            (start, lane.builder.scalar(ScalarOp::Sub, &[end, start], span))
        });
        let (start, len) = (self.scalar_of(region, start), self.scalar_of(region, len));
        Rep::View { start, len, pool: inner.clone() }
    }

    /// Where the lanes of `inner`, a child of `outer`, lie that belong to a lane of the current
    /// space, the parent of `outer`: start and length.
    fn grand_segment(&mut self, outer: Space, inner: Space) -> (Scalar, Scalar) {
        let parent = self.parent(outer).unwrap_or(Function::root());
        let region = self.region(self.space, self.span);
        let span = self.span;
        let (start, len) = self.with_lane(region, |cx, lane| {
            let zero = Atom::Const(Const::I64(0));
            let one = Atom::Const(Const::I64(1));
            let (first, next) = if parent == Function::root() {
                (zero, one)
            } else {
                let at = cx.position(lane, parent);
                (at, lane.builder.scalar(ScalarOp::Add, &[at, one], span))
            };
            let first = cx.segment_start(lane, outer, first);
            let next = cx.segment_start(lane, outer, next);
            let start = cx.segment_start(lane, inner, first);
            let end = cx.segment_start(lane, inner, next);
            (start, lane.builder.scalar(ScalarOp::Sub, &[end, start], span))
        });
        (self.scalar_of(region, start), self.scalar_of(region, len))
    }

    /// Consecutive pieces of the given lengths, together all of the sequence; nothing is copied.
    pub(crate) fn partition(&mut self, seq: &Rep, lens: &Rep) -> Rep {
        let (start, len, pool) = self.as_view(seq);
        let end = self.add(start, len);
        let (space, wanted) = self.elements(lens);
        let wanted = wanted.scalar();
        let before = self.scan_over(Monoid::Add, space, wanted);
        let (from, count) = self.within(space, |cx| {
            // Kept inside the sequence even when the lengths do not fit.
            let from = cx.add(start, before);
            let from = cx.compute(ScalarOp::Max, &[from, start]);
            let from = cx.compute(ScalarOp::Min, &[from, end]);
            let room = cx.compute(ScalarOp::Sub, &[end, from]);
            let count = cx.compute(ScalarOp::Max, &[wanted, Scalar::int(0)]);
            (from, cx.compute(ScalarOp::Min, &[count, room]))
        });
        let piece = Rep::View { start: from, len: count, pool };
        let partitioned =
            Partitioned { home: self.space, piece: piece.clone(), whole: seq.clone() };
        self.partitioned.insert(space, partitioned);
        Rep::Lanes { space, elem: Box::new(piece) }
    }
}

/// How a sequence was cut into pieces.
pub(crate) struct Partitioned {
    /// The space in which it was.
    home: Space,
    piece: Rep,
    whole: Rep,
}
