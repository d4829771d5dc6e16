//! Routines: recursive functions whose lanes may run one by one, each by one unit of the machine.
//!
//! A recursive function called in lanes runs once for all lanes of a depth, which is right while
//! lanes are few and long.  Near the leaves they are many and short.  There the function of the
//! root does the same work in one go for a lane, without another launch; so a machine may choose at
//! each call.  See decision 6.

use crate::ir::{Block, Cluster, ClusterId, Func, Function, Lanes, NodeOp, Place, Program, Step};
use base::Id;
use prim::{Component, Role};
use std::collections::BTreeSet;

/// Keeps those of the candidates that a machine can run lane by lane: all that the function of the
/// root calls or launches must have a form for one unit.
pub fn choose(program: &mut Program, candidates: Vec<Lanes>) {
    let mut kept = candidates;
    loop {
        let before = kept.len();
        let possible = |lanes: &Lanes| {
            let within = reach(program, [lanes.root], &kept);
            within.iter().all(|&f| is_serial(program, f, &kept)) && fits(program, *lanes)
        };
        let next: Vec<Lanes> = kept.iter().copied().filter(possible).collect();
        kept = next;
        if kept.len() == before {
            break;
        }
    }
    program.routines = kept.into_iter().collect();
}

/// The functions that run inside lanes, in order.
pub fn serial_functions(program: &Program) -> Vec<Func> {
    let all: Vec<Lanes> = program.routines.values().copied().collect();
    reach(program, all.iter().map(|lanes| lanes.root), &all).into_iter().collect()
}

/// The clusters that functions which run inside lanes launch, in order.
pub fn serial_clusters(program: &Program) -> BTreeSet<ClusterId> {
    clusters(program, serial_functions(program))
}

/// The clusters that the host can come to launch.
pub fn host_clusters(program: &Program) -> BTreeSet<ClusterId> {
    clusters(program, reach(program, program.entries.iter().copied(), &[]))
}

/// The clusters of functions that call themselves, directly or not.
pub fn recursive_clusters(program: &Program) -> BTreeSet<ClusterId> {
    let calls_itself = |func: &Func| {
        let mut called = Vec::new();
        walk(&program.funcs[*func].body, &mut |step| {
            if let Step::Call { func, .. } = step {
                called.push(*func);
            }
        });
        reach(program, called, &[]).contains(func)
    };
    clusters(program, program.funcs.ids().filter(calls_itself))
}

/// The function that a call inside a lane runs: that of the root, once for each lane of the call.
pub fn serial_callee(program: &Program, callee: Func) -> Func {
    let lanes = program.routines.values().find(|lanes| lanes.lifted == callee);
    lanes.map_or(callee, |lanes| lanes.root)
}

/// For each parameter of the function of the root, whether it has an element for each lane.
pub fn per_lane(program: &Program, lanes: Lanes) -> Vec<bool> {
    let (lifted, root) = (&program.funcs[lanes.lifted], &program.funcs[lanes.root]);
    let differs = |(a, b): (&Place, &Place)| matches!((a, b), (Place::Buffer(_), Place::Slot(_)));
    lifted.params[1..].iter().zip(&root.params).map(differs).collect()
}

/// If a unit may leave calls of these lanes to another, the parameters of the function of the
/// root that tell how long the sequences of a lane are.  Their results must be where they belong:
/// nothing of such a call is left in the memory of whoever ran it.
pub fn offered(program: &Program, lanes: Lanes) -> Option<Vec<usize>> {
    let signature = program.funcs[lanes.root].signature.as_ref()?;
    let placed = signature.results.iter().all(|c| c.role == Role::Into);
    let each = per_lane(program, lanes);
    let is_length = |(n, c): (usize, &Component)| {
        (matches!(c.role, Role::Len(_)) && c.level == 0 && each[n]).then_some(n)
    };
    let lens: Vec<usize> = signature.params.iter().enumerate().filter_map(is_length).collect();
    (placed && !lens.is_empty()).then_some(lens)
}

/// What can run if `roots` do; calls of a lifted function stand for calls of its root.
fn reach(
    program: &Program,
    roots: impl IntoIterator<Item = Func>,
    lanes: &[Lanes],
) -> BTreeSet<Func> {
    let mut open: Vec<Func> = roots.into_iter().collect();
    let mut found = BTreeSet::new();
    while let Some(func) = open.pop() {
        if found.insert(func) {
            walk(&program.funcs[func].body, &mut |step| {
                if let Step::Call { func, .. } = step {
                    let root = lanes.iter().find(|l| l.lifted == *func).map(|l| l.root);
                    open.push(root.unwrap_or(*func));
                }
            });
        }
    }
    found
}

fn clusters(program: &Program, funcs: impl IntoIterator<Item = Func>) -> BTreeSet<ClusterId> {
    let mut found = BTreeSet::new();
    for func in funcs {
        walk(&program.funcs[func].body, &mut |step| {
            if let Step::Launch { cluster, .. } = step {
                found.insert(*cluster);
            }
        });
    }
    found
}

/// Whether a function can run inside a lane.
fn is_serial(program: &Program, func: Func, lanes: &[Lanes]) -> bool {
    let function: &Function = &program.funcs[func];
    let mut serial = function.signature.is_some() && !lanes.iter().any(|l| l.lifted == func);
    walk(&function.body, &mut |step| match step {
        Step::Fail { .. } | Step::Behind { .. } | Step::Grow { .. } => serial = false,
        Step::Launch { cluster, .. } => serial &= !sorts(&program.clusters[*cluster]),
        _ => {}
    });
    serial
}

/// Sorting is done by the whole machine.
fn sorts(cluster: &Cluster) -> bool {
    cluster.nodes.iter().any(|node| matches!(node.op, NodeOp::Sort(_)))
}

/// Whether the two functions take and give the same, but for what the function of all lanes takes
/// behind that.
pub(crate) fn fits(program: &Program, lanes: Lanes) -> bool {
    let (lifted, root) = (program.funcs.get(lanes.lifted), program.funcs.get(lanes.root));
    let (Some(lifted), Some(root)) = (lifted, root) else { return false };
    let Some(signature) = &root.signature else { return false };
    lifted.params.len() > root.params.len()
        && lifted.body.yields.len() == root.body.yields.len()
        && lifted.body.yields.iter().all(|y| matches!(y, crate::Arg::Buffer(_)))
        && signature.params.len() == root.params.len()
        && signature.results.len() == root.body.yields.len()
}

/// Calls `visit` with every step.
pub fn walk(block: &Block, visit: &mut dyn FnMut(&Step)) {
    for step in &block.steps {
        visit(step);
        if let Step::If { then, els, .. } = step {
            walk(then, visit);
            walk(els, visit);
        }
    }
}

/// The kernels of a routine: one runs lanes and leaves their results where they were made, the
/// other brings the results together.  They come after those of all clusters.
pub fn kernels(program: &Program, routine: crate::Routine) -> [usize; 2] {
    let first = program.clusters.len() + 2 * routine.index();
    [first, first + 1]
}
