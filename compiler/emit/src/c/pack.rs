//! Loops that keep some elements (`rts/pack.h`).
//!
//! * Where the machine can compress vectors and the values are words, a vector at a time: what it
//!   keeps is gathered in a block in the first-level cache, and the block moves behind the cursor.
//! * Elsewhere block by block: a loop that vectorises computes flags and values, then the values
//!   that are kept move together.
//! * Where more happens for an element that is kept, one by one.

use super::loops::{COUNTER, Head, OCTET, SIMD};
use super::stmt::Body;
use crate::shared::Expr;
use kernel::{Arg, Block, Operand, Stmt};
use scalar::{Atom, Var};

/// The parts of a `Pack`.
struct Pack<'k> {
    index: Var,
    range: [String; 2],
    body: &'k Block,
    keep: Operand,
    cursor: Var,
    kept: &'k Block,
    stores: &'k [(Arg, Operand)],
}

impl Body<'_, '_, Arg> {
    /// Prints a `Pack`.
    pub(super) fn pack(&mut self, stmt: &Stmt) {
        let Stmt::Pack { index, from, to, body, keep, cursor, start, kept, stores, end } = stmt
        else {
            unreachable!("a pack")
        };
        let (start, int) = (self.text(*start), self.shared.int());
        self.out.line(format!("{int} {cursor} = {start};"));
        let range = [*from, *to].map(|end| self.text(end));
        let (index, keep, cursor) = (*index, *keep, *cursor);
        let pack = Pack { index, range, body, keep, cursor, kept, stores };
        // What moves at once must not depend on the cursor: that of one lane is not known there.
        let at_cursor = stores.iter().any(|(_, value)| *value == Atom::Var(cursor));
        if !kept.is_empty() || at_cursor {
            self.pack_each(&pack, &pack.range[0]);
        } else if self.compresses(&pack) {
            self.out.line("#ifdef NESL_COMPRESS");
            let rest = self.pack_vectors(&pack);
            self.pack_each(&pack, &rest);
            self.out.line("#else");
            self.pack_blocks(&pack);
            self.out.line("#endif");
        } else {
            self.pack_blocks(&pack);
        }
        self.define(*end, Expr::primary(cursor.to_string()));
    }

    /// Whether vectors of this loop can be compressed.
    fn compresses(&self, pack: &Pack<'_>) -> bool {
        let words = pack.stores.iter().all(|(buffer, _)| self.element_size(*buffer) == 8);
        words && !pack.stores.is_empty() && self.vectorises(pack.body) && !self.fails(pack.body)
    }

    /// Packs whole blocks a vector at a time; gives where the rest begins.
    fn pack_vectors(&mut self, pack: &Pack<'_>) -> String {
        let (n, int) = (self.fresh(""), self.shared.int());
        let [from, to] = &pack.range;
        let (base, at, lane) = (format!("base{n}"), format!("at{n}"), format!("lane{n}"));
        self.out.line(format!("{int} {base} = {from};"));
        self.out.open(format!("for (; {base} + NESL_BLOCK <= {to}; {base} += NESL_BLOCK)"));
        for (i, (buffer, _)) in pack.stores.iter().enumerate() {
            let ty = self.shared.element(self.element_ty(*buffer));
            self.out.line(format!("{ty} block{n}_{i}[NESL_BLOCK + NESL_SPILL];"));
        }
        self.out.line(format!("{int} count{n} = 0;"));
        let step = format!("{at} < {base} + NESL_BLOCK; {at} += NESL_SPILL");
        self.out.open(format!("for ({int} {at} = {base}; {step})"));
        self.out.line(format!("int64_t keep{n}[NESL_SPILL];"));
        for (i, (buffer, _)) in pack.stores.iter().enumerate() {
            let ty = self.shared.element(self.element_ty(*buffer));
            self.out.line(format!("{ty} value{n}_{i}[NESL_SPILL];"));
        }
        let head = format!("for ({COUNTER} {lane} = 0; {lane} < NESL_SPILL; {lane}++)");
        let index = format!("const {COUNTER} {} = {at} + {lane};", pack.index);
        let head = Head { pragma: OCTET, line: &head, first: &[&index] };
        let values = |b: &mut Self| {
            let keep = b.text(pack.keep);
            b.out.line(format!("keep{n}[{lane}] = {keep};"));
            for (i, (_, value)) in pack.stores.iter().enumerate() {
                let value = b.text(*value);
                b.out.line(format!("value{n}_{i}[{lane}] = {value};"));
            }
        };
        self.counting(pack.index, |b| b.vectorised(&[], pack.body, &head, values));
        self.out.line(format!("const uint8_t mask{n} = nesl_flags(keep{n});"));
        for i in 0..pack.stores.len() {
            let to = format!("block{n}_{i} + count{n}");
            self.out.line(format!("nesl_spill({to}, value{n}_{i}, mask{n});"));
        }
        self.out.line(format!("count{n} += __builtin_popcount(mask{n});"));
        self.out.close("");
        for (i, (buffer, _)) in pack.stores.iter().enumerate() {
            let to = format!("{buffer} + {}", pack.cursor);
            self.out.line(format!("memcpy({to}, block{n}_{i}, (size_t)count{n} * 8);"));
        }
        self.out.line(format!("{} += count{n};", pack.cursor));
        self.out.close("");
        base
    }

    /// Packs block by block: a loop that vectorises computes flags and values of a block, then the
    /// values that are kept move together.
    fn pack_blocks(&mut self, pack: &Pack<'_>) {
        let (n, int) = (self.fresh(""), self.shared.int());
        let [from, to] = &pack.range;
        let stop = self.stop().map(|flag| format!(" && !{flag}")).unwrap_or_default();
        let (base, count, at) = (format!("base{n}"), format!("count{n}"), format!("at{n}"));
        let step = format!("{base} += NESL_BLOCK");
        self.out.open(format!("for ({int} {base} = {from}; {base} < {to}{stop}; {step})"));
        self.out.line(format!("const {int} {count} = nesl_min({to} - {base}, NESL_BLOCK);"));
        self.out.line(format!("uint8_t keep{n}[NESL_BLOCK];"));
        for (i, (buffer, _)) in pack.stores.iter().enumerate() {
            let ty = self.shared.element(self.element_ty(*buffer));
            self.out.line(format!("{ty} value{n}_{i}[NESL_BLOCK];"));
        }
        let vectorises = self.vectorises(pack.body);
        let counter = if vectorises { COUNTER } else { int };
        let head = format!("for ({counter} {at} = 0; {at} < {count}; {at}++)");
        let index = format!("const {counter} {} = {base} + {at};", pack.index);
        let values = |b: &mut Self| {
            let keep = b.text(pack.keep);
            b.out.line(format!("keep{n}[{at}] = {keep};"));
            for (i, (_, value)) in pack.stores.iter().enumerate() {
                let value = b.text(*value);
                b.out.line(format!("value{n}_{i}[{at}] = {value};"));
            }
        };
        if vectorises {
            let head = Head { pragma: SIMD, line: &head, first: &[&index] };
            self.counting(pack.index, |b| b.vectorised(&[], pack.body, &head, values));
        } else {
            self.out.open(head);
            self.out.line(index);
            self.block(pack.body);
            values(self);
            self.out.close("");
        }
        for (i, (buffer, _)) in pack.stores.iter().enumerate() {
            let width = self.element_size(*buffer) * 8;
            let to = format!("{buffer} + {}", pack.cursor);
            let call = format!("nesl_pack{width}({to}, value{n}_{i}, keep{n}, {count})");
            self.out.line(format!("{call};"));
            self.touch(&format!("nesl_kept(keep{n}, {count})"));
        }
        self.out.line(format!("{} += nesl_kept(keep{n}, {count});", pack.cursor));
        self.out.close("");
    }
    /// Packs one by one.
    fn pack_each(&mut self, pack: &Pack<'_>, from: &str) {
        let to = &pack.range[1];
        let stop = self.stop().map(|flag| format!(" && !{flag}")).unwrap_or_default();
        let (i, int) = (pack.index, self.shared.int());
        self.out.open(format!("for ({int} {i} = {from}; {i} < {to}{stop}; {i}++)"));
        self.block(pack.body);
        let keep = self.text(pack.keep);
        self.out.open(format!("if ({keep})"));
        self.block(pack.kept);
        for (buffer, value) in pack.stores {
            self.touch("1");
            let value = self.text(*value);
            self.out.line(format!("{buffer}[{}] = {value};", pack.cursor));
        }
        self.out.line(format!("{}++;", pack.cursor));
        self.out.close("");
        self.out.close("");
    }
}
