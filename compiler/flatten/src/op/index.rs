//! Ranges, subscripts and slices.

use crate::choose::Position;
use crate::context::Context;
use crate::rep::{Pool, Rep, Scalar};
use crate::scalars::{checked_position, clamped_slice, require};
use base::Site;
use flat::{Domain, Op, ValueInfo};
use prim::{Const, ScalarOp, TOO_LONG, Ty};

impl Context<'_, '_> {
    /// 0, 1, ..., n-1: nothing is stored.
    pub(crate) fn index(&mut self, n: Scalar) -> Rep {
        let fits = self.compute(ScalarOp::Ge, &[n, Scalar::int(0)]);
        self.require(Site::Length, fits, [n, Scalar::int(0)]);
        let longest = Scalar::int(self.flattener.nest.widths.max_length());
        let counted = self.compute(ScalarOp::Le, &[n, longest]);
        self.require(Site::Memory, counted, [n, Scalar::int(TOO_LONG)]);
        let len = self.compute(ScalarOp::Max, &[n, Scalar::int(0)]);
        let space = self.new_space(len);
        Rep::Lanes { space, elem: Box::new(Rep::Scalar(Scalar::Index(space))) }
    }

    /// A check in the current space.
    pub(crate) fn require(&mut self, site: Site, cond: Scalar, args: [Scalar; 2]) {
        if cond == Scalar::Const(Const::Bool(true)) {
            return;
        }
        let span = self.span;
        let region = self.region(self.space, span);
        let cond = self.reach_in(region, cond);
        let args = args.map(|a| self.reach_in(region, a));
        self.with_lane(region, |_, lane| require(&mut lane.builder, site, cond, args, span));
    }

    /// A constant sequence of scalars.
    pub(crate) fn literal(&mut self, ty: Ty, consts: &[Const]) -> Rep {
        let value = self.values.push(ValueInfo { ty, domain: Domain::Pool });
        self.push(vec![value], Op::Literal(consts.to_vec(), ty));
        let len = Scalar::int(i64::try_from(consts.len()).unwrap_or(i64::MAX));
        Rep::View { start: Scalar::int(0), len, pool: Pool::Scalar(value, ty) }
    }

    /// Element `index` of a sequence, checked.
    pub(crate) fn element(&mut self, seq: &Rep, index: Scalar) -> Rep {
        let (start, len, pool) = self.as_view(seq);
        let span = self.span;
        let region = self.region(self.space, span);
        let [start, len, index] = [start, len, index].map(|s| self.reach_in(region, s));
        let (at, exists) = self.with_lane(region, |_, lane| {
            checked_position(&mut lane.builder, start, len, index, span)
        });
        let at = self.scalar_of(region, at);
        let exists = Some(self.scalar_of(region, exists));
        self.pool_at(Position { at, exists }, &pool)
    }

    /// `count` elements from `start`; nothing is copied.
    pub(crate) fn slice(&mut self, seq: &Rep, from: Scalar, count: Scalar) -> Rep {
        let (start, len, pool) = self.as_view(seq);
        let span = self.span;
        let region = self.region(self.space, span);
        let [start, len, from, count] = [start, len, from, count].map(|s| self.reach_in(region, s));
        let (start, len) = self.with_lane(region, |_, lane| {
            clamped_slice(&mut lane.builder, start, len, from, count, span)
        });
        let (start, len) = (self.scalar_of(region, start), self.scalar_of(region, len));
        Rep::View { start, len, pool }
    }
}
