//! Scans.

use crate::context::Context;
use crate::rep::{Rep, Scalar};
use flat::{Op, Space};
use prim::Monoid;

impl Context<'_, '_> {
    pub(crate) fn scan(&mut self, monoid: Monoid, seq: &Rep) -> Rep {
        let (space, elem) = self.elements(seq);
        let result = self.scan_over(monoid, space, elem.scalar());
        Rep::Lanes { space, elem: Box::new(Rep::Scalar(result)) }
    }

    /// Exclusive prefixes inside each segment of a space.
    pub(crate) fn scan_over(&mut self, monoid: Monoid, space: Space, elem: Scalar) -> Scalar {
        let code = self.code(space, &[elem]);
        let ty = self.scalar_ty(elem);
        let result = self.value_over(space, ty);
        self.push(vec![result], Op::Scan { space, monoids: vec![monoid], code });
        Scalar::Value(result, space)
    }
}
