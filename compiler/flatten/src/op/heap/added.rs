//! What is new is added to a heap: behind what is there, or, if most of that is unused, with what
//! is still wanted to a new one.

use super::{Leaf, to_int};
use crate::context::{Context, Item, Items};
use crate::op::grow::{Memory, Moving};
use crate::origin::Lying;
use crate::rep::{Pool, Rep, Scalar};
use flat::{Domain, Function, Op, Operand, Space, Value, ValueInfo};
use prim::{Const, Monoid, ScalarOp, Ty};
use std::borrow::Borrow;

/// Elements in a heap that may lie unused whatever is used.
pub(super) const UNUSED: i64 = 4096;

/// Pools that are to be added to a heap.
pub(super) struct Adding<'p> {
    pub(super) made: &'p Pool,
    /// Which of the pools that a sequence looks into is the heap; the others are behind it.
    pub(super) number: usize,
    pub(super) others: &'p [Pool],
    /// Where sequences in elements lie.
    pub(super) lying: Lying,
    /// Something at the root that is 0 if no element of another heap looks into this one, in which
    /// then nothing can be moved.
    pub(super) behind: Option<Scalar>,
}

/// How much there is of a heap and of what is to be added to it.
pub(super) struct Sizes {
    /// Elements of the heap that are looked at, and all before them.
    used: Value,
    /// Where each of the others ends, one behind the other, and where the first begins.
    pub(super) ends: Vec<Scalar>,
    /// Whether more than half of the heap is not looked at.
    wasteful: Scalar,
}

impl Sizes {
    /// How much is to be added, one behind the other.
    pub(super) fn more(&self) -> Scalar {
        self.ends[self.ends.len() - 1]
    }
}

impl Context<'_, '_> {
    /// Adds to a heap what sequences look into otherwise; tells them where they are then, and which
    /// pool of the heap they look into.  Gives the heap, and the place before which it is what it
    /// was.
    pub(super) fn collect(
        &mut self,
        adding: &Adding<'_>,
        sizes: &Sizes,
        leaves: &mut [&mut Leaf],
    ) -> (Pool, Scalar) {
        let found = if self.is_empty(adding.made) {
            let place = (sizes.used, sizes.used);
            let (starts, pool) = self.added(adding, leaves, sizes, place);
            for (leaf, start) in leaves.iter_mut().zip(starts) {
                leaf.start = start;
            }
            (pool, Scalar::int(0))
        } else {
            self.added_or_compacted(adding, leaves, sizes)
        };
        let last = Scalar::int(to_int(adding.number));
        for leaf in leaves {
            let least = |cx: &mut Self| cx.compute(ScalarOp::Min, &[leaf.choice, last]);
            leaf.choice = self.within(leaf.space, least);
        }
        found
    }

    /// Adds to a heap of which something is there; or makes a new one, if most of it is unused and
    /// nobody else needs it.
    fn added_or_compacted(
        &mut self,
        adding: &Adding<'_>,
        leaves: &mut [&mut Leaf],
        sizes: &Sizes,
    ) -> (Pool, Scalar) {
        let root = Function::root();
        let used = self.within(root, |cx| cx.all_or_used(adding, Scalar::int(-1), sizes));
        let [begin, alone] = self.room_in(adding.made, used, sizes);
        let kept = self.within(root, |cx| {
            let kept = cx.all_or_used(adding, Scalar::Value(begin, root), sizes);
            cx.vector(kept, root)
        });
        let cond = self.within(root, |cx| {
            let cond = cx.compute(ScalarOp::And, &[sizes.wasteful, Scalar::Value(alone, root)]);
            match adding.behind {
                Some(behind) => {
                    let free = cx.compute(ScalarOp::Eq, &[behind, Scalar::int(0)]);
                    cx.compute(ScalarOp::And, &[cond, free])
                }
                None => cond,
            }
        });
        let Some(cond) = self.uniform(cond) else { unreachable!("known to the root") };
        self.begin();
        let (starts, pool) = self.compacted(adding, leaves);
        let then = self.arm(leaves, &starts, &pool);
        self.begin();
        let (starts, pool) = self.added(adding, leaves, sizes, (begin, kept));
        let els = self.arm(leaves, &starts, &pool);
        let mut results = Vec::new();
        for leaf in leaves.iter_mut() {
            let start = self.value_over(leaf.space, Ty::I64);
            results.push(start);
            leaf.start = Scalar::Value(start, leaf.space);
        }
        let made = self.renamed(&pool, &mut results);
        let span = self.span;
        self.push_item(Item::If { results, cond, then, els, span });
        let place = self.within(root, |cx| {
            let compacted = match cond {
                Operand::Const(c) => Scalar::Const(c),
                Operand::Value(v) => Scalar::Value(v, root),
            };
            let begin = Scalar::Value(begin, root);
            cx.compute(ScalarOp::Select, &[compacted, Scalar::int(0), begin])
        });
        (made, place)
    }

    /// Where a heap has room for what is to be added, and whether nobody else needs it.
    pub(super) fn room_in(&mut self, made: &Pool, used: Scalar, sizes: &Sizes) -> [Value; 2] {
        let root = Function::root();
        let mut columns = Vec::new();
        made.columns(&mut columns);
        let from = columns.iter().map(|column| column.0).collect();
        let counts = [used, sizes.more()];
        let [used, more] = counts.map(|count| self.within(root, |cx| cx.component(count)));
        let results = [Ty::I64, Ty::Bool].map(|ty| self.value_over(root, ty));
        self.push(results.to_vec(), Op::Behind { from, used, more });
        results
    }

    /// What is used of a heap, or something else where elements of other heaps look into it: these
    /// are not looked through, so that all of it counts as used.
    fn all_or_used(&mut self, adding: &Adding<'_>, all: Scalar, sizes: &Sizes) -> Scalar {
        let used = Scalar::Value(sizes.used, Function::root());
        match adding.behind {
            Some(behind) => {
                let all_used = self.compute(ScalarOp::Gt, &[behind, Scalar::int(0)]);
                self.compute(ScalarOp::Select, &[all_used, all, used])
            }
            None => used,
        }
    }

    /// How much there is of the heap with this number among the pools, and of each of so many
    /// others behind it.
    pub(super) fn sizes(
        &mut self,
        number: usize,
        others: usize,
        leaves: &[&mut Leaf],
        lanes: Space,
    ) -> Sizes {
        let root = Function::root();
        let mut found: Vec<Scalar> = Vec::new();
        for space in spaces(leaves, lanes) {
            let here = leaves.iter().filter(|leaf| looks_from(leaf, space, lanes));
            let here: Vec<&Leaf> = here.map(|leaf| &**leaf).collect();
            let more = self.sizes_in((number, others), &here, space);
            found = self.within(root, |cx| {
                let both = more.iter().enumerate().map(|(n, &more)| match found.get(n) {
                    Some(&known) if n < others + 1 => cx.compute(ScalarOp::Max, &[known, more]),
                    Some(&known) => cx.compute(ScalarOp::Add, &[known, more]),
                    None => more,
                });
                both.collect()
            });
        }
        self.within(root, |cx| {
            let looked_at = found.pop().unwrap_or_else(|| unreachable!("a sum"));
            // Views end inside their heap, so that their ends are lengths.
            let longest = Scalar::int(cx.flattener.nest.widths.max_length());
            let used = found.iter().map(|&end| {
                let end = cx.compute(ScalarOp::Min, &[end, longest]);
                cx.compute(ScalarOp::Max, &[end, Scalar::int(0)])
            });
            let used: Vec<Scalar> = used.collect();
            let much = cx.compute(ScalarOp::Sub, &[used[0], Scalar::int(UNUSED)]);
            let much = cx.compute(ScalarOp::ToFloat, &[much]);
            let twice = cx.compute(ScalarOp::Add, &[looked_at, looked_at]);
            let wasteful = cx.compute(ScalarOp::Gt, &[much, twice]);
            let mut ends: Vec<Scalar> = vec![Scalar::int(0)];
            for &more in &used[1..] {
                let end = ends[ends.len() - 1];
                ends.push(cx.length_of_both(end, more));
            }
            let ends = ends.into_iter().map(|end| cx.root_scalar(end)).collect();
            Sizes { used: cx.vector(used[0], root), ends, wasteful }
        })
    }

    /// Where the heap and each of the others end for sequences of these lanes, and how long these
    /// are in all.
    fn sizes_in(
        &mut self,
        (number, others): (usize, usize),
        leaves: &[&Leaf],
        lanes: Space,
    ) -> Vec<Scalar> {
        let counts = self.within(lanes, |cx| {
            let zero = Scalar::int(0);
            let mut ends = vec![zero; others + 1];
            let mut looked_at = Scalar::Const(Const::F64(0.0));
            for leaf in leaves {
                let end = cx.add(leaf.start, leaf.len);
                for (n, last) in ends.iter_mut().enumerate() {
                    let number = Scalar::int(to_int(number + n));
                    let here = cx.compute(ScalarOp::Eq, &[leaf.choice, number]);
                    let end = cx.compute(ScalarOp::Select, &[here, end, zero]);
                    *last = cx.compute(ScalarOp::Max, &[*last, end]);
                }
                let len = cx.moving_length(number, leaf);
                let len = cx.compute(ScalarOp::ToFloat, &[len]);
                looked_at = cx.compute(ScalarOp::Add, &[looked_at, len]);
            }
            ends.push(looked_at);
            ends
        });
        let root = Function::root();
        if lanes == root {
            return counts;
        }
        let code = self.code(lanes, &counts);
        let mut monoids = vec![Monoid::Max; others + 1];
        let mut results: Vec<Value> =
            monoids.iter().map(|_| self.value_over(root, Ty::I64)).collect();
        monoids.push(Monoid::Add);
        results.push(self.value_over(root, Ty::F64));
        self.push(results.clone(), Op::Reduce { space: lanes, monoids, code });
        results.into_iter().map(|v| Scalar::Value(v, root)).collect()
    }

    /// The longest sequence that looks into the heap with this number among the pools, or is to be
    /// added to it.
    pub(super) fn longest(&mut self, number: usize, leaves: &[&Leaf], lanes: Space) -> Scalar {
        let root = Function::root();
        let mut longest = Scalar::int(0);
        for space in spaces(leaves, lanes) {
            let here = leaves.iter().filter(|leaf| looks_from(leaf, space, lanes));
            let here: Vec<&Leaf> = here.copied().collect();
            let len = self.within(space, |cx| {
                here.iter().fold(Scalar::int(0), |longest, leaf| {
                    let len = cx.moving_length(number, leaf);
                    cx.compute(ScalarOp::Max, &[longest, len])
                })
            });
            let result = if space == root {
                len
            } else {
                let code = self.code(space, &[len]);
                let result = self.value_over(root, Ty::I64);
                self.push(vec![result], Op::Reduce { space, monoids: vec![Monoid::Max], code });
                Scalar::Value(result, root)
            };
            longest = self.within(root, |cx| cx.compute(ScalarOp::Max, &[longest, result]));
        }
        longest
    }

    /// The length of what looks into the heap or is to be added to it; else 0.
    fn moving_length(&mut self, number: usize, leaf: &Leaf) -> Scalar {
        let number = Scalar::int(to_int(number));
        let given = self.compute(ScalarOp::Lt, &[leaf.choice, number]);
        self.compute(ScalarOp::Select, &[given, Scalar::int(0), leaf.len])
    }

    /// The other pools, as far as they are used, at a place in the heap, of which so much is kept;
    /// gives where each sequence begins, and the heap.
    fn added(
        &mut self,
        adding: &Adding<'_>,
        leaves: &[&mut Leaf],
        sizes: &Sizes,
        (place, kept): (Value, Value),
    ) -> (Vec<Scalar>, Pool) {
        let root = Function::root();
        let ends = &sizes.ends;
        let (space, elem) = self.elements_of(adding.others, ends);
        let moving = Moving { space, from: adding.made, used: kept };
        let pool = self.written(&elem, &moving, &adding.lying, Memory::Shared(place));
        let mut starts = Vec::new();
        for leaf in leaves {
            starts.push(self.within(leaf.space, |cx| {
                let mut start = leaf.start;
                for (n, &end) in ends[..adding.others.len()].iter().enumerate() {
                    let begin = cx.add(Scalar::Value(place, root), end);
                    let there = cx.add(leaf.start, begin);
                    let number = Scalar::int(to_int(adding.number + 1 + n));
                    let here = cx.compute(ScalarOp::Eq, &[leaf.choice, number]);
                    start = cx.compute(ScalarOp::Select, &[here, there, start]);
                }
                start
            }));
        }
        (starts, pool)
    }

    /// The elements of pools, one behind the other, as lanes of a space.
    pub(super) fn elements_of(&mut self, pools: &[Pool], ends: &[Scalar]) -> (Space, Rep) {
        let root = Function::root();
        let space = self.within(root, |cx| cx.new_space(ends[ends.len() - 1]));
        let elem = self.within(space, |cx| {
            let own = Scalar::Index(space);
            let (mut choice, mut at) = (Scalar::int(0), own);
            for (n, &begin) in ends[..pools.len()].iter().enumerate().skip(1) {
                let here = cx.compute(ScalarOp::Ge, &[own, begin]);
                let inside = cx.compute(ScalarOp::Sub, &[own, begin]);
                choice = cx.compute(ScalarOp::Select, &[here, Scalar::int(to_int(n)), choice]);
                at = cx.compute(ScalarOp::Select, &[here, inside, at]);
            }
            let elem = cx.pools_at(Some(choice), at, pools);
            cx.fixed(&elem)
        });
        (space, elem)
    }

    /// A new heap of what sequences look at in the old one and in the other pools.
    fn compacted(&mut self, adding: &Adding<'_>, leaves: &[&mut Leaf]) -> (Vec<Scalar>, Pool) {
        let root = Function::root();
        let pools: Vec<Pool> = [adding.made].into_iter().chain(adding.others).cloned().collect();
        let zero = Scalar::int(0);
        let (mut starts, mut heap) = (Vec::new(), adding.made.clone());
        let mut used = self.within(root, |cx| cx.root_scalar(zero));
        for leaf in leaves {
            let (space, first) = self.within(leaf.space, |cx| {
                let len = cx.moving_length(adding.number, leaf);
                let lanes = leaf.space != root;
                let space = if lanes { cx.packed_space(len) } else { cx.new_space(len) };
                (space, cx.segment(space).0)
            });
            let elem = self.within(space, |cx| {
                let at = cx.add(leaf.start, Scalar::Index(space));
                let number = Scalar::int(to_int(adding.number));
                let choice = cx.compute(ScalarOp::Sub, &[leaf.choice, number]);
                let elem = cx.pools_at(Some(choice), at, &pools);
                cx.fixed(&elem)
            });
            let used_value = self.within(root, |cx| cx.vector(used, root));
            let moving = Moving { space, from: &heap, used: used_value };
            heap = self.written(&elem, &moving, &adding.lying, Memory::Own);
            starts.push(self.within(leaf.space, |cx| {
                let number = Scalar::int(to_int(adding.number));
                let given = cx.compute(ScalarOp::Lt, &[leaf.choice, number]);
                let at = cx.add(used, first);
                cx.compute(ScalarOp::Select, &[given, leaf.start, at])
            }));
            let more = self.count(space);
            used = self.within(root, |cx| {
                let both = cx.length_of_both(used, more);
                cx.root_scalar(both)
            });
        }
        (starts, heap)
    }

    /// A scalar of the root as a value that later code reads.
    fn root_scalar(&mut self, scalar: Scalar) -> Scalar {
        match scalar {
            Scalar::Const(_) => scalar,
            scalar => {
                let root = Function::root();
                Scalar::Value(self.vector(scalar, root), root)
            }
        }
    }

    /// The heap with the elements of lanes behind what is used of it.
    fn written(&mut self, elem: &Rep, moving: &Moving<'_>, lying: &Lying, memory: Memory) -> Pool {
        let mut columns = Vec::new();
        let shape = self.columns_behind(elem, moving, lying, &mut columns);
        let grown = self.write_behind(moving, &columns, memory);
        shape.with_vectors(&mut grown.into_iter())
    }

    /// Ends an arm that gives where sequences begin, and the heap.
    fn arm(&mut self, leaves: &[&mut Leaf], starts: &[Scalar], pool: &Pool) -> Items {
        let mut yields = Vec::new();
        for (leaf, &start) in leaves.iter().zip(starts) {
            self.within(leaf.space, |cx| yields.push(cx.component(start)));
        }
        let mut columns = Vec::new();
        pool.columns(&mut columns);
        yields.extend(columns.iter().map(|column| Operand::Value(column.0)));
        self.end(yields)
    }

    /// A pool of new vectors.
    pub(super) fn renamed(&mut self, pool: &Pool, results: &mut Vec<Value>) -> Pool {
        let mut columns = Vec::new();
        pool.columns(&mut columns);
        let fresh = columns.iter().map(|&(_, ty)| ValueInfo { ty, domain: Domain::Pool });
        let fresh: Vec<Value> = fresh.map(|info| self.values.push(info)).collect();
        results.extend(&fresh);
        pool.with_vectors(&mut fresh.into_iter())
    }
}

/// The spaces from whose lanes sequences look; what the root has is seen from all `lanes`.
fn spaces(leaves: &[impl Borrow<Leaf>], lanes: Space) -> Vec<Space> {
    let mut spaces = Vec::new();
    for leaf in leaves {
        let space = leaf.borrow().space;
        let space = if space == Function::root() { lanes } else { space };
        if !spaces.contains(&space) {
            spaces.push(space);
        }
    }
    spaces
}

fn looks_from(leaf: &Leaf, space: Space, lanes: Space) -> bool {
    leaf.space == space || leaf.space == Function::root() && space == lanes
}
