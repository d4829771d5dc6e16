//! Calls that are the last thing a plan does.
//!
//! What such a call gives is what the plan gives, in the same order, so that whoever runs the plan
//! can go on with the call in its place: recursion of this kind is a loop, and needs no stack.

use crate::ir::{Arg, Block, Place, Step};

impl Block {
    /// Whether step `n` gives all that the block gives, and is followed by frees alone.
    pub fn ends_with(&self, n: usize) -> bool {
        let frees = self.steps[n + 1..].iter().all(|step| matches!(step, Step::Free(_)));
        frees && self.yields.iter().map(|&arg| place(arg)).eq(results(&self.steps[n]))
    }
}

fn place(arg: Arg) -> Option<Place> {
    match arg {
        Arg::Slot(slot) => Some(Place::Slot(slot)),
        Arg::Buffer(buffer) => Some(Place::Buffer(buffer)),
        Arg::Past(..) | Arg::Const(_) => None,
    }
}

fn results(step: &Step) -> impl Iterator<Item = Option<Place>> {
    let results = match step {
        Step::If { results, .. } | Step::Call { results, .. } => results.as_slice(),
        _ => &[],
    };
    results.iter().map(|&place| Some(place))
}
