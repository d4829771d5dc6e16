//! Rooms of a routine: when it is known what they hold, they move together.
//!
//! A partition has a room as long as its input for each of its results, which together hold about
//! one input.  On a stack, what is not used between them would stay taken during all calls that
//! follow:
//!
//! ```text
//! | less ......... | more ......... | equal ......... |  calls
//! | less | more | equal |  calls
//! ```
//!
//! What a room holds moves only if much is gained; the end behind the last is always given back.

use super::Steps;
use super::memory::used_after;
use plan::{Arg, Block, Buffer, Step};
use std::collections::BTreeSet;

/// Rooms that were taken one after the other.
#[derive(Default)]
pub(super) struct Rooms {
    /// Those that are not closed yet, in the order of their places.
    open: Vec<Buffer>,
    /// Whether a launch has filled them.
    filled: bool,
    /// The pointer to the end of what the last one closed holds.
    end: Option<String>,
}

impl Steps<'_, '_> {
    /// Follows the rooms that a step takes or fills, until something else may lie behind them.
    pub(super) fn note_rooms(&mut self, step: &Step) {
        match step {
            Step::Room { buffer, .. }
                if !self.placed.contains(buffer)
                    && !self.arrays.contains_key(buffer)
                    && !self.at_home(*buffer)
                    && !self.lies_over(*buffer) =>
            {
                if self.rooms.filled {
                    self.rooms = Rooms::default();
                }
                self.rooms.open.push(*buffer);
            }
            Step::Launch { args, .. } if !self.rooms.filled => {
                let args: BTreeSet<Buffer> = args.iter().filter_map(|a| a.buffer()).collect();
                let all = self.rooms.open.iter().all(|room| args.contains(room));
                self.rooms.filled = all && !self.rooms.open.is_empty();
                if !all {
                    self.rooms = Rooms::default();
                }
            }
            // A copy that is only a name takes nothing; any other has been noted.
            Step::Free(_) | Step::Eval { .. } | Step::Copy { .. } => {}
            _ => self.forget_rooms(),
        }
    }

    /// Something else may lie behind the rooms.
    pub(super) fn forget_rooms(&mut self) {
        self.rooms = Rooms::default();
    }

    /// Gives what a room holds another name, after moving it to the end of the room before it;
    /// tells whether it was the turn of this room.
    pub(super) fn close_room(&mut self, block: &Block, n: usize) -> bool {
        let Step::Copy { buffer, from, len, .. } = block.steps[n] else { return false };
        if !(self.rooms.filled && self.rooms.open.first() == Some(&from)) {
            return false;
        }
        // Nothing else may still know the room by its name.
        if used_after(block, n).contains(&from) {
            self.rooms = Rooms::default();
            return false;
        }
        self.rooms.open.remove(0);
        self.rename_piece(from, buffer, Some(len), true);
        let (ty, bytes) = (self.ty(buffer), self.bytes_of(len, buffer));
        let at = match self.rooms.end.take() {
            Some(end) => format!("nesl_close({end}, {from}, {bytes})"),
            None => from.to_string(),
        };
        self.out.line(format!("{ty} *{buffer} = {at};"));
        let end = self.fresh("end");
        self.out.line(format!("char *const {end} = (char *){buffer} + {bytes};"));
        if self.rooms.open.is_empty() {
            // Not noted as high: what lies between the rooms was never touched.
            self.out.line(format!("state->arena->top = {end};"));
            self.rooms = Rooms::default();
        } else {
            self.rooms.end = Some(end);
        }
        true
    }

    fn bytes_of(&self, len: Arg, buffer: Buffer) -> String {
        format!("nesl_max({}, 0) * (int64_t)sizeof({})", self.arg(len), self.ty(buffer))
    }
}
