//! The extension module of the package `nesl` for Python: sessions, programs, calls and arrays.
//!
//! Python code in `python/nesl` does all that needs no memory of other libraries, such as names,
//! choices and the layouts of arrays that describe themselves.

#![expect(unsafe_code, reason = "memory of other libraries is described by numbers and structs")]

mod array;
mod cost;
mod error;
mod lists;
mod repl;
mod stop;
mod take;

use array::Array;
use error::raised;
use nesl::{Engine, Options};
use pyo3::prelude::*;
use std::io::{self, Write};
use stop::interruptible;

/// A writer to `sys.stdout`, for programs that print.
struct Output;

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(bytes);
        let written = Python::attach(|py| {
            py.import("sys")?.getattr("stdout")?.call_method1("write", (&*text,)).map(drop)
        });
        written.map(|()| bytes.len()).map_err(|error| io::Error::other(error.to_string()))
    }
    fn flush(&mut self) -> io::Result<()> {
        let flushed = Python::attach(|py| {
            py.import("sys")?.getattr("stdout")?.call_method0("flush").map(drop)
        });
        flushed.map_err(|error| io::Error::other(error.to_string()))
    }
}

#[pyclass(frozen)]
struct Session(nesl::Session);

#[pyclass(frozen)]
struct Program(nesl::Program, nesl::Session);

#[pyclass(frozen)]
struct Function(nesl::Function, nesl::Session);

/// The engine of a name.
fn engine_of(py: Python<'_>, name: &str) -> PyResult<Engine> {
    Ok(match name {
        "auto" => Engine::Auto,
        "cpu" => Engine::Cpu,
        "cuda" => Engine::Cuda,
        "interp" => Engine::Interp,
        other => {
            let message = format!("there is no engine `{other}`: auto, cpu, cuda or interp");
            return Err(error::input(py, message));
        }
    })
}

#[pymethods]
impl Session {
    #[new]
    fn new(
        py: Python<'_>,
        engine: &str,
        threads: Option<usize>,
        memory: Option<usize>,
    ) -> PyResult<Session> {
        let engine = engine_of(py, engine)?;
        let interruptible = true;
        let options = Options { engine, threads, memory, interruptible, ..Options::default() };
        let made = py.detach(|| nesl::Session::with_output(&options, Box::new(Output)));
        made.map(Session).map_err(|error| raised(py, &error))
    }

    fn compile(&self, py: Python<'_>, name: &str, text: &str) -> PyResult<Program> {
        let made = interruptible(py, &self.0, || self.0.compile_named(name, text.as_bytes()))?;
        made.map(|made| Program(made, self.0.clone())).map_err(|error| raised(py, &error))
    }
}

#[pymethods]
impl Program {
    fn names(&self) -> Vec<&str> {
        self.0.functions().collect()
    }
    fn warnings(&self) -> Vec<String> {
        self.0.warnings().to_vec()
    }
    fn function(&self, py: Python<'_>, name: &str) -> PyResult<Function> {
        let found = self.0.function(name);
        found.map(|found| Function(found, self.1.clone())).map_err(|error| raised(py, &error))
    }
}

#[pymethods]
impl Function {
    fn parameters(&self) -> Vec<String> {
        self.0.parameters().to_vec()
    }

    #[expect(clippy::needless_pass_by_value, reason = "arguments from Python are owned")]
    fn call(&self, py: Python<'_>, values: Vec<Bound<'_, PyAny>>) -> PyResult<Py<PyAny>> {
        let widths = self.0.widths();
        let mut arguments = Vec::new();
        for (n, value) in values.iter().enumerate() {
            let name = self.0.parameters().get(n);
            let name = name.map_or_else(|| format!("argument {}", n + 1), String::clone);
            arguments.push(take::argument(value, &name, widths)?);
        }
        let result = interruptible(py, &self.1, || self.0.call(arguments))?;
        let result = result.map_err(|error| raised(py, &error))?;
        array::object(py, result.columns(), result.shape(), 0)
    }
}

#[pymodule]
fn _nesl(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Session>()?;
    module.add_class::<Program>()?;
    module.add_class::<Function>()?;
    module.add_class::<Array>()?;
    module.add_class::<take::Rows>()?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<repl::Repl>()?;
    module.add_function(wrap_pyfunction!(repl::wholeness, module)?)?;
    module.add_function(wrap_pyfunction!(cost::cost, module)?)?;
    module.add_function(wrap_pyfunction!(cost::profile, module)?)
}
