//! Facts about scalar functions and kernels that decide how they are printed.
//!
//! *Recursive*: on a cycle of calls; such a call is checked against the stack.  *Fails*: may record
//! a fault.  *Stops*: has a loop or a recursive call, and so must learn of a fault recorded before
//! it, because loops over harmless values need not end.  A function that fails or stops is handed
//! the lane's state.

use base::{Id, IdMap};
use kernel::Program;
use prim::Ty;
use scalar::{Atom, Block, Func, Function, Op, Stmt, Var, can_fail};

/// Facts about one function.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct FunctionFacts {
    /// On a cycle of calls.
    pub(crate) recursive: bool,
    /// May record a fault.
    pub(crate) fails: bool,
    /// Is handed the state of its lane.
    pub(crate) lane: bool,
    /// Statements that run at most once when it is called, calls included; huge if it loops.
    pub(crate) size: usize,
}

/// Facts about all functions of a program.
pub(crate) struct Facts {
    /// By function.
    pub(crate) functions: IdMap<Func, FunctionFacts>,
    /// Functions called directly, by function.
    pub(crate) calls: IdMap<Func, Vec<Func>>,
}

impl Facts {
    /// Looks at every function of the program.
    pub(crate) fn new(program: &Program) -> Facts {
        let calls: IdMap<Func, Vec<Func>> =
            program.scalars.values().map(|f| called(&f.code.body)).collect();
        let reach: Vec<Vec<Func>> = calls.values().map(|to| reachable(&calls, to)).collect();
        let own: Vec<(bool, bool)> = program.scalars.values().map(own_facts).collect();
        let recursive = |f: Func| reach[f.index()].contains(&f);
        let mut sizes = vec![None; program.scalars.len()];
        let facts = |f: Func| {
            let all = || std::iter::once(f).chain(reach[f.index()].iter().copied());
            let fails = all().any(|g| own[g.index()].0 || recursive(g));
            let loops = all().any(|g| own[g.index()].1);
            let lane = fails || loops;
            let size = if lane { usize::MAX } else { size(program, f, &mut sizes) };
            FunctionFacts { recursive: recursive(f), fails, lane, size }
        };
        Facts { functions: program.scalars.ids().map(facts).collect(), calls }
    }
    /// The functions that these call, directly or not, and they themselves, in order of number.
    pub(crate) fn closure(&self, roots: &[Func]) -> Vec<Func> {
        let mut all = reachable(&self.calls, roots);
        all.sort();
        all
    }
    /// Whether a statement, its blocks aside, can record a fault.
    pub(crate) fn stmt_fails<R: Copy>(&self, stmt: &Stmt<R>, vars: &IdMap<Var, Ty>) -> bool {
        match stmt {
            Stmt::Call(call) => self.functions[call.func].fails,
            _ => fails_itself(stmt, vars),
        }
    }
}

/// Calls `visit` with every statement, outer ones first.
pub(crate) fn walk<R>(block: &Block<R>, visit: &mut dyn FnMut(&Stmt<R>)) {
    for stmt in &block.stmts {
        walk_stmt(stmt, visit);
    }
}

/// Calls `visit` with the statement and all inside it.
pub(crate) fn walk_stmt<R>(stmt: &Stmt<R>, visit: &mut dyn FnMut(&Stmt<R>)) {
    visit(stmt);
    match stmt {
        Stmt::If { then, els, .. } => {
            walk(then, visit);
            walk(els, visit);
        }
        Stmt::Loop { body, .. } => walk(body, visit),
        Stmt::Let(..) | Stmt::Require { .. } | Stmt::Call(_) => {}
    }
}

/// Whether the function fails, and whether it loops, calls aside.
fn own_facts(function: &Function) -> (bool, bool) {
    let (mut fails, mut loops) = (false, false);
    walk(&function.code.body, &mut |stmt| {
        fails |= fails_itself(stmt, &function.code.vars);
        loops |= matches!(stmt, Stmt::Loop { .. });
    });
    (fails, loops)
}

fn fails_itself<R: Copy>(stmt: &Stmt<R>, vars: &IdMap<Var, Ty>) -> bool {
    match stmt {
        Stmt::Let(_, Op::Scalar(op, args, _)) => can_fail(*op, args, &|a| atom_ty(a, vars)),
        Stmt::Require { .. } => true,
        _ => false,
    }
}

/// Statements of a function and of those it calls, which are not on a cycle; `known` remembers.
fn size(program: &Program, f: Func, known: &mut [Option<usize>]) -> usize {
    if let Some(size) = known[f.index()] {
        return size;
    }
    let mut total = 0_usize;
    walk(&program.scalars[f].code.body, &mut |stmt| {
        let inside = if let Stmt::Call(call) = stmt { size(program, call.func, known) } else { 0 };
        total = total.saturating_add(1).saturating_add(inside);
    });
    known[f.index()] = Some(total);
    total
}

fn called<R>(block: &Block<R>) -> Vec<Func> {
    let mut calls = Vec::new();
    walk(block, &mut |stmt| {
        if let Stmt::Call(call) = stmt {
            calls.push(call.func);
        }
    });
    calls.sort();
    calls.dedup();
    calls
}

/// `roots` and all that they call.
fn reachable(calls: &IdMap<Func, Vec<Func>>, roots: &[Func]) -> Vec<Func> {
    let mut found = Vec::new();
    let mut open = roots.to_vec();
    while let Some(f) = open.pop() {
        if !found.contains(&f) {
            found.push(f);
            open.extend(&calls[f]);
        }
    }
    found
}

/// The type of an operand; none only for a variable that does not exist.
pub(crate) fn atom_ty<R: Copy>(atom: Atom<R>, vars: &IdMap<Var, Ty>) -> Option<Ty> {
    match atom {
        Atom::Var(v) => vars.get(v).copied(),
        Atom::Const(c) => Some(c.ty()),
        Atom::Outer(_, ty) => Some(ty),
    }
}
