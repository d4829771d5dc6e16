//! Last uses: a `Free` after the last step that uses a buffer made in the same block.
//!
//! Buffers that leave a block (yields) or come from outside are freed by whoever owns them.

use crate::ir::{Block, Buffer, Function, Step};
use std::collections::BTreeSet;

/// Adds `Free` steps to all blocks of a function.
pub fn free_dead_buffers(function: &mut Function) {
    free_in(&mut function.body);
}

fn free_in(block: &mut Block) {
    let made = |step: &Step| step.results().into_iter().filter_map(|p| p.buffer());
    let own: BTreeSet<Buffer> = block.steps.iter().flat_map(made).collect();
    // What was freed, or leaves the block.
    let mut done: BTreeSet<Buffer> = block.yields.iter().filter_map(|a| a.buffer()).collect();
    let mut out = Vec::new();
    for mut step in std::mem::take(&mut block.steps).into_iter().rev() {
        let mut here = step.buffers();
        here.extend(made(&step));
        if let Step::If { then, els, .. } = &mut step {
            free_in(then);
            free_in(els);
        }
        let dead = here.into_iter().rev().filter(|b| own.contains(b) && done.insert(*b));
        out.extend(dead.map(Step::Free));
        out.push(step);
    }
    out.reverse();
    block.steps = out;
}
