//! Last uses: a `Free` after the last step that uses a buffer made in the same block.
//!
//! Buffers that leave a block (yields) or come from outside are freed by whoever owns them.

use crate::ir::{Arg, Block, Buffer, Function, Place, Step};
use std::collections::BTreeSet;

/// Adds `Free` steps to all blocks of a function.
pub fn free_dead_buffers(function: &mut Function) {
    free_in(&mut function.body, &BTreeSet::new());
}

/// `kept` holds buffers that are used after this block.
fn free_in(block: &mut Block, kept: &BTreeSet<Buffer>) {
    let made: BTreeSet<Buffer> = block.steps.iter().flat_map(made_by).collect();
    let mut live: BTreeSet<Buffer> = kept.clone();
    live.extend(block.yields.iter().filter_map(buffer_of));
    let mut out = Vec::new();
    for mut step in std::mem::take(&mut block.steps).into_iter().rev() {
        let mut used = BTreeSet::new();
        uses(&step, &mut used);
        if let Step::If { then, els, .. } = &mut step {
            free_in(then, &live);
            free_in(els, &live);
        }
        let dead: Vec<Buffer> = used
            .iter()
            .chain(&made_by(&step))
            .filter(|b| made.contains(b) && !live.contains(b))
            .copied()
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect();
        out.extend(dead.into_iter().map(Step::Free));
        out.push(step);
        live.extend(used);
    }
    out.reverse();
    block.steps = out;
}

fn buffer_of(arg: &Arg) -> Option<Buffer> {
    match arg {
        Arg::Buffer(b) => Some(*b),
        Arg::Slot(_) | Arg::Const(_) => None,
    }
}

fn made_by(step: &Step) -> Vec<Buffer> {
    match step {
        Step::Alloc { buffer, .. }
        | Step::Literal(buffer, _)
        | Step::Alias(buffer, _)
        | Step::Copy { buffer, .. }
        | Step::Zero { buffer, .. } => vec![*buffer],
        Step::If { results, .. } | Step::Call { results, .. } => results
            .iter()
            .filter_map(|p| match p {
                Place::Buffer(b) => Some(*b),
                Place::Slot(_) => None,
            })
            .collect(),
        Step::Eval { .. } | Step::Launch { .. } | Step::Fail { .. } | Step::Free(_) => Vec::new(),
    }
}

fn uses(step: &Step, out: &mut BTreeSet<Buffer>) {
    match step {
        Step::Alias(_, from) | Step::Copy { from, .. } => {
            out.insert(*from);
        }
        Step::Eval { code, .. } => out.extend(code.refs().vectors.iter().filter_map(|p| match p {
            Place::Buffer(b) => Some(*b),
            Place::Slot(_) => None,
        })),
        Step::Launch { args, .. } | Step::Call { args, .. } => {
            out.extend(args.iter().filter_map(buffer_of));
        }
        Step::If { then, els, .. } => {
            for arm in [then, els] {
                arm.steps.iter().for_each(|s| uses(s, out));
                out.extend(arm.yields.iter().filter_map(buffer_of));
            }
        }
        Step::Fail { chars, .. } => {
            out.insert(*chars);
        }
        Step::Alloc { .. } | Step::Literal(..) | Step::Zero { .. } | Step::Free(_) => {}
    }
}
