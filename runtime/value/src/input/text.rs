//! Plain text files: all characters, the lines, or numbers between white space.

use super::{Problem, whole};
use crate::buffer::Buffer;
use crate::columns::{Column, Columns};
use crate::convert::Builder;
use crate::memory::Budget;
use crate::shape::Shape;
use prim::{Const, Ty, Width, Widths};

pub(super) fn read(
    text: &[u8],
    shape: &Shape,
    widths: Widths,
    budget: &Budget,
) -> Result<Columns, Problem> {
    match shape {
        Shape::Scalar(Ty::Char) => Err(unreadable(shape)),
        Shape::Scalar(ty) => scalar(text, *ty, widths, budget),
        Shape::Seq(element) => match &**element {
            Shape::Scalar(Ty::Char) => {
                let bytes = Buffer::copy_of(text)?.with_charge(budget.charge(text.len())?);
                let column = Column::new(Ty::Char, widths, bytes, text.len());
                Ok(Columns::sequence(Columns::Scalar(column))?)
            }
            Shape::Scalar(ty) => Ok(Columns::sequence(numbers(text, *ty, widths, budget)?)?),
            inner if inner.is_string() => lines(text, shape, widths, budget),
            _ => Err(unreadable(shape)),
        },
        Shape::Tuple(_) | Shape::Data { .. } | Shape::Function => Err(unreadable(shape)),
    }
}

fn unreadable(shape: &Shape) -> Problem {
    format!(
        "a text file can be read as [char], [[char]] (its lines), or as numbers or bools \
         between white space, but not as {shape}"
    )
    .into()
}

/// The lines; none after a final newline.
fn lines(text: &[u8], shape: &Shape, widths: Widths, budget: &Budget) -> Result<Columns, Problem> {
    let mut builder = Builder::within(shape, widths, budget)?;
    if !text.is_empty() {
        let text = text.strip_suffix(b"\n").unwrap_or(text);
        for line in text.split(|&b| b == b'\n') {
            let lines = builder.elements();
            lines.elements().extend(line.strip_suffix(b"\r").unwrap_or(line))?;
            lines.close()?;
        }
    }
    builder.close()?;
    Ok(builder.finish())
}

fn scalar(text: &[u8], ty: Ty, widths: Widths, budget: &Budget) -> Result<Columns, Problem> {
    let columns = numbers(text, ty, widths, budget)?;
    match columns.lanes() {
        1 => Ok(columns),
        n => Err(format!("one word was expected, the file has {n}").into()),
    }
}

/// The words as scalars, one lane each.
fn numbers(text: &[u8], ty: Ty, widths: Widths, budget: &Budget) -> Result<Columns, Problem> {
    let mut builder = Builder::within(&Shape::Scalar(ty), widths, budget)?;
    for (number, line) in unmarked(text).split(|&b| b == b'\n').enumerate() {
        for word in line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()) {
            match ty {
                Ty::I64 => builder.extend(&[int(word, number, widths)?])?,
                Ty::F64 => builder.extend(&[parse::<f64>(word, number, "a float")?])?,
                Ty::Bool | Ty::Char => builder.extend(&[truth(word, number)?])?,
            }
        }
    }
    Ok(builder.finish())
}

/// A text without the mark of byte order that some editors begin UTF-8 with.
pub(super) fn unmarked(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text)
}

/// The word as a number; `line` counts from 0.
pub(super) fn parse<T: std::str::FromStr>(
    word: &[u8],
    line: usize,
    what: &str,
) -> Result<T, Problem> {
    let number = std::str::from_utf8(word).ok().and_then(|word| word.parse().ok());
    number.ok_or_else(|| unexpected(word, line, what))
}

/// An int that fits the width; it may be written as a float.
pub(super) fn int(word: &[u8], line: usize, widths: Widths) -> Result<i64, Problem> {
    let what = match widths.int {
        Width::W32 => "an int of 32 bits",
        Width::W64 => "an int",
    };
    let value = match digits(word).parse::<i64>() {
        Ok(int) => Some(int).filter(|&int| widths.holds(Const::I64(int))),
        Err(_) => parse::<f64>(word, line, what).ok().and_then(|float| whole(float, widths)),
    };
    value.ok_or_else(|| unexpected(word, line, what))
}

/// The word without a point and the zeros behind it, which a float might not hold.
fn digits(word: &[u8]) -> &str {
    let word = std::str::from_utf8(word).unwrap_or_default();
    word.trim_end_matches('0').strip_suffix('.').unwrap_or(word)
}

fn truth(word: &[u8], line: usize) -> Result<u8, Problem> {
    match word {
        b"T" | b"t" | b"1" | b"true" => Ok(1),
        b"F" | b"f" | b"0" | b"false" => Ok(0),
        _ => Err(unexpected(word, line, "T or F")),
    }
}

pub(super) fn unexpected(word: &[u8], line: usize, what: &str) -> Problem {
    let shown = String::from_utf8_lossy(&word[..word.len().min(40)]).into_owned();
    format!("line {}: `{shown}` is not {what}", line + 1).into()
}
