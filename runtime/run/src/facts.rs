//! What the machine knows of a plan before it runs: found once, as a call may take microseconds.

use plan::descent::{Descent, descents};
use plan::moves::Move;
use plan::touched::Lanes;
use plan::{Func, Program, Routine};
use rustc_hash::{FxHashMap, FxHashSet};

/// What is known of a plan.
pub struct Facts {
    /// The routines of lifted functions that may run lane by lane.
    pub(crate) routines: FxHashMap<Func, Routine>,
    /// The routines whose calls units leave to others, by the function of the root; with the
    /// parameters that tell how long the sequences of a lane are.
    pub(crate) offered: FxHashMap<Func, (Routine, Vec<usize>)>,
    /// Those of them whose partitions units share, too.
    pub(crate) parted: FxHashSet<Func>,
    /// The parameters of their roots with sequences that lanes may overwrite.
    pub(crate) overwritten: FxHashMap<Routine, usize>,
    /// What the device may run to its end by itself, and the number it has there.
    pub(crate) descents: FxHashMap<Func, (usize, Descent)>,
    /// What each cluster copies, if it does nothing else.
    pub(crate) moves: Vec<Option<Vec<Move>>>,
    /// What the lanes of each cluster touch.
    pub(crate) weights: Vec<Vec<(Lanes, u64)>>,
}

impl Facts {
    /// Those of a program.
    pub fn of(program: &Program) -> Facts {
        let descents = descents(program).into_iter().enumerate();
        let offered = program.routines.iter().filter_map(|(id, &lanes)| {
            let lens = plan::routines::offered(program, lanes)?;
            Some((lanes.root, (id, lens)))
        });
        let offered: FxHashMap<_, _> = offered.collect();
        let parted = |func: &&Func| plan::pieces::pieces(program, **func).is_some();
        let overwritten = program.routines.iter().filter_map(|(id, lanes)| {
            let [_, _, pool] = plan::home::sequence(program, *lanes)?;
            Some((id, pool))
        });
        Facts {
            overwritten: overwritten.collect(),
            parted: offered.keys().filter(parted).copied().collect(),
            offered,
            routines: program.routines.iter().map(|(id, lanes)| (lanes.lifted, id)).collect(),
            descents: descents.map(|(n, descent)| (descent.func, (n, descent))).collect(),
            moves: program.clusters.values().map(plan::Cluster::moves).collect(),
            weights: program.clusters.values().map(plan::touched::weights).collect(),
        }
    }
}
