//! Values into files: `.npy`, `.txt` and `.nesl` by the ending of the name.
//!
//! Files appear [`whole`](crate::whole).

mod npy;

use crate::columns::{Column, Columns};
use crate::convert::bounds;
use crate::input::Problem;
use crate::print::{Style, float_text};
use crate::shape::Shape;
use crate::whole::replace;
use base::Diagnostic;
use prim::{Const, Ty};
use std::fs;
use std::io::Write;
use std::path::Path;

/// Writes one value of this shape (lane 0) to a file.
pub fn write(path: &Path, value: &Columns, shape: &Shape) -> Result<(), Diagnostic> {
    write_problem(path, value, shape).map_err(|problem| problem.of(&path.display().to_string()))
}

/// Writes a text to a file of any name.
pub fn write_text(path: &Path, text: impl AsRef<[u8]>) -> Result<(), Diagnostic> {
    let written = replace(path, |file| file.write_all(text.as_ref()));
    written.map_err(|error| Problem::from(error).of(&path.display().to_string()))
}

/// Whether a value could be written to a file of this name, before it is computed in vain.
pub fn check(path: &Path) -> Result<(), Diagnostic> {
    let ending = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase();
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let problem = match ending.as_str() {
        "npy" | "txt" | "nesl" => match folder.map(fs::metadata) {
            Some(Err(error)) => Problem::from(error),
            Some(Ok(found)) if !found.is_dir() => "its folder is a file".to_owned().into(),
            Some(Ok(_)) | None => return Ok(()),
        },
        _ => UNKNOWN_ENDING.to_owned().into(),
    };
    Err(problem.of(&path.display().to_string()))
}

const UNKNOWN_ENDING: &str = "values are written to .npy, .txt or .nesl files";

fn write_problem(path: &Path, value: &Columns, shape: &Shape) -> Result<(), Problem> {
    let ending = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase();
    match ending.as_str() {
        "npy" => {
            let array = npy::Array::of(value, shape)?;
            Ok(replace(path, |file| array.write(file))?)
        }
        "txt" => {
            let text = Text::of(value, shape)?;
            Ok(replace(path, |file| text.write(file))?)
        }
        "nesl" if shape.has_function() => Err("functions cannot be written".to_owned().into()),
        "nesl" => Ok(replace(path, |file| {
            file.write_all(&value.show(shape, 0, Style::SOURCE))?;
            file.write_all(b"\n")
        })?),
        _ => Err(UNKNOWN_ENDING.to_owned().into()),
    }
}

/// Strings as the lines of a text, unless they would be read as other lines.
fn lines<'a>(offsets: &'a Column, characters: &'a Column) -> Result<Text<'a>, Problem> {
    let bytes = characters.bytes();
    let breaks = |&lane: &usize| {
        let (start, end) = bounds(offsets, lane);
        let string = &bytes[start..end];
        string.contains(&b'\n') || string.ends_with(b"\r")
    };
    match (0..offsets.len.saturating_sub(1)).find(breaks) {
        None => Ok(Text::Lines(offsets, characters)),
        Some(lane) => Err(format!(
            "string {lane} has a line end, and a text file has a string on each line: \
             write a .nesl file"
        )
        .into()),
    }
}

/// What a text file can hold.
enum Text<'a> {
    /// The characters themselves.
    Characters(&'a [u8]),
    /// A string on each line.
    Lines(&'a Column, &'a Column),
    /// A scalar on each line.
    Scalars(&'a Column),
}

impl<'a> Text<'a> {
    fn of(value: &'a Columns, shape: &Shape) -> Result<Text<'a>, Problem> {
        match (value, shape) {
            (Columns::Scalar(column), Shape::Scalar(_)) => return Ok(Text::Scalars(column)),
            (Columns::Seq { elements, .. }, Shape::Seq(element)) => {
                match (&**elements, &**element) {
                    (Columns::Scalar(column), Shape::Scalar(Ty::Char)) => {
                        return Ok(Text::Characters(column.bytes()));
                    }
                    (Columns::Scalar(column), Shape::Scalar(_)) => {
                        return Ok(Text::Scalars(column));
                    }
                    (Columns::Seq { offsets, elements }, inner) if inner.is_string() => {
                        if let Columns::Scalar(characters) = &**elements {
                            return lines(offsets, characters);
                        }
                    }
                    _ => {}
                }
            }
            _ => {}
        }
        Err(format!(
            "a text file holds scalars, strings, or sequences of these, but no {shape}: \
             write a .nesl file"
        )
        .into())
    }

    fn write(&self, file: &mut impl Write) -> std::io::Result<()> {
        match self {
            Text::Characters(text) => file.write_all(text),
            Text::Lines(offsets, characters) => {
                for lane in 0..offsets.len.saturating_sub(1) {
                    let (start, end) = bounds(offsets, lane);
                    file.write_all(&characters.bytes()[start..end])?;
                    file.write_all(b"\n")?;
                }
                Ok(())
            }
            Text::Scalars(column) => (0..column.len).try_for_each(|i| match column.get(i) {
                Const::F64(v) => writeln!(file, "{}", float_text(v, column.widths.float)),
                Const::Char(c) => file.write_all(&[c]),
                other => writeln!(file, "{other}"),
            }),
        }
    }
}
