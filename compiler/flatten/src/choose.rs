//! Elements of pools at a position, possibly of several pools of which each lane chooses one.
//!
//! This one operation serves subscripts, generators over views, `++`, sequence literals, the
//! merging of `if` and writes of nested elements.  Scalars are read; sequences are taken by
//! descriptor, and where the pools differ the descriptor says which is meant:
//!
//! ```text
//! [1 2] from pool a   (lane 0 chooses a)            starts 0 2, lengths 2 1
//! [7]   from pool b   (lane 1 chooses b)     ->     of pools 0 1 among a b
//! ```
//!
//! Where one pool is wanted, the elements are copied to one ([`crate::fit`]).

use crate::context::Context;
use crate::rep::{Pool, Rep, Scalar, Segments};
use flat::{Function, Operand, Space, Value};
use prim::{Const, ScalarOp, Ty};
use scalar::{Atom, Builder, Stmt};

/// A position in a pool.
#[derive(Clone, Copy)]
pub(crate) struct Position {
    pub(crate) at: Scalar,
    /// Lanes in which this (a bool) does not hold have failed: there is nothing at their position,
    /// so they read no descriptors and go on with an empty sequence.  What is left over in memory
    /// that nobody wrote is then never taken for a start or a length.
    pub(crate) exists: Option<Scalar>,
}

impl From<Scalar> for Position {
    fn from(at: Scalar) -> Position {
        Position { at, exists: None }
    }
}

impl Context<'_, '_> {
    /// The element of a pool at a position, in the current space.
    pub(crate) fn pool_at(&mut self, position: impl Into<Position>, pool: &Pool) -> Rep {
        let position = position.into();
        if self.is_own(position.at) {
            self.own_element(pool, position)
        } else {
            self.pools_at(None, position, std::slice::from_ref(pool))
        }
    }

    /// Whether a scalar is the position of the current lane itself.
    fn is_own(&self, at: Scalar) -> bool {
        at == Scalar::Index(self.space) && self.parent(self.space) == Some(Function::root())
    }

    /// The element of a pool at the current lane's own position; values over the current space are
    /// taken as they are.
    fn own_element(&mut self, pool: &Pool, at: Position) -> Rep {
        let over = |cx: &Self, v: Value| cx.values[v].domain == flat::Domain::Lanes(cx.space);
        match pool {
            Pool::Scalar(v, _) if over(self, *v) => Rep::Scalar(Scalar::Value(*v, self.space)),
            Pool::Tuple(parts) => {
                Rep::Tuple(parts.iter().map(|p| self.own_element(p, at)).collect())
            }
            Pool::Seq(Segments::View(starts, lens), inner)
                if over(self, *starts) && over(self, *lens) =>
            {
                let start = Scalar::Value(*starts, self.space);
                let len = Scalar::Value(*lens, self.space);
                Rep::View { start, len, pool: inner.behind(self.space) }
            }
            Pool::Seq(Segments::Packed(offsets), inner) => match self.packed.get(offsets) {
                Some(&space) if self.parent(space) == Some(self.space) => {
                    let elem = Box::new(self.lanes_of(inner, space));
                    Rep::Lanes { space, elem }
                }
                _ => self.pools_at(None, at, std::slice::from_ref(pool)),
            },
            _ => self.pools_at(None, at, std::slice::from_ref(pool)),
        }
    }

    /// A packed pool as the lanes of the space that its elements are over.
    fn lanes_of(&mut self, pool: &Pool, space: Space) -> Rep {
        match pool {
            Pool::Scalar(v, _) => Rep::Scalar(Scalar::Value(*v, space)),
            Pool::Tuple(parts) => {
                Rep::Tuple(parts.iter().map(|p| self.lanes_of(p, space)).collect())
            }
            Pool::Seq(Segments::Packed(offsets), inner) => {
                let Some(&below) = self.packed.get(offsets) else {
                    unreachable!("{offsets} is no packed parameter")
                };
                Rep::Lanes { space: below, elem: Box::new(self.lanes_of(inner, below)) }
            }
            Pool::Seq(Segments::View(starts, lens), inner) => Rep::View {
                start: Scalar::Value(*starts, space),
                len: Scalar::Value(*lens, space),
                pool: inner.behind(space),
            },
            Pool::Seq(Segments::Regular(_), _) | Pool::Chosen(..) | Pool::Among(..) => {
                unreachable!("{pool:?} is no parameter")
            }
        }
    }

    /// The element at position `at` of the pool that `choice` (an int) names, in the current space.
    pub(crate) fn pools_at(
        &mut self,
        choice: Option<Scalar>,
        at: impl Into<Position>,
        pools: &[Pool],
    ) -> Rep {
        let at = at.into();
        if pools.iter().any(|pool| matches!(pool, Pool::Chosen(..))) {
            let ways = pools.iter().map(|pool| pool.ways()).collect();
            return match self.united(choice, ways) {
                Pool::Chosen(choice, pools) => self.pools_at(Some(choice), at, &pools),
                pool => self.pools_at(None, at, &[pool]),
            };
        }
        match &pools[0] {
            Pool::Scalar(_, ty) => {
                let vectors: Vec<Value> = pools
                    .iter()
                    .map(|p| match p {
                        Pool::Scalar(v, _) => *v,
                        _ => unreachable!("pools of different shape"),
                    })
                    .collect();
                Rep::Scalar(self.read(*ty, choice, at.at, &vectors))
            }
            Pool::Tuple(parts) => Rep::Tuple(
                (0..parts.len())
                    .map(|n| {
                        let parts: Vec<Pool> = pools.iter().map(|p| p.part(n).clone()).collect();
                        self.pools_at(choice, at, &parts)
                    })
                    .collect(),
            ),
            Pool::Seq(..) => self.sequence_at(choice, at, pools),
            Pool::Chosen(..) | Pool::Among(..) => unreachable!("a choice of choices"),
        }
    }

    fn sequence_at(&mut self, choice: Option<Scalar>, at: Position, pools: &[Pool]) -> Rep {
        let (mut starts, mut lens, mut ways) = (Vec::new(), Vec::new(), Vec::new());
        for (n, pool) in pools.iter().enumerate() {
            let Pool::Seq(segments, inner) = pool else { unreachable!("pools of different shape") };
            let only = choice.filter(|_| pools.len() > 1).map(|choice| (choice, n));
            let guard = self.may_read(at, only);
            let (start, len) = self.segment_at(*segments, at.at, guard);
            starts.push(start);
            lens.push(len);
            ways.push(match &**inner {
                Pool::Among(choices, pools) => {
                    let [choice] = self.guarded_reads([(*choices, 0)], at.at, guard);
                    (self.kept_among(choice, *choices, pools.len()), pools.clone())
                }
                inner => inner.ways(),
            });
        }
        let start = self.select(choice, &starts);
        let len = self.select(choice, &lens);
        Rep::View { start, len, pool: self.united(choice, ways) }
    }

    /// A number read from a vector of them.  One that the root took from an arm in which there was
    /// nothing to choose may be too large; all pools are the same then.
    pub(crate) fn kept_among(&mut self, number: Scalar, numbers: Value, count: usize) -> Scalar {
        if self.values[numbers].domain != flat::Domain::Pool {
            return number;
        }
        let last = Scalar::int(i64::try_from(count).unwrap_or(i64::MAX) - 1);
        self.compute(ScalarOp::Min, &[number, last])
    }

    /// What must hold for descriptors to be read at a position: that it exists, and that its lane
    /// chooses the pool with this number.
    fn may_read(&mut self, at: Position, only: Option<(Scalar, usize)>) -> Option<Scalar> {
        let chosen = only.map(|(choice, n)| {
            let number = Scalar::int(i64::try_from(n).unwrap_or(i64::MAX));
            self.compute(ScalarOp::Eq, &[choice, number])
        });
        match (at.exists, chosen) {
            (Some(exists), Some(chosen)) => Some(self.compute(ScalarOp::And, &[exists, chosen])),
            (exists, chosen) => exists.or(chosen),
        }
    }

    /// The pool of the way that is chosen, each of which chooses among pools itself.
    pub(crate) fn united(
        &mut self,
        choice: Option<Scalar>,
        ways: Vec<(Scalar, Vec<Pool>)>,
    ) -> Pool {
        let mut all: Vec<Pool> = Vec::new();
        // For each way, its pools by their numbers among all.
        let mut numbers: Vec<(Scalar, Vec<usize>)> = Vec::new();
        // Nobody reads from a pool without elements: any other will do.
        let empty = |pool: &Pool| self.is_empty(pool);
        let no_other = ways.iter().all(|(_, pools)| pools.iter().all(empty));
        for (choice, pools) in ways {
            let mut own = Vec::new();
            for pool in pools {
                if !no_other && self.is_empty(&pool) {
                    own.push(0);
                    continue;
                }
                let known = all.iter().position(|p| *p == pool);
                own.push(known.unwrap_or(all.len()));
                if known.is_none() {
                    all.push(pool);
                }
            }
            numbers.push((choice, own));
        }
        if all.len() == 1 {
            return all.swap_remove(0);
        }
        let in_order = numbers.iter().enumerate().all(|(n, (_, own))| *own == [n]);
        let number = match choice {
            Some(choice) if in_order => choice,
            _ => {
                let numbers: Vec<Scalar> = numbers
                    .into_iter()
                    .map(|(choice, own)| self.renumbered(choice, &own))
                    .collect();
                self.select(choice, &numbers)
            }
        };
        Pool::Chosen(number, all)
    }

    /// Whether a pool is known to have no elements.
    pub(crate) fn is_empty(&self, pool: &Pool) -> bool {
        pool.first_vector().is_some_and(|vector| self.empty.contains(&vector))
    }

    /// A choice among pools whose numbers are others now.
    pub(crate) fn renumbered(&mut self, choice: Scalar, numbers: &[usize]) -> Scalar {
        if numbers.iter().enumerate().all(|(n, &number)| n == number) {
            return choice;
        }
        let number = |&n: &usize| Scalar::int(i64::try_from(n).unwrap_or(i64::MAX));
        self.select(Some(choice), &numbers.iter().map(number).collect::<Vec<_>>())
    }

    /// One of several values of the current space, chosen lane by lane.
    pub(crate) fn choose(&mut self, choice: Scalar, reps: &[Rep]) -> Rep {
        match &reps[0] {
            Rep::Scalar(_) => {
                let scalars: Vec<Scalar> = reps.iter().map(Rep::scalar).collect();
                Rep::Scalar(self.select(Some(choice), &scalars))
            }
            Rep::Tuple(parts) => Rep::Tuple(
                (0..parts.len())
                    .map(|n| {
                        let parts: Vec<Rep> = reps.iter().map(|r| r.part(n).clone()).collect();
                        self.choose(choice, &parts)
                    })
                    .collect(),
            ),
            Rep::Lanes { .. } | Rep::View { .. } => {
                let (mut starts, mut lens, mut ways) = (Vec::new(), Vec::new(), Vec::new());
                for rep in reps {
                    let (start, len, pool) = self.as_view(rep);
                    starts.push(start);
                    lens.push(len);
                    ways.push(pool.ways());
                }
                let start = self.select(Some(choice), &starts);
                let len = self.select(Some(choice), &lens);
                Rep::View { start, len, pool: self.united(Some(choice), ways) }
            }
        }
    }

    /// One of several scalars.
    fn select(&mut self, choice: Option<Scalar>, scalars: &[Scalar]) -> Scalar {
        let Some(choice) = choice else { return scalars[0] };
        if scalars.iter().all(|s| *s == scalars[0]) {
            return scalars[0];
        }
        let region = self.region(self.space, self.span);
        let ty = self.scalar_ty(scalars[0]);
        let which = self.reach_in(region, choice);
        let atoms: Vec<Atom<Value>> = scalars.iter().map(|&s| self.reach_in(region, s)).collect();
        let atom = self.with_lane(region, |cx, lane| {
            cx.tree(lane, ty, which, 0, &mut |_, _, n| atoms[n], atoms.len())
        });
        self.scalar_of(region, atom)
    }

    /// The elements of vectors at one position.
    fn read(&mut self, ty: Ty, choice: Option<Scalar>, at: Scalar, vectors: &[Value]) -> Scalar {
        let region = self.region(self.space, self.span);
        let index = self.reach_in(region, at);
        let same = vectors.iter().all(|v| *v == vectors[0]);
        let which = choice.filter(|_| !same).map(|c| self.reach_in(region, c));
        let atom = self.with_lane(region, |cx, lane| match which {
            None => lane.builder.read(ty, vectors[0], index),
            Some(which) => cx.tree(
                lane,
                ty,
                which,
                0,
                &mut |_, lane, n| lane.builder.read(ty, vectors[n], index),
                vectors.len(),
            ),
        });
        self.scalar_of(region, atom)
    }

    /// Start and length of the segment at a position, in lanes where the guard holds (others must
    /// not read there).
    fn segment_at(
        &mut self,
        segments: Segments,
        at: Scalar,
        guard: Option<Scalar>,
    ) -> (Scalar, Scalar) {
        match segments {
            Segments::View(starts, lens) => {
                self.guarded_reads([(starts, 0), (lens, 0)], at, guard).into()
            }
            Segments::Packed(offsets) => {
                let [start, end] = self.guarded_reads([(offsets, 0), (offsets, 1)], at, guard);
                (start, self.compute(ScalarOp::Sub, &[end, start]))
            }
            Segments::Regular(len) => {
                let len = match len {
                    Operand::Const(c) => Scalar::Const(c),
                    Operand::Value(v) => Scalar::Value(v, Function::root()),
                };
                let len = match guard {
                    Some(guard) => self.compute(ScalarOp::Select, &[guard, len, Scalar::int(0)]),
                    None => len,
                };
                (self.compute(ScalarOp::Mul, &[at, len]), len)
            }
        }
    }

    /// Ints of vectors, each at a position and so many elements behind it, or 0 in lanes where the
    /// guard does not hold.
    fn guarded_reads<const N: usize>(
        &mut self,
        reads: [(Value, i64); N],
        at: Scalar,
        guard: Option<Scalar>,
    ) -> [Scalar; N] {
        let region = self.region(self.space, self.span);
        let span = self.span;
        let index = self.reach_in(region, at);
        let guard = guard.map(|guard| self.reach_in(region, guard));
        let atoms = self.with_lane(region, |_, lane| {
            guarded(&mut lane.builder, guard, |builder| {
                reads.map(|(vector, behind)| {
                    let behind = Atom::Const(Const::I64(behind));
                    let index = builder.scalar(ScalarOp::Add, &[index, behind], span);
                    builder.read(Ty::I64, vector, index)
                })
            })
        });
        atoms.map(|atom| self.scalar_of(region, atom))
    }

    /// A tree of `if`s over `which` in `from .. from + count`; `leaf` gives each value.
    fn tree(
        &mut self,
        lane: &mut crate::region::Lane,
        ty: Ty,
        which: Atom<Value>,
        from: usize,
        leaf: &mut dyn FnMut(&mut Self, &mut crate::region::Lane, usize) -> Atom<Value>,
        count: usize,
    ) -> Atom<Value> {
        if count == 1 {
            return leaf(self, lane, from);
        }
        let half = count / 2;
        let bound = Atom::Const(Const::I64(i64::try_from(from + half).unwrap_or(i64::MAX)));
        let cond = lane.builder.scalar(ScalarOp::Lt, &[which, bound], self.span);
        if let Atom::Const(known) = cond {
            return if known.bool() {
                self.tree(lane, ty, which, from, leaf, half)
            } else {
                self.tree(lane, ty, which, from + half, leaf, count - half)
            };
        }
        let result = lane.builder.fresh(ty);
        lane.builder.begin();
        let low = self.tree(lane, ty, which, from, leaf, half);
        let then = lane.builder.end(vec![low]);
        lane.builder.begin();
        let high = self.tree(lane, ty, which, from + half, leaf, count - half);
        let els = lane.builder.end(vec![high]);
        if then.stmts.is_empty() && els.stmts.is_empty() {
            let args = [cond, then.yields[0], els.yields[0]];
            return lane.builder.scalar(ScalarOp::Select, &args, self.span);
        }
        lane.builder.push(Stmt::If { results: vec![result], cond, then, els });
        Atom::Var(result)
    }

    /// A sum of positions.
    pub(crate) fn add(&mut self, a: Scalar, b: Scalar) -> Scalar {
        let zero = Scalar::int(0);
        if a == zero {
            b
        } else if b == zero {
            a
        } else {
            self.compute(ScalarOp::Add, &[a, b])
        }
    }
}

/// Ints that code gives where the guard holds; 0 elsewhere.
pub(crate) fn guarded<R: scalar::Name, const N: usize>(
    builder: &mut Builder<R>,
    guard: Option<Atom<R>>,
    ints: impl FnOnce(&mut Builder<R>) -> [Atom<R>; N],
) -> [Atom<R>; N] {
    let Some(cond) = guard else { return ints(builder) };
    if let Atom::Const(known) = cond {
        return if known.bool() { ints(builder) } else { [Atom::Const(Const::I64(0)); N] };
    }
    let results = [(); N].map(|()| builder.fresh(Ty::I64));
    builder.begin();
    let found = ints(builder);
    let then = builder.end(found.into());
    builder.begin();
    let els = builder.end(vec![Atom::Const(Const::I64(0)); N]);
    builder.push(Stmt::If { results: results.into(), cond, then, els });
    results.map(Atom::Var)
}

impl Pool {
    /// Part `n` of a pool of tuples.
    pub(crate) fn part(&self, n: usize) -> &Pool {
        match self {
            Pool::Tuple(parts) => &parts[n],
            _ => unreachable!("pools of different shape"),
        }
    }

    /// The pools that this may be, and which of them it is.
    pub(crate) fn ways(&self) -> (Scalar, Vec<Pool>) {
        match self {
            Pool::Chosen(choice, pools) => (*choice, pools.clone()),
            other => (Scalar::int(0), vec![other.clone()]),
        }
    }

    /// The pool behind the segments of lanes as each of these sees it.
    pub(crate) fn behind(&self, lanes: Space) -> Pool {
        match self {
            Pool::Among(choices, pools) => {
                Pool::Chosen(Scalar::Value(*choices, lanes), pools.clone())
            }
            other => other.clone(),
        }
    }
}

impl Rep {
    /// Part `n` of a tuple.
    pub(crate) fn part(&self, n: usize) -> &Rep {
        match self {
            Rep::Tuple(parts) => &parts[n],
            Rep::Scalar(_) | Rep::Lanes { .. } | Rep::View { .. } => {
                unreachable!("{self:?} is no tuple")
            }
        }
    }
}
