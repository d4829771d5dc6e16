//! Computes in an arm what depends on its condition, as that is known there.
//!
//! ```text
//! x3 = select x2 x0 x1
//! x4 = add x3 7
//! x7 = if x2 { x5 = read v0 x4; yield x5 } else { x6 = read v1 x4; yield x6 }
//!   becomes
//! x7 = if x2 { x8 = add x0 7; x5 = read v0 x8; yield x5 } else { x9 = add x1 7; ... }
//! ```
//!
//! Each arm then reads at a place of its own, which the producers of what it reads may know.

use crate::code::{Atom, Block, Code, Name, Op, Stmt, Var};
use crate::map::{Item, can_fail};
use base::IdMap;
use prim::{ScalarOp, Ty};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// Most operations between a choice and what depends on it.
const DEPTH: usize = 4;
/// Arms in arms that are looked at: each is walked once for every arm around it.
const NESTED: usize = 64;
/// Most operations one after the other that are done once more.
const MOST: usize = 8;

impl<R: Name> Code<R> {
    /// The code with operations copied into the arms whose condition they depend on.  What nobody
    /// needs any more is left for [`Code::remove_dead_code`].
    #[must_use]
    pub fn specialise_arms(&self) -> Code<R> {
        let mut made = FxHashMap::default();
        note(&self.body, &mut made);
        let mut arms = Arms {
            made: &made,
            vars: self.vars.clone(),
            visible: FxHashSet::default(),
            seen: Vec::new(),
            assumed: Vec::new(),
        };
        arms.see(&self.params);
        let mut body = self.body.clone();
        arms.block(&mut body);
        Code { params: self.params.clone(), vars: arms.vars, body }
    }
}

/// How a variable came to be.
#[derive(Clone)]
enum Made<R> {
    Let(Op<R>),
    /// Chosen by a condition.
    If(Atom<R>, [Atom<R>; 2]),
}

fn note<R: Name>(block: &Block<R>, made: &mut FxHashMap<Var, Made<R>>) {
    for stmt in &block.stmts {
        match stmt {
            Stmt::Let(var, op) => {
                made.insert(*var, Made::Let(op.clone()));
            }
            Stmt::If { results, cond, then, els } => {
                for (n, &result) in results.iter().enumerate() {
                    let yields = [then, els].map(|arm| arm.yields[n]);
                    made.insert(result, Made::If(*cond, yields));
                }
                note(then, made);
                note(els, made);
            }
            Stmt::Loop { body, .. } => note(body, made),
            Stmt::Require { .. } | Stmt::Call(_) => {}
        }
    }
}

struct Arms<'a, R> {
    made: &'a FxHashMap<Var, Made<R>>,
    vars: IdMap<Var, Ty>,
    /// Variables that may be used where the walk is.
    visible: FxHashSet<Var>,
    /// The same in their order.
    seen: Vec<Var>,
    /// Conditions of the arms around, and what they are there.
    assumed: Vec<(Atom<R>, bool)>,
}

impl<R: Name> Arms<'_, R> {
    fn block(&mut self, block: &mut Block<R>) {
        let outside = self.seen.len();
        for stmt in &mut block.stmts {
            if let Some(choice) = self.as_arms(stmt) {
                *stmt = choice;
            }
            match stmt {
                Stmt::If { cond, then, els, .. } => {
                    for (arm, truth) in [(then, true), (els, false)] {
                        self.assumed.push((*cond, truth));
                        if self.assumed.len() <= NESTED {
                            self.arm(arm);
                        }
                        self.block(arm);
                        self.assumed.pop();
                    }
                }
                Stmt::Loop { params, body, .. } => {
                    self.see(params);
                    self.block(body);
                }
                Stmt::Let(..) | Stmt::Require { .. } | Stmt::Call(_) => {}
            }
            self.see(stmt.results());
        }
        for var in self.seen.drain(outside..) {
            self.visible.remove(&var);
        }
    }

    /// These variables may be used from here on.
    fn see(&mut self, vars: &[Var]) {
        for &var in vars {
            if self.visible.insert(var) {
                self.seen.push(var);
            }
        }
    }

    /// A choice between what two arms of the same condition give is one of two arms.
    fn as_arms(&self, stmt: &Stmt<R>) -> Option<Stmt<R>> {
        let Stmt::Let(var, Op::Scalar(ScalarOp::Select, args, _)) = stmt else { return None };
        let &[cond, a, b] = args.as_slice() else { return None };
        let chosen = |atom: Atom<R>| match atom {
            Atom::Var(v) => matches!(self.made.get(&v), Some(Made::If(own, _)) if *own == cond),
            Atom::Const(_) | Atom::Outer(..) => false,
        };
        let arm = |yielded| Block { stmts: Vec::new(), yields: vec![yielded] };
        (chosen(a) || chosen(b)).then(|| Stmt::If {
            results: vec![*var],
            cond,
            then: arm(a),
            els: arm(b),
        })
    }

    /// Lets an arm compute what it needs and depends on its condition.
    fn arm(&mut self, arm: &mut Block<R>) {
        let (mut inside, mut used) = (BTreeSet::new(), BTreeSet::new());
        arm.walk(&mut |item| {
            if let Item::Stmt(stmt) = item {
                inside.extend(stmt.results());
                if let Stmt::Loop { params, .. } = stmt {
                    inside.extend(params);
                }
            }
            item.for_each_atom(&mut |atom| {
                if let Atom::Var(var) = atom {
                    used.insert(var);
                }
            });
        });
        let mut own = Own { known: FxHashMap::default(), stmts: Vec::new() };
        let mut others = FxHashMap::default();
        for &var in used.difference(&inside) {
            if self.depends(Atom::Var(var), DEPTH)
                && let Some(special) = self.special(Atom::Var(var), MOST, &mut own)
            {
                others.insert(var, special);
            }
        }
        if others.is_empty() {
            return;
        }
        replace(arm, &|atom| match atom {
            Atom::Var(var) => others.get(&var).copied().unwrap_or(atom),
            Atom::Const(_) | Atom::Outer(..) => atom,
        });
        arm.stmts.splice(0..0, own.stmts);
    }

    fn truth(&self, cond: Atom<R>) -> Option<bool> {
        self.assumed.iter().rev().find(|known| known.0 == cond).map(|known| known.1)
    }

    /// What an atom is, where the conditions are known.
    fn chosen(&self, atom: Atom<R>) -> Option<Atom<R>> {
        let Atom::Var(var) = atom else { return None };
        match self.made.get(&var)? {
            Made::Let(Op::Scalar(ScalarOp::Select, args, _)) => {
                Some(if self.truth(args[0])? { args[1] } else { args[2] })
            }
            Made::If(cond, [then, els]) => Some(if self.truth(*cond)? { *then } else { *els }),
            Made::Let(_) => None,
        }
    }

    /// Whether an atom depends on a condition that is known, by few operations that cannot fail.
    fn depends(&self, atom: Atom<R>, depth: usize) -> bool {
        if self.chosen(atom).is_some() {
            return true;
        }
        let (Some(depth), Some(args)) = (depth.checked_sub(1), self.operands(atom)) else {
            return false;
        };
        args.into_iter().any(|arg| self.depends(arg, depth))
    }

    /// The operands of what makes an atom, if that is cheap and cannot fail.
    fn operands(&self, atom: Atom<R>) -> Option<Vec<Atom<R>>> {
        let Atom::Var(var) = atom else { return None };
        match self.made.get(&var)? {
            Made::Let(Op::Scalar(op, args, _)) => {
                let ty = |atom: Atom<R>| match atom {
                    Atom::Var(v) => self.vars.get(v).copied(),
                    Atom::Const(c) => Some(c.ty()),
                    Atom::Outer(_, ty) => Some(ty),
                };
                let fits = !op.is_heavy() && !can_fail(*op, args, &ty);
                fits.then(|| args.to_vec())
            }
            Made::Let(Op::Read(_, index)) => Some(vec![*index]),
            Made::If(..) => None,
        }
    }

    /// An atom where the conditions are known, computed in the arm; none if it would take more than
    /// a few operations.
    fn special(&mut self, atom: Atom<R>, depth: usize, own: &mut Own<R>) -> Option<Atom<R>> {
        if let Some(&known) = own.known.get(&atom) {
            return Some(known);
        }
        let special = self.computed(atom, depth, own)?;
        own.known.insert(atom, special);
        Some(special)
    }

    fn computed(&mut self, atom: Atom<R>, depth: usize, own: &mut Own<R>) -> Option<Atom<R>> {
        if let Some(chosen) = self.chosen(atom) {
            return self.special(chosen, depth, own);
        }
        let Atom::Var(var) = atom else { return Some(atom) };
        if self.visible.contains(&var) && !self.depends(atom, depth) {
            return Some(atom);
        }
        // What the other arm of an equal condition computes is computed here once more.
        let depth = depth.checked_sub(1)?;
        self.operands(atom)?;
        let op = match self.made.get(&var)?.clone() {
            Made::Let(Op::Scalar(op, args, span)) => {
                let args: Option<Vec<_>> =
                    args.iter().map(|&arg| self.special(arg, depth, own)).collect();
                Op::Scalar(op, args?, span)
            }
            Made::Let(Op::Read(vector, index)) => {
                Op::Read(vector, self.special(index, depth, own)?)
            }
            Made::If(..) => return None,
        };
        let made = self.vars.push(self.vars[var]);
        own.stmts.push(Stmt::Let(made, op));
        Some(Atom::Var(made))
    }
}

/// What an arm computes anew.
struct Own<R> {
    known: FxHashMap<Atom<R>, Atom<R>>,
    stmts: Vec<Stmt<R>>,
}

/// Puts other operands in the place of those of a block.
fn replace<R: Name>(block: &mut Block<R>, f: &impl Fn(Atom<R>) -> Atom<R>) {
    let all = |atoms: &mut [Atom<R>]| atoms.iter_mut().for_each(|atom| *atom = f(*atom));
    for stmt in &mut block.stmts {
        match stmt {
            Stmt::Let(_, Op::Scalar(_, args, _)) => all(args),
            Stmt::Let(_, Op::Read(_, index)) => *index = f(*index),
            Stmt::If { cond, then, els, .. } => {
                *cond = f(*cond);
                replace(then, f);
                replace(els, f);
            }
            Stmt::Loop { init, body, .. } => {
                all(init);
                replace(body, f);
            }
            Stmt::Require { cond, args, .. } => {
                *cond = f(*cond);
                all(args);
            }
            Stmt::Call(call) => all(&mut call.args),
        }
    }
    all(&mut block.yields);
}
