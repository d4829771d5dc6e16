//! Pass **last**: of the lanes that write to one position the last one is found first, so that all
//! lanes can run at once.
//!
//! ```text
//! r4 = scatter [s1] same to 5     \x0 x1 { ...; yield x3 0 }  push claims
//! r5 = scatter [s1] greatest to 5 \x0 x1 { ...; yield x3 x0 } push claims
//! r6 = scatter [s1] to 5          \x0 x1 { ...; x4 = read claims x3; ... }
//! ```
//!
//! Three launches take the place of one: a claim is made for each position that is written, by its
//! lanes; it becomes the number of the last of them; that lane alone writes.  Claims are made for
//! these positions only: a few writes into a long vector stay a few.

use crate::parts::{Launch, Parts, Stored, extract, replace};
use crate::target::Target;
use plan::{
    Cluster, Conflict, Node, NodeOp, Param, ParamKind, Program, Ref, RefInfo, RefKind, Span,
};
use prim::{Const, ScalarOp, Ty};
use scalar::{Atom, Builder, Code, Stmt};
use std::collections::BTreeSet;

/// Parts the clusters in which the last write counts, for targets whose tiles run in any order.
pub fn last(program: &mut Program, target: &Target) {
    if target.block.is_some() {
        replace(program, parts);
    }
}

/// The launches for a cluster; none if no order counts in it.
fn parts(cluster: &Cluster) -> Option<Parts> {
    let ordered = |n: &Node| matches!(n.op, NodeOp::Scatter { conflict: Conflict::Last, .. });
    let n = cluster.nodes.iter().position(ordered)?;
    let node = &cluster.nodes[n];
    let NodeOp::Scatter { extent, .. } = node.op else { return None };
    let mut whole = cluster.clone();
    let claims = whole.refs.push(RefInfo { ty: Ty::I64, kind: RefKind::Param });
    whole.params.push(Param { name: claims, kind: ParamKind::Out });
    // Who writes first, and last.
    let claim = |conflict, also: BTreeSet<usize>, value: fn(Lane) -> Atom<Ref>| {
        let mut part = whole.clone();
        let RefKind::Local(home) = cluster.refs[*node.results.first()?].kind else { return None };
        let result = part.refs.push(RefInfo { ty: Ty::I64, kind: RefKind::Local(home) });
        part.nodes[n] = Node {
            op: NodeOp::Scatter { conflict, extent },
            space: node.space,
            code: Lane::code(&node.code, |_, lane, yields| vec![yields[0], value(lane)])?,
            results: vec![result],
            pushes: vec![Some(claims)],
        };
        Some(launch(cluster, &part, n, also, None))
    };
    // A check whose lanes write nothing that depends on it is made once.
    let checks = (0..cluster.nodes.len()).filter(|&n| cluster.nodes[n].code.has_effect()).collect();
    let first = claim(Conflict::Same, checks, |_| ZERO)?;
    let greatest = claim(Conflict::Greatest, BTreeSet::new(), |lane| lane.number)?;
    // Who writes is the one that finds its number.
    let mut write = whole.clone();
    write.nodes[n].op = NodeOp::Scatter { conflict: Conflict::None, extent };
    write.nodes[n].code = Lane::code(&node.code, |builder, lane, yields| {
        let mut yields = yields.to_vec();
        yields[0] = lane.own(builder, yields[0], extent, claims);
        yields
    })?;
    Some(Parts {
        launches: vec![first, greatest, launch(cluster, &write, n, BTreeSet::new(), Some(claims))],
        stored: vec![Stored::new(cluster, Ty::I64, extent)],
    })
}

/// A launch of what node `n` and others need; `read` is a parameter that is only read in it.
fn launch(
    cluster: &Cluster,
    part: &Cluster,
    n: usize,
    mut items: BTreeSet<usize>,
    read: Option<Ref>,
) -> Launch {
    items.insert(n);
    let mut part = part.clone();
    for param in part.params.iter_mut().filter(|param| Some(param.name) == read) {
        param.kind = ParamKind::In;
    }
    Launch::new(extract(&part, &items, &BTreeSet::new()), cluster)
}

const ZERO: Atom<Ref> = Atom::Const(Const::I64(0));

/// A lane of the scatter.
#[derive(Clone, Copy)]
struct Lane {
    /// Its number among all lanes.
    number: Atom<Ref>,
}

impl Lane {
    /// Code with other yields; none if there is one lane only.
    fn code(
        code: &Code<Ref>,
        yields: impl Fn(&mut Builder<Ref>, Lane, &[Atom<Ref>]) -> Vec<Atom<Ref>>,
    ) -> Option<Code<Ref>> {
        let mut builder = Builder::new();
        let mut param = |_| Atom::Var(builder.param(Ty::I64));
        let params: Vec<Atom<Ref>> = code.params.iter().map(&mut param).collect();
        let [.., number, _] = params[..] else { return None };
        let old = builder.inline(code, &params);
        let new = yields(&mut builder, Lane { number }, &old);
        Some(builder.finish(new).simplify())
    }

    /// `position` if the claim there is this lane's, otherwise no position.
    fn own(
        self,
        builder: &mut Builder<Ref>,
        position: Atom<Ref>,
        extent: plan::Operand,
        claims: Ref,
    ) -> Atom<Ref> {
        let nowhere = Atom::Const(Const::I64(-1));
        let mut op = |op, a, b| builder.scalar(op, &[a, b], Span::none());
        let above = op(ScalarOp::Ge, position, ZERO);
        let below = op(ScalarOp::Lt, position, extent);
        let cond = op(ScalarOp::And, above, below);
        builder.begin();
        let claim = builder.read(Ty::I64, claims, position);
        let found = builder.scalar(ScalarOp::Eq, &[claim, self.number], Span::none());
        let own = builder.scalar(ScalarOp::Select, &[found, position, nowhere], Span::none());
        let then = builder.end(vec![own]);
        builder.begin();
        let els = builder.end(vec![nowhere]);
        let result = builder.fresh(Ty::I64);
        builder.push(Stmt::If { results: vec![result], cond, then, els });
        Atom::Var(result)
    }
}
