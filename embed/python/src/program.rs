//! Programs and their functions.

use crate::array;
use crate::choices::{Choices, generation};
use crate::error::{input, raised};
use crate::stop::interruptible;
use crate::take;
use arrow::{Fill, Found, Nulls};
use prim::Widths;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::sync::{Arc, PoisonError, RwLock};
use types::Type;

/// The functions of a text.
#[pyclass(frozen)]
pub(crate) struct Program(Arc<Shared>);

struct Shared {
    choices: Py<Choices>,
    name: String,
    text: String,
    /// The program at the widths of its first compilation, whose errors and names are those of all.
    first: nesl::Program,
    /// The widths and the process of that.
    first_of: (Widths, usize),
    nulls: Nulls,
}

/// A function of a program, at all widths at which it was called.
#[pyclass(frozen)]
pub(crate) struct Function {
    program: Arc<Shared>,
    name: String,
    parameters: Vec<String>,
    types: Vec<Type>,
    made: RwLock<Vec<Made>>,
}

/// A function at some widths, in the process that made it.
struct Made {
    widths: Widths,
    generation: usize,
    function: nesl::Function,
    session: nesl::Session,
}

#[pymethods]
impl Program {
    #[new]
    fn new(
        py: Python<'_>,
        choices: Py<Choices>,
        name: String,
        text: String,
        fill: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Program> {
        let nulls = match fill {
            None => Nulls::Refuse,
            Some(fill) => Nulls::Fill(Fill {
                int: fill.extract().or_else(|_| fill.extract().map(|x: f64| x as i64))?,
                float: fill.extract()?,
                bool: fill.is_truthy()?,
            }),
        };
        let (widths, own) = (choices.get().widths(Found::default()), choices.get());
        let session = own.session(py, widths)?;
        let first = compiled(py, &session, &name, &text)?;
        let first_of = (widths, generation());
        Ok(Program(Arc::new(Shared { choices, name, text, first, first_of, nulls })))
    }

    fn names(&self) -> Vec<&str> {
        self.0.first.functions().collect()
    }
    fn warnings(&self) -> Vec<String> {
        self.0.first.warnings().to_vec()
    }
    fn function(&self, py: Python<'_>, name: &str) -> PyResult<Function> {
        let found = self.0.first.function(name).map_err(|error| raised(py, &error))?;
        Ok(Function {
            program: Arc::clone(&self.0),
            name: name.to_owned(),
            parameters: found.parameters().to_vec(),
            types: found.types().to_vec(),
            made: RwLock::default(),
        })
    }
}

fn compiled(
    py: Python<'_>,
    session: &nesl::Session,
    name: &str,
    text: &str,
) -> PyResult<nesl::Program> {
    let made = interruptible(py, session, || session.compile_named(name, text.as_bytes()))?;
    made.map_err(|error| raised(py, &error))
}

impl Function {
    /// The function at some widths.
    fn at(&self, py: Python<'_>, widths: Widths) -> PyResult<(nesl::Function, nesl::Session)> {
        let generation = generation();
        let is_wanted = |made: &Made| made.widths == widths && made.generation == generation;
        let known = self.made.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(Made { function, session, .. }) = known.iter().find(|made| is_wanted(made)) {
            return Ok((function.clone(), session.clone()));
        }
        drop(known);
        let Shared { choices, name, text, first, first_of, .. } = &*self.program;
        let session = choices.get().session(py, widths)?;
        let program = match (widths, generation) == *first_of {
            true => first.clone(),
            false => compiled(py, &session, name, text)?,
        };
        let function = program.function(&self.name).map_err(|error| raised(py, &error))?;
        let made =
            Made { widths, generation, function: function.clone(), session: session.clone() };
        let mut all = self.made.write().unwrap_or_else(PoisonError::into_inner);
        // Of threads that call at the same widths for the first time, each comes here.
        if !all.iter().any(is_wanted) {
            all.push(made);
        }
        Ok((function, session))
    }
}

#[pymethods]
impl Function {
    fn parameters(&self) -> Vec<String> {
        self.parameters.clone()
    }

    fn call(&self, values: &Bound<'_, PyTuple>) -> PyResult<Py<PyAny>> {
        let (py, mut found) = (values.py(), Found::default());
        let mut taken = Vec::with_capacity(values.len());
        for (n, value) in values.iter().enumerate() {
            taken.push(take::argument(&value, self.parameter(n), &mut found)?);
        }
        take::adapt(&mut taken, &self.types);
        let widths = self.program.choices.get().widths(found);
        let options = arrow::Options { widths, nulls: self.program.nulls };
        let mut arguments = Vec::new();
        for (n, taken) in taken.into_iter().enumerate() {
            arguments.push(taken.finish(py, self.parameter(n), options)?);
        }
        let (function, session) = self.at(py, widths)?;
        let result = interruptible(py, &session, || function.call(arguments))?;
        let result = result.map_err(|error| raised(py, &error))?;
        array::object(py, result.columns(), result.shape(), 0)
    }
}

impl Function {
    /// The name of a parameter.
    fn parameter(&self, n: usize) -> &str {
        self.parameters.get(n).map_or("argument", String::as_str)
    }
}

/// The types of some arguments, as NESL writes them; `bottom` is that of an empty list's elements.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "arguments from Python are owned")]
pub(crate) fn types_of(
    py: Python<'_>,
    values: Vec<Bound<'_, PyAny>>,
    names: Vec<String>,
) -> PyResult<Vec<String>> {
    let types = values.iter().zip(&names).map(|(value, name)| {
        let taken = take::argument(value, name, &mut Found::default())?;
        taken.type_name().ok_or_else(|| input(py, format!("`{name}`: its type is unknown")))
    });
    types.collect()
}
