//! Parts of one vector that are joined where they lie.
//!
//! A join copies its parts into one vector and says where each begins.  Parts on one stack are in
//! one vector already, though with gaps: it begins with the first part, and the others begin so
//! many elements behind it.  Some may also lie elsewhere (`home.rs`).

use super::Steps;
use plan::join::Join;
use plan::{Block, Buffer, Step};
use prim::Width;
use std::collections::BTreeSet;

impl Steps<'_, '_> {
    /// If step `n` says where the parts of a join begin, prints the join; gives the step behind it.
    pub(super) fn joined(&mut self, block: &Block, n: usize) -> Option<usize> {
        let Step::Eval { results, .. } = &block.steps[n] else { return None };
        // Columns have gaps of different lengths, and gaps may be longer than narrow ints tell.
        let launch = n + 2;
        let (Step::Alloc { .. }, Step::Launch { cluster, args, .. }) =
            (block.steps.get(n + 1)?, block.steps.get(launch)?)
        else {
            return None;
        };
        let join = Join::of(&self.plan.clusters[*cluster], args)?;
        let parts: Vec<Buffer> = join.parts.iter().flatten().copied().collect();
        let (&[whole], true) = (join.whole.as_slice(), self.shared.widths().int == Width::W64)
        else {
            return None;
        };
        let here = |part: &Buffer| {
            self.at_home(*part)
                || self.lies_over(*part)
                || self.pieces.iter().any(|piece| piece.0 == *part)
        };
        let apart = parts.iter().collect::<BTreeSet<_>>().len() == parts.len();
        if parts.len() != results.len() + 1 || !apart || !parts.iter().all(here) {
            return None;
        }
        let ty = self.ty(whole);
        self.out.line(format!("{ty} *{whole} = {};", parts[0]));
        for (slot, part) in results.iter().zip(&parts[1..]) {
            let int = self.shared.local(self.function.slots[*slot]);
            self.out.line(format!("const {int} {slot} = {part} - {};", parts[0]));
        }
        // They have two names now, and must not move.
        self.pieces.clear();
        self.forget_rooms();
        Some(launch + 1)
    }
}
