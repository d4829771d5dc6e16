//! Values whose sequences lie where they are wanted: in certain pools, or in one of their own.
//!
//! What looks into one of the pools that are wanted is told with the number of this pool.  What is
//! wanted in a pool of its own but looks into several is copied to one.  At the root a pool is one
//! of several by reference, as a choice there is the same for all elements.
//!
//! Pools have other names at times: behind an arm, or where the root has chosen.  What is known of
//! them ([`Context::known`]) leads back to the pools that these names stand for.

use crate::context::{Context, Item, Items};
use crate::op::grow::Among;
use crate::op::meet::Meeting;
use crate::origin::Lying;
use crate::rep::{Pool, Rep, Scalar, Segments};
use flat::{Domain, Function, Operand, Space, Value};
use prim::ScalarOp;
use rustc_hash::FxHashMap;

/// A pool that is another one, or one of several.
pub(crate) struct Known {
    pub(crate) name: Pool,
    pub(crate) is: Stands,
}

/// Pools that have other names, in the order in which these were given.
#[derive(Default)]
pub(crate) struct Names {
    all: Vec<Known>,
    /// Which of them have this vector first.
    with: FxHashMap<Option<Value>, Vec<usize>>,
}

impl Names {
    pub(crate) fn push(&mut self, known: Known) {
        self.with.entry(known.name.first_vector()).or_default().push(self.all.len());
        self.all.push(known);
    }

    /// What was said last of a name.
    pub(crate) fn of(&self, name: &Pool) -> Option<&Stands> {
        let known = self.with.get(&name.first_vector())?.iter().rev().map(|&n| &self.all[n]);
        known.into_iter().find(|known| known.name == *name).map(|known| &known.is)
    }

    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }
}

impl std::ops::Index<usize> for Names {
    type Output = Known;

    fn index(&self, n: usize) -> &Known {
        &self.all[n]
    }
}

/// Which pool a name stands for.
#[derive(Clone)]
pub(crate) enum Stands {
    For(Pool),
    /// The one with this number.
    ForOneOf(Scalar, Vec<Stands>),
}

impl Context<'_, '_> {
    /// The pools that a pool may be, by their first names, and which of them it is.
    pub(crate) fn ways_of(&mut self, pool: &Pool) -> (Scalar, Vec<Pool>) {
        match (pool, self.known_as(pool)) {
            (Pool::Chosen(choice, pools), _) => {
                let ways = pools.iter().map(|pool| self.ways_of(pool)).collect();
                self.united(Some(*choice), ways).ways()
            }
            (_, None) => pool.ways(),
            (_, Some(is)) => self.ways_behind(&is, pool),
        }
    }

    /// The pools that a pool may be, and which of them it is, where one that the root has chosen is
    /// a pool of its own.
    pub(crate) fn names_of(&mut self, pool: &Pool) -> (Scalar, Vec<Pool>) {
        let (choice, pools) = pool.ways();
        let ways = pools.iter().map(|pool| self.first_name(pool).ways()).collect();
        self.united(Some(choice), ways).ways()
    }

    /// What a name stands for; parts that have no other name have this one.
    fn ways_behind(&mut self, is: &Stands, name: &Pool) -> (Scalar, Vec<Pool>) {
        match is {
            Stands::For(pool) if pool == name => pool.ways(),
            Stands::For(pool) => self.ways_of(pool),
            Stands::ForOneOf(number, ways) => {
                let ways = ways.iter().map(|way| self.ways_behind(way, name)).collect();
                self.united(Some(*number), ways).ways()
            }
        }
    }

    /// What is known of a pool.
    pub(crate) fn known_as(&self, pool: &Pool) -> Option<Stands> {
        self.known.of(pool).cloned()
    }

    /// The first name of a pool, if it is another name for one pool.
    pub(crate) fn first_name(&self, pool: &Pool) -> Pool {
        match self.known_as(pool) {
            Some(Stands::For(first)) if first != *pool => self.first_name(&first),
            _ => pool.clone(),
        }
    }

    /// A sequence as a view of a pool that is wanted, or of `Pool::Chosen` of those.
    pub(crate) fn fitting_view(&mut self, rep: &Rep, lying: &Lying) -> (Scalar, Scalar, Pool) {
        let (start, len, pool) = self.as_view(rep);
        let (given, own) = lying.seq();
        let Some(own) = own else {
            let number = self.number_among(&pool, given);
            return (start, len, chosen(number, given));
        };
        assert!(given.is_empty(), "{given:?} and a pool of its own");
        if let Pool::Chosen(choice, pools) = &pool {
            if self.at_root() {
                let pool = self.one_pool(*choice, pools);
                return self.fitting_view(&Rep::View { start, len, pool }, lying);
            }
            let among = Among { start, len, choice: *choice, pools };
            if let Some(found) = self.in_pool_from_below(among, own) {
                return found;
            }
            let copied = self.copied(start, len, *choice, pools);
            return self.fitting_view(&copied, lying);
        }
        match self.fitting(&pool, own) {
            Some(pool) => (start, len, pool),
            None => {
                let copied = self.copied(start, len, Scalar::int(0), &[pool]);
                self.fitting_view(&copied, lying)
            }
        }
    }

    /// A sequence of the root as a view of one pool.
    pub(crate) fn as_one_view(&mut self, rep: &Rep) -> (Scalar, Scalar, Pool) {
        let (start, len, pool) = self.as_view(rep);
        match pool {
            Pool::Chosen(number, pools) => (start, len, self.one_pool(number, &pools)),
            pool => (start, len, pool),
        }
    }

    /// A value of the root whose sequences are views of one pool each.
    pub(crate) fn of_one_pool(&mut self, rep: &Rep) -> Rep {
        match rep {
            Rep::View { start, len, pool: Pool::Chosen(number, pools) } => {
                let pool = self.one_pool(*number, pools);
                Rep::View { start: *start, len: *len, pool }
            }
            Rep::Tuple(parts) => Rep::Tuple(parts.iter().map(|p| self.of_one_pool(p)).collect()),
            Rep::Scalar(_) | Rep::View { .. } | Rep::Lanes { .. } => rep.clone(),
        }
    }

    /// The number that a pool has among these, of which it is one.
    pub(crate) fn number_among(&mut self, pool: &Pool, given: &[Pool]) -> Scalar {
        let (number, pools) = self.ways_of(pool);
        let chosen = pool.all().iter().any(|pool| self.is_choice(pool));
        let numbers = self.places_among((&pools, chosen), given);
        self.renumbered(number, &numbers)
    }

    /// The places that the ways of a pool have among these.  Stands of one that the root has chosen
    /// may be others, but are not taken where one of these is wanted: what is behind the segments
    /// that an arm has made is what was behind them there.
    pub(crate) fn places_among(
        &self,
        (pools, chosen): (&[Pool], bool),
        given: &[Pool],
    ) -> Vec<usize> {
        let place = |pool: &Pool| given.iter().position(|known| known == pool);
        let places: Vec<Option<usize>> = pools.iter().map(place).collect();
        let some = places.iter().flatten().next();
        let other = |pool: &Pool| match some {
            Some(&some) if chosen || self.is_choice(pool) => some,
            _ => self.any_place(pool, given),
        };
        let places = places.iter().zip(pools);
        places.map(|(place, pool)| place.unwrap_or_else(|| other(pool))).collect()
    }

    /// Whether a pool is known as one of several that the root has chosen.
    fn is_choice(&self, pool: &Pool) -> bool {
        matches!(self.known_as(pool), Some(Stands::ForOneOf(..)))
    }

    /// A place for what nobody reads.
    fn any_place(&self, pool: &Pool, given: &[Pool]) -> usize {
        // What is translated again may be wrong.
        let unread = self.flattener.again || self.is_empty(pool);
        if unread { 0 } else { unreachable!("{pool:?} is not among {given:?}") }
    }

    /// The elements of a view of the pool that each lane chooses, as lanes of their own.
    pub(crate) fn copied(
        &mut self,
        start: Scalar,
        len: Scalar,
        choice: Scalar,
        pools: &[Pool],
    ) -> Rep {
        let space = self.new_space(len);
        let elem = self.within(space, |cx| {
            let at = cx.add(start, Scalar::Index(space));
            cx.pools_at(Some(choice), at, pools)
        });
        Rep::Lanes { space, elem: Box::new(elem) }
    }

    /// A pool whose elements lie where they are wanted, with the same positions; nothing if that
    /// needs lanes for its elements, which it does not have.
    fn fitting(&mut self, pool: &Pool, lying: &Lying) -> Option<Pool> {
        match pool {
            Pool::Scalar(..) => Some(pool.clone()),
            Pool::Tuple(parts) => {
                let parts = parts.iter().enumerate();
                let parts = parts.map(|(n, part)| self.fitting(part, lying.part(n)));
                Some(Pool::Tuple(parts.collect::<Option<_>>()?))
            }
            Pool::Seq(segments, inner) => {
                let as_it_is = self.fitting_inner(inner, lying);
                if let Some(inner) = as_it_is {
                    return Some(Pool::Seq(*segments, Box::new(inner)));
                }
                self.fitting_segments(*segments, inner, lying)
            }
            Pool::Chosen(..) | Pool::Among(..) => unreachable!("{pool:?} is part of a view"),
        }
    }

    /// What is behind segments, if that fits as it is.
    fn fitting_inner(&mut self, inner: &Pool, lying: &Lying) -> Option<Pool> {
        let (given, own) = lying.seq();
        match (inner, own) {
            (Pool::Among(choices, pools), None) => {
                let pools: Vec<Pool> = pools.iter().map(|pool| self.first_name(pool)).collect();
                (pools == given).then_some(Pool::Among(*choices, pools))
            }
            (Pool::Among(..), Some(_)) => None,
            (inner, Some(own)) => self.fitting(inner, own),
            (inner, None) => {
                let inner = self.first_name(inner);
                (given.len() == 1 && given[0] == inner).then_some(inner)
            }
        }
    }

    /// Segments that lanes have, moved to where they are wanted.
    fn fitting_segments(
        &mut self,
        segments: Segments,
        inner: &Pool,
        lying: &Lying,
    ) -> Option<Pool> {
        let Segments::View(starts, lens) = segments else { return None };
        let Domain::Lanes(space) = self.values[starts].domain else { return None };
        let [start, len] = [starts, lens].map(|v| Scalar::Value(v, space));
        let view = Rep::View { start, len, pool: inner.behind(space) };
        let (start, len, inner) = self.within(space, |cx| cx.fitting_view(&view, lying));
        Some(self.segments_of(start, len, inner, space))
    }

    /// Views of lanes as segments.
    pub(crate) fn segments_of(
        &mut self,
        start: Scalar,
        len: Scalar,
        pool: Pool,
        space: Space,
    ) -> Pool {
        let segments = Segments::View(self.vector(start, space), self.vector(len, space));
        let pool = match pool {
            Pool::Chosen(choice, pools) => Pool::Among(self.vector(choice, space), pools),
            pool => pool,
        };
        Pool::Seq(segments, Box::new(pool))
    }

    /// The pool with this number, at the root: by reference.
    pub(crate) fn one_pool(&mut self, number: Scalar, pools: &[Pool]) -> Pool {
        let Some((last, others)) = pools.split_last() else { unreachable!("no pools") };
        let mut one = last.clone();
        for (n, pool) in others.iter().enumerate().rev() {
            let here = Scalar::int(i64::try_from(n).unwrap_or(i64::MAX));
            let here = self.compute(ScalarOp::Eq, &[number, here]);
            one = self.either_pool(here, pool, &one);
        }
        if one != *last {
            let number = Scalar::Value(self.vector(number, Function::root()), Function::root());
            let is = Stands::ForOneOf(number, pools.iter().cloned().map(Stands::For).collect());
            self.known.push(Known { name: one.clone(), is });
        }
        one
    }

    /// One pool or the other.
    fn either_pool(&mut self, cond: Scalar, then: &Pool, els: &Pool) -> Pool {
        let Some(cond) = self.uniform(cond) else { unreachable!("the root has no lanes") };
        let [starts_then, starts_els] = [then, els].map(|pool| self.pool_with_starts(pool));
        let mut meeting = Meeting::new(self);
        let pool = self.meet_pools((then, &starts_then), (els, &starts_els), &mut meeting);
        let Meeting { then, els, results, .. } = meeting;
        if !results.is_empty() {
            let [then, els] = [then, els].map(|yields| self.arm_of(yields));
            let span = self.span;
            self.push_item(Item::If { results, cond, then, els, span });
        }
        pool
    }

    fn arm_of(&mut self, yields: Vec<Operand>) -> Items {
        self.begin();
        self.end(yields)
    }
}

/// The pool with this number.
pub(crate) fn chosen(number: Scalar, pools: &[Pool]) -> Pool {
    match pools {
        [pool] => pool.clone(),
        pools => Pool::Chosen(number, pools.to_vec()),
    }
}
