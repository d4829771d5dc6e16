//! Where a segment starts plus the index in it is the position of the lane.
//!
//! ```text
//! s2 = [s1 > offsets v4]
//! map [s2] \x0 x1 x2 { x3 = read v4 x0; x4 = add x3 x2; x5 = read v7 x4; yield x5 }
//!   becomes
//! map [s2] \x0 x1 x2 { x3 = read v7 x1; yield x3 }
//! ```
//!
//! So sequences that were zipped are read side by side, once their equal descriptors are one: what
//! is at the own position can run with what makes it.
//!
//! Descriptors are not one where the lanes of a zip are no longer known to be those of a sequence.
//! Their segments follow each other all the same:
//!
//! ```text
//! v4: vec i64 offsets s1 = offsets [s1] \x0 x1 { the length of segment x0 of v2 }
//! s2 = [s1 > offsets v4]
//! map [s2] \x0 x1 x2 { x3 = read v2 x0; x4 = add x3 x2; x5 = read v7 x4; yield x5 }
//!   becomes
//! map [s2] \x0 x1 x2 { x3 = read v2 0; x4 = add x3 x1; x5 = read v7 x4; yield x5 }
//! ```
//!
//! The law: `v4[i] = v2[i] - v2[0]`, as sums of differences.  Elements are then read side by side,
//! and nobody asks for their row.  Offsets that are made here start at 0.

use crate::Code;
use crate::ir::{Block, Domain, Function, Op, Space, SpaceKind, Value};
use prim::{Const, ScalarOp, Ty};
use rustc_hash::{FxHashMap, FxHashSet};
use scalar::{Atom, Builder, Instead, Item, Span, Stmt, Var};

/// Rewrites all code of a function.
pub fn own_positions(function: &mut Function) {
    let mut body = std::mem::take(&mut function.body);
    in_block(function, &mut body, &mut Known::default());
    function.body = body;
}

fn in_block(function: &Function, block: &mut Block, known: &mut Known) {
    for stmt in &mut block.stmts {
        let space = stmt.op.space();
        if let Op::If(_, then, els) = &mut stmt.op {
            in_block(function, then, known);
            in_block(function, els, known);
            continue;
        }
        if let (Some(space), Some(code)) = (space, stmt.op.code_mut())
            && let Some(positions) = own_position(function, known, space, code)
        {
            *code = positions.simplify();
        }
        known.note(function, stmt);
    }
}

/// What is known of offsets.
#[derive(Default)]
struct Known {
    /// Those that start at 0.
    zero: FxHashSet<Value>,
    /// Those of the same segments as others, from the first on.
    same: FxHashMap<Value, Value>,
}

impl Known {
    fn note(&mut self, function: &Function, stmt: &crate::Stmt) {
        let (Op::Offsets { .. } | Op::Filter { .. }) = &stmt.op else { return };
        let offsets = |v: &&Value| matches!(function.values[**v].domain, Domain::Offsets(_));
        self.zero.extend(stmt.results.iter().filter(offsets));
        if let Op::Offsets { code, .. } = &stmt.op
            && let Some(others) = lengths_of(code)
            && matches!(function.values[others].domain, Domain::Offsets(_))
        {
            self.same.insert(stmt.results[0], others);
        }
    }
}

/// The offsets of which code over lanes of the root yields the length of its own segment.
fn lengths_of(code: &Code) -> Option<Value> {
    let &[row, _] = code.params.as_slice() else { return None };
    let &[length] = code.body.yields.as_slice() else { return None };
    let op_of = |atom: Atom<Value>| {
        code.body.stmts.iter().find_map(|stmt| match stmt {
            Stmt::Let(var, op) if atom == Atom::Var(*var) => Some(op),
            _ => None,
        })
    };
    let scalar = |atom, wanted: ScalarOp| match op_of(atom) {
        Some(scalar::Op::Scalar(op, args, _)) if *op == wanted => Some([args[0], args[1]]),
        _ => None,
    };
    let read = |atom| match op_of(atom) {
        Some(&scalar::Op::Read(vector, at)) => Some((vector, at)),
        _ => None,
    };
    let [end, start] = scalar(length, ScalarOp::Sub)?;
    let ((offsets, next), (others, at)) = (read(end)?, read(start)?);
    let one = Atom::Const(Const::I64(1));
    let behind = scalar(next, ScalarOp::Add)?;
    let own = Atom::Var(row);
    let fits = at == own && (behind == [own, one] || behind == [one, own]);
    (offsets == others && fits).then_some(offsets)
}

/// Code of lanes in segments in which the lane's position is not added up; none if it never was.
fn own_position(function: &Function, known: &Known, space: Space, code: &Code) -> Option<Code> {
    let SpaceKind::Packed(_, offsets) = function.spaces[space].kind else { return None };
    let depth = code.params.len() - 1;
    let (&[row, own], index) = (code.params.get(depth.checked_sub(2)?..depth)?, code.params[depth])
    else {
        return None;
    };
    let same = known.same.get(&offsets);
    let is = |atom: Atom<Value>, var: Var| atom == Atom::Var(var);
    let mut starts: FxHashMap<Var, Value> = FxHashMap::default();
    let mut sums: FxHashMap<Var, Value> = FxHashMap::default();
    code.body.walk(&mut |item| {
        let Item::Stmt(Stmt::Let(var, op)) = item else { return };
        match op {
            scalar::Op::Read(vector, at)
                if (*vector == offsets || same == Some(vector)) && is(*at, row) =>
            {
                starts.insert(*var, *vector);
            }
            scalar::Op::Scalar(ScalarOp::Add, args, _) => {
                let start = |[start, other]: [Atom<Value>; 2]| match start {
                    Atom::Var(v) if is(other, index) => starts.get(&v).copied(),
                    _ => None,
                };
                let of = start([args[0], args[1]]).or_else(|| start([args[1], args[0]]));
                sums.extend(of.map(|of| (*var, of)));
            }
            scalar::Op::Read(..) | scalar::Op::Scalar(..) => {}
        }
    });
    let instead = |var: Var| {
        let &of = sums.get(&var)?;
        Some(if of == offsets || known.zero.contains(&of) {
            Instead::Atom(Atom::Var(own))
        } else {
            Instead::Code(behind_first(of), vec![Atom::Var(own)])
        })
    };
    (!sums.is_empty()).then(|| code.replace_results(instead))
}

/// Code that adds its parameter to where the first segment starts.
fn behind_first(offsets: Value) -> Code {
    let mut builder = Builder::new();
    let position = Atom::Var(builder.param(Ty::I64));
    let first = builder.read(Ty::I64, offsets, Atom::Const(Const::I64(0)));
    let sum = builder.scalar(ScalarOp::Add, &[first, position], Span::none());
    builder.finish(vec![sum])
}
