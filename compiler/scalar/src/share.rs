//! Operations already made in the open blocks, so that an equal one need not be made again.
//!
//! What an enclosing block has computed holds in its nested blocks, not the other way round.  An
//! operation that can fail may be shared, too: where the first did not fail, an equal one cannot.

use crate::code::{Atom, Name};
use prim::ScalarOp;
use rustc_hash::FxHashMap;

/// An operation without its place in the source.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Key<R> {
    Scalar(ScalarOp, Vec<Atom<R>>),
    Read(R, Atom<R>),
}

/// The operations made in the blocks that are open.
pub(crate) struct Known<R> {
    made: FxHashMap<Key<R>, Atom<R>>,
    /// In their order, with what had been known instead.
    order: Vec<(Key<R>, Option<Atom<R>>)>,
    /// How many there were when each nested block began.
    begins: Vec<usize>,
}

impl<R: Name> Known<R> {
    pub(crate) fn new() -> Self {
        Known { made: FxHashMap::default(), order: Vec::new(), begins: Vec::new() }
    }
    /// A nested block begins.
    pub(crate) fn begin(&mut self) {
        self.begins.push(self.order.len());
    }
    /// The nested block begun last ends; what it computed is no longer known.
    pub(crate) fn end(&mut self) {
        let begin = self.begins.pop().unwrap_or(0);
        for (key, before) in self.order.drain(begin..).rev() {
            match before {
                Some(value) => self.made.insert(key, value),
                None => self.made.remove(&key),
            };
        }
    }
    /// The result of an equal operation.
    pub(crate) fn scalar(&self, op: ScalarOp, args: &[Atom<R>]) -> Option<Atom<R>> {
        self.made.get(&Key::Scalar(op, args.to_vec())).copied()
    }
    /// The result of an equal read.
    pub(crate) fn read(&self, vector: R, index: Atom<R>) -> Option<Atom<R>> {
        self.made.get(&Key::Read(vector, index)).copied()
    }
    /// Notes an operation.
    pub(crate) fn add_scalar(&mut self, op: ScalarOp, args: Vec<Atom<R>>, value: Atom<R>) {
        self.add(Key::Scalar(op, args), value);
    }
    /// Notes a read.
    pub(crate) fn add_read(&mut self, vector: R, index: Atom<R>, value: Atom<R>) {
        self.add(Key::Read(vector, index), value);
    }
    fn add(&mut self, key: Key<R>, value: Atom<R>) {
        let before = self.made.insert(key.clone(), value);
        self.order.push((key, before));
    }
}
