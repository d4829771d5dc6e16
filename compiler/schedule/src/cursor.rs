//! Cursors: counts that run through all lanes in order.

use kernel::Arg;
use rustc_hash::FxHashMap;
use scalar::Atom;

/// The value of each node's cursor at the place being scheduled.
#[derive(Default)]
pub(crate) struct Cursors {
    now: FxHashMap<usize, Atom<Arg>>,
}

impl Cursors {
    pub(crate) fn set(&mut self, node: usize, value: Atom<Arg>) {
        self.now.insert(node, value);
    }
    pub(crate) fn get(&self, node: usize) -> Atom<Arg> {
        self.now.get(&node).copied().unwrap_or_else(|| unreachable!("node {node} has no cursor"))
    }
}
