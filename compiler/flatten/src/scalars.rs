//! Scalar blocks and functions: nest code that stays whole inside the code of a lane.
//!
//! One translator serves two places: arms of an `if` inside a region (`R` = flat values), and
//! scalar functions (`R` = vector parameters).  Sequences are views of vectors that exist.
//! A function whose recursive calls are all in tail position becomes a loop.

use crate::choose::guarded;
use crate::endless::require_change;
use crate::held::{Held, Shape, Source, argument, declare, renamed};
use crate::twin::Flattener;
use base::Site;
use nest::{Block, Func, Op, Stmt, Type};
use prim::{Const, ScalarOp, Ty};
use rustc_hash::FxHashMap;
use scalar::{Atom, Builder, Call, Param, Span, Var};

/// The scalar types of a type without sequences.
pub(crate) fn scalar_types(ty: &Type, out: &mut Vec<Ty>) {
    match ty {
        Type::Scalar(t) => out.push(*t),
        Type::Tuple(parts) => parts.iter().for_each(|p| scalar_types(p, out)),
        Type::Seq(_) => unreachable!("a sequence among scalars"),
    }
}

/// Values in scope.
pub(crate) type Scope<R> = FxHashMap<nest::Value, Held<R>>;

/// A scalar block under translation.
pub(crate) struct Translator<'x, 'a, R> {
    pub(crate) flattener: &'x mut Flattener<'a>,
    pub(crate) source: &'a nest::Function,
    pub(crate) builder: &'x mut Builder<R>,
    pub(crate) scope: Scope<R>,
    /// While a function becomes a loop: itself and its result type.
    tail: Option<Func>,
}

impl<'x, 'a, R: scalar::Name> Translator<'x, 'a, R> {
    pub(crate) fn new(
        flattener: &'x mut Flattener<'a>,
        source: &'a nest::Function,
        builder: &'x mut Builder<R>,
        scope: Scope<R>,
    ) -> Self {
        Translator { flattener, source, builder, scope, tail: None }
    }

    fn get(&self, value: nest::Value) -> Held<R> {
        self.scope.get(&value).cloned().unwrap_or_else(|| unreachable!("{value} is not in scope"))
    }

    fn atom(&self, value: nest::Value) -> Atom<R> {
        self.get(value).atom()
    }

    /// The statements of a block, then its result.
    pub(crate) fn block(&mut self, block: &Block) -> Held<R> {
        for stmt in &block.stmts {
            let held = self.stmt(stmt);
            self.scope.insert(stmt.value, held);
        }
        self.get(block.result)
    }

    fn stmt(&mut self, stmt: &Stmt) -> Held<R> {
        let span = stmt.span;
        match &stmt.op {
            Op::Const(c) => Held::Atom(Atom::Const(*c)),
            Op::Copy(v) => self.get(*v),
            Op::Scalar(op, args) => {
                let atoms: Vec<_> = args.iter().map(|&a| self.atom(a)).collect();
                Held::Atom(self.builder.scalar(*op, &atoms, span))
            }
            Op::Require(site, [cond, a, b]) => {
                let (cond, args) = (self.atom(*cond), [self.atom(*a), self.atom(*b)]);
                require(self.builder, *site, cond, args, span);
                Held::Atom(Atom::Const(Const::Bool(true)))
            }
            Op::Tuple(parts) => Held::Tuple(parts.iter().map(|&p| self.get(p)).collect()),
            Op::Field(v, n) => match self.get(*v) {
                Held::Tuple(mut parts) => parts.swap_remove(*n),
                Held::Atom(_) | Held::View { .. } => unreachable!("{v} is no tuple"),
            },
            Op::Length(v) => match self.get(*v) {
                Held::View { len, .. } => Held::Atom(len),
                Held::Atom(_) | Held::Tuple(_) => unreachable!("{v} is no sequence"),
            },
            Op::Element(seq, index) => self.element(*seq, *index, span),
            Op::Slice { seq, start, count } => self.slice(*seq, *start, *count, span),
            Op::If(cond, then, els) => self.choose(stmt.value, *cond, then, els),
            Op::Call(func, args) => self.call(*func, args, span),
            op => unreachable!("{op:?} in scalar code"),
        }
    }

    fn element(&mut self, seq: nest::Value, index: nest::Value, span: Span) -> Held<R> {
        let Held::View { start, len, pool } = self.get(seq) else {
            unreachable!("{seq} is no sequence")
        };
        let index = self.atom(index);
        let (at, exists) = checked_position(self.builder, start, len, index, span);
        self.source_at(&pool, (at, exists), span)
    }

    /// The element of a pool at a position, and whether it exists.
    fn source_at(&mut self, pool: &Source<R>, at: (Atom<R>, Atom<R>), span: Span) -> Held<R> {
        match pool {
            Source::Chosen(number, pools) => self.sources_at(*number, pools, at, span),
            pool => {
                self.sources_at(Atom::Const(Const::I64(0)), std::slice::from_ref(pool), at, span)
            }
        }
    }

    /// The element at a position of the pool that has this number.
    fn sources_at(
        &mut self,
        number: Atom<R>,
        pools: &[Source<R>],
        at: (Atom<R>, Atom<R>),
        span: Span,
    ) -> Held<R> {
        match &pools[0] {
            Source::Scalar(_, ty) => {
                let firsts = vec![int(0); pools.len()];
                Held::Atom(self.one_of(number, (0, &firsts), pools, &[*ty], at, span)[0])
            }
            Source::Tuple(parts) => Held::Tuple(
                (0..parts.len())
                    .map(|n| {
                        let parts: Vec<_> = pools.iter().map(|pool| pool.part(n).clone()).collect();
                        self.sources_at(number, &parts, at, span)
                    })
                    .collect(),
            ),
            Source::View(..) | Source::Packed(..) | Source::Regular(..) => {
                self.sequences_at(number, pools, at, span)
            }
            Source::Chosen(..) | Source::Among(..) => unreachable!("a choice of choices"),
        }
    }

    /// The sequence at a position of the pool that has this number.
    fn sequences_at(
        &mut self,
        number: Atom<R>,
        pools: &[Source<R>],
        at: (Atom<R>, Atom<R>),
        span: Span,
    ) -> Held<R> {
        // All pools behind them, and for each pool the number of the first that is behind it.
        let (mut behind, mut firsts, mut choose) = (Vec::new(), Vec::new(), false);
        for pool in pools {
            firsts.push(int(behind.len()));
            match pool.inner() {
                Source::Among(_, inner) => {
                    choose = true;
                    behind.extend(inner.iter().cloned());
                }
                inner => behind.push(inner.clone()),
            }
        }
        let tys = if choose { &[Ty::I64; 3][..] } else { &[Ty::I64; 2] };
        let found = self.one_of(number, (0, &firsts), pools, tys, at, span);
        let pool = match behind.len() {
            1 => behind.swap_remove(0),
            _ => Source::Chosen(found.get(2).copied().unwrap_or(number), behind),
        };
        Held::View { start: found[0], len: found[1], pool }
    }

    /// What is at a position of one of these pools, the first of which has the number `from`: the
    /// scalar, or start, length and, if that is asked for, the number of the pool behind, where
    /// those behind each pool begin with these.
    fn one_of(
        &mut self,
        number: Atom<R>,
        (from, firsts): (usize, &[Atom<R>]),
        pools: &[Source<R>],
        tys: &[Ty],
        at: (Atom<R>, Atom<R>),
        span: Span,
    ) -> Vec<Atom<R>> {
        if let [pool] = pools {
            let mut found = self.held_at(pool, at, span);
            if tys.len() == 3 {
                found.push(self.number_behind(pool, firsts[0], at, span));
            }
            return found;
        }
        let (low, high) = pools.split_at(pools.len() / 2);
        let (firsts_low, firsts_high) = firsts.split_at(low.len());
        let middle = from + low.len();
        let cond = self.builder.scalar(ScalarOp::Lt, &[number, int(middle)], span);
        let results: Vec<Var> = tys.iter().map(|&t| self.builder.fresh(t)).collect();
        let mut arm = |from, pools| {
            self.builder.begin();
            let yields = self.one_of(number, from, pools, tys, at, span);
            self.builder.end(yields)
        };
        let (then, els) = (arm((from, firsts_low), low), arm((middle, firsts_high), high));
        self.builder.push(scalar::Stmt::If { results: results.clone(), cond, then, els });
        results.into_iter().map(Atom::Var).collect()
    }

    /// The number of the pool behind the segment at a position.
    fn number_behind(
        &mut self,
        pool: &Source<R>,
        first: Atom<R>,
        (at, exists): (Atom<R>, Atom<R>),
        span: Span,
    ) -> Atom<R> {
        let Source::Among(choices, pools) = pool.inner() else { return first };
        let [number] =
            guarded(self.builder, Some(exists), |builder| [builder.read(Ty::I64, *choices, at)]);
        // See `Context::kept_among`.
        let number = self.builder.scalar(ScalarOp::Min, &[number, int(pools.len() - 1)], span);
        self.builder.scalar(ScalarOp::Add, &[first, number], span)
    }

    /// What is at a position of a pool: the scalar, or start and length, which are 0 if nothing is.
    fn held_at(
        &mut self,
        pool: &Source<R>,
        (at, exists): (Atom<R>, Atom<R>),
        span: Span,
    ) -> Vec<Atom<R>> {
        let segment = match pool {
            Source::Scalar(r, ty) => return vec![self.builder.read(*ty, *r, at)],
            Source::View(starts, lens, _) => guarded(self.builder, Some(exists), |builder| {
                [starts, lens].map(|r| builder.read(Ty::I64, *r, at))
            }),
            Source::Packed(offsets, _) => guarded(self.builder, Some(exists), |builder| {
                let start = builder.read(Ty::I64, *offsets, at);
                let one = Atom::Const(Const::I64(1));
                let next = builder.scalar(ScalarOp::Add, &[at, one], span);
                let end = builder.read(Ty::I64, *offsets, next);
                [start, builder.scalar(ScalarOp::Sub, &[end, start], span)]
            }),
            Source::Regular(len, _) => guarded(self.builder, Some(exists), |builder| {
                [builder.scalar(ScalarOp::Mul, &[at, *len], span), *len]
            }),
            Source::Tuple(_) | Source::Chosen(..) | Source::Among(..) => {
                unreachable!("no single pool")
            }
        };
        segment.into()
    }

    fn slice(
        &mut self,
        seq: nest::Value,
        from: nest::Value,
        count: nest::Value,
        span: Span,
    ) -> Held<R> {
        let Held::View { start, len, pool } = self.get(seq) else {
            unreachable!("{seq} is no sequence")
        };
        let (from, count) = (self.atom(from), self.atom(count));
        let (start, len) = clamped_slice(self.builder, start, len, from, count, span);
        Held::View { start, len, pool }
    }

    fn choose(&mut self, result: nest::Value, cond: nest::Value, a: &Block, b: &Block) -> Held<R> {
        let cond = self.atom(cond);
        if let Atom::Const(known) = cond {
            return self.block(if known.bool() { a } else { b });
        }
        let ty = self.source.values[result].ty.clone();
        let mut tys = Vec::new();
        scalar_types(&ty, &mut tys);
        let then = self.arm(a);
        let els = self.arm(b);
        let results: Vec<Var> = tys.iter().map(|&t| self.builder.fresh(t)).collect();
        let mut atoms = results.clone().into_iter().map(Atom::Var);
        self.builder.push(scalar::Stmt::If { results, cond, then, els });
        Held::from_atoms(&ty, &mut atoms)
    }

    fn arm(&mut self, block: &Block) -> scalar::Block<R> {
        self.builder.begin();
        let held = self.block(block);
        let mut yields = Vec::new();
        held.atoms(&mut yields);
        self.builder.end(yields)
    }

    fn call(&mut self, func: Func, args: &[nest::Value], span: Span) -> Held<R> {
        let held: Vec<Held<R>> = args.iter().map(|&a| self.get(a)).collect();
        if !self.flattener.analysis.called[base::Id::index(func)] {
            return self.inline(func, held);
        }
        let (mut atoms, mut vectors) = (Vec::new(), Vec::new());
        for arg in &held {
            argument(arg, &mut atoms, &mut vectors);
        }
        let id = self.flattener.scalar_function(func, held.iter().map(Held::shape).collect());
        let callee = &self.flattener.nest.funcs[func];
        let ty = callee.values[callee.body.result].ty.clone();
        let mut tys = Vec::new();
        scalar_types(&ty, &mut tys);
        let results: Vec<Var> = tys.iter().map(|&t| self.builder.fresh(t)).collect();
        let mut values = results.clone().into_iter().map(Atom::Var);
        let call = Call { results, func: id, args: atoms, vectors, span };
        self.builder.push(scalar::Stmt::Call(call));
        Held::from_atoms(&ty, &mut values)
    }

    /// The body of a callee in place of the call.
    fn inline(&mut self, func: Func, args: Vec<Held<R>>) -> Held<R> {
        let callee = &self.flattener.nest.funcs[func];
        let scope = callee.params.iter().copied().zip(args).collect();
        let mut inner = Translator::new(self.flattener, callee, self.builder, scope);
        inner.block(&callee.body)
    }

    /// A block in tail position of a function that becomes a loop: yields `again`, the next
    /// parameters, the results.
    fn tail_block(&mut self, block: &Block, params: &[Var], results: &[Ty]) -> Vec<Atom<R>> {
        let Some((last, before)) = block.stmts.split_last() else {
            return self.leave(block, params);
        };
        if last.value != block.result {
            self.block(block);
            return self.leave(block, params);
        }
        for stmt in before {
            let held = self.stmt(stmt);
            self.scope.insert(stmt.value, held);
        }
        match &last.op {
            Op::Call(func, args) if Some(*func) == self.tail => {
                let mut yields = vec![Atom::Const(Const::Bool(true))];
                for &arg in args {
                    self.get(arg).parts(&mut yields);
                }
                require_change(self.builder, params, &yields[1..], last.span);
                yields.extend(results.iter().map(|t| Atom::Const(t.zero())));
                yields
            }
            Op::If(cond, a, b) => {
                let cond = self.atom(*cond);
                if let Atom::Const(known) = cond {
                    return self.tail_block(if known.bool() { a } else { b }, params, results);
                }
                let mut tys = vec![Ty::Bool];
                tys.extend(params.iter().map(|&p| self.builder.ty(Atom::Var(p))));
                tys.extend(results);
                self.builder.begin();
                let yields = self.tail_block(a, params, results);
                let then = self.builder.end(yields);
                self.builder.begin();
                let yields = self.tail_block(b, params, results);
                let els = self.builder.end(yields);
                let vars: Vec<Var> = tys.iter().map(|&t| self.builder.fresh(t)).collect();
                let atoms = vars.iter().map(|&v| Atom::Var(v)).collect();
                self.builder.push(scalar::Stmt::If { results: vars, cond, then, els });
                atoms
            }
            _ => {
                let held = self.stmt(last);
                self.scope.insert(last.value, held);
                self.leave(block, params)
            }
        }
    }

    fn leave(&mut self, block: &Block, params: &[Var]) -> Vec<Atom<R>> {
        let mut yields = vec![Atom::Const(Const::Bool(false))];
        yields.extend(params.iter().map(|&p| Atom::Var(p)));
        self.get(block.result).atoms(&mut yields);
        yields
    }
}

/// `start + index`, the check recorded, and whether it is inside the sequence; if not, the position
/// is 0, which can be read in every pool.
pub(crate) fn checked_position<R: scalar::Name>(
    builder: &mut Builder<R>,
    start: Atom<R>,
    len: Atom<R>,
    index: Atom<R>,
    span: Span,
) -> (Atom<R>, Atom<R>) {
    let zero = Atom::Const(Const::I64(0));
    let low = builder.scalar(ScalarOp::Ge, &[index, zero], span);
    let high = builder.scalar(ScalarOp::Lt, &[index, len], span);
    let inside = builder.scalar(ScalarOp::And, &[low, high], span);
    require(builder, Site::Index, inside, [index, len], span);
    let at = builder.scalar(ScalarOp::Add, &[start, index], span);
    (builder.scalar(ScalarOp::Select, &[inside, at, zero], span), inside)
}

/// Start and length of a slice, kept inside the sequence whatever `from` and `count` are.
pub(crate) fn clamped_slice<R: scalar::Name>(
    builder: &mut Builder<R>,
    start: Atom<R>,
    len: Atom<R>,
    from: Atom<R>,
    count: Atom<R>,
    span: Span,
) -> (Atom<R>, Atom<R>) {
    let zero = Atom::Const(Const::I64(0));
    let mut op = |op, args: &[Atom<R>]| builder.scalar(op, args, span);
    let from = op(ScalarOp::Max, &[from, zero]);
    let from = op(ScalarOp::Min, &[from, len]);
    let room = op(ScalarOp::Sub, &[len, from]);
    let count = op(ScalarOp::Max, &[count, zero]);
    let count = op(ScalarOp::Min, &[count, room]);
    (op(ScalarOp::Add, &[start, from]), count)
}

/// Adds a check, unless it is known to hold.
pub(crate) fn require<R: scalar::Name>(
    builder: &mut Builder<R>,
    site: Site,
    cond: Atom<R>,
    args: [Atom<R>; 2],
    span: Span,
) {
    if cond != Atom::Const(Const::Bool(true)) {
        builder.push(scalar::Stmt::Require { site, cond, args, span });
    }
}

impl<'a> Flattener<'a> {
    /// The scalar function made from a nest function for arguments of these shapes.
    pub(crate) fn scalar_function(&mut self, func: Func, shapes: Vec<Shape>) -> scalar::Func {
        let key = (func, shapes);
        if let Some(&known) = self.scalar_functions.get(&key) {
            return known;
        }
        let source: &'a nest::Function = &self.nest.funcs[func];
        let empty = scalar::Function {
            name: source.name.clone(),
            vectors: Vec::new(),
            code: Builder::new().finish(Vec::new()),
            results: Vec::new(),
        };
        let id = self.out.scalars.push(empty);
        self.scalar_functions.insert(key.clone(), id);
        let function = self.translate_scalar_function(func, source, &key.1);
        self.out.scalars[id] = function;
        id
    }

    fn translate_scalar_function(
        &mut self,
        func: Func,
        source: &'a nest::Function,
        shapes: &[Shape],
    ) -> scalar::Function {
        let mut builder: Builder<Param> = Builder::new();
        let mut vectors = Vec::new();
        let mut outer = Vec::new();
        let mut declared: Vec<Held<Param>> = Vec::new();
        for (&p, shape) in source.params.iter().zip(shapes) {
            let ty = &source.values[p].ty;
            declared.push(declare(&mut builder, ty, shape, &mut outer, &mut vectors));
        }
        let mut results = Vec::new();
        scalar_types(&source.values[source.body.result].ty, &mut results);
        let yields = if self.only_tail_calls(func, source) {
            self.loop_body(func, source, &mut builder, &declared, &outer, &results)
        } else {
            let scope = source.params.iter().copied().zip(declared).collect();
            let mut inner = Translator::new(self, source, &mut builder, scope);
            let mut yields = Vec::new();
            inner.block(&source.body).atoms(&mut yields);
            yields
        };
        // A choice may have been made of more than what is used of it.
        let code = builder.finish(yields).remove_dead_code();
        scalar::Function { name: source.name.clone(), vectors, code, results }
    }

    /// The body as a loop over its own parameters.
    fn loop_body(
        &mut self,
        func: Func,
        source: &'a nest::Function,
        builder: &mut Builder<Param>,
        declared: &[Held<Param>],
        outer: &[Var],
        results: &[Ty],
    ) -> Vec<Atom<Param>> {
        let tys: Vec<Ty> = outer.iter().map(|&v| builder.ty(Atom::Var(v))).collect();
        let params: Vec<Var> = tys.into_iter().map(|t| builder.fresh(t)).collect();
        let mut inside = params.iter().copied();
        let scope = source
            .params
            .iter()
            .zip(declared)
            .map(|(&p, held)| (p, renamed(held, &mut inside)))
            .collect();
        builder.begin();
        let mut inner = Translator::new(self, source, builder, scope);
        inner.tail = Some(func);
        let yields = inner.tail_block(&source.body, &params, results);
        let body = builder.end(yields);
        let vars: Vec<Var> = results.iter().map(|&t| builder.fresh(t)).collect();
        let init = outer.iter().map(|&v| Atom::Var(v)).collect();
        let atoms = vars.iter().map(|&v| Atom::Var(v)).collect();
        builder.push(scalar::Stmt::Loop { results: vars, params, init, body });
        atoms
    }

    /// Whether all calls of a function in itself stand in tail position and hand on its sequences
    /// unchanged in their pools, and no other function leads back to it.
    fn only_tail_calls(&self, func: Func, source: &nest::Function) -> bool {
        let mut calls = 0;
        crate::analysis::each_block(&source.body, &mut |b| {
            for s in &b.stmts {
                if let Op::Call(f, _) = s.op
                    && self.analysis.recursive[base::Id::index(f)]
                {
                    calls += 1;
                }
            }
        });
        let has_sequences = source.params.iter().any(|&p| !source.values[p].ty.is_flat());
        let pools_fixed = !has_sequences || passes_pools(func, source, &source.body);
        calls > 0 && calls == tail_calls(func, &source.body) && pools_fixed
    }
}

fn tail_calls(func: Func, block: &Block) -> usize {
    match block.stmts.last() {
        Some(last) if last.value == block.result => match &last.op {
            Op::Call(f, _) if *f == func => 1,
            Op::If(_, a, b) => tail_calls(func, a) + tail_calls(func, b),
            _ => 0,
        },
        _ => 0,
    }
}

/// Whether every call of `func` hands each sequence parameter on as itself or a slice of itself.
fn passes_pools(func: Func, source: &nest::Function, body: &Block) -> bool {
    let mut slices: FxHashMap<nest::Value, nest::Value> = FxHashMap::default();
    let mut fits = true;
    crate::analysis::each_block(body, &mut |b| {
        for s in &b.stmts {
            match &s.op {
                Op::Slice { seq, .. } | Op::Copy(seq) => {
                    let origin = slices.get(seq).copied().unwrap_or(*seq);
                    slices.insert(s.value, origin);
                }
                Op::Call(f, args) if *f == func => {
                    fits &= args.iter().zip(&source.params).all(|(a, p)| {
                        source.values[*p].ty.is_flat() || slices.get(a).unwrap_or(a) == p
                    });
                }
                _ => {}
            }
        }
    });
    fits
}

/// A number of a pool.
fn int<R>(n: usize) -> Atom<R> {
    Atom::Const(Const::I64(i64::try_from(n).unwrap_or(i64::MAX)))
}
