//! Pass **totals**: a total that the host reads at the end of offsets is set by the launch.
//!
//! ```text
//! launch c0(b0, n0, b1)                       launch c0(b0, n0, b1, set n1)
//! n1 = eval \{ x0 = read b1 n0; yield x0 }    n1' = eval \{ yield n1 }
//! ```
//!
//! What a launch sets comes to the host by itself; an element of a GPU's memory has to be fetched.

use crate::target::Target;
use base::{Id, IdMap};
use plan::{
    Arg, Block, Buffer, Cluster, Function, Node, NodeOp, Operand, Param, ParamKind, Place, Program,
    Ref, RefInfo, RefKind, Slot, Space, SpaceInfo, Step,
};
use prim::Ty;
use rustc_hash::FxHashMap;
use scalar::Atom;

/// Elements that the host reads, by buffer and index, and the scalars that launches set instead.
type Totals = FxHashMap<(Buffer, Index), Slot>;

/// An index known to the host.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Index {
    Slot(Slot),
    Const(i64),
}

/// Lets launches set the totals that the host reads, as far as the target needs it.
pub fn totals(program: &mut Program, target: &Target) {
    if target.block.is_none() {
        return;
    }
    let Program { funcs, clusters, .. } = program;
    for (_, function) in funcs.iter_mut() {
        let mut read = Read::default();
        note_reads(&function.body, &mut read);
        let mut set = Totals::default();
        let Function { body, slots, .. } = function;
        add_sets(body, &read, clusters, slots, &mut set);
        replace_reads(body, &set);
    }
}

/// What the host does with buffers.
#[derive(Default)]
struct Read {
    /// Elements that it reads at an index known before.
    elements: Vec<(Buffer, Index)>,
    /// What becomes of a buffer that it trims.
    trimmed: FxHashMap<Buffer, Buffer>,
}

/// Finds out what the host reads.
fn note_reads(block: &Block, read: &mut Read) {
    for step in &block.steps {
        match step {
            Step::Eval { code, .. } => {
                drop(code.replace_reads(|_, vector, at| {
                    read.elements.extend(element(vector, at));
                    None
                }));
            }
            Step::Copy { buffer, from, .. } => {
                read.trimmed.insert(*from, *buffer);
            }
            Step::If { then, els, .. } => {
                note_reads(then, read);
                note_reads(els, read);
            }
            _ => {}
        }
    }
}

fn element(vector: Place, at: Atom<Place>) -> Option<(Buffer, Index)> {
    let index = match at {
        Atom::Outer(Place::Slot(slot), _) => Index::Slot(slot),
        Atom::Const(c) => Index::Const(c.int()),
        _ => return None,
    };
    Some((vector.buffer()?, index))
}

/// Adds a scalar to each launch that makes offsets whose last element is read.
fn add_sets(
    block: &mut Block,
    read: &Read,
    clusters: &mut IdMap<plan::ClusterId, Cluster>,
    slots: &mut IdMap<Slot, Ty>,
    set: &mut Totals,
) {
    for step in &mut block.steps {
        match step {
            Step::Launch { cluster, args, .. } => {
                let cluster = &mut clusters[*cluster];
                for n in 0..cluster.nodes.len() {
                    let Some((push, end)) = offsets(cluster, n) else { continue };
                    let arg = |name: Ref| {
                        let place = cluster.params.iter().position(|p| p.name == name);
                        place.map(|place| args[place])
                    };
                    let index = match end {
                        Atom::Const(c) => Some(Index::Const(c.int())),
                        Atom::Outer(name, _) => match arg(name) {
                            Some(Arg::Slot(slot)) => Some(Index::Slot(slot)),
                            Some(Arg::Const(c)) => Some(Index::Const(c.int())),
                            _ => None,
                        },
                        Atom::Var(_) => None,
                    };
                    let buffer = arg(push).and_then(Arg::buffer);
                    let buffer = buffer.map(|b| read.trimmed.get(&b).copied().unwrap_or(b));
                    let total = buffer.zip(index).filter(|total| read.elements.contains(total));
                    let Some(total) = total else { continue };
                    let slot = slots.push(Ty::I64);
                    add_total(cluster, n);
                    args.push(Arg::Slot(slot));
                    set.insert(total, slot);
                }
            }
            Step::If { then, els, .. } => {
                add_sets(then, read, clusters, slots, set);
                add_sets(els, read, clusters, slots, set);
            }
            _ => {}
        }
    }
}

/// How many lanes a space has; for one that a filter keeps, what it sets.
fn count(cluster: &Cluster, space: Space) -> Option<Operand> {
    let SpaceInfo { from, lanes, .. } = cluster.spaces[space];
    if from.is_none() {
        return Some(lanes);
    }
    let keeps = |n: &&Node| n.op == NodeOp::Filter { kept: space };
    let count = cluster.nodes.iter().find(keeps)?.pushes.get(1).copied().flatten()?;
    Some(Atom::Outer(count, Ty::I64))
}

/// The parameter that a node's offsets are pushed to, and the index of the last.
fn offsets(cluster: &Cluster, n: usize) -> Option<(Ref, Operand)> {
    let node = &cluster.nodes[n];
    match node.op {
        NodeOp::Offsets if node.pushes.len() == 1 => {
            Some((node.pushes[0]?, count(cluster, node.space)?))
        }
        NodeOp::Filter { .. } if node.pushes.len() == 2 => {
            let parent = cluster.parent(node.space)?;
            cluster.parent(parent)?;
            Some((node.pushes[1]?, cluster.spaces[parent].lanes))
        }
        _ => None,
    }
}

/// Adds a parameter that is set to the total of a node's offsets.
fn add_total(cluster: &mut Cluster, n: usize) {
    let root: Space = Id::new(0);
    let result = cluster.refs.push(RefInfo { ty: Ty::I64, kind: RefKind::Local(root) });
    let name = cluster.refs.push(RefInfo { ty: Ty::I64, kind: RefKind::Param });
    cluster.params.push(Param { name, kind: ParamKind::Set });
    let node = &mut cluster.nodes[n];
    node.results.push(result);
    node.pushes.push(Some(name));
}

fn replace_reads(block: &mut Block, set: &Totals) {
    for step in &mut block.steps {
        match step {
            Step::Eval { code, .. } => {
                *code = code.replace_reads(|_, vector, at| {
                    let slot = set.get(&element(vector, at)?)?;
                    Some(Atom::Outer(Place::Slot(*slot), Ty::I64))
                });
            }
            Step::If { then, els, .. } => {
                replace_reads(then, set);
                replace_reads(els, set);
            }
            _ => {}
        }
    }
}
