//! Runs what only looks at the lanes that a filter keeps over all lanes, under the filter's
//! condition: the kept lanes need not be counted, numbered, or written.
//!
//! ```text
//! v4, v3 = filter [s1] \x0 x1 { gt (read v1 x0) 0.0 }
//! s2 = [s0 > v3] from s1 at v4
//! v5 = reduce [s2] add \x0 x1 { read v1 (read v4 x0) }
//!   becomes
//! v6 = map [s1] \x0 x1 { gt (read v1 x0) 0.0 }
//! v5 = reduce [s1] add \x0 x1 { if read v6 x0 { read v1 x0 } else { 0.0 } }
//! ```
//!
//! The law: combining the elements that a predicate keeps is combining all elements, the others
//! replaced by what is neutral (Bird, "An introduction to the theory of lists").  A filter of the
//! kept lanes is a filter of all lanes by both conditions, and how many are kept is a sum.
//!
//! # When
//!
//! All that is done with the kept lanes are maps, reductions and further filters, in the block of
//! the filter; positions among the kept lanes only say where to read what these lanes have.  Such a
//! position becomes one among all lanes.
//!
//! All lanes are run for each step instead of those kept.  That is cheaper than writing and reading
//! these where it happens once or twice, so more than two reductions one after the other stay.  So
//! does a map that costs more than reading it, and is read in a later pass.
//!
//! The first of several failures is the one that is told.  So at most one of the statements that
//! come together may fail, and nothing that may fail stands between them.

use crate::Code;
use crate::ir::{Block, Domain, Function, Op, Operand, Space, SpaceKind, Stmt, Value, ValueInfo};
use prim::{Const, Monoid, ScalarOp, Ty};
use rustc_hash::FxHashMap;
use scalar::{Atom, Builder, Item, Var};
use std::collections::BTreeSet;

/// Most passes, one after the other, over all lanes instead of those kept.
const PASSES: usize = 2;

/// Most operations that a lane may do in vain, or again.
const CHEAP_OPS: usize = 4;
/// Most vectors that it may read again.
const CHEAP_READS: usize = 2;

/// Dissolves filters in all blocks of a function.
pub fn dissolve_filters(function: &mut Function) {
    let mut body = std::mem::take(&mut function.body);
    let mut dissolve = Dissolve { function, elsewhere: Elsewhere::default() };
    dissolve.block(&mut body);
    function.body = body;
}

/// What other blocks than the one that is looked at use.
#[derive(Clone, Default)]
struct Elsewhere {
    values: BTreeSet<Value>,
    spaces: BTreeSet<Space>,
}

impl Elsewhere {
    fn add_stmt(&mut self, function: &Function, stmt: &Stmt) {
        self.values.extend(stmt.op.uses());
        if let Some(space) = stmt.op.space() {
            self.add_space(function, space);
        }
        match &stmt.op {
            Op::Scatter { target, .. } => self.add_space(function, *target),
            Op::If(_, then, els) => {
                [then, els].iter().for_each(|arm| self.add_block(function, arm));
            }
            _ => {}
        }
    }
    fn add_block(&mut self, function: &Function, block: &Block) {
        self.values.extend(block.yields.iter().filter_map(|y| y.value()));
        block.stmts.iter().for_each(|stmt| self.add_stmt(function, stmt));
    }
    fn add_space(&mut self, function: &Function, space: Space) {
        for space in function.chain(space) {
            self.spaces.insert(space);
            match function.spaces[space].kind {
                SpaceKind::Regular(_, Operand::Value(v)) | SpaceKind::Packed(_, v) => {
                    self.values.insert(v);
                }
                SpaceKind::Regular(_, Operand::Const(_)) | SpaceKind::Root => {}
            }
        }
    }
}

struct Dissolve<'f> {
    function: &'f mut Function,
    elsewhere: Elsewhere,
}

/// Whether code is pulled into its readers, wherever these are; what it reads at `positions` is at
/// hand.
fn is_cheap(code: &Code, positions: Value) -> bool {
    let (mut ops, mut reads, mut fits) = (0, 0, !code.has_effect());
    code.body.walk(&mut |item| match item {
        Item::Stmt(scalar::Stmt::Let(_, scalar::Op::Scalar(op, ..))) => {
            ops += 1;
            fits &= !op.is_heavy();
        }
        Item::Stmt(scalar::Stmt::Let(_, scalar::Op::Read(vector, _))) => {
            reads += usize::from(*vector != positions);
        }
        Item::Stmt(_) => fits = false,
        Item::Yields(_) => {}
    });
    fits && ops <= CHEAP_OPS && reads <= CHEAP_READS
}

/// Positions among kept lanes in a code.
#[derive(Default)]
struct Places {
    /// Variables that hold one.
    vars: BTreeSet<Var>,
    /// Whether the first of the lanes is read from.
    first: bool,
}

/// Where the first of some lanes is.
const FIRST: Atom<Value> = Atom::Const(Const::I64(0));

/// A filter that can be dissolved.
struct Found {
    filter: usize,
    /// What is filtered, and what it keeps.
    source: Space,
    kept: Space,
    positions: Value,
    /// How many are kept, if the parent is the root; else the offsets of what is kept.
    shape: Value,
    /// Whether the shape is used where the kept lanes are not.
    counted: bool,
    /// Whether the first of the kept lanes is asked for.
    first: bool,
}

impl Dissolve<'_> {
    fn block(&mut self, block: &mut Block) {
        for n in 0..block.stmts.len() {
            if let Op::If(_, mut then, mut els) = block.stmts[n].op.clone() {
                let around = self.elsewhere.clone();
                self.elsewhere.values.extend(block.yields.iter().filter_map(|y| y.value()));
                for (m, stmt) in block.stmts.iter().enumerate() {
                    if m != n {
                        self.elsewhere.add_stmt(self.function, stmt);
                    }
                }
                self.block(&mut then);
                self.block(&mut els);
                self.elsewhere = around;
                if let Op::If(_, first, second) = &mut block.stmts[n].op {
                    (*first, *second) = (then, els);
                }
            }
        }
        // A filter of kept lanes becomes one of the lanes that these were kept from.
        let mut n = 0;
        while n < block.stmts.len() {
            if let Some(found) = self.found(block, n) {
                self.apply(block, &found);
            }
            n += 1;
        }
    }

    /// The filter that is statement `n`, if it can be dissolved.
    fn found(&self, block: &Block, n: usize) -> Option<Found> {
        let Stmt { op: Op::Filter { space: source, code }, results, .. } = &block.stmts[n] else {
            return None;
        };
        let &[positions, shape] = results.as_slice() else { return None };
        let from = Some((*source, positions));
        let mut kept_spaces =
            self.function.spaces.ids().filter(|&s| self.function.spaces[s].from == from);
        let (kept, None) = (kept_spaces.next()?, kept_spaces.next()) else { return None };
        let mut found = Found {
            filter: n,
            source: *source,
            kept,
            positions,
            shape,
            counted: false,
            first: false,
        };
        let inside = |s: Space| self.function.chain(s).contains(&kept);
        let mut others = self.elsewhere.clone();
        others.values.extend(block.yields.iter().filter_map(|y| y.value()));
        // How often what is kept would be run through before a value is known, or a statement done.
        let mut passes = FxHashMap::from_iter([(shape, 1)]);
        // Maps that would have to be in memory, for all lanes, if a later pass read them.
        let mut costly: FxHashMap<Value, usize> = FxHashMap::default();
        let mut failing = usize::from(code.has_effect());
        let mut strangers = 0;
        let mut useful = false;
        for stmt in &block.stmts[n + 1..] {
            let mut before = 0;
            for value in stmt.op.uses() {
                before = before.max(passes.get(&value).copied().unwrap_or(0));
            }
            let over = stmt.op.space() == Some(kept);
            let in_pass = |v: &Value| costly.get(v).is_none_or(|&pass| over && pass == before);
            if !stmt.op.uses().iter().all(in_pass) {
                return None;
            }
            if let Op::Map { code, .. } = &stmt.op
                && over
                && !is_cheap(code, positions)
            {
                costly.extend(stmt.results.iter().map(|&r| (r, before)));
            }
            if over {
                found.counted |= stmt.op.uses().contains(&shape);
                if !matches!(stmt.op, Op::Map { .. } | Op::Reduce { .. } | Op::Filter { .. }) {
                    return None;
                }
                if stmt.op.has_effect() {
                    if strangers > 0 {
                        return None;
                    }
                    failing += 1;
                }
                if !matches!(stmt.op, Op::Map { .. }) {
                    // The condition would be met again behind what may fail in between.
                    if code.has_effect() && strangers > 0 {
                        return None;
                    }
                    useful = true;
                    before += 1;
                }
                if before > PASSES {
                    return None;
                }
            } else {
                others.add_stmt(self.function, stmt);
                strangers += usize::from(stmt.op.has_effect());
            }
            if self.places(stmt, &found)?.first {
                found.first = true;
                before = before.max(1);
            }
            passes.extend(stmt.results.iter().map(|&r| (r, before)));
        }
        // Nothing else may know of the lanes that are kept: values over them are looked at by
        // `places`, which has seen all of this block.
        let lanes = |v: &Value| match self.function.values[*v].domain {
            Domain::Lanes(s) | Domain::Offsets(s) => inside(s),
            Domain::Scalar | Domain::Pool => false,
        };
        let yielded = block.yields.iter().filter_map(|y| y.value());
        let nested = others.spaces.iter().any(|&s| inside(s));
        let away = self.elsewhere.values.iter().copied().chain(yielded).any(|v| lanes(&v));
        found.counted |= others.values.contains(&shape);
        let root = self.function.parent(*source) == Some(Function::root());
        useful |= found.first;
        let fits =
            useful && failing < 2 && !nested && !away && (root || !(found.counted || found.first));
        fits.then_some(found)
    }

    /// Variables of a statement's code that are positions among the kept lanes; none if something
    /// else is done with them than reading what these lanes have, or if that is read otherwise.
    fn places(&self, stmt: &Stmt, found: &Found) -> Option<Places> {
        let held = |v: &Value| self.function.values[*v].domain == Domain::Lanes(found.kept);
        let Some(code) = stmt.op.code() else {
            return (!stmt.op.uses().iter().any(held)).then(Places::default);
        };
        let outside_code = match &stmt.op {
            Op::Scatter { kind: crate::ir::ScatterKind::Write(base), .. } => base.iter().any(held),
            Op::Fail { pool, .. } => held(pool),
            _ => false,
        };
        if outside_code {
            return None;
        }
        let mut places = Places::default();
        let mut own_index = None;
        if stmt.op.space() == Some(found.kept) {
            let depth = code.params.len() - 1;
            places.vars.insert(code.params[depth - 1]);
            if depth == 1 {
                places.vars.insert(code.params[1]);
            } else {
                own_index = Some(code.params[depth]);
            }
        }
        let mut fits = true;
        code.body.walk(&mut |item| {
            match item {
                Item::Stmt(scalar::Stmt::Let(var, scalar::Op::Read(vector, index))) => {
                    let at_place = matches!(index, Atom::Var(v) if places.vars.contains(v));
                    let at_first = held(vector) && *index == FIRST;
                    places.first |= at_first;
                    fits &= (at_place || at_first) == held(vector);
                    if self.keeps_of(*vector, found.kept) {
                        places.vars.insert(*var);
                    }
                    return;
                }
                Item::Stmt(scalar::Stmt::Call(call)) => fits &= !call.vectors.iter().any(held),
                Item::Stmt(_) | Item::Yields(_) => {}
            }
            item.for_each_atom(&mut |atom| {
                if let Atom::Var(var) = atom {
                    fits &= !places.vars.contains(&var) && own_index != Some(var);
                }
            });
        });
        fits.then_some(places)
    }

    /// Whether a vector holds positions of a space that a filter of it has kept.
    fn keeps_of(&self, vector: Value, space: Space) -> bool {
        self.function.spaces.iter().any(|(_, info)| info.from == Some((space, vector)))
    }

    /// Lets all lanes do what the kept ones did.
    fn apply(&mut self, block: &mut Block, found: &Found) {
        let &Found { filter, source, kept, positions, shape, .. } = found;
        let meets =
            self.function.values.push(ValueInfo { ty: Ty::Bool, domain: Domain::Lanes(source) });
        let scalar = ValueInfo { ty: Ty::I64, domain: Domain::Scalar };
        let first = found.first.then(|| self.function.values.push(scalar));
        for n in filter + 1..block.stmts.len() {
            let stmt = &block.stmts[n];
            let Some(places) = self.places(stmt, found) else {
                unreachable!("it was looked at before")
            };
            let (over, op) = (stmt.op.space() == Some(kept), &mut block.stmts[n].op);
            let Some(code) = op.code_mut() else { continue };
            if !places.vars.is_empty() || places.first {
                *code = self.at_source(code, found, first);
            }
            if over {
                *op = Guard { function: self.function, source, meets, positions }.op(op);
            }
        }
        let stmt = &mut block.stmts[filter];
        let span = stmt.span;
        let Op::Filter { code, .. } = &stmt.op else { unreachable!("it is a filter") };
        *stmt =
            Stmt { results: vec![meets], op: Op::Map { space: source, code: code.clone() }, span };
        let mut more = Vec::new();
        if found.counted {
            let code = self.where_met(source, meets, |builder, met, _| {
                builder.scalar(ScalarOp::Btoi, &[met], base::Span::none())
            });
            let op = Op::Reduce { space: source, monoids: vec![Monoid::Add], code };
            more.push(Stmt { results: vec![shape], op, span });
        }
        if let Some(first) = first {
            let none = Atom::Const(Monoid::Min.identity(Ty::I64));
            let code = self.where_met(source, meets, |builder, met, place| {
                builder.scalar(ScalarOp::Select, &[met, place, none], base::Span::none())
            });
            let op = Op::Reduce { space: source, monoids: vec![Monoid::Min], code };
            more.push(Stmt { results: vec![first], op, span });
        }
        block.stmts.splice(filter + 1..filter + 1, more);
        // What the kept lanes had, all lanes have.
        for (_, info) in self.function.values.iter_mut() {
            if info.domain == Domain::Lanes(kept) {
                info.domain = Domain::Lanes(source);
            }
        }
        for (_, info) in self.function.spaces.iter_mut() {
            if let Some((space, _)) = &mut info.from
                && *space == kept
            {
                *space = source;
            }
        }
        self.function.spaces[kept].from = None;
    }

    /// Code that yields what `f` makes of whether the condition is met, and of the position.
    fn where_met(
        &self,
        source: Space,
        meets: Value,
        f: impl FnOnce(&mut Builder<Value>, Atom<Value>, Atom<Value>) -> Atom<Value>,
    ) -> Code {
        let mut builder = Builder::new();
        let depth = self.function.chain(source).len();
        let params: Vec<Var> = (0..=depth).map(|_| builder.param(Ty::I64)).collect();
        let place = Atom::Var(params[depth - 1]);
        let met = builder.read(Ty::Bool, meets, place);
        let value = f(&mut builder, met, place);
        builder.finish(vec![value])
    }

    /// Code in which places among the kept lanes are places among all lanes: what the positions
    /// said is where it is.
    fn at_source(&self, code: &Code, found: &Found, first: Option<Value>) -> Code {
        let held = |v: Value| self.function.values[v].domain == Domain::Lanes(found.kept);
        code.replace_reads(|builder, vector, index| {
            let place = match first {
                Some(first) if index == FIRST && held(vector) => {
                    // There is one, as was checked; what comes after a failed check is in range.
                    let first = builder.outer(first, Ty::I64);
                    let none = Atom::Const(Monoid::Min.identity(Ty::I64));
                    let any = builder.scalar(ScalarOp::Ne, &[first, none], base::Span::none());
                    builder.scalar(ScalarOp::Select, &[any, first, FIRST], base::Span::none())
                }
                _ => index,
            };
            if vector == found.positions {
                return Some(place);
            }
            let ty = self.function.values[vector].ty;
            (place != index).then(|| builder.read(ty, vector, place))
        })
    }
}

/// Puts a condition before what a lane does.
struct Guard<'f> {
    function: &'f Function,
    source: Space,
    meets: Value,
    positions: Value,
}

impl Guard<'_> {
    fn op(&self, op: &Op) -> Op {
        let space = self.source;
        let Some(code) = op.code() else { unreachable!("it runs lane by lane") };
        let tys = code.yield_tys();
        match op {
            Op::Map { .. } => {
                let other: Vec<Const> = tys.iter().map(|ty| ty.zero()).collect();
                let plain = self.runs_anywhere(code);
                let code = if plain { code.clone() } else { self.guarded(code, &other) };
                Op::Map { space, code }
            }
            Op::Reduce { monoids, .. } => {
                let neutral = |(monoid, ty): (&Monoid, &Ty)| monoid.identity(*ty);
                let other: Vec<Const> = monoids.iter().zip(&tys).map(neutral).collect();
                Op::Reduce { space, monoids: monoids.clone(), code: self.guarded(code, &other) }
            }
            Op::Filter { .. } => {
                Op::Filter { space, code: self.guarded(code, &[Const::Bool(false)]) }
            }
            _ => unreachable!("only maps, reductions and filters are over kept lanes"),
        }
    }

    /// The code's yields where the condition is met, else the others.
    fn guarded(&self, code: &Code, others: &[Const]) -> Code {
        let mut builder = Builder::new();
        let params: Vec<Var> = code.params.iter().map(|&p| builder.param(code.vars[p])).collect();
        let args: Vec<Atom<Value>> = params.iter().map(|&p| Atom::Var(p)).collect();
        let met = builder.read(Ty::Bool, self.meets, args[args.len() - 2]);
        let others: Vec<Atom<Value>> = others.iter().map(|&c| Atom::Const(c)).collect();
        let select = |builder: &mut Builder<Value>, yields: Vec<Atom<Value>>| {
            let pairs = yields.into_iter().zip(&others);
            pairs
                .map(|(value, &other)| {
                    builder.scalar(ScalarOp::Select, &[met, value, other], base::Span::none())
                })
                .collect::<Vec<_>>()
        };
        if self.runs_anywhere(code) {
            let yields = builder.inline(code, &args);
            let yields = select(&mut builder, yields);
            return builder.finish(yields);
        }
        builder.begin();
        let yields = builder.inline(code, &args);
        let results: Vec<Var> = yields
            .iter()
            .map(|&y| builder.ty(y))
            .collect::<Vec<_>>()
            .into_iter()
            .map(|ty| builder.fresh(ty))
            .collect();
        let then = builder.end(yields);
        builder.begin();
        let els = builder.end(others.clone());
        builder.push(scalar::Stmt::If { results: results.clone(), cond: met, then, els });
        builder.finish(results.into_iter().map(Atom::Var).collect())
    }

    /// Whether code costs little, and does no harm, in lanes that do not meet the condition: it
    /// reads only what these lanes and those around them have.
    fn runs_anywhere(&self, code: &Code) -> bool {
        let chain = self.function.chain(self.source);
        let mut ops = 0;
        let mut fits = !code.has_effect();
        code.body.walk(&mut |item| match item {
            Item::Stmt(scalar::Stmt::Let(_, scalar::Op::Scalar(op, ..))) => {
                ops += 1;
                fits &= !op.is_heavy();
            }
            Item::Stmt(scalar::Stmt::Let(_, scalar::Op::Read(vector, index))) => {
                let own = chain.iter().zip(&code.params).any(|(&space, &param)| {
                    *index == Atom::Var(param) && self.held_by(*vector, space)
                });
                fits &= own;
            }
            Item::Stmt(_) => fits = false,
            Item::Yields(_) => {}
        });
        fits && ops <= CHEAP_OPS
    }

    fn held_by(&self, vector: Value, space: Space) -> bool {
        match self.function.values[vector].domain {
            // What the kept lanes have is about to be what all lanes have.
            Domain::Lanes(s) => {
                s == space
                    || (space == self.source
                        && self.function.spaces[s].from == Some((space, self.positions)))
            }
            Domain::Offsets(s) => s == space,
            Domain::Scalar | Domain::Pool => false,
        }
    }
}
