//! Heaps: where a recursion keeps the sequences that it makes and hands on.
//!
//! A function whose lanes choose between what they were given and what they make at each depth
//! would be called with ever more pools.  It is called with few instead: for each type of elements
//! those that were given from outside, which stay what they are through the recursion, and a
//! *heap*, to which what was made at a depth is added before the next begins.
//!
//! ```text
//! function f(t, n) = if n == 0 then t else f(if rare(n) then {g(x) : x in t} else t, n - 1)
//!
//! given   | t of all lanes                                         never copied
//! heap    | made at depth 3 | at depth 7 | at 8 |   room   |       each of them copied once
//! ```
//!
//! What nobody looks at any more stays in the heap until it is more than half of it.  Then, unless
//! whoever calls needs the heap himself, what is still wanted is copied to a new one, which is paid
//! by what was added since the last time.  A heap grows in place (`Op::Grow`), so that a depth
//! costs what is made there, however large what it was given is.  Whoever calls may go on with its
//! own sequences after the call: it still knows the beginning of the heap, and what others have put
//! behind that is never overwritten (`Op::Behind`).
//!
//! Sequences of sequences have no heap.  What was given of them is passed on as it is, and what is
//! behind it counts as given; what was made of them at a depth is copied where lanes choose.

use crate::context::{Context, Item, Items};
use crate::fit::chosen;
use crate::op::grow::{Memory, Moving};
use crate::origin::Lying;
use crate::rep::{Pool, Rep, Scalar};
use crate::ways::{Handed, Numbered};
use base::Id;
use flat::{Domain, Function, Op, Operand, Space, Value, ValueInfo};
use nest::{Func, Type};
use prim::{Const, Monoid, ScalarOp, Ty};

/// Elements in a heap that may lie unused whatever is used.
const UNUSED: i64 = 4096;

/// What the sequences of one type look into.
#[derive(Clone, Debug)]
pub(crate) struct Heap {
    /// The type of the elements.
    pub(crate) element: Type,
    /// From outside.
    pub(crate) given: Vec<Pool>,
    /// What the recursion has made; nothing if elements have sequences.
    pub(crate) made: Option<Pool>,
}

/// A sequence in an argument.
struct Leaf {
    /// The number of its heap.
    heap: usize,
    /// The space whose lanes have it.
    space: Space,
    start: Scalar,
    len: Scalar,
    /// Which of its pools it looks into.
    choice: Scalar,
    pools: Vec<Pool>,
}

impl Context<'_, '_> {
    /// Parameters at the root, each sequence in the one pool of its heap that it looks into: by
    /// reference, so that there are no more pools at the next depth, and no heap is needed.
    pub(crate) fn of_heaps(&mut self, given: &[Rep]) -> Vec<Rep> {
        if std::mem::take(&mut self.heaps).is_empty() {
            return given.to_vec();
        }
        given.iter().map(|rep| self.of_one_pool(rep)).collect()
    }

    /// The components of arguments of lanes and of their heaps; nothing if the function has none.
    pub(crate) fn hand_on_heaps(
        &mut self,
        func: Func,
        args: &[(Rep, Space)],
        out: &mut Vec<Operand>,
    ) -> Option<Handed> {
        let callee = &self.flattener.nest.funcs[func];
        let tys: Vec<&Type> = callee.params.iter().map(|&p| &callee.values[p].ty).collect();
        let elements = elements(&tys);
        let recursion = &self.flattener.analysis.recursion;
        let recursive = self.flattener.analysis.recursive[func.index()];
        if self.at_root() || !recursive || elements.is_empty() {
            return None;
        }
        let inside = recursion[func] == self.recursion && !self.heaps.is_empty();
        let lanes = self.call_lanes();
        let args: Vec<_> = args.iter().map(|arg| self.for_lanes(arg, lanes)).collect();
        let leaves = self.leaves(&args, &tys, &elements, inside);
        let heaps = self.heaps_of(&leaves, &elements, inside);
        let made = |leaf: &Leaf| {
            let heap = &heaps[leaf.heap];
            heap.made.is_none() && leaf.pools.iter().any(|pool| !heap.given.contains(pool))
        };
        if leaves.iter().any(made) {
            return None;
        }
        let handed = self.handed(&args, leaves, &heaps, lanes, &tys);
        if inside || self.flattener.may_call_with_heaps(func, &handed.ways) {
            return Some(self.hand_on_table(handed, out));
        }
        // Each sequence is given one pool, so that there are no more ways.
        let plain = |(arg, space): &(Rep, Space)| (self.within(*space, |cx| cx.plain(arg)), *space);
        let args: Vec<_> = args.iter().map(plain).collect();
        let leaves = self.leaves(&args, &tys, &elements, inside);
        let heaps = self.heaps_of(&leaves, &elements, inside);
        let handed = self.handed(&args, leaves, &heaps, lanes, &tys);
        Some(self.hand_on_table(handed, out))
    }

    /// The heaps of sequences before a call; from outside the recursion all pools are given.
    fn heaps_of(&mut self, leaves: &[Leaf], elements: &[&Type], inside: bool) -> Vec<Heap> {
        let mut heaps: Vec<Heap> = Vec::new();
        for (n, &element) in elements.iter().enumerate() {
            let known = self.heaps.iter().find(|heap| inside && heap.element == *element);
            if let Some(known) = known {
                heaps.push(known.clone());
                continue;
            }
            let mut given: Vec<Pool> = Vec::new();
            let mut add = |pool: Pool| {
                if !given.contains(&pool) {
                    given.push(pool);
                }
            };
            for leaf in leaves.iter().filter(|leaf| !inside && leaf.heap == n) {
                leaf.pools.iter().cloned().for_each(&mut add);
            }
            // Elements of what is given are given, too.
            for outer in heaps.iter().filter(|_| !inside) {
                for pool in &outer.given {
                    let found = inner_pools(pool, &outer.element, element);
                    found.iter().map(|pool| self.first_name(pool)).for_each(&mut add);
                }
            }
            let made = element.is_flat().then(|| self.empty_pool(element));
            heaps.push(Heap { element: element.clone(), given, made });
        }
        heaps
    }

    /// What a call hands on, after what is new was added to the heaps.
    fn handed(
        &mut self,
        args: &[(Rep, Space)],
        mut leaves: Vec<Leaf>,
        heaps: &[Heap],
        lanes: Space,
        tys: &[&Type],
    ) -> Numbered {
        let mut heaps = heaps.to_vec();
        for (n, heap) in heaps.iter_mut().enumerate() {
            let mut own: Vec<&mut Leaf> = leaves.iter_mut().filter(|leaf| leaf.heap == n).collect();
            let others = self.others(heap, &mut own);
            if let Some(made) = heap.made.take() {
                heap.made = Some(self.collect(made, heap.given.len(), &others, &mut own, lanes));
            }
        }
        let mut found = leaves.into_iter();
        let args: Vec<_> = args
            .iter()
            .map(|(arg, space)| (self.in_heaps(arg, &heaps, &mut found), *space))
            .collect();
        self.numbered_in_heaps(args, tys, &heaps)
    }

    /// The lanes of the current space as those of a child of the root.
    fn call_lanes(&mut self) -> Space {
        if self.parent(self.space) == Some(Function::root()) {
            return self.space;
        }
        let count = self.count(self.space);
        self.within(Function::root(), |cx| cx.new_space(count))
    }

    /// A value of the current lanes as one of others, of which there are as many.
    fn for_lanes(&mut self, (rep, space): &(Rep, Space), lanes: Space) -> (Rep, Space) {
        if *space == Function::root() || *space == lanes {
            return (rep.clone(), *space);
        }
        (self.moved_to(rep, lanes), lanes)
    }

    fn moved_to(&mut self, rep: &Rep, lanes: Space) -> Rep {
        match rep {
            Rep::Scalar(s) => Rep::Scalar(self.scalar_for(*s, lanes)),
            Rep::Tuple(parts) => {
                Rep::Tuple(parts.iter().map(|part| self.moved_to(part, lanes)).collect())
            }
            Rep::Lanes { .. } | Rep::View { .. } => {
                let (start, len, pool) = self.as_view(rep);
                let [start, len] = [start, len].map(|s| self.scalar_for(s, lanes));
                let pool = match pool {
                    Pool::Chosen(number, pools) => {
                        Pool::Chosen(self.scalar_for(number, lanes), pools)
                    }
                    pool => pool,
                };
                Rep::View { start, len, pool }
            }
        }
    }

    fn scalar_for(&mut self, scalar: Scalar, lanes: Space) -> Scalar {
        if self.home(scalar).is_none_or(|home| home == Function::root()) {
            return scalar;
        }
        let ty = self.scalar_ty(scalar);
        let vector = Pool::Scalar(self.vector(scalar, self.space), ty);
        self.within(lanes, |cx| cx.pools_at(None, Scalar::Index(lanes), &[vector]).scalar())
    }

    /// The sequences in arguments, in order.
    fn leaves(
        &mut self,
        args: &[(Rep, Space)],
        tys: &[&Type],
        elements: &[&Type],
        inside: bool,
    ) -> Vec<Leaf> {
        let mut leaves = Vec::new();
        for ((arg, space), ty) in args.iter().zip(tys) {
            self.within(*space, |cx| cx.leaves_of(arg, ty, (elements, inside), &mut leaves));
        }
        leaves
    }

    fn leaves_of(
        &mut self,
        rep: &Rep,
        ty: &Type,
        (elements, inside): (&[&Type], bool),
        leaves: &mut Vec<Leaf>,
    ) {
        match (rep, ty) {
            (Rep::Tuple(parts), Type::Tuple(tys)) => {
                for (part, ty) in parts.iter().zip(tys) {
                    self.leaves_of(part, ty, (elements, inside), leaves);
                }
            }
            (Rep::Lanes { .. } | Rep::View { .. }, Type::Seq(element)) => {
                let (start, len, pool) = self.as_view(rep);
                // From outside, what the root has chosen counts as one pool: else there would be
                // one more at each depth of a recursion that the root and lanes take in turn.
                let ways = if inside { self.ways_of(&pool) } else { self.names_of(&pool) };
                let (choice, pools) = ways;
                let heap = elements.iter().position(|known| **known == **element);
                let heap = heap.unwrap_or_else(|| unreachable!("{element:?} has no heap"));
                leaves.push(Leaf { heap, space: self.space, start, len, choice, pools });
            }
            _ => {}
        }
    }

    /// A value with its sequences as they are found in heaps.
    fn in_heaps(&self, rep: &Rep, heaps: &[Heap], found: &mut impl Iterator<Item = Leaf>) -> Rep {
        match rep {
            Rep::Scalar(_) => rep.clone(),
            Rep::Tuple(parts) => {
                Rep::Tuple(parts.iter().map(|part| self.in_heaps(part, heaps, found)).collect())
            }
            Rep::Lanes { .. } | Rep::View { .. } => {
                let leaf = found.next().unwrap_or_else(|| unreachable!("too few sequences"));
                let pool = chosen(leaf.choice, &heaps[leaf.heap].pools());
                Rep::View { start: leaf.start, len: leaf.len, pool }
            }
        }
    }

    /// The pools into which sequences look otherwise; they have the numbers behind those of the
    /// heap.
    fn others(&mut self, heap: &Heap, leaves: &mut [&mut Leaf]) -> Vec<Pool> {
        let pools = heap.pools();
        let mut others: Vec<Pool> = Vec::new();
        for leaf in leaves.iter_mut() {
            let mut numbers = Vec::new();
            for pool in &leaf.pools {
                let known = pools.iter().position(|known| known == pool);
                let place = known.unwrap_or_else(|| {
                    let known = others.iter().position(|known| known == pool);
                    if known.is_none() {
                        others.push(pool.clone());
                    }
                    pools.len() + known.unwrap_or(others.len() - 1)
                });
                numbers.push(place);
            }
            leaf.choice = self.within(leaf.space, |cx| cx.renumbered(leaf.choice, &numbers));
        }
        others
    }

    /// Adds to a heap with this number what sequences look into otherwise; tells them where they
    /// are then, and which pool of the heap they look into.
    fn collect(
        &mut self,
        made: Pool,
        number: usize,
        others: &[Pool],
        leaves: &mut [&mut Leaf],
        lanes: Space,
    ) -> Pool {
        if others.is_empty() {
            return made;
        }
        let adding = Adding { made: &made, number, others };
        let sizes = self.sizes(&adding, leaves, lanes);
        let heap = if self.is_empty(&made) {
            let (starts, pool) = self.added(&adding, leaves, &sizes, sizes.used);
            for (leaf, start) in leaves.iter_mut().zip(starts) {
                leaf.start = start;
            }
            pool
        } else {
            self.added_or_compacted(&adding, leaves, &sizes)
        };
        let last = Scalar::int(to_int(number));
        for leaf in leaves {
            let least = |cx: &mut Self| cx.compute(ScalarOp::Min, &[leaf.choice, last]);
            leaf.choice = self.within(leaf.space, least);
        }
        heap
    }

    /// Adds to a heap of which something is there; or makes a new one, if most of it is unused and
    /// nobody else needs it.
    fn added_or_compacted(
        &mut self,
        adding: &Adding<'_>,
        leaves: &mut [&mut Leaf],
        sizes: &Sizes,
    ) -> Pool {
        let root = Function::root();
        let [begin, alone] = [Ty::I64, Ty::Bool].map(|ty| self.value_over(root, ty));
        let mut columns = Vec::new();
        adding.made.columns(&mut columns);
        let from = columns.iter().map(|column| column.0).collect();
        let more = sizes.ends[sizes.ends.len() - 1];
        let more = self.within(root, |cx| cx.component(more));
        self.push(vec![begin, alone], Op::Behind { from, used: Operand::Value(sizes.used), more });
        let cond = self.within(root, |cx| {
            cx.compute(ScalarOp::And, &[sizes.wasteful, Scalar::Value(alone, root)])
        });
        let Some(cond) = self.uniform(cond) else { unreachable!("known to the root") };
        self.begin();
        let (starts, pool) = self.compacted(adding, leaves);
        let then = self.arm(leaves, &starts, &pool);
        self.begin();
        let (starts, pool) = self.added(adding, leaves, sizes, begin);
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
        made
    }

    /// How much there is of the heap and of each of the others.
    fn sizes(&mut self, adding: &Adding<'_>, leaves: &[&mut Leaf], lanes: Space) -> Sizes {
        let counts = self.within(lanes, |cx| {
            let zero = Scalar::int(0);
            let mut ends = vec![zero; adding.others.len() + 1];
            let mut looked_at = Scalar::Const(Const::F64(0.0));
            for leaf in leaves {
                let end = cx.add(leaf.start, leaf.len);
                for (n, last) in ends.iter_mut().enumerate() {
                    let number = Scalar::int(to_int(adding.number + n));
                    let here = cx.compute(ScalarOp::Eq, &[leaf.choice, number]);
                    let end = cx.compute(ScalarOp::Select, &[here, end, zero]);
                    *last = cx.compute(ScalarOp::Max, &[*last, end]);
                }
                let len = cx.moving_length(adding, leaf);
                let len = cx.compute(ScalarOp::ToFloat, &[len]);
                looked_at = cx.compute(ScalarOp::Add, &[looked_at, len]);
            }
            ends.push(looked_at);
            ends
        });
        let code = self.code(lanes, &counts);
        let root = Function::root();
        let mut monoids = vec![Monoid::Max; adding.others.len() + 1];
        let mut results: Vec<Value> =
            monoids.iter().map(|_| self.value_over(root, Ty::I64)).collect();
        monoids.push(Monoid::Add);
        results.push(self.value_over(root, Ty::F64));
        self.push(results.clone(), Op::Reduce { space: lanes, monoids, code });
        self.within(root, |cx| {
            let mut found: Vec<Scalar> = results.iter().map(|&v| Scalar::Value(v, root)).collect();
            let looked_at = found.pop().unwrap_or_else(|| unreachable!("a sum"));
            let used = found.iter().map(|&s| cx.compute(ScalarOp::Max, &[s, Scalar::int(0)]));
            let used: Vec<Scalar> = used.collect();
            let much = cx.compute(ScalarOp::Sub, &[used[0], Scalar::int(UNUSED)]);
            let much = cx.compute(ScalarOp::ToFloat, &[much]);
            let twice = cx.compute(ScalarOp::Add, &[looked_at, looked_at]);
            let wasteful = cx.compute(ScalarOp::Gt, &[much, twice]);
            let mut ends: Vec<Scalar> = vec![Scalar::int(0)];
            for &more in &used[1..] {
                let end = ends[ends.len() - 1];
                ends.push(cx.length_of_both(end, more, false));
            }
            let ends = ends.into_iter().map(|end| cx.root_scalar(end)).collect();
            Sizes { used: cx.vector(used[0], root), ends, wasteful }
        })
    }

    /// The length of what looks into the heap or is to be added to it; else 0.
    fn moving_length(&mut self, adding: &Adding<'_>, leaf: &Leaf) -> Scalar {
        let number = Scalar::int(to_int(adding.number));
        let given = self.compute(ScalarOp::Lt, &[leaf.choice, number]);
        self.compute(ScalarOp::Select, &[given, Scalar::int(0), leaf.len])
    }

    /// The other pools, as far as they are used, at a place in the heap; gives where each sequence
    /// begins, and the heap.
    fn added(
        &mut self,
        adding: &Adding<'_>,
        leaves: &[&mut Leaf],
        sizes: &Sizes,
        place: Value,
    ) -> (Vec<Scalar>, Pool) {
        let root = Function::root();
        let ends = &sizes.ends;
        let space = self.within(root, |cx| cx.new_space(ends[ends.len() - 1]));
        let elem = self.within(space, |cx| {
            let own = Scalar::Index(space);
            let (mut choice, mut at) = (Scalar::int(0), own);
            for (n, &begin) in ends[..adding.others.len()].iter().enumerate().skip(1) {
                let here = cx.compute(ScalarOp::Ge, &[own, begin]);
                let inside = cx.compute(ScalarOp::Sub, &[own, begin]);
                choice = cx.compute(ScalarOp::Select, &[here, Scalar::int(to_int(n)), choice]);
                at = cx.compute(ScalarOp::Select, &[here, inside, at]);
            }
            let elem = cx.pools_at(Some(choice), at, adding.others);
            cx.fixed(&elem)
        });
        let moving = Moving { space, from: adding.made, used: sizes.used };
        let pool = self.written(&elem, &moving, Memory::Shared(place));
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

    /// A new heap of what sequences look at in the old one and in the other pools.
    fn compacted(&mut self, adding: &Adding<'_>, leaves: &[&mut Leaf]) -> (Vec<Scalar>, Pool) {
        let root = Function::root();
        let pools: Vec<Pool> = [adding.made].into_iter().chain(adding.others).cloned().collect();
        let zero = Scalar::int(0);
        let (mut starts, mut heap) = (Vec::new(), adding.made.clone());
        let mut used = self.within(root, |cx| cx.root_scalar(zero));
        for leaf in leaves {
            let (space, first) = self.within(leaf.space, |cx| {
                let len = cx.moving_length(adding, leaf);
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
            heap = self.written(&elem, &moving, Memory::Own);
            starts.push(self.within(leaf.space, |cx| {
                let number = Scalar::int(to_int(adding.number));
                let given = cx.compute(ScalarOp::Lt, &[leaf.choice, number]);
                let at = cx.add(used, first);
                cx.compute(ScalarOp::Select, &[given, leaf.start, at])
            }));
            let more = self.count(space);
            used = self.within(root, |cx| {
                let both = cx.length_of_both(used, more, false);
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
    fn written(&mut self, elem: &Rep, moving: &Moving<'_>, memory: Memory) -> Pool {
        let mut columns = Vec::new();
        let shape = self.columns_behind(elem, moving, &Lying::Own, &mut columns);
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
    fn renamed(&mut self, pool: &Pool, results: &mut Vec<Value>) -> Pool {
        let mut columns = Vec::new();
        pool.columns(&mut columns);
        let fresh = columns.iter().map(|&(_, ty)| ValueInfo { ty, domain: Domain::Pool });
        let fresh: Vec<Value> = fresh.map(|info| self.values.push(info)).collect();
        results.extend(&fresh);
        pool.with_columns(&mut fresh.into_iter())
    }
}

/// Pools that are to be added to a heap.
struct Adding<'p> {
    made: &'p Pool,
    /// Which of the pools that a sequence looks into is the heap; the others are behind it.
    number: usize,
    others: &'p [Pool],
}

/// How much there is of a heap and of what is to be added to it.
struct Sizes {
    /// Elements of the heap that are looked at, and all before them.
    used: Value,
    /// Where each of the others ends, one behind the other, and where the first begins.
    ends: Vec<Scalar>,
    /// Whether more than half of the heap is not looked at.
    wasteful: Scalar,
}

impl Heap {
    /// All pools, of which the last is the heap itself, if there is one.
    pub(crate) fn pools(&self) -> Vec<Pool> {
        self.given.iter().chain(&self.made).cloned().collect()
    }
}

/// The types of the elements of sequences in parameters, the most nested first.
fn elements<'t>(tys: &[&'t Type]) -> Vec<&'t Type> {
    fn add<'t>(ty: &'t Type, found: &mut Vec<&'t Type>) {
        match ty {
            Type::Scalar(_) => {}
            Type::Tuple(parts) => parts.iter().for_each(|part| add(part, found)),
            Type::Seq(element) => {
                if !found.contains(&&**element) {
                    found.push(element);
                }
            }
        }
    }
    fn depth(ty: &Type) -> usize {
        match ty {
            Type::Scalar(_) => 0,
            Type::Tuple(parts) => parts.iter().map(depth).max().unwrap_or(0),
            Type::Seq(element) => 1 + depth(element),
        }
    }
    let mut found = Vec::new();
    tys.iter().for_each(|ty| add(ty, &mut found));
    found.sort_by_key(|ty| std::cmp::Reverse(depth(ty)));
    found
}

/// The pools of elements of one type behind a pool of elements of another.
fn inner_pools(pool: &Pool, ty: &Type, wanted: &Type) -> Vec<Pool> {
    match (pool, ty) {
        (Pool::Tuple(parts), Type::Tuple(tys)) => {
            let parts = parts.iter().zip(tys);
            parts.flat_map(|(part, ty)| inner_pools(part, ty, wanted)).collect()
        }
        (Pool::Seq(_, inner), Type::Seq(element)) => {
            let inner = inner.all();
            let below = inner.iter().flat_map(|pool| inner_pools(pool, element, wanted));
            let below: Vec<Pool> = below.collect();
            let own = if **element == *wanted { inner } else { Vec::new() };
            own.into_iter().chain(below).collect()
        }
        _ => Vec::new(),
    }
}

fn to_int(n: usize) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}
