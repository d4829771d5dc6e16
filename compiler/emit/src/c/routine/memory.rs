//! Memory of a routine.
//!
//! A buffer whose small length is known is an array of the C function, which compilers take apart
//! into registers.  Everything else is taken from the worker's stack (`rts/lanes.h`), from the top
//! upwards, except that what will be the result goes, if it can, where the result belongs at once:
//!
//! ```text
//! mark                                      top
//!  |  dead  |  dead  |  equal  |  results of calls  |
//!  |  the result     |         |                    |
//! ```

use super::Steps;
use base::{Site, Span};
use plan::{Arg, Block, Buffer, Function, Place, Step};
use prim::Const;
use std::collections::BTreeSet;

/// Bytes of arrays in one C function: a recursion has many of them on its stack.
pub(super) const LOCAL: usize = 512;

/// Elements of memory to be had.
pub(super) struct Room<'t> {
    /// The pointer that is declared.
    pub(super) name: &'t str,
    /// The C type of an element, and its size.
    pub(super) ty: (&'t str, usize),
    /// How many: `each` for each of `count`.
    pub(super) count: Arg,
    pub(super) each: usize,
    /// The source text that needs them.
    pub(super) span: Span,
}

impl Steps<'_, '_> {
    /// Declares memory for the elements of a buffer.
    pub(super) fn buffer_room(&mut self, buffer: Buffer, count: Arg, span: Span) {
        let ty = self.function.buffers[buffer].ty;
        let name = buffer.to_string();
        let ty = (self.shared.element(ty), self.shared.widths().size(ty));
        if let Some(bytes) = self.room_for(&Room { name: &name, ty, count, each: 1, span }) {
            self.arrays.insert(buffer, bytes);
        }
        self.note_piece(buffer, count);
    }

    /// Declares memory: an array if it is small, whose bytes are told, or a piece of the stack.
    pub(super) fn room_for(&mut self, room: &Room<'_>) -> Option<usize> {
        let Room { name, ty: (ty, size), count, each, span } = *room;
        if let Arg::Const(Const::I64(n)) = count {
            let len = usize::try_from(n.max(0)).ok().and_then(|n| n.checked_mul(each));
            let bytes = len.and_then(|len| len.max(1).checked_mul(size));
            if let (Some(len), Some(bytes)) = (len, bytes.filter(|&b| b <= self.left)) {
                self.left -= bytes;
                self.locals.push(format!("{ty} {name}[{}];", len.max(1)));
                return Some(bytes);
            }
        }
        let count = self.arg(count);
        let len = if each == 1 { count } else { format!("(int64_t){count} * {each}") };
        self.room(name, ty, &len, "NESL_ALIGNED", span);
        None
    }

    /// Declares a pointer to memory for some elements.
    pub(super) fn room(&mut self, name: &str, ty: &str, len: &str, unit: &str, span: Span) {
        self.out.line(format!("{ty} *{name} = nesl_room(state, {len}, sizeof({ty}), {unit});"));
        self.require_room(name, &format!("{len} * (int64_t)sizeof({ty})"), span);
    }

    /// Ends the routine if there is no memory.
    pub(super) fn require_room(&mut self, room: &str, bytes: &str, span: Span) {
        let site = self.shared.sites.number(Site::Memory, span);
        self.out.open(format!("if (!{room})"));
        self.out.line(format!("NESL_REQUIRE(state->fault, 0, {site}, {bytes}, 1);"));
        self.out.line("goto failed;");
        self.out.close("");
    }

    /// Declares memory for the result: where it belongs, if nothing there is still needed.  That it
    /// overlaps no buffer that is used while it is filled, as launches promise, holds because
    ///
    /// * what the callers still need was taken before this call began, and ends below the mark, or
    ///   it is not on this stack at all; parameters are among it;
    /// * what is taken later comes from the top, behind the result, which ends at or below the top;
    /// * of what this function has taken, only buffers that a later step uses matter: `live`.  Each
    ///   begins where the result ends or behind it, by the check; or below the result, like another
    ///   name of a parameter, and then it ends there, too.  For such a one the distance has no sign
    ///   and so is larger than any length.
    pub(super) fn place(&mut self, buffer: Buffer, len: Arg, live: &[Buffer], span: Span) {
        let ty = self.ty(buffer);
        let bytes = format!("nesl_bytes({}, sizeof({ty}))", self.arg(len));
        let place = self.fresh("place");
        self.out.line(format!("char *const {place} = nesl_align(mark, sizeof({ty}));"));
        let clear = |b: &Buffer| format!(" && nesl_clear({place}, {bytes}, {b})");
        let clear: String = live.iter().map(clear).collect();
        let fits = format!("{bytes} <= state->arena->top - {place}{clear}");
        self.out.line(format!("{ty} *{buffer} = ({ty} *){place};"));
        self.out.open(format!("if (!({fits}))"));
        let len = self.arg(len);
        let room = format!("nesl_room(state, {len}, sizeof({ty}), NESL_ALIGNED)");
        self.out.line(format!("{buffer} = {room};"));
        self.require_room(&buffer.to_string(), &format!("{len} * (int64_t)sizeof({ty})"), span);
        self.out.close("");
    }

    /// The buffers on the stack, made before step `n` of the block, that a later step uses.
    pub(super) fn live(&self, block: &Block, n: usize) -> Vec<Buffer> {
        let mut used = used_after(block, n);
        used.extend(self.later.iter().flatten());
        let on_stack = |b: &&Buffer| used.contains(b) && !self.arrays.contains_key(b);
        self.known.iter().filter(on_stack).copied().collect()
    }
}

/// The buffers that are used after step `n` of a block.
pub(super) fn used_after(block: &Block, n: usize) -> BTreeSet<Buffer> {
    let mut used: BTreeSet<Buffer> = block.steps[n + 1..].iter().flat_map(Step::buffers).collect();
    used.extend(block.yields.iter().filter_map(|y| y.buffer()));
    used
}

/// The buffers that are the whole result of a function whose result is one vector, each on one
/// way through the function.
pub(super) fn results(function: &Function) -> BTreeSet<Buffer> {
    let mut found = BTreeSet::new();
    if let [start, _, pool] = function.body.yields[..] {
        follow(&function.body, [start, pool], &mut found);
    }
    found
}

/// Follows the start and the pool of a vector that a block yields to where the pool is made.
fn follow(block: &Block, [start, pool]: [Arg; 2], found: &mut BTreeSet<Buffer>) {
    let Arg::Buffer(buffer) = pool else { return };
    for step in &block.steps {
        match step {
            Step::Alloc { buffer: made, .. } | Step::Room { buffer: made, .. }
                if *made == buffer && start == Arg::Const(Const::I64(0)) =>
            {
                found.insert(buffer);
            }
            Step::Alias(made, from) | Step::Copy { buffer: made, from, .. } if *made == buffer => {
                follow(block, [start, Arg::Buffer(*from)], found);
            }
            Step::If { results, then, els, .. } => {
                let Some(i) = results.iter().position(|&r| r == Place::Buffer(buffer)) else {
                    continue;
                };
                for arm in [then, els] {
                    let of = |arg: Arg| match arg {
                        Arg::Slot(slot) => {
                            let at = results.iter().position(|&r| r == Place::Slot(slot));
                            at.map_or(arg, |at| arm.yields[at])
                        }
                        Arg::Const(_) | Arg::Buffer(_) | Arg::Past(..) => arg,
                    };
                    follow(arm, [of(start), arm.yields[i]], found);
                }
            }
            _ => {}
        }
    }
}
