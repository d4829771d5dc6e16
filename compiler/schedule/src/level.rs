//! Levels: the loops that are open, and what is known in each.

use kernel::{Arg, Block, Carry};
use plan::{Ref, Space};
use rustc_hash::FxHashMap;
use scalar::Atom;

/// One open loop.
pub(crate) struct Level {
    pub(crate) space: Space,
    /// The position of the lane being run.
    pub(crate) position: Atom<Arg>,
    /// Where its segment starts, for its index in it.
    pub(crate) start: Atom<Arg>,
    /// The index, once it was needed.
    pub(crate) index: Option<Atom<Arg>>,
    /// Statements so far.
    pub(crate) block: Block,
    /// Values of this lane.
    pub(crate) bound: FxHashMap<Ref, Atom<Arg>>,
    /// Values carried to the next lane.
    pub(crate) carried: Vec<Carry>,
    /// Results of reductions, to be bound in the level above when the loop ends.
    pub(crate) reduced: Vec<(Ref, Option<Ref>, scalar::Var)>,
}

impl Level {
    pub(crate) fn new(space: Space, position: Atom<Arg>, start: Atom<Arg>) -> Level {
        Level {
            space,
            position,
            start,
            index: None,
            block: Vec::new(),
            bound: FxHashMap::default(),
            carried: Vec::new(),
            reduced: Vec::new(),
        }
    }
}
