//! Rooms that need no memory of their own ([`plan::home`]): one where the result belongs, and one
//! over what it is made from.
//!
//! ```text
//! sequence   | 5 1 7 3 9 8 2 4 |          made for this lane alone
//! result     | 1 3 2 |                    less, where the first call's result goes
//! sequence   | 7 9 8 | . . . . . |        greater; the rest is for what the first call makes
//! ```

use super::Steps;
use base::Span;
use plan::home::{Home, Over};
use plan::{Arg, Buffer, Lanes};

impl Steps<'_, '_> {
    /// Whether a buffer is the room that lies where the result belongs.
    pub(super) fn at_home(&self, buffer: Buffer) -> bool {
        self.home.is_some_and(|home| home.room.contains(&buffer))
    }
    pub(super) fn room_at_home(&mut self, buffer: Buffer) {
        let Some(Home { out, at, .. }) = self.home else { return };
        self.out.line(format!("{} *{buffer} = {out} + {at};", self.ty(buffer)));
    }

    fn over(&self) -> Option<Over> {
        self.home.and_then(|home| home.over)
    }
    /// Whether a buffer is the room that may lie over what it is made from.
    pub(super) fn lies_over(&self, buffer: Buffer) -> bool {
        self.over().is_some_and(|over| over.room.contains(&buffer))
    }
    /// Declares that room.  It may also be what the caller has left, and is taken from the stack if
    /// it is neither; then nothing of it is given back, as all of it is used in the end.
    pub(super) fn room_over(&mut self, buffer: Buffer, len: Arg, span: Span) {
        let Some(Over { pool, start, .. }) = self.over() else { return };
        let (ty, len) = (self.ty(buffer), self.arg(len));
        self.out.line(format!("{ty} *{buffer} = state->spare;"));
        self.out.line("state->spare = NULL;");
        self.out.line(format!(
            "if (nesl_is_lent(state, {pool} + {start})) {buffer} = {pool} + {start};"
        ));
        let room = format!("nesl_room(state, {len}, sizeof({ty}), NESL_ALIGNED)");
        self.out.line(format!("if (!{buffer}) {buffer} = {room};"));
        self.require_room(&buffer.to_string(), &format!("{len} * (int64_t)sizeof({ty})"), span);
    }
    /// Before calls of these lanes: leaves the first what is left of that room, if it is enough.
    pub(super) fn leave_spare(&mut self, lanes: Lanes) -> bool {
        let Some(Over { room: [_, part], len, held, .. }) = self.over() else { return false };
        if lanes.root != self.func {
            return false;
        }
        let [first, second] = held.map(|arg| self.arg(arg));
        let enough = format!("{first} <= {len} - {second}");
        self.out.line(format!("state->spare = {enough} ? {part} + {second} : NULL;"));
        true
    }
}
