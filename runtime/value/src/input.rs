//! Values from files and from literals, read by the shape that a parameter needs.
//!
//! The ending of the name says what a file is: `.npy` ([`npy`]), `.mtx` ([`mtx`]), `.txt`
//! ([`text`]), `.nesl` ([`literal`]).  What does not fit is a diagnostic that names the file, the
//! place in it, what was found and what is needed.

mod literal;
mod mtx;
pub(crate) mod npy;
mod other;
mod text;

use crate::buffer::OutOfMemory;
use crate::columns::Columns;
use crate::disk::read_within;
use crate::failure::too_long;
use crate::memory::Budget;
use crate::shape::Shape;
use base::{Diagnostic, Kind, Site};
use prim::{Const, Widths};
use std::fs::File;
use std::io;
use std::path::Path;

/// Why an input cannot be used.
pub(crate) enum Problem {
    /// What is wrong with it, to stand after its name: "`a.npy`: ...".
    Input(String),
    /// It has more elements than a sequence may have at these widths.
    Long(Widths),
    /// It does not fit into memory.
    Memory(OutOfMemory),
    /// It is larger than the free memory, this number of bytes.
    Larger(usize),
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

impl From<io::Error> for Problem {
    fn from(error: io::Error) -> Problem {
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
            Problem::Memory(_) | Problem::Larger(_) => {
                Diagnostic::new(Kind::Runtime(Site::Memory), message)
                    .help("`--memory SIZE` allows more or less")
            }
        }
    }

    fn message(&self) -> String {
        match self {
            Problem::Input(message) => message.clone(),
            Problem::Long(widths) => too_long(*widths).1,
            Problem::Memory(full) => full.to_string(),
            Problem::Larger(left) => {
                format!("out of memory: it is larger than the {left} bytes that are left")
            }
        }
    }
}

/// Reads a file as one value of this shape, for the parameter of this name. The budget is charged
/// for the text while it is read, and for the value as long as that exists.
pub fn read(
    path: &Path,
    shape: &Shape,
    widths: Widths,
    parameter: &str,
    budget: &Budget,
) -> Result<Columns, Diagnostic> {
    let ending = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase();
    let columns = if shape.has_function() {
        Err(Problem::Input("functions cannot be read".to_owned()))
    } else {
        match ending.as_str() {
            "npy" => npy::read(path, shape, widths, budget),
            "mtx" => bytes(path, budget, |text| mtx::read(&text, shape, widths, budget)),
            "txt" => bytes(path, budget, |text| text::read(&text, shape, widths, budget)),
            "nesl" => bytes(path, budget, |text| literal::read(text, shape, widths, budget)),
            _ => Err(Problem::Input(NO_INPUT.to_owned())),
        }
    };
    let charged = |mut columns: Columns| columns.charge_to(budget).map(|()| columns);
    let columns = columns.and_then(|columns| Ok(charged(counted(columns, widths)?)?));
    columns.map_err(|problem| {
        let error = problem.of(&path.display().to_string());
        let error = error.note(format!("`{parameter}` has type {shape}"));
        match other::conversion(path) {
            Some(advice) => error.help(advice),
            None => error,
        }
    })
}

/// The endings of files that are read.
const READ: [&str; 4] = ["npy", "mtx", "txt", "nesl"];
const NO_INPUT: &str = "no .npy, .mtx, .txt or .nesl file";

/// Returns true if an argument is the name of a file: it has the ending of a known format,
/// supported or not, and does not begin like a literal.
pub fn names_file(argument: &str) -> bool {
    let path = Path::new(argument);
    let ending = path.extension().and_then(|ending| ending.to_str());
    let read = ending.is_some_and(|ending| READ.iter().any(|e| ending.eq_ignore_ascii_case(e)));
    let literal = argument.starts_with(['"', '[', '(', '`']);
    (read || other::conversion(path).is_some()) && !literal
}

/// The int that a float of a data file stands for: a whole number that int holds.  This is the one
/// rule for floats where ints are needed, in arrays, matrices and texts.
fn whole(float: f64, widths: Widths) -> Option<i64> {
    // 2^63, to which the largest int would be rounded, is above all ints.
    let inside = (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&float);
    let int = Const::I64(float as i64);
    (inside && float.trunc() == float && widths.holds(int)).then(|| int.int())
}

/// Reads a NESL literal, given for the parameter of this name, as one value of this shape.  The
/// text is bytes, as any text of the language: characters have all codes.
pub fn read_literal(
    source: &[u8],
    shape: &Shape,
    widths: Widths,
    parameter: &str,
    budget: &Budget,
) -> Result<Columns, Diagnostic> {
    if shape.has_function() {
        return Err(Problem::Input("functions cannot be read".to_owned()).of(parameter));
    }
    literal::read(source.to_vec(), shape, widths, budget).map_err(|problem| {
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
    let read = literal::read(source.to_vec(), shape, widths, &Budget::unlimited());
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

/// Reads the bytes of a file, and a value from them; the bytes are charged meanwhile.
fn bytes(
    path: &Path,
    budget: &Budget,
    value: impl FnOnce(Vec<u8>) -> Result<Columns, Problem>,
) -> Result<Columns, Problem> {
    let left = budget.left();
    let text = read_within(&mut File::open(path)?, left).map_err(|error| match error.kind() {
        io::ErrorKind::OutOfMemory => Problem::Larger(left),
        _ => error.into(),
    })?;
    let _charge = budget.charge(text.len())?;
    value(text)
}
