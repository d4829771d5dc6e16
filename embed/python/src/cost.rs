//! Calls that are looked at: their cost by the language's model, and a profile of them.
//!
//! Such a call has a session of its own, as counting and timing are choices about a session.  What
//! is told of it is what the commands `nesl cost` and `nesl run --profile` tell.

use crate::choices::{common, width};
use crate::error::{input, memory, raised};
use crate::output::Output;
use crate::stop::stoppable;
use crate::{array, take};
use arrow::Found;
use base::Diagnostic;
use nesl::{Argument, Error};
use prim::Widths;
use pyo3::prelude::*;
use run::Session;
use run::session::{Callable, EngineKind, Options, Returned};
use shell::cost::{ROWS, object, tables};
use shell::profile::trace;
use shell::stats::{self, Times};

/// The function of a program that is called, and how.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Asked {
    text: String,
    name: String,
    function: String,
    engine: String,
    threads: Option<usize>,
    memory: Option<usize>,
    ints: Option<u32>,
    floats: Option<u32>,
}

/// The cost of one call: an object of JSON, the tables of the command, and the result.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "arguments from Python are owned")]
pub(crate) fn cost(
    py: Python<'_>,
    asked: Asked,
    values: Vec<Bound<'_, PyAny>>,
) -> PyResult<(String, String, Py<PyAny>)> {
    let mut options = Options::new(EngineKind::Interp);
    options.cpu.memory = asked.memory;
    options.account = true;
    let (session, returned) = Looked::new(py, &asked, options, &values)?.call(py, 1)?;
    let widths = session.options.widths;
    let costs = session.session.costs();
    let files = &session.session.files;
    let shown = (object(&costs, files).to_string(), tables(&costs, ROWS, files));
    Ok((shown.0, shown.1, given_back(py, returned, widths)?))
}

/// A profile of the last of some calls: statistics as an object of JSON and as the command's
/// tables, a trace for Perfetto, and the result.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "arguments from Python are owned")]
pub(crate) fn profile(
    py: Python<'_>,
    asked: Asked,
    values: Vec<Bound<'_, PyAny>>,
    repeat: u32,
) -> PyResult<(String, String, String, Py<PyAny>)> {
    let engine = match asked.engine.as_str() {
        "cpu" => EngineKind::Cpu,
        "cuda" => EngineKind::Cuda,
        "auto" => EngineKind::Auto,
        other => {
            let message = format!(
                "a profile shows what compiled code does; the engine \"{other}\" compiles none"
            );
            return Err(input(py, message));
        }
    };
    let mut options = Options::new(engine);
    (options.cpu.threads, options.cpu.memory) = (asked.threads, asked.memory);
    (options.time_kernels, options.trace, options.keep_calls) = (true, true, true);
    let (looked, returned) = Looked::new(py, &asked, options, &values)?.call(py, repeat)?;
    let widths = looked.options.widths;
    let (report, files) = (looked.session.report(), &looked.session.files);
    let mut last = report.clone();
    last.trace.drain(..looked.traced_before);
    let shown = (
        stats::json(report, &looked.times, files),
        stats::text(report, &looked.times, files),
        trace(&last, files),
    );
    Ok((shown.0, shown.1, shown.2, given_back(py, returned, widths)?))
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
        py: Python<'_>,
        asked: &Asked,
        mut options: Options,
        values: &[Bound<'_, PyAny>],
    ) -> PyResult<Looked> {
        options.cpu.interrupt = Some(options.interrupt.clone());
        let (mut taken, mut found) = (Vec::new(), Found::default());
        for value in values {
            taken.push(take::argument(value, "argument", &mut found)?);
        }
        let chosen = (width(py, "ints", asked.ints)?, width(py, "floats", asked.floats)?);
        options.widths = common(chosen, found);
        let made = stoppable(py, &options.interrupt, || {
            let session = Session::new(&options, Box::new(Output));
            let mut session = session.map_err(|error| of(&[error], None))?;
            let defined = session.define(&asked.name, asked.text.as_bytes());
            let defined = defined.map_err(|errors| of(&errors, Some(&session)))?;
            let function = defined.function(&asked.function).cloned();
            let missing = || Error::input(format!("there is no function `{}`", asked.function));
            let function = function.ok_or_else(missing)?;
            Ok((session, function))
        })?;
        let (session, function) = made.map_err(|error: Error| raised(py, &error))?;
        let mut arguments = Vec::new();
        for (n, taken) in taken.into_iter().enumerate() {
            let name = function.parameters().get(n).map_or("argument", String::as_str);
            arguments.push(taken.finish(py, name, options.widths.into())?);
        }
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
        done.map_err(|errors| of(&errors, Some(&self.session)))
    }
}

/// The error of these messages about texts of a session.
fn of(errors: &[Diagnostic], session: Option<&Session>) -> Error {
    Error::of(errors, session.map_or(&base::Files::new(), |session| &session.files))
}

/// A result as an object of Python.
fn given_back(py: Python<'_>, returned: Returned, widths: Widths) -> PyResult<Py<PyAny>> {
    let Returned { answer, shape, .. } = returned;
    let columns = answer.into_columns(&shape, widths);
    array::object(py, &columns.map_err(|error| memory(py, error))?, &shape, 0)
}
