//! Operations defined at every type, made for one type: by parts at tuples, and by a function of
//! their own at sequences, shared by all uses in the program.
//!
//! ```text
//! fn f1 equal(v0: [i64], v1: [i64]) -> bool {
//!   v2 = length v0
//!   v3 = length v1
//!   v4 = eq v2 v3
//!   v5 = if v4 { v6 = each v7 in v0, v8 in v1 { .. eq v7 v8 .. } .. } else { F }
//!   yield v5
//! }
//! ```

mod equal;
mod hash;
mod identity;
mod select;
mod text;

use crate::mono::{Job, Lower, Lowering};
use base::Span;
use nest::{Each, Func, Op, Value};
use types::Type;

/// A function that the compiler writes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Derived {
    /// `==` of sequences of this type.
    Equal(nest::Type),
    /// Hash of a sequence of this type.
    Hash(nest::Type),
    /// The text, as inside a sequence, of a scalar or sequence of this type.
    Text(Type),
}

impl<'a> Lower<'a> {
    /// The function of nest for a derived operation, which is made when first asked for.
    pub(crate) fn derived(&mut self, derived: Derived) -> Func {
        if let Some(&func) = self.derived.get(&derived) {
            return func;
        }
        let func = self.reserve();
        self.derived.insert(derived.clone(), func);
        self.jobs.push_back(Job::Derived { func, derived, span: self.b.span() });
        func
    }

    /// Makes the function.
    pub(crate) fn derive(&mut self, func: Func, derived: &Derived, span: Span) -> Lowering<()> {
        self.start(span);
        let (name, params, result) = match derived {
            Derived::Equal(ty) => {
                let params = vec![self.b.fresh(ty.clone()), self.b.fresh(ty.clone())];
                let result = self.equal_sequences(params[0], params[1]);
                ("equal", params, result)
            }
            Derived::Hash(ty) => {
                let param = self.b.fresh(ty.clone());
                ("hash", vec![param], self.hash_sequence(param))
            }
            Derived::Text(ty) => {
                let nest = crate::ty::nest(self.program, ty);
                let param = self.b.fresh(nest);
                ("text", vec![param], self.text_body(param, ty)?)
            }
        };
        self.finish(func, name, params, result, span);
        Ok(())
    }

    /// An apply-to-each whose body is made from the elements.
    fn each_of(
        &mut self,
        sources: &[Value],
        body: impl FnOnce(&mut Self, &[Value]) -> Lowering<Value>,
    ) -> Lowering<Value> {
        let mut elements = Vec::with_capacity(sources.len());
        for &source in sources {
            let ty = self.b.ty(source).element().clone();
            elements.push(self.b.fresh(ty));
        }
        self.b.begin();
        let result = body(self, &elements)?;
        let body = self.b.end(result);
        let generators = elements.into_iter().zip(sources.iter().copied()).collect();
        Ok(self.b.push(Op::Each(Each { generators, test: None, body })))
    }
}
