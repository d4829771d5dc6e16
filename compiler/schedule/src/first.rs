//! Pass **first**: where the first of the greatest elements of a segment is, or of the least, is
//! found while threads go through the segments once.
//!
//! ```text
//! r1 = reduce [s2] max \x0 x1 x2 { ...; yield v }
//! r2 = reduce [s2] min \x0 x1 x2 { ...; m = read r1 x0; e = eq v m; p = select e x2 MAX; yield p }
//! ```
//!
//! An element that is greater than all before it is the first of the greatest so far, so that the
//! last one of these is looked for, which needs no whole segment before:
//!
//! ```text
//! r3 = scan [s2] max   \x0 x1 x2 { ...; yield v }
//! r4 = reduce [s2] max \x0 x1 x2 { ...; m = read r3 x1; g = gt v m; p = select g x2 ...; yield p }
//! ```
//!
//! No element is greater than what nothing comes to.  For segments that have no other elements, the
//! first that equals it counts: -1 - x2, which is less than any position and greatest at the
//! first.  A `nan` is never greater, nor equal, as before.
//!
//! Tiles that run whole segments have no need of this: there both reductions are loops of one
//! launch.

use crate::flat::has_flat;
use crate::order::has_purpose;
use crate::parts::{Launch, Parts, extract, replace};
use crate::target::Target;
use plan::{Cluster, Code, Node, NodeOp, Program, Ref, RefInfo, RefKind, Space};
use prim::{Const, Monoid, ScalarOp, Ty, Widths};
use scalar::{Atom, Builder, Op, Span, Stmt};
use std::collections::BTreeSet;

/// Lets clusters that threads could not run with their segments side by side go on with what is
/// greatest so far, where that is what they need.
pub fn first(program: &mut Program, target: &Target) {
    if target.block.is_some() {
        let widths = program.widths;
        replace(program, |cluster| {
            let instead = if has_flat(cluster, target) { None } else { by_scans(cluster, widths) };
            let (part, params) = instead.filter(|(part, _)| has_flat(part, target))?;
            let launches = vec![Launch::new((part, params), cluster)];
            Some(Parts { launches, stored: Vec::new() })
        });
    }
}

/// The cluster with all such reductions replaced, and the parameters that it still has; none if
/// there are no such reductions.
fn by_scans(cluster: &Cluster, widths: Widths) -> Option<(Cluster, Vec<usize>)> {
    let found: Vec<First> =
        (0..cluster.nodes.len()).filter_map(|n| find(cluster, widths, n)).collect();
    let mut instead = cluster.clone();
    for first in found.iter().rev() {
        let nodes = first.nodes(&mut instead);
        instead.nodes.splice(first.place..=first.place, nodes);
    }
    // What the greatest is, nobody may need to know any more.
    let needed = (0..instead.nodes.len()).filter(|&n| has_purpose(&instead.nodes[n])).collect();
    (!found.is_empty()).then(|| extract(&instead, &needed, &BTreeSet::new()))
}

/// A reduction that gives the first position of what another comes to.
struct First {
    /// Of the program's numbers.
    widths: Widths,
    /// Its place among the nodes.
    place: usize,
    /// What the other comes to.
    most: Ref,
    /// How, by `max` or `min`.
    monoid: Monoid,
    /// What is compared.
    value: Code,
}

/// Whether a node is such a reduction.
fn find(cluster: &Cluster, widths: Widths, place: usize) -> Option<First> {
    let node = &cluster.nodes[place];
    let NodeOp::Reduce(monoids) = &node.op else { return None };
    if monoids.as_slice() != [Monoid::Min] || node.code.has_effect() {
        return None;
    }
    let parent = cluster.parent(node.space)?;
    let leads = |other: &&Node| {
        let one = matches!(other.op, NodeOp::Reduce(ref m) if matches!(m[..], [Monoid::Max | Monoid::Min]));
        one && other.space == node.space && !other.code.has_effect()
    };
    cluster.nodes[..place].iter().filter(leads).find_map(|leader| {
        let NodeOp::Reduce(monoids) = &leader.op else { return None };
        let (most, monoid) = (leader.results[0], monoids[0]);
        let home = matches!(cluster.refs[most].kind, RefKind::Local(space) if space == parent);
        let first = First { widths, place, most, monoid, value: leader.code.clone() };
        (home && first.is_position(&node.code)).then_some(first)
    })
}

impl First {
    /// Whether code gives the own position where the value equals the most there is, and else
    /// something greater than all positions.
    fn is_position(&self, code: &Code) -> bool {
        let mut builder = Builder::new();
        let params: Vec<Atom<Ref>> =
            code.params.iter().map(|_| Atom::Var(builder.param(Ty::I64))).collect();
        let [.., parent, _, position] = params[..] else { return false };
        let value = builder.inline(&self.value, &params)[0];
        let yielded = builder.inline(code, &params)[0];
        // Equal operations become one: the value has one name.
        let both = builder.finish(vec![value, yielded]).simplify();
        let [value, yielded] = both.body.yields[..] else { return false };
        let op = |atom: Atom<Ref>| {
            both.body.stmts.iter().find_map(|stmt| match stmt {
                Stmt::Let(var, op) if atom == Atom::Var(*var) => Some(op),
                _ => None,
            })
        };
        let Some(Op::Scalar(ScalarOp::Select, chosen, _)) = op(yielded) else { return false };
        let &[cond, own, other] = chosen.as_slice() else { return false };
        let Some(Op::Scalar(ScalarOp::Eq, compared, _)) = op(cond) else { return false };
        let is_most = |atom: Atom<Ref>| matches!(op(atom), Some(Op::Read(vector, at)) if *vector == self.most && *at == parent);
        let nowhere = Atom::Const(self.widths.identity(Monoid::Min, Ty::I64));
        let equal = (compared[0] == value && is_most(compared[1]))
            || (compared[1] == value && is_most(compared[0]));
        equal && own == position && other == nowhere
    }

    /// What takes its place.
    fn nodes(&self, cluster: &mut Cluster) -> [Node; 3] {
        let node = cluster.nodes[self.place].clone();
        let parent = cluster.parent(node.space).unwrap_or(node.space);
        let mut builder: Builder<Ref> = Builder::new();
        let params: Vec<_> =
            self.value.params.iter().map(|_| Atom::Var(builder.param(Ty::I64))).collect();
        let mut scanned = builder.clone();
        let value = scanned.inline(&self.value, &params)[0];
        let ty = scanned.ty(value);
        let nothing = Atom::Const(self.widths.identity(self.monoid, ty));
        // After a `nan` alone there still is nothing.
        let value = match ty {
            Ty::F64 => scanned.scalar(self.monoid.op(), &[value, nothing], Span::none()),
            _ => value,
        };
        let scanned = scanned.finish(vec![value]).simplify();
        let before = local(cluster, node.space, ty);

        let [number, position] = [params[params.len() - 2], params[params.len() - 1]];
        let value = builder.inline(&self.value, &params)[0];
        let so_far = builder.read(ty, before, number);
        let mut op = |op, args: &[Atom<Ref>]| builder.scalar(op, args, Span::none());
        let beyond = match self.monoid {
            Monoid::Min => ScalarOp::Lt,
            _ => ScalarOp::Gt,
        };
        let beyond = op(beyond, &[value, so_far]);
        let least = Atom::Const(self.widths.identity(Monoid::Max, Ty::I64));
        let is_nothing = op(ScalarOp::Eq, &[value, nothing]);
        let late = op(ScalarOp::Sub, &[int(-1), position]);
        let late = op(ScalarOp::Select, &[is_nothing, late, least]);
        let last = op(ScalarOp::Select, &[beyond, position, late]);
        let last = builder.finish(vec![last]).simplify();
        let found = local(cluster, parent, Ty::I64);

        let mut builder: Builder<Ref> = Builder::new();
        let depth = cluster.chain(parent).len();
        let params: Vec<_> = (0..=depth).map(|_| Atom::Var(builder.param(Ty::I64))).collect();
        let last_found = builder.read(Ty::I64, found, params[depth.saturating_sub(1)]);
        let mut op = |op, args: &[Atom<Ref>]| builder.scalar(op, args, Span::none());
        let is_position = op(ScalarOp::Ge, &[last_found, int(0)]);
        // The least int, for no element, becomes the greatest.
        let late = op(ScalarOp::Sub, &[int(-1), last_found]);
        let decoded = op(ScalarOp::Select, &[is_position, last_found, late]);
        let decoded = builder.finish(vec![decoded]).simplify();

        let without = |op, space, code, result| Node {
            op,
            space,
            code,
            results: vec![result],
            pushes: vec![None],
        };
        [
            without(NodeOp::Scan(vec![self.monoid]), node.space, scanned, before),
            without(NodeOp::Reduce(vec![Monoid::Max]), node.space, last, found),
            Node { op: NodeOp::Map, space: parent, code: decoded, ..node },
        ]
    }
}

fn int(value: i64) -> Atom<Ref> {
    Atom::Const(Const::I64(value))
}

/// A new name for what a node gives.
fn local(cluster: &mut Cluster, space: Space, ty: Ty) -> Ref {
    cluster.refs.push(RefInfo { ty, kind: RefKind::Local(space) })
}
