//! Lanes that go through all elements of a nested sequence run in its segments.
//!
//! `flatten` gives a view of all elements, and lanes over it are a space of their own.  Where they
//! write somewhere, or are combined in a way that does not ask for groups, they need not be: run in
//! the segments, they are next to what makes the elements, and the elements need not exist.
//!
//! ```text
//! v1: vec i64 offsets s1 = offsets [s1] \x0 x1 { ... }
//! s2 = [s1 > offsets v1]
//! v2: vec i64 [s2] = map [s2] \x0 x1 x2 { ... }
//! v3: i64, v4: i64 = map [s0] \{ x0 = read v1 0; x1 = read v1 v0; x2 = sub x1 x0; yield x0 x2 }
//! s3 = [s0 > v4]
//! v5 = scatter [s3] to [s4] write v9 \x0 x1 { x2 = add v3 x0; x3 = read v2 x2; yield x3 F }
//!   becomes
//! v5 = scatter [s2] to [s4] write v9 \x0 x1 x2 { x3 = read v2 x1; yield x3 F }
//! ```
//!
//! A reduction becomes one of each segment, and one of what these come to:
//!
//! ```text
//! v5 = reduce [s3] add \x0 x1 { x2 = add v3 x0; x3 = read v2 x2; yield x3 }
//!   becomes
//! v6 = reduce [s2] add \x0 x1 x2 { x3 = read v2 x1; yield x3 }
//! v5 = reduce [s1] add \x0 x1 { x2 = read v6 x0; yield x2 }
//! ```
//!
//! Only what does not care which lanes are together moves: scatters, reductions but those of
//! floats, which are rounded at each step, and the maps that these alone read.  A reduction stays
//! where its elements need nothing of their segment, as they are computed where it reads them then.
//! What a scan or a filter reads stays, because it would be needed in memory.  An error in a moved
//! lane is told with its row and its element there.

use crate::Code;
use crate::ir::{
    Block, Domain, Function, Op, Operand, ScatterKind, Space, SpaceKind, Stmt, Value, ValueInfo,
};
use prim::{Const, Ty};
use rustc_hash::FxHashMap;
use scalar::{Atom, Builder, Item, Var};
use std::collections::BTreeSet;

/// Moves scatters and reductions over all elements of nested sequences into the segments.
pub fn keep_segments(function: &mut Function) {
    let mut body = std::mem::take(&mut function.body);
    in_block(function, &mut body, &mut Facts::default());
    function.body = body;
}

fn in_block(function: &mut Function, block: &mut Block, facts: &mut Facts) {
    for stmt in &mut block.stmts {
        if let Op::If(_, then, els) = &mut stmt.op {
            in_block(function, then, facts);
            in_block(function, els, facts);
        } else {
            facts.stmt(function, stmt);
        }
    }
    for (flat, nested) in facts.pairs(function) {
        let moving = Moves { function, block, flat, nested }.moving();
        // From the last on, as a reduction becomes two.
        for n in moving.into_iter().rev() {
            let stmt = &mut block.stmts[n];
            move_to(function, stmt, nested);
            let total = combine_segments(function, stmt, nested);
            block.stmts.splice(n + 1..n + 1, total);
        }
    }
}

/// What is known of scalars of the root.
#[derive(Default)]
struct Facts {
    /// Offsets that start at 0.
    offsets: BTreeSet<Value>,
    /// Scalars that are constant.
    constants: FxHashMap<Value, Const>,
    /// Scalars that are the end of offsets.
    ends: FxHashMap<Value, Value>,
}

impl Facts {
    /// Notes what a statement says, and tells its code what is known.
    fn stmt(&mut self, function: &Function, stmt: &mut Stmt) {
        if let Op::Offsets { .. } | Op::Filter { .. } = stmt.op {
            let shape = |v: &Value| matches!(function.values[*v].domain, Domain::Offsets(_));
            self.offsets.extend(stmt.results.iter().copied().filter(shape));
        }
        let Some(code) = stmt.op.code_mut() else { return };
        let refs = code.refs();
        let starts = refs.vectors.iter().any(|v| self.offsets.contains(v));
        let known = refs.outers.iter().any(|v| self.constants.contains_key(v));
        if starts || known {
            let zero = Atom::Const(Const::I64(0));
            let start = |vector, index| self.offsets.contains(&vector) && index == zero;
            *code = code
                .replace_outers(|v| self.constants.get(&v).copied())
                .replace_reads(|_, vector, index| start(vector, index).then_some(zero))
                .simplify();
        }
        if let Op::Map { space, code } = &stmt.op
            && *space == Function::root()
        {
            for (&result, &value) in stmt.results.iter().zip(&code.body.yields) {
                if let Atom::Const(c) = value {
                    self.constants.insert(result, c);
                }
                if let Some(offsets) = self.end(function, code, value) {
                    self.ends.insert(result, offsets);
                }
            }
        }
    }

    /// The offsets whose end a yield of the root is.
    fn end(&self, function: &Function, code: &Code, value: Atom<Value>) -> Option<Value> {
        code.body.stmts.iter().find_map(|stmt| match stmt {
            scalar::Stmt::Let(result, scalar::Op::Read(offsets, index))
                if value == Atom::Var(*result) && self.offsets.contains(offsets) =>
            {
                let Domain::Offsets(parent) = function.values[*offsets].domain else { return None };
                let SpaceKind::Regular(above, len) = function.spaces[parent].kind else {
                    return None;
                };
                let lanes = match len {
                    Operand::Const(c) => Atom::Const(c),
                    Operand::Value(v) => Atom::Outer(v, Ty::I64),
                };
                (above == Function::root() && *index == lanes).then_some(*offsets)
            }
            _ => None,
        })
    }

    /// Spaces below the root that have the lanes of a nested space, and that space.
    fn pairs(&self, function: &Function) -> Vec<(Space, Space)> {
        let mut pairs = Vec::new();
        for (flat, info) in function.spaces.iter() {
            let SpaceKind::Regular(parent, Operand::Value(len)) = info.kind else { continue };
            if parent != Function::root() || info.from.is_some() {
                continue;
            }
            let Some(&offsets) = self.ends.get(&len) else { continue };
            let nested = |(_, s): &(Space, &crate::SpaceInfo)| {
                s.from.is_none() && matches!(s.kind, SpaceKind::Packed(_, o) if o == offsets)
            };
            pairs.extend(function.spaces.iter().filter(nested).map(|(nested, _)| (flat, nested)));
        }
        pairs
    }
}

/// Which statements of a block can move from a flat space to a nested one with the same lanes.
struct Moves<'a> {
    function: &'a Function,
    block: &'a Block,
    flat: Space,
    nested: Space,
}

impl Moves<'_> {
    fn moving(&self) -> BTreeSet<usize> {
        let stmts = self.block.stmts.iter().enumerate();
        let mut moving: BTreeSet<usize> =
            stmts.filter(|(_, s)| self.could_move(s)).map(|(n, _)| n).collect();
        loop {
            let fitting: BTreeSet<usize> =
                moving.iter().copied().filter(|&n| self.fits(&moving, n)).collect();
            let wanted = self.wanted(&fitting);
            if wanted == moving {
                return moving;
            }
            moving = wanted;
        }
    }

    fn could_move(&self, stmt: &Stmt) -> bool {
        let ty = |v: &Value| self.function.values[*v].ty;
        let lanewise = match &stmt.op {
            Op::Map { .. } | Op::Scatter { .. } => true,
            Op::Reduce { monoids, .. } => {
                monoids.iter().zip(&stmt.results).all(|(monoid, v)| monoid.regroups(ty(v)))
            }
            _ => false,
        };
        lanewise && stmt.op.space() == Some(self.flat)
    }

    /// Whether what a statement reads of its own lanes, and who reads its own, moves, too.
    fn fits(&self, moving: &BTreeSet<usize>, n: usize) -> bool {
        let stmt = &self.block.stmts[n];
        let own = |&v: &Value| self.function.values[v].domain == Domain::Lanes(self.flat);
        let inputs = own_reads(stmt);
        let sources = inputs.iter().filter(|v| own(v)).filter_map(|&v| self.maker(v));
        let made: Vec<Value> = match stmt.op {
            Op::Map { .. } => stmt.results.clone(),
            _ => Vec::new(),
        };
        let read_by = |(m, other): (usize, &Stmt)| {
            let uses = uses(other);
            let used: Vec<Value> = made.iter().copied().filter(|v| uses.contains(v)).collect();
            let reads = own_reads(other);
            used.is_empty() || (moving.contains(&m) && used.iter().all(|v| reads.contains(v)))
        };
        let yielded = |v: &Value| self.block.yields.contains(&Operand::Value(*v));
        sources.into_iter().all(|m| moving.contains(&m))
            && self.block.stmts.iter().enumerate().all(read_by)
            && !made.iter().any(yielded)
    }

    /// Of these statements, the scatters and reductions that need not have in memory what they read
    /// if they move, and what they read.
    fn wanted(&self, moving: &BTreeSet<usize>) -> BTreeSet<usize> {
        let ends = |n: usize| !matches!(self.block.stmts[n].op, Op::Map { .. });
        let mut wanted = BTreeSet::new();
        for n in moving.iter().copied().filter(|&n| ends(n)) {
            let reduces = matches!(self.block.stmts[n].op, Op::Reduce { .. });
            let (mut todo, mut needed, mut gains) = (vec![n], BTreeSet::new(), false);
            while let Some(m) = todo.pop() {
                if !needed.insert(m) {
                    continue;
                }
                for value in own_reads(&self.block.stmts[m]) {
                    let Some(maker) = self.maker(value) else { continue };
                    gains |=
                        self.is_map_of_segments(maker) && (!reduces || self.needs_segment(maker));
                    todo.extend(moving.contains(&maker).then_some(maker));
                }
            }
            if gains {
                wanted.extend(needed);
            }
        }
        wanted
    }

    fn is_map_of_segments(&self, n: usize) -> bool {
        matches!(self.block.stmts[n].op, Op::Map { space, .. } if space == self.nested)
    }

    /// Whether a map of the nested space asks which segment an element is in, itself or in what it
    /// reads.
    fn needs_segment(&self, n: usize) -> bool {
        let mut todo = vec![n];
        let mut seen = BTreeSet::new();
        while let Some(m) = todo.pop() {
            let stmt = &self.block.stmts[m];
            if !self.is_map_of_segments(m) || !seen.insert(m) {
                continue;
            }
            let position = self.function.chain(self.nested).len() - 1;
            let asks =
                |code: &Code| (0..code.params.len()).any(|k| k != position && code.uses_param(k));
            if stmt.op.code().is_some_and(asks) {
                return true;
            }
            todo.extend(own_reads(stmt).into_iter().filter_map(|v| self.maker(v)));
        }
        false
    }

    /// The statement of the block that makes a value.
    fn maker(&self, value: Value) -> Option<usize> {
        self.block.stmts.iter().position(|s| s.results.contains(&value))
    }
}

/// The vectors that a statement over a child of the root reads only at the position of its lane.
fn own_reads(stmt: &Stmt) -> BTreeSet<Value> {
    let Some(code) = stmt.op.code() else { return BTreeSet::new() };
    let own = |index: Atom<Value>| code.params.iter().any(|&p: &Var| index == Atom::Var(p));
    let (mut here, mut elsewhere) = (BTreeSet::new(), BTreeSet::new());
    code.body.walk(&mut |item| match item {
        Item::Stmt(scalar::Stmt::Let(_, scalar::Op::Read(vector, index))) => {
            if own(*index) {
                here.insert(*vector)
            } else {
                elsewhere.insert(*vector)
            };
        }
        Item::Stmt(scalar::Stmt::Call(call)) => elsewhere.extend(&call.vectors),
        Item::Stmt(_) | Item::Yields(_) => {}
    });
    if let Op::Scatter { kind: ScatterKind::Write(base) | ScatterKind::Into(base), .. } = &stmt.op {
        elsewhere.extend(base);
    }
    &here - &elsewhere
}

/// What a statement uses, in nested blocks, too.
fn uses(stmt: &Stmt) -> BTreeSet<Value> {
    stmt.op.uses().into_iter().collect()
}

/// Gives a statement the lanes of a nested space.
fn move_to(function: &mut Function, stmt: &mut Stmt, nested: Space) {
    match &mut stmt.op {
        Op::Map { space, .. } => {
            *space = nested;
            for &result in &stmt.results {
                function.values[result].domain = Domain::Lanes(nested);
            }
        }
        Op::Scatter { space, .. } | Op::Reduce { space, .. } => *space = nested,
        op => unreachable!("{op:?} does not move"),
    }
    if let Some(code) = stmt.op.code_mut() {
        let mut builder = Builder::new();
        let params: Vec<Var> = (0..3).map(|_| builder.param(Ty::I64)).collect();
        let yields = builder.inline(code, &[Atom::Var(params[1]); 2]);
        *code = builder.finish(yields);
    }
}

/// The rest of a reduction that was moved to a nested space: what its segments come to, combined.
fn combine_segments(function: &mut Function, stmt: &mut Stmt, nested: Space) -> Option<Stmt> {
    let Op::Reduce { monoids, .. } = &stmt.op else { return None };
    let (monoids, span) = (monoids.clone(), stmt.span);
    let space = function.parent(nested)?;
    let mut builder = Builder::new();
    let params: Vec<Var> = (0..2).map(|_| builder.param(Ty::I64)).collect();
    let results = stmt.results.clone();
    let mut yields = Vec::new();
    for result in &mut stmt.results {
        let ty = function.values[*result].ty;
        *result = function.values.push(ValueInfo { ty, domain: Domain::Lanes(space) });
        yields.push(builder.read(ty, *result, Atom::Var(params[0])));
    }
    let code = builder.finish(yields);
    Some(Stmt { results, op: Op::Reduce { space, monoids, code }, span })
}
