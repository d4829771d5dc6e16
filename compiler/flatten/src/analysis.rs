//! What is known of nest functions before flattening: which recurse, which are called, which are
//! *scalar*.
//!
//! A block is **scalar** when no statement in it makes a sequence by a bulk operation and its
//! result holds no sequence: arithmetic, reading elements of sequences that exist, `if`, calls of
//! scalar functions.  Such a block stays whole inside the code of a lane.

use base::{Id, IdMap};
use nest::{Block, Func, Op, Program};
use std::collections::BTreeSet;

/// A function of more statements than these is not translated in the place of each of its calls, if
/// there are several: of functions that call each other twice there would be 2, 4, 8 and so on.
const MOST_COPIED: usize = 2000;

pub(crate) struct Analysis {
    pub(crate) recursive: Vec<bool>,
    /// Which are functions of the flat program: those that recurse, and large ones.
    pub(crate) called: Vec<bool>,
    /// Which have calls left when all others stand where they are called, or are called themselves.
    passes_on: Vec<bool>,
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
        let called = called(program, &callees, &recursive);
        let passes_on = passing_on(&callees, &called);
        let scalar = vec![true; program.funcs.len()];
        let mut analysis = Analysis { recursive, called, passes_on, recursion, scalar };
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

    /// Whether scalar code of the block has calls left, be it in a function that stands there.
    pub(crate) fn has_calls(&self, block: &Block) -> bool {
        callees(block).into_iter().any(|f| self.passes_on[f.index()])
    }
}

/// Which functions are called: those that recurse, and those that are too large to be copied.
fn called(program: &Program, callees: &IdMap<Func, Vec<Func>>, recursive: &[bool]) -> Vec<bool> {
    let mut calls = vec![0; callees.len()];
    for callee in callees.values().flatten() {
        calls[callee.index()] += 1;
    }
    let mut called = recursive.to_vec();
    // Statements with all that stands in the place of calls.
    let mut sizes = vec![0_usize; callees.len()];
    for f in callees_first(callees) {
        let mut size = 0;
        each_block(&program.funcs[f].body, &mut |block| size += block.stmts.len());
        for callee in callees[f].iter().filter(|callee| !called[callee.index()]) {
            size = size.saturating_add(sizes[callee.index()]);
        }
        sizes[f.index()] = size;
        called[f.index()] |= calls[f.index()] > 1 && size > MOST_COPIED;
    }
    called
}

/// Which functions are called or have calls in them, be it in others that stand there.
fn passing_on(callees: &IdMap<Func, Vec<Func>>, called: &[bool]) -> Vec<bool> {
    let mut passes_on = called.to_vec();
    for f in callees_first(callees) {
        passes_on[f.index()] |= callees[f].iter().any(|callee| passes_on[callee.index()]);
    }
    passes_on
}

/// All functions, each after those that it calls, as far as these do not lead back to it.
fn callees_first(callees: &IdMap<Func, Vec<Func>>) -> Vec<Func> {
    let mut order = Vec::new();
    let mut seen = vec![false; callees.len()];
    for from in callees.ids() {
        let mut open = vec![(from, 0)];
        while let Some((f, next)) = open.pop() {
            if next == 0 && std::mem::replace(&mut seen[f.index()], true) {
                continue;
            }
            match callees[f].get(next) {
                Some(&callee) => open.extend([(f, next + 1), (callee, 0)]),
                None => order.push(f),
            }
        }
    }
    order
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
        stmt.op.blocks().into_iter().for_each(|inner| each_block(inner, visit));
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
    let mut all = op.operands();
    all.extend(op.blocks().into_iter().flat_map(block_operands));
    all
}

/// The values used in a block.
pub(crate) fn block_operands(block: &Block) -> Vec<nest::Value> {
    let mut all: Vec<_> = block.stmts.iter().flat_map(|s| operands(&s.op)).collect();
    all.push(block.result);
    all
}
