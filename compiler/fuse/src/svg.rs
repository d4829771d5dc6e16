//! Drawings of partitions: clusters from top to bottom in the order in which they run, statements
//! in them by depth, edges, and below them the reasons for what is apart.
//!
//! Solid edges are fused.  Dashed ones go through memory and are labelled with what does.

use crate::explain::{Drawing, Edge, Node, Reason};
use base::Span;
use base::svg::{CHAR, GAP, LINE, Picture};
use flat::Value;

/// Size of a box.
const BOX: (usize, usize) = (200, 40);
/// How far a line goes around what is between its ends, at most.
const AROUND: usize = 160;

/// Draws a partition below what is drawn already.  `source` says where a span is and what is there.
pub fn draw(picture: &mut Picture, drawing: &Drawing, source: &dyn Fn(Span) -> String) {
    let layout = Layout::new(drawing, picture.end());
    let reasons = reasons(drawing, source);
    layout.draw(picture, source);
    let mut y = layout.end;
    for reason in reasons {
        picture.text((GAP, y), "reason", &reason);
        picture.extend((GAP * 2 + reason.chars().count() * CHAR, 0));
        y += LINE;
    }
    picture.extend((layout.width, y + GAP * 2));
}

/// Where everything is.
struct Layout<'d> {
    drawing: &'d Drawing,
    top: usize,
    /// The corner of each statement's box.
    corners: Vec<(usize, usize)>,
    /// For each cluster its top and its size.
    frames: Vec<(usize, usize, usize)>,
    width: usize,
    /// Where what comes below begins.
    end: usize,
}

impl<'d> Layout<'d> {
    fn new(drawing: &'d Drawing, top: usize) -> Layout<'d> {
        let mut layout = Layout {
            drawing,
            top,
            corners: vec![(0, 0); drawing.nodes.len()],
            frames: Vec::new(),
            width: 0,
            end: top + LINE * 2 + GAP,
        };
        for cluster in &drawing.clusters {
            layout.cluster(cluster);
        }
        let title = drawing.name.chars().count().max(60) * CHAR + GAP * 2;
        layout.width = layout.width.max(title);
        layout.end += LINE;
        layout
    }

    /// Statements below those of the same cluster that they use.
    fn cluster(&mut self, cluster: &[usize]) {
        let mut depths: Vec<(usize, usize)> = Vec::new();
        for &n in cluster {
            let inputs = self.drawing.edges.iter().filter(|e| e.to == n).map(|e| e.from);
            let depth = inputs
                .filter_map(|p| depths.iter().find(|d| d.0 == p))
                .map(|d| d.1 + 1)
                .max()
                .unwrap_or(0);
            depths.push((n, depth));
        }
        let rows = depths.iter().map(|d| d.1 + 1).max().unwrap_or(0);
        let mut widest = 0;
        for row in 0..rows {
            let y = self.end + GAP + row * (BOX.1 + GAP * 2);
            for (i, (n, _)) in depths.iter().filter(|d| d.1 == row).enumerate() {
                // Rows are set off, so that edges do not run through boxes.
                let x = GAP * 2 + (row % 2) * GAP + i * (BOX.0 + GAP);
                self.corners[*n] = (x, y);
                widest = widest.max(x + BOX.0 + GAP);
            }
        }
        let high = GAP * 2 + rows * BOX.1 + rows.saturating_sub(1) * GAP * 2;
        self.frames.push((self.end, widest - GAP, high));
        self.width = self.width.max(widest + GAP + AROUND);
        self.end += high + GAP * 2;
    }

    fn draw(&self, out: &mut Picture, source: &dyn Fn(Span) -> String) {
        out.text((GAP, self.top + LINE), "name", &self.drawing.name);
        out.text((GAP, self.top + LINE * 2), "small", &self.drawing.cost.to_string());
        for (c, (y, width, high)) in self.frames.iter().enumerate() {
            let shares = self.drawing.nodes[self.drawing.clusters[c][0]].shares;
            let class = if shares { "cluster" } else { "host" };
            out.rect((GAP, *y), (*width, *high), class);
            if shares {
                out.text((GAP + 4, y + 12), "label", &format!("cluster {c}"));
            }
        }
        for edge in &self.drawing.edges {
            self.edge(out, edge);
        }
        for (n, node) in self.drawing.nodes.iter().enumerate() {
            let (x, y) = self.corners[n];
            out.rect((x, y), BOX, "node");
            out.text((x + 6, y + 16), "what", &cut(&title(node)));
            if !node.span.is_none() {
                out.text((x + 6, y + 32), "small", &cut(&source(node.span)));
            }
        }
        // Labels last, so that nothing covers them: they are next to where the vector is read.
        for edge in self.drawing.edges.iter().filter(|e| e.apart.is_some()) {
            let (x, y) = self.corners[edge.to];
            let before = |e: &&Edge| e.apart.is_some() && e.to == edge.to && e.from < edge.from;
            let earlier = self.drawing.edges.iter().filter(before);
            let place =
                earlier.map(|e| (values(&e.values).chars().count() + 1) * CHAR).sum::<usize>();
            out.text((x + place, y - 4), "label", &values(&edge.values));
        }
    }

    /// A line from producer to consumer; past others it goes around them on the right.
    fn edge(&self, out: &mut Picture, edge: &Edge) {
        let (from, to) = (self.corners[edge.from], self.corners[edge.to]);
        let class = if edge.apart.is_none() { "fused" } else { "memory" };
        let high = to.1.saturating_sub(from.1 + BOX.1);
        let path = if high <= GAP * 5 {
            let (x1, y1, x2, y2) = (from.0 + BOX.0 / 2, from.1 + BOX.1, to.0 + BOX.0 / 2, to.1);
            let bend = y1.midpoint(y2);
            format!("M{x1} {y1} C{x1} {bend} {x2} {bend} {x2} {y2}")
        } else {
            let (x1, y1) = (from.0 + BOX.0, from.1 + BOX.1 / 2);
            let (x2, y2) = (to.0 + BOX.0, to.1 + BOX.1 / 2);
            let far = x1.max(x2) + GAP + (high / 8).min(AROUND);
            format!("M{x1} {y1} C{far} {y1} {far} {y2} {x2} {y2}")
        };
        out.path(&path, class);
    }
}

/// `v3 = map [s1]`.
fn title(node: &Node) -> String {
    let space = node.space.map_or_else(String::new, |space| format!(" [{space}]"));
    match node.results.as_slice() {
        [] => format!("{}{space}", node.kind),
        results => format!("{} = {}{space}", values(results), node.kind),
    }
}

fn values(values: &[Value]) -> String {
    if values.is_empty() {
        return "order".to_owned();
    }
    values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// A sentence for each edge that is not fused, and for clusters that read the same.
fn reasons(drawing: &Drawing, source: &dyn Fn(Span) -> String) -> Vec<String> {
    let name = |n: usize| {
        let node = &drawing.nodes[n];
        let place = if node.span.is_none() { String::new() } else { source(node.span) };
        let place = cut(&place);
        if place.is_empty() { title(node) } else { format!("{} ({place})", title(node)) }
    };
    let because = |reason: &Reason| match reason.of {
        Some((a, b)) => {
            let (a, b) = (title(&drawing.nodes[a]), title(&drawing.nodes[b]));
            format!("{a} and {b}: {}", reason.why.words())
        }
        None => reason.why.words().to_owned(),
    };
    let mut reasons = Vec::new();
    for edge in &drawing.edges {
        let Some(reason) = &edge.apart else { continue };
        let pair = reason.of == Some((edge.from, edge.to));
        let because = if pair { reason.why.words().to_owned() } else { because(reason) };
        let what = values(&edge.values);
        let (from, to) = (name(edge.from), name(edge.to));
        reasons.push(format!("{what}, from {from} to {to}: {because}"));
    }
    for shared in &drawing.shared {
        let (a, b) = shared.clusters;
        let (what, because) = (values(&shared.values), because(&shared.reason));
        reasons.push(format!("clusters {a} and {b} both read {what}: {because}"));
    }
    reasons
}

/// What fits into a box.
fn cut(text: &str) -> String {
    base::svg::cut(text, (BOX.0 - 12) / CHAR)
}
