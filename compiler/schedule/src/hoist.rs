//! What a loop over a segment reads at the same place in all iterations is read before it.
//!
//! ```text
//! for x6 in x4 .. x5 { x7 = read a0 x3; x8 = add x7 x6; x9 = read a1 x8; ... }
//!   becomes
//! x10 = lt x4 x5
//! x7 = if x10 { x11 = read a0 x3; yield x11 } else { yield 0 }
//! for x6 in x4 .. x5 { x8 = add x7 x6; x9 = read a1 x8; ... }
//! ```
//!
//! C compilers do so only where the loop surely runs, and nothing that is stored can be what is
//! read.  As long as they do not, elements whose position was moved by what was read are looked up
//! one by one, though they lie side by side.  Where the loop does not run, there may be nothing to
//! read.

use crate::scheduler::Scheduler;
use kernel::{Arg, Block, Carry, Stmt};
use plan::ParamKind;
use prim::ScalarOp;
use rustc_hash::{FxHashMap, FxHashSet};
use scalar::{Atom, Op, Var, can_fail};

impl Scheduler<'_> {
    /// Takes out of the body of a loop from one number to before another what is read at the same
    /// place in all iterations, and what is computed of that alone; it comes to stand in the
    /// innermost level, which is that around the loop.
    pub(crate) fn hoist_reads(
        &mut self,
        body: &mut Block,
        [from, to]: [Atom<Arg>; 2],
        index: Var,
        carried: &[Carry],
    ) {
        let changing = carried.iter().map(|carry| carry.var).chain([index]).collect();
        let same = self.same_in_all(body, changing);
        let moving = reads_and_after(&same);
        if moving.is_empty() {
            return;
        }
        body.retain(|stmt| !stmt.results().iter().any(|v| moving.contains(v)));
        let results = used(body, carried, &moving);
        let level = self.levels.len() - 1;
        let cond = self.op_in(level, ScalarOp::Lt, &[from, to]);
        let then = self.copied(&same, &results);
        results.iter().for_each(|&v| self.builder.forget(v));
        let nothing = |&v: &Var| Atom::Const(self.builder.ty(Atom::Var(v)).zero());
        let els =
            scalar::Block { stmts: Vec::new(), yields: results.iter().map(nothing).collect() };
        let choice = scalar::Stmt::If { results, cond, then, els };
        self.levels[level].block.push(Stmt::Scalar(choice));
    }

    /// The operations of a body that give the same in all iterations.  What comes behind a check
    /// may be possible only if that is met.
    fn same_in_all(&self, body: &Block, mut changing: FxHashSet<Var>) -> Vec<(Var, Op<Arg>)> {
        let mut same = Vec::new();
        for stmt in body {
            match stmt {
                Stmt::Scalar(scalar::Stmt::Let(result, op)) if self.is_same(op, &changing) => {
                    same.push((*result, op.clone()));
                }
                Stmt::Scalar(stmt) if !stmt.has_effect(&|atom| Some(self.builder.ty(atom))) => {
                    changing.extend(stmt.results());
                }
                Stmt::Store(..) | Stmt::Positions(_) => {}
                _ => break,
            }
        }
        same
    }

    /// Some of these operations, and what they need, under other names.
    fn copied(&mut self, ops: &[(Var, Op<Arg>)], results: &[Var]) -> scalar::Block<Arg> {
        let mut needed: FxHashSet<Var> = results.iter().copied().collect();
        for (result, op) in ops.iter().rev() {
            if needed.contains(result) {
                needed.extend(vars(op));
            }
        }
        let mut names: FxHashMap<Var, Var> = FxHashMap::default();
        let mut stmts = Vec::new();
        for (var, op) in ops.iter().filter(|(var, _)| needed.contains(var)) {
            let name = self.builder.fresh(self.builder.ty(Atom::Var(*var)));
            let atom = |atom: &Atom<Arg>| match atom {
                Atom::Var(v) => Atom::Var(names.get(v).copied().unwrap_or(*v)),
                other => *other,
            };
            let op = match op {
                Op::Read(vector, at) => Op::Read(*vector, atom(at)),
                Op::Scalar(op, args, span) => {
                    Op::Scalar(*op, args.iter().map(atom).collect(), *span)
                }
            };
            stmts.push(scalar::Stmt::Let(name, op));
            names.insert(*var, name);
        }
        scalar::Block { stmts, yields: results.iter().map(|v| Atom::Var(names[v])).collect() }
    }

    /// Whether an operation gives the same where some variables change, and may be done before.
    fn is_same(&self, op: &Op<Arg>, changing: &FxHashSet<Var>) -> bool {
        let ty = |atom| Some(self.builder.ty(atom));
        let harmless = match op {
            Op::Read(vector, _) => {
                let param = self.cluster.params.get(base::Id::index(*vector));
                param.is_some_and(|param| param.kind == ParamKind::In)
            }
            Op::Scalar(op, args, _) => !can_fail(*op, args, &ty),
        };
        harmless && !vars(op).any(|v| changing.contains(&v))
    }
}

/// The results of reads, and of what needs these.
fn reads_and_after(ops: &[(Var, Op<Arg>)]) -> FxHashSet<Var> {
    let mut found = FxHashSet::default();
    for (result, op) in ops {
        if matches!(op, Op::Read(..)) || vars(op).any(|v| found.contains(&v)) {
            found.insert(*result);
        }
    }
    found
}

/// Those of some variables that the body of a loop uses, in the order in which it does.
fn used(body: &Block, carried: &[Carry], of: &FxHashSet<Var>) -> Vec<Var> {
    let mut atoms: Vec<Atom<Arg>> = Vec::new();
    kernel::each(body, &mut |stmt| atoms.extend(stmt.operands()));
    atoms.extend(carried.iter().map(|carry| carry.next));
    let mut seen = FxHashSet::default();
    let used = atoms.into_iter().filter_map(|atom| match atom {
        Atom::Var(v) if of.contains(&v) && seen.insert(v) => Some(v),
        _ => None,
    });
    used.collect()
}

/// The variables that an operation uses.
fn vars(op: &Op<Arg>) -> impl Iterator<Item = Var> {
    let atoms = match op {
        Op::Scalar(_, args, _) => args.as_slice(),
        Op::Read(_, at) => std::slice::from_ref(at),
    };
    atoms.iter().filter_map(|atom| match atom {
        Atom::Var(v) => Some(*v),
        Atom::Outer(..) | Atom::Const(_) => None,
    })
}
