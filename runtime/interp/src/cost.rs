//! Work and depth: LANGUAGE section 15.
//!
//! Every expression adds 1 to both, and what its kind adds beyond that.  Depth is a clock: parts
//! evaluated one after the other move it forward, and the lanes of an apply-to-each all start at
//! the same time and end with the latest ([`Lanes`]).

use prim::{Bulk, Meaning, StreamOp};
use value::Value;

/// What an evaluation cost.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Cost {
    /// Operations in all.
    pub work: u64,
    /// The longest chain of dependent steps.
    pub depth: u64,
}

impl Cost {
    /// One operation.
    pub fn step(&mut self) {
        self.add(1, 1);
    }

    /// So much more of both.
    pub fn add(&mut self, work: u64, depth: u64) {
        self.work = self.work.saturating_add(work);
        self.depth = self.depth.saturating_add(depth);
    }
}

/// The clock while lanes run side by side.
pub struct Lanes {
    start: u64,
    latest: u64,
}

impl Lanes {
    /// All lanes start now.
    pub fn start(cost: &Cost) -> Lanes {
        Lanes { start: cost.depth, latest: cost.depth }
    }

    /// A lane has ended; the clock goes back for the next one.
    pub fn end_lane(&mut self, cost: &mut Cost) {
        self.latest = self.latest.max(cost.depth);
        cost.depth = self.start;
    }

    /// All lanes have ended.
    pub fn join(self, cost: &mut Cost) {
        cost.depth = self.latest;
    }
}

/// Work and depth of a primitive by LIBRARY, given its operands and result.
pub fn of_primitive(meaning: Meaning, operands: &[Value], result: &Value) -> (u64, u64) {
    let length = |i: usize| operands[i].seq().len() as u64;
    match meaning {
        Meaning::Bulk(bulk) => match bulk {
            Bulk::Length | Bulk::Slice => (1, 1),
            Bulk::Element => (1 + result.size(), 1),
            Bulk::Index => (1 + result.size(), 1),
            Bulk::Which | Bulk::Scan(_) | Bulk::Reduce(_) => (1 + length(0), 1),
            Bulk::Partition => (1 + length(1), 1),
            Bulk::Write => (length(1) + result.size(), 1),
            Bulk::Flatten | Bulk::Append | Bulk::Permute => (result.size(), 1),
            Bulk::Rank | Bulk::RankDown | Bulk::Sort => {
                let n = length(0);
                let log = u64::from(n.max(1).ilog2()) + 1;
                (1 + n * log, log)
            }
        },
        Meaning::Equal | Meaning::Unequal => {
            (operands[0].size().saturating_add(operands[1].size()), 1)
        }
        Meaning::HashBits => (operands[0].size(), 1),
        Meaning::Text => (result.size(), 1),
        Meaning::PrintString
        | Meaning::PrintDebug
        | Meaning::Error
        | Meaning::FileFailed
        | Meaning::Stream(StreamOp::Open | StreamOp::Close | StreamOp::Write) => {
            (operands[0].size(), 1)
        }
        Meaning::ObjectText | Meaning::ObjectValue | Meaning::Stream(StreamOp::Read) => {
            (result.size(), 1)
        }
        Meaning::Scalar(_)
        | Meaning::Const(_)
        | Meaning::Require(_)
        | Meaning::Select
        | Meaning::Identity
        | Meaning::Convert
        | Meaning::RandomBits
        | Meaning::Seed
        | Meaning::Time
        | Meaning::IsFloat => (1, 1),
    }
}

/// Work that an operation will have cost at least: as much as lengths tell before it is done.
pub(crate) fn least_work(bulk: Bulk, operands: &[Value]) -> u64 {
    let length = |i: usize| operands[i].seq().len() as u64;
    match bulk {
        Bulk::Length | Bulk::Slice | Bulk::Element => 1,
        Bulk::Index => u64::try_from(operands[0].int()).unwrap_or(0),
        Bulk::Which
        | Bulk::Scan(_)
        | Bulk::Reduce(_)
        | Bulk::Permute
        | Bulk::Rank
        | Bulk::RankDown
        | Bulk::Sort => length(0),
        Bulk::Partition => length(1),
        Bulk::Write | Bulk::Append => length(0) + length(1),
        Bulk::Flatten => operands[0].seq().iter().map(|row| row.seq().len() as u64).sum(),
    }
}
