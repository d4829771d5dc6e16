//! Builds kernels statement by statement.
//!
//! ```text
//! let i = builder.begin_for(from, to);
//! ... builder.scalar(...), builder.store(...)
//! builder.end_for(carried, Way::Simd);
//! ```

use crate::ir::{ArgInfo, ArgKind, Block, Body, Carry, Kernel, Partial, Stmt, Tiles, Way};
use crate::{Arg, Operand, Span, Var};
use base::IdMap;
use prim::{Monoid, ScalarOp, Ty};
use scalar::{Atom, Op};

/// A kernel under construction: a stack of open blocks.
#[derive(Clone, Debug)]
pub struct Builder {
    name: String,
    args: IdMap<Arg, ArgInfo>,
    vars: IdMap<Var, Ty>,
    tile: [Var; 3],
    partials: Vec<Partial>,
    open: Vec<Block>,
}

impl Builder {
    /// A kernel without statements.
    pub fn new(name: impl Into<String>) -> Builder {
        let mut vars = IdMap::new();
        let tile = [vars.push(Ty::I64), vars.push(Ty::I64), vars.push(Ty::I64)];
        let (args, partials, open) = (IdMap::new(), Vec::new(), vec![Vec::new()]);
        Builder { name: name.into(), args, vars, tile, partials, open }
    }
    /// The number of the tile, its first outer index and the one past its last.
    pub fn tile(&self) -> [Operand; 3] {
        self.tile.map(Atom::Var)
    }
    /// Adds an argument.
    pub fn arg(&mut self, ty: Ty, kind: ArgKind) -> Arg {
        self.args.push(ArgInfo { ty, kind })
    }
    /// A scalar argument as an operand.
    pub fn outer(&self, arg: Arg) -> Operand {
        Atom::Outer(arg, self.args[arg].ty)
    }
    /// A new variable, to be defined by a statement made elsewhere.
    pub fn fresh(&mut self, ty: Ty) -> Var {
        self.vars.push(ty)
    }
    /// The type of an operand.
    pub fn ty(&self, atom: Operand) -> Ty {
        match atom {
            Atom::Var(v) => self.vars[v],
            Atom::Const(c) => c.ty(),
            Atom::Outer(_, ty) => ty,
        }
    }
    /// Adds a statement.
    pub fn push(&mut self, stmt: Stmt) {
        if let Some(block) = self.open.last_mut() {
            block.push(stmt);
        }
    }
    /// Adds a scalar operation and gives its result.
    pub fn scalar(&mut self, op: ScalarOp, args: &[Operand], span: Span) -> Operand {
        let tys: Vec<Ty> = args.iter().map(|&a| self.ty(a)).collect();
        let ty = op.result(&tys).unwrap_or_else(|| unreachable!("{op} on {tys:?}"));
        self.define(ty, Op::Scalar(op, args.to_vec(), span))
    }
    /// Reads an element of a buffer.
    pub fn read(&mut self, buffer: Arg, index: Operand) -> Operand {
        self.define(self.args[buffer].ty, Op::Read(buffer, index))
    }
    fn define(&mut self, ty: Ty, op: Op<Arg>) -> Operand {
        let var = self.fresh(ty);
        self.push(Stmt::Scalar(scalar::Stmt::Let(var, op)));
        Atom::Var(var)
    }
    /// Adds a store.
    pub fn store(&mut self, buffer: Arg, index: Operand, value: Operand) {
        self.push(Stmt::Store(buffer, index, value));
    }

    /// Starts a block: of a loop, an arm, or the finish.
    pub fn begin(&mut self) {
        self.open.push(Vec::new());
    }
    /// Ends the block begun last.
    pub fn end(&mut self) -> Block {
        self.open.pop().unwrap_or_default()
    }
    /// Adds a loop over the block begun last, and gives the carried values after it.
    pub fn end_for(
        &mut self,
        index: Var,
        [from, to]: [Operand; 2],
        carried: &[(Var, Operand, Operand, Option<Monoid>)],
        way: Way,
    ) -> Vec<Operand> {
        let body = self.end();
        let carried: Vec<Carry> = carried
            .iter()
            .map(|&(var, init, next, monoid)| {
                let result = self.vars.push(self.vars[var]);
                Carry { var, init, next, result, monoid, chained: false, restart: None }
            })
            .collect();
        let results = carried.iter().map(|c| Atom::Var(c.result)).collect();
        self.push(Stmt::For { index, from, to, carried, body, way });
        results
    }
    /// Adds a reduction over all tiles: gives its number, and its result for the finish.
    pub fn partial(&mut self, monoid: Monoid, ty: Ty) -> (usize, Operand) {
        let result = self.fresh(ty);
        self.partials.push(Partial { monoid, result });
        (self.partials.len() - 1, Atom::Var(result))
    }
    /// The kernel: the block begun last is its finish, the one before its body.
    pub fn finish(mut self, tiles: Tiles) -> Kernel {
        let finish = self.end();
        let body = self.end();
        let (tile, partials) = (self.tile, self.partials);
        let body = Body::Tiles { tiles, tile, threads: None, partials, body, finish };
        Kernel { name: self.name, args: self.args, vars: self.vars, body }
    }
}
