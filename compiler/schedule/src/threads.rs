//! From the tile form to the thread form: what a block of threads does with a tile.
//!
//! The statements of a tile run in all threads, on the same values; stores among them are made by
//! the first thread only.  A loop over the lanes of the tile is shared by the threads:
//!
//! * Where nothing is carried, or only combined, each thread takes every `threads`-th lane, and
//!   what they have combined is combined across the block.
//! * Where a carried value is used on the way (a scan, the cursor of a filter), the loop becomes
//!   rounds of one striped array: each thread computes what its lanes add, the array is scanned,
//!   and with the prefixes the rest of the body runs (`rounds.rs`).  Where segments lie side by
//!   side and all that is wanted is what each comes to, the rest runs once for each (`rows.rs`).
//! * Any other loop is run by the first thread.

mod carried;
mod common;
mod dead;
mod overlap;
mod relative;
mod room;
mod rounds;
mod rows;
mod slice;

use crate::target;
use base::IdMap;
use kernel::{
    Arg, ArgInfo, ArgKind, Block, Body, Carry, Kernel, Operand, Stmt, Threads, Tiles, Var, Way,
};
use overlap::Overlap;
use prim::{Const, Monoid, ScalarOp, Ty, Widths};
use room::{LEAST, LIGHT, SHARED, WORDS, room};
use rows::Owner;
use scalar::{Atom, Op, Span};
use slice::slice_with_checks;
use std::collections::BTreeMap;

const ZERO: Operand = Atom::Const(Const::I64(0));
const TRUTH: Operand = Atom::Const(Const::Bool(true));

/// The thread form of a kernel.
///
/// Where tiles cut segments, they are halved until what a thread and a block keep of them has room.
/// Where threads keep little, tiles that wait for those before them are half as large again.
pub(crate) fn by_threads(kernel: &Kernel, block: target::Block, widths: Widths) -> Kernel {
    let mut kernel = kernel.clone();
    let whole = block.threads * block.items;
    loop {
        let lowered = lower(&kernel, block, widths);
        let grain = match &mut kernel.body {
            Body::Tiles { tiles: Tiles::Cut { grain, .. }, .. } => grain,
            Body::Tiles { tiles: Tiles::Even { grain, .. }, .. } if *grain == whole => {
                if is_light(&lowered, block.items) {
                    *grain += whole / 2;
                    return lower(&kernel, block, widths);
                }
                return lowered;
            }
            _ => return lowered,
        };
        let [words, bytes] = room(&lowered);
        let least = block.threads * if bytes > SHARED { 1 } else { LEAST };
        if *grain <= least || (words <= WORDS && bytes <= SHARED) {
            return lowered;
        }
        let whole = *grain;
        *grain /= 2;
        // Arrays with a place for each element, and one more.
        let ids: Vec<Arg> = kernel.args.ids().collect();
        for arg in ids {
            if let ArgKind::Shared(len) = &mut kernel.args[arg].kind
                && *len == whole + 1
            {
                *len = whole / 2 + 1;
            }
        }
    }
}

/// Whether a kernel has a chain, and its threads keep few words of each of so many elements.
fn is_light(kernel: &Kernel, items: u32) -> bool {
    let Body::Tiles { body, .. } = &kernel.body else { return false };
    let [words, _] = room(kernel);
    body.iter().any(|stmt| matches!(stmt, Stmt::Chain { .. })) && words <= LIGHT * items
}

fn lower(kernel: &Kernel, block: target::Block, widths: Widths) -> Kernel {
    let Body::Tiles { tiles, tile, partials, body, finish, .. } = &kernel.body else {
        return kernel.clone();
    };
    let block = target::Block { items: items(tiles, block), ..block };
    let mut vars = kernel.vars.clone();
    let rank = vars.push(Ty::I64);
    let mut lower = Lower {
        block,
        widths,
        tiles,
        tile: *tile,
        rank,
        args: kernel.args.clone(),
        vars,
        owners: Vec::new(),
        owner: None,
        row: None,
    };
    let mut stmts = Vec::new();
    let first = lower.op(&mut stmts, ScalarOp::Eq, &[Atom::Var(rank), ZERO]);
    let body = resolve(&common::share(body, kernel));
    lower.tile_stmts(&body, first, &mut stmts);
    let stmts = relative::relative(resolve(&stmts), &lower.args, &mut lower.vars);
    let stmts = dead::remove_dead(&stmts, &lower.args, &|atom| Some(lower.ty(atom)));
    let Lower { args, vars, .. } = &mut lower;
    let stmts = Overlap { tiles, tile: *tile, args, vars }.block(&stmts);
    let threads = Some(Threads { count: block.threads, rank });
    Kernel {
        name: kernel.name.clone(),
        args: lower.args,
        vars: lower.vars,
        body: Body::Tiles {
            tiles: tiles.clone(),
            tile: *tile,
            threads,
            partials: partials.clone(),
            body: stmts,
            finish: finish.clone(),
        },
    }
}

/// Elements of a striped array for each thread: a tile is one, if it can be.
fn items(tiles: &Tiles, block: target::Block) -> u32 {
    let target::Block { threads, items } = block;
    match tiles {
        Tiles::Even { grain, .. } if grain.is_multiple_of(threads) => grain / threads,
        Tiles::Cut { grain, .. } => grain.div_ceil(threads),
        _ => items,
    }
}

/// A kernel on its way.
struct Lower<'k> {
    block: target::Block,
    widths: Widths,
    tiles: &'k Tiles,
    tile: [Var; 3],
    rank: Var,
    args: IdMap<Arg, ArgInfo>,
    vars: IdMap<Var, Ty>,
    /// Arrays of the owners of elements, which nobody changes.
    owners: Vec<Arg>,
    /// The owner in the loop that is being lowered.
    owner: Option<Owner>,
    /// The counter of a loop over the segments of the tile.
    row: Option<Var>,
}

/// A loop over lanes of the tile.
#[derive(Clone, Copy)]
struct Lanes<'k> {
    index: Var,
    from: Operand,
    to: Operand,
    carried: &'k [Carry],
    body: &'k Block,
}

impl Lower<'_> {
    fn fresh(&mut self, ty: Ty) -> Var {
        self.vars.push(ty)
    }
    fn ty(&self, atom: Operand) -> Ty {
        match atom {
            Atom::Var(v) => self.vars[v],
            Atom::Const(c) => c.ty(),
            Atom::Outer(_, ty) => ty,
        }
    }
    /// An array of the kernel.
    fn array(&mut self, ty: Ty, kind: ArgKind) -> Arg {
        self.args.push(ArgInfo { ty, kind })
    }
    /// A scalar operation.
    fn op(&mut self, out: &mut Block, op: ScalarOp, args: &[Operand]) -> Operand {
        if op == ScalarOp::Add && args.contains(&ZERO) {
            return if args[0] == ZERO { args[1] } else { args[0] };
        }
        let tys: Vec<Ty> = args.iter().map(|&a| self.ty(a)).collect();
        let ty = op.result(&tys).unwrap_or_else(|| unreachable!("{op} on {tys:?}"));
        let result = self.fresh(ty);
        out.push(assign(result, Op::Scalar(op, args.to_vec(), Span::none())));
        Atom::Var(result)
    }
    /// `a` and `b` combined; the identity is left out.
    fn combine(&mut self, out: &mut Block, monoid: Monoid, a: Operand, b: Operand) -> Operand {
        let identity = Atom::Const(self.widths.identity(monoid, self.ty(b)));
        if a == identity { b } else { self.op(out, monoid.op(), &[a, b]) }
    }
    /// Gives a value a name.
    fn name(&mut self, out: &mut Block, name: Var, value: Operand) {
        out.push(alias(name, value));
    }
    fn read(&mut self, out: &mut Block, array: Arg, index: Operand) -> Operand {
        let result = self.fresh(self.args[array].ty);
        out.push(assign(result, Op::Read(array, index)));
        Atom::Var(result)
    }

    /// Statements of the tile, in all threads; `first` tells whether this is the first.
    fn tile_stmts(&mut self, block: &Block, first: Operand, out: &mut Block) {
        for stmt in block {
            if self.reads_shared(stmt) {
                out.push(Stmt::Barrier);
            }
            match stmt {
                Stmt::Store(..) | Stmt::Raise(..) => {
                    out.push(Stmt::If(first, vec![stmt.clone()], Vec::new()));
                }
                Stmt::If(cond, then, els) => {
                    let (mut a, mut b) = (Vec::new(), Vec::new());
                    self.tile_stmts(then, first, &mut a);
                    self.tile_stmts(els, first, &mut b);
                    out.push(Stmt::If(*cond, a, b));
                }
                Stmt::For { index, from, to, carried, body, way } => {
                    let body = &self.with_owners(*index, [*from, *to], body, out);
                    let lanes = Lanes { index: *index, from: *from, to: *to, carried, body };
                    let done = *way == Way::Simd && self.shared_loop(lanes, out);
                    if !done {
                        self.alone(lanes, first, out);
                    }
                }
                Stmt::Scalar(_)
                | Stmt::Partial(..)
                | Stmt::Chain { .. }
                | Stmt::Positions(_)
                | Stmt::Owner { .. }
                | Stmt::Owners(_)
                | Stmt::Ends(_)
                | Stmt::Rows(_)
                | Stmt::Barrier
                | Stmt::Combine(_)
                | Stmt::Scan(_) => out.push(stmt.clone()),
                Stmt::Pack { .. } => unreachable!("a filter for threads is a loop"),
            }
        }
    }

    /// Whether a statement reads what other threads may have written.
    fn reads_shared(&self, stmt: &Stmt) -> bool {
        stmt.reads().iter().any(|&arg| matches!(self.args[arg].kind, ArgKind::Shared(_)))
    }

    /// A loop whose lanes the threads share, if it can be one.
    fn shared_loop(&mut self, lanes: Lanes<'_>, out: &mut Block) -> bool {
        if lanes.carried.iter().any(|carry| carry.chained || is_scanned(carry, lanes.body)) {
            return self.rounds(lanes, out);
        }
        if self.with_rows(lanes, out) {
            return true;
        }
        let Lanes { index, from, to, carried, body } = lanes;
        let from = self.op(out, ScalarOp::Add, &[from, Atom::Var(self.rank)]);
        let mut links = Vec::new();
        let mut own = Vec::new();
        for carry in carried {
            let Some(monoid) = carry.monoid else { return false };
            let ty = self.vars[carry.var];
            let (share, sum) = (self.fresh(ty), self.fresh(ty));
            let init = Atom::Const(self.widths.identity(monoid, ty));
            own.push(Carry { init, result: share, ..carry.clone() });
            links.push((sum, Atom::Var(share), monoid));
        }
        let way = Way::Stride(self.block.threads);
        out.push(Stmt::For { index, from, to, carried: own, body: in_thread(body), way });
        if !links.is_empty() {
            out.push(Stmt::Combine(links.clone()));
        }
        for (carry, (sum, _, monoid)) in carried.iter().zip(links) {
            let value = self.combine(out, monoid, carry.init, Atom::Var(sum));
            self.name(out, carry.result, value);
        }
        true
    }

    /// A loop that the first thread runs alone.  Chained values: what the tile adds is found in a
    /// run before.
    fn alone(&mut self, lanes: Lanes<'_>, first: Operand, out: &mut Block) {
        let mut own = lanes.carried.to_vec();
        debug_assert!(own.iter().all(|carry| carry.restart.is_none()), "segments are rounds");
        if own.iter().any(|carry| carry.chained) {
            let wanted: Vec<usize> = (0..own.len()).filter(|&n| own[n].chained).collect();
            let totals = self.totals_alone(lanes, &wanted, first, out);
            let mut links = Vec::new();
            for (&n, total) in wanted.iter().zip(totals) {
                let Some(monoid) = own[n].monoid else { unreachable!("chained by no monoid") };
                let before = self.fresh(self.vars[own[n].var]);
                links.push((before, total, monoid));
            }
            out.push(Stmt::Chain { links: links.clone(), restarts: Vec::new(), first_warp: false });
            for (&n, (before, _, monoid)) in wanted.iter().zip(links) {
                let start = self.combine(out, monoid, own[n].init, Atom::Var(before));
                (own[n].init, own[n].chained) = (start, false);
            }
        }
        let results: Vec<Var> = own.iter().map(|carry| carry.result).collect();
        for carry in &mut own {
            carry.result = self.vars.push(self.vars[carry.var]);
        }
        let Lanes { index, from, to, body, .. } = lanes;
        let values: Vec<Operand> = own.iter().map(|carry| Atom::Var(carry.result)).collect();
        let body = in_thread(body);
        let whole = Stmt::For { index, from, to, carried: own, body, way: Way::Serial };
        let found = self.tell(vec![whole], &values, first, out);
        for (result, value) in results.into_iter().zip(found) {
            self.name(out, result, value);
        }
    }

    /// What some carried values come to in this tile, found by the first thread.
    fn totals_alone(
        &mut self,
        lanes: Lanes<'_>,
        wanted: &[usize],
        first: Operand,
        out: &mut Block,
    ) -> Vec<Operand> {
        let carried = lanes.carried.iter().map(|carry| {
            let init =
                carry.monoid.map(|m| Atom::Const(self.widths.identity(m, self.vars[carry.var])));
            Carry { init: init.unwrap_or(carry.init), chained: false, ..carry.clone() }
        });
        let Lanes { index, from, to, body, .. } = lanes;
        let carried: Vec<Carry> = carried.collect();
        let whole = Stmt::For { index, from, to, carried, body: in_thread(body), way: Way::Serial };
        let needed: Vec<Var> = wanted.iter().map(|&n| lanes.carried[n].result).collect();
        let block = slice_with_checks(&vec![whole], &needed, &[], &|atom| Some(self.ty(atom)));
        let (block, names) = self.renamed(&block);
        let values: Vec<Operand> = needed.iter().map(|v| Atom::Var(names(*v))).collect();
        self.tell(block, &values, first, out)
    }

    /// Runs a block in the first thread, and tells all threads values that it defines.
    fn tell(
        &mut self,
        mut block: Block,
        values: &[Operand],
        first: Operand,
        out: &mut Block,
    ) -> Vec<Operand> {
        let mut told = Vec::new();
        for &value in values {
            let array = self.array(self.ty(value), ArgKind::Shared(1));
            block.push(Stmt::Store(array, ZERO, value));
            told.push(array);
        }
        out.push(Stmt::If(first, block, Vec::new()));
        out.push(Stmt::Barrier);
        told.into_iter().map(|array| self.read(out, array, ZERO)).collect()
    }

    /// A copy of a block with variables of its own, and their names.
    fn renamed(&mut self, block: &Block) -> (Block, impl Fn(Var) -> Var + use<>) {
        let mut defined = Vec::new();
        block.iter().for_each(|stmt| stmt.defined(&mut defined));
        let names: BTreeMap<Var, Var> =
            defined.into_iter().map(|v| (v, self.vars.push(self.vars[v]))).collect();
        let name = move |v: Var| names.get(&v).copied().unwrap_or(v);
        (block.iter().map(|stmt| stmt.rename(&name)).collect(), name)
    }
}

/// Whether a carried value is used for more than its next.
fn is_scanned(carry: &Carry, body: &Block) -> bool {
    let uses = |stmt: &Stmt| stmt.operands().contains(&Atom::Var(carry.var));
    body.iter().any(|stmt| !defines(stmt, carry.next) && uses(stmt))
}

/// Whether a statement defines an operand.
fn defines(stmt: &Stmt, operand: Operand) -> bool {
    matches!(operand, Atom::Var(v) if stmt.results().contains(&v))
}

/// Statements of one lane as one thread runs them: loops in it are serial.
fn in_thread(block: &Block) -> Block {
    let serial = |stmt: &Stmt| {
        let mut stmt = stmt.with_blocks(in_thread);
        if let Stmt::For { way, .. } = &mut stmt {
            *way = Way::Serial;
        }
        stmt
    };
    block.iter().map(serial).collect()
}

fn assign(var: Var, op: Op<Arg>) -> Stmt {
    Stmt::Scalar(scalar::Stmt::Let(var, op))
}

/// Another name for a value: a choice between it and itself, until names are resolved.
fn alias(var: Var, value: Operand) -> Stmt {
    assign(var, Op::Scalar(ScalarOp::Select, vec![TRUTH, value, value], Span::none()))
}

/// What a statement is another name for.
fn aliased(stmt: &Stmt) -> Option<(Var, Operand)> {
    match stmt {
        Stmt::Scalar(scalar::Stmt::Let(var, Op::Scalar(ScalarOp::Select, args, _)))
            if args[0] == TRUTH && args[1] == args[2] =>
        {
            Some((*var, args[1]))
        }
        _ => None,
    }
}

/// The block with values for the names that it gives them.
fn resolve(block: &Block) -> Block {
    fn collect(block: &Block, names: &mut BTreeMap<Var, Operand>) {
        for stmt in block {
            names.extend(aliased(stmt));
            stmt.blocks().into_iter().for_each(|block| collect(block, names));
        }
    }
    fn replace(block: &Block, operand: &impl Fn(Operand) -> Operand) -> Block {
        let left = block.iter().filter(|stmt| aliased(stmt).is_none());
        left.map(|stmt| match stmt {
            Stmt::If(cond, then, els) => {
                Stmt::If(operand(*cond), replace(then, operand), replace(els, operand))
            }
            Stmt::For { index, from, to, carried, body, way } => {
                let carry = |c: &Carry| Carry {
                    init: operand(c.init),
                    next: operand(c.next),
                    restart: c.restart.map(operand),
                    ..c.clone()
                };
                Stmt::For {
                    index: *index,
                    from: operand(*from),
                    to: operand(*to),
                    carried: carried.iter().map(carry).collect(),
                    body: replace(body, operand),
                    way: *way,
                }
            }
            _ => stmt.copy(&|v| v, operand),
        })
        .collect()
    }
    let mut names = BTreeMap::new();
    collect(block, &mut names);
    let operand = |mut atom: Operand| {
        while let Atom::Var(v) = atom
            && let Some(&value) = names.get(&v)
        {
            atom = value;
        }
        atom
    };
    replace(block, &operand)
}

/// The number of an id as an operand.
fn int(n: impl Into<i64>) -> Operand {
    Atom::Const(Const::I64(n.into()))
}
