//! What a routine does not need any more, before it calls others.
//!
//! A stack frees from its top only.  During calls, which may recurse, memory below the arguments
//! that nobody uses any more would stay taken at every level; if it is much, what is still used
//! moves down over it:
//!
//! ```text
//! | less | more | equal | less, more |  calls
//! | equal | less, more |  calls
//! ```

use super::Steps;
use super::memory::used_after;
use plan::{Arg, Block, Buffer};
use std::collections::BTreeSet;

/// A buffer on the stack, and how many elements it holds.
pub(super) type Piece = (Buffer, Arg);

impl Steps<'_, '_> {
    /// Notes that a buffer was taken from the top.
    pub(super) fn note_piece(&mut self, buffer: Buffer, len: Arg) {
        if !self.arrays.contains(&buffer) {
            self.pieces.push((buffer, len));
        }
    }

    /// Notes that a buffer goes on under another name, of which so many elements matter if that is
    /// known; the old name is not used any more, or else nothing can move.
    pub(super) fn rename_piece(&mut self, from: Buffer, to: Buffer, len: Option<Arg>, dies: bool) {
        let Some(piece) = self.pieces.iter_mut().find(|piece| piece.0 == from) else { return };
        if dies {
            *piece = (to, len.unwrap_or(piece.1));
        } else {
            self.pieces.clear();
        }
    }

    /// Before step `n` of a block, a call: moves what is used in it or later over what is not.
    pub(super) fn compact(&mut self, block: &Block, n: usize) {
        let mut used: BTreeSet<Buffer> = block.steps[n].buffers();
        used.extend(used_after(block, n));
        used.extend(self.later.iter().flatten());
        let Some(first) = self.pieces.iter().position(|piece| !used.contains(&piece.0)) else {
            return;
        };
        let pieces = std::mem::take(&mut self.pieces);
        let (dead, live): (Vec<&Piece>, Vec<&Piece>) =
            pieces[first..].iter().partition(|piece| !used.contains(&piece.0));
        let bytes = |(buffer, len): &Piece| {
            format!("nesl_bytes({}, sizeof({}))", self.arg(*len), self.ty(*buffer))
        };
        let sum: Vec<String> = dead.iter().map(|piece| bytes(piece)).collect();
        let moves: Vec<String> = live
            .iter()
            .map(|piece| {
                let (buffer, bytes) = (piece.0, bytes(piece));
                format!("{buffer} = nesl_sink(&end, {buffer}, {bytes});")
            })
            .collect();
        self.out.open(format!("if ({} >= NESL_MUCH)", sum.join(" + ")));
        self.out.line(format!("char *end = (char *){};", pieces[first].0));
        for line in moves {
            self.out.line(line);
        }
        self.out.line("nesl_release(state, end);");
        self.out.close("");
    }
}
