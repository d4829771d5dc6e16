//! Whether a loop gathers: reads a vector at a position that it has itself read from memory.

use kernel::{Arg, Block, Stmt};
use scalar::{Atom, Op, Var};
use std::collections::BTreeSet;

/// Whether some read of the block has an index that was loaded at a place that depends on `index`.
pub(crate) fn gathers(block: &Block, index: Var) -> bool {
    let mut search =
        Search { moving: BTreeSet::from([index]), loaded: BTreeSet::new(), found: false };
    for stmt in block {
        if let Stmt::Scalar(stmt) = stmt {
            search.stmt(stmt);
        }
    }
    search.found
}

struct Search {
    /// Variables that change from iteration to iteration.
    moving: BTreeSet<Var>,
    /// Those of them that come from memory.
    loaded: BTreeSet<Var>,
    found: bool,
}

impl Search {
    fn is(set: &BTreeSet<Var>, atom: &Atom<Arg>) -> bool {
        matches!(atom, Atom::Var(v) if set.contains(v))
    }
    fn stmt(&mut self, stmt: &scalar::Stmt<Arg>) {
        if let scalar::Stmt::Let(result, Op::Read(_, at)) = stmt {
            self.found |= Self::is(&self.loaded, at);
            if Self::is(&self.moving, at) {
                self.moving.insert(*result);
                self.loaded.insert(*result);
            }
            return;
        }
        let atoms = stmt.atoms();
        for result in stmt.results() {
            if atoms.iter().any(|a| Self::is(&self.moving, a)) {
                self.moving.insert(*result);
            }
            if atoms.iter().any(|a| Self::is(&self.loaded, a)) {
                self.loaded.insert(*result);
            }
        }
        for block in stmt.blocks() {
            block.stmts.iter().for_each(|s| self.stmt(s));
        }
    }
}
