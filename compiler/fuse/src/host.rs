//! The host's steps: buffers, launches, branches and calls around the clusters.

use crate::Fusion;
use crate::cluster::{Bound, Check, Made, check, count_marks, make, seeds, sum_positions};
use crate::cost::Sizes;
use crate::graph::Graph;
use crate::legal::Legal;
use base::{IdMap, Site, Span};
use flat::{Domain, Op, Operand, ScatterKind, Space, SpaceKind, Stmt, Value};
use plan::join::{self, Join};
use plan::{Arg, Block, Buffer, BufferInfo, Function, ParamKind, Place, Program, Slot, Step};
use prim::{Const, ScalarOp, Ty, Widths};
use rustc_hash::{FxHashMap, FxHashSet};
use scalar::{Atom, Builder};
use std::collections::BTreeSet;

/// Makes the plan of a program.
pub(crate) fn program(flat: &flat::Program, fusion: Fusion) -> Program {
    let mut out =
        Program { widths: flat.widths, scalars: flat.scalars.clone(), ..Program::default() };
    out.entries = flat.entries.iter().map(|f| base::Id::new(base::Id::index(*f))).collect();
    for function in flat.funcs.values() {
        let mut planner = Planner::new(flat.widths, function, fusion, &mut out.clusters);
        let params = function.params.iter().map(|&p| planner.place(p)).collect();
        let body = planner.block(&function.body);
        let mut made = Function {
            name: function.name.clone(),
            signature: function.signature.clone(),
            params,
            slots: planner.slots,
            buffers: planner.buffers,
            body,
        };
        plan::free_dead_buffers(&mut made);
        out.funcs.push(made);
    }
    let plan_func = |f: flat::Func| base::Id::new(base::Id::index(f));
    let lanes = flat.funcs.iter().filter_map(|(id, function)| {
        Some(plan::Lanes { lifted: plan_func(id), root: plan_func(function.lanes_of?) })
    });
    plan::routines::choose(&mut out, lanes.collect());
    out
}

struct Planner<'a> {
    widths: Widths,
    function: &'a flat::Function,
    fusion: Fusion,
    sizes: Sizes,
    clusters: &'a mut IdMap<plan::ClusterId, plan::Cluster>,
    slots: IdMap<Slot, Ty>,
    buffers: IdMap<Buffer, BufferInfo>,
    places: FxHashMap<Value, Place>,
    /// What has grown and is used by the scatter alone that fills its room.
    only_filled: FxHashSet<Value>,
    /// For each open block, numbers of lanes that it has computed.
    lanes: Vec<FxHashMap<Space, Arg>>,
    /// Steps of the open block.
    steps: Vec<Step>,
    span: Span,
}

impl<'a> Planner<'a> {
    fn new(
        widths: Widths,
        function: &'a flat::Function,
        fusion: Fusion,
        clusters: &'a mut IdMap<plan::ClusterId, plan::Cluster>,
    ) -> Self {
        Planner {
            widths,
            function,
            fusion,
            sizes: Sizes::new(function, widths),
            clusters,
            slots: IdMap::new(),
            buffers: IdMap::new(),
            places: FxHashMap::default(),
            only_filled: only_filled(&function.body),
            lanes: Vec::new(),
            steps: Vec::new(),
            span: Span::none(),
        }
    }

    /// Where a value lives.
    fn place(&mut self, value: Value) -> Place {
        if let Some(&known) = self.places.get(&value) {
            return known;
        }
        let info = self.function.values[value];
        let place = match info.domain {
            Domain::Scalar => Place::Slot(self.slots.push(info.ty)),
            _ => Place::Buffer(self.buffers.push(BufferInfo { ty: info.ty })),
        };
        self.places.insert(value, place);
        place
    }

    fn arg(&mut self, operand: Operand) -> Arg {
        match operand {
            Operand::Const(c) => Arg::Const(c),
            Operand::Value(v) => self.place(v).into(),
        }
    }

    fn buffer(&mut self, value: Value) -> Buffer {
        match self.place(value) {
            Place::Buffer(b) => b,
            Place::Slot(_) => unreachable!("{value} is a scalar"),
        }
    }

    fn block(&mut self, block: &flat::Block) -> Block {
        let saved = std::mem::take(&mut self.steps);
        self.lanes.push(FxHashMap::default());
        let graph = Graph::new(self.function, block);
        let groups = self.fusion.partition(&Legal::new(&graph), &self.sizes);
        for group in &groups {
            let stmts: Vec<&Stmt> = group.iter().map(|&m| graph.nodes[m].stmt).collect();
            let inside: BTreeSet<usize> = group.iter().copied().collect();
            let escapes = |value: Value| graph.escapes(&inside, value);
            self.group(&stmts, escapes);
        }
        let yields = block.yields.iter().map(|&y| self.arg(y)).collect();
        self.lanes.pop();
        Block { steps: std::mem::replace(&mut self.steps, saved), yields }
    }

    fn group(&mut self, stmts: &[&Stmt], escapes: impl Fn(Value) -> bool) {
        let first = stmts[0];
        self.span = first.span;
        match &first.op {
            Op::Map { space, code } if *space == flat::Function::root() => {
                self.root_code(first, code, escapes);
            }
            Op::Literal(consts, _) => {
                let buffer = self.buffer(first.results[0]);
                self.steps.push(Step::Literal(buffer, consts.clone()));
            }
            Op::Join(parts) => self.join(first, parts),
            Op::Behind { from, used, more } => {
                let (used, more) = (self.arg(*used), self.arg(*more));
                let [begin, alone] = [0, 1].map(|n| self.slot(first.results[n]));
                let from = from.iter().map(|&pool| self.buffer(pool)).collect();
                self.steps.push(Step::Behind { begin, alone, from, used, more });
            }
            Op::Grow { from, used, begin, len } => {
                let [used, begin, len] = [used, begin, len].map(|&count| self.arg(count));
                for (&result, &from) in first.results.iter().zip(from) {
                    let (buffer, from, span) = (self.buffer(result), self.buffer(from), first.span);
                    self.steps.push(Step::Grow { buffer, from, used, begin, len, span });
                }
            }
            Op::Call(func, args) => {
                let results = first.results.iter().map(|&r| self.place(r)).collect();
                let args = args.iter().map(|&a| self.arg(a)).collect();
                let func = base::Id::new(base::Id::index(*func));
                self.steps.push(Step::Call { results, func, args, span: first.span });
            }
            Op::If(cond, then, els) => {
                let cond = self.arg(*cond);
                let results = first.results.iter().map(|&r| self.place(r)).collect();
                let then = self.block(then);
                let els = self.block(els);
                self.steps.push(Step::If { results, cond, then, els });
            }
            Op::Fail { space, code, pool } => self.fail(*space, code, *pool),
            _ => self.cluster(stmts, escapes),
        }
    }

    /// Parts one after the other.
    fn join(&mut self, stmt: &Stmt, parts: &[Vec<Value>]) {
        let (pools, begins) = stmt.results.split_at(parts[0].len());
        let mut ends: Vec<Arg> = Vec::new();
        for part in parts {
            let Domain::Lanes(space) = self.function.values[part[0]].domain else {
                unreachable!("{} is no part", part[0])
            };
            let own = self.lanes(space);
            let end = match ends.last() {
                None => own,
                Some(&before) => {
                    let (widths, span) = (self.widths, stmt.span);
                    self.eval_int(|b| b.length(widths, [atom(before), atom(own)], span))
                }
            };
            ends.push(end);
        }
        let begins: Vec<Slot> = begins.iter().map(|&v| self.slot(v)).collect();
        let places = ends[..begins.len()].iter().map(|&end| atom(end)).collect();
        let code = Builder::new().finish(places);
        self.steps.push(Step::Eval { results: begins, code });
        let whole: Vec<Buffer> = pools.iter().map(|&v| self.buffer(v)).collect();
        let len = ends[ends.len() - 1];
        for &buffer in &whole {
            self.steps.push(Step::Alloc { buffer, len, over: None, span: stmt.span });
        }
        let parts = parts.iter().map(|part| part.iter().map(|&v| self.buffer(v)).collect());
        let join = Join { parts: parts.collect(), ends, whole };
        let tys: Vec<Ty> = pools.iter().map(|&v| self.function.values[v].ty).collect();
        let mut cluster = join::copies(&tys, join.parts.len(), &self.function.name);
        cluster.spans.extend((!stmt.span.is_none()).then_some(stmt.span));
        let cluster = self.clusters.push(cluster);
        self.steps.push(Step::Launch { cluster, args: join.args(), work: len });
    }

    /// Code of the root: run by the host unless it loops or calls.
    fn root_code(&mut self, stmt: &Stmt, code: &flat::Code, escapes: impl Fn(Value) -> bool) {
        let heavy = code.body.stmts.iter().any(is_heavy);
        if heavy {
            let made = make(self.function, self.widths, &[stmt], escapes);
            self.launch(made, &[], &[]);
            return;
        }
        let code = code.map_refs(|v| self.place(v));
        let results = stmt.results.iter().map(|&r| self.slot(r)).collect();
        self.steps.push(Step::Eval { results, code });
    }

    fn slot(&mut self, value: Value) -> Slot {
        match self.place(value) {
            Place::Slot(s) => s,
            Place::Buffer(_) => unreachable!("{value} is a vector"),
        }
    }

    /// The number of lanes of a space.
    fn lanes(&mut self, space: Space) -> Arg {
        if let Some(&known) = self.lanes.iter().rev().find_map(|level| level.get(&space)) {
            return known;
        }
        let root = flat::Function::root();
        let lanes = match self.function.spaces[space].kind {
            SpaceKind::Root => Arg::Const(Const::I64(1)),
            SpaceKind::Regular(parent, len) if parent == root => self.arg(len),
            SpaceKind::Regular(parent, len) => {
                let (count, len) = (self.lanes(parent), self.arg(len));
                let (widths, span) = (self.widths, self.span);
                self.eval_int(|builder| builder.lanes(widths, [atom(count), atom(len)], span))
            }
            SpaceKind::Packed(parent, offsets) => {
                let count = self.lanes(parent);
                let offsets = Place::Buffer(self.buffer(offsets));
                self.eval_int(|builder| builder.read(Ty::I64, offsets, atom(count)))
            }
        };
        if let Some(level) = self.lanes.last_mut() {
            level.insert(space, lanes);
        }
        lanes
    }

    fn eval_int(&mut self, build: impl FnOnce(&mut Builder<Place>) -> Atom<Place>) -> Arg {
        let mut builder = Builder::new();
        let result = build(&mut builder);
        // A constant may have a check, too.
        if let (Atom::Const(c), true) = (result, builder.is_empty()) {
            return Arg::Const(c);
        }
        let slot = self.slots.push(Ty::I64);
        let code = builder.finish(vec![result]);
        self.steps.push(Step::Eval { results: vec![slot], code });
        Arg::Slot(slot)
    }

    /// Buffers for what a cluster pushes, but for those that are `there`, then its launch.
    /// `extra` holds what only this launch knows.
    fn launch(&mut self, made: Made, extra: &[Arg], there: &[Value]) {
        let mut args = Vec::new();
        for &(bound, kind) in &made.bound {
            let arg = match bound {
                Bound::Extra(n) => extra[n],
                Bound::Lanes(space) => self.lanes(space),
                Bound::Value(value) => {
                    if kind == ParamKind::Out && !there.contains(&value) {
                        self.alloc_result(value, &made);
                    }
                    self.place(value).into()
                }
            };
            args.push(arg);
        }
        let mut work = Arg::Const(Const::I64(1));
        for &space in &made.spaces {
            if made.kept.contains(&space) {
                continue;
            }
            let lanes = self.lanes(space);
            work = match (work, lanes) {
                (Arg::Const(Const::I64(1)), _) => lanes,
                (a, b) if a == b => a,
                (a, b) => self.eval_int(|builder| {
                    builder.scalar(ScalarOp::Max, &[atom(a), atom(b)], Span::none())
                }),
            };
        }
        let cluster = self.clusters.push(made.cluster);
        self.steps.push(Step::Launch { cluster, args, work });
        for &(bound, kind) in &made.bound {
            if let (Bound::Value(value), ParamKind::Out) = (bound, kind) {
                self.trim(value, &made.kept);
            }
        }
    }

    /// The elements of a value that has one for each lane of a space; of offsets, one more.
    fn extent(&mut self, value: Value, space: Space) -> Arg {
        let lanes = self.lanes(space);
        if !matches!(self.function.values[value].domain, Domain::Offsets(_)) {
            return lanes;
        }
        self.eval_int(|builder| {
            let one = Atom::Const(Const::I64(1));
            builder.scalar(ScalarOp::Add, &[atom(lanes), one], Span::none())
        })
    }

    /// What a filter keeps gets memory of its own size; before, it had room for all lanes.
    fn trim(&mut self, value: Value, kept: &[Space]) {
        let (Domain::Lanes(space) | Domain::Offsets(space)) = self.function.values[value].domain
        else {
            return;
        };
        if kept.contains(&space) {
            let from = self.buffer(value);
            let buffer = self.buffers.push(self.buffers[from]);
            let len = self.extent(value, space);
            self.steps.push(Step::Copy { buffer, from, len, span: self.span });
            self.places.insert(value, Place::Buffer(buffer));
        }
    }

    /// A buffer for a result: as long as its lanes, which for a filter's are at most its source's.
    fn alloc_result(&mut self, value: Value, made: &Made) {
        let buffer = self.buffer(value);
        let (Domain::Lanes(space) | Domain::Offsets(space)) = self.function.values[value].domain
        else {
            unreachable!("{value} is no result of a cluster")
        };
        let kept = made.kept.contains(&space);
        let mut bound = space;
        while made.kept.contains(&bound)
            && let Some((source, _)) = self.function.spaces[bound].from
        {
            bound = source;
        }
        let len = self.extent(value, bound);
        let span = self.span;
        self.steps.push(if kept {
            Step::Room { buffer, len, span }
        } else {
            Step::Alloc { buffer, len, over: None, span }
        });
    }

    /// Statements that run as one kernel, with what their scatters need before and after.
    fn cluster(&mut self, stmts: &[&Stmt], escapes: impl Fn(Value) -> bool) {
        let (mut there, mut permutes, mut extra) = (Vec::new(), Vec::new(), Vec::new());
        for stmt in stmts {
            match &stmt.op {
                Op::Scatter {
                    kind: ScatterKind::Write(base) | ScatterKind::Into(base),
                    target,
                    ..
                } => {
                    self.copy_base(stmt, base, *target);
                    there.extend(&stmt.results);
                }
                Op::Scatter { kind: ScatterKind::Permute, target, .. } => {
                    let own = match check(self.function, stmt) {
                        Check::Marks => vec![self.marks(*target, stmt.span)],
                        Check::Sums => self.sums(),
                    };
                    extra.extend(&own);
                    permutes.push((*target, own, stmt));
                }
                _ => {}
            }
        }
        let made = make(self.function, self.widths, stmts, escapes);
        self.launch(made, &extra, &there);
        for (target, own, stmt) in permutes {
            match check(self.function, stmt) {
                Check::Marks => self.check_marks(target, own[0], stmt.span),
                Check::Sums => self.check_sums(target, &own, stmt.span),
            }
        }
    }

    /// Before `result = base` with some elements overwritten.
    fn copy_base(&mut self, stmt: &Stmt, base: &[Value], target: Space) {
        let len = self.lanes(target);
        for (&result, &old) in stmt.results.iter().zip(base) {
            let (buffer, from) = (self.buffer(result), self.buffer(old));
            self.steps.push(if self.only_filled.contains(&old) {
                Step::Alias(buffer, from)
            } else {
                Step::Copy { buffer, from, len, span: stmt.span }
            });
        }
    }

    /// For each element of a permutation a mark, which tells afterwards whether it was written.
    fn marks(&mut self, target: Space, span: Span) -> Arg {
        let len = self.lanes(target);
        let marks = self.buffers.push(BufferInfo { ty: Ty::Bool });
        self.steps.push(Step::Zero { buffer: marks, len, span });
        Arg::Buffer(marks)
    }

    /// Sums of hashes.
    fn sums(&mut self) -> Vec<Arg> {
        seeds(self.widths).iter().map(|_| Arg::Slot(self.slots.push(Ty::I64))).collect()
    }

    /// Each element went to its own position if the positions' hashes come to what all do.
    fn check_sums(&mut self, target: Space, sums: &[Arg], span: Span) {
        let len = self.lanes(target);
        let all = self.sums();
        self.launch(sum_positions(target, self.widths), &[&[len], all.as_slice()].concat(), &[]);
        for (&sum, all) in sums.iter().zip(all) {
            let mut builder: Builder<Place> = Builder::new();
            let cond = builder.scalar(ScalarOp::Eq, &[atom(sum), atom(all)], span);
            // Which position it is, nobody knows.
            let args = [atom(len), Atom::Const(Const::I64(-1))];
            builder.push(scalar::Stmt::Require { site: Site::Permute, cond, args, span });
            let code = builder.finish(Vec::new());
            self.steps.push(Step::Eval { results: Vec::new(), code });
        }
    }

    /// Each element went to its own position if all are marked.
    fn check_marks(&mut self, target: Space, marks: Arg, span: Span) {
        let len = self.lanes(target);
        let count = self.slots.push(Ty::I64);
        self.launch(count_marks(target, self.widths), &[marks, len, Arg::Slot(count)], &[]);
        let mut builder: Builder<Place> = Builder::new();
        let (count, len) = (atom(Arg::Slot(count)), atom(len));
        let cond = builder.scalar(ScalarOp::Eq, &[count, len], span);
        let args = [count, len];
        builder.push(scalar::Stmt::Require { site: Site::Permute, cond, args, span });
        self.steps.push(Step::Eval { results: Vec::new(), code: builder.finish(Vec::new()) });
    }

    /// Fails with the message of the first lane.
    fn fail(&mut self, space: Space, code: &flat::Code, pool: Value) {
        let chars = self.buffer(pool);
        let span = self.span;
        // Lane 0; its ancestors' positions matter only for values that are not its own.
        let mut builder: Builder<Place> = Builder::new();
        let zeros = vec![Atom::Const(Const::I64(0)); code.params.len()];
        let placed = code.map_refs(|v| self.place(v));
        let yields = builder.inline(&placed, &zeros);
        let (start, len) = (self.slots.push(Ty::I64), self.slots.push(Ty::I64));
        let eval = Step::Eval { results: vec![start, len], code: builder.finish(yields) };
        let (start, len) = (Arg::Slot(start), Arg::Slot(len));
        let fail = Step::Fail { start, len, chars, span };
        if space == flat::Function::root() {
            self.steps.extend([eval, fail]);
            return;
        }
        let lanes = self.lanes(space);
        let mut builder: Builder<Place> = Builder::new();
        let zero = Atom::Const(Const::I64(0));
        let some = builder.scalar(ScalarOp::Gt, &[atom(lanes), zero], span);
        let cond = self.slots.push(Ty::Bool);
        self.steps.push(Step::Eval { results: vec![cond], code: builder.finish(vec![some]) });
        let then = Block { steps: vec![eval, fail], yields: Vec::new() };
        let els = Block::default();
        self.steps.push(Step::If { results: Vec::new(), cond: Arg::Slot(cond), then, els });
    }
}

fn atom(arg: Arg) -> Atom<Place> {
    match arg {
        Arg::Slot(s) => Atom::Outer(Place::Slot(s), Ty::I64),
        Arg::Const(c) => Atom::Const(c),
        Arg::Buffer(b) | Arg::Past(b, _) => unreachable!("{b} is no scalar"),
    }
}

/// Whether a statement may take long: the host does not run it itself.
fn is_heavy(stmt: &scalar::Stmt<Value>) -> bool {
    match stmt {
        scalar::Stmt::Loop { .. } | scalar::Stmt::Call(_) => true,
        scalar::Stmt::If { then, els, .. } => {
            then.stmts.iter().any(is_heavy) || els.stmts.iter().any(is_heavy)
        }
        scalar::Stmt::Let(..) | scalar::Stmt::Require { .. } => false,
    }
}

/// Rooms made by `grow` that are used once: by the scatter that fills them.  Nobody else looks at
/// their memory from where they were empty, even if it is part of a larger one.
fn only_filled(block: &flat::Block) -> FxHashSet<Value> {
    fn grown(block: &flat::Block, found: &mut FxHashSet<Value>) {
        for stmt in &block.stmts {
            match &stmt.op {
                Op::Grow { .. } => found.extend(&stmt.results),
                Op::If(_, then, els) => [then, els].into_iter().for_each(|arm| grown(arm, found)),
                _ => {}
            }
        }
    }
    let mut found = FxHashSet::default();
    grown(block, &mut found);
    if found.is_empty() {
        return found;
    }
    let mut seen = FxHashSet::default();
    for value in block.uses() {
        if !seen.insert(value) {
            found.remove(&value);
        }
    }
    found
}
