//! Descents: recursive functions that a device runs to their end, without the host.
//!
//! While lanes are long, the host launches what each depth does.  As soon as none is longer than a
//! part of the device has room for, the device does the rest by itself.

use crate::frame::Passed;
use crate::lanes::{argument, int};
use crate::machine::{Machine, Result};
use crate::trace::Launched;
use base::{Id, Span};
use device::{Descended, Device};
use plan::Func;
use plan::descent::{Descent, Part, descents};
use rustc_hash::FxHashMap;

/// The descents of a program.
pub(crate) struct Descents {
    known: FxHashMap<Func, Known>,
}

struct Known {
    number: usize,
    descent: Descent,
    /// So many calls are not tried.
    rest: u32,
}

impl Descents {
    pub(crate) fn of(program: &plan::Program) -> Descents {
        let known = |(number, descent): (usize, Descent)| {
            (descent.func, Known { number, descent, rest: 0 })
        };
        Descents { known: descents(program).into_iter().enumerate().map(known).collect() }
    }
}

impl<D: Device> Machine<'_, D> {
    /// Has the device run a call to its end; gives its results if that went well.
    pub(crate) fn descend(
        &mut self,
        func: Func,
        args: &[Passed<D::Buffer>],
        span: Span,
    ) -> Result<Option<Vec<Passed<D::Buffer>>>> {
        let Some(known) = self.descents.known.get_mut(&func) else { return Ok(None) };
        if known.rest > 0 {
            known.rest -= 1;
            return Ok(None);
        }
        let (number, routine) = (known.number, known.descent.routine);
        let into = known.descent.params.iter().zip(&args[1..]);
        let into: Vec<_> =
            into.filter(|(part, _)| **part == Part::Into).map(|(_, arg)| arg).collect();
        // Whoever else refers to such a vector wants what it was.
        let shared = |arg: &&Passed<D::Buffer>| match arg {
            Passed::Buffer(memory) | Passed::Offsets(memory, _) => self.device.is_shared(memory),
            Passed::Scalar(_) => unreachable!("results are vectors"),
        };
        if into.iter().any(shared) {
            return Ok(None);
        }
        let [kernel, _] = plan::routines::kernels(self.program, routine);
        let bound: Vec<_> = args.iter().map(argument).collect();
        let began = self.moment();
        #[expect(unsafe_code, reason = "the arguments are those of the function")]
        // SAFETY: the plan passes them to the function itself.
        let done = unsafe { self.device.descend(self.module, (number, Id::new(kernel)), &bound) }?;
        let launches = match done {
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
        let rest = match done {
            Descended::Done => return Ok(Some(into.into_iter().cloned().collect())),
            // Lanes become half as long, as a rule at best.
            Descended::Heavy(times) => times.max(2).ilog2(),
            // A check that fails is found in the usual way; what lacked memory may need less later.
            Descended::GaveUp => 8,
            Descended::Impossible => u32::MAX,
        };
        if let Some(known) = self.descents.known.get_mut(&func) {
            known.rest = rest;
        }
        Ok(None)
    }
}
