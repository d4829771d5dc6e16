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

mod cursor;
mod cut;
mod gather;
mod level;
mod nodes;
mod order;
mod overwrite;
mod scheduler;
mod split;
mod tiles;

#[cfg(test)]
mod tests;

pub use overwrite::overwrite;

use base::{Id, IdMap};
use kernel::{Kernel, KernelId, Program};
use plan::ClusterId;

/// Makes the kernels of a plan, one for each cluster, in the same order, and serial forms of those
/// that routines launch.
pub fn schedule(plan: &plan::Program) -> Program {
    let mut kernels: IdMap<KernelId, Kernel> =
        plan.clusters.values().map(scheduler::kernel).collect();
    let id = |cluster: ClusterId| KernelId::new(cluster.index());
    for (over, pair) in plan::over::overwrites(plan) {
        overwrite::mark(&mut kernels[id(pair.cluster)], over, pair);
    }
    let form = |cluster| (id(cluster), scheduler::serial_form(&plan.clusters[cluster]));
    let serial = plan::routines::serial_clusters(plan).into_iter().map(form).collect();
    Program { kernels, serial, scalars: plan.scalars.clone() }
}
