//! `select`: scalars without a branch, so that scalar code stays straight; the rest by `if`.

use crate::mono::{Lower, Lowering};
use crate::scope::Abs;
use crate::ty;
use prim::ScalarOp;
use types::Type;

impl<'a> Lower<'a> {
    /// `select(args[0], args[1], args[2])`, with the types of the arguments.
    pub(crate) fn select(&mut self, args: &[(Abs<'a>, Type)], ty: &Type) -> Lowering<Abs<'a>> {
        let condition = self.reify(&args[0].0, &args[0].1);
        self.select_at(condition, &args[1].0, &args[2].0, ty)
    }

    fn select_at(
        &mut self,
        condition: nest::Value,
        then: &Abs<'a>,
        otherwise: &Abs<'a>,
        ty: &Type,
    ) -> Lowering<Abs<'a>> {
        match ty::fields(self.program, ty) {
            Type::Base(_) => {
                let (a, b) = (self.reify(then, ty), self.reify(otherwise, ty));
                Ok(Abs::Value(self.b.scalar(ScalarOp::Select, &[condition, a, b])))
            }
            Type::Pair(a, b) => {
                let (x, y) = (self.first(then), self.first(otherwise));
                let first = self.select_at(condition, &x, &y, &a)?;
                let (x, y) = (self.second(then), self.second(otherwise));
                Ok(Abs::pair(first, self.select_at(condition, &x, &y, &b)?))
            }
            _ => self.branch(condition, ty, |_, side| {
                Ok(if side { then.clone() } else { otherwise.clone() })
            }),
        }
    }
}
