//! Pass **totals**: a total that the host reads at the end of offsets is set by the launch.
//!
//! ```text
//! launch c0(b0, n0, b1)                       launch c0(b0, n0, b1, set n1)
//! n1 = eval \{ x0 = read b1 n0; yield x0 }    n1' = eval \{ yield n1 }
//! ```
//!
//! What a launch sets comes to the host by itself; an element of a GPU's memory has to be fetched.
//! A function of lanes that reads the end of offsets it is given is given that, too.

use crate::target::Target;
use base::{Id, IdMap};
use plan::{
    Arg, Block, Buffer, Cluster, Func, Function, Node, NodeOp, Operand, Param, ParamKind, Place,
    Program, Ref, RefInfo, RefKind, Slot, Space, SpaceInfo, Step,
};
use prim::Ty;
use rustc_hash::FxHashMap;
use scalar::{Atom, Builder};

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
    let given: Given =
        program.funcs.ids().filter_map(|id| Some((id, given(program, id)?))).collect();
    let Program { funcs, clusters, .. } = program;
    for (id, function) in funcs.iter_mut() {
        let mut read = Read { same: equal_slots(&function.body), ..Read::default() };
        note_reads(&function.body, &given, &mut read);
        let mut set = Totals::default();
        for &place in given.get(&id).into_iter().flatten() {
            let slot = function.slots.push(Ty::I64);
            function.params.push(Place::Slot(slot));
            set.extend(end(&function.params, place, &read.same).map(|end| (end, slot)));
        }
        let Function { body, slots, .. } = function;
        add_sets(body, &read, clusters, slots, &mut set);
        replace_reads(body, &read.same, &set);
        hand_over(body, &given, slots, &read.same, &set);
    }
}

/// For functions of lanes that read the ends of offsets which they are given: the places of these
/// among the parameters.
type Given = FxHashMap<Func, Vec<usize>>;

/// The end of offsets of all lanes, as those call it who have these parameters or arguments, of
/// which the first is the number of lanes.
fn end<A: Copy + Into<Arg>>(all: &[A], place: usize, same: &Same) -> Option<(Buffer, Index)> {
    Some((all[place].into().buffer()?, index_of(all[0].into(), same)?))
}

/// Such parameters of a function: behind what the function of the root takes, too.  A block that
/// runs lanes on its own has only what there is for each, and is told nothing more.
fn given(program: &Program, id: Func) -> Option<Vec<usize>> {
    let lanes = program.routines.values().find(|lanes| lanes.lifted == id)?;
    let descends = || plan::descent::descents(program).iter().any(|descent| descent.func == id);
    if program.entries.contains(&id) || descends() {
        return None;
    }
    let function = &program.funcs[id];
    let mut read = Read::default();
    note_reads(&function.body, &Given::default(), &mut read);
    let more = program.funcs[lanes.root].params.len() + 1..function.params.len();
    let is_read = |&place: &usize| {
        end(&function.params, place, &read.same).is_some_and(|end| read.elements.contains(&end))
    };
    let found: Vec<usize> = more.filter(is_read).collect();
    (!found.is_empty()).then_some(found)
}

/// Gives calls what the callees ask for.
fn hand_over(
    block: &mut Block,
    given: &Given,
    slots: &mut IdMap<Slot, Ty>,
    same: &Same,
    set: &Totals,
) {
    let mut steps = Vec::new();
    for mut step in std::mem::take(&mut block.steps) {
        match &mut step {
            Step::Call { func, args, .. } => {
                for &place in given.get(func).into_iter().flatten() {
                    let known = end(args, place, same).and_then(|end| set.get(&end).copied());
                    let slot = known.unwrap_or_else(|| {
                        let slot = slots.push(Ty::I64);
                        steps.push(read_element(args[place], args[0], slot));
                        slot
                    });
                    args.push(Arg::Slot(slot));
                }
            }
            Step::If { then, els, .. } => {
                hand_over(then, given, slots, same, set);
                hand_over(els, given, slots, same, set);
            }
            _ => {}
        }
        steps.push(step);
    }
    block.steps = steps;
}

/// The host fetches an element.
fn read_element(vector: Arg, index: Arg, slot: Slot) -> Step {
    let vector = vector.buffer().unwrap_or_else(|| unreachable!("{slot} is an element"));
    let at = match index {
        Arg::Slot(slot) => Atom::Outer(Place::Slot(slot), Ty::I64),
        Arg::Const(c) => Atom::Const(c),
        Arg::Buffer(_) | Arg::Past(..) => unreachable!("an index is a scalar"),
    };
    let mut builder: Builder<Place> = Builder::new();
    let element = builder.read(Ty::I64, Place::Buffer(vector), at);
    Step::Eval { results: vec![slot], code: builder.finish(vec![element]) }
}

/// What the host does with buffers.
#[derive(Default)]
struct Read {
    /// Elements that it reads at an index known before.
    elements: Vec<(Buffer, Index)>,
    /// What becomes of a buffer that it trims.
    trimmed: FxHashMap<Buffer, Buffer>,
    /// What its scalars are.
    same: Same,
}

/// Of scalars that were computed in the same way, the first.
type Same = FxHashMap<Slot, Slot>;

/// Finds scalars that equal earlier ones: lengths are computed wherever they are needed.
fn equal_slots(block: &Block) -> Same {
    fn in_block(block: &Block, known: &mut FxHashMap<String, Slot>, same: &mut Same) {
        for step in &block.steps {
            match step {
                Step::Eval { results, code } if !code.has_effect() => {
                    for (n, &slot) in results.iter().enumerate() {
                        let one = code.keep_yields(&[n]).map_refs(|place| match place {
                            Place::Slot(s) => Place::Slot(same.get(&s).copied().unwrap_or(s)),
                            Place::Buffer(_) => place,
                        });
                        let first = *known.entry(one.simplify().to_string()).or_insert(slot);
                        same.extend((first != slot).then_some((slot, first)));
                    }
                }
                Step::If { then, els, .. } => {
                    in_block(then, known, same);
                    in_block(els, known, same);
                }
                _ => {}
            }
        }
    }
    let mut same = Same::default();
    in_block(block, &mut FxHashMap::default(), &mut same);
    same
}

/// Finds out what the host reads.
fn note_reads(block: &Block, given: &Given, read: &mut Read) {
    for step in &block.steps {
        match step {
            Step::Eval { code, .. } => {
                drop(code.replace_reads(|_, vector, at| {
                    read.elements.extend(element(vector, at, &read.same));
                    None
                }));
            }
            Step::Copy { buffer, from, .. } => {
                read.trimmed.insert(*from, *buffer);
            }
            Step::If { then, els, .. } => {
                note_reads(then, given, read);
                note_reads(els, given, read);
            }
            Step::Call { func, args, .. } => {
                let places = given.get(func).into_iter().flatten();
                read.elements.extend(places.filter_map(|&place| end(args, place, &read.same)));
            }
            _ => {}
        }
    }
}

fn element(vector: Place, at: Atom<Place>, same: &Same) -> Option<(Buffer, Index)> {
    let index = match at {
        Atom::Outer(Place::Slot(slot), _) => Index::Slot(same.get(&slot).copied().unwrap_or(slot)),
        Atom::Const(c) => Index::Const(c.int()),
        _ => return None,
    };
    Some((vector.buffer()?, index))
}

fn index_of(arg: Arg, same: &Same) -> Option<Index> {
    match arg {
        Arg::Slot(slot) => Some(Index::Slot(same.get(&slot).copied().unwrap_or(slot))),
        Arg::Const(c) => Some(Index::Const(c.int())),
        Arg::Buffer(_) | Arg::Past(..) => None,
    }
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
                        Atom::Outer(name, _) => arg(name).and_then(|arg| index_of(arg, &read.same)),
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

fn replace_reads(block: &mut Block, same: &Same, set: &Totals) {
    for step in &mut block.steps {
        match step {
            Step::Eval { code, .. } => {
                *code = code.replace_reads(|_, vector, at| {
                    let slot = set.get(&element(vector, at, same)?)?;
                    Some(Atom::Outer(Place::Slot(*slot), Ty::I64))
                });
            }
            Step::If { then, els, .. } => {
                replace_reads(then, same, set);
                replace_reads(els, same, set);
            }
            _ => {}
        }
    }
}
