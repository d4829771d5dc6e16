//! Pass **overwrite**: results take the memory of inputs that are not used any more.
//!
//! Which inputs end with a launch stands in the plan; whether the kernel may write over one is seen
//! in its loops (`kernel/src/over.rs`).  So the kernels of such launches are made to be asked.

use crate::scheduler;
use crate::target::Target;
use base::Id;
use kernel::over::Accesses;
use kernel::{ArgKind, Kernel};
use plan::over::{Filling, Overwrite};
use plan::{Arg, Block, Buffer, ClusterId, Function, Over, Place, Program, Step};
use prim::Const;
use std::collections::BTreeMap;

const ZERO: Arg = Arg::Const(Const::I64(0));

/// Says of new buffers which others they are made over.
pub fn overwrite(program: &mut Program, target: &Target) {
    let funcs: Vec<_> = program.funcs.ids().collect();
    for func in funcs {
        let function = &program.funcs[func];
        let (kernels, found) = (BTreeMap::new(), BTreeMap::new());
        let mut pairs = Pairs { program, function, target, kernels, found };
        pairs.block(&function.body);
        let found = pairs.found;
        set(&mut program.funcs[func].body, &found);
    }
}

/// Marks an output of a kernel that a plan has made over an input.  What the plan says stands even
/// if it is wrong, for the kernel's verifier to tell.
pub(crate) fn mark(kernel: &mut Kernel, over: Over, pair: Overwrite<'_>) {
    let (out, input) = (kernel::Arg::new(pair.out), kernel::Arg::new(pair.input));
    let start = |found: &kernel::Over| found.start.map_or(ZERO, |start| pair.args[start.index()]);
    let found = kernel.may_overwrite(out, input).ok().filter(|found| start(found) == over.start);
    let stated = || {
        let start = pair.args.iter().position(|&arg| arg == over.start);
        kernel::Over { input, start: start.map(kernel::Arg::new) }
    };
    kernel.args[out].kind = ArgKind::Over(found.unwrap_or_else(stated));
}

/// Notes in the plan what was found.
fn set(block: &mut Block, found: &BTreeMap<Buffer, Over>) {
    for step in &mut block.steps {
        match step {
            Step::Alloc { buffer, over, .. } => *over = over.or(found.get(buffer).copied()),
            Step::If { then, els, .. } => {
                set(then, found);
                set(els, found);
            }
            _ => {}
        }
    }
}

/// The pairs of one function.
struct Pairs<'a> {
    program: &'a Program,
    function: &'a Function,
    target: &'a Target,
    /// Kernels with the pairs so far, and what they read and store.
    kernels: BTreeMap<ClusterId, (Kernel, Accesses)>,
    /// What each new buffer is made over.
    found: BTreeMap<Buffer, Over>,
}

impl<'a> Pairs<'a> {
    fn block(&mut self, block: &'a Block) {
        for (n, step) in block.steps.iter().enumerate() {
            match step {
                Step::Alloc { buffer, over: None, .. } => {
                    self.alloc(*buffer, &block.steps[n + 1..]);
                }
                Step::If { then, els, .. } => {
                    self.block(then);
                    self.block(els);
                }
                _ => {}
            }
        }
    }

    /// Looks for what a new buffer can be made over, given the steps after it.
    fn alloc(&mut self, buffer: Buffer, after: &'a [Step]) {
        let Some(n) = after.iter().position(|step| step.uses_buffer(buffer)) else {
            return;
        };
        let Step::Launch { cluster, args, .. } = &after[n] else { return };
        // No kernel has to be made to see that one can fail.
        if self.program.clusters[*cluster].nodes.iter().any(|node| node.code.has_effect()) {
            return;
        }
        let Ok(filling) = Filling::of(&self.program.clusters, after, buffer) else { return };
        let ty = |buffer: Buffer| self.function.buffers[buffer].ty;
        let pair = |input: Buffer| {
            let over = Over { buffer: input, start: ZERO };
            (ty(input) == ty(buffer)).then(|| Some((input, filling.over(over).ok()??)))?
        };
        let mut inputs: Vec<(Buffer, Overwrite<'_>)> =
            args.iter().filter_map(|arg| pair(arg.buffer()?)).collect();
        // What a caller hands over may still be the caller's.
        inputs.sort_by_key(|&(input, _)| self.function.params.contains(&Place::Buffer(input)));
        for (input, pair) in inputs {
            let free = !self.found.values().any(|over| over.buffer == input);
            if free
                && let Some(start) = self.start(pair)
                && !after[..n].iter().any(|step| sets(step, start))
            {
                self.found.insert(buffer, Over { buffer: input, start });
                return;
            }
        }
    }

    /// If the kernel may write one over the other: where it reads first.
    fn start(&mut self, pair: Overwrite<'_>) -> Option<Arg> {
        let cluster = &self.program.clusters[pair.cluster];
        let (kernel, accesses) = self.kernels.entry(pair.cluster).or_insert_with(|| {
            let kernel = scheduler::kernel(cluster, self.target, self.program.widths);
            let accesses = kernel.accesses();
            (kernel, accesses)
        });
        let (out, input) = (kernel::Arg::new(pair.out), kernel::Arg::new(pair.input));
        let over = accesses.may_overwrite(kernel, out, input).ok()?;
        let start = over.start.map_or(ZERO, |start| pair.args[start.index()]);
        kernel.args[out].kind = ArgKind::Over(over);
        // One pair may take away what another relies on.
        let right = |(out, over): (kernel::Arg, kernel::Over)| {
            accesses.may_overwrite(kernel, out, over.input) == Ok(over)
        };
        let fine = kernel.overwritten().all(right);
        if !fine || matches!(start, Arg::Const(c) if c.int() != 0) {
            kernel.args[out].kind = ArgKind::Out;
            return None;
        }
        Some(start)
    }
}

/// Whether a step sets a scalar.
fn sets(step: &Step, arg: Arg) -> bool {
    let Arg::Slot(slot) = arg else { return false };
    let set = matches!(step, Step::Launch { args, .. } if args.contains(&arg));
    set || step.results().contains(&Place::Slot(slot))
}
