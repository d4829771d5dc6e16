//! Lifts what an arm does last with the lanes that it runs for: putting sequences together that are
//! then chosen from.
//!
//! ```text
//! v9 = if v5 {                                     v1, v2 = if v5 {
//!   v1 = ...                                         v6 = ...
//!   v2 = ...                                         v7 = ...
//!   v3 = offsets [s2] ...                            yield v6 v7
//!   v4 = map [s3] ...               s3 > v3        } else {
//!   yield v4                                 ==>     v8 = literal (); yield v8 v8
//! } else {                                         }
//!   v8 = literal ()                                v3 = offsets [s2] ...
//!   yield v8                                       v4 = map [s3] ...
//! }
//! v10 = map [s4] ... v9 ...                        v10 = map [s4] ... v4 ...
//! ```
//!
//! Without lanes there is nothing to put together, so it needs no condition.  Outside it can be
//! pulled into the one that chooses: the elements are copied once instead of twice.

use super::lift_out_of_arms::{conditions, rename, rename_in};
use super::pull_maps::{Readers, is_pulled_once};
use crate::ir::{Block, Domain, Function, Op, Operand, Space, SpaceKind, Stmt, Value, ValueInfo};
use base::Span;
use prim::{Const, Ty};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// Lifts the ends of arms of all blocks of a function.
pub fn lift_tails(function: &mut Function) {
    let mut body = std::mem::take(&mut function.body);
    let readers = Readers::of(function, &body);
    let mut same = FxHashMap::default();
    in_block(function, &mut body, &readers, &mut same);
    function.body = body;
    if !same.is_empty() {
        rename(function, &same);
    }
}

fn in_block(
    function: &mut Function,
    block: &mut Block,
    readers: &Readers,
    same: &mut FxHashMap<Value, Value>,
) {
    // Conditions that there are lanes, by the number of these.
    let mut any: BTreeMap<Value, Value> = BTreeMap::new();
    let mut stmts = Vec::new();
    for mut stmt in std::mem::take(&mut block.stmts) {
        let mut lifted = Vec::new();
        match &mut stmt.op {
            Op::Map { code, .. } => any.extend(conditions(code, &stmt.results)),
            Op::If(cond, then, els) => {
                for arm in [&mut *then, &mut *els] {
                    in_block(function, arm, readers, same);
                    // What is lifted next must know who uses what was lifted here.
                    if !same.is_empty() {
                        rename_in(arm, same);
                    }
                }
                let count = cond.value().and_then(|cond| any.get(&cond)).copied();
                if let Some(count) = count {
                    let arms = Arms { results: &mut stmt.results, then, els };
                    lifted = arms.lift(function, count, readers, same);
                }
            }
            _ => {}
        }
        stmts.push(stmt);
        stmts.extend(lifted);
    }
    block.stmts = stmts;
}

/// An `if` whose second arm gives empty vectors.
struct Arms<'a> {
    results: &'a mut Vec<Value>,
    then: &'a mut Block,
    els: &'a mut Block,
}

impl Arms<'_> {
    /// Takes out what the first arm puts together over spaces of so many lanes.
    fn lift(
        self,
        function: &mut Function,
        count: Value,
        readers: &Readers,
        same: &mut FxHashMap<Value, Value>,
    ) -> Vec<Stmt> {
        if !self
            .els
            .stmts
            .iter()
            .all(|stmt| matches!(&stmt.op, Op::Literal(list, _) if list.is_empty()))
        {
            return Vec::new();
        }
        let lanes: Vec<Space> = function
            .spaces
            .ids()
            .filter(|&s| {
                let shape = SpaceKind::Regular(Function::root(), Operand::Value(count));
                function.spaces[s].kind == shape
            })
            .collect();
        let mut tail = BTreeSet::new();
        for n in 0..self.then.stmts.len() {
            if let Some(group) = self.group(function, n, &lanes, readers) {
                tail.extend(group);
            }
        }
        if tail.is_empty() {
            return Vec::new();
        }
        self.add_makers(&lanes, &mut tail);
        let (mut lifted, mut left) = (Vec::new(), Vec::new());
        for (n, stmt) in std::mem::take(&mut self.then.stmts).into_iter().enumerate() {
            if tail.contains(&n) { &mut lifted } else { &mut left }.push(stmt);
        }
        self.then.stmts = left;
        self.hand_over(function, &lanes, &mut lifted, same);
        lifted
    }

    /// Adds maps that only the tail reads.
    fn add_makers(&self, lanes: &[Space], tail: &mut BTreeSet<usize>) {
        let mut elsewhere: BTreeSet<Value> =
            self.then.yields.iter().filter_map(|y| y.value()).collect();
        let mut wanted = BTreeSet::new();
        for (n, stmt) in self.then.stmts.iter().enumerate().rev() {
            let alone = stmt.results.iter().all(|r| !elsewhere.contains(r));
            let read = stmt.results.iter().any(|r| wanted.contains(r));
            let map = matches!(&stmt.op, Op::Map { space, .. } if lanes.contains(space));
            if map && alone && read && !stmt.op.has_effect() {
                tail.insert(n);
            }
            let uses = stmt.op.uses();
            if tail.contains(&n) { &mut wanted } else { &mut elsewhere }.extend(uses);
        }
    }

    /// Statement `n` and those that make use of it, if it is the offsets of sequences that are put
    /// together, and the elements of one of these are read once.
    fn group(
        &self,
        function: &Function,
        n: usize,
        lanes: &[Space],
        readers: &Readers,
    ) -> Option<BTreeSet<usize>> {
        let stmt = &self.then.stmts[n];
        let Op::Offsets { space, code } = &stmt.op else { return None };
        let &[offsets] = stmt.results.as_slice() else { return None };
        if !lanes.contains(space) || code.has_effect() {
            return None;
        }
        let segments = SpaceKind::Packed(*space, offsets);
        let mut group = BTreeSet::from([n]);
        let mut pulled = false;
        let mut given = BTreeSet::from([offsets]);
        for (m, user) in self.then.stmts.iter().enumerate().skip(n + 1) {
            let over = user.op.space().is_some_and(|s| {
                function.chain(s).iter().any(|&s| function.spaces[s].kind == segments)
            });
            if !over && !user.op.uses().iter().any(|v| given.contains(v)) {
                continue;
            }
            let Op::Map { space: own, code } = &user.op else { return None };
            if code.has_effect() {
                return None;
            }
            if function.spaces[*own].kind == segments && function.spaces[*own].from.is_none() {
                let yielded = |&r: &Value| {
                    let place = self.then.yields.iter().position(|y| *y == Operand::Value(r));
                    place.is_some_and(|place| readers.is_single(self.results[place]))
                };
                if !user.results.iter().all(yielded) || !is_pulled_once(function, *own, code) {
                    return None;
                }
                pulled = true;
            } else if own != space {
                return None;
            }
            given.extend(&user.results);
            group.insert(m);
        }
        // Offsets that are given themselves would be wanted in memory.
        let away = self.then.yields.contains(&Operand::Value(offsets));
        (pulled && !away).then_some(group)
    }

    /// Lets the arms give what the lifted statements need, instead of what these give.
    fn hand_over(
        mut self,
        function: &mut Function,
        lanes: &[Space],
        lifted: &mut [Stmt],
        same: &mut FxHashMap<Value, Value>,
    ) {
        let given: BTreeSet<Value> =
            lifted.iter().flat_map(|s| s.results.iter().copied()).collect();
        let mut n = 0;
        while n < self.results.len() {
            match self.then.yields[n].value().filter(|value| given.contains(value)) {
                Some(value) => {
                    same.insert(self.results[n], value);
                    self.results.remove(n);
                    self.then.yields.remove(n);
                    self.els.yields.remove(n);
                }
                None => n += 1,
            }
        }
        let inside: BTreeSet<Value> =
            self.then.stmts.iter().flat_map(|stmt| stmt.results.iter().copied()).collect();
        let needed: BTreeSet<Value> = lifted
            .iter()
            .flat_map(|stmt| stmt.op.uses())
            .filter(|value| inside.contains(value))
            .collect();
        let mut names: FxHashMap<Value, Value> = FxHashMap::default();
        for value in needed {
            let known = self.then.yields.iter().position(|y| *y == Operand::Value(value));
            let name = match known {
                Some(n) => self.results[n],
                None => {
                    let ValueInfo { ty, domain } = function.values[value];
                    let domain = outside(function, domain, lanes, &inside);
                    let name = function.values.push(ValueInfo { ty, domain });
                    let nothing = self.nothing(function, ty, domain, lifted[0].span);
                    self.results.push(name);
                    self.then.yields.push(Operand::Value(value));
                    self.els.yields.push(nothing);
                    name
                }
            };
            names.insert(value, name);
        }
        for stmt in lifted {
            if let Some(code) = stmt.op.code_mut() {
                *code = code.map_refs(|v| names.get(&v).copied().unwrap_or(v));
            }
        }
    }

    /// What the second arm gives, for no lanes, in place of something that the first one gives.
    fn nothing(&mut self, function: &mut Function, ty: Ty, domain: Domain, span: Span) -> Operand {
        let elements = match domain {
            Domain::Scalar => return Operand::Const(ty.zero()),
            Domain::Offsets(_) => vec![Const::I64(0)],
            Domain::Lanes(_) | Domain::Pool => Vec::new(),
        };
        let value = function.values.push(ValueInfo { ty, domain: Domain::Pool });
        let op = Op::Literal(elements, ty);
        self.els.stmts.push(Stmt { results: vec![value], op, span });
        Operand::Value(value)
    }
}

/// What a value holds where the spaces of an arm are not known, and where the other arm gives
/// nothing: that is right for lanes that it runs for only if there are none.
fn outside(
    function: &Function,
    domain: Domain,
    lanes: &[Space],
    inside: &BTreeSet<Value>,
) -> Domain {
    let known = |space: Space| {
        function.chain(space).into_iter().all(|space| {
            let info = &function.spaces[space];
            let shape = match info.kind {
                SpaceKind::Regular(_, Operand::Value(v)) | SpaceKind::Packed(_, v) => Some(v),
                SpaceKind::Regular(_, Operand::Const(_)) | SpaceKind::Root => None,
            };
            let from = info.from.map(|(_, positions)| positions);
            !shape.into_iter().chain(from).any(|v| inside.contains(&v))
        })
    };
    match domain {
        Domain::Lanes(space) | Domain::Offsets(space)
            if !known(space) || !function.chain(space).iter().any(|s| lanes.contains(s)) =>
        {
            Domain::Pool
        }
        domain => domain,
    }
}
