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
use rustc_hash::{FxHashMap, FxHashSet};

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
        let (mut dead, mut n) = (Dead::default(), 0);
        while n < block.steps.len() {
            if let Some((freed, old)) = self.dead(&block.steps, n, &dead) {
                let filled = n + self.filled(&block.steps[n..]);
                // It ends behind the launch that fills the new buffer; steps between come earlier.
                block.steps[freed..=filled].rotate_left(1);
                n -= 1;
                let start = Arg::Const(Const::I64(0));
                if let Step::Alloc { over, .. } = &mut block.steps[n] {
                    *over = Some(Over { buffer: old, start });
                }
                dead.freed.remove(&old);
            }
            dead.note(&block.steps[n]);
            n += 1;
        }
    }

    /// How many steps after the first, which makes a buffer, a launch fills it.
    fn filled(&self, steps: &[Step]) -> usize {
        let Step::Alloc { buffer, .. } = steps[0] else { return 0 };
        steps[1..].iter().position(|step| step.uses_buffer(buffer)).map_or(0, |n| n + 1)
    }

    /// What the buffer that step `n` makes can take the memory of, and the step that frees it.
    fn dead(&self, steps: &[Step], n: usize, dead: &Dead) -> Option<(usize, Buffer)> {
        let Step::Alloc { buffer, len, over: None, .. } = steps[n] else { return None };
        let ty = |buffer: Buffer| self.function.buffers[buffer].ty;
        let suits = |&(f, old): &(usize, Buffer)| {
            let made = dead.sizes.get(&old);
            // Whoever is given it by the step before gets it all if it ends there.
            let last = steps[..f].iter().rev().find(|step| !matches!(step, Step::Free(_)));
            ty(old) == ty(buffer)
                && made.is_some_and(|&other| self.canonical(other) == self.canonical(len))
                && matches!(last, Some(Step::Launch { .. } | Step::Eval { .. }))
                && !dead.taken.contains(&old)
        };
        let before = steps[..n].iter().enumerate().rev();
        let near = before.take_while(|(_, step)| dead.may_come_between(step));
        let freed = near.filter_map(|(f, step)| match step {
            Step::Free(old) => Some((f, *old)),
            _ => None,
        });
        let found = freed.into_iter().find(suits)?;
        Filling::of(&self.program.clusters, &steps[n + 1..], buffer).is_ok().then_some(found)
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

/// What is known of the buffers of a block before one of its steps.
#[derive(Default)]
struct Dead {
    /// How many elements they were made with.
    sizes: FxHashMap<Buffer, Arg>,
    /// Those that are freed.
    freed: FxHashSet<Buffer>,
    /// Those whose memory another takes.
    taken: FxHashSet<Buffer>,
}

impl Dead {
    fn note(&mut self, step: &Step) {
        match step {
            Step::Alloc { buffer, len, over, .. } => {
                self.sizes.insert(*buffer, *len);
                self.taken.extend(over.iter().map(|over| over.buffer));
            }
            Step::Zero { buffer, len, .. } | Step::Copy { buffer, len, .. } => {
                self.sizes.insert(*buffer, *len);
            }
            Step::Free(buffer) => _ = self.freed.insert(*buffer),
            _ => {}
        }
    }

    /// Whether a step makes nothing, or something that is still needed.
    fn may_come_between(&self, step: &Step) -> bool {
        match step {
            Step::Launch { .. } | Step::Eval { .. } | Step::Free(_) => true,
            Step::Alloc { buffer, .. } | Step::Room { buffer, .. } | Step::Zero { buffer, .. } => {
                !self.freed.contains(buffer)
            }
            _ => false,
        }
    }
}
