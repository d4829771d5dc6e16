//! Road **fuse**: flat to plan.
//!
//! Each block of a flat function is a dependence graph ([`graph`]).  A partition of the graph says
//! which statements run as one cluster: [`legal`] holds all rules, [`cost`] estimates what a
//! partition costs, [`greedy`] makes one quickly, [`optimal`] improves it by 0/1 programs
//! ([`integer`]).  [`cluster`] makes the clusters, [`host`] the steps around them; [`explain`] says
//! why what is apart is apart, and [`draw`] draws it.
//!
//! # Nomenclature
//!
//! * The **outer space** of a statement is the child of the root above its space: clusters run over
//!   one outer space.
//! * An edge is **fusible** when the consumer needs the producer's element only at positions of the
//!   lane being run, so that it can be pulled and need not be in memory.
//! * A **chain** statement is one whose results at the outer level need a prefix over earlier
//!   lanes: scans of the outer space, filters, offsets.  Their inputs may not depend on another
//!   chain statement of the same cluster.
//! * A **base** of a write is a vector that it overwrites.

mod bits;
mod bound;
mod cluster;
mod cost;
mod explain;
mod graph;
mod greedy;
mod host;
mod integer;
mod legal;
mod optimal;
mod pairs;
mod scatter;
mod svg;
mod units;

#[cfg(test)]
mod tests;

pub use cost::Cost;
pub use explain::{Drawing, Edge, Node, Reason, Shared, explain};
pub use legal::Why;
pub use svg::draw;

use std::fmt;

/// How much is fused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fusion {
    /// Every statement is a cluster of its own.
    Off,
    /// Statements join the first cluster that can take them.
    Greedy,
    /// The partition with the least estimated cost that an integer program finds, beginning with
    /// the greedy one.
    Optimal,
}

impl fmt::Display for Fusion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Fusion::Off => "off",
            Fusion::Greedy => "greedy",
            Fusion::Optimal => "optimal",
        })
    }
}

impl Fusion {
    /// All, the least fused first.
    pub const ALL: [Fusion; 3] = [Fusion::Off, Fusion::Greedy, Fusion::Optimal];

    /// Partitions the graph of a block.
    fn partition(self, legal: &legal::Legal<'_, '_>, sizes: &cost::Sizes) -> graph::Partition {
        let partition = match self {
            Fusion::Off => greedy::apart(legal),
            Fusion::Greedy => greedy::partition(legal),
            Fusion::Optimal => optimal::partition(legal, sizes),
        };
        debug_assert_eq!(legal.check(greedy::group_of(&partition)), Ok(()), "{partition:?}");
        partition
    }
}

/// Makes the plan of a flat program.
pub fn fuse(program: &flat::Program, fusion: Fusion) -> plan::Program {
    host::program(program, fusion)
}
