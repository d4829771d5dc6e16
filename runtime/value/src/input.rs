//! Values from files and from literals, read by the shape that a parameter needs.
//!
//! The ending of the name says what a file is: `.npy` ([`npy`]), `.mtx` ([`mtx`]), `.txt`
//! ([`text`]), `.nesl` ([`literal`]).  What does not fit is a diagnostic that names the file, the
//! place in it, what was found and what is needed.

mod literal;
mod mtx;
pub(crate) mod npy;
mod text;

use crate::buffer::OutOfMemory;
use crate::columns::Columns;
use crate::failure::too_long;
use crate::shape::Shape;
use base::{Diagnostic, Kind, Site};
use prim::Widths;
use std::fs;
use std::path::Path;

/// Why an input cannot be used.
pub(crate) enum Problem {
    /// What is wrong with it, to stand after its name: "`a.npy`: ...".
    Input(String),
    /// It has more elements than a sequence may have at these widths.
    Long(Widths),
    /// It does not fit into memory.
    Memory(OutOfMemory),
}

impl From<OutOfMemory> for Problem {
    fn from(full: OutOfMemory) -> Problem {
        Problem::Memory(full)
    }
}

impl From<String> for Problem {
    fn from(message: String) -> Problem {
        Problem::Input(message)
    }
}

impl From<std::io::Error> for Problem {
    fn from(error: std::io::Error) -> Problem {
        Problem::Input(error.to_string())
    }
}

impl Problem {
    /// The message about the input of this name.
    pub(crate) fn of(self, input: &str) -> Diagnostic {
        let message = format!("`{input}`: {}", self.message());
        match self {
            Problem::Input(_) => Diagnostic::new(Kind::Input, message),
            Problem::Long(widths) => Diagnostic::of(too_long(widths).0, message),
            Problem::Memory(_) => Diagnostic::new(Kind::Runtime(Site::Memory), message),
        }
    }

    fn message(&self) -> String {
        match self {
            Problem::Input(message) => message.clone(),
            Problem::Long(widths) => too_long(*widths).1,
            Problem::Memory(full) => full.to_string(),
        }
    }
}

/// Reads a file as one value of this shape, for the parameter of this name.
pub fn read(
    path: &Path,
    shape: &Shape,
    widths: Widths,
    parameter: &str,
) -> Result<Columns, Diagnostic> {
    let ending = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase();
    let columns = if shape.has_function() {
        Err(Problem::Input("functions cannot be read".to_owned()))
    } else {
        match ending.as_str() {
            "npy" => npy::read(path, shape, widths),
            "mtx" => bytes(path).and_then(|text| mtx::read(&text, shape, widths)),
            "txt" => bytes(path).and_then(|text| text::read(&text, shape, widths)),
            "nesl" => bytes(path).and_then(|text| literal::read(text, shape, widths)),
            _ => Err(Problem::Input("no .npy, .mtx, .txt or .nesl file".to_owned())),
        }
    };
    columns.and_then(|columns| counted(columns, widths)).map_err(|problem| {
        problem.of(&path.display().to_string()).note(format!("`{parameter}` has type {shape}"))
    })
}

/// Reads a NESL literal, given for the parameter of this name, as one value of this shape.  The
/// text is bytes, as any text of the language: characters have all codes.
pub fn read_literal(
    source: &[u8],
    shape: &Shape,
    widths: Widths,
    parameter: &str,
) -> Result<Columns, Diagnostic> {
    if shape.has_function() {
        return Err(Problem::Input("functions cannot be read".to_owned()).of(parameter));
    }
    literal::read(source.to_vec(), shape, widths).map_err(|problem| {
        let error = problem.of(parameter).note(format!("`{parameter}` has type {shape}"));
        match meant(source, shape, parameter) {
            Some(advice) => error.help(advice),
            None => error,
        }
    })
}

/// What may have been meant by what is no literal.
fn meant(source: &[u8], shape: &Shape, parameter: &str) -> Option<String> {
    let text = std::str::from_utf8(source).ok()?;
    let plain = !text.contains(['"', '\'', '`', '\\', '[', '(', '\n']);
    let ending = Path::new(text).extension().and_then(|ending| ending.to_str());
    let named = ending.is_some_and(|e| e.starts_with(|c: char| c.is_ascii_alphabetic()));
    if plain && (named || text.contains('/')) {
        return Some("files are .npy, .mtx, .txt or .nesl".to_owned());
    }
    let quoted = || format!("a string has quotes, also for the shell: '{parameter}=\"{text}\"'");
    (plain && shape.is_string()).then(quoted)
}

/// Reads the text of an object, which is a literal that a program wrote to a file; the error says
/// why it is none.
pub fn read_object(source: &[u8], shape: &Shape, widths: Widths) -> Result<Columns, String> {
    let read = literal::read(source.to_vec(), shape, widths);
    read.map_err(|problem| format!("{}; a value of type {shape} is needed", problem.message()))
}

/// Columns that ints can count.
fn counted(columns: Columns, widths: Widths) -> Result<Columns, Problem> {
    room(columns.longest(), widths).map(|()| columns)
}

/// Whether ints can count so many elements.
fn room(length: usize, widths: Widths) -> Result<(), Problem> {
    let length = i64::try_from(length).unwrap_or(i64::MAX);
    if length <= widths.max_length() { Ok(()) } else { Err(Problem::Long(widths)) }
}

fn bytes(path: &Path) -> Result<Vec<u8>, Problem> {
    Ok(fs::read(path)?)
}
