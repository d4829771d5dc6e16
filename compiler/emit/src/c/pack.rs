//! Loops that keep some elements (`rts/pack.h`).
//!
//! * Where the machine can compress vectors and all values have 8 bytes, or all have 4, a vector at
//!   a time.  If the tile has counted what it keeps, whole vectors are stored behind the cursor as
//!   long as they end before the output of the next tile.  What is left then, all that a tile keeps
//!   if it keeps few, and what nobody has counted is gathered in a block in the first-level cache,
//!   which then moves behind the cursor: that waits for the last stores to it.
//! * Elsewhere block by block: a loop that vectorises computes flags and values, then the values
//!   that are kept move together.
//! * Where more happens for an element that is kept, one by one.

use super::kernel::chain_links;
use super::loops::{COUNTER, Head, SIMD};
use super::stmt::Body;
use crate::shared::{Expr, Level};
use kernel::Body::Tiles;
use kernel::{Arg, Block, Operand, Stmt};
use prim::Monoid;
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
    /// Where the tile's output ends, if it is known.
    end: Option<String>,
}

/// Lanes that are packed at once: a whole vector.
struct Lanes {
    /// Bytes of what each keeps.
    size: usize,
    /// How many there are.
    count: &'static str,
    /// The types of the flag of one, and of the mask of all.
    flag: &'static str,
    mask: &'static str,
    /// Of the functions for them.
    suffix: &'static str,
}

const LANES: [Lanes; 2] = [
    Lanes { size: 8, count: "NESL_SPILL", flag: "int64_t", mask: "uint8_t", suffix: "" },
    Lanes { size: 4, count: "NESL_SPILL_32", flag: "int32_t", mask: "uint16_t", suffix: "_32" },
];

impl Body<'_, '_, Arg> {
    /// Prints a `Pack`.
    pub(super) fn pack(&mut self, stmt: &Stmt) {
        let Stmt::Pack { index, from, to, body, keep, cursor, start: begin, kept, stores, end } =
            stmt
        else {
            unreachable!("a pack")
        };
        let (start, int) = (self.text(*begin), self.shared.int());
        self.out.line(format!("{int} {cursor} = {start};"));
        let range = [*from, *to].map(|end| self.text(end));
        let (index, keep, cursor) = (*index, *keep, *cursor);
        let total = self.kept_count(*begin);
        let stop = total.map(|t| format!("{start} + {}", self.atom(t).at(Level::Product)));
        let pack = Pack { index, range, body, keep, cursor, kept, stores, end: stop };
        // What moves at once must not depend on the cursor: that of one lane is not known there.
        let at_cursor = stores.iter().any(|(_, value)| *value == Atom::Var(cursor));
        if !kept.is_empty() || at_cursor {
            self.pack_each(&pack, &pack.range[0]);
        } else if let Some(lanes) = self.compresses(&pack) {
            self.out.line("#ifdef NESL_COMPRESS");
            let rest = self.pack_vectors(&pack, lanes);
            self.pack_each(&pack, &rest);
            self.out.line("#else");
            self.pack_blocks(&pack);
            self.out.line("#endif");
        } else {
            self.pack_blocks(&pack);
        }
        self.define(*end, Expr::primary(cursor.to_string()));
    }

    /// The lanes of this loop whose vectors can be compressed.
    fn compresses(&self, pack: &Pack<'_>) -> Option<&'static Lanes> {
        let mut sizes = pack.stores.iter().map(|(buffer, _)| self.element_size(*buffer));
        let size = sizes.next()?;
        let lanes = LANES.iter().find(|lanes| lanes.size == size)?;
        let alike = sizes.all(|other| other == size);
        (alike && self.vectorises(pack.body) && !self.fails(pack.body)).then_some(lanes)
    }

    /// How many elements the tile keeps, if it has counted them to know where its output begins.
    fn kept_count(&self, start: Operand) -> Option<Operand> {
        let Tiles { body, .. } = &self.kernel?.body else { return None };
        let links = chain_links(body).iter();
        let mut totals = links
            .filter(|(prefix, _, monoid)| start == Atom::Var(*prefix) && *monoid == Monoid::Add);
        totals.next().map(|&(_, total, _)| total)
    }

    /// Packs a vector at a time; gives where the rest begins.
    fn pack_vectors(&mut self, pack: &Pack<'_>, lanes: &Lanes) -> String {
        let n = self.fresh("");
        let ([from, to], cursor, count) = (&pack.range, pack.cursor, lanes.count);
        let (at, held, stop) = (format!("at{n}"), format!("held{n}"), format!("stop{n}"));
        self.out.line(format!("{COUNTER} {at} = {from};"));
        let mut more = String::new();
        if let Some(end) = &pack.end {
            self.out.line(format!("const {COUNTER} {stop} = {end};"));
            self.out.open(format!("if (!nesl_keeps_few({stop} - {cursor}, {to} - {from}))"));
            let room = format!("{stop} - {cursor} >= {count}");
            self.out.open(format!("for (; {at} + {count} <= {to} && {room}; {at} += {count})"));
            self.pack_lanes(pack, lanes, [&n, &at], |_, buffer| format!("{buffer} + {cursor}"));
            self.out.line(format!("{cursor} += kept{n};"));
            self.out.close("");
            self.out.close("");
            more = format!(" && {cursor} < {stop}");
        }
        self.out.open(format!("while ({at} + NESL_BLOCK <= {to}{more})"));
        self.arrays(pack, &format!("block{n}"), &format!("NESL_BLOCK + {count}"));
        self.out.line(format!("{COUNTER} {held} = 0;"));
        let head = format!("for (const {COUNTER} end{n} = {at} + NESL_BLOCK; {at} < end{n};");
        self.out.open(format!("{head} {at} += {count})"));
        self.pack_lanes(pack, lanes, [&n, &at], |i, _| format!("block{n}_{i} + {held}"));
        self.out.line(format!("{held} += kept{n};"));
        self.out.close("");
        for (i, (buffer, _)) in pack.stores.iter().enumerate() {
            let (to, size) = (format!("{buffer} + {cursor}"), lanes.size);
            self.out.line(format!("memcpy({to}, block{n}_{i}, (size_t){held} * {size});"));
        }
        self.out.line(format!("{cursor} += {held};"));
        self.out.close("");
        if pack.end.is_some() {
            self.out.line(format!("if ({cursor} == {stop}) {at} = {to};"));
        }
        at
    }

    /// Packs the lanes from a position on, and counts what they keep.
    fn pack_lanes(
        &mut self,
        pack: &Pack<'_>,
        lanes: &Lanes,
        [n, at]: [&str; 2],
        place: impl Fn(usize, Arg) -> String,
    ) {
        let Lanes { count, flag, mask, suffix, .. } = lanes;
        let lane = format!("lane{n}");
        self.out.line(format!("{flag} keep{n}[{count}];"));
        self.arrays(pack, &format!("value{n}"), count);
        // One step, for the reason that `OCTET` has.
        let pragma = format!("#pragma omp simd simdlen({count})");
        let head = format!("for ({COUNTER} {lane} = 0; {lane} < {count}; {lane}++)");
        let index = format!("const {COUNTER} {} = {at} + {lane};", pack.index);
        let head = Head { pragma: &pragma, line: &head, first: &[&index] };
        self.counting(pack.index, |b| {
            b.vectorised(&[], pack.body, &head, |b| b.lane_values(pack, n, &lane));
        });
        self.out.line(format!("const {mask} mask{n} = nesl_flags{suffix}(keep{n});"));
        for (i, (buffer, _)) in pack.stores.iter().enumerate() {
            let place = place(i, *buffer);
            self.out.line(format!("nesl_spill{suffix}({place}, value{n}_{i}, mask{n});"));
        }
        self.out.line(format!("const {COUNTER} kept{n} = __builtin_popcount(mask{n});"));
    }

    /// Prints what one of some lanes, or of a block, comes to.
    fn lane_values(&mut self, pack: &Pack<'_>, n: &str, lane: &str) {
        let keep = self.text(pack.keep);
        self.out.line(format!("keep{n}[{lane}] = {keep};"));
        for (i, (_, value)) in pack.stores.iter().enumerate() {
            let value = self.text(*value);
            self.out.line(format!("value{n}_{i}[{lane}] = {value};"));
        }
    }

    /// Declares memory of the first-level cache for each buffer.
    fn arrays(&mut self, pack: &Pack<'_>, name: &str, size: &str) {
        for (i, (buffer, _)) in pack.stores.iter().enumerate() {
            let ty = self.shared.element(self.element_ty(*buffer));
            self.out.line(format!("{ty} {name}_{i}[{size}];"));
        }
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
        self.arrays(pack, &format!("value{n}"), "NESL_BLOCK");
        let vectorises = self.vectorises(pack.body);
        let counter = if vectorises { COUNTER } else { int };
        let head = format!("for ({counter} {at} = 0; {at} < {count}; {at}++)");
        let index = format!("const {counter} {} = {base} + {at};", pack.index);
        if vectorises {
            let head = Head { pragma: SIMD, line: &head, first: &[&index] };
            self.counting(pack.index, |b| {
                b.vectorised(&[], pack.body, &head, |b| b.lane_values(pack, &n, &at));
            });
        } else {
            self.out.open(head);
            self.out.line(index);
            self.block(pack.body);
            self.lane_values(pack, &n, &at);
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
