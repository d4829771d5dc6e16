//! Levels: the loops that are open, and what is known in each.

use kernel::{Arg, Block, Carry};
use plan::{Ref, Space};
use rustc_hash::FxHashMap;
use scalar::Atom;
use std::ops::{Index, IndexMut};

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

/// All open loops, outermost first; the first stands for the root.
#[derive(Default)]
pub(crate) struct Levels {
    open: Vec<Level>,
    /// Where the levels of each space are, so that none has to be searched for.
    of: FxHashMap<Space, Vec<usize>>,
}

impl Levels {
    pub(crate) fn push(&mut self, level: Level) {
        self.of.entry(level.space).or_default().push(self.open.len());
        self.open.push(level);
    }

    pub(crate) fn pop(&mut self) -> Option<Level> {
        let level = self.open.pop()?;
        self.of.get_mut(&level.space)?.pop();
        Some(level)
    }

    /// Closes all but the first `count`; gives the others, outermost first.
    pub(crate) fn split_off(&mut self, count: usize) -> Vec<Level> {
        let mut below: Vec<Level> = Vec::new();
        while self.open.len() > count {
            below.extend(self.pop());
        }
        below.reverse();
        below
    }

    /// The innermost level of a space.
    pub(crate) fn of(&self, space: Space) -> Option<usize> {
        self.of.get(&space)?.last().copied()
    }

    pub(crate) fn len(&self) -> usize {
        self.open.len()
    }

    pub(crate) fn last_mut(&mut self) -> Option<&mut Level> {
        self.open.last_mut()
    }
}

impl Extend<Level> for Levels {
    fn extend<T: IntoIterator<Item = Level>>(&mut self, levels: T) {
        levels.into_iter().for_each(|level| self.push(level));
    }
}

impl Index<usize> for Levels {
    type Output = Level;
    fn index(&self, level: usize) -> &Level {
        &self.open[level]
    }
}

impl IndexMut<usize> for Levels {
    fn index_mut(&mut self, level: usize) -> &mut Level {
        &mut self.open[level]
    }
}
