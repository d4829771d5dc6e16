//! Pass **early**: a launch does not wait for what only later steps need.
//!
//! ```text
//! launch c0(b0, n0, b1, b2, set n1)           launch c0(b0, n0, b1, b2, set n1)
//! b3 = copy b2 n1                             launch c1(b1, n0, n0, b4)
//! free b2                                     b3 = copy b2 n1
//! launch c1(b1, n1, n0, b4)                   free b2
//! ```
//!
//! The host learns what a launch sets some time after that has ended.  Meanwhile the GPU has
//! nothing to do, unless the next launch is there already.  So
//!
//! * steps that need what launches set come after launches that do not need these steps;
//! * a room that is handed on to the next depth of a recursion is not trimmed before, if that has
//!   to wait: the next depth makes room for what there is;
//! * where a launch needs a number of kept lanes only to know how many tiles there are, the number
//!   of lanes that they are kept from does: segments end where their offsets say, and tiles after
//!   that are empty.

use crate::target::Target;
use base::{Id, IdMap, Site};
use plan::{
    Arg, Block, Buffer, Cluster, ClusterId, Func, NodeOp, Operand, ParamKind, Place, Program, Ref,
    Slot, Space, SpaceInfo, SpaceKind, Step,
};
use prim::Ty;
use rustc_hash::{FxHashMap, FxHashSet};
use scalar::{Atom, Code, Stmt};
use std::collections::VecDeque;

/// Lets launches come before steps that wait, as far as the target gains by that.
pub fn early(program: &mut Program, target: &Target) {
    if target.block.is_none() {
        return;
    }
    let Program { funcs, clusters, .. } = program;
    for (id, function) in funcs.iter_mut() {
        in_block(&mut function.body, id, clusters, &mut function.slots);
    }
}

fn in_block(
    block: &mut Block,
    func: Func,
    clusters: &IdMap<ClusterId, Cluster>,
    slots: &mut IdMap<Slot, Ty>,
) {
    let set = FxHashMap::default();
    let mut order = Order { clusters, slots, steps: Vec::new(), held: Held::default(), set };
    let mut left: VecDeque<Step> = std::mem::take(&mut block.steps).into();
    while let Some(mut step) = left.pop_front() {
        if matches!(step, Step::If { .. } | Step::Call { .. }) {
            let next: Vec<&Step> = [&step].into_iter().chain(&left).collect();
            order.keep_rooms(func, &next, &block.yields);
        }
        if let Step::If { then, els, .. } = &mut step {
            in_block(then, func, clusters, order.slots);
            in_block(els, func, clusters, order.slots);
        }
        order.add(step);
    }
    order.release();
    block.steps = order.steps;
}

/// The steps of a block in their new order.
struct Order<'a> {
    clusters: &'a IdMap<ClusterId, Cluster>,
    slots: &'a mut IdMap<Slot, Ty>,
    /// Those that have their place.
    steps: Vec<Step>,
    held: Held,
    /// What is set by launches for which nobody has waited, and what it is at most, if that was
    /// known before.
    set: FxHashMap<Slot, Option<Arg>>,
}

/// Steps that wait for launches, in order.
#[derive(Default)]
struct Held {
    steps: Vec<Step>,
    slots: FxHashSet<Slot>,
    /// What they make, use or free.
    buffers: FxHashSet<Buffer>,
    /// Whether one of them may fail.
    checks: bool,
}

impl Held {
    fn push(&mut self, step: Step, may_fail: bool) {
        for place in step.results() {
            match place {
                Place::Slot(slot) => _ = self.slots.insert(slot),
                Place::Buffer(buffer) => _ = self.buffers.insert(buffer),
            }
        }
        self.buffers.extend(step.buffers());
        self.buffers.extend(step.freed());
        self.checks |= may_fail;
        self.steps.push(step);
    }
    /// Whether a step comes after these in any case.
    fn before(&self, step: &Step) -> bool {
        let shares = |buffer: &Buffer| self.buffers.contains(buffer);
        step.scalars().iter().any(|slot| self.slots.contains(slot))
            || step.buffers().iter().any(shares)
            || step.freed().is_some_and(|buffer| shares(&buffer))
    }
}

impl Order<'_> {
    /// Puts a step in its place.
    fn add(&mut self, mut step: Step) {
        if let Step::Launch { .. } = step {
            self.bound(&mut step);
        }
        let waits = step.scalars().iter().any(|slot| self.set.contains_key(slot));
        let can_wait = match &step {
            Step::Eval { code, .. } => only_counts(code),
            Step::Copy { .. } | Step::Alias(..) | Step::Free(_) => true,
            _ => false,
        };
        if (waits || self.held.before(&step)) && can_wait {
            let may_fail = self.can_fail(&step) && !self.is_sure(&step, &self.held.steps);
            return self.held.push(step, may_fail);
        }
        let stays = matches!(
            step,
            Step::Launch { .. }
                | Step::Alloc { .. }
                | Step::Room { .. }
                | Step::Eval { .. }
                | Step::Copy { .. }
                | Step::Alias(..)
                | Step::Free(_)
        );
        // Of two errors the first is told.
        let passes = self.held.checks && self.can_fail(&step);
        let goes = !stays && !self.held.steps.is_empty();
        if waits || self.held.before(&step) || goes || passes {
            self.release();
        }
        if let Step::Launch { cluster, args, .. } = &step {
            self.note(*cluster, args);
        }
        self.steps.push(step);
    }

    /// Whether a step may fail, but for memory.
    fn can_fail(&self, step: &Step) -> bool {
        match step {
            Step::Launch { cluster, .. } => self.clusters[*cluster].nodes.iter().any(|node| {
                let plain = matches!(
                    node.op,
                    NodeOp::Map | NodeOp::Reduce(_) | NodeOp::Scan(_) | NodeOp::Scatter { .. }
                );
                !plain || node.code.has_effect()
            }),
            Step::Eval { code, .. } => code.has_effect(),
            _ => false,
        }
    }

    /// Does not trim rooms that wait, if they are only handed to this function's call of itself.
    fn keep_rooms(&mut self, func: Func, next: &[&Step], yields: &[Arg]) {
        if self.held.steps.is_empty() {
            return;
        }
        let mut held = std::mem::take(&mut self.held.steps);
        self.held = Held::default();
        for step in &mut held {
            let Step::Copy { buffer, from, len, .. } = step else { continue };
            let room = self.steps.iter().find_map(|step| match step {
                Step::Room { buffer, len, .. } if buffer == from => Some(*len),
                _ => None,
            });
            let given = yields.iter().any(|arg| arg.buffer() == Some(*buffer));
            if let Some(room) = room.filter(|_| !given && is_handed_on(*buffer, func, next)) {
                *len = room;
            }
        }
        // What was needed for that alone is not computed.
        let mut needed: Vec<Step> = Vec::new();
        while let Some(step) = held.pop() {
            let later = needed.iter().chain(next.iter().copied());
            if !is_unused(&step, later, yields) || !self.is_sure(&step, &held) {
                needed.push(step);
            }
        }
        needed.into_iter().rev().for_each(|step| self.add(step));
    }

    /// Whether a step that computes lengths cannot fail, since a longer length has been computed in
    /// the same way: from what the scalars that it waits for are at most.
    fn is_sure(&self, step: &Step, before: &[Step]) -> bool {
        let Step::Eval { code, .. } = step else { return false };
        if !code.has_effect() {
            return true;
        }
        // What fits still does if it is less.
        if !only_counts(code) {
            return false;
        }
        let mut changed = FxHashMap::default();
        for place in code.refs().outers {
            let Place::Slot(slot) = place else { continue };
            let source = repeated(slot, || self.steps.iter().chain(before));
            match self.set.get(&source) {
                Some(Some(most)) => _ = changed.insert(slot, *most),
                Some(None) => return false,
                None => {}
            }
        }
        let most = with(code, &changed).simplify().to_string();
        self.steps.iter().any(|step| {
            matches!(step, Step::Eval { code, .. } if code.has_effect() && code.to_string() == most)
        })
    }

    /// Lets all steps that wait take their place: the next one waits, too.
    fn release(&mut self) {
        self.steps.append(&mut self.held.steps);
        self.held = Held::default();
        self.set.clear();
    }

    /// Notes what a launch sets, and what that is at most.
    fn note(&mut self, cluster: ClusterId, args: &[Arg]) {
        let cluster = &self.clusters[cluster];
        for (param, arg) in cluster.params.iter().zip(args) {
            let (ParamKind::Set, Some(slot)) = (param.kind, arg.slot()) else { continue };
            let most = most(cluster, param.name).and_then(|most| given(cluster, args, most));
            // What waits itself is no bound.
            let known = most.filter(|most| most.slot().is_none_or(|s| !self.set.contains_key(&s)));
            self.set.insert(slot, known);
        }
    }

    /// Lets a launch go without numbers that it needs for its tiles alone, if it waits for nothing
    /// else.
    fn bound(&mut self, step: &mut Step) {
        let mut bounded = step.clone();
        let Step::Launch { cluster, args, work } = &mut bounded else { return };
        let cluster = &self.clusters[*cluster];
        let mut instead = FxHashMap::default();
        for (n, param) in cluster.params.iter().enumerate() {
            let Some(slot) = args[n].slot().filter(|_| param.kind == ParamKind::Scalar) else {
                continue;
            };
            let Some(&Some(most)) = self.set.get(&self.source(slot)) else { continue };
            if only_cuts(cluster, param.name) {
                instead.insert(slot, most);
                args[n] = most;
            }
        }
        if instead.is_empty() {
            return;
        }
        let mut evals = Vec::new();
        *work = self.again(*work, &instead, &mut evals);
        let waits = |step: &Step| {
            step.scalars().iter().any(|slot| self.set.contains_key(slot)) || self.held.before(step)
        };
        if !evals.iter().chain([&bounded]).any(waits) {
            self.steps.append(&mut evals);
            *step = bounded;
        }
    }

    /// The scalar that another one only repeats.
    fn source(&self, slot: Slot) -> Slot {
        repeated(slot, || self.steps.iter().chain(&self.held.steps))
    }

    /// How the host has computed a scalar: the code, and which of its yields.
    fn made(&self, slot: Slot) -> Option<(&Code<Place>, usize)> {
        made(slot, self.steps.iter().chain(&self.held.steps))
    }

    /// What an argument comes to with other scalars in place of these, by `evals`.
    fn again(&mut self, arg: Arg, instead: &FxHashMap<Slot, Arg>, evals: &mut Vec<Step>) -> Arg {
        let Some(slot) = arg.slot() else { return arg };
        if let Some(&other) = instead.get(&slot) {
            return other;
        }
        let Some((code, n)) = self.made(slot) else { return arg };
        let code = code.keep_yields(&[n]);
        let outers = code.refs().outers;
        let mut changed = FxHashMap::default();
        for place in outers {
            let Place::Slot(own) = place else { continue };
            let now = self.again(Arg::Slot(own), instead, evals);
            if now != Arg::Slot(own) {
                changed.insert(own, now);
            }
        }
        if changed.is_empty() {
            return arg;
        }
        let ty = self.slots[slot];
        let result = self.slots.push(ty);
        let code = with(&code, &changed);
        evals.push(Step::Eval { results: vec![result], code });
        Arg::Slot(result)
    }
}

/// Whether all that becomes of a buffer is that a function calls itself with it.
fn is_handed_on(buffer: Buffer, func: Func, steps: &[&Step]) -> bool {
    steps.iter().all(|step| match step {
        Step::If { then, els, .. } => [then, els].into_iter().all(|arm| {
            let given = arm.yields.iter().any(|arg| arg.buffer() == Some(buffer));
            !given && is_handed_on(buffer, func, &arm.steps.iter().collect::<Vec<_>>())
        }),
        Step::Call { func: callee, .. } => *callee == func || !step.uses_buffer(buffer),
        _ => !step.uses_buffer(buffer),
    })
}

/// How the host has computed a scalar in some steps: the code, and which of its yields.
fn made<'s>(
    slot: Slot,
    mut steps: impl Iterator<Item = &'s Step>,
) -> Option<(&'s Code<Place>, usize)> {
    steps.find_map(|step| match step {
        Step::Eval { results, code } => {
            Some((code, results.iter().position(|&result| result == slot)?))
        }
        _ => None,
    })
}

/// The scalar that another one only repeats, by some steps.
fn repeated<'s, I: Iterator<Item = &'s Step>>(slot: Slot, steps: impl Fn() -> I) -> Slot {
    let mut slot = slot;
    while let Some((code, n)) = made(slot, steps()) {
        match code.body.yields[n] {
            Atom::Outer(Place::Slot(other), _) => slot = other,
            _ => break,
        }
    }
    slot
}

/// Whether code can fail only because a length is more than ints can count.
fn only_counts(code: &Code<Place>) -> bool {
    code.body.stmts.iter().all(|stmt| {
        let counts = matches!(stmt, Stmt::Require { site: Site::Memory, .. });
        counts || !stmt.has_effect(&|atom| code.ty(atom))
    })
}

/// Whether a step only computes scalars that nobody uses.
fn is_unused<'s>(step: &Step, mut later: impl Iterator<Item = &'s Step>, yields: &[Arg]) -> bool {
    let Step::Eval { results, .. } = step else { return false };
    let unused = |used: &[Slot]| results.iter().all(|result| !used.contains(result));
    let given: Vec<Slot> = yields.iter().filter_map(|arg| arg.slot()).collect();
    unused(&given) && later.all(|step| unused(&all_scalars(step)))
}

/// The scalars that a step uses, in nested blocks, too.
fn all_scalars(step: &Step) -> Vec<Slot> {
    let mut used = step.scalars();
    if let Step::If { then, els, .. } = step {
        for arm in [then, els] {
            used.extend(arm.steps.iter().flat_map(all_scalars));
            used.extend(arm.yields.iter().filter_map(|arg| arg.slot()));
        }
    }
    used
}

/// Code with other scalars.
fn with(code: &Code<Place>, changed: &FxHashMap<Slot, Arg>) -> Code<Place> {
    let of = |place: Place| match place {
        Place::Slot(slot) => changed.get(&slot).copied(),
        Place::Buffer(_) => None,
    };
    let consts = code.replace_outers(|place| match of(place) {
        Some(Arg::Const(c)) => Some(c),
        _ => None,
    });
    consts.map_refs(|place| match of(place) {
        Some(Arg::Slot(slot)) => Place::Slot(slot),
        _ => place,
    })
}

/// What a launch hands over for an operand of its cluster.
fn given(cluster: &Cluster, args: &[Arg], operand: Operand) -> Option<Arg> {
    match operand {
        Atom::Const(c) => Some(Arg::Const(c)),
        Atom::Outer(name, _) => {
            Some(args[cluster.params.iter().position(|param| param.name == name)?])
        }
        Atom::Var(_) => None,
    }
}

/// What a parameter that a filter sets is at most: the lanes that it keeps some of.
fn most(cluster: &Cluster, name: Ref) -> Option<Operand> {
    let sets = |node: &&plan::Node| {
        matches!(node.op, NodeOp::Filter { .. })
            && node.pushes.iter().skip(1).any(|push| *push == Some(name))
    };
    let SpaceInfo { lanes, from, .. } = cluster.spaces[cluster.nodes.iter().find(sets)?.space];
    from.is_none().then_some(lanes)
}

/// Whether a scalar tells how many lanes segments have together, and nothing else.
fn only_cuts(cluster: &Cluster, name: Ref) -> bool {
    let is = |operand: Operand| matches!(operand, Atom::Outer(other, _) if other == name);
    let mut cut = 0;
    let mut other = false;
    for (id, space) in cluster.spaces.iter() {
        let SpaceInfo { kind, lanes, from } = *space;
        if is(lanes) {
            cut += 1;
            other |=
                !matches!(kind, SpaceKind::Packed(..)) || from.is_some() || is_above(cluster, id);
        }
        other |= matches!(kind, SpaceKind::Regular(_, len) if is(len));
    }
    for node in &cluster.nodes {
        other |= node.code.refs().outers.contains(&name);
        other |= matches!(node.op, NodeOp::Scatter { extent, .. } if is(extent));
    }
    cut == 1 && !other
}

/// Whether lanes of a space have segments of their own, or some of them are kept.
fn is_above(cluster: &Cluster, space: Space) -> bool {
    let below =
        |id: Space| cluster.parent(id) == Some(space) || cluster.spaces[id].from == Some(space);
    cluster.spaces.ids().any(|id| id != Id::new(0) && below(id))
}
