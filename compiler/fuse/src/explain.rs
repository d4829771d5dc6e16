//! What became of a graph, and why: its clusters, its edges, and the reasons for what is apart.

use crate::Fusion;
use crate::cost::{Cost, Sizes};
use crate::graph::{Graph, Partition};
use crate::greedy::group_of;
use crate::legal::{Legal, Why};
use crate::optimal::in_order_of_runs;
use crate::pairs::Pairs;
use base::Span;
use flat::{Op, Space, Value};
use std::collections::BTreeSet;

/// The partition of one block.
#[derive(Clone, Debug)]
pub struct Drawing {
    /// The function, and which arm of which branches.
    pub name: String,
    /// Statements in program order.
    pub nodes: Vec<Node>,
    /// Indices of nodes, in the order in which the clusters run.
    pub clusters: Vec<Vec<usize>>,
    /// Who uses what of whom.
    pub edges: Vec<Edge>,
    /// Clusters over one space that read the same vectors.
    pub shared: Vec<Shared>,
    /// What the partition costs by estimate.
    pub cost: Cost,
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Node {
    /// What it makes.
    pub results: Vec<Value>,
    /// Its operation.
    pub kind: &'static str,
    /// Where it works.
    pub space: Option<Space>,
    /// The source text.
    pub span: Span,
    /// Whether it is part of a cluster, not a step of its own.
    pub shares: bool,
}

/// A dependence.
#[derive(Clone, Debug)]
pub struct Edge {
    /// The producer.
    pub from: usize,
    /// The consumer.
    pub to: usize,
    /// What is used; nothing if only the order counts.
    pub values: Vec<Value>,
    /// Why it is not fused, if it is not.
    pub apart: Option<Reason>,
}

/// Two clusters that read the same from memory.
#[derive(Clone, Debug)]
pub struct Shared {
    /// Indices of clusters.
    pub clusters: (usize, usize),
    /// What both read.
    pub values: Vec<Value>,
    /// Why they are two.
    pub reason: Reason,
}

/// Why two clusters are two.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reason {
    /// The rule.
    pub why: Why,
    /// Two statements, one of each, of which it speaks; none if it is about all.
    pub of: Option<(usize, usize)>,
}

/// The partitions of a program's blocks, function by function.
pub fn explain(program: &flat::Program, fusion: Fusion) -> Vec<Drawing> {
    let mut drawings = Vec::new();
    for function in program.funcs.values() {
        let sizes = Sizes::new(function, program.widths);
        let explainer = Explainer { function, sizes, fusion };
        explainer.block(&function.body, &function.name, &mut drawings);
    }
    drawings
}

struct Explainer<'a> {
    function: &'a flat::Function,
    sizes: Sizes,
    fusion: Fusion,
}

impl Explainer<'_> {
    fn block(&self, block: &flat::Block, name: &str, drawings: &mut Vec<Drawing>) {
        if block.stmts.is_empty() {
            return;
        }
        let graph = Graph::new(self.function, block);
        let legal = Legal::new(&graph);
        let clusters = self.fusion.partition(&legal, &self.sizes);
        let reasons = Reasons {
            legal: &legal,
            pairs: Pairs::new(&legal),
            clusters: &clusters,
            cluster_of: group_of(&clusters),
            fusion: self.fusion,
        };
        drawings.push(Drawing {
            name: name.to_owned(),
            nodes: graph.nodes.iter().map(|node| described(node.stmt, node.outer)).collect(),
            edges: reasons.edges(),
            shared: reasons.shared(),
            cost: self.sizes.partition(&graph, &clusters),
            clusters,
        });
        for stmt in &block.stmts {
            if let Op::If(_, then, els) = &stmt.op {
                let of = stmt.results.first().map_or_else(String::new, |r| format!(" of {r}"));
                self.block(then, &format!("{name}, first arm{of}"), drawings);
                self.block(els, &format!("{name}, second arm{of}"), drawings);
            }
        }
    }
}

fn described(stmt: &flat::Stmt, outer: Option<Space>) -> Node {
    let kind = match &stmt.op {
        Op::Map { .. } => "map",
        Op::Reduce { .. } => "reduce",
        Op::Scan { .. } => "scan",
        Op::Filter { .. } => "filter",
        Op::Offsets { .. } => "offsets",
        Op::Scatter { kind: flat::ScatterKind::Permute, .. } => "permute",
        Op::Scatter { kind: flat::ScatterKind::Place, .. } => "place",
        Op::Scatter { kind: flat::ScatterKind::Write(_) | flat::ScatterKind::Into(_), .. } => {
            "write"
        }
        Op::Sort { .. } => "sort",
        Op::Fail { .. } => "fail",
        Op::Literal(..) => "literal",
        Op::Join(_) => "join",
        Op::Behind { .. } => "behind",
        Op::Grow { .. } => "grow",
        Op::Call(..) => "call",
        Op::If(..) => "if",
    };
    Node {
        results: stmt.results.clone(),
        kind,
        space: stmt.op.space(),
        span: stmt.span,
        shares: outer.is_some(),
    }
}

struct Reasons<'r, 'g, 'a> {
    legal: &'r Legal<'g, 'a>,
    pairs: Pairs,
    clusters: &'r Partition,
    cluster_of: Vec<usize>,
    fusion: Fusion,
}

impl Reasons<'_, '_, '_> {
    fn edges(&self) -> Vec<Edge> {
        let nodes = &self.legal.graph.nodes;
        let mut edges = Vec::new();
        for (to, node) in nodes.iter().enumerate() {
            for &(from, _) in &node.edges {
                let made = nodes[from].stmt.results.iter().copied();
                let values = made.filter(|r| node.uses.contains(r)).collect();
                let together = self.cluster_of[from] == self.cluster_of[to];
                let apart = (!together).then(|| self.reason(from, to));
                edges.push(Edge { from, to, values, apart });
            }
        }
        edges
    }

    fn shared(&self) -> Vec<Shared> {
        let graph = self.legal.graph;
        let read = |set: &Vec<usize>| -> BTreeSet<Value> {
            let used = set.iter().flat_map(|&n| graph.nodes[n].uses.iter().copied());
            let is_vector = |v: &Value| graph.function.values[*v].domain != flat::Domain::Scalar;
            used.filter(is_vector).collect()
        };
        let mut shared = Vec::new();
        for (b, second) in self.clusters.iter().enumerate() {
            let Some(outer) = graph.nodes[second[0]].outer else { continue };
            for (a, first) in self.clusters[..b].iter().enumerate() {
                if graph.nodes[first[0]].outer != Some(outer) {
                    continue;
                }
                let made: BTreeSet<Value> = first
                    .iter()
                    .flat_map(|&n| graph.nodes[n].stmt.results.iter().copied())
                    .collect();
                let both = &read(first) & &read(second);
                let values: Vec<Value> = both.difference(&made).copied().collect();
                if !values.is_empty() {
                    let reason = self.reason(first[0], second[0]);
                    shared.push(Shared { clusters: (a, b), values, reason });
                }
            }
        }
        shared
    }

    /// Why two statements are not in one cluster.
    fn reason(&self, from: usize, to: usize) -> Reason {
        let apart = |a: usize, b: usize| {
            let why = self.pairs.get(a.min(b), a.max(b)).err()?;
            Some(Reason { why, of: Some((a, b)) })
        };
        let (first, second) =
            (&self.clusters[self.cluster_of[from]], &self.clusters[self.cluster_of[to]]);
        if let Some(reason) = apart(from, to) {
            return reason;
        }
        if self.fusion == Fusion::Off {
            return Reason { why: Why::Off, of: None };
        }
        let others = first.iter().flat_map(|&a| second.iter().map(move |&b| (a, b)));
        let near = |&(a, b): &(usize, usize)| a == from || b == to;
        let (near, far): (Vec<_>, Vec<_>) = others.partition(near);
        if let Some(reason) = near.into_iter().chain(far).find_map(|(a, b)| apart(a, b)) {
            return reason;
        }
        Reason { why: self.of_all(first, second), of: None }
    }

    /// Why two clusters are not one, though no two of their statements forbid it.
    fn of_all(&self, first: &Vec<usize>, second: &Vec<usize>) -> Why {
        let mut one: Vec<usize> = first.iter().chain(second).copied().collect();
        one.sort_unstable();
        let others = self.clusters.iter().filter(|&set| set != first && set != second);
        let merged: Partition = std::iter::once(one).chain(others.cloned()).collect();
        let Some(merged) = in_order_of_runs(self.legal, &merged) else { return Why::Order };
        self.legal.check(group_of(&merged)).err().unwrap_or(Why::Cost)
    }
}
