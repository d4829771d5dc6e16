//! Sequences put together: literals, `++`.

use crate::block::{Env, get};
use crate::context::Context;
use crate::rep::{Pool, Rep, Scalar, Segments};
use flat::{Domain, Function, Space, ValueInfo};
use nest::{Type, Value};
use prim::{ScalarOp, Ty};

impl Context<'_, '_> {
    /// `[v0, v1, ...]`.
    pub(crate) fn sequence(&mut self, items: &[Value], env: &Env, result: Value) -> Rep {
        if items.is_empty() {
            let element = self.source.values[result].ty.element().clone();
            let pool = self.empty_pool(&element);
            return Rep::View { start: Scalar::int(0), len: Scalar::int(0), pool };
        }
        let reps: Vec<Rep> = items.iter().map(|&v| get(env, v)).collect();
        let exact = reps.iter().all(|rep| self.is_exact(rep));
        let mut reps: Vec<Rep> = reps.iter().map(|rep| self.fixed(rep)).collect();
        if exact && reps.len() > 1 {
            reps = self.joined(reps);
        }
        let space = self.new_space(Scalar::int(i64::try_from(reps.len()).unwrap_or(i64::MAX)));
        let elem = self.within(space, |cx| cx.choose(Scalar::Index(space), &reps));
        Rep::Lanes { space, elem: Box::new(elem) }
    }

    /// Whether a value is a sequence of scalars, or of tuples of them, that has the lanes of a
    /// space of its own: its pool has no other elements.
    fn is_exact(&self, rep: &Rep) -> bool {
        fn flat(rep: &Rep) -> bool {
            match rep {
                Rep::Scalar(_) => true,
                Rep::Tuple(parts) => parts.iter().all(flat),
                Rep::Lanes { .. } | Rep::View { .. } => false,
            }
        }
        match rep {
            Rep::Lanes { space, elem } => self.parent(*space) == Some(self.space) && flat(elem),
            Rep::Scalar(_) | Rep::Tuple(_) | Rep::View { .. } => false,
        }
    }

    /// Views of pools of their own as views of one pool, if each pool is another.
    fn joined(&mut self, views: Vec<Rep>) -> Vec<Rep> {
        let mut parts: Vec<Vec<(flat::Value, Ty)>> = Vec::new();
        for view in &views {
            let Rep::View { pool, .. } = view else { return views };
            let mut columns = Vec::new();
            pool.columns(&mut columns);
            parts.push(columns);
        }
        let lanes = |&(v, _): &(flat::Value, Ty)| match self.values[v].domain {
            Domain::Lanes(space) => Some(space),
            Domain::Scalar | Domain::Offsets(_) | Domain::Pool => None,
        };
        let whole = |part: &Vec<(flat::Value, Ty)>| {
            let space = part.first().and_then(lanes);
            space.is_some() && part.iter().all(|column| lanes(column) == space)
        };
        let apart = (0..parts.len()).all(|n| !parts[..n].contains(&parts[n]));
        if !apart || !parts.iter().all(whole) {
            return views;
        }
        let pool = |cx: &mut Self, ty| cx.values.push(ValueInfo { ty, domain: Domain::Pool });
        let mut results: Vec<flat::Value> =
            parts[0].iter().map(|&(_, ty)| pool(self, ty)).collect();
        let columns = results.clone();
        let base = ValueInfo { ty: Ty::I64, domain: Domain::Scalar };
        let begins: Vec<flat::Value> = parts[1..].iter().map(|_| self.values.push(base)).collect();
        results.extend(&begins);
        let parts = parts.iter().map(|part| part.iter().map(|column| column.0).collect());
        let parts = parts.collect();
        self.push(results, flat::Op::Join(parts));
        let begins = begins.into_iter().map(|v| Scalar::Value(v, Function::root()));
        let begins: Vec<Scalar> = [Scalar::int(0)].into_iter().chain(begins).collect();
        let mut moved = Vec::new();
        for (view, begin) in views.into_iter().zip(begins) {
            let Rep::View { start, len, pool } = view else { continue };
            let pool = pool.with_vectors(&mut columns.iter().copied());
            moved.push(Rep::View { start: self.add(begin, start), len, pool });
        }
        moved
    }

    /// The same value with its sequences as views, made in the current space.
    pub(crate) fn fixed(&mut self, rep: &Rep) -> Rep {
        match rep {
            Rep::Scalar(_) => rep.clone(),
            Rep::Tuple(parts) => Rep::Tuple(parts.iter().map(|p| self.fixed(p)).collect()),
            Rep::Lanes { .. } | Rep::View { .. } => {
                let (start, len, pool) = self.as_view(rep);
                Rep::View { start, len, pool }
            }
        }
    }

    /// A pool without elements.
    pub(crate) fn empty_pool(&mut self, ty: &Type) -> Pool {
        let empty = |cx: &mut Self, ty: Ty| {
            let value = cx.values.push(ValueInfo { ty, domain: Domain::Pool });
            cx.push(vec![value], flat::Op::Literal(Vec::new(), ty));
            cx.empty.insert(value);
            value
        };
        match ty {
            Type::Scalar(t) => Pool::Scalar(empty(self, *t), *t),
            Type::Tuple(parts) => Pool::Tuple(parts.iter().map(|p| self.empty_pool(p)).collect()),
            Type::Seq(element) => {
                let (starts, lens) = (empty(self, Ty::I64), empty(self, Ty::I64));
                Pool::Seq(Segments::View(starts, lens), Box::new(self.empty_pool(element)))
            }
        }
    }

    /// `a ++ b`.  Where `a` was put together itself, its pieces are taken, not their concatenation.
    pub(crate) fn append(&mut self, a: &Rep, b: &Rep) -> Rep {
        let mut pieces = self.pieces(a);
        pieces.extend(self.pieces(b));
        if pieces.len() > MOST_PIECES {
            pieces = [a, b].map(|rep| self.as_view(rep)).into();
        }
        self.put_together(pieces)
    }

    /// Pieces, each a start, a length and a pool, one after the other.
    pub(super) fn put_together(&mut self, pieces: Vec<(Scalar, Scalar, Pool)>) -> Rep {
        let mut pools: Vec<Pool> = Vec::new();
        let mut len = Scalar::int(0);
        // For each piece its pool, and the index in the whole where it begins.
        let mut places = Vec::new();
        for (_, own, pool) in &pieces {
            let known = pools.iter().position(|p| p == pool);
            places.push((known.unwrap_or(pools.len()), len));
            if known.is_none() {
                pools.push(pool.clone());
            }
            len = match places.len() {
                1 => *own,
                _ => self.length_of_both(len, *own),
            };
        }
        let space = self.new_space(len);
        let elem = self.within(space, |cx| {
            let own = Scalar::Index(space);
            let mut at = cx.add(pieces[0].0, own);
            let mut choice = Scalar::int(0);
            for (&(start, ..), &(pool, first)) in pieces.iter().zip(&places).skip(1) {
                let here = cx.compute(ScalarOp::Ge, &[own, first]);
                choice = if choice == Scalar::int(0) && pool == 1 {
                    cx.compute(ScalarOp::Btoi, &[here])
                } else if choice == Scalar::int(pool as i64) {
                    choice
                } else {
                    cx.compute(ScalarOp::Select, &[here, Scalar::int(pool as i64), choice])
                };
                let past = cx.compute(ScalarOp::Sub, &[own, first]);
                let there = cx.add(start, past);
                at = cx.compute(ScalarOp::Select, &[here, there, at]);
            }
            cx.pools_at(Some(choice), at, &pools)
        });
        let appended = Appended { home: self.space, elem: elem.clone(), pieces };
        self.appended.insert(space, appended);
        Rep::Lanes { space, elem: Box::new(elem) }
    }

    /// The length of two sequences together, checked.
    pub(crate) fn length_of_both(&mut self, a: Scalar, b: Scalar) -> Scalar {
        let (span, widths) = (self.span, self.flattener.nest.widths);
        let region = self.region(self.space, span);
        let lengths = [a, b].map(|length| self.reach_in(region, length));
        let atom = self.with_lane(region, |_, lane| lane.builder.length(widths, lengths, span));
        self.scalar_of(region, atom)
    }

    /// What a sequence was put together from, as views; or itself.
    fn pieces(&mut self, rep: &Rep) -> Vec<(Scalar, Scalar, Pool)> {
        // Other sequences of these lengths have the same space.
        if let Rep::Lanes { space, elem } = rep
            && let Some(known) = self.appended.get(space)
            && known.home == self.space
            && known.elem == **elem
        {
            return known.pieces.clone();
        }
        vec![self.as_view(rep)]
    }
}

/// How a sequence was put together.
pub(crate) struct Appended {
    /// The space in which it was.
    home: Space,
    elem: Rep,
    /// Start, length and pool of each piece.
    pieces: Vec<(Scalar, Scalar, Pool)>,
}

/// Most pieces that are put together at once: each element looks for its own.
pub(super) const MOST_PIECES: usize = 4;
