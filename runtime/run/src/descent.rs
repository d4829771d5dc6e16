//! Descents: recursive functions that a device runs to their end, without the host.
//!
//! While lanes are long, the host launches what each depth does.  Those that are no longer than a
//! part of the device has room for, the device runs to their end by itself: aside, while others are
//! longer, and at last the rest.

use crate::frame::Passed;
use crate::lanes::{argument, int};
use crate::machine::{Machine, Result};
use crate::trace::Launched;
use base::{Id, Span};
use device::{Aside, Descended, Device, Lanes};
use plan::Func;
use plan::descent::Part;
use prim::Const;

/// After one that did not go well, so many calls are not tried.
const AGAIN: u32 = 8;

/// What became of a call that the device might run by itself.
pub(crate) enum Tried<B> {
    /// Nothing: it runs in the usual way.
    Left,
    /// It gives this.
    Done(Vec<Passed<B>>),
    /// Only some lanes are left, with these arguments; the device runs the others meanwhile.
    Less(Vec<Passed<B>>, Meanwhile<B>),
}

/// Lanes of a call that the device runs, while the host goes on with the others.
pub(crate) struct Meanwhile<B> {
    func: Func,
    span: Span,
    aside: Aside<B>,
    /// What they were given, but the vectors for results, which the host goes on with.
    args: Vec<Option<Passed<B>>>,
}

/// What comes of lanes that the device has run meanwhile.
pub(crate) enum Joined<B> {
    /// All results are there.
    All(Vec<Passed<B>>),
    /// It did not go well: this call does it, and gives all results.
    Again(Func, Vec<Passed<B>>, Span),
}

impl<D: Device> Machine<'_, D> {
    /// Has the device run a call to its end, or some of its lanes, if it can.
    pub(crate) fn descend(
        &mut self,
        func: Func,
        args: &[Passed<D::Buffer>],
        span: Span,
    ) -> Result<Tried<D::Buffer>> {
        let facts = self.facts;
        let Some(&(number, ref descent)) = facts.descents.get(&func) else {
            return Ok(Tried::Left);
        };
        let rest = self.rests.entry(func).or_default();
        if *rest > 0 {
            *rest -= 1;
            return Ok(Tried::Left);
        }
        let (routine, params) = (descent.routine, &descent.params);
        let into = || params.iter().zip(&args[1..]).filter(|(part, _)| **part == Part::Into);
        // Whoever else refers to such a vector wants what it was.
        let shared = |arg: &Passed<D::Buffer>| match arg {
            Passed::Buffer(memory) | Passed::Offsets(memory, _) => self.device.is_shared(memory),
            Passed::Scalar(_) => unreachable!("results are vectors"),
        };
        if into().any(|(_, arg)| shared(arg)) {
            return Ok(Tried::Left);
        }
        let [kernel, _] = plan::routines::kernels(self.program, routine);
        let bound: Vec<_> = args.iter().map(argument).collect();
        let began = self.moment();
        #[expect(unsafe_code, reason = "the arguments are those of the function")]
        // SAFETY: the plan passes them to the function itself.
        let done = unsafe { self.device.descend(self.module, (number, Id::new(kernel)), &bound) }?;
        let launches = match done {
            Descended::Parted(_) => 3,
            Descended::Done | Descended::GaveUp => 2,
            Descended::Heavy(_) => 1,
            Descended::Impossible => 0,
        };
        let lanes = int(&args[0]);
        let name = format!("{} in blocks", self.program.funcs[func].name);
        for _ in 0..launches {
            self.row(kernel, (&name, &[span]), lanes);
            if let (Some(trace), Some(began)) = (&mut self.trace, began) {
                let (lanes, spans) = (u64::try_from(lanes).unwrap_or(0), &[span]);
                trace.launched(Launched { kernel, name: &name, spans, lanes, bytes: 0, began });
            }
        }
        // Lanes become half as long, as a rule at best.
        let depths = |times: u64| times.max(2).ilog2();
        let (tried, rest) = match done {
            Descended::Done => {
                return Ok(Tried::Done(into().map(|(_, arg)| arg.clone()).collect()));
            }
            Descended::Parted(parted) => {
                let left = with_lanes(args, &parted.left);
                let given = with_lanes(args, &parted.aside.lanes).into_iter().enumerate();
                let is_into = |n: usize| n > 0 && params[n - 1] == Part::Into;
                let args = given.map(|(n, arg)| (!is_into(n)).then_some(arg)).collect();
                let meanwhile = Meanwhile { func, span, aside: parted.aside, args };
                (Tried::Less(left, meanwhile), depths(parted.times))
            }
            Descended::Heavy(times) => (Tried::Left, depths(times)),
            // A check that fails is found in the usual way; what lacked memory may need less later.
            Descended::GaveUp => (Tried::Left, AGAIN),
            Descended::Impossible => (Tried::Left, u32::MAX),
        };
        self.rest(func, rest);
        Ok(tried)
    }

    /// Waits for lanes that the device runs meanwhile; the others have given this.
    pub(crate) fn join(
        &mut self,
        meanwhile: Meanwhile<D::Buffer>,
        results: Vec<Passed<D::Buffer>>,
    ) -> Result<Joined<D::Buffer>> {
        let Meanwhile { func, span, aside, args } = meanwhile;
        if self.waiting(|device| device.join(&aside))? {
            return Ok(Joined::All(results));
        }
        self.rest(func, AGAIN);
        let mut results = results.into_iter();
        let again = args.into_iter().filter_map(|arg| arg.or_else(|| results.next()));
        Ok(Joined::Again(func, again.collect(), span))
    }

    /// Whether lanes that the device runs meanwhile have come to their end: then nobody needs what
    /// they were given any more.
    pub(crate) fn has_ended(&self, meanwhile: &Meanwhile<D::Buffer>) -> bool {
        self.device.has_ended(&meanwhile.aside)
    }

    /// Waits for lanes that nobody needs any more.
    pub(crate) fn abandon(&mut self, meanwhile: &Meanwhile<D::Buffer>) {
        // What has gone wrong is known already.
        let _ = self.device.join(&meanwhile.aside);
    }

    fn rest(&mut self, func: Func, calls: u32) {
        self.rests.insert(func, calls);
    }
}

/// The arguments of a call for some of its lanes.
fn with_lanes<B: Clone>(args: &[Passed<B>], lanes: &Lanes<B>) -> Vec<Passed<B>> {
    let mut args = args.to_vec();
    args[0] = Passed::Scalar(Const::I64(lanes.count));
    for (n, memory) in &lanes.own {
        args[*n] = Passed::Buffer(memory.clone());
    }
    args
}
