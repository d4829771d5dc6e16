//! Reductions over short rows.
//!
//! The loop over a row begins with whole vectors and ends with single elements, and a row of ten
//! elements is mostly end.  Where the machine has masks, a row of at most `NESL_ROW` elements is
//! one step of so many lanes, each with the condition that it is inside of the row (`rts/fold.h`).

use super::loops::{COUNTER, Head, Range, SIMD};
use super::stmt::Body;
use kernel::Body::Tiles;
use kernel::{Arg, Block, Stmt};
use prim::Monoid;
use scalar::{Atom, Var};

/// Statements of a loop's body, above which it is not printed twice.
const SMALL: usize = 16;

impl Body<'_, '_, Arg> {
    /// Whether this loop, which can be vectorised, reduces a row that may be short.
    pub(super) fn reduces_rows(
        &self,
        range: Range,
        reductions: &[(Var, Monoid)],
        body: &Block,
    ) -> bool {
        let Some(Tiles { tile: [_, first, end], .. }) = self.kernel.map(|kernel| &kernel.body)
        else {
            return false;
        };
        let tile = [range.from, range.to] == [Atom::Var(*first), Atom::Var(*end)];
        let (mut plain, mut statements) = (true, 0);
        super::kernel::walk(body, &mut |stmt| {
            statements += 1;
            plain &= !matches!(stmt, scalar::Stmt::Loop { .. } | scalar::Stmt::Call(_));
        });
        let plain =
            plain && body.iter().all(|stmt| matches!(stmt, Stmt::Scalar(_) | Stmt::Positions(_)));
        !reductions.is_empty() && !tile && plain && statements <= SMALL
    }

    /// Prints the loop for a short row, and opens the arm for others; `end` prints the end of an
    /// iteration.
    pub(super) fn short_row(
        &mut self,
        index: Var,
        [from, to]: [&str; 2],
        reductions: &[(Var, Monoid)],
        body: &Block,
        end: impl FnOnce(&mut Self),
    ) {
        let (n, int) = (self.fresh(""), self.shared.int());
        let (length, lane) = (format!("length{n}"), format!("lane{n}"));
        self.out.line(format!("const {int} {length} = {to} - {from};"));
        self.out.open(format!("if (NESL_MASKS && {length} <= NESL_ROW)"));
        let head = format!("for ({COUNTER} {lane} = 0; {lane} < NESL_ROW; {lane}++)");
        let inside = format!("if ({lane} >= {length}) continue;");
        let first = format!("const {COUNTER} {index} = {from} + {lane};");
        let head = Head { pragma: SIMD, line: &head, first: &[&inside, &first] };
        self.counting(index, |b| b.vectorised(reductions, body, &head, end));
        self.out.between("else");
    }
}
