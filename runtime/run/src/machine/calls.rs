//! The way through a plan: calls, branches, and what comes back from them.
//!
//! Calls under way are in a list, not on the stack of the thread: a plan may recurse as deeply as
//! there is memory for.  The call that a function ends with takes the place of its caller.
//!
//! ```text
//!                                   calls under way     blocks of the last one
//! main   step 0: call f             main                body of main
//! f      step 0: if, with steps     main, f             body of f
//!          arm, step 0: call g      main, f             body of f, arm
//! ```

use super::endless::Chain;
use super::{Machine, Result, RunError};
use crate::descent::{Joined, Meanwhile, Tried};
use crate::frame::{Frame, Passed};
use crate::trace::EventKind;
use base::Span;
use device::Device;
use plan::over::dies;
use plan::{Arg, Block, Func, Place, Step};
use std::time::Instant;

/// Bytes of calls under way that fit in any case.
const LITTLE: usize = 64 << 20;

/// A call of a plan.
struct Call<B> {
    func: Func,
    args: Vec<Passed<B>>,
    span: Span,
    /// Lanes of it that the device runs meanwhile.
    meanwhile: Option<Meanwhile<B>>,
}

/// A call under way.
struct Activation<'a, D: Device> {
    frame: Frame<'a, D>,
    /// The blocks it is in, the innermost last.
    blocks: Vec<Under<'a>>,
    /// Where what it gives goes in its caller.
    results: &'a [Place],
    /// Lanes whose results belong to what it gives, and which the device runs meanwhile.
    meanwhile: Vec<Meanwhile<D::Buffer>>,
    name: &'a str,
    span: Span,
    /// When it began, if somebody wants to know.
    began: Option<Instant>,
}

/// A block under way.
struct Under<'a> {
    block: &'a Block,
    /// The step that is next.
    next: usize,
    /// Where what it gives goes; the function's body gives what the call gives.
    results: &'a [Place],
}

/// What a call under way comes to.
enum Turn<'a, B> {
    /// It gives this.
    Done(Vec<Passed<B>>),
    /// It goes on with what another call gives, in these places.
    Call(Call<B>, &'a [Place]),
    /// It gives what another call gives.
    Last(Call<B>),
}

impl<'a, D: Device> Machine<'a, D> {
    /// Runs a plan.
    pub fn call(
        &mut self,
        func: Func,
        args: Vec<Passed<D::Buffer>>,
        span: Span,
    ) -> Result<Vec<Passed<D::Buffer>>> {
        let mut under_way = Vec::new();
        let mut result = self.run(&mut under_way, Call { func, args, span, meanwhile: None });
        // A user who stops a recursion wants to know which one.
        if let (Err(RunError::Interrupted { span }), Some(call)) = (&mut result, under_way.last())
            && span.is_none()
        {
            *span = call.span;
        }
        while let Some(call) = under_way.pop() {
            call.meanwhile.iter().for_each(|meanwhile| self.abandon(meanwhile));
            self.leave(&call);
        }
        // What a launch had to tell comes before what the host found after it.
        let done = self.waiting(|device| device.wait());
        self.note_times();
        done?;
        result
    }

    /// Runs a call to its end; what is under way at an error stays there.
    fn run(
        &mut self,
        under_way: &mut Vec<Activation<'a, D>>,
        call: Call<D::Buffer>,
    ) -> Result<Vec<Passed<D::Buffer>>> {
        under_way.push(self.enter(call, (&[], Vec::new())));
        // How much memory there is, is asked when it matters.
        let (mut used, mut room) = (0, LITTLE.min(self.room));
        let mut chain = Chain::new();
        loop {
            let depth = under_way.len();
            let Some(present) = under_way.last_mut() else { unreachable!("a call is under way") };
            match self.go_on(present)? {
                Turn::Last(call) => {
                    let made = (call.func, &call.args[..]);
                    if chain.comes_back(self.device, made, depth) {
                        return Err(RunError::Endless { span: call.span });
                    }
                    let what_for = (present.results, std::mem::take(&mut present.meanwhile));
                    under_way.pop().iter().for_each(|done| self.leave(done));
                    under_way.push(self.enter(call, what_for));
                }
                Turn::Call(call, results) => {
                    used += present.bytes();
                    if used > room {
                        room = value::stack::size().min(self.room);
                    }
                    if used > room {
                        return Err(RunError::Depth { span: call.span });
                    }
                    let made = (call.func, &call.args[..]);
                    if chain.comes_back(self.device, made, depth + 1) {
                        return Err(RunError::Endless { span: call.span });
                    }
                    under_way.push(self.enter(call, (results, Vec::new())));
                }
                Turn::Done(values) => {
                    let (results, values) = (present.results, self.joined(present, values)?);
                    let values = match values {
                        Joined::All(values) => values,
                        Joined::Again(func, args, span) => {
                            let meanwhile = std::mem::take(&mut present.meanwhile);
                            let again = Call { func, args, span, meanwhile: None };
                            under_way.pop().iter().for_each(|done| self.leave(done));
                            under_way.push(self.enter(again, (results, meanwhile)));
                            continue;
                        }
                    };
                    under_way.pop().iter().for_each(|done| self.leave(done));
                    chain.returned(under_way.len());
                    let Some(caller) = under_way.last_mut() else { return Ok(values) };
                    used -= caller.bytes();
                    caller.frame.set_all(results, values);
                }
            }
        }
    }

    /// What a call gives, once all lanes have come to their end that ran meanwhile.
    fn joined(
        &mut self,
        call: &mut Activation<'a, D>,
        mut values: Vec<Passed<D::Buffer>>,
    ) -> Result<Joined<D::Buffer>> {
        while let Some(meanwhile) = call.meanwhile.pop() {
            match self.join(meanwhile, values)? {
                Joined::All(all) => values = all,
                again @ Joined::Again(..) => return Ok(again),
            }
        }
        Ok(Joined::All(values))
    }

    /// Begins a call, for whose results there are places; those of lanes that run meanwhile belong
    /// to them.
    fn enter(
        &mut self,
        call: Call<D::Buffer>,
        (results, mut meanwhile): (&'a [Place], Vec<Meanwhile<D::Buffer>>),
    ) -> Activation<'a, D> {
        let Call { func, args, span, meanwhile: more } = call;
        meanwhile.retain(|lanes| !self.has_ended(lanes));
        meanwhile.extend(more);
        let function = &self.program.funcs[func];
        let mut frame = Frame::new(self.device, self.program, function);
        for (&param, arg) in function.params.iter().zip(args) {
            frame.set(param, arg);
        }
        let blocks = vec![Under { block: &function.body, next: 0, results: &[] }];
        let (name, began) = (&function.name, self.moment());
        Activation { frame, blocks, results, meanwhile, name, span, began }
    }

    /// Notes that a call has ended.
    fn leave(&mut self, call: &Activation<'a, D>) {
        self.touch(call.frame.reads.get());
        if let (Some(trace), Some(began)) = (&mut self.trace, call.began) {
            trace.end(EventKind::Call, call.name, call.span, began);
        }
    }

    /// Runs a call up to its next call, or to its end.
    fn go_on(&mut self, call: &mut Activation<'a, D>) -> Result<Turn<'a, D::Buffer>> {
        let Activation { frame, blocks, .. } = call;
        loop {
            let only = blocks.len() == 1;
            let Some(Under { block, next, results }) = blocks.last_mut() else {
                unreachable!("a call has a body");
            };
            let (block, n) = (*block, *next);
            let Some(step) = block.steps.get(n) else {
                let values = self.yielded(frame, block)?;
                if only {
                    return Ok(Turn::Done(values));
                }
                frame.keep_as_results(block);
                frame.set_all(results, values);
                blocks.pop();
                continue;
            };
            *next += 1;
            self.begin(frame, step)?;
            let after = &block.steps[n + 1..];
            // What such a step gives is what the call gives.
            let last = only && block.ends_with(n);
            match step {
                Step::If { results, cond, then, els } => {
                    let arm = if frame.scalar(*cond).bool() { then } else { els };
                    if last {
                        blocks.pop();
                    }
                    blocks.push(Under { block: arm, next: 0, results });
                }
                Step::Call { results, func, args, span } => {
                    let args = handed(frame, args, after);
                    let (args, meanwhile) = match self.run_otherwise(*func, &args, *span)? {
                        Tried::Done(values) if last => return Ok(Turn::Done(values)),
                        Tried::Done(values) => {
                            frame.set_all(results, values);
                            continue;
                        }
                        Tried::Left => (args, None),
                        Tried::Less(less, meanwhile) => (less, Some(meanwhile)),
                    };
                    let next = Call { func: *func, args, span: *span, meanwhile };
                    return Ok(if last { Turn::Last(next) } else { Turn::Call(next, results) });
                }
                _ => self.step(frame, step, after)?,
            }
        }
    }

    /// What a block gives.
    fn yielded(
        &mut self,
        frame: &mut Frame<'a, D>,
        block: &Block,
    ) -> Result<Vec<Passed<D::Buffer>>> {
        if frame.awaits(|| block.yields.iter().filter_map(|y| y.slot()).collect()) {
            self.waiting(|_| frame.settle())?;
        }
        Ok(block.yields.iter().map(|&y| frame.passed(y)).collect())
    }

    /// What a call gives that runs lane by lane, or on the device alone.
    fn run_otherwise(
        &mut self,
        func: Func,
        args: &[Passed<D::Buffer>],
        span: Span,
    ) -> Result<Tried<D::Buffer>> {
        if let Some(routine) = self.routine(func, args) {
            return Ok(Tried::Done(self.call_lanes(routine, args, span)?));
        }
        if let Some((routine, args)) = self.only_lane(func, args)? {
            return Ok(Tried::Done(self.call_lanes(routine, &args, span)?));
        }
        self.descend(func, args, span)
    }
}

impl<D: Device> Activation<'_, D> {
    /// What it takes in memory while it waits, about.
    fn bytes(&self) -> usize {
        size_of::<Self>() + self.blocks.capacity() * size_of::<Under<'_>>() + self.frame.bytes()
    }
}

/// What a call is given.  What is not used afterwards is the callee's alone, to free or to
/// overwrite.
fn handed<D: Device>(
    frame: &mut Frame<'_, D>,
    args: &[Arg],
    after: &[Step],
) -> Vec<Passed<D::Buffer>> {
    let passed = args.iter().map(|&arg| frame.passed(arg)).collect();
    for buffer in args.iter().filter_map(|arg| arg.buffer()) {
        if dies(buffer, after) {
            frame.take_buffer(buffer);
        }
    }
    passed
}
