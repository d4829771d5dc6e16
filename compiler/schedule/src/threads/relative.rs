//! Cursors in shared arrays, counted from the start of the tile.
//!
//! Where segments begin among what a filter keeps is read from a shared array that has the cursor
//! of each element.  What comes before the tile is the same for all of them, so that it is added
//! when one is read: what is stored is a count of less than the tile's elements, for which a
//! quarter of the memory does (`kernel::counts`).

use super::assign;
use base::IdMap;
use kernel::{Arg, ArgInfo, ArgKind, Block, Operand, Stmt, Var};
use prim::{Monoid, ScalarOp, Ty};
use scalar::{Atom, Op, Span};
use std::collections::{BTreeMap, BTreeSet};

/// The block with such arrays relative to what the tiles before come to.
pub(super) fn relative(
    block: Block,
    args: &IdMap<Arg, ArgInfo>,
    vars: &mut IdMap<Var, Ty>,
) -> Block {
    let Some(chain) = block.iter().position(|stmt| matches!(stmt, Stmt::Chain { .. })) else {
        return block;
    };
    let mut found = Found::default();
    for stmt in &block[..chain] {
        found.unfit.extend(stmt.reads());
    }
    found.block(&block);
    let shared =
        |arg: &Arg| matches!(args[*arg].kind, ArgKind::Shared(_)) && args[*arg].ty == Ty::I64;
    let bases: BTreeMap<Arg, Var> = found
        .stored
        .iter()
        .filter(|(arg, _)| shared(arg) && !found.unfit.contains(arg))
        .filter_map(|(&arg, &base)| Some((arg, base?)))
        .collect();
    rewrite(&block, &bases, &found.sums, vars)
}

/// What the statements of a tile do with arrays.
#[derive(Default)]
struct Found {
    /// Ints that the tiles before this one come to.
    before: BTreeSet<Var>,
    /// Sums of such an int, and of something else.
    sums: BTreeMap<Var, (Var, Operand)>,
    /// What all ints that are stored in an array are sums of, if that is one int.
    stored: BTreeMap<Arg, Option<Var>>,
    /// Arrays that are used in other ways.
    unfit: BTreeSet<Arg>,
}

impl Found {
    fn block(&mut self, block: &Block) {
        for stmt in block {
            match stmt {
                Stmt::Chain { links, .. } => {
                    let sums = links.iter().filter(|(.., monoid)| *monoid == Monoid::Add);
                    self.before.extend(sums.map(|(before, ..)| *before));
                }
                Stmt::Scalar(scalar::Stmt::Let(var, Op::Scalar(ScalarOp::Add, terms, _))) => {
                    for (base, rest) in [(terms[0], terms[1]), (terms[1], terms[0])] {
                        if let Atom::Var(base) = base
                            && self.before.contains(&base)
                        {
                            self.sums.insert(*var, (base, rest));
                        }
                    }
                }
                Stmt::Scalar(scalar::Stmt::Let(_, Op::Read(..))) => {}
                Stmt::Store(array, _, value) => {
                    let base = match value {
                        Atom::Var(var) => self.sums.get(var).map(|(base, _)| *base),
                        _ => None,
                    };
                    let one = self.stored.entry(*array).or_insert(base);
                    *one = one.filter(|_| *one == base);
                }
                Stmt::Owners(told) | Stmt::Ends(told) => _ = self.unfit.insert(told.to),
                Stmt::Rows(rows) => self.unfit.extend([rows.to, rows.ends]),
                Stmt::If(..) | Stmt::For { .. } => {}
                stmt => self.unfit.extend(stmt.reads()),
            }
            stmt.blocks().into_iter().for_each(|block| self.block(block));
        }
    }
}

fn rewrite(
    block: &Block,
    bases: &BTreeMap<Arg, Var>,
    sums: &BTreeMap<Var, (Var, Operand)>,
    vars: &mut IdMap<Var, Ty>,
) -> Block {
    let mut out = Vec::new();
    for stmt in block {
        match stmt {
            Stmt::Store(array, at, Atom::Var(value)) if bases.contains_key(array) => {
                out.push(Stmt::Store(*array, *at, sums[value].1));
            }
            Stmt::Scalar(scalar::Stmt::Let(var, Op::Read(array, at)))
                if bases.contains_key(array) =>
            {
                let own = vars.push(Ty::I64);
                let sum = vec![Atom::Var(bases[array]), Atom::Var(own)];
                out.push(assign(own, Op::Read(*array, *at)));
                out.push(assign(*var, Op::Scalar(ScalarOp::Add, sum, Span::none())));
            }
            stmt => out.push(stmt.with_blocks(|block| rewrite(block, bases, sums, vars))),
        }
    }
    out
}
