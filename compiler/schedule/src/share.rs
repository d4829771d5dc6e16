//! Pass **share**: new buffers take the memory of others of their size that are dead.
//!
//! ```text
//!   launch c1(b1, b2)                launch c1(b1, b2)
//!   free b1
//!   b3: f64 = buffer n0        ==>   b3: f64 = buffer n0 over b1
//!   launch c2(b2, b3)                launch c2(b2, b3)
//!                                    free b1
//! ```
//!
//! As [`overwrite`](crate::overwrite()) says of what a launch reads, and without asking anything of
//! its loops, as they have nothing to do with what is dead.  Memory is held no longer than it would
//! be in use anyway: between the last use and the new buffer nothing is made that has ended before
//! that.  Sizes are the same where the elements are, and the numbers of elements are the same
//! scalar or computed alike.  In routines memory comes from a stack, which does better.

use plan::over::Filling;
use plan::{Arg, Block, Buffer, Function, Over, Place, Program, Slot, Step};
use prim::Const;
use rustc_hash::FxHashMap;

/// Says of new buffers which dead ones they take the memory of.
pub fn share(program: &mut Program, _target: &crate::Target) {
    let serial = plan::routines::serial_functions(program);
    let funcs: Vec<_> = program.funcs.ids().filter(|func| !serial.contains(func)).collect();
    for func in funcs {
        let mut body = std::mem::take(&mut program.funcs[func].body);
        Sizes { program, function: &program.funcs[func], same: FxHashMap::default() }
            .block(&mut body);
        program.funcs[func].body = body;
    }
}

/// What is known of sizes in one function.
struct Sizes<'a> {
    program: &'a Program,
    function: &'a Function,
    /// Scalars that are the same as an earlier one.
    same: FxHashMap<Slot, Slot>,
}

impl Sizes<'_> {
    fn block(&mut self, block: &mut Block) {
        self.note_equal(&block.steps);
        for step in &mut block.steps {
            if let Step::If { then, els, .. } = step {
                self.block(then);
                self.block(els);
            }
        }
        let mut n = 0;
        while n < block.steps.len() {
            n = self.step(block, n);
        }
    }

    /// Looks for what a new buffer can take the memory of; tells which step is next.
    fn step(&self, block: &mut Block, n: usize) -> usize {
        let Step::Alloc { buffer, len, over: None, .. } = block.steps[n] else { return n + 1 };
        let Some(freed) = (0..n).rev().find(|&f| self.suits(block, (f, n), buffer, len)) else {
            return n + 1;
        };
        let Step::Free(old) = block.steps.remove(freed) else { return n + 1 };
        // The new buffer is made by the step before now.
        let (made, taken) = (n - 1, Over { buffer: old, start: Arg::Const(Const::I64(0)) });
        if let Step::Alloc { over, .. } = &mut block.steps[made] {
            *over = Some(taken);
        }
        let filled = block.steps[n..].iter().position(|step| step.uses_buffer(buffer));
        block.steps.insert(n + filled.unwrap_or(0) + 1, Step::Free(old));
        n
    }

    /// Whether the buffer that step `f` frees is dead and as large as the one that step `n` makes,
    /// and may be kept until then.
    fn suits(&self, block: &Block, (f, n): (usize, usize), buffer: Buffer, len: Arg) -> bool {
        let steps = &block.steps;
        let Step::Free(old) = steps[f] else { return false };
        let ty = |buffer: Buffer| self.function.buffers[buffer].ty;
        let made = steps[..f].iter().find_map(|step| length(step, old));
        let fits = ty(old) == ty(buffer)
            && made.is_some_and(|other| self.canonical(other) == self.canonical(len));
        // Whoever is given it by the step before gets it all if it ends there.
        let last = steps[..f].iter().rev().find(|step| !matches!(step, Step::Free(_)));
        let read = matches!(last, Some(Step::Launch { .. } | Step::Eval { .. }));
        let taken = |step: &Step| matches!(step, Step::Alloc { over: Some(over), .. } if over.buffer == old);
        fits && read
            && !steps.iter().any(taken)
            && steps[f + 1..n].iter().all(|step| self.may_come_between(block, n, step))
            && Filling::of(&self.program.clusters, &steps[n + 1..], buffer).is_ok()
    }

    /// Whether a step makes nothing, or something that is still needed when step `n` is made.
    fn may_come_between(&self, block: &Block, n: usize, step: &Step) -> bool {
        match step {
            Step::Launch { .. } | Step::Eval { .. } | Step::Free(_) => true,
            Step::Alloc { buffer, .. } | Step::Room { buffer, .. } | Step::Zero { buffer, .. } => {
                !block.steps[..n].contains(&Step::Free(*buffer))
            }
            _ => false,
        }
    }

    /// Notes which scalars are computed from the same in the same way.
    fn note_equal(&mut self, steps: &[Step]) {
        let mut known: Vec<(scalar::Code<Place>, &[Slot])> = Vec::new();
        for step in steps {
            let Step::Eval { results, code } = step else { continue };
            // What a buffer holds changes.
            if code.refs().vectors.iter().any(|place| place.buffer().is_some()) {
                continue;
            }
            let code = code.map_refs(|place| match place {
                Place::Slot(slot) => Place::Slot(self.slot(slot)),
                buffer => buffer,
            });
            match known.iter().find(|(other, _)| *other == code) {
                Some((_, slots)) => {
                    let pairs = results.iter().copied().zip(slots.iter().copied());
                    self.same.extend(pairs);
                }
                None => known.push((code, results)),
            }
        }
    }
    fn slot(&self, slot: Slot) -> Slot {
        self.same.get(&slot).copied().unwrap_or(slot)
    }
    fn canonical(&self, arg: Arg) -> Arg {
        match arg {
            Arg::Slot(slot) => Arg::Slot(self.slot(slot)),
            other => other,
        }
    }
}

/// How many elements a step makes a buffer with, if it does, and that is its size.
fn length(step: &Step, made: Buffer) -> Option<Arg> {
    match step {
        Step::Alloc { buffer, len, .. }
        | Step::Zero { buffer, len, .. }
        | Step::Copy { buffer, len, .. }
            if *buffer == made =>
        {
            Some(*len)
        }
        _ => None,
    }
}
