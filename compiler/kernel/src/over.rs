//! Whether an output may be the same memory as an input.
//!
//! ```text
//! kernel k0 add(a0: in f64, a1: in f64, a2: i64, a3: out f64 over a1)
//!     tiles of 16384 over a2 as x0 x1 x2 {
//!   for x3 in x1 .. x2 simd {
//!     x4: f64 = read a0 x3
//!     x5: f64 = read a1 x3
//!     x6 = add x4 x5
//!     store a3 x3 x6
//!   }
//! }
//! ```
//!
//! It may when each element is stored once, after all that reads this element of the input, by the
//! tile that does; and when the kernel cannot fail, because one that failed is run again.
//!
//! * One statement stores the output: in the body of a loop, on no condition, at the counter.  That
//!   loop, or the outermost around it, is over the range of the tile.
//! * The input is read at the same counter by the same iteration, before the store; or at the
//!   counter of a loop before it over the same range, in the same loops (the first pass of a scan,
//!   the sum of a row that is then divided by it).  The reads may all be a scalar argument further
//!   on, the start of a view; the two are the same only in launches where it is 0.
//! * Nothing else reads the input, neither what cuts the tiles nor what comes after them; and no
//!   two tiles have an iteration of that loop in common.
//! * Nothing fails, calls or runs for ever.
//!
//! Loops inside others run over segments, which do not overlap.  That cannot be seen in the text;
//! the evaluator sees it.

use crate::ir::{ArgKind, Block, Body, Kernel, Over, Segments, Stmt, Tiles};
use crate::{Arg, Operand, Var};
use prim::{ScalarOp, Ty};
use rustc_hash::FxHashMap;
use scalar::{Atom, Op};

impl Kernel {
    /// What it reads and stores where.
    pub fn accesses(&self) -> Accesses {
        match &self.body {
            Body::Tiles { body, finish, .. } => {
                Accesses { tiles: Uses::of(self, body), finish: Uses::of(self, finish) }
            }
            Body::Sort { .. } => Accesses::default(),
        }
    }

    /// How this output may be the same memory as this input; or why it may not.
    pub fn may_overwrite(&self, out: Arg, input: Arg) -> Result<Over, &'static str> {
        self.accesses().may_overwrite(self, out, input)
    }

    /// The outputs that may be the same memory as an input, and what input.
    pub fn overwritten(&self) -> impl Iterator<Item = (Arg, Over)> + '_ {
        self.args.iter().filter_map(|(out, info)| match info.kind {
            ArgKind::Over(over) => Some((out, over)),
            _ => None,
        })
    }

    /// The type of an operand.
    pub(crate) fn ty(&self, atom: Operand) -> Ty {
        match atom {
            Atom::Var(v) => self.vars.get(v).copied().unwrap_or(Ty::I64),
            Atom::Const(c) => c.ty(),
            Atom::Outer(_, ty) => ty,
        }
    }
}

/// Operations that are looked through to see that two ranges are the same.
const DEEPEST: usize = 8;

impl Tiles {
    /// The offsets that the tiles are cut by.
    fn offsets(&self) -> Option<Arg> {
        match self {
            Tiles::Balanced { segments, .. } | Tiles::Cut { segments, .. } => match segments {
                Segments::Offsets(offsets, _) => Some(*offsets),
                Segments::Even(_) => None,
            },
            Tiles::Once | Tiles::Even { .. } | Tiles::Whole { .. } | Tiles::Owners { .. } => None,
        }
    }
}

/// A loop.
#[derive(Clone, Copy)]
struct Loop {
    /// Its place in the text.
    at: usize,
    counter: Var,
    range: [Operand; 2],
}

/// A read of the input or a store to the output.
struct Access {
    at: usize,
    index: Operand,
    /// The loops around it, outermost first.
    loops: Vec<Loop>,
    /// Whether it stands in the body of the innermost of them itself.
    direct: bool,
}

/// What a kernel reads and stores where: with it many outputs and inputs are asked for at the cost
/// of one.
#[derive(Default)]
pub struct Accesses {
    tiles: Uses,
    finish: Uses,
}

impl Accesses {
    /// How this output of the kernel, of which these are the accesses, may be the same memory as
    /// this input; or why it may not.
    pub fn may_overwrite(
        &self,
        kernel: &Kernel,
        out: Arg,
        input: Arg,
    ) -> Result<Over, &'static str> {
        let (Some(to), Some(from)) = (kernel.args.get(out), kernel.args.get(input)) else {
            return Err("is no argument");
        };
        if !matches!(to.kind, ArgKind::Out | ArgKind::Over(_)) {
            return Err("is over something that is no mere output");
        }
        if from.kind != ArgKind::In || from.ty != to.ty {
            return Err("is no input of this type");
        }
        let Body::Tiles { tiles, tile, .. } = &kernel.body else {
            return Err("is sorted");
        };
        if tiles.offsets() == Some(input) {
            return Err("cuts the tiles");
        }
        if self.finish.fails || self.finish.touches(out, input) {
            return Err("is used after the tiles");
        }
        if self.tiles.fails {
            return Err("is read again when the kernel fails");
        }
        let pair = Pair { kernel, uses: &self.tiles, out, input };
        pair.judge(tiles, [tile[1], tile[2]].map(Atom::Var))
    }
}

/// What a block does with buffers.
#[derive(Default)]
struct Uses {
    reads: FxHashMap<Arg, Vec<Access>>,
    stores: FxHashMap<Arg, Vec<Access>>,
    /// How variables are computed.
    values: FxHashMap<Var, Op<Arg>>,
    /// Whether something may fail, call or run for ever.
    fails: bool,
}

impl Uses {
    fn of(kernel: &Kernel, block: &Block) -> Uses {
        let mut walk = Walk { kernel, at: 0, open: Vec::new(), uses: Uses::default() };
        walk.block(block, false);
        walk.uses
    }

    fn touches(&self, out: Arg, input: Arg) -> bool {
        self.reads.contains_key(&input) || self.stores.contains_key(&out)
    }
}

/// A walk over a block.
struct Walk<'k> {
    kernel: &'k Kernel,
    /// How many statements came before.
    at: usize,
    open: Vec<Loop>,
    uses: Uses,
}

impl<'k> Walk<'k> {
    fn access(&self, index: Operand, direct: bool) -> Access {
        Access { at: self.at, index, loops: self.open.clone(), direct }
    }

    fn block(&mut self, block: &'k Block, direct: bool) {
        for stmt in block {
            self.at += 1;
            self.stmt(stmt, direct);
        }
    }

    fn stmt(&mut self, stmt: &'k Stmt, direct: bool) {
        match stmt {
            Stmt::Scalar(stmt) => {
                self.uses.fails |= stmt.has_effect(&|atom| Some(self.kernel.ty(atom)));
                self.scalar(stmt);
            }
            Stmt::If(_, then, els) => {
                self.block(then, false);
                self.block(els, false);
            }
            Stmt::For { index, from, to, body, .. } => {
                self.open.push(Loop { at: self.at, counter: *index, range: [*from, *to] });
                self.block(body, true);
                self.open.pop();
            }
            Stmt::Pack { index, from, to, body, kept, stores, cursor, .. } => {
                self.open.push(Loop { at: self.at, counter: *index, range: [*from, *to] });
                self.block(body, false);
                self.block(kept, false);
                for (buffer, _) in stores {
                    self.store(*buffer, Atom::Var(*cursor), false);
                }
                self.open.pop();
            }
            Stmt::Store(buffer, index, _) => self.store(*buffer, *index, direct),
            // Of a buffer that is nothing else.
            Stmt::Raise(..)
            | Stmt::Partial(..)
            | Stmt::Chain { .. }
            | Stmt::Positions(_)
            | Stmt::Owner { .. }
            | Stmt::Owners(_)
            | Stmt::Ends(_)
            | Stmt::Rows(_)
            | Stmt::Barrier
            | Stmt::Combine(_)
            | Stmt::Scan(_) => {}
        }
    }

    fn store(&mut self, buffer: Arg, index: Operand, direct: bool) {
        let access = self.access(index, direct);
        self.uses.stores.entry(buffer).or_default().push(access);
    }

    fn scalar(&mut self, stmt: &'k scalar::Stmt<Arg>) {
        if let scalar::Stmt::Let(var, op) = stmt {
            self.uses.values.insert(*var, op.clone());
            if let Op::Read(buffer, index) = op {
                let access = self.access(*index, false);
                self.uses.reads.entry(*buffer).or_default().push(access);
            }
        }
        for block in stmt.blocks() {
            block.stmts.iter().for_each(|stmt| self.scalar(stmt));
        }
    }
}

/// An output and an input of a kernel.
struct Pair<'k> {
    kernel: &'k Kernel,
    uses: &'k Uses,
    out: Arg,
    input: Arg,
}

impl Pair<'_> {
    /// Whether all accesses keep the rules.
    fn judge(&self, tiles: &Tiles, whole: [Operand; 2]) -> Result<Over, &'static str> {
        let stores = self.uses.stores.get(&self.out).map_or(&[][..], Vec::as_slice);
        let [store] = stores else {
            return Err("is overwritten in several places");
        };
        let Some((own, around)) = store.loops.split_last() else {
            return Err("is overwritten outside loops");
        };
        if !store.direct || store.index != Atom::Var(own.counter) {
            return Err("is not overwritten at the counter of a loop");
        }
        // Lanes of a tile that cuts segments may be lanes of others; their elements are not.
        let apart = match tiles {
            Tiles::Even { .. } | Tiles::Balanced { .. } | Tiles::Whole { .. } => true,
            Tiles::Cut { own: [_, from, to], .. } => {
                let elements = [*from, *to].map(Atom::Var);
                if around.is_empty() && own.range == elements {
                    return self.judge_reads(around, own, store);
                }
                !around.is_empty()
            }
            Tiles::Once | Tiles::Owners { .. } => false,
        };
        if !apart || store.loops[0].range != whole {
            return Err("is overwritten by several tiles");
        }
        self.judge_reads(around, own, store)
    }

    /// Whether what is read is read before it is overwritten.
    fn judge_reads(
        &self,
        around: &[Loop],
        own: &Loop,
        store: &Access,
    ) -> Result<Over, &'static str> {
        let mut start = None;
        for read in self.uses.reads.get(&self.input).into_iter().flatten() {
            let found = read.loops.get(around.len()).ok_or("is read elsewhere")?;
            let together = read.loops.iter().zip(around).all(|(a, b)| a.at == b.at);
            let before = found.at == own.at
                || (found.at < own.at && self.same_range(found.range, own.range));
            if !(together && before && read.at < store.at) {
                return Err("is read elsewhere");
            }
            if read.index != Atom::Var(found.counter) {
                let from = self.start(read.index, found.counter).ok_or("is read elsewhere")?;
                if start.is_some_and(|start| start != from) {
                    return Err("is read from several places on");
                }
                start = Some(from);
            }
        }
        Ok(Over { input: self.input, start })
    }

    /// The scalar that an index is beyond a counter.
    fn start(&self, index: Operand, counter: Var) -> Option<Arg> {
        let Atom::Var(index) = index else { return None };
        let Some(Op::Scalar(ScalarOp::Add, args, _)) = self.uses.values.get(&index) else {
            return None;
        };
        match args.as_slice() {
            &[Atom::Outer(start, _), Atom::Var(v)] | &[Atom::Var(v), Atom::Outer(start, _)] => {
                (v == counter).then_some(start)
            }
            _ => None,
        }
    }

    fn same_range(&self, a: [Operand; 2], b: [Operand; 2]) -> bool {
        a.into_iter().zip(b).all(|(a, b)| self.same(a, b, DEEPEST))
    }

    /// Whether two operands are the same or computed in the same way, in so many operations.
    fn same(&self, a: Operand, b: Operand, most: usize) -> bool {
        let (Atom::Var(x), Atom::Var(y)) = (a, b) else { return a == b };
        if x == y || most == 0 {
            return x == y;
        }
        let all = |a: &[Operand], b: &[Operand]| {
            a.len() == b.len() && a.iter().zip(b).all(|(&a, &b)| self.same(a, b, most - 1))
        };
        match (self.uses.values.get(&x), self.uses.values.get(&y)) {
            (Some(Op::Scalar(f, a, _)), Some(Op::Scalar(g, b, _))) => f == g && all(a, b),
            (Some(Op::Read(u, a)), Some(Op::Read(v, b))) => {
                u == v && self.is_steady(*u) && all(&[*a], &[*b])
            }
            _ => false,
        }
    }

    /// Whether a buffer keeps its elements while the kernel runs.
    fn is_steady(&self, buffer: Arg) -> bool {
        let written = self.kernel.overwritten().any(|(_, over)| over.input == buffer);
        self.kernel.args[buffer].kind == ArgKind::In && buffer != self.input && !written
    }
}
