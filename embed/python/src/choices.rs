//! The choices of a program: the engine, and the widths of numbers.
//!
//! A session has one width of ints and one of floats.  Where the arguments of a call decide, there
//! is a session for each combination that occurred.

use crate::error::{input, raised};
use crate::output::Output;
use arrow::Found;
use nesl::{Engine, Options};
use prim::{Width, Widths};
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// An engine with its choices, which programs share.
#[pyclass(frozen)]
pub(crate) struct Choices {
    options: Options,
    ints: Option<Width>,
    floats: Option<Width>,
    sessions: Mutex<Vec<(Widths, usize, nesl::Session)>>,
}

/// How many forks lie between the first process and this one.
static FORKS: AtomicUsize = AtomicUsize::new(0);

/// To be called in a process that was just forked: it has none of the threads of the one before.
#[pyfunction]
pub(crate) fn forked() {
    FORKS.fetch_add(1, Ordering::Relaxed);
}

/// The number of the process, counted along forks.
pub(crate) fn generation() -> usize {
    FORKS.load(Ordering::Relaxed)
}

/// The width that a number of bits names; none is the one that the arguments have.
pub(crate) fn width(py: Python<'_>, what: &str, bits: Option<u32>) -> PyResult<Option<Width>> {
    match bits {
        None => Ok(None),
        Some(32) => Ok(Some(Width::W32)),
        Some(64) => Ok(Some(Width::W64)),
        Some(bits) => Err(input(py, format!("{what} of {bits} bits: they have 32 or 64"))),
    }
}

/// The widths of a call by what was chosen for ints and floats, and by its arguments' numbers.
pub(crate) fn common(chosen: (Option<Width>, Option<Width>), found: Found) -> Widths {
    let int = chosen.0.or(found.ints.common()).unwrap_or(Width::W64);
    let float = chosen.1.or(found.floats.common()).unwrap_or(Width::W64);
    Widths { int, float }
}

/// The engine of a name.
pub(crate) fn engine(py: Python<'_>, name: &str) -> PyResult<Engine> {
    Ok(match name {
        "auto" => Engine::Auto,
        "cpu" => Engine::Cpu,
        "cuda" => Engine::Cuda,
        "interp" => Engine::Interp,
        other => {
            let message = format!("there is no engine `{other}`: auto, cpu, cuda or interp");
            return Err(input(py, message));
        }
    })
}

#[pymethods]
impl Choices {
    #[new]
    fn new(
        py: Python<'_>,
        engine: &str,
        threads: Option<usize>,
        memory: Option<usize>,
        widths: (Option<u32>, Option<u32>),
        compiler: Option<PathBuf>,
    ) -> PyResult<Choices> {
        let engine = self::engine(py, engine)?;
        let interruptible = true;
        let options =
            Options { engine, threads, memory, interruptible, compiler, ..Options::default() };
        let (ints, floats) = (width(py, "ints", widths.0)?, width(py, "floats", widths.1)?);
        let made = Choices { options, ints, floats, sessions: Mutex::default() };
        made.session(py, made.widths(Found::default()))?;
        Ok(made)
    }
}

impl Choices {
    /// The widths of a call whose arguments have numbers of these.
    pub(crate) fn widths(&self, found: Found) -> Widths {
        common((self.ints, self.floats), found)
    }

    /// The session of these widths in this process.
    pub(crate) fn session(&self, py: Python<'_>, widths: Widths) -> PyResult<nesl::Session> {
        let own = generation();
        let sessions = || self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        let known = || {
            let sessions = sessions();
            let mut sessions = sessions.iter();
            let session = sessions.find(|(known, of, _)| *known == widths && *of == own);
            session.map(|(.., session)| session.clone())
        };
        if let Some(session) = known() {
            return Ok(session);
        }
        let on_gpu = match self.options.engine {
            Engine::Cuda => true,
            Engine::Auto => nesl::Session::has_gpu(),
            Engine::Cpu | Engine::Interp => false,
        };
        if on_gpu && sessions().iter().any(|(_, of, _)| *of != own) {
            let message = "a GPU was used before this process was forked, and CUDA does not work \
                           after a fork: start processes by spawn, as in \
                           `multiprocessing.get_context(\"spawn\")`";
            return Err(input(py, message));
        }
        let options = Options {
            narrow_ints: widths.int == Width::W32,
            narrow_floats: widths.float == Width::W32,
            ..self.options.clone()
        };
        let made = py.detach(|| nesl::Session::with_output(&options, Box::new(Output)));
        let made = made.map_err(|error| raised(py, &error))?;
        // Another thread may have made one meanwhile.
        if let Some(session) = known() {
            return Ok(session);
        }
        // A session waits for its threads when it is dropped, and a forked process has none of
        // them.
        std::mem::forget(made.clone());
        sessions().push((widths, own, made.clone()));
        Ok(made)
    }
}

/// True if there is a GPU; what it takes besides is not looked for.
#[pyfunction]
pub(crate) fn has_gpu() -> bool {
    nesl::Session::has_gpu()
}
