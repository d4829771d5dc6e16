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
//! A heap of sequences has their descriptors, each with the number of the pool that it looks into
//! among those of the heap for *its* elements.  So a sequence of sequences that was made at a depth
//! ([`fresh`]) is added in two steps, from the inside: first what its elements look into and is
//! new, then the elements.  Heaps of which one looks into the other are not compacted alone, but
//! made anew together ([`renewed`]).

mod added;
mod fresh;
mod renewed;

use crate::context::Context;
use crate::fit::chosen;
use crate::rep::{Pool, Rep, Scalar};
use crate::ways::{Handed, Numbered};
use base::Id;
use flat::{Function, Operand, Space};
use nest::{Func, Type};
use prim::ScalarOp;

/// What the sequences of one type look into.
#[derive(Clone, Debug)]
pub(crate) struct Heap {
    /// The type of the elements.
    pub(crate) element: Type,
    /// From outside.
    pub(crate) given: Vec<Pool>,
    /// What the recursion has made.  Behind segments in it are all pools of their heap, in order.
    pub(crate) made: Pool,
}

/// A heap to which something was added: what lies before a place lies in the heap as it was, too.
#[derive(Clone, Debug)]
pub(crate) struct Grown {
    pub(crate) before: Pool,
    pub(crate) after: Pool,
    /// The place, at the root.
    pub(crate) place: Scalar,
}

/// Sequences in the order in which they stand in values.
type Found<'l> = std::slice::Iter<'l, Leaf>;

/// How sequences are looked for.
#[derive(Clone, Copy)]
struct Looking<'e> {
    /// The types of elements that have a heap.
    elements: &'e [&'e Type],
    /// Whether the call is one of the recursion itself.
    inside: bool,
}

/// A sequence in an argument, or in an element that is to be added to a heap.
struct Leaf {
    /// The number of its heap.
    heap: usize,
    /// Whether it looks into what was given alone.
    passed: bool,
    /// The space whose lanes have it.
    space: Space,
    start: Scalar,
    len: Scalar,
    /// Which of its pools it looks into.
    choice: Scalar,
    pools: Vec<Pool>,
}

impl Context<'_, '_> {
    /// Parameters at the root.  Where no elements have sequences, each is in the one pool that it
    /// looks into: by reference, so that there are no more pools at the next depth, and no heap is
    /// needed.  What was given from outside of the recursion is still known, to be handed up.
    pub(crate) fn of_heaps(&mut self, given: &[Rep]) -> Vec<Rep> {
        if self.heaps.iter().any(|heap| !heap.element.is_flat()) {
            self.numbers_pools = true;
            return given.to_vec();
        }
        for Heap { element, given, .. } in std::mem::take(&mut self.heaps) {
            self.outside.push((element, given));
        }
        if self.outside.is_empty() {
            return given.to_vec();
        }
        given.iter().map(|rep| self.of_one_pool(rep)).collect()
    }

    /// The components of arguments and of their heaps; nothing if the function has none.
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
        // The root chooses by reference, but not what is behind segments.
        let flat = elements.iter().all(|ty| ty.is_flat());
        if !recursive || elements.is_empty() || self.at_root() && flat {
            return None;
        }
        let inside = recursion[func] == self.recursion && !self.heaps.is_empty();
        let lanes = self.call_lanes();
        let args: Vec<_> = args.iter().map(|arg| self.for_lanes(arg, lanes)).collect();
        let fixed = |(arg, space): &(Rep, Space)| (self.within(*space, |cx| cx.fixed(arg)), *space);
        let args: Vec<_> = args.iter().map(fixed).collect();
        let looking = Looking { elements: &elements, inside };
        let leaves = self.leaves(func, &args, &tys, looking);
        let heaps = self.heaps_of(&leaves, looking);
        let handed = self.handed(func, &args, leaves, heaps, lanes, &tys);
        if inside || self.flattener.may_call_with_heaps(func, &handed.ways) {
            return Some(self.hand_on_table(handed, out));
        }
        // Each sequence is given one pool, so that there are no more ways.
        let plain = |(arg, space): &(Rep, Space)| (self.within(*space, |cx| cx.plain(arg)), *space);
        let args: Vec<_> = args.iter().map(plain).collect();
        let leaves = self.leaves(func, &args, &tys, looking);
        let heaps = self.heaps_of(&leaves, looking);
        let handed = self.handed(func, &args, leaves, heaps, lanes, &tys);
        Some(self.hand_on_table(handed, out))
    }

    /// The heaps of sequences before a call; from outside the recursion all pools are given.
    fn heaps_of(&mut self, leaves: &[Leaf], looking: Looking<'_>) -> Vec<Heap> {
        let Looking { elements, inside } = looking;
        let known: Vec<Option<Heap>> = elements
            .iter()
            .map(|&ty| self.heaps.iter().find(|heap| inside && heap.element == *ty).cloned())
            .collect();
        let mut given: Vec<Vec<Pool>> = Vec::new();
        for (n, &element) in elements.iter().enumerate() {
            let mut found: Vec<Pool> = Vec::new();
            let mut add = |pool: Pool| {
                if !found.contains(&pool) {
                    found.push(pool);
                }
            };
            for leaf in leaves.iter().filter(|leaf| !inside && leaf.heap == n) {
                leaf.pools.iter().cloned().for_each(&mut add);
            }
            // Elements of what is given are given, too.
            for (outer, pools) in elements.iter().zip(&given).filter(|_| !inside) {
                for pool in pools {
                    let inner = inner_pools(pool, outer, element);
                    inner.iter().map(|pool| self.first_name(pool)).for_each(&mut add);
                }
            }
            given.push(found);
        }
        // From the inside, as a heap has the pools of those for its elements behind it.
        let mut heaps: Vec<Heap> = Vec::new();
        for ((known, given), &element) in known.into_iter().zip(given).zip(elements).rev() {
            let heap = known.unwrap_or_else(|| {
                let made = self.empty_heap(element, &heaps);
                Heap { element: element.clone(), given, made }
            });
            heaps.push(heap);
        }
        heaps.reverse();
        heaps
    }

    /// What a call hands on, after what is new was added to the heaps.
    fn handed(
        &mut self,
        func: Func,
        args: &[(Rep, Space)],
        mut leaves: Vec<Leaf>,
        heaps: Vec<Heap>,
        lanes: Space,
        tys: &[&Type],
    ) -> Numbered {
        let more = self.what_is_fresh(&heaps, &mut leaves, lanes);
        let heaps = self.with_fresh_or_renewed((func, args, tys), heaps, more, &mut leaves, lanes);
        let mut found = leaves.iter();
        let args: Vec<_> = args
            .iter()
            .map(|(arg, space)| (self.in_heaps(arg, &heaps, &mut found), *space))
            .collect();
        self.numbered_in_heaps(func, args, tys, &heaps)
    }

    /// A result of a call that lies in heaps to which something was added for it, or in these as
    /// they were before: so whoever has called can hand it up to whom the heap belongs.
    pub(crate) fn in_heaps_before(&mut self, rep: &Rep) -> Rep {
        match rep {
            Rep::Scalar(_) | Rep::Lanes { .. } => rep.clone(),
            Rep::Tuple(parts) => {
                Rep::Tuple(parts.iter().map(|part| self.in_heaps_before(part)).collect())
            }
            Rep::View { start, len, pool } => {
                let (mut number, mut pools) = pool.ways();
                let end = self.add(*start, *len);
                for after in 0..pools.len() {
                    let grown = self.grown.iter().find(|grown| grown.after == pools[after]);
                    let Some(Grown { before, place, .. }) = grown.cloned() else { continue };
                    let [after, old] = [after, pools.len()].map(|n| Scalar::int(to_int(n)));
                    let inside = self.compute(ScalarOp::Le, &[end, place]);
                    let here = self.compute(ScalarOp::Eq, &[number, after]);
                    let stays = self.compute(ScalarOp::And, &[inside, here]);
                    number = self.compute(ScalarOp::Select, &[stays, old, number]);
                    pools.push(before);
                }
                Rep::View { start: *start, len: *len, pool: chosen(number, &pools) }
            }
        }
    }

    /// The lanes of the current space as those of a child of the root.
    fn call_lanes(&mut self) -> Space {
        if self.at_root() || self.parent(self.space) == Some(Function::root()) {
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
        func: Func,
        args: &[(Rep, Space)],
        tys: &[&Type],
        looking: Looking<'_>,
    ) -> Vec<Leaf> {
        let mut leaves = Vec::new();
        for (n, ((arg, space), ty)) in args.iter().zip(tys).enumerate() {
            let from = leaves.len();
            self.within(*space, |cx| cx.leaves_of(arg, ty, looking, &mut leaves));
            let mut passed = Vec::new();
            self.flattener.origins.passed(func, n, ty, &mut passed);
            for (leaf, passed) in leaves[from..].iter_mut().zip(passed) {
                leaf.passed = passed;
            }
        }
        leaves
    }

    fn leaves_of(&mut self, rep: &Rep, ty: &Type, looking: Looking<'_>, leaves: &mut Vec<Leaf>) {
        match (rep, ty) {
            (Rep::Tuple(parts), Type::Tuple(tys)) => {
                for (part, ty) in parts.iter().zip(tys) {
                    self.leaves_of(part, ty, looking, leaves);
                }
            }
            (Rep::Lanes { .. } | Rep::View { .. }, Type::Seq(element)) => {
                let (start, len, pool) = self.as_view(rep);
                // From outside, what the root has chosen counts as one pool: else there would be
                // one more at each depth of a recursion that the root and lanes take in turn.
                let Looking { elements, inside } = looking;
                let ways = if inside { self.ways_of(&pool) } else { self.names_of(&pool) };
                let (choice, pools) = ways;
                let heap = elements.iter().position(|known| **known == **element);
                let heap = heap.unwrap_or_else(|| unreachable!("{element:?} has no heap"));
                let (passed, space) = (false, self.space);
                leaves.push(Leaf { heap, passed, space, start, len, choice, pools });
            }
            _ => {}
        }
    }

    /// A value with its sequences as they are found in heaps.
    fn in_heaps(&self, rep: &Rep, heaps: &[Heap], found: &mut Found<'_>) -> Rep {
        match rep {
            Rep::Scalar(_) => rep.clone(),
            Rep::Tuple(parts) => {
                Rep::Tuple(parts.iter().map(|part| self.in_heaps(part, heaps, found)).collect())
            }
            Rep::Lanes { .. } | Rep::View { .. } => {
                let leaf = found.next().unwrap_or_else(|| unreachable!("too few sequences"));
                let heap = &heaps[leaf.heap];
                let pools = if leaf.passed { heap.given.clone() } else { heap.pools() };
                let pool = chosen(leaf.choice, &pools);
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
}

impl Heap {
    /// All pools, of which the last is the heap itself.
    pub(crate) fn pools(&self) -> Vec<Pool> {
        self.given.iter().chain([&self.made]).cloned().collect()
    }
}

/// The types of the elements of all sequences in parameters, the most nested first.
pub(crate) fn elements<'t>(tys: &[&'t Type]) -> Vec<&'t Type> {
    fn add<'t>(ty: &'t Type, found: &mut Vec<&'t Type>) {
        match ty {
            Type::Scalar(_) => {}
            Type::Tuple(parts) => parts.iter().for_each(|part| add(part, found)),
            Type::Seq(element) => {
                add(element, found);
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
