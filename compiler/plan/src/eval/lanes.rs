//! Clusters by definition: nodes in order, each in every lane of its space.  Locals are vectors.
//! What is called the `same` must be the same.

use super::{Argument, Evaluator, Failure, Memory};
use crate::Operand;
use crate::ir::{Cluster, ClusterId, Conflict, Node, NodeOp, Ref, SortKind, Space, SpaceKind};
use base::{Site, Span};
use prim::{Const, Monoid, TOO_LONG, Ty, Widths};
use rustc_hash::FxHashMap;
use scalar::{Atom, Env, Fault};
use std::ops::Range;

/// Runs a cluster.
pub(super) fn run(
    evaluator: &Evaluator<'_>,
    id: ClusterId,
    args: &[Argument],
) -> Result<(), Failure> {
    let cluster = &evaluator.program.clusters[id];
    let params = cluster.params.iter().map(|p| p.name).zip(args).collect();
    let (locals, kept) = (FxHashMap::default(), FxHashMap::default());
    let mut lanes = Lanes { evaluator, cluster, params, locals, kept };
    for node in &cluster.nodes {
        let columns = lanes.columns(node)?;
        lanes.node(node, &columns)?;
    }
    Ok(())
}

/// A cluster under way.
struct Lanes<'a> {
    evaluator: &'a Evaluator<'a>,
    cluster: &'a Cluster,
    params: FxHashMap<Ref, &'a Argument>,
    locals: FxHashMap<Ref, Vec<Const>>,
    /// Where the segments of the spaces made by filters start, and the end.
    kept: FxHashMap<Space, Vec<usize>>,
}

impl Lanes<'_> {
    fn memory(&self, name: Ref) -> &Memory {
        match self.params.get(&name) {
            Some(Argument::Buffer(memory)) => memory,
            _ => unreachable!("{name} is no buffer"),
        }
    }

    fn size(&self, operand: Operand) -> usize {
        let value = match operand {
            Atom::Const(c) => c,
            Atom::Outer(r, _) => self.outer(r),
            Atom::Var(v) => unreachable!("{v} outside code"),
        };
        usize::try_from(value.int()).unwrap_or(0)
    }

    /// The number of lanes of a space.
    fn lanes(&self, space: Space) -> usize {
        self.starts(space).last().copied().unwrap_or(0)
    }

    /// Where the segments of a space start, and the end: one number more than its parent has lanes.
    fn starts(&self, space: Space) -> Vec<usize> {
        if let Some(starts) = self.kept.get(&space) {
            return starts.clone();
        }
        match self.cluster.spaces[space].kind {
            SpaceKind::Root => vec![0, 1],
            SpaceKind::Regular(parent, len) => {
                let len = self.size(len);
                (0..=self.lanes(parent)).map(|lane| lane * len).collect()
            }
            SpaceKind::Packed(parent, offsets) => {
                let memory = self.memory(offsets).borrow();
                let offset = |k| match memory.get(k) {
                    Some(Some(Const::I64(offset))) => usize::try_from(*offset).unwrap_or(0),
                    _ => panic!("bug: {offsets} has no offset {k}"),
                };
                (0..=self.lanes(parent)).map(offset).collect()
            }
        }
    }

    /// The positions of each segment of a space.
    fn segments(&self, space: Space) -> Vec<Range<usize>> {
        self.starts(space).windows(2).map(|w| w[0]..w[1]).collect()
    }

    /// The yields of a node's code in all lanes: for each yield, its values.
    fn columns(&self, node: &Node) -> Result<Vec<Vec<Const>>, Failure> {
        let mut columns = vec![Vec::new(); node.code.body.yields.len()];
        for params in self.params_of(node.space) {
            for (column, value) in columns.iter_mut().zip(scalar::eval(&node.code, &params, self)?)
            {
                column.push(value);
            }
        }
        Ok(columns)
    }

    /// The parameters of code for each lane of a space, in order.
    fn params_of(&self, space: Space) -> Vec<Vec<Const>> {
        let mut lanes: Vec<Vec<usize>> = vec![Vec::new()];
        for space in self.cluster.chain(space) {
            let starts = self.starts(space);
            let mut below = Vec::new();
            for (lane, mut params) in lanes.into_iter().enumerate() {
                params.pop();
                for (index, position) in (starts[lane]..starts[lane + 1]).enumerate() {
                    below.push([&params[..], &[position, index]].concat());
                }
            }
            lanes = below;
        }
        let consts = |params: Vec<usize>| params.iter().map(|&p| Const::I64(p as i64)).collect();
        lanes.into_iter().map(consts).collect()
    }

    fn node(&mut self, node: &Node, columns: &[Vec<Const>]) -> Result<(), Failure> {
        match &node.op {
            NodeOp::Map => self.results(node, columns.to_vec()),
            NodeOp::Reduce(monoids) => {
                let segments = self.segments(node.space);
                let widths = self.widths();
                let reduce = |(column, &monoid): (&Vec<Const>, &Monoid), ty| {
                    let whole =
                        |s: &Range<usize>| fold(widths, monoid, ty, &column[s.clone()], |_| ());
                    segments.iter().map(whole).collect()
                };
                let tys = node.code.yield_tys();
                let reduced = columns.iter().zip(monoids).zip(tys).map(|(c, ty)| reduce(c, ty));
                self.results(node, reduced.collect());
            }
            NodeOp::Scan(monoids) => {
                let segments = self.segments(node.space);
                let widths = self.widths();
                let scan = |(column, &monoid): (&Vec<Const>, &Monoid), ty| {
                    let mut prefixes = Vec::with_capacity(column.len());
                    for segment in &segments {
                        fold(widths, monoid, ty, &column[segment.clone()], |p| prefixes.push(p));
                    }
                    prefixes
                };
                let tys = node.code.yield_tys();
                let scanned = columns.iter().zip(monoids).zip(tys).map(|(c, ty)| scan(c, ty));
                self.results(node, scanned.collect());
            }
            NodeOp::Filter { kept } => self.filter(node, *kept, &columns[0])?,
            NodeOp::Offsets => {
                let offsets = self.offsets(columns[0].iter().map(|c| c.int()))?;
                let total = offsets[offsets.len() - 1..].to_vec();
                self.results(node, vec![offsets, total]);
            }
            NodeOp::Scatter { conflict, extent } => {
                let size = self.size(*extent);
                let same =
                    |values: &Vec<Const>| values.windows(2).all(|w| w[0].order(w[1]).is_eq());
                if *conflict == Conflict::Same && !columns[1..].iter().all(same) {
                    panic!("bug: lanes of {} do not write the same", self.cluster.name);
                }
                for ((&push, values), &result) in
                    node.pushes.iter().zip(&columns[1..]).zip(&node.results)
                {
                    let Some(push) = push else { unreachable!("{result} is not pushed") };
                    for (position, &value) in columns[0].iter().zip(values) {
                        if let Ok(position) = usize::try_from(position.int())
                            && position < size
                        {
                            let greatest = *conflict == Conflict::Greatest;
                            let stays = greatest && self.int_at(push, position) > value.int();
                            if !stays {
                                self.store(push, position, value);
                            }
                        }
                    }
                }
            }
            NodeOp::Sort(kind) => {
                let sorted = sort(&self.segments(node.space), &columns[0], *kind);
                self.results(node, vec![sorted]);
            }
        }
        Ok(())
    }

    fn filter(&mut self, node: &Node, kept: Space, flags: &[Const]) -> Result<(), Failure> {
        let keep = |range: Range<usize>| range.filter(|&lane| flags[lane].bool());
        let positions = keep(0..flags.len()).map(|lane| Const::I64(lane as i64)).collect();
        let counts = self.segments(node.space).into_iter().map(|s| keep(s).count() as i64);
        let starts = self.offsets(counts)?;
        let at_root = self.cluster.chain(node.space).len() == 1;
        let shape = if at_root { starts[1..].to_vec() } else { starts.clone() };
        let total = starts[starts.len() - 1..].to_vec();
        let starts = starts.iter().map(|c| usize::try_from(c.int()).unwrap_or(0)).collect();
        self.kept.insert(kept, starts);
        self.results(node, vec![positions, shape, total]);
        Ok(())
    }

    /// The starts of segments of these lengths, and the end of the last.  An end above the longest
    /// length is a failure.
    fn offsets(&self, lengths: impl Iterator<Item = i64>) -> Result<Vec<Const>, Failure> {
        let mut sum = 0;
        let mut offsets = vec![Const::I64(0)];
        for length in lengths {
            let length = length.max(0);
            if length > self.widths().max_length() - sum {
                let span = self.cluster.spans.first().copied().unwrap_or(Span::none());
                let args = [length, TOO_LONG];
                return Err(Fault { site: Site::Memory, span, args }.into());
            }
            sum += length;
            offsets.push(Const::I64(sum));
        }
        Ok(offsets)
    }

    /// Pushes results and keeps them for the nodes after.
    fn results(&mut self, node: &Node, values: Vec<Vec<Const>>) {
        for ((&result, &push), values) in node.results.iter().zip(&node.pushes).zip(values) {
            if let Some(push) = push {
                for (position, &value) in values.iter().enumerate() {
                    self.store(push, position, value);
                }
            }
            self.locals.insert(result, values);
        }
    }

    /// An int that is in a buffer.
    fn int_at(&self, name: Ref, position: usize) -> i64 {
        let Some(Argument::Buffer(memory)) = self.params.get(&name) else {
            unreachable!("{name} is no buffer")
        };
        match memory.borrow().get(position) {
            Some(Some(element)) => element.int(),
            _ => panic!("bug: element {position} of {name} was not written"),
        }
    }

    fn store(&self, push: Ref, position: usize, value: Const) {
        self.evaluator.count(|c| c.writes += 1);
        match self.params.get(&push) {
            Some(Argument::Set(cell)) => cell.set(Some(value)),
            Some(Argument::Buffer(memory)) => match memory.borrow_mut().get_mut(position) {
                Some(element) => *element = Some(value),
                None => panic!("bug: element {position} is outside {push}"),
            },
            _ => unreachable!("{push} is not written"),
        }
    }
}

impl Env<Ref> for Lanes<'_> {
    fn widths(&self) -> Widths {
        self.evaluator.program.widths
    }
    fn outer(&self, name: Ref) -> Const {
        match self.params.get(&name) {
            Some(Argument::Scalar(c)) => *c,
            _ => unreachable!("{name} is no scalar"),
        }
    }
    fn element(&self, vector: Ref, index: i64) -> Option<Const> {
        let index = usize::try_from(index).ok()?;
        if let Some(local) = self.locals.get(&vector) {
            return local.get(index).copied();
        }
        self.evaluator.count(|c| c.reads += 1);
        self.memory(vector).borrow().get(index).copied().flatten()
    }
    fn function(&self, func: scalar::Func) -> &scalar::Function {
        &self.evaluator.program.scalars[func]
    }
}

/// The combination of elements; `before` is told the prefix before each.
fn fold(
    widths: Widths,
    monoid: Monoid,
    ty: Ty,
    elements: &[Const],
    mut before: impl FnMut(Const),
) -> Const {
    elements.iter().fold(widths.identity(monoid, ty), |sum, &element| {
        before(sum);
        monoid.combine(widths, sum, element)
    })
}

/// Prefix sums and the total; a negative length counts as 0.
fn sort(segments: &[Range<usize>], keys: &[Const], kind: SortKind) -> Vec<Const> {
    let mut result = vec![Const::I64(0); keys.len()];
    for segment in segments {
        let mut order: Vec<usize> = segment.clone().collect();
        match kind {
            SortKind::Sort | SortKind::Rank => order.sort_by(|&a, &b| keys[a].order(keys[b])),
            SortKind::RankDown => order.sort_by(|&a, &b| keys[b].order(keys[a])),
        }
        for (rank, lane) in order.into_iter().enumerate() {
            match kind {
                SortKind::Sort => result[segment.start + rank] = keys[lane],
                SortKind::Rank | SortKind::RankDown => result[lane] = Const::I64(rank as i64),
            }
        }
    }
    result
}
