//! What a routine does not need any more, before it calls others.
//!
//! A stack frees from its top only.  During calls, which may recurse, memory below the arguments
//! that nobody uses any more would stay taken at every level; if it is much, what is still used
//! moves down over it:
//!
//! ```text
//! | less | more | equal | less, more |  calls
//! | less, more |       | equal |  calls
//! ```
//!
//! What only the call uses goes to the bottom, and room for what is used later lies between: there
//! a result can be made of both without a copy.

use super::Steps;
use super::memory::used_after;
use plan::{Arg, Block, Buffer};
use std::collections::BTreeSet;

/// A buffer on the stack, and how many elements it holds.
pub(super) type Piece = (Buffer, Arg);

impl Steps<'_, '_> {
    /// Notes that a buffer was taken from the top.
    pub(super) fn note_piece(&mut self, buffer: Buffer, len: Arg) {
        if !self.arrays.contains_key(&buffer) {
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
        let sink =
            |piece: &&Piece| format!("{0} = nesl_sink(&end, {0}, {1});", piece.0, bytes(piece));
        let later = used_after(block, n);
        let stays = |piece: &&&Piece| {
            later.contains(&piece.0) || self.later.iter().any(|used| used.contains(&piece.0))
        };
        let (staying, passing): (Vec<&Piece>, Vec<&Piece>) =
            live.iter().copied().partition(|piece| stays(&piece));
        let down: Vec<String> = live.iter().map(sink).collect();
        let below: Vec<String> = passing.iter().map(sink).collect();
        let total: Vec<String> = passing.iter().map(|piece| bytes(piece)).collect();
        let apart = match staying.as_slice() {
            [piece] if !passing.is_empty() => Some((piece.0, bytes(piece), sink(piece))),
            _ => None,
        };
        self.out.open(format!("if ({} >= NESL_MUCH)", sum.join(" + ")));
        self.out.line(format!("char *end = (char *){};", pieces[first].0));
        if let Some((kept, kept_bytes, last)) = apart {
            let (count, total) = (passing.len(), total.join(" + "));
            let fits = format!("nesl_swaps(state, end, {total}, {count}, {kept}, {kept_bytes})");
            self.out.open(format!("if ({fits})"));
            below.iter().for_each(|line| self.out.line(line));
            self.out.line(format!("end += {kept_bytes};"));
            self.out.line(last);
            self.out.between("else");
            down.iter().for_each(|line| self.out.line(line));
            self.out.close("");
        } else {
            down.iter().for_each(|line| self.out.line(line));
        }
        self.out.line("nesl_release(state, end);");
        self.out.close("");
    }
}
