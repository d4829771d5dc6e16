//! Builds scalar code statement by statement, nested blocks included.
//!
//! Operations on constants are folded, and a few identities (`x + 0`, `x * 1`, `select` of equal
//! arms) are used, because index arithmetic made by flattening is full of them.

use crate::code::{Atom, Block, Code, Name, Op, Span, Stmt, Var};
use base::{IdMap, Site};
use prim::{Const, ScalarOp, TOO_LONG, Ty, Widths};
use rustc_hash::FxHashMap;

/// Code under construction: a stack of open blocks.
#[derive(Clone, Debug)]
pub struct Builder<R> {
    params: Vec<Var>,
    vars: IdMap<Var, Ty>,
    open: Vec<Vec<Stmt<R>>>,
    /// So many statements of the outermost block are known to have no effect.
    quiet: usize,
    /// Variables that say of a bool that it is not, or are it as an int.
    bools: FxHashMap<Var, (ScalarOp, Atom<R>)>,
}

impl<R: Name> Default for Builder<R> {
    fn default() -> Self {
        Self::new()
    }
}

impl<R: Name> Builder<R> {
    /// Empty code.
    pub fn new() -> Self {
        Builder {
            params: Vec::new(),
            vars: IdMap::new(),
            open: vec![Vec::new()],
            quiet: 0,
            bools: FxHashMap::default(),
        }
    }
    /// An outer scalar of type `ty` as an operand.
    pub fn outer(&self, outer: R, ty: Ty) -> Atom<R> {
        Atom::Outer(outer, ty)
    }
    /// Adds a parameter.
    pub fn param(&mut self, ty: Ty) -> Var {
        let var = self.vars.push(ty);
        self.params.push(var);
        var
    }
    /// A new variable, to be assigned by a statement made elsewhere.
    pub fn fresh(&mut self, ty: Ty) -> Var {
        self.vars.push(ty)
    }
    /// The variable that comes next: those below it are older.
    pub fn next_var(&self) -> Var {
        self.vars.next_id()
    }
    /// The type of an operand.
    pub fn ty(&self, atom: Atom<R>) -> Ty {
        match atom {
            Atom::Var(v) => self.vars[v],
            Atom::Const(c) => c.ty(),
            Atom::Outer(_, ty) => ty,
        }
    }
    /// Whether nothing was built yet.
    pub fn is_empty(&self) -> bool {
        self.open.len() == 1 && self.open[0].is_empty()
    }
    /// Whether some statement so far may fail, call, or run for ever.
    pub fn has_effect(&mut self) -> bool {
        let effect = |s: &Stmt<R>| s.has_effect(&|atom| Some(self.ty(atom)));
        let Some((outermost, inner)) = self.open.split_first() else { return false };
        let quiet = outermost[self.quiet..].iter().take_while(|s| !effect(s)).count();
        let found = self.quiet + quiet < outermost.len() || inner.iter().flatten().any(effect);
        // This is asked again and again while a block grows.
        self.quiet += quiet;
        found
    }
    /// Adds a statement.
    pub fn push(&mut self, stmt: Stmt<R>) {
        if let Some(block) = self.open.last_mut() {
            block.push(stmt);
        }
    }
    /// Adds an operation of type `ty` and gives its result.
    pub fn emit(&mut self, ty: Ty, op: Op<R>) -> Atom<R> {
        let var = self.fresh(ty);
        self.push(Stmt::Let(var, op));
        Atom::Var(var)
    }
    /// A scalar operation; folded when it can be.
    pub fn scalar(&mut self, op: ScalarOp, args: &[Atom<R>], span: Span) -> Atom<R> {
        let known = fold(op, args).or_else(|| self.fold_same(op, args));
        if let Some(known) = known.or_else(|| self.fold_bools(op, args)) {
            return known;
        }
        let tys: Vec<Ty> = args.iter().map(|&a| self.ty(a)).collect();
        let ty = op.result(&tys).unwrap_or_else(|| unreachable!("{op} on {tys:?}"));
        // Only an operation that can fail has use for its place; without it, equal ones look equal.
        let span = if op.site(tys[0]).is_some() { span } else { Span::none() };
        let made = self.emit(ty, Op::Scalar(op, args.to_vec(), span));
        if let (Atom::Var(var), ScalarOp::Not | ScalarOp::Btoi) = (made, op)
            && tys == [Ty::Bool]
        {
            self.bools.insert(var, (op, args[0]));
        }
        made
    }
    /// What was known of a variable is not to be used any more: where it is assigned now, what it
    /// was made of is no longer there.
    pub fn forget(&mut self, var: Var) {
        self.bools.remove(&var);
    }
    /// What an operation on a value and itself comes to; not of floats, as `nan` is not itself.
    fn fold_same(&self, op: ScalarOp, args: &[Atom<R>]) -> Option<Atom<R>> {
        let &[a, b] = args else { return None };
        if a != b || self.ty(a) == Ty::F64 {
            return None;
        }
        match op {
            ScalarOp::Eq | ScalarOp::Le | ScalarOp::Ge => Some(Atom::Const(Const::Bool(true))),
            ScalarOp::Ne | ScalarOp::Lt | ScalarOp::Gt => Some(Atom::Const(Const::Bool(false))),
            ScalarOp::Sub => Some(Atom::Const(Const::I64(0))),
            ScalarOp::Min | ScalarOp::Max => Some(a),
            _ => None,
        }
    }
    /// What an atom says of a bool: that it is not, or the bool as an int.
    fn of_bool(&self, atom: Atom<R>, op: ScalarOp) -> Option<Atom<R>> {
        let Atom::Var(var) = atom else { return None };
        self.bools.get(&var).filter(|known| known.0 == op).map(|known| known.1)
    }
    /// The bool of which an atom says that it is not.
    pub(crate) fn negated(&self, atom: Atom<R>) -> Option<Atom<R>> {
        self.of_bool(atom, ScalarOp::Not)
    }
    /// What an operation on bools, or on bools as ints, comes to.
    fn fold_bools(&mut self, op: ScalarOp, args: &[Atom<R>]) -> Option<Atom<R>> {
        let constant = |atom: &Atom<R>| if let Atom::Const(c) = atom { Some(*c) } else { None };
        match (op, args) {
            (ScalarOp::Not, &[a]) => self.negated(a),
            (ScalarOp::Select, &[cond, a, b]) => {
                if let Some(cond) = self.negated(cond) {
                    return Some(self.scalar(op, &[cond, b, a], Span::none()));
                }
                let is_true = constant(&a) == Some(Const::Bool(true));
                let is_false = constant(&b) == Some(Const::Bool(false));
                if is_true && is_false {
                    return Some(cond);
                }
                if is_false {
                    return Some(self.scalar(ScalarOp::And, &[cond, a], Span::none()));
                }
                is_true.then(|| self.scalar(ScalarOp::Or, &[cond, b], Span::none()))
            }
            (
                ScalarOp::Eq
                | ScalarOp::Ne
                | ScalarOp::Lt
                | ScalarOp::Le
                | ScalarOp::Gt
                | ScalarOp::Ge,
                &[a, b],
            ) => {
                // A bool as an int is 0 or 1: what is said of each?
                let (bool, swapped, with) = match (constant(&a), constant(&b)) {
                    (None, Some(n)) => (self.of_bool(a, ScalarOp::Btoi)?, false, n),
                    (Some(n), None) => (self.of_bool(b, ScalarOp::Btoi)?, true, n),
                    _ => return None,
                };
                let said = |n: i64| {
                    let args = [Const::I64(n), with];
                    let args = if swapped { [args[1], args[0]] } else { args };
                    prim::eval::fold(op, &args).map(Const::bool)
                };
                Some(match (said(0)?, said(1)?) {
                    (false, true) => bool,
                    (true, false) => self.scalar(ScalarOp::Not, &[bool], Span::none()),
                    (same, _) => Atom::Const(Const::Bool(same)),
                })
            }
            _ => None,
        }
    }
    /// The number of lanes of `count` segments of one length: a product that is checked against
    /// the longest length.
    pub fn lanes(&mut self, widths: Widths, [count, length]: [Atom<R>; 2], span: Span) -> Atom<R> {
        let product = self.scalar(ScalarOp::Mul, &[count, length], span);
        if product == count || product == length {
            return product;
        }
        let int = |n| Atom::Const(Const::I64(n));
        let factors = [count, length].map(|n| self.scalar(ScalarOp::Max, &[n, int(0)], span));
        let high = self.scalar(ScalarOp::MulHigh, &factors, span);
        let low = self.scalar(ScalarOp::Mul, &factors, span);
        let bounds = [
            self.scalar(ScalarOp::Eq, &[high, int(0)], span),
            self.scalar(ScalarOp::Ge, &[low, int(0)], span),
            self.scalar(ScalarOp::Le, &[low, int(widths.max_length())], span),
        ];
        let [high, least, most] = bounds;
        let low = self.scalar(ScalarOp::And, &[least, most], span);
        let cond = self.scalar(ScalarOp::And, &[high, low], span);
        self.require_length(cond, product, span);
        product
    }
    /// The length of two sequences together, likewise: the operands are lengths.
    pub fn length(&mut self, widths: Widths, [a, b]: [Atom<R>; 2], span: Span) -> Atom<R> {
        let sum = self.scalar(ScalarOp::Add, &[a, b], span);
        if sum == a || sum == b {
            return sum;
        }
        let most = Atom::Const(Const::I64(widths.max_length()));
        let left = self.scalar(ScalarOp::Sub, &[most, b], span);
        let cond = self.scalar(ScalarOp::Le, &[a, left], span);
        self.require_length(cond, sum, span);
        sum
    }
    /// Fails unless `cond` holds: that a length is no larger than the longest.
    fn require_length(&mut self, cond: Atom<R>, length: Atom<R>, span: Span) {
        if cond != Atom::Const(Const::Bool(true)) {
            let args = [length, Atom::Const(Const::I64(TOO_LONG))];
            self.push(Stmt::Require { site: Site::Memory, cond, args, span });
        }
    }
    /// The element of a vector of type `ty`.
    pub fn read(&mut self, ty: Ty, vector: R, index: Atom<R>) -> Atom<R> {
        self.emit(ty, Op::Read(vector, index))
    }
    /// Starts a nested block.
    pub fn begin(&mut self) {
        self.open.push(Vec::new());
    }
    /// Ends the nested block begun last.
    pub fn end(&mut self, yields: Vec<Atom<R>>) -> Block<R> {
        let stmts = self.open.pop().unwrap_or_default();
        Block { stmts, yields }
    }
    /// The operation that a variable of the open blocks is the result of.
    pub fn made_by(&self, var: Var) -> Option<&Op<R>> {
        self.open.iter().rev().flat_map(|block| block.iter().rev()).find_map(|stmt| match stmt {
            Stmt::Let(result, op) if *result == var => Some(op),
            _ => None,
        })
    }
    /// How many nested blocks are open.
    pub fn depth(&self) -> usize {
        self.open.len()
    }
    /// The code, yielding `yields`.
    pub fn finish(mut self, yields: Vec<Atom<R>>) -> Code<R> {
        let stmts = self.open.pop().unwrap_or_default();
        Code { params: self.params, vars: self.vars, body: Block { stmts, yields } }
    }
}

/// The value of an operation on constants, or of one with a neutral operand.
fn fold<R: Name>(op: ScalarOp, args: &[Atom<R>]) -> Option<Atom<R>> {
    let consts: Option<Vec<Const>> =
        args.iter().map(|a| if let Atom::Const(c) = a { Some(*c) } else { None }).collect();
    if let Some(consts) = consts {
        return prim::eval::fold(op, &consts).map(Atom::Const);
    }
    let is = |atom: &Atom<R>, n: i64| *atom == Atom::Const(Const::I64(n));
    match (op, args) {
        (ScalarOp::Add, [a, b]) if is(b, 0) => Some(*a),
        (ScalarOp::Add, [a, b]) if is(a, 0) => Some(*b),
        (ScalarOp::Sub, [a, b]) if is(b, 0) => Some(*a),
        (ScalarOp::Mul, [a, b]) if is(b, 1) => Some(*a),
        (ScalarOp::Mul, [a, b]) if is(a, 1) => Some(*b),
        (ScalarOp::Mul, [a, b]) if is(a, 0) || is(b, 0) => Some(Atom::Const(Const::I64(0))),
        (ScalarOp::Select, [_, a, b]) if a == b => Some(*a),
        (ScalarOp::Select, [Atom::Const(c), a, b]) => Some(if c.bool() { *a } else { *b }),
        _ => None,
    }
}
