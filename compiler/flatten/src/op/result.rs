//! Results of functions: what is handed up, and what the caller makes of it.
//!
//! A sequence that lies in an argument is start and length, and the number of the argument's pool
//! if it lies in one of several.  One that lies in a pool of its own is start, length and what is
//! in the pool.  One that does this or that is both, one of which is empty, and a number that says
//! which; the pool of its own has the number behind those of the arguments.

use crate::context::Context;
use crate::fit::chosen;
use crate::origin::Lying;
use crate::rep::{Pool, Rep, Scalar, Segments};
use flat::{Domain, Operand, Value, ValueInfo};
use nest::Type;
use prim::{ScalarOp, Ty};

impl Context<'_, '_> {
    /// The components of a function's result but the pools that its caller knows.
    pub(crate) fn hand_up(&mut self, rep: &Rep, ty: &Type, lying: &Lying, out: &mut Vec<Operand>) {
        match (rep, ty) {
            (Rep::Scalar(s), _) => out.push(self.component(*s)),
            (Rep::Tuple(parts), Type::Tuple(tys)) => {
                for (n, (part, ty)) in parts.iter().zip(tys).enumerate() {
                    self.hand_up(part, ty, lying.part(n), out);
                }
            }
            (Rep::Lanes { .. } | Rep::View { .. }, Type::Seq(element)) => match lying.seq() {
                (given, Some(own)) if !given.is_empty() => {
                    self.hand_up_either(rep, element, (given, own), out);
                }
                _ => self.hand_up_view(rep, lying, out),
            },
            _ => unreachable!("{rep:?} of {ty:?}"),
        }
    }

    fn hand_up_view(&mut self, rep: &Rep, lying: &Lying, out: &mut Vec<Operand>) {
        let (start, len, pool) = self.fitting_view(rep, lying);
        out.extend([start, len].map(|s| self.component(s)));
        match lying.seq() {
            (_, Some(own)) => self.hand_up_pool(&pool, own, out),
            (given, None) => {
                if let (Pool::Chosen(number, _), true) = (&pool, given.len() > 1) {
                    out.push(self.component(*number));
                }
            }
        }
    }

    /// A sequence that lies in a given pool or in one of its own.
    fn hand_up_either(
        &mut self,
        rep: &Rep,
        element: &Type,
        (given, own): (&[Pool], &Lying),
        out: &mut Vec<Operand>,
    ) {
        let (start, len, pool) = self.as_view(rep);
        let (number, pools) = self.ways_of(&pool);
        let place = |pool| given.iter().position(|known| known == pool).unwrap_or(given.len());
        let places: Vec<usize> = pools.iter().map(place).collect();
        let number_up = self.renumbered(number, &places);
        let last = Scalar::int(i64::try_from(given.len()).unwrap_or(i64::MAX));
        let is_own = self.compute(ScalarOp::Eq, &[number_up, last]);
        let zero = Scalar::int(0);
        let [start_own, len_own] = [start, len].map(|s| self.either(is_own, s, zero));
        let [start_given, len_given] = [start, len].map(|s| self.either(is_own, zero, s));
        let items = [start_given, len_given, number_up];
        let made: Vec<Pool> = pools.iter().filter(|&pool| !given.contains(pool)).cloned().collect();
        if made.is_empty() {
            out.extend([zero, zero].map(|s| self.component(s)));
            out.extend(items.map(|s| self.component(s)));
            return self.hand_up_nothing(element, own, out);
        }
        // Lanes whose sequence is a given one take no elements from any of these.
        let place = |pool| made.iter().position(|known| known == pool).unwrap_or(0);
        let places: Vec<usize> = pools.iter().map(place).collect();
        let pool = chosen(self.renumbered(number, &places), &made);
        let view = Rep::View { start: start_own, len: len_own, pool };
        let lying = Lying::Seq { given: Vec::new(), own: Some(Box::new(own.clone())) };
        let (start, len, pool) = self.fitting_view(&view, &lying);
        out.extend([start, len].map(|s| self.component(s)));
        out.extend(items.map(|s| self.component(s)));
        self.hand_up_pool(&pool, own, out);
    }

    fn either(&mut self, cond: Scalar, then: Scalar, els: Scalar) -> Scalar {
        match cond {
            Scalar::Const(known) if known.bool() => then,
            Scalar::Const(_) => els,
            cond => self.compute(ScalarOp::Select, &[cond, then, els]),
        }
    }

    pub(super) fn hand_up_pool(&mut self, pool: &Pool, lying: &Lying, out: &mut Vec<Operand>) {
        match pool {
            Pool::Scalar(value, _) => out.push(Operand::Value(*value)),
            Pool::Tuple(parts) => {
                for (n, part) in parts.iter().enumerate() {
                    self.hand_up_pool(part, lying.part(n), out);
                }
            }
            Pool::Seq(segments, inner) => {
                let (starts, lens) = self.as_starts(*segments, inner);
                out.extend([starts, lens].map(Operand::Value));
                match (&**inner, lying.seq().1) {
                    (Pool::Among(choices, _), _) => out.push(Operand::Value(*choices)),
                    (inner, Some(own)) => self.hand_up_pool(inner, own, out),
                    (_, None) => {}
                }
            }
            Pool::Chosen(..) | Pool::Among(..) => unreachable!("{pool:?} is part of a view"),
        }
    }

    /// A pool without elements.
    fn hand_up_nothing(&mut self, ty: &Type, lying: &Lying, out: &mut Vec<Operand>) {
        let mut vector = |cx: &mut Self, ty| {
            let value = cx.values.push(ValueInfo { ty, domain: Domain::Pool });
            out.push(cx.nothing(value));
        };
        match ty {
            Type::Scalar(ty) => vector(self, *ty),
            Type::Tuple(tys) => {
                for (n, ty) in tys.iter().enumerate() {
                    self.hand_up_nothing(ty, lying.part(n), out);
                }
            }
            Type::Seq(element) => {
                let (given, own) = lying.seq();
                (0..vectors_of_segments(given)).for_each(|_| vector(self, Ty::I64));
                if let Some(own) = own {
                    self.hand_up_nothing(element, own, out);
                }
            }
        }
    }

    /// The result of a call as the current lanes find it, but for what [`Context::arrived`] does:
    /// new values for what does not lie in an argument.
    pub(crate) fn received(&mut self, ty: &Type, lying: &Lying, out: &mut Vec<Value>) -> Rep {
        match ty {
            Type::Scalar(ty) => Rep::Scalar(self.item(*ty, out)),
            Type::Tuple(tys) => {
                let parts = tys.iter().enumerate();
                Rep::Tuple(parts.map(|(n, ty)| self.received(ty, lying.part(n), out)).collect())
            }
            Type::Seq(element) => {
                let [start, len] = [(); 2].map(|()| self.item(Ty::I64, out));
                match lying.seq() {
                    (given, None) => {
                        let number =
                            if given.len() > 1 { self.item(Ty::I64, out) } else { Scalar::int(0) };
                        Rep::View { start, len, pool: chosen(number, given) }
                    }
                    ([], Some(own)) => {
                        let pool = self.received_pool(element, own, out);
                        self.note_growing(&pool, own);
                        Rep::View { start, len, pool }
                    }
                    (given, Some(own)) => {
                        let [from, count, number] = [(); 3].map(|()| self.item(Ty::I64, out));
                        let pool = self.received_pool(element, own, out);
                        self.note_growing(&pool, own);
                        let own = Rep::View { start, len, pool };
                        let pool = Pool::Chosen(number, given.to_vec());
                        Rep::Tuple(vec![own, Rep::View { start: from, len: count, pool }])
                    }
                }
            }
        }
    }

    fn item(&mut self, ty: Ty, out: &mut Vec<Value>) -> Scalar {
        let value = self.value_over(self.space, ty);
        out.push(value);
        Scalar::Value(value, self.space)
    }

    fn received_pool(&mut self, ty: &Type, lying: &Lying, out: &mut Vec<Value>) -> Pool {
        let mut vector = |cx: &mut Self, ty| {
            let value = cx.values.push(ValueInfo { ty, domain: Domain::Pool });
            out.push(value);
            value
        };
        match ty {
            Type::Scalar(ty) => Pool::Scalar(vector(self, *ty), *ty),
            Type::Tuple(tys) => {
                let parts = tys.iter().enumerate();
                let part = |(n, ty)| self.received_pool(ty, lying.part(n), out);
                Pool::Tuple(parts.map(part).collect())
            }
            Type::Seq(element) => {
                let segments = Segments::View(vector(self, Ty::I64), vector(self, Ty::I64));
                let inner = match lying.seq() {
                    (given, None) if given.len() > 1 => {
                        Pool::Among(vector(self, Ty::I64), given.to_vec())
                    }
                    (given, None) => given[0].clone(),
                    (_, Some(own)) => self.received_pool(element, own, out),
                };
                Pool::Seq(segments, Box::new(inner))
            }
        }
    }

    /// A result when it is there: sequences that lie in this or that are one.
    pub(crate) fn arrived(&mut self, rep: &Rep, lying: &Lying) -> Rep {
        let rep = self.arrived_as_it_is(rep, lying);
        if self.grown.is_empty() { rep } else { self.in_heaps_before(&rep) }
    }

    fn arrived_as_it_is(&mut self, rep: &Rep, lying: &Lying) -> Rep {
        match (rep, lying) {
            (Rep::Scalar(_), _) => rep.clone(),
            (Rep::Tuple(parts), Lying::Seq { given, .. }) => self.one_of_both(parts, given),
            (Rep::Tuple(parts), _) => {
                let parts = parts.iter().enumerate();
                let part = |(n, part)| self.arrived_as_it_is(part, lying.part(n));
                Rep::Tuple(parts.map(part).collect())
            }
            (Rep::View { start, len, pool }, _) => {
                let pool = self.simpler(pool);
                Rep::View { start: *start, len: *len, pool }
            }
            (Rep::Lanes { .. }, _) => unreachable!("{rep:?} is no result of a call"),
        }
    }

    /// The view of a pool of its own, or that of the given ones.
    fn one_of_both(&mut self, views: &[Rep], given: &[Pool]) -> Rep {
        let [
            Rep::View { start: start_own, len: len_own, pool: own },
            Rep::View { start, len, pool: Pool::Chosen(number, _) },
        ] = views
        else {
            unreachable!("{views:?} are not both views")
        };
        let last = Scalar::int(i64::try_from(given.len()).unwrap_or(i64::MAX));
        let is_own = self.compute(ScalarOp::Eq, &[*number, last]);
        let start = self.compute(ScalarOp::Select, &[is_own, *start_own, *start]);
        let len = self.compute(ScalarOp::Select, &[is_own, *len_own, *len]);
        let pools = given.iter().chain([own]).cloned().collect();
        Rep::View { start, len, pool: self.simpler(&Pool::Chosen(*number, pools)) }
    }

    /// A choice in which no pool is there twice.
    fn simpler(&mut self, pool: &Pool) -> Pool {
        let ways = pool.ways();
        self.united(None, vec![ways])
    }
}

/// How many vectors say where the segments of a pool are, which lie in given pools or their own.
fn vectors_of_segments(given: &[Pool]) -> usize {
    if given.len() > 1 { 3 } else { 2 }
}
