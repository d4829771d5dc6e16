//! Reductions.

use crate::context::Context;
use crate::rep::{Rep, Scalar};
use flat::{Function, Op};
use prim::Monoid;

impl Context<'_, '_> {
    pub(crate) fn reduce(&mut self, monoid: Monoid, seq: &Rep) -> Rep {
        let (space, elem) = self.elements(seq);
        let elem = elem.scalar();
        let parent = self.parent(space).unwrap_or(Function::root());
        let code = self.code(space, &[elem]);
        let ty = self.scalar_ty(elem);
        let result = self.value_over(parent, ty);
        self.push(vec![result], Op::Reduce { space, monoids: vec![monoid], code });
        Rep::Scalar(Scalar::Value(result, parent))
    }
}
