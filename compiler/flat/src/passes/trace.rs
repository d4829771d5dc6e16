//! How the variables of a code came to be, as far as passes ask for elements at the lane's own
//! position.

use crate::Code;
use crate::ir::Value;
use prim::{Const, ScalarOp};
use rustc_hash::FxHashMap;
use scalar::{Atom, Item, Op, Stmt, Var};

/// A code, and the operations that its variables are results of.
pub(super) struct Trace<'c> {
    code: &'c Code,
    made: FxHashMap<Var, &'c Op<Value>>,
}

impl<'c> Trace<'c> {
    pub(super) fn of(code: &'c Code) -> Trace<'c> {
        let mut made = FxHashMap::default();
        code.body.walk(&mut |item| {
            if let Item::Stmt(Stmt::Let(var, op)) = item {
                made.insert(*var, op);
            }
        });
        Trace { code, made }
    }

    pub(super) fn op(&self, atom: Atom<Value>) -> Option<&'c Op<Value>> {
        let Atom::Var(var) = atom else { return None };
        self.made.get(&var).copied()
    }

    /// The depth of the code's space.
    pub(super) fn depth(&self) -> usize {
        self.code.params.len().saturating_sub(1)
    }

    /// Whether an atom is the position of the lane.
    pub(super) fn is_own(&self, atom: Atom<Value>) -> bool {
        match self.depth() {
            0 => false,
            1 => self.code.params.iter().any(|&p| atom == Atom::Var(p)),
            depth => atom == Atom::Var(self.code.params[depth - 1]),
        }
    }

    /// Whether an atom is the index of the lane in its segment.
    pub(super) fn is_index(&self, atom: Atom<Value>) -> bool {
        match self.depth() {
            0 => false,
            1 => self.is_own(atom),
            depth => atom == Atom::Var(self.code.params[depth]),
        }
    }

    /// The vector of which an atom is the element at the own position.
    pub(super) fn own_element(&self, atom: Atom<Value>) -> Option<Value> {
        match self.op(atom)? {
            Op::Read(vector, at) if self.is_own(*at) => Some(*vector),
            _ => None,
        }
    }

    /// Whether an atom is the position of the lane's parent.
    pub(super) fn is_row(&self, atom: Atom<Value>) -> bool {
        self.depth() > 1 && atom == Atom::Var(self.code.params[self.depth() - 2])
    }

    /// The vector of which an atom is the element at the parent's position.
    pub(super) fn row_element(&self, atom: Atom<Value>) -> Option<Value> {
        match self.op(atom)? {
            Op::Read(vector, at) if self.is_row(*at) => Some(*vector),
            _ => None,
        }
    }

    /// Whether an atom is where a segment starts, of a row that is known by its position.
    pub(super) fn is_start(
        &self,
        atom: Atom<Value>,
        offsets: Value,
        is_row: impl Fn(Atom<Value>) -> bool,
    ) -> bool {
        matches!(self.op(atom), Some(Op::Read(vector, at)) if *vector == offsets && is_row(*at))
    }

    /// Whether an atom is the length of a segment.
    pub(super) fn is_length(
        &self,
        atom: Atom<Value>,
        offsets: Value,
        is_row: impl Fn(Atom<Value>) -> bool,
    ) -> bool {
        let Some(Op::Scalar(ScalarOp::Sub, ends, _)) = self.op(atom) else { return false };
        let is_next = |at| match self.op(at) {
            Some(Op::Scalar(ScalarOp::Add, args, _)) => {
                is_row(args[0]) && args[1] == Atom::Const(Const::I64(1))
            }
            _ => false,
        };
        self.is_start(ends[0], offsets, is_next) && self.is_start(ends[1], offsets, &is_row)
    }
}
