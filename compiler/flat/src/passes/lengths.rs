//! Lengths of the root that are equal because a check before says so.
//!
//! ```text
//! v5 = map [s0] \{ x0 = eq v2 v0; require permute x0 v0 v2; x1 = min v2 v0; yield x1 }
//!   v0, v2 and v5 are equal
//! ```

use crate::ir::{Function, Op, Operand, Space, SpaceKind, Stmt, Value};
use crate::passes::trace::Trace;
use prim::ScalarOp;
use rustc_hash::FxHashMap;
use scalar::Atom;

/// For scalars, another that is equal and was there before.
#[derive(Clone, Default)]
pub(super) struct Lengths {
    earlier: FxHashMap<Value, Value>,
}

impl Lengths {
    /// Notes what a statement checks, and what it gives.
    pub(super) fn note(&mut self, stmt: &Stmt) {
        let Op::Map { space, code } = &stmt.op else { return };
        if *space != Function::root() {
            return;
        }
        let trace = Trace::of(code);
        for check in &code.body.stmts {
            if let scalar::Stmt::Require { cond, .. } = check
                && let Some(scalar::Op::Scalar(ScalarOp::Eq, args, _)) = trace.op(*cond)
                && let [Atom::Outer(a, _), Atom::Outer(b, _)] = args[..]
            {
                self.equal(a, b);
            }
        }
        for (&result, &value) in stmt.results.iter().zip(&code.body.yields) {
            match (value, trace.op(value)) {
                (Atom::Outer(same, _), _) => self.equal(same, result),
                (_, Some(scalar::Op::Scalar(ScalarOp::Min, args, _))) => {
                    if let [Atom::Outer(a, _), Atom::Outer(b, _)] = args[..]
                        && self.first(a) == self.first(b)
                    {
                        self.equal(a, result);
                    }
                }
                _ => {}
            }
        }
    }

    fn equal(&mut self, a: Value, b: Value) {
        let (a, b) = (self.first(a), self.first(b));
        if a != b {
            self.earlier.insert(b, a);
        }
    }

    /// What stands for all that are equal to a scalar.
    pub(super) fn first(&self, mut value: Value) -> Value {
        while let Some(&earlier) = self.earlier.get(&value) {
            value = earlier;
        }
        value
    }

    /// The length of a child of the root.
    pub(super) fn of(&self, function: &Function, space: Space) -> Option<Value> {
        match function.spaces[space].kind {
            SpaceKind::Regular(parent, Operand::Value(length)) if parent == Function::root() => {
                Some(self.first(length))
            }
            SpaceKind::Root | SpaceKind::Regular(..) | SpaceKind::Packed(..) => None,
        }
    }
}
