//! Writes and permutations.
//!
//! Scalars are scattered themselves.  Elements that hold sequences are moved by descriptor: a
//! permutation scatters starts and lengths; a write scatters *where an element comes from* and
//! takes the elements from there.

use crate::context::Context;
use crate::rep::{Pool, Rep, Scalar};
use base::Site;
use flat::{Op, ScatterKind, Space, Value};
use prim::{ScalarOp, Ty};
use scalar::Atom;

impl Context<'_, '_> {
    /// `into` with `values[k]` at `positions[k]`.
    pub(crate) fn write(&mut self, into: &Rep, positions: &Rep, values: &Rep) -> Rep {
        let source = self.zipped(&[positions.clone(), values.clone()]);
        let (target, base) = self.elements(into);
        let position = self.elements_in(positions, source).scalar();
        if is_flat(&base) {
            let value = self.elements_in(values, source);
            let (old, new) = (self.scalars(&base), self.scalars(&value));
            let elems = self.scatter_write(source, target, position, &old, &new);
            let elem = rebuild(&base, &mut elems.into_iter());
            return Rep::Lanes { space: target, elem: Box::new(elem) };
        }
        let (start, _, old) = self.as_view(into);
        let (start_new, _, new) = self.as_view(values);
        // -1 where the old element stays, else the index of the value.
        let from = [Scalar::int(-1)];
        let origin =
            self.scatter_write(source, target, position, &from, &[Scalar::Index(source)])[0];
        let elem = self.within(target, |cx| {
            let written = cx.compute(ScalarOp::Ge, &[origin, Scalar::int(0)]);
            let choice = cx.compute(ScalarOp::Btoi, &[written]);
            let in_new = cx.add(start_new, origin);
            let in_old = cx.add(start, Scalar::Index(target));
            let at = cx.compute(ScalarOp::Select, &[written, in_new, in_old]);
            cx.pools_at(Some(choice), at, &[old, new])
        });
        Rep::Lanes { space: target, elem: Box::new(elem) }
    }

    fn scatter_write(
        &mut self,
        source: Space,
        target: Space,
        position: Scalar,
        old: &[Scalar],
        new: &[Scalar],
    ) -> Vec<Scalar> {
        let base: Vec<Value> = old.iter().map(|&s| self.vector(s, target)).collect();
        self.scatter(source, target, position, new, ScatterKind::Write(base), Site::Index)
    }

    /// Element k goes to position `positions[k]`.
    pub(crate) fn permute(&mut self, seq: &Rep, positions: &Rep) -> Rep {
        let have = self.length(seq);
        let given = self.length(positions);
        let same = self.compute(ScalarOp::Eq, &[have, given]);
        self.require(Site::Permute, same, [given, have]);
        let (target, elem) = self.elements(seq);
        let elem = self.within(target, |cx| cx.fixed(&elem));
        let least = if have == given { have } else { self.compute(ScalarOp::Min, &[have, given]) };
        let (source, position) = match positions {
            Rep::Lanes { space, elem } if *space == target => (target, elem.scalar()),
            _ => {
                let source = if least == have { target } else { self.new_space(least) };
                (source, self.elements_in(positions, source).scalar())
            }
        };
        let elem = if source == target { elem } else { self.elements_in(seq, source) };
        let elem = self.within(source, |cx| cx.fixed(&elem));
        let moved = self.movable(&elem);
        let kind = ScatterKind::Permute;
        let results = self.scatter(source, target, position, &moved, kind, Site::Permute);
        let elem = self.moved(&elem, &mut results.into_iter());
        Rep::Lanes { space: target, elem: Box::new(elem) }
    }

    /// The scalars that move with an element: its own; starts, lengths and choices of sequences.
    fn movable(&self, rep: &Rep) -> Vec<Scalar> {
        match rep {
            Rep::Scalar(s) => vec![*s],
            Rep::Tuple(parts) => parts.iter().flat_map(|p| self.movable(p)).collect(),
            Rep::View { start, len, pool: Pool::Chosen(choice, _) } => vec![*start, *len, *choice],
            Rep::View { start, len, .. } => vec![*start, *len],
            Rep::Lanes { .. } => unreachable!("sequences are views here"),
        }
    }

    fn moved(&self, rep: &Rep, scalars: &mut impl Iterator<Item = Scalar>) -> Rep {
        let mut next = || scalars.next().unwrap_or_else(|| unreachable!("too few scalars"));
        match rep {
            Rep::Scalar(_) => Rep::Scalar(next()),
            Rep::Tuple(parts) => Rep::Tuple(parts.iter().map(|p| self.moved(p, scalars)).collect()),
            Rep::View { pool, .. } => {
                let (start, len) = (next(), next());
                let pool = match pool {
                    Pool::Chosen(_, pools) => Pool::Chosen(next(), pools.clone()),
                    pool => pool.clone(),
                };
                Rep::View { start, len, pool }
            }
            Rep::Lanes { .. } => unreachable!("sequences are views here"),
        }
    }

    /// Scatters scalars of `source` to indices of the segments of `target`; an index outside fails
    /// at `site` and writes nothing.
    fn scatter(
        &mut self,
        source: Space,
        target: Space,
        index: Scalar,
        values: &[Scalar],
        kind: ScatterKind,
        site: Site,
    ) -> Vec<Scalar> {
        let (start, len) = self.segment(target);
        let at = self.within(source, |cx| {
            let low = cx.compute(ScalarOp::Ge, &[index, Scalar::int(0)]);
            let high = cx.compute(ScalarOp::Lt, &[index, len]);
            let inside = cx.compute(ScalarOp::And, &[low, high]);
            cx.require(site, inside, [index, len]);
            let at = cx.add(start, index);
            cx.compute(ScalarOp::Select, &[inside, at, Scalar::int(-1)])
        });
        let mut lane = self.lane(source);
        let mut yields: Vec<Atom<Value>> = vec![self.reach(&mut lane, at)];
        for &value in values {
            yields.push(self.reach(&mut lane, value));
        }
        let code = lane.builder.finish(yields);
        let tys: Vec<Ty> = values.iter().map(|&v| self.scalar_ty(v)).collect();
        let results: Vec<Value> = tys.iter().map(|&t| self.value_over(target, t)).collect();
        let op = Op::Scatter { space: source, code, kind, target };
        self.push(results.clone(), op);
        results.into_iter().map(|v| Scalar::Value(v, target)).collect()
    }
}

fn is_flat(rep: &Rep) -> bool {
    match rep {
        Rep::Scalar(_) => true,
        Rep::Tuple(parts) => parts.iter().all(is_flat),
        Rep::Lanes { .. } | Rep::View { .. } => false,
    }
}

/// A rep of the same shape with other scalars.
fn rebuild(rep: &Rep, scalars: &mut impl Iterator<Item = Scalar>) -> Rep {
    match rep {
        Rep::Tuple(parts) => Rep::Tuple(parts.iter().map(|p| rebuild(p, scalars)).collect()),
        _ => Rep::Scalar(scalars.next().unwrap_or_else(|| unreachable!("too few scalars"))),
    }
}
