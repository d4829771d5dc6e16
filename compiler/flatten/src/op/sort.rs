//! Sorting.

use crate::context::Context;
use crate::rep::{Rep, Scalar};
use flat::{Function, Op, Space, SpaceKind};
use prim::Ty;

impl Context<'_, '_> {
    pub(crate) fn sort(&mut self, kind: nest::SortKind, seq: &Rep) -> Rep {
        // Sorting wants its keys in memory and, in lanes, the offsets of the segments.
        let (space, elem) = self.elements(seq);
        let (space, key) = self.packed_segments(seq, space, elem.scalar());
        let key = Scalar::Value(self.vector(key, space), space);
        let code = self.code(space, &[key]);
        let (kind, ty) = match kind {
            nest::SortKind::Sort => (flat::SortKind::Sort, self.scalar_ty(key)),
            nest::SortKind::Rank => (flat::SortKind::Rank, Ty::I64),
            nest::SortKind::RankDown => (flat::SortKind::RankDown, Ty::I64),
        };
        let result = self.value_over(space, ty);
        self.push(vec![result], Op::Sort { space, kind, code });
        Rep::Lanes { space, elem: Box::new(Rep::Scalar(Scalar::Value(result, space))) }
    }

    /// The same elements over segments that have offsets, or over the root's only segment.
    fn packed_segments(&mut self, seq: &Rep, space: Space, elem: Scalar) -> (Space, Scalar) {
        let regular = match self.spaces[space].kind {
            SpaceKind::Regular(parent, _) => parent != Function::root(),
            SpaceKind::Root | SpaceKind::Packed(..) => false,
        };
        if !regular {
            return (space, elem);
        }
        let len = self.length(seq);
        let packed = self.packed_space(len);
        let elem = self.elements_in(seq, packed).scalar();
        (packed, elem)
    }
}
