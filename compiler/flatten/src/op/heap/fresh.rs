//! Sequences of sequences that were made at a depth, on their way to a heap.
//!
//! ```text
//! t       given, or made before: its rows look into pools of the heap for their elements
//! u = [t[1], [n : n + 3]]     made: row 0 looks there, too, row 1 looks into something new
//!
//! heap for elements of rows   | ... | n n+1 n+2 |
//! heap for rows               | ... | t[1], by its descriptor | those three elements |
//! ```

use super::added::{Adding, Sizes};
use super::{Heap, Leaf, Looking, to_int};
use crate::context::Context;
use crate::origin::Lying;
use crate::rep::{Pool, Rep, Scalar, Segments};
use flat::Space;
use nest::Type;
use prim::{ScalarOp, Ty};
use std::ops::Range;

/// What is to be added to a heap.
enum Fresh {
    /// Pools of elements without sequences; or nothing.
    Pools(Vec<Pool>),
    /// Elements with sequences, which the lanes of a space have, and which of all sequences are
    /// theirs.
    Elements { space: Space, elem: Rep, leaves: Range<usize> },
}

/// What is to be added to a heap, and how much.
pub(super) struct More {
    fresh: Fresh,
    /// Nothing if there is nothing to be added.
    pub(super) sizes: Option<Sizes>,
    /// Something at the root that is 0 if no element of other heaps looks into this one; nothing if
    /// there can be none.
    pub(super) behind: Option<Scalar>,
}

impl Context<'_, '_> {
    /// What is to be added to heaps.  Sequences of elements that are come to the others.
    pub(super) fn what_is_fresh(
        &mut self,
        heaps: &[Heap],
        leaves: &mut Vec<Leaf>,
        lanes: Space,
    ) -> Vec<More> {
        // Where nothing was given, what is always empty looks into the heap, like all others.
        for leaf in leaves.iter_mut() {
            leaf.passed &= !heaps[leaf.heap].given.is_empty();
        }
        // From the outside: elements that are added have sequences, which are in other heaps.
        let mut fresh = Vec::new();
        for n in 0..heaps.len() {
            fresh.push(self.fresh(n, heaps, leaves, lanes));
        }
        let mut found = Vec::new();
        for (n, heap) in heaps.iter().enumerate() {
            let count = match &fresh[n] {
                Fresh::Pools(pools) => pools.len(),
                Fresh::Elements { .. } => 1,
            };
            if count == 0 {
                found.push((None, None));
                continue;
            }
            let behind = self.looking_into(n, heaps, &fresh, leaves, lanes);
            let sizes = self.sizes(heap.given.len(), count, &of_heap(leaves, n), lanes);
            found.push((Some(sizes), behind));
        }
        let found = fresh.into_iter().zip(found);
        found.map(|(fresh, (sizes, behind))| More { fresh, sizes, behind }).collect()
    }

    /// Heaps to which this was added, and the places before which they are what they were.
    pub(super) fn with_fresh(
        &mut self,
        mut heaps: Vec<Heap>,
        more: Vec<More>,
        leaves: &mut [Leaf],
    ) -> (Vec<Heap>, Vec<Scalar>) {
        let mut places = vec![Scalar::int(self.flattener.nest.widths.max_int()); heaps.len()];
        // From the inside: what elements look into must be there.
        for (n, More { fresh, sizes, behind }) in more.into_iter().enumerate().rev() {
            let lying = Lying::in_heaps(&heaps[n].element, &heaps);
            let made = heaps[n].made.with_behind(&lying);
            let others = match fresh {
                Fresh::Pools(pools) => pools,
                Fresh::Elements { space, elem, leaves: range } => {
                    let mut found = leaves[range].iter();
                    let elem = self.in_heaps(&elem, &heaps, &mut found);
                    vec![self.make_pool(&elem, space)]
                }
            };
            (heaps[n].made, places[n]) = match sizes {
                Some(sizes) => {
                    let number = heaps[n].given.len();
                    let adding = Adding { made: &made, number, others: &others, lying, behind };
                    self.collect(&adding, &sizes, &mut of_heap(leaves, n))
                }
                None => (made, places[n]),
            };
        }
        (heaps, places)
    }

    /// What is to be added to a heap.  Sequences of elements that are come to the others.
    fn fresh(&mut self, n: usize, heaps: &[Heap], leaves: &mut Vec<Leaf>, lanes: Space) -> Fresh {
        let heap = &heaps[n];
        for leaf in leaves.iter_mut().filter(|leaf| leaf.heap == n && leaf.passed) {
            let numbers = self.places_among((&leaf.pools, false), &heap.given);
            leaf.choice = self.within(leaf.space, |cx| cx.renumbered(leaf.choice, &numbers));
        }
        let mut own = of_heap(leaves, n);
        let others = self.others(heap, &mut own);
        if others.is_empty() || heap.element.is_flat() {
            return Fresh::Pools(others);
        }
        let number = heap.given.len();
        let ends = self.sizes(number, others.len(), &own, lanes).ends;
        for leaf in own {
            self.within(leaf.space, |cx| {
                let mut start = leaf.start;
                for (n, &end) in ends[..others.len()].iter().enumerate().skip(1) {
                    let here = Scalar::int(to_int(number + 1 + n));
                    let here = cx.compute(ScalarOp::Eq, &[leaf.choice, here]);
                    let there = cx.add(leaf.start, end);
                    start = cx.compute(ScalarOp::Select, &[here, there, start]);
                }
                leaf.start = start;
                let only = Scalar::int(to_int(number + 1));
                leaf.choice = cx.compute(ScalarOp::Min, &[leaf.choice, only]);
            });
        }
        let (space, elem) = self.elements_of(&others, &ends);
        let before = leaves.len();
        let elements: Vec<&Type> = heaps.iter().map(|heap| &heap.element).collect();
        let looking = Looking { elements: &elements, inside: true };
        self.within(space, |cx| cx.leaves_of(&elem, &heap.element, looking, leaves));
        Fresh::Elements { space, elem, leaves: before..leaves.len() }
    }

    /// Something at the root that is 0 if no element of heaps looks into this one; nothing if there
    /// can be none.
    fn looking_into(
        &mut self,
        n: usize,
        heaps: &[Heap],
        fresh: &[Fresh],
        leaves: &[Leaf],
        lanes: Space,
    ) -> Option<Scalar> {
        let mut found: Option<Scalar> = None;
        for (outer, heap) in heaps.iter().enumerate() {
            let none = self.is_empty(&heap.made) && matches!(fresh[outer], Fresh::Pools(_));
            if none || !has_sequences_of(&heap.element, &heaps[n].element) {
                continue;
            }
            let own = leaves.iter().filter(|leaf| leaf.heap == outer && !leaf.passed);
            let own: Vec<&Leaf> = own.collect();
            let longest = self.longest(heap.given.len(), &own, lanes);
            let root = flat::Function::root();
            found = Some(match found {
                Some(known) => self.within(root, |cx| cx.compute(ScalarOp::Max, &[known, longest])),
                None => longest,
            });
        }
        found
    }

    /// A heap with nothing in it; `heaps` are those for sequences in elements, among others.
    pub(super) fn empty_heap(&mut self, element: &Type, heaps: &[Heap]) -> Pool {
        match element {
            Type::Scalar(_) => self.empty_pool(element),
            Type::Tuple(parts) => {
                Pool::Tuple(parts.iter().map(|part| self.empty_heap(part, heaps)).collect())
            }
            Type::Seq(below) => {
                let mut none = |_| match self.empty_pool(&Type::Scalar(Ty::I64)) {
                    Pool::Scalar(vector, _) => vector,
                    pool => unreachable!("{pool:?} of ints"),
                };
                let [starts, lens, numbers] = [0, 1, 2].map(&mut none);
                let mut pools = pools_of(below, heaps);
                let inner = if pools.len() > 1 {
                    Pool::Among(numbers, pools)
                } else {
                    pools.swap_remove(0)
                };
                Pool::Seq(Segments::View(starts, lens), Box::new(inner))
            }
        }
    }
}

impl Lying {
    /// Where elements of this type lie in a heap.
    pub(super) fn in_heaps(element: &Type, heaps: &[Heap]) -> Lying {
        match element {
            Type::Scalar(_) => Lying::Scalar,
            Type::Tuple(parts) => {
                Lying::Tuple(parts.iter().map(|part| Lying::in_heaps(part, heaps)).collect())
            }
            Type::Seq(below) => Lying::Seq { given: pools_of(below, heaps), own: None },
        }
    }
}

impl Pool {
    /// The same elements, behind whose segments pools have grown.
    pub(super) fn with_behind(&self, lying: &Lying) -> Pool {
        match (self, lying) {
            (Pool::Tuple(parts), Lying::Tuple(lying)) => {
                let parts = parts.iter().zip(lying);
                Pool::Tuple(parts.map(|(part, lying)| part.with_behind(lying)).collect())
            }
            (Pool::Seq(segments, inner), Lying::Seq { given, .. }) => {
                let inner = match &**inner {
                    Pool::Among(numbers, _) => Pool::Among(*numbers, given.clone()),
                    _ => given[0].clone(),
                };
                Pool::Seq(*segments, Box::new(inner))
            }
            _ => self.clone(),
        }
    }
}

/// The sequences that may look into what a heap has made.
fn of_heap(leaves: &mut [Leaf], n: usize) -> Vec<&mut Leaf> {
    leaves.iter_mut().filter(|leaf| leaf.heap == n && !leaf.passed).collect()
}

/// All pools of the heap for elements of this type.
fn pools_of(element: &Type, heaps: &[Heap]) -> Vec<Pool> {
    let heap = heaps.iter().find(|heap| heap.element == *element);
    heap.unwrap_or_else(|| unreachable!("{element:?} has no heap")).pools()
}

/// Whether there are sequences of such elements in a type.
fn has_sequences_of(ty: &Type, element: &Type) -> bool {
    match ty {
        Type::Scalar(_) => false,
        Type::Tuple(parts) => parts.iter().any(|part| has_sequences_of(part, element)),
        Type::Seq(own) => **own == *element || has_sequences_of(own, element),
    }
}
