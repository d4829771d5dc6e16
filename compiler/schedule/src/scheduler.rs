//! One kernel under construction: names, pulled values, and the order of items.

use crate::cursor::Cursors;
use crate::cut::Cut;
use crate::facts::Facts;
use crate::flat::Flat;
use crate::level::Levels;
use crate::target::Target;
use base::{Id, IdMap};
use kernel::{Arg, ArgInfo, ArgKind, Block, Body, Kernel, Partial, Stmt};
use plan::{Cluster, Node, NodeOp, ParamKind, Ref, RefKind, Space, SpaceKind};
use prim::{Const, Monoid, ScalarOp, Ty, Widths};
use rustc_hash::FxHashMap;
use scalar::{Atom, Builder, Span};
use std::collections::BTreeSet;

/// Makes the kernel of a cluster.
pub(crate) fn kernel(cluster: &Cluster, target: &Target, widths: Widths) -> Kernel {
    make(cluster, false, target, widths)
}

/// Makes the form of a cluster's kernel that one unit runs.
pub(crate) fn serial_form(cluster: &Cluster, widths: Widths) -> Kernel {
    make(cluster, true, &Target::CPU, widths)
}

fn make(cluster: &Cluster, serial: bool, target: &Target, widths: Widths) -> Kernel {
    let mut scheduler = Scheduler::new(cluster, *target, widths);
    scheduler.serial = serial;
    let body = scheduler.body();
    scheduler.finish(body)
}

pub(crate) struct Scheduler<'a> {
    pub(crate) cluster: &'a Cluster,
    pub(crate) target: Target,
    pub(crate) widths: Widths,
    pub(crate) facts: Facts,
    /// Allocates variables; statements are taken from it block by block.
    pub(crate) builder: Builder<Arg>,
    pub(crate) levels: Levels,
    pub(crate) cursors: Cursors,
    /// For each filter in an open loop, where what it keeps of the segment starts.
    pub(crate) kept_starts: FxHashMap<usize, Atom<Arg>>,
    pub(crate) partials: Vec<Partial>,
    /// What runs after all tiles.
    pub(crate) finish: Block,
    /// Nodes whose stores were already made in this pass.
    pub(crate) done: BTreeSet<usize>,
    /// Reductions whose results were already stored.
    pub(crate) stored: BTreeSet<(usize, Ref)>,
    /// Whether there is one tile: nothing comes from tiles before it.
    pub(crate) serial: bool,
    /// Whether this pass only counts (the totals before a chain).
    pub(crate) counting: bool,
    /// Whether that pass leaves checks to the next.
    pub(crate) unchecked: bool,
    /// What the counting pass found: node, result, total, how totals combine.
    pub(crate) totals: Vec<(usize, usize, Atom<Arg>, Monoid)>,
    /// The combination of the totals of all tiles before this one.
    pub(crate) prefixes: FxHashMap<(usize, usize), Atom<Arg>>,
    /// The segments that tiles cut.
    pub(crate) cut: Option<Cut>,
    /// The segments that lie side by side.
    pub(crate) flat: Option<Flat>,
    /// Arrays of the kernel.
    pub(crate) arrays: Vec<ArgInfo>,
    /// Number, first and end of the tile.
    pub(crate) tile: [scalar::Var; 3],
}

impl<'a> Scheduler<'a> {
    pub(crate) fn new(cluster: &'a Cluster, target: Target, widths: Widths) -> Self {
        let mut builder = Builder::new();
        let tile = [(); 3].map(|()| builder.fresh(Ty::I64));
        Scheduler {
            cluster,
            target,
            widths,
            facts: Facts::new(cluster),
            builder,
            levels: Levels::default(),
            cursors: Cursors::default(),
            kept_starts: FxHashMap::default(),
            stored: BTreeSet::new(),
            totals: Vec::new(),
            prefixes: FxHashMap::default(),
            cut: None,
            flat: None,
            arrays: Vec::new(),
            tile,
            partials: Vec::new(),
            finish: Vec::new(),
            done: BTreeSet::new(),
            serial: false,
            counting: false,
            unchecked: has_only_checks(cluster),
        }
    }

    fn finish(self, body: Body) -> Kernel {
        let written = self.written_over();
        let args: IdMap<Arg, ArgInfo> = self
            .cluster
            .params
            .iter()
            .map(|p| {
                let kind = match p.kind {
                    ParamKind::Scalar => ArgKind::Scalar,
                    ParamKind::In => ArgKind::In,
                    ParamKind::Out | ParamKind::Set => {
                        if written.contains(&p.name) {
                            ArgKind::InOut
                        } else {
                            ArgKind::Out
                        }
                    }
                };
                ArgInfo { ty: self.cluster.refs[p.name].ty, kind }
            })
            .chain(self.arrays.iter().copied())
            .collect();
        let vars = self.builder.finish(Vec::new()).vars;
        Kernel { name: self.cluster.name.clone(), args, vars, body }
    }

    /// Whether a tile is run by a block of threads.
    pub(crate) fn by_threads(&self) -> bool {
        self.target.block.is_some()
    }

    /// Parameters that keep elements that are not written.
    fn written_over(&self) -> BTreeSet<Ref> {
        let scatters = self.cluster.nodes.iter().filter(|n| matches!(n.op, NodeOp::Scatter { .. }));
        scatters.flat_map(|n| n.pushes.iter().flatten().copied()).collect()
    }

    /// The argument that a parameter has become.
    pub(crate) fn arg(&self, name: Ref) -> Arg {
        let arg = self.facts.args.get(&name);
        *arg.unwrap_or_else(|| unreachable!("{name} is no parameter"))
    }

    /// An operand of the cluster (never a local) in the kernel.
    pub(crate) fn operand(&self, operand: plan::Operand) -> Atom<Arg> {
        match operand {
            Atom::Const(c) => Atom::Const(c),
            Atom::Outer(r, ty) => Atom::Outer(self.arg(r), ty),
            Atom::Var(v) => unreachable!("{v} outside code"),
        }
    }

    /// The open level of a space.
    pub(crate) fn level_of(&self, space: Space) -> usize {
        let level = self.levels.of(space);
        level.unwrap_or_else(|| unreachable!("{space} is not open in {}", self.cluster.name))
    }

    /// A scalar operation in a level.
    pub(crate) fn op_in(&mut self, level: usize, op: ScalarOp, args: &[Atom<Arg>]) -> Atom<Arg> {
        self.builder.begin();
        let result = self.builder.scalar(op, args, Span::none());
        let block = self.builder.end(Vec::new());
        self.levels[level].block.extend(block.stmts.into_iter().map(Stmt::Scalar));
        result
    }

    /// The index of the lane of a level inside its segment.
    pub(crate) fn index_in(&mut self, level: usize) -> Atom<Arg> {
        if let Some(known) = self.levels[level].index {
            return known;
        }
        let (position, start) = (self.levels[level].position, self.levels[level].start);
        let index = self.op_in(level, ScalarOp::Sub, &[position, start]);
        self.levels[level].index = Some(index);
        index
    }

    /// The value of a local name for the lanes being run; computed in the level of its space.
    pub(crate) fn pull(&mut self, name: Ref) -> Atom<Arg> {
        let RefKind::Local(space) = self.cluster.refs[name].kind else {
            unreachable!("{name} is no local")
        };
        let level = self.level_of(space);
        if let Some(&known) = self.levels[level].bound.get(&name) {
            return known;
        }
        let maker = self.facts.makers[&name];
        self.make_on_demand(maker);
        self.levels[level].bound[&name]
    }

    /// Computes the results of a map in the level of its space.
    pub(crate) fn run_map(&mut self, n: usize) {
        let node = &self.cluster.nodes[n];
        let level = self.level_of(node.space);
        if node.results.iter().all(|r| self.levels[level].bound.contains_key(r))
            && !node.results.is_empty()
        {
            return;
        }
        let yields = self.inline(node, level);
        for (&result, &value) in node.results.iter().zip(&yields) {
            self.levels[level].bound.insert(result, value);
        }
    }

    /// The code of a node in a level: its yields.
    pub(crate) fn inline(&mut self, node: &Node, level: usize) -> Vec<Atom<Arg>> {
        // Locals get numbers beyond those of the arguments.
        let count = self.cluster.params.len();
        let stand_in = |r: Ref| Arg::new(count + r.index());
        let read = node.code.refs().vectors.into_iter();
        let locals: Vec<Ref> = read.filter(|&r| self.is_local(r)).collect();
        let values: FxHashMap<Arg, Atom<Arg>> =
            locals.into_iter().map(|r| (stand_in(r), self.pull(r))).collect();
        let code = node.code.map_refs(|r| if self.is_local(r) { stand_in(r) } else { self.arg(r) });
        let code = if self.counting && self.unchecked { code.without_checks() } else { code };
        let args = self.code_args(node.space, &code);
        if code.has_effect() {
            let chain = self.cluster.chain(node.space);
            let positions = chain.into_iter().map(|s| self.index_in(self.level_of(s))).collect();
            self.levels[level].block.push(Stmt::Positions(positions));
        }
        self.builder.begin();
        let known = |_: &mut _, vector, _| values.get(&vector).copied();
        let yields = self.builder.inline_with(&code, &args, known);
        let block = self.builder.end(Vec::new());
        self.levels[level].block.extend(block.stmts.into_iter().map(Stmt::Scalar));
        yields
    }

    fn is_local(&self, name: Ref) -> bool {
        matches!(self.cluster.refs[name].kind, RefKind::Local(_))
    }

    /// Positions and index for the parameters of code over a space.
    fn code_args(&mut self, space: Space, code: &scalar::Code<Arg>) -> Vec<Atom<Arg>> {
        let chain = self.cluster.chain(space);
        let mut args: Vec<Atom<Arg>> =
            chain.iter().map(|&s| self.levels[self.level_of(s)].position).collect();
        if !chain.is_empty() {
            let used = code.uses_param(chain.len());
            let level = self.level_of(space);
            let zero = Atom::Const(Const::I64(0));
            args.push(if used { self.index_in(level) } else { zero });
        }
        args
    }

    /// Where the segment of the current lane of the parent lies in a space: from, to.
    pub(crate) fn bounds(&mut self, space: Space) -> (Atom<Arg>, Atom<Arg>) {
        let Some(parent) = self.cluster.parent(space) else { unreachable!("bounds of the root") };
        let level = self.level_of(parent);
        let position = self.levels[level].position;
        match self.cluster.spaces[space].kind {
            SpaceKind::Root => unreachable!("bounds of the root"),
            SpaceKind::Regular(_, len) => {
                let len = self.operand(len);
                let from = self.op_in(level, ScalarOp::Mul, &[position, len]);
                (from, self.op_in(level, ScalarOp::Add, &[from, len]))
            }
            SpaceKind::Packed(_, offsets) => {
                let offsets = self.arg(offsets);
                let one = Atom::Const(Const::I64(1));
                let next = self.op_in(level, ScalarOp::Add, &[position, one]);
                (self.read_in(level, offsets, position), self.read_in(level, offsets, next))
            }
        }
    }

    pub(crate) fn read_in(&mut self, level: usize, vector: Arg, at: Atom<Arg>) -> Atom<Arg> {
        self.builder.begin();
        let result = self.builder.read(Ty::I64, vector, at);
        let block = self.builder.end(Vec::new());
        self.levels[level].block.extend(block.stmts.into_iter().map(Stmt::Scalar));
        result
    }
}

/// Whether nothing can fail but the checks of one node.  Then the first error stays the first when
/// a pass over the same lanes goes without them: there is no other that could come before.
fn has_only_checks(cluster: &Cluster) -> bool {
    let mut failing = cluster.nodes.iter().filter(|node| node.code.has_effect());
    let first = failing.next();
    failing.next().is_none() && first.is_none_or(|node| !node.code.without_checks().has_effect())
}
