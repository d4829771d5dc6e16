//! Values of Python's own types: numbers, texts, tuples and lists.
//!
//! Columns grow while a value is walked through once.  An empty list does not tell what its
//! elements are: if nothing else in the value tells, the value is written as a literal, which takes
//! the type that the function needs.

use crate::error::{input, memory};
use crate::types::base;
use nesl::Argument;
use prim::{Ty, Width, Widths};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt, PyList, PyString, PyTuple};
use types::Type;
use value::{Column, Columns, OutOfMemory, Typed};

/// Values of one type, or of none yet.
pub(crate) enum Growing {
    Unknown,
    Ints(Vec<i64>),
    Floats(Vec<f64>),
    Bools(Vec<u8>),
    Chars(Vec<u8>),
    Tuple(Vec<Growing>),
    Seq(Vec<i64>, Box<Growing>),
}

/// True if a value is of one of Python's own types, which are taken here.
pub(crate) fn is_plain(value: &Bound<'_, PyAny>) -> bool {
    value.is_exact_instance_of::<PyList>()
        || value.is_exact_instance_of::<PyTuple>()
        || value.is_exact_instance_of::<PyFloat>()
        || value.is_exact_instance_of::<PyInt>()
        || value.is_exact_instance_of::<PyBool>()
        || value.is_exact_instance_of::<PyString>()
}

/// The numbers and lengths of a value of Python, an argument of this name.
pub(crate) fn grown(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Growing> {
    let mut growing = Growing::Unknown;
    growing.push(value, name)?;
    Ok(growing)
}

/// An argument of what was found in a value.
pub(crate) fn finish(
    growing: Growing,
    value: &Bound<'_, PyAny>,
    name: &str,
    widths: Widths,
) -> PyResult<Argument> {
    let py = value.py();
    let Some(ty) = growing.ty() else { return Ok(Argument::Literal(literal(value)?)) };
    if let (Width::W32, Some(large)) = (widths.int, growing.large()) {
        return Err(input(py, format!("`{name}`: {large} is too large for an int of 32 bits")));
    }
    let columns = growing.columns(widths).map_err(|error| memory(py, error))?;
    let typed = Typed::value(ty, columns).map_err(|error| input(py, error.to_string()))?;
    Ok(Argument::Memory(typed))
}

/// A value as NESL writes it.
fn literal(value: &Bound<'_, PyAny>) -> PyResult<String> {
    let parts = |open: &str, close: &str| {
        let parts: Vec<String> =
            value.try_iter()?.map(|part| literal(&part?)).collect::<PyResult<_>>()?;
        Ok(format!("{open}{}{close}", parts.join(", ")))
    };
    if value.is_instance_of::<PyList>() {
        parts("[", "]")
    } else if value.is_instance_of::<PyTuple>() {
        parts("(", ")")
    } else if let Ok(value) = value.cast::<PyBool>() {
        Ok(if value.is_true() { "true" } else { "false" }.to_owned())
    } else if let Ok(text) = value.cast::<PyString>() {
        let text = text.to_cow()?;
        Ok(format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")))
    } else {
        Ok(value.repr()?.to_string())
    }
}

impl Growing {
    fn push(&mut self, value: &Bound<'_, PyAny>, path: &str) -> PyResult<()> {
        let py = value.py();
        if let Ok(value) = value.cast::<PyBool>() {
            return self.one(py, path, Growing::Bools(vec![u8::from(value.is_true())]));
        }
        if value.is_instance_of::<PyFloat>() {
            return self.one(py, path, Growing::Floats(vec![value.extract()?]));
        }
        if value.is_instance_of::<PyInt>() {
            let int = value.extract::<i64>();
            let int = int.map_err(|_| {
                input(py, format!("`{path}`: {value} is too large for an int of 64 bits"))
            })?;
            return self.one(py, path, Growing::Ints(vec![int]));
        }
        if let Ok(text) = value.cast::<PyString>() {
            let text = text.to_cow()?;
            if !text.is_ascii() {
                return Err(input(py, format!("`{path}`: the text has characters beyond ASCII")));
            }
            let elements = self.elements(py, path)?;
            if matches!(elements, Growing::Unknown) {
                *elements = Growing::Chars(Vec::new());
            }
            let Growing::Chars(chars) = elements else {
                return Err(input(py, format!("`{path}`: a text among other sequences")));
            };
            chars.extend(text.as_bytes());
            self.end(text.len());
            return Ok(());
        }
        if let Ok(tuple) = value.cast::<PyTuple>() {
            return self.tuple(tuple, path);
        }
        if let Ok(list) = value.cast::<PyList>() {
            let elements = self.elements(py, path)?;
            for (n, element) in list.iter().enumerate() {
                elements.push(&element, &format!("{path}[{n}]"))?;
            }
            self.end(list.len());
            return Ok(());
        }
        if value.is_none() {
            return Err(input(py, format!("`{path}`: it is None, and NESL has no nulls")));
        }
        let class = value.get_type().name()?;
        Err(input(py, format!("`{path}`: a value of class {class} cannot be taken")))
    }

    fn tuple(&mut self, tuple: &Bound<'_, PyTuple>, path: &str) -> PyResult<()> {
        let (py, count) = (tuple.py(), tuple.len());
        if count < 2 {
            return Err(input(py, format!("`{path}`: a tuple has two parts or more")));
        }
        if matches!(self, Growing::Unknown) {
            *self = Growing::Tuple((0..count).map(|_| Growing::Unknown).collect());
        }
        match self {
            Growing::Tuple(parts) if parts.len() == count => {
                for (n, (part, value)) in parts.iter_mut().zip(tuple).enumerate() {
                    part.push(&value, &format!("{path}[{n}]"))?;
                }
                Ok(())
            }
            _ => Err(input(py, format!("`{path}`: a tuple of {count} among other values"))),
        }
    }

    /// The elements of the sequences here, to which those of another are added.
    fn elements(&mut self, py: Python<'_>, path: &str) -> PyResult<&mut Growing> {
        if matches!(self, Growing::Unknown) {
            *self = Growing::Seq(vec![0], Box::new(Growing::Unknown));
        }
        match self {
            Growing::Seq(_, elements) => Ok(elements),
            _ => Err(input(py, format!("`{path}`: a sequence among other values"))),
        }
    }

    /// Ends a sequence of so many elements.
    fn end(&mut self, count: usize) {
        if let Growing::Seq(offsets, _) = self {
            let last = offsets.last().copied().unwrap_or(0);
            offsets.push(last + count as i64);
        }
    }

    /// Adds one scalar; ints beside floats are floats.
    fn one(&mut self, py: Python<'_>, path: &str, other: Growing) -> PyResult<()> {
        match (&mut *self, other) {
            (Growing::Unknown, other) => *self = other,
            (Growing::Ints(to), Growing::Ints(from)) => to.extend(from),
            (Growing::Floats(to), Growing::Floats(from)) => to.extend(from),
            (Growing::Floats(to), Growing::Ints(from)) => to.extend(from.iter().map(|&x| x as f64)),
            (Growing::Ints(to), Growing::Floats(from)) => {
                *self = Growing::Floats(to.iter().map(|&x| x as f64).chain(from).collect());
            }
            (Growing::Bools(to), Growing::Bools(from)) => to.extend(from),
            _ => return Err(input(py, format!("`{path}`: it is of another type than others"))),
        }
        Ok(())
    }

    /// The type, if it is known.
    fn ty(&self) -> Option<Type> {
        Some(match self {
            Growing::Unknown => return None,
            Growing::Ints(_) => Type::Base(Ty::I64),
            Growing::Floats(_) => Type::Base(Ty::F64),
            Growing::Bools(_) => Type::Base(Ty::Bool),
            Growing::Chars(_) => Type::Base(Ty::Char),
            Growing::Seq(_, elements) => Type::Seq(elements.ty()?.into()),
            Growing::Tuple(parts) => {
                let mut types = parts.iter().rev().map(Growing::ty);
                let last = types.next()??;
                types.try_fold(last, |rest, ty| Some(Type::Pair(ty?.into(), rest.into())))?
            }
        })
    }

    /// An int that 32 bits do not hold, if there is one.
    fn large(&self) -> Option<i64> {
        match self {
            Growing::Ints(ints) => ints.iter().copied().find(|&int| i32::try_from(int).is_err()),
            Growing::Tuple(parts) => parts.iter().find_map(Growing::large),
            Growing::Seq(offsets, elements) => {
                let last = offsets.last().copied().filter(|&end| i32::try_from(end).is_err());
                last.or_else(|| elements.large())
            }
            Growing::Unknown | Growing::Floats(_) | Growing::Bools(_) | Growing::Chars(_) => None,
        }
    }

    /// The type as NESL writes it, with the nesting of Python's tuples.  Where there are no values
    /// to tell, it is `bottom`.
    pub(crate) fn type_name(&self) -> String {
        match self {
            Growing::Unknown => "bottom".to_owned(),
            Growing::Ints(_) => base(Ty::I64).to_owned(),
            Growing::Floats(_) => base(Ty::F64).to_owned(),
            Growing::Bools(_) => base(Ty::Bool).to_owned(),
            Growing::Chars(_) => base(Ty::Char).to_owned(),
            Growing::Seq(_, elements) => format!("[{}]", elements.type_name()),
            Growing::Tuple(parts) => {
                let parts: Vec<String> = parts.iter().map(Growing::type_name).collect();
                format!("({})", parts.join(", "))
            }
        }
    }

    fn columns(self, widths: Widths) -> Result<Columns, OutOfMemory> {
        Ok(match self {
            Growing::Unknown => unreachable!("the type is known"),
            Growing::Ints(ints) => Columns::Scalar(Column::of_ints(widths, &ints)?),
            Growing::Floats(floats) => Columns::Scalar(Column::of_floats(widths, &floats)?),
            Growing::Bools(bytes) => Columns::Scalar(Column::of_bytes(Ty::Bool, widths, &bytes)?),
            Growing::Chars(bytes) => Columns::Scalar(Column::of_bytes(Ty::Char, widths, &bytes)?),
            Growing::Seq(offsets, elements) => Columns::Seq {
                offsets: Column::of_ints(widths, &offsets)?,
                elements: Box::new(elements.columns(widths)?),
            },
            Growing::Tuple(parts) => flat_tuple(
                parts.into_iter().map(|part| part.columns(widths)).collect::<Result<_, _>>()?,
            ),
        })
    }
}

/// A tuple of columns, which is flat to the right as types are.
fn flat_tuple(mut parts: Vec<Columns>) -> Columns {
    match parts.pop() {
        Some(Columns::Tuple(more)) => parts.extend(more),
        Some(last) => parts.push(last),
        None => {}
    }
    Columns::Tuple(parts)
}
