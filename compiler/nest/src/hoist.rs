//! Moves out of an apply-to-each what is the same for all of its lanes.
//!
//! ```text
//! v4 = each v1 in v0 { v2 = reduce add v0; v3 = div v1 v2; yield v3 }
//!   becomes
//! v2 = reduce add v0
//! v4 = each v1 in v0 { v3 = div v1 v2; yield v3 }
//! ```
//!
//! Only what cannot fail moves, as there may be no lane, and only what goes over sequences: the
//! rest stays where it is used.  A lane that is not there must not cost anything either.  So what
//! moves goes over sequences that the lanes are taken from, which are empty then; or else, outside
//! of all lanes, it is done if there is one.

use crate::ir::{Block, Each, Function, Op, Program, Stmt, Type, Value, ValueInfo};
use base::Span;
use prim::{Const, ScalarOp, Ty};
use std::collections::{BTreeMap, BTreeSet};

/// Moves what is the same for all lanes out of each apply-to-each.
pub fn hoist_sequences(program: &mut Program) {
    for (_, function) in program.funcs.iter_mut() {
        let mut body = std::mem::replace(&mut function.body, Block::empty());
        in_block(function, &mut body, false);
        function.body = body;
    }
}

/// `inside` tells whether the block belongs to lanes.
fn in_block(function: &mut Function, block: &mut Block, inside: bool) {
    let mut stmts = Vec::new();
    for mut stmt in std::mem::take(&mut block.stmts) {
        match &mut stmt.op {
            Op::Each(each) => {
                for block in each.test.iter_mut().chain([&mut each.body]) {
                    in_block(function, block, true);
                }
                hoist(function, each, inside, &mut stmts);
            }
            op => {
                for block in op.parts_mut().1 {
                    in_block(function, block, inside);
                }
            }
        }
        stmts.push(stmt);
    }
    block.stmts = stmts;
}

/// What is known of the values that an apply-to-each uses.
struct Known {
    /// Those that its lanes have each for itself, or that cannot be had before it.
    varying: BTreeSet<Value>,
    /// Sequences that are empty if there are no lanes.
    sources: BTreeSet<Value>,
    /// What may only be done on the condition that there are lanes, if it moves.
    guarded: BTreeSet<Value>,
    /// What moves.
    moves: BTreeSet<Value>,
}

/// Moves statements out of an apply-to-each, to the end of `out`.
fn hoist(function: &mut Function, each: &mut Each, inside: bool, out: &mut Vec<Stmt>) {
    let source = each.generators[0].1;
    let known = known(function, each, inside);
    if known.moves.is_empty() {
        return;
    }
    let (mut always, mut if_any) = (Vec::new(), Vec::new());
    for block in each.test.iter_mut().chain([&mut each.body]) {
        for stmt in std::mem::take(&mut block.stmts) {
            let moves = known.moves.contains(&stmt.value);
            let to = match (moves, known.guarded.contains(&stmt.value)) {
                (true, true) => &mut if_any,
                (true, false) => &mut always,
                (false, _) => &mut block.stmts,
            };
            to.push(stmt);
        }
    }
    out.extend(always);
    if !if_any.is_empty() {
        let mut used = BTreeSet::new();
        each.test.iter().chain([&each.body]).for_each(|block| add_used(block, &mut used));
        let some = has_elements(function, source, out);
        only_if(function, some, if_any, &used, out);
    }
}

/// Finds out what moves out of an apply-to-each.
fn known(function: &Function, each: &Each, inside: bool) -> Known {
    let bound = each.generators.iter().map(|generator| generator.0);
    let sources = each.generators.iter().map(|generator| generator.1);
    let (varying, sources) = (bound.collect(), sources.collect());
    let (guarded, moves) = (BTreeSet::new(), BTreeSet::new());
    let mut known = Known { varying, sources, guarded, moves };
    // Of lanes that a test keeps there may be none.
    let tested = each.test.is_some();
    for stmt in each.test.iter().flat_map(|test| &test.stmts) {
        known.add(function, stmt, !inside);
    }
    for stmt in &each.body.stmts {
        known.add(function, stmt, !inside && !tested);
    }
    // What these need moves, too.
    let stmts = each.test.iter().chain([&each.body]).flat_map(|block| &block.stmts);
    let stmts: Vec<&Stmt> = stmts.collect();
    let own: BTreeSet<Value> = stmts.iter().map(|stmt| stmt.value).collect();
    for stmt in stmts.iter().rev() {
        if known.moves.contains(&stmt.value) {
            known.moves.extend(free_values(stmt).intersection(&own));
        }
    }
    known
}

impl Known {
    /// Notes what is known of a statement, which may be done on the condition that there are lanes
    /// or not.
    fn add(&mut self, function: &Function, stmt: &Stmt, if_any: bool) {
        let free = free_values(stmt);
        let conditional = free.iter().any(|v| self.guarded.contains(v));
        let varies = free.iter().any(|v| self.varying.contains(v)) || conditional && !if_any;
        if varies || stmt.op.has_effect(function) {
            self.varying.insert(stmt.value);
            return;
        }
        if conditional {
            self.guarded.insert(stmt.value);
        }
        if !goes_over_sequences(&stmt.op) {
            // It costs next to nothing, and moves with what needs it.
            return;
        }
        let is_seq = |v: &&Value| matches!(function.values[**v].ty, Type::Seq(_));
        let own = free.iter().filter(is_seq).all(|v| self.sources.contains(v));
        if own && !conditional {
            self.sources.insert(stmt.value);
        } else if if_any {
            self.guarded.insert(stmt.value);
        } else {
            self.varying.insert(stmt.value);
            return;
        }
        self.moves.insert(stmt.value);
    }
}

/// The values that a statement uses and that were there before it.
fn free_values(stmt: &Stmt) -> BTreeSet<Value> {
    fn add(op: &Op, free: &mut BTreeSet<Value>, own: &mut BTreeSet<Value>) {
        free.extend(op.operands());
        if let Op::Each(each) = op {
            own.extend(each.generators.iter().map(|generator| generator.0));
        }
        for block in op.blocks() {
            for stmt in &block.stmts {
                add(&stmt.op, free, own);
                own.insert(stmt.value);
            }
            free.insert(block.result);
        }
    }
    let (mut free, mut own) = (BTreeSet::new(), BTreeSet::new());
    add(&stmt.op, &mut free, &mut own);
    free.difference(&own).copied().collect()
}

/// Whether an operation takes as long as sequences are.
fn goes_over_sequences(op: &Op) -> bool {
    match op {
        Op::Which(_)
        | Op::Reduce(..)
        | Op::Scan(..)
        | Op::Flatten(_)
        | Op::Partition(..)
        | Op::Append(..)
        | Op::Sort(..)
        | Op::Each(_) => true,
        Op::If(_, then, els) => {
            [then, els].iter().any(|arm| arm.stmts.iter().any(|stmt| goes_over_sequences(&stmt.op)))
        }
        _ => false,
    }
}

/// Whether a sequence has elements.
fn has_elements(function: &mut Function, seq: Value, out: &mut Vec<Stmt>) -> Value {
    let mut add = |op, ty| {
        let value = function.values.push(ValueInfo { ty: Type::Scalar(ty) });
        out.push(Stmt { value, op, span: Span::none() });
        value
    };
    let length = add(Op::Length(seq), Ty::I64);
    let none = add(Op::Const(Const::I64(0)), Ty::I64);
    add(Op::Scalar(ScalarOp::Gt, vec![length, none]), Ty::Bool)
}

/// Statements that run on a condition; else what is used of them is nothing that anybody asks for.
fn only_if(
    function: &mut Function,
    cond: Value,
    mut stmts: Vec<Stmt>,
    used: &BTreeSet<Value>,
    out: &mut Vec<Stmt>,
) {
    let span = stmts[0].span;
    let mut names = BTreeMap::new();
    for stmt in &mut stmts {
        rename(stmt, &names);
        if used.contains(&stmt.value) {
            let inside = function.values.push(function.values[stmt.value].clone());
            names.insert(std::mem::replace(&mut stmt.value, inside), inside);
        }
    }
    let outside: Vec<Value> = names.keys().copied().collect();
    if outside.is_empty() {
        // Nobody uses any of it.
        return;
    }
    let tys: Vec<Type> = outside.iter().map(|&v| function.values[v].ty.clone()).collect();
    let mut then = Block { stmts, result: cond };
    let mut els = Block { stmts: Vec::new(), result: cond };
    if let [value] = outside[..] {
        then.result = names[&value];
        els.result = function.nothing(&tys[0], span, &mut els.stmts);
        return out.push(Stmt { value, op: Op::If(cond, then, els), span });
    }
    let ty = Type::Tuple(tys);
    then.result = function.values.push(ValueInfo { ty: ty.clone() });
    let parts = names.values().copied().collect();
    then.stmts.push(Stmt { value: then.result, op: Op::Tuple(parts), span });
    els.result = function.nothing(&ty, span, &mut els.stmts);
    let all = function.values.push(ValueInfo { ty });
    out.push(Stmt { value: all, op: Op::If(cond, then, els), span });
    let part = |(n, value)| Stmt { value, op: Op::Field(all, n), span };
    out.extend(outside.into_iter().enumerate().map(part));
}

/// Uses other names for values.
fn rename(stmt: &mut Stmt, names: &BTreeMap<Value, Value>) {
    let (values, blocks) = stmt.op.parts_mut();
    let name = |value: &mut Value| *value = names.get(value).copied().unwrap_or(*value);
    values.into_iter().for_each(name);
    for block in blocks {
        block.stmts.iter_mut().for_each(|stmt| rename(stmt, names));
        name(&mut block.result);
    }
}

/// All values that a block uses.
fn add_used(block: &Block, used: &mut BTreeSet<Value>) {
    for stmt in &block.stmts {
        used.extend(stmt.op.operands());
        stmt.op.blocks().into_iter().for_each(|block| add_used(block, used));
    }
    used.insert(block.result);
}
