//! Loops of routines that move each element behind one of several cursors:
//!
//! ```c
//! for (int64_t x3 = x1; x3 < x2; x3++) {
//!   a4[x5] = a1[x3];
//!   a6[x7] = a1[x3];
//!   x5 = x5 + (a1[x3] < a2);
//!   x7 = x7 + (a1[x3] > a2);
//! }
//! ```
//!
//! Where the machine can compress vectors, a piece of the range is computed first, and what each
//! cursor keeps of it is moved at once (`nesl_spill` of `rts/pack.h`); the loop does what is left.

use super::loops::{COUNTER, OCTET};
use super::scan::is;
use super::stmt::Body;
use kernel::{Arg, Block, Carry, Stmt};
use prim::ScalarOp;
use scalar::{Atom, Op, Var};

/// What moves behind one cursor.
struct Pile<'k> {
    cursor: Var,
    /// Whether an element is kept.
    keep: Atom<Arg>,
    stores: Vec<(Arg, Atom<Arg>)>,
    /// The statements that advance the cursor.
    steps: [&'k Stmt; 2],
}

impl Body<'_, '_, Arg> {
    /// Prints the loop over the pieces of a range, if it is such a loop; gives where the rest
    /// begins.
    pub(super) fn spill(
        &mut self,
        index: Var,
        [from, to]: [&str; 2],
        carried: &[Carry],
        body: &Block,
    ) -> Option<String> {
        let piles = self.piles(carried, body)?;
        let (n, int) = (self.fresh(""), self.shared.int());
        let (at, lane) = (format!("at{n}"), format!("lane{n}"));
        self.out.line(format!("{int} {at} = {from};"));
        self.out.line("#ifdef NESL_COMPRESS");
        self.out.open(format!("for (; {at} + NESL_SPILL <= {to}; {at} += NESL_SPILL)"));
        for (p, pile) in piles.iter().enumerate() {
            self.out.line(format!("int64_t keep{n}_{p}[NESL_SPILL];"));
            for (buffer, _) in &pile.stores {
                let ty = self.shared.element(self.element_ty(*buffer));
                self.out.line(format!("{ty} value{n}_{buffer}[NESL_SPILL];"));
            }
        }
        self.out.line(OCTET);
        self.out.open(format!("for ({COUNTER} {lane} = 0; {lane} < NESL_SPILL; {lane}++)"));
        self.out.line(format!("const {COUNTER} {index} = {at} + {lane};"));
        let moves = self.counting(index, |b| b.lane_of_piles(&piles, body, &n, &lane));
        self.out.close("");
        for line in moves {
            self.out.line(line);
        }
        self.out.close("");
        self.out.line("#endif");
        Some(at)
    }

    /// Prints what one lane of a piece computes; gives the lines that move what the lanes keep.
    fn lane_of_piles(
        &mut self,
        piles: &[Pile<'_>],
        body: &Block,
        n: &str,
        lane: &str,
    ) -> Vec<String> {
        let advance: Vec<&Stmt> = piles.iter().flat_map(|pile| pile.steps).collect();
        for stmt in body {
            let store = matches!(stmt, Stmt::Store(..));
            if !store && !advance.iter().any(|&step| std::ptr::eq(step, stmt)) {
                self.kernel_stmt(stmt);
            }
        }
        let mut moves = Vec::new();
        for (p, pile) in piles.iter().enumerate() {
            let keep = self.text(pile.keep);
            self.out.line(format!("keep{n}_{p}[{lane}] = {keep};"));
            let cursor = pile.cursor;
            moves.push(format!("const uint8_t mask{n}_{p} = nesl_flags(keep{n}_{p});"));
            for (buffer, value) in &pile.stores {
                let name = format!("value{n}_{buffer}");
                let value = self.text(*value);
                self.out.line(format!("{name}[{lane}] = {value};"));
                moves.push(format!("nesl_spill({buffer} + {cursor}, {name}, mask{n}_{p});"));
            }
            moves.push(format!("{cursor} += __builtin_popcount(mask{n}_{p});"));
        }
        moves
    }

    /// The cursors of a loop of a routine, if all its results go behind them.
    fn piles<'k>(&self, carried: &[Carry], body: &'k Block) -> Option<Vec<Pile<'k>>> {
        let simple =
            |stmt: &Stmt| matches!(stmt, Stmt::Scalar(scalar::Stmt::Let(..)) | Stmt::Store(..));
        if !self.is_whole() || self.shared.count || !body.iter().all(simple) || self.fails(body) {
            return None;
        }
        let piles: Vec<Pile<'k>> =
            carried.iter().map(|carry| pile(carry, body)).collect::<Option<_>>()?;
        let stores = body.iter().filter(|stmt| matches!(stmt, Stmt::Store(..))).count();
        let moved: usize = piles.iter().map(|pile| pile.stores.len()).sum();
        let words = piles.iter().flat_map(|p| &p.stores).all(|s| self.element_size(s.0) == 8);
        (stores > 0 && stores == moved && words).then_some(piles)
    }
}

/// A carried value that counts what is kept, and that is used for nothing but to say where it goes.
fn pile<'k>(carry: &Carry, body: &'k Block) -> Option<Pile<'k>> {
    let defines = |atom: Atom<Arg>| {
        body.iter().find_map(|stmt| match stmt {
            Stmt::Scalar(scalar::Stmt::Let(var, Op::Scalar(op, args, _))) if is(atom, *var) => {
                Some((stmt, *op, args.as_slice()))
            }
            _ => None,
        })
    };
    let (add, ScalarOp::Add, &[cursor, one]) = defines(carry.next)? else { return None };
    let (number, ScalarOp::Btoi, &[keep]) = defines(one)? else { return None };
    let mut stores = Vec::new();
    for stmt in body {
        match stmt {
            Stmt::Store(buffer, index, value) if is(*index, carry.var) => {
                stores.push((*buffer, *value));
                if is(*value, carry.var) {
                    return None;
                }
            }
            other if std::ptr::eq(other, add) => {}
            other if other.operands().iter().any(|&a| is(a, carry.var) || a == carry.next) => {
                return None;
            }
            _ => {}
        }
    }
    is(cursor, carry.var).then_some(Pile { cursor: carry.var, keep, stores, steps: [add, number] })
}
