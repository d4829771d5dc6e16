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
//! that ends.  Functions that a CPU runs lane by lane stay as they are: there parts are joined
//! where they lie (decision 15).

use crate::target::Target;
use base::IdMap;
use plan::join::Join;
use plan::{
    Arg, Block, Buffer, Cluster, ClusterId, Func, Function, Param, ParamKind, Place, Program, Slot,
    Step,
};
use prim::{Ty, Widths};
use rustc_hash::FxHashMap;
use scalar::{Atom, Builder, Span};
use std::collections::BTreeSet;

/// Makes joined parts side by side.
pub fn beside(program: &mut Program, target: &Target) {
    // What a lane runs alone moves its memory together (decision 6), which needs parts of their
    // own.
    let serial: BTreeSet<Func> = match target.block {
        Some(_) => BTreeSet::new(),
        None => plan::routines::serial_functions(program).into_iter().collect(),
    };
    let Program { widths, funcs, clusters, .. } = program;
    for (id, function) in funcs.iter_mut() {
        if serial.contains(&id) {
            continue;
        }
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
    while let Some(found) = first_in(clusters, block) {
        // Steps move; what was rewritten is not found again.
        found.rewrite(widths, function, block);
    }
}

fn first_in(clusters: &IdMap<ClusterId, Cluster>, block: &Block) -> Option<Found> {
    let joins = block.steps.iter().enumerate().filter_map(|(at, step)| match step {
        Step::Launch { cluster, args, .. } => Some((at, Join::of(&clusters[*cluster], args)?)),
        _ => None,
    });
    let mut joins = joins.peekable();
    joins.peek()?;
    let uses = Uses::new(block);
    joins.find_map(|(at, join)| Found::new(clusters, block, &uses, at, join))
}

/// Where buffers of a block are made and used.
struct Uses {
    makers: FxHashMap<Buffer, usize>,
    /// The steps that use each buffer, those that free it aside.
    users: FxHashMap<Buffer, Vec<usize>>,
    yielded: BTreeSet<Buffer>,
}

impl Uses {
    fn new(block: &Block) -> Uses {
        let mut makers = FxHashMap::default();
        let mut users: FxHashMap<Buffer, Vec<usize>> = FxHashMap::default();
        for (at, step) in block.steps.iter().enumerate() {
            for made in step.results().iter().filter_map(|place| place.buffer()) {
                makers.entry(made).or_insert(at);
            }
            for used in step.buffers() {
                users.entry(used).or_default().push(at);
            }
        }
        let yielded = block.yields.iter().filter_map(|y| y.buffer()).collect();
        Uses { makers, users, yielded }
    }

    /// The step before another that makes a buffer.
    fn maker(&self, buffer: Buffer, before: usize) -> Option<usize> {
        self.makers.get(&buffer).copied().filter(|&at| at < before)
    }

    /// The steps that use a buffer, if it stays in the block.
    fn of(&self, buffer: Buffer) -> Option<&[usize]> {
        let users = self.users.get(&buffer).map_or(&[][..], Vec::as_slice);
        (!self.yielded.contains(&buffer)).then_some(users)
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
        uses: &Uses,
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
            .map(|part| part.iter().map(|&b| Part::new(block, uses, launch, b)).collect())
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
        let span = match &block.steps[self.launch - 1] {
            Step::Alloc { span, .. } => *span,
            _ => Span::none(),
        };
        let mut host = Host { widths, span, function, steps: Vec::new() };
        let (begins, end) = self.places(&mut host);
        // What each launch writes to instead, and how much of that is filled.
        let mut rooms = Vec::new();
        let mut names: FxHashMap<Buffer, Arg> = FxHashMap::default();
        for (column, &whole) in self.join.whole.iter().enumerate() {
            let room = host.room(whole, end);
            rooms.push((room, whole));
            for (n, part) in self.parts.iter().enumerate() {
                let arg = if n == 0 { Arg::Buffer(room) } else { Arg::Past(room, begins[n - 1]) };
                names.insert(part[column].made, arg);
            }
        }
        let before = std::mem::take(&mut host.steps);
        let last = Arg::Slot(begins[begins.len() - 1]);
        let trimmed = self.parts[self.parts.len() - 1][0].trim;
        let len = trimmed.map_or(end, |(_, len)| host.sum(last, len));
        for (buffer, from) in rooms.into_iter().map(|(room, whole)| (whole, room)) {
            host.steps.push(Step::Copy { buffer, from, len, span });
            host.steps.push(Step::Free(from));
        }
        if let Step::Eval { results, .. } = &block.steps[self.begins] {
            let yields = begins.iter().map(|&slot| atom(Arg::Slot(slot))).collect();
            host.eval(results.clone(), Builder::new().finish(yields));
        }
        let after = host.steps;
        self.replace(block, &names, before, after);
    }

    /// Where the parts but the first begin, and the end of the last: behind the rooms before.
    fn places(&self, host: &mut Host<'_>) -> (Vec<Slot>, Arg) {
        let mut begins = Vec::new();
        let mut end = self.parts[0][0].room;
        for part in &self.parts[1..] {
            let begin = host.slot(end);
            begins.push(begin);
            end = host.sum(Arg::Slot(begin), part[0].room);
        }
        (begins, end)
    }

    /// Puts steps where the first part is made and where the last is whole, drops what they take
    /// the place of, and lets launches write elsewhere.
    fn replace(
        &self,
        block: &mut Block,
        names: &FxHashMap<Buffer, Arg>,
        mut before: Vec<Step>,
        mut after: Vec<Step>,
    ) {
        let all = || self.parts.iter().flatten();
        let mut gone: BTreeSet<usize> = all().map(|part| part.at).collect();
        gone.extend(all().filter_map(|part| part.trim.map(|(at, _)| at)));
        gone.extend(self.begins..=self.launch);
        let joined = self.join.parts.iter().flatten().copied();
        let freed: BTreeSet<Buffer> = all().map(|part| part.made).chain(joined).collect();
        let first = all().map(|part| part.at).min().unwrap_or(0);
        let last = all().map(|part| part.trim.map_or(part.writer, |t| t.0)).max().unwrap_or(0);
        let mut steps = Vec::new();
        for (n, mut step) in std::mem::take(&mut block.steps).into_iter().enumerate() {
            if n == first {
                steps.append(&mut before);
            }
            if let Step::Launch { args, .. } = &mut step {
                for arg in args {
                    *arg = match arg {
                        Arg::Buffer(b) => names.get(b).copied().unwrap_or(*arg),
                        _ => *arg,
                    };
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

/// New steps of the host.
struct Host<'f> {
    widths: Widths,
    span: Span,
    function: &'f mut Function,
    steps: Vec<Step>,
}

impl Host<'_> {
    fn eval(&mut self, results: Vec<Slot>, code: scalar::Code<Place>) {
        self.steps.push(Step::Eval { results, code });
    }
    fn fresh(&mut self, code: scalar::Code<Place>) -> Slot {
        let slot = self.function.slots.push(Ty::I64);
        self.eval(vec![slot], code);
        slot
    }
    /// A scalar of the host with this value.
    fn slot(&mut self, value: Arg) -> Slot {
        match value {
            Arg::Slot(slot) => slot,
            value => self.fresh(Builder::new().finish(vec![atom(value)])),
        }
    }
    /// Two lengths together.
    fn sum(&mut self, a: Arg, b: Arg) -> Arg {
        let mut builder = Builder::new();
        let length = builder.length(self.widths, [a, b].map(atom), self.span);
        Arg::Slot(self.fresh(builder.finish(vec![length])))
    }
    /// Memory for as many elements as those of a buffer.
    fn room(&mut self, like: Buffer, len: Arg) -> Buffer {
        let info = self.function.buffers[like];
        let buffer = self.function.buffers.push(info);
        self.steps.push(Step::Room { buffer, len, span: self.span });
        buffer
    }
}

impl Part {
    /// How a buffer comes to the join that step `launch` is.
    fn new(block: &Block, uses: &Uses, launch: usize, buffer: Buffer) -> Option<Part> {
        let mut made = buffer;
        let mut trim = None;
        let mut at = uses.maker(made, launch)?;
        if let Step::Copy { from, len, .. } = block.steps[at] {
            trim = Some((at, len));
            made = from;
            at = uses.maker(made, launch)?;
        }
        let room = match block.steps[at] {
            Step::Room { len, .. } | Step::Alloc { len, over: None, .. } => len,
            _ => return None,
        };
        // It is written by one launch, trimmed, joined, and nothing else.
        let writer = match (uses.of(made)?, trim) {
            (&[writer, copy], Some((trim, _))) if copy == trim => writer,
            (&[writer, join], None) if join == launch => writer,
            _ => return None,
        };
        if trim.is_some() && uses.of(buffer)? != [launch] {
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
