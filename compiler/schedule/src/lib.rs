//! Road **schedule**: plan to kernel.
//!
//! Each cluster becomes one kernel.  Its outer space is cut into tiles; the spaces below become
//! loops inside the tile; maps have no place of their own but are *pulled*: computed in the level
//! of their space when something in that level or below it needs them.
//!
//! # Nomenclature
//!
//! * A **level** is one open loop: the lanes of a space, one of which is being run.
//! * An **item** is a node that must happen: one that pushes, combines or can fail.
//! * Segments that are **cut** belong to several tiles.
//! * A **cursor** counts through all lanes of a space in order: where a filter stores next, the
//!   running sum of offsets.  Its value at the start of a tile comes from the tiles before (chain).

mod beside;
mod cursor;
mod cut;
mod early;
mod facts;
mod first;
mod flat;
mod gather;
mod hoist;
mod last;
mod level;
mod nodes;
mod numbers;
mod order;
mod overwrite;
mod part;
mod parts;
mod scheduler;
mod share;
mod split;
mod target;
mod threads;
mod through;
mod tiles;
mod totals;

#[cfg(test)]
mod tests;

pub use beside::beside;
pub use early::early;
pub use first::first;
pub use last::last;
pub use numbers::numbers;
pub use overwrite::overwrite;
pub use part::part;
pub use share::share;
pub use target::{Block, Target};
pub use totals::totals;

use base::{Id, IdMap};
use kernel::{Kernel, KernelId, Program};
use plan::ClusterId;

/// A pass over a plan, for a kind of machine.
pub type Pass = fn(&mut plan::Program, &Target);

/// What makes a plan one that suits a machine, in order.
pub const PASSES: [(&str, Pass); 9] = [
    ("last", last),
    ("first", first),
    ("beside", beside),
    ("part", part),
    ("totals", totals),
    // Launches and totals stand.
    ("early", early),
    // In the order in which steps then are.
    ("overwrite", overwrite),
    ("share", share),
    // Clusters stand.
    ("numbers", numbers),
];

/// All these passes.
pub fn arrange(program: &mut plan::Program, target: &Target) {
    PASSES.iter().for_each(|(_, pass)| pass(program, target));
}

/// Makes the kernels of a plan, one for each cluster, in the same order, and for CPUs serial forms
/// of those that routines launch.
pub fn schedule(plan: &plan::Program, target: &Target) -> Program {
    let mut program = in_tiles(plan, target);
    if let Some(block) = target.block {
        for (_, kernel) in program.kernels.iter_mut() {
            *kernel = threads::by_threads(kernel, block, program.widths);
        }
    }
    program
}

/// The tile form of all kernels.
fn in_tiles(plan: &plan::Program, target: &Target) -> Program {
    // From call to call there is less to do.
    let deep = plan::routines::recursive_clusters(plan);
    let mut kernels: IdMap<KernelId, Kernel> = plan
        .clusters
        .iter()
        .map(|(id, cluster)| {
            let target = if deep.contains(&id) { &target.deep() } else { target };
            scheduler::kernel(cluster, target, plan.widths)
        })
        .collect();
    let id = |cluster: ClusterId| KernelId::new(cluster.index());
    for (over, pair) in plan::over::overwrites(plan) {
        overwrite::mark(&mut kernels[id(pair.cluster)], over, pair);
    }
    let form =
        |cluster| (id(cluster), scheduler::serial_form(&plan.clusters[cluster], plan.widths));
    let routines = target.block.is_none().then(|| plan::routines::serial_clusters(plan));
    let serial = routines.into_iter().flatten().map(form).collect();
    Program { widths: plan.widths, kernels, serial, scalars: plan.scalars.clone() }
}
