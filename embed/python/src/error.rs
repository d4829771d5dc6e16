//! Errors as exceptions of the class `nesl.Error`.

use base::{Diagnostic, Files, Kind, Site};
use nesl::Error;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();

/// The exception of an error.
pub(crate) fn raised(py: Python<'_>, error: &Error) -> PyErr {
    let messages = error.messages().map(|message| {
        let span = message.span.map(|span| (span.start, span.end, span.line, span.column));
        let text = message.text.trim_end();
        (&*message.code, &*message.message, text, span, message.lanes.clone())
    });
    let messages: Vec<_> = messages.collect();
    let made = CLASS
        .import(py, "nesl._error", "Error")
        .and_then(|class| class.call1((messages, error.to_string())));
    made.map_or_else(|failed| failed, PyErr::from_value)
}

/// The exception of an argument that cannot be taken.
pub(crate) fn input(py: Python<'_>, message: impl Into<String>) -> PyErr {
    raised(py, &Error::input(message))
}

/// The exception of an array of this name.
pub(crate) fn of_arrow(py: Python<'_>, name: &str, error: &arrow::Error) -> PyErr {
    let kind = match (error.memory, error.limit) {
        (true, _) => Kind::Runtime(Site::Memory),
        (_, true) => Kind::Limit,
        _ => Kind::Input,
    };
    let row = error.row.map_or(String::new(), |row| format!(" in row {row}"));
    let mut told = Diagnostic::new(kind, format!("`{name}{}`{row}: {}", error.path, error.reason));
    told.lanes.extend(error.row.map(|row| row as u64));
    raised(py, &Error::of(&[told], &Files::new()))
}

/// The exception of memory that could not be had.
pub(crate) fn memory(py: Python<'_>, error: value::OutOfMemory) -> PyErr {
    raised(py, &Error::plain(Kind::Runtime(Site::Memory), error.to_string()))
}

/// The page about a code such as `N0506`, in Markdown; none if there is no such code.
#[pyfunction]
pub(crate) fn explain(code: &str) -> Option<&'static str> {
    base::Code::parse(code).map(base::Code::page)
}
