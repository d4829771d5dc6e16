//! Where scatters can run: with those that make their positions and values, as one kernel.
//!
//! ```text
//! v3 = map [s1] \x0 x1 { x2 = read v1 x0; ...; require index ...; yield x7 }
//! v4 = scatter [s1] to [s2] write v2 \x0 x1 { x2 = read v3 x0; yield x2 F }
//! ```
//!
//! No positions are in memory then.  But
//!
//! * the base of a write is copied before the launch, or its memory is taken over: what else reads
//!   the base runs before, so that the memory can be taken over and a cluster that fails finds its
//!   inputs as they were;
//! * the loop of a scatter is not vectorised: elementary functions run in a loop of their own;
//! * for an ordered write, every unit runs all lanes and stores what falls into its own part of the
//!   result: whatever runs with it is done by every unit, so that it must be little, and store
//!   nothing itself;
//! * the host looks afterwards whether a permutation was one: of two errors the first is told.

use crate::graph::{Graph, is_permute};
use flat::{Op, ScatterKind};
use plan::Conflict;
use scalar::{Atom, Code, Item, Stmt, Var};
use std::collections::BTreeSet;

/// Most scalar statements that every unit runs for each lane of an ordered write.
const LITTLE: usize = 24;

/// What several writes to one position of a scatter give.
pub(crate) fn conflict<R: scalar::Name>(kind: &ScatterKind, code: &Code<R>) -> Conflict {
    match kind {
        ScatterKind::Permute => Conflict::None,
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

/// Whether statement `n` may join a group as far as scatters are concerned, given the groups of the
/// statements before it.
pub(crate) fn may_join(graph: &Graph, group_of: &[usize], group: usize, n: usize) -> bool {
    let members: Vec<usize> = (0..n).filter(|&m| group_of[m] == group).collect();
    let node = &graph.nodes[n];
    let together = || members.iter().chain([&n]).map(|&m| graph.nodes[m].stmt);
    let scatter = together().any(|s| matches!(s.op, Op::Scatter { .. }));
    if scatter && together().any(is_heavy) {
        return false;
    }
    let reads_base =
        members.iter().any(|&m| graph.nodes[m].overwrites.iter().any(|&base| graph.needs(n, base)));
    if reads_base || members.iter().any(|&m| is_ordered(graph, m)) {
        return false;
    }
    if is_ordered(graph, n) && !is_little(graph, &members, n) {
        return false;
    }
    let base_is_read = (0..n)
        .any(|m| group_of[m] >= group && node.overwrites.iter().any(|&base| graph.needs(m, base)));
    let check_is_later = (0..n).any(|m| group_of[m] > group && graph.nodes[m].checks);
    let told_too_early = check_is_later && is_permute(node.stmt);
    !base_is_read && !told_too_early
}

/// Whether code computes elementary functions, which are fast in vectors only.
fn is_heavy(stmt: &flat::Stmt) -> bool {
    let mut heavy = false;
    if let Some(code) = stmt.op.code() {
        code.body.walk(&mut |item| {
            if let Item::Stmt(Stmt::Let(_, scalar::Op::Scalar(op, ..))) = item {
                heavy |= op.is_heavy();
            }
        });
    }
    heavy
}

fn is_ordered(graph: &Graph, n: usize) -> bool {
    match &graph.nodes[n].stmt.op {
        Op::Scatter { kind, code, .. } => conflict(kind, code) == Conflict::Last,
        _ => false,
    }
}

/// Whether members of a group are maps for the scatter `n` only, and cheap enough to be run by
/// every unit.
fn is_little(graph: &Graph, members: &[usize], n: usize) -> bool {
    let mut inside: BTreeSet<usize> = members.iter().copied().collect();
    inside.insert(n);
    let mut statements = 0;
    for &m in members {
        let stmt = graph.nodes[m].stmt;
        let Op::Map { code, .. } = &stmt.op else { return false };
        let mut heavy = false;
        code.body.walk(&mut |item| {
            statements += 1;
            heavy |= matches!(item, Item::Stmt(Stmt::Loop { .. } | Stmt::Call(_)));
        });
        if heavy || stmt.results.iter().any(|&r| graph.escapes(&inside, r)) {
            return false;
        }
    }
    statements <= LITTLE
}
