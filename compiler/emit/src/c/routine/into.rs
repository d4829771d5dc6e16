//! Vectors that a routine is given to write to: its results are made where they belong.
//!
//! The caller's vector goes through the routine under several names, as each write gives a new
//! vector.  All of them are its memory: what is copied before a write is not used any more, and
//! lanes write to places of their own.

use plan::{Arg, Block, Buffer, Function, Place, Program, Step};
use prim::Role;
use std::collections::BTreeSet;

/// All names of such vectors.
pub(super) fn names(plan: &Program, function: &Function) -> BTreeSet<Buffer> {
    let params = function.signature.iter().flat_map(|s| &s.params);
    let into = function.params.iter().zip(params).filter(|(_, c)| c.role == Role::Into);
    let mut found: BTreeSet<Buffer> = into.filter_map(|(place, _)| place.buffer()).collect();
    if !found.is_empty() {
        follow(plan, &function.body, &mut found);
    }
    found
}

fn follow(plan: &Program, block: &Block, found: &mut BTreeSet<Buffer>) {
    for step in &block.steps {
        match step {
            Step::Copy { buffer, from, .. } | Step::Alias(buffer, from) if found.contains(from) => {
                found.insert(*buffer);
            }
            Step::Call { results, func, .. } => {
                let root = plan::routines::serial_callee(plan, *func);
                let components = plan.funcs[root].signature.iter().flat_map(|s| &s.results);
                let into = results.iter().zip(components).filter(|(_, c)| c.role == Role::Into);
                found.extend(into.filter_map(|(place, _)| place.buffer()));
            }
            Step::If { results, then, els, .. } => {
                follow(plan, then, found);
                follow(plan, els, found);
                for (&place, &value) in results.iter().zip(&then.yields) {
                    if let (Place::Buffer(result), Arg::Buffer(buffer)) = (place, value)
                        && found.contains(&buffer)
                    {
                        found.insert(result);
                    }
                }
            }
            _ => {}
        }
    }
}
