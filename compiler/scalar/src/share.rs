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

/// The operations made, by open block.
pub(crate) struct Known<R> {
    levels: Vec<FxHashMap<Key<R>, Atom<R>>>,
}

impl<R: Name> Known<R> {
    pub(crate) fn new() -> Self {
        Known { levels: vec![FxHashMap::default()] }
    }
    /// A nested block begins.
    pub(crate) fn begin(&mut self) {
        self.levels.push(FxHashMap::default());
    }
    /// The nested block begun last ends; what it computed is no longer known.
    pub(crate) fn end(&mut self) {
        self.levels.pop();
    }
    /// The result of an equal operation.
    pub(crate) fn scalar(&self, op: ScalarOp, args: &[Atom<R>]) -> Option<Atom<R>> {
        self.get(&Key::Scalar(op, args.to_vec()))
    }
    /// The result of an equal read.
    pub(crate) fn read(&self, vector: R, index: Atom<R>) -> Option<Atom<R>> {
        self.get(&Key::Read(vector, index))
    }
    /// Notes an operation.
    pub(crate) fn add_scalar(&mut self, op: ScalarOp, args: Vec<Atom<R>>, value: Atom<R>) {
        self.add(Key::Scalar(op, args), value);
    }
    /// Notes a read.
    pub(crate) fn add_read(&mut self, vector: R, index: Atom<R>, value: Atom<R>) {
        self.add(Key::Read(vector, index), value);
    }
    fn get(&self, key: &Key<R>) -> Option<Atom<R>> {
        self.levels.iter().rev().find_map(|level| level.get(key)).copied()
    }
    fn add(&mut self, key: Key<R>, value: Atom<R>) {
        if let Some(level) = self.levels.last_mut() {
            level.insert(key, value);
        }
    }
}
