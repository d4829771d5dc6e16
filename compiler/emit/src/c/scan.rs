//! Loops that scan, vectorised: what an iteration does with the carried values comes first, what
//! they become comes after the directive.
//!
//! ```c
//! #pragma omp simd reduction(inscan, +:x5)
//! for (int64_t x3 = x1; x3 < x2; x3++) {
//!   { a2[x3] = x5; }
//!   #pragma omp scan exclusive(x5)
//!   { x5 = x5 + a0[x3]; }
//! }
//! ```
//!
//! Sums of words that are stored as they are take eight lanes at a time where the machine has them
//! (`rts/octets.h`): what compilers make of the directive takes a sixth longer.
//!
//! Nothing but the carried values passes from one half to the other: what both need is computed in
//! both.

use super::gathered::{Search, Step, octet};
use super::kernel::reduction_sign;
use super::loops::{COUNTER, Range};
use super::stmt::Body;
use crate::shared::pieces::Pieces;
use kernel::{Arg, Block, Carry, Stmt};
use prim::{Monoid, Ty};
use scalar::{Atom, Op, Var};
use std::collections::{BTreeMap, BTreeSet};

/// The most statements that are computed in both halves.
const SHARED: usize = 8;

/// The numbers of the statements of each half.
pub(super) struct Halves {
    shown: Vec<usize>,
    moved: Vec<usize>,
}

/// A scan that takes eight lanes at a time.
pub(super) struct Octets {
    sum: Var,
    /// What is added to it.
    of: Var,
    /// What lanes compute for that.
    steps: Vec<Step>,
    /// Where the sums go.
    stores: Vec<Arg>,
}

/// Whether an iteration uses a carried value for more than what it becomes.  What it becomes need
/// not use it: what is combined with 0 by *times* is 0.
pub(super) fn is_scan(carried: &[Carry], body: &Block) -> bool {
    let next: BTreeMap<Var, Atom<Arg>> = carried.iter().map(|c| (c.var, c.next)).collect();
    if next.is_empty() {
        return false;
    }
    let carried = |atom| match atom {
        Atom::Var(var) => next.contains_key(&var).then_some(var),
        Atom::Const(_) | Atom::Outer(..) => None,
    };
    body.iter().any(|stmt| {
        let mut used: Vec<Var> = stmt.operands().into_iter().filter_map(carried).collect();
        used.sort_unstable();
        let becomes = |var| stmt.results().iter().any(|&result| is(next[&var], result));
        used.chunk_by(Var::eq).any(|uses| uses.len() > usize::from(becomes(uses[0])))
    })
}

/// The halves of a body, if it consists of simple definitions and stores, if every carried value is
/// combined with one that depends on none of them, and if not much is needed in both halves.
pub(super) fn halves(carried: &[Carry], body: &Block, tys: &[Ty]) -> Option<Halves> {
    let simple =
        |stmt: &Stmt| matches!(stmt, Stmt::Scalar(scalar::Stmt::Let(..)) | Stmt::Store(..));
    if !body.iter().all(simple) || tys.contains(&Ty::Bool) {
        return None;
    }
    let stores: Vec<Atom<Arg>> =
        body.iter().filter(|s| matches!(s, Stmt::Store(..))).flat_map(Stmt::operands).collect();
    let next: Vec<Atom<Arg>> = carried.iter().map(|carry| carry.next).collect();
    let (mut shown, moved) = (slice(body, &stores), slice(body, &next));
    shown.extend((0..body.len()).filter(|&n| matches!(body[n], Stmt::Store(..))));
    shown.sort_unstable();
    let vars: BTreeSet<Var> = carried.iter().map(|carry| carry.var).collect();
    let is_carried = |a: &Atom<Arg>| matches!(a, Atom::Var(var) if vars.contains(var));
    let uses_in = |&n: &usize| body[n].operands().iter().filter(|a| is_carried(a)).count();
    let uses: usize = moved.iter().map(uses_in).sum();
    let is_moved = |n: &usize| moved.binary_search(n).is_ok();
    let both: Vec<usize> = shown.iter().copied().filter(is_moved).collect();
    let cheap = both.len() <= SHARED && both.iter().all(|&n| is_cheap(&body[n]));
    let own = carried.iter().all(|carry| combines(carry, body));
    (own && uses == carried.len() && cheap).then_some(Halves { shown, moved })
}

/// Whether what a carried value becomes is the value itself combined with something.
fn combines(carry: &Carry, body: &Block) -> bool {
    let Some(monoid) = carry.monoid else { return false };
    body.iter().any(|stmt| {
        let Stmt::Scalar(scalar::Stmt::Let(var, Op::Scalar(op, args, _))) = stmt else {
            return false;
        };
        is(carry.next, *var) && *op == monoid.op() && is(args[0], carry.var)
    })
}

fn is_cheap(stmt: &Stmt) -> bool {
    !matches!(stmt, Stmt::Scalar(scalar::Stmt::Let(_, Op::Scalar(op, ..))) if op.is_heavy())
}

/// Whether an operand is this variable.
pub(super) fn is(atom: Atom<Arg>, var: Var) -> bool {
    atom == Atom::Var(var)
}

/// The definitions that some operands need, in order.
fn slice(body: &Block, roots: &[Atom<Arg>]) -> Vec<usize> {
    let named = |atom: Atom<Arg>| if let Atom::Var(var) = atom { Some(var) } else { None };
    let mut needed: BTreeSet<Var> = roots.iter().copied().filter_map(named).collect();
    let mut found = Vec::new();
    for (n, stmt) in body.iter().enumerate().rev() {
        if let Stmt::Scalar(scalar::Stmt::Let(var, _)) = stmt
            && needed.contains(var)
        {
            needed.extend(stmt.operands().into_iter().filter_map(named));
            found.push(n);
        }
    }
    found.reverse();
    found
}

impl Body<'_, '_, Arg> {
    /// The scan, if it only stores sums of words.
    pub(super) fn scan_octets(
        &self,
        range: Range,
        (carried, body): (&[Carry], &Block),
        halves: &Halves,
    ) -> Option<Octets> {
        let (kernel, [carry]) = (self.kernel?, carried) else { return None };
        let mut search = Search::new(kernel, self.shared.widths(), range.index, body);
        search.own.insert(carry.var);
        for &n in &halves.moved {
            let Stmt::Scalar(stmt) = &body[n] else { return None };
            search.stmt(stmt, carried)?;
        }
        let of = search.summand(carry)?;
        let stores: Vec<Arg> = halves
            .shown
            .iter()
            .map(|&n| match body[n] {
                Stmt::Store(buffer, at, value) => {
                    let word = self.element_size(buffer) == 8;
                    (word && is(at, range.index) && is(value, carry.var)).then_some(buffer)
                }
                _ => None,
            })
            .collect::<Option<_>>()?;
        Some(Octets { sum: carry.var, of, steps: search.steps, stores })
    }

    /// Prints eight lanes at a time of a scan; gives where the rest begins.
    pub(super) fn scanned(&mut self, [from, to]: [&str; 2], octets: &Octets) -> String {
        let Octets { sum, of, steps, stores } = octets;
        let (n, ty) = (self.fresh(""), self.vars[*sum]);
        let (at, sums, before) = (format!("at{n}"), format!("sums{n}"), format!("before{n}"));
        let in_pieces = |p: &&Pieces| p.straight && stores.iter().all(|b| p.buffers.contains(b));
        let pieces = self.pieces.as_ref().filter(in_pieces).map(|p| p.number.clone());
        self.out.line(format!("{COUNTER} {at} = {from};"));
        self.out.line("#if NESL_OCTETS");
        let octet = octet(ty);
        self.out.line(format!("{octet} {before} = {sum} - ({octet}){{0}};"));
        self.out.open(format!("for (; {at} + 8 <= {to}; {at} += 8)"));
        for step in steps {
            self.octet(step, &at, "0xff", false);
        }
        let scan = if ty == Ty::F64 { "nesl_octet_scan_float" } else { "nesl_octet_scan" };
        self.out.line(format!("const {octet} {sums} = {scan}({of}, &{before});"));
        if let Some(pieces) = &pieces {
            self.out.open(format!("if (straight{pieces})"));
            for buffer in stores {
                self.out.line(format!("nesl_octet_stream(&{buffer}[{at}], (nesl_octet){sums});"));
            }
            self.out.between("else");
        }
        for &buffer in stores {
            let place = self.pieces.as_ref().and_then(|p| p.place_at(buffer, &at));
            let place = place.unwrap_or_else(|| format!("{buffer}[{at}]"));
            self.out.line(format!("*({octet} *)&{place} = {sums};"));
        }
        if pieces.is_some() {
            self.out.close("");
        }
        self.out.close("");
        self.out.line(format!("{sum} = {before}[0];"));
        self.out.line("#endif");
        at
    }

    /// Prints the halves of a scan under the head of its loop.
    pub(super) fn vector_scan(
        &mut self,
        carried: &[Carry],
        body: &Block,
        halves: &Halves,
        head: &str,
    ) {
        let mut clauses = String::new();
        for carry in carried {
            let sign = reduction_sign(carry.monoid.unwrap_or(Monoid::Add), self.vars[carry.var]);
            clauses.push_str(&format!(" reduction(inscan, {sign}:{})", carry.var));
        }
        let vars: Vec<Var> = carried.iter().map(|carry| carry.var).collect();
        let next: Vec<Atom<Arg>> = carried.iter().map(|carry| carry.next).collect();
        let names: Vec<String> = vars.iter().map(Var::to_string).collect();
        self.out.line(format!("#pragma omp simd{clauses}"));
        self.out.open(head);
        // Compilers want a statement here, and one there.
        self.out.open("");
        for &n in &halves.shown {
            self.kernel_stmt(&body[n]);
        }
        self.out.close("");
        self.out.line(format!("#pragma omp scan exclusive({})", names.join(", ")));
        self.out.open("");
        for &n in &halves.moved {
            self.kernel_stmt(&body[n]);
        }
        self.advance(&vars, &next);
        self.out.close("");
        self.out.close("");
    }
}
