//! Loops that copy: `to[i] = from[i + a - b]` for a range of `i`.
//!
//! In a routine the pieces are short, and most of what a vectorised loop would do for one is to
//! find out how much is left.  There `nesl_copy64` and `nesl_copy8` (`rts/lanes.h`) move them;
//! their last step is as wide as the others.

use super::stmt::Body;
use kernel::{Arg, ArgKind, Block, Operand, Stmt};
use prim::ScalarOp;
use scalar::{Atom, Op, Var};

/// A loop body that copies.
struct Copy<'k> {
    to: Arg,
    to_index: Operand,
    from: Arg,
    from_index: Operand,
    /// What computes the indices.
    before: &'k [Stmt],
}

impl Body<'_, '_, Arg> {
    /// Prints a loop of a routine that copies; tells whether it is one.
    pub(super) fn copied(&mut self, index: Var, range: [&str; 2], body: &Block) -> bool {
        let Some(copy) = copy(index, body).filter(|_| self.is_whole()) else { return false };
        let [to, from] = [copy.to, copy.from].map(|arg| self.element_ty(arg));
        // What overlaps nothing may be copied in any order.
        let alone = self.kernel.is_some_and(|k| k.args[copy.to].kind == ArgKind::Out);
        if to != from || !alone || self.shared.count {
            return false;
        }
        self.out.open("");
        let ([first, end], int) = (range, self.shared.int());
        self.out.line(format!("const {int} {index} = {first};"));
        for stmt in copy.before {
            self.kernel_stmt(stmt);
        }
        let [to_index, from_index] = [copy.to_index, copy.from_index].map(|i| self.text(i));
        let (to, from) =
            (format!("{} + ({to_index})", copy.to), format!("{} + ({from_index})", copy.from));
        let width = self.element_size(copy.to) * 8;
        self.out.line(format!("nesl_copy{width}({to}, {from}, {end} - {index});"));
        self.out.close("");
        true
    }
}

/// The parts of a body that reads an element and stores it, both at an index that grows by one
/// with each iteration.
fn copy(index: Var, body: &Block) -> Option<Copy<'_>> {
    let (Stmt::Store(to, to_index, Atom::Var(stored)), rest) = body.split_last()? else {
        return None;
    };
    let (Stmt::Scalar(scalar::Stmt::Let(read, Op::Read(from, from_index))), before) =
        rest.split_last()?
    else {
        return None;
    };
    // Variables of the iteration that grow by one; the others must not depend on it.
    let mut steady = vec![index];
    for stmt in before {
        let Stmt::Scalar(scalar::Stmt::Let(var, Op::Scalar(op, args, _))) = stmt else {
            return None;
        };
        let grows = |a: &Atom<Arg>| matches!(a, Atom::Var(v) if steady.contains(v));
        let which: Vec<bool> = args.iter().map(grows).collect();
        match (op, which.as_slice()) {
            (ScalarOp::Add, [true, false] | [false, true]) | (ScalarOp::Sub, [true, false]) => {
                steady.push(*var);
            }
            _ => return None,
        }
    }
    let is_steady = |a: &Operand| matches!(a, Atom::Var(v) if steady.contains(v));
    let found = read == stored && is_steady(to_index) && is_steady(from_index);
    let (to_index, from_index) = (*to_index, *from_index);
    found.then_some(Copy { to: *to, to_index, from: *from, from_index, before })
}
