//! What nobody uses is dropped: copies of a body keep only what they are for.

use base::IdMap;
use kernel::{Arg, ArgInfo, Block, Operand, Stmt, Var};
use prim::Ty;
use scalar::Atom;
use std::collections::BTreeSet;

type ScalarStmt = scalar::Stmt<Arg>;

/// The block without values that are not used after it or in it, and without arrays of the kernel
/// that are only written.
pub(super) fn remove_dead(
    block: &Block,
    args: &IdMap<Arg, ArgInfo>,
    ty: &impl Fn(Operand) -> Option<Ty>,
) -> Block {
    let mut block = block.clone();
    loop {
        let mut used = Used::default();
        used.block(&block);
        let (slim, changed) = without(&block, &used, args, ty);
        if !changed {
            return block;
        }
        block = slim;
    }
}

/// The arrays and buffers that are read, or scanned.
pub(super) fn arrays(block: &Block) -> BTreeSet<Arg> {
    let mut used = Used::default();
    used.block(block);
    used.arrays
}

/// What statements use.
#[derive(Default)]
struct Used {
    vars: BTreeSet<Var>,
    arrays: BTreeSet<Arg>,
}

impl Used {
    fn block(&mut self, block: &Block) {
        for stmt in block {
            self.vars.extend(
                stmt.operands()
                    .iter()
                    .filter_map(|a| if let Atom::Var(v) = a { Some(*v) } else { None }),
            );
            self.arrays.extend(stmt.reads());
            self.scans(stmt);
        }
    }
    fn scans(&mut self, stmt: &Stmt) {
        if let Stmt::Scan(scans) = stmt {
            self.arrays.extend(scans.iter().flat_map(|scan| [scan.from, scan.to]));
            self.arrays.extend(scans.iter().filter_map(|scan| Some(scan.restarts?.0)));
        }
        if let Stmt::Rows(rows) = stmt {
            self.arrays.extend([rows.from, rows.to, rows.ends]);
        }
        for block in stmt.blocks() {
            block.iter().for_each(|stmt| self.scans(stmt));
        }
    }

    /// Whether the statement does nothing but give values that nobody uses.
    fn is_dead(&self, stmt: &ScalarStmt, ty: &impl Fn(Operand) -> Option<Ty>) -> bool {
        !stmt.results().is_empty()
            && stmt.results().iter().all(|v| !self.vars.contains(v))
            && !stmt.has_effect(ty)
            && !matches!(stmt, ScalarStmt::Loop { .. })
    }

    /// The statement; a choice that must stay for its effects gives only what is used, and computes
    /// nothing else in its arms.  `dropped` counts what is left out.
    fn slim(
        &self,
        stmt: &ScalarStmt,
        ty: &impl Fn(Operand) -> Option<Ty>,
        dropped: &mut usize,
    ) -> ScalarStmt {
        let ScalarStmt::If { results, cond, then, els } = stmt else {
            return stmt.clone();
        };
        let kept: Vec<usize> =
            (0..results.len()).filter(|&i| self.vars.contains(&results[i])).collect();
        *dropped += results.len() - kept.len();
        let mut arm = |arm: &scalar::Block<Arg>| {
            let used = |stmt: &&ScalarStmt| !self.is_dead(stmt, ty);
            let stmts: Vec<_> = arm.stmts.iter().filter(used).collect();
            *dropped += arm.stmts.len() - stmts.len();
            scalar::Block {
                stmts: stmts.iter().map(|stmt| self.slim(stmt, ty, dropped)).collect(),
                yields: kept.iter().map(|&i| arm.yields[i]).collect(),
            }
        };
        ScalarStmt::If {
            results: kept.iter().map(|&i| results[i]).collect(),
            cond: *cond,
            then: arm(then),
            els: arm(els),
        }
    }
}

fn without(
    block: &Block,
    used: &Used,
    args: &IdMap<Arg, ArgInfo>,
    ty: &impl Fn(Operand) -> Option<Ty>,
) -> (Block, bool) {
    let mut changed = false;
    let mut inner = |block: &Block| {
        let (block, other) = without(block, used, args, ty);
        changed |= other;
        block
    };
    let mut left = Vec::new();
    let mut dropped = 0;
    for stmt in block {
        let dead = match stmt {
            Stmt::Scalar(stmt) => used.is_dead(stmt, ty),
            Stmt::Store(array, ..) => args[*array].kind.is_own() && !used.arrays.contains(array),
            Stmt::Owner { index, .. } => !used.vars.contains(index),
            Stmt::Owners(told) | Stmt::Ends(told) => !used.arrays.contains(&told.to),
            Stmt::If(_, then, els) => then.is_empty() && els.is_empty(),
            _ => false,
        };
        if dead {
            dropped += 1;
            continue;
        }
        left.push(match stmt {
            Stmt::Scalar(stmt) => Stmt::Scalar(used.slim(stmt, ty, &mut dropped)),
            _ => stmt.with_blocks(&mut inner),
        });
    }
    (left, changed || dropped > 0)
}
