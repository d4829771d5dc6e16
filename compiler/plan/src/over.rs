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

use crate::ir::{Arg, Block, Buffer, Cluster, ClusterId, Over, ParamKind, Place, Program, Step};
use base::IdMap;
use prim::Const;

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

/// The launch that fills a buffer, given the steps after the one that makes it; or why the buffer
/// may not be made over another.
pub fn overwrite<'a>(
    clusters: &IdMap<ClusterId, Cluster>,
    after: &'a [Step],
    buffer: Buffer,
    over: Over,
) -> Result<Overwrite<'a>, &'static str> {
    let Some(n) = after.iter().position(|step| step.uses_buffer(buffer)) else {
        return Err("is not filled");
    };
    let Step::Launch { cluster, args, .. } = &after[n] else {
        return Err("is filled by no launch in this block");
    };
    let place = |wanted: Buffer, kind: ParamKind| {
        let params = &clusters.get(*cluster)?.params;
        let mut places = (0..args.len()).filter(|&i| args[i].buffer() == Some(wanted));
        let place = places.next().filter(|&i| params.get(i).is_some_and(|p| p.kind == kind));
        place.filter(|_| places.next().is_none())
    };
    let Some(out) = place(buffer, ParamKind::Out) else {
        return Err("is filled by no launch in this block");
    };
    let Some(input) = place(over.buffer, ParamKind::In) else {
        return Err("is over what its launch does not read");
    };
    let reads = |step: &Step| match step {
        Step::Launch { .. } | Step::Eval { .. } => true,
        step if step.results().contains(&Place::Buffer(over.buffer)) => false,
        step => !step.uses_buffer(over.buffer) && *step != Step::Free(over.buffer),
    };
    if !after[..n].iter().all(reads) {
        return Err("is over what has other uses before its launch");
    }
    if !dies(over.buffer, &after[n + 1..]) {
        return Err("is over what is used after its launch");
    }
    let start = |&arg: &Arg| arg == over.start;
    if over.start != Arg::Const(Const::I64(0)) && !args.iter().any(start) {
        return Err("is over what its launch reads from another place on");
    }
    Ok(Overwrite { cluster: *cluster, args, out, input })
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
                found.extend(pair.ok().map(|pair| (*over, pair)));
            }
            Step::If { then, els, .. } => {
                add(program, then, found);
                add(program, els, found);
            }
            _ => {}
        }
    }
}
