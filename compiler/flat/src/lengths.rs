//! Which numbers of lanes come from arithmetic that may wrap.
//!
//! A length is an int from 0 to the longest length.  It is given, counted by a filter, read from
//! offsets, or computed; a sum or a product of two is no length before it is *checked*: a `require`
//! of site memory names it, in the code that computes it or in code that uses it.
//!
//! ```text
//! v2: i64 = map [s0] \{
//!   x0 = add v0 v1
//!   x1 = sub 140737488355328 v1
//!   x2 = le v0 x1
//!   require memory x2 x0 -1
//!   yield x0
//! }
//! s1 = [s0 > v2]
//! ```
//!
//! Only operations that make a number larger are looked at: a negative number of lanes counts as 0.

use crate::Code;
use crate::ir::{Block, Function, Op, Operand, Value};
use base::Site;
use prim::{Const, ScalarOp, TOO_LONG};
use rustc_hash::{FxHashMap, FxHashSet};
use scalar::{Atom, Item, Stmt, Var};

/// A number below which a sum with a length does not wrap (`Widths::max_length`).
const SMALL: i64 = 1 << 20;

/// The definitions of the scalars of a function.
pub(crate) struct Lengths<'f> {
    makers: FxHashMap<Value, Maker<'f>>,
}

/// The definition of a scalar.
enum Maker<'f> {
    /// This yield of code of the root.
    Code(&'f Code, usize),
    /// One of two arms.
    Arms([Operand; 2]),
}

impl<'f> Lengths<'f> {
    /// Looks at a function.
    pub(crate) fn of(function: &'f Function) -> Lengths<'f> {
        let mut lengths = Lengths { makers: FxHashMap::default() };
        lengths.block(&function.body);
        lengths
    }

    fn block(&mut self, block: &'f Block) {
        for stmt in &block.stmts {
            match &stmt.op {
                Op::Map { space, code } if *space == Function::root() => {
                    let makers = (0..).map(|n| Maker::Code(code, n));
                    self.makers.extend(stmt.results.iter().copied().zip(makers));
                }
                Op::If(_, then, els) => {
                    self.block(then);
                    self.block(els);
                    for ((&result, &yes), &no) in
                        stmt.results.iter().zip(&then.yields).zip(&els.yields)
                    {
                        self.makers.insert(result, Maker::Arms([yes, no]));
                    }
                }
                _ => {}
            }
        }
    }

    /// Returns true if a number of lanes may be an unchecked sum or product.
    pub(crate) fn is_unchecked(&self, count: Operand) -> bool {
        let mut seen = FxHashSet::default();
        matches!(count, Operand::Value(value) if self.value(value, &mut seen))
    }

    fn value(&self, value: Value, seen: &mut FxHashSet<Value>) -> bool {
        if !seen.insert(value) {
            return false;
        }
        match self.makers.get(&value) {
            Some(Maker::Code(code, n)) => {
                let code = Checked::of(code);
                code.is_unchecked(code.code.body.yields[*n], &mut |outer| self.value(outer, seen))
            }
            Some(Maker::Arms(arms)) => arms
                .iter()
                .any(|arm| matches!(arm, Operand::Value(value) if self.value(*value, seen))),
            None => false,
        }
    }
}

/// Code, the operations in it, and what its checks name.
struct Checked<'c> {
    code: &'c Code,
    made: FxHashMap<Var, (ScalarOp, &'c [Atom<Value>])>,
    checked: FxHashSet<Atom<Value>>,
}

impl<'c> Checked<'c> {
    fn of(code: &'c Code) -> Checked<'c> {
        let (mut made, mut checked) = (FxHashMap::default(), FxHashSet::default());
        code.body.walk(&mut |item| match item {
            Item::Stmt(Stmt::Let(var, scalar::Op::Scalar(op, args, _))) => {
                made.insert(*var, (*op, args.as_slice()));
            }
            Item::Stmt(Stmt::Require { site: Site::Memory, args: [length, long], .. })
                if *long == Atom::Const(Const::I64(TOO_LONG)) =>
            {
                checked.insert(*length);
            }
            _ => {}
        });
        Checked { code, made, checked }
    }

    fn is_unchecked(&self, atom: Atom<Value>, outer: &mut impl FnMut(Value) -> bool) -> bool {
        if self.checked.contains(&atom) {
            return false;
        }
        let var = match atom {
            Atom::Const(_) => return false,
            Atom::Outer(value, _) => return outer(value),
            Atom::Var(var) => var,
        };
        let Some(&(op, args)) = self.made.get(&var) else { return false };
        let small = |atom: &Atom<Value>| matches!(atom, Atom::Const(Const::I64(n)) if n.unsigned_abs() < SMALL.unsigned_abs());
        match (op, args) {
            (ScalarOp::Add, [a, b]) if small(a) || small(b) => {
                self.is_unchecked(if small(a) { *b } else { *a }, outer)
            }
            (ScalarOp::Add | ScalarOp::Mul, _) => true,
            (ScalarOp::Min, [a, b]) => self.is_unchecked(*a, outer) && self.is_unchecked(*b, outer),
            (ScalarOp::Max, [a, b]) | (ScalarOp::Select, [_, a, b]) => {
                self.is_unchecked(*a, outer) || self.is_unchecked(*b, outer)
            }
            _ => false,
        }
    }
}
