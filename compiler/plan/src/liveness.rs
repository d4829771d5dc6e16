//! Last uses: a `Free` after the last step that uses a buffer.
//!
//! A plan frees its parameters, too: a caller that goes on using a buffer holds it itself.  Where
//! the last use is a branch, the arms free, so that a call in one of them finds room:
//!
//! ```text
//! plan f0 f(n0: bool, b0: i64) {          plan f0 f(n0: bool, b0: i64) {
//!   b1: i64 = if n0 {                       b1: i64 = if n0 {
//!                                             b3: i64 = alias b0
//!                                             free b0
//!     yield b0                                yield b3
//!   } else {                       ==>      } else {
//!     b2: i64 = call f1(b0)                   b2: i64 = call f1(b0)
//!                                             free b0
//!     yield b2                                yield b2
//!   }                                       }
//!   yield b1                                yield b1
//! }                                       }
//! ```

use crate::ir::{Arg, Block, Buffer, BufferInfo, Function, Place, Step};
use base::IdMap;
use std::collections::BTreeSet;

/// Adds `Free` steps to all blocks of a function.
pub fn free_dead_buffers(function: &mut Function) {
    let params = function.params.iter().filter_map(|p| p.buffer()).collect();
    let mut ends = Ends { buffers: &mut function.buffers };
    ends.block(&mut function.body, params);
}

struct Ends<'a> {
    buffers: &'a mut IdMap<Buffer, BufferInfo>,
}

impl Ends<'_> {
    /// Frees what an arm makes, and these buffers from outside that are not used after it.  What it
    /// yields of these goes on under another name, so that both arms free the same.
    fn arm(&mut self, block: &mut Block, handed: BTreeSet<Buffer>) {
        for arg in &mut block.yields {
            if let Arg::Buffer(buffer) = arg
                && handed.contains(buffer)
            {
                let name = self.buffers.push(self.buffers[*buffer]);
                block.steps.push(Step::Alias(name, *buffer));
                *arg = Arg::Buffer(name);
            }
        }
        self.block(block, handed);
    }

    /// Frees what a block makes, and these buffers from outside, unless the block yields them.
    fn block(&mut self, block: &mut Block, handed: BTreeSet<Buffer>) {
        let own: BTreeSet<Buffer> =
            block.steps.iter().flat_map(made).chain(handed.iter().copied()).collect();
        // What was freed, or leaves the block.
        let mut done: BTreeSet<Buffer> = block.yields.iter().filter_map(|a| a.buffer()).collect();
        let mut out = Vec::new();
        for mut step in std::mem::take(&mut block.steps).into_iter().rev() {
            let mut end = |buffers: BTreeSet<Buffer>| -> BTreeSet<Buffer> {
                buffers.into_iter().filter(|b| own.contains(b) && done.insert(*b)).collect()
            };
            let (results, last) = (end(made(&step).collect()), end(step.buffers()));
            out.extend(results.into_iter().rev().map(Step::Free));
            if let Step::If { then, els, .. } = &mut step {
                self.arm(then, last.clone());
                self.arm(els, last);
            } else {
                out.extend(last.into_iter().rev().map(Step::Free));
            }
            out.push(step);
        }
        out.extend(handed.into_iter().filter(|b| !done.contains(b)).rev().map(Step::Free));
        out.reverse();
        block.steps = out;
    }
}

/// The buffers that a step makes.
fn made(step: &Step) -> impl Iterator<Item = Buffer> + use<> {
    step.results().into_iter().filter_map(Place::buffer)
}
