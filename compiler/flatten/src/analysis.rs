//! What is known of nest functions before flattening: which recurse, which are *scalar*.
//!
//! A block is **scalar** when no statement in it makes a sequence by a bulk operation and its
//! result holds no sequence: arithmetic, reading elements of sequences that exist, `if`, calls of
//! scalar functions.  Such a block stays whole inside the code of a lane.

use base::{Id, IdMap};
use nest::{Block, Func, Op, Program};
use std::collections::BTreeSet;

pub(crate) struct Analysis {
    pub(crate) recursive: Vec<bool>,
    /// The first of the functions that a recursive one and it call, be it by others; of any other,
    /// itself.
    pub(crate) recursion: IdMap<Func, Func>,
    pub(crate) scalar: Vec<bool>,
}

impl Analysis {
    pub(crate) fn new(program: &Program) -> Analysis {
        let callees: IdMap<Func, Vec<Func>> =
            program.funcs.values().map(|f| callees(&f.body)).collect();
        let recursive: Vec<bool> = program.funcs.ids().map(|f| reaches(&callees, f)).collect();
        let recursion = recursions(&callees, &recursive);
        let scalar = vec![true; program.funcs.len()];
        let mut analysis = Analysis { recursive, recursion, scalar };
        // Start from "all are scalar" and strike out until nothing changes.
        let mut changed = true;
        while changed {
            changed = false;
            for (id, f) in program.funcs.iter() {
                let flat = f.values[f.body.result].ty.is_flat();
                if analysis.scalar[id.index()] && !(flat && analysis.is_scalar(f, &f.body)) {
                    analysis.scalar[id.index()] = false;
                    changed = true;
                }
            }
        }
        analysis
    }

    /// Whether all statements of the block may stand in scalar code.
    pub(crate) fn is_scalar(&self, function: &nest::Function, block: &Block) -> bool {
        block.stmts.iter().all(|s| match &s.op {
            Op::Const(_)
            | Op::Copy(_)
            | Op::Scalar(..)
            | Op::Require(..)
            | Op::Tuple(_)
            | Op::Field(..)
            | Op::Length(_)
            | Op::Element(..)
            | Op::Slice { .. } => true,
            Op::If(_, a, b) => {
                function.values[s.value].ty.is_flat()
                    && self.is_scalar(function, a)
                    && self.is_scalar(function, b)
            }
            Op::Call(f, _) => self.scalar[f.index()],
            _ => false,
        })
    }

    /// Whether scalar code of the block calls a recursive function, be it in one that is inlined.
    pub(crate) fn calls_recursive(&self, program: &Program, block: &Block) -> bool {
        callees(block).into_iter().any(|f| {
            self.recursive[f.index()] || self.calls_recursive(program, &program.funcs[f].body)
        })
    }
}

/// The functions that a block calls.
pub(crate) fn callees(block: &Block) -> Vec<Func> {
    let mut found = Vec::new();
    each_block(block, &mut |b| {
        for stmt in &b.stmts {
            if let Op::Call(f, _) = stmt.op {
                found.push(f);
            }
        }
    });
    found
}

/// Visits a block and those nested in it.
pub(crate) fn each_block(block: &Block, visit: &mut impl FnMut(&Block)) {
    visit(block);
    for stmt in &block.stmts {
        match &stmt.op {
            Op::Each(each) => {
                if let Some(test) = &each.test {
                    each_block(test, visit);
                }
                each_block(&each.body, visit);
            }
            Op::If(_, a, b) => {
                each_block(a, visit);
                each_block(b, visit);
            }
            _ => {}
        }
    }
}

/// The first function of the recursion that each is part of.
fn recursions(callees: &IdMap<Func, Vec<Func>>, recursive: &[bool]) -> IdMap<Func, Func> {
    let reached = |from: Func| {
        let (mut seen, mut todo) = (BTreeSet::new(), vec![from]);
        while let Some(f) = todo.pop() {
            let next = callees[f].iter().filter(|f| recursive[f.index()]);
            todo.extend(next.filter(|&&f| seen.insert(f)));
        }
        seen
    };
    let reached: IdMap<Func, BTreeSet<Func>> = callees
        .ids()
        .map(|f| if recursive[f.index()] { reached(f) } else { BTreeSet::new() })
        .collect();
    let both = |f: Func| reached[f].iter().copied().find(|&g| reached[g].contains(&f));
    callees.ids().map(|f| both(f).unwrap_or(f)).collect()
}

fn reaches(callees: &IdMap<Func, Vec<Func>>, from: Func) -> bool {
    let mut seen = vec![false; callees.len()];
    let mut todo = callees[from].clone();
    while let Some(f) = todo.pop() {
        if f == from {
            return true;
        }
        if !std::mem::replace(&mut seen[f.index()], true) {
            todo.extend(&callees[f]);
        }
    }
    false
}

/// The values that a statement's operation uses, blocks included (those of blocks also name values
/// defined inside them).
pub(crate) fn operands(op: &Op) -> Vec<nest::Value> {
    match op {
        Op::Const(_) | Op::Literal(..) => vec![],
        Op::Copy(v)
        | Op::Fail(v)
        | Op::Field(v, _)
        | Op::Length(v)
        | Op::Index(v)
        | Op::Which(v)
        | Op::Reduce(_, v)
        | Op::Scan(_, v)
        | Op::Flatten(v)
        | Op::Sort(_, v) => vec![*v],
        Op::Scalar(_, vs) | Op::Tuple(vs) | Op::Seq(vs) | Op::Call(_, vs) => vs.clone(),
        Op::Require(_, vs) => vs.to_vec(),
        Op::Element(a, b) | Op::Partition(a, b) | Op::Append(a, b) | Op::Permute(a, b) => {
            vec![*a, *b]
        }
        Op::Slice { seq, start, count } => vec![*seq, *start, *count],
        Op::Write { into, positions, values } => vec![*into, *positions, *values],
        Op::Each(each) => {
            let mut all: Vec<_> = each.generators.iter().map(|g| g.1).collect();
            if let Some(test) = &each.test {
                all.extend(block_operands(test));
            }
            all.extend(block_operands(&each.body));
            all
        }
        Op::If(c, a, b) => {
            let mut all = vec![*c];
            all.extend(block_operands(a));
            all.extend(block_operands(b));
            all
        }
    }
}

/// The values used in a block.
pub(crate) fn block_operands(block: &Block) -> Vec<nest::Value> {
    let mut all: Vec<_> = block.stmts.iter().flat_map(|s| operands(&s.op)).collect();
    all.push(block.result);
    all
}
