//! Calls that are looked at: their cost by the language's model, and a profile of them.
//!
//! Such a call has a session of its own, as counting and timing are choices about a session.  What
//! is told of it is what the commands `nesl cost` and `nesl run --profile` tell.

use crate::array;
use crate::error::{input, memory, raised};
use crate::output::Output;
use crate::program::Function;
use crate::stop::stoppable;
use base::{Diagnostic, Files};
use nesl::{Argument, Engine, Error};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use run::Session;
use run::session::{Callable, EngineKind, Options, Returned};
use shell::cost::{ROWS, object, tables};
use shell::profile::trace;
use shell::stats::{self, Times};

/// The cost of one call: an object of JSON, the tables of the command, and the result.
#[pyfunction]
pub(crate) fn cost(
    function: &Function,
    values: &Bound<'_, PyTuple>,
) -> PyResult<(String, String, Py<PyAny>)> {
    let py = values.py();
    let mut options = Options::new(EngineKind::Interp);
    options.account = true;
    let (looked, returned) = Looked::new(function, values, options)?.call(py, 1)?;
    let (costs, files) = (looked.session.costs(), &looked.session.files);
    let shown = (object(&costs, files).to_string(), tables(&costs, ROWS, files));
    Ok((shown.0, shown.1, looked.given_back(py, returned)?))
}

/// A profile of the last of some calls: statistics as an object of JSON and as the command's
/// tables, a trace for Perfetto, and the result.
#[pyfunction]
pub(crate) fn profile(
    function: &Function,
    values: &Bound<'_, PyTuple>,
    repeat: u32,
) -> PyResult<(String, String, String, Py<PyAny>)> {
    let py = values.py();
    let engine = match function.made_of().2.engine {
        Engine::Auto => EngineKind::Auto,
        Engine::Cpu => EngineKind::Cpu,
        Engine::Cuda => EngineKind::Cuda,
        Engine::Interp => {
            let message = "a profile shows what compiled code does, and the interpreter has none";
            return Err(input(py, message));
        }
    };
    let mut options = Options::new(engine);
    (options.time_kernels, options.trace, options.keep_calls) = (true, true, true);
    let (looked, returned) = Looked::new(function, values, options)?.call(py, repeat)?;
    let (report, files) = (looked.session.report(), &looked.session.files);
    let mut last = report.clone();
    last.trace.drain(..looked.traced_before);
    let shown = (
        stats::json(report, &looked.times, files),
        stats::text(report, &looked.times, files),
        trace(&last, files),
    );
    Ok((shown.0, shown.1, shown.2, looked.given_back(py, returned)?))
}

/// A function in a session that looks at its calls.
struct Looked {
    session: Session,
    options: Options,
    function: Callable,
    arguments: Vec<Argument>,
    times: Times,
    /// The events that were over when the last call began.
    traced_before: usize,
}

impl Looked {
    fn new(
        function: &Function,
        values: &Bound<'_, PyTuple>,
        mut options: Options,
    ) -> PyResult<Looked> {
        let py = values.py();
        let (widths, arguments) = function.taken(values)?;
        let (called, (name, text), choices) = function.made_of();
        options.widths = widths;
        (options.cpu.threads, options.cpu.memory) = (choices.threads, choices.memory);
        options.cpu.compiler.clone_from(&choices.compiler);
        options.cpu.interrupt = Some(options.interrupt.clone());
        let made = stoppable(py, &options.interrupt, || {
            let session = Session::new(&options, Box::new(Output));
            let mut session = session.map_err(|error| Error::of(&[error], &Files::new()))?;
            let defined = session.define(name, text.as_bytes());
            let defined = defined.map_err(|errors| of(&errors, &session))?;
            let function = defined.function(called).cloned();
            let missing = || Error::input(format!("there is no function `{called}`"));
            Ok((session, function.ok_or_else(missing)?))
        })?;
        let (session, function) = made.map_err(|error: Error| raised(py, &error))?;
        let times = Times { forms: session.report().runs.clone(), calls: Vec::new() };
        Ok(Looked { session, options, function, arguments, times, traced_before: 0 })
    }

    /// Calls it so often; the counts are those of the last call.
    fn call(mut self, py: Python<'_>, repeat: u32) -> PyResult<(Looked, Returned)> {
        let interrupt = self.options.interrupt.clone();
        let done = stoppable(py, &interrupt, || {
            for _ in 1..repeat {
                self.once()?;
                self.traced_before = self.session.report().trace.len();
            }
            self.once()
        })?;
        let returned = done.map_err(|error| raised(py, &error))?;
        Ok((self, returned))
    }

    fn once(&mut self) -> Result<Returned, Error> {
        self.session.reset_counts();
        let done = self.session.invoke(&self.function, self.arguments.clone());
        self.times.calls.extend(&self.session.report().runs);
        done.map_err(|errors| of(&errors, &self.session))
    }

    /// A result as an object of Python.
    fn given_back(&self, py: Python<'_>, returned: Returned) -> PyResult<Py<PyAny>> {
        let Returned { answer, shape, .. } = returned;
        let columns = answer.into_columns(&shape, self.options.widths);
        array::object(py, &columns.map_err(|error| memory(py, error))?, &shape, 0)
    }
}

/// The error of these messages about texts of a session.
fn of(errors: &[Diagnostic], session: &Session) -> Error {
    Error::of(errors, &session.files)
}
