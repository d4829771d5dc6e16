//! What a partition costs, by estimate: bytes that go through memory, and launches.
//!
//! ```text
//! cost = LAUNCH * clusters
//!      + for each cluster: bytes of each vector that it reads, once, unless it makes it itself
//!                        + bytes of each vector that it makes and that is needed outside
//! ```
//!
//! Only clusters count.  What stands alone (sorts, calls, branches, the host's own steps) costs the
//! same in every partition, and so do copies of bases.
//!
//! Sizes are not known when a program is compiled, and only their relations matter:
//!
//! | space                          | lanes                        |
//! |--------------------------------|------------------------------|
//! | the root                       | 1; its scalars cost nothing  |
//! | child of the root              | [`OUTER`]                    |
//! | segments                       | [`SEGMENT`] for each parent  |
//! | a constant number for each     | that many for each           |
//! | filtered                       | half of its source's         |
//!
//! Offsets have an element for each lane, a pool has as many as a space of depth 1.

use crate::graph::{Graph, Partition};
use flat::{Domain, Function, Operand, Space, SpaceKind, Value};
use prim::{Const, Ty, Width, Widths};
use std::collections::BTreeSet;
use std::fmt;

/// Lanes of a space below the root.
const OUTER: u64 = 1 << 20;

/// Lanes of a segment.
const SEGMENT: u64 = 8;

/// What a launch costs, in bytes that could go through memory in its time: some microseconds, in
/// which a GPU reads a vector of [`OUTER`] wide numbers.
pub(crate) const LAUNCH: u64 = 8 * OUTER;

/// An estimate.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Cost {
    /// Clusters.
    pub launches: u64,
    /// Bytes read from memory.
    pub read: u64,
    /// Bytes written to memory.
    pub written: u64,
}

impl Cost {
    /// As one number.
    pub fn total(self) -> u64 {
        let launches = self.launches.saturating_mul(LAUNCH);
        launches.saturating_add(self.read).saturating_add(self.written)
    }

    pub(crate) fn plus(self, other: Cost) -> Cost {
        Cost {
            launches: self.launches + other.launches,
            read: self.read.saturating_add(other.read),
            written: self.written.saturating_add(other.written),
        }
    }
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
        let (read, written) = (mib(self.read), mib(self.written));
        write!(f, "{} launches, {read} MiB read, {written} MiB written", self.launches)
    }
}

/// The sizes of a function's vectors.
pub(crate) struct Sizes {
    bytes: base::IdMap<Value, u64>,
}

impl Sizes {
    pub(crate) fn new(function: &Function, widths: Widths) -> Sizes {
        let mut bytes = base::IdMap::new();
        for info in function.values.values() {
            let elements = match info.domain {
                Domain::Scalar => 0,
                Domain::Lanes(space) | Domain::Offsets(space) => lanes(function, space),
                Domain::Pool => OUTER,
            };
            bytes.push(elements.saturating_mul(width(info.ty, widths)));
        }
        Sizes { bytes }
    }

    /// Estimated bytes of a vector; none of a scalar.
    pub(crate) fn bytes(&self, value: Value) -> u64 {
        self.bytes[value]
    }

    /// What a partition costs.
    pub(crate) fn partition(&self, graph: &Graph<'_>, partition: &Partition) -> Cost {
        let all = partition.iter().map(|set| self.cluster(graph, set));
        all.fold(Cost::default(), Cost::plus)
    }

    /// What a cluster costs.
    pub(crate) fn cluster(&self, graph: &Graph<'_>, set: &[usize]) -> Cost {
        if set.iter().any(|&n| graph.nodes[n].outer.is_none()) {
            return Cost::default();
        }
        let inside: BTreeSet<usize> = set.iter().copied().collect();
        let made: BTreeSet<Value> =
            set.iter().flat_map(|&n| graph.nodes[n].stmt.results.iter().copied()).collect();
        let used: BTreeSet<Value> =
            set.iter().flat_map(|&n| graph.nodes[n].uses.iter().copied()).collect();
        let sum = |values: &mut dyn Iterator<Item = Value>| {
            values.fold(0_u64, |sum, v| sum.saturating_add(self.bytes(v)))
        };
        let read = sum(&mut used.difference(&made).copied());
        let written = sum(&mut made.iter().copied().filter(|&v| graph.escapes(&inside, v)));
        Cost { launches: 1, read, written }
    }
}

fn lanes(function: &Function, space: Space) -> u64 {
    let info = &function.spaces[space];
    if let Some((source, _)) = info.from {
        return lanes(function, source) / 2;
    }
    match info.kind {
        SpaceKind::Root => 1,
        SpaceKind::Regular(parent, Operand::Const(Const::I64(each))) => {
            lanes(function, parent).saturating_mul(u64::try_from(each).unwrap_or(0))
        }
        SpaceKind::Regular(parent, _) | SpaceKind::Packed(parent, _) => {
            if parent == Function::root() {
                return OUTER;
            }
            lanes(function, parent).saturating_mul(SEGMENT)
        }
    }
}

fn width(ty: Ty, widths: Widths) -> u64 {
    let wide = |width| if width == Width::W64 { 8 } else { 4 };
    match ty {
        Ty::I64 => wide(widths.int),
        Ty::F64 => wide(widths.float),
        Ty::Bool | Ty::Char => 1,
    }
}
