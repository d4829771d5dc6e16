//! Parts put one after the other, as steps: how `fuse` writes it, and how it is found again.
//!
//! ```text
//! n5: i64 = eval { yield n3 }                where the second part begins
//! n6: i64 = eval { x0 = add n3 n4; yield x0 }
//! b3: i64 = buffer n6
//! launch c1(n3, n6, b1, b2, b3)              b1 and b2 have n3 and n4 elements
//! ```
//!
//! The launch copies.  A target that can make the parts side by side leaves it out
//! (`schedule/src/beside.rs`).

use crate::ir::{
    Arg, Buffer, Cluster, Node, NodeOp, Param, ParamKind, Ref, RefInfo, RefKind, SpaceInfo,
    SpaceKind,
};
use base::{Id, IdMap, Span};
use prim::{Const, ScalarOp, Ty};
use scalar::{Atom, Builder, Stmt};

/// What a join is made of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Join {
    /// The columns of each part.
    pub parts: Vec<Vec<Buffer>>,
    /// Where each part but the first begins, and the end.
    pub ends: Vec<Arg>,
    /// All parts of each column.
    pub whole: Vec<Buffer>,
}

impl Join {
    /// The arguments of the launch.
    pub fn args(&self) -> Vec<Arg> {
        let buffers = self.parts.iter().flatten().chain(&self.whole);
        self.ends.iter().copied().chain(buffers.map(|&b| Arg::Buffer(b))).collect()
    }

    /// The join that a launch is, if it is one.
    pub fn of(cluster: &Cluster, args: &[Arg]) -> Option<Join> {
        let ends: Vec<Arg> = args.iter().copied().take_while(|a| a.buffer().is_none()).collect();
        let buffers: Option<Vec<Buffer>> = args[ends.len()..].iter().map(|a| a.buffer()).collect();
        let buffers = buffers?;
        let columns = buffers.len() / (ends.len() + 1);
        if ends.len() < 2 || columns == 0 {
            return None;
        }
        let (parts, whole) = buffers.split_at(columns * ends.len());
        let tys: Option<Vec<Ty>> = cluster
            .params
            .iter()
            .skip(ends.len())
            .take(columns)
            .map(|p| cluster.refs.get(p.name).map(|info| info.ty))
            .collect();
        let own = copies(&tys?, ends.len(), &cluster.name);
        let same = own.params == cluster.params
            && own.refs == cluster.refs
            && own.nodes == cluster.nodes
            && own.spaces == cluster.spaces;
        let parts = parts.chunks(columns).map(<[Buffer]>::to_vec).collect();
        same.then(|| Join { parts, ends, whole: whole.to_vec() })
    }
}

/// The cluster that copies so many parts with columns of these types.
pub fn copies(tys: &[Ty], parts: usize, name: &str) -> Cluster {
    let mut refs: IdMap<Ref, RefInfo> = IdMap::new();
    let mut params = Vec::new();
    let mut param = |refs: &mut IdMap<Ref, RefInfo>, ty, kind| {
        let name = refs.push(RefInfo { ty, kind: RefKind::Param });
        params.push(Param { name, kind });
        name
    };
    let ends: Vec<Ref> = (0..parts).map(|_| param(&mut refs, Ty::I64, ParamKind::Scalar)).collect();
    let sources: Vec<Vec<Ref>> = (0..parts)
        .map(|_| tys.iter().map(|&ty| param(&mut refs, ty, ParamKind::In)).collect())
        .collect();
    let pushes: Vec<Option<Ref>> =
        tys.iter().map(|&ty| Some(param(&mut refs, ty, ParamKind::Out))).collect();
    let root = Id::new(0);
    let end = Atom::Outer(ends[parts - 1], Ty::I64);
    let spaces: IdMap<_, SpaceInfo> = [
        SpaceInfo { kind: SpaceKind::Root, lanes: Atom::Const(Const::I64(1)), from: None },
        SpaceInfo { kind: SpaceKind::Regular(root, end), lanes: end, from: None },
    ]
    .into_iter()
    .collect();
    let space = Id::new(1);
    let mut builder = Builder::new();
    let [at, _] = [(); 2].map(|()| Atom::Var(builder.param(Ty::I64)));
    let yields = Choice { tys, ends: &ends, sources: &sources, at }.from(&mut builder, 0);
    let code = builder.finish(yields);
    let results = tys.iter().map(|&ty| refs.push(RefInfo { ty, kind: RefKind::Local(space) }));
    let node = Node { op: NodeOp::Map, space, code, results: results.collect(), pushes };
    Cluster { name: name.to_owned(), params, refs, spaces, nodes: vec![node], spans: Vec::new() }
}

/// The element of whichever part a position is in.
struct Choice<'a> {
    tys: &'a [Ty],
    ends: &'a [Ref],
    /// The columns of each part.
    sources: &'a [Vec<Ref>],
    at: Atom<Ref>,
}

impl Choice<'_> {
    /// In part `n` or behind it.
    fn from(&self, builder: &mut Builder<Ref>, n: usize) -> Vec<Atom<Ref>> {
        let Some(others) = (n + 1 < self.sources.len()).then_some(n + 1) else {
            return self.element(builder, n);
        };
        let cond = builder.scalar(ScalarOp::Lt, &[self.at, self.begins(others)], Span::none());
        builder.begin();
        let own = self.element(builder, n);
        let then = builder.end(own);
        builder.begin();
        let behind = self.from(builder, others);
        let els = builder.end(behind);
        let results: Vec<_> = self.tys.iter().map(|&ty| builder.fresh(ty)).collect();
        builder.push(Stmt::If { results: results.clone(), cond, then, els });
        results.into_iter().map(Atom::Var).collect()
    }

    fn element(&self, builder: &mut Builder<Ref>, n: usize) -> Vec<Atom<Ref>> {
        let own = builder.scalar(ScalarOp::Sub, &[self.at, self.begins(n)], Span::none());
        let columns = self.tys.iter().zip(&self.sources[n]);
        columns.map(|(&ty, &from)| builder.read(ty, from, own)).collect()
    }

    fn begins(&self, n: usize) -> Atom<Ref> {
        match n {
            0 => Atom::Const(Const::I64(0)),
            n => Atom::Outer(self.ends[n - 1], Ty::I64),
        }
    }
}
