//! Lifts what is made of the lanes that a filter keeps out of the arm that runs if there are any.
//!
//! ```text
//! v4, v3 = filter [s1] ...                         v4, v3 = filter [s1] ...
//! v5: bool = map [s0] \{ gt v3 0 }                 v5: bool = map [s0] \{ gt v3 0 }
//! v8 = if v5 {                                     v6 = map [s2] \x0 x1 { read v2 (read v4 x0) }
//!   v6 = map [s2] \x0 x1 { read v2 (read v4 x0) }
//!   yield v6                                  ==>
//! } else {
//!   v7 = literal ()
//!   yield v7
//! }
//! ```
//!
//! Without lanes it is nothing; with some, it can run with the filter.  What the arms give is then
//! what was there before, or the empty vector, which is the same without lanes.
//!
//! What needs more than was there before the filter stays: it would be a launch of its own.
//!
//! The elements that a filter keeps come out, too, where several arms take them: one of the arms
//! runs, or both do, and the elements need to be taken once, while the filter runs.

use crate::Code;
use crate::ir::{Block, Domain, Function, Op, Operand, ScatterKind, Space, SpaceKind, Stmt, Value};
use prim::{Const, ScalarOp};
use rustc_hash::FxHashMap;
use scalar::{Atom, Item};
use std::collections::{BTreeMap, BTreeSet};

/// Most scalar statements of a map that is lifted.
const FEW: usize = 24;

/// Lifts statements of all blocks of a function.
pub fn lift_out_of_arms(function: &mut Function) {
    let mut body = std::mem::take(&mut function.body);
    let mut lift = Lift { function, same: FxHashMap::default() };
    let params = lift.function.params.iter().copied().collect();
    lift.block(&mut body, &params);
    let same = lift.same;
    function.body = body;
    if !same.is_empty() {
        rename(function, &same);
    }
}

struct Lift<'f> {
    function: &'f Function,
    /// Results that are other values.
    same: FxHashMap<Value, Value>,
}

/// A filter of the block around an arm.
struct Kept {
    /// The lanes that it keeps.
    space: Space,
    /// What is known before the filter has run, and what it gives.
    known: BTreeSet<Value>,
}

impl Lift<'_> {
    /// Lifts out of the arms of a block; `known` is what is known where it begins.
    fn block(&mut self, block: &mut Block, known: &BTreeSet<Value>) {
        let mut known = known.clone();
        self.share_kept(block, &known);
        // Filters by how many lanes they keep, and conditions that there are some.
        let mut filters: BTreeMap<Value, Kept> = BTreeMap::new();
        let mut any: BTreeMap<Value, Value> = BTreeMap::new();
        let mut stmts = Vec::new();
        for mut stmt in std::mem::take(&mut block.stmts) {
            match &mut stmt.op {
                Op::Filter { .. } => {
                    if let Some((count, kept)) = self.kept(&stmt, &known) {
                        filters.insert(count, kept);
                    }
                }
                Op::Map { code, .. } => any.extend(conditions(code, &stmt.results)),
                Op::If(cond, then, els) => {
                    let count = cond.value().and_then(|cond| any.get(&cond));
                    if let Some(kept) = count.and_then(|count| filters.get_mut(count)) {
                        let lifted = self.lift(then, kept);
                        known.extend(lifted.iter().flat_map(|stmt| &stmt.results));
                        stmts.extend(lifted);
                        self.join(&mut stmt.results, then, els, &known);
                    }
                    self.block(then, &known);
                    self.block(els, &known);
                }
                _ => {}
            }
            known.extend(&stmt.results);
            stmts.push(stmt);
        }
        block.stmts = stmts;
    }

    /// Takes equal maps of what a filter of the block keeps out of arms, before the first of them.
    fn share_kept(&mut self, block: &mut Block, known: &BTreeSet<Value>) {
        let mut known = known.clone();
        let mut filters = BTreeSet::new();
        let mut n = 0;
        while n < block.stmts.len() {
            if let Op::Filter { .. } = block.stmts[n].op {
                filters.insert(block.stmts[n].results[0]);
            }
            let shared = self.equal_in_arms(&block.stmts[n..], &filters, &known);
            for stmt in &shared {
                for later in &mut block.stmts[n..] {
                    let Op::If(_, then, els) = &mut later.op else { continue };
                    for arm in [then, els] {
                        self.take_equal(arm, stmt);
                    }
                }
            }
            known.extend(shared.iter().chain([&block.stmts[n]]).flat_map(|stmt| &stmt.results));
            let count = shared.len();
            block.stmts.splice(n..n, shared);
            n += count + 1;
        }
    }

    /// Maps of kept lanes that the branch which comes first and some other arm both have, and that
    /// need only what is known.
    fn equal_in_arms(
        &self,
        stmts: &[Stmt],
        filters: &BTreeSet<Value>,
        known: &BTreeSet<Value>,
    ) -> Vec<Stmt> {
        let fits = |stmt: &Stmt| {
            let Op::Map { space, code } = &stmt.op else { return false };
            let from = self.function.spaces[*space].from;
            from.is_some_and(|(_, positions)| filters.contains(&positions))
                && is_cheap(code)
                && !code.has_effect()
                && stmt.op.uses().iter().all(|v| known.contains(v))
        };
        let [first, rest @ ..] = stmts else { return Vec::new() };
        let Some(own) = arms(first) else { return Vec::new() };
        let mut shared: Vec<Stmt> = Vec::new();
        for (n, arm) in own.iter().enumerate() {
            for stmt in arm.stmts.iter().filter(|stmt| fits(stmt)) {
                let equal = |other: &Stmt| other.op == stmt.op;
                let inside = |arm: &Block| arm.stmts.iter().any(equal);
                let elsewhere = (n == 0 && inside(own[1]))
                    || rest.iter().filter_map(arms).flatten().any(inside);
                if elsewhere && !shared.iter().any(equal) {
                    shared.push(stmt.clone());
                }
            }
        }
        shared
    }

    /// Takes statements out of an arm that do what another one does before it.
    fn take_equal(&mut self, arm: &mut Block, stmt: &Stmt) {
        arm.stmts.retain(|own| {
            let equal = own.op == stmt.op;
            if equal {
                let pairs = own.results.iter().zip(&stmt.results);
                self.same.extend(pairs.filter(|(a, b)| a != b).map(|(&a, &b)| (a, b)));
            }
            !equal
        });
    }

    /// The lanes of a filter at the root, and the value that tells how many they are.
    fn kept(&self, filter: &Stmt, known: &BTreeSet<Value>) -> Option<(Value, Kept)> {
        let &[positions, count] = filter.results.as_slice() else { return None };
        let shape = SpaceKind::Regular(Function::root(), Operand::Value(count));
        let own = |s: &Space| {
            let info = &self.function.spaces[*s];
            info.kind == shape && info.from.is_some_and(|(_, from)| from == positions)
        };
        let space = self.function.spaces.ids().find(own)?;
        let known = known.iter().copied().chain([positions, count]).collect();
        Some((count, Kept { space, known }))
    }

    /// Takes the statements out of an arm that can run with the filter.
    fn lift(&self, arm: &mut Block, kept: &mut Kept) -> Vec<Stmt> {
        let fits = |stmt: &Stmt, known: &BTreeSet<Value>| {
            stmt.op.space() == Some(kept.space)
                && self.function.runs_kept(stmt)
                && stmt.op.code().is_some_and(is_cheap)
                && stmt.op.uses().iter().all(|v| known.contains(v))
        };
        let (mut lifted, mut left) = (Vec::new(), Vec::new());
        for stmt in std::mem::take(&mut arm.stmts) {
            if fits(&stmt, &kept.known) {
                // Offsets are whole when the filter is through.
                if matches!(stmt.op, Op::Map { .. }) {
                    kept.known.extend(&stmt.results);
                }
                lifted.push(stmt);
            } else {
                left.push(stmt);
            }
        }
        arm.stmts = left;
        lifted
    }

    /// Drops the results that are what was there before, or else the empty vector.
    fn join(
        &mut self,
        results: &mut Vec<Value>,
        then: &mut Block,
        els: &mut Block,
        known: &BTreeSet<Value>,
    ) {
        let empty = |value: Value| {
            let made = els.stmts.iter().find(|stmt| stmt.results == [value]);
            made.is_some_and(|s| matches!(&s.op, Op::Literal(elements, _) if elements.is_empty()))
        };
        let values = &self.function.values;
        let same = |n: &usize| {
            let (Operand::Value(one), Operand::Value(other)) = (then.yields[*n], els.yields[*n])
            else {
                return None;
            };
            // A pool is let go where there are no lanes.
            let domain = values[results[*n]].domain;
            let vector = matches!(domain, Domain::Lanes(_) | Domain::Offsets(_));
            let fits = vector && domain == values[one].domain;
            (fits && known.contains(&one) && empty(other)).then_some((*n, one))
        };
        let found: BTreeMap<usize, Value> = (0..results.len()).filter_map(|n| same(&n)).collect();
        for (&n, &value) in &found {
            let value = self.same.get(&value).copied().unwrap_or(value);
            self.same.insert(results[n], value);
        }
        let left = |n: &mut usize| {
            *n += 1;
            !found.contains_key(&(*n - 1))
        };
        let mut n = 0;
        results.retain(|_| left(&mut n));
        for arm in [then, els] {
            let mut n = 0;
            arm.yields.retain(|_| left(&mut n));
        }
    }
}

/// The arms of a branch.
fn arms(stmt: &Stmt) -> Option<[&Block; 2]> {
    match &stmt.op {
        Op::If(_, then, els) => Some([then, els]),
        _ => None,
    }
}

/// Results of a map at the root that tell whether a number is more than 0, and that number.
pub(super) fn conditions(code: &Code, results: &[Value]) -> Vec<(Value, Value)> {
    let mut compared = FxHashMap::default();
    for stmt in &code.body.stmts {
        if let scalar::Stmt::Let(var, scalar::Op::Scalar(ScalarOp::Gt, args, _)) = stmt
            && let [Atom::Outer(value, _), Atom::Const(Const::I64(0))] = args.as_slice()
        {
            compared.insert(*var, *value);
        }
    }
    let number = |atom: &Atom<Value>| match atom {
        Atom::Var(var) => compared.get(var).copied(),
        Atom::Const(_) | Atom::Outer(..) => None,
    };
    let pairs = results.iter().zip(&code.body.yields);
    pairs.filter_map(|(&result, atom)| Some((result, number(atom)?))).collect()
}

/// Whether code has few statements, and no loops or calls.
fn is_cheap(code: &Code) -> bool {
    let (mut count, mut straight) = (0, true);
    code.body.walk(&mut |item| {
        count += 1;
        let looped = matches!(item, Item::Stmt(scalar::Stmt::Loop { .. } | scalar::Stmt::Call(_)));
        straight &= !looped;
    });
    straight && count <= FEW
}

/// Puts values in the place of others, in all statements and spaces.
pub(super) fn rename(function: &mut Function, same: &FxHashMap<Value, Value>) {
    let name = |v: Value| same.get(&v).copied().unwrap_or(v);
    let operand = |o: Operand| match o {
        Operand::Value(v) => Operand::Value(name(v)),
        Operand::Const(_) => o,
    };
    for (_, info) in function.spaces.iter_mut() {
        info.kind = match info.kind {
            SpaceKind::Root => SpaceKind::Root,
            SpaceKind::Regular(parent, len) => SpaceKind::Regular(parent, operand(len)),
            SpaceKind::Packed(parent, offsets) => SpaceKind::Packed(parent, name(offsets)),
        };
        info.from = info.from.map(|(space, positions)| (space, name(positions)));
    }
    let mut body = std::mem::take(&mut function.body);
    rename_block(&mut body, &name, &operand);
    function.body = body;
}

/// Puts values in the place of others, in all statements of a block.
pub(super) fn rename_in(block: &mut Block, same: &FxHashMap<Value, Value>) {
    let name = |v: Value| same.get(&v).copied().unwrap_or(v);
    let operand = |o: Operand| match o {
        Operand::Value(v) => Operand::Value(name(v)),
        Operand::Const(_) => o,
    };
    rename_block(block, &name, &operand);
}

fn rename_block(
    block: &mut Block,
    name: &impl Fn(Value) -> Value,
    operand: &impl Fn(Operand) -> Operand,
) {
    for stmt in &mut block.stmts {
        if let Some(code) = stmt.op.code_mut() {
            *code = code.map_refs(name);
        }
        match &mut stmt.op {
            Op::Scatter { kind: ScatterKind::Write(base) | ScatterKind::Into(base), .. } => {
                base.iter_mut().for_each(|v| *v = name(*v));
            }
            Op::Fail { pool, .. } => *pool = name(*pool),
            Op::Join(parts) => parts.iter_mut().flatten().for_each(|v| *v = name(*v)),
            Op::Behind { from, used, more } => {
                from.iter_mut().for_each(|v| *v = name(*v));
                [used, more].into_iter().for_each(|o| *o = operand(*o));
            }
            Op::Grow { from, used, begin, len } => {
                from.iter_mut().for_each(|v| *v = name(*v));
                [used, begin, len].into_iter().for_each(|o| *o = operand(*o));
            }
            Op::Call(_, args) => args.iter_mut().for_each(|a| *a = operand(*a)),
            Op::If(cond, then, els) => {
                *cond = operand(*cond);
                rename_block(then, name, operand);
                rename_block(els, name, operand);
            }
            _ => {}
        }
    }
    block.yields.iter_mut().for_each(|y| *y = operand(*y));
}
