//! A session for cells of a notebook: what the command's session does with what is typed.

use crate::error::{input, memory, raised};
use crate::output::Output;
use crate::stop::stoppable;
use crate::{array, choices};
use base::{Diagnostic, Files, Kind};
use nesl::Error;
use prim::Widths;
use pyo3::prelude::*;
use run::session::{Answer, EngineKind, Event, Options};
use shell::{completion, place, whole};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, TryLockError};
use value::{Interrupt, Shape, on_big_stack};

/// A session in which definitions stay from one cell to the next.
#[pyclass(frozen)]
pub(crate) struct Repl {
    session: Mutex<run::Session>,
    interrupt: Interrupt,
}

#[pymethods]
impl Repl {
    /// With the engine "auto" what is small is interpreted, as it is in the command.
    #[new]
    fn new(
        py: Python<'_>,
        engine: &str,
        threads: Option<usize>,
        memory: Option<usize>,
        compiler: Option<PathBuf>,
    ) -> PyResult<Repl> {
        let engine = choices::engine(py, engine)?;
        let mut options = Options::new(match engine {
            nesl::Engine::Auto => EngineKind::Auto,
            nesl::Engine::Cpu => EngineKind::Cpu,
            nesl::Engine::Cuda => EngineKind::Cuda,
            nesl::Engine::Interp => EngineKind::Interp,
        });
        options.small_first = options.engine == EngineKind::Auto;
        (options.cpu.threads, options.cpu.memory) = (threads, memory);
        options.cpu.compiler = compiler;
        options.cpu.interrupt = Some(options.interrupt.clone());
        let interrupt = options.interrupt.clone();
        let made = py.detach(|| run::Session::new(&options, Box::new(Output)));
        let session = made.map_err(|error| raised(py, &Error::of(&[error], &Files::new())))?;
        Ok(Repl { session: Mutex::new(session), interrupt })
    }

    /// Processes a text as one group, and tells of each event when it happens, on another thread:
    /// `tell("shown", name, type, text, value)`, where a definition has no value,
    /// `tell("said", text)`, `tell("warned", text)` and `tell("failed", error)`.  Says whether
    /// the session goes on.
    fn evaluate(
        &self,
        py: Python<'_>,
        name: &str,
        text: &str,
        tell: &Bound<'_, PyAny>,
    ) -> PyResult<bool> {
        let tell = tell.clone().unbind();
        let mut failed = None;
        let mut sink = |files: &Files, event: Event| {
            let told = Python::attach(|py| told(py, tell.bind(py), files, event));
            if let Err(error) = told {
                // Nobody hears of what comes after it.
                self.interrupt.raise();
                failed.get_or_insert(error);
            }
        };
        // Python takes signals on the main thread only.  There an interrupt would also end what is
        // told of it.
        let run = || {
            let mut session = self.session.lock().map_err(|_| broken())?;
            Ok(session.run(name, text.as_bytes(), &mut sink))
        };
        let flow = stoppable(py, &self.interrupt, || on_big_stack(run));
        if let Some(error) = failed {
            self.interrupt.clear();
            return Err(error);
        }
        flow?.map(|flow| flow.is_continue()).map_err(|error: Error| raised(py, &error))
    }

    /// The start of the word before a place, and what it may become; places are offsets in bytes.
    fn complete(&self, py: Python<'_>, text: &str, at: usize) -> PyResult<(usize, Vec<String>)> {
        let names: BTreeSet<String> = self.locked(py)?.names().map(str::to_owned).collect();
        Ok(completion::complete(text.get(..at).unwrap_or(text), &names))
    }

    /// The text of the command `describe` for the name at a place, or if that is unknown, for the
    /// function whose arguments stand around it.
    fn describe(&self, py: Python<'_>, text: &str, at: usize) -> PyResult<Option<String>> {
        let session = self.locked(py)?;
        Ok(place::names_at(text, at).iter().find_map(|name| session.about(name)))
    }

    /// The names defined in the session, with their types.
    fn names(&self, py: Python<'_>) -> PyResult<Vec<(String, String)>> {
        let session = self.locked(py)?;
        Ok(session.own_names().map(|known| (known.name, known.ty)).collect())
    }
}

impl Repl {
    fn locked(&self, py: Python<'_>) -> PyResult<MutexGuard<'_, run::Session>> {
        // Whoever waited here would keep the interpreter lock of Python, which a cell that runs
        // needs to tell of its events.
        self.session.try_lock().map_err(|error| match error {
            TryLockError::Poisoned(_) => raised(py, &broken()),
            TryLockError::WouldBlock => input(py, "a cell is running"),
        })
    }
}

/// Says if a text can be run: "whole", "unterminated" if only the last `;` is missing, or
/// "unfinished".
#[pyfunction]
pub(crate) fn wholeness(text: &str) -> &'static str {
    if whole::lacks_terminator(text) {
        "unterminated"
    } else if whole::is_complete(text) {
        "whole"
    } else {
        "unfinished"
    }
}

fn broken() -> Error {
    let message = "the session cannot be used any more: an earlier cell ended in a bug";
    Error::plain(Kind::Bug, message)
}

/// Tells of an event.
fn told(py: Python<'_>, tell: &Bound<'_, PyAny>, files: &Files, event: Event) -> PyResult<()> {
    let error = |list: &[Diagnostic]| raised(py, &Error::of(list, files)).into_value(py);
    match event {
        Event::Shown { name, value, ty, data } => {
            let text = String::from_utf8_lossy(&value);
            let value = data.map(|(answer, shape)| object(py, answer, &shape)).transpose()?;
            tell.call1(("shown", name, ty, text, value.flatten()))?;
        }
        Event::Said(text) => drop(tell.call1(("said", text))?),
        Event::Warning(warning) => drop(tell.call1(("warned", warning.short_warning(files)))?),
        Event::Failed(errors) => drop(tell.call1(("failed", error(&errors)))?),
    }
    Ok(())
}

/// A value as an object of Python; none if there are functions in it.
fn object(py: Python<'_>, answer: Answer, shape: &Shape) -> PyResult<Option<Py<PyAny>>> {
    if shape.has_function() {
        return Ok(None);
    }
    let columns = answer.into_columns(shape, Widths::WIDE).map_err(|error| memory(py, error))?;
    array::object(py, &columns, shape, 0).map(Some)
}
