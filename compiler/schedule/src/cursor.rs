//! Cursors: counts that run through all lanes in order.
//!
//! A cursor stands at `base + own`.  Where one unit runs a tile, it is carried through all loops
//! and has no base.  Where threads do, each loop counts from 0, so that a lane's share is known
//! without the lanes before it; the base is where the loop around it stands.

use crate::scheduler::Scheduler;
use kernel::Arg;
use prim::{Const, ScalarOp};
use rustc_hash::FxHashMap;
use scalar::Atom;

/// Where a cursor stands.
#[derive(Clone, Copy)]
pub(crate) struct Cursor {
    /// Where the loops around the innermost one stand.
    pub(crate) base: Option<Atom<Arg>>,
    /// Counted since.
    pub(crate) own: Atom<Arg>,
    /// What was counted last.
    pub(crate) amount: Atom<Arg>,
}

/// The cursor of each node at the place being scheduled.
#[derive(Default)]
pub(crate) struct Cursors {
    now: FxHashMap<usize, Cursor>,
}

impl Cursors {
    /// Lets a cursor stand at a value.
    pub(crate) fn set(&mut self, node: usize, own: Atom<Arg>) {
        self.put(node, Cursor { base: None, own, amount: Atom::Const(Const::I64(0)) });
    }
    pub(crate) fn put(&mut self, node: usize, cursor: Cursor) {
        self.now.insert(node, cursor);
    }
    pub(crate) fn at(&self, node: usize) -> Cursor {
        self.now.get(&node).copied().unwrap_or_else(|| unreachable!("node {node} has no cursor"))
    }
}

impl Scheduler<'_> {
    /// The value of a cursor, computed in a level.
    pub(crate) fn cursor(&mut self, node: usize, level: usize) -> Atom<Arg> {
        let Cursor { base, own, .. } = self.cursors.at(node);
        match base {
            Some(base) if own == Atom::Const(Const::I64(0)) => base,
            Some(base) => self.op_in(level, ScalarOp::Add, &[base, own]),
            None => own,
        }
    }

    /// Moves a cursor on, in a level.
    pub(crate) fn advance(&mut self, node: usize, level: usize, amount: Atom<Arg>) {
        let Cursor { base, own, .. } = self.cursors.at(node);
        let own = self.op_in(level, ScalarOp::Add, &[own, amount]);
        self.cursors.put(node, Cursor { base, own, amount });
    }
}
