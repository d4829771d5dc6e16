//! Programs and their functions.

use crate::array;
use crate::choices::Choices;
use crate::error::{input, raised};
use crate::stop::interruptible;
use crate::take;
use arrow::{Fill, Found, Nulls};
use nesl::{Argument, Options};
use prim::Widths;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::sync::{Arc, PoisonError, RwLock};

/// The functions of a text.
#[pyclass(frozen)]
pub(crate) struct Program(Arc<Shared>);

struct Shared {
    choices: Py<Choices>,
    name: String,
    text: String,
    /// The program at the widths of its first compilation, whose errors and names are those of all.
    first: nesl::Program,
    nulls: Nulls,
}

/// A function of a program, at all widths at which it was called.
#[pyclass(frozen)]
pub(crate) struct Function {
    program: Arc<Shared>,
    name: String,
    parameters: Vec<String>,
    made: RwLock<Vec<(Widths, nesl::Function, nesl::Session)>>,
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
        Ok(Program(Arc::new(Shared { choices, name, text, first, nulls })))
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
        let known = self.made.read().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, function, session)) = known.iter().find(|(known, ..)| *known == widths) {
            return Ok((function.clone(), session.clone()));
        }
        drop(known);
        let Shared { choices, name, text, first, .. } = &*self.program;
        let session = choices.get().session(py, widths)?;
        let program = match widths == choices.get().widths(Found::default()) {
            true => first.clone(),
            false => compiled(py, &session, name, text)?,
        };
        let function = program.function(&self.name).map_err(|error| raised(py, &error))?;
        let mut made = self.made.write().unwrap_or_else(PoisonError::into_inner);
        // Of threads that call at the same widths for the first time, each comes here.
        if !made.iter().any(|(known, ..)| *known == widths) {
            made.push((widths, function.clone(), session.clone()));
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
        let py = values.py();
        let (widths, arguments) = self.taken(values)?;
        let (function, session) = self.at(py, widths)?;
        let result = interruptible(py, &session, || function.call(arguments))?;
        let result = result.map_err(|error| raised(py, &error))?;
        array::object(py, result.columns(), result.shape(), 0)
    }
}

impl Function {
    /// The widths of a call with these arguments, and the arguments at them.
    pub(crate) fn taken(&self, values: &Bound<'_, PyTuple>) -> PyResult<(Widths, Vec<Argument>)> {
        let (py, mut found) = (values.py(), Found::default());
        let mut taken = Vec::with_capacity(values.len());
        for (n, value) in values.iter().enumerate() {
            taken.push(take::argument(&value, self.parameter(n), &mut found)?);
        }
        let widths = self.program.choices.get().widths(found);
        let options = arrow::Options { widths, nulls: self.program.nulls };
        let mut arguments = Vec::new();
        for (n, taken) in taken.into_iter().enumerate() {
            arguments.push(taken.finish(py, self.parameter(n), options)?);
        }
        Ok((widths, arguments))
    }

    /// Its name, the name and the text of its program, and the choices of that but for widths.
    pub(crate) fn made_of(&self) -> (&str, (&str, &str), &Options) {
        let Shared { choices, name, text, .. } = &*self.program;
        (&self.name, (name, text), choices.get().options())
    }

    /// The name of a parameter.
    fn parameter(&self, n: usize) -> &str {
        self.parameters.get(n).map_or("argument", String::as_str)
    }
}

/// The types of some arguments, as NESL writes them; `bottom` is that of an empty list's elements.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "arguments from Python are owned")]
pub(crate) fn types_of(py: Python<'_>, values: Vec<Bound<'_, PyAny>>) -> PyResult<Vec<String>> {
    let types = values.iter().map(|value| {
        let taken = take::argument(value, "argument", &mut Found::default())?;
        taken.type_name().ok_or_else(|| input(py, "the type of an argument is unknown"))
    });
    types.collect()
}
