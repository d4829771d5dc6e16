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

mod guard;
mod index;

use self::guard::Guard;
use self::index::Index;
use crate::Code;
use crate::ir::{
    Block, Domain, Function, Op, ScatterKind, Space, SpaceKind, Stmt, Value, ValueInfo,
};
use base::Span;
use prim::{Const, Monoid, ScalarOp, Ty, Widths};
use rustc_hash::FxHashMap;
use scalar::{Atom, Builder, Item, Var};
use std::collections::{BTreeMap, BTreeSet};

/// Most passes, one after the other, over all lanes instead of those kept.
const PASSES: usize = 2;

/// Most operations that a lane may do in vain, or again.
const CHEAP_OPS: usize = 4;
/// Most vectors that it may read again.
const CHEAP_READS: usize = 2;

/// Dissolves filters in all blocks of a function.
pub fn dissolve_filters(function: &mut Function, widths: Widths) {
    let mut body = std::mem::take(&mut function.body);
    in_block(function, widths, &mut body);
    function.body = body;
}

fn in_block(function: &mut Function, widths: Widths, block: &mut Block) {
    for stmt in &mut block.stmts {
        if let Op::If(_, then, els) = &mut stmt.op {
            in_block(function, widths, then);
            in_block(function, widths, els);
        }
    }
    let filters: Vec<usize> = (0..block.stmts.len())
        .filter(|&n| matches!(block.stmts[n].op, Op::Filter { .. }))
        .collect();
    if filters.is_empty() {
        return;
    }
    // What is kept is known in the block of its filter only, so that the index stays true: a
    // filter that is dissolved changes nothing that is asked about those after it.
    let index = Index::of(function, block);
    let mut more = BTreeMap::new();
    for n in filters {
        let search = Search { function, widths, block, index: &index };
        if let Some(found) = search.found(n) {
            more.insert(n, apply(function, block, &index, &found));
        }
    }
    let stmts = std::mem::take(&mut block.stmts);
    for (n, stmt) in stmts.into_iter().enumerate() {
        block.stmts.push(stmt);
        block.stmts.extend(more.remove(&n).into_iter().flatten());
    }
}

/// A filter that can be dissolved.
struct Found {
    filter: usize,
    /// Of the program's numbers.
    widths: Widths,
    /// What is filtered, and what it keeps.
    source: Space,
    kept: Space,
    positions: Value,
    /// How many are kept, if the parent is the root; else the offsets of what is kept.
    shape: Value,
    /// Statements that look at kept lanes.
    users: BTreeSet<usize>,
    /// Whether it is asked how many are kept.
    counted: bool,
    /// Whether the first of the kept lanes is asked for.
    first: bool,
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

struct Search<'a> {
    function: &'a Function,
    widths: Widths,
    block: &'a Block,
    index: &'a Index,
}

impl Search<'_> {
    /// The filter that is statement `n`, if it can be dissolved.
    fn found(&self, n: usize) -> Option<Found> {
        let Stmt { op: Op::Filter { space: source, code }, results, .. } = &self.block.stmts[n]
        else {
            return None;
        };
        let &[positions, shape] = results.as_slice() else { return None };
        let kept = self.index.kept_by(positions)?;
        if self.index.is_parent(kept) || self.index.is_yielded_of(kept) {
            return None;
        }
        let users = self.index.users_of_lanes(kept);
        let mut found = Found {
            widths: self.widths,
            filter: n,
            source: *source,
            kept,
            positions,
            shape,
            users,
            counted: false,
            first: false,
        };
        let over = |n: usize| self.block.stmts[n].op.space() == Some(kept);
        for &user in &found.users {
            found.first |= places(self.function, &self.block.stmts[user], &found)?.first;
        }
        // Without users it is at most asked how many are kept.
        let useful = found.first
            || found.users.is_empty()
            || found.users.iter().any(|&n| {
                over(n) && matches!(self.block.stmts[n].op, Op::Reduce { .. } | Op::Filter { .. })
            });
        found.counted = self.is_counted(&found)?;
        let root = self.function.parent(*source) == Some(Function::root());
        let fits = useful && (root || !found.first);
        (fits && self.fails_once(&found, code.has_effect()) && self.is_brief(&found))
            .then_some(found)
    }

    /// Whether it is asked how many lanes are kept; none if it is asked otherwise than can be
    /// answered without them.
    fn is_counted(&self, found: &Found) -> Option<bool> {
        let yielded = self.index.is_yielded(found.shape);
        let users = self.index.users(found.shape);
        let root = self.function.parent(found.source) == Some(Function::root());
        let asked: Vec<usize> = users
            .filter(|&n| {
                let stmt = &self.block.stmts[n];
                // Not by statements over kept lanes, which will not be there.
                stmt.op.space() != Some(found.kept) || stmt.op.uses().contains(&found.shape)
            })
            .collect();
        if root {
            return Some(yielded || !asked.is_empty());
        }
        let length = |&n: &usize| {
            let op = &self.block.stmts[n].op;
            let is_code = op.code().is_some_and(|code| asks_lengths(code, found.shape));
            is_code && !self.has_shape(op, found.shape)
        };
        (!yielded && asked.iter().all(length)).then_some(!asked.is_empty())
    }

    /// Whether an operation works over segments that offsets describe.
    fn has_shape(&self, op: &Op, offsets: Value) -> bool {
        let target = if let Op::Scatter { target, .. } = op { Some(*target) } else { None };
        let spaces = op.space().into_iter().chain(target);
        let mut chains = spaces.flat_map(|space| self.function.chain(space));
        chains.any(|space| {
            matches!(self.function.spaces[space].kind, SpaceKind::Packed(_, v) if v == offsets)
        })
    }

    /// Whether at most one of the statements that come together may fail, and nothing that may
    /// fail stands between them: so the first failure stays the first.
    fn fails_once(&self, found: &Found, filter: bool) -> bool {
        let own: Vec<usize> = self.over(found).collect();
        let failing = |n: &&usize| self.block.stmts[**n].op.has_effect();
        let mut last = own.iter().filter(failing).copied().max();
        let count = usize::from(filter) + own.iter().filter(failing).count();
        if filter {
            last = own.last().copied();
        }
        let strangers = last.is_some_and(|last| {
            let mut between = self.index.failing(found.filter + 1..last);
            between.any(|n| !own.contains(&n))
        });
        count < 2 && !strangers
    }

    /// Statements over the kept lanes.
    fn over(&self, found: &Found) -> impl Iterator<Item = usize> {
        let over = |n: &usize| self.block.stmts[*n].op.space() == Some(found.kept);
        found.users.iter().copied().filter(over)
    }

    /// Whether few passes over all lanes do what was done with those kept, and what one of them
    /// computes at some cost is not needed by the next.
    fn is_brief(&self, found: &Found) -> bool {
        // After how many passes a value is known.
        let mut passes = FxHashMap::from_iter([(found.shape, 1)]);
        let mut costly: FxHashMap<Value, usize> = FxHashMap::default();
        let mut most = usize::from(found.first);
        for &n in &found.users {
            let stmt = &self.block.stmts[n];
            let over = stmt.op.space() == Some(found.kept);
            let known = |value: &Value| match passes.get(value) {
                Some(&pass) => pass,
                // What others make meanwhile may come from the passes so far.
                None if self.index.is_made_after(*value, found.filter) => most,
                None => 0,
            };
            let uses = stmt.op.uses();
            let before = uses.iter().map(known).max().unwrap_or(0);
            let in_pass = |v: &Value| costly.get(v).is_none_or(|&pass| over && pass == before);
            if !uses.iter().all(in_pass) {
                return false;
            }
            if !over {
                continue;
            }
            let after = before + usize::from(!matches!(stmt.op, Op::Map { .. }));
            if let Op::Map { code, .. } = &stmt.op
                && !is_cheap(code, found.positions)
            {
                costly.extend(stmt.results.iter().map(|&r| (r, before)));
            }
            passes.extend(stmt.results.iter().map(|&r| (r, after)));
            most = most.max(after);
        }
        most <= PASSES
    }
}

/// Variables of a statement's code that are positions among the kept lanes; none if something else
/// is done with them than reading what these lanes have, or if that is read otherwise.
fn places(function: &Function, stmt: &Stmt, found: &Found) -> Option<Places> {
    let held = |v: &Value| function.values[*v].domain == Domain::Lanes(found.kept);
    let over = stmt.op.space() == Some(found.kept);
    let code = stmt.op.code()?;
    let whole = match &stmt.op {
        Op::Map { .. } | Op::Reduce { .. } | Op::Filter { .. } => false,
        Op::Scatter {
            kind: ScatterKind::Write(base) | ScatterKind::Into(base), target, ..
        } => over || *target == found.kept || base.iter().any(held),
        Op::Scatter { target, .. } => over || *target == found.kept,
        Op::Fail { pool, .. } => over || held(pool),
        _ => over,
    };
    if whole {
        return None;
    }
    let mut places = Places::default();
    let mut own_index = None;
    if over {
        let depth = code.params.len() - 1;
        places.vars.insert(code.params[depth - 1]);
        match depth {
            1 => places.vars.insert(code.params[1]),
            _ => own_index.replace(code.params[depth]).is_none(),
        };
    }
    let mut fits = true;
    code.body.walk(&mut |item| {
        match item {
            Item::Stmt(scalar::Stmt::Let(var, scalar::Op::Read(vector, index))) => {
                let at_place = matches!(index, Atom::Var(v) if places.vars.contains(v));
                let at_first = held(vector) && *index == FIRST;
                places.first |= at_first;
                fits &= (at_place || at_first) == held(vector);
                if keeps_of(function, *vector, found.kept) {
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
fn keeps_of(function: &Function, vector: Value, space: Space) -> bool {
    match function.values[vector].domain {
        Domain::Lanes(own) => function.spaces[own].from == Some((space, vector)),
        _ => false,
    }
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

/// Whether code reads offsets only to take the length of a segment:
/// `start = read offsets p; end = read offsets (p + 1); length = sub end start`.
fn asks_lengths(code: &Code, offsets: Value) -> bool {
    let mut next: FxHashMap<Var, Atom<Value>> = FxHashMap::default();
    let (mut starts, mut ends) = (FxHashMap::default(), FxHashMap::default());
    let (mut uses, mut lengths) = (0, 0);
    let mut fits = !code.refs().outers.contains(&offsets);
    code.body.walk(&mut |item| {
        match item {
            Item::Stmt(scalar::Stmt::Let(var, scalar::Op::Read(vector, at)))
                if *vector == offsets =>
            {
                match at {
                    Atom::Var(v) if next.contains_key(v) => {
                        // The start comes first: there the length will be read.
                        let start = starts.values().any(|start| *start == next[v]);
                        fits &= start;
                        ends.insert(*var, next[v]);
                    }
                    _ => {
                        starts.insert(*var, *at);
                    }
                }
                return;
            }
            Item::Stmt(scalar::Stmt::Let(_, scalar::Op::Scalar(ScalarOp::Sub, args, _))) => {
                if let [Atom::Var(end), Atom::Var(start)] = args.as_slice()
                    && let (Some(one), Some(other)) = (ends.get(end), starts.get(start))
                {
                    fits &= one == other;
                    lengths += 2;
                }
            }
            Item::Stmt(scalar::Stmt::Let(var, scalar::Op::Scalar(ScalarOp::Add, args, _))) => {
                if args[1] == Atom::Const(Const::I64(1)) {
                    next.insert(*var, args[0]);
                }
            }
            Item::Stmt(scalar::Stmt::Call(call)) => fits &= !call.vectors.contains(&offsets),
            Item::Stmt(_) | Item::Yields(_) => {}
        }
        item.for_each_atom(&mut |atom| {
            if let Atom::Var(var) = atom {
                uses += usize::from(starts.contains_key(&var) || ends.contains_key(&var));
            }
        });
    });
    fits && uses == lengths
}

/// Lets all lanes do what the kept ones did; gives the statements that come after the filter's
/// place.
fn apply(function: &mut Function, block: &mut Block, index: &Index, found: &Found) -> Vec<Stmt> {
    let &Found { filter, source, kept, positions, shape, .. } = found;
    let meets = function.values.push(ValueInfo { ty: Ty::Bool, domain: Domain::Lanes(source) });
    let scalar = ValueInfo { ty: Ty::I64, domain: Domain::Scalar };
    let first = found.first.then(|| function.values.push(scalar));
    for &n in &found.users {
        let (over, op) = (block.stmts[n].op.space() == Some(kept), &mut block.stmts[n].op);
        if let Some(code) = op.code_mut() {
            *code = at_source(function, code, found, first);
        }
        if over {
            *op = Guard { function, widths: found.widths, source, meets, positions }.op(op);
        }
    }
    let stmt = &mut block.stmts[filter];
    let span = stmt.span;
    let Op::Filter { code, .. } = &stmt.op else { unreachable!("it is a filter") };
    *stmt = Stmt { results: vec![meets], op: Op::Map { space: source, code: code.clone() }, span };
    let mut more = Vec::new();
    if found.counted {
        let code = where_met(function, source, meets, |builder, met, _| {
            builder.scalar(ScalarOp::Btoi, &[met], Span::none())
        });
        let mut count = shape;
        if let Some(parent) = function.parent(source).filter(|p| *p != Function::root()) {
            let info = ValueInfo { ty: Ty::I64, domain: Domain::Lanes(parent) };
            count = function.values.push(info);
            for n in index.users(shape) {
                if let Some(code) = block.stmts[n].op.code_mut() {
                    *code = with_lengths(code, shape, count);
                }
            }
        }
        let op = Op::Reduce { space: source, monoids: vec![Monoid::Add], code };
        more.push(Stmt { results: vec![count], op, span });
    }
    if let Some(first) = first {
        let none = Atom::Const(found.widths.identity(Monoid::Min, Ty::I64));
        let code = where_met(function, source, meets, |builder, met, place| {
            builder.scalar(ScalarOp::Select, &[met, place, none], Span::none())
        });
        let op = Op::Reduce { space: source, monoids: vec![Monoid::Min], code };
        more.push(Stmt { results: vec![first], op, span });
    }
    // What the kept lanes had, all lanes have.
    for value in index.held(kept) {
        function.values[value].domain = Domain::Lanes(source);
    }
    for space in index.kept_from(kept) {
        if let Some((from, _)) = &mut function.spaces[space].from {
            *from = source;
        }
    }
    let parent = function.parent(kept).unwrap_or_else(Function::root);
    let nothing = crate::Operand::Const(Const::I64(0));
    function.spaces[kept] =
        crate::ir::SpaceInfo { kind: SpaceKind::Regular(parent, nothing), from: None };
    more
}

/// Code that yields what `f` makes of whether the condition is met, and of the position.
fn where_met(
    function: &Function,
    source: Space,
    meets: Value,
    f: impl FnOnce(&mut Builder<Value>, Atom<Value>, Atom<Value>) -> Atom<Value>,
) -> Code {
    let mut builder = Builder::new();
    let depth = function.chain(source).len();
    let params: Vec<Var> = (0..=depth).map(|_| builder.param(Ty::I64)).collect();
    let place = Atom::Var(params[depth - 1]);
    let met = builder.read(Ty::Bool, meets, place);
    let value = f(&mut builder, met, place);
    builder.finish(vec![value])
}

/// Code in which places among the kept lanes are places among all lanes: what the positions said is
/// where it is.
fn at_source(function: &Function, code: &Code, found: &Found, first: Option<Value>) -> Code {
    let held = |v: Value| function.values[v].domain == Domain::Lanes(found.kept);
    code.replace_reads(|builder, vector, index| {
        let place = match first {
            Some(first) if index == FIRST && held(vector) => {
                // There is one, as was checked; what comes after a failed check is in range.
                let first = builder.outer(first, Ty::I64);
                let none = Atom::Const(found.widths.identity(Monoid::Min, Ty::I64));
                let any = builder.scalar(ScalarOp::Ne, &[first, none], Span::none());
                builder.scalar(ScalarOp::Select, &[any, first, FIRST], Span::none())
            }
            _ => index,
        };
        if vector == found.positions {
            return Some(place);
        }
        let ty = function.values[vector].ty;
        (place != index).then(|| builder.read(ty, vector, place))
    })
}

/// Code that reads lengths where it took them from offsets: the end is read as the length, the
/// start as 0.
fn with_lengths(code: &Code, offsets: Value, lengths: Value) -> Code {
    // Places in new code: a start's, whose end is read after it, counted from the start.
    let mut starts: Vec<Atom<Value>> = Vec::new();
    let mut ends = ends_of(code, offsets).into_iter();
    code.replace_reads(|builder, vector, index| {
        if vector != offsets {
            return None;
        }
        Some(match ends.next() {
            Some(Some(start)) => builder.read(Ty::I64, lengths, starts[start]),
            _ => {
                starts.push(index);
                Atom::Const(Const::I64(0))
            }
        })
    })
}

/// For each read of offsets, in order: for an end, which of the starts belongs to it.
fn ends_of(code: &Code, offsets: Value) -> Vec<Option<usize>> {
    let mut next: FxHashMap<Var, Atom<Value>> = FxHashMap::default();
    let (mut starts, mut reads) = (Vec::new(), Vec::new());
    code.body.walk(&mut |item| match item {
        Item::Stmt(scalar::Stmt::Let(_, scalar::Op::Read(vector, at))) if *vector == offsets => {
            let start = match at {
                Atom::Var(v) => next.get(v).and_then(|at| starts.iter().position(|s| s == at)),
                _ => None,
            };
            if start.is_none() {
                starts.push(*at);
            }
            reads.push(start);
        }
        Item::Stmt(scalar::Stmt::Let(var, scalar::Op::Scalar(ScalarOp::Add, args, _)))
            if args[1] == Atom::Const(Const::I64(1)) =>
        {
            next.insert(*var, args[0]);
        }
        _ => {}
    });
    reads
}
