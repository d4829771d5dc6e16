//! Loops over a tile whose results go past the caches when there are many of them (`rts/past.h`).
//!
//! ```c
//! const bool past0 = nesl_past(a1, 8);
//! int64_t piece0_a2[NESL_PIECE];
//! for (int64_t base0 = x1, stop0; base0 < x2; base0 = stop0) {
//!   stop0 = nesl_piece(past0, base0, x2);
//!   int64_t *to0_a2 = past0 ? piece0_a2 : a2 + base0;
//!   for (int64_t x3 = base0; x3 < stop0; x3++) {
//!     to0_a2[x3 - base0] = ...;
//!   }
//!   if (past0) nesl_stream(a2 + base0, piece0_a2, (stop0 - base0) * 8);
//! }
//! if (past0) nesl_streamed();
//! ```
//!
//! What is stored eight lanes at a time needs no piece where the result begins at a whole line
//! (`straight0`): each octet is one.
//!
//! A small result is one piece, computed in place, but where it may be the memory of an input: then
//! what is read for a piece is read before any of it is stored, in whatever order a loop does both.

use super::loops::Range;
use super::stmt::Body;
use crate::shared::pieces::Pieces;
use kernel::Body::Tiles;
use kernel::{Arg, ArgKind, Block, Kernel, Operand, Stmt};
use scalar::{Atom, Var};

/// Results beyond which the processor could not keep the lines apart that are being filled.
const MOST: usize = 4;

impl Body<'_, '_, Arg> {
    /// Prints a loop over `index` with `print`, which is given the range: in pieces, if it is one
    /// over the tile whose iterations each write their own element of something.  `octets`: all
    /// that it writes is stored eight lanes at a time.
    pub(super) fn in_pieces(
        &mut self,
        (range, octets): (Range, bool),
        body: &Block,
        print: impl FnOnce(&mut Self, [String; 2]),
    ) {
        let (index, ends) = (range.index, [range.from, range.to]);
        let Some((extent, buffers)) = self.own_results(index, ends, body) else {
            let ends = ends.map(|end| self.text(end));
            return print(self, ends);
        };
        let [from, to] = ends.map(|end| self.text(end));
        let (n, int) = (self.fresh(""), self.shared.int());
        let sizes: Vec<usize> = buffers.iter().map(|&b| self.element_size(b)).collect();
        let bytes: usize = sizes.iter().sum();
        let same = self.same(&buffers);
        let past = format!("past{n}");
        let large = format!("nesl_past({extent}, {bytes})");
        if let Some(same) = &same {
            self.out.line(format!("const bool same{n} = {same};"));
            self.out.line(format!("const bool {past} = !same{n} && {large};"));
        } else {
            self.out.line(format!("const bool {past} = {large};"));
        }
        let (mut moved, mut apart) = (past.clone(), past.clone());
        if octets {
            let begins = buffers.iter().map(|to| format!(" && nesl_on_line({to} + {from})"));
            let begins: String = begins.collect();
            self.out.line(format!("const bool straight{n} = {past}{begins};"));
            moved = format!("moved{n}");
            apart.clone_from(&moved);
            self.out.line(format!("const bool {moved} = {past} && !straight{n};"));
        }
        if same.is_some() {
            apart = format!("apart{n}");
            self.out.line(format!("const bool {apart} = {moved} || same{n};"));
        }
        for &buffer in &buffers {
            let ty = self.shared.element(self.element_ty(buffer));
            self.out.line(format!("{ty} piece{n}_{buffer}[NESL_PIECE];"));
        }
        let (base, stop) = (format!("base{n}"), format!("stop{n}"));
        let head = format!("{int} {base} = {from}, {stop}; {base} < {to}; {base} = {stop}");
        self.out.open(format!("for ({head})"));
        self.out.line(format!("{stop} = nesl_piece({apart}, {base}, {to});"));
        for &buffer in &buffers {
            let ty = self.shared.element(self.element_ty(buffer));
            let place = format!("{apart} ? piece{n}_{buffer} : {buffer} + {base}");
            self.out.line(format!("{ty} *to{n}_{buffer} = {place};"));
        }
        let number = n.clone();
        self.pieces = Some(Pieces { index, buffers: buffers.clone(), number, straight: octets });
        print(self, [base.clone(), stop.clone()]);
        self.pieces = None;
        for (buffer, size) in buffers.iter().zip(sizes) {
            let bytes = format!("({stop} - {base}) * {size}");
            let list = format!("({buffer} + {base}, piece{n}_{buffer}, {bytes})");
            self.out.line(format!("if ({moved}) nesl_stream{list};"));
            if same.is_some() {
                self.out.line(format!("if (same{n}) memcpy{list};"));
            }
        }
        self.out.close("");
        self.out.line(format!("if ({past}) nesl_streamed();"));
    }

    /// Whether any of these outputs is the memory of the input that it may be.
    fn same(&self, buffers: &[Arg]) -> Option<String> {
        let over = self.kernel.into_iter().flat_map(Kernel::overwritten);
        let equal: Vec<String> = over
            .filter(|(out, _)| buffers.contains(out))
            .map(|(out, over)| format!("{out} == {}", over.input))
            .collect();
        (!equal.is_empty()).then(|| equal.join(" || "))
    }

    /// Whether results of the loop being printed may be the memory of an input.
    pub(super) fn overwrites(&self, body: &Block) -> bool {
        let apart = |buffer| self.pieces.as_ref().is_some_and(|p| p.buffers.contains(&buffer));
        let mut found = false;
        super::kernel::stores(body, &mut |buffer, _| {
            let over = matches!(self.kernel.map(|k| k.args[buffer].kind), Some(ArgKind::Over(_)));
            found |= over && !apart(buffer);
        });
        found
    }

    /// The extent of all tiles, and the outputs of which each iteration writes its own element; of
    /// loops of straight code over the whole of an even tile.
    fn own_results(
        &self,
        index: Var,
        range: [Operand; 2],
        body: &Block,
    ) -> Option<(String, Vec<Arg>)> {
        let kernel = self.kernel?;
        let Tiles { tiles: kernel::Tiles::Even { extent, .. }, tile: [_, first, end], .. } =
            &kernel.body
        else {
            return None;
        };
        let whole = range == [Atom::Var(*first), Atom::Var(*end)];
        if !whole || self.shared.count || !super::loops::is_straight(body) {
            return None;
        }
        let extent = match extent {
            Atom::Const(c) => self.shared.constant(*c, false),
            Atom::Outer(arg, _) => arg.to_string(),
            Atom::Var(v) => v.to_string(),
        };
        let stores = |buffer: Arg| {
            let mut places = Vec::new();
            super::kernel::stores(body, &mut |to, at| {
                if to == buffer {
                    places.push(at);
                }
            });
            places
        };
        let buffers: Vec<Arg> = kernel.args.ids().collect();
        let own = |&buffer: &Arg| {
            let always = body.iter().any(
                |stmt| matches!(stmt, Stmt::Store(b, at, _) if (*b, *at) == (buffer, Atom::Var(index))),
            );
            matches!(kernel.args[buffer].kind, ArgKind::Out | ArgKind::Over(_))
                && always
                && stores(buffer).len() == 1
        };
        let own: Vec<Arg> = buffers.into_iter().filter(own).collect();
        (1..=MOST).contains(&own.len()).then_some((extent, own))
    }
}
