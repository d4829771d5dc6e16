//! Sequences put together: literals, `++`.

use crate::block::{Env, get};
use crate::context::Context;
use crate::rep::{Pool, Rep, Scalar, Segments};
use flat::{Domain, Function, ValueInfo};
use nest::{Type, Value};
use prim::{ScalarOp, Ty};

impl Context<'_, '_> {
    /// `[v0, v1, ...]`.
    pub(crate) fn sequence(&mut self, items: &[Value], env: &Env, result: Value) -> Rep {
        if items.is_empty() {
            let element = self.source.values[result].ty.element().clone();
            let pool = self.empty_pool(&element);
            return Rep::View { start: Scalar::int(0), len: Scalar::int(0), pool };
        }
        let reps: Vec<Rep> = items.iter().map(|&v| self.fixed(&get(env, v))).collect();
        let space = self.new_space(Scalar::int(i64::try_from(reps.len()).unwrap_or(i64::MAX)));
        let elem = self.within(space, |cx| cx.choose(Scalar::Index(space), &reps));
        Rep::Lanes { space, elem: Box::new(elem) }
    }

    /// The same value with its sequences as views, made in the current space.
    pub(crate) fn fixed(&mut self, rep: &Rep) -> Rep {
        match rep {
            Rep::Scalar(_) => rep.clone(),
            Rep::Tuple(parts) => Rep::Tuple(parts.iter().map(|p| self.fixed(p)).collect()),
            Rep::Lanes { .. } | Rep::View { .. } => {
                let (start, len, pool) = self.as_view(rep);
                Rep::View { start, len, pool }
            }
        }
    }

    /// A pool without elements.
    fn empty_pool(&mut self, ty: &Type) -> Pool {
        let empty = |cx: &mut Self, ty: Ty| {
            let value = cx.values.push(ValueInfo { ty, domain: Domain::Pool });
            cx.push(vec![value], flat::Op::Literal(Vec::new(), ty));
            value
        };
        match ty {
            Type::Scalar(t) => Pool::Scalar(empty(self, *t), *t),
            Type::Tuple(parts) => Pool::Tuple(parts.iter().map(|p| self.empty_pool(p)).collect()),
            Type::Seq(element) => {
                let (starts, lens) = (empty(self, Ty::I64), empty(self, Ty::I64));
                Pool::Seq(Segments::View(starts, lens), Box::new(self.empty_pool(element)))
            }
        }
    }

    /// `a ++ b`.
    pub(crate) fn append(&mut self, a: &Rep, b: &Rep) -> Rep {
        let (start_a, len_a, pool_a) = self.as_view(a);
        let (start_b, len_b, pool_b) = self.as_view(b);
        let len = self.length_of_both(len_a, len_b);
        let space = self.new_space(len);
        let elem = self.within(space, |cx| {
            let own = Scalar::Index(space);
            let second = cx.compute(ScalarOp::Ge, &[own, len_a]);
            let choice = cx.compute(ScalarOp::Btoi, &[second]);
            let in_a = cx.add(start_a, own);
            let past = cx.compute(ScalarOp::Sub, &[own, len_a]);
            let in_b = cx.add(start_b, past);
            let at = cx.compute(ScalarOp::Select, &[second, in_b, in_a]);
            cx.pools_at(Some(choice), at, &[pool_a, pool_b])
        });
        Rep::Lanes { space, elem: Box::new(elem) }
    }

    /// The length of two sequences together.  In lanes it is checked where all of them are added up.
    fn length_of_both(&mut self, a: Scalar, b: Scalar) -> Scalar {
        if self.space != Function::root() {
            return self.add(a, b);
        }
        let (span, widths) = (self.span, self.flattener.nest.widths);
        let region = self.region(self.space, span);
        let lengths = [a, b].map(|length| self.reach_in(region, length));
        let atom = self.with_lane(region, |_, lane| lane.builder.length(widths, lengths, span));
        self.scalar_of(region, atom)
    }
}
