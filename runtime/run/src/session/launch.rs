//! Runs of compiled programs: arguments in, launches counted and timed, results out.

use super::Options;
use super::compiled::Compiled;
use crate::frame::Passed;
use crate::trace::EventKind;
use crate::{Machine, RunError, Trace, border};
use base::Span;
use compile::Text;
use device::Device;
use lower::LoweredEntry;
use prim::Const;
use std::time::Instant;
use types::tree::Program;
use value::Columns;

/// Whether somebody looks at how a call is made.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Watch {
    Yes,
    No,
}

/// What an entry is given, before the values that it uses.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Arguments {
    Nothing,
    /// Those of the call that is ready.
    Kept,
    /// Those of the call that is ready, which may be overwritten.
    Spent,
}

impl<D: Device<Text: Text>> Compiled<D> {
    /// The value that an entry of the program that is ready computes, with this key of its random
    /// numbers.
    pub(super) fn run(
        &mut self,
        program: &Program,
        entry: usize,
        arguments: Arguments,
        key: i64,
    ) -> Result<Columns, RunError> {
        let results = self.launch(program, entry, (arguments, key), Watch::Yes)?;
        let Some(ready) = &self.ready else { unreachable!("nothing is ready to run") };
        let func = ready.lowered.entries[entry].func;
        let result = ready.lowered.program.funcs[func].result_type();
        let result = result.unwrap_or_else(|| unreachable!("an entry has one result"));
        let no_room = |error| RunError::Memory { error, span: Span::none() };
        let device = self.device.get();
        let (began, before) = (Instant::now(), device.traffic());
        let value = border::result(device, program.widths, result, &mut results.into_iter());
        self.report.stats.traffic.add(&device.traffic().since(&before));
        self.note(EventKind::Border, "result", began);
        value.map_err(no_room)
    }

    /// Runs an entry of the program that is ready.
    pub(super) fn launch(
        &mut self,
        program: &Program,
        entry: usize,
        (arguments, key): (Arguments, i64),
        watch: Watch,
    ) -> Result<Vec<Passed<D::Buffer>>, RunError> {
        match self.launch_once(program, entry, (arguments, key), watch, true) {
            Err(RunError::Spent) if arguments != Arguments::Spent => {
                let lost = self.report.runs.pop().unwrap_or(0.0);
                let done = self.launch_once(program, entry, (arguments, key), watch, false);
                self.report.runs.last_mut().into_iter().for_each(|seconds| *seconds += lost);
                done
            }
            done => done,
        }
    }

    /// The same, where lanes may overwrite what nobody else needs, or not.
    fn launch_once(
        &mut self,
        program: &Program,
        entry: usize,
        (arguments, key): (Arguments, i64),
        watch: Watch,
        lends: bool,
    ) -> Result<Vec<Passed<D::Buffer>>, RunError> {
        let mut passed = match arguments {
            Arguments::Nothing => Vec::new(),
            Arguments::Kept => self.arguments.clone(),
            Arguments::Spent => std::mem::take(&mut self.arguments),
        };
        let device = self.device.get();
        let Some(ready) = &self.ready else { unreachable!("nothing is ready to run") };
        let LoweredEntry { inputs, key: keyed, .. } = &ready.lowered.entries[entry];
        for global in inputs {
            let columns = self.values.get(global);
            let name = || &program.globals[*global].name;
            let columns = columns.unwrap_or_else(|| unreachable!("`{}` has no value", name()));
            let span = program.globals[*global].span;
            border::arguments(device, columns, &mut passed)
                .map_err(|error| RunError::Memory { error, span })?;
        }
        if *keyed {
            passed.push(Passed::Scalar(Const::I64(key)));
        }
        let Options { time_kernels, trace, .. } = self.options;
        device.time_launches(watch == Watch::Yes && (time_kernels || trace));
        let (memory, traffic) = (device.memory(), device.traffic());
        let start = Instant::now();
        let clock = || start.elapsed().as_secs_f64();
        let mut machine = Machine::new(device, &ready.module, &ready.plan, &ready.facts);
        machine.lends = lends;
        machine.room = self.budget().left();
        machine.count = self.options.compile.count;
        machine.interrupt = self.options.interrupt.clone();
        if watch == Watch::Yes {
            machine.clock = time_kernels.then_some(&clock);
            machine.trace = trace.then(|| Trace::new(self.origin));
        }
        let done = machine.call(ready.plan.entries[entry], passed, Span::none());
        self.report.runs.push(clock());
        self.report.memory = device.memory();
        machine.stats.allocations = self.report.memory.allocations - memory.allocations;
        machine.stats.reused = self.report.memory.reused - memory.reused;
        machine.stats.traffic = device.traffic().since(&traffic);
        let kernels = std::mem::take(&mut machine.stats.kernels).into_iter();
        machine.stats.kernels =
            kernels.map(|(number, row)| (number + ready.kernels_before, row)).collect();
        self.report.stats.add(&machine.stats);
        self.report.trace.extend(machine.trace.into_iter().flat_map(|trace| trace.events));
        done
    }
}
