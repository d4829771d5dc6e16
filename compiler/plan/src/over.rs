//! Results that are written over inputs.
//!
//! ```text
//!   b2: f64 = buffer n0 over b1
//!   launch c0(b0, b1, n0, b2) work n0
//!   free b1
//! ```
//!
//! Where nobody else refers to `b1`, `b2` is the same memory: one name for what the launch reads,
//! one for what it writes.  So between the two steps `b1` is only read, and it ends with the
//! launch.  Whether the kernel is right when both are the same is a question of its loops.
//!
//! If nothing uses `b1` any more when `b2` is made, not even the launch, `b2` just takes its
//! memory.

use crate::ir::{Arg, Block, Buffer, Cluster, ClusterId, Over, ParamKind, Place, Program, Step};
use base::IdMap;
use prim::Const;
use rustc_hash::{FxHashMap, FxHashSet};

/// The launch that writes a buffer over another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Overwrite<'a> {
    /// What is launched.
    pub cluster: ClusterId,
    /// With what.
    pub args: &'a [Arg],
    /// The parameter that the new buffer is handed over for.
    pub out: usize,
    /// The parameter that the other is handed over for.
    pub input: usize,
}

/// The launch that fills a new buffer, and what may be asked of all that it reads.
#[derive(Debug)]
pub struct Filling<'a> {
    cluster: ClusterId,
    args: &'a [Arg],
    /// The parameter that each buffer is handed over for, and whether for no other.
    places: FxHashMap<Buffer, (usize, bool)>,
    /// Which parameters are inputs.
    inputs: Vec<bool>,
    out: usize,
    /// What steps before the launch use for more than reading it.
    used: FxHashSet<Buffer>,
    /// What is freed right after it.
    ends: FxHashSet<Buffer>,
}

impl<'a> Filling<'a> {
    /// Given the steps after the one that makes the buffer; or why it may be made over no other.
    pub fn of(
        clusters: &IdMap<ClusterId, Cluster>,
        after: &'a [Step],
        buffer: Buffer,
    ) -> Result<Filling<'a>, &'static str> {
        let Some(n) = after.iter().position(|step| step.uses_buffer(buffer)) else {
            return Err("is not filled");
        };
        let no_launch = "is filled by no launch in this block";
        let Step::Launch { cluster, args, .. } = &after[n] else { return Err(no_launch) };
        let params = clusters.get(*cluster).map_or(&[][..], |cluster| cluster.params.as_slice());
        let mut places: FxHashMap<Buffer, (usize, bool)> = FxHashMap::default();
        for (i, buffer) in args.iter().enumerate().filter_map(|(i, arg)| Some((i, arg.buffer()?))) {
            places.entry(buffer).and_modify(|(_, alone)| *alone = false).or_insert((i, true));
        }
        let is = |i: usize, kind| params.get(i).is_some_and(|param| param.kind == kind);
        let out = match places.get(&buffer) {
            Some(&(out, true)) if is(out, ParamKind::Out) => out,
            _ => return Err(no_launch),
        };
        let inputs = (0..args.len()).map(|i| is(i, ParamKind::In)).collect();
        let mut used = FxHashSet::default();
        for step in &after[..n] {
            match step {
                Step::Launch { .. } | Step::Eval { .. } => {}
                Step::Free(buffer) => _ = used.insert(*buffer),
                step => {
                    step.each_buffer(&mut |buffer| _ = used.insert(buffer));
                    used.extend(step.results().into_iter().filter_map(|result| match result {
                        Place::Buffer(buffer) => Some(buffer),
                        Place::Slot(_) => None,
                    }));
                }
            }
        }
        let freed = after[n + 1..].iter().map_while(|step| match step {
            Step::Free(buffer) => Some(*buffer),
            _ => None,
        });
        Ok(Filling { cluster: *cluster, args, places, inputs, out, used, ends: freed.collect() })
    }

    /// The launch, if the buffer may be made over this one, and the launch reads it; or why it may
    /// not.
    pub fn over(&self, over: Over) -> Result<Option<Overwrite<'a>>, &'static str> {
        if self.used.contains(&over.buffer) {
            return Err("is over what has other uses before its launch");
        }
        if !self.ends.contains(&over.buffer) {
            return Err("is over what is used after its launch");
        }
        let input = match self.places.get(&over.buffer) {
            None if over.start == Arg::Const(Const::I64(0)) => return Ok(None),
            Some(&(input, true)) if self.inputs[input] => input,
            _ => return Err("is over what its launch does not read"),
        };
        let Filling { cluster, args, out, .. } = *self;
        if over.start != Arg::Const(Const::I64(0)) && !args.contains(&over.start) {
            return Err("is over what its launch reads from another place on");
        }
        Ok(Some(Overwrite { cluster, args, out, input }))
    }
}

/// The launch that fills a buffer, given the steps after the one that makes it, if that reads the
/// other buffer over which it may be made; or why it may not.
pub fn overwrite<'a>(
    clusters: &IdMap<ClusterId, Cluster>,
    after: &'a [Step],
    buffer: Buffer,
    over: Over,
) -> Result<Option<Overwrite<'a>>, &'static str> {
    Filling::of(clusters, after, buffer)?.over(over)
}

/// Whether a buffer is freed by the steps right after the one that uses it.
pub fn dies(buffer: Buffer, after: &[Step]) -> bool {
    after.iter().take_while(|s| matches!(s, Step::Free(_))).any(|s| *s == Step::Free(buffer))
}

/// Whether a buffer is freed with the first of the steps after the one that asks that uses it.
pub fn ends_soon(buffer: Buffer, after: &[Step]) -> bool {
    let Some(n) = after.iter().position(|step| step.uses_buffer(buffer)) else { return false };
    let frees = |steps: &[Step]| steps.contains(&Step::Free(buffer));
    match &after[n] {
        Step::Free(_) => true,
        // Arms free the same.
        Step::If { then, .. } if frees(&then.steps) => true,
        _ => dies(buffer, &after[n + 1..]),
    }
}

/// All launches that write over what they read.
pub fn overwrites(program: &Program) -> Vec<(Over, Overwrite<'_>)> {
    let mut found = Vec::new();
    for function in program.funcs.values() {
        add(program, &function.body, &mut found);
    }
    found
}

fn add<'a>(program: &'a Program, block: &'a Block, found: &mut Vec<(Over, Overwrite<'a>)>) {
    for (n, step) in block.steps.iter().enumerate() {
        match step {
            Step::Alloc { buffer, over: Some(over), .. } => {
                let after = &block.steps[n + 1..];
                let pair = overwrite(&program.clusters, after, *buffer, *over);
                found.extend(pair.ok().flatten().map(|pair| (*over, pair)));
            }
            Step::If { then, els, .. } => {
                add(program, then, found);
                add(program, els, found);
            }
            _ => {}
        }
    }
}
