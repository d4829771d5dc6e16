//! Statements of kernels in C: loops, packing, stores, collectives.
//!
//! A vectorised loop is a plain loop under `#pragma omp simd`.  Faults inside it are collected in a
//! flag of its own, a reduction by `|`, so that checking costs an operation and no branch.

use super::kernel::{combine, reduction_sign};
use super::names;
use super::scan::{self, Halves};
use super::stmt::Body;
use super::types::field;
use crate::shared::Expr;
use kernel::Body::Tiles;
use kernel::{Arg, Block, Carry, Kernel, Operand, Stmt, Way};
use prim::{Monoid, Ty, Width, Widths};
use scalar::{Atom, Var};

/// Lanes that are printed one by one.
const FEW: i64 = 4;

/// A counted range.
#[derive(Clone, Copy)]
pub(super) struct Range {
    pub(super) index: Var,
    pub(super) from: Operand,
    pub(super) to: Operand,
}

/// A loop that is vectorised.
pub(super) const SIMD: &str = "#pragma omp simd";
/// One of `NESL_SPILL` lanes, which becomes one step.  Of two steps, each would store half of the
/// results, and what reads them as one vector would wait until both are out of the store buffer.
/// For most machines that have such vectors GCC prefers those of half the width.
pub(super) const OCTET: &str = "#pragma omp simd simdlen(NESL_SPILL)";

/// The type of what counts the iterations of a loop that is vectorised, however wide ints are.
pub(super) const COUNTER: &str = "int64_t";

/// How a loop that is vectorised begins.
pub(super) struct Head<'a> {
    /// What says so.
    pub(super) pragma: &'a str,
    /// `for (...)`.
    pub(super) line: &'a str,
    /// What the body begins with.
    pub(super) first: &'a [&'a str],
}

impl Body<'_, '_, Arg> {
    /// Statements in order.
    pub(crate) fn block(&mut self, block: &Block) {
        for stmt in block {
            self.kernel_stmt(stmt);
        }
    }

    pub(super) fn kernel_stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Scalar(stmt) => self.stmt(stmt),
            Stmt::If(cond, then, els) => {
                let cond = self.text(*cond);
                self.out.open(format!("if ({cond})"));
                self.block(then);
                if !els.is_empty() {
                    self.out.between("else");
                    self.block(els);
                }
                self.out.close("");
            }
            Stmt::For { index, from, to, carried, body, way } => {
                let range = Range { index: *index, from: *from, to: *to };
                self.loop_over(range, carried, body, *way == Way::Simd);
            }
            Stmt::Pack { .. } => self.pack(stmt),
            Stmt::Store(buffer, index, value) => {
                self.touch("1");
                let piece = self.pieces.as_ref().and_then(|p| p.place(*buffer, *index));
                let (index, value) = (self.atom(*index).subscript(), self.text(*value));
                let place = piece.unwrap_or_else(|| format!("{buffer}[{index}]"));
                self.out.line(format!("{place} = {value};"));
            }
            Stmt::Raise(buffer, index, value) => {
                self.touch("1");
                let (index, value) = (self.text(*index), self.text(*value));
                self.out.line(format!("nesl_greatest(&{buffer}[{index}], {value});"));
            }
            Stmt::Partial(number, value) => {
                let value = self.text(*value);
                self.out.line(format!("{} = {value};", names::partial(*number)));
            }
            Stmt::Chain { links, .. } => self.chain(links),
            Stmt::Positions(atoms) => {
                let list: Vec<String> = atoms.iter().map(|&a| self.text(a)).collect();
                self.out.line(format!("NESL_POSITIONS({});", list.join(", ")));
            }
            Stmt::Owner { .. }
            | Stmt::Owners(_)
            | Stmt::Ends(_)
            | Stmt::Rows(_)
            | Stmt::Barrier
            | Stmt::Combine(_)
            | Stmt::Scan(_) => {
                unreachable!("{stmt:?} is for blocks of threads")
            }
        }
    }

    // ---- counted loops -------------------------------------------------------------------------

    fn loop_over(&mut self, range: Range, carried: &[Carry], body: &Block, simd: bool) {
        let simd = simd && carried.iter().all(|c| c.monoid.is_some()) && self.vectorises(body);
        let scan = scan::is_scan(carried, body);
        let halves = self.scan_halves(range, carried, body).filter(|_| simd && scan);
        let simd = simd && !scan;
        let wide = widest(self.shared.widths(), body, self.vars);
        let int = self.shared.int();
        for carry in carried {
            let init = self.text(carry.init);
            // Masks reduce well as numbers of the width of the data.
            let ty = match self.vars[carry.var] {
                Ty::Bool if simd && wide > 1 => {
                    if wide == 8 {
                        "int64_t"
                    } else {
                        "int32_t"
                    }
                }
                Ty::Bool if simd => "uint8_t",
                ty => self.shared.local(ty),
            };
            self.out.line(format!("{ty} {} = {init};", carry.var));
        }
        let reductions: Vec<(Var, Monoid)> =
            carried.iter().filter_map(|c| Some((c.var, c.monoid?))).collect();
        let vars: Vec<Var> = carried.iter().map(|c| c.var).collect();
        let next: Vec<Operand> = carried.iter().map(|c| c.next).collect();
        let octets = halves.as_ref().and_then(|h| self.scan_octets(range, (carried, body), h));
        self.in_pieces((range, octets.is_some()), body, |b, [from, to]| {
            let i = range.index;
            let line = format!("for ({COUNTER} {i} = {from}; {i} < {to}; {i}++)");
            if simd && carried.is_empty() && b.copied(i, [&from, &to], body) {
                return;
            }
            if let Some(halves) = halves.as_ref().filter(|_| !b.overwrites(body)) {
                let from = match &octets {
                    Some(octets) => b.scanned([&from, &to], octets),
                    None => from,
                };
                let line = format!("for ({COUNTER} {i} = {from}; {i} < {to}; {i}++)");
                return b.counting(i, |b| b.vector_scan(carried, body, halves, &line));
            }
            if simd {
                let advance = |b: &mut Self| b.advance(&vars, &next);
                let short = b.reduces_rows(range, &reductions, body);
                if short {
                    b.short_row(i, [&from, &to], &reductions, body, advance);
                }
                let head = Head { line: &line, first: &[], pragma: SIMD };
                b.counting(i, |b| b.vectorised(&reductions, body, &head, advance));
                if short {
                    b.out.close("");
                }
                return;
            }
            let from = b.spill(i, [&from, &to], carried, body).unwrap_or(from);
            let head = |stop| format!("for ({int} {i} = {from}; {i} < {to}{stop}; {i}++)");
            // A loop of straight code ends soon anyway.
            let stop = b.stop().filter(|_| !is_straight(body));
            let stop = stop.map(|flag| format!(" && !{flag}")).unwrap_or_default();
            if let Some(lanes) = b.few_lanes(range) {
                // Compilers leave loops with loops inside as they are.
                b.out.line(format!("#pragma GCC unroll {lanes}"));
            }
            if let Some(rows) = b.gathered(range, carried, body) {
                return b.in_octets([&from, &to], &rows);
            }
            b.out.open(head(stop));
            b.block(body);
            b.advance(&vars, &next);
            b.out.close("");
        });
        for carry in carried {
            self.define(carry.result, Expr::primary(carry.var.to_string()));
        }
    }

    /// The halves of a scan over a tile that is long enough for vectors.
    fn scan_halves(&self, range: Range, carried: &[Carry], body: &Block) -> Option<Halves> {
        let Tiles { tiles: kernel::Tiles::Even { .. }, tile: [_, first, end], .. } =
            &self.kernel?.body
        else {
            return None;
        };
        let whole = [range.from, range.to] == [Atom::Var(*first), Atom::Var(*end)];
        let tys: Vec<Ty> = carried.iter().map(|carry| self.vars[carry.var]).collect();
        scan::halves(carried, body, &tys).filter(|_| whole && !self.fails(body))
    }

    /// The number of iterations of a loop over all lanes of a routine's kernel, if it is a small
    /// constant.
    fn few_lanes(&self, range: Range) -> Option<i64> {
        let Tiles { tiles: kernel::Tiles::Whole { extent }, tile: [_, first, end], .. } =
            &self.kernel?.body
        else {
            return None;
        };
        let whole = [range.from, range.to] == [Atom::Var(*first), Atom::Var(*end)];
        let lanes = if let Atom::Const(c) = extent { c.int() } else { return None };
        (whole && (1..=FEW).contains(&lanes)).then_some(lanes)
    }

    /// Prints with `print` what is inside of a loop that counts this position with 64 bits.
    pub(super) fn counting<T>(&mut self, position: Var, print: impl FnOnce(&mut Self) -> T) -> T {
        if self.shared.widths().int == Width::W32 {
            self.wide.insert(position);
        }
        let printed = print(self);
        self.wide.remove(&position);
        printed
    }

    /// A loop under `omp simd`, given its head; `end` prints the end of the iteration.
    pub(super) fn vectorised(
        &mut self,
        reductions: &[(Var, Monoid)],
        body: &Block,
        head: &Head<'_>,
        end: impl FnOnce(&mut Self),
    ) {
        let mut pragma = head.pragma.to_owned();
        for (var, monoid) in reductions {
            let sign = reduction_sign(*monoid, self.vars[*var]);
            pragma.push_str(&format!(" reduction({sign}:{var})"));
        }
        let flag = self.fails(body).then(|| self.fresh("fault"));
        let outer = self.flag.clone();
        if let Some(flag) = &flag {
            self.out.line(format!("{} {flag} = 0;", self.shared.int()));
            pragma.push_str(&format!(" reduction(|:{flag})"));
            self.flag.clone_from(flag);
        }
        self.out.line(pragma);
        self.out.open(head.line);
        for line in head.first {
            self.out.line(line);
        }
        self.block(body);
        end(self);
        self.out.close("");
        self.flag.clone_from(&outer);
        if let Some(flag) = flag {
            self.out.line(format!("{outer} |= {flag};"));
        }
    }

    /// Whether any statement of the block can record a fault.
    pub(super) fn fails(&self, block: &Block) -> bool {
        let mut fails = false;
        super::kernel::walk(block, &mut |stmt| {
            fails |= self.shared.facts.stmt_fails(stmt, self.vars);
        });
        fails
    }

    /// Whether a loop of this body may be vectorised as a whole: straight-line code and choices,
    /// and calls only of functions that share no state with other iterations.
    pub(super) fn vectorises(&self, block: &Block) -> bool {
        if self.shared.count {
            // A count is shared by all iterations.
            return false;
        }
        block.iter().all(|stmt| match stmt {
            Stmt::Scalar(stmt) => {
                let mut plain = true;
                crate::shared::facts::walk_stmt(stmt, &mut |inner| {
                    plain &= match inner {
                        scalar::Stmt::Loop { .. } => false,
                        scalar::Stmt::Call(call) => !self.shared.facts.functions[call.func].lane,
                        _ => true,
                    };
                });
                plain
            }
            Stmt::If(_, then, els) => self.vectorises(then) && self.vectorises(els),
            Stmt::Store(..) | Stmt::Positions(_) => true,
            _ => false,
        })
    }

    /// The type of a buffer's elements.
    pub(super) fn element_ty(&self, buffer: Arg) -> Ty {
        self.kernel.map_or(Ty::I64, |kernel| kernel.args[buffer].ty)
    }

    /// Bytes of a buffer's elements.
    pub(super) fn element_size(&self, buffer: Arg) -> usize {
        self.shared.widths().size(self.element_ty(buffer))
    }

    // ---- collectives ---------------------------------------------------------------------------

    /// The links and their flag end a row of scratch, so those of the tile before lie in front of
    /// this row.
    fn chain(&mut self, links: &[(Var, Operand, Monoid)]) {
        let Some(Kernel { body: Tiles { tile: [tile, ..], partials, .. }, .. }) = self.kernel
        else {
            return;
        };
        let partials = partials.len();
        for (prefix, _, monoid) in links {
            let ty = self.vars[*prefix];
            let identity = self.shared.constant(self.shared.widths().identity(*monoid, ty), false);
            self.out.line(format!("{} {prefix} = {identity};", self.shared.local(ty)));
        }
        self.out.open(format!("if ({tile} > 0)"));
        self.out.line("nesl_await(&row[-1]);");
        for (i, (prefix, ..)) in links.iter().enumerate() {
            let field = field(self.vars[*prefix]);
            self.out.line(format!("{prefix} = row[-{}].{field};", links.len() + 1 - i));
        }
        self.out.close("");
        for (i, (prefix, total, monoid)) in links.iter().enumerate() {
            let ty = self.vars[*prefix];
            let total = self.atom(*total);
            let sum = combine(
                self.shared.widths(),
                *monoid,
                ty,
                Expr::primary(prefix.to_string()),
                total,
            );
            self.out.line(format!("row[{}].{} = {};", partials + i, field(ty), sum.text));
        }
        self.out.line(format!("nesl_publish(&row[{}]);", partials + links.len()));
    }
}

/// Whether no loop of a block has a loop inside.
pub(super) fn loops_are_apart(block: &Block) -> bool {
    block.iter().all(|stmt| match stmt {
        Stmt::If(_, then, els) => loops_are_apart(then) && loops_are_apart(els),
        Stmt::For { body, .. } => is_straight(body),
        Stmt::Pack { body, kept, .. } => is_straight(body) && is_straight(kept),
        _ => true,
    })
}

/// Whether a block has no loops and no calls.
pub(super) fn is_straight(block: &Block) -> bool {
    let mut straight = block.iter().all(|stmt| match stmt {
        Stmt::If(_, then, els) => is_straight(then) && is_straight(els),
        Stmt::For { .. } | Stmt::Pack { .. } | Stmt::Scan(_) | Stmt::Rows(_) => false,
        Stmt::Scalar(_)
        | Stmt::Store(..)
        | Stmt::Raise(..)
        | Stmt::Partial(..)
        | Stmt::Chain { .. }
        | Stmt::Positions(_)
        | Stmt::Owner { .. }
        | Stmt::Owners(_)
        | Stmt::Ends(_)
        | Stmt::Barrier
        | Stmt::Combine(_) => true,
    });
    super::kernel::walk(block, &mut |stmt| {
        straight &= !matches!(stmt, scalar::Stmt::Loop { .. } | scalar::Stmt::Call(_));
    });
    straight
}

/// Bytes of the widest values that the body works on.
fn widest(widths: Widths, body: &Block, vars: &base::IdMap<Var, Ty>) -> usize {
    let mut widest = 1;
    super::kernel::walk(body, &mut |stmt| {
        if let scalar::Stmt::Let(var, op) = stmt {
            let operands: &[Atom<Arg>] = match op {
                scalar::Op::Scalar(_, args, _) => args,
                scalar::Op::Read(..) => &[],
            };
            widest = widest.max(widths.size(vars[*var]));
            for operand in operands {
                if let Atom::Var(v) = operand {
                    widest = widest.max(widths.size(vars[*v]));
                }
            }
        }
    });
    widest
}
