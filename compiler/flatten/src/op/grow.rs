//! Results that lanes have made at several depths of a recursion.
//!
//! What a call of the function itself hands up lies in a pool, and what lanes have made at this
//! depth in others.  Only the latter is moved, behind what is in the pool, whose memory has room to
//! grow (`Op::Grow`): all that a recursion makes is moved once, however deep it was made.
//!
//! ```text
//! function down(n, k) = if k == 0 then [0:n] else down(n, k - 1)      {down(n, k) : n; k}
//!
//! from below    | lanes that have ended deeper |  room  |
//! handed up     | lanes that have ended deeper | those that end here | room |
//! ```

mod smaller;

use crate::context::Context;
use crate::fit::chosen;
use crate::origin::Lying;
use crate::rep::{Pool, Rep, Scalar, Segments};
use flat::{Function, Op, Operand, ScatterKind, Space, Value};
use prim::{Const, Monoid, ScalarOp, Ty};

/// Elements to be written behind those of a pool.
pub(super) struct Moving<'p> {
    /// The space whose lanes have them.
    pub(super) space: Space,
    /// The pool, and how much of it is used.
    pub(super) from: &'p Pool,
    pub(super) used: Value,
}

/// Sequences of the current lanes: start, length, and which of some pools each looks into.
#[derive(Clone, Copy)]
pub(crate) struct Among<'p> {
    pub(crate) start: Scalar,
    pub(crate) len: Scalar,
    pub(crate) choice: Scalar,
    pub(crate) pools: &'p [Pool],
}

/// The memory of a pool that grows.
#[derive(Clone, Copy)]
pub(super) enum Memory {
    /// Nobody needs what is not used of it any more.
    Own,
    /// Who calls may need it all, so that this is the place for more; what is written there is read
    /// from other memory.
    Shared(Value),
}

impl Context<'_, '_> {
    /// Notes that a pool came from below, whose elements lie so.
    pub(crate) fn note_growing(&mut self, pool: &Pool, own: &Lying) {
        if !self.lifted {
            return;
        }
        match pool {
            Pool::Scalar(vector, _) => {
                self.growing.insert(*vector);
            }
            Pool::Tuple(parts) => {
                for (n, part) in parts.iter().enumerate() {
                    self.note_growing(part, own.part(n));
                }
            }
            Pool::Seq(Segments::View(starts, _), inner) => {
                self.growing.insert(*starts);
                if let (_, Some(own)) = own.seq() {
                    self.note_growing(inner, own);
                }
            }
            Pool::Seq(..) | Pool::Chosen(..) | Pool::Among(..) => {}
        }
    }

    /// Notes that one value is another, which may belong to a pool that came from below, or that
    /// has no elements.
    pub(crate) fn note_same(&mut self, value: Value, name: Value) {
        for known in [&mut self.growing, &mut self.empty] {
            if known.contains(&value) {
                known.insert(name);
            }
        }
    }

    /// The sequences of all lanes in one of these pools: in what came from below, if the lanes are
    /// those of the function.  Elements lie as `own` says.
    pub(crate) fn in_pool_from_below(
        &mut self,
        among: Among<'_>,
        own: &Lying,
    ) -> Option<(Scalar, Scalar, Pool)> {
        let Among { start, len, choice, pools } = among;
        let lanes = self.parent(self.space) == Some(Function::root());
        let below = pools.iter().enumerate().filter(|(_, pool)| self.came_from_below(pool, own));
        let below: Vec<usize> = below.map(|(n, _)| n).collect();
        match below[..] {
            [a, b, ..] if lanes => {
                let (start, choice, pools) = self.one_of_two(among, (a, b), own);
                match &pools[..] {
                    [pool] => Some((start, len, pool.clone())),
                    pools => self.in_pool_from_below(Among { start, len, choice, pools }, own),
                }
            }
            [below] if lanes => Some(self.grown((start, len), (choice, pools), below, own)),
            _ => None,
        }
    }

    fn came_from_below(&self, pool: &Pool, own: &Lying) -> bool {
        match pool {
            Pool::Scalar(vector, _) => self.growing.contains(vector),
            Pool::Tuple(parts) => {
                parts.iter().enumerate().all(|(n, part)| self.came_from_below(part, own.part(n)))
            }
            Pool::Seq(Segments::View(starts, _), inner) => {
                let inner = own.seq().1.is_none_or(|own| self.came_from_below(inner, own));
                self.growing.contains(starts) && inner
            }
            Pool::Seq(..) | Pool::Chosen(..) | Pool::Among(..) => false,
        }
    }

    /// The sequences of all lanes in one pool: in that with the number `below`, behind whose
    /// elements those of the others are written.  Elements lie as `own` says.
    fn grown(
        &mut self,
        (start, len): (Scalar, Scalar),
        (choice, pools): (Scalar, &[Pool]),
        below: usize,
        own: &Lying,
    ) -> (Scalar, Scalar, Pool) {
        let number = Scalar::int(i64::try_from(below).unwrap_or(i64::MAX));
        let stays = self.compute(ScalarOp::Eq, &[choice, number]);
        let [moving, end] = {
            let end = self.add(start, len);
            let zero = Scalar::int(0);
            [[zero, len], [end, zero]].map(|[a, b]| self.compute(ScalarOp::Select, &[stays, a, b]))
        };
        let used = self.last_end(self.space, end);
        // Nobody reads what came from below, so that its memory can be written.
        let others = pools.iter().enumerate().filter(|&(n, _)| n != below);
        let others: Vec<Pool> = others.map(|(_, pool)| pool.clone()).collect();
        let places: Vec<usize> =
            (0..pools.len()).map(|n| if n < below { n } else { n.saturating_sub(1) }).collect();
        let view = (start, moving, chosen(self.renumbered(choice, &places), &others));
        let (at, pool) = self.behind_others(view, (&pools[below], used), own);
        (self.compute(ScalarOp::Select, &[stays, start, at]), len, pool)
    }

    /// Writes the sequences of the current lanes behind what is used of a pool; gives where each
    /// begins, and the pool.
    fn behind_others(
        &mut self,
        (start, len, pool): (Scalar, Scalar, Pool),
        (from, used): (&Pool, Value),
        own: &Lying,
    ) -> (Scalar, Pool) {
        let space = self.packed_space(len);
        let (first, _) = self.segment(space);
        let elem = self.within(space, |cx| {
            let at = cx.add(start, Scalar::Index(space));
            let (choice, pools) = pool.ways();
            let elem = cx.pools_at(Some(choice), at, &pools);
            cx.fixed(&elem)
        });
        let moving = Moving { space, from, used };
        let mut columns = Vec::new();
        let shape = self.columns_behind(&elem, &moving, own, &mut columns);
        let grown = self.write_behind(&moving, &columns, Memory::Own);
        let at = self.add(Scalar::Value(used, Function::root()), first);
        (at, shape.with_vectors(&mut grown.into_iter()))
    }

    /// The scalars of elements with the vectors to be written, and the pool that they become; what
    /// is inside of sequences is written to pools of its own.
    pub(super) fn columns_behind(
        &mut self,
        elem: &Rep,
        moving: &Moving<'_>,
        own: &Lying,
        columns: &mut Vec<(Scalar, Value)>,
    ) -> Pool {
        match (elem, moving.from) {
            (Rep::Scalar(s), &Pool::Scalar(vector, ty)) => {
                columns.push((*s, vector));
                Pool::Scalar(vector, ty)
            }
            (Rep::Tuple(elems), Pool::Tuple(froms)) => {
                let parts = elems.iter().zip(froms).enumerate().map(|(n, (elem, from))| {
                    let moving = Moving { from, ..*moving };
                    self.columns_behind(elem, &moving, own.part(n), columns)
                });
                Pool::Tuple(parts.collect())
            }
            (Rep::View { start, len, pool }, Pool::Seq(Segments::View(starts, lens), inner)) => {
                let view = (*start, *len, pool.clone());
                match own.seq() {
                    (_, Some(own)) => {
                        let used = self.all_of(inner);
                        let (at, inner) = self.within(moving.space, |cx| {
                            cx.behind_others(view, (&**inner, used), own)
                        });
                        columns.extend([(at, *starts), (*len, *lens)]);
                        Pool::Seq(Segments::View(*starts, *lens), Box::new(inner))
                    }
                    (given, None) => {
                        let (start, len, pool) =
                            self.within(moving.space, |cx| cx.fitting_view(elem, own));
                        columns.extend([(start, *starts), (len, *lens)]);
                        let inner = match (chosen(Scalar::int(0), given), pool) {
                            (Pool::Chosen(_, pools), Pool::Chosen(number, _)) => {
                                let numbers = self.numbers_below(inner, given, moving.used);
                                columns.push((number, numbers));
                                Pool::Among(numbers, pools)
                            }
                            (given, _) => given,
                        };
                        Pool::Seq(Segments::View(*starts, *lens), Box::new(inner))
                    }
                }
            }
            _ => unreachable!("{elem:?} in {:?}", moving.from),
        }
    }

    /// Which of the given pools is behind each segment of a pool that came from below, whose caller
    /// may know them in another order.
    fn numbers_below(&mut self, inner: &Pool, given: &[Pool], used: Value) -> Value {
        if let Pool::Among(numbers, pools) = inner {
            let firsts: Vec<Pool> = pools.iter().map(|pool| self.first_name(pool)).collect();
            if firsts == given {
                return *numbers;
            }
        }
        let space = self.lanes_at_root(used);
        self.within(space, |cx| {
            let pool = match inner {
                Pool::Among(numbers, pools) => {
                    let all = [Pool::Scalar(*numbers, Ty::I64)];
                    let number = cx.pools_at(None, Scalar::Index(space), &all).scalar();
                    Pool::Chosen(cx.kept_among(number, *numbers, pools.len()), pools.clone())
                }
                inner => inner.clone(),
            };
            let number = cx.number_among(&pool, given);
            cx.vector(number, space)
        })
    }

    /// A child of the root with so many lanes.
    fn lanes_at_root(&mut self, count: Value) -> Space {
        let root = Function::root();
        self.within(root, |cx| cx.new_space(Scalar::Value(count, root)))
    }

    /// Writes scalars of lanes behind what is used of vectors; gives these.
    pub(super) fn write_behind(
        &mut self,
        moving: &Moving<'_>,
        columns: &[(Scalar, Value)],
        memory: Memory,
    ) -> Vec<Value> {
        let &Moving { space, used, .. } = moving;
        let from: Vec<Value> = columns.iter().map(|column| column.1).collect();
        let begin = match memory {
            Memory::Own => used,
            Memory::Shared(place) => place,
        };
        let (room, target) = self.room_behind(from, used, begin, space);
        let parent = self.parent(space).unwrap_or(Function::root());
        let (first, _) = self.within(parent, |cx| cx.segment(space));
        let position = self.within(space, |cx| {
            let at = cx.add(first, Scalar::Index(space));
            cx.add(Scalar::Value(begin, Function::root()), at)
        });
        let mut yields = vec![position];
        for &(scalar, _) in columns {
            yields.push(match memory {
                Memory::Shared(_) => scalar,
                // They may be read from where others are written.
                Memory::Own => Scalar::Value(self.vector(scalar, space), space),
            });
        }
        let code = self.code(space, &yields);
        let tys: Vec<Ty> = room.iter().map(|&v| self.values[v].ty).collect();
        let results: Vec<Value> = tys.iter().map(|&ty| self.value_over(target, ty)).collect();
        let op = Op::Scatter { space, code, kind: ScatterKind::Into(room), target };
        self.push(results.clone(), op);
        results
    }

    /// Vectors with room for the lanes of a space from a place behind what is used of them on; and
    /// the space of what there is room for.
    fn room_behind(
        &mut self,
        from: Vec<Value>,
        used: Value,
        begin: Value,
        space: Space,
    ) -> (Vec<Value>, Space) {
        let root = Function::root();
        let more = self.count(space);
        let len = self.within(root, |cx| {
            let both = cx.length_of_both(Scalar::Value(begin, root), more);
            cx.vector(both, root)
        });
        let target = self.lanes_at_root(len);
        let tys: Vec<Ty> = from.iter().map(|&v| self.values[v].ty).collect();
        let room: Vec<Value> = tys.iter().map(|&ty| self.value_over(target, ty)).collect();
        let [used, begin, len] = [used, begin, len].map(Operand::Value);
        self.push(room.clone(), Op::Grow { from, used, begin, len });
        (room, target)
    }

    /// How many elements there are in a pool, looked at or not.  Segments are not asked where the
    /// last of them ends: there are as many of these at each depth, however few are new.
    fn all_of(&mut self, pool: &Pool) -> Value {
        let root = Function::root();
        let mut columns = Vec::new();
        pool.columns(&mut columns);
        let from = columns.into_iter().map(|(vector, _)| vector).collect();
        let [all, alone] = [Ty::I64, Ty::Bool].map(|ty| self.value_over(root, ty));
        let [used, more] = [-1, 0].map(|count| Operand::Const(Const::I64(count)));
        self.push(vec![all, alone], Op::Behind { from, used, more });
        all
    }

    /// The greatest of the ends that the lanes of a child of the root have; 0 if there are none.
    fn last_end(&mut self, space: Space, end: Scalar) -> Value {
        let code = self.code(space, &[end]);
        let root = Function::root();
        let last = self.value_over(root, Ty::I64);
        self.push(vec![last], Op::Reduce { space, monoids: vec![Monoid::Max], code });
        self.within(root, |cx| {
            let last = Scalar::Value(last, root);
            let used = cx.compute(ScalarOp::Max, &[last, Scalar::int(0)]);
            cx.vector(used, root)
        })
    }
}

impl Pool {
    /// One of its vectors, the same each time.
    pub(crate) fn first_vector(&self) -> Option<Value> {
        match self {
            Pool::Scalar(vector, _) => Some(*vector),
            Pool::Tuple(parts) => parts.iter().find_map(Pool::first_vector),
            Pool::Seq(Segments::View(starts, _), _) => Some(*starts),
            Pool::Seq(..) | Pool::Chosen(..) | Pool::Among(..) => None,
        }
    }
}
