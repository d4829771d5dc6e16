//! What a GPU does with the thread form of kernels, on the host, with open eyes.
//!
//! A tile is run by a block of threads, each with variables of its own.  A thread runs until it
//! comes to a collective (`thread.rs`); when all have, the collective happens and they go on
//! (`block.rs`).  What lies between two collectives is an *epoch*.  Several blocks are under way at
//! once, and a chain waits for the tiles before (`launch.rs`).  A machine leaves open which thread
//! and which block is first, so the seed chooses, and it chooses badly: backward, later tiles
//! first, warps in turns (`order.rs`).  Results must not depend on it.
//!
//! What a machine does not tell is reported as *wrong*, whatever the seed (`memory.rs`):
//!
//! * Races: two threads of a block use one element of a shared array or a buffer in one epoch, and
//!   one of them writes.  To a buffer that may be written more than once (`inout`) they may write
//!   equal values; of unequal ones the element is worth nothing, and must not be read afterwards.
//! * Tiles that use an element that another tile writes, in any order.
//! * Reads of what was not written: shared and private arrays are empty when a tile starts.  Reads
//!   and writes outside an array or buffer.
//! * Faults of which nobody would know where: in an iteration that has told no positions.
//! * Threads of a block that do not come to the same collective.  A chain or a share of a partial
//!   for which threads have different values.
//!
//! # The first failure
//!
//! A thread stops at its first fault or broken rule, a tile at the end of that epoch, and tiles
//! after it are given up.  What is reported is the first in the order of a serial machine: by tile,
//! by epoch, by statement of the epoch in the order of the text, by lane of the loop that is this
//! statement.  The lane of a thread is `k * threads + rank` in its k-th iteration.

mod block;
mod launch;
mod memory;
mod order;
mod report;
mod scalar;
mod thread;
mod trace;

use crate::eval::{Argument, Evaluator, Failure, Piece};
use crate::ir::{ArgKind, Body, Kernel, KernelId, Program, Tiles};
use launch::Launch;
use order::Order;
use prim::Const;

/// Runs kernels of a verified program by blocks of threads; those in the tile form and sorts as
/// the [`Evaluator`] does.
#[derive(Clone, Copy, Debug)]
pub struct Simulator<'a> {
    program: &'a Program,
    grain: Option<u32>,
    units: usize,
    blocks: usize,
    seed: u64,
}

impl<'a> Simulator<'a> {
    /// Tiles as the kernels ask for; one owner, three blocks, everything in order.
    pub fn new(program: &'a Program) -> Self {
        Simulator { program, grain: None, units: 1, blocks: 3, seed: 0 }
    }
    /// Tiles of at most this grain, and this many owners.
    #[must_use]
    pub fn cut(self, grain: u32, units: usize) -> Self {
        Simulator { grain: Some(grain), units, ..self }
    }
    /// So many blocks at once.
    #[must_use]
    pub fn blocks(self, blocks: usize) -> Self {
        Simulator { blocks: blocks.max(1), ..self }
    }
    /// The order in which threads and blocks go on.
    #[must_use]
    pub fn seed(self, seed: u64) -> Self {
        Simulator { seed, ..self }
    }

    /// Runs a kernel; arrays of its own are not among the arguments.
    pub fn launch(&self, id: KernelId, args: &[Argument]) -> Result<(), Failure> {
        let kernel = &self.program.kernels[id];
        let Body::Tiles { threads: Some(threads), tiles, .. } = &kernel.body else {
            return self.evaluator(self.grain).launch(id, args);
        };
        let args = with_own(kernel, args);
        // A block has room for the tile that the kernel asks for, and not for more.
        let most = match tiles {
            Tiles::Even { grain, .. }
            | Tiles::Balanced { grain, .. }
            | Tiles::Cut { grain, .. } => Some(*grain),
            Tiles::Once | Tiles::Whole { .. } | Tiles::Owners { .. } => None,
        };
        let grain = self.grain.zip(most).map(|(grain, most)| grain.min(most));
        let pieces: Vec<Piece> = self.evaluator(grain).pieces(kernel, &args);
        let order = Order::new(self.seed);
        Launch::new(self.program, id, *threads, &args, pieces, order).run(self.blocks)
    }

    fn evaluator(&self, grain: Option<u32>) -> Evaluator<'a> {
        Evaluator::new(self.program).with(grain, self.units)
    }
}

/// What is handed over, and stand-ins for the arrays of the kernel.
fn with_own(kernel: &Kernel, args: &[Argument]) -> Vec<Argument> {
    let mut args = args.iter().cloned();
    let all: Vec<Argument> = kernel
        .args
        .iter()
        .map(|(arg, info)| match info.kind {
            ArgKind::Shared(_) | ArgKind::Private(_) => Argument::Scalar(Const::I64(0)),
            ArgKind::Scalar | ArgKind::In | ArgKind::Out | ArgKind::Over(_) | ArgKind::InOut => {
                args.next().unwrap_or_else(|| panic!("{arg} of {} is not given", kernel.name))
            }
        })
        .collect();
    assert!(args.next().is_none(), "too many arguments of {}", kernel.name);
    all
}
