//! Two pools that came from below become one.
//!
//! Where the arms of an `if` call different functions of a recursion, what these hand up lies in a
//! pool each.  The sequences in the smaller one are moved behind those in the larger: an element
//! that is moved is then in a pool of at least twice the size, so that it is moved at most as often
//! as sizes double, however deep it was made.

use super::Among;
use crate::context::{Context, Item, Items};
use crate::origin::Lying;
use crate::rep::{Pool, Scalar, Segments};
use flat::{Domain, Function, Value, ValueInfo};
use prim::{ScalarOp, Ty};

impl Context<'_, '_> {
    /// Makes one pool of the two with these numbers, whose elements lie as `own` says; gives where
    /// each sequence begins, which pool it looks into, and all pools.
    pub(super) fn one_of_two(
        &mut self,
        among: Among<'_>,
        (a, b): (usize, usize),
        own: &Lying,
    ) -> (Scalar, Scalar, Vec<Pool>) {
        let Among { choice, pools, .. } = among;
        let root = Function::root();
        let used = [a, b].map(|n| self.used_of(among, n));
        let [used_a, used_b] = used.map(|v| Scalar::Value(v, root));
        let cond = self.within(root, |cx| cx.compute(ScalarOp::Ge, &[used_a, used_b]));
        let Some(cond) = self.uniform(cond) else { unreachable!("known to the root") };
        let (then, pool) = self.arm_behind(among, b, (&pools[a], used[0]), own);
        let (els, _) = self.arm_behind(among, a, (&pools[b], used[1]), own);
        let start = self.value_over(self.space, Ty::I64);
        let mut results = vec![start];
        let both = self.renamed_as(&pool, own, &mut results);
        self.note_growing(&both, own);
        let span = self.span;
        self.push_item(Item::If { results, cond, then, els, span });
        let place = |n: usize| {
            let n = if n == b { a } else { n };
            if n > b { n - 1 } else { n }
        };
        let places: Vec<usize> = (0..pools.len()).map(place).collect();
        let mut pools = pools.to_vec();
        pools[a] = both;
        pools.remove(b);
        (Scalar::Value(start, self.space), self.renumbered(choice, &places), pools)
    }

    /// An arm that moves the sequences in one pool behind what is used of another; it gives where
    /// all begin, and the pool.
    fn arm_behind(
        &mut self,
        Among { start, len, choice, pools }: Among<'_>,
        number: usize,
        (from, used): (&Pool, Value),
        own: &Lying,
    ) -> (Items, Pool) {
        self.begin();
        let moves = self.is_number(choice, number);
        let moving = self.compute(ScalarOp::Select, &[moves, len, Scalar::int(0)]);
        let view = (start, moving, pools[number].clone());
        let (at, pool) = self.behind_others(view, (from, used), own);
        let start = self.compute(ScalarOp::Select, &[moves, at, start]);
        let mut yields = vec![self.component(start)];
        self.hand_up_pool(&pool, own, &mut yields);
        (self.end(yields), pool)
    }

    /// How much sequences look at of the pool with this number, and all before it.
    fn used_of(&mut self, Among { start, len, choice, .. }: Among<'_>, number: usize) -> Value {
        let here = self.is_number(choice, number);
        let end = self.add(start, len);
        let end = self.compute(ScalarOp::Select, &[here, end, Scalar::int(0)]);
        self.last_end(self.space, end)
    }

    fn is_number(&mut self, choice: Scalar, number: usize) -> Scalar {
        let number = Scalar::int(i64::try_from(number).unwrap_or(i64::MAX));
        self.compute(ScalarOp::Eq, &[choice, number])
    }

    /// A pool of new vectors, down to what lies in given pools, in the order in which it is handed
    /// up.
    fn renamed_as(&mut self, pool: &Pool, own: &Lying, results: &mut Vec<Value>) -> Pool {
        let mut vector = |cx: &mut Self, ty| {
            let value = cx.values.push(ValueInfo { ty, domain: Domain::Pool });
            results.push(value);
            value
        };
        match pool {
            Pool::Scalar(_, ty) => Pool::Scalar(vector(self, *ty), *ty),
            Pool::Tuple(parts) => {
                let parts = parts.iter().enumerate();
                let parts = parts.map(|(n, part)| self.renamed_as(part, own.part(n), results));
                Pool::Tuple(parts.collect())
            }
            Pool::Seq(_, inner) => {
                let segments = Segments::View(vector(self, Ty::I64), vector(self, Ty::I64));
                let inner = match (&**inner, own.seq().1) {
                    (Pool::Among(_, pools), _) => Pool::Among(vector(self, Ty::I64), pools.clone()),
                    (inner, Some(own)) => self.renamed_as(inner, own, results),
                    (inner, None) => inner.clone(),
                };
                Pool::Seq(segments, Box::new(inner))
            }
            Pool::Chosen(..) | Pool::Among(..) => unreachable!("{pool:?} is part of a view"),
        }
    }
}
