//! Pass **beside**: parts that are joined are made side by side, in one buffer.
//!
//! ```text
//! b1 = room n1                          b9 = room n9                       n9 = n1 + n2
//! b2 = room n2
//! launch c0(..., set n3, b1, b2)        launch c0(..., set n3, b9, b9 past n1)
//! b3 = copy b1 n3                       b5 = copy b9 n8                    n8 = n1 + n4
//! b4 = copy b2 n4
//! n5 = n3; n6 = n3 + n4         ==>     n5 = n1
//! b5 = buffer n6
//! launch c1(n3, n6, b3, b4, b5)
//! ```
//!
//! That is done where a part is not used for anything else, and the launches that make them are of
//! the block that joins them.  The second part then begins behind the room of the first, not where
//! that ends.  On a CPU the copy is cheap beside what it would take from recursion by lanes, which
//! moves its memory together (decision 6), so it stays.

use crate::target::Target;
use base::IdMap;
use plan::join::Join;
use plan::{
    Arg, Block, Buffer, BufferInfo, Cluster, ClusterId, Function, Param, ParamKind, Place, Program,
    Slot, Step,
};
use prim::{Ty, Widths};
use rustc_hash::FxHashMap;
use scalar::{Atom, Builder, Span};
use std::collections::BTreeSet;

/// Makes joined parts side by side, as far as the target needs it.
pub fn beside(program: &mut Program, target: &Target) {
    if target.block.is_none() {
        return;
    }
    let Program { widths, funcs, clusters, .. } = program;
    for (_, function) in funcs.iter_mut() {
        let mut body = std::mem::take(&mut function.body);
        in_block(*widths, clusters, function, &mut body);
        function.body = body;
    }
}

fn in_block(
    widths: Widths,
    clusters: &IdMap<ClusterId, Cluster>,
    function: &mut Function,
    block: &mut Block,
) {
    for step in &mut block.steps {
        if let Step::If { then, els, .. } = step {
            in_block(widths, clusters, function, then);
            in_block(widths, clusters, function, els);
        }
    }
    let mut at = 0;
    while at < block.steps.len() {
        if let Step::Launch { cluster, args, .. } = &block.steps[at]
            && let Some(join) = Join::of(&clusters[*cluster], args)
            && let Some(found) = Found::new(clusters, block, at, join)
        {
            found.rewrite(widths, function, block);
            // Steps have moved; what was rewritten is not found again.
            at = 0;
            continue;
        }
        at += 1;
    }
}

/// A join whose parts can be made side by side.
struct Found {
    join: Join,
    /// The step that launches it; the one that tells where parts begin lies before its buffers.
    launch: usize,
    begins: usize,
    /// For each part and column what is made there.
    parts: Vec<Vec<Part>>,
}

/// A column of a part.
struct Part {
    /// The memory that is made, at this step.
    made: Buffer,
    at: usize,
    /// So many elements.
    room: Arg,
    /// The launch that writes it.
    writer: usize,
    /// If that is more than the part has: the copy that is the part, and how many these are.
    trim: Option<(usize, Arg)>,
}

impl Found {
    fn new(
        clusters: &IdMap<ClusterId, Cluster>,
        block: &Block,
        launch: usize,
        join: Join,
    ) -> Option<Found> {
        let begins = launch.checked_sub(join.whole.len() + 1)?;
        let Step::Eval { results, .. } = &block.steps[begins] else { return None };
        if results.len() + 1 != join.parts.len() {
            return None;
        }
        let parts: Option<Vec<Vec<Part>>> = join
            .parts
            .iter()
            .map(|part| part.iter().map(|&b| Part::new(block, launch, b)).collect())
            .collect();
        let parts = parts?;
        // The columns of a part begin at the same place; where, is known before the first is made.
        let first = parts.iter().flatten().map(|part| part.at).min()?;
        let known = |room: Arg| {
            let Some(slot) = room.slot() else { return true };
            !block.steps[first..].iter().any(|step| makes(clusters, step, slot))
        };
        let even = |part: &Vec<Part>| part.iter().all(|p| p.room == part[0].room && known(p.room));
        let apart: BTreeSet<Buffer> = parts.iter().flatten().map(|p| p.made).collect();
        let count = parts.iter().flatten().count();
        (parts.iter().all(even) && apart.len() == count).then_some(Found {
            join,
            launch,
            begins,
            parts,
        })
    }

    fn rewrite(self, widths: Widths, function: &mut Function, block: &mut Block) {
        let Found { join, launch, begins, parts } = self;
        let span = match &block.steps[launch - 1] {
            Step::Alloc { span, .. } => *span,
            _ => Span::none(),
        };
        // Where parts begin, and the end of the last, as rooms and as they are.
        let mut before: Vec<Step> = Vec::new();
        let sum = |a: Arg, b: Arg, slots: &mut IdMap<Slot, Ty>| {
            let mut builder = Builder::new();
            let atoms = [a, b].map(atom);
            let length = builder.length(widths, atoms, span);
            let slot = slots.push(Ty::I64);
            (slot, Step::Eval { results: vec![slot], code: builder.finish(vec![length]) })
        };
        let mut places: Vec<Slot> = Vec::new();
        let mut end = parts[0][0].room;
        for part in &parts[1..] {
            let place = match end {
                Arg::Slot(slot) => slot,
                end => {
                    let slot = function.slots.push(Ty::I64);
                    let code = Builder::new().finish(vec![atom(end)]);
                    before.push(Step::Eval { results: vec![slot], code });
                    slot
                }
            };
            places.push(place);
            let (slot, step) = sum(Arg::Slot(place), part[0].room, &mut function.slots);
            before.push(step);
            end = Arg::Slot(slot);
        }
        let trimmed = parts[parts.len() - 1][0].trim;
        let mut after: Vec<Step> = Vec::new();
        let mut rooms = Vec::new();
        let mut names: FxHashMap<Buffer, Arg> = FxHashMap::default();
        for (column, &whole) in join.whole.iter().enumerate() {
            let ty = function.buffers[whole].ty;
            let room = function.buffers.push(BufferInfo { ty });
            before.push(Step::Room { buffer: room, len: end, span });
            rooms.push((room, whole));
            for (n, part) in parts.iter().enumerate() {
                let arg = if n == 0 { Arg::Buffer(room) } else { Arg::Past(room, places[n - 1]) };
                names.insert(part[column].made, arg);
            }
        }
        let len = match trimmed {
            None => end,
            Some((_, len)) => {
                let last = Arg::Slot(places[places.len() - 1]);
                let (slot, step) = sum(last, len, &mut function.slots);
                after.push(step);
                Arg::Slot(slot)
            }
        };
        for (room, whole) in rooms {
            after.push(Step::Copy { buffer: whole, from: room, len, span });
            after.push(Step::Free(room));
        }
        let code = Builder::new().finish(places.iter().map(|&s| atom(Arg::Slot(s))).collect());
        let Step::Eval { results, .. } = &block.steps[begins] else { unreachable!("no places") };
        after.push(Step::Eval { results: results.clone(), code });
        // What is not there any more, and what stands elsewhere.
        let all = || parts.iter().flatten();
        let mut gone: BTreeSet<usize> = all().map(|part| part.at).collect();
        gone.extend(all().filter_map(|part| part.trim.map(|(at, _)| at)));
        gone.extend(begins..=launch);
        let freed: BTreeSet<Buffer> =
            all().map(|part| part.made).chain(join.parts.iter().flatten().copied()).collect();
        let first = all().map(|part| part.at).min().unwrap_or(0);
        let last = all().map(|part| part.trim.map_or(part.writer, |t| t.0)).max().unwrap_or(0);
        let mut steps = Vec::new();
        for (n, mut step) in std::mem::take(&mut block.steps).into_iter().enumerate() {
            if n == first {
                steps.append(&mut before);
            }
            if let Step::Launch { args, .. } = &mut step {
                for arg in args {
                    if let Arg::Buffer(b) = arg
                        && let Some(&name) = names.get(b)
                    {
                        *arg = name;
                    }
                }
            }
            let dropped = gone.contains(&n) || matches!(step, Step::Free(b) if freed.contains(&b));
            if !dropped {
                steps.push(step);
            }
            if n == last {
                steps.append(&mut after);
            }
        }
        block.steps = steps;
    }
}

impl Part {
    /// How a buffer comes to the join that step `launch` is.
    fn new(block: &Block, launch: usize, buffer: Buffer) -> Option<Part> {
        let maker = |b: Buffer| {
            block.steps[..launch].iter().position(|s| s.results().contains(&Place::Buffer(b)))
        };
        let mut made = buffer;
        let mut trim = None;
        let mut at = maker(made)?;
        if let Step::Copy { from, len, .. } = block.steps[at] {
            trim = Some((at, len));
            made = from;
            at = maker(made)?;
        }
        let room = match block.steps[at] {
            Step::Room { len, .. } | Step::Alloc { len, over: None, .. } => len,
            _ => return None,
        };
        // It is written by one launch, trimmed, joined, and nothing else.
        let uses = |b: Buffer| {
            let used =
                |s: &&(usize, &Step)| s.1.buffers().contains(&b) && !matches!(s.1, Step::Free(_));
            let steps: Vec<(usize, &Step)> = block.steps.iter().enumerate().collect();
            let yielded = block.yields.iter().any(|y| y.buffer() == Some(b));
            let users: Vec<usize> = steps.iter().filter(used).map(|s| s.0).collect();
            (!yielded).then_some(users)
        };
        let writer = match (uses(made)?.as_slice(), trim) {
            (&[writer, copy], Some((trim, _))) if copy == trim => writer,
            (&[writer, join], None) if join == launch => writer,
            _ => return None,
        };
        if trim.is_some() && uses(buffer)? != [launch] {
            return None;
        }
        let Step::Launch { args, .. } = &block.steps[writer] else { return None };
        (args.iter().filter(|a| a.buffer() == Some(made)).count() == 1).then_some(Part {
            made,
            at,
            room,
            writer,
            trim,
        })
    }
}

/// Whether a step sets a scalar.
fn makes(clusters: &IdMap<ClusterId, Cluster>, step: &Step, slot: Slot) -> bool {
    match step {
        Step::Launch { cluster, args, .. } => {
            let set = |(param, arg): (&Param, &Arg)| {
                param.kind == ParamKind::Set && *arg == Arg::Slot(slot)
            };
            clusters[*cluster].params.iter().zip(args).any(set)
        }
        step => step.results().contains(&Place::Slot(slot)),
    }
}

fn atom(arg: Arg) -> Atom<Place> {
    match arg {
        Arg::Const(c) => Atom::Const(c),
        Arg::Slot(slot) => Atom::Outer(Place::Slot(slot), Ty::I64),
        Arg::Buffer(b) | Arg::Past(b, _) => unreachable!("{b} is no scalar"),
    }
}
