//! Heaps of which most is not looked at any more are made anew, as those that elements of others
//! look into cannot be compacted alone.
//!
//! What is looked at would have to be counted at each depth.  It is counted where a heap grows past
//! a power of two, so that what was added since the last time pays for it; but if there are more
//! rows than elements in them, all of these are counted as often as the heap doubles.

use super::added::UNUSED;
use super::fresh::More;
use super::{Grown, Heap, Leaf, Looking};
use crate::context::{Context, Item, Items};
use crate::origin::Lying;
use crate::rep::{Pool, Rep, Scalar};
use flat::{Function, Op, Operand, Space, Value};
use nest::{Func, Type};
use prim::{Const, Monoid, ScalarOp, Ty};

/// Arguments of a function, each for the lanes of a space, and their types.
type Args<'a> = (Func, &'a [(Rep, Space)], &'a [&'a Type]);

impl Context<'_, '_> {
    /// Heaps with all that arguments look into: what is fresh is added to them, or they are made
    /// anew.
    pub(super) fn with_fresh_or_renewed(
        &mut self,
        args: Args<'_>,
        heaps: Vec<Heap>,
        more: Vec<More>,
        leaves: &mut [Leaf],
        lanes: Space,
    ) -> Vec<Heap> {
        let before: Vec<Pool> = heaps.iter().map(|heap| heap.made.clone()).collect();
        let Some(wasteful) = self.are_wasteful(args, &heaps, &more) else {
            let (heaps, places) = self.with_fresh(heaps, more, leaves);
            self.note_grown(before, &heaps, places);
            return heaps;
        };
        let Some(cond) = self.uniform(wasteful) else { unreachable!("known to the root") };
        self.begin();
        let (found, renewed) = self.made_anew(args, &heaps, lanes);
        let count = found.len();
        let nothing = vec![Scalar::int(0); heaps.len()];
        let then = self.heaps_arm(&found, &nothing, &renewed);
        self.begin();
        let (heaps, places) = self.with_fresh(heaps, more, leaves);
        let els = self.heaps_arm(&leaves[..count], &places, &heaps);
        let mut results = Vec::new();
        for leaf in &mut leaves[..count] {
            for scalar in [&mut leaf.start, &mut leaf.choice] {
                let value = self.value_over(leaf.space, Ty::I64);
                results.push(value);
                *scalar = Scalar::Value(value, leaf.space);
            }
        }
        let root = Function::root();
        let places: Vec<Value> = heaps.iter().map(|_| self.value_over(root, Ty::I64)).collect();
        results.extend(&places);
        let made = heaps.iter().map(|heap| self.renamed(&heap.made, &mut results));
        let made: Vec<Pool> = made.collect();
        let span = self.span;
        self.push_item(Item::If { results, cond, then, els, span });
        let heaps = with_made(heaps, made);
        let places = places.into_iter().map(|place| Scalar::Value(place, root));
        self.note_grown(before, &heaps, places.collect());
        heaps
    }

    fn note_grown(&mut self, before: Vec<Pool>, after: &[Heap], places: Vec<Scalar>) {
        for ((before, heap), place) in before.into_iter().zip(after).zip(places) {
            if before != heap.made {
                self.grown.push(Grown { before, after: heap.made.clone(), place });
            }
        }
    }

    /// Whether more than half of heaps that elements look into is not looked at, if they have
    /// become large; nothing if there are none.
    fn are_wasteful(&mut self, args: Args<'_>, heaps: &[Heap], more: &[More]) -> Option<Scalar> {
        let root = Function::root();
        let mut found: Option<(Scalar, Scalar)> = None;
        for (heap, more) in heaps.iter().zip(more) {
            let (Some(sizes), Some(behind)) = (&more.sizes, more.behind) else { continue };
            if self.is_empty(&heap.made) {
                continue;
            }
            let [there, alone] = self.room_in(&heap.made, Scalar::int(-1), sizes);
            found = Some(self.within(root, |cx| {
                let [there, alone] = [there, alone].map(|v| Scalar::Value(v, root));
                let both = cx.add(there, sizes.more());
                let bits = cx.compute(ScalarOp::Xor, &[there, both]);
                let doubles = cx.compute(ScalarOp::Gt, &[bits, there]);
                let large = cx.compute(ScalarOp::Gt, &[there, Scalar::int(UNUSED)]);
                let looked_into = cx.compute(ScalarOp::Gt, &[behind, Scalar::int(0)]);
                let here = [doubles, large, looked_into]
                    .into_iter()
                    .fold(alone, |all, one| cx.compute(ScalarOp::And, &[all, one]));
                let there = cx.compute(ScalarOp::ToFloat, &[there]);
                match found {
                    None => (here, there),
                    Some((any, all)) => (
                        cx.compute(ScalarOp::Or, &[any, here]),
                        cx.compute(ScalarOp::Add, &[all, there]),
                    ),
                }
            }));
        }
        let (large, there) = found?;
        let Some(cond) = self.uniform(large) else { unreachable!("known to the root") };
        let there = self.within(root, |cx| Scalar::Value(cx.vector(there, root), root));
        self.begin();
        let looked_at = self.looked_at(args);
        let wasteful = self.within(root, |cx| {
            let twice = cx.compute(ScalarOp::Add, &[looked_at, looked_at]);
            let wasteful = cx.compute(ScalarOp::Gt, &[there, twice]);
            cx.component(wasteful)
        });
        let then = self.end(vec![wasteful]);
        self.begin();
        let els = self.end(vec![Operand::Const(Const::Bool(false))]);
        let result = self.value_over(root, Ty::Bool);
        let span = self.span;
        self.push_item(Item::If { results: vec![result], cond, then, els, span });
        Some(Scalar::Value(result, root))
    }

    /// How many elements the sequences in arguments have, those in elements, too: a float, as what
    /// several share counts for each.
    fn looked_at(&mut self, (func, args, tys): Args<'_>) -> Scalar {
        let root = Function::root();
        let mut all = Scalar::Const(Const::F64(0.0));
        for (n, ((arg, space), ty)) in args.iter().zip(tys).enumerate() {
            if self.is_passed(func, n, ty) {
                continue;
            }
            let found = self.within(*space, |cx| cx.count_in(arg, ty));
            let found = if *space == root { found } else { self.sum_of(found, *space) };
            all = self.within(root, |cx| cx.compute(ScalarOp::Add, &[all, found]));
        }
        all
    }

    /// Whether no sequence in an argument looks into heaps.
    fn is_passed(&self, func: Func, param: usize, ty: &Type) -> bool {
        let mut passed = Vec::new();
        self.flattener.origins.passed(func, param, ty, &mut passed);
        passed.iter().all(|&passed| passed)
    }

    fn count_in(&mut self, rep: &Rep, ty: &Type) -> Scalar {
        let none = Scalar::Const(Const::F64(0.0));
        match (rep, ty) {
            (Rep::Tuple(parts), Type::Tuple(tys)) => {
                parts.iter().zip(tys).fold(none, |all, (part, ty)| {
                    let part = self.count_in(part, ty);
                    self.compute(ScalarOp::Add, &[all, part])
                })
            }
            (Rep::Lanes { .. } | Rep::View { .. }, Type::Seq(element)) => {
                let (start, len, pool) = self.as_view(rep);
                let own = self.compute(ScalarOp::ToFloat, &[len]);
                if element.is_flat() {
                    return own;
                }
                let (space, elem) = self.elements_behind((start, len), &pool);
                let inner = self.within(space, |cx| cx.count_in(&elem, element));
                let inner = self.sum_of(inner, space);
                self.compute(ScalarOp::Add, &[own, inner])
            }
            _ => none,
        }
    }

    /// The sum of floats of the lanes of a space, for each of the lanes around.
    fn sum_of(&mut self, floats: Scalar, space: Space) -> Scalar {
        let parent = self.parent(space).unwrap_or(Function::root());
        let code = self.code(space, &[floats]);
        let sum = self.value_over(parent, Ty::F64);
        self.push(vec![sum], Op::Reduce { space, monoids: vec![Monoid::Add], code });
        Scalar::Value(sum, parent)
    }

    /// The elements of a view as lanes of a space of their own.
    fn elements_behind(&mut self, (start, len): (Scalar, Scalar), pool: &Pool) -> (Space, Rep) {
        // Not by another name, which would keep it.
        let (choice, pools) = self.ways_of(pool);
        let Rep::Lanes { space, elem } = self.copied(start, len, choice, &pools) else {
            unreachable!("a copy is lanes")
        };
        (space, *elem)
    }

    /// New heaps with copies of all that arguments look at, and the sequences of these.
    fn made_anew(
        &mut self,
        (func, args, tys): Args<'_>,
        heaps: &[Heap],
        lanes: Space,
    ) -> (Vec<Leaf>, Vec<Heap>) {
        let mut copies = Vec::new();
        for (n, ((arg, space), ty)) in args.iter().zip(tys).enumerate() {
            let passed = self.is_passed(func, n, ty);
            let copy = |cx: &mut Self| if passed { arg.clone() } else { cx.copied_deep(arg, ty) };
            copies.push((self.within(*space, copy), *space));
        }
        let elements: Vec<&Type> = heaps.iter().map(|heap| &heap.element).collect();
        let mut empty: Vec<Heap> = Vec::new();
        for heap in heaps.iter().rev() {
            let made = self.empty_heap(&heap.element, &empty);
            empty.push(Heap { made, ..heap.clone() });
        }
        empty.reverse();
        let looking = Looking { elements: &elements, inside: true };
        let mut leaves = self.leaves(func, &copies, tys, looking);
        let count = leaves.len();
        let more = self.what_is_fresh(&empty, &mut leaves, lanes);
        let (heaps, _) = self.with_fresh(empty, more, &mut leaves);
        leaves.truncate(count);
        (leaves, heaps)
    }

    /// A value whose sequences have pools of their own, which nobody else looks into.
    fn copied_deep(&mut self, rep: &Rep, ty: &Type) -> Rep {
        match (rep, ty) {
            (Rep::Tuple(parts), Type::Tuple(tys)) => {
                let parts = parts.iter().zip(tys);
                Rep::Tuple(parts.map(|(part, ty)| self.copied_deep(part, ty)).collect())
            }
            (Rep::Lanes { .. } | Rep::View { .. }, Type::Seq(element)) => {
                let (start, len, pool) = self.as_view(rep);
                let (space, elem) = self.elements_behind((start, len), &pool);
                let elem = self.within(space, |cx| cx.copied_deep(&elem, element));
                Rep::Lanes { space, elem: Box::new(elem) }
            }
            (rep, _) => rep.clone(),
        }
    }

    /// Ends an arm that gives where sequences begin, which pools they look into, places in heaps,
    /// and these.
    fn heaps_arm(&mut self, leaves: &[Leaf], places: &[Scalar], heaps: &[Heap]) -> Items {
        let mut yields = Vec::new();
        for leaf in leaves {
            self.within(leaf.space, |cx| {
                yields.extend([leaf.start, leaf.choice].map(|s| cx.component(s)));
            });
        }
        for &place in places {
            yields.push(self.within(Function::root(), |cx| cx.component(place)));
        }
        let mut columns = Vec::new();
        heaps.iter().for_each(|heap| heap.made.columns(&mut columns));
        yields.extend(columns.iter().map(|column| Operand::Value(column.0)));
        self.end(yields)
    }
}

/// Heaps with these pools, behind whose segments are those of the others.
fn with_made(mut heaps: Vec<Heap>, made: Vec<Pool>) -> Vec<Heap> {
    for (n, made) in made.into_iter().enumerate().rev() {
        let lying = Lying::in_heaps(&heaps[n].element, &heaps);
        heaps[n].made = made.with_behind(&lying);
    }
    heaps
}
