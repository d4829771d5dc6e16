//! Sorting.

use crate::context::Context;
use crate::rep::{Rep, Scalar};
use flat::Op;
use prim::Ty;

impl Context<'_, '_> {
    pub(crate) fn sort(&mut self, kind: nest::SortKind, seq: &Rep) -> Rep {
        let (space, elem) = self.elements(seq);
        let key = elem.scalar();
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
}
