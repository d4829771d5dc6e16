//! Road **fuse**: flat to plan.
//!
//! Each block of a flat function is a dependence graph ([`graph`]).  A partition of the graph
//! ([`greedy`]; an integer program can take its place, the interface is [`graph::Graph`] in and
//! [`graph::Partition`] out) says which statements run as one cluster; [`cluster`] makes the
//! clusters, [`host`] the steps around them.
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

mod cluster;
mod graph;
mod greedy;
mod host;
mod scatter;

#[cfg(test)]
mod tests;

/// How much is fused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fusion {
    /// Every statement is a cluster of its own.
    Off,
    /// Statements join the first cluster that can take them.
    Greedy,
}

/// Makes the plan of a flat program.
pub fn fuse(program: &flat::Program, fusion: Fusion) -> plan::Program {
    host::program(program, fusion)
}
