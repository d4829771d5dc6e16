//! Reductions of segments that only some lanes are asked for run over the segments of all lanes.
//!
//! ```text
//! s2 = [s1 > offsets v1]
//! v2 = map [s2] ...
//! v4, v3 = filter [s1] ...                         s3 = [s0 > v3] from s1 at v4
//! if (gt v3 0) {
//!   v5 = offsets [s3] \x0 x1 { the length of segment (read v4 x0) of v1 }   s4 = [s3 > offsets v5]
//!   v6 = reduce [s4] max \x0 x1 x2 { x3 = read v1 (read v4 x0); read v2 (add x3 x2) }
//!   ...
//! }
//!   becomes
//! v7 = reduce [s2] max \x0 x1 x2 { read v2 x1 }
//! if (gt v3 0) {
//!   v6 = map [s3] \x0 x1 { read v7 (read v4 x0) }
//!   ...
//! }
//! ```
//!
//! The lengths of the segments become those of the segments of all, too.
//!
//! The law: what a segment is combined to does not depend on the others, so that taking some
//! segments and combining them is combining all and taking some results.  The segments of the kept
//! lanes then need no descriptor, whose end the host would wait for, and the reduction runs with
//! what makes the elements.  It does more than it was asked for, but no more than has been done
//! already for the elements that it reads.

use super::lift_out_of_arms::conditions;
use super::trace::Trace;
use crate::Code;
use crate::ir::{Block, Domain, Function, Op, Space, SpaceKind, Stmt, Value, ValueInfo};
use prim::{Const, ScalarOp, Ty};
use rustc_hash::FxHashMap;
use scalar::{Atom, Builder, Instead, Item, Var};
use std::collections::{BTreeMap, BTreeSet};

/// Rewrites all blocks of a function.
pub fn widen_reductions(function: &mut Function) {
    let mut body = std::mem::take(&mut function.body);
    let known = function.params.iter().copied().collect();
    in_block(function, &mut body, &known);
    function.body = body;
}

/// Lanes that a filter keeps.
#[derive(Clone, Copy)]
struct Kept {
    space: Space,
    source: Space,
    positions: Value,
}

fn in_block(function: &mut Function, block: &mut Block, known: &BTreeSet<Value>) {
    let mut known = known.clone();
    // Kept lanes by how many they are, and conditions that there are some.
    let mut kept: BTreeMap<Value, Kept> = BTreeMap::new();
    let mut any: BTreeMap<Value, Value> = BTreeMap::new();
    let mut maps = Maps::default();
    let mut stmts = Vec::new();
    for mut stmt in std::mem::take(&mut block.stmts) {
        match &mut stmt.op {
            Op::Filter { space, .. } if function.parent(*space) == Some(Function::root()) => {
                let &[positions, count] = stmt.results.as_slice() else { continue };
                let from = Some((*space, positions));
                let own = function.spaces.iter().find(|(_, info)| info.from == from);
                if let Some((own, _)) = own {
                    kept.insert(count, Kept { space: own, source: *space, positions });
                }
            }
            Op::Map { code, .. } => any.extend(conditions(code, &stmt.results)),
            Op::If(cond, then, els) => {
                let lanes = cond.value().and_then(|cond| kept.get(any.get(&cond)?).copied());
                if let Some(lanes) = lanes {
                    let mut arm = Arm { function, lanes, known: &known, maps: maps.clone() };
                    let widened = arm.widen(then);
                    known.extend(widened.iter().flat_map(|stmt| &stmt.results));
                    stmts.extend(widened);
                }
                in_block(function, then, &known);
                in_block(function, els, &known);
            }
            _ => {}
        }
        maps.note(&stmt);
        known.extend(&stmt.results);
        stmts.push(stmt);
    }
    block.stmts = stmts;
}

/// The codes of maps, by result, with the place among their yields.
#[derive(Clone, Default)]
struct Maps(FxHashMap<Value, (Space, Code, usize)>);

impl Maps {
    fn note(&mut self, stmt: &Stmt) {
        if let Op::Map { space, code } = &stmt.op
            && !code.has_effect()
        {
            for (k, &result) in stmt.results.iter().enumerate() {
                self.0.insert(result, (*space, code.clone(), k));
            }
        }
    }
}

/// An arm that runs if a filter keeps lanes.
struct Arm<'a> {
    function: &'a mut Function,
    lanes: Kept,
    /// What is known before it.
    known: &'a BTreeSet<Value>,
    maps: Maps,
}

impl Arm<'_> {
    /// Replaces reductions of the arm; gives those over all lanes.
    fn widen(&mut self, arm: &mut Block) -> Vec<Stmt> {
        let mut known = self.known.clone();
        let mut widened = Vec::new();
        // Spaces of the segments of kept lanes, and that of the segments of all; their offsets.
        let mut whole: FxHashMap<Space, Space> = FxHashMap::default();
        let mut offsets: BTreeMap<Value, Value> = BTreeMap::new();
        for stmt in &mut arm.stmts {
            if let Op::Map { space, code } = &mut stmt.op
                && *space == self.lanes.space
            {
                for (&own, &all) in &offsets {
                    if let Some(with) = self.with_lengths(code, own, all) {
                        *code = with;
                    }
                }
            }
            match &stmt.op {
                Op::Offsets { space, code } if *space == self.lanes.space => {
                    if let Some((all, ends)) = self.segments(code) {
                        offsets.insert(stmt.results[0], ends);
                        let own = SpaceKind::Packed(*space, stmt.results[0]);
                        let spaces = self.function.spaces.iter();
                        let own =
                            spaces.filter(|(_, info)| info.kind == own && info.from.is_none());
                        whole.extend(own.map(|(space, _)| (space, all)));
                    }
                }
                Op::Reduce { space, monoids, code } => {
                    let all = whole.get(space).copied();
                    let wide = all.and_then(|all| Some((all, self.at_source(code, all, &known)?)));
                    if let Some((all, code)) = wide {
                        let op = Op::Reduce { space: all, monoids: monoids.clone(), code };
                        let (wide, taken) = self.replace(stmt, op);
                        known.extend(&wide.results);
                        widened.push(wide);
                        *stmt = taken;
                    }
                }
                _ => {}
            }
            self.maps.note(stmt);
        }
        widened
    }

    /// The space of the source's segments and its offsets, if the code gives the length of the one
    /// that a kept lane comes from.
    fn segments(&self, code: &Code) -> Option<(Space, Value)> {
        let code = self.expanded(code);
        let trace = Trace::of(&code);
        let length = *code.body.yields.first()?;
        let is_row = |atom: Atom<Value>| trace.own_element(atom) == Some(self.lanes.positions);
        let spaces = self.function.spaces.iter();
        let mut packed = spaces.filter_map(|(space, info)| match info.kind {
            SpaceKind::Packed(parent, offsets)
                if parent == self.lanes.source && info.from.is_none() =>
            {
                Some((space, offsets))
            }
            _ => None,
        });
        packed.find(|&(_, offsets)| trace.is_length(length, offsets, is_row))
    }

    /// Code of kept lanes with the lengths of segments of all lanes in the place of those of their
    /// own, which are the same; none if it takes none.
    fn with_lengths(&self, code: &Code, own: Value, all: Value) -> Option<Code> {
        let trace = Trace::of(code);
        let is_own = |atom: Atom<Value>| trace.is_own(atom);
        let mut any = false;
        let is_length = |var: Var| trace.is_length(Atom::Var(var), own, is_own);
        code.body.walk(&mut |item| {
            any |= matches!(item, Item::Stmt(scalar::Stmt::Let(var, _)) if is_length(*var));
        });
        let mut builder = Builder::new();
        let lane = Atom::Var(builder.param(Ty::I64));
        let row = builder.read(Ty::I64, self.lanes.positions, lane);
        let start = builder.read(Ty::I64, all, row);
        let one = Atom::Const(Const::I64(1));
        let next = builder.scalar(ScalarOp::Add, &[row, one], base::Span::none());
        let end = builder.read(Ty::I64, all, next);
        let length = builder.scalar(ScalarOp::Sub, &[end, start], base::Span::none());
        let length = builder.finish(vec![length]);
        let lane = Atom::Var(code.params[0]);
        let instead = |var: Var| is_length(var).then(|| Instead::Code(length.clone(), vec![lane]));
        any.then(|| code.replace_results(instead).simplify())
    }

    /// The code with those of maps over the kept lanes in the place of what it reads of them.
    fn expanded(&self, code: &Code) -> Code {
        let mut code = code.clone();
        // Each map reads only maps before it.
        loop {
            let depth = code.params.len() - 1;
            let lane = code.params[depth.saturating_sub(2)];
            let lane = if depth == 1 { code.params[0] } else { lane };
            let trace = Trace::of(&code);
            let made = |var: Var| match trace.op(Atom::Var(var)) {
                Some(scalar::Op::Read(vector, at)) if *at == Atom::Var(lane) => {
                    let (space, made, k) = self.maps.0.get(vector)?;
                    (*space == self.lanes.space).then(|| made.keep_yields(&[*k]))
                }
                _ => None,
            };
            let mut any = false;
            code.body.walk(&mut |item| {
                any |= matches!(item, Item::Stmt(scalar::Stmt::Let(var, _)) if made(*var).is_some());
            });
            if !any {
                return code;
            }
            let args = vec![Atom::Var(lane); 2];
            code = code
                .replace_results(|var| Some(Instead::Code(made(var)?, args.clone())))
                .simplify();
        }
    }

    /// The code of a reduction over the segments of kept lanes for those of all lanes; none if it
    /// asks for more than the elements of the source.
    fn at_source(&self, code: &Code, all: Space, known: &BTreeSet<Value>) -> Option<Code> {
        let code = self.expanded(code);
        let &[lane, element, index] = code.params.as_slice() else { return None };
        let SpaceKind::Packed(_, offsets) = self.function.spaces[all].kind else { return None };
        let trace = Trace::of(&code);
        let is_lane = |atom: Atom<Value>| match trace.op(atom) {
            Some(scalar::Op::Read(vector, at)) => {
                *vector == self.lanes.positions && *at == Atom::Var(lane)
            }
            _ => false,
        };
        let is_own = |atom: Atom<Value>| match trace.op(atom) {
            Some(scalar::Op::Scalar(ScalarOp::Add, args, _)) => {
                trace.is_start(args[0], offsets, is_lane) && args[1] == Atom::Var(index)
            }
            _ => false,
        };
        let instead = |var: Var| {
            let atom = Atom::Var(var);
            let place = if is_lane(atom) {
                lane
            } else if is_own(atom) {
                element
            } else {
                return None;
            };
            Some(Instead::Atom(Atom::Var(place)))
        };
        let held = |vector: Value| self.function.values[vector].domain == Domain::Lanes(all);
        let mut fits = !code.has_effect();
        let mut reads = false;
        code.body.walk(&mut |item| {
            let known = match item {
                Item::Stmt(scalar::Stmt::Let(var, op)) => {
                    if let scalar::Op::Read(vector, at) = op {
                        reads |= held(*vector) && is_own(*at);
                        fits &= !held(*vector) || is_own(*at);
                    }
                    instead(*var).is_some()
                }
                Item::Stmt(scalar::Stmt::Loop { .. } | scalar::Stmt::Call(_)) => {
                    fits = false;
                    false
                }
                Item::Stmt(_) | Item::Yields(_) => false,
            };
            if !known {
                item.for_each_atom(&mut |atom| {
                    fits &= atom != Atom::Var(lane) && atom != Atom::Var(element);
                });
            }
        });
        if !fits || !reads {
            return None;
        }
        let code = code.replace_results(instead).simplify();
        let refs = code.refs();
        let all_known = refs.vectors.iter().chain(&refs.outers).all(|v| known.contains(v));
        all_known.then_some(code)
    }

    /// The reduction over all lanes, and the map that takes its results for the kept ones.
    fn replace(&mut self, stmt: &Stmt, op: Op) -> (Stmt, Stmt) {
        let Kept { space, source, positions } = self.lanes;
        let mut builder = Builder::new();
        let own = Atom::Var(builder.param(Ty::I64));
        builder.param(Ty::I64);
        let lane = builder.read(Ty::I64, positions, own);
        let (mut results, mut taken) = (Vec::new(), Vec::new());
        for &result in &stmt.results {
            let ty = self.function.values[result].ty;
            let wide = self.function.values.push(ValueInfo { ty, domain: Domain::Lanes(source) });
            results.push(wide);
            taken.push(builder.read(ty, wide, lane));
        }
        let wide = Stmt { results, op, span: stmt.span };
        let op = Op::Map { space, code: builder.finish(taken) };
        (wide, Stmt { results: stmt.results.clone(), op, span: stmt.span })
    }
}
