//! What scatters are like, as far as it says what they can run with.
//!
//! ```text
//! v3 = map [s1] \x0 x1 { x2 = read v1 x0; ...; require index ...; yield x7 }
//! v4 = scatter [s1] to [s2] write v2 \x0 x1 { x2 = read v3 x0; yield x2 F }
//! ```
//!
//! As one kernel no positions are in memory; [`crate::legal`] says when that may be.

use flat::{Op, ScatterKind};
use plan::Conflict;
use scalar::{Atom, Code, Item, Stmt, Var};
use std::collections::BTreeSet;

/// Most scalar statements that every unit runs for each lane of an ordered write.
pub(crate) const LITTLE: usize = 24;

/// What several writes to one position of a scatter give.
pub(crate) fn conflict<R: scalar::Name>(kind: &ScatterKind, code: &Code<R>) -> Conflict {
    match kind {
        ScatterKind::Permute | ScatterKind::Place | ScatterKind::Into(_) => Conflict::None,
        ScatterKind::Write(_) if writes_the_same(code) => Conflict::Same,
        ScatterKind::Write(_) => Conflict::Last,
    }
}

/// Whether the values that a scatter's code yields are the same in all lanes.
fn writes_the_same<R: scalar::Name>(code: &Code<R>) -> bool {
    let mut same: BTreeSet<Var> = BTreeSet::new();
    let is_same = |same: &BTreeSet<Var>, atom: Atom<R>| match atom {
        Atom::Var(v) => same.contains(&v),
        Atom::Const(_) | Atom::Outer(..) => true,
    };
    for stmt in &code.body.stmts {
        if let Stmt::Let(result, _) = stmt
            && stmt.atoms().into_iter().all(|a| is_same(&same, a))
        {
            same.insert(*result);
        }
    }
    code.body.yields[1..].iter().all(|&y| is_same(&same, y))
}

/// Whether code computes elementary functions, which are fast in vectors only.
pub(crate) fn is_heavy(stmt: &flat::Stmt) -> bool {
    stmt.op.code().is_some_and(|code| code.body.is_heavy())
}

/// Whether of several writes to one position the last lane's stays.
pub(crate) fn is_ordered(stmt: &flat::Stmt) -> bool {
    match &stmt.op {
        Op::Scatter { kind, code, .. } => conflict(kind, code) == Conflict::Last,
        _ => false,
    }
}

/// Whether the host checks afterwards what a scatter did.
pub(crate) fn is_permute(stmt: &flat::Stmt) -> bool {
    matches!(stmt.op, Op::Scatter { kind: ScatterKind::Permute, .. })
}

/// How many scalar statements every unit would run for each lane if a statement ran with an ordered
/// write; none if that is out of the question.
pub(crate) fn work_in_all_units(stmt: &flat::Stmt) -> Option<usize> {
    let Op::Map { code, .. } = &stmt.op else { return None };
    let (mut statements, mut heavy) = (0, false);
    code.body.walk(&mut |item| {
        statements += 1;
        heavy |= matches!(item, Item::Stmt(Stmt::Loop { .. } | Stmt::Call(_)));
    });
    (!heavy).then_some(statements)
}
